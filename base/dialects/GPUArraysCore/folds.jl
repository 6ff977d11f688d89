# Reductions as kernels. The elements to fold are those of a tree of calls (see `broadcast.jl`), in slices: each result is a fold of
# one slice. A long slice is folded by groups, each of which folds a part of it: its items fold what they are given one after the
# other, and then their results, neighbour by neighbour, in the group's memory. Only the order of operations that are known to commute is
# changed; others see their elements in order.

const Commuting = Union{typeof(+),typeof(*),typeof(Base.add_sum),typeof(Base.mul_prod),typeof(max),typeof(min),typeof(&),typeof(|),
    typeof(xor)}
commutes(op) = false
commutes(::Commuting) = true

# The type of results: closed under `op`.
struct Of{T} end
function fold_type(op, S)
    T = Base.promote_op(Base.first_of_fold, Core.Typeof(op), S)
    for _ in 1:4
        W = Base.promote_op(op, T, T)
        W <: T && break
        T = isconcretetype(W) && isconcretetype(promote_type(T, W)) ? promote_type(T, W) : Union{T,W}
    end
    return check_plain_type(T, op, (S, S))
end
function check_plain_type(T, f, types)
    T !== Union{} && (isbitstype(T) || Base.isbitsunion(T)) && return T
    throw(Device.KernelError(string("a reduction on a device has results of a type that is not known, or not plain bits: `", f,
        "` of ", join(types, ", "), " gives ", T)))
end

# An element of the tree: of the slice `J` the one at `D`.
@inline element(tree, J, D) = @inbounds Base.Broadcast.broadcast_call(tree, Base.CartesianIndex(map((j, d) -> j + d - 1, J.I, D.I)))
# What a fold begins with, and what is done to its result.
@inline begun(op, ::Of{T}, x) where {T} = convert(T, Base.first_of_fold(op, x))::T
struct After{F,T} <: Function
    op::F
    init::T
end
@inline finished(::Base.InitialValue, v) = v
@inline finished(after::After, v) = after(v)
@inline (after::After)(v) = after.op(after.init, v)
Adapt.adapt_structure(to, a::After) = After(Adapt.adapt(to, a.op), Adapt.adapt(to, a.init))

# Elements `k`, `k + step`, ... up to `last` of a slice.
@inline function fold_run(op, of::Of{T}, tree, J, within, k::Int, step::Int, last::Int) where {T}
    v = begun(op, of, element(tree, J, index_at(within, k)))
    steps = steps_of(step)
    k += step
    while k <= last
        v = convert(T, op(v, element(tree, J, index_at(within, k))))::T
        k += step_of(steps)
    end
    return v
end
# Intel's driver for processors ends the process where it makes vectors of a loop that folds comparisons: for SPIR-V the step, the same for
# all items, is in the group's memory, and read anew.
@inline steps_of(step::Int) = step
@inline step_of(step::Int) = step
Base.Experimental.@overlay Base.DeviceTables.spirv @inline function steps_of(step::Int)
    place = Device.shared_array(Int, Val((1,)), Val(:step))
    @inbounds place[1] = step
    return pointer(place)
end
@inline step_of(place::Ptr{Int}) = Device.atomic_load(place)

# A slice for each item.
function fold_by_items(out, tree, op, of, after, shape, within, count::Int, n::Int)
    o = item()
    if o <= n
        v = fold_run(op, of, tree, index_at(shape, o), within, 1, 1, count)
        @inbounds out[o] = finished(after, v)
    end
    return
end

# `parts` groups for each slice, each for `each` elements.
function fold_by_groups(out, tree, op, of::Of{T}, after, shape, within, count::Int, each::Int, parts::Int) where {T}
    kept = Device.shared_array(T, Val((GROUP,)), Val(:fold))
    l, g = Device.local_id(1), Device.group_id(1)
    o = div(g, parts)
    lo = (g - o * parts) * each + 1
    hi = min(count, lo + each - 1)
    J = index_at(shape, o + 1)
    # As many items as there is work for; the others have nothing.
    run = commutes(op) ? 1 : cld(hi - lo + 1, GROUP)
    busy = min(GROUP, cld(hi - lo + 1, run))
    if l < busy
        v = commutes(op) ? fold_run(op, of, tree, J, within, lo + l, GROUP, hi) :
            fold_run(op, of, tree, J, within, lo + l * run, 1, min(hi, lo + (l + 1) * run - 1))
        @inbounds kept[l + 1] = v
    end
    Device.barrier()
    apart = 1
    while apart < GROUP
        if l & (2apart - 1) == 0 && l + apart < busy
            @inbounds kept[l + 1] = convert(T, op(kept[l + 1], kept[l + apart + 1]))::T
        end
        Device.barrier()
        apart *= 2
    end
    l == 0 && @inbounds out[g + 1] = finished(after, kept[1])
    return
