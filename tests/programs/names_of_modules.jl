# The names that a module lists, and the names by which things show.
using Test

module Outer
export shown, late
public hinted
shown() = 1
hinted() = 2
hidden() = 3
module Inner
export late
late = 4
end
using .Inner
import Base: show
end

@testset "names" begin
    @test names(Outer) == [:Outer, :hinted, :late, :shown]
    @test issubset([:Inner, :hidden, Symbol("#hidden")], names(Outer; all = true)) && !(:show in names(Outer; all = true))
    @test :show in names(Outer; imported = true) && :Inner in names(Outer; usings = true)
    @test getglobal(Outer, Symbol("#hidden")) === typeof(Outer.hidden)
    @test Outer.Outer === Outer && Outer.Inner.late == Outer.late
    @test_throws ErrorException Core.eval(Outer, Expr(:export, :hinted))
    @test_throws "Global Outer.made does not exist and cannot be assigned" Outer.made = 1
    @test !isdefined(Outer, :made)
end

module Aliases
export Row, Number3
struct Grid{T, N} end
const Row{T} = Grid{T, 1}
struct A3{T} end
struct B3{T} end
const Number3 = Union{A3, B3}
@enum Side top bottom
local_function() = (inner(x) = x; inner)
anonymous() = x -> x
end
@testset "shown by aliases and modules" begin
    @test string(Aliases.Grid{Int, 1}) == "Main.Aliases.Row{Int64}" && string(Aliases.Grid{Int, 2}) == "Main.Aliases.Grid{Int64, 2}"
    @test string(Union{Nothing, Aliases.A3, Aliases.B3}) == "Union{Nothing, Main.Aliases.Number3}"
    @test sprint(show, Aliases.Grid{Int, 2}; context = :module => Aliases) == "Grid{Int64, 2}"
    @test sprint(show, Aliases.Grid{Int, 2}; context = :compact => true) == "Grid{Int64, 2}"
    @test sprint(show, [1.0]; context = :module => nothing) == "[1.0]"
    @test repr(Aliases.top) == "Main.Aliases.top" && repr("text/plain", Aliases.top) == "top::Side = 0"
    @test occursin(r"var\"#inner#local_function##\d+", string(typeof(Aliases.local_function())))
    @test occursin(r"var\"#anonymous##\d+#anonymous##\d+", string(typeof(Aliases.anonymous())))
    @test nameof(Aliases.local_function()) === :inner
end
primitive type Wide 24 end
@testset "bytes, constructors, sizes" begin
    @test repr(reinterpret(Wide, (0x01, 0x02, 0x03))) == "Wide(0x030201)"
    @test fieldtype(@NamedTuple{a, b}, 2) === Any && fieldtype(NamedTuple{(:a,), T} where {T <: Tuple{Integer}}, 1) === Integer
    @test isconcretetype(@NamedTuple{a::Int, b}) && (@NamedTuple{a::Int, b})((1, "x")).b == "x"
    @test_throws BoundsError fieldtype(NamedTuple{(:a,)}, 2)
    @test_throws ErrorException sizeof(Symbol)
    @test sizeof(Val) == 0
end
