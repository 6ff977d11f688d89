//! Kernels from Rust: a job is named once, found before each launch, and launched.

use crate::{Failure, Session};
use kiln_driver::{ConfigId, DeviceId, Grid, KernelConfig, KernelHandle, KernelJob, Uncompiled};
use kiln_runtime::{Value, bug};
use std::sync::Arc;

/// Any number of threads may ask for kernels and launch them at once; one thread at a time runs Julia code, and none while
/// others ask. What a text evaluates to, and values made from it, are good until the next text is evaluated, and as long as
/// something in `Main` is bound to them.
///
/// ```no_run
/// use kiln::{Grid, Session, SessionOptions};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let session = Session::new(SessionOptions::default())?;
/// session.run_text("saxpy", "
///     using CUDA
///     function saxpy!(y, a, x)
///         i = threadIdx().x + (blockIdx().x - 1) * blockDim().x
///         y[i] += a * x[i]
///         return
///     end
///     x, y = CUDA.ones(Float32, 1024), CUDA.ones(Float32, 1024)
///     args = map(cudaconvert, (y, 2.0f0, x))
/// ")?;
/// let config = session.kernel_config("(; method_tables = (CUDA.method_table,))")?;
/// let (saxpy, args) = (session.evaluate("saxpy!")?, session.elements(session.evaluate("args")?));
/// let job = session.kernel_job(saxpy, &args, config);
/// let grid = Grid { groups: [4, 1, 1], items: [256, 1, 1], dynamic_shared_bytes: 0 };
/// for _ in 0..100 {
///     let kernel = session.kernel(&job)?;
///     session.launch(kernel, &grid, saxpy, &args)?;
/// }
/// # Ok(())
/// # }
/// ```
impl Session {
    /// The value of an expression, evaluated in `Main`.
    ///
    /// # Errors
    /// When it throws.
    pub fn evaluate(&self, text: &str) -> Result<Value, Failure> {
        let value = bug::catch(|| self.rt.eval_string(self.main(), text).map_err(|it| self.failure(&it)));
        value.map_err(|it| Failure::bug(&it))?
    }

    /// The elements of a tuple.
    pub fn elements(&self, tuple: Value) -> Vec<Value> {
        self.rt.heap.tuple_values(tuple)
    }

    /// How to compile what is launched with these options, an expression for a named tuple: `method_tables`, the overlay
    /// tables of its dialect, and the fields of [`KernelOptions`](crate::KernelOptions) by their names.
    ///
    /// # Errors
    /// When it throws, or they are no such options.
    pub fn kernel_config(&self, options: &str) -> Result<ConfigId, Failure> {
        let options = self.evaluate(options)?;
        let config = self.driver().config_of(&self.rt, options);
        config.map_err(|it| self.failure(&it))
    }

    /// The number of a configuration: equal for equal ones.
    ///
    /// # Errors
    /// When there is no target of the name it gives.
    pub fn intern_config(&self, config: &KernelConfig) -> Result<ConfigId, Failure> {
        self.driver().intern_config(&self.rt, config).map_err(Failure::program)
    }

    /// The launch of `function` with arguments of the types of `args`, as the device is to have them, on the session's
    /// device. The same in all worlds: which method it means is found out when the kernel is asked for.
    pub fn kernel_job(&self, function: Value, args: &[Value], config: ConfigId) -> KernelJob {
        self.kernel_job_on(self.driver().default_device(), function, args, config)
    }

    /// The same on a device that [`Session::open_device`] gave. What names a target of processors runs on this machine's.
    pub fn kernel_job_on(
        &self,
        device: DeviceId,
        function: Value,
        args: &[Value],
        config: ConfigId,
    ) -> KernelJob {
        let heap = &self.rt.heap;
        let args: Vec<_> = args.iter().map(|it| heap.dispatch_type(*it)).collect();
        let args = self.rt.types.tuple(&args);
        // The target of a device that was opened is one that there is.
        let on_device = self.driver().config_on(&self.rt, config, device);
        let (config, device) = on_device.unwrap_or((config, DeviceId::CPU));
        KernelJob { function: heap.dispatch_type(function), args, config, device }
    }

    /// The kernel of a job, compiled unless it has been. As long as nothing is defined, this is one probe of a table: no
    /// lock, no allocation. A definition is seen at once; a kernel that it does not change is not compiled again.
    ///
    /// # Errors
    /// Why it does not compile. It is not tried again until something is defined that may change that.
    #[inline]
    pub fn kernel(&self, job: &KernelJob) -> Result<KernelHandle, Arc<Uncompiled>> {
        self.driver().resolve(&self.rt, job)
    }

    /// The kernels of many jobs. Those that have to be compiled are compiled on all cores.
    pub fn kernels(&self, jobs: &[KernelJob]) -> Vec<Result<KernelHandle, Arc<Uncompiled>>> {
        self.driver().resolve_all(&self.rt, jobs)
    }

    /// Runs a kernel over a grid and waits for it. `function` and `args` have the types of the job it is of.
    ///
    /// # Errors
    /// Fails with the exception of an item.
    pub fn launch(
        &self,
        kernel: KernelHandle,
        grid: &Grid,
        function: Value,
        args: &[Value],
    ) -> Result<(), Failure> {
        let launched = self.driver().launch_kernel(&self.rt, kernel, grid, function, args);
        launched.map_err(|it| self.failure(&it))
    }
}

const _: () = {
    const fn is_shared<T: Send + Sync>() {}
    is_shared::<Session>();
};
