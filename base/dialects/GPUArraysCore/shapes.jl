# Arrays with the elements of others in another order, or side by side: a kernel gathers each, by indices that it computes.

# Indices of a dimension: each `inner` times in a row, all of this `outer` times; moved around; turned around from `lo` to `hi`.
struct RepeatedIndices <: AbstractVector{Int}
    count::Int
    inner::Int
    outer::Int
end
Base.size(r::RepeatedIndices) = (r.count * r.inner * r.outer,)
@inline Base.getindex(r::RepeatedIndices, i::Int) = rem(div(i - 1, r.inner), r.count) + 1
struct ShiftedIndices <: AbstractVector{Int}
    count::Int
    by::Int         # 0 to count - 1
end
Base.size(s::ShiftedIndices) = (s.count,)
@inline Base.getindex(s::ShiftedIndices, i::Int) = (k = i - s.by; k < 1 ? k + s.count : k)
struct TurnedIndices <: AbstractVector{Int}
    count::Int
    lo::Int
    hi::Int
end
Base.size(t::TurnedIndices) = (t.count,)
@inline Base.getindex(t::TurnedIndices, i::Int) = t.lo <= i <= t.hi ? t.lo + t.hi - i : i

function reversed_by_kernel(a, dims)
    folded = Base.dims_tuple(dims isa Colon ? ntuple(identity, ndims(a)) : dims)
    all(d -> d isa Integer && 1 <= d <= ndims(a), folded) ||
        throw(ArgumentError(string("dimensions ", folded, " are not those of an array of ", ndims(a), " dimensions")))
    return gathered(a, ntuple(d -> d in folded ? (size(a, d):-1:1) : (1:size(a, d)), ndims(a)))
end
Base.reverse(a::AnyDialectArray; dims = :) = uses_kernels() ? reversed_by_kernel(a, dims) : on_device(a, reverse(on_host(a); dims))
Base.reverse!(a::AnyDialectArray; dims = :) =
    uses_kernels() ? copyto!(a, reversed_by_kernel(a, dims)) : (reverse!(on_host(a); dims); a)
function Base.reverse(a::DialectVector, lo::Integer, hi::Integer = lastindex(a))
    uses_kernels() || return on_device(a, reverse(a.data, lo, hi))
    lo <= hi && checkbounds(a, lo:hi)
    return gathered(a, (TurnedIndices(length(a), Int(lo), Int(hi)),))
end
Base.reverse!(a::DialectVector, lo::Integer, hi::Integer = lastindex(a)) =
    uses_kernels() ? copyto!(a, reverse(a, lo, hi)) : (reverse!(a.data, lo, hi); a)

function Base.permutedims!(dest::AnyDialectArray, a::AnyDialectArray, perm)
    p = map(Int, Tuple(perm))
    Base.checkdims_perm(dest, a, p)
    uses_kernels() ? copy_by_kernel!(dest, PermutedDimsArray(unaliased(dest, a), p)) : permutedims!(on_host(dest), on_host(a), p)
    return dest
end
Base.permutedims(a::AnyDialectArray, perm) =
    uses_kernels() ? device_copy(PermutedDimsArray(a, perm)) : on_device(a, permutedims(on_host(a), perm))
Base.permutedims(a::AnyDialectArray) = uses_kernels() ?
    (ndims(a) == 1 ? reshape(copy(a), 1, length(a)) : permutedims(a, (2, 1))) : on_device(a, permutedims(on_host(a)))

function Base.repeat_array(a::AnyDialectArray, inner, outer)
    uses_kernels() || return on_device(a, Base.repeat_array(on_host(a), inner, outer))
    n = max(ndims(a), inner === nothing ? 0 : length(inner), outer === nothing ? 0 : length(outer))
    inner === nothing || length(inner) >= ndims(a) || throw(ArgumentError(string("number of inner repetitions (", length(inner),
        ") cannot be less than number of dimensions of input array (", ndims(a), ")")))
    times(counts, d) = counts === nothing || d > length(counts) ? 1 : counts[d]
    J = ntuple(d -> RepeatedIndices(size(a, d), times(inner, d), times(outer, d)), n)
    return gathered(reshape(a, ntuple(d -> size(a, d), n)), J)
end

Base.circshift(a::AnyDialectArray, k::Integer) = circshift(a, (k,))
Base.circshift(a::AnyDialectArray, shifts) = shifted(a, Tuple(shifts))
Base.circshift(a::AnyDialectArray, shifts::Tuple{Vararg{Integer}}) = shifted(a, shifts)
function shifted(a, shifts)
    uses_kernels() || return on_device(a, circshift(on_host(a), shifts))
    any(==(0), size(a)) && return copy(a)
    return gathered(a, ntuple(d -> ShiftedIndices(size(a, d), d <= length(shifts) ? mod(Int(shifts[d]), size(a, d)) : 0), ndims(a)))
