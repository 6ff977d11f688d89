# Sorting: insertion sort for short runs, a stable merge sort for the rest, quicksort where order among equals does not
# matter or only a part is wanted. Module Sort.

module Sort

import ..Base: sort, sort!, sortperm, sortperm!, partialsort, partialsort!, partialsortperm, partialsortperm!, size, getindex,
    setindex!, IndexStyle, show
using ..Base: Ordering, Forward, Reverse, ForwardOrdering, ReverseOrdering, DirectOrdering, By, Perm, ord, lt, copymutable, searchsorted,
    searchsortedfirst, searchsortedlast, issorted, insorted, nonmissingtype, BitInteger, IEEEFloat, reinterpret, tail
using ..Base: @inbounds, @inline, @propagate_inbounds, @noinline

export sort, sort!, sortperm, sortperm!, partialsort, partialsort!, partialsortperm, partialsortperm!, searchsorted,
    searchsortedfirst, searchsortedlast, issorted, insorted, InsertionSort, MergeSort, QuickSort, PartialQuickSort,
    Algorithm, DEFAULT_UNSTABLE, DEFAULT_STABLE, SMALL_ALGORITHM, SMALL_THRESHOLD

# The values `lo`, `hi`, `scratch`... that an algorithm is handed, under these names, or what they are when not given.
macro getkw(syms...)
    Expr(:escape, Expr(:block, Base.map(sym -> Expr(:(=), sym, Expr(:call, GlobalRef(Sort, getter_of(sym)), :v, :o, :kw)), syms)...))
end
getter_of(sym) = sym === :lo ? :_lo : sym === :hi ? :_hi : sym === :mn ? :_mn : sym === :mx ? :_mx : sym === :scratch ? :_scratch : :_legacy_dispatch_entry
_lo(v, o, kw) = haskey(kw, :lo) ? kw.lo : firstindex(v)
_hi(v, o, kw) = haskey(kw, :hi) ? kw.hi : lastindex(v)
_mn(v, o, kw) = kw.mn
_mx(v, o, kw) = kw.mx
_scratch(v, o, kw) = haskey(kw, :scratch) ? kw.scratch : nothing
_legacy_dispatch_entry(v, o, kw) = haskey(kw, :legacy_dispatch_entry) ? kw.legacy_dispatch_entry : nothing

abstract type Algorithm end
struct InsertionSortAlg <: Algorithm end
struct MergeSortAlg <: Algorithm end
struct DefaultStable <: Algorithm end
struct DefaultUnstable <: Algorithm end
struct CountingSort <: Algorithm end
struct RadixSort <: Algorithm end
"""
    PartialQuickSort(k)

Quicksort that leaves the elements in order only at the index `k` or, if `k` is a range, in that range. It is not stable.
"""
struct PartialQuickSort{L <: Union{Integer, Missing}, H <: Union{Integer, Missing}} <: Algorithm
    lo::L
    hi::H
end
PartialQuickSort(k::Integer) = PartialQuickSort(missing, k)
PartialQuickSort(k::OrdinalRange) = PartialQuickSort(first(k), last(k))
struct ScratchQuickSort{L <: Union{Integer, Missing}, H <: Union{Integer, Missing}, T <: Algorithm} <: Algorithm
    lo::L
    hi::H
    next::T
end
"""
    InsertionSort

Insertion sort: stable, in place, quick for short vectors, and of quadratic cost.
"""
const InsertionSort = InsertionSortAlg()
"""
    MergeSort

Merge sort: stable, with a scratch vector of half the length.
"""
const MergeSort = MergeSortAlg()
"""
    QuickSort

Quicksort: in place, not stable.
"""
const QuickSort = PartialQuickSort(missing, missing)
"""
    SMALL_ALGORITHM

The algorithm that sorts short runs for the others.
"""
const SMALL_ALGORITHM = InsertionSort
const SMALL_THRESHOLD = 20
ScratchQuickSort(next::Algorithm = InsertionSort) = ScratchQuickSort(missing, missing, next)
ScratchQuickSort(k::Union{Integer, Missing}, next::Algorithm = InsertionSort) = ScratchQuickSort(k, k, next)
ScratchQuickSort(lo::Union{Integer, Missing}, hi::Union{Integer, Missing}) = ScratchQuickSort(lo, hi, InsertionSort)
ScratchQuickSort(k::OrdinalRange, next::Algorithm = InsertionSort) = ScratchQuickSort(first(k), last(k), next)
# Sets what is missing apart before the next algorithm runs.
struct InitialOptimizations{T} <: Algorithm
    next::T
