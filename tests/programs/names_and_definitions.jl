# Texts of names, signatures and parts of code, and errors of definitions.
using Test

message(f) = try
    f()
    "nothing was thrown"
catch e
    sprint(showerror, e)
end
here(line) = string(@__FILE__, ":", line)

@testset "errors of method definitions" begin
    text = message(() -> @eval area(side::(:cm)) = side^2)
    @test startswith(text, "ArgumentError: invalid type for argument side in method definition for area at ")
    @test startswith(message(() -> @eval area(::(:cm)) = 1), "ArgumentError: invalid type for argument number 1 in ")
    @test startswith(message(() -> @eval area(sides::Vararg{:cm}) = 1), "ArgumentError: invalid type for argument sides in ")
    @test startswith(message(() -> @eval area(sides::Vararg{Int}, scale) = 1), "ArgumentError: Vararg on non-final argument")
    @test startswith(message(() -> @eval area(side::Union{}) = 1), "ArgumentError: invalid type for argument side in ")
end

struct Bounded{T <: Integer, V <: AbstractVector{T}} end
@testset "bounds in messages are those that the other parameters make" begin
    @test message(() -> Bounded{Int8, Vector{String}}) ==
        "TypeError: in Bounded, in V, expected V<:AbstractVector{Int8}, got Type{Vector{String}}"
end

@testset "symbols keep their bytes" begin
    bytes = UInt8[0x61, 0xff, 0xc3, 0x62]
    s = Symbol(String(copy(bytes)))
    @test collect(codeunits(String(s))) == bytes
    @test s === Symbol(String(copy(bytes)))
    @test s !== Symbol("a\uff\uc3b")
    @test String(Symbol("\U10ffb1")) == "\U10ffb1"
    @test Symbol("\xb1") !== Symbol("\U10ffb1")
end

@testset "identifiers are in normal form C" begin
    @test Meta.parse("e\u301t\u00e9") === Symbol("\u00e9t\u00e9")
    @test Symbol("e\u301") !== Symbol("\u00e9")
end

macro inner(x)
    :($x + 1)
end
macro outer(x)
    :(@inner $x)
end
@testset "one expansion" begin
    ex = :(@outer 2)
    once = macroexpand(@__MODULE__, ex; recursive = false)
    @test Meta.isexpr(once, :macrocall)
    @test macroexpand(@__MODULE__, once; recursive = false) == macroexpand(@__MODULE__, ex)
    @test (@macroexpand1 @inner 2) == macroexpand(@__MODULE__, :(@inner 2))
end

struct Point
    # Default constructors stand at the first field.
    x::Int
    y::Int
end
module Declares
    function Real end
    import ..Point
end
@testset "types of functions, constructors, declarations" begin
    @test nameof(typeof(message)) === Symbol("#message")
    @test getglobal(@__MODULE__, typeof(message).name.name) === typeof(message)
    @test typeof(message).name.singletonname === :message
    @test first(methods(Point)).line == @__LINE__() - 11
    @test Declares.Real isa Function
    @test isempty(methods(Declares.Real))
end

@testset "parts of code" begin
    @test repr(Core.SSAValue(4)) == ":(%4)"
    @test string(Core.SSAValue(4)) == "%4"
    @test repr(Core.ReturnNode(Core.Argument(2))) == ":(return _2)"
    @test repr(Core.ReturnNode()) == ":(unreachable)"
    @test repr(Core.GotoIfNot(Core.SSAValue(1), 7)) == ":(goto %7 if not %1)"
    @test repr(Core.PhiNode(Int32[1, 5], Any[2, Core.SlotNumber(1)])) == ":(φ (%1 => 2, %5 => _1))"
    @test string(:(f($(Core.SSAValue(2)), 1))) == "f(%2, 1)"
    @test startswith(repr(Base.JLOptions()), "JLOptions(quiet = ")
end

@testset "vectors are aligned to their size" begin
    @test Base.datatype_alignment(NTuple{4, VecElement{Float64}}) == 32
    @test sizeof(NTuple{3, VecElement{Float64}}) == 32
    @test Base.datatype_alignment(NTuple{16, VecElement{Int32}}) == 64
    struct Padded
        tag::Int8
        lanes::NTuple{8, VecElement{Int64}}
    end
    @test fieldoffset(Padded, 2) == 64
    all = [Padded(i, ntuple(k -> VecElement(10i + k), 8)) for i in 1:3]
    @test [p.lanes[8].value for p in all] == [18, 28, 38]
    @test sum(p -> sum(v -> v.value, p.lanes), all) == 3 * 36 + 8 * 60
end

@testset "warnings of imports" begin
    @test_warn "undeclared at import time" @eval module Imports; import ..Declares: nowhere; end
end

# `imag` of real arrays keeps their kind; contiguous parts are filled by words.
@testset "arrays of bits" begin
    bits = trues(3, 70)
    @test imag(bits) isa BitMatrix
    @test !any(imag(bits))
    fill!(view(bits, 2:3, 5:66), false)
    @test count(bits) == 3 * 70 - 2 * 62
    line = falses(200)
    fill!(view(line, 60:130), true)
    @test findall(line) == 60:130
    fill!(view(line, 60:59), false)
    @test count(line) == 71
end

many(args::(Vararg{Any, N} where N)) = length(args)
@testset "a bound length is any length" begin
    @test many(1, 2, 3) == 3
    @test many() == 0
end
