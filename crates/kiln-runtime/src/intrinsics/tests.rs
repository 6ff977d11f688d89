//! Intrinsics against Rust's own arithmetic.

use super::*;
use crate::heap::{bits, fields, memory, numbers, text, tuples};
use kiln_types::{Type, Types};
use std::sync::Arc;

fn heap() -> Heap {
    Heap::new(Arc::new(Types::new()))
}

/// A fixed sequence of 64-bit numbers with many small and extreme ones.
fn numbers() -> Vec<u64> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut all =
        vec![0, 1, 2, 3, 7, u64::MAX, 1 << 63, (1 << 63) - 1, 0x7f, 0x80, 0x8000, 0x7fff_ffff, 1 << 31];
    for _ in 0..40 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        all.push(state);
        all.push(state >> 40);
    }
    all
}

fn bits(heap: &Heap, result: Run) -> Option<u128> {
    result.ok().map(|it| bits::wide(heap, it).unwrap().0)
}

macro_rules! check_width {
    ($heap:ident, $ty:expr, $signed:ty, $unsigned:ty) => {
        for &p in &numbers() {
            for &q in &numbers() {
                // Spread the number over the wide types, keep its low bits for the narrow ones.
                let (u, v) = ((p as u128 * 0x1_0000_0000_0000_0001) as $unsigned, q as $unsigned);
                let (s, t) = (u as $signed, v as $signed);
                let (a, b) =
                    (bits::from_wide(&$heap, $ty, u as u128), bits::from_wide(&$heap, $ty, v as u128));
                let run = |op| bits(&$heap, call(&$heap, true, op, &[a, b]));
                let unsigned = |it: $unsigned| Some(it as u128);
                let signed = |it: $signed| Some(it as $unsigned as u128);
                let flag = |it: bool| Some(it as u128);
                use Intrinsic as I;
                assert_eq!(run(I::AddInt), unsigned(u.wrapping_add(v)));
                assert_eq!(run(I::SubInt), unsigned(u.wrapping_sub(v)));
                assert_eq!(run(I::MulInt), unsigned(u.wrapping_mul(v)));
                assert_eq!(run(I::UdivInt), u.checked_div(v).and_then(unsigned));
                assert_eq!(run(I::UremInt), u.checked_rem(v).and_then(unsigned));
                assert_eq!(run(I::CheckedSdivInt), s.checked_div(t).and_then(signed));
                let remainder = (t != 0).then(|| s.wrapping_rem(t));
                assert_eq!(run(I::CheckedSremInt), remainder.and_then(signed));
                assert_eq!(run(I::AndInt), unsigned(u & v));
                assert_eq!(run(I::OrInt), unsigned(u | v));
                assert_eq!(run(I::XorInt), unsigned(u ^ v));
                assert_eq!(run(I::EqInt), flag(u == v));
                assert_eq!(run(I::NeInt), flag(u != v));
                assert_eq!(run(I::SltInt), flag(s < t));
                assert_eq!(run(I::SleInt), flag(s <= t));
                assert_eq!(run(I::UltInt), flag(u < v));
                assert_eq!(run(I::UleInt), flag(u <= v));
                assert_eq!(run(I::FlipsignInt), signed(if t < 0 { s.wrapping_neg() } else { s }));
                let count = u32::try_from(v).unwrap_or(u32::MAX);
                assert_eq!(run(I::ShlInt), unsigned(u.checked_shl(count).unwrap_or(0)));
                assert_eq!(run(I::LshrInt), unsigned(u.checked_shr(count).unwrap_or(0)));
                let fill = if s < 0 { -1 } else { 0 };
                assert_eq!(run(I::AshrInt), signed(s.checked_shr(count).unwrap_or(fill)));
                let with_flag = |op| {
                    let result = call(&$heap, true, op, &[a, b]).unwrap();
                    let value = bits::wide(&$heap, fields::get(&$heap, result, 0).unwrap()).unwrap().0;
                    (value as $unsigned, fields::get(&$heap, result, 1).unwrap().bits() == 1)
                };
                let cast = |(value, overflow): ($signed, bool)| (value as $unsigned, overflow);
                assert_eq!(with_flag(I::CheckedSaddInt), cast(s.overflowing_add(t)));
                assert_eq!(with_flag(I::CheckedSsubInt), cast(s.overflowing_sub(t)));
                assert_eq!(with_flag(I::CheckedSmulInt), cast(s.overflowing_mul(t)));
                assert_eq!(with_flag(I::CheckedUaddInt), u.overflowing_add(v));
                assert_eq!(with_flag(I::CheckedUsubInt), u.overflowing_sub(v));
                assert_eq!(with_flag(I::CheckedUmulInt), u.overflowing_mul(v));
            }
            let u = (p as u128 * 0x1_0000_0000_0000_0001) as $unsigned;
            let a = bits::from_wide(&$heap, $ty, u as u128);
            let run = |op| bits(&$heap, call(&$heap, true, op, &[a]));
            assert_eq!(run(Intrinsic::NegInt), Some(u.wrapping_neg() as u128));
            assert_eq!(run(Intrinsic::NotInt), Some(!u as u128));
            assert_eq!(run(Intrinsic::BswapInt), Some(u.swap_bytes() as u128));
            assert_eq!(run(Intrinsic::CtpopInt), Some(u.count_ones() as u128));
            assert_eq!(run(Intrinsic::CtlzInt), Some(u.leading_zeros() as u128));
            assert_eq!(run(Intrinsic::CttzInt), Some(u.trailing_zeros() as u128));
        }
    };
}

