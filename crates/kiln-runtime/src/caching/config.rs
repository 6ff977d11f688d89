//! Jobs: what is to be compiled, how, and in which world.

use super::stable::{Description, Stable, StableWriter};
use super::{CacheView, PortableResult, Results};
use crate::tables::{CacheOwner, CodeInstance, CodeTables, MethodTableView, World};
use kiln_ir::Instance;
use std::sync::Arc;

/// How code is to be compiled, as a back end says it.
///
/// The inputs of inference come first: they make the owner, so jobs that agree there share inference whatever else they
/// say. Everything together makes the key of results.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ConfigOptions {
    /// The method tables, the front one first.
    pub method_tables: MethodTableView,
    /// Further inputs of inference: its parameters, facts of the target that constants depend on.
    pub inference: Description,
    /// Every call is replaced by the body of what it calls, whatever that costs.
    pub always_inline: bool,
    /// The target: the processor, its features, versions of formats.
    pub target: Description,
    /// The back end's parameters: limits of launches, flags of tools.
    pub params: Description,
    /// It is a kernel, not a function that is called.
    pub kernel: bool,
    /// The name of its entry; `None`: by a rule of the back end.
    pub name: Option<Box<str>>,
    /// 0: only what is needed, to 3: all.
    pub opt_level: u8,
    /// 0: nothing to debug with, 1: lines, 2: all.
    pub debug_level: u8,
}

impl Default for ConfigOptions {
    fn default() -> Self {
        Self {
            method_tables: MethodTableView::stacked(&[]),
            inference: Description::default(),
            always_inline: false,
            target: Description::default(),
            params: Description::default(),
            kernel: true,
            name: None,
            opt_level: 2,
            debug_level: 1,
        }
    }
}

/// The identity of a configuration's results: a hash of all of it, equal in every process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct ConfigKey(u128);

impl ConfigKey {
    /// A key with this hash.
    pub const fn from_hash(hash: u128) -> Self {
        Self(hash)
    }
    /// The hash.
    pub const fn hash(self) -> u128 {
        self.0
    }
    /// The key of a value that says what tells its results apart, for compilers without configurations.
    pub fn of<T: Stable + ?Sized>(value: &T) -> Self {
        Self(StableWriter::default().value(value).hash("kiln results"))
    }
}

/// A configuration: options with the owner and the key they make. They are made once, so that a look-up hashes nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompilerConfig {
    options: ConfigOptions,
    owner: CacheOwner,
    key: ConfigKey,
}

impl CompilerConfig {
    /// The configuration that `options` describe in a session.
    pub fn new(tables: &CodeTables, options: ConfigOptions) -> Self {
        // Named one by one: an option that is added has to say what can see it.
        let ConfigOptions {
            method_tables,
            inference,
            always_inline,
            target,
            params,
            kernel,
            name,
            opt_level,
            debug_level,
        } = &options;
        let owner = tables.inference_owner(method_tables, inference, *always_inline);
        let code = (*kernel, name.as_deref(), *opt_level, *debug_level);
        let key = ConfigKey::of(&(owner, target, params, code));
        Self { options, owner, key }
    }

    /// Returns the options.
    pub fn options(&self) -> &ConfigOptions {
        &self.options
    }
    /// Returns the owner of its inference: a hash of the inputs of inference, and of nothing else.
    pub fn owner(&self) -> CacheOwner {
        self.owner
    }
    /// Returns the key of its results: a hash of everything.
    pub fn key(&self) -> ConfigKey {
        self.key
    }
}

/// A method instance to compile, how, and in which world.
#[derive(Clone, Debug)]
pub struct CompilerJob {
    /// The instance to compile.
    pub source: Instance,
    /// How.
    pub config: Arc<CompilerConfig>,
    /// The definitions of this world are seen.
    pub world: World,
}

impl CompilerJob {
    /// Returns the job's view of the code tables.
    pub fn view<'a>(&self, tables: &'a CodeTables) -> CacheView<'a> {
        let view = self.config.options.method_tables.clone();
        CacheView::of(tables, self.config.owner, view, self.world)
    }
}

impl CodeTables {
    /// The owner of what is inferred for `view` if `inference` is all that inference can see besides, the world apart:
    /// [`ConfigOptions`] without what only later stages see.
    pub fn inference_owner(
        &self,
        view: &MethodTableView,
        inference: &Description,
        always_inline: bool,
    ) -> CacheOwner {
        self.owner(view, &(inference, always_inline))
    }

    /// Returns the back end's results for a job: `None` until the job has been inferred, then the same object each time, empty at
    /// first, until a definition changes something it depends on. A look-up only: it infers and compiles nothing, and
    /// allocates nothing once the object is there. Each type of results has its own.
    pub fn cached_results<R: Results>(&self, job: &CompilerJob) -> Option<Arc<R>> {
        let ci = self.code_instance(job.source, job.config.owner, job.world)?;
        Some(ci.job_results.get(&ci, job.config.key, job.world))
    }

    /// [`CacheView::set_parts`] for a result of `job`.
    pub fn set_parts<R: Results>(&self, job: &CompilerJob, result: &Arc<R>, parts: &[Arc<CodeInstance>]) {
        job.view(self).set_parts(job.source, result, parts);
    }
}

impl CodeInstance {
    /// Returns the results kept here that hold in `world` and may leave the process, for an image.
    pub fn portable_results(&self, world: World) -> Vec<PortableResult> {
        self.job_results.portable(self, world)
    }

    /// Takes what [`CodeInstance::portable_results`] gave in another process for the same code. It is good as long as this
    /// goes on holding as it does in `world`; handles are made anew.
    pub fn restore_results(&self, results: Vec<PortableResult>, world: World) {
        self.job_results.restore(results, world);
    }
}
