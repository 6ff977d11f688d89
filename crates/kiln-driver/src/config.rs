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

use crate::kernel_host::Driver;
use crate::launch_table::{ConfigId, DeviceId};
use kiln_compile::{View, libraries::seen_tables};
use kiln_infer::InferenceParams;
use kiln_runtime::Runtime;
use kiln_runtime::caching::{CompilerConfig, ConfigOptions, Description};
use kiln_runtime::tables::{MethodTableView, TableId};
use kiln_targets::TargetFacts;
use kiln_types::Symbol;
use kiln_unit::DeviceOptions;
use kiln_unit::bytes::Writer;
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
    /// The target, as [`Driver::target`] knows it; `None`: the session's.
    pub target: Option<Symbol>,
    /// Every call is replaced by the body of what it calls, whatever that costs.
    pub always_inline: bool,
    /// 0: no lines are kept, 1: lines, 2: all there is.
    pub debug_level: u8,
    /// Bytes that a launch has for the objects its items make, if they make any that outlive the function they are made in.
    pub heap_bytes: u32,
    /// The options of composing a kernel for a device. Of these the CPU uses the level of optimization only; it has no lines at
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
    /// Returns the options of composing a kernel for a device: the part that neither inference nor any unit sees.
    pub fn device_options(&self) -> DeviceOptions {
        DeviceOptions { lines: self.device.lines && self.debug_level >= 1, ..self.device.clone() }
    }
}

/// A configuration of this session's.
#[derive(Debug)]
pub(crate) struct Configured {
    pub(crate) config: KernelConfig,
    compiler: Arc<CompilerConfig>,
    /// The view of its kernels, the world aside.
    view: View,
    /// The configurations that take its place on the devices that asked for it.
    pub(crate) on_devices: boxcar::Vec<(DeviceId, ConfigId)>,
}

impl Driver {
    /// The number of a configuration.
    ///
    /// # Errors
    /// When there is no such target.
    pub fn intern_config(&self, rt: &Runtime, config: &KernelConfig) -> Result<ConfigId, String> {
        self.configure(rt, &config.method_tables, &config.options)
    }

    /// The same of its parts. Allocates nothing if it has been asked for before.
    pub(crate) fn configure(
        &self,
        rt: &Runtime,
        tables: &[TableId],
        options: &KernelOptions,
    ) -> Result<ConfigId, String> {
        if let Some(known) = self.find_config(tables, options) {
            return Ok(known);
        }
        let Some(name) = options.target else {
            return Ok(self.add_config(rt, tables, options, self.facts()));
        };
        let name = rt.types.name(name);
        let facts = self.target(name)?;
        Ok(self.add_config(rt, tables, options, &facts))
    }

    fn find_config(&self, tables: &[TableId], options: &KernelOptions) -> Option<ConfigId> {
        let same = |it: &KernelConfig| it.method_tables == tables && it.options == *options;
        self.configs.iter().find(|it| same(&it.1.config)).map(|it| ConfigId(it.0 as u32))
    }

    fn add_config(
        &self,
        rt: &Runtime,
        tables: &[TableId],
        options: &KernelOptions,
        facts: &TargetFacts,
    ) -> ConfigId {
        let _alone = self.configuring.lock();
        if let Some(known) = self.find_config(tables, options) {
            return known;
        }
        let seen = seen_tables(&self.compiler.options.libraries, rt, tables, facts);
        let compiler = Arc::new(CompilerConfig::new(&rt.tables, config_options(rt, &seen, options, facts)));
        let view = View {
            owner: compiler.owner(),
            tables: compiler.options().method_tables.clone(),
            world: rt.tables.world(),
            params: kernel_params(rt, facts),
            always_inline: options.always_inline,
            unit: self.compiler.targets.of_kernels(facts, options.device.opt_level, options.debug_level),
            device: Arc::new(options.device_options()),
            heap_bytes: options.heap_bytes,
        };
        let config = KernelConfig { method_tables: tables.to_vec(), options: options.clone() };
        ConfigId(
            self.configs.push(Configured { config, compiler, view, on_devices: boxcar::Vec::new() }) as u32
        )
    }

    /// The number of the configuration of kernels that see these overlay tables and of which nothing else is said.
    pub(crate) fn plain_config(&self, rt: &Runtime, tables: &[TableId]) -> ConfigId {
        let options = KernelOptions::default();
        self.find_config(tables, &options)
            .unwrap_or_else(|| self.add_config(rt, tables, &options, self.facts()))
    }

    /// Returns a configuration.
    pub(crate) fn config(&self, config: ConfigId) -> &KernelConfig {
        &self.configs[config.0 as usize].config
    }

    /// The configurations that were asked for, in order.
    pub fn configs(&self) -> impl Iterator<Item = &KernelConfig> {
        self.configs.iter().map(|it| &it.1.config)
    }

    /// A configuration as the caching interface has it: what its results are kept under.
    pub fn compiler_config(&self, config: ConfigId) -> &Arc<CompilerConfig> {
        &self.configs[config.0 as usize].compiler
    }

    /// Returns the options of composing a kernel for a device.
    pub fn device_options(&self, config: ConfigId) -> &DeviceOptions {
        &self.configs[config.0 as usize].view.device
    }

    /// The view of kernels of a configuration, in the world of the code that asks for them.
    pub(crate) fn config_view(&self, rt: &Runtime, config: ConfigId) -> View {
        View { world: rt.current_world(), ..self.configs[config.0 as usize].view.clone() }
    }

    /// The same for kernels that see these overlay tables and of which nothing else is said.
    pub(crate) fn device_view(&self, rt: &Runtime, tables: &[TableId]) -> View {
        self.config_view(rt, self.plain_config(rt, tables))
    }

    /// Returns the views of the kernels asked for so far in the newest world, one view an owner of typed code, those that were
    /// asked for first at the front.
    pub(crate) fn known_views(&self, rt: &Runtime) -> Vec<View> {
        let mut views: Vec<View> = Vec::new();
        for (number, it) in self.configs.iter() {
            if views.iter().all(|known| known.owner != it.view.owner) {
                views.push(self.config_view(rt, ConfigId(number as u32)));
            }
        }
        views
    }

    /// How kernels are compiled that see these overlay tables, the front one first: where a back end begins, to change what
    /// it does otherwise.
    pub fn kernel_options(&self, rt: &Runtime, overlays: &[TableId]) -> ConfigOptions {
        let seen = seen_tables(&self.compiler.options.libraries, rt, overlays, self.facts());
        config_options(rt, &seen, &KernelOptions::default(), self.facts())
    }
}

/// The parameters that kernels for a target are inferred with.
pub(crate) fn kernel_params(rt: &Runtime, facts: &TargetFacts) -> InferenceParams {
    InferenceParams {
        have_fma: facts.have_fma,
        in_kernel: true,
        check_bounds: rt.check_bounds,
        ..InferenceParams::default()
    }
}

fn config_options(
    rt: &Runtime,
    tables: &[TableId],
    options: &KernelOptions,
    facts: &TargetFacts,
) -> ConfigOptions {
    let mut device = Writer::new();
    options.device_options().write(&mut device);
    device.u32(options.heap_bytes);
    ConfigOptions {
        method_tables: MethodTableView::stacked(tables),
        inference: Description::of(&kernel_params(rt, facts)),
        always_inline: options.always_inline,
        target: Description::of(&facts.to_bytes()),
        params: Description::of(&device.finish()),
        kernel: true,
        name: options.name.map(|it| rt.types.name(it).into()),
        opt_level: options.device.opt_level,
        debug_level: options.debug_level,
    }
}
