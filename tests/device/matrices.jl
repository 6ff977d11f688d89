# Matrix units of GPUs: which instructions there are, on which targets, and what is said where there are none.
using CUDA

# CUDA.jl's WMMA. Addresses keep their memory: those of arrays are global, those of memory of the group shared.
function multiplies(a, b, c)
    config = WMMA.Config{16,16,16,Float32}
    x = WMMA.load_a(pointer(a), 16, WMMA.ColMajor, config)
    y = WMMA.load_b(pointer(b), 16, WMMA.RowMajor, config)
    z = WMMA.load_c(pointer(c), 16, WMMA.ColMajor, config)
    WMMA.store_d(pointer(c), WMMA.mma(x, y, 0.5f0 .* z, config), 16, WMMA.ColMajor, config)
    return
end
#: run sm_70 asm 'multiplies(CuDeviceMatrix{Float16,1},CuDeviceMatrix{Float16,1},CuDeviceMatrix{Float32,1})'
#: not: .local
#: check: wmma.load.a.sync.aligned.col.m16n16k16.global.f16
#: check: wmma.load.b.sync.aligned.row.m16n16k16.global.f16
#: check: wmma.load.c.sync.aligned.col.m16n16k16.global.f32
#: check: wmma.mma.sync.aligned.col.row.m16n16k16.f32.f32
#: check: wmma.store.d.sync.aligned.col.m16n16k16.global.f32
#: run sm_90 bin 'multiplies(CuDeviceMatrix{Float16,1},CuDeviceMatrix{Float16,1},CuDeviceMatrix{Float32,1})'
#: check: ELF
#: fails sm_60 asm 'multiplies(CuDeviceMatrix{Float16,1},CuDeviceMatrix{Float16,1},CuDeviceMatrix{Float32,1})'
#: check: error[target-limit]
#: sameln: llvm.nvvm.wmma.m16n16k16
#: sameln: sm_60 has no instruction for it, the first target that has is sm_70
#: check: matrices.jl:

function through_shared(c)
    tile = CuStaticSharedArray(Float32, (32, 32))
    config = WMMA.Config{16,16,16,Float32}
    WMMA.store_d(pointer(tile, 17), WMMA.fill_c(1.0f0, config), 32, WMMA.RowMajor, config)
    sync_threads()
    @inbounds c[threadIdx().x] = tile[threadIdx().x]
    return
end
#: run sm_80 asm 'through_shared(CuDeviceMatrix{Float32,1})'
#: check: wmma.store.d.sync.aligned.row.m16n16k16.shared.f32

using BFloat16s: BFloat16
brains(a, b, c) = multiplies(a, b, c)
#: run sm_80 asm 'brains(CuDeviceMatrix{BFloat16,1},CuDeviceMatrix{BFloat16,1},CuDeviceMatrix{Float32,1})'
#: check: wmma.load.a.sync.aligned.col.m16n16k16.global.bf16
#: check: wmma.mma.sync.aligned.col.row.m16n16k16.f32.bf16.bf16.f32
#: fails sm_75 asm 'brains(CuDeviceMatrix{BFloat16,1},CuDeviceMatrix{BFloat16,1},CuDeviceMatrix{Float32,1})'
#: check: the first target that has is sm_80

function integers(a, c)
    x = WMMA.llvm_wmma_load_a_col_m32n8k16_global_stride_s8(pointer(a), 32)
    y = WMMA.llvm_wmma_load_b_col_m32n8k16_stride_s8(pointer(a), 32)
    z = WMMA.llvm_wmma_load_c_col_m32n8k16_global_stride_s32(pointer(c), 32)
    WMMA.llvm_wmma_store_d_col_m32n8k16_global_stride_s32(pointer(c), WMMA.llvm_wmma_mma_col_col_m32n8k16_s8(x, y, z), 32)
    return
end
#: run sm_72 asm 'integers(CuDeviceMatrix{Int8,1},CuDeviceMatrix{Int32,1})'
#: check: wmma.mma.sync.aligned.col.col.m32n8k16.s32.s8.s8.s32
#: fails sm_70 asm 'integers(CuDeviceMatrix{Int8,1},CuDeviceMatrix{Int32,1})'
#: check: the first target that has is sm_72

function doubles(a, b, c, rounding)
    config = WMMA.Config{8,8,4,Float64}
    x = WMMA.load_a(pointer(a), 8, WMMA.ColMajor, config)
    y = WMMA.load_b(pointer(b), 8, WMMA.RowMajor, config)
    WMMA.store_d(pointer(c), WMMA.mma(x, y, WMMA.fill_c(1.0, config), config, rounding), 8, WMMA.ColMajor, config)
    return
