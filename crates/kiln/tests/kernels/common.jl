# The definitions of every generated program, and its inputs: the same on the device and in the interpreter.
using StaticArrays

struct Rec
    a::Float32
    b::Int64
end
const Named = @NamedTuple{p::Float64, q::Int32}

@inline maybe(x::Float32) = x > 0.5f0 ? x : nothing
@inline either(x::Int32) = iseven(x) ? x : Float64(x) / 2
@inline present(x) = x === nothing ? -1.0f0 : x
@inline number(x) = x isa Int32 ? Float64(x) : x
# Division that cannot fail: what is guarded may not be done by an item that skips it.
@inline quot(a, d) = (d == 0 || d == -1) ? a : a ÷ d
@inline remainder(a, d) = (d == 0 || d == -1) ? a : a % d
@inline modulo(a, d) = (d == 0 || d == -1) ? a : mod(a, d)
@inline toint(::Type{T}, x) where {T} = 0 <= x < 100 ? unsafe_trunc(T, x) : T(7)
@inline poly(x::T) where {T} = evalpoly(x, (T(1), T(-0.5), T(0.25)))
@inline slot(e) = Int(e & 3) + 1

# Inputs: 1009 elements each, of which some are special.
const INPUTS = 1009
# Slots of an item in the output arrays, items of a launch at most, cells of atomics.
const SLOTS = 3
const ITEMS = 1024
const CELLS = 8

phase(i, k, m) = (i * k + i ÷ 7) % m
special(i, x) = i % 41 == 7 ? oftype(x, NaN) : i % 53 == 11 ? oftype(x, Inf) : i % 59 == 3 ? oftype(x, -0.0) :
    i % 61 == 13 ? oftype(x, -1.0e30) : i % 67 == 5 ? oftype(x, 1.0e-40) : x
const XF = Float32[special(i, Float32(phase(i, 37, 101) - 50) / 8.0f0) for i in 1:INPUTS]
const XD = Float64[special(i, (phase(i, 53, 211) - 100) * 0.37) for i in 1:INPUTS]
const XI = Int32[i % 97 == 5 ? typemin(Int32) : i % 89 == 2 ? typemax(Int32) : phase(i, 29, 61) - 30 for i in 1:INPUTS]
const XL = Int64[i % 97 == 9 ? typemin(Int64) : phase(i, 71, 1003) - 500 for i in 1:INPUTS]
const XH = UInt16[(i * 40503) % 65536 for i in 1:INPUTS]
const XB = Int8[(i * 77) % 256 - 128 for i in 1:INPUTS]
const IDX = Int32[(i * 389) % INPUTS + 1 for i in 1:INPUTS]
const CNT = Int32[phase(i, 13, 5) for i in 1:INPUTS]
const IN = (XF, XD, XI, XL, XH, XB, IDX, CNT)
const OUT = (zeros(Float32, SLOTS * ITEMS), zeros(Float64, SLOTS * ITEMS), zeros(Int32, SLOTS * ITEMS),
             zeros(Int64, SLOTS * ITEMS), zeros(UInt16, SLOTS * ITEMS), zeros(Int32, CELLS), zeros(UInt64, CELLS))
