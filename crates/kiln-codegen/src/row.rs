//! The loops of a kernel without barriers: groups, then the rows of a group, then the items of a row.
//!
//! Items may run in any order, so their accesses are marked as independent and LLVM may put several items into one
//! vector. An item that may fail must not write the launch record inside that loop, or nothing could be vectorized:
//! if the body has no cycle, no atomic operation, no private memory and no report, the loop only takes the largest site and the
//! largest failed x of a row, and the failed item runs once more, without writing, to leave its operands. Other bodies
//! write the record where they fail.
//!
//! A body with [guards](crate::guard) is compiled twice: the loop that most items run in is without them. `g0` tells
//! whether all items of a range pass. If those of a whole row do not, `s0` cuts it: it finds the longest range that
//! passes, or runs the whole body for items that do not, more of them each time so that asking again stays cheap.

use crate::error::EmitError;
use crate::function::{Emitter, Mode};
use crate::guard::{Guards, Margin};
use crate::kernel::{Entry, Launch, row_mode};
use crate::llvm::{Block, Function, ItemLoop, Module, Val};
use crate::state::State;
use crate::unit::Unit;
use llvm_sys::{LLVMIntPredicate as Int, LLVMOpcode as Opcode};

/// The body without its guards, whether a range passes them, the loop over a range that does, and what cuts a row into such.
const UNGUARDED: &str = "u0";
const PASSES: &str = "g0";
const RANGE: &str = "h0";
const CUT: &str = "s0";

/// Functions beside the entry whose code is the entry's.
pub(crate) const OF_ENTRY: [&str; 4] = [UNGUARDED, PASSES, RANGE, CUT];

/// A loop being emitted.
struct Loop {
    body: Block,
    done: Block,
    /// `i32`, not negative.
    counter: Val,
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

/// A group's number in each dimension and in all, from one round of the loop to the next.
struct Groups {
    number: Val,
    at: [Val; 3],
}

impl Entry<'_, '_> {
    /// `for group in first..last, z, y, x`.
    pub(crate) fn groups(&self) -> Result<(), EmitError> {
        let module = self.module();
        let args = self.load_args()?;
        let launch = self.launch();
        let (first, last) = (module.param(self.function, 2), module.param(self.function, 3));
        let (start, body, exit) =
            (module.block(self.function), module.block(self.function), module.block(self.function));
        module.cond_br(module.icmp(Int::LLVMIntSLT, first, last), start, exit);
        module.at_end(start);
        let [nx, ny, _] = launch.num_groups;
        let rows = module.binary(Opcode::LLVMUDiv, first, nx);
        let numbers = [
            module.binary(Opcode::LLVMURem, first, nx),
            module.binary(Opcode::LLVMURem, rows, ny),
            module.binary(Opcode::LLVMUDiv, rows, ny),
        ];
        let guarded = self.unit.guards.as_ref().map(|guards| self.guarded(guards)).transpose()?;
        module.br(body);
        module.at_end(body);
        let groups = Groups {
            number: module.phi(module.int(64)),
            at: std::array::from_fn(|_| module.phi(module.int(64))),
        };
        module.add_incoming(groups.number, first, start);
        for (phi, number) in groups.at.iter().zip(numbers) {
            module.add_incoming(*phi, number, start);
        }
        let zero = module.const_u32(0);
        let (z, y) = (begin_loop(module, self.function, zero), begin_loop(module, self.function, zero));
        let row = Row { launch, group: groups.at, y: module.widen(y.counter), z: module.widen(z.counter) };
        match &guarded {
            Some(functions) => self.guarded_row(functions, &row, &args),
            None => {
                let size = module.resize(launch.local_size[0], module.int(32));
                self.items(&row, &args, self.unit.functions[0], (zero, size), row_mode(self.unit))?;
            }
        }
        self.end_loop(&y, launch.local_size[1]);
        self.end_loop(&z, launch.local_size[2]);
        self.next_group(&groups, &launch, body, last, exit);
        module.at_end(exit);
        module.ret(None);
        Ok(())
    }

    /// Counts a group on, x fastest.
    fn next_group(&self, groups: &Groups, launch: &Launch, body: Block, last: Val, exit: Block) {
        let module = self.module();
        let (zero, one, here) = (module.const_i64(0), module.const_i64(1), module.here());
        let next = module.add_exact(groups.number, one);
        module.add_incoming(groups.number, next, here);
        let mut carry = None;
        for (dim, at) in groups.at.iter().enumerate() {
            let next = module.add_exact(*at, one);
            let wraps = module.int_eq(next, launch.num_groups[dim]);
            let next = if dim == 2 { next } else { module.select(wraps, zero, next) };
            let next = carry.map_or(next, |carry| module.select(carry, next, *at));
            carry = Some(carry.map_or(wraps, |carry| module.and(carry, wraps)));
            module.add_incoming(*at, next, here);
        }
        module.cond_br(module.icmp(Int::LLVMIntSLT, next, last), body, exit);
    }

