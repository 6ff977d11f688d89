# Orders, and searching in what is sorted. Modules Order and Sort.

module Order
    import ..Base: isless, reverse, show
    using ..Base: error, identity
    export Ordering, Forward, Reverse, By, Lt, Perm, ForwardOrdering, ReverseOrdering, DirectOrdering, lt, ord, ordtype
    """
        Ordering

    The supertype of the orders by which sorting and searching compare: `lt(order, a, b)` says whether `a` comes before `b`.
    """
    abstract type Ordering end
    struct ForwardOrdering <: Ordering end
    """
        ReverseOrdering(order)

    The order that puts `b` before `a` where `order` puts `a` before `b`.
    """
    struct ReverseOrdering{F <: Ordering} <: Ordering
        fwd::F
    end
    ReverseOrdering(rev::ReverseOrdering) = rev.fwd
    ReverseOrdering{F}() where {F <: Ordering} = ReverseOrdering{F}(F())
    ReverseOrdering() = ReverseOrdering(ForwardOrdering())
    const DirectOrdering = Union{ForwardOrdering, ReverseOrdering{ForwardOrdering}}
    """
        By(by, order = Forward)

    The order that compares `by(a)` with `by(b)`.
    """
    struct By{T, O} <: Ordering
        by::T
        order::O
    end
    """
        Lt(lt)

    The order of a function `lt(a, b)` that says whether `a` comes before `b`.
    """
    struct Lt{T} <: Ordering
        lt::T
    end
    """
        Perm(order, data)

    The order of the indices of `data` by the elements at them. Indices of equal elements keep their own order.
    """
    struct Perm{O <: Ordering, V <: AbstractVector} <: Ordering
        order::O
        data::V
    end
    """
        Forward

    The order of `isless`.
    """
    const Forward = ForwardOrdering()
    """
        Reverse

    The order of `isless`, backwards.
    """
    const Reverse = ReverseOrdering(Forward)
    By(by) = By(by, Forward)
    ReverseOrdering(by::By) = By(by.by, ReverseOrdering(by.order))
    ReverseOrdering(perm::Perm) = Perm(ReverseOrdering(perm.order), perm.data)
    """
        lt(order, a, b)

    Whether `a` comes before `b` in an order.
    """
    lt(o::ForwardOrdering, a, b) = isless(a, b)
    lt(o::ReverseOrdering, a, b) = lt(o.fwd, b, a)
    lt(o::By, a, b) = lt(o.order, o.by(a), o.by(b))
    lt(o::Lt, a, b) = o.lt(a, b)
    function lt(o::Perm, a, b)
        x = @inbounds o.data[a]
        y = @inbounds o.data[b]
        lt(o.order, x, y) === true || (!(lt(o.order, y, x) === true) && a < b)
    end
    reverse(o::Ordering) = ReverseOrdering(o)
    reverse(o::ReverseOrdering) = o.fwd
    plain_order(lt, by, order) = order_by(by, order_of(lt, order))
    order_by(::typeof(identity), order) = order
    order_by(by, order) = By(by, order)
    # A comparison takes the place of `isless`, which the two orders that are given by name stand on.
    order_of(::typeof(isless), order) = order
    order_of(::typeof(isless), order::ForwardOrdering) = order
    order_of(::typeof(isless), order::ReverseOrdering{ForwardOrdering}) = order
    order_of(lt, ::ForwardOrdering) = Lt(lt)
    order_of(lt, ::ReverseOrdering{ForwardOrdering}) = ReverseOrdering(Lt(lt))
    order_of(lt, order) =
        error("Passing both lt= and order= arguments is ambiguous; please pass order=Forward or order=Reverse (or leave default)")
    """
        ord(lt, by, rev, order = Forward)

    The order that the keywords of `sort` stand for: `lt` compares, `by` is applied first, and `rev` turns the order around.
    """
    ord(lt, by, rev::Nothing, order::Ordering = Forward) = plain_order(lt, by, order)
    function ord(lt, by, rev::Bool, order::Ordering = Forward)
        o = plain_order(lt, by, order)
        rev ? ReverseOrdering(o) : o
    end
    ordtype(o::ReverseOrdering, vs::AbstractArray) = ordtype(o.fwd, vs)
    ordtype(o::Perm, vs::AbstractArray) = ordtype(o.order, o.data)
    ordtype(o::By, vs::AbstractArray) = try typeof(o.by(vs[1])) catch; Any end
    ordtype(o::Ordering, vs::AbstractArray) = eltype(vs)
end
using .Order: Order, Ordering, Forward, Reverse, By, Lt, Perm, ForwardOrdering, ReverseOrdering, DirectOrdering, ord, lt, ordtype

"""
    issorted(itr; lt = isless, by = identity, rev = false, order = Forward)

Whether no element comes before the one ahead of it.
"""
function issorted(itr, order::Ordering)
    y = iterate(itr)
    y === nothing && return true
    before, st = y
    y = iterate(itr, st)
    while y !== nothing
        lt(order, y[1], before) && return false
        before, st = y
        y = iterate(itr, st)
    end
    true
