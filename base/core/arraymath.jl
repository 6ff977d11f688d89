# Whole-array operations: joining, reversing, shifting, repeating, and arithmetic between arrays.

# Joining along a dimension.
cat_dims(d::Integer) = Int(d)
cat_size(x::AbstractArray, k) = size(x, k)
cat_size(x, k) = 1
cat_rank(x::AbstractArray) = ndims(x)
cat_rank(x) = 0
cat_eltype(x::AbstractArray) = eltype(x)
cat_eltype(x) = typeof(x)
function cat_along(::Type{T}, d::Int, xs) where {T}
    N = max(d, map(cat_rank, xs)...)
    dims = ntuple(k -> k == d ? sum(x -> cat_size(x, k), xs) : cat_size(xs[1], k), N)
    out = Array{T, N}(undef, dims)
    at = 0
    for x in xs
        for k in 1:N
            k == d || cat_size(x, k) == dims[k] || throw_cat(d, k, dims[k], cat_size(x, k))
        end
        if x isa AbstractArray
            for I in CartesianIndices(ntuple(k -> cat_size(x, k), N))
                out[CartesianIndex(ntuple(k -> k == d ? I[k] + at : I[k], N))] = x[CartesianIndex(ntuple(k -> I[k], ndims(x)))]
            end
        else
            out[ntuple(k -> k == d ? at + 1 : 1, N)...] = x
        end
        at += cat_size(x, d)
    end
    out
end
@noinline throw_cat(d, k, want, got) = throw(DimensionMismatch(string("mismatch in dimension ", k, " (expected ", want, " got ", got, ")")))
cat_promote(xs) = promote_type(map(cat_eltype, xs)...)
function cat(xs...; dims)
    if dims isa Val
        return cat_along(cat_promote(xs), typeof(dims).parameters[1], xs)
    end
    dims isa Integer ? cat_along(cat_promote(xs), Int(dims), xs) : cat_diagonal(cat_promote(xs), Tuple(dims), xs)
end
function cat_diagonal(::Type{T}, ds, xs) where {T}
    N = max(maximum(ds), map(cat_rank, xs)...)
    dims = ntuple(k -> k in ds ? sum(x -> cat_size(x, k), xs) : cat_size(xs[1], k), N)
    out = fill!(Array{T, N}(undef, dims), zero(T))
    at = ntuple(k -> 0, N)
    for x in xs
        for I in CartesianIndices(ntuple(k -> cat_size(x, k), N))
            out[CartesianIndex(ntuple(k -> I[k] + at[k], N))] = x isa AbstractArray ? x[CartesianIndex(ntuple(k -> I[k], ndims(x)))] : x
        end
        at = ntuple(k -> k in ds ? at[k] + cat_size(x, k) : at[k], N)
    end
    out
end
vcat() = Any[]
hcat() = Any[]
vcat(xs::Number...) = T_vector(promote_types_of(xs...), xs)
vcat(xs...) = cat_along(cat_promote(xs), 1, xs)
hcat(xs...) = cat_along(cat_promote(xs), 2, xs)
function vcat(xs::AbstractVector...)
    out = Vector{cat_promote(xs)}(undef, sum(length, xs))
    k = 0
    for x in xs, v in x
        k += 1
        out[k] = v
    end
    out
end
vcat(r::AbstractRange) = collect(r)
function hcat(xs::Number...)
    T = promote_types_of(xs...)
    out = Matrix{T}(undef, 1, length(xs))
    for i in 1:length(xs)
        out[i] = xs[i]
    end
    out
