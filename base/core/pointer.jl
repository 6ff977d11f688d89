# Pointers: arithmetic, loads and stores, and reflection on how types lie in memory.

"""
    C_NULL

The null pointer, of type `Ptr{Cvoid}`.
"""
const C_NULL = bitcast(Ptr{Cvoid}, 0)
(::Type{Ptr{T}})() where {T} = bitcast(Ptr{T}, 0)
(::Type{Ptr{T}})(x::Union{Int, UInt, Ptr}) where {T} = bitcast(Ptr{T}, x)
(::Type{Ptr})(x::Union{Int, UInt}) = bitcast(Ptr{Cvoid}, x)
(::Type{Int64})(p::Ptr) = bitcast(Int64, p)
(::Type{UInt64})(p::Ptr) = bitcast(UInt64, p)
convert(::Type{Ptr{T}}, p::Ptr{T}) where {T} = p
convert(::Type{Ptr{T}}, p::Ptr) where {T} = bitcast(Ptr{T}, p)
convert(::Type{Ptr{T}}, x::Union{Int, UInt}) where {T} = bitcast(Ptr{T}, x)
convert(::Type{T}, p::Ptr) where {T <: Integer} = T(UInt(p))
+(p::Ptr, n::Integer) = add_ptr(p, n % UInt)
+(n::Integer, p::Ptr) = p + n
-(p::Ptr, n::Integer) = sub_ptr(p, n % UInt)
-(p::Ptr, q::Ptr) = sub_int(bitcast(UInt, p), bitcast(UInt, q))
==(p::Ptr, q::Ptr) = UInt(p) == UInt(q)
<(p::Ptr, q::Ptr) = UInt(p) < UInt(q)
isless(p::Ptr{T}, q::Ptr{T}) where {T} = p < q
isequal(p::Ptr, q::Ptr) = p === q
hash(p::Ptr, h::UInt) = hash(UInt(p), hash(typeof(p), h))
eltype(::Type{<:Ptr{T}}) where {T} = T
eltype(::Type{<:Ref{T}}) where {T} = T
# A reference to one element of an array.
struct RefArray{T, A <: AbstractArray{T}} <: Ref{T}
    x::A
    i::Int
end
RefArray(x::AbstractArray{T}, i::Integer) where {T} = RefArray{T, typeof(x)}(x, i)
Ref(x::AbstractArray, i::Integer) = RefArray(x, i)
(::Type{Ref{T}})(x::AbstractArray, i::Integer) where {T} = RefArray(convert(AbstractArray{T}, x), i)
getindex(r::RefArray) = r.x[r.i]
setindex!(r::RefArray, v) = (r.x[r.i] = v; r)
isassigned(r::RefArray) = isassigned(r.x, r.i)
unsafe_convert(::Type{Ptr{T}}, r::RefArray) where {T} = Ptr{T}(pointer(r.x, r.i))
getindex(r::Ref, ::CartesianIndex{0}) = r[]
setindex!(r::Ref, v, ::CartesianIndex{0}) = (r[] = v)
size(::Ref) = ()
axes(::Ref) = ()
length(::Ref) = 1
ndims(::Ref) = 0
# Where the object that stands for a value lies, and the value of the object at an address.
address_of_object(@nospecialize(x)) = address_in(RefValue{Any}(x))
function unsafe_pointer_to_objref(p::Ptr)
    cell = RefValue{Ptr{Cvoid}}(reinterpret(Ptr{Cvoid}, p))
    unsafe_load(reinterpret(Ptr{Any}, pointer_from_objref(cell)))
end
IteratorSize(::Type{<:Ref}) = HasShape{0}()
iterate(r::Ref) = (r[], nothing)
iterate(r::Ref, ::Any) = nothing

@inline unsafe_load(p::Ptr{T}, i::Integer = 1) where {T} = pointerref(p, Int(i), 1)
@inline unsafe_store!(p::Ptr{T}, x, i::Integer = 1) where {T} = (pointerset(p, convert(T, x), Int(i), 1); p)
@inline unsafe_store!(p::Ptr{Any}, x, i::Integer = 1) = (pointerset(p, x, Int(i), 1); p)
@inline unsafe_load(p::Ptr, order::Symbol) = atomic_pointerref(p, order)
@inline unsafe_store!(p::Ptr{T}, x, order::Symbol) where {T} = atomic_pointerset(p, convert(T, x)::T, order)
@inline unsafe_store!(p::Ptr{Any}, x, order::Symbol) = atomic_pointerset(p, x, order)
unsafe_swap!(p::Ptr{T}, x, order::Symbol = :not_atomic) where {T} = atomic_pointerswap(p, convert(T, x)::T, order)
unsafe_modify!(p::Ptr, op, x, order::Symbol = :not_atomic) = atomic_pointermodify(p, op, x, order)
unsafe_replace!(p::Ptr{T}, expected, desired, success::Symbol = :not_atomic, fail::Symbol = success) where {T} =
    atomic_pointerreplace(p, expected, convert(T, desired)::T, success, fail)
