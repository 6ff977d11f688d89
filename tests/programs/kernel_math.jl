# In kernels the mathematical functions, complex numbers and static arrays give the very bits that they give outside.
using CUDA, StaticArrays, LinearAlgebra, Test

function on_device(f, xs::Vector)
    x = CuArray(xs)
    y = CuArray([f(v) for v in xs])
    expected = Array(y)
    fill!(y, zero(eltype(y)))
    kernel = (y, x) -> begin
        i = threadIdx().x
        @inbounds y[i] = f(x[i])
        return
    end
    @cuda threads = length(xs) kernel(y, x)
    Array(y) == expected
end
@testset "functions" begin
    for T in (Float32, Float64), f in (exp, log, sin, cos, tan, sqrt, tanh, atan, asin, cbrt, log2, log1p, expm1, sinh, sinpi, exp2)
        @test on_device(f, T[0.1, 0.5, 0.7, 0.9])
    end
    @test on_device(x -> x^1.5, [0.1, 2.5]) && on_device(x -> x^1.5f0, Float32[0.1, 2.5]) && on_device(x -> x^5, [0.1, 2.5])
    @test on_device(x -> hypot(x, 2.0), [0.1, 2.5]) && on_device(x -> atan(x, -2.0), [0.1, 2.5]) && on_device(sin, [1e10, 1e300])
end
@testset "complex numbers" begin
    @test on_device(z -> z * z + 1im, [1.0 + 2.0im, 3.0 - 1.0im]) && on_device(abs, [3.0f0 + 4.0f0im]) && on_device(z -> exp(z) / z, [1.0 + 2.0im])
end
@testset "static arrays" begin
    m = @SMatrix [1.0 2.0; 3.0 4.0]
    @test on_device(v -> 2v + v .* v, [SVector(1.0, 2.0), SVector(3.0, 4.0)]) && on_device(v -> m * v, [SVector(1.0, 2.0)])
    @test on_device(norm, [SVector(3.0f0, 4.0f0)]) && on_device(v -> cross(v, v .+ 1), [SVector(1.0, 2.0, 3.0)]) && on_device(v -> dot(v, v), [SVector(1.0, 2.0)])
    @test on_device(x -> inv(SMatrix{2, 2}(x, 1.0, 2.0, 5.0)), [3.0]) && on_device(x -> sum(SVector(x, x, 2x)), [3.0])
    @test on_device([1.0, 2.0]) do x
        a = MVector(x, 2x, 3x)
        for i in 1:3
            a[i] += i
        end
        a[1] * a[2] + a[3]
    end
end
