//! Intrinsics agree with the interpreter.

use crate::harness::Suite;
use kiln_types::{datatype, display};

/// `f(x, y) = op(x, y)` on types shown as `ty`, with a result shown as `result`.
fn binary(suite: &Suite, op: &str, ty: &str, result: &str, x: &[u8], y: &[u8]) -> Result<Vec<u8>, u32> {
    let text = format!(
        "f(_0::Nothing, _1::{ty}, _2::{ty})::{result}\nbb0:\n  %0 = Intrinsics.{op}(_1, _2)::{result}\n  return %0\n"
    );
    suite.call(&[&text], &[x, y])
}

fn int(suite: &Suite, op: &str, x: i64, y: i64) -> Result<i64, u32> {
    let bytes = binary(suite, op, "Int64", "Int64", &x.to_le_bytes(), &y.to_le_bytes())?;
    Ok(i64::from_le_bytes(bytes.try_into().expect("eight bytes")))
}

/// A shift count is unsigned; at the width and beyond all bits are gone.
#[test]
fn shifts_are_total() {
    let suite = Suite::new();
    assert_eq!(int(&suite, "shl_int", 3, 62), Ok(-4611686018427387904));
    assert_eq!(int(&suite, "shl_int", 3, 64), Ok(0));
    assert_eq!(int(&suite, "lshr_int", -1, -1), Ok(0));
    assert_eq!(int(&suite, "ashr_int", -8, 1000), Ok(-1));
    assert_eq!(int(&suite, "ashr_int", 8, 1000), Ok(0));
}

/// The sites of a function without statements, which precede those of its statements.
const OWN_SITES: u32 = 3;

/// Division by zero, and of the smallest integer by -1, has no result; the remainder of the latter has.
#[test]
fn checked_division_fails_where_julia_throws() {
    let suite = Suite::new();
    assert_eq!(int(&suite, "checked_sdiv_int", -7, 2), Ok(-3));
    assert_eq!(int(&suite, "checked_sdiv_int", 7, 0), Err(OWN_SITES + 1));
    assert_eq!(int(&suite, "checked_sdiv_int", i64::MIN, -1), Err(OWN_SITES + 1));
    assert_eq!(int(&suite, "checked_srem_int", i64::MIN, -1), Ok(0));
    assert_eq!(int(&suite, "checked_urem_int", 7, 0), Err(OWN_SITES + 1));
}

#[test]
fn flipsign_and_wrapping() {
    let suite = Suite::new();
    assert_eq!(int(&suite, "flipsign_int", 5, -1), Ok(-5));
    assert_eq!(int(&suite, "add_int", i64::MAX, 1), Ok(i64::MIN));
}

/// `min` and `max` propagate NaN and order zeros.
#[test]
fn minimum_knows_nan_and_zero() {
    let suite = Suite::new();
    let min = |x: f64, y: f64| {
        let bytes = binary(&suite, "min_float", "Float64", "Float64", &x.to_le_bytes(), &y.to_le_bytes());
        f64::from_le_bytes(bytes.expect("never fails").try_into().expect("eight bytes"))
    };
    assert!(min(f64::NAN, 1.0).is_nan());
    assert!(min(1.0, f64::NAN).is_nan());
    assert!(min(0.0, -0.0).is_sign_negative());
    assert_eq!(min(2.0, 1.0), 1.0);
}

/// The pair of a checked operation has Julia's layout.
#[test]
fn overflow_is_reported() {
    let mut suite = Suite::new();
    let core = *suite.types.core();
    let pair = datatype::tuple(&suite.types, &[core.int64, core.bool]);
    suite.with(pair);
    let name = display::of_type(&suite.types, pair);
    let x = i64::MAX.to_le_bytes();
    let bytes =
        binary(&suite, "checked_sadd_int", "Int64", &name, &x, &1i64.to_le_bytes()).expect("never fails");
    assert_eq!(bytes[..9], [0, 0, 0, 0, 0, 0, 0, 0x80, 1]);
}

/// Half precision is computed in single precision and rounded after each operation.
#[test]
fn half_precision_rounds() {
    let suite = Suite::new();
    let one_third = 0x3555u16;
    let bytes =
        binary(&suite, "add_float", "Float16", "Float16", &one_third.to_le_bytes(), &0x3c00u16.to_le_bytes());
    assert_eq!(bytes, Ok(0x3d55u16.to_le_bytes().to_vec()));
}

/// A loop: phis, branches, and a call of another function of the unit that fails.
#[test]
fn a_failing_callee_stops_its_callers() {
    let suite = Suite::new();
    let caller = "sum(_0::Nothing, _1::Int64)::Int64
bb0:
  goto bb1
bb1:
  %1 = φ (bb0 => 1, bb2 => %6)::Int64
  %2 = φ (bb0 => 0, bb2 => %7)::Int64
  %3 = Intrinsics.sle_int(%1, _1)::Bool
  branch %3 ? bb2 : bb3
bb2:
  %5 = invoke mi1(_0, %1)::Int64
  %6 = Intrinsics.add_int(%1, 1)::Int64
  %7 = Intrinsics.add_int(%2, %5)::Int64
  goto bb1
bb3:
  return %2
";
    let callee = "square(_0::Nothing, _1::Int64)::Int64
bb0:
  %0 = Intrinsics.slt_int(100, _1)::Bool
  branch %0 ? bb1 : bb2
bb1:
  fail site0(_1)
bb2:
  %3 = Intrinsics.mul_int(_1, _1)::Int64
  return %3
site0(#0::Int64):
";
    let sum = |n: i64| suite.call(&[caller, callee], &[&n.to_le_bytes()]);
    assert_eq!(sum(10), Ok(385i64.to_le_bytes().to_vec()));
    // Sites 1 to 3 are the caller's own, 4 is its call, 5 is the callee's first.
    assert_eq!(sum(101), Err(5));
}
