# Arrays of Bool in one bit each. Bits beyond the last element are zero.

"""
    BitArray(undef, dims)

An array of `Bool`s, eight of which share a byte.
"""
mutable struct BitArray{N} <: AbstractArray{Bool, N}
    chunks::Vector{UInt64}
    len::Int
    dims::NTuple{N, Int}
    function BitArray{N}(::UndefInitializer, dims::NTuple{N, Int}) where {N}
        check_bit_dims(dims, 1)
        n = Core.checked_length(dims)
        new{N}(fill(0x0000000000000000, num_bit_chunks(n)), n, dims)
    end
    BitArray{N}(chunks::Vector{UInt64}, dims::NTuple{N, Int}) where {N} = new{N}(chunks, prod_dims(dims), dims)
end
check_bit_dims(::Tuple{}, k) = nothing
function check_bit_dims(dims::Tuple, k)
    dims[1] >= 0 || throw(ArgumentError(string("dimension size must be ≥ 0, got ", dims[1], " for dimension ", k)))
    check_bit_dims(tail(dims), k + 1)
end
"""
    BitVector(undef, n)

A `BitArray` of one dimension.
"""
const BitVector = BitArray{1}
"""
    BitMatrix(undef, m, n)

A `BitArray` of two dimensions.
"""
const BitMatrix = BitArray{2}
num_bit_chunks(n::Int) = (n + 63) >> 6
get_chunks_id(i::Int) = (((i - 1) >> 6) + 1, (i - 1) & 63)
BitArray(u::UndefInitializer, dims::NTuple{N, Int}) where {N} = BitArray{N}(u, dims)
BitArray(u::UndefInitializer, dims::Integer...) = BitArray(u, map(Int, dims))
BitArray(u::UndefInitializer, dims::Tuple{Vararg{Integer}}) = BitArray(u, map(Int, dims))
BitArray{N}(u::UndefInitializer, dims::Integer...) where {N} = bitarray_of_rank(Val(N), map(Int, dims))
BitArray{N}(u::UndefInitializer, dims::Tuple{Vararg{Integer}}) where {N} = bitarray_of_rank(Val(N), map(Int, dims))
bitarray_of_rank(::Val{N}, dims::NTuple{N, Int}) where {N} = BitArray{N}(undef, dims)
bitarray_of_rank(::Val{N}, dims) where {N} = throw(MethodError(BitArray{N}, (undef, dims...)))
BitArray(a::AbstractArray{T, N}) where {T, N} = BitArray{N}(a)
function BitArray{N}(a::AbstractArray{T, N}) where {T, N}
    has_offset_axes(a) && throw_bits_offset(a)
    fill_bits!(BitArray{N}(undef, size(a)), a)
end
@noinline throw_bits_offset(a) = throw(DimensionMismatch(string("axes of a BitArray begin at one, those given are ", axes(a))))
BitArray{N}(b::BitArray{N}) where {N} = copy(b)
BitArray(b::BitArray) = copy(b)
BitArray(itr) = bits_of(IteratorSize(itr), itr)
BitArray{1}(::UndefInitializer) = throw(MethodError(BitVector, (undef,)))
BitArray{1}(itr) = vector_of_bits(bits_of(IteratorSize(itr), itr))
vector_of_bits(b::BitVector) = b
vector_of_bits(b::BitArray) = throw(DimensionMismatch(string("the iterator has ", ndims(b), " dimensions, a BitVector has one")))
function BitArray{1}(a::AbstractVector{T}) where {T}
    has_offset_axes(a) && throw_bits_offset(a)
    fill_bits!(BitVector(undef, length(a)), a)
