# What every array gets from `size`, `getindex` and `setindex!`: subscripts of all kinds, iteration, copying.

struct CanonicalIndexError <: Exception
    func::String
    type::Any
end
error_if_canonical(::IndexLinear, a, ::Int) = throw(CanonicalIndexError("getindex", typeof(a)))
error_if_canonical(::IndexCartesian, a::AbstractArray{T, N}, ::Vararg{Int, N}) where {T, N} =
    throw(CanonicalIndexError("getindex", typeof(a)))
error_if_canonical(::IndexStyle, a, ::Any...) = nothing

error_if_canonical_set(::IndexLinear, a, ::Int) = throw(CanonicalIndexError("setindex!", typeof(a)))
error_if_canonical_set(::IndexCartesian, a::AbstractArray{T, N}, ::Vararg{Int, N}) where {T, N} =
    throw(CanonicalIndexError("setindex!", typeof(a)))
error_if_canonical_set(::IndexStyle, a, ::Any...) = nothing

# Scalars: an array answers one linear subscript, or as many as it has dimensions.
@propagate_inbounds function getindex(a::AbstractArray, I...)
    error_if_canonical(IndexStyle(a), a, I...)
    index_get(IndexStyle(a), a, to_indices(a, I)...)
end
@propagate_inbounds index_get(::IndexStyle, a, I::Union{Int, AbstractArray}...) = index_get_many(a, I...)
@propagate_inbounds index_get(::IndexLinear, a, i::Int) = getindex(a, i)
@inline function index_get(::IndexLinear, a, I::Int...)
    @boundscheck checkbounds(a, I...)
    @inbounds getindex(a, linear_index(axes(a), I))
end
@inline function index_get(::IndexLinear, a)
    @boundscheck length(a) == 1 || throw_boundserror(a, ())
    @inbounds getindex(a, firstindex(a))
end
@propagate_inbounds index_get(::IndexCartesian, a::AbstractArray{T, N}, I::Vararg{Int, N}) where {T, N} = getindex(a, I...)
@inline function index_get(::IndexCartesian, a::AbstractArray, I::Int...)
    @boundscheck checkbounds(a, I...)
    @inbounds getindex(a, full_index(axes(a), I)...)
end
# As many subscripts as dimensions: a single one counts through all, ones at the end are dropped or added.
@inline full_index(inds::Tuple, I::Tuple) = pad_index(inds, I)
@inline full_index(inds::Tuple{Any, Any, Vararg{Any}}, I::Tuple{Any}) = cartesian_at(inds, I[1] - 1)
pad_index(::Tuple{}, ::Tuple{}) = ()
pad_index(inds::Tuple{}, I::Tuple{Any, Vararg{Any}}) = ()
pad_index(inds::Tuple{Any, Vararg{Any}}, ::Tuple{}) = map(first, inds)
@inline pad_index(inds::Tuple{Any, Vararg{Any}}, I::Tuple{Any, Vararg{Any}}) = (I[1], pad_index(tail(inds), tail(I))...)

@propagate_inbounds function setindex!(a::AbstractArray, v, I...)
    error_if_canonical_set(IndexStyle(a), a, I...)
    index_set!(IndexStyle(a), a, v, to_indices(a, I)...)
    a
end
@propagate_inbounds index_set!(::IndexStyle, a, v, I::Union{Int, AbstractArray}...) = index_set_many!(a, v, I...)
@propagate_inbounds index_set!(::IndexLinear, a, v, i::Int) = canonical_set!(a, v, i)
@inline function index_set!(::IndexLinear, a, v, I::Int...)
    @boundscheck checkbounds(a, I...)
    @inbounds canonical_set!(a, v, linear_index(axes(a), I))
end
@inline function index_set!(::IndexLinear, a, v)
    @boundscheck length(a) == 1 || throw_boundserror(a, ())
    @inbounds canonical_set!(a, v, firstindex(a))
