//! The unit's entry, which the host or the launcher calls.
//!
//! A kernel without barriers loops over groups and items around the inlined body: see
//! [`item_loops`](crate::item_loops). A kernel with barriers loops over the items between two barriers: see
//! [`regions`](crate::regions). One that cannot be cut so runs one item, on a fiber. A function runs once.

use crate::error::{EmitError, TypeRole, Unsupported};
use crate::function::{Emitter, Mode};
use crate::item_state::ItemState;
use crate::llvm::{Function, Module, Val};
use crate::regions::Regions;
use crate::unit::Unit;
use crate::{analysis, signatures};
use cranelift_entity::EntitySet;
use kiln_ir::{Block, Cfg, Op};
use kiln_targets::Items;
use kiln_types::{Type, display};
use kiln_unit::{EntryKind, LaunchContext, LinkInfo, OperandPlace};
use std::mem::offset_of;

/// The entry's symbol.
pub(crate) const ENTRY: &str = "entry";

/// Returns the mode in which the body of the entry function is emitted.
pub(crate) fn mode(unit: &Unit<'_>) -> Mode {
    let has_item_loop = unit.device.is_none() && !unit.checks.any();
    if unit.range_checks.is_none() && has_item_loop { item_loop_mode(unit) } else { Mode::Record }
}

/// Returns the mode in which the body in the item loop is emitted.
pub(crate) fn item_loop_mode(unit: &Unit<'_>) -> Mode {
    let it = unit.traits[0];
    // Without the checks that a range answers for: of calls, the function's traits know which fail.
    let may_fail = it.may_fail && unit.range_checks.as_ref().is_none_or(|it| it.may_fail);
    let plain = !it.has_loop && !it.has_atomics && !it.has_private && !it.has_barrier && !it.reports;
    let quiet = may_fail && plain;
    let runs_twice = || calls_are_pure(unit) && fails_before_it_writes(unit);
    if unit.entry == EntryKind::Kernel && quiet && runs_twice() { Mode::Quiet } else { Mode::Record }
}

/// Whether an item writes nothing before the last place where it may fail: run again, it reads what it has read. The body has no
/// loops; a cycle with two entries counts as one that does not.
fn fails_before_it_writes(unit: &Unit<'_>) -> bool {
    let (code, types) = (&unit.sources[0].code, unit.types);
    let cfg = Cfg::new(code);
    let (mut after_writes, mut seen): (EntitySet<Block>, EntitySet<Block>) = Default::default();
    let is_left = |it: &Block| unit.range_checks.as_ref().is_none_or(|checks| checks.is_reachable(*it));
    for &block in cfg.reverse_postorder.iter().filter(|it| is_left(it)) {
        let mut has_written = after_writes.contains(block);
        for &stmt in &code.blocks[block].stmts {
            let data = &code.stmts[stmt];
            let is_call = matches!(data.op, Op::Invoke(..)); // none of them fails or writes
            if has_written && !is_call && analysis::may_fail(code, data, types) {
                return false;
            }
            has_written |= analysis::writes(data, types);
        }
        seen.insert(block);
        for next in code.terminator(block).successors() {
            if seen.contains(next) {
                return false;
            }
            if has_written {
                after_writes.insert(next);
            }
        }
    }
    true
}

/// Whether the entry's callees can run twice and cannot fail.
fn calls_are_pure(unit: &Unit<'_>) -> bool {
    let source = &unit.sources[0];
    source.code.stmts.values().all(|it| {
        let Op::Invoke(instance, _) = &it.op else { return true };
        let callee = source.callees.get(instance.as_u32() as usize);
        callee.is_some_and(|it| {
            let callee = unit.traits[*it as usize];
            !callee.writes && !callee.may_fail
        })
    })
}

/// Whether the item loop may treat accesses of different items as independent. It may not if items have memory whose
/// address the loop shares, or if they synchronize or report.
pub(crate) fn is_parallel(unit: &Unit<'_>) -> bool {
    let it = unit.traits[0];
    let loops = unit.entry == EntryKind::Kernel && unit.device.is_none() && !unit.checks.any();
    loops && !it.has_private && !it.has_atomics && !it.has_barrier && !it.reports
}

/// Whether the code of a function belongs to the source function of the entry.
pub(crate) fn is_of_entry(symbol: &str) -> bool {
    crate::item_loops::is_of_entry(symbol) || crate::regions::is_of_entry(symbol)
}

