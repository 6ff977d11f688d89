//! Meetings of warps: the notes of an item that comes to one, its results, and the run of warps that do not agree.
//!
//! A warp is 32 neighbours of a group in linear order, or as many as the imitated device has. While all items of a group agree,
//! all warps meet at once, between two regions: a pass over the warps makes masks of the bits that items give, and looks whether
//! the items of a warp wait for the same lanes. Once a group's items do not agree, each warp runs by itself up to the barrier of the
//! group, range by range of items that agree; its items meet as those on fibers do. When all items of the group wait at one barrier
//! again, with the same uniform values, the group goes on together.

use super::groups::{Bounds, Frames, Range, Runner};
use super::{Cut, Regions};
use crate::error::EmitError;
use crate::function::Emitter;
use crate::intrinsic::is_true_operand;
use crate::item_loops::{Loop, begin_loop, own_function};
use crate::kernel::{Entry, Launch};
use crate::llvm::{Block, Function, Module, Ty, Val};
use crate::unit::Unit;
use crate::value::Value;
use kiln_ir::{Intrinsic, IrCode, Op, Stmt, Value as Operand};
use kiln_types::ConstData;
use llvm_sys::LLVMIntPredicate as Int;
use llvm_sys::LLVMOpcode as Opcode;

/// Runs a warp up to the barrier of its group.
const WARP: &str = "entry.warp";
/// All warps of a group meet; followed by the number of the region after the meeting.
const MEET: &str = "entry.meet";
/// Lanes that a narrow mask names.
const NARROW: u32 = 32;
/// The bit of an item's number that says that it runs, and does not wait.
const RUNS: u32 = 1 << 31;
/// The number by which [`Entry::wake`] says that the items go on by themselves.
const APART: u32 = u32::MAX;

/// Whether the code of a function belongs to the source function of the entry.
pub(super) fn is_of_entry(symbol: &str) -> bool {
    symbol == WARP || symbol.starts_with(MEET)
}

/// A meeting of a warp.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Meeting {
    pub(crate) stmt: Stmt,
    /// The lanes that each item waits for, if that is a constant.
    mask: Option<u64>,
    /// Whether items may give `false`.
    votes: bool,
    /// Whether the value is used.
    pub(super) is_used: bool,
    /// The lanes that a mask names.
    width: u32,
}

impl Meeting {
    /// Returns the meeting that a statement is.
    pub(super) fn of(unit: &Unit<'_>, code: &IrCode, stmt: Stmt, is_used: bool) -> Option<Self> {
        let data = &code.stmts[stmt];
        let Op::Intrinsic(Intrinsic::WarpBarrier, args) = &data.op else { return None };
        let mask = match args.first()? {
            Operand::Const(it) => match unit.types.const_data(*it) {
                ConstData::Bits { bytes, .. } if bytes.len() <= 8 => {
                    Some(bytes.iter().rev().fold(0, |all, it| all << 8 | u64::from(*it)))
                }
                _ => None,
            },
            Operand::Stmt(_) | Operand::Arg(_) => None,
        };
        let votes = args.get(1).is_some_and(|it| !is_true_operand(unit.types, *it));
        let width = if data.ty == unit.types.core().uint64 { unit.options.lanes } else { NARROW };
        Some(Self { stmt, mask, votes, is_used, width })
    }

    /// Whether the warps of a group that agrees need do nothing to meet.
    fn is_plain(&self) -> bool {
        self.mask.is_some() && !self.is_loaded()
    }

    /// Whether the result is used, and is all lanes of a warp if its items agree.
    pub(super) fn gives_all_lanes(&self) -> bool {
        self.is_used && !self.votes
    }

    /// Whether items in step load the result from memory, rather than know it.
    fn is_loaded(&self) -> bool {
        self.is_used && self.votes
    }

