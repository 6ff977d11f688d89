//! The unit's entry: what the host or the launcher calls.
//!
//! A kernel without barriers is a loop over groups around a loop over items, x innermost, around the inlined body.
//! Its items may run in any order, so their accesses are marked as independent and LLVM may put several items into one
//! vector. An item that may fail must not write the launch record inside that loop, or nothing could be vectorized:
//! if the body has no cycle, no atomic operation and no private memory, the loop only takes the largest site and the
//! largest failed x of a row, and the failed item runs once more, without writing, to leave its operands. Other bodies
//! write the record where they fail.

use crate::function::{Emitter, Mode, Stop};
use crate::llvm::{Block, Function, Module, Val};
use crate::state::State;
use crate::unit::Unit;
use kiln_types::Type;
use kiln_unit::{EntryKind, LaunchContext, LinkInfo, OperandPlace};
use llvm_sys::{LLVMIntPredicate as Int, LLVMOpcode as Opcode};
use std::mem::offset_of;

/// The entry's symbol.
pub(crate) const ENTRY: &str = "entry";

/// How the body of the entry function is emitted.
pub(crate) fn mode(unit: &Unit<'_>) -> Mode {
    let it = unit.traits[0];
    let quiet = it.may_fail && !it.has_loop && !it.has_atomics && !it.has_private && !it.has_barrier;
    if unit.entry == EntryKind::Kernel && quiet && calls_are_pure(unit) { Mode::Quiet } else { Mode::Record }
}

/// Whether what the entry calls can run twice and cannot fail.
fn calls_are_pure(unit: &Unit<'_>) -> bool {
    let source = &unit.sources[0];
    source.code.stmts.values().all(|it| {
        let kiln_ir::Op::Invoke(instance, _) = &it.op else { return true };
        let callee = source.callees.get(instance.as_u32() as usize);
        callee.is_some_and(|it| {
            let callee = unit.traits[*it as usize];
            !callee.writes && !callee.may_fail
        })
    })
}

/// Whether accesses of different items may be taken as independent by the item loop: not where items have memory
/// whose address the loop shares, nor where they synchronize.
pub(crate) fn is_parallel(unit: &Unit<'_>) -> bool {
    let it = unit.traits[0];
    unit.entry == EntryKind::Kernel && !it.has_private && !it.has_atomics && !it.has_barrier
}

/// Emits the entry and describes its arguments.
pub(crate) fn emit(unit: &Unit<'_>, link: &mut LinkInfo) -> Result<(), Stop> {
    let stop = |message| Stop { stmt: None, message };
    link.entry = ENTRY.into();
    describe_args(unit, link).map_err(stop)?;
    let module = unit.module;
    let (ptr, int, void) = (module.ptr(), module.int(64), module.void());
    let barrier = unit.traits[0].has_barrier;
    link.has_barrier = barrier && unit.entry == EntryKind::Kernel;
    match unit.entry {
        EntryKind::Function => {
            let entry = module.function(ENTRY, module.int(32), &[ptr, ptr, ptr]);
            begin(module, entry);
            Entry { unit, function: entry, parallel: false }.call_function(link).map_err(stop)
        }
        EntryKind::Kernel if barrier => {
            let entry = module.function(ENTRY, void, &[ptr, ptr, int, int, int]);
            begin(module, entry);
            Entry { unit, function: entry, parallel: false }.one_item(link).map_err(stop)
        }
        EntryKind::Kernel => {
            let entry = module.function(ENTRY, void, &[ptr, ptr, int, int]);
            begin(module, entry);
            Entry { unit, function: entry, parallel: is_parallel(unit) }.groups(link)
        }
    }
}

fn begin(module: &Module, entry: Function) {
    module.set_attribute(entry, "nounwind");
    module.at_end(module.block(entry));
}

fn describe_args(unit: &Unit<'_>, link: &mut LinkInfo) -> Result<(), String> {
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
    } else if unit.shapes.of(code.return_type)?.llvm.is_some() {
        return Err(format!("a kernel returns a {}, not `nothing`", types.display(code.return_type)));
    }
    Ok(())
}

struct Entry<'u, 'a> {
    unit: &'u Unit<'a>,
    function: Function,
    parallel: bool,
}

/// A loop being emitted.
struct Loop {
    body: Block,
    done: Block,
    counter: Val,
}

