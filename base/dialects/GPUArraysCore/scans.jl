# Running folds as kernels, and what is found by them: the places of elements. Groups scan parts of a slice, each item an element; the
# results of the parts are scanned the same way, and what comes before a part is added to its elements. Operations see elements in order.

@inline scan_begun(op, of::Of, ::Base.InitialValue, k, x) = begun(op, of, x)
@inline scan_begun(op, of::Of, init, k, x) = k == 1 ? converted(of, op(init, x)) : begun(op, of, x)
@inline converted(::Of{T}, x) where {T} = convert(T, x)::T
@inline place(J, D) = Base.CartesianIndex(map((j, d) -> j + d - 1, J.I, D.I))

function scan_by_items(out, tree, op, of::Of{T}, init, shape, within, count::Int, n::Int) where {T}
    o = item()
    o <= n || return
    J, D = index_at(shape, o), index_at(within, 1)
    v = scan_begun(op, of, init, 1, element(tree, J, D))
    @inbounds out[place(J, D)] = v
    k = 2
    while k <= count
        D = index_at(within, k)
        v = convert(T, op(v, element(tree, J, D)))::T
        @inbounds out[place(J, D)] = v
        k += 1
    end
    return
end
function scan_by_groups(out, sums, tree, op, of::Of{T}, init, shape, within, count::Int, parts::Int) where {T}
    kept = Device.shared_array(T, Val((GROUP,)), Val(:scan))
    l, g = Device.local_id(1), Device.group_id(1)
    o = div(g, parts)
    part = g - o * parts
    k = part * GROUP + l + 1
    J, D = index_at(shape, o + 1), index_at(within, min(k, count))
    v = scan_begun(op, of, init, k, element(tree, J, D))
    @inbounds kept[l + 1] = v
    Device.barrier()
    apart = 1
    while apart < GROUP
        l >= apart && k <= count && (v = convert(T, op(@inbounds(kept[l - apart + 1]), v))::T)
        Device.barrier()
        @inbounds kept[l + 1] = v
        Device.barrier()
        apart *= 2
    end
    if k <= count
        @inbounds out[place(J, D)] = v
        (l == GROUP - 1 || k == count) && @inbounds sums[g + 1] = v
    end
    return
end
function add_before(out, sums, op, ::Of{T}, shape, within, count::Int, parts::Int) where {T}
    l, g = Device.local_id(1), Device.group_id(1)
    o = div(g, parts)
    part = g - o * parts
    k = part * GROUP + l + 1
    if part > 0 && k <= count
        I = place(index_at(shape, o + 1), index_at(within, k))
        @inbounds out[I] = convert(T, op(sums[g], out[I]))::T
    end
    return
end

# The scan of a tree of the shape of `out` along the dimension `d`.
function scan_by_kernel!(out, tree, op, init, d::Int)
    T, dims = check_plain_type(eltype(out), op, (eltype(out),)), size(out)
    shape, within = ntuple(k -> k == d ? 1 : dims[k], ndims(out)), ntuple(k -> k == d ? dims[k] : 1, ndims(out))
    n, count = prod(shape), prod(within)
    n * count == 0 && return out
    if count <= FOLDED_BY_ITEMS || n >= MANY_SLICES && count <= FOLDED_AT_MOST
        launch_each(owner(out), scan_by_items, n, (out, tree, op, Of{T}(), init, shape, within, count, n))
        return out
    end
    parts = cld(count, GROUP)
    sums = made_like(out, T, (parts, n))
    launch(owner(out), scan_by_groups, n * parts, (out, sums, tree, op, Of{T}(), init, shape, within, count, parts))
    parts == 1 && return out
    scan_by_kernel!(sums, tree_of(sums), op, Base.InitialValue(), 1)
    launch(owner(out), add_before, n * parts, (out, sums, op, Of{T}(), shape, within, count, parts))
    return out
end
tree_of(a, f = identity) =
    without_axes(planted(Base.Broadcast.instantiate(Base.Broadcast.broadcasted(f, a)), nothing, axes(a)))

