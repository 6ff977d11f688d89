# Functions that are looked up and called in the same place: direct calls, also where there are no pointers to functions.
using CUDA, Test
using Base.Device: deferred, deferred_call

square(x) = x * x
@noinline cube(x) = x * x * x
function direct(y)
    i = threadIdx().x
    y[i] = deferred_call(deferred(square, y[i]), Float32, y[i])
    return
end
function either(y)
    i = threadIdx().x
    y[i] = isodd(i) ? deferred_call(deferred(square, 1f0), Float32, y[i]) : deferred_call(deferred(cube, 1f0), Float32, y[i])
    return
end

# Within what is looked up, and two look-ups of one function.
@noinline inner(x) = x + 1f0
@noinline outer(x) = deferred_call(deferred(inner, x), Float32, x) * 2f0
function nested(y)
    i = threadIdx().x
    y[i] = deferred_call(deferred(outer, 1f0), Float32, y[i]) + deferred_call(deferred(inner, 1f0), Float32, y[i])
    return
end

# Inlined with what it is passed to.
@inline apply(p, x) = deferred_call(p, Float32, x)
passed(y) = (i = threadIdx().x; y[i] = apply(deferred(outer, 1f0), y[i]); return)

@noinline checked(x) = x < 3f0 ? x : throw(DomainError(x, "too large"))
failing(y) = (i = threadIdx().x; y[i] = deferred_call(deferred(checked, 1f0), Float32, y[i]); return)

# Closures, several arguments, trailing ones, types.
@noinline many(a, rest...) = a + rest[1] * rest[2]
@noinline converted(T, x) = T(x) + T(1)
function shapes(y, k)
    i = threadIdx().x
    x = y[i]
    f = v -> v + k
    s = deferred_call(deferred(many, x, x, x), Float32, x, 2f0, 3f0)
    y[i] = s + deferred_call(deferred(f, x), Float32, f, x) + Float32(deferred_call(deferred(converted, Int16, x), Int16, Int16, x))
    return
end

@noinline function shift(a, i, n)
    sync_threads()
    v = a[i == n ? 1 : i + 1]
    sync_threads()
    return v
end
function shifting(y)
    i, n = Int(threadIdx().x), Int(blockDim().x)
    y[i] = deferred_call(deferred(shift, y, i, n), Float32, y, i, n)
    return
end

run(k, args...; n = 4) = (y = CuArray(Float32.(1:n)); @cuda(threads = n, k(y, args...)); synchronize(); Array(y))

@testset "look-ups that are called" begin
    @test run(direct) == [1, 4, 9, 16]
    @test run(either) == [1, 8, 9, 64]
    @test run(nested) == 3 .* (2:5)
    @test run(passed) == 2 .* (2:5)
    @test run(shapes, 5f0) == [(x + 6) + (x + 5) + (x + 1) for x in 1:4]
    @test run(shifting) == [2, 3, 4, 1]
    err = try run(failing); nothing catch e; e end
    @test occursin("too large", sprint(showerror, err))
    # What is looked up is what there is: a definition makes the kernel anew.
    @eval @noinline inner(x) = x - 1f0
    @test Base.invokelatest(run, nested) == 3 .* (0:3)
end
