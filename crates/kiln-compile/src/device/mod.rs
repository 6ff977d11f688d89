//! Kernels for devices: from a call graph to an artifact that a vendor's loader takes.
//!
//! Everything up to units is what it is for the CPU. The units of a device are bitcode; `device link` makes one artifact
//! of them, and [`tools`] what only a vendor's linker can.

pub mod device_link;
pub mod finish;
mod kept_forms;
pub mod libraries;
mod lines;
mod metal_library;
mod native;
pub(crate) mod runtime;
pub mod tools;

use crate::call_graph::call_graph;
use crate::check::Place;
use crate::diagnostics;
use crate::env::CompileEnv;
use crate::error::CompileError;
use crate::graph::CallGraph;
use crate::inputs::View;
use crate::program::{LinkSet, Program, link_set};
use crate::stages::problems;
use device_link::{LinkOptions, linked_module};
use kiln_ir::Instance;
use kiln_runtime::Runtime;
use kiln_targets::Items;
use kiln_types::{Symbol, datatype, mangle};
use kiln_unit::{EntryKind, LinkInfo, LinkedModule, OperandPlace, OutputKinds};
use libraries::libraries_for;
use std::fmt;
use tools::ToolError;

/// Why there is no artifact.
#[derive(Debug)]
pub enum ArtifactError {
    /// It does not compile.
    Compile(CompileError),
    /// A tool that finishes it is missing, or refuses what it is given.
    Tool(ToolError),
}

impl From<CompileError> for ArtifactError {
    fn from(error: CompileError) -> Self {
        Self::Compile(error)
    }
}

impl From<ToolError> for ArtifactError {
    fn from(error: ToolError) -> Self {
        Self::Tool(error)
    }
}

impl std::error::Error for ArtifactError {}

impl fmt::Display for ArtifactError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Compile(error) => write!(f, "{error}"),
            Self::Tool(error) => write!(f, "{error}"),
        }
    }
}

/// Forms a kernel can be had in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// LLVM IR after optimization, as text.
    Llvm,
    /// The same as bitcode.
    Bitcode,
    /// Text of the device's assembler.
    Assembly,
    /// The code generator's output: PTX, an object, SPIR-V.
    Object,
    /// The output of a vendor's tool: a cubin, a code object.
    Binary,
}

/// A kernel, or a function, compiled for a device.
#[derive(Clone, Debug)]
pub struct DeviceCode {
    /// The name on the device.
    pub symbol: String,
    /// The forms that were asked for.
    pub module: LinkedModule,
    /// How it is called.
    pub params: DeviceParams,
}

/// How the arguments of a kernel lie in the block that a launch gives.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeviceParams {
    /// The calling convention of the entry.
    pub abi: EntryAbi,
    /// Size in bytes of the block.
    pub bytes: u32,
    /// Each argument, the function first; ghosts are empty.
    pub args: Vec<OperandPlace>,
    /// The first parameter is the address of the kernel's state.
    pub takes_state: bool,
    /// Size in bytes of what a function returns to the host.
    pub result_bytes: u32,
    /// Size in bytes of an item's frame: what a kernel for a processor keeps across barriers.
    pub frame_bytes: u32,
    /// Items of a warp, for a processor; 0: as many as usual.
    pub lanes: u32,
}

/// How an entry is called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EntryAbi {
    /// As the device's driver does.
    #[default]
    Device,
    /// A kernel for a processor, called for a range of groups: `kiln_unit::GroupsEntry`.
    Groups,
    /// A kernel for a processor that waits at barriers and was not cut there, called for each item on a stack of its own:
    /// `kiln_unit::ItemEntry`.
    Item,
    /// A function for a processor: `kiln_unit::FunctionEntry`.
    Function,
}

impl EntryAbi {
    /// As reports name it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Device => "device",
            Self::Groups => "groups",
            Self::Item => "item",
            Self::Function => "function",
        }
    }
}

/// A job for a device, made.
pub struct DeviceProgram {
    /// The artifact and how it is called.
    pub code: DeviceCode,
    /// Explains sites.
    pub program: Program,
}

