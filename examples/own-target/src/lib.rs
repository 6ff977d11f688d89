//! A code generator for kiln with two targets that kiln does not have: processors of the RISC-V family, and a GPU that LLVM has
//! no back end for.
//!
//! `kiln` opens this library in the place of its own (`KILN_CODEGEN`), calls [`kiln_codegen_setup`], and asks what it has.
//! Everything else is in `kiln-codegen`, whose C functions this library exports, too; so it makes code for all of kiln's
//! targets as before.

mod lanes;
mod riscv;

/// `kiln` calls this once, before anything else of this library.
#[unsafe(no_mangle)]
pub extern "C" fn kiln_codegen_setup() {
    kiln_codegen::register(&riscv::RiscV);
    kiln_codegen::register(&lanes::Lanes);
}
