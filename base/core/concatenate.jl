# Joining arrays along one or several dimensions, and array literals of rows and blocks.

promote_typeof() = Bottom
promote_typeof(x, ys...) = promote_type(typeof(x), promote_typeof(ys...))
promote_eltypeof() = Bottom
promote_eltypeof(x::AbstractArray{T}, ys::AbstractArray{T}...) where {T} = T
promote_eltypeof(x::AbstractArray, ys...) = promote_type(eltype(x), promote_eltypeof(ys...))
promote_eltypeof(x, ys...) = promote_type(typeof(x), promote_eltypeof(ys...))
promote_eltype() = Bottom
promote_eltype(x, ys...) = promote_type(eltype(x), promote_eltype(ys...))

cat_size(x) = (1,)
cat_size(x::AbstractArray) = map(Int, size(x))
cat_size(x, k) = 1
cat_size(x::AbstractArray, k) = Int(size(x, k))
cat_length(x) = 1
cat_length(x::AbstractArray) = Int(length(x))
cat_rank(x) = Val(0)
cat_rank(::AbstractArray{T, N}) where {T, N} = Val(N)
cat_indices(x, k) = OneTo(1)
cat_indices(x::AbstractArray, k) = axes(x, k)
cat_similar(x, ::Type{T}, shape::Dims{N}) where {T, N} = Array{T, N}(undef, shape)
cat_similar(x::AbstractArray, ::Type{T}, shape::Dims) where {T} = similar(x, T, shape)
cat_similar(x::AbstractRange, ::Type{T}, shape::Dims{N}) where {T, N} = Array{T, N}(undef, shape)
# The rank of the result, as a type, so that inference follows.
max_rank(n::Val) = n
@inline max_rank(n::Val, x, rest...) = max_rank(larger_val(n, cat_rank(x)), rest...)
larger_val(::Val{M}, ::Val{N}) where {M, N} = Val(M > N ? M : N)

@noinline throw_cat_mismatch(k, want, got) =
    throw(DimensionMismatch(string("mismatch in dimension ", k, " (expected ", want, " got ", got, ")")))
# The shape of the result along dimension `d`. Numbers before all arrays are as wide as these in later dimensions.
function cat_shape_of(d::Int, ::Val{N}, xs) where {N}
    ntuple(Val(N)) do k
        k == d && return sum(x -> cat_size(x, k), xs; init = 0)
        n = cat_size(xs[1], k)
        numbers = k > d
        for x in xs
            if numbers && x isa AbstractArray
                n = cat_size(x, k)
                numbers = false
            end
            cat_size(x, k) == n || throw_cat_mismatch(k, n, cat_size(x, k))
        end
        n
    end
end
@inline cat_along(::Type{T}, d::Int, xs) where {T} = cat_to_rank(T, d, max_rank(Val(d), xs...), xs)
function cat_to_rank(::Type{T}, d::Int, rank::Val{N}, xs) where {T, N}
    out = cat_similar(xs[1], T, cat_shape_of(d, rank, xs))
    d == N && has_runs(out) || return cat_blocks!(out, d, xs)
    # Along the last dimension the parts lie one after the other.
    at = firstindex(out)
    for x in xs
        if x isa AbstractArray
            copy_run!(out, at, x, IndexStyle(x))
        else
            out[at] = x
        end
        at += cat_length(x)
    end
    out
end
# Whether elements are stored one by one where they lie in a row.
has_runs(out) = IndexStyle(out) isa IndexLinear
copy_run!(out, at, x, ::IndexLinear) = isempty(x) ? out : copyto!(out, at, x, first(LinearIndices(x)), length(x))
function copy_run!(out, at, x, ::IndexStyle)
    for y in x
        @inbounds out[at] = y
        at += 1
    end
    out
end
function cat_blocks!(out, d, xs)
    at = 0
    for x in xs
        x isa AbstractArray ? put_block!(out, x, ntuple(k -> k == d ? at : 0, ndims(out))) : fill_layer!(out, x, d, at + 1)
        at += cat_size(x, d)
    end
    out
end
function fill_layer!(out::AbstractArray{T, N}, x, d, at) where {T, N}
    for I in CartesianIndices(ntuple(k -> k == d ? (at:at) : (1:size(out, k)), Val(N)))
        @inbounds out[I] = x
    end
    out
