//! A code generator for kiln with a target that kiln does not have: processors of the RISC-V family.
//!
//! `kiln` opens this library in the place of its own (`KILN_CODEGEN`), calls [`kiln_codegen_setup`], and asks what it has.
//! Everything else is in `kiln-codegen`, whose C functions this library exports, too; so it makes code for all of kiln's
//! targets as before.

use kiln_codegen::{Architecture, EmitError, FileKind, Generator, Job, Machine, MachineSpec, Module, Target};
use kiln_targets::{AddressSpaces, Backend, Items, LineForm, References, TargetFacts};
use llvm_sys::target::*;
use std::sync::Once;

/// The name of the target.
const NAME: &str = "riscv64";

/// Objects for 64-bit processors of the RISC-V family, such as those that accelerators are made of. An entry is a
/// function of C, in `.text`.
struct RiscV;

impl Target for RiscV {
    fn takes(&self, facts: &TargetFacts) -> bool {
        facts.name == NAME
    }

    fn offers(&self) -> Vec<TargetFacts> {
        vec![TargetFacts {
            name: NAME.into(),
            backend: Backend::Other,
            triple: "riscv64-unknown-elf".into(),
            cpu: "generic-rv64".into(),
            features: "+m,+a,+f,+d,+c".into(),
            pointer_bytes: 8,
            have_fma: true,
            can_throw: false,
            preferred_group_items: 1,
            have_int128: false,
            have_float16: false,
            have_bfloat16: false,
            have_float32: true,
            have_float64: true,
            items: Items::None,
            spaces: AddressSpaces::FLAT,
            lines: LineForm::Directives,
            // Whose number a symbol is, the loader says: see `polynomial.jl`.
            references: References::Table,
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

/// `kiln` calls this once for an instance of the code generator, before it asks it for anything.
#[unsafe(no_mangle)]
pub extern "C" fn kiln_codegen_setup(generator: &mut Generator) {
    generator.register(&RiscV);
}
