# Folding along dimensions: of each slice, into an array that has one element in place of each.

reduced_index(i::OneTo{T}) where {T} = OneTo(one(T))
reduced_index(i::AbstractUnitRange) = oftype_range(i, first(i):first(i))
oftype_range(i::UnitRange{T}, r) where {T} = UnitRange{T}(first(r), last(r))
oftype_range(i, r) = r
reduced_indices(a::AbstractArray, region) = reduced_indices(axes(a), region)
reduced_indices(ax::Tuple, d::Integer) = (check_region(d); ntuple(k -> k == d ? reduced_index(ax[k]) : ax[k], length(ax)))
function reduced_indices(ax::Tuple, region)
    for d in region
        check_region(d)
    end
    ntuple(k -> k in region ? reduced_index(ax[k]) : ax[k], length(ax))
end
check_region(d::Integer) = d >= 1 || throw(ArgumentError(string("region dimension(s) must be ≥ 1, got ", d)))
check_region(d) = throw(ArgumentError("reduced dimension(s) must be integers"))
# With an empty axis kept as it is.
reduced_indices0(a::AbstractArray, region) = reduced_indices0(axes(a), region)
reduced_indices0(ax::Tuple, region) =
    (r = reduced_indices(ax, region); ntuple(k -> isempty(ax[k]) ? ax[k] : r[k], length(ax)))
dims_tuple(d::Integer) = (d,)
dims_tuple(d) = Tuple(d)

function mapreduce_dims(f, op, init, a::AbstractArray, dims)
    shape = reduced_indices(a, dims_tuple(dims))
    out = fill!(similar(a, typeof(init), shape), init)
    isempty(a) ? out : mapreducedim!(f, op, out, a)
end
function mapreduce_dims(f, op, ::InitialValue, a::AbstractArray{T, N}, dims) where {T, N}
    shape = reduced_indices(a, dims_tuple(dims))
    if isempty(a)
        any_axis_empty(shape) && return similar(a, empty_eltype(f, op, T), shape)
        x = empty_result_of(op, f, a)
        return fill!(similar(a, typeof(x), shape), x)
    end
    folded = dims_tuple(dims)
    within, starts = slice_distances(a, ntuple(k -> k in folded, Val(N)))
    src = linear_source(a)
    at = first(LinearIndices(src))
    results = fold_slices(f, op, src, at, starts, within)
    copyto!(similar(a, reduced_eltype(f, op, T, eltype(results)), shape), results)
end
# The ranges of the slice of `a` that `J` stands for.
slice_ranges(J::CartesianIndex, ax::Tuple, shape::Tuple) = map((j, r, s) -> r == s ? (j:j) : r, J.I, ax, shape)
function fold_slices(f, op, a, at, starts, within)
    v = fold_slice(f, op, a, at + starts[1], within)
    out = Vector{typeof(v)}(undef, length(starts))
    out[1] = v
    fold_slices!(out, 2, f, op, a, at, starts, within)
end
function fold_slices!(out::Vector{T}, k, f, op, a, at, starts, within) where {T}
    while k <= length(starts)
        v = fold_slice(f, op, a, at + starts[k], within)
        v isa T || return fold_slices!(widened(out, v, k), k + 1, f, op, a, at, starts, within)
        out[k] = v
        k += 1
    end
    out
end
function fold_slice(f, op, a, at, within)
    v = first_of_fold(op, f(@inbounds a[at]))
    for k in 2:length(within)
        v = op(v, f(@inbounds a[at + within[k]]))
    end
    v
end
empty_eltype(f, op, T) = (S = promote_op(f, T); S === Union{} ? T : promote_op_pair(op, S))
promote_op_pair(op, S) = (R = promote_op(op, S, S); R === Union{} ? S : R)
# Sums of numbers have the type of a sum even where all slices have one element; extrema keep the array's type.
reduced_eltype(f, op, T, S) = S
reduced_eltype(f::typeof(identity), op::Union{typeof(add_sum), typeof(mul_prod), typeof(+), typeof(*)}, T, S) =
    T <: Number && !isconcretetype(T) && !(T isa Union) && S <: T ? T : S
reduced_eltype(f::ExtremaMap{typeof(identity)}, op::typeof(_extrema_rf), T, S) = Tuple{T, T}
reduced_eltype(f::typeof(identity), op::Union{typeof(min), typeof(max)}, T, S) = S <: T ? T : S
reduced_eltype(f::typeof(identity), op::Union{typeof(&), typeof(|)}, T, S) = S <: T ? T : S

# Into an array that is given.
@noinline throw_reduction_shape(out, a) =
    throw(DimensionMismatch(string("reduction on array with indices ", axes(a), " with output with indices ", axes(out))))