    /// A loop ends before `limit`, an `i64` that fits.
    fn end_loop(&self, it: &Loop, limit: Val) {
        let module = self.module();
        let next = module.add_exact(it.counter, module.const_u32(1));
        module.add_incoming(it.counter, next, module.here());
        let limit = module.resize(limit, module.int(32));
        module.cond_br(module.icmp(Int::LLVMIntSLT, next, limit), it.body, it.done);
        module.at_end(it.done);
    }

    /// The items `range.0 .. range.1` of a row, at least one.
    fn items(
        &self,
        row: &Row,
        args: &[Val],
        body: Function,
        range: (Val, Val),
        mode: Mode,
    ) -> Result<(), EmitError> {
        let module = self.module();
        let before = module.here();
        let x = begin_loop(module, self.function, range.0);
        let none = module.const_u32(0);
        let worst = (mode == Mode::Quiet).then(|| (module.phi(module.int(32)), module.phi(module.int(32))));
        let (site, _) = self.call_body(body, row.state(module.widen(x.counter)), args);
        let next = module.add_exact(x.counter, module.const_u32(1));
        let mut found = None;
        if let (Some((sites, items)), Some(site)) = (worst, site) {
            let failed = module.select(module.int_eq(site, none), none, next);
            let max = |a, b| module.intrinsic("llvm.umax", &[module.int(32)], &[a, b]);
            let worse = (max(sites, site), max(items, failed));
            for (phi, value) in [(sites, worse.0), (items, worse.1)] {
                module.add_incoming(phi, none, before);
                module.add_incoming(phi, value, module.here());
            }
            found = Some(worse);
        }
        module.add_incoming(x.counter, next, module.here());
        let again = module.icmp(Int::LLVMIntSLT, next, range.1);
        let kind = if self.parallel { ItemLoop::Parallel } else { ItemLoop::Ordered };
        module.item_loop_br(again, x.body, x.done, kind);
        module.at_end(x.done);
        match found {
            Some((site, item)) => self.failed_row(row, args, site, item),
            None => Ok(()),
        }
    }

