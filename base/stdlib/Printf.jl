# Formatted output in the manner of C: `@printf`, `@sprintf`, `Printf.Format`.
module Printf

export @printf, @sprintf

struct Spec
    conversion::Char
    left::Bool
    plus::Bool
    space::Bool
    zero::Bool
    hash::Bool
    width::Int        # -1: none, -2: the next argument
    precision::Int    # likewise
end
struct Format
    parts::Tuple      # Strings as they are, and `Spec`s: a constant that other sessions have, too
    packed::String    # The same for the runtime, see `formatting.rs`
    Format(parts::Tuple) = new(parts, packed(parts))
end
# A literal is a zero byte, its length, and its bytes; a conversion its letter, its flags, its width and its precision.
function packed(parts)
    io = IOBuffer()
    for p in parts
        if p isa Spec
            flags = 1 * p.left | 2 * p.plus | 4 * p.space | 8 * p.zero | 16 * p.hash
            write(io, UInt8(p.conversion), UInt8(flags), clamp(p.width, Int32), clamp(p.precision, Int32))
        else
            write(io, 0x00, UInt32(ncodeunits(p)), p)
        end
    end
    String(take!(io))
end
Format(text::AbstractString) = Format(Tuple(parse_format(String(text))))
macro format_str(text)
    :(Format($(esc(text))))
end
takes(s::Spec) = 1 + (s.width == -2) + (s.precision == -2)

function parse_format(text::String)
    parts = Any[]
    literal = IOBuffer()
    chars = collect(text)
    i = 1
    n = length(chars)
    while i <= n
        c = chars[i]
        i += 1
        if c != '%'
            write(literal, c)
            continue
        end
        i <= n || throw(ArgumentError("invalid printf format string: \"$text\""))
        if chars[i] == '%'
            write(literal, '%')
            i += 1
            continue
        end
        before = String(take!(literal))
        isempty(before) || push!(parts, before)
        spec, i = parse_spec(chars, i, n)
        push!(parts, spec)
    end
    rest = String(take!(literal))
    isempty(rest) || push!(parts, rest)
    parts
end
function parse_spec(chars, i, n)
    left = plus = space = zero = hash = false
    while i <= n && chars[i] in ('-', '+', ' ', '0', '#')
        c = chars[i]
        left |= c == '-'
        plus |= c == '+'
        space |= c == ' '
        zero |= c == '0'
        hash |= c == '#'
        i += 1
    end
    width, i = parse_number(chars, i, n)
    precision = -1
    if i <= n && chars[i] == '.'
        precision, i = parse_number(chars, i + 1, n)
        precision == -1 && (precision = 0)
    end
    while i <= n && chars[i] in ('h', 'l', 'j', 'z', 't', 'q', 'L')
        i += 1
    end
    i <= n || throw(ArgumentError("incomplete printf format specifier"))
    c = chars[i]
    c in ('d', 'i', 'u', 'x', 'X', 'o', 'f', 'F', 'e', 'E', 'g', 'G', 'a', 'A', 's', 'c', 'p') ||
        throw(ArgumentError("'$c' is not a valid type specifier"))
    (Spec(c, left, plus, space, zero && !left, hash, width, precision), i + 1)
end
function parse_number(chars, i, n)
    i <= n && chars[i] == '*' && return (-2, i + 1)
    from = i
    value = 0
    while i <= n && isdigit(chars[i])
        value = 10 * value + (chars[i] - '0')
        i += 1
    end
    (i == from ? -1 : value, i)
end

# Puts sign or prefix before the digits and fills up to the width.
function pad(s::Spec, prefix::String, digits::String, zeros_allowed::Bool)
    gap = s.width - textwidth(prefix) - textwidth(digits)
    gap <= 0 && return string(prefix, digits)
    s.left && return string(prefix, digits, " "^gap)
    s.zero && zeros_allowed && return string(prefix, "0"^gap, digits)
    string(" "^gap, prefix, digits)
end
sign_prefix(s::Spec, negative::Bool) = negative ? "-" : s.plus ? "+" : s.space ? " " : ""

function format_arg(s::Spec, x)
    c = s.conversion
    if c in ('d', 'i', 'u')
        format_integer(s, x)
    elseif c in ('x', 'X', 'o')
        format_based(s, x)
    elseif c in ('s',)
        format_text(s, x)
    elseif c == 'c'
        pad(s, "", string(x isa AbstractString ? first(x) : Char(x)), false)
    elseif c == 'p'
        pad(s, "0x", string(UInt(x), base = 16, pad = 16), false)
    else
        format_float(s, x)
    end
end
whole(x::Integer) = x
whole(x::Real) = isinteger(x) ? Integer(x) : nothing
function format_integer(s::Spec, x)
    n = whole(x)
    n === nothing && return format_float(Spec('f', s.left, s.plus, s.space, s.zero, s.hash, s.width, s.precision == -1 ? 0 : s.precision), x)
    digits = string(Base.uabs(n isa Bool ? Int(n) : n))
    s.precision > length(digits) && (digits = lpad(digits, s.precision, '0'))
    pad(s, sign_prefix(s, n < 0), digits, s.precision == -1)
