# Dictionaries and sets of every kind: construction, change, order of types, and how they show in little room.
using Test
using Base: ImmutableDict, PersistentDict

@testset "constructors" begin
    @test Dict(((1, 2), (3, "b"))) isa Dict{Int, Any}
    @test Dict(x => 1 for x in (1, "a")) isa Dict{Any, Int}
    for T in (Dict, IdDict, WeakKeyDict), itr in ((1, 2), ((1, 2, 3),), nothing, ((),))
        @test_throws ArgumentError T(itr)
    end
    @test merge(IdDict(1 => 2), Dict(3 => 4.0)) == Dict(1 => 2.0, 3 => 4.0)
end
@testset "by identity" begin
    d = IdDict{Any, Int}()
    a, b = [1], [1]
    d[a], d[b] = 1, 2
    @test length(d) == 2 && d[a] == 1 && get(d, [1], 0) == 0
    for i in 1:1000
        d[i] = i
    end
    foreach(i -> delete!(d, i), 1:2:1000)
    @test length(d) == 502 && haskey(d, 2) && !haskey(d, 3) && sum(d[i] for i in 2:2:1000) == 250500
    @test_throws TypeError IdDict{Int, Int}()["a"] = 1
    @test length(filter!(p -> p.second == 2, d)) == 2
end
@testset "versions that stay" begin
    d0 = PersistentDict{Int, Int}()
    d = d0
    for i in 1:3000
        d = PersistentDict(d, i, -i)
    end
    e = Base.delete(d, 17)
    @test isempty(d0) && length(d) == 3000 && length(e) == 2999 && d[17] == -17 && !haskey(e, 17)
    @test sort!(collect(d)) == [i => -i for i in 1:3000]
    m = ImmutableDict(ImmutableDict(:a => 1), :a => 2)
    @test m[:a] == 2 && length(m) == 2 && ImmutableDict{Symbol, Int}(:x, 1)[:x] === 1
end
@testset "little room" begin
    shown(x, rows, columns) = sprint(show, MIME("text/plain"), x; context = (:limit => true, :displaysize => (rows, columns)))
    d = ImmutableDict(ImmutableDict(1 => 10), 2 => 20)
    @test endswith(shown(d, 4, 80), "2 entries: …")
    @test endswith(shown(d, 5, 80), "2 entries:\n  ⋮ => ⋮")
    @test endswith(shown(d, 6, 80), "2 entries:\n  2 => 20\n  1 => 10")
    @test shown(Dict("a"^20 => "b"^20), 10, 24) == "Dict{String, String} with 1 entry:\n  \"aaaa… => \"bbbbbbbbbb…"
    @test shown(keys(Dict(1 => 2)), 9, 80) == "KeySet for a Dict{Int64, Int64} with 1 entry. Keys:\n  1"
    @test repr([Set(), Set()]) == "Set{Any}[Set(), Set()]"
end
@testset "sets" begin
    @test union([1], [2.0]) isa Vector{Float64} && intersect(BitSet(1), Set()) isa Set{Any}
    @test hash(Set([1, 2])) == hash(BitSet([1, 2]))
    @test convert(Set{Float64}, Set([1])) isa Set{Float64}
    @test unique(x for x in Any[1, 1.0]) isa Vector{Real}
    @test !isdisjoint(typemax(Int8):Int8(3):typemax(Int8), typemin(Int8):Int8(3):typemax(Int8))
end
@testset "tuples, named tuples and missing values" begin
    @test eltype(Tuple{Int, Vararg{Float64}}) === Real && convert(Tuple{Int, Vararg{Int}}, (1.0, 2)) === (1, 2)
    @test_throws MethodError convert(Tuple{Int, Vararg{Int}}, ())
    @test_throws ArgumentError NamedTuple{(:a, :b), NTuple{2, Int}}((1,))
    @test (@NamedTuple{a::Int, b::Float64})((1, 2)) === (a = 1, b = 2.0)
    @test isequal(float([1, missing]), [1.0, missing])
    @test sum(skipmissing([missing; fill(1, 3000); missing])) === 3000
    @test_throws MethodError zero(Any)
end
@testset "replacements" begin
    @test replace("abc", "b" => s"<\0>") == "a<b>c"
    @test_throws ErrorException replace("abc", "b" => s"\1")
end
