# Broadcasts and maps as kernels. An item computes an element of the result: the tree of calls is an argument of the kernel, with
# leaves that the device can read. Where all arrays have the shape of the result an item's number is the index of its elements;
# else its index is divided out of it.

# Leaves. An array with the shape of the result, indexed by the number of the element:
struct Even{A}
    array::A
end
# one whose axes of one element stretch:
struct Stretched{A,K}
    array::A
    keeps::K
end
# a value, of a `Ref` or a type:
struct Held{T}
    x::T
end
struct HeldType{T} end
# A type is no plain bits: its calls are those of this function.
struct Construct{T} <: Function end
@inline (::Construct{T})(xs...) where {T} = T(xs...)

const Leaf = Union{Even,Stretched,Held,HeldType}
Adapt.adapt_structure(to, l::Even) = Even(Adapt.adapt(to, l.array))
Adapt.adapt_structure(to, l::Stretched) = Stretched(Adapt.adapt(to, l.array), l.keeps)
Adapt.adapt_structure(to, l::Held) = Held(Adapt.adapt(to, l.x))
import Base.Broadcast: broadcast_get
@inline broadcast_get(l::Even, i::Int) = @inbounds l.array[i]
@inline broadcast_get(l::Even, I::Base.CartesianIndex) = @inbounds l.array[I]
@inline broadcast_get(l::Stretched, I::Base.CartesianIndex) =
    @inbounds l.array[Base.Broadcast.keep_index(I.I, l.keeps, map(k -> 1, l.keeps))...]
@inline broadcast_get(l::Held, I) = l.x
@inline broadcast_get(::HeldType{T}, I) where {T} = T

# The tree for a result of these axes; `dest` is the array that it is stored in, whose elements no leaf may lose before it is read.
planted(b::Base.Broadcast.Broadcasted, dest, shape) =
    Base.Broadcast.Broadcasted{Nothing}(callable(b.f), map(x -> planted(x, dest, shape), b.args), shape)
callable(f) = f
callable(::Type{T}) where {T} = Construct{T}()
callable(f::Base.Broadcast.NestedCall) = f
planted(x, dest, shape) = x
planted(x::Base.RefValue, dest, shape) = Held(x[])
planted(x::Base.RefValue{Type{T}}, dest, shape) where {T} = HeldType{T}()
planted(x::Base.RefValue{<:Type}, dest, shape) = HeldType{x[]}()
planted(a::AbstractArray, dest, shape) = leaf(plain(a), shape)
planted(a::AnyDialectArray, dest, shape) = leaf(readable(unaliased(dest, a)), shape)
# Elements that are several of what is wrapped, or parts of one, are read where these follow each other.
readable(a) = a
readable(a::Base.ReinterpretArray{T}) where {T} = sizeof(T) == sizeof(eltype(parent(a))) ? a : reinterpreted(T, device_copy(parent(a)), a)
reinterpreted(::Type{T}, b, ::Base.NonReshapedReinterpretArray) where {T} = reinterpret(T, b)
reinterpreted(::Type{T}, b, ::Base.ReshapedReinterpretArray) where {T} = reinterpret(reshape, T, b)
# Of other arrays, those of plain bits: ranges and the like.
plain(a::AbstractArray) = isbits(a) || isbits(to_kernel(a)) ? a : refuse_host_array(a)
@noinline refuse_host_array(a) = throw(Device.KernelError(string(
    "passing an argument that is not plain bits to a kernel: a broadcast over arrays of a device takes `", typeof(a),
    "`, an array of the host. Copy it to the device first, as in `CuArray(x)`.")))
leaf(a, shape) = axes(a) == shape && shape != () ? Even(a) : Stretched(a, map(r -> length(r) != 1, axes(a)))

# A leaf in the memory of the result is copied first, unless each of its elements is where the result's is.
unaliased(::Nothing, a) = a
unaliased(dest, a) = dest === a || is_same_place(dest, a) || !Base.mightalias(dest, a) ? a : device_copy(a)
is_same_place(a::DialectArray{T}, b::DialectArray{T}) where {T} =
    size(a) == size(b) && Device.whole(a.data).ptr == Device.whole(b.data).ptr
is_same_place(a, b) = false
# Where the elements of one are stored before those of the other are read, each is what it has become, as in an array of the host.
overlaps(dest, a) = dest !== a && !is_same_place(dest, a) && Base.mightalias(dest, a)
Base.dataids(a::DialectArray) = a.memory isa DialectArray ? Base.dataids(a.memory) : Base.dataids(a.data)
# A copy on the device, of whatever is wrapped.
device_copy(a::AnyDialectArray) = copy_by_kernel!(made_like(a, eltype(a), size(a)), a)

# Whether the number of an element is enough to find those of the leaves.
is_even(b::Base.Broadcast.Broadcasted) = all(is_even, b.args)
is_even(l::Even) = IndexStyle(l.array) isa IndexLinear
is_even(l::Stretched) = false
is_even(x::Tuple) = length(x) == 1
is_even(x) = true

function broadcast_by_number(dest, b, n::Int)
    i = item()
    i <= n && @inbounds dest[i] = Base.Broadcast.broadcast_call(b, i)
    return
end
function broadcast_by_index(dest, b, dims, n::Int)
    i = item()
    if i <= n
        I = index_at(dims, i)
        @inbounds dest[I] = Base.Broadcast.broadcast_call(b, I)
    end
    return
end
# Without axes, which kernels have no need of.
without_axes(b::Base.Broadcast.Broadcasted) = Base.Broadcast.Broadcasted{Nothing}(b.f, map(without_axes, b.args), nothing)
without_axes(x) = x

