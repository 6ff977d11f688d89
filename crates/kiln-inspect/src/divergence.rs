//! The divergence analysis of a kernel for the processor, by lines of its source.
//!
//! The code generator analyses the loops that it vectorizes, after inlining. An instruction belongs to the innermost place in the file of
//! its function that it comes from: code that is inlined from elsewhere, to the line that calls it.

use crate::error::InspectError;
use crate::requests::{Asked, requests_of};
use crate::views::view_of;
use kiln_codegen_client::RoundTrip;
use kiln_compile::{CompileEnv, code_instance, entry_instance, stages};
use kiln_exec::{ConfigId, ExecEnv};
use kiln_ir::{Instance, IrCode};
use kiln_runtime::Runtime;
use kiln_targets::Items;
use kiln_types::{Type, datatype, display};
use kiln_unit::{AnalysedInstruction, AnalysedLoop, DivergenceRequest, LaneOperation, ScalarReason, Spread};
use std::collections::BTreeMap;

/// Something that the instructions of a line do, and how it differs between items.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LineFact {
    /// Whether only some items may do it.
    pub is_partial: bool,
    /// Whether it is in a loop that items leave in different turns.
    pub is_in_divergent_loop: bool,
    /// The operation.
    pub operation: LaneOperation,
    /// How the value differs between items; of an access, the address; of a branch, the condition.
    pub spread: Spread,
}

/// A loop over items, by lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownLoop {
    /// The function, with the types of its arguments.
    pub function: String,
    /// The loop in the code of that function.
    pub part: String,
    /// The number of items that run together, or why each runs by itself.
    pub lanes: Result<u32, ScalarReason>,
    /// The facts of each line: file, number, and how many instructions each fact is of.
    pub lines: BTreeMap<(String, u32), BTreeMap<LineFact, u32>>,
}

/// Analyses the loops over items of a kernel of this type called with `args`, those of its entry first, then the callees that
/// are not inlined.
///
/// # Errors
/// When no method takes the arguments, the function does not compile, or the target runs items by itself.
pub fn divergence(
    env: &ExecEnv<'_>,
    (function, args): (Type, Type),
    config: Option<ConfigId>,
) -> Result<Vec<ShownLoop>, InspectError> {
    let rt = env.rt;
    let mut types = vec![function];
    types.extend(datatype::params(&rt.types, args).iter().copied());
    let mut view = config.map_or_else(|| view_of(env, &types), |it| env.view(it));
    view.unit = env.exec.compiler.targets.with_regions(&view.unit).unwrap_or(view.unit);
    if view.unit.facts.items != Items::Loops {
        return Err(InspectError::NoLoops(view.unit.facts.name.clone()));
    }
    let env = &env.stages(&view);
    let instance = entry_instance(env, function, args)?;
    let typed = code_instance(env, instance)?;
    let mut shown = Vec::new();
    for it in requests_of(env, &typed)? {
        let mut loops = analysed(env, &it)?;
        loops.reverse();
        shown.extend(loops.into_iter().map(|analysed| by_lines(rt, &it, analysed)));
    }
    shown.reverse(); // the entry first
    Ok(shown)
}

fn analysed(env: &CompileEnv<'_>, asked: &Asked) -> Result<Vec<AnalysedLoop>, InspectError> {
    let stages = stages(env, &asked.unit, &asked.source, &asked.request)?;
    let options = &asked.request.options;
    let request = DivergenceRequest {
        target: asked.request.target.clone(),
        opt_level: options.opt_level,
        vector_bits: options.vector_bits,
        by_hand: false,
        bitcode: stages.emitted.clone(),
    };
    Ok(env.compiler.codegen.in_process()?.divergence(&request)?)
}

fn by_lines(rt: &Runtime, asked: &Asked, analysed: AnalysedLoop) -> ShownLoop {
    let sources: Vec<_> = asked.unit.functions.iter().map(|it| it.code(rt)).collect();
    let mut lines: BTreeMap<(String, u32), BTreeMap<LineFact, u32>> = BTreeMap::new();
    for it in &analysed.instructions {
        // Statements are numbered from 1, those of a function after those of the one before.
        let (mut stmt, mut of) = ((it.line as usize).checked_sub(1), None);
        for code in &sources {
            match stmt {
                Some(at) if at < code.stmts.len() => of = of.or(Some((code, at))),
                _ => {}
            }
            stmt = stmt.and_then(|at| at.checked_sub(code.stmts.len()));
        }
        let Some((file, line)) = of.and_then(|(code, at)| place(rt, code, at)) else { continue };
        *lines.entry((file, line)).or_default().entry(fact(it)).or_default() += 1;
    }
    let number = analysed.function.strip_prefix('f').and_then(|it| it.parse::<usize>().ok());
    let function = asked.unit.functions.get(number.unwrap_or(0)).or(asked.unit.functions.first());
    let function = function.map_or_else(String::new, |it| called(rt, it.instance));
    ShownLoop { function, part: analysed.function, lanes: analysed.lanes, lines }
}

/// Returns a function with the types of its arguments.
fn called(rt: &Runtime, instance: Instance) -> String {
    let data = rt.tables.instance_data(instance);
    let name = rt.types.name(rt.tables.method(data.method).name).to_owned();
    let types = datatype::params(&rt.types, data.spec_types).iter().skip(1);
    let types: Vec<String> = types.map(|it| display::of_type(&rt.types, *it)).collect();
    format!("{name}({})", types.join(", "))
}

fn fact(it: &AnalysedInstruction) -> LineFact {
    let AnalysedInstruction { operation, spread, is_partial, is_in_divergent_loop, .. } = *it;
    LineFact { is_partial, is_in_divergent_loop, operation, spread }
}

/// Returns the innermost place of a statement in the file that its function is in.
fn place(rt: &Runtime, code: &IrCode, stmt: usize) -> Option<(String, u32)> {
    let data = code.stmts.values().nth(stmt)?;
    let calls = std::iter::successors(Some(data.inlined), |at| {
        Some(code.inlined_at.get(*at as usize)?.parent).filter(|_| *at != 0)
    });
    let calls = calls.filter(|at| *at != 0).filter_map(|at| code.inlined_at.get(at as usize));
    let places = std::iter::once(data.loc).chain(calls.map(|it| it.call));
    let places: Vec<(String, u32)> = places.filter_map(|it| rt.frontend.place(it)).collect();
    let home = places.last()?.0.clone();
    places.into_iter().find(|it| it.0 == home)
}
