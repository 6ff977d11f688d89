# Bit vectors that grow and shrink, are shifted and searched, and operations on whole arrays of bits.

function resize!(b::BitVector, n::Integer)
    n < 0 && throw(BoundsError(b, n))
    k = b.len
    c = num_bit_chunks(Int(n))
    old = length(b.chunks)
    if c != old
        resize!(b.chunks, c)
        for i in (old + 1):c
            b.chunks[i] = zero(UInt64)
        end
    end
    b.len = Int(n)
    b.dims = (Int(n),)
    n < k && n > 0 && clear_tail!(b)
    b
end
function push!(b::BitVector, x)
    v = convert(Bool, x)
    n = b.len + 1
    n > 64 * length(b.chunks) && push!(b.chunks, zero(UInt64))
    b.len = n
    b.dims = (n,)
    v && (b[n] = true)
    b
end
push!(b::BitVector, x, y...) = (for z in (x, y...); push!(b, z); end; b)
function append!(b::BitVector, items::BitVector)
    n, k = b.len, items.len
    src = items === b ? copy(items) : items
    resize!(b, n + k)
    move_bits!(b.chunks, n + 1, src.chunks, 1, k)
    b
end
append!(b::BitVector, itr) = (for x in itr; push!(b, x); end; b)
append!(b::BitVector, items::AbstractVector) = append!(b, BitVector(items))
function prepend!(b::BitVector, items::BitVector)
    n, k = b.len, items.len
    src = items === b ? copy(items) : items
    resize!(b, n + k)
    move_bits!(b.chunks, k + 1, b.chunks, 1, n)
    move_bits!(b.chunks, 1, src.chunks, 1, k)
    b
end
prepend!(b::BitVector, itr) = prepend!(b, BitVector(collect(Bool, itr)))
prepend!(b::BitVector, items::AbstractVector) = prepend!(b, BitVector(items))
@noinline throw_empty_array() = throw(ArgumentError("argument must not be empty"))
function pop!(b::BitVector)
    isempty(b) && throw_empty_array()
    x = b[b.len]
    resize!(b, b.len - 1)
    x
end
pushfirst!(b::BitVector, x) = (v = convert(Bool, x); insert!(b, 1, v))
pushfirst!(b::BitVector, x, ys...) = (for z in reverse((x, ys...)); pushfirst!(b, z); end; b)
function popfirst!(b::BitVector)
    isempty(b) && throw_empty_array()
    x = b[1]
    delete_bits!(b, 1, 1)
    x
end
function insert!(b::BitVector, i::Integer, x)
    i isa Bool && throw(ArgumentError("invalid index: $i of type Bool"))
    n = b.len
    1 <= i <= n + 1 || throw(BoundsError(b, i))
    v = convert(Bool, x)
    resize!(b, n + 1)
    move_bits!(b.chunks, Int(i) + 1, b.chunks, Int(i), n - Int(i) + 1)
    b[Int(i)] = v
    b
end
function delete_bits!(b::BitVector, i::Int, k::Int)
    n = b.len
    move_bits!(b.chunks, i, b.chunks, i + k, n - i - k + 1)
    resize!(b, n - k)
end
function deleteat!(b::BitVector, i::Integer)
    i isa Bool && throw(ArgumentError("invalid index: $i of type Bool"))
    1 <= i <= b.len || throw(BoundsError(b, i))
    delete_bits!(b, Int(i), 1)
end
function deleteat!(b::BitVector, r::AbstractUnitRange{Int})
    isempty(r) && return b
    first(r) >= 1 || throw(BoundsError(b, first(r)))
    last(r) <= b.len || throw(BoundsError(b, last(r)))
    delete_bits!(b, first(r), length(r))
end
deleteat!(b::BitVector, inds) = (keep = kept_after_delete(b, inds); keepat_places!(b, keep))
deleteat!(b::BitVector, inds::AbstractVector{Bool}) =
    length(inds) == length(b) ? keepat_places!(b, findall(!, inds)) : throw(BoundsError(b, inds))
function keepat_places!(b::BitVector, places)
    k = 0
    for i in places
        k += 1
        b[k] = b[i]
    end
    resize!(b, k)
end
function splice!(b::BitVector, i::Integer)
    1 <= i <= b.len || throw(BoundsError(b, i))
    x = b[i]
    delete_bits!(b, Int(i), 1)
    x
