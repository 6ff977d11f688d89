# Arrays as kernels see them, and memory of the group.

const ROCDeviceArray = Kernels.DeviceArray
const ROCDeviceVector{T,A} = ROCDeviceArray{T,1,A}
const ROCDeviceMatrix{T,A} = ROCDeviceArray{T,2,A}
const LLVMPtr = Core.LLVMPtr

module AS
const Generic, Global, Region, Local, Constant, Private = 0, 1, 2, 3, 4, 5
end

@inline alloc_special(::Val{id}, ::Type{T}, ::Val{AS.Local}, ::Val{len}, ::Val{zeroinit} = Val(false)) where {id,T,len,zeroinit} =
    len == 0 ? Kernels.dynamic_shared_array(T, (0,), 0).ptr : local_array(T, Val((len,)), Val(zeroinit), Val(id)).ptr
@inline alloc_special(::Val, ::Type{T}, ::Val{AS.Private}, ::Val{len}) where {T,len} = Kernels.alloca(T, Val(len))
@inline alloc_local(id, ::Type{T}, len, zeroinit = false) where {T} = alloc_special(Val(:local), T, Val(AS.Local), Val(Int(len)), Val(zeroinit))
@inline alloc_scratch(id, ::Type{T}, len) where {T} = alloc_special(Val(:private), T, Val(AS.Private), Val(Int(len)))

# Upstream the compiler zeroes memory of groups before a kernel begins. Here its items do, where the array is named.
@inline function local_array(::Type{T}, ::Val{dims}, ::Val{zeroinit}, ::Val{id} = Val(:local)) where {T,dims,zeroinit,id}
    a = Kernels.shared_array(T, Val(dims), Val(id))
    zeroinit && zero_by_group!(a)
    return a
end
@inline function zero_by_group!(a::ROCDeviceArray{T}) where {T}
    i, step = Kernels.local_linear() + 1, Kernels.local_size(1) * Kernels.local_size(2) * Kernels.local_size(3)
    while i <= length(a)
        @inbounds a[i] = zero(T)
        i += step
    end
    Kernels.barrier()
    return a
end
@inline as_dims(n::Integer) = (Int(n),)
@inline as_dims(dims::Tuple) = map(Int, dims)

constant_bool(x, name) = (x = Base.Meta.isexpr(x, :(=)) ? x.args[2] : x; x isa Bool) ? x :
    throw(ArgumentError(string(name, " requires a constant `zeroinit` argument")))

macro ROCStaticLocalArray(T, dims, zeroinit = true)
    Base.@keep_expansions
    zeroed = constant_bool(zeroinit, "@ROCStaticLocalArray")
    return :(local_array($(esc(T)), Val(as_dims($(esc(dims)))), Val($zeroed)))
end
macro ROCDynamicLocalArray(T, dims, zeroinit = true, offset = 0)
    Base.@keep_expansions
    made = :(Kernels.dynamic_shared_array($(esc(T)), as_dims($(esc(dims))), Int($(esc(offset)))))
    return constant_bool(zeroinit, "@ROCDynamicLocalArray") ? :(zero_by_group!($made)) : made
end

@inline function memcpy!(to::LLVMPtr, from::LLVMPtr, bytes::Integer)
    destination, source = reinterpret(Ptr{UInt8}, Kernels.as_ptr(to)), reinterpret(Ptr{UInt8}, Kernels.as_ptr(from))
    for i in 1:Int(bytes)
        unsafe_store!(destination, unsafe_load(source, i), i)
    end
    return nothing
end
@inline function memset!(to::LLVMPtr, value::UInt8, bytes::Integer)
    destination = reinterpret(Ptr{UInt8}, Kernels.as_ptr(to))
    for i in 1:Int(bytes)
        unsafe_store!(destination, value, i)
    end
    return nothing
end
