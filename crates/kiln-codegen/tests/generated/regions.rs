//! Kernels with barriers, cut into regions: what is kept, and that the loops do what fibers do.

use crate::harness::{Suite, launch_on_device};
use kiln_launch::{Failure, Grid, Together};
use kiln_testing::random::{Rng, setting};
use kiln_types::{consts, datatype, display};
use kiln_unit::CompiledUnit;
use kiln_unit::EntryKind::Kernel;

/// The masks of meetings of warps.
const MASKS: [u32; 4] = [0, u32::MAX, 0xffff, 0x5555_5555];

/// The bound of the inner loop of each item, by its number.
type Bound = fn(i64) -> i64;

/// The names that the texts of this file use.
fn suite() -> Suite {
    let mut suite = Suite::new();
    let core = *suite.types.core();
    let pointer = suite.types.apply(core.ptr, &[core.int64]).expect("one parameter");
    let constant = consts::of_type(&suite.types, pointer);
    suite.vocabulary.add_const(&suite.types, constant);
    suite.with(core.uint32);
    suite.with(core.uint64);
    for mask in MASKS {
        suite.with_bits(core.uint32, &mask.to_le_bytes());
        suite.with_bits(core.uint64, &(u64::from(mask) << 16 | u64::from(mask)).to_le_bytes());
    }
    let pair = datatype::tuple(&suite.types, &[core.int64, core.int64]);
    suite.with(pair);
    let union = suite.types.union(&[core.nothing, core.int64]);
    suite.with(union);
    suite
}

fn union(suite: &Suite) -> String {
    let core = suite.types.core();
    display::of_type(&suite.types, suite.types.union(&[core.nothing, core.int64]))
}

fn pair(suite: &Suite) -> String {
    let core = suite.types.core();
    display::of_type(&suite.types, datatype::tuple(&suite.types, &[core.int64, core.int64]))
}

/// Two loops, the bound of the inner one loaded by each item; items with a negative bound return at once. Each turn
/// leaves the sum in shared memory and adds that of the item that is `_3` ahead.
fn loops() -> String {
    "k(_0::Nothing, _1::Ptr{Int64}, _2::Ptr{Int64}, _3::Int64)::Nothing
bb0:
  %0 = Intrinsics.kiln_group_id(2)::Int64
  %1 = Intrinsics.kiln_shared_memory(8192, 8, :tile)::Ptr{UInt8}
  %2 = Intrinsics.bitcast(Ptr{Int64}, %1)::Ptr{Int64}
  %3 = Intrinsics.kiln_local_id(0)::Int64
  %4 = Intrinsics.kiln_local_id(1)::Int64
  %5 = Intrinsics.kiln_local_id(2)::Int64
  %6 = Intrinsics.kiln_local_size(0)::Int64
  %7 = Intrinsics.kiln_local_size(1)::Int64
  %8 = Intrinsics.mul_int(%5, %7)::Int64
  %9 = Intrinsics.add_int(%8, %4)::Int64
  %10 = Intrinsics.mul_int(%9, %6)::Int64
  %11 = Intrinsics.add_int(%10, %3)::Int64
  %12 = Intrinsics.kiln_local_size(2)::Int64
  %13 = Intrinsics.mul_int(%6, %7)::Int64
  %14 = Intrinsics.mul_int(%13, %12)::Int64
  %15 = Intrinsics.kiln_group_id(0)::Int64
  %16 = Intrinsics.mul_int(%15, %14)::Int64
  %17 = Intrinsics.add_int(%16, %11)::Int64
  %18 = Intrinsics.add_int(%17, 1)::Int64
  %19 = Intrinsics.pointerref(_2, %18, 8)::Int64
  %20 = Intrinsics.add_int(%11, 1)::Int64
  %21 = Intrinsics.add_int(%11, _3)::Int64
  %22 = Intrinsics.urem_int(%21, %14)::Int64
  %23 = Intrinsics.add_int(%22, 1)::Int64
  %24 = Intrinsics.slt_int(%19, 0)::Bool
  branch %24 ? bb1 : bb2
bb1:
  return nothing
bb2:
  goto bb3
bb3:
  %28 = φ (bb2 => 0, bb7 => %45)::Int64
  %29 = φ (bb2 => %11, bb7 => %34)::Int64
  %30 = Intrinsics.slt_int(%28, 3)::Bool
  branch %30 ? bb4 : bb8
bb4:
  goto bb5
bb5:
  %33 = φ (bb4 => 0, bb6 => %43)::Int64
  %34 = φ (bb4 => %29, bb6 => %42)::Int64
  %35 = Intrinsics.slt_int(%33, %19)::Bool
  branch %35 ? bb6 : bb7
bb6:
  %37 = Intrinsics.pointerset(%2, %34, %20, 8)::Ptr{Int64}
  %38 = Intrinsics.kiln_barrier()::Nothing
  %39 = Intrinsics.pointerref(%2, %23, 8)::Int64
  %40 = Intrinsics.add_int(%34, %39)::Int64
  %41 = Intrinsics.kiln_barrier()::Nothing
  %42 = Intrinsics.add_int(%40, %28)::Int64
  %43 = Intrinsics.add_int(%33, 1)::Int64
  goto bb5
bb7:
  %45 = Intrinsics.add_int(%28, 1)::Int64
  goto bb3
bb8:
  %47 = Intrinsics.pointerset(_1, %29, %18, 8)::Ptr{Int64}
  return nothing
"
    .to_owned()
}

