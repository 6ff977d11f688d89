# Names from Core that Base uses throughout: intrinsics, memory builtins and the runtime's services.

using Core.Intrinsics: neg_int, add_int, sub_int, mul_int, sdiv_int, udiv_int, srem_int, urem_int,
    neg_float, add_float, sub_float, mul_float, div_float, min_float, max_float, fma_float, muladd_float,
    neg_float_fast, add_float_fast, sub_float_fast, mul_float_fast, div_float_fast, min_float_fast,
    max_float_fast, eq_int, ne_int, slt_int, ult_int, sle_int, ule_int, eq_float, ne_float, lt_float, le_float,
    eq_float_fast, ne_float_fast, lt_float_fast, le_float_fast, fpiseq, and_int, or_int, xor_int, not_int,
    shl_int, lshr_int, ashr_int, bswap_int, ctpop_int, ctlz_int, cttz_int, sext_int, zext_int, trunc_int,
    fptoui, fptosi, uitofp, sitofp, fptrunc, fpext,
    checked_sadd_int, checked_uadd_int, checked_ssub_int, checked_usub_int, checked_smul_int, checked_umul_int,
    checked_sdiv_int, checked_udiv_int, checked_srem_int, checked_urem_int,
    abs_float, copysign_float, flipsign_int, ceil_llvm, floor_llvm, trunc_llvm, rint_llvm, sqrt_llvm,
    sqrt_llvm_fast, bitcast, add_ptr, sub_ptr, pointerref, pointerset, atomic_fence, atomic_pointerref,
    atomic_pointerset, atomic_pointerswap, atomic_pointermodify, atomic_pointerreplace, have_fma,
    llvmcall, foreigncall
using Core: memorynew, memoryrefnew, memoryrefoffset, memoryrefget, memoryrefset!, memoryref_isassigned,
    apply_type, svec, kwcall, compilerbarrier, donotdelete, Builtin, IntrinsicFunction, CPU, SimpleVector,
    TypeName, TypeofBottom, TypeofVararg, Typeof, LLVMPtr, BFloat16, _apply_iterate, _svec_len, _svec_ref
using Core: Host

# Splatting mentions these two before the files that give them methods.
function iterate end
function convert end
