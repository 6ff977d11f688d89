# Means, variances, quantiles.
module Statistics
import LinearAlgebra

export mean, mean!, median, median!, middle, std, stdm, var, varm, cov, cor, quantile, quantile!

function mean(f, itr)
    isempty(itr) && throw(ArgumentError("mean of empty collection undefined"))
    total = mapreduce(f, (a, b) -> a + b, itr)
    total / length_of(itr)
end
length_of(itr) = Base.IteratorSize(typeof(itr)) isa Union{Base.HasLength, Base.HasShape} ? length(itr) : count(_ -> true, itr)
mean(itr) = mean(identity, itr)
mean(a::AbstractArray; dims = :) = _mean(a, dims)
mean(f, a::AbstractArray; dims = :) = _mean(f, a, dims)
# Packages define methods of the functions that begin with `_`, and of those of matrices whose columns or rows are centred.
_mean(a::AbstractArray, dims) = _mean(identity, a, dims)
_mean(f, a::AbstractArray, ::Colon) = isempty(a) ? zero(eltype(a)) / 0 : mapreduce(f, +, a) / length(a)
_mean(f, a::AbstractArray, dims) = mapreduce(f, +, a; dims = dims) ./ prod(d -> size(a, d), dims)
mean(r::AbstractRange{<:Real}) = (first(r) + last(r)) / 2

function var(itr; corrected::Bool = true, mean = nothing, dims = :)
    itr isa AbstractArray && !(dims isa Colon) && return var_over(itr, corrected, mean, dims)
    xs = itr isa AbstractArray ? itr : collect(itr)
    n = length(xs)
    m = mean === nothing ? Statistics.mean(xs) : mean
    total = sum(x -> abs2(x - m), xs; init = zero(abs2(zero(eltype(xs)) / 1)))
    total / (n - corrected)
end
function var_over(a, corrected, m, dims)
    centre = m === nothing ? mean(a; dims = dims) : m
    n = prod(d -> size(a, d), dims)
    sum(abs2.(a .- centre); dims = dims) ./ (n - corrected)
end
varm(itr, m; kws...) = var(itr; mean = m, kws...)
std(a::AbstractArray; corrected::Bool = true, mean = nothing, dims = :) = _std(a, corrected, mean, dims)
std(itr; kws...) = sqrt(var(itr; kws...))
function _std(a::AbstractArray, corrected::Bool, mean, dims)
    v = var(a; corrected, mean, dims)
    v isa AbstractArray ? sqrt.(v) : sqrt(v)
end
stdm(itr, m; kws...) = std(itr; mean = m, kws...)
function cov(x::AbstractVector, y::AbstractVector; corrected::Bool = true)
    length(x) == length(y) || throw(DimensionMismatch("vectors must have same length"))
    mx = mean(x)
    my = mean(y)
    sum((x[i] - mx) * conj(y[i] - my) for i in eachindex(x, y)) / (length(x) - corrected)
end
cov(x::AbstractVector; corrected::Bool = true) = var(x; corrected = corrected)
cov(a::AbstractMatrix; dims::Int = 1, corrected::Bool = true) = covzm(a .- mean(a; dims), dims; corrected)
unscaled_covzm(x::AbstractMatrix, vardim::Int) = vardim == 1 ? conj(x' * x) : x * x'
covzm(x::AbstractMatrix, vardim::Int = 1; corrected::Bool = true) = unscaled_covzm(x, vardim) ./ (size(x, vardim) - corrected)
# Of a series and itself.
cor(x::AbstractVector{T}) where {T} = T === Missing ? missing : one(float(nonmissingtype(T)))
cor(x::AbstractVector, y::AbstractVector) = cov(x, y) / (std(x) * std(y))
cor(a::AbstractMatrix; dims::Int = 1) = corzm(a .- mean(a; dims), dims)
corzm(x::AbstractMatrix, vardim::Int = 1) = (c = unscaled_covzm(x, vardim); cov2cor!(c, sqrt.(LinearAlgebra.diag(c))))
function cov2cor!(c::AbstractMatrix, deviations::AbstractArray)
    n = length(deviations)
    size(c) == (n, n) || throw(DimensionMismatch("inconsistent dimensions"))
    for j in 1:n, i in 1:n
        c[i, j] = i == j ? oneunit(c[i, j]) : clampcor(c[i, j] / (deviations[i] * deviations[j]))
    end
    c
end
clampcor(x::Real) = clamp(x, -1, 1)
clampcor(x) = x

middle(x::Number) = x / 1
middle(x::Number, y::Number) = x / 2 + y / 2
middle(a::AbstractArray) = ((lo, hi) = extrema(a); middle(lo, hi))
median!(v::AbstractVector) = median_sorted(sort!(v))
function median_sorted(v)
    isempty(v) && throw(ArgumentError("median of an empty array is undefined, $(repr(v))"))
    any(isnan_number, v) && return oftype(middle(v[1]), NaN)
    n = length(v)
    isodd(n) ? middle(v[div(n, 2) + 1]) : middle(v[div(n, 2)], v[div(n, 2) + 1])
end
isnan_number(x) = x isa Number && isnan(x)
median(itr) = median_sorted(sort!(collect(itr)))
median(a::AbstractArray; dims = :) = dims isa Colon ? median_sorted(sort!(collect(vec(a)))) : mapslices(median, a; dims = dims)

function quantile(itr, p; sorted::Bool = false, alpha::Real = 1.0, beta::Real = alpha)
    v = sorted ? itr : sort!(collect(itr))
    isempty(v) && throw(ArgumentError("empty data vector"))
    p isa AbstractArray || p isa Tuple ? map(q -> quantile_sorted(v, q, alpha, beta), p) : quantile_sorted(v, p, alpha, beta)
end
quantile!(v::AbstractVector, p; kws...) = quantile(sort!(v), p; sorted = true, kws...)
function quantile_sorted(v, p, alpha, beta)
    0 <= p <= 1 || throw(ArgumentError("input probability out of [0,1] range"))
    n = length(v)
    m = alpha + p * (1 - alpha - beta)
    aleph = n * p + oftype(p / 1, m)
    j = clamp(trunc(Int, aleph), 1, max(n - 1, 1))
    gamma = clamp(aleph - j, 0, 1)
    n == 1 && return v[1] + zero(gamma)
    a = v[j]
    b = v[j + 1]
    isfinite(a) && isfinite(b) ? a + gamma * (b - a) : (1 - gamma) * a + gamma * b
end

end