fn run(compiled: &CompiledUnit, grid: &Grid, bounds: &mut [i64], stride: i64) -> (Vec<i64>, Option<Failure>) {
    let mut out = vec![-7i64; bounds.len()];
    let args: [&[u8]; 3] = [
        &(out.as_mut_ptr() as u64).to_le_bytes(),
        &(bounds.as_mut_ptr() as u64).to_le_bytes(),
        &stride.to_le_bytes(),
    ];
    let count = compiled.link.args.iter().filter(|it| it.size > 0).count();
    let failure = launch_on_device(compiled, grid, &args[..count]).err();
    (out, failure)
}

/// Loops have the bounds that the code was made for: no launch may have others.
#[test]
#[should_panic(expected = "groups of [32, 1, 1] items, for a kernel of Some([64, 1, 1])")]
fn groups_of_another_size_are_not_run() {
    let sized = suite().kernel_with(&loops(), |it| it.group_size = Some([64, 1, 1]));
    let grid = Grid { groups: [1; 3], items: [32, 1, 1], dynamic_shared_bytes: 0, together: Together::NONE };
    run(&sized, &grid, &mut [4; 32], 1);
}

/// Groups of 1 to 3 dimensions, and bounds that are equal, that differ, or that send items home.
#[test]
fn loops_over_items_do_what_fibers_do() {
    let suite = suite();
    let cut = suite.compile(Kernel, &[&loops()]);
    let fibers = suite.on_fibers(&loops());
    assert!(!cut.link.has_barrier && fibers.link.has_barrier);
    assert!(cut.link.frame_bytes > 0 && fibers.link.frame_bytes == 0);
    let bounds: [(Bound, i64); 6] = [
        (|_| 4, 1),
        (|_| 0, 1),
        (|it| it % 5, 0),
        (|it| if it % 3 == 0 { -1 } else { 2 }, 0),
        (|it| if it % 40 > 20 { -1 } else { 3 }, 0),
        (|_| -1, 0),
    ];
    for items in [[64, 1, 1], [1, 1, 1], [16, 4, 1], [3, 5, 7], [33, 2, 1], [1, 40, 1]] {
        let size = items.map(|it: i64| it as u32);
        let sized = suite.kernel_with(&loops(), |it| it.group_size = Some(size));
        assert_eq!((sized.link.group_size, cut.link.group_size), (Some(size), None));
        for (bound, stride) in bounds {
            let (groups, size) = (9, items.iter().product::<i64>());
            let grid =
                Grid { groups: [groups, 1, 1], items, dynamic_shared_bytes: 0, together: Together::NONE };
            let mut bounds: Vec<i64> = (0..groups * size).map(bound).collect();
            let got = run(&cut, &grid, &mut bounds, stride).0;
            assert_eq!(got, run(&fibers, &grid, &mut bounds, stride).0, "{items:?} {bounds:?}");
            assert_eq!(got, run(&sized, &grid, &mut bounds, stride).0, "{items:?} {bounds:?}");
        }
    }
}

