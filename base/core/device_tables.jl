# What kernels see in place of Base's methods because of the target they are compiled for: a table for each back end, for
# each library of device functions that was named, and for what a target cannot do. The driver lists them by these names.
module DeviceTables

import Base.Device
import Base: Experimental, throw_infinite_domain, throw_inverse_domain, throw_complex_domainerror, throw_log1p_domain,
    throw_exp_domainerror, throw_acosh_domain, throw_atanh_domain, two_over_pi_bits, product_high, next_bits,
    random_below

Experimental.@MethodTable(libdevice)
Experimental.@MethodTable(ocml)
Experimental.@MethodTable(ptx)
Experimental.@MethodTable(gcn)
# What newer devices have, in front of those: from a processor on, or of some of them.
Experimental.@MethodTable(ptx_61)
Experimental.@MethodTable(ptx_70)
Experimental.@MethodTable(ptx_80)
Experimental.@MethodTable(ptx_90)
Experimental.@MethodTable(gcn_dot)
Experimental.@MethodTable(gcn_mixed_dot)
Experimental.@MethodTable(spirv)
Experimental.@MethodTable(metal)
Experimental.@MethodTable(device_math)
Experimental.@MethodTable(no_float64)
Experimental.@MethodTable(no_int128)
Experimental.@MethodTable(checked)

# Kernels that run with the check of memory say which arrays they promise not to write, and which parts of arrays.
Experimental.@overlay checked @inline function Device.constify(a::Device.DeviceArray)
    Core.Intrinsics.kiln_declare_constant(Device.as_ptr(a.ptr), sizeof(a))
    return Device.ConstArray(a)
end
Experimental.@overlay checked @inline function Device.constify(
        a::Base.FastContiguousSubArray{T,N,P}) where {T,N,P<:Device.DeviceArray}
    first = Device.as_ptr(parent(a).ptr) + a.offset1 * Base.aligned_sizeof(T)
    Core.Intrinsics.kiln_declare_constant(first, length(a) * Base.aligned_sizeof(T))
    return a
end

# Bounds of arrays, without the question whether a size is negative: those of `DeviceArray`s are not, which their constructors check.
# (Ranges of processors' items are checked at once, by the form that Base has.)
@inline is_below(i::Int, n::Int) = Core.Intrinsics.ult_int(i - 1, n)
for table in (:ptx, :gcn, :spirv, :metal)
    @eval begin
        Experimental.@overlay $table @inline Base.checkbounds(::Type{Bool}, a::Device.DeviceArray, i::Int) = is_below(i, length(a))
        Experimental.@overlay $table @inline Base.checkbounds(::Type{Bool}, a::Device.DeviceMatrix, i::Int, j::Int) =
            is_below(i, a.dims[1]) & is_below(j, a.dims[2])
        Experimental.@overlay $table @inline Base.checkbounds(::Type{Bool}, a::Device.DeviceArray{T,3}, i::Int, j::Int, k::Int) where {T} =
            is_below(i, a.dims[1]) & is_below(j, a.dims[2]) & is_below(k, a.dims[3])
    end
end

# Loads of memory that no item writes are marked as such: NVIDIA GPUs have a path of their own for them, AMD GPUs load what all
# items of a wave share once.
function define_constant_loads(table, T, type)
    for align in (0, 1, 2, 4, 8, 16)
        text = string("define ", type, " @load(ptr addrspace(1) %first, i64 %i) alwaysinline {\n",
            "  %from = getelementptr [", sizeof(T), " x i8], ptr addrspace(1) %first, i64 %i\n",
            "  %loaded = load ", type, ", ptr addrspace(1) %from, align ", align == 0 ? sizeof(T) : align, ", !invariant.load !0\n",
            "  ret ", type, " %loaded\n}\n!0 = !{}\n")
        @eval Experimental.@overlay $table @inline Device.load_constant(p::Core.LLVMPtr{$T,1}, i::Int, ::Val{$align}) =
            Base.llvmcall(($text, "load"), $T, Tuple{Core.LLVMPtr{$T,1},Int}, p, i)
    end
end
for table in (:ptx, :gcn), (T, type) in ((Float16, "half"), (Float32, "float"), (Float64, "double"))
    define_constant_loads(table, T, type)
end
for table in (:ptx, :gcn), T in (Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64)
    define_constant_loads(table, T, string("i", 8sizeof(T)))
end