end
@propagate_inbounds index_set!(::IndexCartesian, a::AbstractArray{T, N}, v, I::Vararg{Int, N}) where {T, N} = canonical_set!(a, v, I...)
@inline function index_set!(::IndexCartesian, a::AbstractArray, v, I::Int...)
    @boundscheck checkbounds(a, I...)
    @inbounds canonical_set!(a, v, full_index(axes(a), I)...)
end
@propagate_inbounds canonical_set!(a, v, I::Int...) = setindex!(a, v, I...)
# Packages give these methods for kinds of subscripts.
const _getindex = index_get
const _setindex! = index_set!


# Arrays of elements.
@propagate_inbounds unsafe_getindex(a::AbstractArray, I...) = @inbounds getindex(a, I...)
@propagate_inbounds unsafe_setindex!(a::AbstractArray, v, I...) = (@inbounds setindex!(a, v, I...))
@inline function index_get_many(a, I...)
    @boundscheck checkbounds(a, I...)
    index_collect(a, index_shape(I...), I...)
end
const _unsafe_getindex = index_get_many
function index_collect(a::AbstractArray, shape, I...)
    out = similar(a, shape)
    map(length, axes(out)) == map(length, shape) || throw_result_shape(out, shape)
    _unsafe_getindex!(out, a, I...)
end
# Elements at indices within bounds, into an array that is there, and back. Packages define methods for both.
function _unsafe_getindex!(out::AbstractArray, a::AbstractArray, I...)
    collect_product!(out, firstindex(out) - 1, a, (), I)
    out
end
@noinline throw_result_shape(out, shape) =
    throw(DimensionMismatch(string("output array is the wrong size; expected ", shape, ", got ", axes(out))))
# Subscripts one by one in memory order: the last of `I` in the outer loop, `J` are those of loops further out.
function collect_product!(out, k, a, J::Tuple, I::Tuple{Any})
    for i in index_items(I[1])
        k += 1
        @inbounds out[k] = a[i, J...]
    end
    k
end
function collect_product!(out, k, a, J::Tuple, I::Tuple)
    for j in index_items(I[end])
        k = collect_product!(out, k, a, (j, J...), front(I))
    end
    k
end
collect_product!(out, k, a, J::Tuple, ::Tuple{}) = (out[k + 1] = a[]; k + 1)
index_items(i::Int) = (i,)
index_items(I) = I
function getindex(a::Array, r::AbstractUnitRange{<:Integer})
    @boundscheck checkbounds(a, r)
    axes(r) isa Tuple{OneTo} || return index_collect(a, axes(r), r)
    n = Int(length(r))
    out = similar(a, n)
    n > 0 && unsafe_copy_refs!(out.ref, memoryrefnew(a.ref, Int(first(r)), false), n)
    out
end
getindex(a::Array, r::AbstractUnitRange{Bool}) = index_get_many(a, to_indices(a, (r,))...)
function getindex(a::Array, ::Colon)
    out = similar(a, length(a))
    unsafe_copy_refs!(out.ref, a.ref, length(a))
    out
end
function index_set_many!(a, v, I...)
    @boundscheck checkbounds(a, I...)
    v isa AbstractArray ||
        throw(ArgumentError("indexed assignment with a single value to possibly many locations is not supported; perhaps use broadcasting `.=` instead?"))
    _unsafe_setindex!(IndexStyle(a), a, v, I...)
    a
end
function _unsafe_setindex!(::IndexStyle, a::AbstractArray, v, I...)
    setindex_shape_check(v, index_dims(I...)...)
    src = unalias(a, v)
    I = map(i -> unalias(a, i), I)
    y = iterate(src)
    y === nothing || assign_product!(a, src, y, (), I)
    a
end
function assign_product!(a, src, y, J::Tuple, I::Tuple{Any})
    for i in index_items(I[1])
        y === nothing && return nothing
        @inbounds a[i, J...] = y[1]
        y = iterate(src, y[2])
    end
    y
end
function assign_product!(a, src, y, J::Tuple, I::Tuple)
    for j in index_items(I[end])
        y = assign_product!(a, src, y, (j, J...), front(I))
    end
    y
