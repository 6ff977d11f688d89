//! Range-check elimination: items that pass their checks run without them, and the result is the same.

use crate::harness::{Suite, disassembly, launch};
use kiln_unit::EntryKind::Kernel;

/// A value computed from `x` and `b` (and its bound, from `n`): its statements and its meaning.
struct Chain {
    statements: &'static str,
    /// The compared statement, and its bound.
    compared: [&'static str; 2],
    narrow: bool,
    value: fn(i64, i64) -> i64,
}

const CHAINS: [Chain; 6] = [
    Chain {
        statements: "  %1 = Intrinsics.add_int(%0, _2)::Int64\n",
        compared: ["%1", "_3"],
        narrow: false,
        value: |x, b| x.wrapping_add(b),
    },
    Chain {
        statements: "  %1 = Intrinsics.mul_int(%0, 3)::Int64\n  %2 = Intrinsics.add_int(_2, %1)::Int64\n",
        compared: ["%2", "_3"],
        narrow: false,
        value: |x, b| (3 * x).wrapping_add(b),
    },
    Chain {
        statements: "  %1 = Intrinsics.sub_int(_2, %0)::Int64\n",
        compared: ["%1", "_3"],
        narrow: false,
        value: |x, b| b.wrapping_sub(x),
    },
    Chain {
        statements: "  %1 = Intrinsics.trunc_int(Int32, %0)::Int32
  %2 = Intrinsics.trunc_int(Int32, _2)::Int32
  %3 = Intrinsics.add_int(%1, %2)::Int32
  %4 = Intrinsics.trunc_int(Int32, _3)::Int32
",
        compared: ["%3", "%4"],
        narrow: true,
        value: |x, b| i64::from((x as i32).wrapping_add(b as i32)),
    },
    Chain {
        statements: "  %1 = Intrinsics.trunc_int(Int32, %0)::Int32
  %2 = Intrinsics.trunc_int(Int32, _2)::Int32
  %3 = Intrinsics.add_int(%1, %2)::Int32
  %4 = Intrinsics.sext_int(Int64, %3)::Int64
",
        compared: ["%4", "_3"],
        narrow: false,
        value: |x, b| i64::from((x as i32).wrapping_add(b as i32)),
    },
    Chain {
        statements: "  %1 = Intrinsics.trunc_int(Int32, %0)::Int32
  %2 = Intrinsics.trunc_int(Int32, _2)::Int32
  %3 = Intrinsics.add_int(%1, %2)::Int32
  %4 = Intrinsics.zext_int(Int64, %3)::Int64
",
        compared: ["%4", "_3"],
        narrow: false,
        value: |x, b| i64::from((x as i32).wrapping_add(b as i32) as u32),
    },
];

fn holds(comparison: &str, a: i64, b: i64, narrow: bool) -> bool {
    let unsigned = |it: i64| if narrow { u64::from(it as u32) } else { it as u64 };
    match comparison {
        "slt_int" => a < b,
        "sle_int" => a <= b,
        "ult_int" => unsigned(a) < unsigned(b),
        _ => unsigned(a) <= unsigned(b),
    }
}

/// Returns numbers at and near which arithmetic wraps.
fn edges() -> Vec<i64> {
    let at = [0, 40, 1 << 30, 1 << 31, -(1 << 31), 1 << 62, i64::MAX, i64::MIN];
    at.iter().flat_map(|it: &i64| [it.wrapping_sub(37), *it, it.wrapping_add(1)]).collect()
}

/// Every comparison, both ways around and with both sides of the branch, of values that wrap within a row: an item
/// stores if and only if its own comparison says so.
#[test]
fn items_pass_as_if_asked_one_by_one() {
    let suite = Suite::new();
    for (number, chain) in CHAINS.iter().enumerate() {
        for (position, comparison) in ["slt_int", "sle_int", "ult_int", "ule_int"].into_iter().enumerate() {
            for swapped in [false, true] {
                let negated = (number + position) % 2 == 0;
                check(&suite, chain, comparison, swapped, negated);
            }
        }
    }
}

fn check(suite: &Suite, chain: &Chain, comparison: &str, swapped: bool, negated: bool) {
    const ITEMS: usize = 100;
    let mut sides = chain.compared;
    if swapped {
        sides.reverse();
    }
    let next = chain.statements.lines().count() + 1;
    let ways = if negated { "bb2 : bb1" } else { "bb1 : bb2" };
    let text = format!(
        "k(_0::Nothing, _1::Ptr{{Int64}}, _2::Int64, _3::Int64)::Nothing
bb0:
  %0 = Intrinsics.kiln_local_id(0)::Int64
{}  %{next} = Intrinsics.{comparison}({}, {})::Bool
  branch %{next} ? {ways}
bb1:
  %{} = Intrinsics.add_int(%0, 1)::Int64
  %{} = Intrinsics.pointerset(_1, 1, %{}, 8)::Ptr{{Int64}}
  goto bb2
bb2:
  return nothing
",
        chain.statements,
        sides[0],
        sides[1],
        next + 2,
        next + 3,
        next + 2
    );
    let compiled = suite.compile(Kernel, &[&text]);
    for b in edges() {
        for n in edges() {
            let mut out = [0i64; ITEMS];
            let args: [&[u8]; 3] =
                [&(out.as_mut_ptr() as u64).to_le_bytes(), &b.to_le_bytes(), &n.to_le_bytes()];
            launch(&compiled, [1; 3], [ITEMS as i64, 1, 1], &args, &mut []);
            let bound = if chain.narrow { i64::from(n as i32) } else { n };
            for (x, got) in out.iter().enumerate() {
                let value = (chain.value)(x as i64, b);
                let (left, right) = if swapped { (bound, value) } else { (value, bound) };
                let pass = holds(comparison, left, right, chain.narrow) != negated;
                assert_eq!(*got, i64::from(pass), "{text}item {x}, b = {b}, n = {n}");
            }
        }
    }
}

/// The interior of a plane, with a checked access: items at the edges return, one that reads too far fails, all
/// others run.
#[test]
fn edges_of_a_plane_and_a_failing_item() {
    let suite = Suite::new();
    let text = "k(_0::Nothing, _1::Ptr{Int64}, _2::Int64, _3::Int64)::Nothing
bb0:
  %0 = Intrinsics.kiln_local_id(0)::Int64
  %1 = Intrinsics.kiln_group_id(0)::Int64
  %2 = Intrinsics.kiln_local_size(0)::Int64
  %3 = Intrinsics.mul_int(%1, %2)::Int64
  %4 = Intrinsics.add_int(%3, %0)::Int64
  %5 = Intrinsics.kiln_local_id(1)::Int64
  %6 = Intrinsics.slt_int(0, %4)::Bool
  %7 = Intrinsics.slt_int(%4, _2)::Bool
  %8 = Intrinsics.slt_int(1, %5)::Bool
  %9 = Intrinsics.and_int(%6, %7)::Bool
  %10 = Intrinsics.and_int(%9, %8)::Bool
  branch %10 ? bb1 : bb4
bb1:
  %12 = Intrinsics.add_int(%4, 1)::Int64
  %13 = Intrinsics.ult_int(%4, _3)::Bool
  branch %13 ? bb2 : bb3
bb2:
  %15 = Intrinsics.pointerref(_1, %12, 8)::Int64
  %16 = Intrinsics.add_int(%15, 1)::Int64
  %17 = Intrinsics.pointerset(_1, %16, %12, 8)::Ptr{Int64}
  goto bb4
bb3:
  fail site0(%4)
bb4:
  return nothing
site0(#0::Int64):
";
    let compiled = suite.compile(Kernel, &[text]);
    let run = |n: i64, len: i64| {
        let mut out = [0i64; 64];
        let args: [&[u8]; 3] =
            [&(out.as_mut_ptr() as u64).to_le_bytes(), &n.to_le_bytes(), &len.to_le_bytes()];
        // Rows 0 and 1 do nothing; one row of each group is left.
        let record = launch(&compiled, [4, 1, 1], [16, 3, 1], &args, &mut []);
        (out, record)
    };
    for n in [0, 1, 2, 15, 16, 17, 40, 63, 64, 100] {
        let (out, record) = run(n, 64);
        assert_eq!(record.site.into_inner(), 0);
        for (i, got) in out.iter().enumerate() {
            assert_eq!(*got, i64::from(i > 0 && (i as i64) < n), "at {i} of {n}");
        }
    }
    let (out, record) = run(50, 35);
    assert_eq!(record.site.into_inner(), 1);
    let failed = i64::from_le_bytes(record.operands[..8].try_into().expect("eight bytes"));
    assert!((35..50).contains(&failed), "{failed}");
    assert_eq!((record.group_id[0] * 16 + record.local_id[0], record.local_id[1]), (failed, 2));
    for (i, got) in out.iter().enumerate() {
        assert_eq!(*got, i64::from((1..35).contains(&i)), "at {i}");
    }
}

/// The fast clone has no checks: its loop needs no masks, even on processors that have them.
#[test]
fn the_loop_of_passing_items_has_no_masks() {
    let suite = Suite::new();
    let text = "k(_0::Nothing, _1::Ptr{Int64}, _2::Int64)::Nothing
bb0:
  %0 = Intrinsics.kiln_local_id(0)::Int64
  %1 = Intrinsics.add_int(%0, 1)::Int64
  %2 = Intrinsics.sle_int(%1, _2)::Bool
  branch %2 ? bb1 : bb2
bb1:
  %4 = Intrinsics.pointerref(_1, %1, 8)::Int64
  %5 = Intrinsics.add_int(%4, %1)::Int64
  %6 = Intrinsics.pointerset(_1, %5, %1, 8)::Ptr{Int64}
  goto bb2
bb2:
  return nothing
";
    let Some(code) = disassembly(&suite.compile(Kernel, &[text])) else { return };
    assert!(code.contains("vpaddq") || code.contains("paddq"), "{code}");
    assert!(!code.contains("{%k") && !code.contains("vpmaskmov"), "{code}");
}
