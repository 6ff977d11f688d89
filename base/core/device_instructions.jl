# Functions that targets have instructions for, as every device computes them, and the instructions of NVIDIA's and AMD's GPUs and of
# SPIR-V: see `Base.DeviceIntrinsics`. Dialects have them under their own names.
module DeviceInstructions

import Base: FastMath, product_high
import Base.Device
import Base.DeviceLanes: LANES, by_words, exchange, exchange_by, has_lane, lane_index, meet, votes
import Base.DeviceIntrinsics: @instruction, record
import Base.DeviceTables: library_call

# A sum of products of four bytes each, and `c`. The result has 32 bits.
const Word = Union{Int32,UInt32}
@inline byte_of(x::Int32, k) = Int32((x >> (8k)) % Int8)
@inline byte_of(x::UInt32, k) = Int32((x >> (8k)) % UInt8)
@inline dot_bytes(a::Word, b::Word, c::Int32) =
    c + byte_of(a, 0) * byte_of(b, 0) + byte_of(a, 1) * byte_of(b, 1) + byte_of(a, 2) * byte_of(b, 2) + byte_of(a, 3) * byte_of(b, 3)
for (A, a) in ((:Int32, "s"), (:UInt32, "u")), (B, b) in ((:Int32, "s"), (:UInt32, "u"))
    @eval @instruction ptx_61 $("dp4a.$(a)32.$(b)32") "`CUDA.dp4a`" dot_bytes(a::$A, b::$B, c::Int32) =
        ccall($("llvm.nvvm.idp4a.$a.$b"), llvmcall, Int32, ($A, $B, Int32), a, b, c)
    @eval @instruction gcn_mixed_dot "v_dot4_i32_iu8" "`CUDA.dp4a`" dot_bytes(a::$A, b::$B, c::Int32) =
        ccall("llvm.amdgcn.sudot4", llvmcall, Int32, (Bool, $A, Bool, $B, Int32, Bool), $(A === :Int32), a, $(B === :Int32), b, c, false)
end
@instruction gcn_dot "v_dot4_i32_i8" "`CUDA.dp4a`" dot_bytes(a::Int32, b::Int32, c::Int32) =
    ccall("llvm.amdgcn.sdot4", llvmcall, Int32, (Int32, Int32, Int32, Bool), a, b, c, false)
@instruction gcn_dot "v_dot4_u32_u8" "`CUDA.dp4a`" dot_bytes(a::UInt32, b::UInt32, c::Int32) =
    ccall("llvm.amdgcn.udot4", llvmcall, Int32, (UInt32, UInt32, Int32, Bool), a, b, c, false)

# Four of the eight bytes of `y` and `x`, as the digits of `selector` say; with 8 in a digit the byte's sign in all bits.
@inline function permute_bytes(x::UInt32, y::UInt32, selector::UInt32)
    bytes, result = (UInt64(y) << 32) | UInt64(x), 0x00000000
    for k in 0x00000000:0x00000003
        digit = (selector >> (0x00000004 * k)) & 0x0000000f
        byte = (bytes >> (0x00000008 * (digit & 0x00000007))) % UInt8
        digit & 0x00000008 != 0x00000000 && (byte = ((byte % Int8) >> 7) % UInt8)
        result |= UInt32(byte) << (0x00000008 * k)
    end
    return result
end
@instruction ptx "prmt.b32" "`CUDA.byte_perm`" permute_bytes(x::UInt32, y::UInt32, selector::UInt32) =
    ccall("llvm.nvvm.prmt", llvmcall, UInt32, (UInt32, UInt32, UInt32), x, y, selector)

# The upper half of a product of 64 bits.
for (table, instruction) in ((:ptx, "mul.hi.u64"), (:gcn, "v_mad_u64_u32"))
    @eval @instruction $table $instruction "`CUDA.mul64hi`, products that Base needs in full" Base.product_high(a::UInt64, b::UInt64) =
        Base.llvmcall("""
            %a = zext i64 %0 to i128
            %b = zext i64 %1 to i128
            %p = mul nuw i128 %a, %b
            %h = lshr i128 %p, 64
            %r = trunc i128 %h to i64
            ret i64 %r""", UInt64, Tuple{UInt64,UInt64}, a, b)
end

# The reciprocal of a root; NaN of what is below zero.
@inline inverse_root(x::Float16) = Float16(inverse_root(Float32(x)))
@inline inverse_root(x::Union{Float32,Float64}) = inv(Base.sqrt_llvm(x))
@instruction ptx "rsqrt.approx.f32" "`CUDA.rsqrt`, within 2 units in the last place" inverse_root(x::Float32) =
    ccall("llvm.nvvm.rsqrt.approx.f", llvmcall, Float32, (Float32,), x)
