//! The loops around regions.
//!
//! A region runs for a box of items of a group: z, y, x, x innermost. Where it has several outcomes it stores the
//! number of each item's next region in the item's frame, and returns the least and the greatest. While all items of
//! a group agree, the group goes on with the box of all items. When they do not, because items returned early, failed
//! or are at different barriers, a rare function runs the items round by round: in each round, each range of
//! neighbours of a row that agree runs its region, in ascending order, and the round is the group's barrier. So items
//! that returned count as arrived.

use super::code::{branch_body, region_body};
use super::cut::{Ways, has_loop, narrowed};
use super::record::own_record;
use super::uniform::FirstBranch;
use super::{Cut, Region, Regions};
use crate::error::EmitError;
use crate::function::{Emitter, Mode};
use crate::item_loops::{Groups, Loop, begin_loop, own_function};
use crate::item_state::ItemState;
use crate::kernel::{Entry, Launch};
use crate::llvm::{self, Block, Function, ItemLoop, NOT_UNROLLED, ROWS, Ty, Val};
use crate::signatures;
use kiln_ir::{Cfg, Stmt};
use kiln_unit::LaunchContext;
use llvm_sys::{LLVMIntPredicate as Int, LLVMOpcode as Opcode};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::mem::offset_of;

/// The function of an item's run of a region, followed by the region's number.
const REGION: &str = "entry.item";
/// The function that runs a region for a box of items, followed by the region's number.
const BOX: &str = "entry.region";
/// Runs the items of a group that do not agree.
const ROUNDS: &str = "entry.rounds";

/// Whether the code of a function belongs to the source function of the entry.
pub(crate) fn is_of_entry(symbol: &str) -> bool {
    symbol == ROUNDS
        || symbol.starts_with(REGION)
        || symbol.starts_with(BOX)
        || super::warps::is_of_entry(symbol)
}

/// Whether the first parameter of a function is the launch: those of items may have an argument of the kernel there.
pub(crate) fn takes_launch(symbol: &str) -> bool {
    symbol == ROUNDS || symbol.starts_with(BOX)
}

/// The function of a region for a box of items, and the numbers it may return.
pub(super) struct Runner {
    pub(super) function: Function,
    /// The function for items that do not agree, if that is another one.
    apart: Option<Function>,
    outcomes: BTreeSet<u32>,
    /// Whether each item keeps the uniform values: items may go on with different regions.
    pub(super) parts: bool,
    /// Whether items of a box may go on with different regions, or return while others go on. A uniform first branch does not count:
    /// all items go one way.
    differs: bool,
    /// Whether some items may return while others go on.
    returns: bool,
}

impl Runner {
    /// Returns the function for items that do not agree.
    pub(super) fn for_items_apart(&self) -> Function {
        self.apart.unwrap_or(self.function)
    }
}

/// The items that a region's functions are for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Items {
    /// All.
    Any,
    /// Items of warps that have met with all their lanes.
    InStep,
    /// Items of warps that have met without some lanes. They are rare: their loops are not vectorized.
    Apart,
}

impl Items {
    /// Returns the name of a region's functions, after that of their kind.
    fn name(self, number: u32) -> String {
        match self {
            Self::Any | Self::InStep => number.to_string(),
            Self::Apart => format!("{number}.apart"),
        }
    }

