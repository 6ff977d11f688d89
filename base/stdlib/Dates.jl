# The little of dates that scripts print: `now()` and its text.
module Dates

export DateTime, Date, Time, now, today, year, month, day, hour, minute, second, millisecond, format, value,
    Millisecond, Second, Minute, Hour, Day

struct DateTime
    ms::Int     # milliseconds since 1970-01-01
end
struct Date
    days::Int
end
for T in (:Millisecond, :Second, :Minute, :Hour, :Day)
    @eval struct $T
        value::Int
    end
end
value(p) = p.value
const MS = Dict(:Millisecond => 1, :Second => 1000, :Minute => 60000, :Hour => 3600000, :Day => 86400000)
const Period = Union{Millisecond, Second, Minute, Hour, Day}
milliseconds(p::Period) = p.value * MS[nameof(typeof(p))]
now() = DateTime(floor(Int, time() * 1000))
today() = Date(fld(now().ms, 86400000))
Base.:-(a::DateTime, b::DateTime) = Millisecond(a.ms - b.ms)
Base.:+(a::DateTime, p::Period) = DateTime(a.ms + milliseconds(p))
Base.:-(a::DateTime, p::Period) = DateTime(a.ms - milliseconds(p))
Base.isless(a::DateTime, b::DateTime) = a.ms < b.ms
Base.show(io::IO, p::Millisecond) = print(io, p.value, p.value == 1 ? " millisecond" : " milliseconds")

# Civil date of a day number: years run from March so that the leap day is the last.
function civil(days::Int)
    z = days + 719468
    era = fld(z, 146097)
    doe = z - era * 146097
    yoe = div(doe - div(doe, 1460) + div(doe, 36524) - div(doe, 146096), 365)
    doy = doe - (365 * yoe + div(yoe, 4) - div(yoe, 100))
    mp = div(5 * doy + 2, 153)
    m = mp < 10 ? mp + 3 : mp - 9
    (yoe + era * 400 + (m <= 2), m, doy - div(153 * mp + 2, 5) + 1)
end
days_of(t::DateTime) = fld(t.ms, 86400000)
days_of(d::Date) = d.days
year(t::Union{Date, DateTime}) = civil(days_of(t))[1]
month(t::Union{Date, DateTime}) = civil(days_of(t))[2]
day(t::Union{Date, DateTime}) = civil(days_of(t))[3]
hour(t::DateTime) = mod(fld(t.ms, 3600000), 24)
minute(t::DateTime) = mod(fld(t.ms, 60000), 60)
second(t::DateTime) = mod(fld(t.ms, 1000), 60)
millisecond(t::DateTime) = mod(t.ms, 1000)
two(n) = lpad(n, 2, '0')
Base.print(io::IO, d::Date) = print(io, lpad(year(d), 4, '0'), "-", two(month(d)), "-", two(day(d)))
function Base.print(io::IO, t::DateTime)
    print(io, Date(days_of(t)), "T", two(hour(t)), ":", two(minute(t)), ":", two(second(t)))
    millisecond(t) == 0 || print(io, ".", rstrip(==('0'), lpad(millisecond(t), 3, '0')))
end
Base.show(io::IO, d::Union{Date, DateTime}) = print(io, d)
function format(t::DateTime, pattern::AbstractString)
    replace(String(pattern), "yyyy" => lpad(year(t), 4, '0'), "mm" => two(month(t)), "dd" => two(day(t)),
        "HH" => two(hour(t)), "MM" => two(minute(t)), "SS" => two(second(t)), "sss" => lpad(millisecond(t), 3, '0'))
end

end