@instruction gcn "v_rsq_f32" "`CUDA.rsqrt`, within 1 unit in the last place" inverse_root(x::Float32) =
    ccall("llvm.amdgcn.rsq.f32", llvmcall, Float32, (Float32,), x)

# Approximate functions, which `@fastmath` asks for.
const APPROXIMATE = "approximate, in `@fastmath`"
const nvidia_sin, nvidia_cos = "llvm.nvvm.sin.approx.f", "llvm.nvvm.cos.approx.f"
@inline nvidia_log2(x::Float32) = ccall("llvm.nvvm.lg2.approx.f", llvmcall, Float32, (Float32,), x)
@inline nvidia_exp2(x::Float32) = ccall("llvm.nvvm.ex2.approx.f", llvmcall, Float32, (Float32,), x)
@instruction ptx "sin.approx.f32" APPROXIMATE FastMath.sin_fast(x::Float32) = ccall("llvm.nvvm.sin.approx.f", llvmcall, Float32, (Float32,), x)
@instruction ptx "cos.approx.f32" APPROXIMATE FastMath.cos_fast(x::Float32) = ccall("llvm.nvvm.cos.approx.f", llvmcall, Float32, (Float32,), x)
@instruction ptx "sin.approx.f32, cos.approx.f32" APPROXIMATE FastMath.tan_fast(x::Float32) =
    FastMath.div_fast(FastMath.sin_fast(x), FastMath.cos_fast(x))
@instruction ptx "sin.approx.f32, cos.approx.f32" APPROXIMATE FastMath.sincos_fast(x::Float32) = (FastMath.sin_fast(x), FastMath.cos_fast(x))
@instruction ptx "lg2.approx.f32" APPROXIMATE FastMath.log2_fast(x::Float32) = nvidia_log2(x)
@instruction ptx "ex2.approx.f32" APPROXIMATE FastMath.exp2_fast(x::Float32) = nvidia_exp2(x)
@instruction ptx_80 "tanh.approx.f32" APPROXIMATE FastMath.tanh_fast(x::Float32) = Base.llvmcall(
    "%r = call float asm \"tanh.approx.f32 \$0, \$1;\", \"=f,f\"(float %0)\nret float %r", Float32, Tuple{Float32}, x)
@inline amd_log2(x::Float32) = ccall("llvm.amdgcn.log.f32", llvmcall, Float32, (Float32,), x)
@inline amd_exp2(x::Float32) = ccall("llvm.amdgcn.exp2.f32", llvmcall, Float32, (Float32,), x)
@inline turns(x::Float32) = ccall("llvm.amdgcn.fract.f32", llvmcall, Float32, (Float32,), x * 0.15915494f0)
@instruction gcn "v_sin_f32" APPROXIMATE FastMath.sin_fast(x::Float32) = ccall("llvm.amdgcn.sin.f32", llvmcall, Float32, (Float32,), turns(x))
@instruction gcn "v_cos_f32" APPROXIMATE FastMath.cos_fast(x::Float32) = ccall("llvm.amdgcn.cos.f32", llvmcall, Float32, (Float32,), turns(x))
@instruction gcn "v_sin_f32, v_cos_f32" APPROXIMATE FastMath.tan_fast(x::Float32) =
    FastMath.div_fast(FastMath.sin_fast(x), FastMath.cos_fast(x))
@instruction gcn "v_sin_f32, v_cos_f32" APPROXIMATE FastMath.sincos_fast(x::Float32) = (FastMath.sin_fast(x), FastMath.cos_fast(x))
@instruction gcn "v_log_f32" APPROXIMATE FastMath.log2_fast(x::Float32) = amd_log2(x)
@instruction gcn "v_exp_f32" APPROXIMATE FastMath.exp2_fast(x::Float32) = amd_exp2(x)
for (table, exp2, log2, instructions) in ((:ptx, nvidia_exp2, nvidia_log2, ("ex2.approx.f32", "lg2.approx.f32")),
    (:gcn, amd_exp2, amd_log2, ("v_exp_f32", "v_log_f32")))

    for (f, scale) in ((:exp_fast, 1.442695f0), (:exp10_fast, 3.3219281f0))
        @eval @instruction $table $(instructions[1]) APPROXIMATE FastMath.$f(x::Float32) = $exp2(x * $scale)
    end
    for (f, scale) in ((:log_fast, 0.6931472f0), (:log10_fast, 0.30103f0))
        @eval @instruction $table $(instructions[2]) APPROXIMATE FastMath.$f(x::Float32) = $log2(x) * $scale
    end
    @eval @instruction $table $(join(reverse(instructions), ", ")) APPROXIMATE FastMath.pow_fast(x::Float32, y::Float32) =
        $exp2(y * $log2(x))