end
function put_block!(out::AbstractArray{T, N}, x::AbstractArray, offset) where {T, N}
    ax = ntuple(k -> axes(x, k), N)
    for I in CartesianIndices(x)
        @inbounds out[ntuple(k -> (k <= ndims(x) ? I[k] - first(ax[k]) + 1 : 1) + offset[k], N)...] = x[I]
    end
    out
end
put_block!(out, x, offset) = (out[map(o -> o + 1, offset)...] = x; out)

@inline cat(xs...; dims) = _cat(dims, xs...)
# Dimensions given as a `Val` stay one as far as here, so that their values are known whatever the number of parts.
@inline cat_dims(::Val{D}) where {D} = cat_dims(D)
cat_dims(d::Integer) = (Int(d),)
cat_dims(dims) = Tuple(dims)
_cat(dims::Int) = Any[]
@inline _cat(dims, x, xs...) = _cat_t(dims, promote_eltypeof(x, xs...), x, xs...)
@inline function _cat_t(dims, ::Type{T}, xs...) where {T}
    ds = cat_dims(dims)
    all_positive(ds) || throw(ArgumentError(string("All cat dimensions must be positive integers, but got ", dims)))
    isempty(xs) && return Array{T}(undef, ntuple(_ -> 0, isempty(ds) ? 1 : maximum(ds)))
    length(ds) == 1 ? cat_along(T, ds[1], xs) : cat_diagonal(T, ds, xs)
end
all_positive(::Tuple{}) = true
@inline all_positive(ds::Tuple) = ds[1] >= 1 && all_positive(tail(ds))
largest_of(n) = n
@inline largest_of(n, d, ds...) = largest_of(max(n, d), ds...)
@inline cat_diagonal(::Type{T}, ds, xs) where {T} = cat_diagonal(T, ds, max_rank(Val(largest_of(0, ds...)), xs...), xs)
function cat_diagonal(::Type{T}, ds, ::Val{N}, xs) where {T, N}
    shape = ntuple(Val(N)) do k
        k in ds && return sum(x -> cat_size(x, k), xs)
        n = cat_size(xs[1], k)
        for x in xs
            cat_size(x, k) == n || throw_cat_mismatch(k, n, cat_size(x, k))
        end
        n
    end
    out = cat_similar(xs[1], T, shape)
    length(ds) > 1 && fill!(out, zero(T))
    at = ntuple(k -> 0, Val(N))
    for x in xs
        put_block!(out, x, at)
        at = ntuple(k -> k in ds ? at[k] + cat_size(x, k) : 0, Val(N))
    end
    out
end
cat_t(::Type{T}, xs...; dims) where {T} = _cat_t(dims, T, xs...)
const __cat = cat_blocks!

vcat() = Any[]
hcat() = Any[]
vcat(xs::T...) where {T} = T_vector(T, xs)
vcat(xs::T...) where {T <: Number} = T_vector(T, xs)
vcat(xs::Number...) = T_vector(promote_typeof(xs...), xs)
vcat(xs...) = typed_vcat(promote_eltypeof(xs...), xs...)
vcat(xs::AbstractArray...) = typed_vcat(promote_eltypeof(xs...), xs...)
vcat(xs::AbstractArray{T}...) where {T} = typed_vcat(T, xs...)
vcat(r::AbstractRange) = collect(r)
hcat(xs::T...) where {T <: Number} = row_of(T, xs)
hcat(xs::Number...) = row_of(promote_typeof(xs...), xs)
hcat(xs::T...) where {T} = row_of(T, xs)
hcat(xs...) = typed_hcat(promote_eltypeof(xs...), xs...)
hcat(xs::AbstractArray...) = typed_hcat(promote_eltypeof(xs...), xs...)
hcat(xs::AbstractArray{T}...) where {T} = typed_hcat(T, xs...)
# Vectors of an abstract type give a matrix of what they hold.
hcat(xs::Vector{T}...) where {T} = isconcretetype(T) ? typed_hcat(T, xs...) : hcat_elements(xs)
function hcat_elements(xs)
    n = length(xs[1])
    all(x -> length(x) == n, xs) || throw(DimensionMismatch("vectors must have same lengths"))
    [xs[j][i] for i in 1:n, j in 1:length(xs)]
end
row_of(::Type{T}, xs) where {T} = (out = Matrix{T}(undef, 1, length(xs)); put_all!(out, xs))
function put_all!(out, xs)
    k = 0
    for x in xs
        k += 1
        out[k] = x
    end
    out