end
# Dimensions of one element do not count, and the last dimension of either side takes all that the other has left.
@noinline throw_setindex_mismatch(v, dims) =
    throw(DimensionMismatch(string("tried to assign ", dims2string(size(v)), " array to ", dims2string(dims), " destination")))
setindex_shape_check(v::AbstractArray) = length(v) == 1 || throw_setindex_mismatch(v, ())
setindex_shape_check(v::AbstractArray, n::Integer) = length(v) == n || throw_setindex_mismatch(v, (n,))
setindex_shape_check(v::AbstractArray, dims::Integer...) = shapes_assignable(size(v), dims) || throw_setindex_mismatch(v, dims)
shapes_assignable(from::Tuple{Any}, to::Tuple) = from[1] == prod_dims(to)
shapes_assignable(from::Tuple, to::Tuple{Any}) = prod_dims(from) == to[1]
shapes_assignable(from::Tuple{Any}, to::Tuple{Any}) = from[1] == to[1]
shapes_assignable(::Tuple{}, to::Tuple) = prod_dims(to) == 1
shapes_assignable(::Tuple{}, to::Tuple{Any}) = to[1] == 1
@inline shapes_assignable(from::Tuple, to::Tuple) =
    from[1] == to[1] ? shapes_assignable(tail(from), tail(to)) :
    from[1] == 1 ? shapes_assignable(tail(from), to) :
    to[1] == 1 && shapes_assignable(from, tail(to))
dims2string(d::Tuple{}) = "0-dimensional"
dims2string(d::Tuple{Any}) = string(d[1], "-element")
dims2string(d::Tuple) = join(map(string, d), '×')
inds2string(inds) = join(map(axis_text, inds), '×')
axis_text(r) = string(r)
axis_text(r::Union{IdentityUnitRange, Slice}) = string(r.indices)
# What `a[I...] .= x` assigns to and `@views a[I...]` is: a view of several elements, a single one itself.
maybeview(a, I...) = getindex(a, I...)
maybeview(a::AbstractArray, I...) = view(a, I...)
maybeview(a::AbstractArray, I::Union{Number,CartesianIndex}...) = getindex(a, I...)
maybeview(a::AbstractArray) = getindex(a)
# What `x.f .= y` assigns to.
dotgetproperty(x, f) = getproperty(x, f)

# Iteration.
@inline iterate(a::AbstractArray) = iterate_array(a, eachindex(a))
@inline function iterate_array(a, inds)
    st = iterate(inds)
    st === nothing && return nothing
    (@inbounds(a[st[1]]), (inds, st[2]))
end
@inline function iterate(a::AbstractArray, state)
    inds = state[1]
    st = iterate(inds, state[2])
    st === nothing && return nothing
    (@inbounds(a[st[1]]), (inds, st[2]))
end

# A fresh array like `a`.
similar(a::AbstractArray{T}) where {T} = similar(a, T)
similar(a::AbstractArray, ::Type{T}) where {T} = similar(a, T, to_shape(axes(a)))
similar(a::AbstractArray{T}, dims::Tuple) where {T} = similar(a, T, to_shape(dims))
similar(a::AbstractArray{T}, dims::DimOrInd...) where {T} = similar(a, T, to_shape(dims))
similar(a::AbstractArray, ::Type{T}, dims::DimOrInd...) where {T} = similar(a, T, to_shape(dims))
similar(a::AbstractArray, ::Type{T}, dims::Tuple{Union{Integer, OneTo}, Vararg{Union{Integer, OneTo}}}) where {T} =
    similar(a, T, to_shape(dims))
similar(a::AbstractArray, ::Type{T}, dims::Dims{N}) where {T, N} = Array{T, N}(undef, dims)
similar(::Type{T}, dims::DimOrInd...) where {T <: AbstractArray} = similar(T, dims)
similar(::Type{T}, shape::Tuple{Union{Integer, OneTo}, Vararg{Union{Integer, OneTo}}}) where {T <: AbstractArray} =
    similar(T, to_shape(shape))