end
for f in (:sin, :cos, :tan, :exp, :exp2, :exp10, :log, :log2, :log10)
    call = library_call("_Z$(length("native_$f"))native_$(f)f", Float32, (:x,))
    @eval @instruction spirv $("native_$f") APPROXIMATE FastMath.$(Symbol(f, :_fast))(x::Float32) = $call
end

# Lanes. A value of the lane that is `delta` lanes further or before, or whose number differs in `bits`, within segments of
# `width` lanes; one's own if there is none. From a segment before one's own only the last of them reads.
@inline segment(width::Int) = lane_index() & ~(width - 1)
@inline function lane_down(mask::UInt32, value, delta::Int, width::Int)
    first, source = segment(width), lane_index() + delta
    return exchange_by(mask, value, delta, (first <= source) & (source < first + width))
end
@inline lane_up(mask::UInt32, value, delta::Int, width::Int) = lane_down(mask, value, -delta, width)
@inline function lane_xor(mask::UInt32, value, bits::Int, width::Int)
    source = xor(lane_index(), bits & (LANES - 1))
    return exchange(mask, value, source < segment(width) + width ? source : lane_index())
end
# NVIDIA's: words move; that a distance is out of range, or a lane takes no part, is told without it.
@inline is_distance(delta::Int) = (delta % UInt64) < UInt64(LANES)
for (kind, f, last) in (("down", :lane_down, 31), ("up", :lane_up, 0), ("bfly", :lane_xor, 31))
    source = kind == "down" ? :(lane_index() + n) : kind == "up" ? :(lane_index() - n) : :(lane_index() ⊻ n)
    names = kind == "bfly" ? "`CUDA.shfl_xor_sync`" : "`CUDA.shfl_$(kind)_sync`"
    @eval @instruction ptx $("shfl.sync.$kind.b32") $names $f(mask::UInt32, value, n::Int, width::Int) = begin
        bounds = (((LANES - width) << 8) | $last) % UInt32
        given = by_words(value) do word
            ccall($("llvm.nvvm.shfl.sync.$kind.i32"), llvmcall, UInt32, (UInt32, UInt32, UInt32, UInt32), mask, word, n % UInt32, bounds)
        end
        return is_distance(n) & has_lane(mask, $source) ? given : value
    end
end

# Votes: whether a condition holds for all lanes, for any, or for all or none.
@inline vote_all(mask::UInt32, holds::Bool) = votes(mask, !holds) == 0x00000000
@inline vote_any(mask::UInt32, holds::Bool) = votes(mask, holds) != 0x00000000
@inline function vote_uniform(mask::UInt32, holds::Bool)
    yes, no = votes(mask, holds), votes(mask, !holds)
    return (yes == 0x00000000) | (no == 0x00000000)
end
for (f, kind) in ((:vote_all, "all"), (:vote_any, "any"), (:vote_uniform, "uni"))
    @eval @instruction ptx $("vote.sync.$kind.pred") $("`CUDA.vote_$(kind)_sync`") $f(mask::UInt32, holds::Bool) =
        ccall($("llvm.nvvm.vote.$kind.sync"), llvmcall, Bool, (UInt32, Bool), mask, holds)
end

# The lanes whose bits are those of `x`. Lanes look at what all gave.
const Comparable = Union{Int32,UInt32,Float32,Int64,UInt64,Float64}
@inline function matching(mask::UInt32, x::T) where {T<:Comparable}
    slots = Device.shared_array(T, Val((1024,)), Val(Symbol("lane values")))
    mine = Device.local_linear()
    @inbounds slots[mine+1] = x
    met, first, same = meet(mask), mine & ~(LANES - 1), 0x00000000
    for lane in 0:LANES-1
        is_same = has_lane(met, lane) && (@inbounds slots[first+lane+1]) === x
        same |= UInt32(is_same) << lane
    end
    meet(mask)
    return same
end
@instruction ptx_70 "match.any.sync.b32" "`CUDA.match_any_sync`, `CUDA.match_all_sync`" matching(mask::UInt32, x::Union{Int32,UInt32,Float32}) =
    ccall("llvm.nvvm.match.any.sync.i32", llvmcall, UInt32, (UInt32, UInt32), mask, reinterpret(UInt32, x))