end
"""
    DEFAULT_STABLE

The algorithm of `sort` where the order of equal elements counts.
"""
const DEFAULT_STABLE = DefaultStable()
"""
    DEFAULT_UNSTABLE

The algorithm of `sortperm` and others for which the order of equal elements does not count.
"""
const DEFAULT_UNSTABLE = DefaultUnstable()
defalg(v) = DEFAULT_STABLE
show(io::IO, ::DefaultStable) = print(io, "Base.Sort.DefaultStable()")
show(io::IO, ::DefaultUnstable) = print(io, "Base.Sort.DefaultUnstable()")

midpoint(lo::T, hi::T) where {T <: Integer} = lo + ((hi - lo) >>> 0x01)
midpoint(lo::Integer, hi::Integer) = midpoint(promote(lo, hi)...)

# A vector whose missing values were moved out of the part that is sorted.
struct WithoutMissingVector{T, U} <: AbstractVector{T}
    data::U
    function WithoutMissingVector(data; unsafe = false)
        !unsafe && any(ismissing, data) && throw(ArgumentError("data must not contain missing values"))
        new{nonmissingtype(eltype(data)), typeof(data)}(data)
    end
end
@propagate_inbounds getindex(v::WithoutMissingVector{T}, i::Int) where {T} = v.data[i]::T
@propagate_inbounds getindex(v::WithoutMissingVector, I::Union{Vector{<:Integer}, AbstractRange{<:Integer}}) = WithoutMissingVector(v.data[I]; unsafe = true)
@propagate_inbounds setindex!(v::WithoutMissingVector, x, i::Int) = (v.data[i] = x; v)
size(v::WithoutMissingVector) = size(v.data)
Base.axes(v::WithoutMissingVector) = axes(v.data)
IndexStyle(::Type{<:WithoutMissingVector}) = Base.IndexLinear()

# Values as unsigned integers of the same order.
UIntMappable(::Type{T}, order::Ordering) where {T} = unsigned_of(T, order)
unsigned_of(T, order) = nothing
unsigned_of(::Type{T}, ::DirectOrdering) where {T <: BitInteger} = isconcretetype(T) ? unsigned(T) : nothing
unsigned_of(::Type{Float16}, ::DirectOrdering) = UInt16
unsigned_of(::Type{Float32}, ::DirectOrdering) = UInt32
unsigned_of(::Type{Float64}, ::DirectOrdering) = UInt64
unsigned_of(::Type{Char}, ::DirectOrdering) = UInt32
unsigned_of(::Type{Union{}}, ::DirectOrdering) = nothing
uint_map(x::Unsigned, ::ForwardOrdering) = x
uint_map(x::Signed, ::ForwardOrdering) = unsigned(xor(x, typemin(x)))
uint_map(x::Char, ::ForwardOrdering) = reinterpret(UInt32, x)
function uint_map(x::IEEEFloat, ::ForwardOrdering)
    u = reinterpret(unsigned_of(typeof(x), Forward), x)
    top = one(u) << (8 * sizeof(u) - 1)
    u & top != 0 ? ~u : u | top
end
uint_map(x, o::ReverseOrdering) = ~uint_map(x, o.fwd)
uint_unmap(::Type{T}, u::Unsigned, ::ForwardOrdering) where {T <: Unsigned} = u % T
uint_unmap(::Type{T}, u::Unsigned, ::ForwardOrdering) where {T <: Signed} = xor(signed(u), typemin(T))
uint_unmap(::Type{Char}, u::UInt32, ::ForwardOrdering) = reinterpret(Char, u)
function uint_unmap(::Type{T}, u::Unsigned, ::ForwardOrdering) where {T <: IEEEFloat}
    top = one(u) << (8 * sizeof(u) - 1)
    reinterpret(T, u & top != 0 ? u ⊻ top : ~u)
end
uint_unmap(::Type{T}, u::Unsigned, o::ReverseOrdering) where {T} = uint_unmap(T, ~u, o.fwd)
function uint_map!(v::AbstractVector, lo::Integer, hi::Integer, order::Ordering)
    U = unsigned_of(eltype(v), order)
    u = similar(v, U)
    for i in lo:hi
        u[i] = uint_map(v[i], order)
    end
    u
