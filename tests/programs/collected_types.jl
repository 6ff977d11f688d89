# Types of collected, broadcast, accumulated and joined arrays: what inference tells of them, and what empty ones are.
using Test

returned(f, types...) = Base.infer_return_type(f, types)

@testset "kinds of unions" begin
    @test returned(x -> typeof(x), Union{Int, String}) == Union{Type{Int}, Type{String}}
    @test returned((x, a) -> similar(a, typeof(x)), Union{Int, Char}, Vector{Bool}) == Union{Vector{Int}, Vector{Char}}
end

@testset "broadcasts" begin
    V = Vector{Union{Float32, Missing}}
    three = Union{Vector{Float32}, Vector{Missing}, V}
    @test returned((a, b) -> a .* b, Vector{Int}, V) == three
    @test returned(b -> (-).(b), V) == three
    pairs_of(T) = Vector{Tuple{Bool, T}}
    @test returned((a, b) -> tuple.(a, b), Vector{Bool}, V) == Union{pairs_of(Float32), pairs_of(Missing), pairs_of(Any)}
    @test ([1, 2] .* Union{Float32, Missing}[missing, 2]) isa Vector{Union{Float32, Missing}}
    # A builtin has no methods.
    @test Base.promote_op(tuple, Int, Float32) === Tuple{Int, Float32} && Base.promote_op(getfield, Tuple{Int8}, Int) === Int8
    @test tuple.(Int[], 3) isa Vector{Tuple{Int, Int}} && map(tuple, Int[], [3]) isa Vector{Tuple{Int, Int}}
    @test eltype(Int[] .+ Union{Float32, Missing}[]) === Union{Float32, Missing}
    struct Wrapped{T} <: AbstractVector{T}
        data::Vector{T}
    end
    Base.size(a::Wrapped) = size(a.data)
    Base.getindex(a::Wrapped, i::Int) = a.data[i]
    Base.setindex!(a::Wrapped, v, i::Int) = setindex!(a.data, v, i)
    Base.BroadcastStyle(::Type{<:Wrapped}) = Broadcast.ArrayStyle{Wrapped}()
    Base.similar(bc::Broadcast.Broadcasted{Broadcast.ArrayStyle{Wrapped}}, ::Type{T}) where {T} = Wrapped(Vector{T}(undef, length(bc)))
    wide = Wrapped([1, 2, 3]) .+ [0.5, missing, 1]
    @test wide isa Wrapped{Union{Float64, Missing}} && isequal(wide.data, [1.5, missing, 4.0])
end

@testset "comprehensions" begin
    @test returned(xs -> [x for x in xs if x isa Char], Vector{Any}) == Vector{Char}
    @test [x for x in Any[1, 'a', "b"] if x isa Char] == ['a']
    @test [x for x in [1, 2] if x isa Char] isa Vector{Union{}}
    at(i) = (v = ['a', nothing]; [v[k] for k in i])
    @test returned(at, Int) == Union{Array{Char, 0}, Array{Nothing, 0}}
    @test isequal([k == 2 ? missing : k == 3 ? 1.5 : k for k in 1:4], Any[1, missing, 1.5, 4])
    @test isequal(collect(k == 2 ? missing : k for k in (1, 2, 3)), Union{Int, Missing}[1, missing, 3])
    @test [k < 3 ? k : string(k) for k in 1:5 if isodd(k)] == Any[1, "3", "5"]
    @test Set(k < 0 ? false : 1 for k in 1:0) isa Set{Integer}
end

@testset "accumulation" begin
    @test accumulate(+, Union{Int, Missing}[1, 2]) isa Vector{Union{Int, Missing}}
    @test accumulate(/, [8, 2, 2]) == [8.0, 4.0, 2.0]
    @test accumulate(+, [1, 2]; init = 0.5) == [1.5, 3.5]
    @test accumulate(max, Int8[3, 1, 4]) == Int8[3, 3, 4]
end

@testset "joined and sliced arrays" begin
    join_deep(xs) = cat(xs...; dims = Val(3))
    @test @inferred(join_deep([ones(2, 2), zeros(2, 2)])) == [k == 1 ? 1.0 : 0.0 for _ in 1:2, _ in 1:2, k in 1:2]
    @test cat([1], [2]; dims = (1, 2)) == [1 0; 0 2] && cat([1], [2]; dims = 2) == [1 2]
    @test @inferred(mapslices(hcat, [1 2; 3 4]; dims = 1)) == [1 2; 3 4]
    @test size(mapslices(sum, zeros(0, 2); dims = 2)) == (0, 1)
    @test [1//2 1; 2 3] isa Matrix{Rational{Int}} && Rational[1 2; 3 4] * Rational[1 0; 0 1] isa Matrix{Rational}
end

@testset "constructors, and results of open types" begin
    @test map(Integer, Any[]) isa Vector{Integer}
    @test returned(collect, typeof(2x for x in Real[])) <: Vector
end

@testset "stated types" begin
    @test Base.infer_exception_type(sin, (Float64,)) === DomainError
    @test returned(circshift, Tuple, Int) <: Tuple
    @test returned(circshift, NTuple{4, Any}, Int) <: NTuple{4, Any}
    @test Base.tuple_type_tail(Tuple{Char, Vararg{Int}}) === Tuple{Vararg{Int}}
    @test Base.tuple_type_tail(Tuple{Vararg{Int}}) === Tuple{Vararg{Int}}
    @test Base.tuple_type_tail(NTuple{3, Int}) === NTuple{2, Int}
end
