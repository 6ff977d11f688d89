//! Screened kernels: before each access, a comparison of the notes of its cells; see `kiln_unit::ScreenState`.
//!
//! Emission calls functions that do not exist yet, by names that say what the access is: the passes see calls that touch no
//! memory that they know, and may not return. The pass over items ([`vector`](crate::vector)) turns a call of one item into one of
//! a vector of items, under another name. [`define`] then gives all of them bodies, which are inlined.
//!
//! An access of a vector of items compares a vector of notes. Where the range of the site's slot does not hold the access, or
//! a note does not agree, the launcher decides, which knows all.

use super::shared_memory;
use crate::function::{Emitter, Mode};
use crate::item_loops::own_function;
use crate::llvm::{Block, Function, Module, Ty, Val};
use crate::unit::SharedUse;
use kiln_unit::{
    ACCESS_READ, ACCESS_SAME, ACCESS_SLOT_SHIFT, ACCESS_WRITE, DECLARED_LANES, DECLARED_SHARED,
    LaunchContext, NO_SCREEN_SLOT, ScreenSlot, ScreenState,
};
use llvm_sys::{LLVMIntPredicate as Int, LLVMOpcode as Op};
use std::mem::offset_of;

/// The beginning of the names of all functions.
const PREFIX: &str = "kiln.screen.";
/// An access of any size and kind: the launcher decides.
const ANY: &str = "kiln.screen.any";
/// Memory of the kind `DECLARED_*`.
const DECLARE: &str = "kiln.screen.declare";
/// Something that is not screened.
const SUSPECT: &str = "kiln.screen.suspect";
/// The call of the launcher where the comparison fails.
const SLOW: &str = "kiln.screen.slow";

/// The bytes of a note, and of the largest cell.
const NOTE: u32 = 4;
/// The bytes of accesses that are compared in place.
const SIZES: [u32; 6] = [1, 2, 4, 8, 12, 16];

/// The attributes of functions that stand for work of the launcher.
const OPAQUE: [&str; 1] = ["nounwind"];

/// The form of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Of one item.
    One,
    /// Of several items, at one address.
    Same,
    /// Of this many items, one after the other.
    Row(u32),
}

/// A function that compares notes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Comparison {
    pub(crate) writes: bool,
    /// Of the access of one item.
    pub(crate) bytes: u32,
    pub(crate) form: Form,
}

impl Comparison {
    /// Returns the comparison of this name.
    pub(crate) fn of_name(name: &str) -> Option<Self> {
        let mut parts = name.strip_prefix(PREFIX)?.split('.');
        let writes = match parts.next()? {
            "write" => true,
            "read" => false,
            _ => return None,
        };
        let bytes = parts.next()?.parse().ok()?;
        let form = match parts.next() {
            None => Form::One,
            Some("same") => Form::Same,
            Some(lanes) => Form::Row(lanes.parse().ok()?),
        };
        Some(Self { writes, bytes, form })
    }

    /// The bytes of a cell, which has notes of its own.
    fn cell_bytes(self) -> u32 {
        self.bytes.min(NOTE)
    }

    /// The cells of the access of one item.
    fn cells(self) -> u32 {
        self.bytes / self.cell_bytes()
    }

    fn name(self) -> String {
        let kind = if self.writes { "write" } else { "read" };
        let form = match self.form {
            Form::One => String::new(),
            Form::Same => ".same".to_owned(),
            Form::Row(lanes) => format!(".{lanes}"),
        };
        format!("{PREFIX}{kind}.{}{form}", self.bytes)
    }

    /// Declares the function: of the context, the address, the slot, the first item, and the lanes or their mask.
    pub(crate) fn declared(self, module: &Module) -> Function {
        let (ptr, int) = (module.ptr(), module.int(32));
        let mut params = vec![ptr, ptr, int, int];
        match self.form {
            Form::One => {}
            Form::Same => params.push(module.int(64)),
            Form::Row(lanes) => params.push(lanes_type(module, 1, lanes)),
        }
        opaque(module, &self.name(), &params)
    }
}

/// Whether a call is one that screened kernels make.
pub(crate) fn is_of_screen(name: &str) -> bool {
    name.starts_with(PREFIX)
}

