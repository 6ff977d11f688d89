//! Jobs: a method instance, a configuration, and a world.

use super::stable::{Stable, StableBytes, StableWriter};
use super::{CacheView, PortableResult, Results};
use crate::tables::{CacheOwner, CodeInstance, CodeTables, MethodTableView, World};
use kiln_ir::Instance;
use std::sync::Arc;

/// The options of a compilation.
///
/// The inputs of inference come first: they determine the owner, so jobs with equal inputs share inference. All
/// options together determine the key of results.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ConfigOptions {
    /// The method tables, the front one first.
    pub method_tables: MethodTableView,
    /// Further inputs of inference: its parameters, facts of the target that constants depend on.
    pub inference: StableBytes,
    /// Every callee is inlined, whatever the cost.
    pub always_inline: bool,
    /// The target: the processor, its features, versions of formats.
    pub target: StableBytes,
    /// The back end's parameters: limits of launches, flags of tools.
    pub params: StableBytes,
    /// The entry is a kernel, not a function to be called.
    pub kernel: bool,
    /// The name of its entry; `None`: by a rule of the back end.
    pub name: Option<Box<str>>,
    /// From 0 (only the required passes) to 3 (all).
    pub opt_level: u8,
    /// 0: no debug information, 1: lines, 2: full.
    pub debug_level: u8,
}

impl Default for ConfigOptions {
    fn default() -> Self {
        Self {
            method_tables: MethodTableView::stacked(&[]),
            inference: StableBytes::default(),
            always_inline: false,
            target: StableBytes::default(),
            params: StableBytes::default(),
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
    /// Returns the key of a value that identifies results, for compilers without configurations.
    pub fn from_stable<T: Stable + ?Sized>(value: &T) -> Self {
        Self(StableWriter::default().value(value).hash("kiln results"))
    }
}

/// A configuration: options with their owner and key, computed once, so that a look-up hashes nothing.
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
        let key = ConfigKey::from_stable(&(owner, target, params, code));
        Self { options, owner, key }
    }

    /// Returns the options.
    pub fn options(&self) -> &ConfigOptions {
        &self.options
    }
    /// Returns the owner of its inference: a hash of the inputs of inference alone.
    pub fn owner(&self) -> CacheOwner {
        self.owner
    }
    /// Returns the key of its results: a hash of everything.
    pub fn key(&self) -> ConfigKey {
        self.key
    }
}

/// A method instance with the configuration and the world to compile it in.
#[derive(Clone, Debug)]
pub struct CompilerJob {
    /// The instance to compile.
    pub source: Instance,
    /// The configuration.
    pub config: Arc<CompilerConfig>,
    /// The world whose definitions the code sees.
    pub world: World,
}

impl CompilerJob {
    /// Returns the job's view of the code tables.
    pub fn view<'a>(&self, tables: &'a CodeTables) -> CacheView<'a> {
        let view = self.config.options.method_tables.clone();
        CacheView::with_view(tables, self.config.owner, view, self.world)
    }
}

impl CodeTables {
    /// Returns the owner of inference results for `view`. `inference` holds every other input of inference, except
    /// the world; see [`ConfigOptions`].
    pub fn inference_owner(
        &self,
        view: &MethodTableView,
        inference: &StableBytes,
        always_inline: bool,
    ) -> CacheOwner {
        self.methods.owner(view, &(inference, always_inline))
    }

    /// Returns the back end's results for a job: `None` until the job has been inferred, then the same object each
    /// time, empty at first, until a dependency is redefined. A look-up only: it infers and compiles nothing, and
    /// allocates nothing once the object exists. Each type of results has an object of its own.
    pub fn cached_results<R: Results>(&self, job: &CompilerJob) -> Option<Arc<R>> {
        let ci = self.code_instance(job.source, job.config.owner, job.world)?;
        Some(ci.job_results.get(&ci, job.config.key, job.world))
    }

    /// [`CacheView::set_dependencies`] for a result of `job`.
    pub fn set_dependencies<R: Results>(
        &self,
        job: &CompilerJob,
        result: &Arc<R>,
        parts: &[Arc<CodeInstance>],
    ) {
        job.view(self).set_dependencies(job.source, result, parts);
    }
}

impl CodeInstance {
    /// Returns the stored results that hold in `world` and may leave the process, for an image.
    pub fn portable_results(&self, world: World) -> Vec<PortableResult> {
        self.job_results.portable(self, world)
    }

    /// Restores the output of [`CodeInstance::portable_results`] of another process for the same code. The results
    /// hold while this instance holds as it does in `world`; handles are created anew.
    pub fn restore_results(&self, results: Vec<PortableResult>, world: World) {
        self.job_results.restore(results, world);
    }
}