    /// Emits the functions of a region for these items.
    fn runner(self, entry: &Entry<'_, '_>, regions: &Regions, number: u32) -> Result<Runner, EmitError> {
        let (module, unit) = (entry.module(), entry.unit);
        let cut = regions.cut(number);
        let mut ways = entry.ways(regions, cut, (number, self), false)?;
        let parts = ways.iter().any(Way::parts);
        if parts && !regions.recorded.is_empty() {
            // Few regions lead to several others; these are emitted again.
            ways.drain(..).for_each(|it| module.remove(it.function));
            ways = entry.ways(regions, cut, (number, self), true)?;
        }
        let branch = match &cut.branch {
            Some(branch) => Some(entry.branch(regions, cut, branch, (number, self))?),
            None => None,
        };
        let (ptr, long) = (module.ptr(), module.int(64));
        let mut taken: Vec<Ty> = vec![ptr, ptr];
        taken.extend([long; 9]);
        taken.push(ptr);
        // The call of a short region takes as long as the region. What items that do not agree run is not optimized, unless
        // their warps meet.
        let is_short = regions.meetings.is_none() && !has_loop(&unit.sources[0].code, cut);
        let kept = if is_short { "alwaysinline" } else { "noinline" };
        let name = format!("{BOX}{}", self.name(number));
        let function = own_function(module, &name, long, &taken, &[kept]);
        let parallel = regions.unordered && !cut.has_atomics && self != Self::Apart;
        let boxes = Entry { unit, function, parallel, args: entry.args.clone() };
        boxes.boxes((regions, number, self), (cut, parts), branch, &ways)?;
        let differs = ways.iter().any(|it| it.outcomes.len() > 1);
        let returns = ways.iter().any(|it| it.outcomes.len() > 1 && it.outcomes.contains(&0));
        let outcomes = ways.into_iter().flat_map(|it| it.outcomes).collect();
        Ok(Runner { function, apart: None, outcomes, parts, differs, returns })
    }
}

/// The function of a region for an item, after the first branch if that is uniform.
struct Way {
    function: Function,
    /// The numbers it may return.
    outcomes: BTreeSet<u32>,
}

impl Way {
    /// Whether items may go on with different regions.
    fn parts(&self) -> bool {
        self.outcomes.iter().filter(|it| **it != 0).count() > 1
    }
}

/// The values that the loops of a box share.
struct Shared {
    launch: Launch,
    frames: Frames,
    /// The arguments of the body and the uniform values.
    shared: Vec<Val>,
    /// The record of the uniform values.
    record: Val,
    /// Whether each item has its own.
    parts: bool,
    /// The kind of the loops over items.
    kind: ItemLoop,
    separate: bool,
    by_columns: bool,
}

impl Shared {
    /// Returns the arguments of a region's function.
    fn values(&self, state: ItemState, item: Val, record: Val) -> Vec<Val> {
        let mut values = state.values().to_vec();
        values.extend(&self.shared);
        values.extend([self.frames.frame, self.frames.items, item, record]);
        values
    }
}

/// The least and the greatest number of the next regions.
#[derive(Clone, Copy)]
pub(super) struct Range {
    pub(super) low: Val,
    pub(super) high: Val,
}

/// A box of items: from the first index to before the second, x first.
pub(super) struct Bounds {
    pub(super) from: [Val; 3],
    pub(super) to: [Val; 3],
}

impl Entry<'_, '_> {
    /// Emits `for group in first..last`, with a loop for each region.
    pub(crate) fn regions(&self, regions: &Regions) -> Result<(), EmitError> {
        let module = self.module();
        let start = module.here();
        let count = regions.cuts.len() as u32;
        let runners: Result<Vec<Runner>, EmitError> =
            (1..=count).map(|it| self.runner(regions, it)).collect();
        let runners = runners?;
        let may_differ = regions.meetings.is_some() || runners.iter().any(|it| it.differs);
        let rounds = may_differ.then(|| self.rounds(regions, &runners)).transpose()?;
        module.at_end(start);
        let launch = self.launch();
        self.each_group(&launch, |groups| {
            self.in_step(regions, &runners, rounds, &launch, groups);
            Ok(())
        })
    }

