//! Everything an entry can reach by static calls, and in which order units are made of it.

use crate::check::{Place, Problem, ProblemKind, Via, check, has_open_argument};
use crate::definite::Definite;
use crate::described::describe;
use crate::device::runtime::{function, needed};
use crate::env::{CompileEnv, Compiler};
use crate::graph::{CallGraph, Node, call_path};
use crate::growth;
use crate::mutant::mutate;
use crate::naming::specialization;
use crate::origin::{Functions, attribute};
use crate::outline::{body, outlined};
use crate::typed::{code_instance, resolve};
use crate::typed_cache::keep;
use crate::typed_error::TypedError;
use crate::unit::{Units, body_returning, constant_body};
use kiln_ir::{Instance, IrCode, LoweredStmt, Op, SourceLoc, Stmt};
use kiln_runtime::Runtime;
use kiln_runtime::eval::generated;
use kiln_runtime::tables::CodeInstance;
use kiln_types::{Types, consts, datatype, unionall};
use kiln_unit::EntryKind;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// A function before its callees are known.
struct Found {
    typed: Arc<CodeInstance>,
    code: Arc<IrCode>,
    callees: Vec<Instance>,
    /// Callees of code that ends in a throw, and those without a compiled form: the host runs these calls.
    left_to_host: Vec<Instance>,
    /// Calls that can only throw, and calls that throw as data decides.
    definite: (Vec<Problem>, Vec<Problem>),
    /// Its unit has been made, so there is nothing wrong with it.
    is_made: bool,
    /// It has no compiled form: the host runs calls of it.
    is_interpreted: bool,
    /// It catches exceptions, here, and is for a device.
    catches: Option<SourceLoc>,
    /// It has no body to look at, for this reason; as a rule some caller or callee has a problem that says more.
    bodiless: Option<TypedError>,
}

impl Found {
    /// A function that there is nothing to say of yet.
    fn new(typed: Arc<CodeInstance>, code: Arc<IrCode>, callees: Vec<Instance>) -> Self {
        Self {
            typed,
            code,
            callees,
            left_to_host: Vec::new(),
            definite: (Vec::new(), Vec::new()),
            is_made: false,
            is_interpreted: false,
            catches: None,
            bodiless: None,
        }
    }
}

impl CallGraph {
    /// Adds the problems of a function that control comes to by `path`; those that are sure to happen go to `definite`.
    fn note_problems(
        &mut self,
        rt: &Runtime,
        found: &mut Found,
        (place, at): (Place, usize),
        path: &[Via],
        definite: &mut Vec<Problem>,
    ) {
        if let Some(loc) = found.catches {
            let (kind, stmt, through) = (ProblemKind::Try, Stmt::from_u32(0), path.to_vec());
            self.problems.push(Problem { kind, stmt, function: at, loc, through });
            return;
        }
        if found.is_made {
            return;
        }
        let (mut certain, mut doubts) = std::mem::take(&mut found.definite);
        for problem in certain.iter_mut().chain(&mut doubts) {
            problem.through.extend(path);
        }
        definite.append(&mut certain);
        self.doubts.append(&mut doubts);
        self.problems.extend(check(&found.code, &rt.types, place, at).into_iter().map(|mut it| {
            it.through.extend(path);
            it
        }));
    }
}

impl CallGraph {
    /// Adds problems that are sure to happen, where no other is known.
    fn add_definite(&mut self, definite: Vec<Problem>) {
        for problem in definite {
            if !self.problems.iter().any(|it| it.loc == problem.loc && it.through == problem.through) {
                self.problems.push(problem);
            }
        }
    }
}

