//! Showing what each stage makes of a function: what has been kept of it, so that nothing is compiled to be shown.

use crate::kernel_host::Driver;
use crate::launch_table::{ConfigId, KernelJob};
use kiln_codegen_client::RoundTrip;
use kiln_compile::device::tools::{self, ToolError};
use kiln_compile::{
    BoundUnit, Place, TypedError, View, call_graph, code_instance, compose, device::make_for_device,
    diagnostics, entry_instance, is_static, problems, stages,
};
use kiln_ir::{Instance, IrCode, Op};
use kiln_runtime::Runtime;
use kiln_runtime::tables::{CacheOwner, CodeInstance, TableId};
use kiln_syntax::Diagnostic;
use kiln_targets::{Items, TargetFacts};
use kiln_types::Type;
use kiln_unit::{EntryKind, Wanted};
use std::fmt::{self, Write as _};
use std::sync::Arc;

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
}

impl Stage {
    /// All of them, with the names that people use.
    pub const ALL: [(&'static str, Self); 7] = [
        ("lowered", Self::Lowered),
        ("typed", Self::Typed),
        ("warntype", Self::Warntype),
        ("emitted", Self::Emitted),
        ("llvm", Self::Llvm),
        ("bitcode", Self::Bitcode),
        ("native", Self::Native),
    ];
}

/// Why nothing can be shown.
#[derive(Debug)]
pub struct ReflectError(pub String);

impl fmt::Display for ReflectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ReflectError {}

impl From<TypedError> for ReflectError {
    fn from(error: TypedError) -> Self {
        Self(error.to_string())
    }
}

impl Driver {
    /// Returns `stage` of a function of this type called with `args`: as it was launched, unless a configuration is given.
    /// Device stages show it as a kernel if it returns nothing. Text but for bitcode.
    ///
    /// # Errors
    /// When no method takes the arguments, the function does not compile, or a tool is missing.
    pub fn reflect(
        &self,
        rt: &Runtime,
        stage: Stage,
        (function, args): (Type, Type),
        config: Option<ConfigId>,
    ) -> Result<Vec<u8>, ReflectError> {
        let mut types = vec![function];
        types.extend(rt.types.params(args).iter().copied());
        let view = config.map_or_else(|| self.view_of(rt, &types), |it| self.config_view(rt, it));
        if view.unit.facts.items != Items::Loops
            && !matches!(stage, Stage::Lowered | Stage::Typed | Stage::Warntype)
        {
            return self.reflect_on_device(rt, &view, stage, (function, args));
        }
        let instance = rt.tables.dispatch_in(view.id(rt), &types, view.world);
        let instance = instance
            .map_err(|_| ReflectError(self.compiler.render(&[diagnostics::no_method(rt, &view, &types)])))?;
        if stage == Stage::Lowered {
            let body = rt.instance_body(instance).map_err(|_| ReflectError("its generator threw".into()))?;
            return Ok(body.display(&rt.types).to_string().into_bytes());
        }
        let typed = code_instance(&self.env(rt, &view), instance).map_err(ReflectError::from)?;
        if matches!(stage, Stage::Typed | Stage::Warntype) {
            let warnings = match typed.code(rt) {
                Some(code) if stage == Stage::Warntype => open_types(rt, code),
                Some(_) | None => String::new(),
            };
            let text = match (typed.code(rt), typed.return_const) {
                (Some(code), _) => renumbered(code).display(&rt.types).to_string(),
                (None, Some(value)) => format!("return {}\n", rt.types.display_const(value)),
                (None, None) => String::new(),
            };
            return Ok((warnings + &text).into_bytes());
        }
        let graph = call_graph(&self.env(rt, &view), instance, Place::Device).map_err(ReflectError::from)?;
        let problems = problems(&self.env(rt, &view), &graph);
        if !problems.is_empty() {
            return Err(ReflectError(self.compiler.render(&problems)));
        }
        let is_kernel = rt.types.subtype(typed.return_type, rt.types.core().nothing);
        let entry = if is_kernel { EntryKind::Kernel } else { EntryKind::Function };
        let rendered = |it: Vec<Diagnostic>| ReflectError(self.compiler.render(&it));
        let composition =
            compose(&self.env(rt, &view), &graph, entry).map_err(|it| rendered(it.diagnostics))?;
        let mut shown: Vec<Vec<u8>> = Vec::new();
        for it in self.requests(rt, &view, &graph, entry, &composition) {
            if stage == Stage::Native {
                let code = disassemble(&view.unit.facts, &it.unit.body.object)?;
                let code = String::from_utf8_lossy(&code);
                shown.push(with_places(rt, &it.unit, &code).into_bytes());
                continue;
            }
            let stages = stages(&self.env(rt, &view), &it.unit, &it.source, &it.request);
            let stages = stages.map_err(|it| rendered(it.diagnostics))?;
            shown.push(match stage {
                Stage::Bitcode => stages.optimized.clone(),
                Stage::Emitted => self.listing(&stages.emitted)?,
                _ => self.listing(&stages.optimized)?,
            });
        }
        shown.reverse(); // the entry first
        if stage == Stage::Bitcode && shown.len() > 1 {
            let why =
                "a kernel for a processor is several modules: name the target of a device, or show `llvm`";
            return Err(ReflectError(why.into()));
        }
        Ok(shown.concat())
    }
}

impl Driver {
    /// Returns the view of a kernel, the types of its function and arguments given: that of its launch, of several
    /// configurations in the one that was asked for last for the first time; if it was not, that of which nothing is said.
    pub(crate) fn view_of(&self, rt: &Runtime, types: &[Type]) -> View {
        let args = rt.types.tuple(&types[1..]);
        let is_it = |job: &KernelJob| job.function == types[0] && job.args == args;
        if let Some(job) = self.jobs.latest(is_it) {
            return self.config_view(rt, job.config);
        }
        let launched = |view: &View| {
            let instance = rt.tables.dispatch_in(view.id(rt), types, view.world);
            instance.is_ok_and(|it| rt.tables.code_instance(it, view.owner, view.world).is_some())
        };
        let views = self.known_views(rt).into_iter().rev();
        views.into_iter().find(launched).unwrap_or_else(|| self.device_view(rt, &[]))
    }
}

impl Driver {
    /// Bitcode as text.
    fn listing(&self, bitcode: &[u8]) -> Result<Vec<u8>, ReflectError> {
        let codegen = self.compiler.codegen.in_process().map_err(|it| ReflectError(it.with_help()))?;
        let listing = codegen.listing(bitcode.to_vec());
        listing.map(String::into_bytes).map_err(|it| ReflectError(it.to_string()))
    }

