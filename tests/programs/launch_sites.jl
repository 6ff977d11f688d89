# MISSION H4: launches from compiled code: each loop is long enough to be compiled. A site launches what its world says, takes arguments of any
# type, throws what the kernel throws, and allocates nothing that stays.
using CUDA, Test, Random
import AMDGPU
using KernelAbstractions

const MANY = 3000

# A definition is seen by the next launch of code that sees it, and by no frame of an older world.
bump(x) = x + 1
function bump!(y)
    y[1] = bump(y[1])
    return
end
function bump_once(y)
    @cuda bump!(y)
    return nothing
end
function bumps(n, y, at)
    for i in 1:n
        i == at && @eval bump(x) = x + 1000
        @cuda bump!(y)
    end
end
y = CUDA.zeros(Int, 1)
for _ in 1:3
    bumps(MANY, y, 0)
end
@test Array(y) == [3MANY]
CUDA.fill!(y, 0)
bumps(MANY, y, MANY ÷ 2)
@test Array(y) == [MANY]
CUDA.fill!(y, 0)
bumps(2, y, 0)
@test Array(y) == [2000]

function latest(n, y, at, to)
    for i in 1:n
        i == at && Core.eval(Main, :(bump(x) = x + $to))
        Base.invokelatest(bump_once, y)
    end
end
CUDA.fill!(y, 0)
latest(MANY, y, MANY ÷ 2 + 1, 2)
@test Array(y) == [1000 * (MANY ÷ 2) + 2 * (MANY ÷ 2)]
for step in 1:20
    CUDA.fill!(y, 0)
    latest(10, y, 6, step)
    @test Array(y) == [5 * (step == 1 ? 2 : step - 1) + 5step]
end
# A frame of an older world and newer code launch in turn.
function in_turn(n, y)
    for i in 1:n
        @eval bump(x) = x + $(100i)
        @cuda bump!(y)
        Base.invokelatest(bump_once, y)
    end
end
CUDA.fill!(y, 0)
in_turn(3, y)
@test Array(y) == [3 * 20 + 100 + 200 + 300]

# One site, arguments of different types.
struct Padded
    small::Int8
    large::Int64
end
value(x::Number) = Int(x)
value(x::Padded) = x.small + x.large
value(x::Tuple) = sum(map(value, x))
value(::Nothing) = 5
value(::Type{T}) where {T} = sizeof(T)
value(x::Val{N}) where {N} = N
value(x::AbstractArray) = Int(x[2])
value(x::Symbol) = x === :one ? 1 : 2
function put!(y, x)
    y[1] += value(x)
    return
end
put(y, x) = (@cuda put!(y, x); nothing)
function puts(n, y, xs)
    for _ in 1:n, x in xs
        put(y, x)
    end
end
xs = Any[1, Int32(2), 3.0, Padded(1, 3), (1, Padded(2, 2)), nothing, Float64, Val(9), CuArray([0, 10]), true, 0x0b]
total = 1 + 2 + 3 + 4 + 5 + 5 + 8 + 9 + 10 + 1 + 11
CUDA.fill!(y, 0)
puts(500, y, xs)
@test Array(y) == [500total]
function padded(n, y)
    for i in 1:n
        @cuda put!(y, Padded(Int8(i % 100), i))
    end
end
CUDA.fill!(y, 0)
padded(MANY, y)
@test Array(y) == [sum(i % 100 + i for i in 1:MANY)]
# Of a union, captured by the kernel, and as many as there are.
function mixed(n, y)
    for i in 1:n
        x = iseven(i) ? i : Float64(i)
        @cuda put!(y, x)
    end
end
CUDA.fill!(y, 0)
mixed(MANY, y)
@test Array(y) == [sum(1:MANY)]
function captured(n, y)
    for i in 1:n
        add = z -> (z[1] += i; return)
        @cuda add(y)
    end
end
CUDA.fill!(y, 0)
captured(MANY, y)
@test Array(y) == [sum(1:MANY)]
function all!(y, xs...)
    y[1] += sum(xs)
    return
end
function variadic(n, y)
    for i in 1:n
        @cuda all!(y, i, 1, 2)
        @cuda all!(y)
    end
end
all!(y) = (y[1] += 7; return)
CUDA.fill!(y, 0)
variadic(MANY, y)
@test Array(y) == [sum(1:MANY) + 10MANY]

# Sizes, as given and as refused.
function count!(y)
    CUDA.@atomic y[1] += 1
    return
end
function sized(n, y, threads, blocks)
    for _ in 1:n
        @cuda threads = threads blocks = blocks count!(y)
    end
end
CUDA.fill!(y, 0)
sized(MANY, y, 2, 3)
sized(MANY, y, (2, 2), (1, 3, 1))
@test Array(y) == [18MANY]
@test_throws "not positive" sized(1, y, 0, 1)
@test_throws "exceeds device limit" sized(1, y, 1, (1, 2^20))
@test_throws ArgumentError sized(1, y, 1.5, 1)
function shared!(y)
    buffer = CuDynamicSharedArray(Int, 1)
    buffer[1] = 2
    y[1] += buffer[1]
    return
end
function shared(n, y, bytes)
    for _ in 1:n
        @cuda shmem = bytes shared!(y)
    end
end
CUDA.fill!(y, 0)
shared(MANY, y, 8)
@test Array(y) == [2MANY]