    /// Returns the mask of the lanes of an item's warp. The last warp of a group may have fewer lanes than others.
    fn all_lanes(&self, module: &Module, items: Val, item: Val) -> Val {
        let (lanes, width) = (module.int(self.width), self.width);
        let left = module.binary(Opcode::LLVMURem, items, module.const_i64(width.into()));
        let full = module.const_int(lanes, u128::MAX >> (128 - width));
        let one = module.const_int(lanes, 1);
        let some = module.sub(module.binary(Opcode::LLVMShl, one, module.resize(left, lanes)), one);
        let is_whole = module.icmp(Int::LLVMIntULT, item, module.sub(items, left));
        // In groups of a known size this is a constant.
        let ends_whole = module.int_eq(left, module.const_i64(0));
        module.select(ends_whole, full, module.select(is_whole, full, some))
    }
}

/// The offsets of columns of frames: the masks of items that wait, their results, and the bit that they give.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Meetings {
    masks: u32,
    met: u32,
    bits: u32,
}

impl Meetings {
    /// The bytes of an item.
    pub(super) const BYTES: u32 = 24;

    pub(super) fn at(offset: u32) -> Self {
        Self { masks: offset, met: offset + 8, bits: offset + 16 }
    }
}

impl Emitter<'_, '_> {
    /// Loads the result of a meeting for an item.
    pub(super) fn met(&self, meeting: &Meeting) -> Result<Option<Value>, EmitError> {
        let (module, ty) = (self.module(), self.code().stmts[meeting.stmt].ty);
        if let Some(region) = self.region.filter(|it| it.in_step && meeting.gives_all_lanes()) {
            let all = meeting.all_lanes(module, region.items, region.item);
            return Ok(Some(self.register(ty, module.resize(all, self.mask_type(ty)?))));
        }
        let (lanes, bytes) = (module.int(self.unit.options.lanes), self.unit.options.lanes / 8);
        let Some(address) = self.meetings().and_then(|it| self.in_column(it.met, bytes)) else {
            return Ok(None);
        };
        let value = self.in_frame(|| module.load(lanes, address, bytes));
        Ok(Some(self.register(ty, module.resize(value, self.mask_type(ty)?))))
    }

    /// Stores for whom an item waits, and the bit that it gives.
    pub(super) fn note_meeting(&self, meeting: &Meeting) -> Result<(), EmitError> {
        let (module, columns) = (self.module(), self.meetings());
        let Op::Intrinsic(_, args) = &self.code().stmts[meeting.stmt].op else { return Ok(()) };
        let (mask, gives) = self.meeting_operands(args)?;
        let place = columns.and_then(|it| self.in_column(it.masks, 8)).filter(|_| meeting.mask.is_none());
        if let Some(address) = place {
            self.in_frame(|| module.store(mask, address, 8));
        }
        if let (Some(gives), Some(address)) = (gives, columns.and_then(|it| self.in_column(it.bits, 1))) {
            let bit = module.resize(gives, module.int(8));
            self.in_frame(|| module.store(bit, address, 1));
        }
        Ok(())
    }
}

/// The columns of a group whose warps meet.
struct Columns {
    masks: Val,
    met: Val,
    bits: Val,
}

/// A function that works on a group whose items do not agree.
struct Apart<'r> {
    regions: &'r Regions,
    launch: Launch,
    frames: Frames,
    columns: Columns,
}

impl Cut {
    /// Returns the meeting before the region that takes something to do.
    pub(super) fn pass(&self) -> Option<&Meeting> {
        self.meeting.as_ref().filter(|it| !it.is_plain())
    }
}

impl Entry<'_, '_> {
    fn columns(&self, frames: &Frames, meetings: Meetings) -> Columns {
        let module = self.module();
        let at = |offset: u32| {
            module.gep_bytes(frames.frame, module.mul(frames.items, module.const_i64(offset.into())))
        };
        Columns { masks: at(meetings.masks), met: at(meetings.met), bits: at(meetings.bits) }
    }

