//! Showing what each stage makes of a function: what has been kept of it, so that nothing is compiled to be shown.

use crate::error::InspectError;
use crate::requests::requests_of;
use crate::views::view_of;
use kiln_codegen_client::RoundTrip;
use kiln_compile::device::tools;
use kiln_compile::{
    BoundUnit, CompileEnv, Compiler, code_instance, device::make_for_device, diagnostics, entry_instance,
    is_static, stages,
};
use kiln_exec::{ConfigId, ExecEnv};
use kiln_ir::{Instance, IrCode, Op};
use kiln_runtime::Runtime;
use kiln_runtime::eval::generated;
use kiln_targets::{Items, TargetFacts};
use kiln_types::{Type, datatype, display};
use kiln_unit::OutputKinds;
use std::fmt::Write as _;

/// A stage that can be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Lowered code.
    Lowered,
    /// Typed and optimized.
    Typed,
    /// The same after a list of what has no concrete type, which is what makes calls dynamic.
    Warntype,
    /// LLVM IR, before its passes.
    Emitted,
    /// LLVM IR, after them.
    Llvm,
    /// The same as bitcode.
    Bitcode,
    /// Machine code, as text.
    Native,
    /// The form of a kernel of the processor: what runs between barriers, how many items at once, and why.
    Regions,
}

