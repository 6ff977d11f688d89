# On the host `@fastmath` is computed as it is written, so that a function gives the same interpreted and compiled.
using Test
cancel(x) = @fastmath (Float32(x) * 1f8 + 1f0) - Float32(x) * 1f8
divide(x, y) = @fastmath x / y + y / x
folded(x) = @fastmath ((x + 0.1) + 0.2) - (x + 0.3)
extremes(x, y) = @fastmath (min(x, y), max(x, y), sqrt(x))
again(f, n, args...) = (r = f(args...); for _ in 1:n; r === f(args...) || return false; end; true)
@testset "the first result and the last" begin
    for n in (1, 20_000)
        @test again(cancel, n, 7)
        @test again(divide, n, 3.0, 49.0)
        @test again(folded, n, 0.7)
        @test again(extremes, n, 2.0, -0.0) && again(extremes, n, 0.0, -0.0)
        @test again(extremes, n, 1.0, NaN) && again(extremes, n, NaN, 1.0)
    end
    @test cancel(7) === (Float32(7) * 1f8 + 1f0) - Float32(7) * 1f8
end
