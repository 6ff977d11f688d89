# Memory, and reading and writing single elements of Array: what everything else on arrays is built on.

length(m::GenericMemory) = m.length
size(m::GenericMemory) = (m.length,)
size(m::GenericMemory, d::Integer) = d < 1 ? throw(BoundsError()) : d == 1 ? m.length : 1
axes(m::GenericMemory) = (OneTo(m.length),)
IndexStyle(::Type{<:GenericMemory}) = IndexLinear()
eltype(::Type{<:GenericMemory{K, T}}) where {K, T} = T
elsize(::Type{<:GenericMemory{K, T}}) where {K, T} = allocatedinline(T) ? aligned_sizeof(T) : 8
pointer(m::GenericMemory{K, T}) where {K, T} = bitcast(Ptr{T}, m.ptr)
pointer(m::GenericMemory{K, T}, i::Integer) where {K, T} = pointer(m) + (i - 1) * elsize(typeof(m))
@inline function isassigned(m::GenericMemory, i::Int)
    @boundscheck 1 <= i <= m.length || return false
    memoryref_isassigned(memoryrefnew(memoryrefnew(m), i, false), :not_atomic, false)
end
copy(m::Memory{T}) where {T} = (n = similar(m); unsafe_copy_refs!(memoryrefnew(n), memoryrefnew(m), m.length); n)
similar(m::Memory{T}) where {T} = Memory{T}(undef, m.length)
similar(m::Memory, ::Type{T}) where {T} = Memory{T}(undef, m.length)
similar(m::Memory{T}, dims::Dims{1}) where {T} = Memory{T}(undef, dims[1])
similar(m::GenericMemory, ::Type{T}, dims::Dims{N}) where {T, N} = Array{T, N}(undef, dims)

@eval function getindex(m::GenericMemory, i::Int)
    $(Expr(:meta, :inline))
    memoryrefget(memoryrefnew(memoryrefnew(m), i, $(Expr(:boundscheck))), :not_atomic, false)
end
@eval function setindex!(m::GenericMemory{K, T}, v, i::Int) where {K, T}
    $(Expr(:meta, :inline))
    memoryrefset!(memoryrefnew(memoryrefnew(m), i, $(Expr(:boundscheck))), v isa T ? v : convert(T, v), :not_atomic, false)
    m
end
getindex(r::GenericMemoryRef) = memoryrefget(r, :not_atomic, true)
setindex!(r::GenericMemoryRef, v) = memoryrefset!(r, v, :not_atomic, true)
eltype(::Type{<:GenericMemoryRef{K, T}}) where {K, T} = T

# Arrays. The last dimension counts slowest; one subscript counts all elements.
IndexStyle(::Type{<:Array}) = IndexLinear()
eltype(::Type{<:AbstractArray{T}}) where {T} = T
eltype(x) = eltype(typeof(x))
eltype(::Type) = Any
eltype(::Type{Union{}}) = throw(ArgumentError("Union{} does not have elements"))
ndims(::AbstractArray{T, N}) where {T, N} = N
ndims(::Type{<:AbstractArray{<:Any, N}}) where {N} = N
size(a::Array) = a.size
size(a::Array, d::Integer) = d < 1 ? throw(ArgumentError("dimension out of range")) : d > nfields(a.size) ? 1 : getfield(a.size, Int(d))
length(a::Vector) = getfield(a.size, 1)
length(a::Array) = dims_product(a.size)
dims_product(::Tuple{}) = 1
dims_product(d::Tuple{Int}) = d[1]
dims_product(d::Tuple{Int, Int}) = mul_int(d[1], d[2])
@inline dims_product(d::Tuple) = mul_int(d[1], dims_product(tail(d)))
@inline axes(a::Array) = map(OneTo, a.size)
isempty(a::Array) = length(a) === 0
firstindex(a::Array) = 1
lastindex(a::Array) = length(a)

@noinline throw_array_bounds(a, i) = throw(BoundsError(a, i))
@inline function getindex(a::Array, i::Int)
    @boundscheck ult_int(bitcast(UInt, sub_int(i, 1)), bitcast(UInt, length(a))) || throw_array_bounds(a, (i,))
    memoryrefget(memoryrefnew(getfield(a, :ref), i, false), :not_atomic, false)
end
@inline function getindex(a::Array{T, 2}, i::Int, j::Int) where {T}
    s = getfield(a, :size)
    m = getfield(s, 1)
    @boundscheck (ult_int(bitcast(UInt, sub_int(i, 1)), bitcast(UInt, m)) &
        ult_int(bitcast(UInt, sub_int(j, 1)), bitcast(UInt, getfield(s, 2)))) || throw_array_bounds(a, (i, j))
    memoryrefget(memoryrefnew(getfield(a, :ref), add_int(i, mul_int(m, sub_int(j, 1))), false), :not_atomic, false)
end
@inline function getindex(a::Array{T, 3}, i::Int, j::Int, k::Int) where {T}
    s = getfield(a, :size)
    @boundscheck (ult_int(bitcast(UInt, sub_int(i, 1)), bitcast(UInt, getfield(s, 1))) &
        ult_int(bitcast(UInt, sub_int(j, 1)), bitcast(UInt, getfield(s, 2))) &
        ult_int(bitcast(UInt, sub_int(k, 1)), bitcast(UInt, getfield(s, 3)))) || throw_array_bounds(a, (i, j, k))
    at = add_int(i, mul_int(getfield(s, 1), add_int(sub_int(j, 1), mul_int(getfield(s, 2), sub_int(k, 1)))))
    memoryrefget(memoryrefnew(getfield(a, :ref), at, false), :not_atomic, false)