similar(::Type{T}, dims::Dims) where {T <: AbstractArray} = T(undef, dims)
to_shape(::Tuple{}) = ()
to_shape(dims::Dims) = dims
to_shape(dims::DimsOrInds) = map(to_shape, dims)
to_shape(dims::Tuple) = map(to_shape, dims)
to_shape(n::Int) = n
to_shape(n::Integer) = Int(n)
to_shape(r::OneTo) = Int(last(r))
to_shape(r::AbstractUnitRange) = r
emptymutable(a::AbstractVector{T}, ::Type{U} = T) where {T, U} = similar(a, U, 0)
emptymutable(itr, ::Type{U}) where {U} = U[]
zero(a::AbstractArray{T}) where {T <: Number} = fill!(similar(a, typeof(zero(T))), zero(T))
zero(a::AbstractArray) = map(zero, a)
zero(a::AbstractArray{T}) where {S <: Number, T <: Union{Missing, S}} = fill!(similar(a, typeof(zero(T))), zero(T))
iszero(a::AbstractArray) = all(iszero, a)
isone(a::AbstractMatrix) = size(a, 1) == size(a, 2) && all(I -> isone_at(a, I[1], I[2]), CartesianIndices(a))
isone_at(a, i, j) = i == j ? isone(a[i, j]) : iszero(a[i, j])
oneunit(a::AbstractMatrix{T}) where {T} = unit_matrix(a, oneunit(T))
one(a::AbstractMatrix{T}) where {T} = unit_matrix(a, one(T))
function unit_matrix(a, unit)
    size(a, 1) == size(a, 2) || throw(DimensionMismatch("multiplicative identity defined only for square matrices"))
    out = fill!(similar(a, typeof(unit)), zero(unit))
    for i in axes(a, 1)
        out[i, i] = unit
    end
    out
end
isreal(a::AbstractArray) = all(isreal, a)
isempty_dims(a) = any(iszero, size(a))

# Copying.
copy(a::AbstractArray) = copymutable(a)
copymutable(a::AbstractArray) = copyto!(similar(a), a)
copymutable(itr) = collect(itr)
copyto_axes!(dest, src) = (axes(dest) == axes(src) || throw_axes(dest, src); copyto!(dest, src))
@noinline throw_axes(dest, src) = throw(DimensionMismatch(string("axes must agree, got ", axes(dest), " and ", axes(src))))
@noinline throw_dest_short(dest, src) = throw(BoundsError(dest, LinearIndices(src)))
function copyto!(dest::AbstractArray, src::AbstractArray)
    isempty(src) && return dest
    length(src) <= length(dest) || throw_dest_short(dest, src)
    copyto_unaliased!(IndexStyle(dest), dest, IndexStyle(src), unalias(dest, src))
end
function copyto_unaliased!(::IndexLinear, dest, ::IndexLinear, src)
    shift = firstindex(dest) - firstindex(src)
    for i in eachindex(IndexLinear(), src)
        @inbounds dest[i + shift] = src[i]
    end
    dest
end
function copyto_unaliased!(::IndexLinear, dest, ::IndexStyle, src)
    i = firstindex(dest) - 1
    for x in src
        i += 1
        @inbounds dest[i] = x
    end
    dest
end
function copyto_unaliased!(::IndexStyle, dest, ::IndexStyle, src)
    if axes(dest) == axes(src)
        for I in eachindex(IndexCartesian(), src)
            @inbounds dest[I] = src[I]
        end
        return dest
    end
    inds = eachindex(dest)
    st = iterate(inds)
    for x in src
        @inbounds dest[st[1]] = x
        st = iterate(inds, st[2])
    end
    dest
end
# Elements in order, into an array of as many.
function copyto_plain!(dest, src)
    k = firstindex(dest) - 1
    for x in src
        k += 1
        @inbounds dest[k] = x
    end
    dest
end
function copyto!(dest::Array{T}, src::Array{T}) where {T}
    length(src) <= length(dest) || throw_dest_short(dest, src)
    unsafe_copy_refs!(dest.ref, src.ref, length(src))
    dest