# All of Base's scans end here, but those of whole arrays of several dimensions, which have no dimension.
function Base.accumulate_into!(op, out::AnyDialectArray, a::AnyDialectArray, dims::Nothing, init)
    Base.throw_if_shapes_differ(out, a)
    uses_kernels() && !overlaps(out, a) || return (Base.accumulate_into!(op, on_host(out), on_host(a), dims, init); out)
    n = length(a)
    scan_by_kernel!(reshape(out, n), tree_of(reshape(a, n)), op, init, 1)
    return out
end
function Base.accumulate_into!(op, out::AnyDialectArray, a::AnyDialectArray, dims::Integer, init)
    uses_kernels() && !overlaps(out, a) || return (Base.accumulate_into!(op, on_host(out), on_host(a), dims, init); out)
    dims > 0 || throw(ArgumentError("dims must be a positive integer"))
    axes(a) == axes(out) || Base.throw_accumulate_shape()
    dims > ndims(a) && return map!(x -> scan_begun(op, Of{eltype(out)}(), init, 1, x), out, a)
    return scan_by_kernel!(out, tree_of(a), op, init, Int(dims))
end
function Base.accumulate(op, a::AnyDialectArray; dims::Union{Nothing,Integer} = nothing, kw...)
    ndims(a) > 1 && dims === nothing && return reshape(accumulate(op, reshape(a, length(a)); kw...), size(a))
    return invoke(accumulate, Tuple{Any,Any}, op, a; dims, kw...)
end

# Places of elements. How many there are up to each says where in the result its own goes.
function store_places(found, counts, dims, n::Int)
    i = item()
    if i <= n
        before = i == 1 ? 0 : @inbounds counts[i - 1]
        @inbounds counts[i] != before && (found[before + 1] = key_of(dims, i))
    end
    return
end
@inline key_of(dims::Tuple{Any}, i::Int) = i
@inline key_of(dims::Tuple, i::Int) = index_at(dims, i)
function places_by_kernel(f, a)
    n, K = length(a), a isa AbstractVector ? Int : Base.CartesianIndex{ndims(a)}
    n == 0 && return made_like(a, K, (0,))
    counts = made_like(a, Int, (n,))
    scan_by_kernel!(counts, tree_of(reshape(a, n), Counted(f, 0)), +, Base.InitialValue(), 1)
    found = made_like(a, K, (a_at(counts, n),))
    isempty(found) || launch_each(owner(a), store_places, n, (found, counts, size(a), n))
    return found
end
for F in (Function, Base.Fix2{typeof(in)})
    @eval Base.findall(f::$F, a::AnyDialectArray) =
        uses_kernels() ? places_by_kernel(f, a) : on_device(a, findall(with_host_arrays(f), on_host(a)))
end
Base.findall(a::AnyDialectArray) = findall(identity, a)

# The first or last place, or `nothing`.
struct PlaceIf{F} <: Function
    f::F
    none::Int
end
@inline (p::PlaceIf)(x, i) = ifelse(p.f(x)::Bool, i, p.none)
Adapt.adapt_structure(to, p::PlaceIf) = PlaceIf(Adapt.adapt(to, p.f), p.none)
function place_by_kernel(f, a, op, none)
    isempty(a) && return nothing
    i = fold_by_kernel(PlaceIf(f, none), op, Base.InitialValue(), (a, LinearIndices(size(a))), :)
    return i == none ? nothing : key_of(size(a), i)
end
Base.findfirst(f::Function, a::AnyDialectArray) =
    uses_kernels() ? place_by_kernel(f, a, min, typemax(Int)) : findfirst(with_host_arrays(f), on_host(a))
Base.findlast(f::Function, a::AnyDialectArray) =
    uses_kernels() ? place_by_kernel(f, a, max, 0) : findlast(with_host_arrays(f), on_host(a))
for A in (AnyDialectArray, DialectArray{Bool}), f in (:findfirst, :findlast)
    @eval Base.$f(a::$A) = $f(identity, a)
end