end
#: run sm_80 asm 'doubles(CuDeviceMatrix{Float64,1},CuDeviceMatrix{Float64,1},CuDeviceMatrix{Float64,1},RoundingMode{:Nearest})'
#: check: wmma.load.a.sync.aligned.col.m8n8k4.global.f64
#: check: wmma.mma.sync.aligned.col.row.m8n8k4.rn.f64.f64.f64.f64
#: check: wmma.store.d.sync.aligned.col.m8n8k4.global.f64
#: run sm_80 asm 'doubles(CuDeviceMatrix{Float64,1},CuDeviceMatrix{Float64,1},CuDeviceMatrix{Float64,1},RoundingMode{:Down})'
#: check: wmma.mma.sync.aligned.col.row.m8n8k4.rm.f64.f64.f64.f64
#: fails sm_75 asm 'doubles(CuDeviceMatrix{Float64,1},CuDeviceMatrix{Float64,1},CuDeviceMatrix{Float64,1},RoundingMode{:Nearest})'
#: check: the first target that has is sm_80
#: run gfx1100 asm 'doubles(CuDeviceMatrix{Float64,1},CuDeviceMatrix{Float64,1},CuDeviceMatrix{Float64,1},RoundingMode{:Nearest})'
#: check: s_endpgm
#: fails gfx1100 asm 'doubles(CuDeviceMatrix{Float64,1},CuDeviceMatrix{Float64,1},CuDeviceMatrix{Float64,1},RoundingMode{:Down})'
#: check: a rounding that is not to the nearest: only NVIDIA GPUs have it

# What WMMA does not multiply is refused by it, and not by LLVM, which has no such instruction.
#: fails sm_80 asm 'multiplies(CuDeviceMatrix{Float32,1},CuDeviceMatrix{Float32,1},CuDeviceMatrix{Float32,1})'
#: not: error[llvmcall]
#: check: error[static-assertion]
#: sameln: WMMA multiplies Float16, BFloat16 and Float64
#: check: matrices.jl:

# Every operation there is, for NVIDIA's assembler.
const EVERY = Expr(:block)
for (shapes, elems, c_elems, d_elems) in [WMMA.all_wmma_ops; WMMA.wmma_tf32_ops; WMMA.wmma_double_ops], (m, n, k) in shapes, elem in elems, c_elem in c_elems, d_elem in d_elems,
    a_layout in ("col", "row"), b_layout in ("col", "row")

    shape = "m$(m)n$(n)k$(k)"
    types = elem == "f16" ? "$(d_elem)_$c_elem" : elem
    named(it) = GlobalRef(WMMA, Symbol("llvm_wmma_", it))
    push!(EVERY.args, :($(named("store_d_col_$(shape)_stride_$d_elem"))(out,
        $(named("mma_$(a_layout)_$(b_layout)_$(shape)_$types"))(
            $(named("load_a_$(a_layout)_$(shape)_global_stride_$elem"))(in, 32),
            $(named("load_b_$(b_layout)_$(shape)_shared_stride_$elem"))(in, 32),
            $(named("load_c_row_$(shape)_stride_$c_elem"))(out, 32)), 32)))
end
@eval every(out, in) = ($EVERY; return)
#: run sm_80 bin 'every(Ptr{Float32},Ptr{Float16})'
#: check: ELF

# On GPUs of other vendors, lanes exchange the elements.
#: run gfx1100 asm 'multiplies(CuDeviceMatrix{Float16,1},CuDeviceMatrix{Float16,1},CuDeviceMatrix{Float32,1})'
#: check: s_endpgm

# Intrinsics that no target of a kind has code for are refused where they are called, not by LLVM's end (docs/nvidia.md).
sine(out, x) = (unsafe_store!(out, ccall("llvm.sin.f64", llvmcall, Float64, (Float64,), x)); return)
#: fails sm_90 asm 'sine(Ptr{Float64},Float64)'
#: check: error[target-limit]
#: sameln: `llvm.sin.f64`: neither sm_90 nor another target of its kind has code for it
#: check: matrices.jl:
#: check: sine(out, x)
#: fails gfx90a asm 'sine(Ptr{Float64},Float64)'
#: check: `llvm.sin.f64`: neither gfx90a nor another target
text(out, x) = (unsafe_store!(out, Base.llvmcall(("""
    declare i32 @llvm.nvvm.redux.sync.add(i32, i32)
    define i32 @sum(i32 %x) {
        %s = call i32 @llvm.nvvm.redux.sync.add(i32 %x, i32 -1)
        ret i32 %s
    }""", "sum"), Int32, Tuple{Int32}, x)); return)