/// Declares a function that touches no memory that LLVM knows.
fn opaque(module: &Module, name: &str, params: &[Ty]) -> Function {
    let function = module.declared(name, module.void(), params, &OPAQUE);
    module.touches_nothing_known(function);
    function
}

fn lanes_type(module: &Module, bits: u32, lanes: u32) -> Ty {
    module.type_of(module.splat(module.const_int(module.int(bits), 0), lanes))
}

/// The calls of the screen in the function being emitted.
#[derive(Clone, Copy)]
pub(crate) struct ScreenCalls<'e, 'u, 'a>(pub(crate) &'e Emitter<'u, 'a>);

impl ScreenCalls<'_, '_, '_> {
    /// Emits the comparison of an access to `bytes` bytes.
    pub(crate) fn access(self, address: Val, bytes: u32, access: u32) {
        let module = self.0.module();
        if bytes == 0 || self.0.mode == Mode::Replay {
            return;
        }
        let writes = access & ACCESS_WRITE != 0;
        if !SIZES.contains(&bytes) {
            return self.any(address, module.const_i64(bytes.into()), access);
        }
        let comparison = Comparison { writes, bytes, form: Form::One };
        let function = comparison.declared(module);
        let slot = module.const_u32(shared_memory::next_slot(self.0.unit, comparison.cell_bytes(), writes));
        module.call(function, &[self.0.state().ctx(), address, slot, self.item()]);
    }

    /// Emits a call of the launcher for an access.
    pub(crate) fn any(self, address: Val, bytes: Val, access: u32) {
        let module = self.0.module();
        if self.0.mode == Mode::Replay {
            return;
        }
        let (ptr, int) = (module.ptr(), module.int(32));
        let function = opaque(module, ANY, &[ptr, ptr, module.int(64), int, int]);
        let access = access | NO_SCREEN_SLOT << ACCESS_SLOT_SHIFT;
        let arguments = [self.0.state().ctx(), address, bytes, module.const_u32(access), self.item()];
        module.call(function, &arguments);
    }

    /// Emits the declaration of memory.
    pub(crate) fn declare(self, address: Val, bytes: Val, kind: u32) {
        let module = self.0.module();
        let (ptr, int) = (module.ptr(), module.int(32));
        let function = opaque(module, DECLARE, &[ptr, ptr, module.int(64), int]);
        module.call(function, &[self.0.state().ctx(), address, bytes, module.const_u32(kind)]);
    }

    /// Emits the end of a launch: later accesses are not screened.
    pub(crate) fn suspect(self) {
        let module = self.0.module();
        module.call(opaque(module, SUSPECT, &[module.ptr()]), &[self.0.state().ctx()]);
    }

    /// Returns the linear index of the item in its group.
    fn item(self) -> Val {
        let (module, state) = (self.0.module(), self.0.state());
        let [x, y, z] = [0, 1, 2].map(|it| state.local_id(it));
        let rows = module.add(module.mul(z, state.local_size(1)), y);
        let item = module.add(module.mul(rows, state.local_size(0)), x);
        module.resize(item, module.int(32))
    }
}

impl crate::kernel::Entry<'_, '_> {
    /// Emits a call of a function of the screen that takes the context alone.
    fn tell(&self, offset: usize) {
        let module = self.module();
        let ctx = module.param(self.function, 0);
        let function = state_function(module, ctx, offset);
        module.call_pointer(function, module.void(), &[module.ptr()], &[ctx]);
    }

    /// Emits the note that a group begins.
    pub(crate) fn screen_group(&self) {
        if self.unit.screens {
            self.tell(offset_of!(ScreenState, begin_group));
        }
    }

    /// Emits the note that all items of a group have met at a barrier.
    pub(crate) fn screen_epoch(&self) {
        if self.unit.screens {
            self.tell(offset_of!(ScreenState, begin_epoch));
        }
    }

    /// Emits the end of a launch whose items did not meet.
    pub(crate) fn screen_parting(&self) {
        if self.unit.screens {
            self.tell(offset_of!(ScreenState, suspect));
        }
    }

