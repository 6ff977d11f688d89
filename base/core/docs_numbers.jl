# Documentation of arithmetic, comparisons and rounding to integers.
# The texts stand apart from the methods because they describe a function as a whole.

"""
    x % y

The remainder of `x` divided by `y`, with the sign of `x`: the operator of `rem`. For an integer type `T`, `x % T`
keeps the low bits that `T` can hold.
"""
(%)

"""
    x * y
    *(strings...)

The product of numbers or matrices, or the concatenation of strings.
"""
(*)

"""
    x + y...

The sum of numbers, or of arrays of one shape.
"""
(+)

"""
    -x
    x - y

The negative of `x`, or the difference of two values.
"""
(-)

"""
    x / y

`x` divided by `y`. Integers give a float.
"""
(/)

"""
    x // y

The exact quotient of two integers or rationals, as a `Rational`.
"""
(//)

"""
    x < y
    <(y)

Whether `x` is less than `y`. With one argument, the function that compares with it.
"""
(<)

"""
    x <= y
    x ≤ y
    <=(y)

Whether `x` is less than or equal to `y`.
"""
(<=)

"""
    x > y
    >(y)

Whether `x` is greater than `y`, that is, `y < x`.
"""
(>)

"""
    x >= y
    x ≥ y
    >=(y)

Whether `x` is greater than or equal to `y`.
"""
(>=)

"""
    A \\ b

The solution `x` of `A * x == b`, or for numbers `b / A`.
"""
(\)

"""
    x ^ y

`x` to the power `y`. Whole powers of integers and matrices are repeated products.
"""
(^)

"""
    x ÷ y

The quotient of `x` and `y`, rounded towards zero: the operator of `div`.
"""
(÷)

"""
    x ≈ y

Whether `x` and `y` are equal up to rounding: `isapprox(x, y)`.
"""
(≈)

"""
    x ≉ y

Whether `x` and `y` differ by more than rounding.
"""
(≉)

"""
    abs(x)

The absolute value of `x`. That of the least signed integer wraps to itself.
"""
abs

"""
    abs2(x)

The square of the absolute value of `x`.
"""
abs2

"""
    big(x)
    big(T)

The number with arbitrary precision, or the type of such numbers.
"""
big

"""
    binomial(n, k)

The number of ways to choose `k` of `n` things.
"""
binomial

"""
    ceil(x; digits, sigdigits, base)
    ceil(T, x)

The least whole number that is not less than `x`, as an integer of type `T` if that is given.
"""
ceil

"""
    clamp(x, lo, hi)
    clamp(x, T)

The value nearest to `x` between `lo` and `hi`, or among those of type `T`.
"""
clamp

"""
    cld(x, y)

The quotient of `x` and `y`, rounded up.
"""
cld

"""
    cmp(x, y)

-1, 0 or 1 if `x` is less than, equal to or greater than `y`.
"""
cmp

"""
    complex(re, im = 0)
    complex(T)

The complex number with these parts, or the type of complex numbers over `T`.
"""
complex

"""
    conj(z)

The complex conjugate.
"""
conj

"""
    copysign(x, y)

The absolute value of `x` with the sign of `y`.
"""
copysign

"""
    denominator(x)

The denominator of a rational number in lowest terms.
"""
denominator

"""
    digits([T], n; base = 10, pad = 1)

The digits of an integer, the least significant first.
"""
digits

"""
    digits!(v, n; base = 10)

Stores the digits of an integer in a vector, the least significant first.
"""
digits!

"""
    div(x, y, r = RoundToZero)
    x ÷ y

The quotient of `x` and `y`, rounded towards zero or as `r` says.
"""
div

"""
    divrem(x, y, r = RoundToZero)

The quotient and the remainder of `x` and `y`.
"""
divrem

"""
    factorial(n)

The product of the integers from 1 to `n`.
"""
factorial

"""
    fld(x, y)

The quotient of `x` and `y`, rounded down.
"""
fld

"""
    fld1(x, y)

The quotient that goes with `mod1(x, y)`: counted from 1.
"""
fld1

"""
    fldmod(x, y)

The pair `(fld(x, y), mod(x, y))`.
"""
fldmod

"""
    fldmod1(x, y)

The pair `(fld1(x, y), mod1(x, y))`.
"""
fldmod1

"""
    flipsign(x, y)

`x`, or `-x` if `y` is negative.
"""
flipsign

"""
    float(x)
    float(T)

The number as a float, or the type of float for a type of number.
"""
float

"""
    floor(x; digits, sigdigits, base)
    floor(T, x)

The greatest whole number that is not greater than `x`, as an integer of type `T` if that is given.
"""
floor

"""
    fma(x, y, z)

`x * y + z`, rounded once.
"""
fma

"""
    gcd(xs...)

The greatest common divisor.
"""
gcd

"""
    gcdx(a, b)

The greatest common divisor `d` of two integers and the numbers `u`, `v` of `d == u * a + v * b`.
"""
gcdx

"""
    ifelse(condition, x, y)

`x` if the condition is true, otherwise `y`. Both are evaluated.
"""
ifelse

"""
    im

The imaginary unit.
"""
im

"""
    imag(z)

The imaginary part.
"""
imag

"""
    inv(x)

The multiplicative inverse of a number, or of a square matrix.
"""
inv

"""
    invmod(n, m)

The inverse of `n` modulo `m`.
"""
invmod

"""
    isapprox(x, y; atol, rtol, nans = false, norm)
    x ≈ y

Whether two values differ by no more than a tolerance.
"""
isapprox

"""
    iseven(n)

Whether a number is divisible by two.
"""
iseven

"""
    isfinite(x)

Whether a number is neither infinite nor `NaN`.
"""
isfinite

"""
    isinf(x)

Whether a number is infinite.
"""
isinf

"""
    isinteger(x)

Whether a number is whole.
"""
isinteger

"""
    isnan(x)

Whether a number is `NaN`.
"""
isnan

"""
    isodd(n)

Whether a number is whole and not divisible by two.
"""
isodd

"""
    isone(x)

Whether `x` is the multiplicative identity.
"""
isone

"""
    ispow2(n)

Whether a number is a power of two.
"""
ispow2

"""
    isqrt(n)

The greatest integer whose square is at most `n`.
"""
isqrt

"""
    isreal(x)

Whether the imaginary parts are zero.
"""
isreal

"""
    isunordered(x)

Whether a value has no place in the order of its type, as `NaN` and `missing` do.
"""
isunordered

"""
    iszero(x)

Whether `x` is the additive identity.
"""
iszero

"""
    lcm(xs...)

The least common multiple.
"""
lcm

"""
    max(x, y, ...)

The greatest of the arguments. `NaN` and `missing` prevail.
"""
max

"""
    min(x, y, ...)

The least of the arguments. `NaN` and `missing` prevail.
"""
min

"""
    minmax(x, y)

The pair `(min(x, y), max(x, y))`.
"""
minmax

"""
    mod(x, y)

The remainder of `x` divided by `y`, with the sign of `y`. For a range `y`, the element that is equal to `x` modulo
its length.
"""
mod

"""
    mod1(x, y)

The remainder of `x` divided by `y` in the interval from 0, excluded, to `y`, included.
"""
mod1

"""
    muladd(x, y, z)

`x * y + z`, rounded once or twice, whichever is quicker.
"""
muladd

"""
    ndigits(n; base = 10, pad = 1)

The number of digits of an integer.
"""
ndigits

"""
    nextpow(a, x)

The least whole power of `a` that is not less than `x`.
"""
nextpow

"""
    nextprod(factors, n)

The least product of powers of the factors that is not less than `n`.
"""
nextprod

"""
    numerator(x)

The numerator of a rational number in lowest terms.
"""
numerator

"""
    one(x)
    one(T)

The multiplicative identity for a value or a type.
"""
one

"""
    oneunit(x)
    oneunit(T)

The value one of a type, with its unit if it has any.
"""
oneunit

"""
    parse(T, s; base)

The number of type `T` that a string stands for, or an `ArgumentError`.
"""
parse

"""
    powermod(x, p, m)

`x` to the power `p`, modulo `m`.
"""
powermod

"""
    prevpow(a, x)

The greatest whole power of `a` that is not greater than `x`.
"""
prevpow

"""
    rand([rng,] [S,] dims...)

A random value of a type or collection, or an array of them. Without `S`, a float from 0 to 1.
"""
rand

"""
    randn([rng,] [T,] dims...)

A normally distributed random number of mean 0 and deviation 1, or an array of them.
"""
randn

"""
    rationalize(T, x; tol = eps(x))

The simplest fraction that is near a float.
"""
rationalize

"""
    real(z)
    real(T)

The real part, or the type of real parts.
"""
real

"""
    reim(z)

The real and the imaginary part.
"""
reim

"""
    rem(x, y, r = RoundToZero)
    rem(n, T)

The remainder of `x` divided by `y`, with the sign of `x` unless `r` says otherwise; or the low bits of an integer
that `T` can hold.
"""
rem

"""
    round(x, r = RoundNearest; digits, sigdigits, base)
    round(T, x, r)

The nearest whole number, or number of some digits, as an integer of type `T` if that is given.
"""
round

"""
    sign(x)

-1, 0 or 1 with the sign of `x`; for a complex number `x / abs(x)`.
"""
sign

"""
    signed(x)
    signed(T)

The integer, or the type, as a signed one.
"""
signed

"""
    splat(f)

The function that calls `f` with the elements of its argument.
"""
splat

"""
    trunc(x; digits, sigdigits, base)
    trunc(T, x)

The nearest whole number towards zero, as an integer of type `T` if that is given.
"""
trunc

"""
    unsafe_trunc(T, x)

The whole part of a float as an integer. A value that `T` cannot hold gives any result.
"""
unsafe_trunc

"""
    unsigned(x)
    unsigned(T)

The integer, or the type, as an unsigned one.
"""
unsigned

"""
    widemul(x, y)

The product in a type that holds it.
"""
widemul

"""
    widen(x)
    widen(T)

The number, or the type, with more range: twice the bits for integers and floats.
"""
widen

"""
    zero(x)
    zero(T)

The additive identity for a value or a type.
"""
zero
