# Array: making, growing, shrinking.

const DimOrInd = Union{Integer, AbstractUnitRange}

(::Type{Array{T, 1}})(u::UndefInitializer, m::Integer) where {T} = Array{T, 1}(u, Int(m))
(::Type{Array{T, N}})(u::UndefInitializer, dims::Integer...) where {T, N} = Array{T, N}(u, convert(Dims{N}, dims))
(::Type{Array{T, N}})(u::UndefInitializer, dims::Tuple{Vararg{Integer}}) where {T, N} = Array{T, N}(u, convert(Dims{N}, dims))
(::Type{Array{T}})(u::UndefInitializer, dims::Integer...) where {T} = Array{T}(u, map(Int, dims))
(::Type{Array{T}})(u::UndefInitializer, dims::Tuple{Vararg{Integer}}) where {T} = Array{T}(u, map(Int, dims))
(::Type{Array{T}})(x::Union{Nothing, Missing}, dims::Integer...) where {T} = fill!(Array{T}(undef, map(Int, dims)), x)
(::Type{Array{T}})(x::Union{Nothing, Missing}, dims::Tuple{Vararg{Integer}}) where {T} = fill!(Array{T}(undef, map(Int, dims)), x)
(::Type{Array{T, N}})(x::Union{Nothing, Missing}, dims::Tuple{Vararg{Integer}}) where {T, N} = fill!(Array{T, N}(undef, map(Int, dims)), x)
(::Type{Array{T, N}})(::Nothing, dims::Integer...) where {T, N} = fill!(Array{T, N}(undef, map(Int, dims)), nothing)
(::Type{Array{T, N}})(::Missing, dims::Integer...) where {T, N} = fill!(Array{T, N}(undef, map(Int, dims)), missing)
(::Type{Array{T, N}})(x::AbstractArray{S, N}) where {T, N, S} = copyto_axes!(Array{T, N}(undef, size(x)), x)
(::Type{Array{T}})(x::AbstractArray{S, N}) where {T, N, S} = Array{T, N}(x)
(::Type{Array})(x::AbstractArray{T, N}) where {T, N} = Array{T, N}(x)
(::Type{Vector})(x::AbstractVector{T}) where {T} = Vector{T}(x)
(::Type{Matrix})(x::AbstractMatrix{T}) where {T} = Matrix{T}(x)
(::Type{Vector})() = Any[]
(::Type{Vector})(u::UndefInitializer, n::Integer) = Vector{Any}(u, n)
(::Type{Matrix})(u::UndefInitializer, m::Integer, n::Integer) = Matrix{Any}(u, m, n)
(::Type{Memory{T}})(u::UndefInitializer, dims::Tuple{Int}) where {T} = Memory{T}(u, dims[1])
(::Type{GenericMemory{K, T, A}})(u::UndefInitializer, n::Integer) where {K, T, A} = GenericMemory{K, T, A}(u, Int(n))
(::Type{Memory})(a::AbstractVector{T}) where {T} = Memory{T}(a)
(::Type{Memory{T}})(a::AbstractVector) where {T} = copyto!(Memory{T}(undef, length(a)), a)
(::Type{AbstractArray{T, N}})(x::AbstractArray{S, N}) where {T, S, N} = copyto_axes!(similar(x, T), x)
(::Type{AbstractArray{T}})(x::AbstractArray{S, N}) where {T, S, N} = AbstractArray{T, N}(x)
convert(::Type{T}, x::AbstractArray) where {T <: AbstractArray} = x isa T ? x : T(x)::T
convert(::Type{T}, x::T) where {T <: AbstractArray} = x
# An array is made into another only if that has the element type of both.
promote_rule(a::Type{Array{T, N}}, b::Type{Array{S, N}}) where {T, S, N} = el_same(promote_type(T, S), a, b)
el_same(::Type{T}, a::Type{Array{T, N}}, b::Type{Array{T, N}}) where {T, N} = a
el_same(::Type{T}, a::Type{Array{S, N}}, b::Type{Array{T, N}}) where {T, S, N} = b
el_same(::Type{T}, a::Type{Array{T, N}}, b::Type{Array{S, N}}) where {T, S, N} = a
el_same(T, a, b) = promote_typejoin(a, b)