#: run sm_80 asm 'text(Ptr{Int32},Int32)'
#: check: redux.sync.add.s32
#: fails sm_75 asm 'text(Ptr{Int32},Int32)'
#: check: `llvm.nvvm.redux.sync.add`: sm_75 has no instruction for it, the first target that has is sm_80

# AMD's: WMMA of RDNA 3 and 4, which AMDGPU.jl has modules for, and MFMA of CDNA, by the names of the instructions.
import AMDGPU
import AMDGPU: ROCDeviceMatrix, ROCDeviceVector
using AMDGPU.Device: WMMA_RDNA3, WMMA_RDNA4
@inline function rdna(W, a, b, c)
    x, y = W.load_a(pointer(a), 16, W.ColMajor), W.load_b(pointer(b), 16, W.ColMajor)
    W.store_d(pointer(c), W.mma(x, y, W.load_c(pointer(c), 16, W.ColMajor)), 16)
    return
end
rdna3(a, b, c) = rdna(WMMA_RDNA3, a, b, c)
rdna4(a, b, c) = rdna(WMMA_RDNA4, a, b, c)
#: run gfx1100 asm 'rdna3(ROCDeviceMatrix{Float16,1},ROCDeviceMatrix{Float16,1},ROCDeviceMatrix{Float32,1})'
#: check: v_wmma_f32_16x16x16_f16
#: run gfx1100 bin 'rdna3(ROCDeviceMatrix{BFloat16,1},ROCDeviceMatrix{BFloat16,1},ROCDeviceMatrix{Float32,1})'
#: check: ELF
#: run gfx1151 asm 'rdna3(ROCDeviceMatrix{BFloat16,1},ROCDeviceMatrix{BFloat16,1},ROCDeviceMatrix{Float32,1})'
#: check: v_wmma_f32_16x16x16_bf16
#: run gfx1200 asm 'rdna4(ROCDeviceMatrix{Float16,1},ROCDeviceMatrix{Float16,1},ROCDeviceMatrix{Float32,1})'
#: check: v_wmma_f32_16x16x16_f16
#: fails gfx1030 asm 'rdna3(ROCDeviceMatrix{Float16,1},ROCDeviceMatrix{Float16,1},ROCDeviceMatrix{Float32,1})'
#: check: `llvm.amdgcn.wmma.f32.16x16x16.f16`: gfx1030 has no instruction for it, the first target that has is gfx1100
#: fails gfx1100 asm 'rdna4(ROCDeviceMatrix{Float16,1},ROCDeviceMatrix{Float16,1},ROCDeviceMatrix{Float32,1})'
#: check: the first target that has is gfx1200

function cdna(out, op, a::T, zero) where {T}
    sums = op(a, a, zero)
    @inbounds out[1] = sums[1].value
    return
end
halves() = ntuple(_ -> VecElement(Float16(1)), Val(4))
cdna16(out, x::Float32) = cdna(out, AMDGPU.Device.mfma_f32_16x16x16f16, halves(), ntuple(_ -> VecElement(x), Val(4)))
cdna32(out, x::Float32) = cdna(out, AMDGPU.Device.mfma_f32_32x32x8f16, halves(), ntuple(_ -> VecElement(x), Val(16)))
single(out, x::Float32) = cdna(out, AMDGPU.Device.mfma_f32_16x16x4f32, x, ntuple(_ -> VecElement(x), Val(4)))
brain(out, x::Float32) =
    cdna(out, AMDGPU.Device.mfma_f32_32x32x8bf16_1k, ntuple(_ -> VecElement(Int16(0x3f80)), Val(4)), ntuple(_ -> VecElement(x), Val(16)))
#: run gfx90a asm 'cdna16(ROCDeviceVector{Float32,1},Float32)'
#: check: v_mfma_f32_16x16x16f16
#: run gfx942 asm 'cdna32(ROCDeviceVector{Float32,1},Float32)'
#: check: v_mfma_f32_32x32x8_f16
#: run gfx942 bin 'cdna32(ROCDeviceVector{Float32,1},Float32)'
#: check: ELF
#: run gfx908 asm 'single(ROCDeviceVector{Float32,1},Float32)'
#: check: v_mfma_f32_16x16x4f32
#: run gfx90a asm 'brain(ROCDeviceVector{Float32,1},Float32)'
#: check: v_mfma_f32_32x32x8bf16_1k
#: fails gfx908 asm 'brain(ROCDeviceVector{Float32,1},Float32)'
#: check: the first target that has is gfx90a
#: fails gfx906 asm 'cdna16(ROCDeviceVector{Float32,1},Float32)'
#: check: the first target that has is gfx908
# The order of its sums on other GPUs is another's to know: there are no waves of 64.
#: fails sm_90 asm 'cdna16(ROCDeviceVector{Float32,1},Float32)'
#: check: an operation of waves of 64 items