    fn apart<'r>(&self, regions: &'r Regions, meetings: Meetings) -> Apart<'r> {
        let launch = self.launch();
        let frames = self.frames(regions, &launch);
        let columns = self.columns(&frames, meetings);
        Apart { regions, launch, frames, columns }
    }

    fn block(&self) -> Block {
        self.module().block(self.function)
    }

    /// Emits the function by which all warps of a group meet, whose items have come to one meeting. It says whether the items
    /// of each warp wait for the same lanes.
    pub(super) fn meet(
        &self,
        regions: &Regions,
        number: u32,
        (meeting, meetings): (&Meeting, Meetings),
    ) -> Function {
        let (module, unit) = (self.module(), self.unit);
        let name = format!("{MEET}{number}");
        let function = own_function(module, &name, module.int(1), &[module.ptr()], &[]);
        let back = module.here();
        let entry = Entry { unit, function, parallel: false, args: Vec::new() };
        module.at_end(entry.block());
        let apart = module.alloca(module.int(1), 1);
        module.store(module.const_int(module.int(1), 0), apart, 1);
        let at = entry.apart(regions, meetings);
        let width = module.const_i64(meeting.width.into());
        let whole = module.binary(Opcode::LLVMUDiv, at.frames.items, width);
        let left = module.binary(Opcode::LLVMURem, at.frames.items, width);
        let zero = module.const_i64(0);
        let [some, rest, last, done] = [(); 4].map(|()| entry.block());
        module.cond_br(module.int_eq(whole, zero), rest, some);
        module.at_end(some);
        let it = begin_loop(module, function, module.const_u32(0));
        let first = module.mul(module.widen(it.counter), width);
        entry.meet_whole(&at.columns, meeting, first, apart);
        entry.end_loop(&it, whole);
        module.br(rest);
        module.at_end(rest);
        module.cond_br(module.int_eq(left, zero), done, last);
        module.at_end(last);
        entry.meet_ragged(&at.columns, meeting, (module.mul(whole, width), left), apart);
        module.br(done);
        module.at_end(done);
        let is_apart = module.load(module.int(1), apart, 1);
        module.ret(Some(module.negated(is_apart)));
        module.at_end(back);
        function
    }

    /// Makes the masks of a warp that has all its lanes.
    fn meet_whole(&self, columns: &Columns, meeting: &Meeting, first: Val, apart: Val) {
        let (module, width) = (self.module(), meeting.width);
        let (byte, long, bits) = (module.int(8), module.int(64), module.int(width));
        let mask_of = |lanes: Val| module.cast(Opcode::LLVMBitCast, lanes, bits);
        if meeting.mask.is_none() {
            let address = module.gep(long, columns.masks, first);
            let masks = module.load(module.vector(long, width), address, 8);
            let same = module.splat(module.lane(masks, module.const_u32(0)), width);
            let differ = mask_of(module.icmp(Int::LLVMIntNE, masks, same));
            self.note_apart(module.negated(module.int_eq(differ, module.zero(bits))), apart);
        }
        let mut met = module.const_int(bits, u128::MAX >> (128 - width));
        if meeting.votes {
            let ty = module.vector(byte, width);
            let given = module.load(ty, module.gep(byte, columns.bits, first), 1);
            met = mask_of(module.icmp(Int::LLVMIntNE, given, module.zero(ty)));
        }
        if meeting.is_loaded() {
            let each = module.splat(module.resize(met, self.lanes_type()), width);
            module.store(
                each,
                module.gep(self.lanes_type(), columns.met, first),
                self.unit.options.lanes / 8,
            );
        }
    }

    /// Makes the masks of the last warp, which has fewer lanes.
    fn meet_ragged(&self, columns: &Columns, meeting: &Meeting, (first, count): (Val, Val), apart: Val) {
        let (module, long) = (self.module(), self.module().int(64));
        let (zero, met) = (module.const_u32(0), module.alloca_in(self.function, long, 8));
        module.store(module.const_i64(0), met, 8);
        let masks = module.gep(long, columns.masks, first);
        let it = begin_loop(module, self.function, zero);
        let lane = module.widen(it.counter);
        if meeting.mask.is_none() {
            let mask = |at: Val| module.load(long, module.gep(long, masks, at), 8);
            let differ = module.negated(module.int_eq(mask(lane), mask(module.const_i64(0))));
            self.note_apart(differ, apart);
        }
        let item = module.add(first, lane);
        let bit = if meeting.votes { self.given(columns, item) } else { module.const_i64(1) };
        let bit = module.binary(Opcode::LLVMShl, bit, lane);
        module.store(module.or(module.load(long, met, 8), bit), met, 8);
        self.end_loop(&it, count);
        if meeting.is_loaded() {
            let it = begin_loop(module, self.function, zero);
            let item = module.add(first, module.widen(it.counter));
            self.store_met(columns, item, module.load(long, met, 8));
            self.end_loop(&it, count);
        }
    }

    /// Returns the integer with a bit for each lane.
    fn lanes_type(&self) -> Ty {
        self.module().int(self.unit.options.lanes)
    }

    /// Stores the result of a meeting for an item.
    fn store_met(&self, columns: &Columns, item: Val, met: Val) {
        let (module, lanes) = (self.module(), self.lanes_type());
        let address = module.gep(lanes, columns.met, item);
        module.store(module.resize(met, lanes), address, self.unit.options.lanes / 8);
    }

    fn note_apart(&self, differ: Val, apart: Val) {
        let module = self.module();
        module.store(module.or(module.load(module.int(1), apart, 1), differ), apart, 1);
    }

    /// Returns the bit that an item gives, an `i64`.
    fn given(&self, columns: &Columns, item: Val) -> Val {
        let module = self.module();
        let byte = module.load(module.int(8), module.gep(module.int(8), columns.bits, item), 1);
        module.resize(byte, module.int(64))
    }

    /// Emits the code that runs a group whose items do not agree, warp by warp, and returns the number of the region that they go on
    /// with together, or 0 if all have returned.
    pub(super) fn warp_by_warp(&self, regions: &Regions, runners: &[Runner], meetings: Meetings) {
        let (module, unit) = (self.module(), self.unit);
        let (ptr, long) = (module.ptr(), module.int(64));
        let params = [ptr, ptr, long, long, long, long, long];
        let warp = own_function(module, WARP, module.void(), &params, &["noinline", "cold"]);
        let entry = Entry { unit, function: warp, parallel: false, args: self.args.clone() };
        entry.one_warp(regions, runners, meetings);
        module.at_end(self.block());
        let at = self.apart(regions, meetings);
        let lanes = module.const_i64(unit.options.lanes.into());
        let more = module.add(at.frames.items, module.const_i64(i64::from(unit.options.lanes) - 1));
        let warps = module.binary(Opcode::LLVMUDiv, more, lanes);
        let [again, ended] = [(); 2].map(|()| self.block());
        module.br(again);
        module.at_end(again);
        let it = begin_loop(module, self.function, module.const_u32(0));
        let first = module.mul(module.widen(it.counter), lanes);
        let last = module.intrinsic("llvm.umin", &[long], &[module.add(first, lanes), at.frames.items]);
        let mut args: Vec<Val> = (0..5).map(|it| module.param(self.function, it)).collect();
        args.extend([first, last]);
        module.call(warp, &args);
        self.end_loop(&it, warps);
        let number = self.wake(&at);
        module.cond_br(module.int_eq(number, module.const_u32(APART)), again, ended);
        module.at_end(ended);
        module.ret(Some(number));
    }

    /// Lets the items go on from the barrier of the group: together, with the region whose number it returns, if all are at one
    /// barrier with the same uniform values.
    fn wake(&self, at: &Apart<'_>) -> Val {
        let (module, int) = (self.module(), self.module().int(32));
        let (any, same) = (module.alloca_in(self.function, int, 4), module.alloca_in(self.function, int, 4));
        let (none, one) = (module.const_u32(0), module.const_u32(1));
        module.store(none, any, 4);
        module.store(one, same, 4);
        let zero = module.const_i64(0);
        let number_of = |item: Val| module.load(int, at.frames.next_of(self, item), 4);
        let leader = number_of(zero);
        let it = begin_loop(module, self.function, none);
        let item = module.widen(it.counter);
        let number = number_of(item);
        module.store(module.or(module.load(int, any, 4), number), any, 4);
        let agrees = module.and(module.int_eq(number, leader), self.same_records(at, zero, item));
        module.store(module.and(module.load(int, same, 4), module.resize(agrees, int)), same, 4);
        self.end_loop(&it, at.frames.items);
        let [apart, wake, done] = [(); 3].map(|()| self.block());
        let is_over = module.int_eq(module.load(int, any, 4), none);
        let agree = module.int_eq(module.load(int, same, 4), one);
        let together = module.here();
        module.cond_br(module.or(is_over, agree), done, apart);
        module.at_end(apart);
        let it = begin_loop(module, self.function, none);
        let place = at.frames.next_of(self, module.widen(it.counter));
        let number = module.load(int, place, 4);
        let runs = module.or(number, module.const_u32(RUNS));
        module.store(module.select(module.int_eq(number, none), none, runs), place, 4);
        self.end_loop(&it, at.frames.items);
        module.br(wake);
        module.at_end(wake);
        module.br(done);
        module.at_end(done);
        let result = module.phi(int);
        // The number of the first item is 0 if all have returned.
        module.add_incoming(result, leader, together);
        module.add_incoming(result, module.const_u32(APART), wake);
        result
    }

    /// Whether two items have the same uniform values.
    fn same_records(&self, at: &Apart<'_>, a: Val, b: Val) -> Val {
        let (module, long) = (self.module(), self.module().int(64));
        let (a, b) = (at.frames.record(self, a), at.frames.record(self, b));
        let words = (0..at.regions.flags).step_by(8);
        words.fold(module.const_int(module.int(1), 1), |same, offset| {
            let word = |record: Val| module.load(long, module.field(record, offset.into()), 8);
            module.and(same, module.int_eq(word(a), word(b)))
        })
    }

    /// Emits [`WARP`]`(ctx, args, group..., first, last)`.
    fn one_warp(&self, regions: &Regions, runners: &[Runner], meetings: Meetings) {
        let module = self.module();
        let (long, int) = (module.int(64), module.int(32));
        module.at_end(self.block());
        let item = module.alloca(long, 8);
        let at = self.apart(regions, meetings);
        let (first, last) = (module.param(self.function, 5), module.param(self.function, 6));
        let [run, head, ready, skip, next, met, resume, done] = [(); 8].map(|()| self.block());
        module.br(run);
        module.at_end(run);
        module.store(first, item, 8);
        module.br(head);
        module.at_end(head);
        let from = module.load(long, item, 8);
        let number = module.load(int, at.frames.next_of(self, from), 4);
        module.cond_br(module.icmp(Int::LLVMIntUGE, number, module.const_u32(RUNS)), ready, skip);
        module.at_end(skip);
        module.store(module.add(from, module.const_i64(1)), item, 8);
        module.br(next);
        module.at_end(ready);
        let to = self.run_range(&at, runners, (from, last), number);
        module.store(to, item, 8);
        module.br(next);
        module.at_end(next);
        let is_before = module.icmp(Int::LLVMIntSLT, module.load(long, item, 8), last);
        module.cond_br(is_before, head, met);
        module.at_end(met);
        let lanes = self.meeting_lanes(&at, first, module.sub(last, first));
        module.cond_br(module.int_eq(lanes, module.const_i64(0)), done, resume);
        module.at_end(resume);
        self.resume(&at, (first, module.sub(last, first)), lanes);
        module.br(run);
        module.at_end(done);
        module.ret(None);
    }

    /// Runs the region of an item for the range from it on that agrees with it; returns the end of the range.
    fn run_range(&self, at: &Apart<'_>, runners: &[Runner], (from, last): (Val, Val), number: Val) -> Val {
        let module = self.module();
        let one = module.const_i64(1);
        let [nx, ny, _] = at.launch.local_size;
        let rows = module.binary(Opcode::LLVMUDiv, from, nx);
        let x = module.binary(Opcode::LLVMURem, from, nx);
        let (y, z) = (module.binary(Opcode::LLVMURem, rows, ny), module.binary(Opcode::LLVMUDiv, rows, ny));
        let row_end = module.add(from, module.sub(nx, x));
        let limit = module.intrinsic("llvm.umin", &[module.int(64)], &[last, row_end]);
        let end = self.end_of_agreement(at, (from, limit), number);
        let to_x = module.add(x, module.sub(end, from));
        let bounds = Bounds { from: [x, y, z], to: [to_x, module.add(y, one), module.add(z, one)] };
        let ways: Vec<Block> = runners.iter().map(|_| self.block()).collect();
        let went_on = self.block();
        let own = at.frames.record(self, from);
        let region = module.and(number, module.const_u32(!RUNS));
        self.choose(region, (1..).zip(ways.iter().copied()), went_on);
        for ((number, runner), &way) in (1..).zip(runners).zip(&ways) {
            module.at_end(way);
            let group = [2, 3, 4].map(|it| module.param(self.function, it));
            let range = match at.regions.cut(number).meeting {
                Some(it) if it.gives_all_lanes() => {
                    runner.run_after(self, &it, (at, from), (group, &bounds, own))
                }
                _ => self.run_box(runner.for_items_apart(), group, &bounds, own),
            };
            self.note_range(at, (from, end), (range, runner.parts));
            module.br(went_on);
        }
        module.at_end(went_on);
        end
    }

    /// Returns the end of the range of items that run the same region with the same uniform values.
    fn end_of_agreement(&self, at: &Apart<'_>, (from, limit): (Val, Val), number: Val) -> Val {
        let module = self.module();
        let [grow, look, ended] = [(); 3].map(|()| self.block());
        let (before, one) = (module.here(), module.const_i64(1));
        let first = module.add(from, one);
        module.br(grow);
        module.at_end(grow);
        let end = module.phi(module.int(64));
        module.add_incoming(end, first, before);
        module.cond_br(module.icmp(Int::LLVMIntSLT, end, limit), look, ended);
        module.at_end(look);
        let other = module.load(module.int(32), at.frames.next_of(self, end), 4);
        let agrees = module.and(module.int_eq(other, number), self.same_records(at, from, end));
        module.add_incoming(end, module.add(end, one), module.here());
        module.cond_br(agrees, grow, ended);
        module.at_end(ended);
        end
    }

    /// Stores the number that a range of items goes on with, but for those that have returned, and their uniform values, unless
    /// each has stored its own.
    fn note_range(&self, at: &Apart<'_>, (from, to): (Val, Val), (range, parts): (Range, bool)) {
        let (module, int) = (self.module(), self.module().int(32));
        let agree = module.int_eq(range.low, range.high);
        let [fill, done] = [(); 2].map(|()| self.block());
        module.cond_br(if parts { agree } else { module.const_int(module.int(1), 1) }, fill, done);
        module.at_end(fill);
        let it = begin_loop(module, self.function, module.const_u32(0));
        let item = module.add(from, module.widen(it.counter));
        let place = at.frames.next_of(self, item);
        let old = module.load(int, place, 4);
        let has_returned = module.and(module.int_eq(old, module.const_u32(0)), module.negated(agree));
        module.store(module.select(has_returned, old, range.high), place, 4);
        if !parts {
            let (first, own) = (at.frames.record(self, from), at.frames.record(self, item));
            for offset in (0..u64::from(at.regions.flags)).step_by(8) {
                let word = module.load(module.int(64), module.field(first, offset), 8);
                module.store(word, module.field(own, offset), 8);
            }
        }
        self.end_loop(&it, module.sub(to, from));
        module.br(done);
        module.at_end(done);
    }
}

