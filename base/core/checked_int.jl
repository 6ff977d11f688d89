# Integer arithmetic that tells of overflow, or throws.

"""
    add_with_overflow(x, y) -> (sum, overflowed)

The wrapped sum of two integers of one type, and whether it wrapped.
"""
add_with_overflow(x::T, y::T) where {T <: BitSigned} = checked_sadd_int(x, y)
add_with_overflow(x::T, y::T) where {T <: BitUnsigned} = checked_uadd_int(x, y)
add_with_overflow(x::Bool, y::Bool) = (x + y, false)
"""
    sub_with_overflow(x, y) -> (difference, overflowed)

The wrapped difference of two integers of one type, and whether it wrapped.
"""
sub_with_overflow(x::T, y::T) where {T <: BitSigned} = checked_ssub_int(x, y)
sub_with_overflow(x::T, y::T) where {T <: BitUnsigned} = checked_usub_int(x, y)
"""
    mul_with_overflow(x, y) -> (product, overflowed)

The wrapped product of two integers of one type, and whether it wrapped.
"""
mul_with_overflow(x::T, y::T) where {T <: BitSigned} = checked_smul_int(x, y)
mul_with_overflow(x::T, y::T) where {T <: BitUnsigned} = checked_umul_int(x, y)

@noinline throw_overflow(op::String, x, y) = throw(OverflowError(LazyString(x, " ", op, " ", y, " overflowed for type ", typeof(x))))
@noinline throw_overflow_neg(x) =
    throw(OverflowError(LazyString("checked arithmetic: cannot compute -x for x = ", x, "::", typeof(x))))
@noinline throw_overflow_abs(x) =
    throw(OverflowError(LazyString("checked arithmetic: cannot compute |x| for x = ", x, "::", typeof(x))))

"""
    checked_neg(x)

`-x`, or an `OverflowError` if the type of `x` cannot hold it.
"""
checked_neg(x::Integer) = checked_sub(zero(x), x)
checked_neg(x::BitSigned) = x == typemin(x) ? throw_overflow_neg(x) : -x
"""
    checked_abs(x)

The absolute value of `x`, or an `OverflowError` if the type of `x` cannot hold it.
"""
checked_abs(x::Integer) = abs(x)
checked_abs(x::BitSigned) = (r = ifelse(x < 0, -x, x); r < 0 && throw_overflow_abs(x); r)
"""
    checked_add(x, y, zs...)

The sum of the arguments, or an `OverflowError` if their common type cannot hold it.

```julia
checked_add(Int8(100), Int8(20))    # 120
```
"""
checked_add(x::Integer) = x
checked_add(x::Bool) = Int(x)
"""
    checked_mul(x, y, zs...)

The product of the arguments, or an `OverflowError` if their common type cannot hold it.
"""
checked_mul(x::Integer) = x
checked_add(x::T, y::T) where {T <: BitInteger} = ((r, f) = add_with_overflow(x, y); f && throw_overflow("+", x, y); r)
"""
    checked_sub(x, y)

`x - y`, or an `OverflowError` if their common type cannot hold it.
"""
checked_sub(x::T, y::T) where {T <: BitInteger} = ((r, f) = sub_with_overflow(x, y); f && throw_overflow("-", x, y); r)
checked_mul(x::T, y::T) where {T <: BitInteger} = ((r, f) = mul_with_overflow(x, y); f && throw_overflow("*", x, y); r)
checked_add(x::Bool, y::Bool) = x + y
checked_sub(x::Bool, y::Bool) = x - y
checked_mul(x::Bool, y::Bool) = x * y
checked_add(x::Integer, y::Integer) = checked_add(promote(x, y)...)
checked_sub(x::Integer, y::Integer) = checked_sub(promote(x, y)...)
checked_mul(x::Integer, y::Integer) = checked_mul(promote(x, y)...)
checked_add(x, y, z, more...) = fold_left(checked_add, checked_add(checked_add(x, y), z), more...)
checked_mul(x, y, z, more...) = fold_left(checked_mul, checked_mul(checked_mul(x, y), z), more...)
"""
    checked_div(x, y)

`div(x, y)`, which throws if the quotient overflows or `y` is zero.
"""
checked_div(x::Integer, y::Integer) = div(x, y)
"""
    checked_rem(x, y)

`rem(x, y)`, which throws if `y` is zero.
"""
checked_rem(x::Integer, y::Integer) = rem(x, y)
"""
    checked_fld(x, y)

`fld(x, y)`, which throws if the quotient overflows or `y` is zero.
"""
checked_fld(x::Integer, y::Integer) = fld(x, y)
"""
    checked_mod(x, y)

`mod(x, y)`, which throws if `y` is zero.
"""
checked_mod(x::Integer, y::Integer) = mod(x, y)
"""
    checked_cld(x, y)

`cld(x, y)`, which throws if the quotient overflows or `y` is zero.
"""
checked_cld(x::Integer, y::Integer) = cld(x, y)
"""
    checked_pow(x, p)

`x ^ p` by repeated multiplication, each step of which throws an `OverflowError` if it overflows.
"""
checked_pow(x::Integer, p::Integer) = power_by_squaring_with(checked_mul, x, p)
"""
    checked_length(r)

The length of `r`, or an `OverflowError` if its integer type cannot hold it.
"""
checked_length(r) = length(r)
