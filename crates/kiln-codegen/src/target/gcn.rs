//! Code objects for AMD GPUs. The output is a relocatable object, which `kiln_link` makes loadable.

use super::{Job, Target};
use crate::error::{EmitError, EmitErrorKind};
use crate::items::DeviceItems;
use crate::llvm::{Architecture, Convention, FileKind, Function, Machine, MachineSpec, Module};
use crate::passes::Device;
use kiln_targets::TargetFacts;
use kiln_unit::DeviceOptions;

/// AMD GPUs.
pub(super) struct Gcn;

/// The default group size that LLVM assumes.
const ITEMS_MAX: u32 = 1024;

/// The default version of code objects.
const CODE_OBJECT: u32 = 6;

/// Returns the number of a processor as the vendor's library encodes it: 90a (the last two digits are hexadecimal) is
/// 9010.
fn isa_version(cpu: &str) -> u64 {
    let digits = cpu.strip_prefix("gfx").unwrap_or_default();
    if digits.len() < 3 {
        return 0;
    }
    let (major, minor) = digits.split_at(digits.len() - 2);
    let minor: Vec<u64> = minor.chars().filter_map(|it| it.to_digit(16)).map(u64::from).collect();
    let major: u64 = major.parse().unwrap_or(0);
    major * 1000 + minor.first().unwrap_or(&0) * 100 + minor.get(1).unwrap_or(&0)
}

/// Whether wavefronts have 64 items by default.
fn is_wide(cpu: &str) -> bool {
    isa_version(cpu) < 10_000
}

/// The variables that the vendor's libraries read.
const LIBRARY_NUMBERS: [&str; 7] = [
    "__oclc_ISA_version",
    "__oclc_wavefrontsize64",
    "__oclc_finite_only_opt",
    "__oclc_unsafe_math_opt",
    "__oclc_daz_opt",
    "__oclc_correctly_rounded_sqrt32",
    "__oclc_ABI_version",
];

/// Returns the values of [`LIBRARY_NUMBERS`], in order.
fn library_numbers(job: &Job<'_>) -> [u64; 7] {
    let cpu = &job.facts.cpu;
    let fast = u64::from(job.options.fastmath);
    let abi = u64::from(job.options.code_object.unwrap_or(CODE_OBJECT)) * 100;
    [isa_version(cpu), is_wide(cpu).into(), fast, fast, fast, 1 - fast, abi]
}

fn bound(job: &Job<'_>, module: &Module, entry: Function) {
    let product = |it: [u32; 3]| it.iter().fold(1_u32, |product, it| product.saturating_mul(*it));
    let exact = job.options.items.map(product);
    let bound = job.facts.limits.group_items.unwrap_or(ITEMS_MAX);
    let most = exact.or(job.options.items_max.map(product)).unwrap_or(bound);
    module.set_attribute_text(
        entry,
        "amdgpu-flat-work-group-size",
        &format!("{},{}", exact.unwrap_or(1), most.clamp(1, bound)),
    );
    if let Some(items) = job.options.items {
        module.set_numbers(entry, "reqd_work_group_size", &items);
    }
    if let Some(registers) = job.options.registers_max {
        module.set_attribute_text(entry, "amdgpu-num-vgpr", &registers.to_string());
    }
    module.set_attribute_text(entry, "uniform-work-group-size", "true");
}

impl Target for Gcn {
    fn backend(&self) -> &'static str {
        "gcn"
    }

    fn items(&self) -> &'static dyn DeviceItems {
        &crate::items::gcn::Gcn
    }

    fn machine(&self, job: &Job<'_>) -> Result<Machine, EmitError> {
        kiln_targets::check_options(job.facts, job.options)?;
        let TargetFacts { triple, cpu, features, .. } = job.facts;
        let opt_level = job.options.opt_level;
        Machine::new(&MachineSpec { architecture: Architecture::Amdgpu, triple, cpu, features, opt_level })
    }

    fn probe_options(&self) -> Option<DeviceOptions> {
        Some(DeviceOptions::default())
    }

    fn is_provided(&self, symbol: &str) -> bool {
        LIBRARY_NUMBERS.contains(&symbol)
    }

    fn prepare(&self, job: &Job<'_>, _: &Machine, module: &Module) -> Result<(), EmitError> {
        let entry = module.defined(job.entry).ok_or(EmitErrorKind::NoEntry)?;
        let version = job.options.code_object.unwrap_or(CODE_OBJECT);
        module.set_flag("amdhsa_code_object_version", version * 100);
        if job.is_kernel {
            module.set_convention(entry, Convention::AmdgpuKernel);
            module.set_protected(entry);
            bound(job, module, entry);
        }
        if job.options.fastmath {
            module.relax_floats();
            module.set_attribute_text_of_all("denormal-fp-math-f32", "preserve-sign,preserve-sign");
        }
        let numbers = LIBRARY_NUMBERS.into_iter().zip(library_numbers(job));
        module.define_numbers(&numbers.collect::<Vec<_>>());
        Ok(())
    }

    fn legalize(&self, job: &Job<'_>, machine: &Machine, module: &Module) -> Result<(), EmitError> {
        let device = Device { space_inference: true, last: &["amdgpu-attributor"] };
        machine.run_passes(module, &crate::passes::device(job.options.opt_level, &device))
    }

    fn emit(
        &self,
        _: &Job<'_>,
        machine: &Machine,
        module: &Module,
        kind: FileKind,
    ) -> Result<Vec<u8>, EmitError> {
        machine.file(module, kind)
    }
}
