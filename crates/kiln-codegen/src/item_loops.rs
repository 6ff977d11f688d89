//! The work-item loops of a kernel without barriers: over groups, then the rows of a group, then the items of a row;
//! and their versioning.
//!
//! Items may run in any order, so their accesses are marked as independent and LLVM may vectorize the innermost loop.
//! Writing the launch record in that loop would prevent this. If the body has no loop, no atomic operation, no
//! private memory and no report, and writes nothing before it may fail, the loop only keeps the largest site and the
//! smallest failed x of a row. That item then runs again, without other writes, to record its operands. Other bodies write
//! the record where they fail.
//!
//! A body with [range checks](crate::range_checks) is emitted twice: the checked clone, and a fast clone without the
//! checks. A row whose items all pass runs in the fast clone. Other rows are split: the longest range that passes
//! runs in the fast clone, and items that fail run in the checked clone, twice as many each time so that repeated
//! tests stay cheap.

use super::signatures;
use crate::error::EmitError;
use crate::function::{Emitter, Mode};
use crate::item_state::ItemState;
use crate::kernel::{Entry, Launch, item_loop_mode};
use crate::llvm::{Block, Function, ItemLoop, Module, Val};
use crate::range_checks::{RangeChecks, WrapPredicate};
use crate::unit::Unit;
use llvm_sys::{LLVMIntPredicate as Int, LLVMOpcode as Opcode};

/// The fast clone: the body without its range checks.
const FAST_CLONE: &str = "entry.fast_clone";
/// Tests whether all items of a range pass the checks.
const CHECKS_HOLD: &str = "entry.checks_hold";
/// Runs the fast clone for a range of items.
const FAST_RANGE: &str = "entry.fast_range";
/// Splits a row into ranges for the fast clone and items for the checked clone.
const SPLIT: &str = "entry.split";
/// The body for the replay of a failed item.
const REPLAY: &str = "entry.replay";

/// Whether the code of a function belongs to the source function of the entry.
pub(crate) fn is_of_entry(symbol: &str) -> bool {
    [FAST_CLONE, CHECKS_HOLD, FAST_RANGE, SPLIT, REPLAY].contains(&symbol)
}

/// A loop being emitted.
pub(crate) struct Loop {
    pub(crate) body: Block,
    pub(crate) done: Block,
    /// A non-negative `i32`.
    pub(crate) counter: Val,
}

/// The indices of the loops around the item loop: all but x.
struct OuterIndices {
    launch: Launch,
    group: [Val; 3],
    y: Val,
    z: Val,
}

impl OuterIndices {
    fn state(&self, x: Val) -> ItemState {
        self.launch.state(self.group, [x, self.y, self.z])
    }
}

/// The phis of a group's number, in all and in each dimension.
pub(crate) struct Groups {
    number: Val,
    pub(crate) at: [Val; 3],
}

impl Entry<'_, '_> {
    /// Emits `for group in first..last, z, y, x`.
    pub(crate) fn groups(&self) -> Result<(), EmitError> {
        let module = self.module();
        let args = self.load_args()?;
        let launch = self.launch();
        let versions = self
            .unit
            .range_checks
            .as_ref()
            .map(|range_checks| self.version_loop(range_checks))
            .transpose()?;
        self.each_group(&launch, |groups| {
            let zero = module.const_u32(0);
            let (z, y) = (begin_loop(module, self.function, zero), begin_loop(module, self.function, zero));
            let (at_y, at_z) = (module.widen(y.counter), module.widen(z.counter));
            let outer = OuterIndices { launch, group: groups.at, y: at_y, z: at_z };
            match &versions {
                Some(functions) => self.versioned_loop(functions, &outer, &args),
                None => {
                    let size = module.resize(launch.local_size[0], module.int(32));
                    let (body, mode) = (self.unit.functions[0], item_loop_mode(self.unit));
                    self.items(&outer, &args, body, (zero, size), mode)?;
                }
            }
            self.end_loop(&y, launch.local_size[1]);
            self.end_loop(&z, launch.local_size[2]);
            Ok(())
        })
    }