elsize(::Type{Ptr{T}}) where {T} = T === Any ? 8 : sizeof(T)
export unsafe_swap!, unsafe_modify!, unsafe_replace!
unsafe_convert(::Type{Ptr{T}}, p::Ptr) where {T} = bitcast(Ptr{T}, p)
@noinline securezero!(a::AbstractArray{<:Number}) = fill!(a, 0)
unsafe_securezero!(p::Ptr{Cvoid}, n::Integer = 1) = Ptr{Cvoid}(unsafe_securezero!(Ptr{UInt8}(p), n))
# Of a reference to an object: the object's address, but for `Ptr{Any}`, which points to the reference.
unsafe_convert(::Type{Ptr{S}}, r::RefValue{T}) where {S, T} = Ptr{S}(allocatedinline(T) ? Host.pointer_from_objref(r) : address_in(r))
unsafe_convert(::Type{Ptr{Any}}, r::RefValue{Any}) = Ptr{Any}(Host.pointer_from_objref(r))
function address_in(r)
    p = pointerref(Ptr{Ptr{Cvoid}}(Host.pointer_from_objref(r)), 1, 8)
    UInt(p) == 0 ? throw(UndefRefError()) : p
end
unsafe_convert(::Type{Ptr{T}}, a::Array) where {T} = Ptr{T}(pointer(a))
unsafe_convert(::Type{Ptr{T}}, a::AbstractArray{T}) where {T} = error("conversion to pointer not defined for ", typeof(a))
unsafe_convert(::Type{Ptr{T}}, r::GenericMemoryRef) where {T} = Ptr{T}(pointer(r.mem, memoryrefoffset(r)))
unsafe_convert(::Type{Ptr{T}}, m::GenericMemory) where {T} = Ptr{T}(pointer(m))
unsafe_convert(::Type{Ptr{T}}, s::String) where {T} = Ptr{T}(Host.string_pointer(s))
pointer_from_objref(x) = Ptr{Cvoid}(Host.pointer_from_objref(x))
function unsafe_copyto!(dest::Ptr{T}, src::Ptr{T}, n::Integer) where {T}
    if UInt(dest) <= UInt(src)
        for i in 1:n
            unsafe_store!(dest, unsafe_load(src, i), i)
        end
    else
        for i in n:-1:1
            unsafe_store!(dest, unsafe_load(src, i), i)
        end
    end
    dest
end
macro preserve_all(ex)
    esc(ex)
end

# Simple vectors: lists of types and parameters.
length(v::SimpleVector) = _svec_len(v)
getindex(v::SimpleVector, i::Int) = _svec_ref(v, i)
getindex(v::SimpleVector, r::AbstractUnitRange) = svec((v[i] for i in r)...)
iterate(v::SimpleVector, i::Int = 1) = i > _svec_len(v) ? nothing : (_svec_ref(v, i), i + 1)
firstindex(v::SimpleVector) = 1
lastindex(v::SimpleVector) = length(v)
keys(v::SimpleVector) = OneTo(length(v))
isempty(v::SimpleVector) = length(v) == 0
eltype(::Type{SimpleVector}) = Any
axes(v::SimpleVector) = (OneTo(length(v)),)
eachindex(v::SimpleVector) = OneTo(length(v))
map(f, v::SimpleVector) = Any[f(x) for x in v]
function ==(a::SimpleVector, b::SimpleVector)
    length(a) == length(b) || return false
    for i in 1:length(a)
        a[i] == b[i] || return false
    end
    true
end
==(a::Expr, b::Expr) = a.head === b.head && isequal(a.args, b.args)
==(a::QuoteNode, b::QuoteNode) = isequal(a.value, b.value)
copy(e::Expr) = Host.copy_ast(e)
"""
    Meta.isexpr(ex, head)
    Meta.isexpr(ex, head, n)

Whether `ex` is an expression with this head, or with one of several heads, and with `n` arguments.
"""
isexpr(ex, head::Symbol) = ex isa Expr && ex.head === head
isexpr(ex, heads) = ex isa Expr && ex.head in heads
isexpr(ex, head::Symbol, n::Int) = ex isa Expr && ex.head === head && length(ex.args) == n

# Overwrites what must not stay in memory.
securezero!(a::DenseArray{T}) where {T} = (isbitstype(T) || throw_not_plain(T); fill_zero_bytes(reinterpret(UInt8, vec(a))); a)
fill_zero_bytes(bytes) = (for i in eachindex(bytes); bytes[i] = 0x00; end)
@noinline throw_not_plain(T) = throw(ArgumentError(string("elements of type ", T, " are no plain bits")))
function unsafe_securezero!(p::Ptr{T}, n::Integer = 1) where {T}
    bytes = Ptr{UInt8}(p)
    for i in 1:(n * (T === Nothing ? 1 : sizeof(T)))
        unsafe_store!(bytes, 0x00, i)
    end
    p
end