end
function splice!(b::BitVector, r::Union{AbstractUnitRange{Int}, Integer}, new::AbstractArray = BitVector(undef, 0))
    r isa Integer && !(r isa Int) && return splice!(b, Int(r), new)
    splice_bits!(b, r, BitVector(vec(new)))
end
splice!(b::BitVector, r::Union{AbstractUnitRange{Int}, Integer}, new) = splice!(b, r, BitVector(collect(Bool, new)))
function splice_bits!(b, i::Int, new)
    x = b[i]
    splice_bits!(b, i:i, new)
    x
end
function splice_bits!(b, r, new)
    n = b.len
    lo, hi = first(r), last(r)
    isempty(r) && !(1 <= lo <= n + 1) && throw(BoundsError(b, lo))
    isempty(r) || ((1 <= lo && hi <= n) || throw(BoundsError(b, r)))
    old = b[lo:hi]
    rest = b[(hi + 1):n]
    resize!(b, lo - 1)
    append!(b, new)
    append!(b, rest)
    old
end
empty!(b::BitVector) = resize!(b, 0)
sizehint!(b::BitVector, n::Integer) = b
filter!(f, b::BitVector) = keepat_places!(b, [i for i in 1:b.len if f(b[i])])
keepat!(b::BitVector, inds) = keepat_generic!(b, inds)
keepat!(b::BitVector, inds::AbstractVector{Bool}) = keepat_generic!(b, inds)
filter(f, b::BitArray) = b[map(f, b)]

# Shifts of whole vectors: places that become free are false.
function <<(b::BitVector, k::UInt)
    n = b.len
    out = falses(n)
    k < n && move_bits!(out.chunks, 1, b.chunks, Int(k) + 1, n - Int(k))
    out
end
function >>>(b::BitVector, k::UInt)
    n = b.len
    out = falses(n)
    k < n && move_bits!(out.chunks, Int(k) + 1, b.chunks, 1, n - Int(k))
    out
end
>>(b::BitVector, k::UInt) = b >>> k
<<(b::BitVector, k::Int) = k >= 0 ? b << unsigned(k) : b >>> unsigned(-k)
>>>(b::BitVector, k::Int) = k >= 0 ? b >>> unsigned(k) : b << unsigned(-k)
>>(b::BitVector, k::Int) = b >>> k
circshift!(dest::BitVector, src::BitVector, k::Integer) = rotate_bits!(dest, dest === src ? copy(src) : src, Int(k))
circshift!(b::BitVector, k::Integer) = circshift!(b, b, k)
circshift(b::BitVector, k::Integer) = circshift!(similar(b), b, k)
function rotate_bits!(dest, src, k)
    n = src.len
    length(dest) == n || throw(DimensionMismatch("destination and source must have the same size"))
    n == 0 && return dest
    j = mod(k, n)
    move_bits!(dest.chunks, j + 1, src.chunks, 1, n - j)
    move_bits!(dest.chunks, 1, src.chunks, n - j + 1, j)
    dest
end
function reverse!(b::BitVector)
    i, j = 1, b.len
    while i < j
        b[i], b[j] = b[j], b[i]
        i += 1
        j -= 1
    end
    b
end

# Searching, a word at a time.
function unsafe_bitfindnext(chunks, start::Int)
    c, r = get_chunks_id(start)
    w = chunks[c] & (~zero(UInt64) << r)
    while w == 0
        c += 1
        c > length(chunks) && return nothing
        w = chunks[c]
    end
    (c - 1) << 6 + trailing_zeros(w) + 1
end
function unsafe_bitfindprev(chunks, start::Int)
    c, r = get_chunks_id(start)
    w = chunks[c] & (~zero(UInt64) >> (63 - r))
    while w == 0
        c -= 1
        c < 1 && return nothing
        w = chunks[c]
    end
    c << 6 - leading_zeros(w)
end
function findnext(b::BitVector, start::Integer)
    start > 0 || throw(BoundsError(b, start))
    start > b.len ? nothing : unsafe_bitfindnext(b.chunks, Int(start))
end
function findprev(b::BitVector, start::Integer)
    start > b.len && throw(BoundsError(b, start))
    start < 1 ? nothing : unsafe_bitfindprev(b.chunks, Int(start))
