# What the library's functions are on devices: the driver's own or a library's, which say what is not there, and functions
# that do without what a target has not.
using CUDA

#: run spirv64 llvm 'sines(CuDeviceVector{Float32,1})'
#: not: double
#: check: call spir_func float @_Z3sinf(float
#: not: double
#: run spirv64 llvm 'sines(CuDeviceVector{Float64,1})'
#: check: @_Z3sind(double
sines(a) = (a[1] = sin(a[1]); return)

# Own code needs nothing.
#: run sm_90 asm 'sines(CuDeviceVector{Float32,1})'
#: not: .extern
#: check: .entry

#: run sm_90 asm 'sines(CuDeviceVector{Float32,1})' --device-library libdevice
#: check: __cudart_i2opi_f
#: run gfx1100 llvm 'sines(CuDeviceVector{Float64,1})' --device-library ocml -O 0
#: check: call double @__ocml_sin_f64
#: not: @__ocml_tan_f64
#: check: @__ocml_sin_f64

# A library is asked how it is to round: `--fastmath` flushes subnormal numbers.
flushes(a) = (a[1] = exp2(a[1]); return)
#: run sm_90 asm 'flushes(CuDeviceVector{Float32,1})' --device-library libdevice
#: not: ftz
#: check: ex2.approx
#: run sm_90 asm 'flushes(CuDeviceVector{Float32,1})' --device-library libdevice --fastmath
#: check: ex2.approx.ftz

called(a) = (a[1] = ccall("extern __nv_fast_sinf", llvmcall, Float32, (Float32,), a[1]); return)
#: run sm_90 asm 'called(CuDeviceVector{Float32,1})' --device-library libdevice
#: check: sin.approx
#: fails sm_90 asm 'called(CuDeviceVector{Float32,1})'
#: check: error[unresolved-symbol]: nothing defines the function `__nv_fast_sinf`
#: nextln: library.jl:33
#: check: --device-library PATH

# A domain is what it is on the host, for every implementation of the function.
logs(a) = (a[1] = log10(a[1]); return)
#: run sm_90 llvm 'logs(CuDeviceVector{Float32,1})' --device-library libdevice -O 0
#: check: fcmp olt float
#: run spirv64 llvm 'logs(CuDeviceVector{Float32,1})'
#: check: fcmp olt float
#: check: @_Z5log10f

# Without Float64.
function functions(a)
    x, y = a[1], a[2]
    a[1] = sin(x) + cos(x) + tan(x) + sinpi(x) + cospi(x) + asin(x) + acos(x) + atan(x) + atan(x, y) + sinh(x) + cosh(x)
    a[2] = tanh(x) + asinh(x) + acosh(x) + atanh(x) + exp(x) + exp2(x) + exp10(x) + expm1(x) + log(x) + log2(x) + log10(x)
    a[3] = log1p(x) + cbrt(x) + sqrt(x) + hypot(x, y) + x^y + x^Int(y) + x^7 + mod2pi(x) + sind(x) + cosd(x) + tand(x)
    a[4] = rem2pi(x, RoundNearest) + log(2, x) + sum(sincos(x)) + mod(x, y) + rem(x, y) + div(x, y) + ldexp(x, 3) + nextfloat(x)
    z = Complex(x, y) / Complex(y, x) + exp(Complex(x, y)) + log(Complex(x, y)) + sqrt(Complex(x, y))
    a[5] = abs(z) + x * (1 // 3) + pi * x + sinc(x) + deg2rad(x) + round(Int, x) + isqrt(Int(y)) + Float16(x) * sin(Float16(y))
    a[6] = (x < Int32(3)) + (x == 0x00000003) + (Int32(Int(y)) <= x) + hypot(x, y, x) + atan(Float16(x), Float16(y))
    return
end
#: run spirv64-nofp64 llvm 'functions(CuDeviceVector{Float32,1})'
#: not: double
#: check: ret void
#: fails spirv64-nofp64 llvm 'sines(CuDeviceVector{Float64,1})'
#: check: error[target-limit]

# Without Int128, and without calling itself.
function integers(a)
    x, y = a[1], a[2]
    a[1] = isqrt(x) + powermod(x, y, a[3]) + gcd(x, y) + lcm(x, y) + invmod(x, y) + div(x, y, RoundNearest) + rem(x, y, RoundNearest)
    a[2] = Int(nextfloat(Float32(x))) + round(Int, (0.0:0.1:1.0)[x]) + round(Int, range(0.0, 1.0, length = 10)[y])
    a[3] = rem(Float64(x), Int64) + widemul(Int32(x), Int32(y)) + ndigits(x) + bitreverse(x) + nextpow(2, x)
    return
end
#: run spirv64 llvm 'integers(CuDeviceVector{Int64,1})'
#: not: i128
#: check: ret void
widens(a) = (a[1] = widemul(a[1], a[2]) % Int; return)
#: fails spirv64 llvm 'widens(CuDeviceVector{Int64,1})'
#: check: error[target-limit]
#: check: Int128
function reduces(a)
    low, high = extrema(a)
    a[1] = sum(a) + maximum(a) + mapreduce(abs2, +, a) + foldl(-, a) + low - high
    a[2] = count(x -> x > 1, a) + any(x -> x > 8, a) + all(x -> x < 3, a) + sum(1:10) + sum((a[1], a[2]))
    return
end
#: run spirv64 llvm 'reduces(CuDeviceVector{Float32,1})'
#: check: ret void

# Tuples of any length, and their sums.
longs(a) = (t = ntuple(i -> 2 * i, Val(100)); a[1] = t[7] + t[99] + sum(t); return)
#: run spirv64 llvm 'longs(CuDeviceVector{Int64,1})'
#: check: store i64 10312

# Random numbers follow from what the launch says.
random(a) = (a[1] = rand(Float32) + randn(Float32); return)
#: run sm_90 asm 'random(CuDeviceVector{Float32,1})'
#: check: .entry
#: run spirv64-nofp64 llvm 'random(CuDeviceVector{Float32,1})'
#: not: double
#: check: ret void
#: fails bpf asm 'random(CuDeviceVector{Float32,1})'
#: check: error[target-limit]

# Lanes of a warp, as each device has them.
shuffles(a) = (a[1] = shfl_down_sync(FULL_MASK, a[1], 4) + vote_ballot_sync(FULL_MASK, a[1] > 2); return)
#: run gfx1100 asm 'shuffles(CuDeviceVector{Float32,1})'
#: check: ds_bpermute_b32
#: run gfx90a asm 'shuffles(CuDeviceVector{Float32,1})'
#: check: v_mbcnt_hi_u32_b32
#: check: ds_bpermute_b32
#: run spirv64 asm 'shuffles(CuDeviceVector{Float32,1})'
#: check: SubgroupSize 32
#: check: OpControlBarrier
#: run sm_90 asm 'shuffles(CuDeviceVector{Float32,1})'
#: check: shfl.sync.down.b32
who(a) = (a[1] = active_mask(); return)
#: fails spirv64 asm 'who(CuDeviceVector{UInt32,1})'
#: check: error[target-limit]
#: nextln: library.jl:118

# Typed code is what the target sees, too.
#: run spirv64 typed 'sines(CuDeviceVector{Float32,1})'
#: check: call float @_Z3sinf(float
#: run sm_90 typed 'sines(CuDeviceVector{Float32,1})'
#: not: _Z3sinf
#: check: return nothing
