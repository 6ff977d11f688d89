//! Vector variants of functions that item loops call: one call runs a function for all lanes.
//!
//! A variant `f.lanes` takes arguments that differ between lanes as vectors, and the mask of the active lanes last. The state of
//! the item is that of lane 0: the lanes are items of a row, one after the other. Pointers, and aggregates with pointers, are
//! the same for all lanes: kernels pass arrays on. A call that gives a lane another pointer, or another row, runs lane by
//! lane.
//!
//! A variant is made like the code of a loop over items: a scalar loop over the lanes calls the function, the call is
//! inlined, and the loop is emitted for all lanes at once. Values that are not known yet, arguments and result, are calls of
//! placeholders meanwhile.
//!
//! A function has one variant, with as many lanes as suit its types: a loop with fewer lanes calls it with the
//! last ones inactive, and no loop that calls it has more.
//!
//! # Deliberately absent
//! Variants of functions that synchronize, report, allocate or call themselves, and variants without a mask.

use super::divergence::{Divergence, Shape};
use super::masks::Emission;
use super::values::{Values, Wide, wide_type};
use super::{CANONICAL, CLEAN, ItemLoop};
use crate::error::EmitError;
use crate::item_state::LOCAL_X;
use crate::llvm::{Function, ItemLoop as Kind, Machine, Module, Ty, TypeKind, Val, is_item_loop};
use kiln_unit::lanes_symbol;
use llvm_sys::LLVMIntPredicate as Int;
use rustc_hash::FxHashSet;

/// The facts of the vector variant of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Variant {
    /// It has none.
    None,
    /// It may get one.
    Wanted,
    /// It has one with this number of lanes.
    Of(u32),
}

/// The fact that a function may get a variant, or has one: the number of its parameters that are the item's state.
const STATE: &str = "kiln.state";
/// The fact that a function has a variant: the number of its lanes.
const LANES: &str = "kiln.lanes";
/// The names of the functions that stand for arguments and for the result.
const ARGUMENT: &str = "kiln.argument";
const RESULT: &str = "kiln.result";

/// Whether a call stands for an argument or a result.
pub(super) fn is_placeholder(module: &Module, call: Val) -> bool {
    module.called_name(call).is_some_and(|it| it.starts_with(ARGUMENT) || it == RESULT)
}

/// Whether a call stands for the result of a function.
pub(super) fn is_result(module: &Module, call: Val) -> bool {
    module.called_name(call).is_some_and(|it| it == RESULT)
}

/// The scalars in an argument or a result, at most.
const PARTS_MAX: usize = 16;

/// Notes the facts of the variant of a function whose first `hidden` parameters are the item's state.
pub(crate) fn note(module: &Module, function: Function, hidden: usize, variant: Variant) {
    if variant != Variant::None {
        module.set_fact(function, STATE, hidden as u32);
    }
    if let Variant::Of(lanes) = variant {
        module.set_fact(function, LANES, lanes);
    }
}

/// Returns the number of lanes of the variant of a function, if it has one.
pub(crate) fn lanes_of(module: &Module, function: Function) -> Option<u32> {
    module.fact(function, LANES)
}

/// How a variant takes a parameter.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Passing {
    /// One value for all lanes.
    Uniform,
    /// The value of lane 0; that of each other is greater by one.
    Step,
    /// A vector, or an aggregate of vectors.
    Lanes,
}

/// A function with a variant.
pub(super) struct Callee {
    function: Function,
    pub(super) lanes: u32,
    hidden: usize,
}

impl Callee {
    /// Returns the function that a call names, if it has a variant.
    pub(super) fn of(module: &Module, call: Val) -> Option<Self> {
        let function = module.called(call)?;
        let lanes = module.fact(function, LANES)?;
        Some(Self { function, lanes, hidden: module.fact(function, STATE)? as usize })
    }

