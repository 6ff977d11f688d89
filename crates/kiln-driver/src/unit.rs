//! Gathering the functions of a unit: the entry and everything it calls, throws outlined, checked, serialized.

use crate::bodies::Bodies;
use crate::check::{Place, Problem, check, through};
use crate::kernel::UnitFunction;
use crate::origin::{Functions, attribute};
use crate::stats::{Counters, timed};
use crate::typed::{View, code_instance};
use cranelift_entity::PrimaryMap;
use kiln_ir::{
    Block, BlockData, InlinedAt, Instance, Intrinsic, IrCode, Op, SourceLoc, StmtData, Value, wire,
};
use kiln_opt::outline_throws;
use kiln_runtime::Runtime;
use kiln_runtime::tables::CodeInstance;
use kiln_types::Const;
use kiln_unit::FunctionRequest;
use rustc_hash::FxHashMap;

/// The functions of a unit by ordinal; 0 is the entry.
pub(crate) struct Gathered {
    pub(crate) functions: Vec<UnitFunction>,
    pub(crate) requests: Vec<FunctionRequest>,
    /// What a device could not do, in all functions.
    pub(crate) problems: Vec<Problem>,
}

/// Gathers the unit of `entry`.
pub(crate) fn gather(
    rt: &Runtime,
    counters: &Counters,
    view: &View,
    entry: Instance,
    place: Place,
    mutant: Option<(Intrinsic, Intrinsic)>,
) -> Result<Gathered, String> {
    let mut ordinals: FxHashMap<Instance, u32> = FxHashMap::default();
    let mut order = vec![entry];
    // How control comes to each function: the places of the calls, innermost first.
    let mut paths: Vec<Vec<SourceLoc>> = vec![Vec::new()];
    ordinals.insert(entry, 0);
    let mut gathered = Gathered { functions: Vec::new(), requests: Vec::new(), problems: Vec::new() };
    let mut at = 0;
    while at < order.len() {
        let instance = order[at];
        at += 1;
        let mut code = match outlined_body(rt, counters, view, instance, place) {
            Ok(code) => code,
            // Why there is none has been found in the caller.
            Err(_) if !gathered.problems.is_empty() => break,
            Err(why) => return Err(why),
        };
        if let Some((right, wrong)) = mutant {
            mutate(&mut code, right, wrong);
        }
        let path = paths[at - 1].clone();
        gathered.problems.extend(check(&code, &rt.types, place, at - 1).into_iter().map(|mut it| {
            it.through.extend(&path);
            it
        }));
        let written = wire::write(&code, &rt.types);
        let callees = written.instances.iter().map(|callee| {
            *ordinals.entry(*callee).or_insert_with(|| {
                order.push(*callee);
                paths.push(call_path(&code, *callee, &path));
                order.len() as u32 - 1
            })
        });
        let callees = callees.collect();
        gathered.requests.push(FunctionRequest { ir: written.body, callees, external: false });
        gathered.functions.push(UnitFunction { code });
    }
    let functions = Functions { types: &rt.types, all: &gathered.functions, ordinals: &ordinals };
    gathered.problems = attribute(&functions, std::mem::take(&mut gathered.problems));
    Ok(gathered)
}

/// The places through which control comes from the entry to `callee`, called by `code`.
fn call_path(code: &IrCode, callee: Instance, path: &[SourceLoc]) -> Vec<SourceLoc> {
    let call = code.stmts.values().find(|it| matches!(&it.op, Op::Invoke(called, _) if *called == callee));
    let Some(call) = call else { return path.to_vec() };
    let mut places = vec![call.loc];
    places.extend(through(code, call));
    places.extend(path);
    places
}

fn mutate(code: &mut IrCode, right: Intrinsic, wrong: Intrinsic) {
    for data in code.stmts.values_mut() {
        if let Op::Intrinsic(intrinsic, _) = &mut data.op
            && *intrinsic == right
        {
            *intrinsic = wrong;
        }
    }
}

/// The body of an instance with its throws outlined.
pub(crate) fn outlined_body(
    rt: &Runtime,
    counters: &Counters,
    view: &View,
    instance: Instance,
    place: Place,
) -> Result<IrCode, String> {
    let typed = code_instance(rt, counters, view, instance)?;
    let bodies = Bodies { rt, owner: view.owner, world: view.world };
    let code = match &typed.code {
        Some(code) => IrCode::clone(code),
        None => constant_body(rt, &typed)?,
    };
    Ok(timed(&counters.optimize_ns, || outline_throws(code, &rt.types, &bodies, place == Place::Host)))
}

/// The body of an instance that always returns the same.
fn constant_body(rt: &Runtime, typed: &CodeInstance) -> Result<IrCode, String> {
    let method = rt.tables.method(rt.tables.instance_data(typed.instance).method);
    let Some(constant) = typed.return_const else {
        return Err(format!("`{}` has neither a body nor a constant result", rt.types.name(method.name)));
    };
    let spec = rt.tables.instance_data(typed.instance).spec_types;
    let mut args = rt.types.params(spec).to_vec();
    if method.is_va {
        let fixed = method.nargs as usize - 1;
        let rest = args.split_off(fixed.min(args.len()));
        args.push(rt.types.tuple(&rest));
    }
    Ok(returning(rt, method.name, args, constant))
}

fn returning(rt: &Runtime, name: kiln_types::Symbol, args: Vec<kiln_types::Type>, constant: Const) -> IrCode {
    let mut code = IrCode {
        name,
        args,
        stmts: PrimaryMap::new(),
        blocks: PrimaryMap::new(),
        inlined_at: vec![InlinedAt { callee: Instance::from_u32(0), name, call: SourceLoc::NONE, parent: 0 }],
        throw_sites: PrimaryMap::new(),
        return_type: rt.types.typeof_const(constant),
    };
    let block: Block = code.blocks.push(BlockData::default());
    let end = StmtData {
        op: Op::Return(Value::Const(constant)),
        ty: rt.types.core().bottom,
        loc: SourceLoc::NONE,
        inlined: 0,
        inbounds: false,
    };
    code.append(block, end);
    code
}
