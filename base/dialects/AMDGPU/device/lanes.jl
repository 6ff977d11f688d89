# Exchanges between lanes of which the source is a part of the instruction, and pauses and clocks, by the names that HIP has for them,
# without `__builtin_amdgcn_` in front.

import Base.DeviceIntrinsics: @instruction

# What another lane of a row of 16 gives, as the control of a DPP instruction says: 0x00 to 0xff permute four lanes, 0x101 to 0x10f take from as
# many lanes further, 0x111 to 0x11f before, 0x121 to 0x12f before and round, 0x140 and 0x141 from the mirrored lane of the row or of half of it.
# One's own value where the row ends, or where the lane is not here.
@inline is_dpp(control) = control isa Integer && (0x00 <= control <= 0xff || 0x101 <= control <= 0x10f || 0x111 <= control <= 0x11f ||
    0x121 <= control <= 0x12f || control == 0x140 || control == 0x141)
@inline function dpp_source(control::Int, lane::Int)
    i = lane & 15
    control <= 0xff && return (lane & ~3) | ((control >> (2 * (lane & 3))) & 3)
    source = control <= 0x10f ? i + control - 0x100 : control <= 0x11f ? i - (control - 0x110) :
        control <= 0x12f ? (i - (control - 0x120)) & 15 : control == 0x140 ? 15 - i : xor(i, 7)
    return 0 <= source <= 15 ? (lane & ~15) | source : lane
end
@inline function mov_dpp(value, ::Val{control}) where {control}
    Kernels.@static_assert is_dpp(control) "a control of DPP that every AMD GPU has: 0x00 to 0xff, 0x101 to 0x10f, 0x111 to 0x11f, 0x121 to 0x12f, 0x140, 0x141"
    is_dpp(control) || return value
    return from_lane(value, dpp_source(Int(control), activelane() % Int) % UInt32)
end
@instruction gcn "v_mov_b32_dpp" "`AMDGPU.Device.mov_dpp`" mov_dpp(value, ::Val{control}) where {control} = begin
    Kernels.@static_assert is_dpp(control) "a control of DPP that every AMD GPU has: 0x00 to 0xff, 0x101 to 0x10f, 0x111 to 0x11f, 0x121 to 0x12f, 0x140, 0x141"
    is_dpp(control) || return value
    return DeviceLanes.by_words(value) do word
        ccall("llvm.amdgcn.update.dpp.i32", llvmcall, UInt32, (UInt32, UInt32, Int32, Int32, Int32, Bool),
            word, word, Int32(control), Int32(15), Int32(15), false)
    end
end

# What another lane of 32 gives, as the pattern of `ds_swizzle` says: below 0x8000 five bits each are and-ed, or-ed and xor-ed to the number of the lane; 0x8000 to
# 0x80ff permute four lanes. Zero where the lane is not here.
const Swizzled = Union{Int32,UInt32,Float32}
@inline is_swizzle(pattern) = pattern isa Integer && 0 <= pattern <= 0x80ff
@inline swizzle_source(pattern::Int, lane::Int) = pattern >= 0x8000 ? dpp_source(pattern & 0xff, lane) :
    (lane & ~31) | xor((lane & 31 & pattern) | ((pattern >> 5) & 31), (pattern >> 10) & 31)
@inline function ds_swizzle(value::T, ::Val{pattern}) where {T<:Swizzled,pattern}
    Kernels.@static_assert is_swizzle(pattern) "a pattern of ds_swizzle is a number of 15 bits, or 0x8000 and a permutation of four lanes"
    is_swizzle(pattern) || return value
    source = swizzle_source(Int(pattern), activelane() % Int) % UInt32
    given = from_lane(value, source)
    return lane_is_in(activemask(), source) ? given : zero(T)
end
@instruction gcn "ds_swizzle_b32" "`AMDGPU.Device.ds_swizzle`" ds_swizzle(value::T, ::Val{pattern}) where {T<:Swizzled,pattern} = begin
    Kernels.@static_assert is_swizzle(pattern) "a pattern of ds_swizzle is a number of 15 bits, or 0x8000 and a permutation of four lanes"
    is_swizzle(pattern) || return value
    return reinterpret(T, ccall("llvm.amdgcn.ds.swizzle", llvmcall, UInt32, (UInt32, Int32), reinterpret(UInt32, value), Int32(pattern)))
end

# The wave pauses for about 64 clocks times the number, which no program can notice but by a clock.
@inline s_sleep(::Val{n}) where {n} = nothing
@instruction gcn "s_sleep" "`AMDGPU.Device.s_sleep`" s_sleep(::Val{n}) where {n} = begin
    Kernels.@static_assert n isa Integer && 0 <= n <= 127 "a pause is 0 to 127"
    n isa Integer && 0 <= n <= 127 && ccall("llvm.amdgcn.s.sleep", llvmcall, Cvoid, (Int32,), Int32(n))
    return nothing
end
# A clock of the compute unit, and one of the whole device that always ticks as fast. Elsewhere both are the clock that there is.
@inline clock64() = Core.Intrinsics.kiln_clock()
@inline wall_clock64() = Core.Intrinsics.kiln_clock()
@instruction gcn "s_memrealtime" "`AMDGPU.Device.wall_clock64`, from gfx1100 on by `s_sendmsg_rtn_b64`" wall_clock64() =
    ccall("llvm.readsteadycounter", llvmcall, UInt64, ())