    /// Runs a group while its items agree.
    fn in_step(
        &self,
        regions: &Regions,
        runners: &[Runner],
        rounds: Option<Function>,
        launch: &Launch,
        groups: &Groups,
    ) {
        let module = self.module();
        let frames = self.frames(regions, launch);
        let first = frames.record(self, module.const_i64(0));
        let record = if regions.meetings.is_none() { own_record(self, frames.record_bytes) } else { first };
        let block = || module.block(self.function);
        let blocks: Vec<Block> = runners.iter().map(|_| block()).collect();
        let done = block();
        let (spread, apart) = if rounds.is_some() { (block(), block()) } else { (done, done) };
        let zero = [module.const_i64(0); 3];
        let to = |number: u32| if number == 0 { done } else { blocks[number as usize - 1] };
        let returns = runners.iter().any(|it| it.returns);
        if returns {
            module.fill_memory(frames.next, u8::MAX, module.mul(frames.items, module.const_i64(4)));
        }
        module.br(blocks[0]);
        let mut numbers = Vec::new();
        for ((number, runner), &at) in (1..).zip(runners).zip(&blocks) {
            module.at_end(at);
            // Where only warps meet, accesses of others are not ordered.
            if number > 1 && regions.cut(number).meeting.is_none() {
                self.screen_epoch();
            }
            if let (Some(meeting), Some(meetings)) = (regions.cut(number).pass(), regions.meetings) {
                let meet = self.meet(regions, number, (meeting, meetings));
                let agree = module.call(meet, &[module.param(self.function, 0)]);
                let agreed = block();
                numbers.push((module.const_u32(number), module.here()));
                module.cond_br(agree, agreed, spread);
                module.at_end(agreed);
            }
            let bounds = Bounds { from: zero, to: launch.local_size };
            let range = self.run_box(runner.function, groups.at, &bounds, record);
            if runner.differs {
                let agreed = block();
                let differ = if runner.parts { apart } else { spread };
                if !runner.parts {
                    numbers.push((range.high, module.here()));
                }
                module.cond_br(module.int_eq(range.low, range.high), agreed, differ);
                module.at_end(agreed);
                if runner.parts && regions.meetings.is_none() {
                    frames.copy_record(module, first, record);
                }
            }
            self.choose(range.low, runner.outcomes.iter().map(|it| (*it, to(*it))), done);
        }
        if let Some(rounds) = rounds {
            module.at_end(spread);
            let number = module.phi(module.int(32));
            for (value, from) in numbers {
                module.add_incoming(number, value, from);
            }
            self.screen_parting();
            self.spread(&frames, record, number, returns);
            module.br(apart);
            module.at_end(apart);
            self.resume_group(regions, rounds, groups, (&to, done));
        }
        module.at_end(done);
    }

    /// Runs the items of a group that do not agree, until they have ended, or all wait for the group and agree again.
    fn resume_group(
        &self,
        regions: &Regions,
        rounds: Function,
        groups: &Groups,
        (to, done): (&dyn Fn(u32) -> Block, Block),
    ) {
        let module = self.module();
        self.screen_parting();
        let [gx, gy, gz] = groups.at;
        let param = |index| module.param(self.function, index);
        let resumed = module.call(rounds, &[param(0), param(1), gx, gy, gz]);
        if regions.meetings.is_some() {
            let of_group = (1..).zip(&regions.cuts).filter(|it| it.1.meeting.is_none());
            let ways = std::iter::once((0, done)).chain(of_group.map(|it| (it.0, to(it.0))));
            self.choose(resumed, ways, done);
        } else {
            module.br(done);
        }
    }

    /// Gives each item its own record and number, where all go on with one region, but for those that have returned.
    fn spread(&self, frames: &Frames, record: Val, number: Val, returns: bool) {
        let module = self.module();
        let x = begin_loop(module, self.function, module.const_u32(0));
        let item = module.widen(x.counter);
        let own = frames.record(self, item);
        frames.copy_record(module, record, own);
        let next = frames.next_of(self, item);
        let new = if returns {
            let old = module.load(module.int(32), next, 4);
            module.select(module.int_eq(old, module.const_u32(0)), old, number)
        } else {
            number
        };
        module.store(new, next, 4);
        let last = module.here();
        self.end_loop(&x, frames.items);
        module.at_end(last);
        // It is rare.
        module.hint_loop(&[("llvm.loop.vectorize.width".into(), Some(1)), (NOT_UNROLLED.into(), None)]);
        module.at_end(x.done);
    }

    /// Branches to the block of a number; the last one needs no test.
    pub(super) fn choose(&self, number: Val, ways: impl Iterator<Item = (u32, Block)>, otherwise: Block) {
        let module = self.module();
        let ways: Vec<(u32, Block)> = ways.collect();
        let Some((last, tested)) = ways.split_last() else { return module.br(otherwise) };
        for &(it, to) in tested {
            let next = module.block(self.function);
            module.cond_br(module.int_eq(number, module.const_u32(it)), to, next);
            module.at_end(next);
        }
        module.br(last.1);
    }

