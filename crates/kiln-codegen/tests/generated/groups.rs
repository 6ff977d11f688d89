//! Groups with barriers, atomics and private memory; objects of the heap.

use crate::harness::{Suite, launch, launch_on_device};
use kiln_launch::{Grid, Together};
use kiln_types::{Module, consts, datatype, definition, display};
use kiln_unit::EntryKind::Kernel;

/// Each item stores its index in shared memory and, after a barrier, loads that of its mirror image.
const MIRROR: &str = "mirror(_0::Nothing, _1::Ptr{Int64})::Nothing
bb0:
  %0 = Intrinsics.kiln_shared_memory(512, 8, :tile)::Ptr{UInt8}
  %1 = Intrinsics.bitcast(Ptr{Int64}, %0)::Ptr{Int64}
  %2 = Intrinsics.kiln_local_id(0)::Int64
  %3 = Intrinsics.add_int(%2, 1)::Int64
  %4 = Intrinsics.pointerset(%1, %2, %3, 8)::Ptr{Int64}
  %5 = Intrinsics.kiln_barrier()::Nothing
  %6 = Intrinsics.kiln_local_size(0)::Int64
  %7 = Intrinsics.sub_int(%6, %2)::Int64
  %8 = Intrinsics.pointerref(%1, %7, 8)::Int64
  %9 = Intrinsics.kiln_group_id(0)::Int64
  %10 = Intrinsics.mul_int(%9, %6)::Int64
  %11 = Intrinsics.add_int(%10, %3)::Int64
  %12 = Intrinsics.pointerset(_1, %8, %11, 8)::Ptr{Int64}
  return nothing
";

#[test]
fn items_meet_at_a_barrier() {
    let mut suite = Suite::new();
    let core = *suite.types.core();
    let pointer = suite.types.apply(core.ptr, &[core.int64]).expect("one parameter");
    let constant = consts::of_type(&suite.types, pointer);
    suite.vocabulary.add_const(&suite.types, constant);
    let compiled = suite.compile(Kernel, &[MIRROR]);
    let mut out = vec![-1i64; 4 * 64];
    let grid =
        Grid { groups: [4, 1, 1], items: [64, 1, 1], dynamic_shared_bytes: 0, together: Together::NONE };
    launch_on_device(&compiled, &grid, &[&(out.as_mut_ptr() as u64).to_le_bytes()]).expect("nothing fails");
    for (i, got) in out.iter().enumerate() {
        assert_eq!(*got, 63 - (i as i64 % 64), "at {i}");
    }
}

/// All items of all groups add to one word: `+` is an instruction, `max` a loop.
#[test]
fn atomic_modifications_lose_nothing() {
    let mut suite = Suite::new();
    let core = *suite.types.core();
    let pair = datatype::tuple(&suite.types, &[core.int64, core.int64]);
    suite.with(pair);
    let pair = display::of_type(&suite.types, pair);
    for (name, expected) in [("+", (0..1000).sum::<i64>()), ("max", 999)] {
        let (main, function) = (Module::MAIN, core.function);
        let ty = definition::define_singleton(&suite.types, suite.types.symbol(name), main, function);
        let instance = definition::singleton(&suite.types, ty).expect("a singleton");
        suite.vocabulary.add_const(&suite.types, instance);
        let shown = display::of_const(&suite.types, instance).to_string();
        let text = format!(
            "k(_0::Nothing, _1::Ptr{{Int64}})::Nothing
bb0:
  %0 = Intrinsics.kiln_group_id(0)::Int64
  %1 = Intrinsics.kiln_local_size(0)::Int64
  %2 = Intrinsics.mul_int(%0, %1)::Int64
  %3 = Intrinsics.kiln_local_id(0)::Int64
  %4 = Intrinsics.add_int(%2, %3)::Int64
  %5 = Intrinsics.atomic_pointermodify(_1, {shown}, %4, :monotonic)::{pair}
  return nothing
"
        );
        let compiled = suite.compile(Kernel, &[&text]);
        let mut cell = [0i64];
        let grid = Grid {
            groups: [10, 1, 1],
            items: [100, 1, 1],
            dynamic_shared_bytes: 0,
            together: Together::NONE,
        };
        launch_on_device(&compiled, &grid, &[&(cell.as_mut_ptr() as u64).to_le_bytes()])
            .expect("nothing fails");
        assert_eq!(cell[0], expected, "{name}");
    }
}