    /// The stages of what a device is given: all of them are kept with it.
    fn reflect_on_device(
        &self,
        rt: &Runtime,
        view: &View,
        stage: Stage,
        (function, args): (Type, Type),
    ) -> Result<Vec<u8>, ReflectError> {
        let rendered = |it: Vec<Diagnostic>| ReflectError(self.compiler.render(&it));
        let entry = entry_instance(&self.env(rt, view), function, args).map_err(rendered)?;
        let linked = stage == Stage::Emitted;
        let wanted = Wanted { linked, optimized: true, object: true, assembly: false };
        let made = make_for_device(&self.env(rt, view), entry, None, wanted);
        let composed = made.map_err(|it| rendered(it.diagnostics))?.code.composed;
        match stage {
            Stage::Bitcode => Ok(composed.optimized),
            Stage::Emitted => self.listing(&composed.linked),
            Stage::Llvm => self.listing(&composed.optimized),
            Stage::Lowered | Stage::Typed | Stage::Warntype | Stage::Native => {
                disassemble(&view.unit.facts, &composed.object)
            }
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
        let _ = writeln!(found, "not concrete: {stmt}::{}{place}", rt.types.display(data.ty));
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

impl Driver {
    /// The result kept for calls with these argument types, the function's first; made now if there is none. On a device,
    /// with these overlay tables, or else on the host.
    ///
    /// # Errors
    /// When no method takes the arguments, or there is no typed body.
    pub fn typed(
        &self,
        rt: &Runtime,
        types: &[Type],
        device: Option<&[TableId]>,
    ) -> Result<Arc<CodeInstance>, ReflectError> {
        self.typed_by(rt, types, device.map_or_else(|| self.host_view(rt), |it| self.device_view(rt, it)))
    }

    /// The same, sharing nothing with results made before, other than under the same `owner`: what to compare with.
    ///
    /// # Errors
    /// As [`Driver::typed`].
    pub fn typed_afresh(
        &self,
        rt: &Runtime,
        types: &[Type],
        device: Option<&[TableId]>,
        owner: CacheOwner,
    ) -> Result<Arc<CodeInstance>, ReflectError> {
        let view = device.map_or_else(|| self.host_view(rt), |it| self.device_view(rt, it));
        self.typed_by(rt, types, View { owner, ..view })
    }

    fn typed_by(&self, rt: &Runtime, types: &[Type], view: View) -> Result<Arc<CodeInstance>, ReflectError> {
        let instance = rt.tables.dispatch_in(view.id(rt), types, view.world);
        let instance = instance.map_err(|_| ReflectError("no method takes the arguments".into()))?;
        code_instance(&self.env(rt, &view), instance).map_err(ReflectError::from)
    }
}

/// An object as text, as the target's disassembler shows it.
pub(crate) fn disassemble(facts: &TargetFacts, object: &[u8]) -> Result<Vec<u8>, ReflectError> {
    if facts.files.object_is_text {
        return Ok(object.to_vec());
    }
    let tool = facts.tools.disassemble.as_ref();
    let tool = tool.ok_or_else(|| ReflectError(format!("no disassembler shows code for {}", facts.name)))?;
    let shown = tools::run(tool, object).map_err(|it| match it {
        ToolError::Missing(it) => {
            ReflectError(format!("no disassembler found: {} is in {}", it.name, it.from))
        }
        it @ (ToolError::Run(..) | ToolError::Refused(..) | ToolError::Unlinkable(_)) => {
            ReflectError(format!("cannot disassemble: {it}"))
        }
    })?;
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