copy(a::Array{T, N}) where {T, N} = (b = Array{T, N}(undef, a.size); unsafe_copy_refs!(b.ref, a.ref, length(a)); b)
similar(a::Array{T, 1}) where {T} = Vector{T}(undef, length(a))
similar(a::Array{T, N}) where {T, N} = Array{T, N}(undef, a.size)
similar(a::Array{T}, m::Int) where {T} = Vector{T}(undef, m)
similar(a::Array, T::Type, dims::Dims{N}) where {N} = Array{T, N}(undef, dims)
similar(a::Array{T}, dims::Dims{N}) where {T, N} = Array{T, N}(undef, dims)

# Sizes and axes from one make an `Array`; for other axes a package defines `similar`.
shaped_array(::Type{T}, dims::Tuple{Vararg{Union{Integer, OneTo}, N}}) where {T, N} = Array{T, N}(undef, map(dim_length, dims))
shaped_array(::Type{T}, dims::Tuple{Vararg{DimOrInd, N}}) where {T, N} = similar(Array{T, N}, dims)
dim_length(n::Integer) = Int(n)
dim_length(r::AbstractUnitRange) = length(r)
fill(v, dims::DimOrInd...) = fill(v, dims)
fill(v, dims::Tuple{Vararg{DimOrInd}}) = fill!(shaped_array(typeof(v), dims), v)
fill(v) = fill!(Array{typeof(v), 0}(undef, ()), v)
zeros(dims::DimOrInd...) = zeros(Float64, dims)
zeros(::Type{T}, dims::DimOrInd...) where {T} = zeros(T, dims)
zeros(dims::Tuple{Vararg{DimOrInd}}) = zeros(Float64, dims)
zeros(::Type{T}, dims::Tuple{Vararg{DimOrInd}}) where {T} = fill!(shaped_array(T, dims), zero(T))
ones(dims::DimOrInd...) = ones(Float64, dims)
ones(::Type{T}, dims::DimOrInd...) where {T} = ones(T, dims)
ones(dims::Tuple{Vararg{DimOrInd}}) = ones(Float64, dims)
ones(::Type{T}, dims::Tuple{Vararg{DimOrInd}}) where {T} = fill!(shaped_array(T, dims), one(T))
trues(dims::Integer...) = trues(dims)
trues(dims::Tuple{Vararg{Integer}}) = fill!(BitArray(undef, map(Int, dims)), true)
falses(dims::Integer...) = falses(dims)
falses(dims::Tuple{Vararg{Integer}}) = fill!(BitArray(undef, map(Int, dims)), false)
function fill!(a::Array{T}, x) where {T}
    v = x isa T ? x : convert(T, x)::T
    fill_refs!(a.ref, v, length(a))
    a
end
# The first element is stored, then what is there is copied behind itself, in runs that stay in a cache.
function fill_refs!(ref, v, n::Int)
    sle_int(n, 0) && return nothing
    memoryrefset!(ref, v, :not_atomic, false)
    k = 1
    while slt_int(k, n)
        m = sub_int(n, k)
        m = slt_int(k, m) ? k : m
        m = slt_int(m, 16384) ? m : 16384
        unsafe_copy_refs!(memoryrefnew(ref, add_int(k, 1), false), ref, m)
        k = add_int(k, m)
    end
    nothing
end

# Literals.
vect() = Vector{Any}()
vect(xs::T...) where {T} = T_vector(T, xs)
function vect(xs...)
    T = promote_types_of(xs...)
    T_vector(T, xs)
end
function T_vector(::Type{T}, xs::Tuple) where {T}
    a = Vector{T}(undef, length(xs))
    for i in 1:length(xs)
        a[i] = getfield(xs, i)
    end
    a
end
getindex(::Type{T}) where {T} = Vector{T}()
getindex(::Type{T}, xs...) where {T} = T_vector(T, xs)
getindex(::Type{Any}, xs...) = T_vector(Any, xs)

# Growing at either end. Room is kept at the end, and what `popfirst!` frees is used again.
capacity(a::Vector) = a.ref.mem.length - memoryrefoffset(a.ref) + 1
function set_size!(a::Vector, n::Int)
    setfield!(a, :size, (n,))
    nothing
end
function grow_end!(a::Vector{T}, k::Int) where {T}
    n = length(a)
    if n + k > capacity(a)
        mem = Memory{T}(undef, max(n + k, 2n, 4))
        ref = memoryrefnew(mem)
        unsafe_copy_refs!(ref, a.ref, n)
        setfield!(a, :ref, ref)
    end
    set_size!(a, n + k)
