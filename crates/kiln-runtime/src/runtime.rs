//! One session: everything a running Julia program consists of.

use crate::eval::EvalState;
use crate::heap::{Heap, uninterrupted};
use crate::host::{OwnPrinting, RegexCache, TextTypes};
use crate::interp::{BuiltinCallees, GlobalSites, InterpreterTime};
use crate::roots::Roots;
use crate::services::{Frontend, HostCompiler, HostIo, KernelHost, StoredCode};
use crate::tables::CodeTables;
use crate::thrown::Run;
use kiln_ir::CheckBounds;
use kiln_types::Types;
use std::sync::{Arc, OnceLock};

/// A Julia session. Everything is reached by `&self`; there is no process-global state.
pub struct Runtime {
    /// Types, symbols and constants.
    pub types: Arc<Types>,
    /// Values.
    pub heap: Arc<Heap>,
    /// Methods, bindings, worlds.
    pub tables: CodeTables,
    /// The functions that are not generic.
    pub callees: BuiltinCallees,
    /// Whether the processor that compiled code runs on has fused multiply-add.
    pub have_fma: bool,
    /// The bounds checks to perform.
    pub check_bounds: CheckBounds,
    /// The identity of the image that the session was thawed from; `None` if there was none.
    pub image: Option<[u8; 32]>,
    /// Parsing and lowering.
    pub frontend: Box<dyn Frontend>,
    /// Files and clocks.
    pub io: Box<dyn HostIo>,
    /// Values that Rust code holds.
    pub roots: Arc<Roots>,
    /// Time that went into making methods ready to run.
    pub(crate) preparing: crate::preparing::Preparing,
    /// Threads of tasks.
    pub(crate) tasks: crate::tasks::Tasks,
    /// Collections.
    pub(crate) collecting: crate::collecting::Collecting,
    pub(crate) interpreter_time: InterpreterTime,
    /// Packages, files.
    pub(crate) eval: EvalState,
    /// Globals asked for by name.
    pub(crate) global_sites: GlobalSites,
    /// The functions that `deferred` made pointers to.
    pub(crate) deferred: crate::interp::DeferredTable,
    /// The compilers of deferred calls other than kiln.
    pub(crate) deferred_compilers: crate::deferred::DeferredCompilers,
    /// Regular expressions compiled so far: a cache, made anew in each process.
    pub(crate) regexes: RegexCache,
    /// The types of Base that hold text.
    pub(crate) text_types: OnceLock<TextTypes>,
    /// The types that the program prints by methods of its own.
    pub(crate) own_printing: OwnPrinting,
    /// Kernels; installed by the driver.
    pub kernels: OnceLock<Arc<dyn KernelHost>>,
    /// Typed code of other sessions; optional.
    pub stored_code: OnceLock<Arc<dyn StoredCode>>,
    /// Compiled host code; optional.
    pub compiler: OnceLock<Arc<dyn HostCompiler>>,
}

impl Runtime {
    /// A session in which `Core` has its types, builtins and intrinsics, and nothing else is defined.
    pub fn new(types: Arc<Types>, frontend: Box<dyn Frontend>, io: Box<dyn HostIo>) -> Self {
        let mut rt = Self {
            callees: BuiltinCallees::default(),
            have_fma: true,
            check_bounds: CheckBounds::Auto,
            image: None,
            roots: Arc::default(),
            preparing: crate::preparing::Preparing::default(),
            tasks: crate::tasks::Tasks::default(),
            collecting: crate::collecting::Collecting::default(),
            interpreter_time: InterpreterTime::default(),
            eval: EvalState::default(),
            global_sites: GlobalSites::default(),
            deferred: crate::interp::DeferredTable::default(),
            deferred_compilers: crate::deferred::DeferredCompilers::default(),
            regexes: RegexCache::default(),
            text_types: OnceLock::new(),
            own_printing: OwnPrinting::default(),
            heap: Arc::new(Heap::new(types.clone())),
            tables: CodeTables::new(types.clone()),
            types,
            frontend,
            io,
            kernels: OnceLock::new(),
            stored_code: OnceLock::new(),
            compiler: OnceLock::new(),
        };
        rt.set_up();
        rt
    }

    /// Ends an operation on memory, after the exceptions of the launches it waited for.
    #[inline]
    pub fn after_async_errors(&self, done: Run) -> Run {
        if self.heap.coherence.has_async_results() {
            self.surface_async_errors()?;
        }
        done
    }

    /// Reports the results of launches that the program had to wait for when it accessed their memory.
    ///
    /// # Errors
    /// Fails with the exceptions of those launches.
    #[cold]
    pub fn surface_async_errors(&self) -> Run<()> {
        self.heap.coherence.set_async_results(false);
        uninterrupted(|| self.kernels.get().map_or(Ok(()), |it| it.surface_async_errors(self)))
    }
}
