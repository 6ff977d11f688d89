# Mathematical functions of `Float32` use no `Float64` on GPUs, with and without a row of checks.
using CUDA

function of_one(y, x)
    i = threadIdx().x
    a = x[i]
    y[i] = exp(a) + exp2(a) + exp10(a) + expm1(a) + log(a) + log2(a) + log10(a) + log1p(a) + sinh(a) + cosh(a) + tanh(a) +
        asinh(a) + acosh(a) + atanh(a) + sqrt(a) + cbrt(a)
    return nothing
end
function of_angles(y, x)
    i = threadIdx().x
    a = x[i]
    s, c = sincos(a)
    y[i] = s + c + sin(a) + cos(a) + tan(a) + sinpi(a) + cospi(a) + tanpi(a) + sind(a) + cosd(a) + tand(a) + asin(a) + acos(a) +
        atan(a) + mod2pi(a) + rem2pi(a, RoundNearest)
    return nothing
end
function of_two(y, x)
    i = threadIdx().x
    a, b = x[i], y[i]
    y[i] = atan(a, b) + hypot(a, b) + a^b + a^i + rem(a, b) + mod(a, b) + div(a, b) + ldexp(a, i) + fma(a, b, a) + abs(a) +
        round(a) + floor(b) + copysign(a, b)
    return nothing
end
function of_complex(y, x)
    i = threadIdx().x
    a, b = x[i], y[i]
    y[i] = a * b + a / b + inv(a) + abs(b)
    return nothing
end
#: run sm_90 asm 'of_one(CuDeviceVector{Float32,1}, CuDeviceVector{Float32,1})'
#: not: f64
#: check: .visible .entry
#: not: f64
#: run sm_90 asm 'of_angles(CuDeviceVector{Float32,1}, CuDeviceVector{Float32,1})'
#: not: f64
#: check: .visible .entry
#: not: f64
#: run sm_90 asm 'of_two(CuDeviceVector{Float32,1}, CuDeviceVector{Float32,1})'
#: not: f64
#: check: .visible .entry
#: not: f64
#: run sm_90 asm 'of_complex(CuDeviceVector{ComplexF32,1}, CuDeviceVector{ComplexF32,1})'
#: not: f64
#: check: .visible .entry
#: not: f64
#: run gfx1100 asm 'of_one(CuDeviceVector{Float32,1}, CuDeviceVector{Float32,1})'
#: not: _f64
#: check: s_endpgm
#: run gfx1100 asm 'of_angles(CuDeviceVector{Float32,1}, CuDeviceVector{Float32,1})'
#: not: _f64
#: check: s_endpgm
#: run gfx1100 asm 'of_two(CuDeviceVector{Float32,1}, CuDeviceVector{Float32,1})'
#: not: _f64
#: check: s_endpgm
