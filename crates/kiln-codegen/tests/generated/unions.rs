//! Unions of plain data are payload and tag; tuples are indexed by numbers only known at run time.

use crate::harness::Suite;
use kiln_types::{datatype, display};

/// `x isa Int64 ? x + 1 : 0` where `x` comes out of a phi of `nothing` and an `Int64`.
#[test]
fn a_phi_of_nothing_and_an_integer() {
    let mut suite = Suite::new();
    let core = *suite.types.core();
    let union = suite.types.union(&[core.nothing, core.int64]);
    suite.with(union);
    let name = display::of_type(&suite.types, union);
    let text = format!(
        "f(_0::Nothing, _1::Bool, _2::Int64)::Int64
bb0:
  branch _1 ? bb1 : bb2
bb1:
  goto bb3
bb2:
  goto bb3
bb3:
  %3 = φ (bb1 => _2, bb2 => nothing)::{name}
  %4 = Core.isa(%3, Int64)::Bool
  branch %4 ? bb4 : bb5
bb4:
  %6 = π (%3)::Int64
  %7 = Intrinsics.add_int(%6, 1)::Int64
  return %7
bb5:
  return 0
"
    );
    let call = |flag: u8| suite.call(&[&text], &[&[flag], &41i64.to_le_bytes()]);
    assert_eq!(call(1), Ok(42i64.to_le_bytes().to_vec()));
    assert_eq!(call(0), Ok(0i64.to_le_bytes().to_vec()));
}

/// A returned union has the layout of a field of that type: the payload, then the number of the member.
#[test]
fn a_union_is_returned_in_memory_order() {
    let mut suite = Suite::new();
    let core = *suite.types.core();
    let union = suite.types.union(&[core.float64, core.uint8]);
    suite.with(union);
    let name = display::of_type(&suite.types, union);
    let text = format!(
        "f(_0::Nothing, _1::Bool, _2::Float64, _3::UInt8)::{name}
bb0:
  %0 = Core.ifelse(_1, _2, _3)::{name}
  return %0
"
    );
    let kiln_types::TypeData::Union(members) = suite.types.data(union).clone() else { panic!("no union") };
    for (flag, ty, bytes) in [(1, core.float64, 1.5f64.to_le_bytes().to_vec()), (0, core.uint8, vec![7])] {
        let got = suite.call(&[&text], &[&[flag], &1.5f64.to_le_bytes(), &[7]]).expect("never fails");
        assert_eq!(got[..bytes.len()], bytes);
        assert_eq!(members[got[8] as usize], ty);
    }
}

/// A field of a union is that of the member it holds: of another type, at another place, or a ghost.
#[test]
fn a_field_of_a_union_is_chosen_by_tag() {
    let mut suite = Suite::new();
    let core = *suite.types.core();
    let members = [
        datatype::tuple(&suite.types, &[core.int64, core.float64]),
        datatype::tuple(&suite.types, &[core.uint8, core.uint8, core.int64]),
        datatype::tuple(&suite.types, &[core.float64, core.nothing]),
    ];
    let union = suite.types.union(&members);
    let second = suite.types.union(&[core.float64, core.uint8, core.nothing]);
    for ty in members.into_iter().chain([union, second]) {
        suite.with(ty);
    }
    let [a, b, c, union, field] =
        [members[0], members[1], members[2], union, second].map(|it| display::of_type(&suite.types, it));
    let text = format!(
        "f(_0::Nothing, _1::Int64, _2::{a}, _3::{b}, _4::{c})::{field}
bb0:
  %0 = Intrinsics.slt_int(_1, 2)::Bool
  branch %0 ? bb1 : bb4
bb1:
  %2 = Intrinsics.slt_int(_1, 1)::Bool
  branch %2 ? bb2 : bb3
bb2:
  goto bb5
bb3:
  goto bb5
bb4:
  goto bb5
bb5:
  %7 = φ (bb2 => _2, bb3 => _3, bb4 => _4)::{union}
  %8 = Core.getfield(%7, 2)::{field}
  return %8
"
    );
    let first: Vec<u8> = [7i64.to_le_bytes(), 1.5f64.to_le_bytes()].concat();
    let third = [&[3u8, 4, 0, 0, 0, 0, 0, 0][..], &9i64.to_le_bytes()].concat();
    let call = |which: i64| {
        let args: [&[u8]; 4] = [&which.to_le_bytes(), &first, &third, &2.5f64.to_le_bytes()];
        suite.call(&[&text], &args).expect("never fails")
    };
    let kiln_types::TypeData::Union(types) = suite.types.data(second).clone() else { panic!("no union") };
    let wanted =
        [(core.float64, 1.5f64.to_le_bytes().to_vec()), (core.uint8, vec![4]), (core.nothing, vec![])];
    for (which, (ty, bytes)) in wanted.into_iter().enumerate() {
        let got = call(which as i64);
        assert_eq!(types[got[8] as usize], ty, "{which}");
        assert_eq!(got[..bytes.len()], bytes, "{which}");
    }
}

/// `t[i]`: inside, an element; outside, codegen's own site.
#[test]
fn a_tuple_is_indexed_with_bounds() {
    let mut suite = Suite::new();
    let core = *suite.types.core();
    let tuple = datatype::tuple(&suite.types, &[core.int64; 3]);
    suite.with(tuple);
    let name = display::of_type(&suite.types, tuple);
    let text = format!(
        "f(_0::Nothing, _1::{name}, _2::Int64)::Int64\nbb0:\n  %0 = Core.getfield(_1, _2)::Int64\n  return %0\n"
    );
    let bytes: Vec<u8> = [10i64, 20, 30].iter().flat_map(|it| it.to_le_bytes()).collect();
    let call = |index: i64| suite.call(&[&text], &[&bytes, &index.to_le_bytes()]);
    assert_eq!(call(2), Ok(20i64.to_le_bytes().to_vec()));
    // Three sites of the function, two of the first statement, and the one for the host to throw.
    assert_eq!(call(0), Err(6));
    assert_eq!(call(4), Err(6));
}

/// A struct that went through registers has Julia's layout in memory, with padding.
#[test]
fn structs_keep_their_layout() {
    let mut suite = Suite::new();
    let core = *suite.types.core();
    let tuple = datatype::tuple(&suite.types, &[core.uint8, core.float64, core.bool]);
    suite.with(tuple);
    let name = display::of_type(&suite.types, tuple);
    let text = format!(
        "f(_0::Nothing, _1::UInt8, _2::Float64, _3::Bool)::{name}\nbb0:\n  %0 = Core.tuple(_1, _2, _3)::{name}\n  return %0\n"
    );
    let got = suite.call(&[&text], &[&[9], &2.5f64.to_le_bytes(), &[1]]).expect("never fails");
    assert_eq!((got.len(), got[0], &got[8..16], got[16]), (24, 9, &2.5f64.to_le_bytes()[..], 1));
}