end
@noinline throw_copy_count(n) = throw(ArgumentError(string("tried to copy n=", n, " elements, but n should be non-negative")))
function check_copy(dest, dstart, src, sstart, n)
    n < 0 && throw_copy_count(n)
    checkbounds_linear(dest, dstart, n)
    checkbounds_linear(src, sstart, n)
end
function checkbounds_linear(a, start, n)
    inds = eachindex(IndexLinear(), a)
    first(inds) <= start && start + n - 1 <= last(inds) || throw_boundserror(a, (start:(start + n - 1),))
end
function copyto!(dest::AbstractArray, dstart::Integer, src::AbstractArray, sstart::Integer, n::Integer)
    n == 0 && return dest
    check_copy(dest, dstart, src, sstart, n)
    from = dest === src && dstart > sstart ? ((n - 1):-1:0) : (0:1:(n - 1))
    for k in from
        @inbounds dest[dstart + k] = src[sstart + k]
    end
    dest
end
function copyto!(dest::AbstractArray, dstart::Integer, src::AbstractArray)
    isempty(src) && return dest
    copyto!(dest, dstart, src, first(LinearIndices(src)), length(src))
end
function copyto!(dest::Array{T}, dstart::Integer, src::Array{T}, sstart::Integer, n::Integer) where {T}
    n == 0 && return dest
    check_copy(dest, dstart, src, sstart, n)
    unsafe_copy_refs!(memoryrefnew(dest.ref, Int(dstart), false), memoryrefnew(src.ref, Int(sstart), false), Int(n))
    dest
end
function copyto!(dest::AbstractArray, dstart::Integer, src::AbstractArray, sstart::Integer)
    inds = LinearIndices(src)
    first(inds) <= sstart <= last(inds) || throw_boundserror(src, (sstart,))
    copyto!(dest, dstart, src, sstart, last(inds) - sstart + 1)
end
function copyto!(dest::AbstractArray, src)
    inds = eachindex(dest)
    st = iterate(inds)
    for x in src
        st === nothing && throw(ArgumentError("destination has fewer elements than required"))
        @inbounds dest[st[1]] = x
        st = iterate(inds, st[2])
    end
    dest
end
function copyto!(dest::AbstractArray, dstart::Integer, src)
    i = Int(dstart)
    inds = LinearIndices(dest)
    y = iterate(src)
    y === nothing && return dest
    i in inds || throw(BoundsError(dest, i))
    while y !== nothing
        i in inds || throw(BoundsError(dest, i))
        @inbounds dest[i] = y[1]
        i += 1
        y = iterate(src, y[2])
    end
    dest
end
@noinline throw_source_start(sstart) = throw(ArgumentError(string("source start offset (", sstart, ") must be ≥ 1")))
@noinline throw_source_short(sstart, n) = throw(ArgumentError(string("source has fewer elements than required, expected at least ",
    sstart, " got ", n)))
# Iterates to element `sstart`. The source is gone through once only.
function iterate_to(src, sstart)
    sstart < 1 && throw_source_start(sstart)
    y = iterate(src)
    for k in 1:(sstart - 1)
        y === nothing && throw_source_short(sstart, k - 1)
        y = iterate(src, y[2])
    end
    y === nothing && throw_source_short(sstart, sstart - 1)
    y
end
function copyto!(dest::AbstractArray, dstart::Integer, src, sstart::Integer)
    y = iterate_to(src, sstart)
    i = Int(dstart)
    while y !== nothing
        dest[i] = y[1]
        i += 1
        y = iterate(src, y[2])
    end
    dest
end
function copyto!(dest::AbstractArray, dstart::Integer, src, sstart::Integer, n::Integer)
    n < 0 && throw_copy_count(n)
    n == 0 && return dest
    stop = dstart + n - 1
    inds = LinearIndices(dest)
    (dstart in inds && stop in inds) || throw(BoundsError(dest, dstart:stop))
    y = iterate_to(src, sstart)
    i = Int(dstart)
    while i <= stop && y !== nothing
        @inbounds dest[i] = y[1]
        i += 1
        y = i <= stop ? iterate(src, y[2]) : nothing
    end
    i <= stop && throw(BoundsError(dest, i))
    dest
