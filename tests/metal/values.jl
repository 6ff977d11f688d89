# Structures, tuples, closures, constants, and what is made and reported.
using CUDA
include(joinpath(@__DIR__, "support", "launches.jl"))
launch(f, groups, items, args...; bytes = 0) =
    launched(f, groups, items, args...; convert = CuArray, bytes) do f, there...
        @cuda threads = items blocks = groups shmem = bytes f(there...)
        synchronize()
    end

struct Particle
    mass::Float32
    place::NTuple{3,Float32}
    kind::Int8
    is_fixed::Bool
end
function moves!(out, p, t)
    i = threadIdx().x
    out[i] = p.is_fixed ? 0.0f0 : p.mass * p.place[i] + t[2] * Float32(p.kind)
    return
end
launch(moves!, 1, 3, zeros(Float32, 3), Particle(2.0f0, (1.0f0, 2.0f0, 3.0f0), 4, false), (Int64(1), 0.5f0))
launch(moves!, 1, 4, zeros(Float32, 4), Particle(2.0f0, (1.0f0, 2.0f0, 3.0f0), 4, false), (Int64(1), 0.5f0))

many!(out, a, b, c, d, e, f) = (out[1] = a + b + c + (d ? 1 : 0); out[2] = Int64(e) + f; return)
launch(many!, 1, 1, zeros(Int64, 2), Int8(-3), UInt16(40000), Int64(1) << 40, true, UInt8(200), Int32(-7))

const TABLE = (3, 1, 4, 1, 5, 9, 2, 6)
looks_up!(out) = (i = threadIdx().x; out[i] = TABLE[i] + (10, 20, 30, 40)[(i - 1) % 4 + 1]; return)
launch(looks_up!, 1, 8, zeros(Int64, 8))

halves!(out, x) = (i = threadIdx().x; out[i] = x[i] * Float16(0.5) + Float16(1); return)
launch(halves!, 1, 8, zeros(Float16, 8), Float16.(1:8))

function integers!(out, x)
    i = threadIdx().x
    v = x[i]
    out[i, 1] = leading_zeros(v)
    out[i, 2] = trailing_zeros(v)
    out[i, 3] = count_ones(v)
    out[i, 4] = bitreverse(v)
    out[i, 5] = abs(v)
    out[i, 6] = clamp(v, -5, 100)
    out[i, 7] = bswap(v)
    out[i, 8] = v ÷ 7
    out[i, 9] = mod(v, 7)
    out[i, 10] = v << 3 | v >>> 60
    return
end
for T in (Int32, Int64, Int16)
    launch(integers!, 1, 6, zeros(T, 6, 10), T[0, 1, -1, 1000, -12345, typemin(T)])
end
checked!(out, x) = (out[1] = Base.checked_mul(x[1], x[2]); return)
launch(checked!, 1, 1, zeros(Int64, 1), Int64[3, 4])
launch(checked!, 1, 1, zeros(Int64, 1), Int64[1 << 40, 1 << 40])
divides!(out, x) = (out[1] = div(x[1], x[2]); return)
launch(divides!, 1, 1, zeros(Int32, 1), Int32[7, 0])

function roots!(out, x)
    i = threadIdx().x
    v = x[i]
    out[i, 1] = sqrt(v)
    out[i, 2] = floor(v)
    out[i, 3] = ceil(v)
    out[i, 4] = round(v)
    out[i, 5] = trunc(v)
    out[i, 6] = fma(v, v, 1.0f0)
    out[i, 7] = copysign(v, -1.0f0)
    out[i, 8] = min(v, 2.0f0)
    out[i, 9] = max(v, NaN32) === NaN32 ? 1.0f0 : 0.0f0
    out[i, 10] = abs(-v)
    return
end
launch(roots!, 1, 6, zeros(Float32, 6, 10), Float32[0, 0.25, 1.5, 2.5, 9, 1.0f10])
negative_root!(out, x) = (out[1] = sqrt(x[1]); return)
launch(negative_root!, 1, 1, zeros(Float32, 1), Float32[-1])

