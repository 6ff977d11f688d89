# Names world by world: what a declaration makes of one, its end, its history, and types that have lost theirs.
using Test

steps(ex) = (before = Base.get_world_counter(); Core.eval(Main, ex); Base.get_world_counter() - before)

@testset "how far a statement moves the world" begin
    @test steps(:(const one_step = 1)) == 1
    @test steps(:(global only_mentioned)) == 1
    @test steps(:(global only_mentioned)) == 0
    @test steps(:(assigned_at_once = 1)) == 1
    # Mentioned, then a variable.
    @test steps(:(global in_two_steps = 1)) == 2
    # A name for the type, the type, a method.
    @test steps(:((function () 1 end)())) == 3
    @test steps(:((function () global set_inside = 1 end)())) == 5
end

@testset "kinds of bindings" begin
    @eval global mentioned
    @test Base.binding_kind(Main, :mentioned) == Base.PARTITION_KIND_DECLARED
    @eval const mentioned = 1
    @test Base.binding_kind(Main, :mentioned) == Base.PARTITION_KIND_CONST
    @eval global typed::Int
    @test Base.binding_kind(Main, :typed) == Base.PARTITION_KIND_GLOBAL
    @test Base.binding_kind(Main, :never_heard_of) == Base.PARTITION_KIND_GUARD
end

@testset "the end of a name" begin
    @eval const passing = 1
    @eval reads_passing() = passing
    world = Base.get_world_counter()
    @test reads_passing() == 1
    Base.delete_binding(Main, :passing)
    @test !(@invokelatest isdefinedglobal(Main, :passing))
    @test_throws UndefVarError (@invokelatest reads_passing())
    @test Base.invoke_in_world(world, reads_passing) == 1
    @eval global passing = 2
    @test reads_passing() == 2
end

@testset "the history of a name" begin
    @eval const told = 1
    @eval const told = 2
    parts = convert(Core.Binding, GlobalRef(Main, :told)).partitions
    @test parts.restriction == 2 && parts.max_world == typemax(UInt)
    @test parts.next.restriction == 1 && parts.next.max_world == parts.min_world - 1
    @test Base.binding_kind(parts.next.next) == Base.PARTITION_KIND_GUARD
    @test !isdefined(parts.next.next, :next)
end

@testset "a type that has lost its name" begin
    @eval struct Renewed
        a::Int
    end
    old = @invokelatest Renewed(1)
    @test repr(old) == "Renewed(1)"
    @eval struct Renewed
        a::Float64
    end
    @test occursin(r"^@world\(Renewed, \d+:\d+\)\(1\)$", repr(old))
    @test repr(@invokelatest Renewed(1)) == "Renewed(1.0)"
end

@testset "a global function with keywords inside `let`" begin
    @eval let scale = 2
        global scaled(x; by = 1) = scale * x * by
    end
    @test scaled(3) == 6
    @test scaled(3; by = 10) == 60
end