# Functions of one float: Base's name, that of libraries, and the check that Base makes before it computes.
const UNCHECKED = (:exp, :exp2, :exp10, :expm1, :atan, :sinh, :cosh, :tanh, :asinh, :cbrt)
const PERIODIC = (:sin, :cos, :tan, :sinpi, :cospi)
const CHECKED = ((:asin, :(abs(x) > 1), throw_inverse_domain), (:acos, :(abs(x) > 1), throw_inverse_domain),
    (:log, :(x < 0), throw_complex_domainerror), (:log2, :(x < 0), throw_complex_domainerror),
    (:log10, :(x < 0), throw_complex_domainerror))
const CHECKED_ALONE = ((:log1p, :(x < -1), throw_log1p_domain), (:acosh, :(x < 1), throw_acosh_domain),
    (:atanh, :(abs(x) > 1), throw_atanh_domain))

# A call of a library's function `name`, which computes and does nothing else, of floats of type `T`.
function library_call(name::String, T, args)
    type = T === Float32 ? "float" : "double"
    params = join(map(a -> string(type, " %", a), args), ", ")
    text = string("declare ", type, " @", name, "(", join(map(a -> type, args), ", "), ") #0\n",
        "define ", type, " @compute(", params, ") alwaysinline {\n",
        "  %computed = call ", type, " @", name, "(", params, ")\n  ret ", type, " %computed\n}\n",
        "attributes #0 = { nounwind willreturn memory(none) }\n")
    types = Expr(:curly, :Tuple, map(a -> T, args)...)
    return :(Base.llvmcall(($text, "compute"), $T, $types, $(args...)))
end

# The methods of a table for a float type: `call(f, args...)` is what computes the function that libraries call `f`.
function define_math(call, table::Symbol, T)
    for f in UNCHECKED
        @eval Experimental.@overlay $table @inline Base.$f(x::$T) = $(call(f, :x))
    end
    for f in PERIODIC
        @eval Experimental.@overlay $table @inline function Base.$f(x::$T)
            isinf(x) && throw_infinite_domain($(QuoteNode(f)), x)
            return $(call(f, :x))
        end
    end
    for (f, fails, throws) in CHECKED
        @eval Experimental.@overlay $table @inline function Base.$f(x::$T)
            $fails && $throws($(QuoteNode(f)), x)
            return $(call(f, :x))
        end
    end
    for (f, fails, throws) in CHECKED_ALONE
        @eval Experimental.@overlay $table @inline function Base.$f(x::$T)
            $fails && $throws(x)
            return $(call(f, :x))
        end
    end
    @eval begin
        Experimental.@overlay $table @inline function Base.tanpi(x::$T)
            isinf(x) && throw_infinite_domain(:tanpi, x)
            return $(call(:tanpi, :x))
        end
        Experimental.@overlay $table @inline function Base.sincos(x::$T)
            isinf(x) && throw_infinite_domain(:sincos, x)
            return $(call(:sincos, :x))
        end
        Experimental.@overlay $table @inline Base.atan(y::$T, x::$T) = $(call(:atan2, :y, :x))
        Experimental.@overlay $table @inline Base.hypot(x::$T, y::$T) = $(call(:hypot, :x, :y))
        Experimental.@overlay $table @inline function Base.:^(x::$T, y::$T)
            (x < 0) & (x > -$T(Inf)) & isfinite(y) && y != trunc(y) && throw_exp_domainerror(x)
            return $(call(:pow, :x, :y))
        end
    end
end

# The same for a library, which calls `sin` of a `T` `named("sin", T, 1)`.
function define_library(named, table::Symbol)
    for T in (Float32, Float64)
        define_math(table, T) do f, args...
            f === :tanpi && return :(sinpi(x) / cospi(x))
            f === :sincos && return :((sin(x), cos(x)))
            return library_call(named(string(f), T, length(args)), T, args)
        end
    end
end

define_library((f, T, n) -> string("__nv_", f, T === Float32 ? "f" : ""), :libdevice)
define_library((f, T, n) -> string("__ocml_", f, T === Float32 ? "_f32" : "_f64"), :ocml)
# Functions of OpenCL C: the driver brings them, so they take little room in a kernel and are the device's own.
define_library(:spirv) do f, T, n
    letter = T === Float32 ? "f" : "d"
    return string("_Z", length(f), f, letter, n == 2 ? letter : "")
