# Kernels whose results are printed as bits, a line each, for two devices to be compared: `exact NAME BITS...` must be the
# same everywhere, `near NAME TYPE BITS...` within the bound that the test states. The kernels are generated, the same in
# every run.
using CUDA

# Numbers in no order, the same in every process.
mutable struct Source
    state::UInt64
end
function draw!(s::Source)
    s.state = s.state * 0x5851f42d4c957f2d + 0x14057b7ef767814f
    x = s.state
    x = xor(x, x >> 33) * 0xff51afd7ed558ccd
    return xor(x, x >> 29)
end
draw!(s::Source, n::Int) = Int(draw!(s) % UInt64(n)) + 1
pick!(s::Source, xs) = xs[draw!(s, length(xs))]

const ITEMS = 64
const INTEGERS = (Int8, UInt8, Int16, UInt16, Int32, UInt32, Int64, UInt64)
const INTEGER_OPS = (:+, :-, :*, :&, :|, :xor, :min, :max)
const FLOAT_OPS = (:+, :-, :*, :/, :min, :max)

# An expression of `x`, `y` and `i` that is of type `T` if they are.
function expression(s, T, depth)
    depth == 0 && return pick!(s, (:x, :y, :i, :(T(3)), :(one(T))))
    a, b = expression(s, T, depth - 1), expression(s, T, depth - 1)
    if T <: Integer
        kind = draw!(s, 8)
        kind == 1 && return :(ifelse($a < $b, $b, $a + one(T)))
        kind == 2 && return :(($a) << (($b) & T(7)))
        kind == 3 && return :(($a) >> (($b) & T(7)))
        kind == 4 && return :(div($a, ($b) | one(T)))
        kind == 5 && return :(rem($a, ($b) | one(T)))
        kind == 6 && return :(T(count_ones($a)) + T(leading_zeros($b) & 63))
        return Expr(:call, pick!(s, INTEGER_OPS), a, b)
    end
    kind = draw!(s, 7)
    kind == 1 && return :(ifelse($a < $b, $b, -($a)))
    kind == 2 && return :(sqrt(abs($a)))
    kind == 3 && return :(fma($a, $b, x))
    return Expr(:call, pick!(s, FLOAT_OPS), a, b)
end

# A kernel with a branch, a loop and the group's memory around two expressions.
function kernel(s, T, name)
    first, second = expression(s, T, 3), expression(s, T, 3)
    rounds = draw!(s, 5)
    return quote
        function $name(out, xs, ys)
            T = $T
            t = threadIdx().x
            shared = CuStaticSharedArray($T, $ITEMS)
            x, y, i = xs[t], ys[t], T(t % 8)
            shared[t] = $first
            sync_threads()
            y = shared[$ITEMS + 1 - t]
            total = x
            for round in 1:$rounds
                i = T(round)
                if isodd(t + round)
                    total = $second
                else
                    y = total
                end
            end
            out[t] = total
            return
        end
    end
end

special(::Type{T}) where {T<:Integer} = T[typemin(T), typemax(T), zero(T), one(T), typemax(T) - one(T), T(2), T(7), T(100)]
special(::Type{T}) where {T<:AbstractFloat} =
    T[0, -0.0, 1, -1, Inf, -Inf, NaN, floatmin(T), floatmax(T), nextfloat(zero(T)), eps(T), 0.5, -1.5, 3, 1e10, -1e-10]
value(s, ::Type{T}) where {T<:Integer} = draw!(s) % T
value(s, ::Type{Float64}) = (draw!(s) >> 11) * 2.0^-53 * 2.0^(draw!(s, 40) - 20) * (draw!(s, 2) == 1 ? -1 : 1)
value(s, ::Type{Float32}) = Float32(value(s, Float64))
values_of(s, T) = T[draw!(s, 3) == 1 ? pick!(s, special(T)) : value(s, T) for _ in 1:ITEMS]

