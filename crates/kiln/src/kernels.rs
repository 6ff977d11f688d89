//! Kernels with typed arguments: found by name, compiled, checked and launched.

use crate::arguments::{KernelArgs, Values};
use crate::compile::{Space, entry_of};
use crate::modules::Module;
use crate::session::shared;
use crate::{Error, LaunchSize, Session};
use kiln_exec::{
    ConfigId, DeviceId, Grid, KernelConfig, KernelHandle, KernelJob, KernelOptions, Uncompiled, config_on,
    default_device, dialect_tables, launch_kernel, resolve,
};
use kiln_runtime::heap::{fields, mutator, params, tuples};
use kiln_runtime::{Rooted, Value};
use kiln_types::{Type, datatype};
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

/// A kernel for arguments of the types `A`.
///
/// A look-up compiles the kernel. After a definition that changes it, the next launch recompiles it. Threads may
/// share a kernel, and launch it concurrently.
///
/// Bounds are checked, unless the kernel declares `@inbounds`: as in Julia, its author then guarantees the indices. A
/// kernel that takes an array as `&` must not store to it.
///
/// ```
/// use kiln::{DeviceSlice, LaunchSize, Session, SessionOptions};
///
/// let session = Session::new(SessionOptions::new())?;
/// let module = session.load_text("saxpy.jl", "
///     using CUDA
///     function saxpy!(y, a, x)
///         i = threadIdx().x + (blockIdx().x - 1) * blockDim().x
///         i <= length(y) && (y[i] += a * x[i])
///         return
///     end")?;
/// let saxpy = module.kernel::<(&mut DeviceSlice<f32>, f32, &DeviceSlice<f32>)>("saxpy!")?;
/// let x = session.array_from(&[1.0f32; 1000])?;
/// let mut y = session.array_from(&[2.0f32; 1000])?;
/// for _ in 0..2 {
///     saxpy.launch(LaunchSize::cover(1000), (&mut y, 3.0, &x))?;
/// }
/// assert!(y.to_vec()?.iter().all(|it| *it == 8.0));
/// # Ok::<(), kiln::Error>(())
/// ```
pub struct Kernel<A> {
    session: Session,
    name: Arc<str>,
    function: Rooted,
    job: KernelJob,
    /// The type of the first argument of a kernel of KernelAbstractions, and its number of dimensions.
    context: Option<(Type, usize)>,
    args: PhantomData<fn(A)>,
}

impl Module {
    /// Compiles a kernel of this module for arguments of the types `A`, on the session's default device: a function,
    /// or a kernel of KernelAbstractions' `@kernel`.
    ///
    /// # Errors
    /// When the function does not exist, or does not compile for these arguments.
    ///
    /// ```
    /// use kiln::DeviceSlice;
    ///
    /// let session = kiln::Session::new(kiln::SessionOptions::new())?;
    /// let module = session.load_text("square.jl", "
    ///     using KernelAbstractions
    ///     @kernel function square!(y)
    ///         i = @index(Global)
    ///         y[i] = y[i]^2
    ///     end")?;
    /// let square = module.kernel::<(&mut DeviceSlice<i32>,)>("square!")?;
    /// let mut y = session.array_from(&[1, 2, 3])?;
    /// square.launch(kiln::LaunchSize::cover(3), (&mut y,))?;
    /// assert_eq!(y.to_vec()?, [1, 4, 9]);
    ///
    /// let error = module.kernel::<(f32,)>("square!").unwrap_err();
    /// assert!(!error.diagnostics.is_empty());
    /// # Ok::<(), kiln::Error>(())
    /// ```
    pub fn kernel<A: KernelArgs>(&self, name: &str) -> Result<Kernel<A>, Error> {
        self.kernel_on(default_device(self.session().driver().exec()), name)
    }

    /// Compiles a kernel for a device that the session has opened.
    ///
    /// # Errors
    /// When the function does not exist, or does not compile for these arguments.
    ///
    /// ```
    /// let session = kiln::Session::new(kiln::SessionOptions::new())?;
    /// let module = session.load_text("nothing.jl", "using CUDA\nempty() = nothing")?;
    /// let cpu = session.open_device(kiln::DeviceChoice::Cpu)?;
    /// module.kernel_on::<()>(cpu, "empty")?.launch((1, 1), ())?;
    /// # Ok::<(), kiln::Error>(())
    /// ```
    pub fn kernel_on<A: KernelArgs>(&self, device: DeviceId, name: &str) -> Result<Kernel<A>, Error> {
        let session = self.session();
        let types = A::types(session)?;
        // Dialects are asked in Julia code.
        let (function, job, context) = session.alone(|| {
            let given = self.raw(name)?;
            let tuple = datatype::tuple(&session.rt.types, &types);
            let (function, all) = entry_of(session, given, tuple, &Space::OfArguments)?;
            let all = datatype::params(&session.rt.types, all).to_vec();
            let context = (all.len() > types.len()).then(|| all.first().copied()).flatten();
            let context = context.map(|it| (it, dimensions(session, it)));
            let method_tables = dialect_tables(&session.rt);
            let config = KernelConfig { method_tables, options: KernelOptions::default() };
            let config = session.exec_env().intern(&config);
            let config = config.map_err(|it| Error::program(it.to_string()))?;
            let job = job_of(session, device, session.rt.heap.dispatch_type(function), &all, config);
            Ok((session.rt.roots.hold(function), job, context))
        })?;
        let session = session.clone();
        let kernel = Kernel { session, name: name.into(), function, job, context, args: PhantomData };
        kernel.resolved()?;
        Ok(kernel)
    }
}

