# Arrays side by side, slices of an array, and elements in another order, for arrays of packages as well: parts are stored as blocks and
# read by ranges of indices, which arrays of devices do by kernels.

store_block!(out, x, places) = setindex!(out, x, places...)
store_block!(out::DialectArray, x, places) = set_part!(out, x, places)

# Parts beside each other along a dimension; a number fills its place.
Base.has_runs(::AbstractGPUArray) = false
function Base.cat_blocks!(out::AbstractGPUArray, d, xs)
    at = 0
    for x in xs
        places = Any[k == d ? (at+1:at+Base.cat_size(x, k)) : (1:size(out, k)) for k in 1:ndims(out)]
        x isa AbstractArray ? isempty(x) || Base.invokelatest(store_block!, out, x, (places...,)) :
            Base.invokelatest(fill!, Base.invokelatest(view, out, places...), x)
        at += Base.cat_size(x, d)
    end
    return out
end

# Slices, `count` of them beside each other after each `run` elements.
function Base.fill_slices!(out::AbstractGPUArray, xs, run, count)
    parts = count == 1 && length(xs) > 1 ? reshape(out, run, length(xs)) : reshape(out, run, count, :)
    i = 0
    for x in xs
        slice = x isa AbstractArray ? x : collect(x)
        i += 1
        isempty(slice) || store_block!(parts, reshape(slice, run, :), ntuple(k -> k == 2 ? (i:i) : (1:size(parts, k)), ndims(parts)))
    end
    return out
end

# Elements in another order, of packages' arrays: kiln's own have kernels for it.
turned(a, ds) = a[ntuple(d -> d in ds ? (size(a, d):-1:1) : (1:size(a, d)), ndims(a))...]
function Base.reverse_dims(a::AbstractGPUArray, ds)
    Base.check_reverse_dims(ds, ndims(a))
    return turned(a, ds)
end
Base.reverse(a::AbstractGPUVector, lo::Integer, hi::Integer = lastindex(a)) =
    (lo <= hi && checkbounds(a, lo:hi); a[TurnedIndices(length(a), Int(lo), Int(hi))])
Base.reverse!(a::AbstractGPUVector, lo::Integer, hi::Integer = lastindex(a)) = copyto!(a, reverse(a, lo, hi))
function Base.circshift!(dest::AbstractGPUArray{T,N}, src::AbstractGPUArray, shifts::Dims) where {T,N}
    dest === src && throw(ArgumentError("dest and src must be separate arrays"))
    axes(dest) == axes(src) || throw(ArgumentError(string("indices of src and dest must match (got ", axes(src), " and ", axes(dest), ")")))
    isempty(src) && return dest
    return copyto!(dest, src[ntuple(d -> ShiftedIndices(size(src, d), d <= length(shifts) ? mod(shifts[d], size(src, d)) : 0), Val(N))...])
end
