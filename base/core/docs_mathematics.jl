# Documentation of mathematical functions.
# The texts stand apart from the methods because they describe a function as a whole.

"""
    √x

The square root of `x`.
"""
(√)

"""
    acos(x)

The arc cosine of `x` in radians.
"""
acos

"""
    acosd(x)

The arc cosine of `x` in degrees.
"""
acosd

"""
    acosh(x)

The inverse hyperbolic cosine of `x`.
"""
acosh

"""
    acot(x)

The arc cotangent of `x` in radians.
"""
acot

"""
    acotd(x)

The arc cotangent of `x` in degrees.
"""
acotd

"""
    acoth(x)

The inverse hyperbolic cotangent of `x`.
"""
acoth

"""
    acsc(x)

The arc cosecant of `x` in radians.
"""
acsc

"""
    acscd(x)

The arc cosecant of `x` in degrees.
"""
acscd

"""
    acsch(x)

The inverse hyperbolic cosecant of `x`.
"""
acsch

"""
    angle(z)

The phase of a complex number in radians.
"""
angle

"""
    asec(x)

The arc secant of `x` in radians.
"""
asec

"""
    asecd(x)

The arc secant of `x` in degrees.
"""
asecd

"""
    asech(x)

The inverse hyperbolic secant of `x`.
"""
asech

"""
    asin(x)

The arc sine of `x` in radians.
"""
asin

"""
    asind(x)

The arc sine of `x` in degrees.
"""
asind

"""
    asinh(x)

The inverse hyperbolic sine of `x`.
"""
asinh

"""
    atan(x)
    atan(y, x)

The arc tangent of `x`, or the angle of the point `(x, y)`, in radians.
"""
atan

"""
    atand(x)
    atand(y, x)

The arc tangent of `x`, or the angle of the point `(x, y)`, in degrees.
"""
atand

"""
    atanh(x)

The inverse hyperbolic tangent of `x`.
"""
atanh

"""
    cbrt(x)

The cube root of `x`.
"""
cbrt

"""
    cis(x)

The complex number `exp(im * x)`.
"""
cis

"""
    cispi(x)

The complex number `exp(im * π * x)`.
"""
cispi

"""
    cos(x)

The cosine of `x` radians, or of a square matrix.
"""
cos

"""
    cosc(x)

The derivative of `sinc` at `x`.
"""
cosc

"""
    cosd(x)

The cosine of `x` degrees.
"""
cosd

"""
    cosh(x)

The hyperbolic cosine of `x`.
"""
cosh

"""
    cospi(x)

The cosine of `π * x`.
"""
cospi

"""
    cot(x)

The cotangent of `x` radians.
"""
cot

"""
    cotd(x)

The cotangent of `x` degrees.
"""
cotd

"""
    coth(x)

The hyperbolic cotangent of `x`.
"""
coth

"""
    csc(x)

The cosecant of `x` radians.
"""
csc

"""
    cscd(x)

The cosecant of `x` degrees.
"""
cscd

"""
    csch(x)

The hyperbolic cosecant of `x`.
"""
csch

"""
    deg2rad(x)

An angle in degrees as radians.
"""
deg2rad

"""
    evalpoly(x, c)

The polynomial with coefficients `c`, the constant one first, at `x`.
"""
evalpoly

"""
    exp(x)

The exponential of `x`, or of a square matrix.
"""
exp

"""
    exp10(x)

Ten to the power `x`.
"""
exp10

"""
    exp2(x)

Two to the power `x`.
"""
exp2

"""
    expm1(x)

`exp(x) - 1`, exact to the last digits where `x` is near zero.
"""
expm1

"""
    exponent(x)

The power of two of a float's leading bit.
"""
exponent

"""
    fourthroot(x)

The fourth root of `x`.
"""
fourthroot

"""
    frexp(x)

The significand of a float, from 0.5 to 1, and the power of two that goes with it.
"""
frexp

"""
    hypot(x, ys...)

The square root of the sum of squares, without overflow on the way.
"""
hypot

"""
    ldexp(x, n)

`x` times two to the power `n`.
"""
ldexp

"""
    log(x)
    log(b, x)

The natural logarithm of `x`, or that to base `b`. A negative real number is a `DomainError`.
"""
log

"""
    log10(x)

The logarithm of `x` to base 10.
"""
log10

"""
    log1p(x)

`log(1 + x)`, exact to the last digits where `x` is near zero.
"""
log1p

"""
    log2(x)

The logarithm of `x` to base 2.
"""
log2

"""
    logrange(start, stop, length)

A range of numbers whose quotients are equal.
"""
logrange

"""
    mod2pi(x)

The angle `x` modulo a full turn.
"""
mod2pi

"""
    modf(x)

The fractional and the whole part of a float.
"""
modf

"""
    rad2deg(x)

An angle in radians as degrees.
"""
rad2deg

"""
    rem2pi(x, r)

The remainder of an angle by a full turn, with the quotient rounded as `r` says.
"""
rem2pi

"""
    sec(x)

The secant of `x` radians.
"""
sec

"""
    secd(x)

The secant of `x` degrees.
"""
secd

"""
    sech(x)

The hyperbolic secant of `x`.
"""
sech

"""
    significand(x)

The significand of a float, from 1 to 2.
"""
significand

"""
    sin(x)

The sine of `x` radians, or of a square matrix.
"""
sin

"""
    sinc(x)

`sin(π * x) / (π * x)`, which is 1 at zero.
"""
sinc

"""
    sincos(x)

The sine and the cosine of `x` radians.
"""
sincos

"""
    sincosd(x)

The sine and the cosine of `x` degrees.
"""
sincosd

"""
    sincospi(x)

The sine and the cosine of `π * x`.
"""
sincospi

"""
    sind(x)

The sine of `x` degrees.
"""
sind

"""
    sinh(x)

The hyperbolic sine of `x`.
"""
sinh

"""
    sinpi(x)

The sine of `π * x`.
"""
sinpi

"""
    sqrt(x)
    √x

The square root of `x`. A negative real number is a `DomainError`.
"""
sqrt

"""
    tan(x)

The tangent of `x` radians, or of a square matrix.
"""
tan

"""
    tand(x)

The tangent of `x` degrees.
"""
tand

"""
    tanh(x)

The hyperbolic tangent of `x`.
"""
tanh

"""
    tanpi(x)

The tangent of `π * x`.
"""
tanpi
