# Sorting as kernels: a stable merge sort. An element's place in what is merged is its place in its own run and the number of elements of
# the other run that come before it, which a search finds; so all items work at all times. Runs of a group are merged in its memory.

# How many of `count` elements, in order from `lo`, come before `x`: with `equal`, also those that are not after it.
@inline function count_before(a, order, lo::Int, count::Int, x, equal::Bool)
    below, above = 0, count
    while below < above
        middle = (below + above) >> 1
        y = @inbounds a[lo + middle]
        if equal ? !Base.Order.lt(order, x, y) : Base.Order.lt(order, y, x)
            below = middle + 1
        else
            above = middle
        end
    end
    return below
end
# Where the element number `p` of a slice, from 0, goes when neighbouring runs of `width` elements of `count` are merged.
@inline function merged_place(a, order, first::Int, p::Int, width::Int, count::Int)
    run = div(p, width)
    lo = (run & ~1) * width
    middle = min(lo + width, count)
    x = @inbounds a[first + p]
    run & 1 == 0 && return p + count_before(a, order, first + middle, min(lo + 2width, count) - middle, x, false)
    return lo + (p - middle) + count_before(a, order, first + lo, middle - lo, x, true)
end
function sort_in_groups(a, order, ::Of{T}, count::Int, parts::Int) where {T}
    kept, merged = Device.shared_array(T, Val((GROUP,)), Val(:sorted)), Device.shared_array(T, Val((GROUP,)), Val(:merged))
    l, g = Device.local_id(1), Device.group_id(1)
    slice = div(g, parts)
    before = (g - slice * parts) * GROUP
    here, at = min(GROUP, count - before), slice * count + before + l + 1
    l < here && @inbounds kept[l + 1] = a[at]
    Device.barrier()
    width = 1
    while width < GROUP
        if l < here
            to = merged_place(kept, order, 1, l, width, here)
            @inbounds merged[to + 1] = kept[l + 1]
        end
        Device.barrier()
        l < here && @inbounds kept[l + 1] = merged[l + 1]
        Device.barrier()
        width *= 2
    end
    l < here && @inbounds a[at] = kept[l + 1]
    return
end
function merge_runs(dest, src, order, width::Int, count::Int, n::Int)
    i = item()
    if i <= n
        first = div(i - 1, count) * count + 1
        to = merged_place(src, order, first, i - first, width, count)
        @inbounds dest[first + to] = src[i]
    end
    return
end

# Sorts the columns of an array.
function sort_columns_by_kernel!(a::DialectArray, order)
    n, count = length(a), size(a, 1)
    (n == 0 || count == 1) && return a
    parts = cld(count, GROUP)
    launch(a, sort_in_groups, parts * div(n, count), (a, order, Of{eltype(a)}(), count, parts))
    from, to, width = a, a, GROUP
    while width < count
        from === a && to === a && (to = similar(a))
        launch_each(a, merge_runs, n, (to, from, order, width, count, n))
        from, to = to, from
        width *= 2
    end
    return from === a ? a : copyto!(a, from)
end
function sort_by_kernel!(a::AnyDialectArray, order, d::Int)
    check_plain_type(eltype(a), sort, (eltype(a),))
    1 <= d <= ndims(a) || throw(ArgumentError("dimension out of range"))
    a isa DialectArray && d == 1 && return sort_columns_by_kernel!(a, order)
    perm = ntuple(k -> k == 1 ? d : k == d ? 1 : k, ndims(a))
    columns = PermutedDimsArray(a, perm)
    copyto!(columns, sort_columns_by_kernel!(device_copy(columns), order))
    return a
end
# Orders hold functions, which may have captured arrays.
Adapt.adapt_structure(to, o::Base.Order.By) = Base.Order.By(Adapt.adapt(to, o.by), o.order)
Adapt.adapt_structure(to, o::Base.Order.Lt) = Base.Order.Lt(Adapt.adapt(to, o.lt))
Adapt.adapt_structure(to, o::Base.Order.ReverseOrdering) = Base.Order.ReverseOrdering(Adapt.adapt(to, o.fwd))
Adapt.adapt_structure(to, o::Base.Order.Perm) = Base.Order.Perm(Adapt.adapt(to, o.order), Adapt.adapt(to, o.data))

function Base.sort!(a::AnyDialectArray; dims::Union{Integer,Nothing} = nothing, alg = nothing, lt = isless, by = identity,
                    rev::Union{Bool,Nothing} = nothing, order::Base.Order.Ordering = Base.Order.Forward, scratch = nothing)
    dims === nothing && ndims(a) != 1 && throw(UndefKeywordError(:dims))
    o = Base.Order.ord(lt, by, rev, order)
    uses_kernels() && return sort_by_kernel!(a, o, dims === nothing ? 1 : Int(dims))
    dims === nothing ? sort!(on_host(a); lt, by, rev, order) : sort!(on_host(a); dims, lt, by, rev, order)
    return a
end
Base.sort(a::AnyDialectArray; kw...) = sort!(copy(a); kw...)
function Base.sortperm(a::AnyDialectArray; alg = nothing, lt = isless, by = identity, rev::Union{Bool,Nothing} = nothing,
                       order::Base.Order.Ordering = Base.Order.Forward, scratch = nothing, dims...)
    uses_kernels() || return on_device(a, sortperm(on_host(a); lt, by, rev, order, dims...))
    isempty(dims) && ndims(a) != 1 && throw(UndefKeywordError(:dims))
    places = copy_by_kernel!(made_like(a, Int, size(a)), LinearIndices(size(a)))
    flat = a isa DialectArray ? vec(a) : vec(device_copy(a))
    return sort_by_kernel!(places, Base.Order.Perm(Base.Order.ord(lt, by, rev, order), flat), isempty(dims) ? 1 : Int(dims[:dims]))
end
# Into an array of places; Base fills it and checks its shape.
function Base.sortperm!(places::AnyDialectArray, a::AnyDialectArray; initialized::Bool = false, kw...)
    axes(places) == axes(a) || throw(ArgumentError(
        string("index array must have the same size/axes as the source array, ", axes(places), " != ", axes(a))))
    return copyto!(places, sortperm(a; kw...))
end
# All is sorted, not a part only.
Base.partialsort!(a::DialectVector, k::Union{Integer,OrdinalRange}; kw...) = sorted_part(sort!(a; kw...), k)
Base.partialsort(a::AnyDialectArray, k::Union{Integer,OrdinalRange}; kw...) = partialsort!(device_copy(a), k; kw...)
sorted_part(a, k::OrdinalRange) = a[k]
sorted_part(a, k::Integer) = (checkbounds(a, k); a_at(a, k))