end
function uint_unmap!(v::AbstractVector{T}, u::AbstractVector{U}, lo::Integer, hi::Integer, order::Ordering, offset = zero(U)) where {T, U <: Unsigned}
    for i in lo:hi
        v[i] = uint_unmap(T, U(u[i] + offset), order)
    end
    v
end

# Each algorithm's work on `v[lo:hi]`.
function _sort!(v::AbstractVector, ::InsertionSortAlg, o::Ordering, kw)
    @getkw lo hi
    insertion_sort!(v, lo, hi, o)
    _scratch(v, o, kw)
end
function insertion_sort!(v, lo::Integer, hi::Integer, o::Ordering)
    for i in (lo + 1):hi
        x = @inbounds v[i]
        j = i
        while j > lo && lt(o, x, @inbounds v[j - 1]) === true
            @inbounds v[j] = v[j - 1]
            j -= 1
        end
        @inbounds v[j] = x
    end
    v
end
function merge_sort!(v, lo::Int, hi::Int, o, scratch)
    hi - lo < SMALL_THRESHOLD && return insertion_sort!(v, lo, hi, o)
    mid = midpoint(lo, hi)
    merge_sort!(v, lo, mid, o, scratch)
    merge_sort!(v, mid + 1, hi, o, scratch)
    lt(o, v[mid + 1], v[mid]) === true || return v
    n = mid - lo + 1
    for k in 1:n
        @inbounds scratch[k] = v[lo + k - 1]
    end
    i = 1
    j = mid + 1
    k = lo
    while i <= n && j <= hi
        x = @inbounds scratch[i]
        y = @inbounds v[j]
        if lt(o, y, x) === true
            @inbounds v[k] = y
            j += 1
        else
            @inbounds v[k] = x
            i += 1
        end
        k += 1
    end
    while i <= n
        @inbounds v[k] = scratch[i]
        i += 1
        k += 1
    end
    v
end
merge_all!(v, lo, hi, o) = hi - lo < SMALL_THRESHOLD ? insertion_sort!(v, lo, hi, o) :
    merge_sort!(v, Int(lo), Int(hi), o, Vector{eltype(v)}(undef, cld(hi - lo + 1, 2) + 1))
function _sort!(v::AbstractVector, ::MergeSortAlg, o::Ordering, kw)
    @getkw lo hi
    merge_all!(v, lo, hi, o)
    nothing
end
_sort!(v::AbstractVector, ::Union{DefaultStable, DefaultUnstable}, o::Ordering, kw) = _sort!(v, InitialOptimizations(MergeSort), o, kw)
function _sort!(v::AbstractVector, a::ScratchQuickSort, o::Ordering, kw)
    @getkw lo hi
    merge_all!(v, lo, hi, o)
    nothing
end
function _sort!(v::AbstractVector, a::PartialQuickSort, o::Ordering, kw)
    @getkw lo hi
    quick_sort!(v, Int(lo), Int(hi), a.lo === missing ? Int(lo) : Int(a.lo), a.hi === missing ? Int(hi) : Int(a.hi), o)
    nothing
end
function quick_sort!(v, lo::Int, hi::Int, from::Int, to::Int, o)
    while lo < hi
        hi - lo < SMALL_THRESHOLD && return insertion_sort!(v, lo, hi, o)
        j = partition_around!(v, lo, hi, o)
        if j <= from
            lo = j + 1
            j == from == to && return v
        elseif j >= to
            hi = j - 1
        elseif j - lo < hi - j
            lo < j && quick_sort!(v, lo, j - 1, from, to, o)
            lo = j + 1
        else
            quick_sort!(v, j + 1, hi, from, to, o)
            hi = j - 1
        end
    end
    v
end
# The median of three goes to its place; smaller elements before it, greater ones behind.
function partition_around!(v, lo, hi, o)
    mid = midpoint(lo, hi)
    lt(o, v[lo], v[mid]) === true && ((v[mid], v[lo]) = (v[lo], v[mid]))
    if lt(o, v[hi], v[lo]) === true
        if lt(o, v[hi], v[mid]) === true
            v[hi], v[lo], v[mid] = v[lo], v[mid], v[hi]
        else
            v[hi], v[lo] = v[lo], v[hi]
        end
    end
    pivot = v[lo]
    i, j = lo, hi
    while true
        i += 1
        j -= 1
        while i < hi && lt(o, v[i], pivot) === true
            i += 1
        end
        while j > lo && lt(o, pivot, v[j]) === true
            j -= 1
        end
        i >= j && break
        v[i], v[j] = v[j], v[i]
    end
    v[j], v[lo] = pivot, v[j]
    j
