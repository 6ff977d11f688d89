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
@propagate_inbounds getindex(a::AbstractArray, I::CartesianIndex) = getindex(a, I.I...)
@propagate_inbounds index_get(::IndexStyle, a, I::Union{Int, AbstractArray}...) = index_get_many(a, I...)
@propagate_inbounds index_get(::IndexLinear, a, i::Int) = getindex(a, i)
@inline function index_get(::IndexLinear, a, I::Int...)
    @boundscheck checkbounds(a, I...)
    @inbounds getindex(a, linear_index(axes(a), I))
end
@inline function index_get(::IndexLinear, a)
    @boundscheck length(a) == 1 || throw_boundserror(a, ())
    @inbounds getindex(a, 1)
end
@propagate_inbounds index_get(::IndexCartesian, a::AbstractArray{T, N}, I::Vararg{Int, N}) where {T, N} = getindex(a, I...)
@inline function index_get(::IndexCartesian, a::AbstractArray, I::Int...)
    @boundscheck checkbounds(a, I...)
    @inbounds getindex(a, full_index(axes(a), I)...)
end
# As many subscripts as dimensions: the last counts through what is left, ones are dropped.
full_index(inds::Tuple{}, I::Tuple) = ()
full_index(inds::Tuple, ::Tuple{}) = map(first, inds)
@inline full_index(inds::Tuple{Any}, I::Tuple{Any}) = I
@inline full_index(inds::Tuple, I::Tuple{Any}) = cartesian_at(inds, I[1] - 1)
@inline full_index(inds::Tuple, I::Tuple) = (I[1], full_index(tail(inds), tail(I))...)

@propagate_inbounds function setindex!(a::AbstractArray, v, I...)
    error_if_canonical_set(IndexStyle(a), a, I...)
    index_set!(IndexStyle(a), a, v, to_indices(a, I)...)
    a
end
@propagate_inbounds setindex!(a::AbstractArray, v, I::CartesianIndex) = setindex!(a, v, I.I...)
@propagate_inbounds index_set!(::IndexStyle, a, v, I::Union{Int, AbstractArray}...) = index_set_many!(a, v, I...)
@propagate_inbounds index_set!(::IndexLinear, a, v, i::Int) = canonical_set!(a, v, i)
@inline function index_set!(::IndexLinear, a, v, I::Int...)
    @boundscheck checkbounds(a, I...)
    @inbounds canonical_set!(a, v, linear_index(axes(a), I))
end
@inline function index_set!(::IndexLinear, a, v)
    @boundscheck length(a) == 1 || throw_boundserror(a, ())
    @inbounds canonical_set!(a, v, 1)
end
@propagate_inbounds index_set!(::IndexCartesian, a::AbstractArray{T, N}, v, I::Vararg{Int, N}) where {T, N} = canonical_set!(a, v, I...)
@inline function index_set!(::IndexCartesian, a::AbstractArray, v, I::Int...)
    @boundscheck checkbounds(a, I...)
    @inbounds canonical_set!(a, v, full_index(axes(a), I)...)
end
@propagate_inbounds canonical_set!(a, v, I::Int...) = setindex!(a, v, I...)


# Arrays of elements.
@inline function index_get_many(a, I...)
    @boundscheck checkbounds(a, I...)
    index_collect(a, index_dims(I...), I...)
end
function index_collect(a::AbstractArray, dims, I...)
    out = similar(a, dims)
    k = 0
    for J in index_product(I...)
        k += 1
        @inbounds out[k] = a[J...]
    end
    out
end
function index_collect(a::AbstractArray, dims, r::AbstractArray)
    out = similar(a, dims)
    k = 0
    for i in r
        k += 1
        @inbounds out[k] = a[i]
    end
    out
end
function index_set_many!(a, v, I...)
    @boundscheck checkbounds(a, I...)
    if v isa AbstractArray
        setindex_shape_check(v, index_dims(I...))
        src = mightalias(a, v) ? copy(v) : v
        st = iterate(src)
        for J in index_product(I...)
            st === nothing && break
            a[J...] = st[1]
            st = iterate(src, st[2])
        end
    else
        throw(ArgumentError("indexed assignment with a single value to possibly many locations is not supported; perhaps use broadcasting `.=` instead?"))
    end
    a
