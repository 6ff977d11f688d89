# What is in an array, whether it is in order, and its elements without those that are not wanted: by folds, masks and sorts.

# As with an array of the host, the answer is `missing` where a comparison is and none holds.
Base.in(x, a::AnyDialectArray) = uses_kernels() ? any(==(x), a) : in(x, on_host(a))

struct InOrder{O} <: Function
    order::O
end
@inline (o::InOrder)(x, y) = !Base.Order.lt(o.order, y, x)
Adapt.adapt_structure(to, o::InOrder) = InOrder(Adapt.adapt(to, o.order))
function Base.issorted(a::AnyDialectArray, order::Base.Order.Ordering)
    uses_kernels() || return issorted(on_host(a), order)
    n = length(a)
    flat = reshape(a, n)
    return n < 2 || fold_by_kernel(InOrder(order), &, true, (view(flat, 1:n-1), view(flat, 2:n)), :)
end

# The places of the first of all elements that are equal, in order: a stable sort brings these together, the first one first.
differ(x, y) = !isequal(x, y)
function first_places(a)
    n = length(a)
    places = sortperm(a)
    n < 2 && return places
    sorted = a[places]
    begins = fill!(made_like(a, Bool, (n,)), true)
    broadcast_by_kernel!(view(begins, 2:n), Base.Broadcast.instantiate(
        Base.Broadcast.broadcasted(differ, view(sorted, 2:n), view(sorted, 1:n-1))))
    return sort!(places[begins])
end
# Sorting needs an order in which equal elements are those that neither is before.
const Ordered = Union{Real,AbstractChar,Symbol}
check_ordered(T, what) = T <: Ordered || throw(Device.KernelError(string(what, " on a device sorts its elements, and `", T, "` has no order")))
function Base.unique(a::AnyDialectArray; dims::Union{Colon,Integer} = :)
    uses_kernels() || return on_device(a, unique(on_host(a); dims))
    dims isa Colon || refuse_scalar(owner(a), :getindex)
    check_ordered(eltype(a), "unique")
    flat = reshape(a, length(a))
    return flat[first_places(flat)]
end
function Base.unique(f, a::AnyDialectArray; seen = nothing)
    uses_kernels() && seen === nothing || return on_device(a, unique(with_host_arrays(f), on_host(a); seen))
    flat = reshape(a, length(a))
    keys = map(f, flat)
    check_ordered(eltype(keys), "unique")
    return flat[first_places(keys)]
end
function Base.allunique(a::AnyDialectArray)
    uses_kernels() || return allunique(on_host(a))
    check_ordered(eltype(a), "allunique")
    return length(first_places(reshape(a, length(a)))) == length(a)
end
Base.allequal(a::AnyDialectArray) = uses_kernels() ? length(a) < 2 || all(isequal(a_at(a, 1)), reshape(a, length(a))) : allequal(on_host(a))

Base.filter(f, a::AnyDialectArray) = uses_kernels() ? a[map(x -> f(x)::Bool, a)] : on_device(a, filter(with_host_arrays(f), on_host(a)))
function Base.filter!(f, a::DialectVector)
    uses_kernels() || return (filter!(with_host_arrays(f), a.data); a)
    kept = filter(f, a)
    return copyto!(resize!(a, length(kept)), kept)
end
function Base.append!(a::DialectVector, xs::AbstractVector)
    uses_kernels() || return (append!(a.data, on_host(xs)); a)
    n, m = length(a), length(xs)
    m == 0 && return a
    added = xs isa AnyDialectArray ? unaliased(a, xs) : wrap(a, host_copy(xs))
    resize!(a, n + m)
    copy_elements_by_kernel!(a, n + 1, added, 1, m)
    return a
end
Base.clamp!(a::AnyDialectArray, lo, hi) = uses_kernels() ? (a .= clamp.(a, lo, hi)) : (clamp!(on_host(a), lo, hi); a)