/// Every integer operation at every width.
#[test]
fn integers_agree_with_rust() {
    let heap = heap();
    let core = *heap.core();
    check_width!(heap, core.int8, i8, u8);
    check_width!(heap, core.uint16, i16, u16);
    check_width!(heap, core.char, i32, u32);
    check_width!(heap, core.int64, i64, u64);
    check_width!(heap, core.int128, i128, u128);
}

fn doubles() -> Vec<f64> {
    let mut all = vec![
        0.0,
        -0.0,
        1.0,
        -1.0,
        1.5,
        2.5,
        -2.5,
        0.1,
        1e300,
        -1e-300,
        5e-324,
        f64::MAX,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        1e10,
        4294967296.5,
        9.3e18,
        -9.3e18,
        1.9e19,
        127.9,
        -128.9,
        255.5,
        300.0,
    ];
    all.extend(numbers().into_iter().map(f64::from_bits));
    all
}

fn same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

/// Arithmetic and comparison of doubles; the smallest and the largest by IEEE 754-2019.
#[test]
fn doubles_agree_with_rust() {
    let heap = heap();
    use Intrinsic as I;
    for &a in &doubles() {
        for &b in &doubles() {
            let args = [numbers::float64(&heap, a), numbers::float64(&heap, b)];
            let run = |op| f64::from_bits(call(&heap, true, op, &args).unwrap().bits());
            let holds = |op| call(&heap, true, op, &args).unwrap().bits() == 1;
            assert!(same(run(I::AddFloat), a + b));
            assert!(same(run(I::SubFloat), a - b));
            assert!(same(run(I::MulFloat), a * b));
            assert!(same(run(I::DivFloat), a / b));
            assert!(same(run(I::CopysignFloat), a.copysign(b)));
            let nan = a.is_nan() || b.is_nan();
            let smaller = if a < b || (a == b && a.is_sign_negative()) { a } else { b };
            let larger = if a > b || (a == b && a.is_sign_positive()) { a } else { b };
            assert!(same(run(I::MinFloat), if nan { f64::NAN } else { smaller }), "min({a}, {b})");
            assert!(same(run(I::MaxFloat), if nan { f64::NAN } else { larger }), "max({a}, {b})");
            assert_eq!(holds(I::LtFloat), a < b);
            assert_eq!(holds(I::LeFloat), a <= b);
            assert_eq!(holds(I::EqFloat), a == b);
            assert_eq!(holds(I::NeFloat), a != b);
            assert_eq!(holds(I::Fpiseq), same(a, b));
        }
        let run = |op| f64::from_bits(call(&heap, true, op, &[numbers::float64(&heap, a)]).unwrap().bits());
        assert!(same(run(I::NegFloat), -a) && same(run(I::AbsFloat), a.abs()));
        assert!(same(run(I::RintLlvm), a.round_ties_even()) && same(run(I::TruncLlvm), a.trunc()));
        assert!(same(run(I::FloorLlvm), a.floor()) && same(run(I::CeilLlvm), a.ceil()));
        assert!(same(run(I::SqrtLlvm), a.sqrt()));
    }
}

