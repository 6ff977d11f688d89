# Reading dates from texts, token by token. A token gives its value and where it ends, or `nothing`.

tryparsenext(t::AbstractDateToken, s, i, stop, locale) = tryparsenext(t, s, i, stop)
min_width(t::DatePart) = t.fixed ? t.width : 1
max_width(t::DatePart) = t.fixed ? t.width : 0
# Digits of base ten: at least `least`, at most `most` unless that is 0.
function tryparsenext_base10(s::AbstractString, i::Int, stop::Int, least::Int = 1, most::Int = 0)
    value, at = Int64(0), i
    while at <= stop && (most == 0 || at - i < most)
        c = s[at]
        '0' <= c <= '9' || break
        value = 10value + (c - '0')
        at += 1
    end
    at - i < least ? nothing : (value, at)
end
function tryparsenext_word(s, i, stop, locale, most = 0)
    at = i
    while at <= stop && (most == 0 || length(SubString(s, i, at)) <= most) && isletter(s[at])
        at = nextind(s, at)
    end
    at == i ? nothing : (SubString(s, i, prevind(s, at)), at)
end
for c in "yY"
    @eval function tryparsenext(t::DatePart{$c}, s, i, stop)
        negative = i <= stop && s[i] in ('+', '-')
        sign = negative && s[i] == '-' ? -1 : 1
        found = tryparsenext_base10(s, negative ? i + 1 : i, stop, min_width(t), max_width(t))
        found === nothing ? nothing : (sign * found[1], found[2])
    end
end
for c in "mdHIMS"
    @eval tryparsenext(t::DatePart{$c}, s, i, stop) = tryparsenext_base10(s, i, stop, min_width(t), max_width(t))
end
for (c, f) in (('u', :monthabbr_to_value), ('U', :monthname_to_value), ('e', :dayabbr_to_value), ('E', :dayname_to_value))
    @eval function tryparsenext(t::DatePart{$c}, s, i, stop, locale)
        word = tryparsenext_word(s, i, stop, locale, max_width(t))
        word === nothing && return nothing
        value = $f(word[1], locale)
        value == 0 ? nothing : (value, word[2])
    end
end
function tryparsenext(t::DatePart{'p'}, s, i, stop)
    i + 1 > stop && return nothing
    which = lowercase(s[i])
    which in ('a', 'p') && lowercase(s[i + 1]) == 'm' || return nothing
    (which == 'a' ? AM : PM, i + 2)
end
# Milliseconds are the first figures after a point.
function tryparsenext(t::DatePart{'s'}, s, i, stop)
    found = tryparsenext_base10(s, i, stop, min_width(t), max_width(t))
    found === nothing && return nothing
    value, at = found
    figures = at - i
    figures <= 3 && return (value * Int64(10)^(3 - figures), at)
    value, rest = divrem(value, Int64(10)^(figures - 3))
    rest == 0 ? (value, at) : nothing
end
function tryparsenext(t::Delim, s, i, stop)
    for c in t.d
        i <= stop && s[i] == c || return nothing
        i = nextind(s, i)
    end
    (true, i)
end

# The values of the parts that a text has, by what they are; with `raises`, the token that does not fit is named.
function values_of_parts(s::AbstractString, f::DateFormat, raises::Bool)
    values = IdDict{Type, Any}()
    at, stop = firstindex(s), lastindex(s)
    for (k, t) in enumerate(f.tokens)
        at > stop && break
        found = tryparsenext(t, s, at, stop, f.locale)
        if found === nothing
            raises && throw(ArgumentError(string("Unable to parse date time. Expected directive ", t, " at char ", length(s, 1, at))))
            return nothing
        end
        t isa DatePart && (values[CONVERSION_SPECIFIERS[letter(t)]] = found[1])
        at = found[2]
    end
    if at <= stop
        raises && throw(ArgumentError("Found extra characters at the end of date time string"))
        return nothing
    end
    values
end
letter(::DatePart{c}) where {c} = c

