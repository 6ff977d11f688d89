# Modules under which Julia has parts of Base: the names are Base's own.

baremodule Math
    using ..Base: Base, sin, cos, tan, sincos, sinpi, cospi, tanpi, sincospi, sind, cosd, tand, sincosd, sinc, cosc,
        asin, acos, atan, asind, acosd, atand, sinh, cosh, tanh, asinh, acosh, atanh, sec, csc, cot, sech, csch, coth,
        asec, acsc, acot, asech, acsch, acoth, log, log2, log10, log1p, exp, exp2, exp10, expm1, exponent, significand,
        sqrt, fourthroot, cbrt, hypot, max, min, minmax, clamp, clamp!, ldexp, frexp, modf, mod2pi, rem2pi, evalpoly,
        @evalpoly, deg2rad, rad2deg, ^, @horner, significand_bits, significand_mask, exponent_bits, exponent_bias,
        exponent_mask, exponent_one, exponent_half, sign_mask, uinttype, inttype, IEEEFloat,
        nan_dom_err
    export sin, cos, tan, sincos, sinpi, cospi, tanpi, sincospi, sind, cosd, tand, sincosd, sinc, cosc,
        asin, acos, atan, asind, acosd, atand, sinh, cosh, tanh, asinh, acosh, atanh, sec, csc, cot, sech, csch, coth,
        asec, acsc, acot, asech, acsch, acoth, log, log2, log10, log1p, exp, exp2, exp10, expm1, exponent, significand,
        sqrt, fourthroot, cbrt, hypot, max, min, minmax, clamp, clamp!, ldexp, frexp, modf, mod2pi, rem2pi, evalpoly,
        @evalpoly, deg2rad, rad2deg
end
baremodule Rounding
    using ..Base: Base, RoundingMode, RoundNearest, RoundToZero, RoundUp, RoundDown, RoundFromZero,
        RoundNearestTiesAway, RoundNearestTiesUp, rounding, rounding_raw, setrounding_raw, set_zero_subnormals,
        get_zero_subnormals
    export RoundingMode, RoundNearest, RoundToZero, RoundUp, RoundDown, RoundFromZero,
        RoundNearestTiesAway, RoundNearestTiesUp, rounding, set_zero_subnormals, get_zero_subnormals
end
export set_zero_subnormals, get_zero_subnormals
