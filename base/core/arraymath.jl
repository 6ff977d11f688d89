# Whole-array operations: reversing, shifting, repeating, and arithmetic between arrays.

# Reversing and moving.
reverse(a::AbstractArray; dims = :) = reverse_along(a, dims)
reverse_along(a, ::Colon) = reverse_dims(a, ntuple(identity, ndims(a)))
reverse_along(a, d::Integer) = reverse_dims(a, (Int(d),))
reverse_along(a, ds) = reverse_dims(a, Tuple(ds))
function reverse_dims(a::AbstractArray{T, N}, ds) where {T, N}
    check_reverse_dims(ds, N)
    gather!(similar(a), a, ntuple(k -> step_table(a, k, k in ds ? (size(a, k):-1:1) : (1:1:size(a, k))), Val(N)))
end
reverse!(a::AbstractArray; dims = :) = reverse_in!(a, dims)
function reverse_in!(a, dims)
    r = reverse_along(a, dims)
    copyto!(a, r)
end
function reverse(a::AbstractVector, lo::Integer, hi::Integer = lastindex(a))
    out = copymutable(a)
    reverse!(out, lo, hi)
end
reverse(a::AbstractVector; dims = :) = dims isa Colon ? reverse(a, firstindex(a), lastindex(a)) : reverse_along(a, dims)
reverse!(a::AbstractVector; dims = :) = dims isa Colon ? reverse!(a, firstindex(a), lastindex(a)) : reverse_in!(a, dims)
function reverse!(a::AbstractVector, lo::Integer, hi::Integer = lastindex(a))
    i, j = Int(lo), Int(hi)
    if i < j
        checkbounds(a, i)
        checkbounds(a, j)
    end
    while i < j
        @inbounds a[i], a[j] = a[j], a[i]
        i += 1
        j -= 1
    end
    a
end
reverse(itr) = Iterators.reverse(itr)
reverseind(a::AbstractVector, i::Integer) = firstindex(a) + lastindex(a) - i

shift_tuple(k::Integer) = (Int(k),)
shift_tuple(ks) = map(k -> Int(k), Tuple(ks))
circshift(a::AbstractArray, k::Integer) = circshift(a, (k,))
circshift(a::AbstractArray, shifts) = circshift!(similar(a), a, shift_tuple(shifts))
circshift!(dest::AbstractArray, src::AbstractArray, shifts) = circshift!(dest, src, shift_tuple(shifts))
circshift!(dest::AbstractArray, src::AbstractArray, ::Tuple{}) = copyto!(dest, src)
function circshift!(dest::AbstractArray{T, N}, src::AbstractArray, shifts::Dims) where {T, N}
    dest === src && throw(ArgumentError("dest and src must be separate arrays"))
    axes(dest) == axes(src) || throw(ArgumentError(string("indices of src and dest must match (got ", axes(src), " and ", axes(dest), ")")))
    isempty(src) && return dest
    by = ntuple(k -> k <= length(shifts) ? shifts[k] : 0, Val(N))
    gather!(dest, src, ntuple(k -> (n = size(src, k); step_table(src, k, [mod(i - 1 - by[k], n) + 1 for i in 1:n])), Val(N)))
end
circshift!(a::AbstractVector, k::Integer) = copyto!(a, circshift(a, k))
circshift!(dest::AbstractVector, src::AbstractVector, k::Integer) = circshift!(dest, src, (Int(k),))
# `src` with its indices taken modulo the size of `dest`.
function circcopy!(dest::AbstractArray{T, N}, src::AbstractArray) where {T, N}
    dest === src && throw(ArgumentError("dest and src must be separate arrays"))
    szd, szs = size(dest), size(src)
    szd == szs || throw(DimensionMismatch(string("src and dest must have the same sizes (got ", szs, " and ", szd, ")")))
    axd = axes(dest)
    for I in CartesianIndices(src)
        dest[map((i, r) -> first(r) + mod(i - first(r), length(r)), I.I, axd)...] = src[I]
    end
    dest
end
export circcopy!

repeat(a::AbstractArray, counts...) = repeat(a; outer = counts)
repeat(a::AbstractArray; inner = nothing, outer = nothing) = repeat_array(a, repeat_counts(inner), repeat_counts(outer))
repeat_counts(::Nothing) = nothing
repeat_counts(n::Integer) = (repeat_count(n),)
repeat_counts(c::CartesianIndex) = c.I
repeat_counts(ns) = map(repeat_count, Tuple(ns))
repeat_count(n::Integer) = (n >= 0 || throw(ArgumentError(string("number of repetitions cannot be negative, got ", n))); Int(n))
repeat_count(n) = throw(ArgumentError(string("repeat requires integer counts, got ", n)))
@noinline throw_repeat(which, a, counts) = throw(ArgumentError(string("number of ", which, " repetitions (", length(counts),
    ") cannot be less than number of dimensions of input array (", ndims(a), ")")))
function repeat_array(a::AbstractArray, inner, outer)
    require_one_based_indexing(a)
    inner === nothing || length(inner) >= ndims(a) || throw_repeat("inner", a, inner)
    outer === nothing || length(outer) >= ndims(a) || inner === nothing || throw_repeat("outer", a, outer)
    inner === nothing && outer === nothing && return copy(a)
    n = max(ndims(a), length(something(inner, ())), length(something(outer, ())))
    b = n == ndims(a) ? a : reshape(a, ntuple(k -> size(a, k), n))
    inner === nothing || (b = _RepeatInnerOuter.repeat_inner(b, padded_counts(inner, n)))
    return outer === nothing ? b : _RepeatInnerOuter.repeat_outer(b, padded_counts(outer, n))
