# MISSION P2: functions that are not inlined run for a vector of items at once, and do what they do for one: loops that items leave one by
# one, early returns, structs, tables, private memory, callees of callees, and failures of some items.
using CUDA, Test, StaticArrays

struct Ray
    o::Float32
    d::Float64
    n::Int32
end

@noinline function turns(x::Float32, n::Int32)
    k = Int32(0)
    while k < n && abs(x) < 4.0f0
        x = x * x - 0.7f0
        k += Int32(1)
    end
    return Float32(k) + x
end
@noinline function bounce(r::Ray, scale)
    r.n == 3 && return Ray(-r.o, r.d, Int32(0))
    return Ray(r.o * scale, r.d + r.n, r.n + Int32(1))
end
@noinline look(table, i) = i > 0 ? table[i] : zero(eltype(table))
@noinline both(table, x, i) = turns(x, Int32(9)) + look(table, i)
@noinline function sorted(a, b, c)
    m = MVector{3, Float32}(a, b, c)
    for k in 1:2, j in 1:2
        if m[j] > m[j + 1]
            m[j], m[j + 1] = m[j + 1], m[j]
        end
    end
    return m[2]
end
@noinline narrow(x, flag) = flag ? Int8(x & 127) : Int8(-1)
@noinline function put!(o, i, x)
    o[i] = x
    return nothing
end

function k!(o, d, n, a, index)
    i = (blockIdx().x - 1) * blockDim().x + threadIdx().x
    if i <= length(o)
        x = a[i]
        r = bounce(Ray(x, Float64(i), i % Int32 & Int32(3)), 2.0f0)
        d[i] = r.d + r.o
        n[i] = r.n + narrow(i, isodd(i))
        if index[i] > 0
            o[i] = both(a, x, index[i])
        else
            put!(o, i, sorted(x, a[length(a) + 1 - i], 0.25f0))
        end
    end
    return
end
function expected(a, index)
    o, d, n = similar(a), zeros(length(a)), zeros(Int32, length(a))
    for i in eachindex(a)
        x = a[i]
        r = bounce(Ray(x, Float64(i), i % Int32 & Int32(3)), 2.0f0)
        d[i] = r.d + r.o
        n[i] = r.n + narrow(i, isodd(i))
        o[i] = index[i] > 0 ? both(a, x, index[i]) : sorted(x, a[length(a) + 1 - i], 0.25f0)
    end
    return o, d, n
end

for count in (1, 7, 64, 1000)
    a = Float32[1.5f0 * sin(i) for i in 1:count]
    index = [i % 3 == 0 ? 0 : (i * 7) % count + 1 for i in 1:count]
    o, d, n = CUDA.zeros(Float32, count), CUDA.zeros(Float64, count), CUDA.zeros(Int32, count)
    @cuda threads = 64 blocks = cld(count, 64) k!(o, d, n, CuArray(a), CuArray(index))
    wanted = expected(a, index)
    @test map(Array, (o, d, n)) == wanted
end

# Items that fail in a callee are recorded, the others go on.
function failing!(o, table, index)
    i = threadIdx().x
    @inbounds o[i] = 1.0f0
    @inbounds o[i] = look(table, index[i])
    return
end
table, index = CuArray(Float32.(1:8)), CuArray([1, 2, 9, 4, 100, 6, -1, 8])
o = CUDA.zeros(Float32, 8)
caught = try
    @cuda threads = 8 failing!(o, table, index)
    synchronize()
catch e
    e
end
@test caught isa BoundsError
@test Array(o) == Float32[1, 2, 1, 4, 1, 6, 0, 8]

# The mathematics of Base is Julia: its larger functions are callees.
function math!(f, o, a, b)
    i = (blockIdx().x - 1) * blockDim().x + threadIdx().x
    @inbounds o[i] = f(a[i], b[i])
    return
end
for T in (Float32, Float64)
    a = T[0.0, 1.0, 0.5, 2.0, 1.0e10, 1.0e-10, 3.25, 100.0, NaN, Inf, 0.1, 7.0, 1.5, 9.0, 1.25, 0.75, 33.0]
    b = T[1.0, 0.0, -2.5, 3.0, 2.0, 1.0e5, -0.0, 0.5, 1.0, 2.0, -7.0, 11.5, Inf, -Inf, NaN, 1.0e-3, 30000.0]
    for f in (^, (x, y) -> sin(x), (x, y) -> cos(1000 * y), atan, (x, y) -> tanh(y), hypot, (x, y) -> sinh(x), rem, (x, y) -> log1p(x))
        f === (^) || (b = map(x -> isfinite(x) ? x : one(x), b); a = map(x -> isfinite(x) ? x : one(x), a))
        out = CUDA.zeros(T, length(a))
        @cuda threads = length(a) math!(f, out, CuArray(a), CuArray(b))
        @test isequal(Array(out), map(f, a, b))
    end
end