# The device's functions round otherwise than the processor's: by a thousandth, both agree.
function curves!(out, x)
    i = threadIdx().x
    v = x[i]
    thousandths(y) = unsafe_trunc(Int32, round(1000 * y))
    out[i, 1] = thousandths(sin(v))
    out[i, 2] = thousandths(cos(v))
    out[i, 3] = thousandths(tan(v / 4))
    out[i, 4] = thousandths(exp(v))
    out[i, 5] = thousandths(log(v))
    out[i, 6] = thousandths(v^1.3f0)
    out[i, 7] = thousandths(atan(v, 2.0f0))
    out[i, 8] = thousandths(tanh(v))
    out[i, 9] = thousandths(exp2(v) + log2(v) + log10(v))
    out[i, 10] = thousandths(sinpi(v) + cospi(v))
    out[i, 11] = thousandths(hypot(v, 1.0f0) + cbrt(v) + expm1(v) + log1p(v))
    out[i, 12] = thousandths(asin(v / 8) + acos(v / 8) + asinh(v) + acosh(1 + v) + atanh(v / 8))
    return
end
launch(curves!, 1, 5, zeros(Int32, 5, 12), Float32[0.3, 0.7, 1.1, 2.3, 3.9])

# Objects in memory that the launch gives.
mutable struct Cell
    value::Int64
end
@noinline fill_cell!(c, v) = (c.value = v; c)
@noinline cell(v) = fill_cell!(Cell(0), v)
boxes!(out) = (i = threadIdx().x; c = cell(Int64(i)); out[i] = c.value + cell(Int64(2i)).value; return)
launch(boxes!, 1, 4, zeros(Int64, 4))

# Memory of an item.
function sorted!(out, x)
    t = Base.Device.private_array(Int32, Val((5,)))
    for i in 1:5
        t[i] = x[i]
    end
    for i in 2:5, j in i:-1:2
        t[j] < t[j - 1] && ((t[j], t[j - 1]) = (t[j - 1], t[j]))
    end
    for i in 1:5
        out[i] = t[i]
    end
    return
end
launch(sorted!, 1, 1, zeros(Int32, 5), Int32[3, 5, 1, 4, 2])

# Arrays in a tuple, and an array of addresses' arrays: pointers that the device reads from memory.
struct Both{A}
    first::A
    second::A
end

# Classes of floats, which LLVM asks for by one function.
function classes!(out, x)
    i = threadIdx().x
    v = x[i]
    out[i, 1] = isnan(v)
    out[i, 2] = isinf(v)
    out[i, 3] = isfinite(v)
    out[i, 4] = issubnormal(v)
    out[i, 5] = iszero(v)
    out[i, 6] = reinterpret(UInt32, v) & 0x7f800000 == 0x7f800000
    return
end
launch(classes!, 1, 8, fill(false, 8, 6), Float32[0, -0.0, 1, -Inf, Inf, NaN, 1.0f-40, -1.0f-40])
for mask in (0x001, 0x002, 0x004, 0x008, 0x010, 0x020, 0x040, 0x080, 0x100, 0x200, 0x264, 0x198)
    @eval begin
        function $(Symbol(:class_, mask, :!))(out, x)
            i = threadIdx().x
            out[i] = ccall("llvm.is.fpclass.f32", llvmcall, Bool, (Float32, Int32), x[i], $(Int32(mask)))
            return
        end
        launch($(Symbol(:class_, mask, :!)), 1, 9, fill(false, 9),
               reinterpret(Float32, UInt32[0, 0x80000000, 0x3f800000, 0xff800000, 0x7f800000, 0x7fc00000, 0x7f800001, 0x00000001,
                   0x80000001]) |> collect)
    end
end

# Pointers that are found behind pointers, in a loop.
mutable struct Link
    value::Int64
    next::Union{Link,Nothing}
end
@noinline grown(list, v) = Link(v, list)
function linked!(out)
    list = nothing
    for v in 1:5
        list = grown(list, Int64(v))
    end
    total = 0
    while list !== nothing
        total = 10total + list.value
        list = list.next
    end
    out[1] = total
    return
end
launch(linked!, 1, 1, zeros(Int64, 1))