/// A tuple, a union and private memory live across a barrier, a second barrier is under a branch that some items take,
/// and values from 1000 on fail.
fn values(suite: &Suite) -> String {
    let (union, pair) = (union(suite), pair(suite));
    format!(
        "k(_0::Nothing, _1::Ptr{{Int64}}, _2::Ptr{{Int64}})::Nothing
bb0:
  %0 = Intrinsics.kiln_group_id(2)::Int64
  %1 = Intrinsics.kiln_private_memory(16, 8, :x)::Ptr{{UInt8}}
  %2 = Intrinsics.bitcast(Ptr{{Int64}}, %1)::Ptr{{Int64}}
  %3 = Intrinsics.kiln_local_id(0)::Int64
  %4 = Intrinsics.kiln_group_id(0)::Int64
  %5 = Intrinsics.kiln_local_size(0)::Int64
  %6 = Intrinsics.mul_int(%4, %5)::Int64
  %7 = Intrinsics.add_int(%6, %3)::Int64
  %8 = Intrinsics.add_int(%7, 1)::Int64
  %9 = Intrinsics.pointerref(_2, %8, 8)::Int64
  %10 = Intrinsics.pointerset(%2, %9, 2, 8)::Ptr{{Int64}}
  %11 = Core.tuple(%9, %7)::{pair}
  %12 = Intrinsics.slt_int(%9, 5)::Bool
  branch %12 ? bb1 : bb2
bb1:
  goto bb3
bb2:
  goto bb3
bb3:
  %16 = φ (bb1 => %9, bb2 => nothing)::{union}
  %17 = Intrinsics.kiln_barrier()::Nothing
  %18 = Core.isa(%16, Int64)::Bool
  branch %18 ? bb4 : bb5
bb4:
  %20 = π (%16)::Int64
  %21 = Intrinsics.mul_int(%20, 100)::Int64
  goto bb6
bb5:
  %23 = Intrinsics.kiln_barrier()::Nothing
  %24 = Intrinsics.sub_int(%3, %9)::Int64
  goto bb6
bb6:
  %26 = φ (bb4 => %21, bb5 => %24)::Int64
  %27 = Core.getfield(%11, 1)::Int64
  %28 = Intrinsics.pointerref(%2, 2, 8)::Int64
  %29 = Intrinsics.add_int(%26, %27)::Int64
  %30 = Intrinsics.add_int(%29, %28)::Int64
  %31 = Intrinsics.slt_int(%30, 1000)::Bool
  branch %31 ? bb7 : bb8
bb7:
  %33 = Intrinsics.pointerset(_1, %30, %8, 8)::Ptr{{Int64}}
  return nothing
bb8:
  fail site0(%30)
site0(#0::Int64):
"
    )
}

/// The lowest failing item is recorded, and the others go on.
#[test]
fn values_live_across_barriers() {
    let suite = suite();
    let cut = suite.compile(Kernel, &[&values(&suite)]);
    let fibers = suite.on_fibers(&values(&suite));
    assert!(!cut.link.has_barrier && fibers.link.has_barrier);
    for (groups, bound) in [(7, 900), (1, 1000)] {
        let grid = Grid {
            groups: [groups, 1, 1],
            items: [50, 1, 1],
            dynamic_shared_bytes: 0,
            together: Together::NONE,
        };
        let mut bounds: Vec<i64> = (0..groups * 50).map(|it| it * 37 % 11 + it / 40 * bound).collect();
        let (got, failure) = run(&cut, &grid, &mut bounds, 0);
        let (want, expected) = run(&fibers, &grid, &mut bounds, 0);
        assert_eq!(got, want);
        let place = |it: &Failure| (it.site, it.local_id, it.operands[..8].to_vec());
        if groups == 1 {
            let expected = expected.as_ref().map(place).expect("items fail");
            assert_eq!(failure.as_ref().map(place), Some(expected));
        }
        let done = got.iter().filter(|it| **it != -7).count();
        assert!(done >= 40, "{done}");
    }
}

/// A value that is cheap to compute is not kept: the frame holds the number of the next region only.
#[test]
fn indices_are_computed_again() {
    let suite = suite();
    let text = "k(_0::Nothing, _1::Ptr{Int64})::Nothing
bb0:
  %0 = Intrinsics.kiln_local_id(0)::Int64
  %1 = Intrinsics.add_int(%0, 1)::Int64
  %2 = Intrinsics.kiln_barrier()::Nothing
  %3 = Intrinsics.pointerset(_1, %0, %1, 8)::Ptr{Int64}
  return nothing
";
    let compiled = suite.compile(Kernel, &[text]);
    assert_eq!((compiled.link.has_barrier, compiled.link.frame_bytes), (false, 32));
    let loaded = text.replace("kiln_local_id(0)", "pointerref(_1, 1, 8)");
    assert_eq!(suite.compile(Kernel, &[&loaded]).link.frame_bytes, 48);
}

/// A barrier in a callee that is not inlined, or in a function that calls itself, needs fibers.
#[test]
fn barriers_of_callees_need_fibers() {
    let suite = suite();
    let main = "k(_0::Nothing)::Nothing
bb0:
  %0 = Intrinsics.kiln_barrier()::Nothing
  %1 = invoke mi1(_0)::Nothing
  return nothing
";
    let callee = "f(_0::Nothing)::Nothing
bb0:
  %0 = Intrinsics.kiln_barrier()::Nothing
  return nothing
";
    let compiled = suite.compile(Kernel, &[main, callee]);
    assert_eq!((compiled.link.has_barrier, compiled.link.frame_bytes), (true, 0));
    let plain = callee.replace("kiln_barrier()::Nothing", "kiln_local_id(0)::Int64");
    assert!(!suite.compile(Kernel, &[main, &plain]).link.has_barrier);
}

/// A frame that is larger than the stack of a fiber needs to be keeps fibers.
#[test]
fn large_frames_keep_fibers() {
    let suite = suite();
    let text = |bytes: u32| {
        format!(
            "k(_0::Nothing)::Nothing
bb0:
  %0 = Intrinsics.kiln_private_memory({bytes}, 8, :x)::Ptr{{UInt8}}
  %1 = Intrinsics.kiln_barrier()::Nothing
  return nothing
"
        )
    };
    assert!(!suite.compile(Kernel, &[&text(4000)]).link.has_barrier);
    assert!(suite.compile(Kernel, &[&text(5000)]).link.has_barrier);
}

/// A reduction: the counter of the loop is uniform, so its exit is tested once for all items.
const REDUCTION: &str = "k(_0::Nothing, _1::Ptr{Int64}, _2::Ptr{Int64})::Nothing
bb0:
  %0 = Intrinsics.kiln_shared_memory(8192, 8, :tile)::Ptr{UInt8}
  %1 = Intrinsics.bitcast(Ptr{Int64}, %0)::Ptr{Int64}
  %2 = Intrinsics.kiln_local_id(0)::Int64
  %3 = Intrinsics.add_int(%2, 1)::Int64
  %4 = Intrinsics.kiln_group_id(0)::Int64
  %5 = Intrinsics.mul_int(%4, 64)::Int64
  %6 = Intrinsics.add_int(%5, %3)::Int64
  %7 = Intrinsics.pointerref(_2, %6, 8)::Int64
  %8 = Intrinsics.pointerset(%1, %7, %3, 8)::Ptr{Int64}
  %9 = Intrinsics.kiln_barrier()::Nothing
  goto bb1
bb1:
  %11 = φ (bb0 => 32, bb4 => %22)::Int64
  %12 = Intrinsics.slt_int(0, %11)::Bool
  branch %12 ? bb2 : bb5
bb2:
  %14 = Intrinsics.sle_int(%3, %11)::Bool
  branch %14 ? bb3 : bb4
bb3:
  %16 = Intrinsics.pointerref(%1, %3, 8)::Int64
  %17 = Intrinsics.add_int(%3, %11)::Int64
  %18 = Intrinsics.pointerref(%1, %17, 8)::Int64
  %19 = Intrinsics.add_int(%16, %18)::Int64
  %20 = Intrinsics.pointerset(%1, %19, %3, 8)::Ptr{Int64}
  goto bb4
bb4:
  %22 = Intrinsics.ashr_int(%11, 1)::Int64
  %23 = Intrinsics.kiln_barrier()::Nothing
  goto bb1
bb5:
  %25 = Intrinsics.eq_int(%3, 1)::Bool
  branch %25 ? bb6 : bb7
bb6:
  %27 = Intrinsics.pointerref(%1, 1, 8)::Int64
  %28 = Intrinsics.add_int(%4, 1)::Int64
  %29 = Intrinsics.pointerset(_1, %27, %28, 8)::Ptr{Int64}
  goto bb7
bb7:
  return nothing
";

#[test]
fn a_reduction_tree() {
    let suite = suite();
    let compiled = suite.compile(Kernel, &[REDUCTION]);
    let emitted = crate::harness::listing(&suite.emitted(Kernel, &[REDUCTION]).bitcode);
    assert!(emitted.contains("@entry.item3.branch("), "{emitted}");
    let grid =
        Grid { groups: [33, 1, 1], items: [64, 1, 1], dynamic_shared_bytes: 0, together: Together::NONE };
    let mut input: Vec<i64> = (0..33 * 64).map(|it| it * it % 1001).collect();
    let (got, failure) = run(&compiled, &grid, &mut input, 0);
    assert!(failure.is_none());
    let want: Vec<i64> = input.chunks(64).map(|it| it.iter().sum()).collect();
    assert_eq!(got[..33], want);
}

/// A loop over an iterator: at its end it asks whether it is done, and then asks a phi of the answers.
const ASKED_TWICE: &str = "k(_0::Nothing, _1::Ptr{Int64}, _2::Ptr{Int64})::Nothing
bb0:
  %0 = Intrinsics.kiln_shared_memory(512, 8, :tile)::Ptr{UInt8}
  %1 = Intrinsics.bitcast(Ptr{Int64}, %0)::Ptr{Int64}
  %2 = Intrinsics.kiln_local_id(0)::Int64
  %3 = Intrinsics.add_int(%2, 1)::Int64
  %4 = Intrinsics.sub_int(65, %3)::Int64
  goto bb1
bb1:
  %6 = φ (bb0 => 1, bb5 => %19)::Int64
  %7 = φ (bb0 => 0, bb5 => %12)::Int64
  %8 = Intrinsics.pointerset(%1, %7, %3, 8)::Ptr{Int64}
  %9 = Intrinsics.kiln_barrier()::Nothing
  goto bb2
bb2:
  %11 = Intrinsics.pointerref(%1, %4, 8)::Int64
  %12 = Intrinsics.add_int(%11, %3)::Int64
  %13 = Intrinsics.kiln_barrier()::Nothing
  %14 = Intrinsics.eq_int(%6, 3)::Bool
  branch %14 ? bb3 : bb4
bb3:
  goto bb5
bb4:
  %17 = Intrinsics.add_int(%6, 1)::Int64
  goto bb5
bb5:
  %19 = φ (bb3 => %6, bb4 => %17)::Int64
  %20 = φ (bb3 => true, bb4 => false)::Bool
  branch %20 ? bb6 : bb1
bb6:
  %22 = Intrinsics.pointerset(_1, %12, %3, 8)::Ptr{Int64}
  return nothing
";

/// A branch that follows from the first of its region is decided with it: no item notes where it goes on.
#[test]
fn a_branch_that_follows_from_the_first_is_decided_with_it() {
    let suite = suite();
    let compiled = suite.compile(Kernel, &[ASKED_TWICE]);
    let emitted = crate::harness::listing(&suite.emitted(Kernel, &[ASKED_TWICE]).bitcode);
    assert!(emitted.contains("@entry.item3.branch("), "{emitted}");
    assert!(!emitted.contains("store i8 1"), "{emitted}");
    let grid =
        Grid { groups: [1, 1, 1], items: [64, 1, 1], dynamic_shared_bytes: 0, together: Together::NONE };
    let (got, failure) = run(&compiled, &grid, &mut [0; 64], 0);
    assert!(failure.is_none());
    let turned = |sums: Vec<i64>| (0..64).map(|it| sums[63 - it] + it as i64 + 1).collect();
    assert_eq!(got, (0..3).fold(vec![0; 64], |sums, _| turned(sums)));
}

/// The variables of a random program.
const VARIABLES: usize = 3;

/// A random program in SSA form: `$n` stands for the value of line `n`, `@n` for block `n`, both numbered at the end.
struct Program {
    blocks: Vec<Vec<String>>,
    lines: usize,
    current: usize,
    random: Rng,
    barriers: usize,
    /// The type of masks, if warps meet, too.
    mask: Option<&'static str>,
}

impl Program {
    fn below(&mut self, bound: usize) -> usize {
        self.random.below(bound)
    }

    fn line(&mut self, text: &str) -> String {
        self.lines += 1;
        let name = format!("${}$", self.lines);
        self.blocks[self.current].push(format!("{name} = {text}"));
        name
    }

    fn ends(&mut self, text: &str) {
        self.lines += 1;
        self.blocks[self.current].push(format!("${}$ ! {text}", self.lines));
    }

    fn block(&mut self) -> usize {
        self.blocks.push(Vec::new());
        self.blocks.len() - 1
    }

    /// A condition that depends on a variable.
    fn condition(&mut self, of: &[String]) -> String {
        let (which, bit) = (self.below(VARIABLES), 1 << self.below(2));
        let masked = self.line(&format!("Intrinsics.and_int({}, {bit})::Int64", of[which]));
        self.line(&format!("Intrinsics.eq_int({masked}, 0)::Bool"))
    }

    /// Phis of all variables for a block with two predecessors.
    fn join(&mut self, ways: [(usize, &[String]); 2]) -> Vec<String> {
        let [(from, one), (other_from, other)] = ways;
        (0..VARIABLES)
            .map(|it| {
                let inputs = format!("@{from}@ => {}, @{other_from}@ => {}", one[it], other[it]);
                self.line(&format!("φ ({inputs})::Int64"))
            })
            .collect()
    }

    /// Statements; the values of the variables after them.
    fn statements(&mut self, mut of: Vec<String>, depth: usize) -> Vec<String> {
        for _ in 0..1 + self.below(4) {
            let which = self.below(VARIABLES);
            match self.below(if depth == 0 { 5 } else { 9 }) {
                0..=2 => {
                    let op = ["add_int", "xor_int", "mul_int"][self.below(3)];
                    let with = match self.below(3) {
                        0 => "3".to_owned(),
                        _ => of[self.below(VARIABLES)].clone(),
                    };
                    of[which] = self.line(&format!("Intrinsics.{op}({}, {with})::Int64", of[which]));
                }
                3 | 4 => {
                    self.barriers += 1;
                    let (mask, is_of_warp) = (self.mask, self.below(4) > 0);
                    match mask {
                        Some(mask) if is_of_warp => of[which] = self.meeting(&of, which, mask),
                        _ => drop(self.line("Intrinsics.kiln_barrier()::Nothing")),
                    }
                }
                5 | 6 => of = self.branch(of, depth),
                7 => of = self.turns(of, depth),
                _ => {
                    let (gone, on) = (self.block(), self.block());
                    let masked = self.line(&format!("Intrinsics.and_int({}, 31)::Int64", of[which]));
                    let leaves = self.line(&format!("Intrinsics.eq_int({masked}, 5)::Bool"));
                    self.ends(&format!("branch {leaves} ? @{gone}@ : @{on}@"));
                    self.current = gone;
                    self.ends("return nothing");
                    self.current = on;
                }
            }
        }
        of
    }

    /// A meeting of a warp; the value of a variable after it, which has the lanes that met.
    fn meeting(&mut self, of: &[String], which: usize, ty: &str) -> String {
        let mask = MASKS[self.below(MASKS.len())];
        let mask = match ty {
            "UInt64" => format!("{:#018x}", u64::from(mask) << 16 | u64::from(mask)),
            _ => format!("{mask:#010x}"),
        };
        let vote = match self.below(2) {
            0 => String::new(),
            _ => format!(", {}", self.condition(of)),
        };
        let met = self.line(&format!("Intrinsics.kiln_warp_barrier({mask}{vote})::{ty}"));
        let lanes = match ty {
            "UInt64" => self.line(&format!("Intrinsics.bitcast(Int64, {met})::Int64")),
            _ => self.line(&format!("Intrinsics.zext_int(Int64, {met})::Int64")),
        };
        self.line(&format!("Intrinsics.xor_int({}, {lanes})::Int64", of[which]))
    }

    fn branch(&mut self, of: Vec<String>, depth: usize) -> Vec<String> {
        let (then, other, after) = (self.block(), self.block(), self.block());
        let condition = self.condition(&of);
        self.ends(&format!("branch {condition} ? @{then}@ : @{other}@"));
        let mut ways = Vec::new();
        for block in [then, other] {
            self.current = block;
            let of = self.statements(of.clone(), depth - 1);
            ways.push((self.current, of));
            self.ends(&format!("goto @{after}@"));
        }
        self.current = after;
        self.join([(ways[0].0, &ways[0].1), (ways[1].0, &ways[1].1)])
    }

    /// A loop of 0 to 3 turns.
    fn turns(&mut self, of: Vec<String>, depth: usize) -> Vec<String> {
        let (head, body, after) = (self.block(), self.block(), self.block());
        let which = self.below(VARIABLES);
        let count = self.line(&format!("Intrinsics.and_int({}, 3)::Int64", of[which]));
        let before = self.current;
        self.ends(&format!("goto @{head}@"));
        self.current = head;
        let (at, last) = (self.blocks[head].len(), self.lines);
        let phis: Vec<String> = (0..=VARIABLES).map(|_| self.line("")).collect();
        let goes_on = self.line(&format!("Intrinsics.slt_int({}, {count})::Bool", phis[VARIABLES]));
        self.ends(&format!("branch {goes_on} ? @{body}@ : @{after}@"));
        self.current = body;
        let changed = self.statements(phis[..VARIABLES].to_vec(), depth - 1);
        let next = self.line(&format!("Intrinsics.add_int({}, 1)::Int64", phis[VARIABLES]));
        let end = self.current;
        self.ends(&format!("goto @{head}@"));
        for it in 0..=VARIABLES {
            let (first, again) =
                if it == VARIABLES { ("0".to_owned(), &next) } else { (of[it].clone(), &changed[it]) };
            let text = format!("${}$ = φ (@{before}@ => {first}, @{end}@ => {again})::Int64", last + 1 + it);
            self.blocks[head][at + it] = text;
        }
        self.current = after;
        phis[..VARIABLES].to_vec()
    }

    fn text(&self) -> String {
        let mut text = "k(_0::Nothing, _1::Ptr{Int64}, _2::Ptr{Int64})::Nothing\n".to_owned();
        let mut numbers = Vec::new();
        for (block, lines) in self.blocks.iter().enumerate() {
            text += &format!("bb{block}:\n");
            for line in lines {
                let (name, rest) = line.split_once(' ').expect("a line has a name");
                numbers.push((name.to_owned(), format!("%{}", numbers.len())));
                match rest.strip_prefix("! ") {
                    Some(end) => text += &format!("  {end}\n"),
                    None => text += &format!("  {name} {rest}\n"),
                }
            }
        }
        for (name, number) in numbers {
            text = text.replace(&name, &number);
        }
        (0..self.blocks.len()).fold(text, |text, it| text.replace(&format!("@{it}@"), &format!("bb{it}")))
    }
}

/// A random program, in which warps meet if masks have a type.
fn random_program(seed: u64, mask: Option<&'static str>) -> (String, usize) {
    let random = Rng::new(seed);
    let mut program = Program { blocks: vec![Vec::new()], lines: 0, current: 0, random, barriers: 0, mask };
    let item = program.line("Intrinsics.kiln_local_id(0)::Int64");
    let row = program.line("Intrinsics.kiln_local_id(1)::Int64");
    let group = program.line("Intrinsics.kiln_group_id(0)::Int64");
    let size = program.line("Intrinsics.kiln_local_size(0)::Int64");
    let rows = program.line("Intrinsics.kiln_local_size(1)::Int64");
    let before = program.line(&format!("Intrinsics.mul_int({group}, {rows})::Int64"));
    let before = program.line(&format!("Intrinsics.add_int({before}, {row})::Int64"));
    let base = program.line(&format!("Intrinsics.mul_int({before}, {size})::Int64"));
    let at = program.line(&format!("Intrinsics.add_int({base}, {item})::Int64"));
    let place = program.line(&format!("Intrinsics.add_int({at}, 1)::Int64"));
    let own = program.line(&format!("Intrinsics.pointerref(_2, {place}, 8)::Int64"));
    let of = program.statements(vec![own, size, "1".to_owned()], 3);
    let sum = program.line(&format!("Intrinsics.xor_int({}, {})::Int64", of[0], of[1]));
    let sum = program.line(&format!("Intrinsics.add_int({sum}, {})::Int64", of[2]));
    program.line(&format!("Intrinsics.pointerset(_1, {sum}, {place}, 8)::Ptr{{Int64}}"));
    program.ends("return nothing");
    (program.text(), program.barriers)
}

/// Compares random programs on fibers with those that are cut.
fn compare_with_fibers(mask: Option<&'static str>, lanes: u32, count: u64) {
    let suite = suite();
    let (mut cut_ones, mut seed) = (0, 0);
    while cut_ones < setting("KILN_REGION_PROGRAMS", count) {
        seed += 1;
        let (text, barriers) = random_program(seed, mask);
        if barriers == 0 {
            continue;
        }
        let vector_bits = if seed % 2 == 0 { 0 } else { 512 };
        let cut = suite.kernel_with(&text, |it| (it.lanes, it.vector_bits) = (lanes, vector_bits));
        if cut.link.has_barrier {
            continue;
        }
        cut_ones += 1;
        let fibers = suite.kernel_with(&text, |it| (it.lanes, it.barrier_regions) = (lanes, false));
        assert!(fibers.link.has_barrier);
        for (inputs, items) in [([0, 0, 0], [40, 1, 1]), ([1, 2, 3], [70, 1, 1]), ([7, 7, 5], [24, 4, 1])] {
            let size = items.iter().product::<i64>();
            let mut input: Vec<i64> = (0..3 * size as usize).map(|it| inputs[it % 3]).collect();
            let grid = Grid { groups: [3, 1, 1], items, dynamic_shared_bytes: 0, together: Together::NONE };
            let got = run(&cut, &grid, &mut input, 0).0;
            assert_eq!(got, run(&fibers, &grid, &mut input, 0).0, "seed {seed}, {items:?}\n{text}");
        }
    }
}

/// Nested loops and branches with barriers anywhere, on values that are uniform or not.
#[test]
fn random_programs_do_what_fibers_do() {
    compare_with_fibers(None, 32, 40);
}

/// The same with meetings of warps, of 32 and of 64 lanes, by masks and by place.
#[test]
fn random_programs_of_warps_do_what_fibers_do() {
    compare_with_fibers(Some("UInt32"), 32, 20);
    compare_with_fibers(Some("UInt32"), 64, 10);
    compare_with_fibers(Some("UInt64"), 64, 10);
}
