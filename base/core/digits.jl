# Digits of integers: how many, which, and as text. A negative base has its own digits.

@noinline throw_digits_base(b) = throw(DomainError(b, "The base must not be in `[-1, 0, 1]`."))
ndigits(x::Integer; base::Integer = 10, pad::Integer = 1) = max(pad, ndigits0z(x, base))
# None for zero.
ndigits0z(x::Integer) = ndigits0z(x, 10)
function ndigits0z(x::Integer, base::Integer)
    base > 1 && return ndigits0zpb(x, base)
    base < -1 || throw_digits_base(base)
    ndigits0znb(x, base)
end
ndigits0zpb(x::Bool, base) = Int(x)
function ndigits0zpb(x::BitInteger, base)
    n = 0
    u = uabs(x)
    base > typemax(u) && return Int(!iszero(u))
    b = base % typeof(u)
    while !iszero(u)
        u = div(u, b)
        n += 1
    end
    n
end
function ndigits0zpb(x::Integer, base)
    n = 0
    u = abs(x)
    while !iszero(u)
        u = div(u, base)
        n += 1
    end
    n
end
ndigits0znb(x::Bool, base) = Int(x)
function ndigits0znb(x::Integer, base)
    n = 0
    if x isa Unsigned
        iszero(x) && return 0
        n = 1
        x = -signed(fld(x, -base))
    end
    while !iszero(x)
        x = cld(x, base)
        n += 1
    end
    n
end

digits(x::Integer; base::Integer = 10, pad::Integer = 1) = digits(typeof(base), x; base = base, pad = pad)
digits(::Type{T}, x::Integer; base::Integer = 10, pad::Integer = 1) where {T <: Integer} =
    digits!(zeros(T, ndigits(x; base = base, pad = pad)), x; base = base)
function digits!(a::AbstractVector{T}, x::Integer; base::Integer = 10) where {T <: Integer}
    abs(base) >= 2 || throw(DomainError(base, "base must be ≥ 2 or ≤ -2"))
    hastypemax(T) && abs(base) - 1 > typemax(T) && throw(ArgumentError(string("type ", T, " too small for base ", base)))
    isempty(a) && return a
    if base > 0
        for i in eachindex(a)
            x, d = divrem(x, base)
            a[i] = d
        end
    else
        # The quotient changes sign with each digit; an unsigned number becomes signed after the first.
        x, d = fldmod(x, -base)
        a[firstindex(a)] = d
        x = -signed(x)
        for i in (firstindex(a) + 1):lastindex(a)
            x, d = fldmod(x, -base)
            a[i] = d
            x = -x
        end
    end
    a
end

digit_byte(d, wide) = d < 10 ? 0x30 + d : wide ? (d < 36 ? 0x37 + d : 0x3d + d) : 0x57 + d
# Digits, sign and padding of an integer in a base from 2 to 62 or from -62 to -2.
function string_in_base(x::Integer, base::Int, pad::Int)
    2 <= abs(base) <= 62 || throw(DomainError(base, "base must satisfy 2 ≤ abs(base) ≤ 62"))
    x isa Bool && return string_in_base(Int(x), base, pad)
    base > 0 && x isa BitInteger && 0 <= pad < 1 << 30 && return Host.integer_text(x, base, pad)
    negative = base > 0 && x < 0
    rest = base > 0 ? uabs(x) : signed(x)
    n = max(ndigits0z(x, base), pad) + negative
    out = Memory{UInt8}(undef, n)
    for i in n:-1:(1 + negative)
        if base > 0
            rest, d = divrem(rest, oftype(rest, base))
        else
            d = mod(rest, -base)
            rest = cld(rest, base)
        end
        out[i] = digit_byte(d % UInt8, abs(base) > 36)
    end
    negative && (out[1] = 0x2d)
    Host.string_from_memory(out, 0, n)
end
