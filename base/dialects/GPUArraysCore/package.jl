# The back end of the package GPUArrays: once it is loaded, its functions take those of kiln's dialects.

function extend_gpuarrays(package::Module)
    Core.eval(package, quote
        storage(a::$DialectArray) = DataRef($Device.free, a.data)
        unsafe_free!(a::$DialectArray) = $Device.free(a.data)
        derive(::Type{T}, a::$DialectArray, dims::Dims, offset::Int) where {T} = $derived(T, a, dims, offset)
        mapreducedim!(f, op, R::$AnyDialectArray, A::AbstractArrayOrBroadcasted; init = nothing) = $folded_into!(f, op, R, A, init)
        # Its generators are used by its kernels.
        Random.rand!(rng::RNG, A::$DialectArray) = invoke(Random.rand!, Tuple{RNG,AnyGPUArray{eltype(A),ndims(A)}}, rng, A)
        Random.randn!(rng::RNG, A::$DialectArray) = invoke(Random.randn!, Tuple{RNG,AnyGPUArray{eltype(A),ndims(A)}}, rng, A)
    end)
    return nothing
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
