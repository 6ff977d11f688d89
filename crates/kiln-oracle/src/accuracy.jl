# The greatest error of each mathematical function, in units of the last place, over samples of its whole range: numbers of
# every exponent, neighbours of thresholds, subnormals, and huge arguments. The reference has 160 bits.

const PRECISION = 160
mutable struct Source
    state::UInt64
end
function draw!(s::Source)
    s.state = s.state * 0x5851f42d4c957f2d + 0x14057b7ef767814f
    x = s.state
    x = (x ⊻ (x >> 33)) * 0xff51afd7ed558ccd
    x ⊻ (x >> 33)
end
unit!(s) = Float64(draw!(s) >> 11) * 0x1p-53

# Uniform bits: every exponent is as likely as another.
function any_float(::Type{T}, s) where {T}
    x = reinterpret(T, draw!(s) % Base.uinttype(T))
    isfinite(x) ? x : any_float(T, s)
end
between(lo, hi) = (T, s) -> T(lo + (hi - lo) * unit!(s))
log_between(lo, hi) = (T, s) -> T(exp2(lo + (hi - lo) * unit!(s)) * (isodd(draw!(s)) ? 1 : -1))
positive(f) = (T, s) -> abs(f(T, s))

const EVERY = (any_float, between(-2, 2), between(-100, 100), log_between(-20, 0))
const ANGLES = (any_float, between(-0.8, 0.8), between(-10, 10), between(-1000, 1000), log_between(10, 60),
    (T, s) -> T(Float64(draw!(s) % 100000) * 1.5707963267948966))
const POSITIVE = (positive(any_float), between(0.5, 2), between(0, 1), log_between(-5, 5))
const INVERSE = (between(-1, 1), log_between(-30, 0), (T, s) -> T(1 - exp2(-30 * unit!(s))))
const EXPONENTS = (any_float, between(-1, 1), between(-110, 90), between(-750, 720), log_between(-30, 0))
const FUNCTIONS = [
    (exp, EXPONENTS), (exp2, (EXPONENTS..., between(-1080, 1025))), (exp10, (EXPONENTS..., between(-330, 310))), (expm1, EXPONENTS),
    (log, map(positive, POSITIVE)), (log2, map(positive, POSITIVE)), (log10, map(positive, POSITIVE)),
    (log1p, (map(positive, POSITIVE)..., between(-1, 1), log_between(-60, -1))),
    (sin, ANGLES), (cos, ANGLES), (tan, ANGLES), (sinpi, ANGLES), (cospi, ANGLES), (tanpi, ANGLES), (sind, ANGLES), (cosd, ANGLES),
    (asin, INVERSE), (acos, INVERSE), (atan, EVERY), (sinh, EXPONENTS), (cosh, EXPONENTS), (tanh, EXPONENTS),
    (asinh, EVERY), (acosh, ((T, s) -> T(1 + exp2(-20 + 40 * unit!(s))), (T, s) -> 1 + abs(any_float(T, s)))), (atanh, INVERSE),
    (sqrt, map(positive, POSITIVE)), (cbrt, EVERY),
]
# Of two numbers.
const PAIRS = [
    (atan, ((any_float, any_float), (between(-2, 2), between(-2, 2)))),
    (hypot, ((any_float, any_float), (between(-2, 2), between(-2, 2)))),
    (^, ((positive(any_float), between(-2, 2)), (between(0, 100), between(-100, 100)), (between(0.5, 2), between(-700, 700)))),
]

# The error of `y` against a value, in the distance between floats there; past the ends it counts from the last float.
function error_in_ulps(y::T, exact::BigFloat) where {T}
    isnan(exact) && return isnan(y) ? 0.0 : Inf
    nearest = T(exact)
    y === nearest && isinf(y) && return 0.0
    (isfinite(y) && isfinite(nearest)) || return y === prevfloat(nearest) || y === nextfloat(nearest) ? 1.0 : Inf
    Float64(abs(BigFloat(y) - exact) / BigFloat(eps(nearest)))
end
reference(f, xs...) = f(map(BigFloat, xs)...)

function greatest_error(f, f_exact, ::Type{T}, samplers, count) where {T}
    s = Source(0x1234_5678_9abc_def0)
    worst, at = 0.0, nothing
    for sampler in samplers, _ in 1:count
        xs = sampler isa Tuple ? map(g -> g(T, s), sampler) : (sampler(T, s),)
        all(isfinite, xs) || continue
        e = try
            error_in_ulps(f(xs...), reference(f_exact, xs...))
        catch thrown
            thrown isa DomainError || rethrow()
            0.0
        end
        e > worst && ((worst, at) = (e, xs))
    end
    worst, at
end

# What kernels for GPUs run for numbers of `Float32`, where it is something else.
function on_devices(f)
    name = f === (^) ? :pow : nameof(f)
    name !== :sqrt && isdefined(Base.DeviceMath, name) ? getglobal(Base.DeviceMath, name) : nothing
end

function accuracy_table(count)
    setprecision(BigFloat, PRECISION) do
        lines = String["| function | Float32 | at | Float64 | at | Float32 on GPUs | at |", "|---|---|---|---|---|---|---|"]
        bad = String[]
        for (list, arity) in ((FUNCTIONS, ""), (PAIRS, " (of two)")), (f, samplers) in list
            line = string("| `", f, "`", arity)
            for (g, T, bound) in ((f, Float32, 1.0), (f, Float64, 1.5), (on_devices(f), Float32, 2.0))
                if g === nothing
                    line = string(line, " | | ")
                    continue
                end
                worst, at = greatest_error(g, f, T, samplers, count)
                line = string(line, " | ", round(worst, digits = 3), " | ", at === nothing ? "" : join(at, ", "))
                worst <= bound || push!(bad, string(f, " ", T, " ", g === f ? "" : "on GPUs ", worst, " at ", at))
            end
            push!(lines, line * " |")
        end
        lines, bad
    end
end