end
# The subscripts one by one, in memory order; an array of Cartesian indices contributes several at once.
index_product(I...) = (flatten_index(J...) for J in Iterators.product(map(index_items, I)...))
index_items(i::Int) = (i,)
index_items(I) = I
function setindex_shape_check(v::AbstractArray, dims)
    a = filter(d -> d != 1, size(v))
    b = filter(d -> d != 1, dims)
    a == b || (length(v) == prod_dims(dims) && (ndims(v) == 1 || length(b) == 1)) ||
        throw(DimensionMismatch(string("tried to assign ", dims_text(size(v)), " array to ", dims_text(dims), " destination")))
    nothing
end
dims_text(d::Tuple{}) = "0-dimensional"
dims_text(d::Tuple{Any}) = string(d[1], "-element")
dims_text(d::Tuple) = join(d, "×")
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
similar(a::AbstractArray{T}, dims::Union{Integer, AbstractUnitRange}...) where {T} = similar(a, T, to_shape(dims))
similar(a::AbstractArray, ::Type{T}, dims::Union{Integer, AbstractUnitRange}...) where {T} = similar(a, T, to_shape(dims))
similar(a::AbstractArray, ::Type{T}, dims::Tuple{Union{Integer, OneTo}, Vararg{Union{Integer, OneTo}}}) where {T} =
    similar(a, T, to_shape(dims))
similar(a::AbstractArray, ::Type{T}, dims::Dims{N}) where {T, N} = Array{T, N}(undef, dims)
similar(::Type{T}, dims::Union{Integer, AbstractUnitRange}...) where {T <: AbstractArray} = similar(T, to_shape(dims))
similar(::Type{T}, dims::Tuple{Vararg{Union{Integer, AbstractUnitRange}}}) where {T <: AbstractArray} = T(undef, to_shape(dims))
to_shape(dims::Dims) = dims
to_shape(dims::Tuple) = map(dim_length, dims)
to_shape(n::Integer) = Int(n)
zero(a::AbstractArray{T}) where {T} = fill!(similar(a, typeof(zero(T))), zero(T))
iszero(a::AbstractArray) = all(iszero, a)
isone(a::AbstractMatrix) = size(a, 1) == size(a, 2) && all(I -> isone_at(a, I[1], I[2]), CartesianIndices(a))
isone_at(a, i, j) = i == j ? isone(a[i, j]) : iszero(a[i, j])
oneunit(a::AbstractMatrix{T}) where {T} = one(a)
function one(a::AbstractMatrix{T}) where {T}
    size(a, 1) == size(a, 2) || throw(DimensionMismatch("multiplicative identity defined only for square matrices"))
    out = fill!(similar(a), zero(T))
    for i in axes(a, 1)
        out[i, i] = one(T)
    end
    out
end
isreal(a::AbstractArray) = all(isreal, a)
isempty_dims(a) = any(iszero, size(a))

# Copying.
copy(a::AbstractArray) = copyto!(similar(a), a)
copymutable(a::AbstractArray) = copyto!(similar(a), a)
copyto_axes!(dest, src) = copyto!(dest, src)
@noinline throw_dest_short(dest, n) = throw(BoundsError(dest, n))
function copyto!(dest::AbstractArray, src::AbstractArray)
    isempty(src) && return dest
    length(src) <= length(dest) || throw_dest_short(dest, length(src))
    from = mightalias(dest, src) ? copy_source(src) : src
    if IndexStyle(dest, from) === IndexLinear()
        for i in 1:length(from)
            @inbounds dest[i] = from[i]
        end
    else
        st = iterate(eachindex(dest))
        for x in from
            @inbounds dest[st[1]] = x
            st = iterate(eachindex(dest), st[2])
        end
    end
    dest
end
copy_source(src) = copyto_plain!(Array{eltype(src), ndims(src)}(undef, size(src)), src)
function copyto_plain!(dest, src)
    k = 0
    for x in src
        k += 1
        dest[k] = x
    end
    dest
end
function copyto!(dest::Array{T}, src::Array{T}) where {T}
    length(src) <= length(dest) || throw_dest_short(dest, length(src))
    unsafe_copy_refs!(dest.ref, src.ref, length(src))
    dest
end
function copyto!(dest::AbstractArray, dstart::Integer, src::AbstractArray, sstart::Integer, n::Integer)
    n == 0 && return dest
    n < 0 && throw(ArgumentError(string("tried to copy n=", n, " elements, but n should be nonnegative")))
    checkbounds(dest, dstart:(dstart + n - 1))
    checkbounds(src, sstart:(sstart + n - 1))
    if dest === src && dstart > sstart
        for k in (n - 1):-1:0
            @inbounds dest[dstart + k] = src[sstart + k]
        end
    else
        for k in 0:(n - 1)
            @inbounds dest[dstart + k] = src[sstart + k]
        end
    end
    dest
