# Benchmarks take samples, profiles list kernels and copies, and packages are looked for, not installed.
using BenchmarkTools, CUDA, Pkg, Test

@testset "samples" begin
    t = @benchmark [1, 2, 3] samples = 20 seconds = 1
    @test length(t) == 20
    @test t.allocs >= 1 && t.memory >= 24
    @test minimum(t).time <= median(t).time <= maximum(t).time
    @test time(t) == minimum(t.times)
    x = 4
    @test (@btime sqrt($x) samples = 3 seconds = 0.1) == 2.0
    # `setup` runs before each sample, and its variables are the expression's.
    @test (@btime length(v) setup = (v = zeros(7)) samples = 2 seconds = 0.1) == 7
    count = Ref(0)
    run(@benchmarkable (count[] += 1) evals = 2 samples = 5)
    @test count[] >= 12
    @test 0 < (@belapsed 1 + 1 samples = 3) < 1
    @test allocs(t) == t.allocs && memory(median(t)) == t.memory && allocs(minimum(t)) == t.allocs
    @test (@ballocations [1, 2, 3] samples = 3) >= 1 && (@ballocated [1, 2, 3] samples = 3) >= 24
    # The package's numbers of evaluations for a time in nanoseconds; what is slow is evaluated once a sample.
    @test map(BenchmarkTools.guessed_evals, (1, 200, 400, 401, 1000, 1001, 2000, 2001, 9000, 9001)) == (1000, 600, 200, 200, 10, 10, 10, 9, 3, 1)
    slow = @benchmarkable (stop = time_ns() + 20_000; while time_ns() < stop; end)
    fast = @benchmarkable sin(1.0)
    @test tune!(slow).params.evals == 1 && tune!(fast).params.evals > 1 && tune!(@benchmarkable sin(1.0) evals = 7).params.evals == 7
    group = BenchmarkGroup()
    group["sums"]["small"] = @benchmarkable sum((1, 2)) samples = 2
    @test run(tune!(group))["sums"]["small"] isa BenchmarkTools.Trial
end

function raise!(y)
    i = threadIdx().x
    y[i] += 1.0f0
    return
end
@testset "profiles" begin
    y = CUDA.zeros(Float32, 32)
    profile = CUDA.@profile begin
        @cuda threads = 32 raise!(y)
        @cuda threads = 32 raise!(y)
        Array(y)
    end
    @test [e.name for e in profile.events] == ["raise!", "raise!", "[copy to host]"]
    @test profile.events[3].bytes == 128
    table = sprint(show, MIME("text/plain"), profile)
    @test occursin("capturing 3 events", table) && occursin("raise!", table)
    @test occursin("ID", sprint(show, MIME("text/plain"), CUDA.@profile trace = true Array(y)))
    @test Array(y) == fill(2.0f0, 32)
end

@testset "packages" begin
    @test_throws Base.UnsupportedError Pkg.test()
    @test_throws "kiln installs no packages" Pkg.add("NoSuchPackage")
    @test Pkg.add(["CUDA", "Statistics"]) === nothing
    @test pkgversion(CUDA) === nothing
    folder = mktempdir()
    write(joinpath(folder, "Project.toml"), "version = \"1.2.3\"\n[deps]\nCUDA = \"052768ef-5323-5732-b1bb-66c8b64840ba\"\nNoSuchPackage = \"00000000-0000-4000-8000-000000000001\"\n[compat]\nOther = \"1\"\n")
    Pkg.activate(folder) do
        @test Base.active_project() == joinpath(folder, "Project.toml")
        @test_throws "not available: NoSuchPackage" Pkg.instantiate()
    end
    @test Base.active_project(false) === nothing
end
