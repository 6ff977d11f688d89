# Types that inference finds of calls that spread what it knows little of, of constants, and of named tuples.
using Test

returned(f, types...) = Base.infer_return_type(f, types)

@testset "spread tuples" begin
    pair_up(x) = (x,)
    pair_up(x, ys...) = (x, ys...)
    @test returned(t -> pair_up(t...), Tuple{Int, Vararg{Int}}) <: Tuple{Int, Vararg{Int}}
    @test returned(t -> (t..., 1.0), Tuple{Vararg{Int}}) === Tuple{Vararg{Union{Float64, Int}}} ||
        returned(t -> (t..., 1.0), Tuple{Vararg{Int}}) <: Tuple
    @test returned(xs -> error(xs...), Vector{Any}) === Union{}
    total() = 0
    total(x::Int, xs::Int...) = x + total(xs...)
    @test returned(t -> total(t...), NTuple{5, Int}) === Int
    @test returned(xs -> total(xs...), Vector{Int}) === Int
    # A number is its only element.
    @test returned(x -> (x...,), Int) === Tuple{Int}
    @test returned(Base.front, Tuple{Int, Vararg{Int}}) === Tuple{Vararg{Int}}
    spread(xs) = (total(xs...), total(1, xs...))
    @test spread([1, 2, 3]) === (6, 7) && spread((1, 2)) === (3, 4) && spread(1:4) === (10, 11)
    @test spread(Iterators.take(1:10, 2)) === (3, 4)
    @test_throws MethodError spread(["a"])
end

@testset "parts of tuples" begin
    long = ntuple(identity, 15)
    @test @inferred((t -> t[2:end])(long)) === ntuple(i -> i + 1, 14)
    @test @inferred((t -> t[1:end - 2])(long)) === ntuple(identity, 13)
    @test @inferred(Tuple(3)) === (3,) && @inferred(Tuple(Ref(2.0))) === (2.0,)
    @test @inferred((t -> Base.split_rest(t, 1))((a = 1, b = 2, c = 3))) === ((a = 1, b = 2), (c = 3,))
    @test returned(in, Char, typeof(ntuple(Returns('A'), 1000))) === Bool
    @test 'A' in ntuple(Returns('A'), 1000) && !('B' in ntuple(Returns('A'), 1000))
    @test ismissing(1 in (ntuple(Returns(2), 40)..., missing))
end

@testset "a value among those of a tuple" begin
    among(x) = x in (1, 2.0, :c, "d")
    @test among(2) && among(:c) && among("d") && !among('d') && ismissing(among(missing))
    @test ismissing(missing in (missing, 1)) && ismissing(3 in (missing, 1, missing)) && 1 in (missing, 1)
    @test !(missing in ())
    @test returned(among, Int) === Bool && returned(x -> x in (1, 2, 3), Float32) === Bool
    letters(x) = x in (:a, :b, :c, :d, :e, :f, :g, :h, :i, :j, :k, :l, :m, :n, :o, :p)
    @test letters(:p) && !letters(:q) && !letters("p")
end

@testset "many methods" begin
    @test !isempty(Base.return_types(+, (Any, Any)))
    @test all(T -> T <: Float64, Base.return_types(Float64))
    @test Base.return_types(isequal, (Int, Any)) isa Vector
    @test Core.Compiler.return_type(+, NTuple{2, Rational}) === Rational
    # A generator is asked about types that values have, and about no others.
    @generated kind(x) = x <: Int ? :("int") : :(1.5)
    @test returned(kind, Int) === String && returned(kind, Real) === Any
end

@testset "field types" begin
    struct OneField
        x::Int
    end
    of(b) = fieldtype(b ? Int : OneField, 1)
    @test @inferred(of(false)) === Int
    @test fieldtype(NamedTuple, 7) === Any
    @test fieldtype(NamedTuple{(:a, :b), T} where {T <: Tuple{Vararg{Real}}}, 2) === Real
    @test_throws BoundsError fieldtype(NamedTuple{(:a,)}, 2)
    @test fieldtype(NamedTuple{(:a, :b), Union{}}, :b) === Union{}
    @test_throws ErrorException NamedTuple{(), Union{}}
end

@testset "named tuples of wide fields" begin
    @test isconcretetype(@NamedTuple{a::Any}) && isconcretetype(@NamedTuple{a::Union{Int, Nothing}})
    @test !isconcretetype(NamedTuple{(:a,)}) && !isconcretetype(NamedTuple)
    wide = NamedTuple{(:a, :b), Tuple{Any, Int}}((1, 2))
    @test wide.a === 1 && typeof(wide) === @NamedTuple{a::Any, b::Int}
    @test typeof(merge(wide, (b = 2.5,))) === @NamedTuple{a::Any, b::Float64}
    @test typeof(Base.structdiff(wide, (b = 0,))) === @NamedTuple{a::Any}
    @test typeof(NamedTuple{(:b, :a)}(wide)) === @NamedTuple{b::Int, a::Any}
    @test repr(wide) == "@NamedTuple{a, b::Int64}((1, 2))"
    @test convert(NamedTuple{(:a,), Tuple{I}} where {I <: Unsigned}, (a = 1,)) === NamedTuple{(:a,), Tuple{Unsigned}}((1,))
    @test isbitstype(@NamedTuple{a::Int}) && !isbitstype(@NamedTuple{a::Any})
    keywords(; kws...) = (typeof(kws), keys(kws), length(kws), collect(kws))
    @test keywords(a = 1) == (@Kwargs{a::Int}, (:a,), 1, [:a => 1])
    @test typeof(pairs((a = 1, b = "2"))) === @Kwargs{a::Int, b::String}
    @test collect(pairs((a = 1, b = 2))) == [:a => 1, :b => 2]
end
