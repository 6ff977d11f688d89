# Lengths of time. Those of fixed length convert into each other; years and months do only among themselves.

abstract type AbstractTime end
abstract type Period <: AbstractTime end
abstract type DatePeriod <: Period end
abstract type TimePeriod <: Period end
const PERIODS = ((:Year, :DatePeriod), (:Quarter, :DatePeriod), (:Month, :DatePeriod), (:Week, :DatePeriod), (:Day, :DatePeriod),
    (:Hour, :TimePeriod), (:Minute, :TimePeriod), (:Second, :TimePeriod), (:Millisecond, :TimePeriod),
    (:Microsecond, :TimePeriod), (:Nanosecond, :TimePeriod))
for (name, kind) in PERIODS
    @eval struct $name <: $kind
        value::Int64
        $name(v::Number) = new(Int64(v))
    end
end
const FixedPeriod = Union{Week, Day, TimePeriod}
const CalendarPeriod = Union{Year, Quarter, Month}
value(p::Period) = p.value

nanoseconds(::Type{Week}) = 604800_000000000
nanoseconds(::Type{Day}) = 86400_000000000
nanoseconds(::Type{Hour}) = 3600_000000000
nanoseconds(::Type{Minute}) = 60_000000000
nanoseconds(::Type{Second}) = 1_000000000
nanoseconds(::Type{Millisecond}) = 1000000
nanoseconds(::Type{Microsecond}) = 1000
nanoseconds(::Type{Nanosecond}) = 1
months(::Type{Year}) = 12
months(::Type{Quarter}) = 3
months(::Type{Month}) = 1
nanoseconds(p::FixedPeriod) = p.value * nanoseconds(typeof(p))
months(p::CalendarPeriod) = p.value * months(typeof(p))
milliseconds(p::FixedPeriod) = convert(Millisecond, p).value

function exactly(T, n, unit)
    q, r = divrem(n, unit)
    r == 0 || throw(InexactError(:convert, T, n))
    T(q)
end
Base.convert(::Type{T}, p::FixedPeriod) where {T <: FixedPeriod} = p isa T ? p :
    nanoseconds(typeof(p)) >= nanoseconds(T) ? T(p.value * div(nanoseconds(typeof(p)), nanoseconds(T))) :
    exactly(T, p.value, div(nanoseconds(T), nanoseconds(typeof(p))))
Base.convert(::Type{T}, p::CalendarPeriod) where {T <: CalendarPeriod} = exactly(T, months(p), months(T))
for (name, kind) in PERIODS
    @eval $name(p::Period) = convert($name, p)
end
finer(::Type{A}, ::Type{B}) where {A <: FixedPeriod, B <: FixedPeriod} = nanoseconds(A) <= nanoseconds(B) ? A : B
finer(::Type{A}, ::Type{B}) where {A <: CalendarPeriod, B <: CalendarPeriod} = months(A) <= months(B) ? A : B
together(a, b) = (T = finer(typeof(a), typeof(b)); (convert(T, a), convert(T, b)))

Base.:+(p::T, q::T) where {T <: Period} = T(p.value + q.value)
Base.:-(p::T, q::T) where {T <: Period} = T(p.value - q.value)
Base.:/(p::Period, q::Period) = ((a, b) = together(p, q); a.value / b.value)
Base.:-(p::T) where {T <: Period} = T(-p.value)
Base.:+(p::Period) = p
Base.:*(p::T, n::Real) where {T <: Period} = T(p.value * n)
Base.:*(n::Real, p::Period) = p * n
Base.:/(p::T, n::Real) where {T <: Period} = T(p.value / n)
Base.div(p::T, n::Integer) where {T <: Period} = T(div(p.value, n))
Base.div(p::Period, q::Period) = ((a, b) = together(p, q); div(a.value, b.value))
Base.rem(p::Period, q::Period) = ((a, b) = together(p, q); typeof(a)(rem(a.value, b.value)))
Base.mod(p::Period, q::Period) = ((a, b) = together(p, q); typeof(a)(mod(a.value, b.value)))
Base.abs(p::T) where {T <: Period} = T(abs(p.value))
Base.sign(p::Period) = sign(p.value)
Base.zero(::Union{T, Type{T}}) where {T <: Period} = T(0)
Base.one(::Union{T, Type{T}}) where {T <: Period} = 1
Base.oneunit(::Union{T, Type{T}}) where {T <: Period} = T(1)
Base.isless(p::Period, q::Period) = ((a, b) = together(p, q); isless(a.value, b.value))
Base.:(==)(p::FixedPeriod, q::FixedPeriod) = nanoseconds(p) == nanoseconds(q)
Base.:(==)(p::CalendarPeriod, q::CalendarPeriod) = months(p) == months(q)
# A month has no fixed length: only nothing of one equals something of the other.
Base.:(==)(p::FixedPeriod, q::CalendarPeriod) = iszero(p) && iszero(q)
Base.:(==)(p::CalendarPeriod, q::FixedPeriod) = q == p
Base.hash(p::FixedPeriod, h::UInt) = hash(nanoseconds(p), h)
Base.hash(p::CalendarPeriod, h::UInt) = iszero(p) ? hash(0, h) : hash(months(p), hash(:months, h))
Base.broadcastable(p::AbstractTime) = Ref(p)
unit_name(p) = lowercase(string(nameof(typeof(p))))
Base.print(io::IO, p::Period) = print(io, p.value, " ", unit_name(p), p.value == 1 ? "" : "s")
Base.show(io::IO, p::Period) = print(io, nameof(typeof(p)), "(", p.value, ")")
Base.show(io::IO, ::MIME"text/plain", p::Period) = print(io, p)
