# Kernels over whole arrays, and when they run. On a device with memory of its own each operation on an array of it is a launch on
# that device, by the same path as the program's own kernels, and no element crosses to the host. On the processor loops of the host
# do the same, since the memory is theirs; `BY_KERNELS[] = true` runs the kernels there, too.

const BY_KERNELS = Ref(false)
uses_kernels() = BY_KERNELS[] || Core.Host.kernel_own_memory()

# What kernels are given in place of arrays, whichever dialect's these are.
struct ToKernel <: AbstractKernelAdaptor end
to_kernel(x) = Adapt.adapt(ToKernel(), x)

# Items of a group of these kernels: every device has so many.
const GROUP = 256

# Launches `f` for `args` on the device of `a`: `groups` groups of `GROUP` items. The dialect's table of methods counts, as in
# launches of the program's.
function launch(a::DialectArray, f::F, groups, args::T, items = GROUP) where {F,T<:Tuple}
    inputs = map(to_kernel, args::T)
    handle = Core.Host.kernel_compile(f, Tuple{map(Core.Typeof, inputs)...}, launch_options(a))
    Device.launch_tuple(handle, f, Device.three(groups), Device.three(items), 0, inputs, args)
    return nothing
end
launch_each(a::DialectArray, f, n::Int, args::Tuple) = n == 0 ? nothing : launch(a, f, cld(n, GROUP), args)

# The number of the item in the launch, from 1.
@inline item() = Device.group_id(1) * Device.local_size(1) + Device.local_id(1) + 1

# The index of the `i`-th element of an array of these dimensions. Devices divide 32 bits faster.
@inline index_at(dims::Tuple, i::Int) = Base.CartesianIndex(index_parts(dims, i - 1))
@inline index_at(dims::NTuple{N,UInt32}, i::Int) where {N} = Base.CartesianIndex(index_parts(dims, (i - 1) % UInt32))
@inline index_parts(::Tuple{}, k) = ()
@inline index_parts(dims::Tuple{Any}, k) = (Int(k) + 1,)
@inline function index_parts(dims::Tuple, k)
    q = div(k, dims[1])
    return (Int(k - q * dims[1]) + 1, index_parts(Base.tail(dims), q)...)
end
narrow_dims(dims::Dims) = prod(dims) <= typemax(Int32) ? map(d -> d % UInt32, dims) : dims

# Arrays of the device of `a` that nothing is in yet.
made_like(a::AnyDialectArray, ::Type{T}, dims::Dims{N}) where {T,N} = similar(owner(a), T, dims)
