//! Integers: arithmetic that wraps, division, bits, shifts, comparison.

use super::operand::{Bits, Operand, mask, narrow, pair, primitive, sign_extend, sized};
use crate::{Heap, Run, Value, exceptions};
use kiln_ir::Intrinsic;

/// `None` stands for a division without a result.
pub(super) fn binary(heap: &Heap, op: Intrinsic, a: Value, b: Value) -> Run {
    let (x, y) = pair(heap, op, a, b)?;
    let result = match (x.bits, y.bits) {
        (Bits::Narrow(p), Bits::Narrow(q)) => {
            binary_narrow(op, p, q, x.width).map(|bits| narrow(heap, x.ty, x.width, bits))
        }
        _ => binary_wide(op, x.wide(), y.wide()).map(|bits| sized(heap, x.ty, x.width, bits)),
    };
    result.ok_or_else(|| exceptions::divide_error(heap))
}

#[inline]
fn binary_narrow(op: Intrinsic, a: u64, b: u64, width: u32) -> Option<u64> {
    use Intrinsic as I;
    let signed = || (sign_extend(a, width), sign_extend(b, width));
    Some(match op {
        I::AddInt => a.wrapping_add(b),
        I::SubInt => a.wrapping_sub(b),
        I::MulInt => a.wrapping_mul(b),
        I::AndInt => a & b,
        I::OrInt => a | b,
        I::XorInt => a ^ b,
        I::UdivInt | I::CheckedUdivInt => a.checked_div(b)?,
        I::UremInt | I::CheckedUremInt => a.checked_rem(b)?,
        I::SdivInt | I::CheckedSdivInt => {
            let (x, y) = signed();
            if y == -1 && x == i64::MIN >> (64 - width) {
                return None;
            }
            x.checked_div(y)? as u64
        }
        I::SremInt | I::CheckedSremInt => {
            let (x, y) = signed();
            if y == 0 {
                return None;
            }
            x.wrapping_rem(y) as u64
        }
        I::FlipsignInt if sign_extend(b, width) < 0 => a.wrapping_neg(),
        I::FlipsignInt => a,
        other => unreachable!("{} is no integer operation", other.name()),
    })
}

fn binary_wide(op: Intrinsic, a: u128, b: u128) -> Option<u128> {
    use Intrinsic as I;
    let (x, y) = (a as i128, b as i128);
    Some(match op {
        I::AddInt => a.wrapping_add(b),
        I::SubInt => a.wrapping_sub(b),
        I::MulInt => a.wrapping_mul(b),
        I::AndInt => a & b,
        I::OrInt => a | b,
        I::XorInt => a ^ b,
        I::UdivInt | I::CheckedUdivInt => a.checked_div(b)?,
        I::UremInt | I::CheckedUremInt => a.checked_rem(b)?,
        I::SdivInt | I::CheckedSdivInt => x.checked_div(y)? as u128,
        I::SremInt | I::CheckedSremInt if y == 0 => return None,
        I::SremInt | I::CheckedSremInt => x.wrapping_rem(y) as u128,
        I::FlipsignInt if y < 0 => a.wrapping_neg(),
        I::FlipsignInt => a,
        other => unreachable!("{} is no integer operation", other.name()),
    })
}

pub(super) fn compare(heap: &Heap, op: Intrinsic, a: Value, b: Value) -> Run {
    use Intrinsic as I;
    let (x, y) = pair(heap, op, a, b)?;
    let order = match op {
        I::EqInt | I::NeInt | I::UltInt | I::UleInt => x.wide().cmp(&y.wide()),
        I::SltInt | I::SleInt => signed(x).cmp(&signed(y)),
        other => unreachable!("{} is no comparison", other.name()),
    };
    Ok(heap.bool(match op {
        I::EqInt => order.is_eq(),
        I::NeInt => order.is_ne(),
        I::SltInt | I::UltInt => order.is_lt(),
        _ => order.is_le(),
    }))
}

fn signed(operand: Operand) -> i128 {
    match operand.bits {
        Bits::Narrow(bits) => i128::from(sign_extend(bits, operand.width)),
        Bits::Wide(bits) => bits as i128,
    }
}

/// The second operand may be of another type; it counts as unsigned. All bits are shifted out when it is as
/// large as the width.
pub(super) fn shift(heap: &Heap, op: Intrinsic, a: Value, b: Value) -> Run {
    use Intrinsic as I;
    let x = primitive(heap, op, "a", a)?;
    let count = primitive(heap, op, "b", b)?.wide();
    let gone = count >= u128::from(x.width);
    let n = count as u32;
    let bits = match x.bits {
        Bits::Narrow(bits) => u128::from(match op {
            I::AshrInt => (sign_extend(bits, x.width) >> if gone { 63 } else { n }) as u64,
            _ if gone => 0,
            I::ShlInt => bits << n,
            _ => bits >> n,
        }),
        Bits::Wide(bits) => match op {
            I::AshrInt => (bits as i128 >> if gone { 127 } else { n }) as u128,
            _ if gone => 0,
            I::ShlInt => bits << n,
            _ => bits >> n,
        },
    };
    Ok(sized(heap, x.ty, x.width, bits))
}

pub(super) fn unary(heap: &Heap, op: Intrinsic, a: Value) -> Run {
    use Intrinsic as I;
    let x = primitive(heap, op, "value", a)?;
    let bits = match x.bits {
        Bits::Narrow(bits) => u128::from(match op {
            I::NegInt => bits.wrapping_neg(),
            I::NotInt => !bits,
            I::BswapInt => bits.swap_bytes() >> (64 - x.width),
            I::CtpopInt => u64::from(bits.count_ones()),
            I::CtlzInt => u64::from(bits.leading_zeros() - (64 - x.width)),
            I::CttzInt => u64::from((bits | !mask(x.width)).trailing_zeros().min(x.width)),
            other => unreachable!("{} has more operands", other.name()),
        }),
        Bits::Wide(bits) => match op {
            I::NegInt => bits.wrapping_neg(),
            I::NotInt => !bits,
            I::BswapInt => bits.swap_bytes(),
            I::CtpopInt => u128::from(bits.count_ones()),
            I::CtlzInt => u128::from(bits.leading_zeros()),
            I::CttzInt => u128::from(bits.trailing_zeros()),
            other => unreachable!("{} has more operands", other.name()),
        },
    };
    Ok(sized(heap, x.ty, x.width, bits))
}
