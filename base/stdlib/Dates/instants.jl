# Points in time: a `Date` counts days, a `DateTime` milliseconds, both from the day before 0001-01-01; a `Time` counts
# nanoseconds from midnight.

abstract type TimeType <: AbstractTime end
struct UTInstant{P <: Period}
    periods::P
end
struct Date <: TimeType
    instant::UTInstant{Day}
    Date(i::UTInstant{Day}) = new(i)
end
struct DateTime <: TimeType
    instant::UTInstant{Millisecond}
    DateTime(i::UTInstant{Millisecond}) = new(i)
end
struct Time <: TimeType
    instant::Nanosecond
    Time(i::Nanosecond) = new(Nanosecond(mod(i.value, 86400_000000000)))
end
# Adding zero leaves a point in time where it is.
Base.zero(::Type{DateTime}) = Millisecond(0)
Base.zero(::Type{Date}) = Day(0)
Base.zero(::Type{Time}) = Nanosecond(0)
Base.zero(::T) where {T <: TimeType} = zero(T)
date_of(days) = Date(UTInstant(Day(days)))
datetime_of(ms) = DateTime(UTInstant(Millisecond(ms)))
const DAY_MS = 86400000
const UNIX_DAYS = 719163

value(d::Union{Date, DateTime}) = d.instant.periods.value
value(t::Time) = t.instant.value
days(d::Date) = value(d)
days(d::DateTime) = fld(value(d), DAY_MS)

# The civil calendar: years run from March, so that the leap day is the last.
function civil(days)
    z = days - 1 + 306
    era = fld(z, 146097)
    doe = z - era * 146097
    yoe = div(doe - div(doe, 1460) + div(doe, 36524) - div(doe, 146096), 365)
    doy = doe - (365 * yoe + div(yoe, 4) - div(yoe, 100))
    mp = div(5 * doy + 2, 153)
    m = mp < 10 ? mp + 3 : mp - 9
    (yoe + era * 400 + (m <= 2), m, doy - div(153 * mp + 2, 5) + 1)
end
function total_days(y, m, d)
    y -= m <= 2
    era = fld(y, 400)
    yoe = y - era * 400
    doy = div(153 * (m > 2 ? m - 3 : m + 9) + 2, 5) + d - 1
    era * 146097 + yoe * 365 + div(yoe, 4) - div(yoe, 100) + doy - 305
end
isleapyear(y::Integer) = y % 4 == 0 && (y % 100 != 0 || y % 400 == 0)
isleapyear(d::TimeType) = isleapyear(year(d))
daysinmonth(y::Integer, m::Integer) = m == 2 ? 28 + isleapyear(y) : m in (4, 6, 9, 11) ? 30 : 31
daysinmonth(d::TimeType) = daysinmonth(year(d), month(d))
daysinyear(y::Integer) = 365 + isleapyear(y)
daysinyear(d::TimeType) = daysinyear(year(d))

@noinline out_of_range(what, n, lo, hi) = throw(ArgumentError(string(what, ": ", n, " out of range (", lo, ":", hi, ")")))
checked(what, n, lo, hi) = lo <= n <= hi ? Int64(n) : out_of_range(what, n, lo, hi)
function Date(y::Integer, m::Integer = 1, d::Integer = 1)
    checked("Month", m, 1, 12)
    checked("Day", d, 1, daysinmonth(y, m))
    date_of(total_days(Int64(y), Int64(m), Int64(d)))
end
function DateTime(y::Integer, m::Integer = 1, d::Integer = 1, h::Integer = 0, mi::Integer = 0, s::Integer = 0, ms::Integer = 0)
    checked("Hour", h, 0, 23)
    checked("Minute", mi, 0, 59)
    checked("Second", s, 0, 59)
    checked("Millisecond", ms, 0, 999)
    datetime_of(value(Date(y, m, d)) * DAY_MS + 3600000 * h + 60000 * mi + 1000 * s + ms)
