# Complex numbers: arithmetic, functions, promotion, and how they print.
using Test
z = 3 + 4im
@testset "arithmetic" begin
    @test z isa Complex{Int} && real(z) == 3 && imag(z) == 4 && reim(z) == (3, 4)
    @test z + 1 == 4 + 4im && z - 2im == 3 + 2im && z * im == -4 + 3im && z * z == -7 + 24im && -z == -3 - 4im
    @test z / 2 == 1.5 + 2im && z / (1 + 2im) == 2.2 - 0.4im && 1 / im == -im && inv(2im) == -0.5im
    @test conj(z) == 3 - 4im && z' == 3 - 4im && abs(z) == 5.0 && abs2(z) == 25 && angle(1im) == pi / 2
    @test (1 + im)^2 == 2im && (1 + im)^-2 == -0.5im && im^2 == -1 && (2.0 + 0im)^0.5 ≈ sqrt(2)
    @test 1 + 0im == 1 && complex(1, 2) == 1 + 2im && Complex{Float32}(1, 2) isa ComplexF32 && !isreal(z)
end
@testset "functions" begin
    @test sqrt(Complex(-4.0)) == 2im && sqrt(3 + 4im) == 2 + im && exp(im * pi) ≈ -1 && log(Complex(-1.0)) == pi * im
    @test cis(0.0) == 1 && sin(1.0im) ≈ sinh(1.0) * im && cos(1.0im) ≈ cosh(1.0) && tanh(0.5 + 0im) ≈ tanh(0.5)
    @test exp(1.0 + 2.0im) ≈ exp(1.0) * (cos(2.0) + im * sin(2.0)) && asin(sin(0.3 + 0.2im)) ≈ 0.3 + 0.2im
end
@testset "types and text" begin
    @test promote_type(ComplexF32, Float64) === ComplexF64 && zero(z) === 0 + 0im && one(ComplexF64) === 1.0 + 0.0im
    @test string(1 + 2im) == "1 + 2im" && string(1.0 - 2.5im) == "1.0 - 2.5im" && repr(im) == "im"
    @test string([1 + 2im]) == "Complex{Int64}[1 + 2im]" && Float64(2 + 0im) === 2.0
    @test_throws InexactError Float64(1 + 2im)
    @test sum([1 + im, 2 - im]) == 3 && [1, im] == [1 + 0im, im]
end