end
# A block given by the rows and columns of both sides.
function copyto!(dest::AbstractVecOrMat, rows::AbstractRange{Int}, columns::AbstractRange{Int},
        src::AbstractVecOrMat, from_rows::AbstractRange{Int}, from_columns::AbstractRange{Int})
    length(rows) == length(from_rows) || throw(ArgumentError(string("source and destination must have same size (got ",
        length(from_rows), " and ", length(rows), ")")))
    length(columns) == length(from_columns) || throw(ArgumentError(string("source and destination must have same size (got ",
        length(from_columns), " and ", length(columns), ")")))
    checkbounds(dest, rows, columns)
    checkbounds(src, from_rows, from_columns)
    from = unalias(dest, src)
    for (j, l) in zip(columns, from_columns), (i, k) in zip(rows, from_rows)
        @inbounds dest[i, j] = from[k, l]
    end
    dest
end
function copyto!(dest::AbstractArray, drange::CartesianIndices, src::AbstractArray, srange::CartesianIndices)
    isempty(drange) && isempty(srange) && return dest
    size(drange) == size(srange) || throw(ArgumentError(string("source and destination must have same size (got ", size(srange), " and ", size(drange), ")")))
    checkbounds(dest, first(drange))
    checkbounds(dest, last(drange))
    checkbounds(src, first(srange))
    checkbounds(src, last(srange))
    from = unalias(dest, src)
    for (i, j) in zip(drange, srange)
        @inbounds dest[i] = from[j]
    end
    dest
end
function copy!(dest::AbstractVector, src::AbstractVector)
    firstindex(dest) == firstindex(src) ||
        throw(ArgumentError("source and destination must have same starting index"))
    length(dest) == length(src) || resize!(dest, length(src))
    copyto!(dest, src)
end
function copy!(dest::AbstractArray, src::AbstractArray)
    axes(dest) == axes(src) ||
        throw(ArgumentError("arrays must have the same axes for copy! (consider using `copyto!`)"))
    copyto!(dest, src)
end
fill!(a::AbstractArray, x) = (for i in eachindex(a); @inbounds a[i] = x; end; a)
# Whether two arrays may share memory. Wrappers look through to what they wrap.
mightalias(a::AbstractArray, b::AbstractArray) = !isbits(a) && !isbits(b) && overlap_ids(dataids(a), dataids(b))
mightalias(a, b) = false
dataids(a::AbstractArray) = (objectid(a),)
dataids(x) = ()
dataids(a::Array) = (UInt(pointer(a.ref.mem)),)
dataids(r::AbstractRange) = ()
dataids(c::Union{CartesianIndices, LinearIndices}) = ()
overlap_ids(a::Tuple, b::Tuple) = any(x -> in(x, b), a)
unalias(dest, a::AbstractArray) = mightalias(dest, a) ? unaliascopy(a) : a
unalias(dest, a::IdentityRange) = a
unaliascopy(a::Array) = copy(a)
unaliascopy(a::AbstractArray) = copy_source(a)
const copy_source = copymutable
unalias(dest, a::AbstractRange) = a
unalias(dest, a) = a

# An element is assigned if reading it throws neither of two errors. Other failures of `getindex` are its own.
function isassigned(a::AbstractArray, i::Integer...)
    checkbounds(Bool, a, map(to_index, i)...) || return false
    try
        a[i...]
        true
    catch e
        e isa Union{BoundsError, UndefRefError} || rethrow()
        false
    end
end
isassigned(a::AbstractArray, I::Union{Integer, CartesianIndex}...) = isassigned(a, flatten_index(I...)...)
isassigned(a::Array, i::Int, j::Int, ks::Int...) = checkbounds(Bool, a, i, j, ks...) && isassigned(a, linear_index(axes(a), (i, j, ks...)))
isassigned(a::Array, I::Integer...) = isassigned(a, map(to_index, I)...)
isassigned(a::Array) = length(a) == 1 && isassigned(a, 1)

