//! Arithmetic that tells whether it overflowed: `(result, flag)`.

use super::operand::{Bits, mask, narrow, pair, sign_extend, sized};
use crate::heap::tuples;
use crate::{Heap, Run, Value};
use kiln_ir::Intrinsic;

pub(super) fn with_flag(heap: &Heap, op: Intrinsic, a: Value, b: Value) -> Run {
    let (x, y) = pair(heap, op, a, b)?;
    let (value, overflow) = match (x.bits, y.bits) {
        (Bits::Narrow(p), Bits::Narrow(q)) => {
            let (bits, overflow) = flag_narrow(op, p, q, x.width);
            (narrow(heap, x.ty, x.width, bits), overflow)
        }
        _ => {
            let (bits, overflow) = flag_wide(op, x.wide(), y.wide());
            (sized(heap, x.ty, x.width, bits), overflow)
        }
    };
    Ok(tuples::new(heap, &[value, heap.bool(overflow)]))
}

fn flag_narrow(op: Intrinsic, a: u64, b: u64, width: u32) -> (u64, bool) {
    use Intrinsic as I;
    let (p, q) = (i128::from(sign_extend(a, width)), i128::from(sign_extend(b, width)));
    let (u, v) = (i128::from(a), i128::from(b));
    let (exact, signed) = match op {
        I::CheckedSaddInt => (p + q, true),
        I::CheckedSsubInt => (p - q, true),
        I::CheckedSmulInt => (p * q, true),
        I::CheckedUaddInt => (u + v, false),
        I::CheckedUsubInt => (u - v, false),
        I::CheckedUmulInt => {
            let (product, high) = (u64::wrapping_mul(a, b), (u128::from(a) * u128::from(b)) >> width);
            return (product, high != 0);
        }
        other => unreachable!("{} has no flag", other.name()),
    };
    let kept = exact as u64 & mask(width);
    let back = if signed { i128::from(sign_extend(kept, width)) } else { i128::from(kept) };
    (kept, back != exact)
}

fn flag_wide(op: Intrinsic, a: u128, b: u128) -> (u128, bool) {
    use Intrinsic as I;
    let (x, y) = (a as i128, b as i128);
    let signed = |(value, overflow): (i128, bool)| (value as u128, overflow);
    match op {
        I::CheckedSaddInt => signed(x.overflowing_add(y)),
        I::CheckedSsubInt => signed(x.overflowing_sub(y)),
        I::CheckedSmulInt => signed(x.overflowing_mul(y)),
        I::CheckedUaddInt => a.overflowing_add(b),
        I::CheckedUsubInt => a.overflowing_sub(b),
        I::CheckedUmulInt => a.overflowing_mul(b),
        other => unreachable!("{} has no flag", other.name()),
    }
}
