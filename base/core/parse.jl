# Numbers from text.

# In bases over 36 small letters are digits of their own, behind the capitals.
digit_value(c::AbstractChar, base = 36) = '0' <= c <= '9' ? c - '0' : 'A' <= c <= 'Z' ? c - 'A' + 10 :
    'a' <= c <= 'z' ? c - 'a' + (base > 36 ? 36 : 10) : 99
@noinline throw_parse_base(base) = throw(ArgumentError(string("invalid base: base must be 2 ≤ base ≤ 62, got ", base)))
check_parse_base(base) = 2 <= base <= 62 || throw_parse_base(base)
@noinline throw_digit(c, base) = throw(ArgumentError(string("invalid base ", base, " digit ", repr(c))))
function parse(::Type{T}, c::AbstractChar; base::Integer = 10) where {T <: Integer}
    check_parse_base(base)
    d = digit_value(c, base)
    d < base ? convert(T, d) : throw_digit(c, base)
end
function tryparse(::Type{T}, c::AbstractChar; base::Integer = 10) where {T <: Integer}
    check_parse_base(base)
    d = digit_value(c, base)
    d < base ? convert(T, d) : nothing
end
@noinline throw_parse(T, s) = throw(ArgumentError(string("cannot parse ", repr(s), " as ", T)))
# The number, or why there is none.
@inline function parse_digits(::Type{T}, s::AbstractString, base::Union{Nothing, Integer}) where {T <: Integer}
    if T <: BitInteger && s isa ByteString
        n = Host.parse_integer(T, s, base === nothing ? 0 : 2 <= base <= 36 ? Int(base) : -1)
        n isa T && return n
    end
    parse_by_digits(T, s, base)
end
@noinline function parse_by_digits(::Type{T}, s::AbstractString, base::Union{Nothing, Integer}) where {T <: Integer}
    base === nothing || check_parse_base(base)
    # Other strings than Julia's own are read by iteration.
    t = strip(s isa ByteString ? s : String(s))
    isempty(t) && return :empty
    i = 1
    negative = false
    if T <: Signed && (t[1] == '+' || t[1] == '-')
        negative = t[1] == '-'
        # Space may stand between the sign and the digits.
        i = something(findnext(!isspace, t, 2), 0)
        i == 0 && return :end
    end
    b = 10
    if base !== nothing
        b = Int(base)
    elseif ncodeunits(t) >= i + 1 && t[i] == '0' && t[nextind(t, i)] in ('x', 'b', 'o')
        c = t[i + 1]
        b = c == 'x' ? 16 : c == 'b' ? 2 : 8
        i += 2
        i > ncodeunits(t) && return :end
    end
    n = zero(T)
    while i <= ncodeunits(t)
        d = digit_value(t[i], b)
        d < b || return isspace(t[i]) ? :extra : (t[i], b)
        n, f1 = mul_with_overflow(n, T(b))
        n, f2 = negative ? sub_with_overflow(n, T(d)) : add_with_overflow(n, T(d))
        (f1 || f2) && return :overflow
        i = nextind(t, i)
    end
    n
end
function tryparse(::Type{T}, s::AbstractString; base::Union{Nothing, Integer} = nothing) where {T <: Integer}
    n = parse_digits(T, s, base)
    n isa T ? n : nothing
end
function parse(::Type{T}, s::AbstractString; base::Union{Nothing, Integer} = nothing) where {T <: Integer}
    n = parse_digits(T, s, base)
    n isa T || throw_not_integer(n, s)
    n
end
@noinline function throw_not_integer(why, s)
    why === :overflow && throw(OverflowError(string("overflow parsing ", repr(s))))
    throw(ArgumentError(why === :empty ? "input string is empty or only contains whitespace" :
        why === :end ? string("premature end of integer: ", repr(s)) :
        why === :extra ? string("extra characters after whitespace in ", repr(s)) :
        string("invalid base ", why[2], " digit ", repr(why[1]), " in ", repr(s))))