@instruction ptx_70 "match.any.sync.b64" "`CUDA.match_any_sync`, `CUDA.match_all_sync`" matching(mask::UInt32, x::Union{Int64,UInt64,Float64}) =
    ccall("llvm.nvvm.match.any.sync.i64", llvmcall, UInt32, (UInt32, UInt64), mask, reinterpret(UInt64, x))

# `op` over the lanes of a mask, in order; each gets the result.
@inline function reduced(op::F, mask::UInt32, x::T) where {F,T}
    slots = Device.shared_array(T, Val((1024,)), Val(Symbol("lane values")))
    mine = Device.local_linear()
    @inbounds slots[mine+1] = x
    met, first = meet(mask), mine & ~(LANES - 1)
    lane = Int(trailing_zeros(met))
    result = @inbounds slots[first+lane+1]
    for other in lane+1:LANES-1
        has_lane(met, other) && (result = op(result, @inbounds slots[first+other+1])::T)
    end
    meet(mask)
    return result
end
for (name, op, T, kind) in ((:add, :+, :Int32, "add"), (:add, :+, :UInt32, "add"), (:min, :min, :Int32, "min"), (:min, :min, :UInt32, "umin"),
    (:max, :max, :Int32, "max"), (:max, :max, :UInt32, "umax"), (:and, :&, :Int32, "and"), (:and, :&, :UInt32, "and"),
    (:or, :|, :Int32, "or"), (:or, :|, :UInt32, "or"), (:xor, :xor, :Int32, "xor"), (:xor, :xor, :UInt32, "xor"))

    @eval @instruction ptx_80 $("redux.sync.$kind") $("`CUDA.reduce_$(name)_sync`") reduced(::typeof($op), mask::UInt32, x::$T) =
        ccall($("llvm.nvvm.redux.sync.$kind"), llvmcall, $T, ($T, UInt32), x, mask)
end

# Barriers of the group that count.
for (f, kind, names) in ((:barrier_all, "and", "`CUDA.sync_threads_and`, `AMDGPU.sync_workgroup_and`"),
    (:barrier_any, "or", "`CUDA.sync_threads_or`, `AMDGPU.sync_workgroup_or`"))
    @eval @instruction ptx $("bar.red.$kind.pred") $names Device.$f(holds::Bool) =
        ccall($("llvm.nvvm.barrier.cta.red.$kind.aligned.all"), llvmcall, Bool, (Int32, Bool), Int32(0), holds)
end
@instruction ptx "bar.red.popc.u32" "`CUDA.sync_threads_count`, `AMDGPU.sync_workgroup_count`" Device.barrier_count(holds::Bool) =
    ccall("llvm.nvvm.barrier.cta.red.popc.aligned.all", llvmcall, Int32, (Int32, Bool), Int32(0), holds)

# Counters that wrap: up to a limit and then to zero, down to zero and then to the limit. What was there.
@inline counted_up(old::UInt32, limit::UInt32) = old >= limit ? 0x00000000 : old + 0x00000001
@inline counted_down(old::UInt32, limit::UInt32) = (old == 0x00000000) | (old > limit) ? limit : old - 0x00000001
@inline count_up!(p::Ptr{UInt32}, limit::UInt32) = Device.atomic_old!(p, counted_up, limit)
@inline count_down!(p::Ptr{UInt32}, limit::UInt32) = Device.atomic_old!(p, counted_down, limit)
# Memory of the device alone: no item of another, and no host, sees it meanwhile.
const OWN_MEMORY = ", !amdgpu.no.fine.grained.memory !0, !amdgpu.no.remote.memory !0"
atomic_text(op, type, scope, order, align, more = "") =
    ("define $type @f(ptr %p, $type %x) alwaysinline {\n%r = atomicrmw $op ptr %p, $type %x syncscope(\"$scope\") $order, align $align$more\n" *
     "ret $type %r\n}\n!0 = !{}\n", "f")
for (table, scope, names) in ((:ptx, "device", ("atom.inc.u32", "atom.dec.u32")), (:gcn, "agent", ("global_atomic_inc", "global_atomic_dec"))),
    (f, op, instruction, name) in ((:count_up!, "uinc_wrap", names[1], "inc"), (:count_down!, "udec_wrap", names[2], "dec"))

    @eval @instruction $table $instruction $("`CUDA.atomic_$(name)!`") $f(p::Ptr{UInt32}, limit::UInt32) =
        Base.llvmcall($(atomic_text(op, "i32", scope, "monotonic", 4, table === :gcn ? OWN_MEMORY : "")), UInt32, Tuple{Ptr{UInt32},UInt32}, p, limit)