end
function grow_begin!(a::Vector{T}, k::Int) where {T}
    n = length(a)
    at = memoryrefoffset(a.ref)
    free = a.ref.mem.length - n - k
    if at > k
        setfield!(a, :ref, memoryrefnew(memoryrefnew(a.ref.mem), at - k, false))
    elseif free >= n
        # There is plenty of room behind the elements: they move to the middle.
        ref = memoryrefnew(memoryrefnew(a.ref.mem), (free >> 1) + 1, false)
        unsafe_copy_refs!(memoryrefnew(ref, k + 1, false), a.ref, n)
        setfield!(a, :ref, ref)
    else
        room = max(k, n ÷ 2, 4)
        ref = memoryrefnew(memoryrefnew(Memory{T}(undef, room + max(n, 1))), room - k + 1, false)
        unsafe_copy_refs!(memoryrefnew(ref, k + 1, false), a.ref, n)
        setfield!(a, :ref, ref)
    end
    set_size!(a, n + k)
end
# Opens a gap of `k` before element `i`.
function grow_at!(a::Vector, i::Int, k::Int)
    n = length(a)
    grow_end!(a, k)
    i <= n && unsafe_copy_refs!(memoryrefnew(a.ref, i + k, false), memoryrefnew(a.ref, i, false), n - i + 1)
    nothing
end
function delete_at!(a::Vector, i::Int, k::Int)
    n = length(a)
    k <= 0 && return nothing
    i + k <= n && unsafe_copy_refs!(memoryrefnew(a.ref, i, false), memoryrefnew(a.ref, i + k, false), n - i - k + 1)
    set_size!(a, n - k)
end

function push!(a::Vector{T}, x) where {T}
    v = x isa T ? x : convert(T, x)::T
    n = add_int(length(a), 1)
    n <= capacity(a) ? set_size!(a, n) : grow_end!(a, 1)
    memoryrefset!(memoryrefnew(a.ref, n, false), v, :not_atomic, false)
    a
end
push!(a) = a
push!(a, x, y, zs...) = push!(push!(push!(a, x), y), zs...)
function push!(a::AbstractVector{T}, x) where {T}
    v = convert(T, x)::T
    resize!(a, length(a) + 1)
    a[end] = v
    a
end
function pushfirst!(a::Vector{T}, x) where {T}
    v = convert(T, x)
    grow_begin!(a, 1)
    a[1] = v
    a
end
pushfirst!(a) = a
pushfirst!(a, x, y, zs...) = (for z in reverse((x, y, zs...)); pushfirst!(a, z); end; a)
pushfirst!(a::Vector, x, ys...) = (for y in reverse((x, ys...)); pushfirst!(a, y); end; a)
function pop!(a::Vector)
    isempty(a) && throw(ArgumentError("array must be non-empty"))
    x = a[length(a)]
    set_size!(a, length(a) - 1)
    x
end
function popfirst!(a::Vector)
    isempty(a) && throw(ArgumentError("array must be non-empty"))
    x = a[1]
    n = length(a)
    n > 1 && setfield!(a, :ref, memoryrefnew(a.ref, 2, false))
    set_size!(a, n - 1)
    x
end
popat!(a::Vector, i::Integer) = (x = a[i]; delete_at!(a, Int(i), 1); x)
popat!(a::Vector, i::Integer, default) = 1 <= i <= length(a) ? popat!(a, i) : default
function insert!(a::Vector{T}, i::Integer, x) where {T}
    v = convert(T, x)
    1 <= i <= length(a) + 1 || throw(BoundsError(a, i))
    grow_at!(a, Int(i), 1)
    a[i] = v
    a
end
function deleteat!(a::Vector, i::Integer)
    checkbounds(a, i)
    delete_at!(a, Int(i), 1)
    a
end
function deleteat!(a::Vector, r::AbstractUnitRange{<:Integer})
    eltype(r) === Bool && return delete_masked!(a, r)
    isempty(r) && return a
    checkbounds(a, r)
    delete_at!(a, Int(first(r)), length(r))
    a
