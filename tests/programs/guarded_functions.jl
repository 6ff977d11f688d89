# Functions of the library under the usual condition of a kernel, whose checks a range answers for: each has the host's results.
using CUDA

function each!(y, f, x)
    i = (blockIdx().x - 1) * blockDim().x + threadIdx().x
    if i <= length(y)
        @inbounds y[i] = f(x[i])
    end
    return
end

const FUNCTIONS = (sqrt, cbrt, exp, expm1, log, log1p, sin, tan, asin, acos, atan, sinh, tanh, asinh, acosh, atanh, sinpi, sinc, sign,
    round, exponent, significand, nextfloat, sind, tand, sec, mod2pi, hypot, abs2, x -> hypot(x, x + 1), x -> atan(x, x + 1),
    x -> x^2.5f0, x -> rem(x, 2), x -> mod(x, 2), x -> ldexp(x, 2), x -> evalpoly(x, (1, 2, 3)), cis, x -> sqrt(complex(x, x)),
    x -> abs(complex(x, 1)), x -> complex(x, x) / complex(x, 1), x -> clamp(x, 0, 1), x -> trunc(Int, x))

function checked(f, x)
    expected = map(f, x)
    y = CuArray(zero(expected))
    @cuda threads = 4 blocks = 2 each!(y, f, CuArray(x))
    got = Array(y)
    return all(isapprox.(got, expected; nans = true)) ? 0 : (println(f, " gives ", got, " and not ", expected); 1)
end
wrong = 0
for f in FUNCTIONS
    global wrong += f === acosh ? checked(f, Float32[1.5, 2, 3, 4.5, 6]) : checked(f, Float32[0.25, 0.5, 0.75, 0.875, 1])
end
for f in (tanh, mod2pi, x -> hypot(x, x + 1), x -> atan(x, x + 1))
    global wrong += checked(f, [0.25, 0.5, 0.75, 0.875, 1.0])
end
println(wrong, " of ", length(FUNCTIONS) + 4, " are wrong")