    /// Something failed quietly in a row: runs one such item again. Should it not fail again, because it reads what
    /// another item writes, the record gets the site without operands.
    fn failed_row(&self, row: &Row, args: &[Val], site: Val, item: Val) -> Result<(), EmitError> {
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
    fn replay(&self) -> Result<Function, EmitError> {
        let (module, unit) = (self.module(), self.unit);
        let params = params(unit)?;
        let result = unit.result(0)?;
        let function = own_function(module, "r0", result, &params, &["noinline", "cold", "optnone"]);
        let (back, marked) = (module.here(), module.mark_accesses.replace(false));
        Emitter::new(unit, 0, function, Mode::Replay).body()?;
        module.mark_accesses.set(marked);
        module.at_end(back);
        Ok(function)
    }

    /// A row of a body with guards.
    fn guarded_row(&self, functions: &Guarded, row: &Row, args: &[Val]) {
        let module = self.module();
        let block = || module.block(self.function);
        let (passing, cut, done) = (block(), block(), block());
        let (zero, size) = (module.const_u32(0), module.resize(row.launch.local_size[0], module.int(32)));
        let mut values = row.state(module.const_i64(0)).values().to_vec();
        values.extend(args);
        values.push(module.sub(row.launch.local_size[0], module.const_i64(1)));
        module.cond_br(module.call(functions.passes, &values), passing, cut);
        let place = self.place(row);
        for (at, function, range) in
            [(passing, functions.range, &[zero, size][..]), (cut, functions.cut, &[])]
        {
            module.at_end(at);
            module.call(function, &[&place, range].concat());
            module.br(done);
        }
        module.at_end(done);
    }

    /// The first parameters of functions for a row.
    fn place(&self, row: &Row) -> Vec<Val> {
        let [gx, gy, gz] = row.group;
        vec![
            self.module().param(self.function, 0),
            self.module().param(self.function, 1),
            gx,
            gy,
            gz,
            row.y,
            row.z,
        ]
    }

    /// The row those parameters name, and the arguments.
    fn row_of_params(&self) -> Result<(Row, Vec<Val>), EmitError> {
        let param = |index| self.module().param(self.function, index);
        let args = self.load_args()?;
        let row = Row { launch: self.launch(), group: [2, 3, 4].map(param), y: param(5), z: param(6) };
        Ok((row, args))
    }

    fn guarded(&self, guards: &Guards) -> Result<Guarded, EmitError> {
        let (module, unit) = (self.module(), self.unit);
        let back = module.here();
        let params = params(unit)?;
        let result = unit.result(0)?;
        let unguarded = own_function(module, UNGUARDED, result, &params, &["alwaysinline"]);
        let mut emitter = Emitter::new(unit, 0, unguarded, row_mode(unit));
        emitter.passed = Some(guards);
        let marked = module.mark_accesses.replace(self.parallel);
        let body = emitter.body();
        module.mark_accesses.set(marked);
        body?;
        let with_last = [params.as_slice(), &[module.int(64)]].concat();
        let passes = own_function(module, PASSES, module.int(1), &with_last, &["alwaysinline"]);
        emit_passes(unit, guards, passes)?;
        let (ptr, long, int) = (module.ptr(), module.int(64), module.int(32));
        let place = [ptr, ptr, long, long, long, long, long];
        let range =
            own_function(module, RANGE, module.void(), &[&place[..], &[int, int]].concat(), &["noinline"]);
        // Rows that are cut are few: compiling this costs more than running it.
        let cold = ["noinline", "cold", "optnone"];
        let cut = own_function(module, CUT, module.void(), &place, &cold);
        let entry = |function| Entry { unit, function, parallel: self.parallel, args: self.args.clone() };
        entry(range).passing_range(unguarded)?;
        entry(cut).cut_row(passes, range)?;
        module.at_end(back);
        Ok(Guarded { passes, range, cut })
    }

    /// `h0`.
    fn passing_range(&self, unguarded: Function) -> Result<(), EmitError> {
        let module = self.module();
        module.at_end(module.block(self.function));
        let (row, args) = self.row_of_params()?;
        let range = (module.param(self.function, 7), module.param(self.function, 8));
        self.items(&row, &args, unguarded, range, row_mode(self.unit))?;
        module.ret(None);
        Ok(())
    }

    /// `s0`. The end of a range is found by halving: a range passes if a longer one does.
    fn cut_row(&self, passes: Function, range: Function) -> Result<(), EmitError> {
        let module = self.module();
        let block = || module.block(self.function);
        let (entry, head, halve, end, passing, rare, next) =
            (block(), block(), block(), block(), block(), block(), block());
        module.at_end(entry);
        let (row, args) = self.row_of_params()?;
        let (int, one) = (module.int(32), module.const_u32(1));
        let size = module.resize(row.launch.local_size[0], int);
        module.br(head);
        module.at_end(head);
        let (x, step) = (module.phi(int), module.phi(int));
        let first = module.add_exact(x, one);
        let mut values = row.state(module.widen(x)).values().to_vec();
        values.extend(&args);
        module.br(halve);
        module.at_end(halve);
        // The range that ends before `good` passes, the one that ends before `bad` does not.
        let (good, bad, ask) = (module.phi(int), module.phi(int), module.phi(int));
        values.push(module.widen(module.sub(ask, one)));
        let pass = module.call(passes, &values);
        let (higher, lower) = (module.select(pass, ask, good), module.select(pass, bad, ask));
        let gap = module.sub(lower, higher);
        let middle = module.add(higher, module.binary(Opcode::LLVMLShr, gap, one));
        for (phi, before, next) in [(good, x, higher), (bad, size, lower), (ask, first, middle)] {
            module.add_incoming(phi, before, head);
            module.add_incoming(phi, next, halve);
        }
        module.cond_br(module.icmp(Int::LLVMIntSGT, gap, one), halve, end);
        module.at_end(end);
        module.cond_br(module.icmp(Int::LLVMIntSGT, higher, x), passing, rare);

        module.at_end(passing);
        module.call(range, &[&*self.place(&row), &[x, higher]].concat());
        module.br(next);
        module.at_end(rare);
        let count = module.intrinsic("llvm.umin", &[int], &[step, module.sub(size, x)]);
        let (stop, doubled) = (module.add_exact(x, count), module.add(step, step));
        let after = self.rare_items(&row, &args, (x, stop));

        module.br(next);
        module.at_end(next);
        let (next_x, next_step) = (module.phi(int), module.phi(int));
        for (x, step, from) in [(higher, step, passing), (stop, doubled, after)] {
            module.add_incoming(next_x, x, from);
            module.add_incoming(next_step, step, from);
        }
        for (phi, before, after) in [(x, module.const_u32(0), next_x), (step, one, next_step)] {
            module.add_incoming(phi, before, entry);
            module.add_incoming(phi, after, next);
        }
        let done = block();
        module.cond_br(module.icmp(Int::LLVMIntSLT, next_x, size), head, done);
        module.at_end(done);
        module.ret(None);
        Ok(())
    }

    /// The whole body for a few items. The block it ends in.
    fn rare_items(&self, row: &Row, args: &[Val], range: (Val, Val)) -> Block {
        let module = self.module();
        let it = begin_loop(module, self.function, range.0);
        self.call_body(self.unit.functions[0], row.state(module.widen(it.counter)), args);
        let next = module.add_exact(it.counter, module.const_u32(1));
        module.add_incoming(it.counter, next, module.here());
        module.item_loop_br(module.icmp(Int::LLVMIntSLT, next, range.1), it.body, it.done, ItemLoop::Rare);
        module.at_end(it.done);
        it.done
    }
}

fn begin_loop(module: &Module, function: Function, first: Val) -> Loop {
    let (before, body, done) = (module.here(), module.block(function), module.block(function));
    module.br(body);
    module.at_end(body);
    let counter = module.phi(module.int(32));
    module.add_incoming(counter, first, before);
    Loop { body, done, counter }
}

fn own_function(
    module: &Module,
    name: &str,
    result: crate::llvm::Ty,
    params: &[crate::llvm::Ty],
    attributes: &[&str],
) -> Function {
    let function = module.function(name, result, params);
    module.set_attribute(function, "nounwind");
    for attribute in attributes {
        module.set_attribute(function, attribute);
    }
    module.set_internal(function);
    function
}

fn params(unit: &Unit<'_>) -> Result<Vec<crate::llvm::Ty>, EmitError> {
    unit.params(0)
}

/// The functions of a body with guards. The last two take the launch's context and arguments, the group and the row.
struct Guarded {
    /// `g0(..., last: i64)`, with the parameters of the body for the first item of a range: whether all items up to
    /// `last` pass.
    passes: Function,
    /// `h0(..., from: i32, to: i32)`: runs a range that passes. Called, so that there is one such loop.
    range: Function,
    /// `s0(...)`: runs a row that does not pass as a whole.
    cut: Function,
}

/// `g0`: both ends pass, and nothing wraps between them.
fn emit_passes(unit: &Unit<'_>, guards: &Guards, function: Function) -> Result<(), EmitError> {
    let module = unit.module;
    module.at_end(module.block(function));
    let last = module.param(function, params(unit)?.len());
    let mut ends = [None, Some(last)].map(|x| (Emitter::new(unit, 0, function, Mode::Record), x));
    for (end, x) in &mut ends {
        end.emit_slice(&guards.slice, *x)?;
    }
    let [(low, _), (high, _)] = ends;
    let length = module.sub(last, low.state().local_id(0));
    let mut ok = module.const_int(module.int(1), 1);
    for (condition, want) in &guards.conditions {
        for end in [&low, &high] {
            let is = end.condition(*condition)?;
            let want = module.const_int(module.int(1), u128::from(*want));
            ok = module.and(ok, module.int_eq(is, want));
        }
    }
    for (bound, margin) in &guards.margins {
        let bound = low.operand(*bound).and_then(|it| low.as_int(it))?;
        ok = module.and(ok, within(module, bound, *margin));
    }
    for &(value, slope) in &guards.widened {
        let value = kiln_ir::Value::Stmt(value);
        let low = low.operand(value).and_then(|it| low.as_int(it))?;
        let high = high.operand(value).and_then(|it| high.as_int(it))?;
        let ty = module.type_of(low);
        let grown = module.mul(module.resize(length, ty), module.const_int(ty, slope as i128 as u128));
        ok = module.and(ok, module.int_eq(module.sub(high, low), grown));
    }
    for &(bits, slope) in guards.arcs.iter().filter(|it| it.0 < 64) {
        let arc = module.mul(length, module.const_i64(slope.abs()));
        ok = module.and(ok, module.icmp(Int::LLVMIntULE, arc, module.const_i64(1 << (bits - 3))));
    }
    module.ret(Some(ok));
    Ok(())
}

/// Whether a bound keeps its margin.
fn within(module: &Module, bound: Val, margin: Margin) -> Val {
    let ty = module.type_of(bound);
    let bits = module.int_bits(ty);
    let limit = |it: i128| module.const_int(ty, it as u128);
    match margin {
        Margin::SignedUpper => module.icmp(Int::LLVMIntSLE, bound, limit(1 << (bits - 2))),
        Margin::SignedLower => module.icmp(Int::LLVMIntSGE, bound, limit(-(1 << (bits - 2)))),
        Margin::Unsigned => module.icmp(Int::LLVMIntULE, bound, limit(1 << (bits - 1))),
    }
}