    /// Calls the function of a region.
    pub(super) fn run_box(
        &self,
        function: Function,
        [gx, gy, gz]: [Val; 3],
        bounds: &Bounds,
        record: Val,
    ) -> Range {
        let module = self.module();
        let param = |index| module.param(self.function, index);
        let ([x, y, z], [to_x, to_y, to_z]) = (bounds.from, bounds.to);
        let args = [param(0), param(1), gx, gy, gz, x, y, z, to_x, to_y, to_z, record];
        let result = module.call(function, &args);
        let high = module.binary(Opcode::LLVMLShr, result, module.const_i64(32));
        Range { low: module.resize(result, module.int(32)), high: module.resize(high, module.int(32)) }
    }

    /// Emits the functions of a region: two where items that agree know who has met.
    fn runner(&self, regions: &Regions, number: u32) -> Result<Runner, EmitError> {
        let is_known = regions.cut(number).meeting.is_some_and(|it| it.gives_all_lanes());
        if !is_known {
            return Items::Any.runner(self, regions, number);
        }
        let in_step = Items::InStep.runner(self, regions, number)?;
        let apart = Items::Apart.runner(self, regions, number)?.function;
        Ok(Runner { apart: Some(apart), ..in_step })
    }

    /// Emits a region, or its two parts after the first branch, for items that may go on with different regions or not.
    fn ways(
        &self,
        regions: &Regions,
        cut: &Cut,
        (number, items): (u32, Items),
        parts: bool,
    ) -> Result<Vec<Way>, EmitError> {
        let name = format!("{REGION}{}", items.name(number));
        let Some(branch) = &cut.branch else {
            return Ok(vec![self.way((parts, items), regions, (cut, Ways::new()), &name)?]);
        };
        let code = &self.unit.sources[0].code;
        let cfg = Cfg::new(code);
        let each = [true, false].into_iter().map(|way| {
            let (part, assumed) = narrowed(self.unit.types, (code, &cfg), cut, (branch.block(), way));
            self.way((parts, items), regions, (&part, assumed), &format!("{name}.{way}"))
        });
        each.collect()
    }

    /// Returns the types of the parameters of a region's functions: those of the body, the uniform values, and the
    /// place of the frame.
    fn region_params(&self, cut: &Cut) -> Result<Vec<Ty>, EmitError> {
        let (module, unit) = (self.module(), self.unit);
        let mut params = signatures::params(unit, 0)?;
        for stmt in &cut.uniform {
            params.extend(unit.shapes.of(unit.sources[0].code.stmts[*stmt].ty)?.llvm);
        }
        params.extend([module.ptr(), module.int(64), module.int(64), module.ptr()]);
        Ok(params)
    }

    /// Emits the function of a region, or of the part of it that is left after its first branch.
    fn way(
        &self,
        (parts, items): (bool, Items),
        regions: &Regions,
        (cut, assumed): (&Cut, Ways),
        name: &str,
    ) -> Result<Way, EmitError> {
        let (module, unit) = (self.module(), self.unit);
        let params = self.region_params(cut)?;
        let body = own_function(module, name, module.int(32), &params, &["alwaysinline"]);
        let (uniform, place) = self.hidden(cut, body)?;
        let mut emitter = Emitter::new(unit, 0, body, Mode::Record);
        let mut region = Region::new(regions, cut, uniform, place);
        (region.assumed, region.parts, region.in_step) = (assumed, parts, items == Items::InStep);
        emitter.region = Some(&region);
        let marked = module.mark_accesses.replace(regions.unordered && !cut.has_atomics);
        let emit = || region_body(emitter, cut);
        let outcomes =
            if regions.separate { module.within_frames(llvm::Frames::Outside, emit) } else { emit() };
        module.mark_accesses.set(marked);
        Ok(Way { function: body, outcomes: outcomes? })
    }

