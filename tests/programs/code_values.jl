# Code as values: bodies that generators stand for, results with what they depend on, the form of lowered code.
using InteractiveUtils, Test

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

macro marked(mark, ex)
    esc(Base.pushmeta!(ex, Expr(:tag, mark)))
end
@marked 1 @marked "two" tagged(x) = x

@testset "marks that only programs read" begin
    body = Expr(:block)
    body.args = code_lowered(tagged, (Int,))[1].code
    @test Base.popmeta!(body, :tag) == (true, Any[1])
    @test Base.popmeta!(body, :tag) == (true, Any["two"])
    @test Base.popmeta!(body, :tag) == (false, Any[])
    @test tagged(3) == 3
end

heard = Method[]
hears(p::Ptr{Cvoid}) = (push!(heard, unsafe_pointer_to_objref(p)); nothing)
tracer = @cfunction(hears, Cvoid, (Ptr{Cvoid},))
ccall(:jl_register_newmeth_tracer, Cvoid, (Ptr{Cvoid},), tracer)
announced(x) = x
ccall(:jl_register_newmeth_tracer, Cvoid, (Ptr{Cvoid},), C_NULL)
announced(x, y) = x
@test heard == [which(announced, (Int,))]

@testset "what a barrier hides" begin
    @test Base.return_types(() -> Base.inferencebarrier(1), ()) == Any[Any]
end

@testset "code before optimization" begin
    raised(x) = abs2(x) + one(x)
    before, after = only(code_typed(raised, (Int,); optimize = false)), only(code_typed(raised, (Int,)))
    @test before.second === Int && before.first.rettype === Int && after.second === Int
    # Calls are not inlined, and the statements are those of the lowered code.
    @test before.first.code == only(code_lowered(raised, (Int,))).code && before.first.code != after.first.code
    @test (@code_typed optimize = false raised(1.0)).second === Float64 && before.first.ssavaluetypes isa Int
end

# A method whose body names its generator, as `Core.GeneratedFunctionStub`s are made by hand.
function typed_sum(world::UInt, source, self, x)
    stub = Core.GeneratedFunctionStub(identity, Core.svec(:self, :x), Core.svec())
    stub(world, source, :(x + 1, $(QuoteNode(x))))
end
@eval function generated_by_hand(x)
    $(Expr(:meta, :generated, typed_sum))
    $(Expr(:meta, :generated_only))
end
@test generated_by_hand(1) === (2, Int) && generated_by_hand(1.5) === (2.5, Float64)
