//! `Core.Intrinsics` on values, one file per group.
//!
//! An intrinsic operates on the bits of primitive values, whatever their types mean: the result has the type of the
//! first argument unless the group says otherwise. Types of 1 to 8 bytes and of 16 bytes are supported; a `Bool` is
//! one bit wide in conversions and in results.
//!
//! Where LLVM leaves a result undefined, the value is that of x86-64 code: see `convert`.

#[expect(clippy::wildcard_enum_match_arm, reason = "`group` below names every operation of the group")]
mod checked;
#[expect(clippy::wildcard_enum_match_arm, reason = "`group` below names every operation of the group")]
mod convert;
mod device;
#[expect(clippy::wildcard_enum_match_arm, reason = "`group` below names every operation of the group")]
mod float;
mod foreign;
mod half;
#[expect(clippy::wildcard_enum_match_arm, reason = "`group` below names every operation of the group")]
mod integer;
#[expect(clippy::wildcard_enum_match_arm, reason = "what is not here is in the other files")]
mod narrow;
mod operand;
#[expect(clippy::wildcard_enum_match_arm, reason = "`group` below names every operation of the group")]
mod pointer;

pub use foreign::{evaluate as evaluate_foreign, evaluate_exactly as evaluate_foreign_exactly};
pub use half::{bfloat16_from_f64, float16_from_f64, float16_to_f32};
pub use pointer::{Modify, atomic_pointermodify, memory_order};

use crate::{Heap, Run, Value, exceptions};
use kiln_ir::Intrinsic;

/// The group (file) of an intrinsic, and its function there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Group {
    IntBinary,
    IntCompare,
    IntShift,
    IntUnary,
    IntFlag,
    FloatBinary,
    FloatCompare,
    FloatUnary,
    FloatFused,
    HaveFma,
    Convert,
    Pointer,
    Device,
    Foreign,
}

#[rustfmt::skip]
#[inline]
fn group(op: Intrinsic) -> Group {
    use Intrinsic as I;
    match op {
        I::AddInt | I::SubInt | I::MulInt | I::SdivInt | I::UdivInt | I::SremInt | I::UremInt | I::AndInt | I::OrInt
        | I::XorInt | I::FlipsignInt | I::CheckedSdivInt | I::CheckedUdivInt | I::CheckedSremInt
        | I::CheckedUremInt => Group::IntBinary,
        I::EqInt | I::NeInt | I::SltInt | I::UltInt | I::SleInt | I::UleInt => Group::IntCompare,
        I::ShlInt | I::LshrInt | I::AshrInt => Group::IntShift,
        I::NegInt | I::NotInt | I::BswapInt | I::CtpopInt | I::CtlzInt | I::CttzInt => Group::IntUnary,
        I::CheckedSaddInt | I::CheckedUaddInt | I::CheckedSsubInt | I::CheckedUsubInt | I::CheckedSmulInt
        | I::CheckedUmulInt => Group::IntFlag,
        I::AddFloat | I::SubFloat | I::MulFloat | I::DivFloat | I::MinFloat | I::MaxFloat | I::AddFloatFast
        | I::SubFloatFast | I::MulFloatFast | I::DivFloatFast | I::MinFloatFast | I::MaxFloatFast
        | I::CopysignFloat => Group::FloatBinary,
        I::EqFloat | I::NeFloat | I::LtFloat | I::LeFloat | I::EqFloatFast | I::NeFloatFast | I::LtFloatFast
        | I::LeFloatFast | I::Fpiseq => Group::FloatCompare,
        I::NegFloat | I::NegFloatFast | I::AbsFloat | I::CeilLlvm | I::FloorLlvm | I::TruncLlvm | I::RintLlvm
        | I::SqrtLlvm | I::SqrtLlvmFast => Group::FloatUnary,
        I::FmaFloat | I::MuladdFloat => Group::FloatFused,
        I::HaveFma => Group::HaveFma,
        I::SextInt | I::ZextInt | I::TruncInt | I::Fptoui | I::Fptosi | I::Uitofp | I::Sitofp | I::Fptrunc | I::Fpext
        | I::Bitcast => Group::Convert,
        I::AddPtr | I::SubPtr | I::Pointerref | I::Pointerset | I::AtomicFence | I::AtomicPointerref
        | I::AtomicPointerset | I::AtomicPointerswap | I::AtomicPointermodify | I::AtomicPointerreplace
            => Group::Pointer,
        I::Llvmcall | I::Foreigncall => Group::Foreign,
        I::LocalId | I::GroupId | I::LocalSize | I::NumGroups | I::Barrier | I::SharedMemory | I::DynamicSharedMemory
        | I::DynamicSharedBytes | I::PrivateMemory | I::WarpBarrier | I::Report | I::Clock | I::InKernel
        | I::KernelState | I::DeclareConstant | I::DebugLevel | I::Lanes | I::StaticAssertion
        | I::KernelEntry => Group::Device,
    }
}

/// Calls an intrinsic. `have_fma` is the result of `have_fma(Float64)` and determines the rounding of `muladd_float`:
/// as on the processor that runs compiled code. `atomic_pointermodify` calls a function, so [`atomic_pointermodify`]
/// implements it instead.
pub fn call(heap: &Heap, have_fma: bool, op: Intrinsic, args: &[Value]) -> Run {
    if let &[a, b] = args
        && let Some(value) = narrow::binary(heap, op, a, b)
    {
        return Ok(value);
    }
    if let Some(arity) = op.arity()
        && args.len() != arity
        && let Some(thrown) = exceptions::wrong_count(heap, op.name(), args.len(), arity, Some(arity))
    {
        return Err(thrown);
    }
    match group(op) {
        Group::IntBinary => integer::binary(heap, op, args[0], args[1]),
        Group::IntCompare => integer::compare(heap, op, args[0], args[1]),
        Group::IntShift => integer::shift(heap, op, args[0], args[1]),
        Group::IntUnary => integer::unary(heap, op, args[0]),
        Group::IntFlag => checked::with_flag(heap, op, args[0], args[1]),
        Group::FloatBinary => float::binary(heap, op, args[0], args[1]),
        Group::FloatCompare => float::compare(heap, op, args[0], args[1]),
        Group::FloatUnary => float::unary(heap, op, args[0]),
        Group::FloatFused => float::fused(heap, have_fma, op, args),
        Group::HaveFma => float::have_fma(heap, have_fma, args[0]),
        Group::Convert => convert::call(heap, op, args[0], args[1]),
        Group::Pointer => pointer::call(heap, op, args),
        Group::Device => device::call(heap, op),
        Group::Foreign => foreign::call(heap, have_fma, op, args),
    }
}

#[cfg(test)]
mod tests;
