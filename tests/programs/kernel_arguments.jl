# Arguments are converted structurally: tuples, named tuples, closures, structs that say how.
using CUDA, Test
import Adapt

struct Pair2{A,B}
    first::A
    second::B
end
Adapt.@adapt_structure Pair2

function sum_parts!(out, p, t, nt, f)
    i = threadIdx().x
    out[i] = p.first[i] + p.second + t[1][i] + t[2] + nt.a[i] + f(i)
    return
end

make_closure(captured, offset) = i -> captured[i] + offset
f = make_closure(CuArray([5, 6, 7]), 1000)
out = CUDA.zeros(Int, 3)
p = Pair2(CuArray([1, 2, 3]), 10)
@cuda threads=3 sum_parts!(out, p, (CuArray([100, 200, 300]), 7), (a = CuArray([1, 1, 1]),), f)
@test Array(out) == [1, 2, 3] .+ 10 .+ [100, 200, 300] .+ 7 .+ 1 .+ [5, 6, 7] .+ 1000

# A view, and a scalar struct.
struct Point
    x::Float64
    y::Float64
end
function scale!(v, q::Point)
    i = threadIdx().x
    v[i] = v[i] * q.x + q.y
    return
end
data = CuArray(collect(1.0:10.0))
@cuda threads=4 scale!(view(data, 3:6), Point(2.0, 1.0))
@test Array(data) == [1.0, 2.0, 7.0, 9.0, 11.0, 13.0, 7.0, 8.0, 9.0, 10.0]

# A function that the kernel only hands on: the kernel is specialized for it all the same.
@noinline applied(f, x) = f(x)
hand_on!(out, f) = (out[1] = applied(f, 3.0); return)
out = CUDA.zeros(Float64, 1)
@cuda hand_on!(out, x -> 2x + 1)
@test Array(out) == [7.0]

# A local kernel whose signature has type variables of its own.
function local_kernel(a)
    fill_first!(x::CuDeviceArray{<:Any,1}, v::T) where {T<:Number} = (x[1] = v; return)
    @cuda fill_first!(a, 5)
    return Array(a)[1]
end
@test local_kernel(CUDA.zeros(Int, 2)) == 5

# Numbers of any size live on the host, and so does what holds one.
struct Holder
    value::BigInt
end
ignores!(out, x) = (out[1] = 1; return)
for x in (big(1), big(1.0), Holder(big(1)), (big(1), 2), (a = 1, b = big(2.0)), 1 // big(2), complex(big(1)))
    @test_throws "is not plain bits" @cuda ignores!(CUDA.zeros(Int, 1), x)
end
