//! The parts of a session as they are, for the tests and tools of kiln itself. They change without notice.
//!
//! A raw value is good until the next text is evaluated, and as long as something in `Main` is bound to it.

use crate::kernels::{job_of, launch_values};
use crate::{Error, Session, SessionOptions};
pub use kiln_compile::Mutant;
use kiln_exec::{
    CompiledFunction, ConfigId, DeviceId, ExecEnv, Grid, KernelConfig, KernelHandle, KernelJob, Uncompiled,
    compile_function, default_device, inferred, resolve_all,
};
use kiln_runtime::heap::{mutator, tuples};
use kiln_runtime::interp::call;
use kiln_runtime::tables::TableId;
pub use kiln_runtime::{Value, eval::toplevel, heap, interp::define};
use kiln_types::{Module, Type};
use std::sync::Arc;

/// The origin of Base in a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BaseSource {
    /// The embedded snapshot; the library's text if there is no snapshot, or another library is given.
    #[default]
    Snapshot,
    /// Its text: slower, and the same.
    Text,
}

/// Options that only tests set.
pub trait TestOptions: Sized {
    /// Never compiles host code: the interpreter is the oracle of tests.
    fn interpret_host(self, interpret: bool) -> Self;
    /// Has the compiler make a mistake, to test tests with.
    fn mutant(self, mutant: Option<Mutant>) -> Self;
    /// Sets how far compiled host code is optimized, from 0 to 3; `None`: as much as pays.
    fn host_opt_level(self, level: Option<u8>) -> Self;
    /// Sets where Base comes from.
    fn base(self, source: BaseSource) -> Self;
    /// Copies arrays to devices and back, even to those that reach them where they are.
    fn copies_arrays(self, copies: bool) -> Self;
    /// Compiles and links kernels, and launches none, as where an image is built.
    fn builds_image(self, builds: bool) -> Self;
    /// Looks for the code generator beside the executable only, in debug builds too.
    fn ignores_build_folder(self, ignores: bool) -> Self;
}

impl TestOptions for SessionOptions {
    fn interpret_host(mut self, interpret: bool) -> Self {
        self.knobs.interpret_host = interpret;
        self
    }

    fn mutant(mut self, mutant: Option<Mutant>) -> Self {
        self.knobs.mutant = mutant;
        self
    }

    fn host_opt_level(mut self, level: Option<u8>) -> Self {
        self.knobs.host_opt_level = level;
        self
    }

    fn base(mut self, source: BaseSource) -> Self {
        self.knobs.base_from_text = source == BaseSource::Text;
        self
    }

    fn copies_arrays(mut self, copies: bool) -> Self {
        self.knobs.copies_arrays = copies;
        self
    }

    fn ignores_build_folder(mut self, ignores: bool) -> Self {
        self.knobs.ignores_build_folder = ignores;
        self
    }

    fn builds_image(mut self, builds: bool) -> Self {
        self.building = builds.then(Default::default);
        self
    }
}

/// The parts of a session, and jobs of raw values.
pub trait SessionInternals {
    /// The environment of execution: configurations, jobs, devices, and results.
    fn exec_env(&self) -> ExecEnv<'_>;

    /// `Main`.
    fn main(&self) -> Module;

    /// The value of an expression, evaluated in `Main`.
    ///
    /// # Errors
    /// When it throws.
    fn evaluate(&self, text: &str) -> Result<Value, Error>;

    /// The elements of a tuple.
    fn elements(&self, tuple: Value) -> Vec<Value>;

    /// Returns the configuration of launches with these options, a Julia expression for a named tuple:
    /// `method_tables`, the overlay tables of its dialect, and the fields of [`KernelOptions`](crate::KernelOptions)
    /// by name.
    ///
    /// # Errors
    /// When the expression throws, or its value is not such a tuple.
    fn kernel_config(&self, options: &str) -> Result<ConfigId, Error>;

    /// The number of a configuration: equal for equal ones.
    ///
    /// # Errors
    /// When there is no target of the name it gives.
    fn intern_config(&self, config: &KernelConfig) -> Result<ConfigId, Error>;

    /// The launch of `function` with arguments of the types of `args`, as the device is to have them, on the default device.
    fn kernel_job(&self, function: Value, args: &[Value], config: ConfigId) -> KernelJob;

    /// The launch on a device that the session has opened. A configuration that names a processor runs on this machine's.
    fn kernel_job_on(&self, device: DeviceId, function: Value, args: &[Value], config: ConfigId)
    -> KernelJob;