/// Emits the entry and describes its arguments.
pub(crate) fn emit(unit: &Unit<'_>, regions: Option<&Regions>, link: &mut LinkInfo) -> Result<(), EmitError> {
    if unit.entry == EntryKind::Body {
        return Ok(()); // called by units that know the signature
    }
    link.entry = ENTRY.into();
    describe_args(unit, link)?;
    if let Some(device) = unit.device {
        return crate::device_entry::emit(unit, device, link);
    }
    let args = link.args.clone();
    let module = unit.module;
    let (ptr, int, void) = (module.ptr(), module.int(64), module.void());
    let barrier = unit.traits[0].has_barrier;
    let is_kernel = unit.entry == EntryKind::Kernel;
    link.has_barrier = barrier && is_kernel && regions.is_none();
    link.lanes = unit.options.lanes;
    link.is_checked = is_kernel && unit.checks.any();
    link.is_screened = is_kernel && unit.screens;
    link.waits = link.is_checked && (barrier || unit.traits[0].has_atomics);
    link.frame_bytes = regions.map_or(0, |it| it.bytes);
    link.group_size = unit.options.group_size.filter(|_| is_kernel);
    link.reports = unit.traits[0].reports;
    link.allocates = unit.traits[0].allocates;
    match unit.entry {
        EntryKind::Function => {
            let entry = module.function(ENTRY, module.int(32), &[ptr, ptr, ptr]);
            begin(module, entry);
            Entry { unit, function: entry, parallel: false, args }.call_function()
        }
        EntryKind::Body => Ok(()),
        EntryKind::Kernel if let Some(regions) = regions => {
            let entry = module.function(ENTRY, void, &[ptr, ptr, int, int]);
            begin(module, entry);
            Entry { unit, function: entry, parallel: false, args }.regions(regions)
        }
        EntryKind::Kernel if barrier || link.is_checked => {
            let entry = module.function(ENTRY, void, &[ptr, ptr, int, int, int]);
            begin(module, entry);
            Entry { unit, function: entry, parallel: false, args }.one_item()
        }
        EntryKind::Kernel => {
            let entry = module.function(ENTRY, void, &[ptr, ptr, int, int]);
            begin(module, entry);
            Entry { unit, function: entry, parallel: is_parallel(unit), args }.groups()
        }
    }
}

/// Begins a function that the host or a launcher calls.
pub(crate) fn begin(module: &Module, entry: Function) {
    module.set_attribute(entry, "nounwind");
    module.at_end(module.block(entry));
}

fn describe_args(unit: &Unit<'_>, link: &mut LinkInfo) -> Result<(), EmitError> {
    let types = unit.types;
    let code = &unit.sources[0].code;
    let (mut end, mut align) = (0u32, 1u32);
    for &ty in &code.args {
        let shape = unit.shapes.of(ty)?;
        let offset = end.next_multiple_of(shape.align.max(1));
        link.args.push(OperandPlace { offset, size: shape.size });
        end = offset + shape.size;
        align = align.max(shape.align);
    }
    (link.args_bytes, link.args_align) = (end.next_multiple_of(align), align);
    if unit.entry == EntryKind::Function {
        link.result_bytes = unit.shapes.of(code.return_type)?.size;
    } else if unit.facts.items != Items::None && unit.shapes.of(code.return_type)?.llvm.is_some() {
        return Err(Unsupported::of_type(TypeRole::KernelResult, display::of_type(types, code.return_type)));
    }
    Ok(())
}

/// The entry being emitted.
pub(crate) struct Entry<'u, 'a> {
    pub(crate) unit: &'u Unit<'a>,
    pub(crate) function: Function,
    /// Whether accesses of different items are independent.
    pub(crate) parallel: bool,
    /// The layout of the arguments in the block that is its second parameter.
    pub(crate) args: Vec<OperandPlace>,
}

/// Launches have at least one item, and less than 2^31 groups or items of a group in each dimension.
const SIZES: std::ops::Range<i64> = 1..1 << 31;

