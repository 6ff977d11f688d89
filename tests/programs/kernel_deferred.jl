# Functions that kernels call through pointers: compiled with the kernel that looks them up.
using CUDA, Test
using Base.Device: deferred, deferred_call

square(x) = x * x
@noinline cube(x) = x * x * x
@noinline apply(p, x) = deferred_call(p, Float32, x)

function direct(y)
    i = threadIdx().x
    p = deferred(square, y[i])
    y[i] = deferred_call(p, Float32, y[i])
    return
end

# The pointer is passed to a function that does not know what it is of.
function indirect(y)
    i = threadIdx().x
    p = isodd(i) ? deferred(square, 1f0) : deferred(cube, 1f0)
    y[i] = apply(p, y[i])
    return
end

# Looked up within what is looked up.
@noinline inner(x) = x + 1f0
@noinline outer(x) = apply(deferred(inner, x), x) * 2f0
function nested(y)
    i = threadIdx().x
    y[i] = apply(deferred(outer, 1f0), y[i]) + apply(deferred(inner, 1f0), y[i])
    return
end

# What fails through a pointer says where.
@noinline checked(x) = x < 3f0 ? x : throw(DomainError(x, "too large"))
function failing(y)
    i = threadIdx().x
    y[i] = apply(deferred(checked, 1f0), y[i])
    return
end

# Closures, tuples, several arguments and trailing ones.
@noinline many(a, rest...) = a + rest[1] * rest[2]
@noinline pairs_of(t) = (t[2], t[1])
@noinline apply_many(p, a, b, c) = deferred_call(p, Float32, a, b, c)
@noinline apply_pair(p, t) = deferred_call(p, Tuple{Int32,Float32}, t)
@noinline apply_closure(p, f, x) = deferred_call(p, Float32, f, x)
function shapes(y, k)
    i = threadIdx().x
    x = y[i]
    f = v -> v + k
    s = apply_many(deferred(many, x, x, x), x, 2f0, 3f0)
    n, z = apply_pair(deferred(pairs_of, (x, Int32(i))), (x, Int32(i)))
    y[i] = s + Float32(n) * 100f0 + z * 1000f0 + apply_closure(deferred(f, x), f, x)
    return
end

# A function that is reached from itself through a pointer.
@noinline countdown(n) = n <= 0f0 ? 0f0 : 1f0 + apply(deferred(countdown, n), n - 1f0)
function recursive(y)
    i = threadIdx().x
    y[i] = apply(deferred(countdown, 1f0), y[i])
    return
end

# Barriers behind a pointer.
@noinline function shift(a, i, n)
    sync_threads()
    v = a[i == n ? 1 : i + 1]
    sync_threads()
    return v
end
@noinline apply_shift(p, a, i, n) = deferred_call(p, Float32, a, i, n)
function shifting(y)
    i = Int(threadIdx().x)
    n = Int(blockDim().x)
    y[i] = apply_shift(deferred(shift, y, i, n), y, i, n)
    return
end

# Through a pointer of a function of other types nothing is called.
@noinline apply_wrong(p, x) = deferred_call(p, Float64, x)
@noinline apply_other(p, x) = deferred_call(p, Float32, Float64(x))
@noinline ignoring(p, x) = deferred_call(p, Nothing, x)
wrong_result(y) = (y[1] = Float32(apply_wrong(deferred(square, 1f0), y[1])); return)
wrong_argument(y) = (y[1] = apply_other(deferred(square, 1f0), y[1]); return)
ignored(y) = (ignoring(deferred(cube, 1f0), y[1]); y[1] = 7f0; return)

run(k, args...; n = 4) = (y = CuArray(Float32.(1:n)); @cuda(threads = n, k(y, args...)); synchronize(); Array(y))

@testset "pointers to functions" begin
    @test run(direct) == [1, 4, 9, 16]
    @test run(indirect) == [1, 8, 9, 64]
    @test run(nested) == 2 .* (2:5) .+ (2:5)
    @test run(shapes, 5f0) == [x + 6 + 100i + 1000x + x + 5 for (i, x) in enumerate(1:4)]
    @test run(recursive) == [1, 2, 3, 4]
    @test run(shifting) == [2, 3, 4, 1]
    @test_throws ArgumentError run(wrong_result)
    @test_throws ArgumentError run(wrong_argument)
    @test run(ignored) == [7, 2, 3, 4]
    err = try run(failing); nothing catch e; e end
    @test occursin("too large", sprint(showerror, err))
end

@testset "the same on the host" begin
    p = deferred(square, 2f0)
    @test p isa Ptr{Cvoid} && p == deferred(square, 5f0) != deferred(square, 5.0)
    @test apply(p, 3f0) === 9f0
    k = 4f0
    f = x -> x + k
    @test apply_closure(deferred(f, 1f0), f, 1f0) === 5f0
    @test outer(3f0) === 8f0
    @test countdown(3f0) === 3f0
    @test_throws MethodError deferred(square, 1, 2)
    @test_throws TypeError deferred_call(p, Float64, 3f0)
    @test_throws ArgumentError deferred_call(p, Float32, 3.0)
    @test_throws ArgumentError deferred_call(Ptr{Cvoid}(0), Float32, 3.0)
end