end
typed_vcat(::Type{T}) where {T} = Vector{T}()
typed_hcat(::Type{T}) where {T} = Vector{T}()
@noinline throw_typed_cat(name) =
    throw(ArgumentError(string("It is unclear whether you intend to perform an indexing operation or typed concatenation. For typed concatenation use ", name)))
typed_vcat(::AbstractArray, other...) = throw_typed_cat("typed_vcat")
typed_hcat(::AbstractArray, other...) = throw_typed_cat("typed_hcat")
typed_hvcat(::AbstractArray, other...) = throw_typed_cat("typed_hvcat")
typed_vcat(::Type{T}, xs...) where {T} = no_arrays(xs...) ? T_vector(T, xs) : cat_along(T, 1, xs)
typed_hcat(::Type{T}, xs...) where {T} = no_arrays(xs...) ? row_of(T, xs) : cat_along(T, 2, xs)
no_arrays() = true
no_arrays(x::AbstractArray, rest...) = false
no_arrays(x, rest...) = no_arrays(rest...)

# Rows of blocks.
hvcat(rows::Tuple{Vararg{Int}}, xs...) = typed_hvcat(promote_eltypeof(xs...), rows, xs...)
hvcat(rows::Tuple{Vararg{Int}}, xs::AbstractArray{T}...) where {T} = typed_hvcat(T, rows, xs...)

hvcat(rows::Tuple{Vararg{Int}}) = []
hvcat(::Tuple{}) = []
hvcat(rows::Tuple{}, xs...) = isempty(xs) ? [] : throw_cat_count(0, length(xs))
hvcat(nbc::Int, xs...) = typed_hvcat(promote_eltypeof(xs...), nbc, xs...)
function typed_hvcat(::Type{T}, nbc::Int, xs...) where {T}
    n = length(xs)
    mod(n, nbc) == 0 || throw(ArgumentError(string("number of arrays ", n, " is not a multiple of the requested number of block columns ", nbc)))
    typed_hvcat(T, ntuple(_ -> nbc, div(n, nbc)), xs...)
end
typed_hvcat(::Type{T}, rows::Tuple{Vararg{Int}}) where {T} = Vector{T}()
@noinline throw_cat_count(want, got) = throw(ArgumentError(string("argument count does not match specified shape (expected ", want, ", got ", got, ")")))
function typed_hvcat(::Type{T}, rows::Tuple{Vararg{Int}}, xs...) where {T}
    nr = length(rows)
    if no_arrays(xs...)
        nc = rows[1]
        for r in 1:nr
            rows[r] == nc || throw(DimensionMismatch(string("row ", r, " has mismatched number of columns (expected ", nc, " got ", rows[r], ")")))
        end
        nr * nc == length(xs) || throw_cat_count(nr * nc, length(xs))
        out = Matrix{T}(undef, nr, nc)
        for r in 1:nr, c in 1:nc
            out[r, c] = xs[(r - 1) * nc + c]
        end
        return out
    end
    sum(rows) == length(xs) || throw_cat_count(sum(rows), length(xs))
    at = 0
    parts = Any[]
    for n in rows
        push!(parts, cat_along(T, 2, xs[(at + 1):(at + n)]))
        at += n
    end
    cat_along(T, 1, (parts...,))
end
function hvcat_rows(rows::Tuple...)
    xs = flatten_rows(rows...)
    no_arrays(xs...) && !allequal(map(length, rows)) && throw(ArgumentError("rows of numbers must have the same length"))
    hvcat(map(length, rows), xs...)
end
typed_hvcat_rows(::Type{T}, rows::Tuple...) where {T} = typed_hvcat(T, map(length, rows), flatten_rows(rows...)...)
flatten_rows() = ()
flatten_rows(r::Tuple, rest...) = (r..., flatten_rows(rest...)...)

