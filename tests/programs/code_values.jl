# Code as values: bodies that generators stand for, results with what they depend on, the form of lowered code.
using Test

@testset "the body beside a generator" begin
    @eval function sized(x)
        if @generated
            :(y = $(sizeof(x)))
        else
            y = 1000
        end
        y
    end
    @test sized(1) == 8
    @test occursin("1000", string(Base.uncompressed_ir(only(methods(sized)))))
    @test occursin("1000", string(code_lowered(sized, (Int,); generated = false)))
    @test !occursin("1000", string(code_lowered(sized, (Int,))))
    results = only(Base.specializations(only(methods(sized)))).cache
    @test results.next.owner === :uninferred
    @test results.next.inferred isa Core.CodeInfo
end

@testset "what a result depends on" begin
    @eval const factor = 3
    @eval times_factor(x) = factor * x
    @eval over(x) = times_factor(x) + 1
    over(1)
    edges(f) = collect(only(Base.specializations(only(methods(f)))).cache.edges)
    @test any(it -> it isa Core.MethodInstance && it.def.name === :times_factor, edges(over))
    @test any(it -> it isa Core.Binding && it.globalref == GlobalRef(Main, :factor), edges(times_factor))
    @test only(Base.specializations(only(methods(over)))).cache.inferred isa Core.CodeInfo
end

@testset "reads have statements of their own" begin
    @eval parameter(::Val{x}) where {x} = x ? 1 : 0
    code = code_lowered(parameter, (Val{true},))[1].code
    @test code[1] == Expr(:static_parameter, 1)
    @test code[2] == Core.GotoIfNot(Core.SSAValue(1), 4)
    @eval const shown = 5
    @eval reads_shown() = shown
    @test code_lowered(reads_shown)[1].code == Any[GlobalRef(Main, :shown), Core.ReturnNode(Core.SSAValue(1))]
    first, second = code_typed(parameter, (Val{true},))[1].first, code_typed(parameter, (Val{true},))[1].first
    @test first.code == second.code && first.debuginfo == second.debuginfo
end

@testset "types that are not concrete are compiled ahead" begin
    @eval ahead(@nospecialize(x), y::Int) = y
    @test precompile(ahead, (Any, Int))
    @test !precompile(ahead, (Any, String))
end
