# Logarithmically spaced numbers: the ends exactly, between them the exponentials of equally spaced logarithms.

struct LogRange{T <: Real, X} <: AbstractArray{T, 1}
    start::T
    stop::T
    len::Int
    # The logarithms of both ends over the number of steps.
    extra::Tuple{X, X}
    function LogRange{T}(start::T, stop::T, len::Int) where {T <: Real}
        check_logrange(T, start, stop, len)
        extra = (log_share(start, len), log_share(stop, len))
        new{T, typeof(extra[1])}(start, stop, len, extra)
    end
end
LogRange{T}(start::Real, stop::Real, len::Integer) where {T} = LogRange{T}(convert(T, start), convert(T, stop), convert(Int, len))
LogRange(start::Real, stop::Real, len::Integer) = LogRange{float(promote_type(typeof(start), typeof(stop)))}(start, stop, len)
logrange(start::Real, stop::Real, length::Integer) = LogRange(start, stop, Int(length))
logrange(start::Real, stop::Real; length::Integer) = logrange(start, stop, length)
function check_logrange(T, start, stop, len)
    T <: Integer && throw(ArgumentError("LogRange{T} does not support integer types"))
    (iszero(start) || iszero(stop)) && throw(DomainError((start, stop), "LogRange cannot start or stop at zero"))
    (start < 0 || stop < 0) && throw(DomainError((start, stop), "LogRange does not accept negative numbers"))
    isfinite(start) && isfinite(stop) || throw(DomainError((start, stop), "LogRange is only defined for finite start & stop"))
    len < 0 && throw(ArgumentError(string("LogRange(", start, ", ", stop, ", ", len, "): can't have negative length")))
    len == 1 && start != stop &&
        throw(ArgumentError(string("LogRange(", start, ", ", stop, ", ", len, "): endpoints differ, while length is 1")))
    nothing
end
# In more digits than the elements have.
log_share(x, len) = log(1.0 * x) / (len - 1)
log_share(x::Float64, len) = _log_twice64_unchecked(x) / (len - 1)
function _log_twice64_unchecked(x::Float64)
    h, l, n = log_pair(x)
    p, e = full_product(n, LN2_PAIR[1])
    s, r = full_sum(p, h)
    TwicePrecision(quick_sum(s, r + (l + muladd(n, LN2_PAIR[2], e)))...)
end
exp_of_log(x) = exp(x)
function exp_of_log(x::TwicePrecision{Float64})
    s, e, k = exp_parts(x.hi, x.lo)
    scale_pow2(s + e, k)
end

size(r::LogRange) = (r.len,)
length(r::LogRange) = r.len
first(r::LogRange) = r.start
last(r::LogRange) = r.stop
function getindex(r::LogRange{T}, i::Int) where {T}
    @boundscheck checkbounds(r, i)
    i == 1 && return r.start
    i == r.len && return r.stop
    T(exp_of_log((r.len - i) * r.extra[1] + (i - 1) * r.extra[2]))
end