end

const FOLDED_BY_ITEMS = 64      # elements of a slice that one item folds in any case,
const FOLDED_AT_MOST = 1024     # and if there are so many slices that devices are busy:
const MANY_SLICES = 1 << 14
const RUN = 16                  # elements of an item at least
const PARTS_MAX = 1024

# Folds the slices of the tree, whose axes are `dims`: along the dimensions that `folded` says. `after` is done to each result.
function fold_slices_by_kernel(like, tree, op, S, dims::Dims{N}, folded::NTuple{N,Bool}, after) where {N}
    shape, within = map((d, f) -> f ? 1 : d, dims, folded), map((d, f) -> f ? d : 1, dims, folded)
    n, count = prod(shape), prod(within)
    T = fold_type(op, S)
    R = after isa After ? check_plain_type(Base.promote_op(after.op, typeof(after.init), T), after.op, (typeof(after.init), T)) : T
    out = made_like(like, R, shape)
    small, narrow = narrow_dims(dims) isa Dims ? (shape, within) : (narrow_dims(shape), narrow_dims(within))
    if count <= FOLDED_BY_ITEMS || n >= MANY_SLICES && count <= FOLDED_AT_MOST
        launch_each(owner(like), fold_by_items, n, (out, tree, op, Of{T}(), after, small, narrow, count, n))
        return out
    end
    each = max(GROUP * RUN, cld(count, PARTS_MAX))
    parts = cld(count, each)
    if parts == 1
        launch(owner(like), fold_by_groups, n, (out, tree, op, Of{T}(), after, small, narrow, count, each, 1))
        return out
    end
    partial = made_like(like, T, (parts, n))
    launch(owner(like), fold_by_groups, n * parts, (partial, tree, op, Of{T}(), Base.InitialValue(), small, narrow, count, each, parts))
    again = without_axes(planted(Base.Broadcast.broadcasted(identity, partial), nothing, axes(partial)))
    launch(owner(like), fold_by_groups, n, (out, again, op, Of{T}(), after, (1, n), (parts, 1), parts, parts, 1))
    return out
end

# `mapreduce` of the broadcast of `f` over arrays.
function fold_by_kernel(f, op, init, args::Tuple, dims)
    b = Base.Broadcast.instantiate(Base.Broadcast.broadcasted(f, args...))
    like = args[findfirst(x -> x isa AnyDialectArray, args)]
    shape = map(length, axes(b))
    folded = dims isa Colon ? map(d -> true, shape) : folded_dims(shape, Base.dims_tuple(dims))
    # Of no elements the result is that of an array of the host without any.
    any(==(0), shape) && return fold_nothing(f, op, init, like, args, shape, dims)
    S = result_eltype(b.f, b.args)
    tree = without_axes(planted(b, nothing, axes(b)))
    if dims isa Colon
        v = only_element(fold_slices_by_kernel(like, tree, op, S, shape, folded, Base.InitialValue()))
        return init isa Base.InitialValue ? v : op(init, v)
    end
    return fold_slices_by_kernel(like, tree, op, S, shape, folded, init isa Base.InitialValue ? init : After(op, init))
end
folded_dims(shape::Dims{N}, dims) where {N} = (foreach(Base.check_region, dims); ntuple(k -> k in dims, Val(N)))
fold_nothing(f, op, init, like, args, shape, dims) =
    on_device(like, Base.mapreduce_dims(f, op, init, Array{eltype(args[1]),length(shape)}(undef, shape), dims))
# The one element of an array, which the host waits for.
only_element(a::DialectArray) = @inbounds a.data[1]

# All of Base's folds of arrays end here.
function fold_array(f, op, init, a, dims)
    uses_kernels() && return fold_by_kernel(f, op, init, (a,), dims)
    return on_device(a, Base.mapreduce_dims(with_host_arrays(f), op, init, on_host(a), dims))
end
for I in (Any, Base.InitialValue), D in (Any, Colon)
    @eval Base.mapreduce_dims(f, op, init::$I, a::AnyDialectArray, dims::$D) = fold_array(f, op, init, a, dims)
end
for I in (Any, Base.InitialValue), D in (Any, Colon)
    @eval Base.fold_broadcasted(f, op, init::$I, b::Base.Broadcast.Broadcasted{<:DialectStyle}, dims::$D) =
        fold_broadcast(f, op, init, b, dims)