    /// Emits the function that says which way the first branch of a region goes.
    fn branch(
        &self,
        regions: &Regions,
        cut: &Cut,
        branch: &FirstBranch,
        (number, items): (u32, Items),
    ) -> Result<Function, EmitError> {
        let (module, unit) = (self.module(), self.unit);
        let params = self.region_params(cut)?;
        let name = format!("{REGION}{}.branch", items.name(number));
        let function = own_function(module, &name, module.int(1), &params, &["alwaysinline"]);
        let (uniform, place) = self.hidden(cut, function)?;
        let mut emitter = Emitter::new(unit, 0, function, Mode::Record);
        let mut region = Region::new(regions, cut, uniform, place);
        region.in_step = items == Items::InStep;
        emitter.region = Some(&region);
        branch_body(emitter, cut, branch)?;
        Ok(function)
    }

    /// Returns the parameters of a region's function that the body does not have.
    fn hidden(&self, cut: &Cut, function: Function) -> Result<(FxHashMap<Stmt, Val>, [Val; 4]), EmitError> {
        let (module, unit) = (self.module(), self.unit);
        let mut next = signatures::params(unit, 0)?.len();
        let mut param = || {
            next += 1;
            module.param(function, next - 1)
        };
        let mut uniform = FxHashMap::default();
        for &stmt in &cut.uniform {
            if unit.shapes.of(unit.sources[0].code.stmts[stmt].ty)?.llvm.is_some() {
                uniform.insert(stmt, param());
            }
        }
        Ok((uniform, [param(), param(), param(), param()]))
    }

    /// Emits the loops of a region, after its first branch if that is uniform.
    fn boxes(
        &self,
        (regions, number, items): (&Regions, u32, Items),
        (cut, parts): (&Cut, bool),
        branch: Option<Function>,
        ways: &[Way],
    ) -> Result<(), EmitError> {
        let module = self.module();
        module.at_end(module.block(self.function));
        let param = |index| module.param(self.function, index);
        let (args, launch) = (self.load_args()?, self.launch());
        let frames = self.frames(regions, &launch);
        let first = module.add(frames.row(self, &launch, param(6), param(7)), param(5));
        let mut shared = args;
        for stmt in &cut.uniform {
            let shape = self.unit.shapes.of(self.unit.sources[0].code.stmts[*stmt].ty)?;
            let Some(offset) = regions.recorded.get(stmt) else { continue };
            let address = module.field(param(11), (*offset).into());
            shared.push(self.emitter().load_shape(&shape, address, shape.align.min(16))?);
        }
        let separate = regions.separate;
        // Without a loop of its own, a region gains nothing that rows share, and would leave each cache line for another.
        let is_rare = items == Items::Apart || !regions.unordered;
        let by_columns = regions.by_columns && !is_rare && has_loop(&self.unit.sources[0].code, cut);
        let kind = match is_rare {
            true => ItemLoop::Rare,
            false if cut.has_atomics => ItemLoop::AtomicRegion(number),
            false => ItemLoop::Region(number),
        };
        let inner = Shared { launch, frames, shared, record: param(11), parts, kind, separate, by_columns };
        let Some(branch) = branch else { return self.items_of_box(&inner, &ways[0]) };
        let state = inner.launch.state([2, 3, 4].map(param), [5, 6, 7].map(param));
        let blocks = [module.block(self.function), module.block(self.function)];
        let condition = module.call(branch, &inner.values(state, first, inner.record));
        module.cond_br(condition, blocks[0], blocks[1]);
        for (block, way) in blocks.into_iter().zip(ways) {
            module.at_end(block);
            self.items_of_box(&inner, way)?;
        }
        Ok(())
    }

