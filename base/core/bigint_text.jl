# Integers of any size as text, digit by digit, and from text.

ndigits0zpb(x::BigInt, base) = base > typemax(Int) ? invoke(ndigits0zpb, Tuple{Integer, Any}, x, base) :
    Host.big_integer(:digits, BigInt, x, Int(base))::Int
function string(x::BigInt; base::Integer = 10, pad::Integer = 1)
    base < 0 && return invoke(string, Tuple{Integer}, x; base = base, pad = pad)
    2 <= base <= 62 || throw(ArgumentError(string("base must be 2 ≤ base ≤ 62, got ", base)))
    iszero(x) && pad < 1 && return ""
    text = Host.big_integer(:string, BigInt, x, Int(base))::String
    missing_digits = pad - (ncodeunits(text) - signbit(x))
    missing_digits <= 0 && return text
    zeros = "0"^missing_digits
    signbit(x) ? string("-", zeros, SubString(text, 2)) : string(zeros, text)
end
show(io::IO, x::BigInt) = (write(io, string(x)); nothing)
print(io::IO, x::BigInt) = (write(io, string(x)); nothing)

# Sign and base of a text that starts with a number, and the digits.
function integer_parts(s::AbstractString, base)
    text = strip(s)
    negative = startswith(text, '-')
    (negative || startswith(text, '+')) && (text = SubString(text, 2))
    if base === nothing
        base = startswith(text, "0x") ? 16 : startswith(text, "0o") ? 8 : startswith(text, "0b") ? 2 : 10
        base != 10 && (text = SubString(text, 3))
    end
    (negative, Int(base), text)
end
function tryparse(::Type{BigInt}, s::AbstractString; base::Union{Nothing, Integer} = nothing)
    negative, b, text = integer_parts(s, base)
    2 <= b <= 62 || throw(ArgumentError(string("invalid base: base must be 2 ≤ base ≤ 62, got ", b)))
    n = Host.big_integer(:parse, BigInt, String(text), b)
    n === nothing || startswith(text, '-') || startswith(text, '+') ? nothing : negative ? -n : n
end
function parse(::Type{BigInt}, s::AbstractString; base::Union{Nothing, Integer} = nothing)
    n = tryparse(BigInt, s; base = base)
    n === nothing || return n
    isempty(strip(s)) && throw(ArgumentError(string("premature end of integer: ", repr(s))))
    throw(ArgumentError(string("invalid BigInt: ", repr(s))))
end

# Literals: `big"..."`, and integers too wide for the parser.
@noinline throw_big_literal(s) = throw(ArgumentError(string("invalid number format ", s, " for BigInt or BigFloat")))
# Without the underscores between digits; `nothing` if one stands elsewhere.
function without_underscores(s)
    bytes = codeunits(s)
    kept = UInt8[]
    isdigit_at(i) = 1 <= i <= length(bytes) && (c = Char(bytes[i]); isxdigit(c))
    for i in 1:length(bytes)
        if bytes[i] == UInt8('_')
            isdigit_at(i - 1) && isdigit_at(i + 1) || return nothing
        else
            push!(kept, bytes[i])
        end
    end
    String(kept)
end
function big_literal(s)
    text = without_underscores(s)
    text === nothing && return nothing
    n = tryparse(BigInt, text)
    n === nothing ? tryparse(BigFloat, text) : n
end
Core.eval(Core, quote
    macro big_str(s)
        n = Base.big_literal(s)
        n === Base.nothing ? Expr(:call, Base.throw_big_literal, s) : n
    end
end)
using Core: @big_str