end
fold_broadcast(f, op, init, b, dims) = fold_array(f, op, init, copy(b), dims)
# On the host a loop stops where its condition is no `Bool`. Here the first one is looked at.
fold_conditions(f, op, init, a) = isempty(a) || result_eltype(f, (a,)) <: Union{Bool,Missing} ?
    fold_by_kernel(f, op, init, (a,), :) : throw(TypeError(:if, "", Bool, with_host_arrays(f)(first(Array(view(vec(a), 1:1))))))
Base.all_iter(f, a::AnyDialectArray) = uses_kernels() ? fold_conditions(f, &, true, a) : Base.all_iter(with_host_arrays(f), on_host(a))
Base.any_iter(f, a::AnyDialectArray) = uses_kernels() ? fold_conditions(f, |, false, a) : Base.any_iter(with_host_arrays(f), on_host(a))
struct Counted{F,T} <: Function
    f::F
    zero::T
end
@inline (c::Counted)(x) = oftype(c.zero, c.f(x)::Bool)
Adapt.adapt_structure(to, c::Counted) = Counted(Adapt.adapt(to, c.f), c.zero)
for D in (Any, Colon)
    @eval Base.count_array(f, a::AnyDialectArray, dims::$D, init) = uses_kernels() ?
        fold_by_kernel(Counted(f, zero(init)), +, init, (a,), dims) :
        on_device(a, Base.count_array(with_host_arrays(f), on_host(a), dims, init))
end

# Into an array that is there.
function Base.mapreducedim!(f, op, out::AnyDialectArray, a::AnyDialectArray)
    uses_kernels() || return (Base.mapreducedim!(with_host_arrays(f), op, on_host(out), on_host(a)); out)
    Base.check_reducedims(out, a)
    isempty(a) && return out
    folded = fold_by_kernel(f, op, Base.InitialValue(), (a,), filter(k -> size(out, k) == 1, 1:ndims(a)))
    return broadcast_into!(out, Base.Broadcast.instantiate(Base.Broadcast.broadcasted(op, out, reshape(folded, size(out)))))
end
function Base.mapfirst!(f, out::AnyDialectArray, a::AnyDialectArray)
    Base.check_reducedims(out, a)
    isempty(out) && return out
    firsts = view(a, ntuple(k -> size(out, k) == 1 ? (1:1) : axes(a, k), ndims(a))...)
    return map!(f, out, reshape(firsts, size(out)))
end

# Extrema with their places: of equal ones the first.
struct Better{F} <: Function
    worse::F
end
@inline function (b::Better)((v, i)::Tuple, (w, j)::Tuple)
    b.worse(v, w) && return (w, j)
    return j < i && !b.worse(w, v) ? (w, j) : (v, i)
end
commutes(::Better) = true
struct WithPlace{F} <: Function
    f::F
end
@inline (p::WithPlace)(x, i) = (p.f(x), i)
WithPlace(::Type{T}) where {T} = WithPlace(Construct{T}())
extrema_by_kernel(f, a, worse, dims) =
    fold_by_kernel(WithPlace(f), Better(worse), Base.InitialValue(), (a, LinearIndices(size(a))), dims)
struct KeyAt{D}
    dims::D
end
@inline (k::KeyAt{<:Tuple{Any}})(p) = p[2]
@inline (k::KeyAt)(p) = index_at(k.dims, p[2])
function Base.find_extremum(f, a::AnyDialectArray, worse)
    uses_kernels() || return Base.find_extremum(with_host_arrays(f), on_host(a), worse)
    isempty(a) && Base.throw_empty_reduction()
    p = extrema_by_kernel(f, a, worse, :)
    return (p[1], KeyAt(size(a))(p))
end
function Base.find_extremum_dims(f, a::AnyDialectArray, worse, dims)
    if !uses_kernels() || isempty(a)
        vals, inds = Base.find_extremum_dims(with_host_arrays(f), on_host(a), worse, dims)
        return (on_device(a, vals), on_device(a, inds))
    end
    found = extrema_by_kernel(f, a, worse, dims)
    return (map(first, found), map(KeyAt(size(a)), found))
end
for (f, worse) in ((:argmax, isless), (:argmin, Base.isgreater))
    @eval Base.$f(f, a::AnyDialectArray) =
        uses_kernels() ? a_at(a, Base.find_extremum(f, a, $worse)[2]) : $f(with_host_arrays(f), on_host(a))
end
a_at(a, k) = only_element(device_copy(view(a, Tuple(k)..., 1:1)))