end
copyto!(dest::AbstractArray, dstart::Integer, src::AbstractArray) = copyto!(dest, dstart, src, firstindex(src), length(src))
function copyto!(dest::Array{T}, dstart::Integer, src::Array{T}, sstart::Integer, n::Integer) where {T}
    n == 0 && return dest
    n < 0 && throw(ArgumentError(string("tried to copy n=", n, " elements, but n should be nonnegative")))
    checkbounds(dest, dstart:(dstart + n - 1))
    checkbounds(src, sstart:(sstart + n - 1))
    unsafe_copy_refs!(memoryrefnew(dest.ref, Int(dstart), false), memoryrefnew(src.ref, Int(sstart), false), Int(n))
    dest
end
copyto!(dest::AbstractArray, dstart::Integer, src::AbstractArray, sstart::Integer) =
    copyto!(dest, dstart, src, sstart, lastindex(src) - sstart + 1)
function copyto!(dest::AbstractArray, src)
    st = iterate(eachindex(dest))
    for x in src
        st === nothing && throw(ArgumentError("destination has fewer elements than required"))
        dest[st[1]] = x
        st = iterate(eachindex(dest), st[2])
    end
    dest
end
function copyto!(dest::AbstractArray, drange::CartesianIndices, src::AbstractArray, srange::CartesianIndices)
    size(drange) == size(srange) || throw(ArgumentError("ranges to copy must have the same size"))
    for (i, j) in zip(drange, srange)
        dest[i] = src[j]
    end
    dest
end
copy!(dest::AbstractVector, src::AbstractVector) = (length(dest) == length(src) || resize!(dest, length(src)); copyto!(dest, src))
copy!(dest::AbstractArray, src::AbstractArray) = (axes(dest) == axes(src) || throw(ArgumentError("arrays must have the same axes for copy!")); copyto!(dest, src))
fill!(a::AbstractArray, x) = (for i in eachindex(a); @inbounds a[i] = x; end; a)
deepcopy(x) = deepcopy_internal(x, IdDict())
deepcopy_internal(x, seen) = isbits(x) || x isa Union{String, Symbol, Type, Function, Module} ? x : deepcopy_struct(x, seen)
function deepcopy_internal(a::Array, seen)
    haskey(seen, a) && return seen[a]
    b = similar(a)
    seen[a] = b
    for i in 1:length(a)
        isassigned(a, i) && (b[i] = deepcopy_internal(a[i], seen))
    end
    b
end
deepcopy_internal(t::Tuple, seen) = map(x -> deepcopy_internal(x, seen), t)
deepcopy_internal(d::AbstractDict, seen) = (e = empty(d); for (k, v) in d; e[k] = deepcopy_internal(v, seen); end; e)
function deepcopy_struct(x, seen)
    haskey(seen, x) && return seen[x]
    ismutable(x) || return new_like(x, seen)
    y = new_like(x, seen)
    seen[x] = y
    y
end
new_like(x::T, seen) where {T} = Core.@splatnew T ntuple(i -> deepcopy_internal(getfield(x, i), seen), nfields(x))

# Whether two arrays may share memory. Wrappers look through to what they wrap.
mightalias(a::AbstractArray, b::AbstractArray) = !isbits(a) && !isbits(b) && overlap_ids(dataids(a), dataids(b))
mightalias(a, b) = false
dataids(a::AbstractArray) = (objectid(a),)
dataids(a::Array) = (UInt(pointer(a.ref.mem)),)
dataids(r::AbstractRange) = ()
dataids(c::Union{CartesianIndices, LinearIndices}) = ()
overlap_ids(a::Tuple, b::Tuple) = any(x -> in(x, b), a)
unalias(dest, a::AbstractArray) = mightalias(dest, a) ? copy_source(a) : a
unalias(dest, a::AbstractRange) = a
unalias(dest, a) = a

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
isless(a::AbstractVector, b::AbstractVector) = cmp(a, b) < 0
function isapprox(x::AbstractArray, y::AbstractArray; atol::Real = 0,
        rtol::Real = rtoldefault(promote_leaf(eltype(x)), promote_leaf(eltype(y)), atol), nans::Bool = false, norm::Function = Base.norm)
    size(x) == size(y) || return false
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
get(a::AbstractArray, I::Tuple, default) = checkbounds(Bool, a, I...) ? a[I...] : default

nextind(::AbstractArray, i::Integer) = Int(i) + 1
prevind(::AbstractArray, i::Integer) = Int(i) - 1