impl Runner {
    /// Runs the region after a meeting for a range of items that have met: as items in step do, if all lanes of their warp have.
    fn run_after(
        &self,
        entry: &Entry<'_, '_>,
        meeting: &Meeting,
        (at, from): (&Apart<'_>, Val),
        (group, bounds, record): ([Val; 3], &Bounds, Val),
    ) -> Range {
        let (module, lanes) = (entry.module(), entry.lanes_type());
        let met = module.gep(lanes, at.columns.met, from);
        let met = module.load(lanes, met, entry.unit.options.lanes / 8);
        let all = module.resize(meeting.all_lanes(module, at.frames.items, from), lanes);
        let [whole, some, done] = [(); 3].map(|()| entry.block());
        module.cond_br(module.int_eq(met, all), whole, some);
        let ran = [(whole, self.function), (some, self.for_items_apart())].map(|(block, function)| {
            module.at_end(block);
            let range = entry.run_box(function, group, bounds, record);
            module.br(done);
            (range, module.here())
        });
        module.at_end(done);
        let joined = |part: fn(&Range) -> Val| {
            let phi = module.phi(module.int(32));
            for (range, block) in &ran {
                module.add_incoming(phi, part(range), *block);
            }
            phi
        };
        Range { low: joined(|it| it.low), high: joined(|it| it.high) }
    }
}

/// The lane of a warp as a loop passes over it.
struct Lane {
    item: Val,
    lane: Val,
    /// The number of its region.
    number: Val,
    /// Whether it waits at a meeting.
    waits: Val,
    /// The lanes that it waits for; 0: those at its place.
    wanted: Val,
    /// The first of the lanes that its mask may name.
    first: Val,
}

impl Entry<'_, '_> {
    fn begin_lanes(&self, at: &Apart<'_>, first: Val) -> (Loop, Lane) {
        let (module, long) = (self.module(), self.module().int(64));
        let it = begin_loop(module, self.function, module.const_u32(0));
        let lane = module.widen(it.counter);
        let item = module.add(first, lane);
        let number = module.load(module.int(32), at.frames.next_of(self, item), 4);
        let none = module.const_i64(0);
        let mut waits = module.const_int(module.int(1), 0);
        let mut wanted = module.load(long, module.gep(long, at.columns.masks, item), 8);
        let mut first = none;
        let half = module.and(lane, module.const_i64(NARROW.into()));
        for (number_of, meeting) in meetings_of(at.regions) {
            let is_it = module.int_eq(number, module.const_u32(number_of));
            waits = module.or(waits, is_it);
            if let Some(mask) = meeting.mask {
                wanted = module.select(is_it, module.const_i64(mask as i64), wanted);
            }
            if meeting.width < self.unit.options.lanes {
                first = module.select(is_it, half, first);
            }
        }
        let wanted = module.binary(Opcode::LLVMShl, wanted, first);
        (it, Lane { item, lane, number, waits, wanted, first })
    }

