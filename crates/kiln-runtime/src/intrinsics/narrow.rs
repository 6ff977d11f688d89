//! The short way for the commonest operations: two numbers of one type of `Core` of at most 64 bits. Whatever is
//! not here, or could throw, takes the general way.

use super::operand::{mask, sign_extend};
use crate::heap::numbers;
use crate::{Heap, Value};
use kiln_ir::Intrinsic;

/// The result, if this is one of those operations.
#[inline]
pub(super) fn binary(heap: &Heap, op: Intrinsic, a: Value, b: Value) -> Option<Value> {
    use Intrinsic as I;
    let width = numbers::width(heap, a.ty());
    if width == 0 || a.ty() != b.ty() {
        return None;
    }
    let (p, q) = (a.bits(), b.bits());
    let wrapped = |bits: u64| Some(Value::inline(a.ty(), bits & mask(width)));
    let flag = |it: bool| Some(heap.bool(it));
    match op {
        I::AddInt => wrapped(p.wrapping_add(q)),
        I::SubInt => wrapped(p.wrapping_sub(q)),
        I::MulInt => wrapped(p.wrapping_mul(q)),
        I::AndInt => wrapped(p & q),
        I::OrInt => wrapped(p | q),
        I::XorInt => wrapped(p ^ q),
        I::EqInt => flag(p == q),
        I::NeInt => flag(p != q),
        I::UltInt => flag(p < q),
        I::UleInt => flag(p <= q),
        I::SltInt => flag(sign_extend(p, width) < sign_extend(q, width)),
        I::SleInt => flag(sign_extend(p, width) <= sign_extend(q, width)),
        _ if a.ty() == heap.core().float64 => double(heap, op, a, b),
        _ if a.ty() == heap.core().float32 => single(heap, op, a, b),
        _ => None,
    }
}

macro_rules! float {
    ($name:ident, $float:ident, $bits:ident) => {
        #[inline]
        fn $name(heap: &Heap, op: Intrinsic, a: Value, b: Value) -> Option<Value> {
            use Intrinsic as I;
            let (x, y) = ($float::from_bits(a.bits() as $bits), $float::from_bits(b.bits() as $bits));
            let number = |it: $float| Some(Value::inline(a.ty(), u64::from(it.to_bits())));
            match op {
                I::AddFloat => number(x + y),
                I::SubFloat => number(x - y),
                I::MulFloat => number(x * y),
                I::DivFloat => number(x / y),
                I::LtFloat => Some(heap.bool(x < y)),
                I::LeFloat => Some(heap.bool(x <= y)),
                I::EqFloat => Some(heap.bool(x == y)),
                _ => None,
            }
        }
    };
}

float!(double, f64, u64);
float!(single, f32, u32);