    /// Emits the loop over the groups `first..last`, the rest of the entry.
    pub(crate) fn each_group(
        &self,
        launch: &Launch,
        emit: impl FnOnce(&Groups) -> Result<(), EmitError>,
    ) -> Result<(), EmitError> {
        let module = self.module();
        let (first, last) = (module.param(self.function, 2), module.param(self.function, 3));
        let (start, body, exit) =
            (module.block(self.function), module.block(self.function), module.block(self.function));
        module.cond_br(module.icmp(Int::LLVMIntSLT, first, last), start, exit);
        module.at_end(start);
        self.screen_blocks(launch.shared);
        let [nx, ny, _] = launch.num_groups;
        let rows = module.binary(Opcode::LLVMUDiv, first, nx);
        let numbers = [
            module.binary(Opcode::LLVMURem, first, nx),
            module.binary(Opcode::LLVMURem, rows, ny),
            module.binary(Opcode::LLVMUDiv, rows, ny),
        ];
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
        self.screen_group();
        emit(&groups)?;
        self.next_group(&groups, launch, body, last, exit);
        module.at_end(exit);
        module.ret(None);
        Ok(())
    }

    /// Advances to the next group, x fastest.
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

    /// Ends a loop before `limit`, an `i64` that fits `i32`.
    pub(crate) fn end_loop(&self, it: &Loop, limit: Val) {
        let module = self.module();
        let next = module.add_exact(it.counter, module.const_u32(1));
        module.add_incoming(it.counter, next, module.here());
        let limit = module.resize(limit, module.int(32));
        module.cond_br(module.icmp(Int::LLVMIntSLT, next, limit), it.body, it.done);
        module.at_end(it.done);
    }

    /// Emits the loop over the items `range.0 .. range.1` of a row, at least one.
    fn items(
        &self,
        outer: &OuterIndices,
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
        let (site, _) = self.call_body(body, outer.state(module.widen(x.counter)), args);
        let next = module.add_exact(x.counter, module.const_u32(1));
        let mut found = None;
        if let (Some((sites, items)), Some(site)) = (worst, site) {
            let no_item = module.const_u32(u32::MAX);
            let failed = module.select(module.int_eq(site, none), no_item, x.counter);
            let reduced = |name, a, b| module.intrinsic(name, &[module.int(32)], &[a, b]);
            let worse = (reduced("llvm.umax", sites, site), reduced("llvm.umin", items, failed));
            for (phi, start, value) in [(sites, none, worse.0), (items, no_item, worse.1)] {
                module.add_incoming(phi, start, before);
                module.add_incoming(phi, value, module.here());
            }
            found = Some(worse);
        }
        module.add_incoming(x.counter, next, module.here());
        let again = module.icmp(Int::LLVMIntSLT, next, range.1);
        let callees = self.unit.traits.get(1..).unwrap_or_default();
        let kind = match self.parallel {
            true => ItemLoop::Parallel,
            false if self.unit.traits[0].reports || callees.iter().any(|it| it.has_atomics) => {
                ItemLoop::Serial
            }
            false => ItemLoop::Ordered,
        };
        module.item_loop_br(again, x.body, x.done, kind);
        module.at_end(x.done);
        match found {
            Some((site, item)) => self.report_quiet_failure(outer, args, site, item),
            None => Ok(()),
        }
    }