end
typed_vcat(::Type{T}, xs...) where {T} = all_scalar_values(xs...) ? T_vector(T, xs) : cat_along(T, 1, xs)
typed_hcat(::Type{T}, xs...) where {T} = cat_along(T, 2, xs)
all_scalar_values(xs...) = !any(x -> x isa AbstractArray, xs)
hvcat(rows::Tuple{Vararg{Int}}, xs...) = typed_hvcat(cat_promote(xs), rows, xs...)
hvcat(nbc::Int, xs...) = hvcat(ntuple(_ -> nbc, div(length(xs), nbc)), xs...)
function typed_hvcat(::Type{T}, rows::Tuple{Vararg{Int}}, xs...) where {T}
    if all_scalar_values(xs...)
        nr, nc = length(rows), rows[1]
        out = Matrix{T}(undef, nr, nc)
        for r in 1:nr
            rows[r] == nc || throw(DimensionMismatch(string("row ", r, " has mismatched number of columns (expected ", nc, " got ", rows[r], ")")))
            for c in 1:nc
                out[r, c] = xs[(r - 1) * nc + c]
            end
        end
        return out
    end
    at = 0
    parts = Any[]
    for n in rows
        push!(parts, cat_along(T, 2, ntuple(k -> xs[at + k], n)))
        at += n
    end
    cat_along(T, 1, (parts...,))
end
typed_hvcat(::Type{T}, nbc::Int, xs...) where {T} = typed_hvcat(T, ntuple(_ -> nbc, div(length(xs), nbc)), xs...)
hvncat(dim::Int) = Array{Any}(undef, ntuple(_ -> 0, dim))
typed_hvncat(::Type{T}, dim::Int) where {T} = Array{T}(undef, ntuple(_ -> 0, dim))
hvncat(dim::Int, xs...) = cat_along(cat_promote(xs), dim, xs)
typed_hvncat(::Type{T}, dim::Int, xs...) where {T} = cat_along(T, dim, xs)
hvncat(dims::Tuple{Vararg{Int}}, row_first::Bool, xs...) = typed_hvncat(cat_promote(xs), dims, row_first, xs...)
function typed_hvncat(::Type{T}, dims::Tuple{Vararg{Int}}, row_first::Bool, xs...) where {T}
    out = Array{T, length(dims)}(undef, dims)
    order = row_first ? ntuple(k -> k == 1 ? 2 : k == 2 ? 1 : k, length(dims)) : ntuple(identity, length(dims))
    shape = ntuple(k -> dims[order[k]], length(dims))
    k = 0
    for I in CartesianIndices(shape)
        k += 1
        out[CartesianIndex(ntuple(j -> I[order[j]], length(dims)))] = xs[k]
    end
    out
end
function stack(itr; dims = :)
    xs = collect(itr)
    x = first(xs)
    inner = size(x)
    out = Array{eltype(x), length(inner) + ndims(xs)}(undef, (inner..., size(xs)...))
    n = length(x)
    k = 0
    for v in xs
        size(v) == inner || throw(DimensionMismatch(string("stack expects uniform slices, got axes(x) == ", axes(v), " while first had ", axes(x))))
        for y in v
            k += 1
            out[k] = y
        end
    end
    dims isa Colon || dims == ndims(out) ? out :
        permutedims(out, ntuple(k -> k == dims ? ndims(out) : k < dims ? k : k - 1, ndims(out)))
end
stack(f, itr; dims = :) = stack(map(f, itr); dims = dims)

# Reversing and moving.
function reverse(a::AbstractVector, lo::Integer = firstindex(a), hi::Integer = lastindex(a))
    out = copymutable(a)
    reverse!(out, lo, hi)
end
function reverse!(a::AbstractVector, lo::Integer = firstindex(a), hi::Integer = lastindex(a))
    i, j = Int(lo), Int(hi)
    while i < j
        a[i], a[j] = a[j], a[i]
        i += 1
        j -= 1
    end
    a
end
function reverse(a::AbstractArray; dims = :)
    ds = dims isa Colon ? ntuple(identity, ndims(a)) : dims_tuple(dims)
    out = similar(a)
    for I in CartesianIndices(a)
        out[CartesianIndex(ntuple(k -> k in ds ? size(a, k) + 1 - I[k] : I[k], ndims(a)))] = a[I]
    end
    out