end
# Without a library, in `Float32` alone.
define_math((f, args...) -> :($(GlobalRef(Base.DeviceMath, f === :atan2 ? :atan : f))($(args...))), :device_math, Float32)
# Atomic operations on less than 32 bits, for a target that has none: by the word of memory that they are in.
function define_narrow_atomics(table::Symbol)
    @eval begin
        Experimental.@overlay $table @inline Device.atomic_load(p::Ptr{T}, order::Symbol = :monotonic) where {T<:Device.NarrowBits} =
            Device.narrow_load(p, order)
        Experimental.@overlay $table @inline function Device.atomic_store!(p::Ptr{T}, x,
                order::Symbol = :monotonic) where {T<:Device.NarrowBits}
            Device.narrow_modify!(p, Device.right, convert(T, x)::T, order)
            return nothing
        end
        Experimental.@overlay $table @inline Device.atomic_exchange!(p::Ptr{T}, x,
            order::Symbol = :monotonic) where {T<:Device.NarrowBits} =
            Device.narrow_modify!(p, Device.right, convert(T, x)::T, order).first
        Experimental.@overlay $table @inline Device.atomic_replace!(p::Ptr{T}, expected, desired, success::Symbol = :acquire_release,
            failure::Symbol = :monotonic) where {T<:Device.NarrowBits} =
            Device.narrow_replace!(p, convert(T, expected)::T, convert(T, desired)::T, success, failure)
        Experimental.@overlay $table @inline Device.atomic_modify!(p::Ptr{T}, op, x,
            order::Symbol = :monotonic) where {T<:Device.NarrowBits} =
            Device.narrow_modify!(p, op, x, order)
    end
end
define_narrow_atomics(:spirv)

# Without `Float64`, which Base computes in where it has room for what is exact, or nearly so.
for T in (:Int32, :UInt32), op in (:(==), :<, :<=)
    @eval begin
        Experimental.@overlay no_float64 Base.$op(x::Union{Float16, Float32}, y::$T) = $op(x, Int64(y))
        Experimental.@overlay no_float64 Base.$op(x::$T, y::Union{Float16, Float32}) = $op(Int64(x), y)
    end
end
Experimental.@overlay device_math function Base.sind(x::Union{Float16, Float32})
    isinf(x) && throw_infinite_domain(:sind, x)
    r = rem(x, oftype(x, 360))
    a = abs(r)
    return (a == 0) | (a == 180) ? copysign(zero(r), x) : (a == 30) | (a == 150) ? copysign(oftype(r, 0.5), r) :
        (a == 210) | (a == 330) ? copysign(oftype(r, 0.5), -r) : sinpi(r / oftype(r, 180))
end
Experimental.@overlay device_math function Base.cosd(x::Union{Float16, Float32})
    isinf(x) && throw_infinite_domain(:cosd, x)
    a = abs(rem(x, oftype(x, 360)))
    return (a == 60) | (a == 300) ? oftype(a, 0.5) : (a == 120) | (a == 240) ? oftype(a, -0.5) : cospi(a / oftype(a, 180))
end
Experimental.@overlay device_math Base.tand(x::Union{Float16, Float32}) = sind(x) / cosd(x)
Experimental.@overlay device_math Base.float_power_wide(x::Float32, p) = Base.compensated_power(x, p)
Experimental.@overlay no_float64 Base.Float32(x::Rational) = Float32(x.num) / Float32(x.den)
Experimental.@overlay device_math Base.:/(z::ComplexF32, w::ComplexF32) = Base.scaled_quotient(z, w)
Experimental.@overlay device_math Base.log_abs(a::Float32, b::Float32) = log(hypot(a, b))
Experimental.@overlay device_math Base.div(x::T, y::T) where {T <: Union{Float16, Float32}} = round((x - rem(x, y)) / y)
Experimental.@overlay device_math Base.inv(z::ComplexF32) = Base.scaled_quotient(one(z), z)
Experimental.@overlay device_math Base.atan(y::Float16, x::Float16) = Float16(atan(Float32(y), Float32(x)))
# Newton's rule from above comes down to the root, rounded down.
Experimental.@overlay no_float64 function Base.rough_isqrt(n)
    s = one(n) << ((8 * sizeof(n) - leading_zeros(n) + 1) >> 1)
    while true
        t = (s + div(n, s)) >> 1
        t >= s && return s
        s = t
    end
end

# How far `x` is in its turn, in parts of 2^64: the bits of 2/pi that matter times the significand, modulo 4.
function part_of_turn(x::Float32)
    bits = reinterpret(UInt32, x) & 0x7fffffff
    e = max(Int(bits >> 23), 1)
    m = UInt64((bits & 0x007fffff) | (bits >= 0x00800000 ? 0x00800000 : 0x00000000))
    part = m * two_over_pi_bits(e - 152) + product_high(m, two_over_pi_bits(e - 88))
    return signbit(x) ? -part : part