    /// Emits the loops over the items of a box, at least one, and the return.
    fn items_of_box(&self, inner: &Shared, way: &Way) -> Result<(), EmitError> {
        let (module, outcomes) = (self.module(), &way.outcomes);
        let (int, launch, frames) = (module.int(32), &inner.launch, &inner.frames);
        let param = |index| module.param(self.function, index);
        let none = module.const_u32(u32::MAX);
        let several = (outcomes.len() > 1).then_some(outcomes);
        let flag = |number: u32| module.field(inner.record, (frames.flags + number).into());
        for number in several.into_iter().flatten() {
            module.store(module.const_int(module.int(8), 0), flag(*number), 1);
        }
        let [x, y, z] = [5, 6, 7].map(|it| module.resize(param(it), int));
        let columns = inner.by_columns.then(|| begin_loop(module, self.function, x));
        let z = begin_loop(module, self.function, z);
        let y = begin_loop(module, self.function, y);
        let (at_y, at_z) = (module.widen(y.counter), module.widen(z.counter));
        let row = frames.row(self, launch, at_y, at_z);
        let x = columns.unwrap_or_else(|| begin_loop(module, self.function, x));
        let at_x = module.widen(x.counter);
        let item = module.add_exact(row, at_x);
        let state = launch.state([2, 3, 4].map(param), [at_x, at_y, at_z]);
        let record = if inner.parts { frames.record(self, item) } else { inner.record };
        let next = module.call(way.function, &inner.values(state, item, record));
        if let Some(outcomes) = several {
            self.note_outcome(inner, outcomes, next, item);
        }
        if inner.by_columns {
            let last = module.here();
            self.end_loop(&y, param(9));
            module.at_end(last);
            module.hint_loop(&[(ROWS.into(), None)]);
            module.at_end(y.done);
            self.end_loop(&z, param(10));
        }
        let following = module.add_exact(x.counter, module.const_u32(1));
        module.add_incoming(x.counter, following, module.here());
        let again = module.icmp(Int::LLVMIntSLT, following, module.resize(param(8), int));
        module.item_loop_br(again, x.body, x.done, inner.kind);
        module.at_end(x.done);
        if !inner.by_columns {
            self.end_rows(&y, param(9));
            self.end_rows(&z, param(10));
        }
        let only = module.const_u32(outcomes.first().copied().unwrap_or(0));
        let (mut low, mut high) = (only, only);
        for (index, number) in several.into_iter().flatten().enumerate() {
            let seen = module.load(module.int(8), flag(*number), 1);
            let seen = module.int_eq(seen, module.const_int(module.int(8), 1));
            let number = module.const_u32(*number);
            let is_first = if index == 0 { seen } else { module.and(seen, module.int_eq(low, none)) };
            low = module.select(is_first, number, if index == 0 { none } else { low });
            high = module.select(seen, number, if index == 0 { none } else { high });
        }
        let (low, high) = (module.widen(low), module.widen(high));
        let pair = module.or(low, module.binary(Opcode::LLVMShl, high, module.const_i64(32)));
        module.ret(Some(pair));
        Ok(())
    }

    /// Ends a loop around rows. Most groups have few, so the loop is not unrolled.
    fn end_rows(&self, it: &Loop, limit: Val) {
        let module = self.module();
        let last = module.here();
        self.end_loop(it, limit);
        module.at_end(last);
        module.hint_loop(&[(NOT_UNROLLED.into(), None)]);
        module.at_end(it.done);
    }

    /// Notes which region an item goes on with: sets the flag of the outcome, and where items part, or it has returned, stores
    /// the number.
    fn note_outcome(&self, inner: &Shared, outcomes: &BTreeSet<u32>, next: Val, item: Val) {
        let module = self.module();
        let marked = module.mark_accesses.replace(self.parallel);
        let place = if inner.separate { llvm::Frames::Inside } else { llvm::Frames::Unknown };
        module.within_frames(place, || {
            if inner.parts {
                module.store(next, inner.frames.next_of(self, item), 4);
            }
            for &number in outcomes {
                let (is_it, after) = (module.block(self.function), module.block(self.function));
                module.cond_br(module.int_eq(next, module.const_u32(number)), is_it, after);
                module.at_end(is_it);
                let flag = module.field(inner.record, (inner.frames.flags + number).into());
                module.store(module.const_int(module.int(8), 1), flag, 1);
                if number == 0 && !inner.parts {
                    module.store(next, inner.frames.next_of(self, item), 4);
                }
                module.br(after);
                module.at_end(after);
            }
        });
        module.mark_accesses.set(marked);
    }

