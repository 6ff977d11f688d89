# Arrays of Bool in one bit each.

mutable struct BitArray{N} <: AbstractArray{Bool, N}
    chunks::Vector{UInt64}
    len::Int
    dims::NTuple{N, Int}
    BitArray{N}(::UndefInitializer, dims::NTuple{N, Int}) where {N} =
        new{N}(fill(0x0000000000000000, (Core.checked_length(dims) + 63) >> 6), Core.checked_length(dims), dims)
end
const BitVector = BitArray{1}
const BitMatrix = BitArray{2}
BitArray(u::UndefInitializer, dims::NTuple{N, Int}) where {N} = BitArray{N}(u, dims)
BitArray(u::UndefInitializer, dims::Integer...) = BitArray(u, map(Int, dims))
BitArray{N}(u::UndefInitializer, dims::Integer...) where {N} = BitArray{N}(u, map(Int, dims))
BitArray(a::AbstractArray{T, N}) where {T, N} = copyto_plain!(BitArray{N}(undef, size(a)), a)
BitArray{N}(a::AbstractArray{T, N}) where {T, N} = BitArray(a)
BitArray(itr) = BitArray(collect(Bool, itr))
BitArray{1}(a::AbstractVector{T}) where {T} = BitArray(a)
BitArray{1}(itr) = BitArray(collect(Bool, itr))
size(b::BitArray) = b.dims
length(b::BitArray) = b.len
IndexStyle(::Type{<:BitArray}) = IndexLinear()
@inline function getindex(b::BitArray, i::Int)
    @boundscheck checkbounds(b, i)
    k = i - 1
    ((@inbounds b.chunks[(k >> 6) + 1]) >> (k & 63)) & 0x0000000000000001 != 0
end
@inline function setindex!(b::BitArray, x, i::Int)
    @boundscheck checkbounds(b, i)
    v = convert(Bool, x)
    k = i - 1
    mask = 0x0000000000000001 << (k & 63)
    c = (k >> 6) + 1
    @inbounds b.chunks[c] = v ? b.chunks[c] | mask : b.chunks[c] & ~mask
    b
end
fill!(b::BitArray, x) = (fill!(b.chunks, convert(Bool, x) ? ~zero(UInt64) : zero(UInt64)); clear_tail!(b))
function clear_tail!(b)
    r = b.len & 63
    r == 0 || (b.chunks[end] &= ~(~zero(UInt64) << r))
    b
end
similar(b::BitArray, ::Type{Bool}, dims::Dims) = BitArray(undef, dims)
similar(b::BitArray) = BitArray(undef, b.dims)
copy(b::BitArray{N}) where {N} = (c = BitArray{N}(undef, b.dims); copyto!(c.chunks, b.chunks); c)
reshaped(b::BitArray, dims::Dims{N}) where {N} = (c = BitArray{N}(undef, dims); copyto!(c.chunks, b.chunks); c)
sum(b::BitArray; dims = :) = dims isa Colon ? count_bits(b) : mapreduce_dims(identity, add_sum, InitialValue(), b, dims)
count(b::BitArray) = count_bits(b)
count_bits(b) = (n = 0; for c in b.chunks; n += count_ones(c); end; n)
all(b::BitArray) = count_bits(b) == b.len
any(b::BitArray) = count_bits(b) > 0
!(b::BitArray) = broadcast(!, b)
function push!(b::BitVector, x)
    n = b.len + 1
    n > 64 * length(b.chunks) && push!(b.chunks, zero(UInt64))
    b.len = n
    b.dims = (n,)
    b[n] = x
    b
end
dataids(b::BitArray) = dataids(b.chunks)
copyto!(dest::BitVector, bc::Broadcast.Broadcasted) = Broadcast.copyto_bits!(dest, bc)
copyto!(dest::BitVector, bc::Broadcast.Broadcasted{<:Broadcast.AbstractArrayStyle{0}}) = Broadcast.copyto_scalar!(dest, bc)
