# Inside a float: neighbours, exponent and significand; sums and products with their rounding error.

nextfloat(x::IEEEFloat) = nextfloat(x, 1)
prevfloat(x::IEEEFloat) = nextfloat(x, -1)
prevfloat(x::IEEEFloat, n::Integer) = move_floats(x, uabs(n), n > 0)
nextfloat(x::IEEEFloat, n::Integer) = move_floats(x, uabs(n), n < 0)
# Read as sign and magnitude, the bits of a float count the floats.
function move_floats(x::T, steps, down) where {T <: IEEEFloat}
    isnan(x) && return x
    top = inttype(T)(exponent_mask(T))
    bits = reinterpret(inttype(T), x)
    rank = bits < 0 ? -(bits & typemax(bits)) : bits
    # How many floats there are up to the infinity on that side.
    room = unsigned(down ? rank + top : top - rank)
    to = steps > room ? (down ? -top : top) : down ? rank - (steps % inttype(T)) : rank + (steps % inttype(T))
    if to == 0
        return rank < 0 || (rank == 0 && bits < 0) ? -zero(T) : zero(T)
    end
    reinterpret(T, to < 0 ? (-to) | typemin(to) : to)
end

function eps(x::T) where {T <: IEEEFloat}
    isfinite(x) || return T(NaN)
    a = abs(x)
    a < floatmin(T) ? reinterpret(T, one(uinttype(T))) : max(reinterpret(T, one(uinttype(T))), nextfloat_gap(a))
end
function nextfloat_gap(a::T) where {T}
    e = Int(reinterpret(uinttype(T), a) >> significand_bits(T))
    pow2_float(T, e - exponent_bias(T) - significand_bits(T))
end
# Two to a power that may be subnormal.
function pow2_float(::Type{T}, k::Int) where {T <: IEEEFloat}
    e = k + exponent_bias(T)
    if e > 0
        reinterpret(T, (e % uinttype(T)) << significand_bits(T))
    else
        reinterpret(T, one(uinttype(T)) << max(significand_bits(T) + e - 1, 0))
    end
end

exponent_raw_max(::Type{T}) where {T} = Int(exponent_mask(T) >> significand_bits(T))
@noinline throw_exponent_domain(x) = throw(DomainError(x, "Cannot be NaN, ±0.0 or ±Inf."))
function exponent(x::T) where {T <: IEEEFloat}
    bits = reinterpret(uinttype(T), x) & ~sign_mask(T)
    k = Int(bits >> significand_bits(T))
    if k == 0
        bits == 0 && throw_exponent_domain(x)
        k = 1 - (leading_zeros(bits) - exponent_bits(T))
    elseif k == exponent_raw_max(T)
        throw_exponent_domain(x)
    end
    k - exponent_bias(T)
end
exponent(x::Real) = exponent(float(x))
function significand(x::T) where {T <: IEEEFloat}
    bits = reinterpret(uinttype(T), x)
    a = bits & ~sign_mask(T)
    (a == 0 || a >= exponent_mask(T)) && return x
    if a < exponent_mask(T) & -exponent_mask(T)
        shift = leading_zeros(a) - exponent_bits(T)
        bits = (a << shift) | (bits & sign_mask(T))
    end
    reinterpret(T, (bits & ~exponent_mask(T)) | exponent_one(T))
end
function frexp(x::T) where {T <: IEEEFloat}
    (iszero(x) || !isfinite(x)) && return (x, 0)
    (significand(x) / 2, exponent(x) + 1)
end
# Exact unless the result leaves the range of normal numbers, and then rounded once.
function ldexp(x::T, e::Integer) where {T <: IEEEFloat}
    (iszero(x) || !isfinite(x)) && return x
    k = clamp(e, -4 * exponent_bias(T), 4 * exponent_bias(T)) % Int
    to = exponent(x) + k
    to > exponent_bias(T) && return copysign(T(Inf), x)
    m = significand(x)
    if to >= 1 - exponent_bias(T)
        m * pow2_float(T, to)
    elseif to < -exponent_bias(T) - significand_bits(T)
        copysign(zero(T), x)
    else
        (m * pow2_float(T, to + significand_bits(T) + 2)) * pow2_float(T, -significand_bits(T) - 2)
    end
end
ldexp(x::Integer, e::Integer) = ldexp(float(x), e)

# Error-free transformations.
function add12(x::T, y::T) where {T}
    x, y = ifelse(abs(y) > abs(x), (y, x), (x, y))
    canonicalize2(x, y)
end
function canonicalize2(big, little)
    h = big + little
    (h, (big - h) + little)
end
mul12(x::T, y::T) where {T <: AbstractFloat} = (h = x * y; ifelse(iszero(h) | !isfinite(h), (h, h), (h, fma(x, y, -h))))
mul12(x::T, y::T) where {T} = (p = x * y; (p, zero(p)))
function div12(x::T, y::T) where {T <: AbstractFloat}
    # Of the significands, so that nothing on the way is subnormal.
    xs, xe = frexp(x)
    ys, ye = frexp(y)
    r = xs / ys
    (iszero(r) | !isfinite(r)) && return (r, r)
    h, l = canonicalize2(r, -fma(r, ys, -xs) / ys)
    (ldexp(h, xe - ye), ldexp(l, xe - ye))
end
div12(x::T, y::T) where {T} = (q = x / y; (q, zero(q)))
add12(x, y) = add12(promote(x, y)...)
mul12(x, y) = mul12(promote(x, y)...)
div12(x, y) = div12(promote(x, y)...)