bits(x::Union{Int8,UInt8}) = string(reinterpret(UInt8, x), base = 16)
bits(x::Union{Int16,UInt16}) = string(reinterpret(UInt16, x), base = 16)
bits(x::Union{Int32,UInt32}) = string(reinterpret(UInt32, x), base = 16)
bits(x::Union{Int64,UInt64}) = string(reinterpret(UInt64, x), base = 16)
bits(x::Float32) = isnan(x) ? "nan" : bits(reinterpret(UInt32, x))
bits(x::Float64) = isnan(x) ? "nan" : bits(reinterpret(UInt64, x))
tell(how, name, xs) = println(how, " ", name, " ", join(map(bits, xs), " "))

source = Source(0x2026)
for T in (INTEGERS..., Float32, Float64), n in 1:3
    name = Symbol(:generated_, T, :_, n)
    eval(kernel(source, T, name))
    xs, ys = CuArray(values_of(source, T)), CuArray(values_of(source, T))
    out = CUDA.zeros(T, ITEMS)
    Base.invokelatest() do
        @cuda threads=ITEMS getglobal(Main, name)(out, xs, ys)
    end
    tell("exact", name, Array(out))
end

# Conversions between all types of numbers, of values that fit.
function convert!(out, xs)
    t = threadIdx().x
    out[t] = convert(eltype(out), xs[t])
    return
end
for S in (INTEGERS..., Float32, Float64), T in (INTEGERS..., Float32, Float64)
    xs = CuArray(S.(repeat(S[0, 1, 2, 7, 100, 127, 63, 3], 8)))
    out = CUDA.zeros(T, ITEMS)
    @cuda threads=ITEMS convert!(out, xs)
    tell("exact", "convert_$(S)_$(T)", Array(out))
end

# Functions of one number.
function apply!(f, out, xs)
    t = threadIdx().x
    out[t] = f(xs[t])
    return
end
exact = (x -> sqrt(abs(x)), abs, floor, ceil, trunc, round, x -> muladd(x, x, x) - x, x -> 1 / x)
near = (exp, exp2, expm1, x -> log(abs(x)), x -> log2(abs(x)), x -> log1p(abs(x)), sin, cos, tan, atan, tanh, sinh, cosh,
    cbrt, x -> asin(clamp(x, -one(x), one(x))), x -> acos(clamp(x, -one(x), one(x))), x -> abs(x)^oftype(x, 1.5),
    x -> hypot(x, one(x)))
finite(x) = isfinite(x) ? x : one(x)
for T in (Float32, Float64)
    xs = values_of(source, T)
    for (n, f) in enumerate(exact)
        n == 7 && continue # `muladd` may round once or twice
        out = CUDA.zeros(T, ITEMS)
        @cuda threads=ITEMS apply!(f, out, CuArray(xs))
        tell("exact", "function_$(n)_$T", Array(out))
    end
    for (n, f) in enumerate(near)
        out = CUDA.zeros(T, ITEMS)
        @cuda threads=ITEMS apply!(f, out, CuArray(finite.(xs)))
        tell("near", "function_$(n) $T", Array(out))
    end
end

# Atomic operations of all items on a few places.
function count!(sums, least, greatest, bitwise, xs)
    i = (blockIdx().x - 1) * blockDim().x + threadIdx().x
    at = xs[i] % 4 + 1
    CUDA.@atomic sums[at] += xs[i]
    CUDA.@atomic least[at] = min(least[at], xs[i])
    CUDA.@atomic greatest[at] = max(greatest[at], xs[i])
    CUDA.@atomic bitwise[at] = xor(bitwise[at], xs[i])
    return
end
for T in (Int32, UInt32, Int64, UInt64)
    xs = CuArray(T[draw!(source) % 1000 for _ in 1:256])
    all = [CuArray(fill(x, 4)) for x in (zero(T), typemax(T), zero(T), zero(T))]
    @cuda threads=ITEMS blocks=4 count!(all..., xs)
    foreach(n -> tell("exact", "atomic_$(n)_$T", Array(all[n])), 1:4)
end
