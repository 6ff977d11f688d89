//! Kernels without barriers become loops over items that LLVM vectorizes.

use crate::harness::{Suite, disassembly, launch};
use kiln_types::display;
use kiln_unit::EntryKind::Kernel;

/// `i = (group_id - 1) * local_size + local_id; if i <= n; y[i] = a * x[i] + y[i]; end`
const SAXPY: &str = "saxpy(_0::Nothing, _1::Float32, _2::Ptr{Float32}, _3::Ptr{Float32}, _4::Int64)::Nothing
bb0:
  %0 = Intrinsics.kiln_group_id(0)::Int64
  %1 = Intrinsics.kiln_local_size(0)::Int64
  %2 = Intrinsics.mul_int(%0, %1)::Int64
  %3 = Intrinsics.kiln_local_id(0)::Int64
  %4 = Intrinsics.add_int(%2, %3)::Int64
  %5 = Intrinsics.add_int(%4, 1)::Int64
  %6 = Intrinsics.sle_int(%5, _4)::Bool
  branch %6 ? bb1 : bb2
bb1:
  %8 = Intrinsics.pointerref(_2, %5, 4)::Float32
  %9 = Intrinsics.pointerref(_3, %5, 4)::Float32
  %10 = Intrinsics.muladd_float(_1, %8, %9)::Float32
  %11 = Intrinsics.pointerset(_3, %10, %5, 4)::Ptr{Float32}
  goto bb2
bb2:
  return nothing
";

/// The same without a bound, indexed in `Int32` as CUDA's indices are.
const SAXPY32: &str = "saxpy(_0::Nothing, _1::Float32, _2::Ptr{Float32}, _3::Ptr{Float32})::Nothing
bb0:
  %0 = Intrinsics.kiln_group_id(0)::Int64
  %1 = Intrinsics.trunc_int(Int32, %0)::Int32
  %2 = Intrinsics.kiln_local_size(0)::Int64
  %3 = Intrinsics.trunc_int(Int32, %2)::Int32
  %4 = Intrinsics.mul_int(%1, %3)::Int32
  %5 = Intrinsics.kiln_local_id(0)::Int64
  %6 = Intrinsics.trunc_int(Int32, %5)::Int32
  %7 = Intrinsics.add_int(%6, ONE)::Int32
  %8 = Intrinsics.add_int(%4, %7)::Int32
  %9 = Intrinsics.sext_int(Int64, %8)::Int64
  %10 = Intrinsics.pointerref(_2, %9, 4)::Float32
  %11 = Intrinsics.pointerref(_3, %9, 4)::Float32
  %12 = Intrinsics.muladd_float(_1, %10, %11)::Float32
  %13 = Intrinsics.pointerset(_3, %12, %9, 4)::Ptr{Float32}
  return nothing
";

/// Fails at `site0(i)` where `i` is beyond the length.
const CHECKED: &str =
    "checked(_0::Nothing, _1::Float32, _2::Ptr{Float32}, _3::Ptr{Float32}, _4::Int64)::Nothing
bb0:
  %0 = Intrinsics.kiln_group_id(0)::Int64
  %1 = Intrinsics.kiln_local_size(0)::Int64
  %2 = Intrinsics.mul_int(%0, %1)::Int64
  %3 = Intrinsics.kiln_local_id(0)::Int64
  %4 = Intrinsics.add_int(%2, %3)::Int64
  %5 = Intrinsics.add_int(%4, 1)::Int64
  %6 = Intrinsics.ult_int(%4, _4)::Bool
  branch %6 ? bb1 : bb2
bb1:
  %8 = Intrinsics.pointerref(_2, %5, 4)::Float32
  %9 = Intrinsics.pointerref(_3, %5, 4)::Float32
  %10 = Intrinsics.muladd_float(_1, %8, %9)::Float32
  %11 = Intrinsics.pointerset(_3, %10, %5, 4)::Ptr{Float32}
  return nothing
bb2:
  fail site0(%5)