/// `muladd` rounds once or twice as the processor does; `fma` always once.
#[test]
fn muladd_follows_the_processor() {
    let heap = heap();
    let x = numbers::float64(&heap, 1.0 + f64::EPSILON);
    let args = [x, x, numbers::float64(&heap, -1.0 - 2.0 * f64::EPSILON)];
    let run = |fma, op| f64::from_bits(call(&heap, fma, op, &args).unwrap().bits());
    assert_eq!(run(false, Intrinsic::MuladdFloat), 0.0);
    assert_eq!(run(true, Intrinsic::MuladdFloat), f64::EPSILON * f64::EPSILON);
    assert_eq!(run(false, Intrinsic::FmaFloat), f64::EPSILON * f64::EPSILON);
}

/// Half precision rounds after each operation.
#[test]
fn halves_round_each_time() {
    let heap = heap();
    let half = |x: f64| Value::inline(heap.core().float16, u64::from(float16_from_f64(x)));
    let sum = call(&heap, true, Intrinsic::AddFloat, &[half(2048.0), half(1.0)]).unwrap();
    assert_eq!(sum.bits(), half(2048.0).bits());
    let neg = call(&heap, true, Intrinsic::NegFloat, &[half(0.0)]).unwrap();
    assert_eq!(neg.bits(), 0x8000);
    let third = call(&heap, true, Intrinsic::DivFloat, &[half(1.0), half(3.0)]).unwrap();
    assert_eq!(third.bits(), 0x3555);
}

fn convert(heap: &Heap, op: Intrinsic, ty: Type, value: Value) -> u128 {
    let result = call(heap, true, op, &[heap.type_value(ty), value]).unwrap();
    assert_eq!(result.ty(), ty);
    bits::wide(heap, result).unwrap().0
}

/// Conversions in range equal Rust's; out of range, those of the instruction.
#[test]
fn conversions() {
    use Intrinsic as I;
    let heap = heap();
    let core = *heap.core();
    for &p in &numbers() {
        let value = heap.int(p as i64);
        assert_eq!(convert(&heap, I::TruncInt, core.int8, value) as u8, p as u8);
        assert_eq!(convert(&heap, I::SextInt, core.int128, value), p as i64 as i128 as u128);
        assert_eq!(convert(&heap, I::ZextInt, core.uint128, value), u128::from(p));
        assert_eq!(convert(&heap, I::Sitofp, core.float64, value) as u64, (p as i64 as f64).to_bits());
        assert_eq!(convert(&heap, I::Uitofp, core.float32, value) as u32, (p as f32).to_bits());
        assert_eq!(convert(&heap, I::Bitcast, core.float64, value) as u64, p);
    }
    for &x in &doubles() {
        let value = numbers::float64(&heap, x);
        assert_eq!(
            convert(&heap, I::Fptrunc, core.float32, value) as u32 & !0x40_0000,
            (x as f32).to_bits() & !0x40_0000
        );
        let signed = convert(&heap, I::Fptosi, core.int64, value) as i64;
        assert_eq!(signed, if x.abs() < 9.2e18 { x as i64 } else { i64::MIN }, "{x}");
        if (0.0..1.8e19).contains(&x) {
            assert_eq!(convert(&heap, I::Fptoui, core.uint64, value) as u64, x as u64);
        }
        if x.abs() < 127.0 {
            assert_eq!(convert(&heap, I::Fptosi, core.int8, value) as i8, x as i8);
        }
    }
    assert_eq!(convert(&heap, I::SextInt, core.int64, heap.bool(true)), u128::from(u64::MAX));
    assert_eq!(convert(&heap, I::ZextInt, core.int64, heap.bool(true)), 1);
    assert_eq!(convert(&heap, I::TruncInt, core.bool, heap.int(2)), 0);
    assert_eq!(convert(&heap, I::Fptosi, core.int32, numbers::float64(&heap, 1e20)) as i32, i32::MIN);
}

