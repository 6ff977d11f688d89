//! Kernels for devices: from a function and argument types to an artifact that a vendor's loader takes.
//!
//! Everything up to units is what it is for the CPU. The units of a device are bitcode; `composition` makes one artifact
//! of them, and [`tools`] what only a vendor's linker can.

pub(crate) mod addresses;
pub mod ahead;
pub(crate) mod chosen;
pub(crate) mod composition;
pub(crate) mod entry;
mod finish;
pub mod found;
mod native;
pub(crate) mod runtime;
pub mod tools;

use crate::call_graph::CallGraph;
use crate::check::Place;
use crate::diagnostics;
use crate::jobs::Refusal;
use crate::kernel_host::Driver;
use crate::launch_table::ConfigId;
use crate::program::{Composition, Program};
use crate::typed::View;
use crate::unit::Unmade;
use composition::Order;
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
    /// What the code generator makes: PTX, an object, SPIR-V.
    Object,
    /// What only a vendor's tool makes of that: a cubin, a code object.
    Binary,
}

/// A kernel, or a function, compiled for a device.
#[derive(Clone, Debug)]
pub struct DeviceCode {
    /// What the device calls it.
    pub symbol: String,
    /// The forms that were asked for.
    pub composed: Composed,
    /// How it is launched.
    pub params: DeviceParams,
}

/// How the arguments of a kernel lie in the block that a launch gives.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeviceParams {
    /// Size in bytes of the block.
    pub bytes: u32,
    /// Each argument, the function first; ghosts are empty.
    pub args: Vec<OperandPlace>,
    /// The first parameter is the address of the kernel's state.
    pub takes_state: bool,
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
    ) -> Result<(DeviceCode, Vec<u8>), Unmakable> {
        let wanted = Wanted {
            optimized: matches!(form, Form::Llvm | Form::Bitcode),
            assembly: form == Form::Assembly,
            object: matches!(form, Form::Object | Form::Binary),
            linked: false,
        };
        let name = self.config(config).options.name;
        let (view, entry, made) = self.made_for_device(rt, (function, args), config, (name, wanted))?;
        let bytes = self.finish(rt, &view, (entry, &made.code.composed), form)?;
        Ok((made.code, bytes))
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
        let made = made.map_err(|it| match it.is_limit {
            true => Unmakable::Refused(self.render(&it.problems)),
            false => rendered(it.problems),
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
        let problems = self.problems(rt, &graph);
        if !problems.is_empty() {
            return Err(Refusal::of(problems, graph.parts()));
        }
        if view.unit.facts.items == Items::Loops {
            return self.make_native(rt, view, &graph, wanted);
        }
        let kind = if is_entry(rt, view, &graph) { EntryKind::Kernel } else { EntryKind::Body };
        let refused =
            |it: Unmade| Refusal { is_limit: it.is_limit, ..Refusal::of(it.problems, graph.parts()) };
        let composition = self.compose(rt, view, &graph, kind).map_err(refused)?;
        self.device_program(rt, view, &graph, &composition, name, wanted)
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
        let (types, entry) = (&rt.types, graph.nodes[0].typed.instance);
        let data = rt.tables.instance_data(entry);
        let method = types.name(rt.tables.method(data.method).name);
        let args = types.params(data.spec_types).get(1..).unwrap_or_default();
        let symbol = name.map_or_else(|| types.mangle(method, args), |it| types.name(it).to_owned());
        let order = Order {
            subject: crate::typed::specialization(rt, entry),
            name: symbol.clone(),
            is_kernel: is_entry(rt, view, graph),
            unit: &view.unit,
            options: &view.device,
            wanted,
            libraries: Vec::new(),
        };
        let composed = self.composed(rt, composition, &order);
        let refused =
            |it: Unmade| Refusal { is_limit: it.is_limit, ..Refusal::of(it.problems, graph.parts()) };
        let composed = composed.map_err(refused)?;
        let program = Program::of_device(composition);
        let params = params(program.entry());
        Ok(DeviceProgram { code: DeviceCode { symbol, composed, params }, program })
    }
}

/// Whether a graph is of something that the device starts: a kernel returns nothing; where there are no items, a program
/// may return a number.
fn is_entry(rt: &Runtime, view: &View, graph: &CallGraph) -> bool {
    let returned = graph.nodes[0].code.return_type;
    view.unit.facts.items == Items::None || rt.types.subtype(returned, rt.types.core().nothing)
}

fn params(link: &LinkInfo) -> DeviceParams {
    let takes_state = link.definitions.iter().any(|it| it.ordinal == 0 && it.traits.needs_state);
    DeviceParams { bytes: link.args_bytes, args: link.args.clone(), takes_state }
}