end
deleteat!(a::Vector, mask::AbstractVector{Bool}) = delete_masked!(a, mask)
function delete_masked!(a, mask)
    length(mask) == length(a) || throw(BoundsError(a, mask))
    keep_places!(a, findall(!, mask))
end
deleteat!(a::Vector, inds) = keep_places!(a, kept_after_delete(a, inds))
@noinline throw_unsorted() = throw(ArgumentError("indices must be unique and sorted"))
# The places that stay when those of `inds`, which must be sorted, go.
function kept_after_delete(a, inds)
    kept = Int[]
    at = 1
    before = nothing
    for i in inds
        i isa Bool && throw(ArgumentError(string("invalid index: ", i, " of type Bool")))
        checkbounds(a, i)
        before === nothing || i > before || throw_unsorted()
        append!(kept, at:(Int(i) - 1))
        at = Int(i) + 1
        before = i
    end
    append!(kept, at:length(a))
end
function keep_places!(a::Vector, places)
    k = 0
    for i in places
        k += 1
        i == k || unsafe_copy_refs!(memoryrefnew(a.ref, k, false), memoryrefnew(a.ref, i, false), 1)
    end
    set_size!(a, k)
    a
end
keepat!(a::Vector, inds) = keepat_generic!(a, inds)
keepat!(a::Vector, inds::AbstractVector{Bool}) = keepat_generic!(a, inds)
function keepat_generic!(a, mask::AbstractVector{Bool})
    length(mask) == length(a) || throw(BoundsError(a, mask))
    keepat_generic!(a, findall(mask))
end
function keepat_generic!(a, inds)
    k = 0
    before = nothing
    for i in inds
        i isa Bool && throw(ArgumentError(string("invalid index: ", i, " of type Bool")))
        checkbounds(a, i)
        before === nothing || i > before || throw_unsorted()
        before = i
        k += 1
        i == k || (a[k] = a[i])
    end
    resize!(a, k)
end
function splice!(a::Vector, i::Integer, new = ())
    x = a[i]
    splice!(a, i:i, new)
    x
end
splice!(a::Vector, inds) = (old = a[inds]; deleteat!(a, inds); old)
function splice!(a::Vector, r::AbstractUnitRange{<:Integer}, new = ())
    old = a[r]
    items = collect(new)
    delete_at!(a, Int(first(r)), length(r))
    grow_at!(a, Int(first(r)), length(items))
    for (k, x) in enumerate(items)
        a[first(r) + k - 1] = x
    end
    old
end
function append!(a::Vector{T}, items::AbstractVector) where {T}
    # Elements that may fail to convert come one by one: those before the failure stay.
    eltype(items) <: T || return push_each!(a, items)
    n = length(a)
    k = length(items)
    grow_end!(a, k)
    copyto!(a, n + 1, items, firstindex(items), k)
    a
end
push_each!(a, itr) = (for x in itr; push!(a, x); end; a)
append!(a::AbstractVector, itr) = push_each!(a, itr)
append!(a::AbstractVector, itrs...) = (for itr in itrs; append!(a, itr); end; a)
prepend!(a::AbstractVector, itrs...) = (for itr in reverse(itrs); prepend!(a, itr); end; a)
prepend!(a::AbstractVector, itr) = (for x in reverse(collect(itr)); pushfirst!(a, x); end; a)
function prepend!(a::Vector{T}, items::AbstractVector) where {T}
    eltype(items) <: T || return pushfirst_each!(a, items)
    n = length(items)
    items === a && (items = copy(a))
    grow_begin!(a, n)
    copyto!(a, 1, items, firstindex(items), n)
    a
end
prepend!(a::Vector, itr) = pushfirst_each!(a, itr)
function pushfirst_each!(a, itr)
    n = 0
    for x in itr
        pushfirst!(a, x)
        n += 1
    end
    reverse!(a, firstindex(a), firstindex(a) + n - 1)
end
function resize!(a::Vector, n::Integer)
    n < 0 && throw(ArgumentError("new length must be ≥ 0"))
    k = length(a)
    n > k ? grow_end!(a, Int(n) - k) : set_size!(a, Int(n))
    a