end
function _sort!(v::AbstractVector, ::CountingSort, o::Ordering, kw)
    @getkw lo hi
    mn, mx = haskey(kw, :mn) ? (kw.mn, kw.mx) : extrema(v)
    backward = o isa ReverseOrdering
    low = min(mn, mx)
    counts = zeros(Int, Int(max(mn, mx) - low) + 1)
    for i in lo:hi
        counts[Int(v[i] - low) + 1] += 1
    end
    at = lo
    for k in (backward ? (length(counts):-1:1) : (1:1:length(counts)))
        for _ in 1:counts[k]
            v[at] = low + (k - 1)
            at += 1
        end
    end
    nothing
end
_sort!(v::AbstractVector, ::RadixSort, o::Ordering, kw) = _sort!(v, MergeSort, o, kw)
# Missing values sort last, or first in reverse; the rest keep their order when they move together.
function _sort!(v::AbstractVector, a::InitialOptimizations, o::Ordering, kw)
    @getkw lo hi
    hi <= lo && return nothing
    T = eltype(v)
    T === Missing && o isa DirectOrdering && return nothing
    if T >: Missing && o isa DirectOrdering && nonmissingtype(T) !== T && nonmissingtype(T) !== Union{}
        lo, hi = set_missing_apart!(v, lo, hi, o isa ForwardOrdering)
        return _sort!(WithoutMissingVector(v; unsafe = true), a.next, o, (; without(kw)..., lo = lo, hi = hi))
    end
    _sort!(v, a.next, o, kw)
end
without(kw) = kw
function set_missing_apart!(v, lo, hi, last)
    kept = [v[i] for i in lo:hi if !ismissing(v[i])]
    n = length(kept)
    start = last ? lo : hi - n + 1
    for k in 1:n
        v[start + k - 1] = kept[k]
    end
    for i in (last ? ((lo + n):hi) : (lo:(hi - n)))
        v[i] = missing
    end
    (start, start + n - 1)
end
# Algorithms of packages define either `_sort!` or `sort!` with bounds; each leads to the other, once.
function _sort!(v::AbstractVector, a::Algorithm, o::Ordering, kw)
    @getkw lo hi
    _legacy_dispatch_entry(v, o, kw) === a && throw(ArgumentError(string("Base.Sort._sort!(::", typeof(v), ", ::", typeof(a), ", ::", typeof(o), ") is not defined")))
    sort!(v, lo, hi, a, o)
    nothing
end
function sort!(v::AbstractVector, lo::Integer, hi::Integer, a::Algorithm, o::Ordering)
    _sort!(v, a, o, (; lo = lo, hi = hi, legacy_dispatch_entry = a))
    v
end
sort!(v::AbstractVector, a::Algorithm, o::Ordering) = (_sort!(v, a, o, (;)); v)
_sort!(v, a::Algorithm, o::Ordering) = _sort!(v, a, o, (;))
sort!(v::AbstractVector, lo::Integer, hi::Integer, a::Algorithm, o::Ordering, scratch) =
    (_sort!(v, a, o, (; lo = lo, hi = hi, scratch = scratch)); v)

# Entry points.
function sort!(v::AbstractVector; alg::Algorithm = defalg(v), lt = isless, by = identity, rev::Union{Bool, Nothing} = nothing,
        order::Ordering = Forward, scratch = nothing)
    _sort!(v, alg, ord(lt, by, rev, order), (; scratch = scratch))
    v
end
sort(v::AbstractVector; kws...) = sort!(copymutable(v); kws...)
sort(::AbstractString; kws...) = throw(ArgumentError("sort(::AbstractString) is not supported"))
sort(x::Union{NamedTuple, AbstractDict, AbstractSet}; kws...) = throw(ArgumentError(string("sort(::", nameof(typeof(x)), ") is not supported")))
sort(t::Tuple; kws...) = throw(MethodError(sort, (t,)))
sort(itr; kws...) = sort_iterator(Base.IteratorSize(itr), itr; kws...)
sort_iterator(::Base.IsInfinite, itr; kws...) = throw(ArgumentError("infinite iterators cannot be sorted"))
sort_iterator(::Base.HasShape{0}, itr; kws...) = throw(ArgumentError(string(itr, " cannot be sorted")))
sort_iterator(::Base.IteratorSize, itr; kws...) = sort!(collect(itr); kws...)
function sort(t::NTuple{N, T}; alg::Algorithm = DEFAULT_STABLE, lt = isless, by = identity, rev::Union{Bool, Nothing} = nothing,
        order::Ordering = Forward, scratch = nothing) where {N, T}
    _sort(t, alg, ord(lt, by, rev, order), (; scratch = scratch))::typeof(t)