    /// The kernel of a job, compiled unless it has been. As long as nothing is defined, this is one probe of a table: no
    /// lock, no allocation. A definition is seen at once; a kernel that it does not change is not compiled again.
    ///
    /// # Errors
    /// Why it does not compile. It is not tried again until something is defined that may change that.
    fn kernel(&self, job: &KernelJob) -> Result<KernelHandle, Arc<Uncompiled>>;

    /// The kernels of many jobs. Those that have to be compiled are compiled on all cores.
    fn kernels(&self, jobs: &[KernelJob]) -> Vec<Result<KernelHandle, Arc<Uncompiled>>>;

    /// Runs a kernel over a grid and waits for it.
    ///
    /// # Errors
    /// When `function` and `args` are not of the types of the job; with the exception of an item.
    fn launch(&self, kernel: KernelHandle, grid: &Grid, function: Value, args: &[Value])
    -> Result<(), Error>;

    /// Compiles the method of `f` for these argument types as host code, whatever it costs.
    ///
    /// # Errors
    /// Why it cannot be compiled.
    fn compile_function(&self, f: Value, args: &[Value]) -> Result<CompiledFunction, Error>;

    /// Runs a text with at most `budget` calls and loop iterations and infers every method it defines: for fuzzing.
    ///
    /// # Errors
    /// When it throws or runs too long.
    fn infer_text(&self, text: &str, budget: u64) -> Result<(), Error>;
}

impl SessionInternals for Session {
    fn exec_env(&self) -> ExecEnv<'_> {
        Self::exec_env(self)
    }

    fn main(&self) -> Module {
        Module::MAIN
    }

    fn evaluate(&self, text: &str) -> Result<Value, Error> {
        self.alone(|| toplevel::eval_string(&self.rt, Module::MAIN, text).map_err(|it| self.failure(&it)))
    }

    fn elements(&self, tuple: Value) -> Vec<Value> {
        tuples::values(&self.rt.heap, tuple)
    }

    fn kernel_config(&self, options: &str) -> Result<ConfigId, Error> {
        self.alone(|| {
            let options = self.evaluate(options)?;
            Self::exec_env(self).config_of(options).map_err(|it| self.failure(&it))
        })
    }

    fn intern_config(&self, config: &KernelConfig) -> Result<ConfigId, Error> {
        Self::exec_env(self).intern(config).map_err(|it| Error::program(it.to_string()))
    }

    fn kernel_job(&self, function: Value, args: &[Value], config: ConfigId) -> KernelJob {
        self.kernel_job_on(default_device(Self::exec_env(self).exec), function, args, config)
    }

    fn kernel_job_on(
        &self,
        device: DeviceId,
        function: Value,
        args: &[Value],
        config: ConfigId,
    ) -> KernelJob {
        let args: Vec<Type> = args.iter().map(|it| self.rt.heap.dispatch_type(*it)).collect();
        job_of(self, device, self.rt.heap.dispatch_type(function), &args, config)
    }

    #[inline]
    fn kernel(&self, job: &KernelJob) -> Result<KernelHandle, Arc<Uncompiled>> {
        self.resolve(job)
    }

    fn kernels(&self, jobs: &[KernelJob]) -> Vec<Result<KernelHandle, Arc<Uncompiled>>> {
        mutator::shared(&self.rt.heap, || resolve_all(&Self::exec_env(self), jobs))
    }

    fn launch(
        &self,
        kernel: KernelHandle,
        grid: &Grid,
        function: Value,
        args: &[Value],
    ) -> Result<(), Error> {
        launch_values(self, kernel, grid, function, args)
    }

    fn compile_function(&self, f: Value, args: &[Value]) -> Result<CompiledFunction, Error> {
        let types = std::iter::once(f).chain(args.iter().copied()).map(|it| self.rt.heap.dispatch_type(it));
        let types: Vec<Type> = types.collect();
        let instance = self.rt.tables.dispatch(&types, self.rt.tables.world());
        let instance = instance.map_err(|_| Error::program("no method takes these arguments"))?;
        compile_function(&Self::exec_env(self), instance).map_err(|it| Error::program(it.to_string()))
    }

    fn infer_text(&self, text: &str, budget: u64) -> Result<(), Error> {
        let tables = &self.rt.tables;
        let before = tables.methods.methods_of_table(TableId::GLOBAL).len();
        call::within_budget(budget, || self.run_text("fuzzed", text))?;
        for id in tables.methods.methods_of_table(TableId::GLOBAL).into_iter().skip(before) {
            let method = tables.method(id);
            let world = self.rt.tables.world();
            let Some(found) = tables.find_matches(method.sig, world, usize::MAX) else { continue };
            for it in &found.matches {
                let _ = inferred(&Self::exec_env(self), it, world);
            }
        }
        Ok(())
    }
}
