# Parts of arrays: what is indexed by ranges and arrays is an array of the device, which a kernel gathers or scatters.

const Part = Union{AbstractArray,Colon}

# Indices as kernels can read them: arrays of the host go to the device, and truths become the places of those that hold.
device_index(a, i) = i
function device_index(a, i::AbstractArray)
    isbits(i) && return i
    isempty(i) && !(eltype(i) <: Union{Integer,CartesianIndex}) && return made_like(a, Int, size(i))
    there = i isa AnyDialectArray ? i : wrap(owner(a), host_copy(i))
    return eltype(i) === Bool ? findall(there) : there
end
# Of one mask for the whole array, as a vector of numbers in order.
function device_indices(a, I::Tuple)
    for (i, n) in zip(I, 1:length(I))
        i isa AbstractArray{Bool} && check_mask(a, i, I, n)
    end
    return map(i -> device_index(a, i), I)
end
function check_mask(a, mask, I, n)
    length(I) == 1 && ndims(mask) == 1 && ndims(a) > 1 && length(mask) == length(a) && return nothing
    d = 1
    for k in 1:n-1
        d += I[k] isa AbstractArray{Bool} ? ndims(I[k]) : I[k] isa CartesianIndex ? length(I[k]) : 1
    end
    all(k -> axes(a, d + k - 1) == axes(mask, k), 1:ndims(mask)) || throw(BoundsError(a, I))
    return nothing
end
# Whether indices on the device are within bounds is found there.
Base.checkindex(::Type{Bool}, inds::AbstractUnitRange, I::AnyDialectArray) = isempty(I) || all(within(first(inds), last(inds)), I)
within(lo, hi) = i -> lo <= i <= hi
Base.checkindex_axes(inds::Tuple, I::AnyDialectArray) = eltype(I) <: CartesianIndex ?
    isempty(I) || all(i -> Base.checkbounds_indices(Bool, inds, i.I), I) : invoke(Base.checkindex_axes, Tuple{Tuple,Any}, inds, I)

function part(a::AnyDialectArray, I::Tuple)
    uses_kernels() || return on_device(a, getindex(on_host(a), checked_indices(a, I...)...))
    J = Base.to_indices(a, device_indices(a, I))
    checkbounds(a, J...)
    return gathered(a, J)
end
# The elements at indices that are within bounds.
function gathered(a, J::Tuple)
    K = Base.ensure_indexable(J)
    return device_copy(SubArray(Base.view_parent(a, K), K))
end
function set_part!(a::AnyDialectArray, x, I::Tuple)
    uses_kernels() || return (setindex!(on_host(a), on_host(x), checked_indices(a, I...)...); a)
    J = Base.to_indices(a, device_indices(a, I))
    checkbounds(a, J...)
    x isa AbstractArray || throw(ArgumentError(string("indexed assignment with a single value to possibly many locations ",
        "is not supported; perhaps use broadcasting `.=` instead?")))
    Base.setindex_shape_check(x, Base.index_dims(J...)...)
    K = Base.ensure_indexable(J)
    dest = SubArray(Base.view_parent(a, K), K)
    source = x isa AnyDialectArray || isbits(x) ? x : wrap(owner(a), host_copy(x))
    copy_by_kernel!(dest, reshape(source isa AnyDialectArray ? unaliased(a, source) : source, size(dest)))
    return a
end
for A in (DialectArray, WrappedDialectArray), count in 1:4, part in 1:count
    # The first that is no number is number `part`.
    before, after = Any[:($(Symbol(:i, n))::Integer) for n in 1:part-1], Any[Symbol(:i, n) for n in part+1:count]
    all = Any[Symbol(:i, n) for n in 1:count]
    @eval Base.getindex(a::$A, $(before...), $(Symbol(:i, part))::Part, $(after...)) = $(GlobalRef(@__MODULE__, :part))(a, ($(all...),))
    @eval Base.setindex!(a::$A, x, $(before...), $(Symbol(:i, part))::Part, $(after...)) = set_part!(a, x, ($(all...),))
end

# The indices on the host. One out of bounds is out of those of the array that the program has, not of the one behind it.
function checked_indices(a, I...)
    J = map(on_host, I)
    checkbounds(a, Base.to_indices(on_host(a), J)...)
    return J
end

# A view of elements that follow each other in memory is an array of the device itself.
@inline function Base.view(a::DialectArray, I...)
    J = Base.to_indices(a.data, any(i -> i isa AbstractArray{Bool}, I) ? device_indices(a, I) : I)
    checkbounds(a, J...)
    return contiguous_view(a, is_contiguous(J...), J)
end
# Kernels read indices, so these are on the device.
function contiguous_view(a, ::Val{false}, J)
    K = map(i -> device_index(a, i), Base.ensure_indexable(J))
    return SubArray(Base.view_parent(a, K), K)
end
# Of ranges it depends on their lengths.
contiguous_view(a, ::Nothing, J) =
    follow_each_other(size(Base.view_parent(a.data, J)), J) ? contiguous_view(a, Val(true), J) : contiguous_view(a, Val(false), J)
contiguous_view(a, ::Val{true}, J) =
    wrap(a, Base.array_at(a.data, Base.view_first(Base.view_parent(a.data, J), J), Base.index_dims(J...)), a.memory)
is_contiguous() = Val(true)
is_contiguous(i::Base.Slice, rest...) = is_contiguous(rest...)
is_contiguous(i, rest...) = contiguous_kind(i, rest)
const NumberOrRange = Union{Int,AbstractUnitRange}
contiguous_kind(::NumberOrRange, rest::Tuple{Vararg{Int}}) = Val(true)
contiguous_kind(::NumberOrRange, rest::Tuple{Vararg{NumberOrRange}}) = nothing
contiguous_kind(i, rest) = Val(false)
# Whether each range of several elements begins a new one of the dimension before it where that ends.
function follow_each_other(dims::Dims, J::Tuple)
    stride = next = 1
    for (n, i) in zip(dims, J)
        if length(i) != 1
            stride == next || return false
            next = stride * length(i)
        end
        stride *= n
    end
    return true
end