    /// Loads the place of the frames.
    pub(super) fn frames(&self, regions: &Regions, launch: &Launch) -> Frames {
        let module = self.module();
        let at = module.field(module.param(self.function, 0), offset_of!(LaunchContext, frames) as u64);
        let frame = module.load(module.ptr(), at, 8);
        let [nx, ny, nz] = launch.local_size;
        let items = module.mul(module.mul(nx, ny), nz);
        let column =
            |offset: u32| module.gep_bytes(frame, module.mul(items, module.const_i64(offset.into())));
        let (record_bytes, flags) = (regions.records.size, regions.flags);
        Frames {
            frame,
            items,
            next: column(regions.next),
            records: column(regions.records.offset),
            record_bytes,
            flags,
        }
    }

    /// Emits [`ROUNDS`]`(ctx, args, group...)`.
    fn rounds(&self, regions: &Regions, runners: &[Runner]) -> Result<Function, EmitError> {
        let (module, unit) = (self.module(), self.unit);
        let (ptr, long) = (module.ptr(), module.int(64));
        let params = [ptr, ptr, long, long, long];
        if let Some(meetings) = regions.meetings {
            let function = own_function(module, ROUNDS, module.int(32), &params, &["noinline", "cold"]);
            let entry = Entry { unit, function, parallel: false, args: self.args.clone() };
            entry.warp_by_warp(regions, runners, meetings);
            return Ok(function);
        }
        // Few groups need it: compiling it costs more than running it.
        let rare = ["noinline", "cold", "optnone"];
        let function = own_function(module, ROUNDS, module.void(), &params, &rare);
        let entry = Entry { unit, function, parallel: false, args: self.args.clone() };
        entry.round_by_round(regions, runners);
        Ok(function)
    }

    fn round_by_round(&self, regions: &Regions, runners: &[Runner]) {
        let module = self.module();
        let block = || module.block(self.function);
        let (first, round, head, again, done) = (block(), block(), block(), block(), block());
        module.at_end(first);
        let (long, int) = (module.int(64), module.int(32));
        let (any, at) = (module.alloca(int, 4), module.alloca(long, 8));
        let launch = self.launch();
        let frames = self.frames(regions, &launch);
        module.br(round);
        module.at_end(round);
        module.store(module.const_u32(0), any, 4);
        let zero = module.const_u32(0);
        let z = begin_loop(module, self.function, zero);
        let y = begin_loop(module, self.function, zero);
        let (at_y, at_z) = (module.widen(y.counter), module.widen(z.counter));
        let row = frames.row(self, &launch, at_y, at_z);
        module.store(module.const_i64(0), at, 8);
        module.br(head);
        module.at_end(head);
        let x = module.load(long, at, 8);
        let number = module.load(int, frames.next_of(self, module.add(row, x)), 4);
        let one = module.const_i64(1);
        // Items that do not agree may have different values where they would have uniform ones.
        let end = if regions.cuts.iter().all(|it| it.uniform.is_empty()) {
            self.end_of_range(&frames, row, x, number, launch.local_size[0])
        } else {
            module.add(x, one)
        };
        let bounds =
            Bounds { from: [x, at_y, at_z], to: [end, module.add(at_y, one), module.add(at_z, one)] };
        let went_on = block();
        let ways: Vec<Block> = runners.iter().map(|_| block()).collect();
        let numbers = std::iter::once((0, went_on)).chain((1..).zip(ways.iter().copied()));
        self.choose(number, numbers, went_on);
        for (runner, &way) in runners.iter().zip(&ways) {
            module.at_end(way);
            let own = frames.record(self, module.add(row, x));
            let group = [2, 3, 4].map(|it| module.param(self.function, it));
            let range = self.run_box(runner.for_items_apart(), group, &bounds, own);
            self.note(&frames, row, (x, end), (range, runner.parts), any);
            module.br(went_on);
        }
        module.at_end(went_on);
        module.store(end, at, 8);
        let next_row = block();
        module.cond_br(module.icmp(Int::LLVMIntSLT, end, launch.local_size[0]), head, next_row);
        module.at_end(next_row);
        self.end_loop(&y, launch.local_size[1]);
        self.end_loop(&z, launch.local_size[2]);
        module.br(again);
        module.at_end(again);
        module.cond_br(module.int_eq(module.load(int, any, 4), zero), done, round);
        module.at_end(done);
        module.ret(None);
    }

