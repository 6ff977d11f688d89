//! Conversions between primitive types.
//!
//! A float out of range of the integer type converts as in x86-64 code: for 8 to 32 bits to the low bits of the
//! conversion to 32 (signed) or 64 bits (`UInt32`), which is the smallest integer on a second overflow; for `UInt64`
//! by the usual two-step sequence; for 128 bits to the nearest integer.

use super::float::{Float, is_float, not_float};
use super::half::{bfloat16_from_f64, float16_from_f64};
use super::operand::{Operand, narrow, primitive, sign_extend, sized, target, unsupported_width};
use crate::{Heap, Run, Value, exceptions};
use kiln_ir::Intrinsic;
use kiln_types::Type;

pub(super) fn call(heap: &Heap, op: Intrinsic, ty: Value, value: Value) -> Run {
    use Intrinsic as I;
    let (ty, width) = target(heap, op, ty)?;
    let x = primitive(heap, op, "value", value)?;
    match op {
        I::Bitcast => bitcast(heap, op, ty, width, x, value),
        I::SextInt | I::ZextInt | I::TruncInt => resize(heap, op, ty, width, x),
        I::Fptosi | I::Fptoui => {
            let float = Float::from_operand(heap, op, x)?.widened();
            let bits = if op == I::Fptosi { to_signed(float, width) } else { to_unsigned(float, width) };
            Ok(sized(heap, ty, width, bits))
        }
        I::Sitofp => {
            let number = signed(heap, x);
            from_integer(heap, op, ty, width, number as f32, number as f64)
        }
        I::Uitofp => {
            let number = x.wide();
            from_integer(heap, op, ty, width, number as f32, number as f64)
        }
        I::Fptrunc | I::Fpext => refloat(heap, op, ty, width, x),
        other => unreachable!("{} is no conversion", other.name()),
    }
}

fn bitcast(heap: &Heap, op: Intrinsic, ty: Type, width: u32, x: Operand, value: Value) -> Run {
    if width != x.width {
        let name = op.name();
        let message = format!("{name}: argument size does not match size of target type");
        return Err(exceptions::error(heap, &message));
    }
    if value.is_inline() {
        return Ok(narrow(heap, ty, width, value.bits()));
    }
    Ok(sized(heap, ty, width, x.wide()))
}

/// Width of an operand in conversions: a `Bool` has one bit.
fn significant(heap: &Heap, x: Operand) -> u32 {
    if x.ty == heap.core().bool { 1 } else { x.width }
}

fn signed(heap: &Heap, x: Operand) -> i128 {
    let width = significant(heap, x);
    if width <= 64 { i128::from(sign_extend(x.wide() as u64, width)) } else { x.wide() as i128 }
}

fn resize(heap: &Heap, op: Intrinsic, ty: Type, width: u32, x: Operand) -> Run {
    use Intrinsic as I;
    let from = significant(heap, x);
    let to = if ty == heap.core().bool { 1 } else { width };
    let (wrong, message) = match op {
        I::SextInt => (to <= from, "SExt: output bitsize must be > input bitsize"),
        I::ZextInt => (to <= from, "ZExt: output bitsize must be > input bitsize"),
        _ => (to >= from, "Trunc: output bitsize must be < input bitsize"),
    };
    if wrong {
        return Err(exceptions::error(heap, message));
    }
    let bits = if op == I::SextInt { signed(heap, x) as u128 } else { x.wide() };
    Ok(sized(heap, ty, width, bits))
}

/// The 64-bit conversion instruction: truncates, and gives the smallest integer when out of range.
fn convert64(x: f64) -> i64 {
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    if (-LIMIT..LIMIT).contains(&x) { x as i64 } else { i64::MIN }
}

/// The 32-bit conversion instruction.
fn convert32(x: f64) -> i32 {
    let whole = x.trunc();
    if (-2_147_483_648.0..=2_147_483_647.0).contains(&whole) { whole as i32 } else { i32::MIN }
}

fn to_signed(x: f64, width: u32) -> u128 {
    match width {
        0..=32 => convert32(x) as u128,
        33..=64 => convert64(x) as u128,
        _ if x.is_nan() => (if x.is_sign_negative() { i128::MIN } else { i128::MAX }) as u128,
        _ => x as i128 as u128,
    }
}

fn to_unsigned(x: f64, width: u32) -> u128 {
    match width {
        0..=16 => convert32(x) as u128,
        17..=32 => convert64(x) as u128,
        33..=64 => {
            let low = convert64(x);
            let high = convert64(x - 9_223_372_036_854_775_808.0);
            u128::from((low | (high & (low >> 63))) as u64)
        }
        _ if x.is_nan() => {
            if x.is_sign_negative() {
                0
            } else {
                u128::MAX
            }
        }
        _ => x as u128,
    }
}

/// `single` and `double` are the integer rounded to 32 and 64 bits; 16-bit formats round the former again.
fn from_integer(heap: &Heap, op: Intrinsic, ty: Type, width: u32, single: f32, double: f64) -> Run {
    let bits = match width {
        64 => double.to_bits(),
        32 => u64::from(single.to_bits()),
        16 if ty == heap.core().bfloat16 => u64::from(bfloat16_from_f64(f64::from(single))),
        16 => u64::from(float16_from_f64(f64::from(single))),
        _ => return Err(unsupported_width(heap, op, width)),
    };
    Ok(Value::inline(ty, bits))
}

fn refloat(heap: &Heap, op: Intrinsic, ty: Type, width: u32, x: Operand) -> Run {
    let (wrong, message) = match op {
        Intrinsic::Fptrunc => (width >= x.width, "fptrunc: output bitsize must be < input bitsize"),
        _ => (width <= x.width, "fpext: output bitsize must be > input bitsize"),
    };
    if wrong {
        return Err(exceptions::error(heap, message));
    }
    let number = Float::from_operand(heap, op, x)?.widened();
    if !is_float(heap, ty) {
        return Err(not_float(heap, op));
    }
    let bits = match width {
        64 => number.to_bits(),
        32 => u64::from((number as f32).to_bits()),
        16 if ty == heap.core().bfloat16 => u64::from(bfloat16_from_f64(number)),
        16 => u64::from(float16_from_f64(number)),
        _ => return Err(unsupported_width(heap, op, width)),
    };
    Ok(Value::inline(ty, bits))
}
