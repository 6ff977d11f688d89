//! Kernels requested during a watch, and their stages: `@device_code` and what is like it.
//!
//! A program may be watched that runs on this machine's processor and be shown what a GPU would be given: for stages that
//! name a back end, a job is compiled for a target of that back end, with the tables that the program's dialects have for it.

use crate::error::InspectError;
use crate::reflect::{Stage, reflect, return_type};
use kiln_compile::{TargetError, backend_named, shown_target};
use kiln_exec::{ExecEnv, KernelJob, config_for, kernel_error};
use kiln_runtime::heap::{text, tuples};
use kiln_runtime::{Run, Value, throw};
use kiln_targets::TargetFacts;
use kiln_types::{Symbol, Type, display};

/// Stages that files are made of, and how those end.
const FILES: [(Stage, &str); 5] = [
    (Stage::Lowered, "lowered.jl"),
    (Stage::Typed, "typed.jl"),
    (Stage::Emitted, "unopt.ll"),
    (Stage::Llvm, "opt.ll"),
    (Stage::Native, "asm"),
];

/// One of the files that show a kernel.
#[derive(Debug)]
pub struct DeviceCodeFile {
    /// The name.
    pub name: String,
    /// Its text, or why there is none.
    pub text: Result<Vec<u8>, InspectError>,
}

/// The files that show a kernel, for its device or for other targets. `number` tells it from others of its name.
///
/// # Errors
/// When there is no such target.
pub fn device_code_files(
    env: &ExecEnv<'_>,
    (number, job): (usize, &KernelJob),
    targets: &[TargetFacts],
) -> Result<Vec<DeviceCodeFile>, TargetError> {
    let name = job_name(env, job);
    let mut configs = vec![(String::new(), job.config)];
    if !targets.is_empty() {
        let of = |it: &TargetFacts| Ok((format!("{}.", it.name), config_for(env, Some(job.config), it)?));
        configs = targets.iter().map(of).collect::<Result<_, TargetError>>()?;
    }
    let mut files = Vec::new();
    for (target, config) in configs {
        for (stage, ending) in FILES {
            let text = reflect(env, stage, (job.function, job.args), Some(config));
            files.push(DeviceCodeFile { name: format!("{name}_{number}.{target}{ending}"), text });
        }
    }
    Ok(files)
}

/// Returns the name of a job's kernel in files and messages.
fn job_name(env: &ExecEnv<'_>, job: &KernelJob) -> String {
    let rt = env.rt;
    let named = env.config(job.config).options.name.map(|it| rt.types.name(it).to_owned());
    let shown = display::of_type(&rt.types, job.function);
    let plain = shown.strip_prefix("typeof(").and_then(|it| it.strip_suffix(')')).unwrap_or(&shown);
    let plain = plain.rsplit('.').next().unwrap_or(plain);
    let name = named.unwrap_or_else(|| plain.to_owned());
    name.chars().map(|it| if it.is_alphanumeric() || "_-!".contains(it) { it } else { '_' }).collect()
}

/// Returns the jobs of a watch that ends for Julia: the types of function and arguments, the configuration, the name.
pub fn watch_from_julia(env: &ExecEnv<'_>, begin: bool) -> Value {
    let (rt, watches) = (env.rt, &env.exec.notes.watches);
    if begin {
        watches.begin();
        return rt.heap.nothing();
    }
    let jobs: Vec<Value> = watches
        .end()
        .iter()
        .map(|job| {
            let heap = &rt.heap;
            let name = text::string(heap, &job_name(env, job));
            let config = heap.int(job.config.number().into());
            tuples::new(heap, &[heap.type_value(job.function), heap.type_value(job.args), config, name])
        })
        .collect();
    tuples::new(&rt.heap, &jobs)
}

/// Returns a stage of a function to a program. Stages are those of [`Stage::ALL`], and the names of back
/// ends: what a target of theirs is given. A stage that names none is of the configuration given; of the target that is
/// an option of a launch's. `return_type` is no text but the type of the function's result. `shown_for`: the targets that the
/// session names for its back ends.
pub fn reflect_from_julia(
    env: &ExecEnv<'_>,
    shown_for: &[String],
    stage: Symbol,
    (function, args): (Type, Type),
    options: Value,
) -> Run {
    let ExecEnv { rt, exec } = *env;
    let core = rt.types.core();
    let wrong = |it: &str| throw::argument_error(rt, it);
    let mut config = match options.as_int(core) {
        _ if options.is_nothing(core) => None,
        Some(number) => {
            let known = u32::try_from(number).ok().and_then(|it| exec.configs.numbered(it));
            Some(known.ok_or_else(|| wrong("there is no such configuration"))?)
        }
        None => Some(env.config_of(options)?),
    };
    let name = rt.types.name(stage);
    if name == "return_type" {
        let ty = return_type(env, (function, args), config);
        return Ok(rt.heap.type_value(ty.map_err(|it| kernel_error(rt, &it.render(&exec.compiler)))?));
    }
    let known = Stage::ALL.iter().find(|it| it.0 == name).map(|it| it.1);
    let backend = if known.is_none() { backend_named(&exec.compiler, name) } else { None };
    let stage = match (known, backend) {
        (Some(stage), _) => stage,
        (None, Some(backend)) => {
            let is_there = config.is_some_and(|it| exec.configs.target(it).backend == backend);
            if !is_there {
                let facts = shown_target(&exec.compiler, shown_for, &backend);
                let other = facts.and_then(|it| config_for(env, config, &it));
                config = Some(other.map_err(|it| wrong(&it.to_string()))?);
            }
            Stage::Native
        }
        (None, None) => return Err(wrong(&format!("there is no stage `{name}` of compilation"))),
    };
    let shown = reflect(env, stage, (function, args), config);
    let shown = shown.map_err(|it| kernel_error(rt, &it.render(&exec.compiler)))?;
    Ok(text::string(&rt.heap, &String::from_utf8_lossy(&shown)))
}
