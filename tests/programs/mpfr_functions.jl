# MPFR's numbers for rounding modes, and its functions by `ccall`, which write their results into a number.
using Test
using Base.MPFR: MPFRRoundingMode, MPFRRoundNearest, MPFRRoundUp, MPFRRoundDown, MPFRRoundFaithful

@test Base.Rounding.rounding_raw(BigFloat) === MPFRRoundNearest && Base.MPFR.ROUNDING_MODE[] === MPFRRoundNearest
setrounding(BigFloat, RoundUp) do
    @test Base.MPFR.ROUNDING_MODE[] === MPFRRoundUp && rounding(BigFloat) === RoundUp
end
@test convert(RoundingMode, MPFRRoundDown) === RoundDown && convert(MPFRRoundingMode, RoundUp) === MPFRRoundUp
@test_throws ArgumentError convert(RoundingMode, MPFRRoundFaithful)
@test BigFloat(1 // 3, MPFRRoundDown) < BigFloat(1 // 3, MPFRRoundUp)

function log2_of(bits, mode)
    z = BigFloat(; precision = bits)
    side = ccall((:mpfr_const_log2, :libmpfr), Cint, (Ref{BigFloat}, MPFRRoundingMode), z, mode)
    (z, side)
end
down, below = log2_of(100, MPFRRoundDown)
up, above = log2_of(100, MPFRRoundUp)
@test precision(down) == 100 && down < log(big(2)) < up && nextfloat(down) == up && (below, above) == (-1, 1)
# The precision is that of the number that is written, also of one that is not a number.
@test precision(BigFloat(NaN; precision = 77)) == 77
z = BigFloat(; precision = 53)
other = z
@test ccall((:mpfr_mul, :libmpfr), Cint, (Ref{BigFloat}, Ref{BigFloat}, Ref{BigFloat}, Int32), z, big(1.5), big(2.0), MPFRRoundNearest) == 0
@test z == 3 && other === z
# Numbers that share digits change one by one.
y = -z
@test ccall((:mpfr_neg, :libmpfr), Cint, (Ref{BigFloat}, Ref{BigFloat}, Int32), z, z, 0) == 0 && (z, y) == (-3, -3)
ccall((:mpfr_log, :libmpfr), Cint, (Ref{BigFloat}, Ref{BigFloat}, Int32), z, big(-1), 0)
@test isnan(z) && y == -3
@test_throws Base.UnsupportedError ccall((:mpfr_zeta, :libmpfr), Cint, (Ref{BigFloat}, Ref{BigFloat}, Int32), z, y, 0)

# OpenLibm's functions, of numbers of both sizes.
using OpenLibm_jll
@test ccall((:tgamma, libopenlibm), Float64, (Float64,), 5.0) == 24.0
@test ccall((:erf, libopenlibm), Float64, (Float64,), 0.5) ≈ 0.5204998778130465 rtol = 1e-15
@test ccall(("lgammaf", libopenlibm), Float32, (Float32,), 10.0f0) ≈ 12.801827f0
@test ccall((:jn, libopenlibm), Float64, (Cint, Float64), 2, 1.0) ≈ 0.11490348493190049 rtol = 1e-14
@test ccall((:j0f, libopenlibm), Float32, (Float32,), 1.0f0) ≈ 0.7651977f0