/// Errors are Julia's.
#[test]
fn errors() {
    use Intrinsic as I;
    let heap = heap();
    let core = *heap.core();
    let thrown = |op, args: &[Value]| call(&heap, true, op, args).unwrap_err().exception;
    let message = |it: Value| text::read(&heap, fields::get(&heap, it, 0).unwrap()).unwrap();
    assert_eq!(thrown(I::CheckedSdivInt, &[heap.int(1), heap.int(0)]).ty(), core.divide_error);
    let least = Value::inline(core.int8, 0x80);
    let minus = Value::inline(core.int8, 0xff);
    assert_eq!(thrown(I::CheckedSdivInt, &[least, minus]).ty(), core.divide_error);
    assert_eq!(message(thrown(I::AddInt, &[heap.int(1), least])), "add_int: types of a and b must match");
    assert_eq!(
        message(thrown(I::AddInt, &[heap.nothing(), heap.nothing()])),
        "add_int: a is not a primitive type"
    );
    assert_eq!(message(thrown(I::AddInt, &[heap.int(1)])), "add_int: too few arguments (expected 2)");
    assert_eq!(thrown(I::LocalId, &[heap.int(0)]).ty(), core.error_exception);
    assert_eq!(call(&heap, true, I::InKernel, &[]).unwrap().as_bool(&core), Some(false));
    assert_eq!(bits::of(&heap, call(&heap, true, I::DebugLevel, &[]).unwrap())[..], 1i64.to_le_bytes());
    let state = call(&heap, true, I::KernelState, &[]).unwrap();
    assert_eq!(bits::of(&heap, state)[..], [0; 8], "no launch, no state");
}

/// Loads, stores and atomics through addresses.
#[test]
fn pointers() {
    use Intrinsic as I;
    let heap = heap();
    let core = *heap.core();
    let memory = memory::new(&heap, memory::memory_type(&heap, core.int32), 4);
    let ty = heap.types().apply(core.ptr, &[core.int32]).unwrap();
    let pointer = Value::inline(ty, memory::data(&heap, memory));
    let four = |x: i32| Value::inline(core.int32, u64::from(x as u32));
    let run = |op, args: &[Value]| call(&heap, true, op, args).unwrap();
    run(I::Pointerset, &[pointer, four(-7), heap.int(3), heap.int(1)]);
    assert_eq!(run(I::Pointerref, &[pointer, heap.int(3), heap.int(1)]).bits(), four(-7).bits());
    let third = run(I::AddPtr, &[pointer, numbers::uint64(&heap, 8)]);
    let order = heap.symbol("sequentially_consistent");
    assert_eq!(run(I::AtomicPointerref, &[third, order]).bits(), four(-7).bits());
    assert_eq!(run(I::AtomicPointerswap, &[third, four(1), order]).bits(), four(-7).bits());
    let failed = run(I::AtomicPointerreplace, &[third, four(5), four(6), order, order]);
    assert_eq!(fields::get(&heap, failed, 1).unwrap().as_bool(&core), Some(false));
    let done = run(I::AtomicPointerreplace, &[third, four(1), four(6), order, order]);
    assert_eq!(fields::get(&heap, done, 1).unwrap().as_bool(&core), Some(true));
    let (old, new, _) =
        atomic_pointermodify(&heap, &[third, heap.nothing(), four(4), order], &mut |old, x| {
            call(&heap, true, I::AddInt, &[old, x])
        })
        .unwrap();
    assert_eq!((old.bits(), new.bits()), (6, 10));
    let relaxed = heap.symbol("relaxed");
    assert!(call(&heap, true, I::AtomicPointerref, &[third, relaxed]).is_err());
    let nowhere = Value::inline(ty, 0);
    assert!(call(&heap, true, I::Pointerref, &[nowhere, heap.int(1), heap.int(1)]).is_err());
}

/// Nonsense throws; nothing panics.
#[test]
fn nonsense_throws() {
    let heap = heap();
    let core = *heap.core();
    let int128 = bits::from_wide(&heap, core.int128, u128::MAX);
    let half = Value::inline(core.float16, 0x3c00);
    let values = [
        heap.int(0),
        heap.int(-1),
        heap.bool(true),
        numbers::float64(&heap, f64::NAN),
        half,
        int128,
        heap.nothing(),
        text::string(&heap, "x"),
        heap.symbol("acquire"),
        heap.type_value(core.int8),
        heap.type_value(core.uint128),
        heap.type_value(core.float16),
        heap.type_value(core.bool),
        heap.type_value(core.array),
        tuples::new(&heap, &[heap.int(1), text::string(&heap, "y")]),
    ];
    for &op in Intrinsic::ALL {
        for &a in &values {
            for &b in &values {
                for count in 0..6 {
                    let args = [a, b, a, b, a, b];
                    if let Ok(result) = call(&heap, count % 2 == 0, op, &args[..count]) {
                        assert!(heap.shape(result.ty()).is_some());
                    }
                }
            }
        }
    }
}