end
_sort(t::Tuple{}, ::DefaultStable, o::Ordering, kw) = t
_sort(t::NTuple{N, T}, ::DefaultStable, o::Ordering, kw) where {N, T <: Union{Number, AbstractChar, AbstractString, Symbol, Missing, Tuple, Nothing, AbstractVector}} =
    N < 10 ? sort_tuple(t, o) : (v = T[t...]; _sort!(v, DEFAULT_STABLE, o, kw); (v...,))
# Insertion without an array: of elements that are equal the first one goes in last, before the others.
sort_tuple(t::Tuple{}, o) = t
@inline sort_tuple(t::Tuple, o) = insert_sorted(t[1], sort_tuple(tail(t), o), o)
insert_sorted(x, ::Tuple{}, o) = (x,)
@inline insert_sorted(x, t::Tuple, o) = lt(o, t[1], x) === true ? (t[1], insert_sorted(x, tail(t), o)...) : (x, t...)
@noinline throw_sort_dims() = throw(ArgumentError("dimension out of range"))
sort(a::AbstractArray; dims::Integer, kws...) = sort!(copymutable(a); dims = dims, kws...)
function sort!(a::AbstractArray; dims::Integer, alg::Algorithm = DEFAULT_STABLE, lt = isless, by = identity,
        rev::Union{Bool, Nothing} = nothing, order::Ordering = Forward, scratch = nothing)
    1 <= dims <= ndims(a) || throw_sort_dims()
    sort_slices!(a, Int(dims), alg, ord(lt, by, rev, order))
end
function sort_slices!(a::AbstractArray{T, N}, d, alg, o) where {T, N}
    for I in CartesianIndices(ntuple(k -> k == d ? Base.OneTo(1) : axes(a, k), Val(N)))
        _sort!(view(a, ntuple(k -> k == d ? Colon() : I[k], Val(N))...), alg, o, (;))
    end
    a
end
function sortperm(a::AbstractArray; alg::Algorithm = DEFAULT_UNSTABLE, lt = isless, by = identity, rev::Union{Bool, Nothing} = nothing,
        order::Ordering = Forward, scratch = nothing, dims...)
    p = copymutable(LinearIndices(a))
    permute_by!(p, a, alg, ord(lt, by, rev, order), (; dims...))
end
permute_by!(p::AbstractVector, a, alg, o, dims::@NamedTuple{}) = (_sort!(p, alg, Perm(o, vec(a)), (;)); p)
permute_by!(p::AbstractVector, a, alg, o, dims::NamedTuple) = (1 <= dims.dims <= 1 || throw_sort_dims(); permute_by!(p, a, alg, o, (;)))
permute_by!(p::AbstractArray, a, alg, o, dims::@NamedTuple{}) = throw(Base.UndefKeywordError(:dims))
function permute_by!(p::AbstractArray, a, alg, o, dims::NamedTuple)
    1 <= dims.dims <= ndims(a) || throw_sort_dims()
    sort_slices!(p, Int(dims.dims), alg, Perm(o, vec(a)))
end
function sortperm!(p::AbstractArray{<:Integer}, a::AbstractArray; alg::Algorithm = DEFAULT_UNSTABLE, lt = isless, by = identity,
        rev::Union{Bool, Nothing} = nothing, order::Ordering = Forward, initialized::Bool = false, scratch = nothing, dims...)
    (p isa AbstractVector) == (a isa AbstractVector) && (p isa AbstractVector) == isempty(dims) ||
        throw(ArgumentError("index array and source array must both be vectors, without dims, or both be arrays, with dims"))
    axes(p) == axes(a) || throw(ArgumentError(string("index array must have the same axes as the source array, ", axes(p), " != ", axes(a))))
    initialized || copyto!(p, LinearIndices(a))
    isempty(dims) || 1 <= dims[:dims] <= ndims(a) || throw_sort_dims()
    permute_by!(p, a, alg, ord(lt, by, rev, order), (; dims...))