end
function Time(h::Integer, mi::Integer = 0, s::Integer = 0, ms::Integer = 0, us::Integer = 0, ns::Integer = 0)
    checked("Hour", h, 0, 23)
    checked("Minute", mi, 0, 59)
    checked("Second", s, 0, 59)
    Time(Nanosecond(((h * 3600 + mi * 60 + s) * 1000 + ms) * 1000000 + us * 1000 + ns))
end
Date(y::Year, m::Month = Month(1), d::Day = Day(1)) = Date(y.value, m.value, d.value)
Date(d::Date) = d
DateTime(d::DateTime) = d
Date(d::DateTime) = date_of(days(d))
DateTime(d::Date) = datetime_of(value(d) * DAY_MS)
DateTime(d::Date, t::Time) = datetime_of(value(d) * DAY_MS + div(value(t), 1000000))
Time(d::DateTime) = Time(Nanosecond(mod(value(d), DAY_MS) * 1000000))
Base.convert(::Type{Date}, d::DateTime) = Date(d)
Base.convert(::Type{DateTime}, d::Date) = DateTime(d)
Base.promote_rule(::Type{Date}, ::Type{DateTime}) = DateTime

now() = datetime_of(floor(Int, time() * 1000) + UNIX_DAYS * DAY_MS)
today() = Date(now())
unix2datetime(x) = datetime_of(round(Int64, x * 1000) + UNIX_DAYS * DAY_MS)
datetime2unix(d::DateTime) = (value(d) - UNIX_DAYS * DAY_MS) / 1000

# Parts.
const Calendar = Union{Date, DateTime}
yearmonthday(d::Calendar) = civil(days(d))
yearmonth(d::Calendar) = yearmonthday(d)[1:2]
monthday(d::Calendar) = yearmonthday(d)[2:3]
year(d::Calendar) = yearmonthday(d)[1]
month(d::Calendar) = yearmonthday(d)[2]
day(d::Calendar) = yearmonthday(d)[3]
quarter(d::Calendar) = div(month(d) + 2, 3)
hour(d::DateTime) = mod(fld(value(d), 3600000), 24)
minute(d::DateTime) = mod(fld(value(d), 60000), 60)
second(d::DateTime) = mod(fld(value(d), 1000), 60)
millisecond(d::DateTime) = mod(value(d), 1000)
hour(t::Time) = div(value(t), 3600_000000000)
minute(t::Time) = mod(div(value(t), 60_000000000), 60)
second(t::Time) = mod(div(value(t), 1_000000000), 60)
millisecond(t::Time) = mod(div(value(t), 1000000), 1000)
microsecond(t::Time) = mod(div(value(t), 1000), 1000)
nanosecond(t::Time) = mod(value(t), 1000)
for (part, T) in ((:year, :Year), (:month, :Month), (:day, :Day), (:hour, :Hour), (:minute, :Minute), (:second, :Second),
        (:millisecond, :Millisecond), (:quarter, :Quarter), (:microsecond, :Microsecond), (:nanosecond, :Nanosecond))
    @eval $T(d::TimeType) = $T($part(d))
end
const Monday, Tuesday, Wednesday, Thursday, Friday, Saturday, Sunday = 1, 2, 3, 4, 5, 6, 7
const January, February, March, April, May, June = 1, 2, 3, 4, 5, 6
const July, August, September, October, November, December = 7, 8, 9, 10, 11, 12
dayofweek(d::Calendar) = mod1(days(d), 7)
dayofyear(d::Calendar) = days(d) - total_days(year(d), 1, 1) + 1
# ISO: the week of a day is that of its Thursday.
function week(d::Calendar)
    thursday = date_of(days(d) - dayofweek(d) + 4)
    div(dayofyear(thursday) - 1, 7) + 1
end
firstdayofmonth(d::Calendar) = Date(year(d), month(d), 1)
lastdayofmonth(d::Calendar) = Date(year(d), month(d), daysinmonth(d))
firstdayofyear(d::Calendar) = Date(year(d), 1, 1)
lastdayofyear(d::Calendar) = Date(year(d), 12, 31)

# Arithmetic. A month later is the same day, or the last there is.
function add_months(d, n)
    y, m, k = yearmonthday(d)
    total = 12 * y + m - 1 + n
    y, m = fld(total, 12), mod(total, 12) + 1
    total_days(y, m, min(k, daysinmonth(y, m)))