function check_reducedims(out, a)
    ndims(out) <= ndims(a) || throw(DimensionMismatch(string(
        "cannot reduce ", ndims(a), "-dimensional array to ", ndims(out), " dimensions")))
    for k in 1:ndims(a)
        r, s = axes(out, k), axes(a, k)
        length(r) == 1 || r == s || throw_reduction_shape(out, a)
    end
    nothing
end
function mapreducedim!(f, op, out::AbstractArray, a::AbstractArray)
    check_reducedims(out, a)
    isempty(a) && return out
    starts, within = slices_for(out, a)
    k = first(LinearIndices(out)) - 1
    for J in starts
        k += 1
        v = out[k]
        for D in within
            v = op(v, f(@inbounds a[J + D]))
        end
        out[k] = v
    end
    out
end
# The first indices of the slices of `a` that are folded into the elements of `out`, and the steps from them within a slice.
function slices_for(out, a::AbstractArray{T, N}) where {T, N}
    folded = ntuple(k -> length(axes(out, k)) == 1, Val(N))
    (CartesianIndices(map(first_or_all, folded, axes(a))), CartesianIndices(map(steps_or_none, folded, axes(a))))
end
first_or_all(folded, r) = Int(first(r)):Int(folded ? first(r) : last(r))
steps_or_none(folded, r) = 0:(folded ? length(r) - 1 : 0)
# The distances of the elements of a slice from its first, and of the first elements of all slices from that of the array.
slice_distances(a::AbstractArray{T, N}, folded) where {T, N} =
    (distances(ntuple(k -> folded[k] ? step_table(a, k, 1:size(a, k)) : [0], Val(N))),
        distances(ntuple(k -> folded[k] ? [0] : step_table(a, k, 1:size(a, k)), Val(N))))
reduced_place(i, r) = length(r) == 1 ? first(r) : i
_mapreducedim!(f, op, out::AbstractArray, a) = mapreducedim!(f, op, out, a)
mapreducedim!(f, op, out::AbstractArray, a) = (for x in a; out[] = op(out[], f(x)); end; out)
reducedim!(op, out::AbstractArray, a) = mapreducedim!(identity, op, out, a)
reducedim_initarray(a::AbstractArray, region, init, ::Type{R}) where {R} = fill!(similar(a, R, reduced_indices(a, region)), init)
reducedim_initarray(a::AbstractArray, region, init::T) where {T} = reducedim_initarray(a, region, init, T)
# The contents of `out` before the fold: the neutral element, or of operations without one the first element of each slice.
initarray!(out::AbstractArray{T}, f, ::Union{typeof(+), typeof(add_sum)}, init::Bool, a) where {T} = (init && fill!(out, zero(T)); out)
initarray!(out::AbstractArray{T}, f, ::Union{typeof(*), typeof(mul_prod)}, init::Bool, a) where {T} = (init && fill!(out, one(T)); out)
initarray!(out::AbstractArray, f, ::typeof(&), init::Bool, a) = (init && fill!(out, true); out)
initarray!(out::AbstractArray, f, ::typeof(|), init::Bool, a) = (init && fill!(out, false); out)
initarray!(out::AbstractArray, f, op, init::Bool, a) = (init && mapfirst!(f, out, a); out)
copyfirst!(out::AbstractArray, a::AbstractArray) = mapfirst!(identity, out, a)
function mapfirst!(f, out::AbstractArray, a::AbstractArray)
    check_reducedims(out, a)
    # `map!` of a view: packages' arrays have methods for both, which read no single elements.
    isempty(out) ? out : map!(f, out, view(a, map((k, r) -> length(axes(out, k)) == 1 ? _firstslice(r) : r, ntuple(identity, ndims(a)), axes(a))...))
end
function fold_into!(f, op, out, a, init)
    check_reducedims(out, a)
    mapreducedim!(f, op, initarray!(out, f, op, init, a), a)
end
for (fname, op) in ((:sum!, :add_sum), (:prod!, :mul_prod), (:maximum!, :max), (:minimum!, :min), (:all!, :&), (:any!, :|))
    @eval begin
        $fname(f, out::AbstractArray, a::AbstractArray; init::Bool = true) = fold_into!(f, $op, out, a, init)
        $fname(out::AbstractArray, a::AbstractArray; init::Bool = true) = $fname(identity, out, a; init = init)
    end
end
extrema!(out::AbstractArray, a::AbstractArray; init::Bool = true) = extrema!(identity, out, a; init = init)
extrema!(f, out::AbstractArray, a::AbstractArray; init::Bool = true) = fold_into!(ExtremaMap(f), _extrema_rf, out, a, init)
count!(out::AbstractArray, a::AbstractArray; init::Bool = true) = count!(identity, out, a; init = init)
count!(f, out::AbstractArray, a::AbstractArray; init::Bool = true) = fold_into!(x -> f(x)::Bool, add_sum, out, a, init)
export all!, any!, extrema!, count!

