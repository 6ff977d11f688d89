# Numbers from text.

digit_value(c::AbstractChar) = '0' <= c <= '9' ? c - '0' : 'a' <= c <= 'z' ? c - 'a' + 10 : 'A' <= c <= 'Z' ? c - 'A' + 10 : 99
parse(::Type{T}, c::AbstractChar; base::Integer = 10) where {T <: Integer} =
    (d = digit_value(c); d < base ? T(d) : throw(ArgumentError(string("invalid base ", base, " digit ", repr(c)))))
@noinline throw_parse(T, s) = throw(ArgumentError(string("cannot parse ", repr(s), " as ", T)))
function tryparse(::Type{T}, s::AbstractString; base::Union{Nothing, Integer} = nothing) where {T <: Integer}
    t = strip(s)
    isempty(t) && return nothing
    i = 1
    negative = false
    if t[1] == '-' || t[1] == '+'
        negative = t[1] == '-'
        negative && T <: Unsigned && return nothing
        i = 2
    end
    b = 10
    if base !== nothing
        b = Int(base)
    elseif ncodeunits(t) >= i + 2 && t[i] == '0' && t[i + 1] in ('x', 'b', 'o')
        b = t[i + 1] == 'x' ? 16 : t[i + 1] == 'b' ? 2 : 8
        i += 2
    end
    i > ncodeunits(t) && return nothing
    n = zero(T)
    while i <= ncodeunits(t)
        d = digit_value(t[i])
        d < b || return nothing
        n, f1 = mul_with_overflow(n, T(b))
        n, f2 = negative ? sub_with_overflow(n, T(d)) : add_with_overflow(n, T(d))
        (f1 || f2) && throw(OverflowError(string("overflow: ", repr(s))))
        i = nextind(t, i)
    end
    n
end
function tryparse(::Type{Bool}, s::AbstractString; base = nothing)
    t = strip(s)
    t == "true" || t == "1" ? true : t == "false" || t == "0" ? false : nothing
end
tryparse(::Type{Float64}, s::AbstractString) = Host.parse_float64(String(strip(s)))
tryparse(::Type{Float32}, s::AbstractString) = Host.parse_float32(String(strip(s)))
tryparse(::Type{Float16}, s::AbstractString) = (x = tryparse(Float32, s); x === nothing ? nothing : Float16(x))
tryparse(::Type{AbstractFloat}, s::AbstractString) = tryparse(Float64, s)
tryparse(::Type{Integer}, s::AbstractString; kws...) = tryparse(Int, s; kws...)
tryparse(::Type{Number}, s::AbstractString) = (x = tryparse(Int, s); x === nothing ? tryparse(Float64, s) : x)
function parse(::Type{T}, s::AbstractString; base = nothing) where {T <: Integer}
    x = tryparse(T, s; base = base)
    x === nothing && throw_parse_integer(T, s, base)
    x
end
function throw_parse_integer(T, s, base)
    isempty(strip(s)) && throw(ArgumentError(isempty(s) ? "input string is empty or only contains whitespace" : "input string is empty or only contains whitespace"))
    T === Bool && throw(ArgumentError(string("invalid Bool representation: ", repr(s))))
    b = base === nothing ? 10 : base
    for c in strip(s)
        c in ('-', '+') && continue
        digit_value(c) < b || throw(ArgumentError(string("invalid base ", b, " digit ", repr(c), " in ", repr(s))))
    end
    throw_parse(T, s)
end
function parse(::Type{T}, s::AbstractString) where {T <: AbstractFloat}
    x = tryparse(T, s)
    x === nothing && throw_parse(T, s)
    x
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