    /// Replays the first item of a row that failed quietly. If it does not fail again, because it reads memory
    /// that another item writes, the record gets the site without operands.
    fn report_quiet_failure(
        &self,
        outer: &OuterIndices,
        args: &[Val],
        site: Val,
        item: Val,
    ) -> Result<(), EmitError> {
        let module = self.module();
        let replay = self.replay()?;
        let (failed, done) = (module.block(self.function), module.block(self.function));
        module.cond_br(module.int_eq(site, module.const_u32(0)), done, failed);
        module.at_end(failed);
        let state = outer.state(module.resize(item, module.int(64)));
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

    /// Emits the body for replays, which writes the record only.
    fn replay(&self) -> Result<Function, EmitError> {
        let (module, unit) = (self.module(), self.unit);
        let params = params(unit)?;
        let result = signatures::result(unit, 0)?;
        let function = own_function(module, REPLAY, result, &params, &["noinline", "cold", "optnone"]);
        let (back, marked) = (module.here(), module.mark_accesses.replace(false));
        Emitter::new(unit, 0, function, Mode::Replay).body()?;
        module.mark_accesses.set(marked);
        module.at_end(back);
        Ok(function)
    }

    /// Runs one row of a versioned loop.
    fn versioned_loop(&self, functions: &Versions, outer: &OuterIndices, args: &[Val]) {
        let module = self.module();
        let block = || module.block(self.function);
        let (passing, split, done) = (block(), block(), block());
        let (zero, size) = (module.const_u32(0), module.resize(outer.launch.local_size[0], module.int(32)));
        let mut values = outer.state(module.const_i64(0)).values().to_vec();
        values.extend(args);
        values.push(module.sub(outer.launch.local_size[0], module.const_i64(1)));
        module.cond_br(module.call(functions.checks_hold, &values), passing, split);
        let place = self.place(outer);
        for (at, function, range) in
            [(passing, functions.range, &[zero, size][..]), (split, functions.split, &[])]
        {
            module.at_end(at);
            module.call(function, &[&place, range].concat());
            module.br(done);
        }
        module.at_end(done);
    }

    /// Returns the leading arguments of functions that run a row.
    fn place(&self, outer: &OuterIndices) -> Vec<Val> {
        let [gx, gy, gz] = outer.group;
        vec![
            self.module().param(self.function, 0),
            self.module().param(self.function, 1),
            gx,
            gy,
            gz,
            outer.y,
            outer.z,
        ]
    }

    /// Returns the indices that these parameters hold, and the arguments of the body.
    fn indices_of_params(&self) -> Result<(OuterIndices, Vec<Val>), EmitError> {
        let param = |index| self.module().param(self.function, index);
        let args = self.load_args()?;
        let outer =
            OuterIndices { launch: self.launch(), group: [2, 3, 4].map(param), y: param(5), z: param(6) };
        Ok((outer, args))
    }

    fn version_loop(&self, range_checks: &RangeChecks) -> Result<Versions, EmitError> {
        let (module, unit) = (self.module(), self.unit);
        let back = module.here();
        let params = params(unit)?;
        let result = signatures::result(unit, 0)?;
        let fast_clone = own_function(module, FAST_CLONE, result, &params, &["alwaysinline"]);
        let mut emitter = Emitter::new(unit, 0, fast_clone, item_loop_mode(unit));
        emitter.eliminated = Some(range_checks);
        let marked = module.mark_accesses.replace(self.parallel);
        let body = emitter.body();
        module.mark_accesses.set(marked);
        body?;
        let with_last = [params.as_slice(), &[module.int(64)]].concat();
        let checks_hold = own_function(module, CHECKS_HOLD, module.int(1), &with_last, &["alwaysinline"]);
        emit_checks(unit, range_checks, checks_hold)?;
        let (ptr, long, int) = (module.ptr(), module.int(64), module.int(32));
        let place = [ptr, ptr, long, long, long, long, long];
        let range = own_function(
            module,
            FAST_RANGE,
            module.void(),
            &[&place[..], &[int, int]].concat(),
            &["noinline"],
        );
        // Few rows are split: compiling this function costs more than running it.
        let cold = ["noinline", "cold", "optnone"];
        let split = own_function(module, SPLIT, module.void(), &place, &cold);
        let entry = |function| Entry { unit, function, parallel: self.parallel, args: self.args.clone() };
        entry(range).fast_range(fast_clone)?;
        entry(split).split_loop(checks_hold, range)?;
        module.at_end(back);
        Ok(Versions { checks_hold, range, split })
    }

    /// Emits [`FAST_RANGE`].
    fn fast_range(&self, fast_clone: Function) -> Result<(), EmitError> {
        let module = self.module();
        module.at_end(module.block(self.function));
        let (outer, args) = self.indices_of_params()?;
        let range = (module.param(self.function, 7), module.param(self.function, 8));
        self.items(&outer, &args, fast_clone, range, item_loop_mode(self.unit))?;
        module.ret(None);
        Ok(())
    }

    /// Emits [`SPLIT`]. Bisection finds the end of a range: a range passes if a longer one does.
    fn split_loop(&self, checks_hold: Function, range: Function) -> Result<(), EmitError> {
        let module = self.module();
        let block = || module.block(self.function);
        let (entry, head, halve, end, passing, rare, next) =
            (block(), block(), block(), block(), block(), block(), block());
        module.at_end(entry);
        let (outer, args) = self.indices_of_params()?;
        let (int, one) = (module.int(32), module.const_u32(1));
        let size = module.resize(outer.launch.local_size[0], int);
        module.br(head);
        module.at_end(head);
        let (x, step) = (module.phi(int), module.phi(int));
        let first = module.add_exact(x, one);
        let mut values = outer.state(module.widen(x)).values().to_vec();
        values.extend(&args);
        module.br(halve);
        module.at_end(halve);
        // The range that ends at `good` passes, the one that ends at `bad` does not.
        let (good, bad, ask) = (module.phi(int), module.phi(int), module.phi(int));
        values.push(module.widen(module.sub(ask, one)));
        let pass = module.call(checks_hold, &values);
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
        module.call(range, &[&*self.place(&outer), &[x, higher]].concat());
        module.br(next);
        module.at_end(rare);
        let count = module.intrinsic("llvm.umin", &[int], &[step, module.sub(size, x)]);
        let (stop, doubled) = (module.add_exact(x, count), module.add(step, step));
        let after = self.checked_items(&outer, &args, (x, stop));

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

    /// Runs the checked clone for a range of items, and returns the block behind the loop.
    fn checked_items(&self, outer: &OuterIndices, args: &[Val], range: (Val, Val)) -> Block {
        let module = self.module();
        let it = begin_loop(module, self.function, range.0);
        self.call_body(self.unit.functions[0], outer.state(module.widen(it.counter)), args);
        let next = module.add_exact(it.counter, module.const_u32(1));
        module.add_incoming(it.counter, next, module.here());
        module.item_loop_br(module.icmp(Int::LLVMIntSLT, next, range.1), it.body, it.done, ItemLoop::Rare);
        module.at_end(it.done);
        it.done
    }
}

pub(crate) fn begin_loop(module: &Module, function: Function, first: Val) -> Loop {
    let (before, body, done) = (module.here(), module.block(function), module.block(function));
    module.br(body);
    module.at_end(body);
    let counter = module.phi(module.int(32));
    module.add_incoming(counter, first, before);
    Loop { body, done, counter }
}

pub(crate) fn own_function(
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
    signatures::params(unit, 0)
}

/// The functions of a versioned loop. The last two take the launch's context and arguments, and the indices of the
/// row.
struct Versions {
    /// [`CHECKS_HOLD`]`(..., last: i64)`, with the parameters of the body for the first item of a range.
    checks_hold: Function,
    /// [`FAST_RANGE`]`(..., from: i32, to: i32)`. It is a call, so that the loop exists once.
    range: Function,
    /// [`SPLIT`]`(...)`.
    split: Function,
}

/// Emits [`CHECKS_HOLD`]: both ends of the range pass, and no value wraps between them.
fn emit_checks(unit: &Unit<'_>, range_checks: &RangeChecks, function: Function) -> Result<(), EmitError> {
    let module = unit.module;
    module.at_end(module.block(function));
    let last = module.param(function, params(unit)?.len());
    let mut ends = [None, Some(last)].map(|x| (Emitter::new(unit, 0, function, Mode::Record), x));
    for (end, x) in &mut ends {
        end.emit_slice(&range_checks.slice, *x)?;
    }
    let [(low, _), (high, _)] = ends;
    let length = module.sub(last, low.state().local_id(0));
    let mut ok = module.const_int(module.int(1), 1);
    for (condition, want) in &range_checks.conditions {
        for end in [&low, &high] {
            let is = end.condition(*condition)?;
            let want = module.const_int(module.int(1), u128::from(*want));
            ok = module.and(ok, module.int_eq(is, want));
        }
    }
    for (bound, predicate) in &range_checks.wrap_predicates {
        let bound = low.operand(*bound).and_then(|it| low.as_int(it))?;
        ok = module.and(ok, within(module, bound, *predicate));
    }
    for &(value, stride) in &range_checks.widened {
        let value = kiln_ir::Value::Stmt(value);
        let low = low.operand(value).and_then(|it| low.as_int(it))?;
        let high = high.operand(value).and_then(|it| high.as_int(it))?;
        let ty = module.type_of(low);
        let grown = module.mul(module.resize(length, ty), module.const_int(ty, stride as i128 as u128));
        ok = module.and(ok, module.int_eq(module.sub(high, low), grown));
    }
    for &(bits, stride) in range_checks.arcs.iter().filter(|it| it.0 < 64) {
        let arc = module.mul(length, module.const_i64(stride.abs()));
        ok = module.and(ok, module.icmp(Int::LLVMIntULE, arc, module.const_i64(1 << (bits - 3))));
    }
    module.ret(Some(ok));
    Ok(())
}

/// Emits a wrap predicate on a bound.
fn within(module: &Module, bound: Val, predicate: WrapPredicate) -> Val {
    let ty = module.type_of(bound);
    let bits = module.int_bits(ty);
    let limit = |it: i128| module.const_int(ty, it as u128);
    match predicate {
        WrapPredicate::SignedUpper => module.icmp(Int::LLVMIntSLE, bound, limit(1 << (bits - 2))),
        WrapPredicate::SignedLower => module.icmp(Int::LLVMIntSGE, bound, limit(-(1 << (bits - 2)))),
        WrapPredicate::Unsigned => module.icmp(Int::LLVMIntULE, bound, limit(1 << (bits - 1))),
    }
}
