# Text: ISO by default, or as a format says.

const DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
const MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December")
dayname(d::Union{Calendar, Integer}) = DAYS[d isa Integer ? d : dayofweek(d)]
dayabbr(d::Union{Calendar, Integer}) = first(dayname(d), 3)
monthname(d::Union{Calendar, Integer}) = MONTHS[d isa Integer ? d : month(d)]
monthabbr(d::Union{Calendar, Integer}) = first(monthname(d), 3)

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

# A format: runs of one letter are parts, all else stands for itself, as does what follows a backslash.
struct DateFormat
    pattern::String
    parts::Vector{Union{String, Tuple{Char, Int}}}
end
function DateFormat(pattern::AbstractString)
    parts = Union{String, Tuple{Char, Int}}[]
    chars = collect(pattern)
    i = 1
    while i <= length(chars)
        c = chars[i]
        if c in "yYmdHIMSsueEUp"
            j = i
            while j < length(chars) && chars[j + 1] == c
                j += 1
            end
            push!(parts, (c, j - i + 1))
            i = j + 1
        else
            c == '\\' && i < length(chars) && (i += 1)
            push!(parts, string(chars[i]))
            i += 1
        end
    end
    DateFormat(String(pattern), parts)
end
macro dateformat_str(s)
    :(DateFormat($s))
end
const ISODateFormat = DateFormat("yyyy-mm-dd")
const ISODateTimeFormat = DateFormat("yyyy-mm-ddTHH:MM:SS.s")
Base.show(io::IO, f::DateFormat) = print(io, "dateformat\"", f.pattern, "\"")
hour12(d) = mod1(hour(d), 12)
function part_text(d, c, n)
    c in ('y', 'Y') && return n == 2 ? padded(mod(year(d), 100), 2) : padded(year(d), n)
    c == 's' && return (text = rstrip(padded(millisecond(d), 3), '0'); rpad(text, n, '0'))
    c == 'u' && return monthabbr(d)
    c == 'U' && return monthname(d)
    c == 'e' && return dayabbr(d)
    c == 'E' && return dayname(d)
    c == 'p' && return hour(d) < 12 ? "AM" : "PM"
    padded(c == 'm' ? month(d) : c == 'd' ? day(d) : c == 'H' ? hour(d) : c == 'I' ? hour12(d) : c == 'M' ? minute(d) : second(d), n)
end
format(d::TimeType, f::DateFormat) = join([p isa String ? p : part_text(d, p[1], p[2]) for p in f.parts])
format(d::TimeType, f::AbstractString) = format(d, DateFormat(f))
format(d::TimeType) = string(d)

# Reading: the parts in order; numbers take as many digits as there are, unless a number follows at once.
function read_parts(text::AbstractString, f::DateFormat)
    found = Dict{Char, Int}()
    at = 1
    for (k, p) in enumerate(f.parts)
        at > ncodeunits(text) && break
        if p isa String
            text[at] == only(p) || return nothing
            at = nextind(text, at)
            continue
        end
        c, n = p
        if c in "uUeE"
            stop = at
            while stop <= ncodeunits(text) && isletter(text[stop])
                stop = nextind(text, stop)
            end
            word = text[at:prevind(text, stop)]
            names = c in "uU" ? MONTHS : DAYS
            i = findfirst(name -> lowercase(name) == lowercase(word) || lowercase(first(name, 3)) == lowercase(word), names)
            i === nothing && return nothing
            found[c in "uU" ? 'm' : 'e'] = i
            at = stop
            continue
        elseif c == 'p'
            found['p'] = uppercase(text[at]) == 'P'
            at += 2
            continue
        end
        next_is_number = k < length(f.parts) && !(f.parts[k + 1] isa String)
        most = next_is_number ? n : c == 's' ? 3 : 19
        stop = at
        while stop <= ncodeunits(text) && isdigit(text[stop]) && stop - at < most
            stop += 1
        end
        stop == at && return nothing
        digits = text[at:(stop - 1)]
        found[c == 'Y' ? 'y' : c] = parse(Int, c == 's' ? rpad(digits, 3, '0') : digits)
        at = stop
    end
    at > ncodeunits(text) ? found : nothing
end
function parts_of(text, f)
    found = read_parts(text, f)
    found === nothing ? throw(ArgumentError(string("Unable to parse date time. Expected ", repr(f), ", got ", repr(text)))) : found
end
to_hour(found) = haskey(found, 'I') ? mod(found['I'], 12) + 12 * get(found, 'p', 0) : get(found, 'H', 0)
made(::Type{Date}, found) = Date(get(found, 'y', 1), get(found, 'm', 1), get(found, 'd', 1))
made(::Type{DateTime}, found) = DateTime(get(found, 'y', 1), get(found, 'm', 1), get(found, 'd', 1), to_hour(found),
    get(found, 'M', 0), get(found, 'S', 0), get(found, 's', 0))
made(::Type{Time}, found) = Time(to_hour(found), get(found, 'M', 0), get(found, 'S', 0), get(found, 's', 0))
default_format(::Type{Date}) = ISODateFormat
default_format(::Type{DateTime}) = ISODateTimeFormat
default_format(::Type{Time}) = DateFormat("HH:MM:SS.s")
for T in (:Date, :DateTime, :Time)
    @eval begin
        $T(text::AbstractString, f::DateFormat = default_format($T)) = made($T, parts_of(text, f))
        $T(text::AbstractString, f::AbstractString) = $T(text, DateFormat(f))
        Base.parse(::Type{$T}, text::AbstractString, f::DateFormat = default_format($T)) = $T(text, f)
        Base.tryparse(::Type{$T}, text::AbstractString, f::DateFormat = default_format($T)) =
            (found = read_parts(text, f); found === nothing ? nothing : made($T, found))
    end
end