end
# A part of what sorting would give.
function partialsort!(v::AbstractVector, k::Union{Integer, OrdinalRange}; lt = isless, by = identity,
        rev::Union{Bool, Nothing} = nothing, order::Ordering = Forward)
    partialsort!(v, k, ord(lt, by, rev, order))
end
part(v, k::Integer) = v[k]
part(v, k::OrdinalRange) = view(v, k)
function partialsort!(v::AbstractVector, k::Union{Integer, OrdinalRange}, o::Ordering)
    lo, hi = isempty(k) ? (1, 0) : k isa Integer ? (Int(k), Int(k)) : (Int(minimum(k)), Int(maximum(k)))
    eltype(v) >: Missing ? _sort!(v, DEFAULT_STABLE, o, (;)) : _sort!(v, PartialQuickSort(lo, hi), o, (;))
    part(v, k)
end
partialsort(v::AbstractVector, k::Union{Integer, OrdinalRange}; kws...) =
    (r = partialsort!(copymutable(v), k; kws...); r isa AbstractArray && k isa OrdinalRange ? copy(r) : r)
function partialsortperm(v::AbstractVector, k::Union{Integer, OrdinalRange}; kws...)
    p = similar(Vector{Int}, axes(v))
    r = partialsortperm!(p, v, k; kws...)
    r
end
function partialsortperm!(p::AbstractVector{<:Integer}, v::AbstractVector, k::Union{Integer, OrdinalRange}; lt = isless, by = identity,
        rev::Union{Bool, Nothing} = nothing, order::Ordering = Forward, initialized::Bool = false)
    axes(p) == axes(v) || throw(ArgumentError("The index vector is used as a workspace and must have the same length/indices as the source vector"))
    if !initialized
        for i in eachindex(p)
            p[i] = i
        end
    end
    o = Perm(ord(lt, by, rev, order), v)
    lo, hi = isempty(k) ? (1, 0) : k isa Integer ? (Int(k), Int(k)) : (Int(minimum(k)), Int(maximum(k)))
    _sort!(p, PartialQuickSort(lo, hi), o, (;))
    part(p, k)
end

end
using .Sort: Sort, QuickSort, MergeSort, InsertionSort, PartialQuickSort, DEFAULT_STABLE, DEFAULT_UNSTABLE
export PartialQuickSort, partialsortperm!, partialsortperm

# Slices along dimensions in the order of the slices.
sortslices(a::AbstractArray; dims::Union{Integer, Tuple{Vararg{Integer}}}, kws...) = sort_slices_of(a, dims isa Integer ? (dims,) : dims; kws...)
function sort_slices_of(a::AbstractArray, ds::Tuple; kws...)
    slices = collect(vec([view(a, ntuple(k -> (p = position_in(k, ds); p === (:) ? (:) : I[p]), ndims(a))...) for I in CartesianIndices(map(d -> axes(a, d), ds))]))
    values = length(ds) == ndims(a) ? map(first, slices) : ndims(a) - length(ds) == 1 ? slices : map(vec, slices)
    order = sortperm(values; kws...)
    out = similar(a)
    for (I, j) in zip(CartesianIndices(map(d -> axes(a, d), ds)), order)
        at = ntuple(k -> (p = position_in(k, ds); p === (:) ? axes(a, k) : I[p]), ndims(a))
        length(ds) == ndims(a) ? (out[at...] = values[j]) : (out[at...] = slices[j])
    end
    out
end
export sortslices

# Permutations.
function isperm(p)
    require_one_based_indexing(p)
    n = length(p)
    seen = falses(n)
    for i in p
        (0 < i <= n) && (seen[i] ⊻= true) || return false
    end
    true
end
isperm(p::AbstractUnitRange) = isperm(collect(p))
@noinline throw_not_permutation() = throw(ArgumentError("argument is not a permutation"))
function invperm(p::AbstractVector)
    require_one_based_indexing(p)
    out = zeros(eltype(p), length(p))
    n = length(p)
    for (i, j) in enumerate(p)
        1 <= j <= n && out[j] == 0 || throw_not_permutation()
        out[j] = i
    end
    out
end
invperm(p::Tuple) = isperm(p) ? Tuple(invperm(collect(Int, p))) : throw_not_permutation()
invperm(::Tuple{}) = ()
permute!(v::AbstractVector, p::AbstractVector) = (v .= v[p])
function invpermute!(v::AbstractVector, p::AbstractVector)
    old = copy(v)
    for (x, j) in zip(old, p)
        v[j] = x
    end
    v
end
