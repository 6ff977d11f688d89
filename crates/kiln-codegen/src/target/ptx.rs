//! PTX, for NVIDIA GPUs.

use super::{Job, Target};
use crate::error::{EmitError, EmitErrorKind};
use crate::items::DeviceItems;
use crate::llvm::{Architecture, Convention, FileKind, Function, Machine, MachineSpec, Module};
use crate::passes::Device;
use kiln_targets::TargetFacts;
use kiln_unit::DeviceOptions;

/// NVIDIA GPUs.
pub(super) struct Ptx;

/// The functions that the driver defines, beside the device runtime (`cuda...`).
const PROVIDED: [&str; 4] = ["vprintf", "malloc", "free", "__assertfail"];

/// Returns LLVM's features: the device's, and the requested version.
fn features(job: &Job<'_>) -> Result<String, EmitError> {
    kiln_targets::check_options(job.facts, job.options)?;
    let language = job.options.language.unwrap_or(kiln_targets::ptx_needed(job.facts));
    let others = job.facts.features.split(',').filter(|it| !it.is_empty() && !it.starts_with("+ptx"));
    Ok(others.map(str::to_owned).chain([format!("+ptx{language}")]).collect::<Vec<_>>().join(","))
}

/// Returns the number of a processor, in tenths of a version.
fn processor(facts: &TargetFacts) -> u64 {
    let digits = facts.cpu.trim_start_matches("sm_").trim_end_matches(['a', 'f']);
    digits.parse().unwrap_or(0)
}

/// Sets the bounds of items and groups. (LLVM drops `nvvm.annotations`, which held them before, when it reads a
/// module.)
fn bound(job: &Job<'_>, module: &Module, entry: Function) {
    // ptxas takes the exact number of threads of a block or the maximum, not both.
    let most = job.options.items_max.filter(|_| job.options.items.is_none());
    for (key, sizes) in [("nvvm.reqntid", job.options.items), ("nvvm.maxntid", most)] {
        if let Some(sizes) = sizes {
            module.set_attribute_text(entry, key, &sizes.map(|it| it.to_string()).join(","));
        }
    }
    let (groups, registers) = (job.options.groups_min, job.options.registers_max);
    for (key, number) in [("nvvm.minctasm", groups), ("nvvm.maxnreg", registers)] {
        if let Some(number) = number {
            module.set_attribute_text(entry, key, &number.to_string());
        }
    }
}

impl Target for Ptx {
    fn backend(&self) -> &'static str {
        "ptx"
    }

    fn items(&self) -> &'static dyn DeviceItems {
        &crate::items::ptx::Ptx
    }

    fn machine(&self, job: &Job<'_>) -> Result<Machine, EmitError> {
        Machine::new(&MachineSpec {
            architecture: Architecture::Nvptx,
            triple: &job.facts.triple,
            cpu: &job.facts.cpu,
            features: &features(job)?,
            opt_level: job.options.opt_level,
        })
    }

    fn probe_options(&self) -> Option<DeviceOptions> {
        Some(DeviceOptions { language: Some(kiln_targets::ptx_newest()), ..DeviceOptions::default() })
    }

    fn is_provided(&self, symbol: &str) -> bool {
        PROVIDED.contains(&symbol) || symbol == "__nvvm_reflect" || symbol.starts_with("cuda")
    }

    fn prepare(&self, job: &Job<'_>, machine: &Machine, module: &Module) -> Result<(), EmitError> {
        let entry = module.defined(job.entry).ok_or(EmitErrorKind::NoEntry)?;
        if job.is_kernel {
            module.set_convention(entry, Convention::PtxKernel);
            bound(job, module, entry);
        }
        module.set_flag("nvvm-reflect-ftz", job.options.fastmath.into());
        if job.options.fastmath {
            module.relax_floats();
            module.set_attribute_text_of_all("denormal-fp-math-f32", "preserve-sign,preserve-sign");
        }
        // Libraries query the device at every level.
        module.answer_reflection(&[
            ("__CUDA_ARCH", processor(job.facts) * 10),
            ("__CUDA_FTZ", job.options.fastmath.into()),
        ]);
        machine.run_passes(module, "function(instsimplify,simplifycfg),globaldce")
    }

    fn legalize(&self, job: &Job<'_>, machine: &Machine, module: &Module) -> Result<(), EmitError> {
        let device = Device { space_inference: true, ..Device::default() };
        let passes = crate::passes::device_parts(job.options.opt_level, &device);
        machine.run_passes(module, &passes.simplify)?;
        if !passes.unroll.is_empty() {
            crate::llvm::hint_small_loops(module);
            machine.run_passes(module, &passes.unroll)?;
        }
        module.approximate_doubles();
        crate::llvm::narrow_matrix_addresses(module);
        if job.options.opt_level > 0 {
            let clean = "function(instcombine<no-verify-fixpoint>,early-cse,simplifycfg),globaldce";
            machine.run_passes(module, clean)?;
        }
        crate::llvm::order_exchanges_by_fences(module);
        module.narrow_conversions_of_half();
        module.expand_wide_conversions();
        Ok(())
    }

    fn emit(
        &self,
        _: &Job<'_>,
        machine: &Machine,
        module: &Module,
        _: FileKind,
    ) -> Result<Vec<u8>, EmitError> {
        let mut text = machine.file(module, FileKind::Assembly)?;
        let end = text.iter().rposition(|it| !it.is_ascii_whitespace() && *it != 0).map_or(0, |it| it + 1);
        text.truncate(end);
        text.push(b'\n');
        Ok(text)
    }
}
