# Random numbers: seeds repeat, values stay in their ranges, shapes and types are those asked for.
using Random, Test
@testset "seeds" begin
    Random.seed!(5)
    a = rand(4)
    Random.seed!(5)
    @test a == rand(4) && a != rand(4)
    @test rand(Xoshiro(7), 3) == rand(MersenneTwister(7), 3)
    r = Xoshiro(1)
    @test rand(copy(r)) == rand(r) && default_rng() isa AbstractRNG
end
@testset "values" begin
    @test all(x -> 0 <= x < 1, rand(500)) && all(x -> 0 <= x < 1, rand(Float32, 500)) && abs(sum(rand(2000)) / 2000 - 0.5) < 0.05
    @test all(in(3:7), rand(3:7, 200)) && sort(unique(rand(1:3, 200))) == [1, 2, 3] && rand([2, 4]) in (2, 4)
    @test rand(Bool) isa Bool && rand(UInt8) isa UInt8 && rand((1, 'a')) in (1, 'a') && rand("xy") in "xy"
    @test rand(ComplexF32) isa ComplexF32 && rand(-5:-5) == -5 && rand(Set([9])) == 9
    @test size(rand(2, 3)) == (2, 3) && size(rand(Int32, (4,))) == (4,) && eltype(rand(Float32, 2, 2)) == Float32
    @test length(rand!(zeros(3))) == 3 && all(!iszero, rand!(zeros(50)))
    @test_throws ArgumentError rand(1:0)
end
@testset "normal numbers" begin
    x = randn(4000)
    @test abs(sum(x) / 4000) < 0.1 && 0.9 < sum(abs2, x) / 4000 < 1.1 && randn(Float32) isa Float32
    @test size(randn(2, 2)) == (2, 2) && all(>=(0), randexp(100))
end
@testset "order" begin
    @test sort(shuffle(1:20)) == 1:20 && sort(randperm(9)) == 1:9 && isperm(randcycle(6))
    @test length(randstring(12)) == 12 && shuffle!([1]) == [1]
end
@testset "streams of tasks" begin
    Random.seed!(1); x = rand(); first_of = copy(default_rng())
    Random.seed!(1); c = fetch(@async rand()); y = rand()
    @test x == y && c != x
    @test fetch(@async (Random.seed!(9); rand(100); 1)) == 1 && rand() == rand(first_of)
    draws() = (Random.seed!(3); fetch.([Threads.@spawn(rand()) for _ in 1:3]))
    @test draws() == draws() && allunique(draws())
    # What a task draws depends on when it is made and not on when it runs, or on what others draw.
    function late()
        Random.seed!(4)
        t = Task(rand)
        rand(5)
        fetch(schedule(t))
    end
    @test late() == (Random.seed!(4); fetch(@async rand()))
    @test copy(default_rng()) == default_rng() && hash(copy(default_rng())) == hash(default_rng())
    # Julia's algorithm: the words of its first task after this state.
    copy!(default_rng(), Xoshiro(1, 2, 3, 4))
    child = fetch(@async copy(default_rng()))
    @test child == Xoshiro(0x84586e36abc240db, 0xf352361da0125e3e, 0xe63a093592954e40, 0x335a2d9b3c70d12f, 0xdc2f47417592cb1b)
    @test copy(default_rng()) == Xoshiro(1, 2, 3, 4, child.s4)
    @test repr(Xoshiro(1, 2, 3, 4)) == "Xoshiro(0x0000000000000001, 0x0000000000000002, 0x0000000000000003, 0x0000000000000004, 0x0000000000000032)"
end
