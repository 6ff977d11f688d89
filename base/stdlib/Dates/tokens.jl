# Formats: parts of a date under their letters, and texts between them. Packages add tokens of their own.

abstract type AbstractDateToken end
function tryparsenext end
"""
    DateFormat(text, locale = "english")

How dates are written: runs of the letters `y Y m u U d H I M S s e E p` are parts, all else stands for itself, as does what follows
a backslash.
"""
struct DateFormat{S, T <: Tuple}
    tokens::T
    locale::DateLocale
end
# A part with its least width; where another part follows at once, that width is the only one.
struct DatePart{letter} <: AbstractDateToken
    width::Int
    fixed::Bool
end
struct Delim{T, length} <: AbstractDateToken
    d::T
end
Delim(c::T) where {T <: AbstractChar} = Delim{T, 1}(c)
Delim(s::String) = Delim{String, length(s)}(s)

@enum AMPM AM PM TWENTYFOURHOUR
abstract type DayOfWeekToken end
# What a letter stands for, what it is where a text ends before it, and what a type of dates is made of.
const CONVERSION_SPECIFIERS = Dict{Char, Type}('y' => Year, 'Y' => Year, 'm' => Month, 'u' => Month, 'U' => Month, 'e' => DayOfWeekToken,
    'E' => DayOfWeekToken, 'd' => Day, 'H' => Hour, 'I' => Hour, 'M' => Minute, 'S' => Second, 's' => Millisecond, 'p' => AMPM)
const CONVERSION_DEFAULTS = IdDict{Type, Any}(Year => Int64(1), Month => Int64(1), DayOfWeekToken => Int64(0), Day => Int64(1),
    Hour => Int64(0), Minute => Int64(0), Second => Int64(0), Millisecond => Int64(0), Microsecond => Int64(0), Nanosecond => Int64(0),
    AMPM => TWENTYFOURHOUR)
const CONVERSION_TRANSLATIONS = IdDict{Type, Any}(Date => (Year, Month, Day),
    DateTime => (Year, Month, Day, Hour, Minute, Second, Millisecond, AMPM),
    Time => (Hour, Minute, Second, Millisecond, Microsecond, Nanosecond, AMPM))

function DateFormat(text::AbstractString, locale::DateLocale = ENGLISH)
    tokens = AbstractDateToken[]
    chars = collect(text)
    i = 1
    while i <= length(chars)
        if haskey(CONVERSION_SPECIFIERS, chars[i])
            stop = i
            while stop < length(chars) && chars[stop + 1] == chars[i]
                stop += 1
            end
            follows = stop < length(chars) && haskey(CONVERSION_SPECIFIERS, chars[stop + 1])
            push!(tokens, DatePart{chars[i]}(stop - i + 1, follows))
            i = stop + 1
        else
            between = Char[]
            while i <= length(chars) && !haskey(CONVERSION_SPECIFIERS, chars[i])
                chars[i] == '\\' && i < length(chars) && (i += 1)
                push!(between, chars[i])
                i += 1
            end
            push!(tokens, Delim(length(between) == 1 ? only(between) : String(between)))
        end
    end
    all = (tokens...,)
    DateFormat{Symbol(text), typeof(all)}(all, locale)
end
DateFormat(text::AbstractString, locale::AbstractString) = DateFormat(text, LOCALES[locale])
macro dateformat_str(text)
    DateFormat(text)
end
const ISODateTimeFormat = DateFormat("yyyy-mm-dd\\THH:MM:SS.s")
const ISODateFormat = DateFormat("yyyy-mm-dd")
const ISOTimeFormat = DateFormat("HH:MM:SS.s")
const RFC1123Format = DateFormat("e, dd u yyyy HH:MM:SS")
default_format(::Type{DateTime}) = ISODateTimeFormat
default_format(::Type{Date}) = ISODateFormat
default_format(::Type{Time}) = ISOTimeFormat

Base.show(io::IO, f::DateFormat{S}) where {S} = print(io, "dateformat\"", S, "\"")
Base.Broadcast.broadcastable(f::DateFormat) = Ref(f)
_show_content(io::IO, t::DatePart{c}) where {c} = print(io, c^t.width)
_show_content(io::IO, t::Delim) = foreach(c -> print(io, haskey(CONVERSION_SPECIFIERS, c) ? "\\" : "", c), t.d)
Base.show(io::IO, t::DatePart) = (print(io, "DatePart("); _show_content(io, t); print(io, ")"))
Base.show(io::IO, t::Delim) = (print(io, "Delim("); _show_content(io, t); print(io, ")"))

# Writing.
hour12(d) = mod1(hour(d), 12)
for (c, f) in (('Y', :year), ('m', :month), ('d', :day), ('H', :hour), ('I', :hour12), ('M', :minute), ('S', :second))
    @eval format(io::IO, t::DatePart{$c}, d, locale) = print(io, string($f(d); pad = t.width))
end
for (c, f) in (('u', :monthabbr), ('U', :monthname))
    @eval format(io::IO, t::DatePart{$c}, d, locale) = print(io, $f(month(d), locale))
end
for (c, f) in (('e', :dayabbr), ('E', :dayname))
    @eval format(io::IO, t::DatePart{$c}, d, locale) = print(io, $f(dayofweek(d), locale))
end
format(io::IO, t::DatePart{'y'}, d, locale) = print(io, last(string(year(d); pad = t.width), t.width))
format(io::IO, t::DatePart{'p'}, d, locale) = print(io, hour(d) < 12 ? "AM" : "PM")
function format(io::IO, t::DatePart{'s'}, d, locale)
    figures = rstrip(string(millisecond(d); pad = 3), '0')
    print(io, rpad(isempty(figures) ? "0" : figures, t.width, '0'))
end
format(io::IO, t::Delim, d, locale) = print(io, t.d)
# Tokens of packages may leave out the locale.
format(io::IO, t::AbstractDateToken, d, locale) = format(io, t, d)
function format(io::IO, d::TimeType, f::DateFormat, bound = nothing)
    for t in f.tokens
        format(io, t, d, f.locale)
    end
end
format(d::TimeType, f::DateFormat = default_format(typeof(d))) = sprint(format, d, f)
format(d::TimeType, f::AbstractString; locale::Union{DateLocale, String} = ENGLISH) = format(d, DateFormat(f, locale))
