# The macros of Test that watch something other than a value: inference, log records, what goes to stderr.
using Test
f(x) = x > 0 ? x : 0.0
@test (@inferred f(1.0)) == 1.0
@test_throws ErrorException (@inferred f(1))
@test_throws "return type Int64 does not match inferred return type Union{Float64, Int64}" @inferred f(1)
@test (@inferred Union{Int,Float64} f(1)) == 1
@test (@inferred Float64 f(1)) == 1
k(; a = 1) = a
@test (@inferred k(; a = 2.0)) == 2.0
v = [1,2]
@test (@inferred v[1]) == 1
@test (@inferred v .+ 1) == [2, 3] && (@inferred abs.(v)) == v
@test (@inferred typeof(1)) === Int
g() = (@info "hi" a=1; @warn "careful"; 7)
@test (@test_logs (:info, "hi") (:warn, "careful") g()) == 7
@test (@test_logs (:warn,) match_mode=:any g()) == 7
@test (@test_logs (:warn, r"care") match_mode=:any g()) == 7
@test_logs 1+1
@test_logs (:debug, "q") min_level=Base.CoreLogging.Debug @debug "q"
@test_warn "oops" println(stderr, "oops!")
@test_nowarn 1+1
Base.@deprecate oldf(x) newf(x)
newf(x) = 2x
# Warnings of deprecations are looked for where they are asked for.
@test (@test_deprecated newf(3)) == 6
Base.DEPWARN_MODE[] = 1
@test (@test_deprecated oldf(3)) == 6
failed = try
  @testset "bad" begin
    @test_logs (:info, "other") g()
    @test_logs g()
    @test_warn "zzz" println(stderr, "oops!")
    @test_nowarn println(stderr, "oops!")
    @test_deprecated newf(1)
  end
catch e; e; end
@test failed isa TestSetException && failed.fail == 5
