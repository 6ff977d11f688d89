//! Artifacts for users of a device, and functions compiled for devices that need not be there.

use crate::description::{Description, describe};
use crate::env::ExecEnv;
use crate::launch_table::ConfigId;
use crate::library_code::check_library_code;
use crate::make_kernels::compiling;
use kiln_compile::device::{ArtifactError, DeviceProgram, Form, finish::finish, make_for_device};
use kiln_compile::{CompileError, View, entry_instance, keep};
use kiln_ir::Instance;
use kiln_types::{Symbol, Type};
use kiln_unit::OutputKinds;

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

/// A function compiled as `config` says, for calls with arguments of these types. It is a kernel if it returns nothing.
///
/// # Errors
/// The problems of the program, or of a tool.
pub fn compile_for_device(
    env: &ExecEnv<'_>,
    (function, args): (Type, Type),
    config: ConfigId,
    form: Form,
) -> Result<Artifact, ArtifactError> {
    let wanted = OutputKinds {
        optimized: matches!(form, Form::Llvm | Form::Bitcode),
        assembly: form == Form::Assembly,
        object: matches!(form, Form::Object | Form::Binary),
        linked: false,
    };
    let name = env.config(config).options.name;
    let made = made_for_device(env, (function, args), config, (name, wanted))?;
    artifact(env, made, form)
}

/// As [`compile_for_device`], for a processor and for programs that have neither a session nor Julia's objects: what needs
/// them is refused.
///
/// # Errors
/// The problems of the program.
pub fn compile_for_library(
    env: &ExecEnv<'_>,
    (function, args): (Type, Type),
    config: ConfigId,
) -> Result<Artifact, ArtifactError> {
    let wanted = OutputKinds { object: true, ..OutputKinds::default() };
    let name = env.config(config).options.name;
    let made = made_for_device(env, (function, args), config, (name, wanted))?;
    check_library_code(env, &made.2)?;
    artifact(env, made, Form::Object)
}

/// The form that is asked for of what was made.
fn artifact(
    env: &ExecEnv<'_>,
    (view, entry, made): (View, Instance, DeviceProgram),
    form: Form,
) -> Result<Artifact, ArtifactError> {
    let rt = env.rt;
    let bytes = finish(&env.stages(&view), (entry, &made.code.module), form)?;
    let description = describe(rt, &view.unit.facts, &made);
    let returns = made.program.entry_function().code(rt).return_type;
    let returns = (!rt.types.subtype(returns, rt.types.core().nothing)).then_some(returns);
    Ok(Artifact { symbol: made.code.symbol, bytes, description, returns })
}

/// The program of a function, what it was compiled for and its instance. The device calls it `name`, or by its mangled
/// name, as it does in launches.
pub(crate) fn made_for_device(
    env: &ExecEnv<'_>,
    (function, args): (Type, Type),
    config: ConfigId,
    (name, wanted): (Option<Symbol>, OutputKinds),
) -> Result<(View, Instance, DeviceProgram), CompileError> {
    let view = env.view(config);
    let entry = entry_instance(&env.stages(&view), function, args)?;
    let made = compiling(env, entry, true, || make_for_device(&env.stages(&view), entry, name, wanted));
    let made = made.inspect_err(|it| {
        // The next session finds out sooner.
        it.dependencies.iter().flat_map(|it| it.iter()).for_each(|part| keep(&env.stages(&view), part));
    })?;
    Ok((view, entry, made))
}
