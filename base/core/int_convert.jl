# From one integer type to another: checked by constructors and `convert`, cut off by `rem(x, T)`.

@noinline throw_inexacterror(func::Symbol, T, x) = throw(InexactError(func, T, x))

@inline function checked_trunc(::Type{T}, x::S) where {T, S}
    y = trunc_int(T, x)
    back = S <: Signed ? sext_int(S, y) : zext_int(S, y)
    eq_int(x, back) || throw_inexacterror(:trunc, T, x)
    y
end
# Same width, other signedness.
@inline function checked_sign(::Type{T}, x::S) where {T, S}
    slt_int(x, zero_bits(x)) && throw_inexacterror(:check_top_bit, T, x)
    bitcast(T, x)
end
zero_bits(x) = xor_int(x, x)

@inline function int_from_signed(::Type{T}, x::S) where {T <: Signed, S}
    if Core.sizeof(T) < Core.sizeof(S)
        checked_trunc(T, x)
    elseif Core.sizeof(T) === Core.sizeof(S)
        bitcast(T, x)
    else
        sext_int(T, x)
    end
end
@inline function int_from_signed(::Type{T}, x::S) where {T <: Unsigned, S}
    if Core.sizeof(T) < Core.sizeof(S)
        y = trunc_int(T, x)
        eq_int(x, zext_int(S, y)) || throw_inexacterror(:trunc, T, x)
        y
    else
        slt_int(x, zero_bits(x)) && throw_inexacterror(:check_top_bit, T, x)
        Core.sizeof(T) === Core.sizeof(S) ? bitcast(T, x) : sext_int(T, x)
    end
end
@inline function int_from_unsigned(::Type{T}, x::S) where {T <: Signed, S}
    if Core.sizeof(T) < Core.sizeof(S)
        y = trunc_int(T, x)
        (slt_int(y, zero_bits(y)) || ne_int(x, zext_int(S, y))) && throw_inexacterror(:trunc, T, x)
        y
    elseif Core.sizeof(T) === Core.sizeof(S)
        checked_sign(T, x)
    else
        zext_int(T, x)
    end
end
@inline function int_from_unsigned(::Type{T}, x::S) where {T <: Unsigned, S}
    if Core.sizeof(T) < Core.sizeof(S)
        checked_trunc(T, x)
    elseif Core.sizeof(T) === Core.sizeof(S)
        x
    else
        zext_int(T, x)
    end
end
# Bits only.
@inline function int_rem(::Type{T}, x::S) where {T, S}
    if Core.sizeof(T) < Core.sizeof(S)
        trunc_int(T, x)
    elseif Core.sizeof(T) === Core.sizeof(S)
        bitcast(T, x)
    elseif S <: Signed
        sext_int(T, x)
    else
        zext_int(T, x)
    end
end

for T in (Int8, Int16, Int32, Int64, Int128, UInt8, UInt16, UInt32, UInt64, UInt128)
    name = Symbol(Host.type_string(T))
    quoted = QuoteNode(name)
    @eval begin
        $name(x::$T) = x
        $name(x::Union{Int8, Int16, Int32, Int64, Int128}) = int_from_signed($T, x)
        $name(x::Union{UInt8, UInt16, UInt32, UInt64, UInt128}) = int_from_unsigned($T, x)
        $name(x::Bool) = zext_int($T, x)
        $name(x::Union{Float16, Float32, Float64}) = float_to_int($T, x, $quoted)
        rem(x::Union{Int8, Int16, Int32, Int64, Int128, UInt8, UInt16, UInt32, UInt64, UInt128}, ::Type{$T}) =
            int_rem($T, x)
        rem(x::Bool, ::Type{$T}) = zext_int($T, x)
    end
end
Bool(x::Bool) = x
Bool(x::Real) = x == 0 ? false : x == 1 ? true : throw_inexacterror(:Bool, Bool, x)
rem(x::Integer, ::Type{Bool}) = (x & 1) != 0
rem(x::T, ::Type{T}) where {T <: Integer} = x
rem(x::Integer, ::Type{T}) where {T <: Integer} = convert(T, x)
rem(x::Integer, ::Type{Signed}) = x % signed(typeof(x))
rem(x::Integer, ::Type{Unsigned}) = x % unsigned(typeof(x))
rem(x::Signed, ::Type{Signed}) = x
rem(x::Unsigned, ::Type{Unsigned}) = x
mod(x::Integer, ::Type{T}) where {T <: Integer} = rem(x, T)
rem(x::Integer, ::Type{Integer}) = x
(::Type{Integer})(x::Integer) = x
(::Type{Integer})(x::Union{Float16, Float32, Float64}) = isinteger(x) ? trunc_to_int(x)::Integer : throw_inexacterror(:Integer, Integer, x)
trunc_to_int(x) = Int(x)
(::Type{Signed})(x::Signed) = x
(::Type{Signed})(x::Union{Unsigned, Bool, AbstractFloat}) = signed(x)
(::Type{Unsigned})(x::Union{BitSigned, Bool, AbstractFloat}) = checked_unsigned(x)
(::Type{Unsigned})(x::Unsigned) = x
checked_unsigned(x::BitSigned) = unsigned(typeof(x))(x)
checked_unsigned(x::Bool) = UInt(x)
checked_unsigned(x::AbstractFloat) = UInt(x)
(::Type{Real})(x::Real) = x
(::Type{Number})(x::Number) = x

# The common type of two integer types: the wider, and the unsigned of two as wide.
for T in BitInteger_types, S in BitInteger_types
    if T !== S
        wins = ult_int(Core.sizeof(S), Core.sizeof(T)) | (Core.sizeof(S) === Core.sizeof(T) && T <: Unsigned)
        wins && @eval promote_rule(::Type{$T}, ::Type{$S}) = $T
    end
end
promote_rule(::Type{Bool}, ::Type{T}) where {T <: Number} = T
promote_rule(::Type{Bool}, ::Type{Bool}) = Bool

# The other signedness of the same width, and limits.
for (S, U) in ((Int8, UInt8), (Int16, UInt16), (Int32, UInt32), (Int64, UInt64), (Int128, UInt128))
    @eval begin
        unsigned_bits(x::$S) = bitcast($U, x)
        signed_bits(x::$U) = bitcast($S, x)
        unsigned(::Type{$S}) = $U
        unsigned(::Type{$U}) = $U
        signed(::Type{$S}) = $S
        signed(::Type{$U}) = $S
        typemin(::Type{$U}) = $(U(0))
        typemax(::Type{$U}) = $(not_int(U(0)))
        typemin(::Type{$S}) = $(bitcast(S, not_int(lshr_int(not_int(U(0)), 1))))
        typemax(::Type{$S}) = $(bitcast(S, lshr_int(not_int(U(0)), 1)))
    end
end
