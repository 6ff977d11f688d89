//! A code generator for kiln with two targets that kiln does not have: processors of the RISC-V family, and a GPU that LLVM has
//! no back end for.
//!
//! `kiln` opens this library in the place of its own (`KILN_CODEGEN`), calls [`kiln_codegen_setup`], and asks what it has.
//! Everything else is in `kiln-codegen`, whose C functions this library exports, too; so it makes code for all of kiln's
//! targets as before.

use kiln_codegen::Generator;

mod lanes;
mod riscv;

/// `kiln` calls this once for an instance of the code generator, before it asks it for anything.
#[unsafe(no_mangle)]
pub extern "C" fn kiln_codegen_setup(generator: &mut Generator) {
    generator.register(&riscv::RiscV);
    generator.register(&lanes::Lanes);
}
