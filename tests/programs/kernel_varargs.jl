# MISSION L: kernels that take any number of arguments.
using Test, CUDA, KernelAbstractions

function second(y, args...)
    y[1] = args[2]
    y[2] = length(args)
    return
end
y = CUDA.zeros(Int, 2)
@cuda second(y, 1, 2, 3)
@test Array(y) == [2, 3]

chosen(x::Int32, args...) = args[2]
passes_on(y, args...) = (y[1] = chosen(args...); return)
@cuda passes_on(y, Int32(1), 2, 4)
@test Array(y)[1] == 4

# Arrays among them; a single one; none.
function combine(f, y, xs...)
    i = threadIdx().x
    y[i] = f(map(x -> x[i], xs)...)
    return
end
a, b, c = CuArray([1.0, 2.0]), CuArray([10.0, 20.0]), CuArray([100.0, 200.0])
z = CUDA.zeros(2)
@cuda threads = 2 combine(+, z, a, b, c)
@test Array(z) == [111.0, 222.0]
@cuda threads = 2 combine(-, z, a)
@test Array(z) == [-1.0, -2.0]
@cuda threads = 2 combine((xs...) -> length(xs), z)
@test Array(z) == [0.0, 0.0]

mixed(y, xs...) = (y[1] = xs[1] ? xs[2] : Int(xs[3]); y[2] = xs[4] === :b; return)
@cuda mixed(y, false, 7, 0x09, :b)
@test Array(y) == [9, 1]

# As many as it says, and an object that is called.
counted(y, xs::Vararg{Int32,2}) = (y[1] = xs[1]; y[2] = xs[2]; return)
@cuda counted(y, Int32(5), Int32(7))
@test Array(y) == [5, 7]
struct Adds
    k::Int
end
(f::Adds)(args...) = (args[1][1] = f.k + args[2]; return)
@cuda Adds(5)(y, 3)
@test Array(y) == [8, 7]

# A kernel that a kernel launches.
function parent(y)
    @cuda dynamic = true threads = 1 second(y, 7, 8, 9)
    return
end
@cuda parent(y)
CUDA.synchronize()
@test Array(y) == [8, 3]

@kernel function total!(y, xs...)
    i = @index(Global)
    y[i] = sum(map(x -> x[i], xs))
end
w = [0.0, 0.0]
total!(CPU())(w, [1.0, 2.0], [3.0, 4.0], [5.0, 6.0]; ndrange = 2)
@test w == [9.0, 12.0]