    /// Returns the lanes of a warp that meet, when each live item has stopped; 0 if all of them wait for the group. Items that
    /// wait with one mask meet when all live lanes of the mask do; else those at one place meet, the earliest, and then those whose
    /// mask names a lane that does not come: as on fibers.
    fn meeting_lanes(&self, at: &Apart<'_>, first: Val, count: Val) -> Val {
        let (module, long) = (self.module(), self.module().int(64));
        let slot = || module.alloca_in(self.function, long, 8);
        let [live, arrived, found, at_place, stuck, earliest] = [(); 6].map(|()| slot());
        let none = module.const_i64(0);
        module.store(module.const_i64(i64::MAX), earliest, 8);
        for it in [live, found, at_place, stuck] {
            module.store(none, it, 8);
        }
        let load = |it: Val| module.load(long, it, 8);
        let bit = |holds: Val, lane: Val| module.binary(Opcode::LLVMShl, module.resize(holds, long), lane);
        let (it, lane) = self.begin_lanes(at, first);
        let is_live = module.negated(module.int_eq(lane.number, module.const_u32(0)));
        module.store(module.or(load(live), bit(is_live, lane.lane)), live, 8);
        self.end_loop(&it, count);
        let (outer, lane) = self.begin_lanes(at, first);
        let [look, next] = [(); 2].map(|()| self.block());
        let is_open = module.and(lane.waits, module.int_eq(load(found), none));
        module.cond_br(is_open, look, next);
        module.at_end(look);
        module.store(none, arrived, 8);
        let (inner, other) = self.begin_lanes(at, first);
        let by_place = module.int_eq(lane.wanted, none);
        let same_place = module.and(
            module.int_eq(lane.number, other.number),
            module.and(module.int_eq(other.wanted, none), module.int_eq(lane.first, other.first)),
        );
        let same = module.select(by_place, same_place, module.int_eq(lane.wanted, other.wanted));
        let joins = bit(module.and(same, other.waits), other.lane);
        module.store(module.or(load(arrived), joins), arrived, 8);
        self.end_loop(&inner, count);
        let come = load(arrived);
        let missing = module.and(module.and(lane.wanted, load(live)), module.xor(come, module.const_i64(-1)));
        let is_whole = module.and(module.int_eq(missing, none), module.negated(by_place));
        module.store(module.select(is_whole, come, none), found, 8);
        let number = module.resize(lane.number, long);
        let is_earlier = module.and(by_place, module.icmp(Int::LLVMIntULT, number, load(earliest)));
        module.store(module.select(is_earlier, number, load(earliest)), earliest, 8);
        let is_stuck = module.and(module.negated(by_place), module.int_eq(load(stuck), none));
        for (slot, takes) in [(at_place, is_earlier), (stuck, is_stuck)] {
            module.store(module.select(takes, come, load(slot)), slot, 8);
        }
        module.br(next);
        module.at_end(next);
        self.end_loop(&outer, count);
        let or_else = |a: Val, b: Val| module.select(module.int_eq(a, none), b, a);
        or_else(load(found), or_else(load(at_place), load(stuck)))
    }

