//! Kernels requested during a watch, and their stages: `@device_code` and what is like it.
//!
//! A program may be watched that runs on this machine's processor and be shown what a GPU would be given: for stages that
//! name a back end, a job is compiled for a target of that back end, with the tables that the program's dialects have for it.

use crate::config::{KernelConfig, KernelOptions};
use crate::kernel_host::Driver;
use crate::launch_table::{ConfigId, KernelJob};
use crate::reflect::{ReflectError, Stage};
use kiln_runtime::tables::TableId;
use kiln_runtime::{Run, Runtime, Value};
use kiln_targets::{Backend, FAMILIES, TargetFacts};
use kiln_types::{Symbol, Type};
use std::sync::atomic::Ordering;

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
    pub text: Result<Vec<u8>, ReflectError>,
}

impl Driver {
    /// From now on takes notes of the kernels that are asked for, until [`Self::end_watch`].
    pub fn begin_watch(&self) {
        self.watches.lock().push(Vec::new());
        self.is_watched.store(true, Ordering::Relaxed);
    }

    /// The jobs that were asked for since the watch began that ends, each once, in their order.
    pub fn end_watch(&self) -> Vec<KernelJob> {
        let mut watches = self.watches.lock();
        let jobs = watches.pop().unwrap_or_default();
        self.is_watched.store(!watches.is_empty(), Ordering::Relaxed);
        jobs
    }

    /// Takes a note of a job.
    #[cold]
    pub(crate) fn watched(&self, job: &KernelJob) {
        for jobs in self.watches.lock().iter_mut().filter(|it| !it.contains(job)) {
            jobs.push(*job);
        }
    }

    /// The target that stages of a back end are shown for: the first of that back end among those the session names, kiln's own
    /// and those of the code generator.
    ///
    /// # Errors
    /// When a name is none of a target.
    pub fn shown_target(&self, backend: &Backend) -> Result<TargetFacts, String> {
        let named = self.shown_for().iter().map(String::as_str);
        for name in named.chain(FAMILIES.iter().map(|it| it.shown)) {
            let facts = self.target(name)?;
            if facts.backend == *backend {
                return Ok(facts);
            }
        }
        let offered = self.offered_targets()?.into_iter().find(|it| it.backend == *backend);
        offered.ok_or_else(|| format!("no target of {} is known: name one", backend.name()))
    }

    /// The back end of this name, if a target has it.
    fn backend_named(&self, name: &str) -> Option<Backend> {
        let own = FAMILIES.iter().map(|it| it.backend.clone()).find(|it| it.name() == name);
        own.or_else(|| {
            let offered = self.offered_targets().ok()?.into_iter().map(|it| it.backend);
            offered.into_iter().find(|it| it.name() == name)
        })
    }

    /// The overlay tables that launches of the dialects name which `Main` uses. Those for a target are added where a job is
    /// configured.
    pub fn dialect_tables(&self, rt: &Runtime) -> Vec<TableId> {
        let device = rt.base_global("Device").and_then(|it| it.as_module(rt.types.core()));
        let Some(tables_of) = device.and_then(|it| rt.global(it, rt.types.symbol("tables_of"))) else {
            return Vec::new();
        };
        let main = Value::module(rt.heap.core(), rt.types.main_module());
        let tables = rt.call_latest(tables_of, &[main]);
        let tables = tables.map(|it| rt.heap.tuple_values(it)).unwrap_or_default();
        tables.into_iter().filter_map(|it| rt.method_table(it)).collect()
    }

    /// How what is configured so, or of which nothing is said, is compiled for a target.
    ///
    /// # Errors
    /// When there is no such target.
    pub fn config_for(
        &self,
        rt: &Runtime,
        config: Option<ConfigId>,
        facts: &TargetFacts,
    ) -> Result<ConfigId, String> {
        let plain =
            || KernelConfig { method_tables: self.dialect_tables(rt), options: KernelOptions::default() };
        let given = config.map_or_else(plain, |it| self.config(it).clone());
        let target = Some(rt.types.symbol(&facts.name));
        self.configure(rt, &given.method_tables, &KernelOptions { target, ..given.options })
    }

