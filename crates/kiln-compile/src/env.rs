//! The environment of a job's stages: the session's services, and the inputs of one job.

use crate::device::libraries::DeviceLibrary;
use crate::inputs::View;
use crate::mutant::Mutant;
use crate::typed_cache::state::TypedCache;
use crate::unit_target::UnitTargets;
use kiln_cache::KeyId;
use kiln_codegen_client::CodegenClient;
use kiln_ir::SourceLoc;
use kiln_metrics::Counters;
use kiln_results::{Memo, TieredStore};
use kiln_runtime::Runtime;
use kiln_syntax::Diagnostic;
use kiln_targets::{TargetFacts, ToolPaths};
use kiln_unit::LinkedModule;
use parking_lot::{Mutex, RwLock};
use std::fmt;
use std::sync::{Arc, OnceLock};

/// Turns diagnostics into text.
pub type Render = Box<dyn Fn(&[Diagnostic]) -> String + Send + Sync>;

/// The form of kernels of the processor that have barriers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Barriers {
    /// Each item runs on a fiber, until a kernel's launches have taken about as long as compiling its regions does; from
    /// then on, regions.
    #[default]
    Adaptive,
    /// Each item runs on a fiber.
    Fibers,
    /// The code between two barriers is a loop over the items of a group: 50 to 300 times faster, and 2 to 3 times the time
    /// of compilation.
    Regions,
}

/// How a session compiles.
pub struct CompilerOptions {
    /// The target of host code, and of kernels that name no other.
    pub facts: TargetFacts,
    /// A mistake for the compiler to make, to test its tests. `None` otherwise.
    pub mutant: Option<Mutant>,
    /// Threads that compile at once; 0: one a core.
    pub threads: usize,
    /// How far host code is optimized; `None`: as much as pays.
    pub host_opt_level: Option<u8>,
    /// The form of kernels of the processor that have barriers.
    pub barriers: Barriers,
    /// The bits of the vectors of items that kernels of the processor run in; `None`: those of the processor, 0: items
    /// run one by one.
    pub vector_bits: Option<u32>,
    /// The checks of kernels of the processor.
    pub checks: kiln_unit::Checks,
    /// Libraries of functions for devices.
    pub libraries: Vec<DeviceLibrary>,
    /// Where vendors' tools and libraries are looked for.
    pub tools: ToolPaths,
    /// Turns diagnostics into text.
    pub render: Render,
    /// Whether a place is in one of the program's own files.
    pub is_user_file: Box<dyn Fn(SourceLoc) -> bool + Send + Sync>,
}

/// What is known of the images that a session takes results from.
#[derive(Default)]
pub struct ImageFacts {
    /// The code generator that the images were made with.
    pub codegen: OnceLock<String>,
    /// The devices that the images have code for.
    pub devices: RwLock<Vec<TargetFacts>>,
}

/// The services that all compilations of a session share. Stages are functions over a [`CompileEnv`].
pub struct Compiler {
    /// How the session compiles.
    pub options: CompilerOptions,
    /// Counts, times and spans.
    pub counters: Arc<Counters>,
    /// The code generator.
    pub codegen: CodegenClient,
    /// Results of other sessions: images and the store.
    pub results: TieredStore,
    /// What is known of the images.
    pub images: ImageFacts,
    /// Access to typed code of other sessions.
    pub typed: TypedCache,
    /// The artifacts of this session, by the keys of their device links.
    pub linked: Memo<KeyId, LinkedModule>,
    /// The targets that units have been compiled for.
    pub targets: UnitTargets,
    /// Errors that stopped nothing.
    pub warnings: Mutex<Vec<Diagnostic>>,
}

impl fmt::Debug for Compiler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Compiler").field("target", &self.options.facts.name).finish_non_exhaustive()
    }
}

impl Compiler {
    /// A compiler that has compiled nothing and opened nothing yet.
    pub fn new(
        options: CompilerOptions,
        counters: Arc<Counters>,
        codegen: CodegenClient,
        results: TieredStore,
    ) -> Self {
        let targets = UnitTargets::new(&options);
        let (images, typed, linked) = (ImageFacts::default(), TypedCache::default(), Memo::default());
        let warnings = Mutex::default();
        Self { options, counters, codegen, results, images, typed, linked, targets, warnings }
    }

    /// Returns the identity of the code generator: where there is none, that of the images.
    pub fn codegen_identity(&self) -> Option<String> {
        self.codegen.identity().or_else(|| self.images.codegen.get().cloned())
    }

    /// Returns the threads that compile at once.
    pub fn threads(&self) -> usize {
        match self.options.threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            threads => threads,
        }
    }

    /// Whether typed code is kept for other sessions.
    pub fn keeps_typed(&self) -> bool {
        let results = &self.results;
        (results.options().is_some() || results.collects() || results.has_images())
            && self.options.mutant.is_none()
    }

    /// Turns diagnostics into text.
    pub fn render(&self, problems: &[Diagnostic]) -> String {
        (self.options.render)(problems)
    }

    /// Whether a place is in one of the program's own files.
    pub fn is_user_file(&self, loc: SourceLoc) -> bool {
        (self.options.is_user_file)(loc)
    }

    /// Keeps a warning, an error that stops nothing: a stable name and a sentence.
    pub fn warn(&self, code: &'static str, message: impl Into<String>) {
        self.warnings.lock().push(Diagnostic::warning(code, message));
    }
}

/// The environment of one job's stages.
#[derive(Clone, Copy)]
pub struct CompileEnv<'a> {
    /// The session's types, methods and values.
    pub rt: &'a Runtime,
    /// The session's services.
    pub compiler: &'a Compiler,
    /// The inputs of the job.
    pub view: &'a View,
}

impl<'a> CompileEnv<'a> {
    /// The environment of a job with these inputs.
    pub fn new(rt: &'a Runtime, compiler: &'a Compiler, view: &'a View) -> Self {
        Self { rt, compiler, view }
    }

    /// Returns the session's counters.
    pub fn counters(&self) -> &'a Counters {
        &self.compiler.counters
    }

    /// The same services for other inputs.
    pub fn with_view<'b>(&self, view: &'b View) -> CompileEnv<'b>
    where
        'a: 'b,
    {
        CompileEnv { rt: self.rt, compiler: self.compiler, view }
    }
}