end
@inline function setindex!(a::Array{T}, v, i::Int) where {T}
    @boundscheck ult_int(bitcast(UInt, sub_int(i, 1)), bitcast(UInt, length(a))) || throw_array_bounds(a, (i,))
    memoryrefset!(memoryrefnew(getfield(a, :ref), i, false), v isa T ? v : convert(T, v)::T, :not_atomic, false)
    a
end
@inline function setindex!(a::Array{T, 2}, v, i::Int, j::Int) where {T}
    s = getfield(a, :size)
    m = getfield(s, 1)
    @boundscheck (ult_int(bitcast(UInt, sub_int(i, 1)), bitcast(UInt, m)) &
        ult_int(bitcast(UInt, sub_int(j, 1)), bitcast(UInt, getfield(s, 2)))) || throw_array_bounds(a, (i, j))
    memoryrefset!(memoryrefnew(getfield(a, :ref), add_int(i, mul_int(m, sub_int(j, 1))), false),
        v isa T ? v : convert(T, v)::T, :not_atomic, false)
    a
end
@inline function setindex!(a::Array{T, 3}, v, i::Int, j::Int, k::Int) where {T}
    s = getfield(a, :size)
    @boundscheck (ult_int(bitcast(UInt, sub_int(i, 1)), bitcast(UInt, getfield(s, 1))) &
        ult_int(bitcast(UInt, sub_int(j, 1)), bitcast(UInt, getfield(s, 2))) &
        ult_int(bitcast(UInt, sub_int(k, 1)), bitcast(UInt, getfield(s, 3)))) || throw_array_bounds(a, (i, j, k))
    at = add_int(i, mul_int(getfield(s, 1), add_int(sub_int(j, 1), mul_int(getfield(s, 2), sub_int(k, 1)))))
    memoryrefset!(memoryrefnew(getfield(a, :ref), at, false), v isa T ? v : convert(T, v)::T, :not_atomic, false)
    a
end
@inline function isassigned(a::Array, i::Int)
    @boundscheck 1 <= i <= length(a) || return false
    memoryref_isassigned(memoryrefnew(a.ref, i, false), :not_atomic, false)
end
pointer(a::Array{T}) where {T} = bitcast(Ptr{T}, pointer(a.ref.mem, memoryrefoffset(a.ref)))
# Arrays that are not dense count by their strides from the element that they begin with.
pointer(a::AbstractArray{T}) where {T} = unsafe_convert(Ptr{T}, cconvert(Ptr{T}, a))
pointer(a::AbstractArray{T}, i::Integer) where {T} = pointer(a) + element_distance(a, i) * elsize(typeof(a))
element_distance(a::DenseArray, i) = i - firstindex(a)
element_distance(a::AbstractVector, i) = (i - firstindex(a)) * stride(a, 1)
element_distance(a::AbstractArray, i) = strided_distance(cartesian_at(axes(a), Int(i) - 1), axes(a), strides(a))
strided_distance(::Tuple{}, ::Tuple{}, ::Tuple{}) = 0
strided_distance(I::Tuple, inds::Tuple, st::Tuple) = (I[1] - first(inds[1])) * st[1] + strided_distance(tail(I), tail(inds), tail(st))
parent(r::GenericMemoryRef) = r.mem

@inline function iterate(a::Array, i::Int = 1)
    ult_int(bitcast(UInt, sub_int(i, 1)), bitcast(UInt, length(a))) || return nothing
    (memoryrefget(memoryrefnew(getfield(a, :ref), i, false), :not_atomic, false), add_int(i, 1))
end

# Copies `n` elements; the two may overlap. Of one element type, undefined ones are copied too.
function unsafe_copy_refs!(dest::GenericMemoryRef{K, T}, src::GenericMemoryRef{K, T}, n::Int) where {K, T}
    n <= 0 && return nothing
    Core.Host.genericmemory_copyto(dest, src, n)
end
function unsafe_copy_refs!(dest, src, n::Int)
    n <= 0 && return nothing
    if dest.mem === src.mem && memoryrefoffset(dest) > memoryrefoffset(src)
        i = n
        while i >= 1
            copy_one!(dest, src, i)
            i = sub_int(i, 1)
        end
    else
        i = 1
        while i <= n
            copy_one!(dest, src, i)
            i = add_int(i, 1)
        end
    end
    nothing
end
@inline function copy_one!(dest, src, i)
    from = memoryrefnew(src, i, false)
    if memoryref_isassigned(from, :not_atomic, false)
        memoryrefset!(memoryrefnew(dest, i, false), memoryrefget(from, :not_atomic, false), :not_atomic, false)
    end
end
unsafe_copyto!(dest::MemoryRef, src::MemoryRef, n::Integer) = (unsafe_copy_refs!(dest, src, Int(n)); dest)

# The collector is not that of the C runtime.
const USING_STOCK_GC = false
