//! Configurations: how kernels are compiled, each known by a number that launches name.
//!
//! [`KernelOptions`] is all that can be said of a kernel but its tables. What inference can see of it makes the owner of
//! typed code, what code generation can see makes the `UnitTarget` of units, and all of it makes the key of results:
//! the [`CompilerConfig`] that back ends of others are given as well.
//!
//! # Invariants
//! * What is said once is found without allocating, without a lock, and without hashing: launches through the
//!   interpreter look their options up each time.
//! * Options are taken apart field by field, so that one that is added does not compile until it says here who sees it.

use crate::launch_table::{ConfigId, DeviceId};
use kiln_bytes::Writer;
use kiln_compile::{Compiler, CompilerOptions, TargetError, View, libraries::seen_tables, target};
use kiln_infer::InferenceParams;
use kiln_ir::CheckBounds;
use kiln_runtime::caching::{CompilerConfig, ConfigOptions, StableBytes};
use kiln_runtime::heap::tuples;
use kiln_runtime::interp::define;
use kiln_runtime::tables::{MethodTableView, TableId};
use kiln_runtime::{Runtime, Value};
use kiln_targets::TargetFacts;
use kiln_types::{Module, Symbol};
use kiln_unit::DeviceOptions;
use parking_lot::Mutex;
use std::sync::Arc;

/// How a kernel is compiled, and what messages call it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelConfig {
    /// The overlay tables that are named for the kernel, the front one first. Those of its target are behind them.
    pub method_tables: Vec<TableId>,
    /// Everything else.
    pub options: KernelOptions,
}

/// How a kernel is compiled, its method tables aside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelOptions {
    /// The name in messages, and the stem of a device's entry; `None`: the name of its function.
    pub name: Option<Symbol>,
    /// The target, as [`kiln_compile::target`] knows it; `None`: the session's.
    pub target: Option<Symbol>,
    /// Every call is replaced by the body of what it calls, whatever that costs.
    pub always_inline: bool,
    /// 0: no lines are kept, 1: lines, 2: all there is.
    pub debug_level: u8,
    /// Bytes that a launch has for the objects its items make, if they make any that outlive the function they are made in.
    pub heap_bytes: u32,
    /// The options of linking a kernel for a device. Of these the CPU uses the level of optimization only; it has no lines at
    /// debug level 0.
    pub device: DeviceOptions,
}

/// [`KernelOptions::heap_bytes`], unless a launch says otherwise: what CUDA has for `malloc` in kernels.
const HEAP_BYTES: u32 = 8 << 20;

impl Default for KernelOptions {
    fn default() -> Self {
        Self {
            name: None,
            target: None,
            always_inline: false,
            debug_level: 1,
            heap_bytes: HEAP_BYTES,
            device: DeviceOptions { lines: true, ..DeviceOptions::default() },
        }
    }
}

impl KernelOptions {
    /// Returns the options of linking a kernel for a device: the part that neither inference nor any unit sees.
    pub fn device_options(&self) -> DeviceOptions {
        DeviceOptions { lines: self.device.lines && self.debug_level >= 1, ..self.device.clone() }
    }
}

/// A configuration, and what follows from it.
#[derive(Debug)]
struct Configured {
    config: KernelConfig,
    compiler: Arc<CompilerConfig>,
    /// The view of its kernels, the world aside.
    view: View,
    /// The configurations that take its place on the devices that asked for it.
    on_devices: boxcar::Vec<(DeviceId, ConfigId)>,
}

/// The configurations of a session, by number.
#[derive(Debug, Default)]
pub struct Configs {
    all: boxcar::Vec<Configured>,
    adding: Mutex<()>,
}

impl Configs {
    /// Returns the number of a configuration. Allocates nothing if it has been asked for before.
    ///
    /// # Errors
    /// When there is no such target.
    pub fn intern(
        &self,
        rt: &Runtime,
        compiler: &Compiler,
        tables: &[TableId],
        options: &KernelOptions,
    ) -> Result<ConfigId, TargetError> {
        if let Some(known) = self.find(tables, options) {
            return Ok(known);
        }
        let Some(name) = options.target else {
            return Ok(self.add(rt, compiler, tables, options, &compiler.options.facts));
        };
        let facts = target(compiler, rt.types.name(name))?;
        Ok(self.add(rt, compiler, tables, options, &facts))
    }

    /// Returns the number of the configuration of kernels that see these overlay tables and of which nothing else is said.
    pub fn plain(&self, rt: &Runtime, compiler: &Compiler, tables: &[TableId]) -> ConfigId {
        let options = KernelOptions::default();
        self.find(tables, &options)
            .unwrap_or_else(|| self.add(rt, compiler, tables, &options, &compiler.options.facts))
    }

    fn find(&self, tables: &[TableId], options: &KernelOptions) -> Option<ConfigId> {
        let same = |it: &KernelConfig| it.method_tables == tables && it.options == *options;
        self.all.iter().find(|it| same(&it.1.config)).map(|it| ConfigId(it.0 as u32))
    }

