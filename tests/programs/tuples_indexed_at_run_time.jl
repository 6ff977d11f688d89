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
each!(y, fs) = (i = threadIdx().x; for f in fs; y[i] = f(y[i] + 1f0); end; return)
add!(y, values) = (i = threadIdx().x; for v in values; y[i] += v; end; return)
of_val(::Val{N}) where {N} = N
add_vals!(y, vals) = (i = threadIdx().x; for (k, v) in enumerate(vals); y[i] += k * of_val(v); end; return)
@testset "loops in kernels" begin
    y = CUDA.zeros(Float32, 2)
    @cuda threads=2 each!(y, (sin, cos))
    @test Array(y) == fill(cos(1f0 + sin(1f0)), 2)
    y = CUDA.zeros(Float32, 2)
    @cuda threads=2 each!(y, (sin, cos, tan, sin))
    @test Array(y) == fill(foldl((x, f) -> f(x + 1f0), (sin, cos, tan, sin); init = 0f0), 2)
    y = CUDA.zeros(Float32, 2)
    @cuda threads=2 add!(y, (1, 2.5f0, 0x03))
    @test Array(y) == [6.5f0, 6.5f0]
    y = CUDA.zeros(Float32, 2)
    @cuda threads=2 add_vals!(y, (Val(1), Val(20)))
    @test Array(y) == [41f0, 41f0]
end
@testset "in kernels" begin
    y = CUDA.zeros(Float32, 4)
    @cuda threads=4 apply!(y, (sin, cos))
    @test Array(y) == Float32[cos(1f0), sin(1f0), cos(1f0), sin(1f0)]
    y = CUDA.zeros(Float32, 4)
    @cuda threads=3 choose!(y)
    @test Array(y) == Float32[1, 2.5, -1, 0]
    @test_throws BoundsError (@cuda threads=4 choose!(y); synchronize())
end