end
BitArray{1}(b::BitVector) = copy(b)
BitArray{1}(a::AbstractArray{T, N}) where {T, N} = throw(MethodError(BitVector, (a,)))
BitArray{N}(itr) where {N} = (b = bits_of(IteratorSize(itr), itr); b isa BitArray{N} ? b : throw(DimensionMismatch("the iterator has another number of dimensions")))
BitArray{1}(t::Tuple) = fill_bits!(BitVector(undef, length(t)), t)
bits_of(::HasShape{N}, itr) where {N} = fill_bits!(BitArray{N}(undef, map(length, axes(itr))), itr)
bits_of(::HasShape{0}, itr) = fill_bits!(BitArray{0}(undef, ()), itr)
bits_of(::HasLength, itr) = fill_bits!(BitArray{1}(undef, (Int(length(itr)),)), itr)
bits_of(::IsInfinite, itr) = throw(ArgumentError("infinite-size iterable used in BitArray constructor"))
bits_of(::IteratorSize, itr) = (b = BitVector(undef, 0); for x in itr; push!(b, x); end; b)
# A word at a time.
function fill_bits!(b::BitArray, itr)
    y = iterate(itr)
    for c in 1:length(b.chunks)
        word = zero(UInt64)
        for k in 0:(min(64, b.len - (c - 1) << 6) - 1)
            convert(Bool, y[1]) && (word |= 0x0000000000000001 << k)
            y = iterate(itr, y[2])
        end
        @inbounds b.chunks[c] = word
    end
    b
end
convert(::Type{T}, a::AbstractArray) where {T <: BitArray} = a isa T ? a : T(a)::T
size(b::BitArray) = b.dims
size(b::BitVector) = (b.len,)
size(b::BitArray{N}, d::Integer) where {N} = d < 1 ? throw(BoundsError(b.dims, d)) : d <= N ? size(b)[d] : 1
length(b::BitArray) = b.len
isempty(b::BitArray) = b.len == 0
elsize(::Type{<:BitArray}) = throw(MethodError(elsize, (BitArray,)))
IndexStyle(::Type{<:BitArray}) = IndexLinear()
isassigned(b::BitArray, i::Int) = 1 <= i <= b.len
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
@inline function iterate(b::BitArray, i::Int = 0)
    i >= b.len && return nothing
    (((@inbounds b.chunks[(i >> 6) + 1]) >> (i & 63)) & 0x0000000000000001 != 0, i + 1)
end
# The elements as values of another array, from `at` on.
function unpack_bits!(out::Array, at::Int, b::BitArray)
    left = b.len
    for word in b.chunks
        k = 0
        while k < 64 && left > 0
            @inbounds out[at] = word & 0x0000000000000001 != 0
            word >>= 1
            at += 1
            k += 1
            left -= 1
        end
    end
    out
end
Array{T, N}(b::BitArray{N}) where {T, N} = unpack_bits!(Array{T, N}(undef, size(b)), 1, b)
collect(b::BitArray{N}) where {N} = Array{Bool, N}(b)
function append!(a::Vector, b::BitArray)
    at = length(a) + 1
    resize!(a, length(a) + length(b))
    unpack_bits!(a, at, b)
end
fill!(b::BitArray, x) = (fill!(b.chunks, convert(Bool, x) ? ~zero(UInt64) : zero(UInt64)); clear_tail!(b))
function clear_tail!(b)
    r = b.len & 63
    r == 0 || (b.chunks[end] &= ~(~zero(UInt64) << r))
    b
end
similar(b::BitArray, ::Type{Bool}, dims::Dims) = BitArray(undef, dims)
similar(b::BitArray, ::Type{T}, dims::Dims{N}) where {T, N} = Array{T, N}(undef, dims)
similar(b::BitArray) = BitArray(undef, size(b))
copy(b::BitArray{N}) where {N} = BitArray{N}(copy(b.chunks), size(b))
sizeof(b::BitArray) = sizeof(b.chunks)
reshaped(b::BitArray, dims::Dims{N}) where {N} = dims == b.dims ? b : BitArray{N}(b.chunks, dims)
deepcopy_internal(b::BitArray, seen) = haskey(seen, b) ? seen[b] : (seen[b] = copy(b))

# Runs of bits. Positions count from one.
@inline function read_bits(chunks, at::Int, n::Int)
    c, r = get_chunks_id(at)
    w = (@inbounds chunks[c]) >> r
    r + n > 64 && (w |= (@inbounds chunks[c + 1]) << (64 - r))
    n == 64 ? w : w & ~(~zero(UInt64) << n)
end
# Within one word.
@inline function write_bits!(chunks, at::Int, n::Int, w)
    c, r = get_chunks_id(at)
    mask = (n == 64 ? ~zero(UInt64) : ~(~zero(UInt64) << n)) << r
    @inbounds chunks[c] = (chunks[c] & ~mask) | ((w << r) & mask)
    nothing