end
function tryparse(::Type{Bool}, s::AbstractString; base::Union{Nothing, Integer} = nothing)
    t = strip(s)
    t == "true" && return true
    t == "false" && return false
    n = tryparse(Int, t; base)
    n === 1 ? true : n === 0 ? false : nothing
end
function parse(::Type{Bool}, s::AbstractString; base::Union{Nothing, Integer} = nothing)
    x = tryparse(Bool, s; base)
    x === nothing && throw(ArgumentError(isempty(s) ? "input string is empty" : isempty(strip(s)) ? "input string only contains whitespace" : string("invalid Bool representation: ", repr(s))))
    x
end
# A part of a text; base 0 means that the text says the base.
function tryparse_internal(::Type{T}, s::AbstractString, from::Int, to::Int, base::Integer, raise::Bool) where {T <: Integer}
    part = SubString(s, from, to)
    raise ? parse(T, part; base = base == 0 ? nothing : base) : tryparse(T, part; base = base == 0 ? nothing : base)
end
parse(::Type{Integer}, s::AbstractString; kws...) = parse(Int, s; kws...)
tryparse(::Type{Float64}, s::AbstractString) = Host.parse_float64(String(s))
tryparse(::Type{Float32}, s::AbstractString) = Host.parse_float32(String(s))
tryparse(::Type{Float64}, s::ByteString) = Host.parse_float64(s)
tryparse(::Type{Float32}, s::ByteString) = Host.parse_float32(s)
tryparse(::Type{Float16}, s::AbstractString) = (x = tryparse(Float32, s); x === nothing ? nothing : Float16(x))
tryparse(::Type{AbstractFloat}, s::AbstractString) = tryparse(Float64, s)
tryparse(::Type{Integer}, s::AbstractString; kws...) = tryparse(Int, s; kws...)
tryparse(::Type{Number}, s::AbstractString) = (x = tryparse(Int, s); x === nothing ? tryparse(Float64, s) : x)
function parse(::Type{T}, s::AbstractString) where {T <: AbstractFloat}
    x = tryparse(T, s)
    x === nothing && throw_parse(T, s)
    x
end
# `a+bi`, `a` or `bi`, the unit written `im`, `i` or `j`: the first sign behind `a` that is not of an exponent parts them, and `b` may have
# a sign of its own.
function tryparse(::Type{Complex{T}}, s::AbstractString) where {T <: Real}
    t = strip(s)
    unit = findfirst(u -> endswith(t, u), ("im", "i", "j"))
    unit === nothing && return (x = tryparse(T, t); x === nothing ? nothing : Complex{T}(x))
    body = chop(t; tail = unit == 1 ? 2 : 1)
    sign = isempty(body) ? nothing : findnext(in("+-"), body, nextind(body, 1))
    while sign !== nothing && body[prevind(body, sign)] in "eE"
        sign = findnext(in("+-"), body, nextind(body, sign))
    end
    imaginary = tryparse(T, sign === nothing ? body : SubString(body, nextind(body, sign)))
    imaginary === nothing && return nothing
    real = sign === nothing ? zero(T) : tryparse(T, SubString(body, 1, prevind(body, sign)))
    real === nothing ? nothing : Complex{T}(real, sign !== nothing && body[sign] == '-' ? -imaginary : imaginary)
end
tryparse(::Type{Complex}, s::AbstractString) = tryparse(ComplexF64, s)
function parse(::Type{C}, s::AbstractString) where {C <: Complex}
    z = tryparse(C, s)
    z === nothing && throw_parse(C, s)
    z
end
parse(::Type{Number}, s::AbstractString) = (x = tryparse(Number, s); x === nothing ? throw_parse(Number, s) : x)

# Literals too wide for the parser.
wide_literal(T, s) = parse(T, filter(c -> c != '_', s))
Core.eval(Core, quote
    macro int128_str(s)
        Base.wide_literal(Int128, s)
    end
    macro uint128_str(s)
        Base.wide_literal(UInt128, s)
    end
end)