end
const TURN = 3.4061215f-19 # 2pi / 2^64
Experimental.@overlay device_math function Base.mod2pi(x::Float32)
    isfinite(x) || return NaN32
    0.0f0 <= x < 6.2831855f0 && return x
    return Float32(part_of_turn(x)) * TURN
end
Experimental.@overlay device_math Base.rem2pi(x::Float32, ::RoundingMode{:Down}) = mod2pi(x)
Experimental.@overlay device_math function Base.rem2pi(x::Float32, ::RoundingMode{:Nearest})
    isfinite(x) || return NaN32
    abs(x) < 3.1415925f0 && return x
    return Float32(part_of_turn(x) % Int64) * TURN
end
Experimental.@overlay device_math function Base.rem2pi(x::Float32, ::RoundingMode{:ToZero})
    r = mod2pi(abs(x))
    return signbit(x) ? -r : r
end
Experimental.@overlay device_math Base.rem2pi(x::Float32, ::RoundingMode{:Up}) = -mod2pi(-x)

# Normal numbers and exponential ones, in their own type.
Experimental.@overlay no_float64 function Base.random_normal(rng, ::Type{T}) where {T <: Union{Float16, Float32}}
    while true
        u = 2.0f0 * Base.random_value(rng, Float32) - 1.0f0
        v = 2.0f0 * Base.random_value(rng, Float32) - 1.0f0
        s = u * u + v * v
        0.0f0 < s < 1.0f0 && return T(u * sqrt(-2.0f0 * log(s) / s))
    end
end
Experimental.@overlay no_float64 Base.random_exponential(rng, ::Type{T}) where {T <: Union{Float16, Float32}} =
    T(-log1p(-Base.random_value(rng, Float32)))

# Without integers of 128 bits. What is left of a product of two of 64, each below `m`: bit by bit.
function product_mod(a::UInt64, b::UInt64, m::UInt64)
    r, low = product_high(a, b), a * b
    for _ in 1:64
        above = r >> 63
        r = (r << 1) | (low >> 63)
        low <<= 1
        r = (above != 0x0000000000000000) | (r >= m) ? r - m : r
    end
    return r
end
Experimental.@overlay no_int128 function Base.positive_powermod(x, p, m::T) where {T <: Union{Int64, UInt64}}
    size = Base.uabs(m)
    result = rem(0x0000000000000001, size)
    base = mod(x, size) % UInt64
    while p > 0
        isodd(p) && (result = product_mod(result, base, size))
        base = product_mod(base, base, size)
        p >>= 1
    end
    return m < 0 && result != 0 ? (result % T) + m : result % T
end
# Products that 64 bits do not hold are left to the floats.
Experimental.@overlay no_int128 function Base._linspace(
    ::Type{T}, start::Integer, stop::Integer, len::Integer, den::Integer) where {T <: Base.IEEEFloat}
    n = len + 0
    greatest = max(abs(Float64(start)), abs(Float64(stop)), Float64(den)) * n
    greatest < 4.0e18 && return Base.linspace_within(Int64, T, start, stop, n, den)
    return Base._linspace(T(start / den), T(stop / den), n)
end
Experimental.@overlay no_int128 function Base.product_modulo(a, b, m::T) where {T <: Union{Int64, UInt64}}
    size = Base.uabs(m)
    result = product_mod(Base.uabs(a) % UInt64, Base.uabs(b) % UInt64, size)
    (a < 0) == (b < 0) || result == 0 || (result = size - result)
    return m < 0 && result != 0 ? (result % T) + m : result % T
end
Experimental.@overlay no_int128 function Base.random_below(rng, n::UInt64)
    bits = next_bits(rng)
    if bits * n < n
        edge = (-n) % n
        while bits * n < edge
            bits = next_bits(rng)
        end
    end
    return product_high(bits, n)
end
# The low bits of a whole number, however great.
Experimental.@overlay no_int128 function Base.float_rem_int(x, ::Type{T}) where {T}
    isinteger(x) || Base.throw_inexacterror(:rem, T, x)
    abs(x) < 9.223372036854776f18 && return unsafe_trunc(Int64, x) % T
    bits = reinterpret(Base.uinttype(typeof(x)), x)
    shift = exponent(x) - Base.significand_bits(typeof(x))
    m = UInt64(bits & Base.significand_mask(typeof(x))) | (0x0000000000000001 << Base.significand_bits(typeof(x)))
    low = m << shift
    return (signbit(x) ? -low : low) % T
end

end
