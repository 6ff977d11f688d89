# Running folds, and differences of neighbours.

cumsum(a::AbstractArray; dims::Integer) = accumulate(add_sum, a; dims = dims)
cumsum(a::AbstractVector; dims::Integer = 1) = accumulate_dims_checked(add_sum, a, dims)
cumsum(itr) = accumulate(add_sum, itr)
cumprod(a::AbstractArray; dims::Integer) = accumulate(mul_prod, a; dims = dims)
cumprod(a::AbstractVector; dims::Integer = 1) = accumulate_dims_checked(mul_prod, a, dims)
cumprod(itr) = accumulate(mul_prod, itr)
cumsum!(out::AbstractArray, a; dims::Integer) = accumulate!(add_sum, out, a; dims = dims)
cumsum!(out::AbstractVector, a::AbstractVector) = accumulate!(add_sum, out, a; dims = 1)
cumprod!(out::AbstractArray, a; dims::Integer) = accumulate!(mul_prod, out, a; dims = dims)
cumprod!(out::AbstractVector, a::AbstractVector) = accumulate!(mul_prod, out, a; dims = 1)
accumulate_dims_checked(op, a, dims) = accumulate(op, a; dims = dims)
# Sums that do not wrap are carried pairwise, so that the error of those that round grows with the logarithm of the length.
function accumulate(op, a; dims::Union{Nothing, Integer} = nothing, init = InitialValue(), kw...)
    isempty(kw) || throw_accumulate_keywords(kw)
    if dims === nothing && !(a isa AbstractVector)
        out = collect(Iterators.accumulate(op, a; init = init))
        return a isa AbstractArray && !(out isa Vector) ? out : a isa AbstractArray ? reshape_like(out, a) : out
    end
    a isa AbstractArray || throw(ArgumentError("Keyword argument dims is supported only for arrays"))
    d = dims === nothing ? 1 : Int(dims)
    d >= 1 || throw(ArgumentError("dims must be a positive integer"))
    if isempty(a)
        return similar(a, accumulated_empty(op, eltype(a), init))
    end
    T = accumulated_eltype(op, a, init)
    accumulate!(op, similar(a, T), a; dims = d, init = init)
end
reshape_like(out, a) = reshape(out, size(a))
# The types of all results: of the first, and of results with one more element.
function accumulate_promote_op(op, T, R)
    # The first result is converted where a common type can hold it.
    R = promote_type(R, promote_op(op, R, T))
    for _ in 1:8
        W = Union{R, promote_op(op, R, T)}
        W === R && break
        R = W
    end
    R
end
_accumulate_promote_op(op, v; init = nothing) = accumulated_eltype(op, v, init === nothing ? InitialValue() : init)
accumulated_empty(op, T, ::InitialValue) = (S = promote_op(op, T, T); S === Union{} ? T : S)
accumulated_empty(op, T, init) = (S = promote_op(op, typeof(init), T); S === Union{} ? typeof(init) : S)
accumulated_eltype(op, a, ::InitialValue) = accumulate_promote_op(op, eltype(a), promote_op(first_of_fold, Core.Typeof(op), eltype(a)))
accumulated_eltype(op, a, init) = accumulate_promote_op(op, eltype(a), promote_op(op, typeof(init), eltype(a)))
function accumulate!(op, out, a; dims::Union{Nothing, Integer} = nothing, init = InitialValue(), kw...)
    isempty(kw) || throw_accumulate_keywords(kw)
    dims === nothing && !(a isa AbstractVector) &&
        throw(ArgumentError("Keyword argument dims must be provided for multidimensional arrays"))
    accumulate_into!(op, out, a, dims, init)
end
@noinline throw_accumulate_keywords(kw) =
    throw(ArgumentError(string("accumulate does not support the keyword arguments ", (keys(kw)...,))))
@noinline throw_accumulate_shape() = throw(DimensionMismatch("shape of B must match A"))
function accumulate_into!(op, out, a, ::Nothing, init)
    throw_if_shapes_differ(out, a)
    first_done = false
    v = init
    fresh = init isa InitialValue
    for (i, j) in zip(eachindex(out), eachindex(a))
        v = fresh ? first_of_fold(op, a[j]) : op(v, a[j])
        fresh = false
        out[i] = v
    end
    out
end
throw_if_shapes_differ(out, a) = length(out) == length(a) || throw_accumulate_shape()
function accumulate_into!(op, out, a::AbstractArray, dims::Integer, init)
    dims > 0 || throw(ArgumentError("dims must be a positive integer"))
    axes(a) == axes(out) || throw_accumulate_shape()
    isempty(a) && return out
    if ndims(a) == 1 && dims == 1
        return op === add_sum && init isa InitialValue && !(ArithmeticStyle(eltype(out)) isa ArithmeticWraps) ?
            accumulate_pairwise!(op, out, a) : accumulate_into!(op, out, a, nothing, init)
    end
    if dims > ndims(a)
        for I in eachindex(out, a)
            out[I] = init isa InitialValue ? first_of_fold(op, a[I]) : op(init, a[I])
        end
        return out
    end
    d = Int(dims)
    for I in CartesianIndices(a)
        out[I] = I[d] == first(axes(a, d)) ? (init isa InitialValue ? first_of_fold(op, a[I]) : op(init, a[I])) :
            op(out[CartesianIndex(setindex(I.I, I[d] - 1, d))], a[I])
    end
    out
end
accumulate_pairwise(op, a::AbstractVector) = accumulate_pairwise!(op, similar(a, accumulated_eltype(op, a, InitialValue())), a)
function accumulate_pairwise!(op, out, a)
    i1 = firstindex(a)
    v = first_of_fold(op, a[i1])
    out[i1] = v
    n = length(a)
    n > 1 && accumulate_pairwise!(op, out, a, v, i1 + 1, n - 1)
    out
end
function accumulate_pairwise!(op, out, a, s, i1, n)
    if n < 128
        v = @inbounds a[i1]
        @inbounds out[i1] = op(s, v)
        for i in (i1 + 1):(i1 + n - 1)
            v = op(v, @inbounds a[i])
            @inbounds out[i] = op(s, v)
        end
        return v
    end
    half = n >> 1
    u = accumulate_pairwise!(op, out, a, s, i1, half)
    op(u, accumulate_pairwise!(op, out, a, op(s, u), i1 + half, n - half))
end
diff(a::AbstractVector) = diff_along(a, 1)
diff(a::AbstractArray; dims::Integer) = diff_along(a, dims)
function diff_along(a::AbstractArray{T, N}, dims) where {T, N}
    1 <= dims <= N || throw(ArgumentError(string("dimension ", dims, " out of range (1:", N, ")")))
    r = axes(a)
    lo = ntuple(k -> k == dims ? (first(r[k]):(last(r[k]) - 1)) : (first(r[k]):last(r[k])), N)
    hi = ntuple(k -> k == dims ? ((first(r[k]) + 1):last(r[k])) : (first(r[k]):last(r[k])), N)
    view(a, hi...) .- view(a, lo...)
end
diff(r::AbstractRange) = [r[i + 1] - r[i] for i in firstindex(r):(lastindex(r) - 1)]