    /// The same, if the call gives all lanes the values that its variant takes once.
    pub(super) fn fitting(module: &Module, divergence: &Divergence, call: Val) -> Option<Self> {
        let this = Self::of(module, call)?;
        let args = module.operands(call).into_iter().take(module.argument_count(call));
        let fits = |(at, arg): (usize, Val)| match passing(module, at, module.type_of(arg), this.hidden) {
            Passing::Uniform => divergence.shape(arg) == Shape::Uniform,
            Passing::Step => divergence.shape(arg) == Shape::Linear(1),
            Passing::Lanes => true,
        };
        args.enumerate().all(fits).then_some(this)
    }

    /// Emits a call of the variant for the lanes of a mask, of which there are not more than the variant has; returns
    /// the result.
    pub(super) fn call(
        &self,
        values: &mut Values<'_>,
        divergence: &Divergence,
        call: Val,
        mask: Val,
    ) -> Option<Wide> {
        let module = values.module;
        let args = module.operands(call).into_iter().take(module.argument_count(call));
        let mut given = Vec::new();
        for (at, arg) in args.enumerate() {
            given.push(match passing(module, at, module.type_of(arg), self.hidden) {
                Passing::Uniform | Passing::Step => values.base(divergence, arg),
                Passing::Lanes => {
                    let lanes = values.lanes(divergence, arg);
                    values.with_lanes(lanes, values.lanes, self.lanes, None)
                }
            });
        }
        let none = module.zero(module.type_of(mask));
        given.push(values.with_lanes(mask, values.lanes, self.lanes, Some(none)));
        let signature = Signature::new(module, self.function, self.hidden, self.lanes);
        let made = module.call(signature.function(module, self.function), &given);
        let is_void = module.type_kind(module.type_of(made)) == TypeKind::Void;
        (!is_void).then(|| Wide::Lanes(values.with_lanes(made, self.lanes, values.lanes, None)))
    }
}

/// Returns how a variant takes a parameter of a type.
fn passing(module: &Module, at: usize, ty: Ty, hidden: usize) -> Passing {
    match at {
        LOCAL_X if hidden > 0 => Passing::Step,
        _ if at < hidden || holds_pointer(module, ty) => Passing::Uniform,
        _ => Passing::Lanes,
    }
}

fn holds_pointer(module: &Module, ty: Ty) -> bool {
    module.type_kind(ty) == TypeKind::Pointer
        || module.element_types(ty).into_iter().any(|it| holds_pointer(module, it))
}

/// Whether a value of this type may be an argument or a result of a variant.
fn is_passable(module: &Module, ty: Ty) -> bool {
    let is_scalar = |ty: Ty| match module.type_kind(ty) {
        TypeKind::Int(bits) => bits <= 64,
        kind => matches!(kind, TypeKind::Float | TypeKind::Pointer),
    };
    match module.type_kind(ty) {
        TypeKind::Struct | TypeKind::Array => {
            module.parts(ty, PARTS_MAX).is_some_and(|it| it.into_iter().all(|it| is_scalar(it.1)))
        }
        _ => is_scalar(ty),
    }
}

/// The type of a variant.
struct Signature {
    params: Vec<Ty>,
    result: Ty,
}

impl Signature {
    fn new(module: &Module, of: Function, hidden: usize, lanes: u32) -> Self {
        let wide = |ty: Ty| wide_type(module, ty, lanes);
        let types = module.param_types(of).into_iter().enumerate();
        let mut params: Vec<Ty> = types
            .map(|(at, ty)| if passing(module, at, ty, hidden) == Passing::Lanes { wide(ty) } else { ty })
            .collect();
        params.push(module.vector(module.int(1), lanes));
        let result = module.result_type(of);
        let is_void = module.type_kind(result) == TypeKind::Void;
        Self { params, result: if is_void { result } else { wide(result) } }
    }

    /// Returns the variant of a function, declared if it is not known.
    fn function(&self, module: &Module, of: Function) -> Function {
        let name = lanes_symbol(&module.name_of(of));
        module.named(&name).unwrap_or_else(|| {
            let made = module.function(&name, self.result, &self.params);
            module.set_attribute(made, "nounwind");
            made
        })
    }
}

