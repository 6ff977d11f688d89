//! From a program that was made for a device to what its launches need.

use super::entry::{DeviceEntry, params};
use super::loadable::Exact;
use crate::env::ExecEnv;
use kiln_compile::device::{
    DeviceProgram,
    finish::{finished, kept_machine_code},
};
use kiln_compile::{CompileError, ErrorKind, Program, View, diagnostics, specialization};
use kiln_ir::{ThunkStep, ThunkValue};
use kiln_launch::{DeviceArtifact, Format};
use kiln_runtime::Runtime;
use kiln_types::consts;

/// Returns a program that was made for a device, and the needs of its launches.
///
/// # Errors
/// When no device runs code for the target.
pub(crate) fn device_entry(
    env: &ExecEnv<'_>,
    view: &View,
    made: DeviceProgram,
) -> Result<(DeviceEntry, Program), CompileError> {
    let (rt, exec) = (env.rt, env.exec);
    let DeviceProgram { code, program } = made;
    let facts = &view.unit.facts;
    let loads = facts.loads.as_ref().and_then(|it| Some((Format::named(&it.object)?, it)));
    let (format, loads) =
        loads.ok_or_else(|| CompileError::of_driver(&format!("no device runs code for {}", facts.name)))?;
    let link = program.entry();
    let args = program.entry_function().code(rt).args.clone();
    let binary = loads.binary.as_ref().and_then(|it| Some((Format::named(&it.0)?, it.1.to_string())));
    let exact = binary.and_then(|it| {
        let subject = specialization(rt, program.entry_function().instance);
        Some((it, kept_machine_code(&exec.compiler, facts, &subject, &code.module.object)?))
    });
    // Where users load the finished form, so do drivers.
    let loaded = if facts.files.loads_binary {
        let subject = specialization(rt, program.entry_function().instance);
        let made = finished(&exec.compiler, facts, &subject, &code.module.object);
        made.map_err(|it| CompileError::new(ErrorKind::Tool, diagnostics::plain(&it.to_string())))?
    } else {
        code.module.object
    };
    let artifact = DeviceArtifact {
        format,
        code: loaded,
        entry: code.symbol,
        params: params(&rt.types, facts, link, &args),
        args_bytes: link.args_bytes,
        reports: link.reports,
        heap_bytes: if link.allocates { view.heap_bytes.into() } else { 0 },
    };
    let exact = exact.map(|((format, processor), code)| {
        Exact::new(processor, DeviceArtifact { format, code, ..artifact.clone() })
    });
    exec.loadables.name_symbols(rt, &program);
    let has_essential = artifact.reports && has_essential(rt, &program);
    Ok((DeviceEntry { loadable: exec.loadables.intern(artifact, exact), args, has_essential }, program))
}

/// Whether some of what items report is to be done whatever happens: calls of functions of the type `Base.Device.Essential`.
fn has_essential(rt: &Runtime, program: &Program) -> bool {
    let core = rt.types.core();
    let module = rt.base_global("Device").and_then(|it| it.as_module(core));
    let essential = module.and_then(|it| rt.global(it, rt.types.symbol("Essential")));
    let Some(essential) = essential.and_then(|it| it.as_type(core)) else { return false };
    let functions = program.units().flat_map(|it| &it.functions);
    let mut steps = functions.flat_map(|it| it.code(rt).throw_sites.values()).flat_map(|it| &it.thunk);
    steps.any(|step| match step {
        ThunkStep::Call(call) => match call.first() {
            Some(ThunkValue::Const(callee)) => {
                rt.types.subtype(consts::type_of(&rt.types, *callee), essential)
            }
            Some(ThunkValue::Operand(_) | ThunkValue::Step(_)) | None => false,
        },
        ThunkStep::New(..) => false,
    })
}