    /// Emits the declarations of the blocks of shared memory.
    pub(crate) fn screen_blocks(&self, shared: Val) {
        if !self.unit.screens {
            return;
        }
        let module = self.module();
        let ctx = module.param(self.function, 0);
        let (ptr, long, int) = (module.ptr(), module.int(64), module.int(32));
        for block in self.unit.shared.borrow().iter().filter(|it| !it.is_written) {
            let address = module.gep_bytes(shared, shared_memory::value(self.unit, block.offset));
            let function = state_function(module, ctx, offset_of!(ScreenState, declare));
            let is_of_lanes = block.of == SharedUse::Lanes;
            let kind = module.const_u32(if is_of_lanes { DECLARED_LANES } else { DECLARED_SHARED });
            let arguments = [ctx, address, module.const_i64(block.bytes as i64), kind];
            module.call_pointer(function, module.void(), &[ptr, ptr, long, int], &arguments);
        }
    }
}

/// Loads the state of the screen.
fn state(module: &Module, ctx: Val) -> Val {
    let at = module.field(ctx, offset_of!(LaunchContext, screen) as u64);
    module.invariant(module.load(module.ptr(), at, 8))
}

/// Loads the function at an offset of the state.
fn state_function(module: &Module, ctx: Val, offset: usize) -> Val {
    module.invariant(module.load(module.ptr(), module.field(state(module, ctx), offset as u64), 8))
}

/// Gives the functions of the screen bodies; returns whether there are any.
pub(crate) fn define(module: &Module) -> bool {
    let declared: Vec<Function> = module.declarations(PREFIX);
    if declared.is_empty() {
        return false;
    }
    let slow = define_slow(module);
    for function in declared {
        module.forgets_what_it_touches(function);
        module.set_internal(function);
        module.at_end(module.block(function));
        let param = |at| module.param(function, at);
        let name = module.name_of(function);
        let (ptr, int, long) = (module.ptr(), module.int(32), module.int(64));
        match (name.as_str(), Comparison::of_name(&name)) {
            (_, Some(it)) => {
                module.set_attribute(function, "alwaysinline");
                Body { module, function, it, slow }.emit();
            }
            (ANY, _) => {
                module.set_attribute(function, "noinline");
                let lanes = module.const_i64(1);
                module.call(slow, &[param(0), param(1), param(2), param(3), param(4), lanes]);
                module.ret(None);
            }
            (DECLARE, _) => {
                module.set_attribute(function, "noinline");
                let called = state_function(module, param(0), offset_of!(ScreenState, declare));
                let arguments = [0, 1, 2, 3].map(param);
                module.call_pointer(called, module.void(), &[ptr, ptr, long, int], &arguments);
                module.ret(None);
            }
            _ => {
                module.set_attribute(function, "noinline");
                let called = state_function(module, param(0), offset_of!(ScreenState, suspect));
                module.call_pointer(called, module.void(), &[ptr], &[param(0)]);
                module.ret(None);
            }
        }
    }
    true
}

/// Defines the function that calls the launcher.
fn define_slow(module: &Module) -> Function {
    let (ptr, long, int) = (module.ptr(), module.int(64), module.int(32));
    let params = [ptr, ptr, long, int, int, long];
    let slow = own_function(module, SLOW, module.void(), &params, &["noinline", "cold"]);
    module.at_end(module.block(slow));
    let arguments = [0, 1, 2, 3, 4, 5].map(|it| module.param(slow, it));
    let called = state_function(module, arguments[0], offset_of!(ScreenState, check));
    module.call_pointer(called, module.void(), &params, &arguments);
    module.ret(None);
    slow
}

/// The notes that accesses are compared with.
struct Bounds {
    epoch: Val,
    group: Val,
    launch: Val,
}

/// The body of a comparison.
struct Body<'m> {
    module: &'m Module,
    function: Function,
    it: Comparison,
    slow: Function,
}

