# Module Ryu: decimal text of floats, shortest, with a number of decimals, or with an exponent.

module Ryu

import ..Base: Host, IEEEFloat

@noinline unsupported_precision() = Base.throw(Base.ArgumentError("writeshortest: a precision of more than the shortest digits is not supported"))
sign_prefix(x, plus, space) = Base.signbit(x) ? "" : plus ? "+" : space ? " " : ""
with_point(text, point::UInt8) = point === 0x2e ? text : Base.replace(text, '.' => Base.Char(point))
is_number(x) = Base.isfinite(x)

function writeshortest(x::IEEEFloat, plus::Bool = false, space::Bool = false, hash::Bool = true, precision::Integer = -1,
        expchar::UInt8 = 0x65, padexp::Bool = false, decchar::UInt8 = 0x2e, typed::Bool = false, compact::Bool = false)
    precision > 0 && unsupported_precision()
    prefix = sign_prefix(x, plus, space)
    typed && return Base.string(prefix, Host.float_to_string(x, compact ? :typed_compact : :typed, 0))
    text = Host.float_to_string(x, compact ? :compact : :shortest, 0)
    is_number(x) || return Base.string(prefix, text)
    at = Base.findfirst('e', text)
    digits = at === nothing ? text : text[1:at-1]
    if !hash && Base.endswith(digits, ".0")
        digits = digits[1:Base.lastindex(digits)-2]
    end
    at === nothing && return Base.string(prefix, with_point(digits, decchar))
    power = text[at+1:Base.lastindex(text)]
    padexp && (power = padded_exponent(power))
    Base.string(prefix, with_point(digits, decchar), Base.Char(expchar), power)
end

function padded_exponent(power)
    negative = Base.startswith(power, "-")
    n = negative ? power[2:Base.lastindex(power)] : power
    Base.string(negative ? "-" : "+", Base.length(n) < 2 ? "0" : "", n)
end

function writefixed(x::IEEEFloat, precision::Integer, plus::Bool = false, space::Bool = false, hash::Bool = false,
        decchar::UInt8 = 0x2e, trimtrailingzeros::Bool = false)
    text = Host.float_to_string(x, :fixed, Base.Int(precision))
    is_number(x) && (text = finish_digits(text, hash, trimtrailingzeros))
    Base.string(sign_prefix(x, plus, space), with_point(text, decchar))
end
function writeexp(x::IEEEFloat, precision::Integer, plus::Bool = false, space::Bool = false, hash::Bool = false,
        expchar::UInt8 = 0x65, decchar::UInt8 = 0x2e, trimtrailingzeros::Bool = false)
    text = Host.float_to_string(x, :exp, Base.Int(precision))
    prefix = sign_prefix(x, plus, space)
    is_number(x) || return Base.string(prefix, text)
    at = Base.findfirst('e', text)
    digits = finish_digits(text[1:at-1], hash, trimtrailingzeros)
    Base.string(prefix, with_point(digits, decchar), Base.Char(expchar), text[at+1:Base.lastindex(text)])
end
# Zeros at the end of the fraction go if asked to; `hash` asks for a point even where no digit follows.
function finish_digits(text, hash, trim)
    if Base.findfirst('.', text) === nothing
        return hash ? Base.string(text, ".") : text
    end
    trim || return text
    last = Base.lastindex(text)
    while text[last] === '0'
        last -= 1
    end
    text[last] === '.' && !hash && (last -= 1)
    text[1:last]
end

# How many bytes the shortest text of a number has at most.
neededdigits(::Base.Type{Base.Float64}) = 309 + 17
neededdigits(::Base.Type{Base.Float32}) = 39 + 9 + 2
neededdigits(::Base.Type{Base.Float16}) = 9 + 5 + 9

# Into a buffer: the position after the last byte.
for f in (:writeshortest, :writefixed, :writeexp)
    @eval function $f(buf::Base.AbstractVector{UInt8}, pos::Base.Int, x::IEEEFloat, args...)
        text = $f(x, args...)
        for i in 1:Base.ncodeunits(text)
            buf[pos + i - 1] = Base.codeunit(text, i)
        end
        pos + Base.ncodeunits(text)
    end
end

end