# Blocks in any number of dimensions: `dims` of a full grid, or for each level how many arguments its groups have.
hvncat(dim::Int, xs...) = _hvncat(dim, true, xs...)
hvncat(shape::Tuple, row_first::Bool, xs...) = _hvncat(shape, row_first, xs...)
_hvncat(shape, row_first, xs...) = typed_hvncat(promote_eltypeof(xs...), shape, row_first, xs...)
_hvncat(shape, row_first) = typed_hvncat(Any, shape, row_first)
_hvncat(shape, row_first, xs::AbstractArray{T}...) where {T} = typed_hvncat(T, shape, row_first, xs...)
typed_hvncat(::Type{T}, dim::Int, xs...) where {T} = typed_hvncat(T, dim, true, xs...)
function typed_hvncat(::Type{T}, dim::Int, row_first::Bool, xs...) where {T}
    dim < 0 && throw(ArgumentError("concatenation dimension must be non-negative"))
    isempty(xs) && dim > 0 && return Array{T}(undef, ntuple(_ -> 0, dim))
    dim == 0 && return single_grid(T, xs)
    cat_along(T, dim, xs)
end
# In no dimension there is place for one argument; an array is copied.
function single_grid(::Type{T}, xs) where {T}
    length(xs) == 1 || throw(ArgumentError("a 0-dimensional array may only contain exactly one element"))
    x = xs[1]
    x isa AbstractArray ? copyto!(cat_similar(x, T, size(x)), x) : fill!(Array{T, 0}(undef), x)
end
typed_hvncat(::Type{T}, ::Tuple{}, row_first::Bool, xs...) where {T} = single_grid(T, xs)
function typed_hvncat(::Type{T}, dims::Tuple{Int, Vararg{Int}}, row_first::Bool, xs...) where {T}
    all(d -> d > 0, dims) || throw(ArgumentError("`dims` argument must contain positive integers"))
    n = prod(dims)
    n == length(xs) || throw_cat_count(n, length(xs))
    no_arrays(xs...) && return scalar_grid(T, dims, row_first, xs)
    join_groups(T, level_dims(length(dims), row_first && length(dims) > 1), grid_counts(dims, row_first), xs)
end
level_dims(N, row_first) = ntuple(k -> !row_first || k > 2 ? k : 3 - k, N)
# How many arguments the groups of each level hold.
function grid_counts(dims, row_first)
    order = level_dims(length(dims), row_first && length(dims) > 1)
    n = 1
    total = prod(dims)
    map(order) do d
        n *= dims[d]
        ntuple(_ -> n, div(total, n))
    end
end
function scalar_grid(::Type{T}, dims::NTuple{N, Int}, row_first, xs) where {T, N}
    out = Array{T, N}(undef, dims)
    if row_first && N >= 2
        k = 0
        for J in CartesianIndices(dims[3:end]), i in 1:dims[1], j in 1:dims[2]
            k += 1
            out[i, j, J.I...] = xs[k]
        end
        out
    else
        put_all!(out, xs)
    end
end
function typed_hvncat(::Type{T}, shape::Tuple{Tuple, Vararg{Tuple}}, row_first::Bool, xs...) where {T}
    for level in shape
        isempty(level) && throw(ArgumentError("each level of `shape` argument must have at least one value"))
        all(n -> n > 0, level) || throw(ArgumentError("`shape` argument must consist of positive integers"))
    end
    isempty(xs) && throw(ArgumentError("must have at least one element"))
    length(shape[end]) == 1 || throw(ArgumentError("last level of shape must contain only one integer"))
    shape[end][1] == length(xs) ||
        throw(ArgumentError(string("number of elements does not match shape; expected ", shape[end][1], ", got ", length(xs))))
    join_groups(T, level_dims(length(shape), row_first), shape, xs)
end
function join_groups(::Type{T}, order, counts, xs) where {T}
    parts = Any[xs...]
    sizes = ones(Int, length(xs))
    rank = max_rank(Val(length(order)), xs...)
    for (d, groups) in zip(order, counts)
        joined = Any[]
        total = Int[]
        at = 0
        for n in groups
            held = 0
            first_part = at + 1
            while held < n
                at += 1
                at <= length(parts) || throw(DimensionMismatch("shape is inconsistent; level counts must nest evenly into each other"))
                held += sizes[at]
            end
            held == n || throw(DimensionMismatch("shape is inconsistent; level counts must nest evenly into each other"))
            push!(joined, cat_along(T, d, (parts[first_part:at]...,)))
            push!(total, n)
        end
        at == length(parts) || throw(DimensionMismatch("shape is inconsistent; level counts must nest evenly into each other"))
        parts = joined
        sizes = total
    end
    with_rank(parts[1], rank)
end