impl<'u, 'a> Entry<'u, 'a> {
    fn module(&self) -> &'a Module {
        self.unit.module
    }

    /// An emitter for code in the entry itself.
    fn emitter(&self) -> Emitter<'u, 'a> {
        Emitter::new(self.unit, 0, self.function, Mode::Record)
    }

    /// The arguments of the entry's body, read from the block `args` points to. They are read once, before any loop,
    /// and not marked: the loop's accesses are another matter. The block need not be aligned.
    fn load_args(&self, link: &LinkInfo) -> Result<Vec<Val>, String> {
        let module = self.module();
        let base = module.param(self.function, 1);
        let mut values = Vec::new();
        for (&ty, place) in self.unit.sources[0].code.args.iter().zip(&link.args) {
            let shape = self.unit.shapes.of(ty)?;
            if shape.llvm.is_some() {
                let address = module.field(base, place.offset.into());
                values.push(self.emitter().load_shape(&shape, address, 1)?);
            }
        }
        Ok(values)
    }

    fn context_ints(&self, offset: usize) -> [Val; 3] {
        let module = self.module();
        std::array::from_fn(|dim| {
            let at = module.field(module.param(self.function, 0), (offset + 8 * dim) as u64);
            module.load(module.int(64), at, 8)
        })
    }

    fn context_pointer(&self, offset: usize) -> Val {
        let module = self.module();
        module.load(module.ptr(), module.field(module.param(self.function, 0), offset as u64), 8)
    }

    /// The state but for group and item.
    fn launch(&self) -> Launch {
        Launch {
            ctx: self.module().param(self.function, 0),
            num_groups: self.context_ints(offset_of!(LaunchContext, num_groups)),
            local_size: self.context_ints(offset_of!(LaunchContext, local_size)),
            shared: self.context_pointer(offset_of!(LaunchContext, shared)),
            dynamic_shared: self.context_pointer(offset_of!(LaunchContext, dynamic_shared)),
        }
    }

    /// Calls the body; its site, if it has one, and its value.
    fn call_body(&self, body: Function, state: State, args: &[Val]) -> (Option<Val>, Option<Val>) {
        let module = self.module();
        let traits = self.unit.traits[0];
        let mut values = if traits.needs_state { state.values().to_vec() } else { Vec::new() };
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

    fn call_function(&self, link: &LinkInfo) -> Result<(), String> {
        let module = self.module();
        let args = self.load_args(link)?;
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

    fn one_item(&self, link: &LinkInfo) -> Result<(), String> {
        let module = self.module();
        let args = self.load_args(link)?;
        let group = self.context_ints(offset_of!(LaunchContext, group_id));
        let item = std::array::from_fn(|dim| module.param(self.function, 2 + dim));
        self.call_body(self.unit.functions[0], self.launch().state(group, item), &args);
        module.ret(None);
        Ok(())
    }

    /// `for group in first..last, z, y, x`.
    fn groups(&self, link: &LinkInfo) -> Result<(), Stop> {
        let module = self.module();
        let stop = |message| Stop { stmt: None, message };
        let args = self.load_args(link).map_err(stop)?;
        let launch = self.launch();
        let (first, last) = (module.param(self.function, 2), module.param(self.function, 3));
        let (start, exit) = (module.block(self.function), module.block(self.function));
        module.cond_br(module.icmp(Int::LLVMIntSLT, first, last), start, exit);
        module.at_end(start);
        let groups = self.begin_loop(first);
        let [nx, ny, _] = launch.num_groups;
        let rows = module.binary(Opcode::LLVMUDiv, groups.counter, nx);
        let group = [
            module.binary(Opcode::LLVMURem, groups.counter, nx),
            module.binary(Opcode::LLVMURem, rows, ny),
            module.binary(Opcode::LLVMUDiv, rows, ny),
        ];
        let z = self.begin_loop(module.const_i64(0));
        let y = self.begin_loop(module.const_i64(0));
        let row = Row { launch, group, y: y.counter, z: z.counter };
        self.row(&row, &args)?;
        self.end_loop(&y, launch.local_size[1]);
        self.end_loop(&z, launch.local_size[2]);
        self.end_loop(&groups, last);
        module.br(exit);
        module.at_end(exit);
        module.ret(None);
        Ok(())
    }

    /// The launcher runs nothing if there are no items, so every loop has a first round.
    fn begin_loop(&self, first: Val) -> Loop {
        let module = self.module();
        let (before, body, done) = (module.here(), module.block(self.function), module.block(self.function));
        module.br(body);
        module.at_end(body);
        let counter = module.phi(module.int(64));
        module.add_incoming(counter, first, before);
        Loop { body, done, counter }
    }

    fn end_loop(&self, it: &Loop, limit: Val) {
        let module = self.module();
        let next = module.add_exact(it.counter, module.const_i64(1));
        module.add_incoming(it.counter, next, module.here());
        module.cond_br(module.icmp(Int::LLVMIntSLT, next, limit), it.body, it.done);
        module.at_end(it.done);
    }

    /// The items of one row.
    fn row(&self, row: &Row, args: &[Val]) -> Result<(), Stop> {
        let module = self.module();
        let quiet = mode(self.unit) == Mode::Quiet;
        let before = module.here();
        let x = self.begin_loop(module.const_i64(0));
        let none = module.const_u32(0);
        let worst = quiet.then(|| (module.phi(module.int(32)), module.phi(module.int(32))));
        let (site, _) = self.call_body(self.unit.functions[0], row.state(x.counter), args);
        let mut found = None;
        if let (Some((sites, items)), Some(site)) = (worst, site) {
            let number = module.resize(module.add(x.counter, module.const_i64(1)), module.int(32));
            let failed = module.select(module.int_eq(site, none), none, number);
            let max = |a, b| module.intrinsic("llvm.umax", &[module.int(32)], &[a, b]);
            let next = (max(sites, site), max(items, failed));
            for (phi, value) in [(sites, next.0), (items, next.1)] {
                module.add_incoming(phi, none, before);
                module.add_incoming(phi, value, module.here());
            }
            found = Some(next);
        }
        let next = module.add_exact(x.counter, module.const_i64(1));
        module.add_incoming(x.counter, next, module.here());
        let again = module.icmp(Int::LLVMIntSLT, next, row.launch.local_size[0]);
        module.item_loop_br(again, x.body, x.done, self.parallel);
        module.at_end(x.done);
        match found {
            Some((site, item)) => self.failed_row(row, args, site, item),
            None => Ok(()),
        }
    }

    /// Something failed quietly in a row: runs one such item again. Should it not fail again, because it reads what
    /// another item writes, the record gets the site without operands.
    fn failed_row(&self, row: &Row, args: &[Val], site: Val, item: Val) -> Result<(), Stop> {
        let module = self.module();
        let replay = self.replay()?;
        let (failed, done) = (module.block(self.function), module.block(self.function));
        module.cond_br(module.int_eq(site, module.const_u32(0)), done, failed);
        module.at_end(failed);
        let x = module.sub(module.resize(item, module.int(64)), module.const_i64(1));
        let state = row.state(x);
        let (again, _) = self.call_body(replay, state, args);
        let again = again.unwrap_or(module.const_u32(0));
        let unseen = module.block(self.function);
        module.cond_br(module.int_eq(again, module.const_u32(0)), unseen, done);
        module.at_end(unseen);
        let mut emitter = self.emitter();
        emitter.state = Some(state);
        emitter.claim(site, done);
        module.br(done);
        module.at_end(done);
        Ok(())
    }

    /// The body once more, writing nothing but the record.
    fn replay(&self) -> Result<Function, Stop> {
        let (module, unit) = (self.module(), self.unit);
        let stop = |message| Stop { stmt: None, message };
        let params = unit.params(0).map_err(stop)?;
        let function = module.function("r0", unit.result(0).map_err(stop)?, &params);
        for attribute in ["nounwind", "noinline", "cold"] {
            module.set_attribute(function, attribute);
        }
        module.set_internal(function);
        let (back, marked) = (module.here(), module.mark_accesses.replace(false));
        Emitter::new(unit, 0, function, Mode::Replay).body()?;
        module.mark_accesses.set(marked);
        module.at_end(back);
        Ok(function)
    }
}

/// What is the same for all items of a launch.
#[derive(Clone, Copy)]
struct Launch {
    ctx: Val,
    num_groups: [Val; 3],
    local_size: [Val; 3],
    shared: Val,
    dynamic_shared: Val,
}

impl Launch {
    fn state(&self, group: [Val; 3], item: [Val; 3]) -> State {
        let [gx, gy, gz] = group;
        let [x, y, z] = item;
        let ([nx, ny, nz], [sx, sy, sz]) = (self.num_groups, self.local_size);
        State::new([self.ctx, gx, gy, gz, x, y, z, nx, ny, nz, sx, sy, sz, self.shared, self.dynamic_shared])
    }
}

/// Items that differ in x only.
struct Row {
    launch: Launch,
    group: [Val; 3],
    y: Val,
    z: Val,
}

impl Row {
    fn state(&self, x: Val) -> State {
        self.launch.state(self.group, [x, self.y, self.z])
    }
}