/// Compiles an entry for a device, from its call graph on.
///
/// # Errors
/// The problems of the program, of the target, or of a tool.
pub fn make_for_device(
    env: &CompileEnv<'_>,
    entry: Instance,
    name: Option<Symbol>,
    wanted: OutputKinds,
) -> Result<DeviceProgram, CompileError> {
    // What is compiled ahead of time is not compiled again when it has run for long.
    let cut = env.compiler.targets.with_regions(&env.view.unit).map(|unit| View { unit, ..env.view.clone() });
    let env = &cut.as_ref().map_or(*env, |view| CompileEnv { view, ..*env });
    let CompileEnv { rt, view, .. } = *env;
    let graph = call_graph(env, entry, Place::Device);
    let graph = graph.map_err(|it| CompileError::in_this_world(diagnostics::plain(&it.to_string())))?;
    let problems = problems(env, &graph);
    if !problems.is_empty() {
        return Err(CompileError::of_program(problems, graph.parts()));
    }
    if view.unit.facts.items == Items::Loops {
        return native::make_native(env, &graph, name, wanted);
    }
    let kind = if is_entry(rt, view, &graph) { EntryKind::Kernel } else { EntryKind::Body };
    let refused = |it: CompileError| it.with_dependencies(graph.parts());
    let link_set = link_set(env, &graph, kind).map_err(refused)?;
    device_program(env, &graph, &link_set, name, wanted)
}

/// How a graph is linked for a device.
pub fn device_order<'a>(
    env: &CompileEnv<'a>,
    graph: &CallGraph,
    name: Option<Symbol>,
    wanted: OutputKinds,
) -> LinkOptions<'a> {
    let libraries = libraries_for(&env.compiler.options.libraries, &env.view.unit.facts);
    LinkOptions { libraries, ..order(env.rt, env.view, graph, name, wanted) }
}

/// The artifact of a graph whose units have been made.
pub fn device_program(
    env: &CompileEnv<'_>,
    graph: &CallGraph,
    link_set: &LinkSet,
    name: Option<Symbol>,
    wanted: OutputKinds,
) -> Result<DeviceProgram, CompileError> {
    let order = device_order(env, graph, name, wanted);
    let symbol = order.name.clone();
    let linked_module = linked_module(env, link_set, &order);
    let refused = |it: CompileError| it.with_dependencies(graph.parts());
    let linked_module = linked_module.map_err(refused)?;
    let program = Program::of_device(link_set);
    let params = params(program.entry(), EntryAbi::Device);
    Ok(DeviceProgram { code: DeviceCode { symbol, module: linked_module, params }, program })
}

/// How a graph is linked for a target.
fn order<'a>(
    rt: &Runtime,
    view: &'a View,
    graph: &CallGraph,
    name: Option<Symbol>,
    wanted: OutputKinds,
) -> LinkOptions<'a> {
    let (types, entry) = (&rt.types, graph.nodes[0].typed.instance);
    let data = rt.tables.instance_data(entry);
    let method = types.name(rt.tables.method(data.method).name);
    let args = datatype::params(types, data.spec_types).get(1..).unwrap_or_default();
    LinkOptions {
        subject: crate::naming::specialization(rt, entry),
        name: name.map_or_else(|| mangle::symbol(types, method, args), |it| types.name(it).to_owned()),
        is_kernel: is_entry(rt, view, graph),
        unit: &view.unit,
        options: &view.device,
        wanted,
        libraries: Vec::new(),
    }
}

/// Whether a graph is of something that the device starts: a kernel returns nothing; where there are no items, a program
/// may return a number.
pub fn is_entry(rt: &Runtime, view: &View, graph: &CallGraph) -> bool {
    let returned = graph.nodes[0].code.return_type;
    view.unit.facts.items == Items::None || rt.types.subtype(returned, rt.types.core().nothing)
}

fn params(link: &LinkInfo, abi: EntryAbi) -> DeviceParams {
    let takes_state = link.definitions.iter().any(|it| it.ordinal == 0 && it.traits.needs_state);
    let (bytes, result_bytes) = (link.args_bytes, link.result_bytes);
    let (frame_bytes, lanes) = (link.frame_bytes, link.lanes);
    DeviceParams { abi, bytes, args: link.args.clone(), takes_state, result_bytes, frame_bytes, lanes }
}