end
padded_counts(counts, n) = ntuple(k -> k <= length(counts) ? counts[k] : 1, n)
# The two steps, for which packages define methods.
module _RepeatInnerOuter
    import ..Base: AbstractArray, similar, size, isempty, gather!, step_table, ntuple, map, mod, div, :, +, -, *
    repeat_inner(a::AbstractArray{<:Any, N}, inner::NTuple{N}) where {N} = repeated(a, inner, (i, n, k) -> div(i - 1, inner[k]) + 1)
    repeat_outer(a::AbstractArray{<:Any, N}, outer::NTuple{N}) where {N} = repeated(a, outer, (i, n, k) -> mod(i - 1, n) + 1)
    function repeated(a, counts, place)
        out = similar(a, map(*, size(a), counts))
        isempty(out) && return out
        gather!(out, a, ntuple(k -> step_table(a, k, [place(i, size(a, k), k) for i in 1:size(out, k)]), length(counts)))
    end
end
rotl90(a::AbstractMatrix) = reverse(permutedims(a); dims = 1)
rotr90(a::AbstractMatrix) = reverse(permutedims(a); dims = 2)
rot180(a::AbstractMatrix) = reverse(a)
for (rot, n) in ((:rotl90, 1), (:rotr90, -1))
    @eval $rot(a::AbstractMatrix, k::Integer) = rotate_by(a, mod($n * k, 4))
end
rot180(a::AbstractMatrix, k::Integer) = isodd(k) ? rot180(a) : copy(a)
rotate_by(a, k) = k == 1 ? rotl90(a) : k == 2 ? rot180(a) : k == 3 ? rotr90(a) : copy(a)

# Arithmetic. Between arrays the shapes must agree; with numbers only what linear algebra allows.
promote_shape(a::AbstractArray, b::AbstractArray) = promote_shape(axes(a), axes(b))
promote_shape(::Tuple{}, ::Tuple{}) = ()
@noinline throw_promote_shape(a, b, k) =
    throw(DimensionMismatch(string("a has dims ", a, ", b has dims ", b, ", mismatch at dim ", k)))
@noinline throw_promote_axes(a, b, k) =
    throw(DimensionMismatch(string("a has axes ", a, ", b has axes ", b, ", mismatch at dim ", k)))
promote_shape(a::Dims, b::Dims) = longer_shape(a, b, n -> n == 1, throw_promote_shape)
promote_shape(a::Tuple, b::Tuple) = longer_shape(a, b, r -> r == 1:1, throw_promote_axes)
function longer_shape(a, b, is_one, mismatch)
    length(a) < length(b) && return longer_shape(b, a, is_one, mismatch)
    for k in 1:length(b)
        a[k] == b[k] || mismatch(a, b, k)
    end
    for k in (length(b) + 1):length(a)
        is_one(a[k]) || mismatch(a, b, k)
    end
    a
end
# A broadcast whose result is an array even where all arguments have no dimension.
import .Broadcast: broadcast_preserving_zero_d
+(a::AbstractArray) = a
-(a::AbstractArray) = broadcast(-, a)
+(a::AbstractArray, b::AbstractArray) = (promote_shape(a, b); broadcast(+, a, b))
-(a::AbstractArray, b::AbstractArray) = (promote_shape(a, b); broadcast(-, a, b))
-(a::AbstractArray{<:Any, 0}) = broadcast_preserving_zero_d(-, a)
~(a::AbstractArray{<:Any, 0}) = broadcast_preserving_zero_d(~, a)
+(a::AbstractArray{<:Any, 0}, b::AbstractArray{<:Any, 0}) = broadcast_preserving_zero_d(+, a, b)
-(a::AbstractArray{<:Any, 0}, b::AbstractArray{<:Any, 0}) = broadcast_preserving_zero_d(-, a, b)
*(a::AbstractArray{<:Any, 0}, x::Number) = broadcast_preserving_zero_d(*, a, x)
*(x::Number, a::AbstractArray{<:Any, 0}) = broadcast_preserving_zero_d(*, x, a)
/(a::AbstractArray{<:Any, 0}, x::Number) = broadcast_preserving_zero_d(/, a, x)
\(x::Number, a::AbstractArray{<:Any, 0}) = broadcast_preserving_zero_d(\, x, a)
conj!(a::AbstractArray{<:Number}) = (for i in eachindex(a); a[i] = conj(a[i]); end; a)
conj!(a::AbstractArray) = (for i in eachindex(a); a[i] = conj(a[i]); end; a)
export conj!
+(a::AbstractArray, b::AbstractArray, cs::AbstractArray...) = fold_left(+, a + b, cs...)
*(a::AbstractArray, x::Number) = broadcast(*, a, x)
*(x::Number, a::AbstractArray) = broadcast(*, x, a)
/(a::AbstractArray, x::Number) = broadcast(/, a, x)
\(x::Number, a::AbstractArray) = broadcast(\, x, a)
~(a::AbstractArray) = broadcast(~, a)
real(a::AbstractArray{<:Real}) = a
real(a::AbstractArray) = map(real, a)
imag(a::AbstractArray{<:Real}) = zero(a)
imag(a::AbstractArray) = map(imag, a)
conj(a::AbstractArray{<:Real}) = a
conj(a::AbstractArray) = map(conj, a)
float(a::AbstractArray{<:AbstractFloat}) = a
float(a::AbstractArray{T}) where {T} = convert(AbstractArray{typeof(float(zero(T)))}, a)
clamp!(a::AbstractArray, lo, hi) = (for i in eachindex(a); a[i] = clamp(a[i], lo, hi); end; a)
