# `t[i]` with an index that is only known at run time, of a tuple whose elements have different types: functions, which are known
# by their types alone, and numbers.
using CUDA, Test

call(fs, i, x) = fs[i](x)
sums(fs, n) = (s = 0.0; for i in 1:n; s += call(fs, i % length(fs) + 1, 0.5); end; s)
values(t, n) = (s = 0.0; for i in 1:n; x = t[i % length(t) + 1]; s += x === nothing ? 0.25 : x; end; s)
is_at(t, i) = (t[i] === nothing, t[i] isa Integer)

@testset "on the host" begin
    fs = (sin, cos, tan)
    @test sums(fs, 9000) ≈ 3000 * (sin(0.5) + cos(0.5) + tan(0.5))
    @test values((1, 2.5, nothing, true), 8000) == 2000 * 4.75
    for _ in 1:3000
        @test is_at((1, nothing, 0x02), 2) === (true, false)
        @test is_at((1, nothing, 0x02), 3) === (false, true)
    end
    @test_throws BoundsError call(fs, 4, 1.0)
end

apply!(y, fs) = (i = threadIdx().x; y[i] = fs[i % 2 + 1](1f0); return)
choose!(y) = (i = threadIdx().x; x = (1, 2.5, nothing)[i]; y[i] = x === nothing ? -1f0 : Float32(x); return)
@testset "in kernels" begin
    y = CUDA.zeros(Float32, 4)
    @cuda threads=4 apply!(y, (sin, cos))
    @test Array(y) == Float32[cos(1f0), sin(1f0), cos(1f0), sin(1f0)]
    y = CUDA.zeros(Float32, 4)
    @cuda threads=3 choose!(y)
    @test Array(y) == Float32[1, 2.5, -1, 0]
    @test_throws BoundsError (@cuda threads=4 choose!(y); synchronize())
end