# Options: of the macro, of the kernel object, and some that differ from launch to launch.
function with_options(n, y)
    for i in 1:n
        @cuda threads = 1 name = "named" maxthreads = (isodd(i) ? 32 : 64) always_inline = iseven(i) bump!(y)
    end
end
bump(x) = x + 1
CUDA.fill!(y, 0)
with_options(MANY, y)
@test Array(y) == [MANY]
function over_limit(n, y, threads)
    for i in 1:n
        @cuda threads = threads maxthreads = 32 count!(y)
    end
end
over_limit(MANY, y, 32)
@test_throws "exceeds kernel limit" over_limit(1, y, 64)
function by_object(n, y)
    kernel = @cuda launch = false bump!(y)
    for _ in 1:n
        kernel(y; threads = 1)
    end
end
CUDA.fill!(y, 0)
by_object(MANY, y)
@test Array(y) == [MANY]
other = @cuda launch = false put!(y, 1)
call(kernel, args...) = kernel(args...)
@test_throws ArgumentError call(other, y, 1.0)

# Failures: at a launch, of an item, of a kernel that does not compile. Launches behind them work.
function fails!(y, i)
    y[i] += 1
    return
end
function failing(n, y, at)
    for i in 1:n
        @cuda fails!(y, i == at ? 2 : 1)
    end
    CUDA.synchronize()
end
CUDA.fill!(y, 0)
failing(MANY, y, 0)
for at in (1, MANY ÷ 2, MANY)
    @test_throws BoundsError failing(MANY, y, at)
end
failing(1, y, 0)
@test Array(y)[1] > MANY
broken!(y) = (y[1] = not_defined_yet(y[1]); return)
breaking(y) = (@cuda broken!(y); nothing)
function breaks(n, y)
    failed = 0
    for _ in 1:n
        try
            breaking(y)
        catch
            failed += 1
        end
    end
    return failed
end
@test breaks(200, y) == 200
not_defined_yet(x) = -1
@test breaks(200, y) == 0
@test Array(y) == [-1]

# In tasks that take turns.
function in_tasks(n, y)
    @sync for _ in 1:4
        @async for i in 1:n
            @cuda bump!(y)
            i % 10 == 0 && yield()
        end
    end
end
CUDA.fill!(y, 0)
in_tasks(1000, y)
@test Array(y) == [4000]

# Random numbers follow from the host's seed.
function draw!(y)
    y[1] = rand(Int32)
    return
end
function draws(n, y)
    drawn = Int[]
    for _ in 1:n
        @cuda draw!(y)
        push!(drawn, Array(y)[1])
    end
    return drawn
end
Random.seed!(1)
first_drawn = draws(500, y)
Random.seed!(1)
@test draws(500, y) == first_drawn
@test length(Set(first_drawn)) > 400

# The other dialects.
roc_bump!(y) = (y[1] = bump(y[1]); return)
function roc_bumps(n, y)
    for _ in 1:n
        AMDGPU.@roc groupsize = 1 roc_bump!(y)
    end
end
z = AMDGPU.zeros(Int, 1)
roc_bumps(MANY, z)
@test Array(z) == [MANY]

@kernel function ka_add!(y, @Const(x), a)
    i = @index(Global)
    y[i] += a * x[i]
end
@kernel function ka_add_plane!(y, a)
    i, j = @index(Global, NTuple)
    y[i, j] += a
end
function ka_adds(n, backend, y, x, w)
    for _ in 1:n
        ka_add!(backend)(y, x, 2; ndrange = length(y))
        ka_add!(backend, 4)(y, x, 3; ndrange = w)
        ka_add!(backend)(y, x, 5; ndrange = 0)
        ka_add!(backend)(y, x, 1; ndrange = (w,), workgroupsize = 2)
        ka_add!(backend, (4,), (10,))(y, x, 10)
    end
end
for (backend, new) in ((CPU(), identity), (CUDABackend(), CuArray), (CUDABackend(always_inline = true), CuArray), (AMDGPU.ROCBackend(), AMDGPU.ROCArray))
    h, x = new(zeros(Int, 10)), new(collect(1:10))
    ka_adds(1000, backend, h, x, 7)
    KernelAbstractions.synchronize(backend)
    @test Array(h) == [(i <= 7 ? 16000 : 12000) * i for i in 1:10]
end
function planes(n, y, size)
    for _ in 1:n
        ka_add_plane!(CPU(), (4, 2))(y, 1; ndrange = size)
        ka_add_plane!(CPU())(y, 1; ndrange = size)
    end
end
plane = zeros(Int, 5, 3)
planes(1000, plane, (5, 3))
planes(1000, plane, (4, 2))
@test plane == [i <= 4 && j <= 2 ? 4000 : 2000 for i in 1:5, j in 1:3]

# From code that knows no types, of one kernel and of several.
const UNTYPED = Any[y, 1, bump!, put!]
function untyped(n, v)
    for _ in 1:n
        @cuda threads = v[2] bump!(v[1])
        @cuda v[4](v[1], v[2])
        put(v[1], v[2])
    end
end
CUDA.fill!(y, 0)
untyped(MANY, UNTYPED)
@test Array(y) == [3MANY]
for i in 1:MANY
    @cuda bump!(y)
    @cuda threads = 1 put!(y, i)
end
@test Array(y) == [4MANY + sum(1:MANY)]

# Compiled code allocates nothing to launch.
function launches(n, y)
    for _ in 1:n
        @cuda bump!(y)
    end
end
launches(MANY, y), launches(MANY, y)
@test (@allocated launches(10 * MANY, y)) == 0
