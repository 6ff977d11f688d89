# Atomix: `@atomic a[i] += x` on elements of arrays, on the host and in kernels.
#
# An order that is written holds. Where none is, loads and stores are sequentially consistent, and what reads and writes at once
# is atomic and orders nothing else, as on CUDA's devices.
module Atomix

import Base.Device
import UnsafeAtomics
import UnsafeAtomics: Ordering, unordered, monotonic, acquire, release, acq_rel, seq_cst, acquire_release,
    sequentially_consistent, right
export @atomic, @atomicswap, @atomicreplace

struct IndexableRef{A,I}
    data::A
    indices::I
end
Base.eltype(::Type{<:IndexableRef{A}}) where {A} = eltype(A)
Base.eltype(ref::IndexableRef) = eltype(ref.data)

# An element, if it is there.
@inline function element(a, indices...)
    @boundscheck checkbounds(a, indices...)
    return IndexableRef(a, indices)
end
@inline pointer(ref::IndexableRef) = Base.pointer(ref.data, linear_index(ref.data, ref.indices...))
@inline linear_index(a, i::Integer) = Int(i)
@inline linear_index(a) = 1
@inline linear_index(a, indices...) = Base.linear_index(axes(a), Base.to_indices(a, indices))
gcroot(ref) = ref
gcroot(ref::IndexableRef) = ref.data
@inline asstorable(ref, x) = convert(eltype(ref), x)

@inline order_name(order::Ordering) = UnsafeAtomics.name_of(order)
@inline order_name(order::Symbol) = order === :acq_rel ? :acquire_release : order === :seq_cst ? :sequentially_consistent : order

@inline get(ref::IndexableRef, order = seq_cst) = Device.atomic_load(pointer(ref), order_name(order))
@inline set!(ref::IndexableRef, x, order = seq_cst) = (Device.atomic_store!(pointer(ref), x, order_name(order)); x)
@inline modify!(ref::IndexableRef, op::F, x, order = monotonic) where {F} =
    Device.atomic_modify!(pointer(ref), op, x, order_name(order))
@inline swap!(ref::IndexableRef, x, order = monotonic) = Device.atomic_exchange!(pointer(ref), x, order_name(order))
@inline modify!(ref::IndexableRef, ::typeof(right), x, order = monotonic) = (x = asstorable(ref, x); swap!(ref, x, order) => x)
@inline replace!(ref::IndexableRef, expected, desired, success = seq_cst, failure = success_or_weaker(success)) =
    Device.atomic_replace!(pointer(ref), expected, desired, order_name(success), order_name(failure))
# A load has nothing to release.
@inline success_or_weaker(order) = success_or_weaker(Val(order_name(order)))
@inline success_or_weaker(::Val{order}) where {order} =
    order === :acquire_release ? :acquire : order === :release ? :monotonic : order

is_update(head) = head !== :(=) && (s = String(head); endswith(s, "=") && !(s in ("==", "<=", ">=", "!=")))

# An indexing expression as what names the element.
function reference(ref)
    ref isa Expr && ref.head === :ref || error("@atomic: expected an element of an array, got `$ref`")
    count = length(ref.args) - 1
    indices = Any[with_ends(ref.args[n+1], n, count) for n in 1:count]
    return :(let array = $(esc(ref.args[1]))
        element(array, $(indices...))
    end)
end
# An index, escaped, with `begin` and `end` as those of the array.
with_ends(ex, n, count) = has_ends(ex) ? in_place(ex, n, count) : esc(ex)
has_ends(ex) = ex === :begin || ex === :end || ex isa Expr && ex.head !== :ref && any(has_ends, ex.args)
function in_place(ex, n, count)
    ex === :begin && return count == 1 ? :(firstindex(array)) : :(firstindex(array, $n))
    ex === :end && return count == 1 ? :(lastindex(array)) : :(lastindex(array, $n))
    return ex isa Expr && ex.head !== :ref ? Expr(ex.head, Any[in_place(a, n, count) for a in ex.args]...) : esc(ex)
end

# `orders` are escaped expressions of those that were written, which follow the arguments of functions.
function expand(ex, orders = ())
    if ex isa Expr && ex.head === :(=)
        return :(set!($(reference(ex.args[1])), $(esc(ex.args[2])), $(orders...)))
    elseif ex isa Expr && is_update(ex.head)
        op = Symbol(chop(String(ex.head)))
        return :(modify!($(reference(ex.args[1])), $(esc(op)), $(esc(ex.args[2])), $(orders...)).second)
    elseif ex isa Expr && ex.head === :call && length(ex.args) == 3
        return :(modify!($(reference(ex.args[2])), $(esc(ex.args[1])), $(esc(ex.args[3])), $(orders...)).second)
    elseif ex isa Expr && ex.head === :ref
        return :(get($(reference(ex)), $(orders...)))
    end
    error("@atomic: unsupported expression `$ex`")
end

# For other packages' `@atomic`, to be escaped: the names above resolve here, the user's where the user is.
function expand_in(ex, orders = ())
    return Expr(:var"hygienic-scope", expand(ex, orders), Atomix)
end

macro atomic(ex)
    Base.@keep_expansions
    return expand(ex)
end
macro atomic(order, ex)
    Base.@keep_expansions
    return expand(ex, (esc(order),))
end
macro atomic(ref, op, x)
    Base.@keep_expansions
    return :(modify!($(reference(ref)), $(esc(op)), $(esc(x))))
end
macro atomic(order, ref, op, x)
    Base.@keep_expansions
    return :(modify!($(reference(ref)), $(esc(op)), $(esc(x)), $(esc(order))))
end
swapped(ex, orders) = ex isa Expr && ex.head === :(=) ?
    :(swap!($(reference(ex.args[1])), $(esc(ex.args[2])), $(orders...))) : error("@atomicswap: unsupported expression `$ex`")
macro atomicswap(ex)
    Base.@keep_expansions
    return swapped(ex, ())
end
macro atomicswap(order, ex)
    Base.@keep_expansions
    return swapped(ex, (esc(order),))
end
replaced(ref, pair, orders) = quote
    local pair = $(esc(pair))
    replace!($(reference(ref)), first(pair), last(pair), $(orders...))
end
macro atomicreplace(ref, pair)
    Base.@keep_expansions
    return replaced(ref, pair, ())
end
macro atomicreplace(order, ref, pair)
    Base.@keep_expansions
    return replaced(ref, pair, (esc(order),))
end
macro atomicreplace(success, failure, ref, pair)
    Base.@keep_expansions
    return replaced(ref, pair, (esc(success), esc(failure)))
end

end