end
function move_bits!(dest::Vector{UInt64}, dstart::Int, src::Vector{UInt64}, sstart::Int, n::Int)
    n <= 0 && return nothing
    from = dest === src && dstart > sstart ? copy(src) : src
    while n > 0
        k = min(64 - ((dstart - 1) & 63), n)
        write_bits!(dest, dstart, k, read_bits(from, sstart, k))
        dstart += k
        sstart += k
        n -= k
    end
end
const copy_chunks! = move_bits!
function fill_chunks!(chunks, x::Bool, at::Int, n::Int)
    w = x ? ~zero(UInt64) : zero(UInt64)
    while n > 0
        k = min(64 - ((at - 1) & 63), n)
        write_bits!(chunks, at, k, w)
        at += k
        n -= k
    end
end
# Parts that are contiguous in their first dimension are filled by words.
function fill!(v::SubArray{Bool, <:Any, <:BitArray, <:Tuple{AbstractUnitRange{Int}}}, x)
    I = parentindices(v)[1]
    fill_chunks!(parent(v).chunks, convert(Bool, x), first(I), length(I))
    v
end
function fill!(v::SubArray{Bool, <:Any, <:BitArray, <:Tuple{AbstractUnitRange{Int}, Vararg{Union{Int, AbstractUnitRange{Int}}}}}, x)
    b, value = parent(v), convert(Bool, x)
    I, others = parentindices(v)[1], tail(parentindices(v))
    places = LinearIndices(b)
    isempty(I) && return v
    for J in Iterators.product(others...)
        fill_chunks!(b.chunks, value, places[first(I), J...], length(I))
    end
    v
end
function copyto!(dest::BitArray, src::BitArray)
    length(src) <= length(dest) || throw_dest_short(dest, src)
    move_bits!(dest.chunks, 1, src.chunks, 1, length(src))
    dest
end
function copyto!(dest::BitArray, dstart::Integer, src::BitArray, sstart::Integer, n::Integer)
    n == 0 && return dest
    check_copy(dest, dstart, src, sstart, n)
    move_bits!(dest.chunks, Int(dstart), src.chunks, Int(sstart), Int(n))
    dest
end
function getindex(b::BitArray, r::UnitRange{Int})
    @boundscheck checkbounds(b, r)
    out = BitVector(undef, length(r))
    move_bits!(out.chunks, 1, b.chunks, first(r), length(r))
    out
end
getindex(b::BitArray, ::Colon) = BitVector(copy(b.chunks), (b.len,))
function getindex(b::BitMatrix, ::Colon, j::Int)
    @boundscheck checkbounds(b, :, j)
    b[((j - 1) * size(b, 1) + 1):(j * size(b, 1))]
end

sum(b::BitArray; dims = :, init = InitialValue()) =
    dims isa Colon ? (init isa InitialValue ? count_bits(b) : init + count_bits(b)) : mapreduce_dims(identity, add_sum, init, b, dims)
count(b::BitArray; dims = :, init = 0) =
    dims isa Colon ? init + oftype(init, count_bits(b)) : mapreduce_dims(identity, add_sum, init, b, dims)
count_bits(b) = (n = 0; for c in b.chunks; n += count_ones(c); end; n)
all(b::BitArray; dims = :) = dims isa Colon ? count_bits(b) == b.len : mapreduce(identity, &, b; dims = dims)
any(b::BitArray; dims = :) = dims isa Colon ? count_bits(b) > 0 : mapreduce(identity, |, b; dims = dims)
minimum(b::BitArray; dims = :, kw...) = dims isa Colon && isempty(kw) ? (isempty(b) ? throw_empty_reduction() : all(b)) : mapreduce(identity, min, b; dims = dims, kw...)
maximum(b::BitArray; dims = :, kw...) = dims isa Colon && isempty(kw) ? (isempty(b) ? throw_empty_reduction() : any(b)) : mapreduce(identity, max, b; dims = dims, kw...)
dataids(b::BitArray) = dataids(b.chunks)
copyto!(dest::BitVector, bc::Broadcast.Broadcasted) = Broadcast.copyto_bits!(dest, bc)
copyto!(dest::BitVector, bc::Broadcast.Broadcasted{<:Broadcast.AbstractArrayStyle{0}}) = Broadcast.copyto_scalar!(dest, bc)
==(a::BitArray, b::BitArray) = size(a) == size(b) && a.chunks == b.chunks