/// Makes the variants of a module's functions.
pub(super) fn make_all(module: &Module, machine: &Machine, bits: u32) -> Result<(), EmitError> {
    let (mut order, mut seen) = (Vec::new(), FxHashSet::default());
    for function in module.bodies() {
        add_callees_first(module, function, &mut seen, &mut order);
    }
    for function in order {
        let Some(hidden) = module.fact(function, STATE) else { continue };
        let form = match make(module, machine, function, hidden as usize, bits)? {
            Ok(lanes) => format!("a call for {lanes} items"),
            Err(why) => format!("a call for each item: {why}"),
        };
        module.remark(&format!("{}: {form}", module.name_of(function)));
    }
    Ok(())
}

/// Removes the variants that only this module could call, and does not.
pub(super) fn remove_unused(module: &Module) {
    loop {
        let is_unused = |it: &Function| {
            module.is_internal(*it)
                && !module.is_used(*it)
                && module.name_of(*it).ends_with(&lanes_symbol(""))
        };
        let Some(unused) = module.bodies().into_iter().find(is_unused) else { return };
        module.remove(unused);
    }
}

/// Appends a function after those it calls. Functions that call themselves get no variant, so their order is of no account.
fn add_callees_first(
    module: &Module,
    function: Function,
    seen: &mut FxHashSet<String>,
    order: &mut Vec<Function>,
) {
    let blocks = module.blocks_of(function);
    if blocks.is_empty() || !seen.insert(module.name_of(function)) {
        return;
    }
    let instructions = blocks.into_iter().flat_map(|it| module.instructions_of(it));
    let calls = instructions.filter(|it| module.opcode(*it) == Some(llvm_sys::LLVMOpcode::LLVMCall));
    for callee in calls.filter_map(|it| module.called(it)).collect::<Vec<_>>() {
        add_callees_first(module, callee, seen, order);
    }
    order.push(function);
}

/// Makes the variant of a function, and returns its lanes, or the reason why there is none.
fn make(
    module: &Module,
    machine: &Machine,
    function: Function,
    hidden: usize,
    bits: u32,
) -> Result<Result<u32, &'static str>, EmitError> {
    let draft = match Draft::made(module, machine, function, hidden, bits)? {
        Ok(draft) => draft,
        Err(why) => return Ok(Err(why)),
    };
    if let Err(why) = draft.vectorize(module) {
        draft.remove(module);
        return Ok(Err(why));
    }
    machine.run_function_passes(module, draft.function, CLEAN)?;
    module.set_fact(function, LANES, draft.lanes);
    draft.placeholders.iter().for_each(|it| module.remove(*it));
    Ok(Ok(draft.lanes))
}

/// Returns the functions that may get a variant, with the number of parameters that are the state.
pub(super) fn wanted(module: &Module) -> Vec<(Function, usize)> {
    let state = |it: Function| module.fact(it, STATE).map(|hidden| (it, hidden as usize));
    module.bodies().into_iter().filter_map(state).collect()
}

/// A variant as a scalar loop over its lanes.
pub(super) struct Draft {
    pub(super) function: Function,
    pub(super) lanes: u32,
    /// The functions that stand for arguments, with the names of the parameters they are.
    placeholders: Vec<Function>,
    arguments: Vec<(String, Val)>,
}