impl Stage {
    /// All of them, with the names that people use.
    pub const ALL: [(&'static str, Self); 8] = [
        ("lowered", Self::Lowered),
        ("typed", Self::Typed),
        ("warntype", Self::Warntype),
        ("emitted", Self::Emitted),
        ("llvm", Self::Llvm),
        ("bitcode", Self::Bitcode),
        ("native", Self::Native),
        ("regions", Self::Regions),
    ];
}

/// Returns the type of a function's result, as kernels see it: with the tables of a configuration. Without a method it is `Union{}`.
///
/// # Errors
/// When the body does not compile.
pub(crate) fn return_type(
    env: &ExecEnv<'_>,
    (function, args): (Type, Type),
    config: Option<ConfigId>,
) -> Result<Type, InspectError> {
    let mut types = vec![function];
    types.extend(datatype::params(&env.rt.types, args).iter().copied());
    let view = config.map_or_else(|| view_of(env, &types), |it| env.view(it));
    let env = &env.stages(&view);
    let Ok(instance) = instance_of(env, &types) else { return Ok(env.rt.types.core().bottom) };
    Ok(code_instance(env, instance)?.return_type)
}

fn instance_of(env: &CompileEnv<'_>, types: &[Type]) -> Result<Instance, InspectError> {
    let CompileEnv { rt, view, .. } = *env;
    let instance = rt.tables.dispatch_in(view.id(rt), types, view.world);
    instance.map_err(|_| InspectError::of_program(vec![diagnostics::no_method(rt, view, types)]))
}

/// Returns `stage` of a function of this type called with `args`: as it was launched, unless a configuration is given.
/// Device stages show it as a kernel if it returns nothing. Text but for bitcode.
///
/// # Errors
/// When no method takes the arguments, the function does not compile, or a tool is missing.
pub fn reflect(
    env: &ExecEnv<'_>,
    stage: Stage,
    (function, args): (Type, Type),
    config: Option<ConfigId>,
) -> Result<Vec<u8>, InspectError> {
    let rt = env.rt;
    let mut types = vec![function];
    types.extend(datatype::params(&rt.types, args).iter().copied());
    let mut view = config.map_or_else(|| view_of(env, &types), |it| env.view(it));
    if stage == Stage::Regions {
        view.unit = env.exec.compiler.targets.with_regions(&view.unit).unwrap_or(view.unit);
    }
    let env = &env.stages(&view);
    if view.unit.facts.items != Items::Loops
        && !matches!(stage, Stage::Lowered | Stage::Typed | Stage::Warntype)
    {
        return reflect_on_device(env, stage, (function, args));
    }
    let instance = instance_of(env, &types)?;
    if stage == Stage::Lowered {
        let body = generated::instance_body(rt, instance).map_err(|_| InspectError::Generator)?;
        return Ok(body.display(&rt.types).to_string().into_bytes());
    }
    let typed = code_instance(env, instance)?;
    if matches!(stage, Stage::Typed | Stage::Warntype) {
        let warnings = match typed.code(rt) {
            Some(code) if stage == Stage::Warntype => open_types(rt, code),
            Some(_) | None => String::new(),
        };
        let text = match (typed.code(rt), typed.return_const) {
            (Some(code), _) => renumbered(code).display(&rt.types).to_string(),
            (None, Some(value)) => format!("return {}\n", display::of_const(&rt.types, value)),
            (None, None) => String::new(),
        };
        return Ok((warnings + &text).into_bytes());
    }
    let mut shown: Vec<Vec<u8>> = Vec::new();
    for it in requests_of(env, &typed)? {
        if stage == Stage::Native {
            let code = disassemble(env.compiler, &view.unit.facts, &it.unit.body.object)?;
            let code = String::from_utf8_lossy(&code);
            shown.push(with_places(rt, &it.unit, &code).into_bytes());
            continue;
        }
        let stages = stages(env, &it.unit, &it.source, &it.request)?;
        shown.push(match stage {
            Stage::Bitcode => stages.optimized.clone(),
            Stage::Emitted => listing(env.compiler, &stages.emitted)?,
            Stage::Regions => remarks(&listing(env.compiler, &stages.optimized)?),
            _ => listing(env.compiler, &stages.optimized)?,
        });
    }
    shown.reverse(); // the entry first
    if stage == Stage::Bitcode && shown.len() > 1 {
        return Err(InspectError::SeveralModules);
    }
    Ok(shown.concat())
}

/// Bitcode as text.
fn listing(compiler: &Compiler, bitcode: &[u8]) -> Result<Vec<u8>, InspectError> {
    Ok(compiler.codegen.in_process()?.listing(bitcode.to_vec())?.into_bytes())
}

/// Returns the remarks in the text of a module, a line each.
fn remarks(text: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(text);
    let list = text.lines().find_map(|it| it.strip_prefix("!kiln.remarks = !{")?.strip_suffix('}'));
    let nodes = list.unwrap_or_default().split(", ");
    let line = |node: &str| {
        let is_of = |it: &&str| it.strip_prefix(node).is_some_and(|it| it.starts_with(" = "));
        let (_, content) = text.lines().find(is_of)?.split_once("!{!\"")?;
        content.strip_suffix("\"}").map(|it| format!("{it}\n"))
    };
    nodes.filter_map(line).collect::<String>().into_bytes()
}

/// The stages of what a device is given: all of them are kept with it.
fn reflect_on_device(
    env: &CompileEnv<'_>,
    stage: Stage,
    (function, args): (Type, Type),
) -> Result<Vec<u8>, InspectError> {
    let entry = entry_instance(env, function, args)?;
    let linked = stage == Stage::Emitted;
    // Where no program shows objects, the code generator's own text is shown.
    let facts = &env.view.unit.facts;
    let assembly = facts.tools.disassemble.is_none() && !facts.files.object_is_text && stage == Stage::Native;
    let wanted = OutputKinds { linked, optimized: true, object: true, assembly };
    let linked_module = make_for_device(env, entry, None, wanted)?.code.module;
    match stage {
        Stage::Bitcode => Ok(linked_module.optimized),
        Stage::Emitted => listing(env.compiler, &linked_module.linked),
        Stage::Llvm => listing(env.compiler, &linked_module.optimized),
        Stage::Regions => Ok(format!("{} runs items by itself\n", env.view.unit.facts.name).into_bytes()),
        Stage::Native if assembly => Ok(linked_module.assembly),
        Stage::Lowered | Stage::Typed | Stage::Warntype | Stage::Native => {
            disassemble(env.compiler, &env.view.unit.facts, &linked_module.object)
        }
    }
}

/// Lists the values without a concrete type in a body: a line each, in the order of the body.
fn open_types(rt: &Runtime, code: &IrCode) -> String {
    let mut found = String::new();
    for (stmt, data) in &code.stmts {
        let is_value = data.ty != rt.types.core().bottom && data.ty != rt.types.core().nothing;
        if matches!(data.op, Op::Nop) || !is_value || is_static(&rt.types, data.ty) {
            continue;
        }
        let place = rt.frontend.place(data.loc).map_or(String::new(), |it| format!(" at {}:{}", it.0, it.1));
        let _ = writeln!(found, "not concrete: {stmt}::{}{place}", display::of_type(&rt.types, data.ty));
    }
    found
}

/// Machine code with a comment wherever that of another statement begins.
fn with_places(rt: &Runtime, unit: &BoundUnit, code: &str) -> String {
    let (mut shown, mut in_text, mut last) = (String::new(), false, None);
    for line in code.lines() {
        if let Some(section) = line.strip_prefix("Disassembly of section ") {
            in_text = section == ".text:";
        }
        let offset = line.trim_start().split_once(':').map(|it| it.0);
        let offset = offset.filter(|_| in_text).and_then(|it| u32::from_str_radix(it, 16).ok());
        if let Some(offset) = offset {
            let places = unit.places_at(rt, offset);
            if places != last {
                if let Some(places) = &places {
                    let _ = writeln!(shown, "; {places}");
                }
                last = places;
            }
        }
        shown.push_str(line);
        shown.push('\n');
    }
    shown
}

/// An object as text, as the target's disassembler shows it.
pub(crate) fn disassemble(
    compiler: &Compiler,
    facts: &TargetFacts,
    object: &[u8],
) -> Result<Vec<u8>, InspectError> {
    if facts.files.object_is_text {
        return Ok(object.to_vec());
    }
    let tool = facts.tools.disassemble.as_ref();
    let tool = tool.ok_or_else(|| InspectError::NoDisassembler(facts.name.clone()))?;
    let shown = tools::run(&compiler.options.tools, tool, object).map_err(InspectError::Disassembler)?;
    // What comes before the first section names the file.
    let start = shown.windows(SECTION.len()).position(|it| it == SECTION).unwrap_or(0);
    Ok(shown[start..].to_vec())
}

/// How LLVM's disassembler begins.
const SECTION: &[u8] = b"Disassembly of section";

/// The same code with what it calls numbered in the order of first use: the session's own numbers depend on what else it
/// has seen, and whether it inferred the code or took it over.
fn renumbered(code: &IrCode) -> IrCode {
    let mut code = code.clone();
    let mut seen: Vec<Instance> = Vec::new();
    for data in code.stmts.values_mut() {
        if let Some(callee) = data.op.callee_mut() {
            let known = seen.iter().position(|it| it == callee);
            let number = known.unwrap_or_else(|| {
                seen.push(*callee);
                seen.len() - 1
            });
            *callee = Instance::from_u32(number as u32);
        }
    }
    code
}
