//! Kernels for devices: from a function and argument types to an artifact that a vendor's loader takes.
//!
//! Everything up to units is what it is for the CPU. The units of a device are bitcode; `composition` makes one artifact
//! of them, and [`tools`] what only a vendor's linker can.

pub(crate) mod addresses;
pub mod ahead;
pub(crate) mod chosen;
pub(crate) mod coherence;
pub(crate) mod composition;
pub mod description;
pub(crate) mod entry;
pub(crate) mod finish;
pub mod found;
mod kept_forms;
pub(crate) mod launching;
pub mod libraries;
mod lines;
mod native;
pub(crate) mod runtime;
pub(crate) mod streams;
pub mod tools;

use crate::call_graph::CallGraph;
use crate::check::Place;
use crate::diagnostics;
use crate::fault::Fault;
use crate::jobs::Refusal;
use crate::kernel_host::Driver;
use crate::launch_table::ConfigId;
use crate::program::{Composition, Program};
use crate::typed::View;
use crate::unit::Unmade;
use composition::Order;
use description::Description;
use kiln_ir::Instance;
use kiln_runtime::Runtime;
use kiln_syntax::Diagnostic;
use kiln_targets::Items;
use kiln_types::{Symbol, Type};
use kiln_unit::{Composed, EntryKind, LinkInfo, OperandPlace, Wanted};

/// Why there is no artifact.
#[derive(Debug)]
pub enum Unmakable {
    /// The program is to blame, or kiln: the problems, rendered.
    Program(String),
    /// The device cannot do what the program asks for: the problems, rendered.
    Refused(String),
    /// The code generator has failed, or kiln: what is known of it, rendered.
    Internal(String),
    /// The code generator is missing or another version's: what to do, rendered.
    Unasked(String),
    /// A tool is missing, or refuses what it is given.
    Tool(tools::ToolError),
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
pub(crate) struct DeviceCode {
    /// The name on the device.
    pub(crate) symbol: String,
    /// The forms that were asked for.
    pub(crate) composed: Composed,
    /// How it is called.
    pub(crate) params: DeviceParams,
}

/// The artifact for users of a device.
#[derive(Clone, Debug)]
pub struct Artifact {
    /// The entry's name on the device.
    pub symbol: String,
    /// The form that was asked for.
    pub bytes: Vec<u8>,
    /// How it is launched, and what its sites mean.
    pub description: Description,
    /// The type of what a function returns; `None` for a kernel.
    pub returns: Option<Type>,
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
}

/// How an entry is called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EntryAbi {
    /// As the device's driver does.
    #[default]
    Device,
    /// A kernel for a processor, called for a range of groups: `kiln_unit::GroupsEntry`.
    Groups,
    /// A kernel for a processor that waits at barriers, called for each item on a stack of its own: `kiln_unit::ItemEntry`.
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
pub(crate) struct DeviceProgram {
    pub(crate) code: DeviceCode,
    /// Explains sites.
    pub(crate) program: Program,
}

impl Driver {
    /// A function compiled as `config` says, for calls with arguments of these types. It is a kernel if it returns nothing.
    ///
    /// # Errors
    /// The problems of the program, or of a tool.
    pub fn compile_for_device(
        &self,
        rt: &Runtime,
        (function, args): (Type, Type),
        config: ConfigId,
        form: Form,
    ) -> Result<Artifact, Unmakable> {
        let wanted = Wanted {
            optimized: matches!(form, Form::Llvm | Form::Bitcode),
            assembly: form == Form::Assembly,
            object: matches!(form, Form::Object | Form::Binary),
            linked: false,
        };
        let name = self.config(config).options.name;
        let (view, entry, made) = self.made_for_device(rt, (function, args), config, (name, wanted))?;
        let bytes = self.finish(rt, &view, (entry, &made.code.composed), form)?;
        let description = description::describe(rt, &view.unit.facts, &made);
        let returns = made.program.entry_function().code(rt).return_type;
        let returns = (!rt.types.subtype(returns, rt.types.core().nothing)).then_some(returns);
        Ok(Artifact { symbol: made.code.symbol, bytes, description, returns })
    }