impl<'u, 'a> Entry<'u, 'a> {
    pub(crate) fn module(&self) -> &'a Module {
        self.unit.module
    }

    /// Returns an emitter for code in the entry itself.
    pub(crate) fn emitter(&self) -> Emitter<'u, 'a> {
        Emitter::new(self.unit, 0, self.function, Mode::Record)
    }

    /// Loads the arguments of the body from the block `args` points to, once and before any loop. These accesses are
    /// not marked as the loop's are. The block need not be aligned.
    pub(crate) fn load_args(&self) -> Result<Vec<Val>, EmitError> {
        let module = self.module();
        let base = module.param(self.function, 1);
        let mut values = Vec::new();
        for (&ty, place) in self.unit.sources[0].code.args.iter().zip(&self.args) {
            let shape = self.unit.shapes.of(ty)?;
            if shape.llvm.is_some() {
                let address = module.field(base, place.offset.into());
                let value = self.emitter().load_shape(&shape, address, 1)?;
                crate::host::note_object(self.unit, ty, value);
                values.push(value);
            }
        }
        Ok(values)
    }

    fn context_ints(&self, offset: usize, range: std::ops::Range<i64>) -> [Val; 3] {
        let module = self.module();
        std::array::from_fn(|dim| {
            let at = module.field(module.param(self.function, 0), (offset + 8 * dim) as u64);
            module.load_within(at, range.clone())
        })
    }

    /// The same for facts that all groups of a launch share: nothing writes them while its code runs.
    fn launch_ints(&self, offset: usize) -> [Val; 3] {
        self.context_ints(offset, SIZES).map(|it| self.module().invariant(it))
    }

    fn context_pointer(&self, offset: usize) -> Val {
        let module = self.module();
        let at = module.field(module.param(self.function, 0), offset as u64);
        module.invariant(module.load(module.ptr(), at, 8))
    }

    /// Loads the state except group and item.
    pub(crate) fn launch(&self) -> Launch {
        Launch {
            ctx: self.module().param(self.function, 0),
            num_groups: self.launch_ints(offset_of!(LaunchContext, num_groups)),
            local_size: match self.unit.options.group_size {
                Some(size) => size.map(|it| self.module().const_i64(it.into())),
                None => self.launch_ints(offset_of!(LaunchContext, local_size)),
            },
            shared: self.context_pointer(offset_of!(LaunchContext, shared)),
            dynamic_shared: self.context_pointer(offset_of!(LaunchContext, dynamic_shared)),
        }
    }

    /// Calls the body; returns its site, if it has one, and its value.
    pub(crate) fn call_body(
        &self,
        body: Function,
        state: ItemState,
        args: &[Val],
    ) -> (Option<Val>, Option<Val>) {
        let module = self.module();
        let traits = self.unit.traits[0];
        let mut values =
            if traits.needs_state { signatures::passed_state(self.unit, &state) } else { Vec::new() };
        values.extend(args);
        let result = module.call(body, &values);
        let return_type: Type = self.unit.sources[0].code.return_type;
        let has_value = self.unit.shapes.of(return_type).is_ok_and(|it| it.llvm.is_some());
        match (has_value, traits.may_fail) {
            (true, true) => (Some(module.extract(result, 1)), Some(module.extract(result, 0))),
            (true, false) => (None, Some(result)),
            (false, true) => (Some(result), None),
            (false, false) => (None, None),
        }
    }

    fn call_function(&self) -> Result<(), EmitError> {
        let module = self.module();
        let args = self.load_args()?;
        let zero = [module.const_i64(0); 3];
        let (site, value) = self.call_body(self.unit.functions[0], self.launch().state(zero, zero), &args);
        if let Some(value) = value {
            let shape = self.unit.shapes.of(self.unit.sources[0].code.return_type)?;
            let out = module.param(self.function, 2);
            if let Some(site) = site {
                let (write, done) = (module.block(self.function), module.block(self.function));
                module.cond_br(module.int_eq(site, module.const_u32(0)), write, done);
                module.at_end(write);
                self.emitter().store_shape(&shape, value, out, 1)?;
                module.br(done);
                module.at_end(done);
            } else {
                self.emitter().store_shape(&shape, value, out, 1)?;
            }
        }
        module.ret(Some(site.unwrap_or(module.const_u32(0))));
        Ok(())
    }

    fn one_item(&self) -> Result<(), EmitError> {
        let module = self.module();
        let args = self.load_args()?;
        let group = self.context_ints(offset_of!(LaunchContext, group_id), 0..SIZES.end);
        let item = std::array::from_fn(|dim| module.param(self.function, 2 + dim));
        self.call_body(self.unit.functions[0], self.launch().state(group, item), &args);
        module.ret(None);
        Ok(())
    }
}

/// The state that is the same for all items of a launch.
#[derive(Clone, Copy)]
pub(crate) struct Launch {
    ctx: Val,
    pub(crate) num_groups: [Val; 3],
    pub(crate) local_size: [Val; 3],
    pub(crate) shared: Val,
    dynamic_shared: Val,
}

impl Launch {
    pub(crate) fn state(&self, group: [Val; 3], item: [Val; 3]) -> ItemState {
        let [gx, gy, gz] = group;
        let [x, y, z] = item;
        let ([nx, ny, nz], [sx, sy, sz]) = (self.num_groups, self.local_size);
        ItemState::new([
            self.ctx,
            gx,
            gy,
            gz,
            x,
            y,
            z,
            nx,
            ny,
            nz,
            sx,
            sy,
            sz,
            self.shared,
            self.dynamic_shared,
        ])
    }
}
