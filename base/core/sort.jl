# Sorting: orders, insertion sort for short vectors, stable merge sort for the rest, and searching. Modules Order, Sort.

module Order
    import ..Base: isless, reverse
    using ..Base: isgreater
    export Ordering, Forward, Reverse, By, Lt, Perm, ForwardOrdering, ReverseOrdering, lt, ord
    abstract type Ordering end
    struct ForwardOrdering <: Ordering end
    struct ReverseOrdering{F <: Ordering} <: Ordering
        fwd::F
    end
    struct By{T, O <: Ordering} <: Ordering
        by::T
        order::O
    end
    struct Lt{T} <: Ordering
        lt::T
    end
    struct Perm{O <: Ordering, V <: AbstractVector} <: Ordering
        order::O
        data::V
    end
    const Forward = ForwardOrdering()
    const Reverse = ReverseOrdering(Forward)
    By(by) = By(by, Forward)
    lt(o::ForwardOrdering, a, b) = isless(a, b)
    lt(o::ReverseOrdering, a, b) = lt(o.fwd, b, a)
    lt(o::By, a, b) = lt(o.order, o.by(a), o.by(b))
    lt(o::Lt, a, b) = o.lt(a, b)
    function lt(o::Perm, a, b)
        x, y = o.data[a], o.data[b]
        lt(o.order, x, y) || (!lt(o.order, y, x) && a < b)
    end
    reverse(o::Ordering) = ReverseOrdering(o)
    reverse(o::ReverseOrdering) = o.fwd
    function ord(lt, by, rev, order::Ordering = Forward)
        o = lt === isless ? order : Lt(lt)
        o = by === identity ? o : By(by, o)
        rev === true ? reverse(o) : o
    end
end
using .Order: Order, Ordering, Forward, ord, lt

function insertion_sort!(v, lo::Int, hi::Int, o)
    for i in (lo + 1):hi
        x = v[i]
        j = i
        while j > lo && lt(o, x, v[j - 1])
            v[j] = v[j - 1]
            j -= 1
        end
        v[j] = x
    end
    v
end
function merge_sort!(v, lo::Int, hi::Int, o, scratch)
    hi - lo < 20 && return insertion_sort!(v, lo, hi, o)
    mid = (lo + hi) >>> 1
    merge_sort!(v, lo, mid, o, scratch)
    merge_sort!(v, mid + 1, hi, o, scratch)
    lt(o, v[mid + 1], v[mid]) || return v
    n = mid - lo + 1
    for k in 1:n
        scratch[k] = v[lo + k - 1]
    end
    i = 1
    j = mid + 1
    k = lo
    while i <= n && j <= hi
        if lt(o, v[j], scratch[i])
            v[k] = v[j]
            j += 1
        else
            v[k] = scratch[i]
            i += 1
        end
        k += 1
    end
    while i <= n
        v[k] = scratch[i]
        i += 1
        k += 1
    end
    v
end
sort_in_order!(v::AbstractVector, o) = merge_sort!(v, firstindex(v), lastindex(v), o, Vector{eltype(v)}(undef, cld(length(v), 2) + 1))
sort!(v::AbstractVector; alg = nothing, lt = isless, by = identity, rev = nothing, order::Ordering = Forward) =
    sort_in_order!(v, ord(lt, by, rev, order))
sort(v::AbstractVector; kws...) = sort!(copymutable(v); kws...)
sort(t::Tuple; kws...) = Tuple(sort!(collect(t); kws...))
sort(itr; kws...) = sort!(collect(itr); kws...)
function sort(a::AbstractArray; dims::Integer, kws...)
    mapslices(v -> sort(v; kws...), a; dims = dims)
end
sort!(a::AbstractArray; dims::Integer, kws...) = copyto!(a, sort(a; dims = dims, kws...))
function sortperm(v::AbstractVector; alg = nothing, lt = isless, by = identity, rev = nothing, order::Ordering = Forward)
    p = collect(eachindex(v))
    sort_in_order!(p, Order.Perm(ord(lt, by, rev, order), v))
end
sortperm!(p::AbstractVector, v::AbstractVector; kws...) = copyto!(p, sortperm(v; kws...))
function issorted(itr; lt = isless, by = identity, rev = nothing, order::Ordering = Forward)
    o = ord(lt, by, rev, order)
    y = iterate(itr)
    y === nothing && return true
    last_value, st = y
    y = iterate(itr, st)
    while y !== nothing
        Order.lt(o, y[1], last_value) && return false
        last_value, st = y
        y = iterate(itr, st)
    end
    true
end
partialsort!(v::AbstractVector, k; kws...) = (sort!(v; kws...); v[k])
partialsort(v::AbstractVector, k; kws...) = partialsort!(copymutable(v), k; kws...)
partialsortperm(v::AbstractVector, k; kws...) = sortperm(v; kws...)[k]

function searchsortedfirst(v::AbstractVector, x; lt = isless, by = identity, rev = nothing, order::Ordering = Forward)
    o = ord(lt, by, rev, order)
    lo, hi = firstindex(v), lastindex(v) + 1
    while lo < hi
        mid = (lo + hi) >>> 1
        Order.lt(o, v[mid], x) ? (lo = mid + 1) : (hi = mid)
    end
    lo
end
function searchsortedlast(v::AbstractVector, x; lt = isless, by = identity, rev = nothing, order::Ordering = Forward)
    o = ord(lt, by, rev, order)
    lo, hi = firstindex(v), lastindex(v) + 1
    while lo < hi
        mid = (lo + hi) >>> 1
        Order.lt(o, x, v[mid]) ? (hi = mid) : (lo = mid + 1)
    end
    lo - 1
end
searchsorted(v::AbstractVector, x; kws...) = searchsortedfirst(v, x; kws...):searchsortedlast(v, x; kws...)
insorted(x, v::AbstractVector; kws...) = !isempty(searchsorted(v, x; kws...))

module Sort
    import ..Base: sort, sort!, sortperm, issorted, searchsorted, searchsortedfirst, searchsortedlast, partialsort, partialsort!
    abstract type Algorithm end
    struct QuickSortAlg <: Algorithm end
    struct MergeSortAlg <: Algorithm end
    struct InsertionSortAlg <: Algorithm end
    const QuickSort = QuickSortAlg()
    const MergeSort = MergeSortAlg()
    const InsertionSort = InsertionSortAlg()
    export QuickSort, MergeSort, InsertionSort
end
using .Sort: QuickSort, MergeSort, InsertionSort

# Permutations.
isperm(p) = sort(collect(p)) == collect(1:length(p))
function invperm(p::AbstractVector)
    out = similar(p)
    for (i, j) in enumerate(p)
        out[j] = i
    end
    out
end
invperm(p::Tuple) = Tuple(invperm(collect(p)))
permute!(v::AbstractVector, p::AbstractVector) = copyto!(v, v[p])
invpermute!(v::AbstractVector, p::AbstractVector) = permute!(v, invperm(p))
