//! Kernels compiled where an image is built, for devices that need not be there: each that a launch asks for, those that these
//! have the host launch, and each that `precompile` names with arguments as a device has them.
//!
//! They are compiled as a launch on such a device would have them compiled, so that it finds them by the keys it makes of
//! its own job: nothing of an image says which kernel is which.

use crate::artifact::made_for_device;
use crate::children::{Child, children};
use crate::config::dialect_tables;
use crate::device::addresses::visit;
use crate::device::chosen::config_unless_told;
use crate::env::{ExecEnv, Executor};
use crate::launch_table::{ConfigId, KernelJob};
use crate::notes::Missing;
use kiln_compile::device::{ArtifactError, finish::machine_code};
use kiln_compile::{CompileError, Program, code_instance, entry_instance, specialization};
use kiln_ir::Instance;
use kiln_metrics::count;
use kiln_targets::{Finish, Items, TargetFacts};
use kiln_types::{Type, datatype, display};
use kiln_unit::OutputKinds;

/// Returns the devices that kernels are compiled for as well.
fn image_devices(exec: &Executor) -> &[TargetFacts] {
    if exec.collects() { &exec.options.image_devices } else { &[] }
}

/// Compiles the kernel of a job for every device that an image is built for.
pub(crate) fn compile_ahead(env: &ExecEnv<'_>, job: &KernelJob) {
    let named = env.config(job.config).options.target.map(|it| env.rt.types.name(it));
    for facts in image_devices(env.exec).iter().filter(|it| it.items == Items::Device) {
        if named.is_none_or(|it| it == facts.name) {
            compile_ahead_for(env, (job.function, job.args, job.config), facts);
        }
    }
}

/// Compiles an instance as a kernel for every device that an image is built for, if it is one: it returns nothing, and
/// some argument has an address in it. Targets that have no items run functions. Whether it is a kernel, or a function of
/// such a target.
pub fn precompile_kernel(env: &ExecEnv<'_>, instance: Instance) -> bool {
    let (rt, exec) = (env.rt, env.exec);
    let devices = image_devices(exec);
    let types = datatype::params(&rt.types, rt.tables.instance_data(instance).spec_types).to_vec();
    let Some((function, args)) = types.split_first().filter(|_| !devices.is_empty()) else {
        return false;
    };
    let mut has_address = false;
    for ty in args {
        visit(&rt.types, *ty, (0, &[]), &mut |_, _| has_address = true);
    }
    let config = exec.configs.plain(rt, &exec.compiler, &dialect_tables(rt));
    let job = (*function, datatype::tuple(&rt.types, args), config);
    let mut is_kernel = false;
    for facts in devices {
        let is_for_it = match facts.items {
            Items::None => true,
            Items::Device | Items::Loops => has_address && returns_nothing(env, job, facts),
        };
        is_kernel |= is_for_it && compile_ahead_for(env, job, facts);
    }
    is_kernel
}

fn returns_nothing(
    env: &ExecEnv<'_>,
    (function, args, config): (Type, Type, ConfigId),
    facts: &TargetFacts,
) -> bool {
    let Ok(config) = config_unless_told(env, config, facts) else { return false };
    let (rt, view) = (env.rt, env.view(config));
    let entry = entry_instance(&env.stages(&view), function, args);
    let typed = entry.ok().and_then(|it| code_instance(&env.stages(&view), it).ok());
    typed.is_some_and(|it| rt.types.subtype(it.return_type, rt.types.core().nothing))
}

/// Whether it could be compiled. If not, that is remembered.
fn compile_ahead_for(
    env: &ExecEnv<'_>,
    (function, args, config): (Type, Type, ConfigId),
    facts: &TargetFacts,
) -> bool {
    let job = (function, args, config);
    let mut asked = vec![job];
    let made = make_ahead(env, job, facts);
    let mut waiting = made.as_ref().map_or_else(|_| Vec::new(), |it| children(env, it));
    while let Some(child) = waiting.pop() {
        if !asked.contains(&child) {
            asked.push(child);
            // Its own launch says why it does not compile.
            let made = make_ahead(env, child, facts);
            waiting.extend(made.map_or_else(|_| Vec::new(), |it| children(env, &it)));
        }
    }
    let why = match made {
        Ok(_) => return true,
        Err(ArtifactError::Compile(error)) => env.exec.compiler.render(&error.diagnostics),
        Err(ArtifactError::Tool(error)) => error.to_string(),
    };
    let kernel = kernel_name(env, (function, args, config));
    env.exec.notes.missing.add_new(Missing { kernel, target: facts.name.clone(), why });
    false
}

/// Compiles a kernel for a device; what its units are.
fn make_ahead(
    env: &ExecEnv<'_>,
    (function, args, config): Child,
    facts: &TargetFacts,
) -> Result<Program, ArtifactError> {
    let (rt, exec) = (env.rt, env.exec);
    let config = config_unless_told(env, config, facts).map_err(CompileError::from)?;
    let wanted = OutputKinds { object: true, ..OutputKinds::default() };
    let (_, entry, made) = made_for_device(env, (function, args), config, (None, wanted))?;
    count(&env.counters().kernels_ahead);
    let object = &made.code.module.object;
    // The driver links what launches kernels.
    let is_assembled = matches!(facts.tools.finish, Finish::Assemble { .. });
    let is_whole = is_assembled && !kiln_unit::needs_device_runtime(object);
    if exec.options.image_machine_code && is_whole {
        machine_code(&exec.compiler, facts, &specialization(rt, entry), object)?;
    }
    Ok(made.program)
}

fn kernel_name(env: &ExecEnv<'_>, (function, args, config): (Type, Type, ConfigId)) -> String {
    let (rt, view) = (env.rt, env.view(config));
    let entry = entry_instance(&env.stages(&view), function, args);
    entry.map_or_else(|_| display::of_type(&rt.types, function), |it| specialization(rt, it))
}