    fn add(
        &self,
        rt: &Runtime,
        compiler: &Compiler,
        tables: &[TableId],
        options: &KernelOptions,
        facts: &TargetFacts,
    ) -> ConfigId {
        let _alone = self.adding.lock();
        if let Some(known) = self.find(tables, options) {
            return known;
        }
        let seen = seen_tables((&compiler.options.libraries, compiler.options.checks), rt, tables, facts);
        let unit = compiler.targets.of_kernels(facts, options.device.opt_level, options.debug_level);
        let compiler_options = &compiler.options;
        let params = kernel_params(rt, compiler_options, facts);
        let config = config_options(rt, (&seen, &params), options, facts);
        let compiler = Arc::new(CompilerConfig::new(&rt.tables, config));
        let view = View {
            owner: compiler.owner(),
            tables: compiler.options().method_tables.clone(),
            world: rt.tables.world(),
            params,
            always_inline: options.always_inline,
            unit,
            device: Arc::new(options.device_options()),
            heap_bytes: options.heap_bytes,
        };
        let config = KernelConfig { method_tables: tables.to_vec(), options: options.clone() };
        ConfigId(self.all.push(Configured { config, compiler, view, on_devices: boxcar::Vec::new() }) as u32)
    }

    /// Returns the configuration of a number, if there is one.
    pub fn numbered(&self, number: u32) -> Option<ConfigId> {
        self.all.get(number as usize).map(|_| ConfigId(number))
    }

    /// Returns a configuration.
    pub fn get(&self, config: ConfigId) -> &KernelConfig {
        &self.all[config.0 as usize].config
    }

    /// Returns the configurations that were asked for, in order.
    pub fn iter(&self) -> impl Iterator<Item = &KernelConfig> {
        self.all.iter().map(|it| &it.1.config)
    }

    /// Returns a configuration as the caching interface has it: what its results are kept under.
    pub fn compiler_config(&self, config: ConfigId) -> &Arc<CompilerConfig> {
        &self.all[config.0 as usize].compiler
    }

    /// Returns the target that kernels of a configuration are compiled for.
    pub fn target(&self, config: ConfigId) -> &TargetFacts {
        &self.all[config.0 as usize].view.unit.facts
    }

    /// Returns the view of kernels of a configuration, in the world of the code that asks for them.
    pub fn view(&self, rt: &Runtime, config: ConfigId) -> View {
        View { world: rt.current_world(), ..self.all[config.0 as usize].view.clone() }
    }

    /// Returns the views of the kernels asked for so far in the newest world, one view an owner of typed code, those that were
    /// asked for first at the front.
    pub fn known_views(&self, rt: &Runtime) -> Vec<View> {
        let mut views: Vec<View> = Vec::new();
        for (number, it) in self.all.iter() {
            if views.iter().all(|known| known.owner != it.view.owner) {
                views.push(self.view(rt, ConfigId(number as u32)));
            }
        }
        views
    }

    /// Returns the configurations that take the place of one on devices, each with its device.
    pub(crate) fn on_devices(&self, config: ConfigId) -> &boxcar::Vec<(DeviceId, ConfigId)> {
        &self.all[config.0 as usize].on_devices
    }
}

/// Returns how kernels are compiled that see these overlay tables, the front one first: where a back end begins, to change what
/// it does otherwise.
pub fn kernel_options(rt: &Runtime, compiler: &Compiler, overlays: &[TableId]) -> ConfigOptions {
    let facts = &compiler.options.facts;
    let seen = seen_tables((&compiler.options.libraries, compiler.options.checks), rt, overlays, facts);
    let params = kernel_params(rt, &compiler.options, facts);
    config_options(rt, (&seen, &params), &KernelOptions::default(), facts)
}

/// Returns the overlay tables that launches of the dialects name which `Main` uses. Those for a target are added where a job is
/// configured.
pub fn dialect_tables(rt: &Runtime) -> Vec<TableId> {
    let device = rt.base_global("Device").and_then(|it| it.as_module(rt.types.core()));
    let Some(tables_of) = device.and_then(|it| rt.global(it, rt.types.symbol("tables_of"))) else {
        return Vec::new();
    };
    let main = Value::module(rt.heap.core(), Module::MAIN);
    let tables = rt.call_latest(tables_of, &[main]);
    let tables = tables.map(|it| tuples::values(&rt.heap, it)).unwrap_or_default();
    tables.into_iter().filter_map(|it| define::method_table(rt, it)).collect()
}

/// The parameters that kernels for a target are inferred with. The check of memory includes all checks of bounds.
pub fn kernel_params(rt: &Runtime, options: &CompilerOptions, facts: &TargetFacts) -> InferenceParams {
    InferenceParams {
        have_fma: facts.have_fma,
        in_kernel: true,
        check_bounds: if options.checks.memory { CheckBounds::Yes } else { rt.check_bounds },
        ..InferenceParams::default()
    }
}

fn config_options(
    rt: &Runtime,
    (tables, params): (&[TableId], &InferenceParams),
    options: &KernelOptions,
    facts: &TargetFacts,
) -> ConfigOptions {
    let mut device = Writer::new();
    options.device_options().write(&mut device);
    device.u32(options.heap_bytes);
    ConfigOptions {
        method_tables: MethodTableView::stacked(tables),
        inference: StableBytes::from_stable(params),
        always_inline: options.always_inline,
        target: StableBytes::from_stable(&facts.to_bytes()),
        params: StableBytes::from_stable(&device.finish()),
        kernel: true,
        name: options.name.map(|it| rt.types.name(it).into()),
        opt_level: options.device.opt_level,
        debug_level: options.debug_level,
    }
}
