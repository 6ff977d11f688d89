# The back end of the package GPUArrays: once it is loaded, its functions take those of kiln's dialects.

function extend_gpuarrays(package::Module)
    Core.eval(package, quote
        storage(a::$DialectArray) = a.memory isa DataRef ? a.memory : DataRef($Device.free, a.data)
        unsafe_free!(a::$DialectArray) = a.memory isa DataRef ? unsafe_free!(a.memory) : $Device.free(a.data)
        derive(::Type{T}, a::$DialectArray, dims::Dims, offset::Int) where {T} = $derived(T, a, dims, offset)
        mapreducedim!(f, op, R::$AnyDialectArray, A::AbstractArrayOrBroadcasted; init = nothing) = $folded_into!(f, op, R, A, init)
        # Its generators are used by its kernels.
        Random.rand!(rng::RNG, A::$DialectArray) = invoke(Random.rand!, Tuple{RNG,AnyGPUArray{eltype(A),ndims(A)}}, rng, A)
        Random.randn!(rng::RNG, A::$DialectArray) = invoke(Random.randn!, Tuple{RNG,AnyGPUArray{eltype(A),ndims(A)}}, rng, A)
    end)
    isdefined(package, :_reinterpret_exception) && (REINTERPRET_CHECK[] = (T, a) -> throw_some(package._reinterpret_exception(T, a)))
    isdefined(package, :ALLOC_CACHE) || return nothing # older versions keep no memory
    CACHE[] = (is_used = () -> package.ALLOC_CACHE[] !== nothing, allocate = (A, T, dims) -> allocated_in(package, A, T, dims))
    return nothing
end
throw_some(::Nothing) = nothing
throw_some(exception) = throw(exception)
# Memory that the package's cache has or gets: arrays of as many bytes, of one kind, take it in turn. The array over it, and what holds it.
function allocated_in(package::Module, A, ::Type{T}, dims::Dims) where {T}
    bytes = prod(dims) * Base.aligned_sizeof(T)
    held = package.cached_alloc((Base.typename(A).wrapper, A.parameters[3], bytes)) do
        package.DataRef(Device.free, new_data(UInt8, (bytes,)))
    end
    return (unsafe_wrap(Array, Ptr{T}(pointer(held[])), dims), held)
end
Base.library_extensions[Base.UUID("0c68f7d7-f131-5f86-a1c3-88cf8149b2d7")] = extend_gpuarrays

# An array over the memory of another, from its element number `offset` on, counted in elements of the new type from 0.
derived(::Type{T}, a::DialectArray, dims::Dims, offset::Int) where {T} =
    wrap(a, unsafe_wrap(Array, Ptr{T}(pointer(a.data)) + offset * Base.aligned_sizeof(T), dims), a)

# Folds of slices into the elements of `out`. With `init` these do not count.
function folded_into!(f, op, out, a, init)
    init === nothing || fill!(out, init)
    return Base.mapreducedim!(f, op, out, a isa Base.Broadcast.Broadcasted ? copy(a) : a)
end