bitstring(x::Union{BitInteger, Bool}) = bits_to_string(x isa Bool ? UInt8(x) : unsigned(x))
bitstring(x::IEEEFloat) = bits_to_string(reinterpret(uinttype(typeof(x)), x))
bitstring(x::Char) = bits_to_string(reinterpret(UInt32, x))
function bitstring(x::T) where {T}
    isprimitivetype(T) || throw(ArgumentError(string(T, " not a primitive type")))
    n = sizeof(T)
    bits = n == 16 ? bitcast(UInt128, x) : n == 8 ? bitcast(UInt64, x) : n < 8 ? zext_int(UInt64, x) : zext_int(UInt128, x)
    last(bits_to_string(bits), 8 * n)
end
function bits_to_string(u)
    n = 8 * sizeof(u)
    out = Memory{UInt8}(undef, n)
    for i in 1:n
        out[i] = isodd(u >> (n - i)) ? 0x31 : 0x30
    end
    Host.string_from_memory(out, 0, n)
end

# Scalars read as another type of the same size.
reinterpret(::Type{T}, x::T) where {T} = x
function reinterpret(::Type{Out}, x) where {Out}
    if isprimitivetype(Out) && isprimitivetype(typeof(x))
        bitcast(Out, x)
    else
        reinterpret_struct(Out, x)
    end
end
# The same bytes, those between fields included.
@inline reinterpret_bytes(::Type{Out}, x) where {Out} = isprimitivetype(Out) && isprimitivetype(typeof(x)) ? bitcast(Out, x) :
    is_padded(Out) || is_padded(typeof(x)) ? reinterpret_plain(Out, x) : reinterpret_struct(Out, x)
@generated is_padded(::Type{T}) where {T} = isstructtype(T) && datatype_haspadding(T)
reinterpret(::Type{Unsigned}, x::BitInteger) = unsigned(x)
reinterpret(::Type{Unsigned}, x::IEEEFloat) = reinterpret(uinttype(typeof(x)), x)
reinterpret(::Type{Signed}, x::BitInteger) = signed(x)
reinterpret(::Type{Signed}, x::IEEEFloat) = reinterpret(inttype(typeof(x)), x)
@noinline throw_reinterpret(Out, In) = throw(ArgumentError(LazyString(
    "cannot reinterpret value of type ", In, " as type ", Out)))
function reinterpret_struct(::Type{Out}, x::In) where {Out, In}
    isbitstype(Out) && isbitstype(In) || throw_reinterpret(Out, In)
    datatype_haspadding(Out) || datatype_haspadding(In) ? reinterpret_packed(Out, x) : reinterpret_plain(Out, x)
end
function reinterpret_plain(::Type{Out}, x::In) where {Out, In}
    sizeof(Out) == sizeof(In) || throw_packed_sizes(Out, In, sizeof(Out), sizeof(In))
    from = RefValue{In}(x)
    unsafe_load(Ptr{Out}(Host.pointer_from_objref(from)))
end
# Bytes of padding do not count: those of the fields go over in their order.
function reinterpret_packed(::Type{Out}, x::In) where {Out, In}
    from, to = packed_bytes(In), packed_bytes(Out)
    length(from) == length(to) || throw_packed_sizes(Out, In, length(to), length(from))
    source, target = RefValue{In}(x), Vector{UInt8}(undef, sizeof(Out))
    p = Ptr{UInt8}(Host.pointer_from_objref(source))
    fill!(target, 0x00)
    for k in 1:length(to)
        target[to[k] + 1] = unsafe_load(p, from[k] + 1)
    end
    unsafe_load(Ptr{Out}(pointer(target)))
end
# The offsets of all bytes that belong to fields.
function packed_bytes(@nospecialize(T), base::Int = 0, offsets = Int[])
    if isprimitivetype(T)
        append!(offsets, base:(base + sizeof(T) - 1))
    else
        for i in 1:fieldcount(T)
            packed_bytes(fieldtype(T, i), base + Int(fieldoffset(T, i)), offsets)
        end
    end
    offsets
end
@noinline throw_packed_sizes(Out, In, out, in) = throw(ArgumentError(string("Packed sizes of types ", Out, " and ", In,
    " do not match; got ", out, " and ", in, ", respectively.")))

@noinline throw_sqrt_domain(x) = throw(DomainError(x,
    LazyString("sqrt was called with a negative real argument but will only return a complex result if called ",
        "with a complex argument. Try sqrt(Complex(x)).")))
@inline function sqrt(x::IEEEFloat)
    x < zero(x) && throw_sqrt_domain(x)
    sqrt_llvm(x)
end
sqrt(x::Real) = sqrt(float(x))
const (√) = sqrt
modf(x::AbstractFloat) = isinf(x) ? (copysign(zero(x), x), x) : (copysign(x - trunc(x), x), trunc(x))
function bitreverse(x::BitInteger)
    y = zero(unsigned(x))
    u = unsigned(x)
    for i in 1:(8 * sizeof(x))
        y = (y << 1) | (u & one(u))
        u >>= 1
    end
    y % typeof(x)
end
rounding(::Type{T}) where {T <: AbstractFloat} = RoundNearest
# The mode as the library of the type numbers it: C's `FE_TONEAREST` is 0.
rounding_raw(::Type{<:Union{Float32, Float64}}) = Int32(0)
function setrounding_raw end