    /// Lets the lanes that have met go on, each with the bits that they give.
    fn resume(&self, at: &Apart<'_>, (first, count): (Val, Val), met: Val) {
        let (module, long) = (self.module(), self.module().int(64));
        let (none, one) = (module.const_i64(0), module.const_i64(1));
        let given = module.alloca_in(self.function, long, 8);
        module.store(none, given, 8);
        let of = |lane: Val| module.and(module.binary(Opcode::LLVMLShr, met, lane), one);
        let (it, lane) = self.begin_lanes(at, first);
        let mut bit = one;
        for (number, _) in meetings_of(at.regions).filter(|it| it.1.votes) {
            let is_it = module.int_eq(lane.number, module.const_u32(number));
            bit = module.select(is_it, self.given(&at.columns, lane.item), bit);
        }
        let bit = module.binary(Opcode::LLVMShl, module.and(bit, of(lane.lane)), lane.lane);
        module.store(module.or(module.load(long, given, 8), bit), given, 8);
        self.end_loop(&it, count);
        let (it, lane) = self.begin_lanes(at, first);
        let [goes_on, next] = [(); 2].map(|()| self.block());
        module.cond_br(module.int_eq(of(lane.lane), one), goes_on, next);
        module.at_end(goes_on);
        let given = module.binary(Opcode::LLVMLShr, module.load(long, given, 8), lane.first);
        self.store_met(&at.columns, lane.item, given);
        let runs = module.or(lane.number, module.const_u32(RUNS));
        module.store(runs, at.frames.next_of(self, lane.item), 4);
        module.br(next);
        module.at_end(next);
        self.end_loop(&it, count);
    }
}

/// Returns the meetings, by the numbers of the regions after them.
fn meetings_of(regions: &Regions) -> impl Iterator<Item = (u32, &Meeting)> {
    (1..).zip(&regions.cuts).filter_map(|(number, it)| Some((number, it.meeting.as_ref()?)))
}