    /// The files that show a kernel, for its device or for other targets. `number` tells it from others of its name.
    ///
    /// # Errors
    /// When there is no such target.
    pub fn device_code_files(
        &self,
        rt: &Runtime,
        (number, job): (usize, &KernelJob),
        targets: &[TargetFacts],
    ) -> Result<Vec<DeviceCodeFile>, String> {
        let name = self.job_name(rt, job);
        let mut configs = vec![(String::new(), job.config)];
        if !targets.is_empty() {
            let of =
                |it: &TargetFacts| Ok((format!("{}.", it.name), self.config_for(rt, Some(job.config), it)?));
            configs = targets.iter().map(of).collect::<Result<_, String>>()?;
        }
        let mut files = Vec::new();
        for (target, config) in configs {
            for (stage, ending) in FILES {
                let text = self.reflect(rt, stage, (job.function, job.args), Some(config));
                files.push(DeviceCodeFile { name: format!("{name}_{number}.{target}{ending}"), text });
            }
        }
        Ok(files)
    }

    /// Returns the name of a job's kernel in files and messages.
    fn job_name(&self, rt: &Runtime, job: &KernelJob) -> String {
        let named = self.config(job.config).options.name.map(|it| rt.types.name(it).to_owned());
        let shown = rt.types.display(job.function);
        let plain = shown.strip_prefix("typeof(").and_then(|it| it.strip_suffix(')')).unwrap_or(&shown);
        let plain = plain.rsplit('.').next().unwrap_or(plain);
        let name = named.unwrap_or_else(|| plain.to_owned());
        name.chars().map(|it| if it.is_alphanumeric() || "_-!".contains(it) { it } else { '_' }).collect()
    }

    /// Returns the jobs of a watch that ends for Julia: the types of function and arguments, the configuration, the name.
    pub(crate) fn watch_from_julia(&self, rt: &Runtime, begin: bool) -> Value {
        if begin {
            self.begin_watch();
            return rt.heap.nothing();
        }
        let jobs: Vec<Value> = self
            .end_watch()
            .iter()
            .map(|job| {
                let heap = &rt.heap;
                let name = heap.string(&self.job_name(rt, job));
                let config = heap.int(job.config.0.into());
                heap.tuple(&[heap.type_value(job.function), heap.type_value(job.args), config, name])
            })
            .collect();
        rt.heap.tuple(&jobs)
    }

    /// Returns a stage of a function to a program. Stages are those of [`Stage::ALL`], and the names of back
    /// ends: what a target of theirs is given. A stage that names none is of the configuration given; of the target that is
    /// an option of a launch's.
    pub(crate) fn reflect_from_julia(
        &self,
        rt: &Runtime,
        stage: Symbol,
        (function, args): (Type, Type),
        options: Value,
    ) -> Run {
        let core = rt.types.core();
        let wrong = |it: &str| rt.argument_error(it);
        let mut config = match options.as_int(core) {
            _ if options.is_nothing(core) => None,
            Some(number) => {
                let known = u32::try_from(number).ok().filter(|it| (*it as usize) < self.configs.count());
                Some(ConfigId(known.ok_or_else(|| wrong("there is no such configuration"))?))
            }
            None => Some(self.config_of(rt, options)?),
        };
        let name = rt.types.name(stage);
        let known = Stage::ALL.iter().find(|it| it.0 == name).map(|it| it.1);
        let backend = if known.is_none() { self.backend_named(name) } else { None };
        let stage = match (known, backend) {
            (Some(stage), _) => stage,
            (None, Some(backend)) => {
                let is_there =
                    config.is_some_and(|it| self.config_view(rt, it).unit.facts.backend == backend);
                if !is_there {
                    let facts = self.shown_target(&backend);
                    let other = facts.and_then(|it| self.config_for(rt, config, &it));
                    config = Some(other.map_err(|it| wrong(&it))?);
                }
                Stage::Native
            }
            (None, None) => return Err(wrong(&format!("there is no stage `{name}` of compilation"))),
        };
        let shown = self.reflect(rt, stage, (function, args), config);
        let shown = shown.map_err(|it| self.throw(rt, &it.0))?;
        Ok(rt.heap.string(&String::from_utf8_lossy(&shown)))
    }
}