    /// Returns the end of the range of items from `x` on that agree on `number`.
    fn end_of_range(&self, frames: &Frames, row: Val, x: Val, number: Val, size: Val) -> Val {
        let module = self.module();
        let block = || module.block(self.function);
        let (before, grow, look, ended) = (module.here(), block(), block(), block());
        let one_on = module.add(x, module.const_i64(1));
        module.br(grow);
        module.at_end(grow);
        let end = module.phi(module.int(64));
        module.add_incoming(end, one_on, before);
        module.cond_br(module.icmp(Int::LLVMIntSLT, end, size), look, ended);
        module.at_end(look);
        let other = module.load(module.int(32), frames.next_of(self, module.add(row, end)), 4);
        module.add_incoming(end, module.add(end, module.const_i64(1)), look);
        module.cond_br(module.int_eq(other, number), grow, ended);
        module.at_end(ended);
        end
    }

    /// Stores the number that a range of items goes on with, but for those that have returned, unless each has stored its
    /// own; notes in `any` whether one goes on.
    fn note(
        &self,
        frames: &Frames,
        row: Val,
        (from, to): (Val, Val),
        (range, parts): (Range, bool),
        any: Val,
    ) {
        let module = self.module();
        let block = || module.block(self.function);
        let int = module.int(32);
        module.store(module.or(module.load(int, any, 4), range.high), any, 4);
        let (before, fill, done) = (block(), block(), block());
        let agree = module.int_eq(range.low, range.high);
        if parts {
            module.cond_br(agree, before, done);
        } else {
            module.br(before);
        }
        module.at_end(before);
        module.br(fill);
        module.at_end(fill);
        let x = module.phi(module.int(64));
        module.add_incoming(x, from, before);
        let place = frames.next_of(self, module.add(row, x));
        let old = module.load(int, place, 4);
        let has_returned = module.and(module.int_eq(old, module.const_u32(0)), module.negated(agree));
        module.store(module.select(has_returned, old, range.high), place, 4);
        let next = module.add(x, module.const_i64(1));
        module.add_incoming(x, next, fill);
        module.cond_br(module.icmp(Int::LLVMIntSLT, next, to), fill, done);
        module.at_end(done);
    }
}

/// The frames of a group, column by column.
pub(super) struct Frames {
    pub(super) frame: Val,
    /// The number of items of the group.
    pub(super) items: Val,
    /// The column of the next regions.
    next: Val,
    /// The column of the records, and the bytes of one.
    records: Val,
    record_bytes: u32,
    /// The offset in a record of a byte for each region, which says whether an item goes on with it.
    flags: u32,
}

impl Frames {
    /// Returns the linear index of the first item of a row.
    fn row(&self, entry: &Entry<'_, '_>, launch: &Launch, y: Val, z: Val) -> Val {
        let module = entry.module();
        let [nx, ny, _] = launch.local_size;
        module.mul(module.add(module.mul(z, ny), y), nx)
    }

    /// Returns the address of an item's record.
    pub(super) fn record(&self, entry: &Entry<'_, '_>, item: Val) -> Val {
        let module = entry.module();
        module.gep_bytes(self.records, module.mul(item, module.const_i64(self.record_bytes.into())))
    }

    fn copy_record(&self, module: &llvm::Module, from: Val, to: Val) {
        for offset in (0..self.record_bytes.into()).step_by(8) {
            let word = module.load(module.int(64), module.field(from, offset), 8);
            module.store(word, module.field(to, offset), 8);
        }
    }

    /// Returns the address of the number of an item's next region.
    pub(super) fn next_of(&self, entry: &Entry<'_, '_>, item: Val) -> Val {
        let module = entry.module();
        module.gep(module.int(32), self.next, item)
    }
}
