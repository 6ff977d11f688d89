# Types with variables, functions, methods and the parts of objects as text; hints and candidates of failed calls; commands.
using Test

struct Bounded{T <: Real} end
local_adder(n) = x -> x + n
keyed(x, ys::Int...; scale = 1, others...) = x
tied(x::T, y::Vector{S}) where {T <: Real, S >: Int} = 1
closest(x::Float64, rest::AbstractString...) = 1

@testset "types" begin
    @test repr(Ref{<:Number}) == "Ref{<:Number}" && repr(Ref{>:Int}) == "Ref{>:Int64}" && repr(Pair{1, <:Real}) == "Pair{1, <:Real}"
    @test repr(Bounded{<:Real}) == "Bounded" && repr(Bounded{<:Signed}) == "Bounded{<:Signed}"
    @test repr(NTuple) == "NTuple{N, T} where {N, T}" && repr(Tuple{Int, Vararg{String, 5}}) == "Tuple{Int64, Vararg{String, 5}}"
    @test repr(Tuple{T, T} where T <: Integer) == "Tuple{T, T} where T<:Integer" && repr(Tuple) == "Tuple"
    @test repr(Union{Nothing, Vector{<:Integer}}) == "Union{Nothing, Vector{<:Integer}}"
    x, y = TypeVar(:a), TypeVar(:a)
    @test repr(UnionAll(x, UnionAll(y, Tuple{x, y}))) == "Tuple{a, a1} where {a, a1}"
    @test repr(TypeVar(:V, Signed, Real)) == "Signed<:V<:Real"
    @test repr("text/plain", Vector{Int}) == "Vector{Int64} (alias for Array{Int64, 1})"
    @test sprint(Base.show_supertypes, Int8) == "Int8 <: Signed <: Integer <: Real <: Number <: Any"
end
@testset "functions and methods" begin
    @test repr(sin) == "sin" && repr(Base.isidentifier) == "Base.isidentifier" && string(Iterators.flatten) == "flatten"
    @test occursin("var\"", repr(local_adder(1)))
    @test repr("text/plain", getfield(Base, Symbol("@show"))) == "@show (macro with 1 method)"
    @test occursin("keyed(x, ys::Int64...; scale, others...)", string(only(methods(keyed))))
    @test occursin("tied(x::T, y::Vector{S}) where {T<:Real, S>:Int64}", string(only(methods(tied))))
end
@testset "parts" begin
    @test sprint(dump, :(x = 1)) == "Expr\n  head: Symbol =\n  args: Array{Any}((2,))\n    1: Symbol x\n    2: Int64 1\n"
    @test sprint(dump, Pair{String, Int}) == "struct Pair{String, Int64} <: Any\n  first::String\n  second::Int64\n"
    @test sprint(dump, Integer) == "abstract type Integer <: Real\n"
end
@testset "failed calls" begin
    message(f) = try f(); "" catch e; sprint(showerror, e) end
    @test occursin("closest(!Matched::Float64, ::AbstractString...)", message(() -> closest(1, "")))
    @test occursin("Finding the maximum of an iterable is performed with `maximum`.", message(() -> max([1, 2])))
    @test occursin("String concatenation is performed with *", message(() -> "a" + "b"))
    @test occursin("Consider using indexing syntax dict[:c]", message(() -> Dict().c))
    @test occursin("available fields: `re`, `im`", message(() -> (1im).x))
    struct Mine <: Exception end
    Base.showerror(io::IO, e::Mine) = (print(io, "mine"); Base.Experimental.show_error_hints(io, e))
    Base.Experimental.register_error_hint((io, e) -> print(io, ", with a hint"), Mine)
    @test message(() -> throw(Mine())) == "mine, with a hint"
end
@testset "arrays in little room" begin
    shown(x, rows, columns) = sprint(show, MIME("text/plain"), x; context = (:limit => true, :displaysize => (rows, columns)))
    @test endswith(shown(collect(1:100), 8, 80), "Vector{Int64}:\n   1\n   2\n   ⋮\n 100")
    @test endswith(shown(zeros(4, 3), 6, 80), "\n 0.0  0.0  0.0\n ⋮         ")
    @test endswith(shown(fill(1, 1, 40), 24, 20), ":\n 1  1  1  …  1  1")
    @test shown(["x"^1000], 24, 80) == string("1-element Vector{String}:\n ", repr("x"^30), " ⋯ 940 bytes ⋯ ", repr("x"^30))
    @test sprint(show, fill(1, 5, 6); context = :limit => true) == "[1 1 … 1 1; 1 1 … 1 1; … ; 1 1 … 1 1; 1 1 … 1 1]"
    @test repr(Pair{Any, Int}(1, 2)) == "Pair{Any, Int64}(1, 2)" && repr(1 => (2 => 3)) == "1 => (2 => 3)"
    @test repr("text/plain", [1.5, Inf, -20.25]) == "3-element Vector{Float64}:\n   1.5\n  Inf\n -20.25"
end
@testset "commands" begin
    files, n = ["a b", "c"], 3
    c = `ls -l $files "q $n" 'lit $n' x$(files)y`
    @test c.exec == ["ls", "-l", "a b", "c", "q 3", "lit \$n", "xa by", "xcy"]
    @test repr(`ls 'a b'`) == "`ls 'a b'`" && repr(setenv(`t`, "A" => "B")) == "setenv(`t`,[\"A=B\"])"
    @test Base.shell_split("a 'b c' d\\ e") == ["a", "b c", "d e"]
    @test_throws Base.IOError run(`kiln-has-no-such-program $files`)
end
@testset "nothing is ambiguous" begin
    # Packages that are loaded already may add methods that are.
    own(m) = Base.moduleroot(parentmodule(m)) in (Core, Base)
    @test !any(pair -> all(own, pair), detect_ambiguities(Core, Base; recursive = true))
end