end
issorted(itr; lt = isless, by = identity, rev::Union{Bool, Nothing} = nothing, order::Ordering = Forward) =
    issorted(itr, ord(lt, by, rev, order))

"""
    searchsortedfirst(v, x; ...)

The index of the first element of a sorted vector that is not less than `x`; one after the last index if all are less.
"""
function searchsortedfirst(v::AbstractVector, x, lo::T, hi::T, o::Ordering)::keytype(v) where {T <: Integer}
    n = hi - lo + oneunit(T)
    while n > zero(n)
        half = n >>> 1
        mid = lo + half
        if lt(o, (@inbounds v[mid]), x)
            lo = mid + oneunit(T)
            n -= half + oneunit(n)
        else
            n = half
        end
    end
    lo
end
"""
    searchsortedlast(v, x; ...)

The index of the last element of a sorted vector that is not greater than `x`; one before the first index if all are
greater.
"""
function searchsortedlast(v::AbstractVector, x, lo::T, hi::T, o::Ordering)::keytype(v) where {T <: Integer}
    n = hi - lo + oneunit(T)
    while n > zero(n)
        half = n >>> 1
        mid = lo + half
        if lt(o, x, (@inbounds v[mid]))
            n = half
        else
            lo = mid + oneunit(T)
            n -= half + oneunit(n)
        end
    end
    lo - oneunit(T)
end
"""
    searchsorted(v, x; ...)

The range of indices at which a sorted vector holds elements equal to `x`. It is empty, and says where `x` belongs, if
there are none.
"""
searchsorted(v::AbstractVector, x, lo::T, hi::T, o::Ordering) where {T <: Integer} =
    searchsortedfirst(v, x, lo, hi, o):searchsortedlast(v, x, lo, hi, o)
for name in (:searchsortedfirst, :searchsortedlast, :searchsorted)
    @eval begin
        $name(v::AbstractVector, x, o::Ordering) = (inds = eachindex(v); $name(v, x, first(inds), last(inds), o))
        $name(v::AbstractVector, x; lt = isless, by = identity, rev::Union{Bool, Nothing} = nothing, order::Ordering = Forward) =
            $name(v, x, ord(lt, by, rev, order))
        $name(v::AbstractVector, x, lo::Integer, hi::Integer, o::Ordering) = $name(v, x, promote(lo, hi)..., o)
    end
end
searchsortedfirst(r::AbstractRange, x, o::Ordering) = searchsortedfirst(r, x, 1, Int(length(r)), o)
searchsortedlast(r::AbstractRange, x, o::Ordering) = searchsortedlast(r, x, 1, Int(length(r)), o)
searchsorted(r::AbstractRange, x, o::Ordering) = searchsorted(r, x, 1, Int(length(r)), o)
searchsortedfirst(s::IdentityRange, x, o::Ordering) = searchsortedfirst(s, x, first(s), last(s), o)
searchsortedlast(s::IdentityRange, x, o::Ordering) = searchsortedlast(s, x, first(s), last(s), o)
"""
    insorted(x, v; ...)

Whether a sorted vector holds an element equal to `x`.
"""
insorted(x, v::AbstractVector; kws...) = !isempty(searchsorted(v, x; kws...))
insorted(x, r::AbstractRange) = in(x, r)

"""
    sort(v; lt = isless, by = identity, rev = false, order = Forward, alg)
    sort(A; dims, ...)

A sorted copy of a vector, of an iterator's elements or, along `dims`, of an array. Equal elements keep their order.

```julia
sort([3, 1, 2]; rev = true)    # [3, 2, 1]
```
"""
function sort end
"""
    sort!(v; lt = isless, by = identity, rev = false, order = Forward, alg)
    sort!(A; dims, ...)

Sorts a vector, or an array along `dims`, in place and returns it. The keywords are those of `sort`.
"""
function sort! end
"""
    sortperm(v; ...)

The indices of `v` in the order of its elements: `v[sortperm(v)]` is sorted. The keywords are those of `sort`.
"""
function sortperm end
"""
    sortperm!(p, v; ...)

Stores the indices of `v` in the order of its elements in `p`.
"""
function sortperm! end
"""
    partialsort(v, k; ...)

The element, or the elements if `k` is a range, that stand at `k` when `v` is sorted. `v` stays as it is.
"""
function partialsort end
"""
    partialsort!(v, k; ...)

Moves the elements that belong at `k` there, without sorting the others, and returns them.
"""
function partialsort! end
"""
    partialsortperm(v, k; ...)

The indices of the elements that stand at `k` when `v` is sorted.
"""
function partialsortperm end
"""
    partialsortperm!(p, v, k; ...)

Orders the indices in `p` as far as `k` and returns those at `k`.
"""
function partialsortperm! end