end
for S in (:(Tuple{Vararg{Integer}}), :Dims, :(Tuple{}))
    @eval function Base.circshift!(dest::AnyDialectArray, src::AnyDialectArray, shifts::$S)
        dest === src && throw(ArgumentError("dest and src must be separate arrays"))
        axes(dest) == axes(src) ||
            throw(ArgumentError(string("indices of src and dest must match (got ", axes(src), " and ", axes(dest), ")")))
        return copyto!(dest, shifted(src, shifts))
    end
end
Base.circshift!(dest::AnyDialectArray, src::AnyDialectArray, k::Integer) = circshift!(dest, src, (k,))
Base.circshift!(a::DialectVector, k::Integer) = copyto!(a, shifted(a, (k,)))

# Side by side along `dims`; along several, block by block down the diagonal, with zeros elsewhere.
const Piece = Union{AnyDialectArray,Number}
function joined(dims::Tuple, pieces::Tuple)
    first_array = findfirst(x -> x isa AnyDialectArray, pieces)
    like = pieces[first_array]
    T = promote_type(map(x -> x isa AnyDialectArray ? eltype(x) : typeof(x), pieces)...)
    n = max(maximum(dims), maximum(x -> x isa Number ? 0 : ndims(x), pieces))
    # Numbers before all arrays are as wide as these in later dimensions.
    sizes = map(pieces, ntuple(identity, length(pieces))) do x, k
        ntuple(d -> x isa Number ? (k < first_array && d > maximum(dims) ? size(like, d) : 1) : size(x, d), n)
    end
    whole = ntuple(d -> d in dims ? sum(s -> s[d], sizes) : sizes[1][d], n)
    for s in sizes, d in 1:n
        d in dims || s[d] == whole[d] || throw(DimensionMismatch(string(
            "mismatch in dimension ", d, " (expected ", whole[d], " got ", s[d], ")")))
    end
    out = made_like(like, T, whole)
    length(dims) > 1 && fill!(out, zero(T))
    at = map(d -> 0, whole)
    for (x, s) in zip(pieces, sizes)
        dest = view(out, map((b, k) -> b+1:b+k, at, s)...)
        x isa Number ? fill!(dest, x) : copy_by_kernel!(dest, reshape(x, s))
        at = ntuple(d -> d in dims ? at[d] + s[d] : 0, n)
    end
    return out
end
# Row by row.
function joined_rows(rows::Tuple, pieces::Tuple)
    lines, at = Any[], 0
    for n in rows
        row = pieces[at+1:at+n]
        push!(lines, all(x -> x isa Number, row) ? wrap(owner(pieces[findfirst(x -> x isa AnyDialectArray, pieces)]), hcat(row...)) : hcat(row...))
        at += n
    end
    return vcat(lines...)
end
cat_dims(d::Integer) = (Int(d),)
cat_dims(::Val{D}) where {D} = cat_dims(D)
cat_dims(ds) = map(Int, Tuple(ds))
function beside(a, dims, pieces)
    uses_kernels() && return joined(cat_dims(dims), pieces)
    return on_device(a, cat(map(on_host, pieces)...; dims))
end
for A in (DialectArray, WrappedDialectArray)
    for (f, d) in ((:vcat, 1), (:hcat, 2))
        @eval Base.$f(a::$A, rest::Piece...) = beside(a, $d, (a, rest...))
        @eval Base.$f(x::Number, a::$A, rest::Piece...) = beside(a, $d, (x, a, rest...))
    end
    @eval Base.cat(a::$A, rest::Piece...; dims) = beside(a, dims, (a, rest...))
    @eval Base.hvcat(rows::Tuple{Vararg{Int}}, a::$A, rest::Piece...) = joined_rows(rows, (a, rest...))
    @eval Base.hvcat(rows::Tuple{Vararg{Int}}, x::Number, a::$A, rest::Piece...) = joined_rows(rows, (x, a, rest...))
    @eval Base.hvcat(rows::Tuple{Vararg{Int}}, x::Number, y::Number, a::$A, rest::Piece...) = joined_rows(rows, (x, y, a, rest...))
    @eval Base.vcat(x::Number, y::Number, a::$A, rest::Piece...) = beside(a, 1, (x, y, a, rest...))
    @eval Base.hcat(x::Number, y::Number, a::$A, rest::Piece...) = beside(a, 2, (x, y, a, rest...))
end