end
# Sums of numbers of 16 bits. With an order, the strongest.
for (table, T, type) in ((:ptx_70, Float16, "half"), (:ptx_90, Core.BFloat16, "bfloat"))
    @eval @instruction $table $(T === Float16 ? "atom.add.noftz.f16" : "atom.add.noftz.bf16") "`@atomic a[i] += x`, `CUDA.atomic_add!`" Device.atomic_modify!(
        p::Ptr{$T}, ::typeof(+), x, order::Symbol = :monotonic) = begin
        y = convert($T, x)::$T
        old = order === :monotonic ?
            Base.llvmcall($(atomic_text("fadd", type, "device", "monotonic", 2)), $T, Tuple{Ptr{$T},$T}, p, y) :
            Base.llvmcall($(atomic_text("fadd", type, "device", "seq_cst", 2)), $T, Tuple{Ptr{$T},$T}, p, y)
        return Pair{$T,$T}(old, old + y)
    end
end

# Loads and stores that say what caches should keep, of 4 or 8 bytes; of other sizes, and elsewhere, they are ordinary ones.
@inline load_cached(p::Ptr, ::Val) = unsafe_load(p)
@inline store_cached!(p::Ptr{T}, x, ::Val) where {T} = (unsafe_store!(p, convert(T, x)::T); nothing)
@inline through_word(::Type{T}, f::F, p) where {T,F} =
    sizeof(T) == 4 ? reinterpret(T, f(reinterpret(Ptr{UInt32}, p))) : reinterpret(T, f(reinterpret(Ptr{UInt64}, p)))
const Cached = Union{Int32,UInt32,Float32,Int64,UInt64,Float64}
for hint in ("ca", "cg", "cs", "lu", "cv")
    for (W, type, letter, bits) in ((:UInt32, "i32", "r", 32), (:UInt64, "i64", "l", 64))
        @eval @inline load_word(p::Ptr{$W}, ::Val{$(QuoteNode(Symbol(hint)))}) = Base.llvmcall(
            $("%r = call $type asm sideeffect \"ld.$hint.b$bits \$0, [\$1];\", \"=$letter,l,~{memory}\"(ptr %0)\nret $type %r"),
            $W, Tuple{Ptr{$W}}, p)
    end
    @eval @instruction ptx $("ld.$hint") $("`CUDA.ld$hint`") load_cached(p::Ptr{T}, hint::Val{$(QuoteNode(Symbol(hint)))}) where {T<:Cached} =
        through_word(T, q -> load_word(q, hint), p)
end
@inline word_bits(x::Union{Int32,UInt32,Float32}) = reinterpret(UInt32, x)
@inline word_bits(x::Union{Int64,UInt64,Float64}) = reinterpret(UInt64, x)
for hint in ("wb", "cg", "cs", "wt")
    for (W, type, letter, bits) in ((:UInt32, "i32", "r", 32), (:UInt64, "i64", "l", 64))
        @eval @inline store_word!(p::Ptr{$W}, x::$W, ::Val{$(QuoteNode(Symbol(hint)))}) = Base.llvmcall(
            $("call void asm sideeffect \"st.$hint.b$bits [\$0], \$1;\", \"l,$letter,~{memory}\"(ptr %0, $type %1)\nret void"),
            Cvoid, Tuple{Ptr{$W},$W}, p, x)
    end
    @eval @instruction ptx $("st.$hint") $("`CUDA.st$hint`") store_cached!(p::Ptr{T}, x, hint::Val{$(QuoteNode(Symbol(hint)))}) where {T<:Cached} = begin
        word = word_bits(convert(T, x)::T)
        store_word!(reinterpret(Ptr{typeof(word)}, p), word, hint)
        return nothing
    end
end

# Requests to bring memory into caches, which programs need not notice.
@inline prefetch(p::Ptr, ::Val) = nothing
for (hint, level) in ((:l1, "L1"), (:l2, "L2"))
    @eval @instruction ptx $("prefetch.$level") $("`CUDA.prefetch_$hint`") prefetch(p::Ptr, hint::Val{$(QuoteNode(hint))}) =
        Base.llvmcall($("call void asm sideeffect \"prefetch.$level [\$0];\", \"l\"(ptr %0)\nret void"), Cvoid, Tuple{Ptr{Cvoid}}, Ptr{Cvoid}(p))
end

end