# Comparison.
function ==(a::AbstractArray, b::AbstractArray)
    axes(a) == axes(b) || return false
    anymissing = false
    for (x, y) in zip(a, b)
        e = x == y
        if e === missing
            anymissing = true
        elseif !e
            return false
        end
    end
    anymissing ? missing : true
end
function isequal(a::AbstractArray, b::AbstractArray)
    a === b && return true
    axes(a) == axes(b) || return false
    for (x, y) in zip(a, b)
        isequal(x, y) || return false
    end
    true
end
function cmp(a::AbstractVector, b::AbstractVector)
    for (x, y) in zip(a, b)
        isequal(x, y) || return isless(x, y) ? -1 : 1
    end
    cmp(length(a), length(b))
end
cmp(a::AbstractArray{T, 0}, b::AbstractArray{S, 0}) where {T, S} = cmp(a[], b[])
isless(a::AbstractArray{T, 0}, b::AbstractArray{S, 0}) where {T, S} = isless(a[], b[])
isless(a::AbstractVector, b::AbstractVector) = cmp(a, b) < 0
function isapprox(x::AbstractArray, y::AbstractArray; atol::Real = 0,
        rtol::Real = rtoldefault(promote_leaf(eltype(x)), promote_leaf(eltype(y)), atol), nans::Bool = false, norm::Function = Base.norm)
    d = norm(x - y)
    if isfinite(d)
        d <= max(atol, rtol * max(norm(x), norm(y)))
    else
        all(ab -> isapprox(ab[1], ab[2]; rtol = rtol, atol = atol, nans = nans), zip(x, y))
    end
end
promote_leaf(::Type{T}) where {T <: Number} = T
promote_leaf(::Type{T}) where {T <: AbstractArray} = promote_leaf(eltype(T))
promote_leaf(T) = Float64
get(a::AbstractArray, i::Integer, default) = checkbounds(Bool, a, i) ? a[i] : default
get(a::AbstractArray, I::Tuple{}, default) = checkbounds(Bool, a) ? a[] : default
get(a::AbstractArray, I::Dims, default) = checkbounds(Bool, a, I...) ? a[I...] : default
get(a::AbstractArray, I::CartesianIndex, default) = checkbounds(Bool, a, I) ? a[I] : default
get(f::Callable, a::AbstractArray, i::Integer) = checkbounds(Bool, a, i) ? a[i] : f()
get(f::Callable, a::AbstractArray, I::Union{Tuple{}, Dims}) = checkbounds(Bool, a, I...) ? a[I...] : f()
get(f::Callable, a::AbstractArray, I::CartesianIndex) = checkbounds(Bool, a, I) ? a[I] : f()
# Elements within the array where `I` points, `default` for the rest.
get(a::AbstractArray, I::AbstractVector{<:AbstractVector{<:Integer}}, default) = get(a, Tuple(I), default)
get(a::AbstractArray, I::AbstractVector{<:Integer}, default) = get!(fill!(similar(a, typeof_default(a, default), index_shape(I)), default), a, I)
get(a::AbstractVector, I::AbstractRange, default) = get!(fill!(similar(a, typeof_default(a, default), index_shape(I)), default), a, I)
get(a::AbstractArray, I::AbstractRange, default) = get!(fill!(similar(a, typeof_default(a, default), index_shape(I)), default), a, I)
get(a::AbstractArray, I::Tuple{Vararg{Union{Integer, AbstractVector{Int}}}}, default) =
    get!(fill!(similar(a, typeof_default(a, default), index_shape(I...)), default), a, I)
typeof_default(a, default) = promote_type(eltype(a), typeof(default))
function get!(x::AbstractArray, a::AbstractArray, I::AbstractVector{<:Integer})
    for (k, i) in zip(eachindex(x), I)
        checkbounds(Bool, a, i) && (x[k] = a[i])
    end
    x
end
function get!(x::AbstractArray, a::AbstractArray, I::Tuple)
    for (k, J) in zip(eachindex(x), Iterators.product(map(index_items, I)...))
        checkbounds(Bool, a, J...) && (x[k] = a[J...])
    end
    x
end
get!(x::AbstractArray, a::AbstractArray, I) = get!(x, a, (I,))