/// Private memory is an item's own, although a loop runs the items one after another.
#[test]
fn private_memory_is_private() {
    let mut suite = Suite::new();
    let core = *suite.types.core();
    let pointer = suite.types.apply(core.ptr, &[core.int64]).expect("one parameter");
    let constant = consts::of_type(&suite.types, pointer);
    suite.vocabulary.add_const(&suite.types, constant);
    let text = "k(_0::Nothing, _1::Ptr{Int64}, _2::Int64)::Nothing
bb0:
  %0 = Intrinsics.kiln_private_memory(64, 8, :x)::Ptr{UInt8}
  %1 = Intrinsics.bitcast(Ptr{Int64}, %0)::Ptr{Int64}
  %2 = Intrinsics.kiln_local_id(0)::Int64
  %3 = Intrinsics.pointerset(%1, %2, _2, 8)::Ptr{Int64}
  %4 = Intrinsics.pointerref(%1, _2, 8)::Int64
  %5 = Intrinsics.add_int(%2, 1)::Int64
  %6 = Intrinsics.pointerset(_1, %4, %5, 8)::Ptr{Int64}
  return nothing
";
    let compiled = suite.compile(Kernel, &[text]);
    let mut out = vec![-1i64; 64];
    let args: [&[u8]; 2] = [&(out.as_mut_ptr() as u64).to_le_bytes(), &3i64.to_le_bytes()];
    launch(&compiled, [1; 3], [64, 1, 1], &args, &mut []);
    assert_eq!(out, (0..64).collect::<Vec<i64>>());
}

/// An item that fails in a loop of its own writes the record itself; the others continue.
#[test]
fn a_body_with_a_loop_records_where_it_fails() {
    let suite = Suite::new();
    let text = "k(_0::Nothing, _1::Ptr{Int64}, _2::Int64)::Nothing
bb0:
  %0 = Intrinsics.kiln_local_id(0)::Int64
  goto bb1
bb1:
  %2 = φ (bb0 => 0, bb3 => %6)::Int64
  %3 = Intrinsics.slt_int(%2, %0)::Bool
  branch %3 ? bb2 : bb4
bb2:
  %5 = Intrinsics.slt_int(%2, _2)::Bool
  %6 = Intrinsics.add_int(%2, 1)::Int64
  branch %5 ? bb3 : bb5
bb3:
  goto bb1
bb4:
  %9 = Intrinsics.add_int(%0, 1)::Int64
  %10 = Intrinsics.pointerset(_1, %2, %9, 8)::Ptr{Int64}
  return nothing
bb5:
  fail site0(%0, %2)
site0(#0::Int64, #1::Int64):
";
    let compiled = suite.compile(Kernel, &[text]);
    let mut out = vec![-1i64; 16];
    let args: [&[u8]; 2] = [&(out.as_mut_ptr() as u64).to_le_bytes(), &10i64.to_le_bytes()];
    let record = launch(&compiled, [1; 3], [16, 1, 1], &args, &mut []);
    assert_eq!((record.site.into_inner(), record.local_id), (1, [11, 0, 0]));
    assert_eq!(record.operands[..16], [11u64.to_le_bytes(), 10u64.to_le_bytes()].concat()[..]);
    assert_eq!((out[10], out[11]), (10, -1));
}

/// `Memory` objects: the length is checked, elements lie behind the data pointer.
#[test]
fn elements_of_a_memory() {
    let mut suite = Suite::new();
    let core = *suite.types.core();
    let memory = suite.types.apply(core.memory, &[core.int64]).expect("one parameter");
    let reference = suite.types.apply(core.memory_ref, &[core.int64]).expect("one parameter");
    suite.with(memory);
    suite.with(reference);
    suite.vocabulary.add_const(&suite.types, consts::symbol(&suite.types, suite.types.symbol("not_atomic")));
    let (memory, reference) =
        (display::of_type(&suite.types, memory), display::of_type(&suite.types, reference));
    let text = format!(
        "f(_0::Nothing, _1::{memory}, _2::Int64)::Int64
bb0:
  %0 = Core.memoryrefnew(_1)::{reference}
  %1 = Core.memoryrefnew(%0, _2, true)::{reference}
  %2 = Core.memoryrefget(%1, :not_atomic, false)::Int64
  %3 = Core.memoryrefoffset(%1)::Int64
  %4 = Intrinsics.add_int(%2, %3)::Int64
  return %4
"
    );
    let elements = [100i64, 200, 300];
    let object = [3u64, elements.as_ptr() as u64];
    let call =
        |index: i64| suite.call(&[&text], &[&(object.as_ptr() as u64).to_le_bytes(), &index.to_le_bytes()]);
    assert_eq!(call(2), Ok(202i64.to_le_bytes().to_vec()));
    // Three sites of the function, those of the first statement, then the second's, of which the last is for the host to throw.
    assert_eq!(call(0), Err(8));
    assert_eq!(call(4), Err(8));
}