function broadcast_by_kernel!(dest::AbstractArray, b::Base.Broadcast.Broadcasted)
    axes(dest) == axes(b) || Base.Broadcast.throw_dims_dest(dest, b)
    isempty(dest) && return dest
    tree, n = without_axes(planted(b, dest, axes(dest))), length(dest)
    if IndexStyle(dest) isa IndexLinear && is_even(tree)
        launch_each(owner(dest), broadcast_by_number, n, (dest, tree, n))
    else
        launch_each(owner(dest), broadcast_by_index, n, (dest, tree, narrow_dims(size(dest)), n))
    end
    return dest
end

# The elements of an array of the device, or of plain bits, in order.
copy_by_kernel!(dest::AbstractArray, src::AbstractArray) =
    broadcast_by_kernel!(dest, Base.Broadcast.Broadcasted{Nothing}(identity, (src,), axes(dest)))

# What comes of a broadcast whose elements are of a type that is known, and can be an element of an array there.
function broadcast_by_kernel(b::Base.Broadcast.Broadcasted{S}) where {S<:DialectStyle}
    a = broadcast_by_kernel!(made(S, result_eltype(b.f, b.args), map(length, axes(b))), b)
    return ndims(a) == 0 ? only_element(a) : a
end
Base.similar(b::Base.Broadcast.Broadcasted{S}, ::Type{T}, dims) where {T,S<:DialectStyle} = made(S, T, map(d -> d isa Integer ? Int(d) : length(d), dims))
function result_eltype(f, args)
    T = Base.Broadcast.combine_eltypes(f, args)
    T !== Union{} && (isconcretetype(T) || Base.isbitsunion(T)) && return T
    throw(Device.KernelError(string("a broadcast on a device has elements of a type that is not known: `", f,
        "` of elements of ", join(map(Base.Broadcast.element_type, args), ", "), " gives ", T,
        ". The call may always fail, or give values of several types.")))
end

function map_by_kernel(f, a, rest...)
    arrays = (a, rest...)
    if !all(x -> axes(x) == axes(a), rest)
        all(x -> ndims(x) == 1, arrays) ||
            all(x -> ndims(x) == ndims(a), arrays) && throw(DimensionMismatch("arrays that are mapped over have different shapes"))
        n = minimum(length, arrays)
        arrays = map(x -> view(vec(x), 1:n), arrays)
    end
    b = Base.Broadcast.broadcasted(f, arrays...)
    return broadcast_by_kernel!(made_like(a, result_eltype(f, arrays), size(arrays[1])), Base.Broadcast.instantiate(b))
end

# The same by loops of the host, over the arrays behind those of the device.
unwrap(x) = x
unwrap(a::AbstractArray) = plain(a)
unwrap(a::AnyDialectArray) = on_host(a)
unwrap(x::Base.RefValue) = (x[] isa Array && refuse_host_array(x[]); held_on_host(x, x[]))
held_on_host(x, ::Any) = x
held_on_host(x, a::AnyDialectArray) = Ref(on_host(a))
unwrap(b::Base.Broadcast.Broadcasted) = Base.Broadcast.broadcasted(with_host_arrays(b.f), map(unwrap, b.args)...)
# What a closure has captured is read on the host as well.
with_host_arrays(f) = f
with_host_arrays(f::Function) = Adapt.adapt(OnHost(), f)

function Base.copy(b::Base.Broadcast.Broadcasted{S}) where {S<:DialectStyle}
    uses_kernels() && return broadcast_by_kernel(b)
    data = Base.Broadcast.materialize(unwrap(b))
    S <: DialectStyle{0} && return data
    data isa Array || (data = collect(data))
    return adopted(S, data)
end
function broadcast_into!(dest, b)
    uses_kernels() ? broadcast_by_kernel!(dest, b) : Base.Broadcast.materialize!(on_host(dest), unwrap(b))
    return dest
end
const OfNumbers = Base.Broadcast.Broadcasted{<:Base.Broadcast.AbstractArrayStyle{0}}
for D in (DialectArray, WrappedDialectArray), B in (Base.Broadcast.Broadcasted, OfNumbers)
    @eval Base.copyto!(dest::$D, b::$B) = broadcast_into!(dest, b)
end
# Those that packages have for the styles of all devices.
for D in (DialectArray, WrappedDialectArray), S in (:(<:DialectStyle), :Nothing)
    @eval Base.copyto!(dest::$D, b::Base.Broadcast.Broadcasted{$S}) = broadcast_into!(dest, b)
end
Base.Broadcast.materialize!(::S, dest, b::Base.Broadcast.Broadcasted) where {S<:DialectStyle} =
    copyto!(dest, Base.Broadcast.instantiate(Base.Broadcast.Broadcasted{S}(b.f, b.args, axes(dest))))
function Base.map(f, a::AnyDialectArray, rest::AnyDialectArray...)
    uses_kernels() && return map_by_kernel(f, a, rest...)
    return on_device(a, map(with_host_arrays(f), on_host(a), map(on_host, rest)...))
end
function Base.map!(f, dest::AnyDialectArray, a::AnyDialectArray, rest::AnyDialectArray...)
    uses_kernels() && !any(x -> overlaps(dest, x), (a, rest...)) ||
        return (map!(with_host_arrays(f), on_host(dest), on_host(a), map(on_host, rest)...); dest)
    arrays = (dest, a, rest...)
    if all(x -> axes(x) == axes(dest), arrays)
        broadcast_by_kernel!(dest, Base.Broadcast.instantiate(Base.Broadcast.broadcasted(f, a, rest...)))
    else
        # As many elements as the shortest has, in order.
        parts = map(x -> view(reshape(x, length(x)), 1:minimum(length, arrays)), arrays)
        broadcast_by_kernel!(parts[1], Base.Broadcast.instantiate(Base.Broadcast.broadcasted(f, Base.tail(parts)...)))
    end
    return dest
end
