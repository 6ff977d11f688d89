# What most tests begin with, done when the library is loaded: calls resolved here are in the snapshot.
let v = [1.0, 2.0], w = Float32[1, 2], n = 2
    @test all(v .== v)
    @test all(w .== 1.0f0) || true
    @test n == 2
    @test v[1] == 1.0
    @test v ≈ v
    @test v == v
    @test isapprox(v, v; rtol = 1e-6)
    @test_throws ErrorException error("x")
    macroexpand(Test, :(@testset "name" begin
        @test all(Array(y) .== 5.0f0)
        @test f(x) ≈ y
    end))
end