impl Draft {
    /// Makes the loop of a function, with the function inlined; fails with the reason if it can have no variant.
    pub(super) fn made(
        module: &Module,
        machine: &Machine,
        function: Function,
        hidden: usize,
        bits: u32,
    ) -> Result<Result<Self, &'static str>, EmitError> {
        let blocks = module.blocks_of(function);
        let instructions: Vec<Val> = blocks.iter().flat_map(|it| module.instructions_of(*it)).collect();
        let lanes = super::lanes_for(module, instructions.iter().copied(), bits);
        let result = module.result_type(function);
        let mut types = module.param_types(function).into_iter().chain([result]);
        if lanes < 2 {
            return Ok(Err("a vector holds one item"));
        }
        if instructions.len() > super::SIZE_MAX || module.is_optnone(function) {
            return Ok(Err("it is large"));
        }
        if !types.all(|it| module.type_kind(it) == TypeKind::Void || is_passable(module, it)) {
            return Ok(Err("an argument or the result has no vector form"));
        }
        let draft = Self::new(module, function, hidden, lanes);
        machine.run_passes(module, "always-inline")?;
        machine.run_function_passes(module, draft.function, CANONICAL)?;
        Ok(Ok(draft))
    }

    /// Removes the code that was made.
    pub(super) fn remove(self, module: &Module) {
        module.remove(self.function);
        self.placeholders.into_iter().for_each(|it| module.remove(it));
    }

    fn new(module: &Module, of: Function, hidden: usize, lanes: u32) -> Self {
        let signature = Signature::new(module, of, hidden, lanes);
        let function = signature.function(module, of);
        if module.is_internal(of) {
            module.set_internal(function);
        }
        let (start, body, done) = (module.block(function), module.block(function), module.block(function));
        let word = module.int(64);
        module.at_end(start);
        module.set_line(0);
        let first = if hidden > 0 { module.param(function, LOCAL_X) } else { module.const_i64(0) };
        let end = module.add(first, module.const_i64(lanes.into()));
        module.br(body);
        module.at_end(body);
        let counter = module.phi(word);
        module.add_incoming(counter, first, start);
        let (mut placeholders, mut arguments, mut given) = (Vec::new(), Vec::new(), Vec::new());
        for (at, ty) in module.param_types(of).into_iter().enumerate() {
            let param = module.param(function, at);
            given.push(match passing(module, at, ty, hidden) {
                Passing::Uniform => param,
                Passing::Step => counter,
                Passing::Lanes => {
                    let stand_in = module.function(&format!("{ARGUMENT}.{at}"), ty, &[word]);
                    arguments.push((module.name_of(stand_in), param));
                    placeholders.push(stand_in);
                    module.call(stand_in, &[counter])
                }
            });
        }
        let made = module.call(of, &given);
        module.inline_call(made);
        let result = module.result_type(of);
        if module.type_kind(result) != TypeKind::Void {
            let stand_in = module.function(RESULT, module.void(), &[result]);
            placeholders.push(stand_in);
            module.call(stand_in, &[made]);
        }
        let next = module.add_exact(counter, module.const_i64(1));
        module.add_incoming(counter, next, body);
        module.item_loop_br(module.icmp(Int::LLVMIntSLT, next, end), body, done, Kind::Ordered);
        module.at_end(done);
        let is_void = module.type_kind(signature.result) == TypeKind::Void;
        module.ret((!is_void).then(|| module.poison(signature.result)));
        Self { function, lanes, placeholders, arguments }
    }

    /// Emits the loop for all lanes at once, in place of the scalar one.
    fn vectorize(&self, module: &Module) -> Result<(), &'static str> {
        let function = self.function;
        let latch = module.blocks_of(function).into_iter().find(|it| is_item_loop(module, *it));
        let latch = latch.ok_or("the loop has another form")?;
        let found = ItemLoop::new(module, function, latch, (0, Some(self.lanes)))?.if_it_pays(module)?;
        let ItemLoop { graph, frame, divergence, privates, lanes: _ } = &found;
        module.at_end(frame.preheader);
        let (start, body) = (module.block(function), module.block(function));
        let mut values = Values::new(module, function, self.lanes, start);
        values.arguments = self.arguments.iter().cloned().collect();
        for &(alloca, bytes) in privates {
            values.add_private(alloca, bytes);
        }
        let mut emission = Emission::new(graph, divergence, values);
        module.reopen(frame.preheader);
        module.at_end(frame.preheader);
        // The scalar loop is left to the passes, which find that nothing comes to it.
        let header = graph.nodes[graph.regions[0].header].block;
        module.cond_br(module.const_int(module.int(1), 1), start, header);
        module.at_end(body);
        for it in &frame.inductions {
            emission.set(it.phi, Wide::Linear(it.start, it.step));
        }
        let mask = module.param(function, module.param_types(function).len() - 1);
        emission.body(Some(mask));
        module.ret(emission.values.result);
        module.at_end(start);
        module.br(body);
        Ok(())
    }
}