end
empty!(a::Vector) = (set_size!(a, 0); a)
empty(a::AbstractVector{T}, ::Type{U} = T) where {T, U} = similar(a, U, 0)
# Forgets an element, so that what it refers to may be collected. Elements that lie in the array stay.
_unsetindex!(a::AbstractArray, i::Integer) = a
_unsetindex!(a::Array{T}, i::Int) where {T} = unset_element!(a, T, i)
_unsetindex!(a::Memory{T}, i::Int) where {T} = unset_element!(a, T, i)
function unset_element!(a, ::Type{T}, i) where {T}
    checkbounds(a, i)
    allocatedinline(T) || unsafe_copyto!(a, i, Vector{T}(undef, 1), 1, 1)
    a
end
function sizehint!(a::Vector{T}, n::Integer; first::Bool = false, shrink::Bool = true) where {T}
    n = max(Int(n), length(a))
    # Less than an eighth is not worth a copy.
    if n > capacity(a) || shrink && length(a.ref.mem) - n > div(length(a.ref.mem), 8)
        ref = memoryrefnew(Memory{T}(undef, n))
        unsafe_copy_refs!(ref, a.ref, length(a))
        setfield!(a, :ref, ref)
    end
    a
end
sizehint!(a, n; kws...) = a
function filter!(f, a::Vector)
    k = 0
    for x in a
        if f(x)
            k += 1
            a[k] = x
        end
    end
    resize!(a, k)
end
# The elements that stay move to the front, and the rest goes.
function filter!(f, a::AbstractVector)
    j = firstindex(a)
    for x in a
        if f(x)
            a[j] = x
            j = nextind(a, j)
        end
    end
    j > lastindex(a) && return a
    resize!(a, j - firstindex(a))
end
function filter(f, a::AbstractArray{T}) where {T}
    out = Vector{T}()
    for x in a
        f(x) && push!(out, x)
    end
    out
end
filter(f) = Fix1(filter, f)

# An array over a memory, or over what of it begins at a reference.
wrap(::Type{Array}, m::Memory, dims::Dims) = wrap(Array, memoryref(m), dims)
wrap(::Type{Array}, m::Union{Memory, MemoryRef}, n::Integer) = wrap(Array, m, (Int(n),))
wrap(::Type{Array}, m::Union{Memory, MemoryRef}, dims::Tuple{Vararg{Integer}}) = wrap(Array, m, map(Int, dims))
function wrap(::Type{Array}, ref::MemoryRef{T}, dims::Dims{N}) where {T, N}
    room = length(parent(ref)) - memoryrefoffset(ref) + 1
    Core.checked_length(dims) <= room || throw(DimensionMismatch(string(
        "Attempted to wrap a MemoryRef of length ", room, " with an Array of size dims=", dims)))
    Core.@new Array{T, N} ref dims
end

# An array over memory that something else owns.
# Arrays over bytes that are there already: what is written through one is seen through the other.
function unsafe_wrap(::Type{Array{T, N}}, p::Ptr{T}, dims::NTuple{N, Int}; own::Bool = false) where {T, N}
    Core.@new Array{T, N} memoryref(Host.wrap_memory(Memory{T}, p, Core.checked_length(dims))) dims
end
unsafe_wrap(::Type{Array{T}}, p::Ptr{T}, dims::NTuple{N, Int}; own::Bool = false) where {T, N} = unsafe_wrap(Array{T, N}, p, dims)
unsafe_wrap(::Type{Array}, p::Ptr{T}, dims::NTuple{N, Int}; own::Bool = false) where {T, N} = unsafe_wrap(Array{T, N}, p, dims)
unsafe_wrap(::Union{Type{Array}, Type{Array{T}}, Type{Array{T, N}}}, p::Ptr{T}, dims::NTuple{N, Integer}; own::Bool = false) where {T, N} =
    unsafe_wrap(Array{T, N}, p, map(Int, dims))
unsafe_wrap(::Union{Type{Array}, Type{Array{T}}, Type{Array{T, 1}}}, p::Ptr{T}, n::Integer; own::Bool = false) where {T} =
    unsafe_wrap(Array{T, 1}, p, (Int(n),))
unsafe_wrap(::Union{Type{Memory}, Type{Memory{T}}}, p::Ptr{T}, n::Integer; own::Bool = false) where {T} = Host.wrap_memory(Memory{T}, p, Int(n))
unsafe_wrap(::Union{Type{Memory}, Type{Memory{T}}}, p::Ptr{T}, dims::Tuple{Integer}; own::Bool = false) where {T} = Host.wrap_memory(Memory{T}, p, Int(dims[1]))
