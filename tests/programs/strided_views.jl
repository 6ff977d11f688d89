# Arrays whose elements lie at fixed distances: strides, pointers, contiguity, and which views share memory.
using Test

# Every second element of a vector, with no `getindex` of its own memory.
struct EverySecond{T} <: AbstractVector{T}
    data::Vector{T}
end
Base.size(e::EverySecond) = (cld(length(e.data), 2),)
Base.getindex(e::EverySecond, i::Int) = e.data[2i - 1]
Base.strides(e::EverySecond) = (2,)
Base.elsize(::Type{EverySecond{T}}) where {T} = sizeof(T)
Base.cconvert(::Type{Ptr{T}}, e::EverySecond{T}) where {T} = e.data

at(a, i) = unsafe_load(pointer(a, i))
same_memory(a) = all(i -> at(a, i) == a[i], 1:length(a))

@testset "pointers follow strides" begin
    m = collect(reshape(1:48, 6, 8))
    GC.@preserve m begin
        @test same_memory(view(m, 2:2:6, 3:5)) && same_memory(view(m, :, 4)) && same_memory(view(m, 6:-1:1, 2:7))
        @test same_memory(view(EverySecond(vec(m)), 3:9))
        @test pointer(PermutedDimsArray(m, (2, 1))) == pointer(m) && same_memory(transpose(m))
    end
    @test sizeof(view(m, 1:2, 3:4)) == 32
end
@testset "reshaped strides" begin
    m = collect(reshape(1:48, 6, 8))
    v = view(m, 1:4, :)
    @test strides(reshape(v, 2, 2, 8)) == (1, 2, 6) && strides(reshape(v, 4, 2, 4)) == (1, 6, 12)
    @test_throws ArgumentError strides(reshape(v, 8, 4))
    @test @inferred(strides(reshape(v, 2, 2, 8))) isa NTuple{3, Int}
end
@testset "kinds" begin
    m = zeros(4, 4)
    @test m isa StridedMatrix && view(m, 1:2, 3) isa StridedVector && !(view(m, [1, 2], 3) isa StridedArray)
    @test Base.iscontiguous(view(m, :, 2)) && !Base.iscontiguous(view(m, 2, :))
    @test Base.first_index(view(m, 2:3, 3)) == 10
    @test parent(view(m, 1:2, 3, 1)) === m
end
@testset "sharing" begin
    m = rand(3, 4, 5)
    @test !Base.mightalias(view(m, :, :, 1), view(m, :, :, 2)) && Base.mightalias(view(m, :, 1, :), view(m, 2, :, :))
    picked = [1, 3]
    @test !Base.mightalias(view(rand(3), picked), view(rand(3), picked)) && Base.mightalias(picked, view(rand(3), picked))
    a = [1, 2, 3]
    v = view(a, a)
    v[1] = 100
    @test v == [100, 2, 3]
    w = view(m, 2:3, 1:2:4, 5)
    c = Base.unaliascopy(w)
    @test c == w && typeof(c) === typeof(w) && size(parent(c), 1) == 2
end
@testset "assigned elements" begin
    a = Vector{Any}(undef, 3)
    a[2] = 1
    @test isassigned(a, 2) && !isassigned(a, 1) && !isassigned(a, 9) && isassigned(view(a, 2:3), 1)
    @test isassigned(rand(2, 2), CartesianIndex(1, 2)) && !isassigned(1:3, 4)
    @test_throws ArgumentError isassigned(a, true)
    @test !isassigned(deleteat!(copy(a), [2]), 1)
end