/// The call graph of `entry`. A function whose unit has been made is not looked at again, nor is what only it calls.
pub fn call_graph(env: &CompileEnv<'_>, entry: Instance, place: Place) -> Result<CallGraph, TypedError> {
    let CompileEnv { rt, compiler, view } = *env;
    let entry = resolve(env, entry);
    let mut positions: FxHashMap<Instance, usize> = std::iter::once((entry, 0)).collect();
    let mut order = vec![entry];
    // How control comes to each function: the calls, innermost first.
    let mut paths: Vec<Vec<Via>> = vec![Vec::new()];
    let mut graph = CallGraph { nodes: Vec::new(), problems: Vec::new(), doubts: Vec::new() };
    let mut definite: Vec<Problem> = Vec::new();
    // Functions of the runtime and what only they call: they do not call the runtime in turn.
    let mut of_runtime: FxHashSet<usize> = FxHashSet::default();
    let mut stays: FxHashMap<Instance, bool> = FxHashMap::default();
    let mut bodiless: Option<TypedError> = None;
    let mut left_to_host: Vec<(usize, Instance)> = Vec::new();
    while let Some(&instance) = order.get(graph.nodes.len()) {
        let at = graph.nodes.len();
        let grows = growth::beyond(rt, instance, &paths[at]);
        let interprets = grows.is_some() && place == Place::Host;
        if let Some(problem) = grows.filter(|_| !interprets) {
            definite.push(problem);
            break;
        }
        let mut found = match found_or_interpreted(env, instance, (place, at), (interprets, &mut stays)) {
            Ok(found) => found,
            Err(why) => {
                match generator_problem(env, instance, &paths[at]) {
                    // Its callers know nothing of the result, and what was found in them may follow from that.
                    Some(problem) => (graph.problems, definite) = (Vec::new(), vec![problem]),
                    // Why there is none has been found in the caller.
                    None if !graph.problems.is_empty() => (),
                    None => definite.push(widened_problem(rt, instance, why, &paths[at])?),
                }
                break;
            }
        };
        let path = paths[at].clone();
        bodiless = bodiless.or(found.bodiless.take().map(|why| asked_for(rt, why, &path)));
        graph.note_problems(rt, &mut found, (place, at), &path, &mut definite);
        let callees = found.callees.iter().map(|callee| {
            *positions.entry(*callee).or_insert_with(|| {
                order.push(*callee);
                paths.push(call_path(&found.code, *callee, &path));
                order.len() - 1
            })
        });
        let mut callees: Vec<usize> = callees.collect();
        let mut runtime = Vec::new();
        if of_runtime.contains(&at) {
            of_runtime.extend(callees.iter().filter(|it| **it > at));
        } else if place == Place::Device {
            // Also of a unit that has been made: it is made again where one of these is another function now.
            for role in needed(&found.code, &rt.types, view) {
                let instance = resolve(env, function(rt, view, role)?);
                let position = *positions.entry(instance).or_insert_with(|| {
                    order.push(instance);
                    paths.push(Vec::new());
                    order.len() - 1
                });
                of_runtime.insert(position);
                runtime.push((role, position));
                if !callees.contains(&position) {
                    callees.push(position);
                }
            }
        }
        left_to_host.extend(found.left_to_host.iter().map(|it| (at, *it)));
        let Found { typed, code, is_interpreted, .. } = found;
        graph.nodes.push(Node { typed, code, callees, runtime, is_interpreted });
    }
    add_left_to_host(env, &mut graph, &mut positions, left_to_host)?;
    if let Some(why) = bodiless.filter(|_| graph.problems.is_empty() && definite.is_empty()) {
        return Err(why);
    }
    attribute_problems(rt, compiler, &mut graph, (&positions, &paths, place));
    graph.add_definite(definite);
    Ok(graph)
}

/// Adds the functions that the host runs where nothing else calls them.
fn add_left_to_host(
    env: &CompileEnv<'_>,
    graph: &mut CallGraph,
    positions: &mut FxHashMap<Instance, usize>,
    left_to_host: Vec<(usize, Instance)>,
) -> Result<(), TypedError> {
    for (caller, callee) in left_to_host {
        let at = match positions.get(&callee) {
            // The graph may have ended at a problem before this one.
            Some(at) if *at >= graph.nodes.len() => continue,
            Some(at) => *at,
            None => {
                let Found { typed, code, .. } = interpreted(env.rt, code_instance(env, callee)?);
                let (callees, runtime) = (Vec::new(), Vec::new());
                graph.nodes.push(Node { typed, code, callees, runtime, is_interpreted: true });
                positions.insert(callee, graph.nodes.len() - 1);
                graph.nodes.len() - 1
            }
        };
        let callees = &mut graph.nodes[caller].callees;
        if !callees.contains(&at) {
            callees.push(at);
        }
    }
    Ok(())
}

/// The problem that an instance reached by `path` is whose generator throws; `None` if it has a body.
fn generator_problem(env: &CompileEnv<'_>, instance: Instance, path: &[Via]) -> Option<Problem> {
    let rt = env.rt;
    let data = rt.tables.instance_data(instance);
    // One of open types is never called.
    let thrown = datatype::is_dispatch_tuple(&rt.types, data.spec_types)
        .then(|| generated::instance_body(rt, instance).err())??;
    let own = thrown.trace.iter().map(|it| it.loc).find(|it| env.compiler.is_user_file(*it));
    let kind = ProblemKind::Generator {
        method: data.method,
        types: datatype::params(&rt.types, unionall::unwrap(&rt.types, data.spec_types)).to_vec(),
        said: describe(rt, thrown.exception),
        thrown: own.unwrap_or(SourceLoc::NONE),
    };
    let loc = path.first().map_or_else(|| rt.tables.method(data.method).loc, |it| it.call);
    let through = path.iter().skip(1).copied().collect();
    Some(Problem { kind, stmt: Stmt::from_u32(0), function: 0, loc, through })
}

