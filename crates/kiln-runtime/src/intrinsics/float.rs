//! Floating point: arithmetic, comparison, rounding. `Float16` and `BFloat16` are computed in `Float32` and
//! rounded after each operation; the `_fast` forms are the exact ones.

use super::half::{bfloat16_from_f64, float16_from_f64, float16_to_f32};
use super::operand::{Operand, narrow, pair, primitive, unsupported_width};
use crate::{Heap, Run, Value, exceptions};
use kiln_ir::Intrinsic;
use kiln_types::Type;

/// A number with the precision it is computed in.
#[derive(Clone, Copy, Debug)]
pub(super) enum Float {
    /// `Float16`, held exactly.
    Half(f32),
    /// `BFloat16`, held exactly.
    Brain(f32),
    /// 32 bits.
    Single(f32),
    /// 64 bits.
    Double(f64),
}

impl Float {
    /// The number an operand holds.
    #[inline]
    pub(super) fn from_operand(heap: &Heap, op: Intrinsic, x: Operand) -> Run<Self> {
        let bits = x.wide() as u64;
        if !is_float(heap, x.ty) {
            return Err(not_float(heap, op));
        }
        Ok(match x.width {
            64 => Float::Double(f64::from_bits(bits)),
            32 => Float::Single(f32::from_bits(bits as u32)),
            16 if x.ty == heap.core().bfloat16 => Float::Brain(f32::from_bits((bits as u32) << 16)),
            16 => Float::Half(float16_to_f32(bits as u16)),
            width => return Err(unsupported_width(heap, op, width)),
        })
    }

    /// The number, exactly.
    pub(super) fn widened(self) -> f64 {
        match self {
            Float::Half(x) | Float::Brain(x) | Float::Single(x) => f64::from(x),
            Float::Double(x) => x,
        }
    }

    fn to_value(self, ty: Type) -> Value {
        Value::inline(
            ty,
            match self {
                Float::Half(x) => u64::from(float16_from_f64(f64::from(x))),
                Float::Brain(x) => u64::from(bfloat16_from_f64(f64::from(x))),
                Float::Single(x) => u64::from(x.to_bits()),
                Float::Double(x) => x.to_bits(),
            },
        )
    }
}

/// Whether a type is one of the formats that are computed in.
#[inline]
pub(super) fn is_float(heap: &Heap, ty: Type) -> bool {
    let core = heap.core();
    ty == core.float64 || ty == core.float32 || ty == core.float16 || ty == core.bfloat16
}

#[cold]
pub(super) fn not_float(heap: &Heap, op: Intrinsic) -> Box<crate::Thrown> {
    let message = format!(
        "{}: runtime floating point intrinsics require both arguments to be Float16, BFloat16, Float32, or Float64",
        op.name()
    );
    exceptions::error(heap, &message)
}

macro_rules! arithmetic {
    ($name:ident, $float:ident) => {
        #[inline]
        fn $name(op: Intrinsic, a: $float, b: $float) -> $float {
            use Intrinsic as I;
            match op {
                I::AddFloat | I::AddFloatFast => a + b,
                I::SubFloat | I::SubFloatFast => a - b,
                I::MulFloat | I::MulFloatFast => a * b,
                I::DivFloat | I::DivFloatFast => a / b,
                // A NaN wins, and the zeros are ordered: the sign of the difference decides.
                I::MinFloat if a.is_nan() || b.is_nan() => a - b,
                I::MaxFloat if a.is_nan() || b.is_nan() => b - a,
                I::MinFloat if (a - b).is_sign_negative() || (a == b && a.is_sign_negative()) => a,
                I::MinFloat => b,
                I::MaxFloat if (b - a).is_sign_negative() || (a == b && a.is_sign_positive()) => a,
                I::MaxFloat => b,
                I::MinFloatFast if a < b => a,
                I::MinFloatFast => b,
                I::MaxFloatFast if a > b => a,
                I::MaxFloatFast => b,
                other => unreachable!("{} is no float arithmetic", other.name()),
            }
        }
    };
}

arithmetic!(single, f32);
arithmetic!(double, f64);

