//! Showing what each stage makes of a function: what has been kept of it, so that nothing is compiled to be shown.

use crate::ask::Ask;
use crate::check::Place;
use crate::kernel_host::Driver;
use crate::launch_table::KernelJob;
use crate::typed::{View, code_instance};
use crate::unit::BoundUnit;
use kiln_ir::{Instance, IrCode};
use kiln_runtime::tables::{CacheOwner, CodeInstance, TableId};
use kiln_runtime::{Runtime, Value};
use kiln_syntax::Diagnostic;
use kiln_types::Type;
use kiln_unit::EntryKind;
use std::fmt::{self, Write as _};
use std::sync::Arc;

/// A stage that can be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Lowered code.
    Lowered,
    /// Typed and optimized.
    Typed,
    /// LLVM IR, before its passes.
    Emitted,
    /// LLVM IR, after them.
    Llvm,
    /// Machine code.
    Native,
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

impl Driver {
    /// What `stage` makes of `f` called with `args`. Device stages show it as a kernel if it returns nothing.
    pub fn reflect(&self, rt: &Runtime, stage: Stage, f: Value, args: Type) -> Result<String, ReflectError> {
        let mut types = vec![rt.heap.dispatch_type(f)];
        types.extend(rt.types.params(args).iter().copied());
        let shown: Vec<String> = types.iter().skip(1).map(|it| rt.types.display(*it)).collect();
        let view = self.view_of(rt, &types);
        let instance = rt.tables.dispatch_in(view.id(rt), &types, view.world);
        let instance = instance.map_err(|_| {
            ReflectError(format!("no method of {} takes ({})", rt.types.display(types[0]), shown.join(", ")))
        })?;
        if stage == Stage::Lowered {
            let body = rt.instance_body(instance).map_err(|_| ReflectError("its generator threw".into()))?;
            return Ok(body.display(&rt.types).to_string());
        }
        let typed = code_instance(rt, self.counters(), &view, instance).map_err(ReflectError)?;
        if stage == Stage::Typed {
            return Ok(match (&typed.code, typed.return_const) {
                (Some(code), _) => renumbered(code).display(&rt.types).to_string(),
                (None, Some(value)) => format!("return {}\n", rt.types.display_const(value)),
                (None, None) => String::new(),
            });
        }
        let graph = self.call_graph(rt, &view, instance, Place::Device).map_err(ReflectError)?;
        let problems = self.problems(rt, &graph);
        if !problems.is_empty() {
            return Err(ReflectError(self.render(&problems)));
        }
        let is_kernel = rt.types.subtype(typed.return_type, rt.types.core().nothing);
        let entry = if is_kernel { EntryKind::Kernel } else { EntryKind::Function };
        let rendered = |it: Vec<Diagnostic>| ReflectError(self.render(&it));
        let composition = self.compose(rt, &view, &graph, entry).map_err(|it| rendered(it.problems))?;
        let mut shown: Vec<String> = Vec::new();
        for it in self.requests(rt, &view, &graph, entry, &composition) {
            if stage == Stage::Native {
                shown.push(with_places(rt, &it.unit, &disassemble(&it.unit.body.object)?));
                continue;
            }
            let stages = self.stages(rt, &view, &it.unit, &it.source, &it.request).map_err(rendered)?;
            let bitcode = if stage == Stage::Emitted { &stages.emitted } else { &stages.optimized };
            let codegen = self.codegen().map_err(ReflectError)?;
            let listing = codegen.listing(bitcode.clone());
            shown.push(listing.map_err(|it| ReflectError(it.to_string()))?);
        }
        shown.reverse(); // the entry first
        Ok(shown.concat())
    }
}

impl Driver {
    /// What a kernel sees, the types of its function and arguments given: what it saw when it was launched, of several
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
        code_instance(rt, self.counters(), &view, instance).map_err(ReflectError)
    }
}

/// The object's code, by the disassembler that comes with LLVM.
pub(crate) fn disassemble(object: &[u8]) -> Result<String, ReflectError> {
    let thread = std::thread::current().id();
    let path = std::env::temp_dir().join(format!("kiln-{}-{thread:?}.o", std::process::id()));
    let failed = |it: std::io::Error| ReflectError(format!("cannot disassemble: {it}"));
    std::fs::write(&path, object).map_err(failed)?;
    let tools = ["llvm-objdump-22", "/usr/lib/llvm-22/bin/llvm-objdump", "objdump"];
    let mut last = ReflectError("no disassembler found: install llvm-22".into());
    for tool in tools {
        let run = std::process::Command::new(tool).args(["-d", "--no-show-raw-insn"]).arg(&path).output();
        match run {
            Ok(output) => {
                let _ = std::fs::remove_file(&path);
                let text = String::from_utf8_lossy(&output.stdout);
                // What comes before names the file.
                let start = text.find("Disassembly of section").unwrap_or(text.len());
                return Ok(text[start..].to_owned());
            }
            Err(error) => last = failed(error),
        }
    }
    let _ = std::fs::remove_file(&path);
    Err(last)
}

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