end
Base.:+(d::Date, p::CalendarPeriod) = date_of(add_months(d, months(p)))
Base.:+(d::DateTime, p::CalendarPeriod) = datetime_of(add_months(d, months(p)) * DAY_MS + mod(value(d), DAY_MS))
Base.:+(d::Date, p::Union{Week, Day}) = date_of(value(d) + convert(Day, p).value)
Base.:+(d::DateTime, p::FixedPeriod) = datetime_of(value(d) + milliseconds(p))
Base.:+(t::Time, p::TimePeriod) = Time(Nanosecond(value(t) + nanoseconds(p)))
Base.:+(p::Period, d::TimeType) = d + p
Base.:-(d::TimeType, p::Period) = d + (-p)
Base.:+(d::TimeType, c::CompoundPeriod) = foldl(+, c.periods; init = d)
Base.:+(c::CompoundPeriod, d::TimeType) = d + c
Base.:-(d::TimeType, c::CompoundPeriod) = d + -c
CompoundPeriod(t::Time) = CompoundPeriod(Hour(t), Minute(t), Second(t), Millisecond(t), Microsecond(t), Nanosecond(t))
Base.:-(a::Date, b::Date) = Day(value(a) - value(b))
Base.:-(a::DateTime, b::DateTime) = Millisecond(value(a) - value(b))
Base.:-(a::Time, b::Time) = Nanosecond(value(a) - value(b))
Base.:-(a::Date, b::DateTime) = DateTime(a) - b
Base.:-(a::DateTime, b::Date) = a - DateTime(b)
Base.isless(a::T, b::T) where {T <: TimeType} = isless(value(a), value(b))
Base.isless(a::Date, b::DateTime) = isless(DateTime(a), b)
Base.isless(a::DateTime, b::Date) = isless(a, DateTime(b))
Base.:(==)(a::T, b::T) where {T <: TimeType} = value(a) == value(b)
Base.:(==)(a::Date, b::DateTime) = DateTime(a) == b
Base.:(==)(a::DateTime, b::Date) = a == DateTime(b)
Base.hash(d::Calendar, h::UInt) = hash(value(DateTime(d)), h)
unit_floor(d, ::Type{Year}) = Date(year(d))
unit_floor(d, ::Type{Month}) = firstdayofmonth(d)
unit_floor(d, ::Type{Week}) = date_of(days(d) - dayofweek(d) + 1)
unit_floor(d, ::Type{Day}) = Date(d)
unit_floor(d::DateTime, ::Type{P}) where {P <: TimePeriod} = (n = milliseconds(P(1)); datetime_of(fld(value(d), n) * n))
Base.floor(d::T, ::Type{P}) where {T <: Calendar, P <: Period} = T(unit_floor(d, P))
Base.trunc(d::Calendar, P::Type{<:Period}) = floor(d, P)

# Ranges of instants: the steps are periods.
struct InstantRange{T <: TimeType, P <: Period} <: AbstractRange{T}
    start::T
    step::P
    count::Int
end
function Base.:(:)(start::T, step::Period, stop::T) where {T <: TimeType}
    value(step) == 0 && throw(ArgumentError("step cannot be zero"))
    n = 0
    while value(step) > 0 ? start + n * step <= stop : start + n * step >= stop
        n += 1
    end
    InstantRange(start, step, n)
end
Base.:(:)(start::Date, stop::Date) = start:Day(1):stop
Base.size(r::InstantRange) = (r.count,)
Base.length(r::InstantRange) = r.count
Base.first(r::InstantRange) = r.start
Base.last(r::InstantRange) = r.start + (r.count - 1) * r.step
Base.step(r::InstantRange) = r.step
Base.getindex(r::InstantRange, i::Int) = (checkbounds(r, i); r.start + (i - 1) * r.step)
Base.iterate(r::InstantRange, i::Int = 0) = i >= r.count ? nothing : (r.start + i * r.step, i + 1)
Base.show(io::IO, r::InstantRange) = print(io, repr(first(r)), ":", repr(r.step), ":", repr(last(r)))