pub(super) fn binary(heap: &Heap, op: Intrinsic, a: Value, b: Value) -> Run {
    let (x, y) = pair(heap, op, a, b)?;
    if op == Intrinsic::CopysignFloat {
        let sign = 1u64 << (x.width.min(64) - 1);
        Float::from_operand(heap, op, x)?;
        return Ok(Value::inline(x.ty, (a.bits() & !sign) | (b.bits() & sign)));
    }
    let result = match (Float::from_operand(heap, op, x)?, Float::from_operand(heap, op, y)?) {
        (Float::Double(p), Float::Double(q)) => Float::Double(double(op, p, q)),
        (Float::Single(p), Float::Single(q)) => Float::Single(single(op, p, q)),
        (Float::Half(p), Float::Half(q)) => Float::Half(single(op, p, q)),
        (Float::Brain(p), Float::Brain(q)) => Float::Brain(single(op, p, q)),
        _ => unreachable!("both operands have one type"),
    };
    Ok(result.to_value(x.ty))
}

pub(super) fn compare(heap: &Heap, op: Intrinsic, a: Value, b: Value) -> Run {
    use Intrinsic as I;
    let (x, y) = pair(heap, op, a, b)?;
    let (p, q) = (Float::from_operand(heap, op, x)?.widened(), Float::from_operand(heap, op, y)?.widened());
    Ok(heap.bool(match op {
        I::EqFloat | I::EqFloatFast => p == q,
        I::NeFloat | I::NeFloatFast => p != q,
        I::LtFloat | I::LtFloatFast => p < q,
        I::LeFloat | I::LeFloatFast => p <= q,
        I::Fpiseq => (p.is_nan() && q.is_nan()) || x.wide() == y.wide(),
        other => unreachable!("{} is no comparison", other.name()),
    }))
}

pub(super) fn unary(heap: &Heap, op: Intrinsic, a: Value) -> Run {
    use Intrinsic as I;
    let x = primitive(heap, op, "value", a)?;
    let float = Float::from_operand(heap, op, x)?;
    let sign = 1u64 << (x.width - 1);
    match op {
        I::NegFloat | I::NegFloatFast => return Ok(narrow(heap, x.ty, x.width, a.bits() ^ sign)),
        I::AbsFloat => return Ok(narrow(heap, x.ty, x.width, a.bits() & !sign)),
        _ => {}
    }
    let single = |x: f32| match op {
        I::CeilLlvm => x.ceil(),
        I::FloorLlvm => x.floor(),
        I::TruncLlvm => x.trunc(),
        I::RintLlvm => x.round_ties_even(),
        _ => x.sqrt(),
    };
    let result = match float {
        Float::Half(x) => Float::Half(single(x)),
        Float::Brain(x) => Float::Brain(single(x)),
        Float::Single(x) => Float::Single(single(x)),
        Float::Double(x) => Float::Double(match op {
            I::CeilLlvm => x.ceil(),
            I::FloorLlvm => x.floor(),
            I::TruncLlvm => x.trunc(),
            I::RintLlvm => x.round_ties_even(),
            _ => x.sqrt(),
        }),
    };
    Ok(result.to_value(x.ty))
}

pub(super) fn fused(heap: &Heap, have_fma: bool, op: Intrinsic, args: &[Value]) -> Run {
    let (x, y) = pair(heap, op, args[0], args[1])?;
    let (_, z) = pair(heap, op, args[0], args[2])?;
    let fused = have_fma || op == Intrinsic::FmaFloat;
    let single = |a: f32, b: f32, c: f32| if fused { a.mul_add(b, c) } else { a * b + c };
    let result = match (
        Float::from_operand(heap, op, x)?,
        Float::from_operand(heap, op, y)?,
        Float::from_operand(heap, op, z)?,
    ) {
        (Float::Double(a), Float::Double(b), Float::Double(c)) => {
            Float::Double(if fused { a.mul_add(b, c) } else { a * b + c })
        }
        (Float::Single(a), Float::Single(b), Float::Single(c)) => Float::Single(single(a, b, c)),
        // The product of two 16-bit numbers is exact in 32 bits, but an unfused `muladd` rounds it.
        (Float::Half(a), Float::Half(b), Float::Half(c)) => {
            let product = if fused { a * b } else { float16_to_f32(float16_from_f64(f64::from(a * b))) };
            Float::Half(product + c)
        }
        (Float::Brain(a), Float::Brain(b), Float::Brain(c)) => Float::Brain(single(a, b, c)),
        _ => unreachable!("all operands have one type"),
    };
    Ok(result.to_value(x.ty))
}

/// `have_fma(T)`.
pub(super) fn have_fma(heap: &Heap, have_fma: bool, ty: Value) -> Run {
    let core = heap.core();
    match ty.as_type(core) {
        Some(ty) => Ok(heap.bool(have_fma && (ty == core.float32 || ty == core.float64))),
        None => Err(exceptions::type_error(heap, "have_fma", core.data_type, ty)),
    }
}
