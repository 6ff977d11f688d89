//! Kernels for devices: from a function and argument types to an artifact that a vendor's loader takes.
//!
//! Everything up to units is what it is for the CPU. The units of a device are bitcode; `composition` makes one artifact
//! of them, and [`tools`] what only a vendor's linker can.

pub(crate) mod addresses;
pub(crate) mod chosen;
pub(crate) mod composition;
pub(crate) mod entry;
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
use kiln_ir::{Instance, SourceLoc};
use kiln_runtime::Runtime;
use kiln_syntax::Diagnostic;
use kiln_targets::{Backend, Items, TargetFacts};
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
    /// Where it may fail.
    pub sites: Vec<FailureSite>,
}

/// A place where compiled code gives up: what it leaves of itself is the number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FailureSite {
    /// From 1.
    pub number: u32,
    /// The function, also one that was inlined.
    pub function: Symbol,
    /// In it.
    pub loc: SourceLoc,
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
        let view = self.config_view(rt, config);
        let rendered = |it: Vec<Diagnostic>| Unmakable::Program(self.render(&it));
        let entry = self.entry_instance(rt, &view, function, args).map_err(rendered)?;
        let wanted = Wanted {
            optimized: matches!(form, Form::Llvm | Form::Bitcode),
            assembly: form == Form::Assembly,
            object: matches!(form, Form::Object | Form::Binary),
            linked: false,
        };
        let name = self.config(config).options.name;
        let make = || self.make_for_device(rt, &view, entry, name, wanted);
        let made = self.compiling(rt, entry, true, make);
        let made = made.map_err(|it| match it.is_limit {
            true => Unmakable::Refused(self.render(&it.problems)),
            false => rendered(it.problems),
        })?;
        let bytes = self.finish(&view.unit.facts, &made.code.composed, form)?;
        Ok((made.code, bytes))
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
        let sites = program.failure_sites();
        Ok(DeviceProgram { code: DeviceCode { symbol, composed, params, sites }, program })
    }

    /// The form that was asked for.
    fn finish(&self, facts: &TargetFacts, composed: &Composed, form: Form) -> Result<Vec<u8>, Unmakable> {
        match form {
            Form::Llvm => {
                let codegen = self.codegen().map_err(Unmakable::Program)?;
                let text = codegen.listing(composed.optimized.clone());
                text.map(String::into_bytes).map_err(|it| Unmakable::Program(it.to_string()))
            }
            Form::Bitcode => Ok(composed.optimized.clone()),
            Form::Assembly => Ok(composed.assembly.clone()),
            Form::Object => Ok(composed.object.clone()),
            Form::Binary => match facts.backend {
                Backend::Ptx => tools::assemble_ptx(&composed.object, &facts.cpu).map_err(Unmakable::Tool),
                Backend::Gcn => tools::link_code_object(&composed.object).map_err(Unmakable::Tool),
                Backend::Native | Backend::Spirv | Backend::Bpf | Backend::Other => {
                    Ok(composed.object.clone())
                }
            },
        }
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