/// Leaves one problem of each cause.
fn attribute_problems(
    rt: &Runtime,
    compiler: &Compiler,
    graph: &mut CallGraph,
    (positions, paths, place): (&FxHashMap<Instance, usize>, &[Vec<Via>], Place),
) {
    let problems = std::mem::take(&mut graph.problems);
    let (types, all, is_user_file) = (&rt.types, &graph.nodes, |it| compiler.is_user_file(it));
    let functions = Functions { rt, types, all, positions, paths, is_user_file: &is_user_file, place };
    graph.problems = attribute(&functions, problems);
}

/// A function that the host runs: its callers know its arguments and its result.
fn interpreted(rt: &Runtime, typed: Arc<CodeInstance>) -> Found {
    let code = Arc::new(body_returning(rt, &typed, consts::nothing(&rt.types)));
    Found { is_made: true, is_interpreted: true, ..Found::new(typed, code, Vec::new()) }
}

/// The function; host code that cannot be compiled and that another function calls is interpreted.
fn found_or_interpreted(
    env: &CompileEnv<'_>,
    instance: Instance,
    (place, at): (Place, usize),
    (interprets, stays): (bool, &mut FxHashMap<Instance, bool>),
) -> Result<Found, TypedError> {
    let rt = env.rt;
    if interprets {
        return Ok(interpreted(rt, code_instance(env, instance)?));
    }
    let found = find(env, instance, (place, at), stays)?;
    let is_compiled = place == Place::Device
        || at == 0
        || found.bodiless.is_none() && (found.is_made || check(&found.code, &rt.types, place, at).is_empty());
    Ok(if is_compiled { found } else { interpreted(rt, found.typed) })
}

fn find(
    env: &CompileEnv<'_>,
    instance: Instance,
    (place, at): (Place, usize),
    stays: &mut FxHashMap<Instance, bool>,
) -> Result<Found, TypedError> {
    let CompileEnv { rt, .. } = *env;
    let typed = code_instance(env, instance)?;
    if let Some(made) = find_made(env, &typed, (place, at), stays) {
        return Ok(made);
    }
    if place == Place::Device
        && typed.return_const.is_none()
        && typed.code(rt).is_none_or(|it| it.stmts.values().any(|it| matches!(it.op, Op::Enter { .. })))
        && let Some(loc) = catches(rt, instance)
    {
        let code = Arc::new(body_returning(rt, &typed, consts::nothing(&rt.types)));
        return Ok(Found { catches: Some(loc), ..Found::new(typed, code, Vec::new()) });
    }
    if !typed.has_code()
        && let Err(why) = constant_body(rt, &typed)
    {
        let code = Arc::new(body_returning(rt, &typed, consts::nothing(&rt.types)));
        return Ok(Found { bodiless: Some(why), is_made: true, ..Found::new(typed, code, Vec::new()) });
    }
    let mut definite = (Vec::new(), Vec::new());
    if place == Place::Device {
        let found = Definite::of(env, at, &body(rt, &typed)?);
        found.looked_into.iter().for_each(|it| keep(env, it));
        definite = (found.problems, found.doubts);
    }
    let code = outlined_body(env, &typed, place)?;
    let (callees, left_to_host) = called(&code, &rt.types, place);
    let code = Arc::new(code);
    Ok(Found { definite, left_to_host, ..Found::new(typed, code, callees) })
}