# Extrema with their places. A value that poisons, as NaN does, wins.
is_poisoning(x) = false
is_poisoning(x::AbstractFloat) = isnan(x)
is_poisoning(x::Missing) = true
isgreater(x, y) = is_poisoning(x) || is_poisoning(y) ? isless(x, y) : isless(y, x)
_rf_findmax((fm, im), (fx, ix)) = isless(fm, fx) ? (fx, ix) : (fm, im)
_rf_findmin((fm, im), (fx, ix)) = isgreater(fm, fx) ? (fx, ix) : (fm, im)
findmax(a; dims = :) = findmax_of(identity, a, dims)
findmin(a; dims = :) = findmin_of(identity, a, dims)
findmax(f, a; dims = :) = findmax_of(f, a, dims)
findmin(f, a; dims = :) = findmin_of(f, a, dims)
findmax_of(f, a, ::Colon) = find_extremum(f, a, isless)
findmin_of(f, a, ::Colon) = find_extremum(f, a, isgreater)
findmax_of(f, a, dims) = find_extremum_dims(f, a, isless, dims_tuple(dims))
findmin_of(f, a, dims) = find_extremum_dims(f, a, isgreater, dims_tuple(dims))
# `worse(best, x)` tells that `x` takes the place of the best.
function find_extremum(f, a, worse)
    ps = pairs(a)
    y = iterate(ps)
    y === nothing && throw_empty_reduction()
    k, x = y[1]
    best = f(x)
    y = iterate(ps, y[2])
    while y !== nothing
        j, x = y[1]
        v = f(x)
        if worse(best, v)
            best = v
            k = j
        end
        y = iterate(ps, y[2])
    end
    (best, k)
end
function find_extremum_dims(f, a::AbstractArray{T}, worse, dims) where {T}
    shape = reduced_indices(a, dims)
    if isempty(a)
        any_axis_empty(shape) || throw(ArgumentError("collection slices must be non-empty"))
        return (similar(a, promote_op(f, T), shape), similar(a, eltype(keys(a)), shape))
    end
    found = [extremum_of_slice(f, a, worse, J, shape) for J in CartesianIndices(shape)]
    vals = copyto!(similar(a, f === identity ? T : eltype_of(first(found)[1], found), shape), map(first, found))
    (vals, copyto!(similar(a, eltype(keys(a)), shape), map(p -> key_of(a, p[2]), found)))
end
eltype_of(v, found) = mapreduce(p -> typeof(p[1]), promote_typejoin, found)
key_of(a::AbstractVector, I::CartesianIndex) = I[1]
key_of(a::AbstractArray, I::CartesianIndex) = I
function extremum_of_slice(f, a, worse, J, shape)
    inds = CartesianIndices(slice_ranges(J, axes(a), shape))
    at = first(inds)
    best = f(a[at])
    for I in inds
        I == at && continue
        v = f(@inbounds a[I])
        if worse(best, v)
            best = v
            at = I
        end
    end
    (best, at)
end
findmax!(vals::AbstractArray, inds::AbstractArray, a::AbstractArray; init::Bool = true) = find_into!(isless, vals, inds, a, init)
findmin!(vals::AbstractArray, inds::AbstractArray, a::AbstractArray; init::Bool = true) = find_into!(isgreater, vals, inds, a, init)
function find_into!(worse, vals, inds, a, init)
    check_reducedims(vals, a)
    axes(vals) == axes(inds) || throw(DimensionMismatch("find-reduction: outputs must have the same indices"))
    isempty(a) && return (vals, inds)
    shape = ntuple(k -> axes(vals, k), ndims(a))
    ax = axes(a)
    fresh = init ? trues(map(length, shape)) : falses(map(length, shape))
    for I in CartesianIndices(a)
        J = map(reduced_place, I.I, shape)
        F = map((j, r) -> j - first(r) + 1, J, shape)
        if fresh[F...] || worse(vals[J...], a[I])
            fresh[F...] = false
            vals[J...] = a[I]
            inds[J...] = key_of(a, I)
        end
    end
    (vals, inds)
end
export findmax!, findmin!
argmax(a; dims = :) = findmax(a; dims = dims)[2]
argmin(a; dims = :) = findmin(a; dims = dims)[2]
argmax(f, itr) = mapfoldl(x -> (f(x), x), _rf_findmax, itr)[2]
argmin(f, itr) = mapfoldl(x -> (f(x), x), _rf_findmin, itr)[2]
# The first element of an axis, as an axis.
_firstslice(i::OneTo) = OneTo(1)
_firstslice(i::Slice) = Slice(_firstslice(i.indices))
_firstslice(i) = i[firstindex(i):firstindex(i)]