    /// The program of a function, what it was compiled for and its instance. The device calls it `name`, or by its mangled
    /// name, as it does in launches.
    pub(crate) fn made_for_device(
        &self,
        rt: &Runtime,
        (function, args): (Type, Type),
        config: ConfigId,
        (name, wanted): (Option<Symbol>, Wanted),
    ) -> Result<(View, Instance, DeviceProgram), Unmakable> {
        let view = self.config_view(rt, config);
        let rendered = |it: Vec<Diagnostic>| Unmakable::Program(self.render(&it));
        let entry = self.entry_instance(rt, &view, function, args).map_err(rendered)?;
        let make = || self.make_for_device(rt, &view, entry, name, wanted);
        let made = self.compiling(rt, entry, true, make);
        let made = made.map_err(|it| {
            // The next session finds out sooner.
            it.parts.iter().flat_map(|it| it.iter()).for_each(|part| self.keep(rt, &view, part));
            let problems = self.render(&it.problems);
            match it.fault {
                Fault::Program => Unmakable::Program(problems),
                Fault::Limit => Unmakable::Refused(problems),
                Fault::Tool => Unmakable::Unasked(problems),
                Fault::Internal => Unmakable::Internal(problems),
            }
        })?;
        Ok((view, entry, made))
    }

    pub(crate) fn make_for_device(
        &self,
        rt: &Runtime,
        view: &View,
        entry: Instance,
        name: Option<Symbol>,
        wanted: Wanted,
    ) -> Result<DeviceProgram, Refusal> {
        let graph = self.call_graph(rt, view, entry, Place::Device);
        let graph = graph.map_err(|it| Refusal::here(diagnostics::plain(&it)))?;
        let problems = self.problems(rt, view, &graph);
        if !problems.is_empty() {
            return Err(Refusal::of(problems, graph.parts()));
        }
        if view.unit.facts.items == Items::Loops {
            return self.make_native(rt, view, &graph, name, wanted);
        }
        let kind = if is_entry(rt, view, &graph) { EntryKind::Kernel } else { EntryKind::Body };
        let refused = |it: Unmade| Refusal::of_unit(it, graph.parts());
        let composition = self.compose(rt, view, &graph, kind).map_err(refused)?;
        self.device_program(rt, view, &graph, &composition, name, wanted)
    }

    /// How a graph is composed for a device.
    pub(crate) fn device_order<'a>(
        &self,
        rt: &Runtime,
        view: &'a View,
        graph: &CallGraph,
        name: Option<Symbol>,
        wanted: Wanted,
    ) -> Order<'a> {
        let libraries = self.libraries_for(&view.unit.facts);
        Order { libraries, ..order(rt, view, graph, name, wanted) }
    }

    /// The artifact of a graph whose units have been made.
    pub(crate) fn device_program(
        &self,
        rt: &Runtime,
        view: &View,
        graph: &CallGraph,
        composition: &Composition,
        name: Option<Symbol>,
        wanted: Wanted,
    ) -> Result<DeviceProgram, Refusal> {
        let order = self.device_order(rt, view, graph, name, wanted);
        let symbol = order.name.clone();
        let composed = self.composed(rt, composition, &order);
        let refused = |it: Unmade| Refusal::of_unit(it, graph.parts());
        let composed = composed.map_err(refused)?;
        let program = Program::of_device(composition);
        let params = params(program.entry(), EntryAbi::Device);
        Ok(DeviceProgram { code: DeviceCode { symbol, composed, params }, program })
    }
}

/// How a graph is composed for a target.
fn order<'a>(
    rt: &Runtime,
    view: &'a View,
    graph: &CallGraph,
    name: Option<Symbol>,
    wanted: Wanted,
) -> Order<'a> {
    let (types, entry) = (&rt.types, graph.nodes[0].typed.instance);
    let data = rt.tables.instance_data(entry);
    let method = types.name(rt.tables.method(data.method).name);
    let args = types.params(data.spec_types).get(1..).unwrap_or_default();
    Order {
        subject: crate::typed::specialization(rt, entry),
        name: name.map_or_else(|| types.mangle(method, args), |it| types.name(it).to_owned()),
        is_kernel: is_entry(rt, view, graph),
        unit: &view.unit,
        options: &view.device,
        wanted,
        libraries: Vec::new(),
    }
}

/// Whether a graph is of something that the device starts: a kernel returns nothing; where there are no items, a program
/// may return a number.
pub(crate) fn is_entry(rt: &Runtime, view: &View, graph: &CallGraph) -> bool {
    let returned = graph.nodes[0].code.return_type;
    view.unit.facts.items == Items::None || rt.types.subtype(returned, rt.types.core().nothing)
}

fn params(link: &LinkInfo, abi: EntryAbi) -> DeviceParams {
    let takes_state = link.definitions.iter().any(|it| it.ordinal == 0 && it.traits.needs_state);
    let (bytes, result_bytes) = (link.args_bytes, link.result_bytes);
    DeviceParams { abi, bytes, args: link.args.clone(), takes_state, result_bytes }
}