impl Body<'_> {
    fn lanes(&self) -> u32 {
        if let Form::Row(lanes) = self.it.form { lanes } else { 1 }
    }

    /// Returns a vector of one number for each cell.
    fn splat(&self, number: Val) -> Val {
        self.module.splat(number, self.lanes() * self.it.cells())
    }

    /// Emits the look into the slot of the site; goes on in `to`, where it holds the access, or asks. Returns the slot, and the
    /// addresses of the notes of the first cell's writer and reader.
    fn look_up(&self, state: Val, (to, ask): (Block, Block)) -> (Val, [Val; 2]) {
        let module = self.module;
        let param = |at| module.param(self.function, at);
        let long = module.int(64);
        let stride = module.const_i64(size_of::<ScreenSlot>() as i64);
        let at = module.mul(module.resize(param(2), long), stride);
        let slot = module.field(module.gep_bytes(state, at), offset_of!(ScreenState, slots) as u64);
        let word = |offset: usize, ty| module.load(ty, module.field(slot, offset as u64), 8);
        let start = word(offset_of!(ScreenSlot, start), long);
        let bytes = word(offset_of!(ScreenSlot, bytes), long);
        let address = module.cast(Op::LLVMPtrToInt, param(1), long);
        let offset = module.sub(address, start);
        let total = i64::from(self.lanes() * self.it.bytes);
        let end = module.add(offset, module.const_i64(total));
        let begins = module.icmp(Int::LLVMIntULT, offset, bytes);
        let ends = module.icmp(Int::LLVMIntULE, end, bytes);
        let rest = module.and(offset, module.const_i64(i64::from(self.it.cell_bytes()) - 1));
        let is_aligned = module.int_eq(rest, module.const_i64(0));
        module.cond_br(module.and(module.and(begins, ends), is_aligned), to, ask);

        module.at_end(to);
        let scale = module.const_i64(i64::from((NOTE / self.it.cell_bytes()).ilog2()));
        let offset = module.binary(Op::LLVMShl, offset, scale);
        let notes = [offset_of!(ScreenSlot, written), offset_of!(ScreenSlot, read)];
        (slot, notes.map(|it| module.gep_bytes(word(it, module.ptr()), offset)))
    }

    fn emit(&self) {
        let (module, function) = (self.module, self.function);
        let block = || module.block(function);
        let (inside, update, slow, done): (Block, Block, Block, Block) = (block(), block(), block(), block());
        let state = state(module, module.param(function, 0));
        let (slot, [written_at, read_at]) = self.look_up(state, (inside, slow));
        let int = module.int(32);
        let half = |offset: usize| module.load(int, module.field(slot, offset as u64), 4);
        let notes = module.type_of(self.splat(module.const_u32(0)));
        let number = |offset: usize| module.load(int, module.field(state, offset as u64), 4);
        let bounds = Bounds {
            epoch: number(offset_of!(ScreenState, epoch)),
            group: number(offset_of!(ScreenState, group)),
            launch: number(offset_of!(ScreenState, launch)),
        };
        let read = module.load(notes, read_at, NOTE);
        let mask = self.mask();
        if !self.it.writes {
            let is_unwritten = half(offset_of!(ScreenSlot, is_unwritten));
            let is_unwritten = module.int_eq(is_unwritten, module.const_u32(1));
            let changes_nothing = self.all(self.is_of_several(&bounds, read), mask);
            let compare = block();
            module.cond_br(module.and(is_unwritten, changes_nothing), done, compare);
            module.at_end(compare);
        }
        let written = module.load(notes, written_at, NOTE);
        let (own, is_one) = self.own(&bounds);
        let old_writes = half(offset_of!(ScreenSlot, old_writes));
        let old_reads = half(offset_of!(ScreenSlot, old_reads));
        let is_own = module.int_eq(read, own);
        let settled = module.or(self.comes_before(&bounds, read, old_reads), is_own);
        let mut agrees =
            module.or(self.comes_before(&bounds, written, old_writes), module.int_eq(written, own));
        if self.it.writes {
            agrees = module.and(agrees, settled);
        }
        let mut all = self.all(agrees, mask);
        if let (true, Some(is_one)) = (self.it.writes, is_one) {
            all = module.and(all, is_one);
        }
        module.cond_br(all, update, slow);

        module.at_end(update);
        let (new, old, at) = if self.it.writes {
            (own, written, written_at)
        } else {
            let is_of_epoch = module.icmp(Int::LLVMIntUGE, read, self.splat(bounds.epoch));
            let several = module.select(is_of_epoch, self.splat(bounds.epoch), self.splat(bounds.launch));
            (module.select(settled, own, several), read, read_at)
        };
        let new = mask.map_or(new, |mask| module.select(mask, new, old));
        module.store(new, at, NOTE);
        module.br(done);

        module.at_end(done);
        module.ret(None);

        self.ask(slow);
    }

    /// Whether something holds for all cells of the lanes that make the access.
    fn all(&self, holds: Val, mask: Option<Val>) -> Val {
        let module = self.module;
        let holds = mask.map_or(holds, |mask| module.or(holds, module.negated(mask)));
        module.intrinsic("llvm.vector.reduce.and", &[module.type_of(holds)], &[holds])
    }

    /// Whether notes of readers stand for several items of this epoch, or of the launch: another read leaves them so.
    fn is_of_several(&self, bounds: &Bounds, notes: Val) -> Val {
        let module = self.module;
        let is_of_launch = module.int_eq(notes, self.splat(bounds.launch));
        module.or(is_of_launch, module.int_eq(notes, self.splat(bounds.epoch)))
    }

    /// Emits the call of the launcher, where the comparison fails.
    fn ask(&self, slow: Block) {
        let module = self.module;
        let param = |at| module.param(self.function, at);
        module.at_end(slow);
        let access = if self.it.writes { ACCESS_WRITE } else { ACCESS_READ };
        let access = access | if self.it.form == Form::Same { ACCESS_SAME } else { 0 };
        let slot = module.binary(Op::LLVMShl, param(2), module.const_u32(ACCESS_SLOT_SHIFT));
        let access = module.or(slot, module.const_u32(access));
        let bytes = module.const_i64(i64::from(self.it.bytes));
        module.call(self.slow, &[param(0), param(1), bytes, access, param(3), self.lane_bits()]);
        module.ret(None);
    }

    /// Returns the number of each cell's item; for several items at one address, the number that stands for several if it is
    /// not one, and whether it is.
    fn own(&self, bounds: &Bounds) -> (Val, Option<Val>) {
        let (module, function) = (self.module, self.function);
        let first = module.add(module.add(bounds.epoch, module.const_u32(1)), module.param(function, 3));
        match self.it.form {
            Form::One => (self.splat(first), None),
            Form::Same => {
                let (bits, long) = (module.param(function, 4), module.int(64));
                let others = module.and(bits, module.sub(bits, module.const_i64(1)));
                let is_one = module.int_eq(others, module.const_i64(0));
                let is_zero_poison = module.const_int(module.int(1), 0);
                let lane = module.intrinsic("llvm.cttz", &[long], &[bits, is_zero_poison]);
                let only = module.add(first, module.resize(lane, module.int(32)));
                (self.splat(module.select(is_one, only, bounds.epoch)), Some(is_one))
            }
            Form::Row(lanes) => {
                let steps: Vec<Val> =
                    (0..lanes * self.it.cells()).map(|it| module.const_u32(it / self.it.cells())).collect();
                (module.add(self.splat(first), module.const_vector(&steps)), None)
            }
        }
    }

    /// Whether notes are of accesses that come before this one: they are old, or of earlier epochs of the group.
    fn comes_before(&self, bounds: &Bounds, notes: Val, old: Val) -> Val {
        let module = self.module;
        let is_old = module.icmp(Int::LLVMIntULT, notes, self.splat(old));
        let since = module.sub(notes, self.splat(bounds.group));
        let until = self.splat(module.sub(bounds.epoch, bounds.group));
        module.or(is_old, module.icmp(Int::LLVMIntULT, since, until))
    }

    /// Returns the mask of a row, for each cell.
    fn mask(&self) -> Option<Val> {
        let Form::Row(lanes) = self.it.form else { return None };
        let mask = self.module.param(self.function, 4);
        let order: Vec<u32> = (0..lanes * self.it.cells()).map(|it| it / self.it.cells()).collect();
        Some(if self.it.cells() == 1 { mask } else { self.module.shuffle(mask, &order) })
    }

    /// Returns a bit for each lane that makes the access.
    fn lane_bits(&self) -> Val {
        let (module, function) = (self.module, self.function);
        match self.it.form {
            Form::One => module.const_i64(1),
            Form::Same => module.param(function, 4),
            Form::Row(lanes) => {
                let bits = module.cast(Op::LLVMBitCast, module.param(function, 4), module.int(lanes));
                module.resize(bits, module.int(64))
            }
        }
    }
}
