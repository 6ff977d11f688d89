//! Objects for 64-bit processors of the RISC-V family, such as those that accelerators are made of. An entry is a function of
//! C, in `.text`.

use kiln_codegen::{Architecture, EmitError, FileKind, Job, Machine, MachineSpec, Module, Target};
use kiln_targets::{Backend, LineForm, References, TargetFacts};
use llvm_sys::target::*;
use std::sync::Once;

/// The name of the target, and of its back end.
const NAME: &str = "riscv64";

/// The family.
pub struct RiscV;

impl Target for RiscV {
    fn backend(&self) -> &'static str {
        NAME
    }

    fn offers(&self) -> Vec<TargetFacts> {
        vec![TargetFacts {
            triple: "riscv64-unknown-elf".into(),
            cpu: "generic-rv64".into(),
            features: "+m,+a,+f,+d,+c".into(),
            have_fma: true,
            have_float32: true,
            have_float64: true,
            lines: LineForm::Directives,
            // Whose number a symbol is, the loader says: see `polynomial.jl`.
            references: References::Table,
            intrinsics: vec!["riscv".into()],
            ..TargetFacts::new(NAME, Backend::new(NAME))
        }]
    }

    fn machine(&self, job: &Job<'_>) -> Result<Machine, EmitError> {
        make_known();
        let TargetFacts { triple, cpu, features, .. } = job.facts;
        let opt_level = job.options.opt_level;
        Machine::new(&MachineSpec { architecture: Architecture::Other, triple, cpu, features, opt_level })
    }

    fn prepare(&self, _: &Job<'_>, _: &Machine, _: &Module) -> Result<(), EmitError> {
        Ok(())
    }

    fn legalize(&self, job: &Job<'_>, machine: &Machine, module: &Module) -> Result<(), EmitError> {
        machine.run_passes(module, &format!("default<O{}>", job.options.opt_level.min(3)))
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

/// Makes LLVM know the family.
fn make_known() {
    static KNOWN: Once = Once::new();
    // SAFETY: once, before anything else asks for it.
    KNOWN.call_once(|| unsafe {
        LLVMInitializeRISCVTargetInfo();
        LLVMInitializeRISCVTarget();
        LLVMInitializeRISCVTargetMC();
        LLVMInitializeRISCVAsmPrinter();
    });
}