/// The LLVM arithmetic that inference folds is implemented, and equals Rust's.
#[test]
fn exact_foreign_arithmetic_has_a_value() {
    let heap = heap();
    let core = heap.core();
    let llvm = |name: &str, ty: Type, args: &[u128]| {
        let values = args.iter().map(|it| bits::from_wide(&heap, ty, *it));
        let mut all = vec![heap.symbol(name), heap.type_value(ty), heap.nothing()];
        all.extend(values);
        evaluate_foreign_exactly(&heap, Intrinsic::Llvmcall, &all).and_then(|it| bits(&heap, it))
    };
    for &p in &numbers() {
        let q = p.rotate_left(17) ^ 5;
        let (a, b) = (p as u32, q as u32);
        let int = |name: &str, args: &[u32]| {
            let args: Vec<u128> = args.iter().map(|it| u128::from(*it)).collect();
            llvm(name, core.uint32, &args).map(|it| it as u32)
        };
        assert_eq!(int("llvm.smax.i32", &[a, b]), Some((a as i32).max(b as i32) as u32));
        assert_eq!(int("llvm.smin.i32", &[a, b]), Some((a as i32).min(b as i32) as u32));
        assert_eq!(int("llvm.umax.i32", &[a, b]), Some(a.max(b)));
        assert_eq!(int("llvm.umin.i32", &[a, b]), Some(a.min(b)));
        assert_eq!(int("llvm.abs.i32", &[a, 0]), Some((a as i32).unsigned_abs()));
        assert_eq!(int("llvm.bitreverse.i32", &[a]), Some(a.reverse_bits()));
        assert_eq!(int("llvm.bswap.i32", &[a]), Some(a.swap_bytes()));
        assert_eq!(int("llvm.ctpop.i32", &[a]), Some(a.count_ones()));
        assert_eq!(int("llvm.ctlz.i32", &[a, 0]), Some(a.leading_zeros()));
        assert_eq!(int("llvm.cttz.i32", &[a, 0]), Some(a.trailing_zeros()));
        let funnel = u64::from(a) << 32 | u64::from(b);
        for n in [0, 1, 7, 31, 32, 45] {
            assert_eq!(int("llvm.fshl.i32", &[a, b, n]), Some((funnel << (n % 32) >> 32) as u32));
            assert_eq!(int("llvm.fshr.i32", &[a, b, n]), Some((funnel >> (n % 32)) as u32));
        }
        let (x, y) = (f64::from_bits(p), f64::from_bits(q));
        let float = |name: &str, args: &[f64]| {
            let args: Vec<u128> = args.iter().map(|it| u128::from(it.to_bits())).collect();
            llvm(name, core.float64, &args).map(|it| f64::from_bits(it as u64))
        };
        let same = |found: Option<f64>, expected: f64| {
            found.is_some_and(|it| it == expected || it.is_nan() && expected.is_nan())
        };
        assert!(same(float("llvm.sqrt.f64", &[x]), x.sqrt()));
        assert!(same(float("llvm.floor.f64", &[x]), x.floor()));
        assert!(same(float("llvm.ceil.f64", &[x]), x.ceil()));
        assert!(same(float("llvm.trunc.f64", &[x]), x.trunc()));
        for name in ["llvm.rint.f64", "llvm.nearbyint.f64", "llvm.roundeven.f64"] {
            assert!(same(float(name, &[x]), x.round_ties_even()));
        }
        assert!(same(float("llvm.fabs.f64", &[x]), x.abs()));
        assert!(same(float("llvm.copysign.f64", &[x, y]), x.copysign(y)));
        assert!(same(float("llvm.fma.f64", &[x, y, x]), x.mul_add(y, x)));
        let nan = x.is_nan() || y.is_nan();
        assert!(same(float("llvm.minimum.f64", &[x, y]), if nan { f64::NAN } else { x.min(y) }));
        assert!(same(float("llvm.maximum.f64", &[x, y]), if nan { f64::NAN } else { x.max(y) }));
    }
    // The last bits of these are the target's.
    assert_eq!(llvm("llvm.sin.f64", core.float64, &[0]), None);
}
