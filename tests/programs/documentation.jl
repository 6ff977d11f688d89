# Texts before definitions are kept by module, binding and signature, and cost nothing until they are asked for.
using Test

module Shapes
export area
"The area of a shape."
function area end
"Of a square of side $(1 + 1)."
area(side::Int) = side^2
"Of a rectangle."
area(a, b = a) = a * b
"A point."
struct Point
    "to the right"
    x::Float64
    y::Float64
end
"Half of one."
const HALF = 0.5
"Inlined."
@inline twice(x) = 2x
"Both."
function left end, function right end
macro pair(name)
    quote
        $name() = 1
        Base.@__doc__ $name(x) = x
    end |> esc
end
"From a macro."
@pair made
@pair silent
"With keywords."
Base.@kwdef struct Options
    depth = 3
end
"Colours."
@enum Colour red green
"A macro."
macro nothing_at_all() end
bare(x) = x
end

text(x) = string(x)
docs_of(name) = Docs.meta(Shapes)[Docs.Binding(Shapes, name)]

@testset "texts by signature" begin
    @test text(@doc Shapes.area) == "The area of a shape.\n\nOf a square of side 2.\n\nOf a rectangle.\n"
    @test text(@doc Shapes.area(::Int)) == "Of a square of side 2.\n\nOf a rectangle.\n"
    @test text(Docs.doc(Shapes.area, Tuple{String, Int})) == "Of a rectangle.\n"
    @test docs_of(:area).order == [Union{}, Tuple{Int}, Union{Tuple{Any}, Tuple{Any, Any}}]
    @test Shapes.area(3) == 9 && Shapes.area(2.0) == 4.0
end
@testset "definitions of all kinds" begin
    @test text(@doc Shapes.Point) == "A point.\n"
    @test docs_of(:Point).docs[Union{}].data[:fields] == Dict(:x => "to the right")
    @test docs_of(:Point).docs[Union{}].data[:path] |> basename == basename(@__FILE__)
    @test text(@doc Shapes.HALF) == "Half of one.\n" && Shapes.HALF == 0.5
    @test text(@doc Shapes.twice) == "Inlined.\n" && Shapes.twice(2) == 4
    @test text(@doc Shapes.left) == text(@doc Shapes.right) == "Both.\n"
    @test text(@doc Shapes.made) == "From a macro.\n" && docs_of(:made).order == [Tuple{Any}]
    @test (Shapes.made(), Shapes.made(2), Shapes.silent()) == (1, 2, 1)
    @test text(@doc Shapes.Options) == "With keywords.\n" && Shapes.Options().depth == 3
    @test text(@doc Shapes.Colour) == "Colours.\n" && Int(Shapes.green) == 1
    @test text(@doc Shapes.@nothing_at_all) == "A macro.\n"
end
@testset "questions about names" begin
    @test Docs.hasdoc(Shapes, :area) && !Docs.hasdoc(Shapes, :bare)
    @test :bare in Docs.undocumented_names(Shapes; private = true) && Docs.undocumented_names(Shapes) == [:Shapes]
    @test occursin("No documentation found", text(@doc Shapes.bare))
    @test_throws Base.UnsupportedError Docs.apropos("square")
end
@testset "what has no name has no documentation" begin
    @test_throws ErrorException @eval @doc "..." "text"
    @test_throws ErrorException @eval @doc "..." f(1)
end
struct Described
    text::String
end
Docs.getdoc(d::Described, sig) = string(d.text, " for ", sig)
described = Described("dynamic")
@testset "objects that document themselves" begin
    @test (@doc described) == "dynamic for Union{}"
    @test (@doc described(::Int)) == "dynamic for Tuple{Int64}"
end
@testset "the library documents itself" begin
    @test startswith(text(@doc sort), "    sort(v;")
    @test text(@doc Iterators.take) == text(Docs.doc(Base.Iterators.take))
    @test text(@doc isdir) == "    isdir(path...)\n\nWhether a path is a folder.\n"
    @test Docs.hasdoc(Base.Broadcast, :broadcast_axes) && Docs.hasdoc(Base, :Iterators)
    @test all(isempty ∘ Docs.undocumented_names, (Base.Checked, Iterators, Sys, Threads, Base.MathConstants, Meta, GC))
    @test !Docs.hasdoc(Base.Sort, :midpoint)
end
@testset "every public name of Base has a text" begin
    @test issubset(Docs.undocumented_names(Base), (:CanonicalIndexError, :CapturedException, :Exception, :GenericMemoryRef, :GlobalRef,
        :IO, :InvalidStateException, :LineNumberNode, :MemoryRef, :Method, :TypeVar))
    @test text(@doc !==) == "    x !== y\n    x ≢ y\n\nWhether two values can be told apart: the negation of `===`.\n"
    @test startswith(text(@doc @inbounds), "    @inbounds expression\n") && startswith(text(@doc Int32), "    Int32(x)\n")
end