/// The number of dimensions of a context: its first parameter.
fn dimensions(session: &Session, context: Type) -> usize {
    let types = &session.rt.types;
    let first =
        datatype::params(types, context).first().map(|it| params::value_of_param(&session.rt.heap, *it));
    first.and_then(|it| it.as_int(types.core())).and_then(|it| usize::try_from(it).ok()).unwrap_or(1)
}

impl<A: KernelArgs> Kernel<A> {
    /// Runs the kernel and waits for it.
    ///
    /// # Errors
    /// When the device cannot run so many items; when an argument is of another session; with the exception of the first
    /// item that failed: the others have run.
    ///
    /// ```
    /// use kiln::DeviceSlice;
    ///
    /// let session = kiln::Session::new(kiln::SessionOptions::new())?;
    /// let module = session.load_text("clear.jl", "
    ///     using CUDA
    ///     clear!(y) = (y[threadIdx().x] = 0; return)")?;
    /// let clear = module.kernel::<(&mut DeviceSlice<u8>,)>("clear!")?;
    /// let mut y = session.array_from(&[1u8, 2, 3])?;
    /// clear.launch((1, 3), (&mut y,))?;
    /// assert_eq!(y.to_vec()?, [0, 0, 0]);
    ///
    /// let error = clear.launch((1, 4), (&mut y,)).unwrap_err();
    /// assert_eq!(error.code, "bounds-error");
    /// assert_eq!(error.diagnostics[0].place.as_ref().unwrap().line, 3);
    /// # Ok::<(), kiln::Error>(())
    /// ```
    pub fn launch(&self, size: impl Into<LaunchSize>, args: A::Given<'_>) -> Result<(), Error> {
        let size = size.into();
        let session = &self.session;
        let handle = self.resolved()?;
        shared(session, || {
            let mut values = Values::new(session);
            if let Some((ty, dimensions)) = self.context {
                values.push(context(session, ty, dimensions, &size));
            }
            A::values(&args, session, &mut values)?;
            launch_values(session, handle, &size.grid(), self.function.value(), values.as_slice())
        })
    }

    /// Returns the compiled kernel; nothing is done where nothing has been defined since.
    #[inline]
    fn resolved(&self) -> Result<KernelHandle, Error> {
        let front = &self.session.front;
        let refused = |it: Arc<Uncompiled>| {
            Error::program(it.message.clone()).with_problems(&it.error.diagnostics, front)
        };
        self.session.resolve(&self.job).map_err(refused)
    }
}

impl<A> Kernel<A> {
    /// Returns the name that it was looked up by.
    ///
    /// ```
    /// let session = kiln::Session::new(kiln::SessionOptions::new())?;
    /// let module = session.load_text("nothing.jl", "using CUDA\nempty() = nothing")?;
    /// assert_eq!(module.kernel::<()>("empty")?.name(), "empty");
    /// # Ok::<(), kiln::Error>(())
    /// ```
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// The context of a launch of a kernel of KernelAbstractions.
fn context(session: &Session, ty: Type, dimensions: usize, size: &LaunchSize) -> Value {
    let heap = &session.rt.heap;
    let tuple = |all: [i64; 3]| {
        let some: Vec<Value> =
            (0..dimensions).map(|at| heap.int(all.get(at).copied().unwrap_or(1))).collect();
        tuples::new(heap, &some)
    };
    fields::new_struct(heap, ty, &[tuple(size.range()), tuple(size.grid().items), tuple(size.grid().groups)])
}

impl Session {
    /// The kernel of a job: one probe of a table as long as nothing is defined.
    #[inline]
    pub(crate) fn resolve(&self, job: &KernelJob) -> Result<KernelHandle, Arc<Uncompiled>> {
        match self.driver().exec().jobs.resolved(&self.rt, job) {
            Some(handle) => Ok(handle),
            None => mutator::shared(&self.rt.heap, || resolve(&self.exec_env(), job)),
        }
    }
}

/// The job of a launch on a device: the same in all worlds.
pub(crate) fn job_of(
    session: &Session,
    device: DeviceId,
    function: Type,
    args: &[Type],
    config: ConfigId,
) -> KernelJob {
    let args = datatype::tuple(&session.rt.types, args);
    // The target of a device that was opened is one that there is.
    let on_device = config_on(&session.exec_env(), config, device);
    let (config, device) = on_device.unwrap_or((config, DeviceId::CPU));
    KernelJob { function, args, config, device }
}

/// Launches a kernel with values of its job's types, and waits for it.
pub(crate) fn launch_values(
    session: &Session,
    kernel: KernelHandle,
    grid: &Grid,
    function: Value,
    args: &[Value],
) -> Result<(), Error> {
    mutator::shared(&session.rt.heap, || {
        let launched = launch_kernel(&session.exec_env(), kernel, grid, function, args);
        launched.map_err(|it| session.failure(&it))
    })
}

impl<A> Clone for Kernel<A> {
    fn clone(&self) -> Self {
        Self {
            session: self.session.clone(),
            name: self.name.clone(),
            function: self.function.clone(),
            job: self.job,
            context: self.context,
            args: PhantomData,
        }
    }
}

impl<A> fmt::Debug for Kernel<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kernel").field("name", &self.name).finish_non_exhaustive()
    }
}