with_rank(out, ::Val{N}) where {N} = ndims(out) < N ? reshape(out, ntuple(k -> size(out, k), Val(N))) : out

# Slices of one shape become an array with a dimension more for each of the iterator's.
stack(itr; dims = :) = _stack(dims, itr)
stack(f, itr; dims = :) = _stack(dims, collect_slices(f(x) for x in itr))
stack(f, xs, ys, zs...; dims = :) = _stack(dims, collect_slices(f(t...) for t in Iterators.zip(xs, ys, zs...)))
collect_slices(g) = collect(g)
_stack(dims, itr) = _stack(dims, haslength(itr) && itr isa AbstractArray ? itr : collect(itr))
slice_axes(x) = slice_axes(x, IteratorSize(x))
slice_axes(x, ::HasLength) = (OneTo(length(x)),)
slice_axes(x, ::SizeUnknown) = axes(x)
slice_axes(x, ::IteratorSize) = axes(x)
slice_eltype(x) = eltype(x)
function _stack(dims, xs::AbstractArray)
    isempty(xs) && return empty_stack(dims, xs)
    x1 = first(xs)
    inner = slice_axes(x1)
    T = mapreduce(slice_eltype, promote_type, xs)
    for x in xs
        slice_axes(x) == inner || throw(DimensionMismatch(string("stack expects uniform slices, got axes(x) == ",
            map(unitrange, slice_axes(x)), " while first had ", map(unitrange, inner))))
    end
    N = length(inner)
    if dims isa Colon
        out = similar(slice_like(x1, T, inner), T, to_shape((inner..., axes(xs)...)))
        return fill_slices!(out, xs, prod_dims(map(length, inner)), 1)
    end
    dims in 1:(N + 1) || throw(ArgumentError(string("cannot stack slices ndims(x) = ", N, " along dims = ", dims)))
    outer = ndims(xs) == 1 ? axes(xs, 1) : OneTo(length(xs))
    ax = ntuple(k -> k == dims ? outer : k < dims ? inner[k] : inner[k - 1], Val(N + 1))
    out = similar(slice_like(x1, T, inner), T, to_shape(ax))
    fill_slices!(out, xs, prod_dims(map(length, inner[1:(dims - 1)])), length(xs))
end
slice_like(x::AbstractArray, ::Type, inner) = x
slice_like(x, ::Type{T}, inner) where {T} = Array{T}(undef, map(length, inner))
# A slice is runs of `run` elements; between two of them lie those of the `count` slices that stand beside it.
function fill_slices!(out, xs, run, count)
    at = first(LinearIndices(out))
    for x in xs
        fill_slice!(out, at, x, run, (count - 1) * run)
        at += count == 1 ? length(x) : run
    end
    out
end
function fill_slice!(out, at, x, run, gap)
    k = 0
    for y in x
        if k == run
            k = 0
            at += gap
        end
        @inbounds out[at] = y
        at += 1
        k += 1
    end
    nothing
end
empty_stack(dims, xs::AbstractArray{S}) where {S} = empty_stack_of(dims, xs, S)
function empty_stack_of(::Colon, xs, ::Type{S}) where {S <: Union{AbstractVector, Tuple}}
    S <: Tuple && isconcretetype(S) && return Array{eltype(S)}(undef, fieldcount(S), size(xs)...)
    throw(ArgumentError("`stack` on an empty collection is not allowed"))
end
empty_stack_of(dims, xs, S) = throw(ArgumentError("`stack` on an empty collection is not allowed"))

# A collection of arrays is joined in one pass.
reduce(::typeof(vcat), xs::AbstractVector{<:AbstractVecOrMat}) = isempty(xs) ? mapreduce_dims(identity, vcat, InitialValue(), xs, :) : join_all(1, xs)
reduce(::typeof(hcat), xs::AbstractVector{<:AbstractVecOrMat}) = isempty(xs) ? mapreduce_dims(identity, hcat, InitialValue(), xs, :) : join_all(2, xs)
join_all(d, xs) = join_all(mapfoldl(eltype, promote_type, xs), d, xs)
join_all(::Type{T}, d, xs) where {T} = cat_to_rank(T, d, Val(max(d, mapfoldl(ndims, max, xs))), xs)
_typed_vcat(::Type{T}, xs) where {T} = join_all(T, 1, xs)
_typed_hcat(::Type{T}, xs) where {T} = join_all(T, 2, xs)