end
function format_based(s::Spec, x)
    n = whole(x)
    base = s.conversion == 'o' ? 8 : 16
    negative = n < 0
    digits = string(Base.uabs(n), base = base)
    s.precision > length(digits) && (digits = lpad(digits, s.precision, '0'))
    prefix = string(sign_prefix(s, negative), s.hash ? (base == 8 ? "0" : "0x") : "")
    s.conversion == 'X' ? pad(s, uppercase(prefix), uppercase(digits), s.precision == -1) : pad(s, prefix, digits, s.precision == -1)
end
function format_text(s::Spec, x)
    text = x isa AbstractString || x isa Symbol || x isa Char ? string(x) : s.hash ? repr(x) : string(x)
    s.precision >= 0 && length(text) > s.precision && (text = first(text, s.precision))
    pad(s, "", String(text), false)
end
# The float that is written for a number; packages add methods for types of their own.
tofloat(x) = Float64(x)
tofloat(x::Union{Base.IEEEFloat, BigFloat}) = x
function format_float(s::Spec, v)
    x = Float64(tofloat(v))
    negative = signbit(x) && !isnan(x)
    a = abs(x)
    upper = s.conversion in ('F', 'E', 'G', 'A')
    prefix = sign_prefix(s, negative)
    isfinite(x) || return pad(s, prefix, isnan(x) ? "NaN" : "Inf", false)
    k = s.precision < 0 ? 6 : s.precision
    c = lowercase(s.conversion)
    digits = c == 'f' ? Core.Host.float_to_string(a, :fixed, k) : c == 'e' ? exponent_form(a, k) :
        c == 'g' ? shortest_form(a, max(k, 1), s.hash) : hexadecimal(a)
    if s.hash && c != 'a' && !occursin('.', digits)
        # The point stays where no digit is behind it.
        mantissa, exponent = (split(digits, 'e')..., "")
        digits = string(mantissa, ".", isempty(exponent) ? "" : "e", exponent)
    end
    pad(s, prefix, upper ? uppercase(digits) : digits, true)
end
# Two digits of exponent at least, with its sign.
function exponent_form(a, k)
    text = Core.Host.float_to_string(a, :exp, k)
    parts = split(text, 'e')
    e = parts[2]
    negative = startswith(e, "-")
    number = lstrip(c -> c in ('-', '+'), e)
    string(parts[1], "e", negative ? "-" : "+", lpad(number, 2, '0'))
end
function shortest_form(a, k, keep)
    a == 0.0 && return keep ? string("0.", "0"^(k - 1)) : "0"
    text = exponent_form(a, k - 1)
    at = findfirst('e', text)
    e = parse(Int, lstrip(c -> c == '+', text[(at + 1):end]))
    if e < -4 || e >= k
        mantissa = text[1:(at - 1)]
        return string(keep ? mantissa : without_zeros(mantissa), text[at:end])
    end
    fixed = Core.Host.float_to_string(a, :fixed, k - 1 - e)
    keep ? fixed : without_zeros(fixed)
end
without_zeros(text) = occursin('.', text) ? String(rstrip(c -> c == '.', rstrip(c -> c == '0', text))) : String(text)
function hexadecimal(a)
    a == 0.0 && return "0x0p+0"
    m = significand(a)
    e = exponent(a)
    bits = reinterpret(UInt64, m) & 0x000f_ffff_ffff_ffff
    tail = rstrip(c -> c == '0', string(bits, base = 16, pad = 13))
    string("0x1", isempty(tail) ? "" : string(".", tail), "p", e < 0 ? "-" : "+", abs(e))
end

function format(io::IO, f::Format, args...)
    text = Core.Host.format_text(f.packed, args...)
    text === nothing ? format_each(io, f, args...) : (print(io, text); nothing)
end
function format_each(io::IO, f::Format, args...)
    needed = 0
    for p in f.parts
        p isa Spec && (needed += takes(p))
    end
    needed == length(args) || throw(ArgumentError("mismatch between # of format specifiers and provided args: $needed != $(length(args))"))
    at = 1
    for p in f.parts
        if p isa Spec
            left = p.left
            width = p.width
            precision = p.precision
            if width == -2
                width = Int(args[at])
                at += 1
                left |= width < 0
                width = abs(width)
            end
            if precision == -2
                precision = Int(args[at])
                at += 1
            end
            print(io, format_arg(Spec(p.conversion, left, p.plus, p.space, p.zero && !left, p.hash, width, precision), args[at]))
            at += 1
        else
            print(io, p)
        end
    end
    nothing
end
function format(f::Format, args...)
    text = Core.Host.format_text(f.packed, args...)
    text === nothing ? sprint(io -> format_each(io, f, args...)) : text
end

# The format is read when the macro is expanded.
macro sprintf(fmt, args...)
    Base.@keep_expansions
    fmt isa String || throw(ArgumentError("First argument to `@sprintf` must be a format string."))
    :($format($(Format(fmt)), $(map(esc, args)...)))
end
macro printf(first, rest...)
    Base.@keep_expansions
    if first isa String
        return :($format(stdout, $(Format(first)), $(map(esc, rest)...)))
    end
    length(rest) >= 1 && rest[1] isa String || throw(ArgumentError("First or second argument to `@printf` must be a format string."))
    :($format($(esc(first)), $(Format(rest[1])), $(map(esc, rest[2:end])...)))
end

end
