# Functions of numbers under CUDA's names, on every device.

import Base.DeviceInstructions: dot_bytes, inverse_root, permute_bytes
import Base.DeviceIntrinsics: record

# Bits.
const Bits32, Bits64 = Union{Int32,UInt32}, Union{Int64,UInt64}
@inline clz(x::Union{Bits32,Bits64}) = leading_zeros(x) % Int32
@inline ffs(x::Union{Bits32,Bits64}) = x == zero(x) ? Int32(0) : (trailing_zeros(x) + 1) % Int32
@inline popc(x::Union{Bits32,Bits64}) = count_ones(x) % Int32
@inline brev(x::Bits32) = bitreverse(x % UInt32)
@inline brev(x::Bits64) = bitreverse(x % UInt64)
@inline byte_perm(x::Base.BitInteger, y::Base.BitInteger, selector::Base.BitInteger) =
    permute_bytes(x % UInt32, y % UInt32, selector % UInt32) % Int32

# Whole numbers.
@inline mulhi(x::T, y::T) where {T<:Bits32} = ((widen(x) * widen(y)) >> 32) % T
@inline mul64hi(x::UInt64, y::UInt64) = Base.product_high(x, y)
@inline mul64hi(x::Int64, y::Int64) =
    (Base.product_high(x % UInt64, y % UInt64) % Int64) - (x < 0 ? y : Int64(0)) - (y < 0 ? x : Int64(0))
@inline mul24(x::T, y::T) where {T<:Bits32} = ((x << 8) >> 8) * ((y << 8) >> 8)
@inline sad(x::T, y::T, z::T) where {T<:Bits32} = ((x > y ? x - y : y - x) + z) % T
@inline hadd(x::T, y::T) where {T<:Bits32} = (x & y) + ((x ⊻ y) >> 1)
@inline rhadd(x::T, y::T) where {T<:Bits32} = (x | y) - ((x ⊻ y) >> 1)
# The sum of products of four bytes each, and `c`.
@inline dp4a(a::Bits32, b::Bits32, c::Int32) = dot_bytes(a, b, c)
@inline dp4a(a::UInt32, b::UInt32, c::UInt32) = dot_bytes(a, b, c % Int32) % UInt32

# Floats.
const Float = Union{Float16,Float32,Float64}
@inline saturate(x::Float) = isnan(x) ? zero(x) : clamp(x, zero(x), one(x))
@inline rsqrt(x::Float) = inverse_root(x)
@inline rcbrt(x::Float) = inv(cbrt(x))
@inline dim(x::T, y::T) where {T<:Float} = x > y ? x - y : isnan(x) | isnan(y) ? T(NaN) : zero(T)
@inline scalbn(x::Float, n::Integer) = ldexp(x, n)
@inline nearbyint(x::Float) = round(x)
@inline powi(x::Float, n::Integer) = x^n
@inline norm3df(x::Float32, y::Float32, z::Float32) = hypot(x, y, z)
@inline rnorm3df(x::Float32, y::Float32, z::Float32) = inv(hypot(x, y, z))
@inline nextafter(x::T, y::T) where {T<:Float} =
    isnan(x) | isnan(y) ? T(NaN) : x == y ? y : x < y ? nextfloat(x) : prevfloat(x)

# Rounded as is said: to the nearest everywhere; towards zero, down and up by instructions that only NVIDIA GPUs have.
for (name, op) in ((:add, :+), (:mul, :*), (:div, :/), (:fma, :fma))
    params = name === :fma ? (:x, :y, :z) : (:x, :y)
    @eval @inline $(Symbol(name, :_rn))($([:($p::T) for p in params]...)) where {T<:Union{Float32,Float64}} = $op($(params...))
    for mode in (:rz, :rm, :rp)
        f = Symbol(name, :_, mode)
        @eval @inline function $f($([:($p::T) for p in params]...)) where {T<:Union{Float32,Float64}}
            Device.@static_assert false "a rounding that is not to the nearest: only NVIDIA GPUs have it"
            return $op($(params...))
        end
        for (T, letter) in ((Float32, "f"), (Float64, "d"))
            intrinsic = string("llvm.nvvm.", name, ".", mode, ".", letter)
            record(:ptx, string(name, ".", mode, ".f", 8sizeof(T)), string("`CUDA.", f, "`; refused elsewhere"), string(f, "(", join((string(p, "::", T) for p in params), ", "), ")"))
            @eval Base.Experimental.@overlay ptx_method_table @inline $f($([:($p::$T) for p in params]...)) =
                ccall($intrinsic, llvmcall, $T, ($([T for _ in params]...),), $(params...))
        end
    end
end
for mode in (:rn, :rz, :rm, :rp)
    @eval @inline $(Symbol(:sub_, mode))(x::T, y::T) where {T<:Union{Float32,Float64}} = $(Symbol(:add_, mode))(x, -y)
end
