//! SPIR-V for OpenCL drivers.

use super::{Job, Target};
use crate::error::{EmitError, EmitErrorKind};
use crate::items::DeviceItems;
use crate::llvm::{
    Architecture, Convention, FileKind, Machine, MachineSpec, Module, emit_spirv, make_spirv_machine,
};
use crate::passes::Device;
use crate::{driver_bounds, driver_forms};
use kiln_targets::TargetFacts;

/// OpenCL drivers.
pub(super) struct Spirv;

/// The sub-group size of kernels that query their lane: a warp. Drivers refuse sizes that the device lacks.
const WARP: u32 = 32;
/// The function of the group barrier.
const GROUP_BARRIER: &str = "_Z7barrierj";

/// Whether a symbol is an OpenCL function, by its mangled name, or a SPIR-V operation.
fn is_builtin(symbol: &str) -> bool {
    symbol.starts_with("_Z") || symbol.starts_with("__spirv_") || symbol == "printf"
}

/// Whether a kernel that calls these functions queries its lane, or waits for its sub-group.
fn uses_lanes(called: &[String]) -> bool {
    const NAMES: [&str; 3] = ["get_sub_group_local_id", "__spirv_ControlBarrier", "sub_group_ballot"];
    called.iter().any(|it| NAMES.iter().any(|name| it.contains(name)))
}

/// Gives optimized code the forms that drivers know.
fn suit_drivers(job: &Job<'_>, module: &Module) {
    driver_forms::compare_for_least(module);
    driver_bounds::compare_indices(module);
    let called = module.undefined();
    let has_barrier = called.iter().any(|it| it == GROUP_BARRIER);
    if has_barrier {
        driver_forms::put_counters_in_memory(module);
    }
    let Some(entry) = module.defined(job.entry).filter(|_| job.is_kernel) else { return };
    if has_barrier && !uses_lanes(&called) && driver_forms::fails_among_atomics(module, entry) {
        module.set_vector_hint(entry);
    }
    driver_forms::loop_failures(module, entry);
}

impl Target for Spirv {
    fn backend(&self) -> &'static str {
        "spirv"
    }

    fn items(&self) -> &'static dyn DeviceItems {
        &crate::items::spirv::Spirv
    }

    fn machine(&self, job: &Job<'_>) -> Result<Machine, EmitError> {
        // kiln's features are LLVM's extensions.
        let TargetFacts { triple, cpu, features, .. } = job.facts;
        let options = job.options;
        kiln_targets::check_options(job.facts, options)?; // LLVM ends the process for what it does not know
        let architecture = Architecture::Spirv;
        let spec = MachineSpec { architecture, triple, cpu, features: "", opt_level: options.opt_level };
        let comma = if options.extensions.is_empty() || features.is_empty() { "" } else { "," };
        make_spirv_machine(&spec, &format!("{}{comma}{features}", options.extensions))
    }

    fn is_provided(&self, symbol: &str) -> bool {
        is_builtin(symbol)
    }

    fn prepare(&self, job: &Job<'_>, _: &Machine, module: &Module) -> Result<(), EmitError> {
        let entry = module.defined(job.entry).ok_or(EmitErrorKind::NoEntry)?;
        module.strip_lines(); // drivers refuse the language
        module.set_all_conventions(Convention::SpirFunction);
        module.inline_what_packs_pointers(entry);
        if job.is_kernel {
            module.set_convention(entry, Convention::SpirKernel);
            module.inline_what_stops(entry);
            if let Some(items) = job.options.items {
                module.set_numbers(entry, "reqd_work_group_size", &items);
            }
            if uses_lanes(&module.undefined()) {
                module.set_numbers(entry, "intel_reqd_sub_group_size", &[WARP]);
            }
        }
        if job.options.fastmath {
            module.relax_floats();
        }
        module.add_numbers("opencl.spirv.version", &[1, 5]);
        Ok(())
    }

    fn legalize(&self, job: &Job<'_>, machine: &Machine, module: &Module) -> Result<(), EmitError> {
        let device = Device { space_inference: true, ..Device::default() };
        machine.run_passes(module, &crate::passes::device(job.options.opt_level, &device))?;
        module.return_where_it_stops();
        module.thaw();
        let merged = module.merge_by_memory();
        if module.extract_by_memory() || merged {
            machine.run_passes(module, "function(sroa)")?;
        }
        module.split_wide_allocations(machine);
        suit_drivers(job, module);
        machine.run_passes(module, "globaldce,strip-dead-prototypes") // nothing that finds new places to stop at
    }

    fn emit(
        &self,
        _: &Job<'_>,
        machine: &Machine,
        module: &Module,
        kind: FileKind,
    ) -> Result<Vec<u8>, EmitError> {
        emit_spirv(machine, module, kind)
    }
}
