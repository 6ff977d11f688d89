//! A compiled kernel, and what is needed to understand its failures.

use kiln_ir::IrCode;
use kiln_launch::CpuKernel;
use kiln_types::Symbol;
use kiln_unit::LinkInfo;

/// A kernel that can be launched.
#[derive(Debug)]
pub(crate) struct Kernel {
    /// The name of the function.
    pub(crate) name: Symbol,
    pub(crate) entry: CpuKernel,
    pub(crate) link: LinkInfo,
    /// The functions of its unit by ordinal, with the bodies that codegen was given.
    pub(crate) functions: Vec<UnitFunction>,
}

/// One function of a unit.
#[derive(Debug)]
pub(crate) struct UnitFunction {
    pub(crate) code: IrCode,
}