end
const BitPredicate = Union{typeof(identity), Fix2{typeof(isequal), Bool}, Fix2{typeof(==), Bool}, typeof(!), typeof(iszero), typeof(isone)}
function findnext(f::Function, b::BitVector, start::Integer)
    start > 0 || throw(BoundsError(b, start))
    for i in Int(start):b.len
        f(b[i]) && return i
    end
    nothing
end
function findprev(f::Function, b::BitVector, start::Integer)
    start > b.len && throw(BoundsError(b, start))
    for i in Int(start):-1:1
        f(b[i]) && return i
    end
    nothing
end
findfirst(b::BitVector) = findnext(b, 1)
findlast(b::BitVector) = findprev(b, b.len)
function findall(b::BitArray)
    ks = keys(b)
    out = Vector{eltype(ks)}(undef, count_bits(b))
    n = 0
    for c in 1:length(b.chunks)
        w = b.chunks[c]
        while w != 0
            n += 1
            out[n] = ks[(c - 1) << 6 + trailing_zeros(w) + 1]
            w &= w - 1
        end
    end
    out
end
find_linear(b::BitArray) = findall(vec(b))

# Whole arrays.
(~)(b::BitArray) = map_words(~, b)
!(b::BitArray) = map_words(~, b)
-(b::BitArray) = map(-, b)
function map_words(f, bs::BitArray...)
    out = similar(bs[1])
    for c in 1:length(out.chunks)
        out.chunks[c] = f(map(b -> b.chunks[c], bs)...)
    end
    clear_tail!(out)
end
for (f, g) in ((:&, :&), (:|, :|), (:xor, :xor), (:nand, :nand), (:nor, :nor), (:(==), :same_bits), (:!=, :xor))
    @eval map(::typeof($f), a::BitArray, b::BitArray) = size(a) == size(b) ? map_words($g, a, b) : map_pairs($f, a, b)
end
same_bits(x, y) = ~(x ⊻ y)
map_pairs(f, a, b) = BitVector(map(f, collect(a), collect(b)))
map(::Union{typeof(~), typeof(!)}, b::BitArray) = map_words(~, b)
map(::typeof(identity), b::BitArray) = copy(b)
map(::typeof(zero), b::BitArray) = fill!(similar(b), false)
map(::typeof(one), b::BitArray) = fill!(similar(b), true)
function cat_bits(d, bs)
    N = max(d, map(ndims, bs)...)
    shape = cat_shape_of(d, Val(N), bs)
    out = BitArray{N}(undef, shape)
    at = ntuple(k -> 0, N)
    for b in bs
        out[ntuple(k -> k == d ? ((at[k] + 1):(at[k] + size(b, k))) : (1:size(b, k)), N)...] = b
        at = ntuple(k -> k == d ? at[k] + size(b, k) : 0, N)
    end
    out
end
function vcat(bs::BitVector...)
    out = BitVector(undef, sum(length, bs))
    at = 1
    for b in bs
        move_bits!(out.chunks, at, b.chunks, 1, b.len)
        at += b.len
    end
    out
end
vcat(bs::BitMatrix...) = cat_bits(1, bs)
hcat(bs::Union{BitVector, BitMatrix}...) = cat_bits(2, bs)
hcat(b::BitVector) = reshape(copy(b), (b.len, 1))
function write(io::IO, b::BitArray)
    n = 0
    for c in b.chunks
        n += write(io, c)
    end
    n
end
function read!(io::IO, b::BitArray)
    for c in 1:length(b.chunks)
        b.chunks[c] = read(io, UInt64)
    end
    r = b.len & 63
    if r != 0 && b.chunks[end] & (~zero(UInt64) << r) != 0
        b.chunks[end] &= ~(~zero(UInt64) << r)
        throw(DimensionMismatch("read mismatch, found non-zero bits after BitArray length"))
    end
    b
end
BitArray{1}() = BitVector(undef, 0)
findfirstnot(b::BitArray) = findfirst(!, b)
findlastnot(b::BitArray) = findlast(!, b)
findnextnot(b::BitVector, start::Int) = findnext(!, b, start)
findprevnot(b::BitVector, start::Int) = findprev(!, b, start)
trues(dims::DimOrInd...) = trues(dims)
falses(dims::DimOrInd...) = falses(dims)
trues(dims::Tuple{AbstractUnitRange, Vararg{DimOrInd}}) = fill!(similar(BitArray, dims), true)
falses(dims::Tuple{AbstractUnitRange, Vararg{DimOrInd}}) = fill!(similar(BitArray, dims), false)
