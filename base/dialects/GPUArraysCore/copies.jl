# Copies: within a device by kernels, to it and from it as whole arrays.

Base.copy(a::DialectArray) = uses_kernels() ? device_copy(a) : wrap(a, copy(a.data))
Base.copy(a::WrappedDialectArray) = uses_kernels() ? device_copy(a) : on_device(a, collect(on_host(a)))
Base.copymutable(a::WrappedDialectArray) = copy(a)
Base.unaliascopy(a::WrappedDialectArray) = copy(a)

# What the host gets. What is not in order in memory is put in order on the device.
in_order(a::DialectArray) = a.data
in_order(a::WrappedDialectArray) = uses_kernels() ? device_copy(a).data : on_host(a)
Base.Array(a::DialectArray) = copied(() -> copy(a.data), TO_HOST, a)
Base.Array(a::WrappedDialectArray) = collect(in_order(a))
Base.Array{T}(a::AnyDialectArray) where {T} = convert(Array{T,ndims(a)}, Array(a))
Base.Array{T,N}(a::AnyDialectArray) where {T,N} = convert(Array{T,N}, Array(a))
Base.collect(a::AnyDialectArray) = Array(a)

# The host's array for a new one of the device.
host_copy(a::DialectArray) = copied(() -> copy(a.data), ON_DEVICE, a)
host_copy(a::WrappedDialectArray) = collect(in_order(a))
host_copy(a::AbstractArray{T,N}) where {T,N} =
    (host = Array{T,N}(undef, size(a)); copied(() -> copyto!(host, a), TO_DEVICE, host))

# A value for all elements. On a device it is converted once, by the host.
function Base.fill!(a::AnyDialectArray, x)
    uses_kernels() || return (fill!(on_host(a), x); a)
    value = convert(eltype(a), x)
    copied(() -> broadcast_by_kernel!(a, Base.Broadcast.Broadcasted{Nothing}(identity, (Ref(value),), axes(a))), ON_DEVICE, a)
    return a
end

# So many elements, in order.
function copy_elements(dest, to::Int, src, from::Int, n::Int)
    i = item() - 1
    i < n && @inbounds dest[to + i] = src[from + i]
    return
end
function copy_elements_by_kernel!(dest, to::Int, src, from::Int, n::Int)
    n == 0 && return dest
    n < 0 && throw(ArgumentError(string("tried to copy n=", n, " elements, but n should be non-negative")))
    checkbounds(dest, to:to+n-1)
    checkbounds(src, from:from+n-1)
    launch_each(owner(dest), copy_elements, n, (dest, to, unaliased(dest, src), from, n))
    return dest
end
function copy_all!(dest, src)
    copied(ON_DEVICE, src) do
        uses_kernels() ? copy_elements_by_kernel!(dest, 1, src, 1, length(src)) : copyto!(on_host(dest), on_host(src))
    end
    return dest
end
for D in (DialectArray, WrappedDialectArray), S in (DialectArray, WrappedDialectArray)
    @eval Base.copyto!(dest::$D, src::$S) = copy_all!(dest, src)
end
Base.copyto!(dest::DialectArray, src::AbstractArray) =
    (copied(() -> copyto!(dest.data, src), TO_DEVICE, dest, length(src)); dest)
# Triangles, for which packages have methods.
for wrapper in (:UpperTriangular, :LowerTriangular)
    @eval Base.copyto!(dest::DialectArray{T,N}, src::LinearAlgebra.$wrapper{T,<:DialectArray{T,N}}) where {T,N} = copy_by_kernel!(dest, src)
end
Base.copyto!(dest::DialectArray, src::Array) = (copied(() -> copyto!(dest.data, src), TO_DEVICE, dest, length(src)); dest)
Base.copyto!(dest::WrappedDialectArray, src::Array) = invoke(copyto!, Tuple{WrappedDialectArray,AbstractArray}, dest, src)
Base.copyto!(dest::WrappedDialectArray, src::AbstractArray) = uses_kernels() ?
    copyto!(dest, wrap(owner(dest), host_copy(src))) : (copyto!(on_host(dest), src); dest)
Base.copyto!(dest::Array, src::AnyDialectArray) = copied(() -> copyto!(dest, in_order(src)), TO_HOST, src)
Base.copyto!(dest::DialectArray, i::Integer, src::Array, j::Integer, n::Integer) = (copyto!(dest.data, i, src, j, n); dest)
Base.copyto!(dest::Array, i::Integer, src::DialectArray, j::Integer, n::Integer) = copyto!(dest, i, src.data, j, n)
Base.copyto!(dest::AnyDialectArray, i::Integer, src::AnyDialectArray, j::Integer, n::Integer) = uses_kernels() ?
    copy_elements_by_kernel!(dest, Int(i), src, Int(j), Int(n)) : (copyto!(on_host(dest), i, on_host(src), j, n); dest)