end
reverse!(a::AbstractArray; dims = :) = copyto!(a, reverse(a; dims = dims))
reverse(itr) = Iterators.reverse(itr)
circshift(a::AbstractVector, k::Integer) = circshift(a, (k,))
circshift(a::AbstractArray, k::Integer) = circshift(a, (k,))
function circshift(a::AbstractArray, shifts)
    out = similar(a)
    for I in CartesianIndices(a)
        out[CartesianIndex(ntuple(k -> k <= length(shifts) ? mod1(I[k] + shifts[k], size(a, k)) : I[k], ndims(a)))] = a[I]
    end
    out
end
circshift!(dest::AbstractArray, src::AbstractArray, shifts) = copyto!(dest, circshift(src, shifts))
circshift!(a::AbstractVector, k::Integer) = copyto!(a, circshift(a, k))
function repeat(a::AbstractArray, counts::Integer...)
    N = max(ndims(a), length(counts))
    out = similar(a, ntuple(k -> size(a, k) * (k <= length(counts) ? counts[k] : 1), N))
    for I in CartesianIndices(out)
        out[I] = a[CartesianIndex(ntuple(k -> mod1(I[k], size(a, k)), ndims(a)))]
    end
    out
end
function repeat(a::AbstractArray; inner = nothing, outer = nothing)
    inn = inner === nothing ? () : inner isa Integer ? (inner,) : Tuple(inner)
    outr = outer === nothing ? () : outer isa Integer ? (outer,) : Tuple(outer)
    N = max(ndims(a), length(inn), length(outr))
    big = similar(a, ntuple(k -> size(a, k) * (k <= length(inn) ? inn[k] : 1), N))
    for I in CartesianIndices(big)
        big[I] = a[CartesianIndex(ntuple(k -> cld(I[k], k <= length(inn) ? inn[k] : 1), ndims(a)))]
    end
    isempty(outr) ? big : repeat(big, outr...)
end
rotl90(a::AbstractMatrix) = reverse(permutedims(a); dims = 1)
rotr90(a::AbstractMatrix) = reverse(permutedims(a); dims = 2)
rot180(a::AbstractMatrix) = reverse(a)

# Arithmetic. Between arrays the shapes must agree; with numbers only what linear algebra allows.
first_mismatch(a, b) = (k = findfirst(i -> a[i] != b[i], 1:min(length(a), length(b))); k === nothing ? "" : string(", mismatch at ", k))
promote_shape(a::AbstractArray, b::AbstractArray) = promote_shape(axes(a), axes(b))
function promote_shape(a::Tuple, b::Tuple)
    a == b && return a
    throw(DimensionMismatch(string("dimensions must match: a has dims ", a, ", b has dims ", b, first_mismatch(a, b))))
end
+(a::AbstractArray) = a
-(a::AbstractArray) = broadcast(-, a)
+(a::AbstractArray, b::AbstractArray) = (promote_shape(a, b); broadcast(+, a, b))
-(a::AbstractArray, b::AbstractArray) = (promote_shape(a, b); broadcast(-, a, b))
+(a::AbstractArray, b::AbstractArray, cs::AbstractArray...) = fold_left(+, a + b, cs...)
*(a::AbstractArray, x::Number) = broadcast(*, a, x)
*(x::Number, a::AbstractArray) = broadcast(*, x, a)
/(a::AbstractArray, x::Number) = broadcast(/, a, x)
\(x::Number, a::AbstractArray) = broadcast(\, x, a)
~(a::AbstractArray) = broadcast(~, a)
real(a::AbstractArray{<:Real}) = a
real(a::AbstractArray) = map(real, a)
imag(a::AbstractArray) = map(imag, a)
conj(a::AbstractArray{<:Real}) = a
conj(a::AbstractArray) = map(conj, a)
float(a::AbstractArray{<:AbstractFloat}) = a
float(a::AbstractArray{T}) where {T} = convert(AbstractArray{typeof(float(zero(T)))}, a)
clamp!(a::AbstractArray, lo, hi) = (for i in eachindex(a); a[i] = clamp(a[i], lo, hi); end; a)
