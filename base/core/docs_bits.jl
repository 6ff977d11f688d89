# Documentation of the bits of numbers, and of how floating-point numbers are spaced and rounded.
# The texts stand apart from the methods because they describe a function as a whole.

"""
    x & y

The bitwise and of integers, or the logical and of `Bool`s and `missing`; both sides are evaluated.
"""
(&)

"""
    x << n

`x` shifted left by `n` bits; zeros come in from the right. A negative `n` shifts right.
"""
(<<)

"""
    x >> n

`x` shifted right by `n` bits; copies of the sign come in from the left. A negative `n` shifts left.
"""
(>>)

"""
    x >>> n

`x` shifted right by `n` bits; zeros come in from the left.
"""
(>>>)

"""
    x | y

The bitwise or of integers, or the logical or of `Bool`s and `missing`; both sides are evaluated.
"""
(|)

"""
    ~x

The bitwise complement of an integer, or the negation of a `Bool`.
"""
(~)

"""
    x ⊻ y

The bitwise or logical exclusive or.
"""
(⊻)

"""
    x ⊼ y

The negation of the bitwise and.
"""
(⊼)

"""
    x ⊽ y

The negation of the bitwise or.
"""
(⊽)

"""
    bitreverse(x)

The integer with its bits in the opposite order.
"""
bitreverse

"""
    bitrotate(x, k)

The integer with its bits rotated left by `k` places.
"""
bitrotate

"""
    bitstring(x)

The bits of a number as a string of zeros and ones.
"""
bitstring

"""
    hton(x)

The bytes of `x` in the order of networks, the greatest first. See also [`htol`](@ref).
"""
hton

"""
    ntoh(x)

The bytes of `x`, which are in the order of networks, in that of this machine.
"""
ntoh

"""
    htol(x)

The bytes of `x` with the least first.
"""
htol

"""
    ltoh(x)

The bytes of `x`, of which the least is first, in the order of this machine.
"""
ltoh

"""
    bswap(x)

The integer with its bytes in the opposite order.
"""
bswap

"""
    count_ones(x)

The number of ones among the bits of `x`.
"""
count_ones

"""
    count_zeros(x)

The number of zeros among the bits of `x`.
"""
count_zeros

"""
    eps(T = Float64)
    eps(x)

The distance from 1, or from `x`, to the next greater float.
"""
eps

"""
    floatmax(T = Float64)

The greatest finite float of a type.
"""
floatmax

"""
    floatmin(T = Float64)

The least positive normal float of a type.
"""
floatmin

"""
    get_zero_subnormals()

Whether subnormal floats are taken for zeros.
"""
get_zero_subnormals

"""
    issubnormal(x)

Whether a float is too small for full precision.
"""
issubnormal

"""
    leading_ones(x)

The number of ones before the first zero among the bits of `x`.
"""
leading_ones

"""
    leading_zeros(x)

The number of zeros before the first one among the bits of `x`.
"""
leading_zeros

"""
    maxintfloat(T = Float64, I)

The float up to which all integers are exact, and of type `I` if that is given.
"""
maxintfloat

"""
    nand(x, y)
    ⊼

The negation of the bitwise and.
"""
nand

"""
    nextfloat(x, n = 1)

The next greater float, or the one `n` steps away.
"""
nextfloat

"""
    nor(x, y)
    ⊽

The negation of the bitwise or.
"""
nor

"""
    precision(x; base = 2)
    precision(T; base = 2)

The number of digits of a float's significand.
"""
precision

"""
    prevfloat(x, n = 1)

The next smaller float, or the one `n` steps away.
"""
prevfloat

"""
    reinterpret(T, x)
    reinterpret(reshape, T, A)

The bits of a value, or of an array's elements, as another type.
"""
reinterpret

"""
    rounding(T)

The direction in which arithmetic of a type rounds.
"""
rounding

"""
    set_zero_subnormals(on)

Asks that subnormal floats be taken for zeros, and returns whether they are.
"""
set_zero_subnormals

"""
    setprecision(BigFloat, digits; base = 2)
    setprecision(f, BigFloat, digits; base = 2)

Sets the precision of `BigFloat`, for good or while `f` runs.
"""
setprecision

"""
    setrounding(T, r)
    setrounding(f, T, r)

Sets the direction in which arithmetic of a type rounds, for good or while `f` runs.
"""
setrounding

"""
    signbit(x)

Whether the sign bit of `x` is set, as it is for `-0.0`.
"""
signbit

"""
    trailing_ones(x)

The number of ones behind the last zero among the bits of `x`.
"""
trailing_ones

"""
    trailing_zeros(x)

The number of zeros behind the last one among the bits of `x`.
"""
trailing_zeros

"""
    typemax(T)

The greatest value of a type.
"""
typemax

"""
    typemin(T)

The least value of a type.
"""
typemin

"""
    xor(x, y)
    x ⊻ y

The bitwise or logical exclusive or.
"""
xor
