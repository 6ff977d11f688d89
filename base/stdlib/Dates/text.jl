# Text: ISO by default, or as a format says.

"""
    DateLocale(months, months_abbr, days_of_week, days_of_week_abbr)

The names of months and days in a language.
"""
struct DateLocale
    months::Vector{String}
    months_abbr::Vector{String}
    days_of_week::Vector{String}
    days_of_week_abbr::Vector{String}
    month_value::Dict{String, Int64}
    month_abbr_value::Dict{String, Int64}
    day_of_week_value::Dict{String, Int64}
    day_of_week_abbr_value::Dict{String, Int64}
end
by_name(names) = Dict{String, Int64}(lowercase(name) => k for (k, name) in enumerate(names))
DateLocale(months::Vector, months_abbr::Vector, days::Vector, days_abbr::Vector) =
    DateLocale(months, months_abbr, days, days_abbr, by_name(months), by_name(months_abbr), by_name(days), by_name(days_abbr))
const ENGLISH = DateLocale(
    ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"],
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"],
    ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"],
    ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"])
const LOCALES = Dict{String, DateLocale}("english" => ENGLISH)
for (name, field, value) in ((:dayname, :days_of_week, :day_of_week_value), (:dayabbr, :days_of_week_abbr, :day_of_week_abbr_value),
        (:monthname, :months, :month_value), (:monthabbr, :months_abbr, :month_abbr_value))
    part = name in (:dayname, :dayabbr) ? :dayofweek : :month
    @eval begin
        $name(n::Integer; locale::AbstractString = "english") = $name(n, LOCALES[locale])
        $name(n::Integer, locale::DateLocale) = locale.$field[n]
        $name(d::Calendar; locale::AbstractString = "english") = $name($part(d), LOCALES[locale])
        # The number of a name, or 0.
        $(Symbol(name, :_to_value))(word::AbstractString, locale::DateLocale) = get(locale.$value, lowercase(word), 0)
    end
end

padded(n, width) = lpad(n, width, '0')
Base.print(io::IO, d::Date) = print(io, padded(year(d), 4), "-", padded(month(d), 2), "-", padded(day(d), 2))
function Base.print(io::IO, d::DateTime)
    print(io, Date(d), "T", padded(hour(d), 2), ":", padded(minute(d), 2), ":", padded(second(d), 2))
    millisecond(d) == 0 || print(io, ".", rstrip(padded(millisecond(d), 3), '0'))
end
function Base.print(io::IO, t::Time)
    print(io, padded(hour(t), 2), ":", padded(minute(t), 2), ":", padded(second(t), 2))
    fraction = mod(value(t), 1_000000000)
    fraction == 0 || print(io, ".", rstrip(padded(fraction, 9), '0'))
end
Base.show(io::IO, d::Calendar) = print(io, nameof(typeof(d)), "(\"", string(d), "\")")
Base.show(io::IO, t::Time) = print(io, t)
Base.show(io::IO, ::MIME"text/plain", d::TimeType) = print(io, d)