/// A function whose unit has been made, and is good.
fn find_made(
    env: &CompileEnv<'_>,
    typed: &Arc<CodeInstance>,
    (place, at): (Place, usize),
    stays: &mut FxHashMap<Instance, bool>,
) -> Option<Found> {
    let CompileEnv { rt, view, .. } = *env;
    let instance = typed.instance;
    let unit = Units::of(typed).get(view.unit.of(EntryKind::Body), EntryKind::Body).filter(|_| at != 0)?;
    let function = unit.functions.iter().find(|it| it.instance == instance)?;
    if !stays_valid(env, instance, stays) {
        return None;
    }
    let code = function.code(rt).clone();
    // Through one member of a unit all that the unit needs is reached.
    let members = unit.functions.iter().map(|it| it.instance).filter(|it| *it != instance);
    let callees = members.chain(unit.calls().map(|it| it.1.instance));
    let mut callees: Vec<Instance> = callees.map(|it| resolve(env, it)).collect();
    let mut left_to_host: Vec<Instance> = Vec::new();
    if place == Place::Host {
        left_to_host.extend(unit.callees.iter().filter(|it| it.traits.is_interpreted).map(|it| it.instance));
        // An entry in a circle with it is made with it once more, and its code names these, too.
        if unit.functions.len() > 1 {
            let (warm, others) = called(&code, &rt.types, place);
            callees.extend(warm.into_iter().filter(|it| !callees.contains(it)).collect::<Vec<_>>());
            left_to_host.extend(others);
        }
    }
    Some(Found { is_made: true, left_to_host, ..Found::new(typed.clone(), code, callees) })
}

/// Whether the unit of a function has been made and nothing that its object calls is to be called in another way now.
/// One that does not stay is made again, of all that its code calls.
fn stays_valid(env: &CompileEnv<'_>, instance: Instance, known: &mut FxHashMap<Instance, bool>) -> bool {
    let view = env.view;
    if let Some(known) = known.get(&instance) {
        return *known;
    }
    known.insert(instance, true); // as far as functions go that call it in turn
    let unit = |instance: Instance| {
        let typed = code_instance(env, instance).ok()?;
        Units::of(&typed).get(view.unit.of(EntryKind::Body), EntryKind::Body)
    };
    let stays = unit(instance).is_some_and(|it| {
        it.calls().all(|(_, callee)| {
            let current = resolve(env, callee.instance);
            let traits = unit(current).and_then(|it| it.traits(current));
            traits == Some(callee.traits) && stays_valid(env, current, known)
        })
    });
    known.insert(instance, stays);
    stays
}

/// The body of an instance with its reports and throws outlined.
fn outlined_body(env: &CompileEnv<'_>, typed: &CodeInstance, place: Place) -> Result<IrCode, TypedError> {
    let CompileEnv { rt, view, .. } = *env;
    let code = body(rt, typed)?;
    let about = || specialization(rt, typed.instance);
    let mut code =
        env.counters().timed(|it| &it.optimize_ns, "outline", about, || outlined(rt, view, code, place));
    // Code names what it calls as it was when the code was made.
    for data in code.stmts.values_mut() {
        if let Some(callee) = data.op.callee_mut() {
            *callee = resolve(env, *callee);
        }
    }
    if let Some(mutant) = env.compiler.options.mutant {
        mutate(&mut code, &rt.types, mutant);
    }
    Ok(code)
}

/// Where a function has a `try`.
fn catches(rt: &Runtime, instance: Instance) -> Option<SourceLoc> {
    let body = generated::instance_body(rt, instance).ok()?;
    let at = body.stmts.iter().position(|it| matches!(it, LoweredStmt::Enter(_)))?;
    let first = body.locs.get(at + 1..).unwrap_or_default().iter().find(|it| !it.is_none());
    body.locs.get(at).filter(|it| !it.is_none()).or(first).copied()
}

/// Returns the callees of a body, each once, in order of first use; of host code those apart that the host runs. Problems of a
/// callee on a device follow from the call.
fn called(code: &IrCode, types: &Types, place: Place) -> (Vec<Instance>, Vec<Instance>) {
    let (mut all, mut left_to_host) = (Vec::new(), Vec::new());
    for (block, body) in &code.blocks {
        for &stmt in &body.stmts {
            let data = &code.stmts[stmt];
            let Some(callee) = data.op.callee() else { continue };
            let runs_on_host = place == Place::Host && code.leads_to_throw(block, data.ty);
            let list = if runs_on_host { &mut left_to_host } else { &mut all };
            let is_open = place == Place::Device && has_open_argument(code, types, &data.op);
            if !is_open && !list.contains(&callee) {
                list.push(callee);
            }
        }
    }
    (all, left_to_host)
}

/// Why a body was not made, and where it was asked for.
fn asked_for(rt: &Runtime, error: TypedError, path: &[Via]) -> TypedError {
    match path.first().and_then(|it| rt.frontend.place(it.call)) {
        Some((file, line)) => TypedError::AskedFor { error: Box::new(error), file, line },
        None => error,
    }
}

/// The problem that an instance without a body is, or why it has none.
fn widened_problem(
    rt: &Runtime,
    instance: Instance,
    why: TypedError,
    path: &[Via],
) -> Result<Problem, TypedError> {
    growth::widened(rt, instance, path).ok_or_else(|| asked_for(rt, why, path))
}
