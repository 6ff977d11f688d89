# Conversions between integers of 128 bits and floats in kernels, as on the host, to the bit (MISSION G).
using CUDA, Test

const INTEGERS = Int128[0, 1, -1, 3, typemax(Int64), typemin(Int64), typemax(Int128), typemin(Int128),
    Int128(1) << 64, (Int128(1) << 64) - 1, (Int128(1) << 64) + 1, -(Int128(1) << 77) - 12345,
    (Int128(1) << 100) + (Int128(1) << 47), (Int128(1) << 100) + (Int128(1) << 47) + 1, (Int128(1) << 100) + (Int128(3) << 47),
    (Int128(1) << 90) + (Int128(1) << 66), (Int128(1) << 90) + (Int128(1) << 66) - 1, (Int128(1) << 54) + 1, (Int128(1) << 25) + 1]
const FLOATS = [0.0, -0.0, 0.75, -0.75, 1.0, -1.5, 1e18, -1e18, 2.0^63, -2.0^63, 2.0^64, 2.0^64 - 2048, 1.2345e25, -1.2345e25,
    2.0^100 + 2.0^60, -2.0^127, 5.0e-324, 2.0^126]

function of_integers!(a, b, c, d, x)
    i = threadIdx().x
    @inbounds a[i] = Float64(x[i])
    @inbounds b[i] = Float32(x[i])
    @inbounds c[i] = Float64(x[i] % UInt128)
    @inbounds d[i] = Float32(x[i] % UInt128)
    return
end
function of_floats!(a, b, c, d, x)
    i = threadIdx().x
    @inbounds v = x[i]
    @inbounds a[i] = unsafe_trunc(Int128, v)
    @inbounds b[i] = unsafe_trunc(UInt128, abs(v))
    @inbounds c[i] = unsafe_trunc(Int128, Float32(v))
    @inbounds d[i] = unsafe_trunc(Int128, Float16(v % 2000))
    return
end

@testset "integers to floats" begin
    n = length(INTEGERS)
    a, b, c, d = CUDA.zeros(Float64, n), CUDA.zeros(Float32, n), CUDA.zeros(Float64, n), CUDA.zeros(Float32, n)
    @cuda threads=n of_integers!(a, b, c, d, CuArray(INTEGERS))
    @test Array(a) == Float64.(INTEGERS) && Array(b) == Float32.(INTEGERS)
    @test Array(c) == Float64.(INTEGERS .% UInt128) && Array(d) == Float32.(INTEGERS .% UInt128)
end
@testset "floats to integers" begin
    n = length(FLOATS)
    a, c, d = CuArray(zeros(Int128, n)), CuArray(zeros(Int128, n)), CuArray(zeros(Int128, n))
    b = CuArray(zeros(UInt128, n))
    @cuda threads=n of_floats!(a, b, c, d, CuArray(FLOATS))
    @test Array(a) == unsafe_trunc.(Int128, FLOATS) && Array(b) == unsafe_trunc.(UInt128, abs.(FLOATS))
    @test Array(c) == unsafe_trunc.(Int128, Float32.(FLOATS))
    @test Array(d) == unsafe_trunc.(Int128, Float16.(FLOATS .% 2000))
end