site0(#0::Int64):
";

struct Vectors {
    x: Vec<f32>,
    y: Vec<f32>,
}

impl Vectors {
    fn new(n: usize) -> Self {
        Self { x: (0..n).map(|it| it as f32).collect(), y: vec![1.0; n] }
    }
    fn args(&mut self) -> [[u8; 8]; 2] {
        [(self.x.as_ptr() as u64).to_le_bytes(), (self.y.as_mut_ptr() as u64).to_le_bytes()]
    }
}

fn assert_packed(suite: &Suite, text: &str) {
    let compiled = suite.compile(Kernel, &[text]);
    let Some(code) = disassembly(&compiled) else { return };
    let fused =
        suite.request(Kernel, &[text]).target == kiln_targets::lookup("x86-64").expect("known").to_bytes();
    let packed = if fused { "mulps" } else { "vfmadd" };
    let line = code.lines().find(|it| it.contains(packed) && it.contains("ps"));
    assert!(line.is_some_and(|it| it.contains("ps")), "no packed instruction:\n{code}");
}

#[test]
fn saxpy_is_right_and_packed() {
    let suite = Suite::new();
    assert_packed(&suite, SAXPY);
    let mut it = Vectors::new(1000);
    let [x, y] = it.args();
    let compiled = suite.compile(Kernel, &[SAXPY]);
    let args: [&[u8]; 4] = [&2.0f32.to_le_bytes(), &x, &y, &990i64.to_le_bytes()];
    let record = launch(&compiled, [4, 1, 1], [250, 1, 1], &args, &mut []);
    assert_eq!(record.site.into_inner(), 0);
    for (i, y) in it.y.iter().enumerate() {
        assert_eq!(*y, if i < 990 { 2.0 * i as f32 + 1.0 } else { 1.0 }, "at {i}");
    }
}

#[test]
fn int32_indices_do_not_prevent_vectors() {
    let mut suite = Suite::new();
    let int32 = suite.types.core().int32;
    let one = suite.with_bits(int32, &1i32.to_le_bytes());
    let text = SAXPY32.replace("ONE", &display::of_const(&suite.types, one).to_string());
    assert_packed(&suite, &text);
}

/// The first failure of a launch is recorded with its operands; the other items run on, vectorized.
#[test]
fn a_failing_item_leaves_its_operands() {
    let suite = Suite::new();
    assert_packed(&suite, CHECKED);
    let mut it = Vectors::new(100);
    let [x, y] = it.args();
    let compiled = suite.compile(Kernel, &[CHECKED]);
    let args: [&[u8]; 4] = [&2.0f32.to_le_bytes(), &x, &y, &70i64.to_le_bytes()];
    let record = launch(&compiled, [2, 1, 1], [50, 1, 1], &args, &mut []);
    assert_eq!(record.site.into_inner(), 1);
    assert_eq!(record.group_id, [1, 0, 0]);
    let index = i64::from_le_bytes(record.operands[..8].try_into().expect("eight bytes"));
    assert!((71..=100).contains(&index), "{index}");
    assert_eq!(record.local_id, [index - 51, 0, 0]);
    assert_eq!(it.y[69], 139.0);
    assert_eq!(it.y[70], 1.0);
    assert_eq!(compiled.link.sites[0].operands.len(), 1);
}

/// Each statement has a block of shared memory: two inlined calls have two blocks, although both use the same name.
#[test]
fn shared_memory_is_laid_out() {
    let suite = Suite::new();
    let text = "k(_0::Nothing)::Nothing
bb0:
  %0 = Intrinsics.kiln_shared_memory(40, 8, :tile)::Ptr{UInt8}
  %1 = Intrinsics.kiln_shared_memory(4, 16, :x)::Ptr{UInt8}
  %2 = Intrinsics.kiln_shared_memory(40, 8, :tile)::Ptr{UInt8}
  return nothing
";
    assert_eq!(suite.compile(Kernel, &[text]).link.shared_bytes, 96);
}

/// A kernel with barriers that is not cut runs one item per call, on a fiber of the launcher.
#[test]
fn a_barrier_calls_the_launcher() {
    let mut suite = Suite::new();
    let uint32 = suite.types.core().uint32;
    suite.with(uint32);
    suite.with_bits(uint32, &[0; 4]);
    let text = "k(_0::Nothing)::Nothing
bb0:
  %0 = Intrinsics.kiln_barrier()::Nothing
  %1 = Intrinsics.kiln_warp_barrier(0x00000000)::UInt32
  return nothing
";
    let compiled = suite.on_fibers(text);
    assert!(compiled.link.has_barrier);
    let after = crate::harness::listing(&compiled.optimized);
    assert!(after.contains("define void @entry(ptr"), "{after}");
    assert!(after.contains("i64 96"), "the barrier is a field of the context:\n{after}");
}

/// A call that the optimizer left dynamic is refused, and the refusal names the statement.
#[test]
fn dynamic_calls_are_refused() {
    let suite = Suite::new();
    let text = "k(_0::Nothing)::Nothing
bb0:
  %0 = dynamic(nothing, 1)::Nothing
  return nothing
";
    assert_eq!(suite.refusal(Kernel, text), "a call whose target is only known at run time");
}