"""
    validargs(T, parts...)

`nothing`, or the error that tells which part is out of its range.
"""
validargs(::Type{Date}, y::Int64, m::Int64, d::Int64) = first_error(("Month", m, 1, 12), ("Day", d, 1, 0 < m < 13 ? daysinmonth(y, m) : 31))
function validargs(::Type{DateTime}, y::Int64, m::Int64, d::Int64, h::Int64, mi::Int64, s::Int64, ms::Int64, ampm::AMPM = TWENTYFOURHOUR)
    wrong = validargs(Date, y, m, d)
    wrong === nothing || return wrong
    # The end of a day is midnight of the next.
    ampm == TWENTYFOURHOUR && h == 24 && mi == s == ms == 0 ? nothing :
        first_error(hour_range(h, ampm), ("Minute", mi, 0, 59), ("Second", s, 0, 59), ("Millisecond", ms, 0, 999))
end
validargs(::Type{Time}, h::Int64, mi::Int64, s::Int64, ms::Int64, us::Int64, ns::Int64, ampm::AMPM = TWENTYFOURHOUR) =
    first_error(hour_range(h, ampm), ("Minute", mi, 0, 59), ("Second", s, 0, 59), ("Millisecond", ms, 0, 999), ("Microsecond", us, 0, 999),
        ("Nanosecond", ns, 0, 999))
hour_range(h, ampm) = ampm == TWENTYFOURHOUR ? ("Hour", h, 0, 23) : ("Hour", h, 1, 12)
function first_error(ranges...)
    for (what, n, least, greatest) in ranges
        least <= n <= greatest || return ArgumentError(string(what, ": ", n, " out of range (", least, ":", greatest, ")"))
    end
end
adjusthour(h::Int64, ampm::AMPM) = ampm == TWENTYFOURHOUR ? h : h == 12 ? (ampm == AM ? Int64(0) : h) : ampm == PM ? h + 12 : h

# The date of parts in the order of `CONVERSION_TRANSLATIONS`.
made(::Type{Date}, y, m, d) = Date(y, m, d)
made(::Type{DateTime}, y, m, d, h, mi, s, ms, ampm) = (h = adjusthour(h, ampm);
    h == 24 ? DateTime(Date(y, m, d) + Day(1)) : DateTime(y, m, d, h, mi, s, ms))
made(::Type{Time}, h, mi, s, ms, us, ns, ampm) = Time(adjusthour(h, ampm), mi, s, ms, us, ns)
function read_date(::Type{T}, s, f, raises::Bool) where {T <: TimeType}
    values = values_of_parts(s, f, raises)
    if values === nothing || isempty(s)
        raises && throw(ArgumentError("Cannot parse an empty string as a Date or Time"))
        return nothing
    end
    parts = map(P -> get(values, P, CONVERSION_DEFAULTS[P]), CONVERSION_TRANSLATIONS[T])
    wrong = validargs(T, parts...)
    wrong === nothing && return made(T, parts...)
    raises ? throw(wrong) : nothing
end
for T in (:Date, :DateTime, :Time)
    @eval begin
        $T(s::AbstractString, f::DateFormat = default_format($T)) = read_date($T, s, f, true)
        $T(s::AbstractString, f::AbstractString; locale::Union{DateLocale, String} = ENGLISH) = read_date($T, s, DateFormat(f, locale), true)
        Base.parse(::Type{$T}, s::AbstractString, f::DateFormat = default_format($T)) = read_date($T, s, f, true)
        Base.tryparse(::Type{$T}, s::AbstractString, f::DateFormat = default_format($T)) = read_date($T, s, f, false)
    end
end
"""
    Dates.parse_components(text, format)

The periods of the parts that a text has.
"""
function parse_components(s::AbstractString, f::DateFormat)
    values = values_of_parts(s, f, true)
    parts = [CONVERSION_SPECIFIERS[letter(t)] for t in f.tokens if t isa DatePart]
    [P <: Period ? P(values[P]) : values[P] for P in parts if haskey(values, P)]
end
