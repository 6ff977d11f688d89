//! AIR, for Apple GPUs. The output is a module; kiln puts it into a Metal library.

use super::{Job, Target};
use crate::error::EmitError;
use crate::items::DeviceItems;
use crate::llvm::{Architecture, FileKind, Machine, MachineSpec, Module};
use crate::metal;

/// Apple GPUs.
pub(super) struct Metal;

/// The data layout of all modules.
const LAYOUT: &str = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-f32:32:32-f64:64:64-v16:16:16-v24:32:32-\
                      v32:32:32-v48:64:64-v64:64:64-v96:128:128-v128:128:128-v192:256:256-v256:256:256-v512:512:512-\
                      v1024:1024:1024-n8:16:32";

impl Target for Metal {
    fn backend(&self) -> &'static str {
        "metal"
    }

    fn items(&self) -> &'static dyn DeviceItems {
        &crate::items::metal::Metal
    }

    /// LLVM has no back end. Passes ask that for AMD GPUs: there too, pointers of address space 0 are generic, 1 is memory of the
    /// device, 3 that of a group, and items of a group may branch differently.
    fn machine(&self, job: &Job<'_>) -> Result<Machine, EmitError> {
        kiln_targets::check_options(job.facts, job.options)?;
        let similar = MachineSpec {
            architecture: Architecture::Amdgpu,
            triple: "amdgcn-amd-amdhsa",
            cpu: "gfx1100",
            features: "",
            opt_level: job.options.opt_level,
        };
        Machine::described_like(&job.facts.triple, LAYOUT, &similar)
    }

    fn is_provided(&self, symbol: &str) -> bool {
        symbol.starts_with(metal::FUNCTIONS) || symbol.starts_with(metal::INPUTS)
    }

    fn prepare(&self, job: &Job<'_>, _: &Machine, module: &Module) -> Result<(), EmitError> {
        metal::prepare(job, module)
    }

    fn legalize(&self, job: &Job<'_>, machine: &Machine, module: &Module) -> Result<(), EmitError> {
        metal::legalize(job, machine, module)
    }

    fn emit(
        &self,
        job: &Job<'_>,
        machine: &Machine,
        module: &Module,
        kind: FileKind,
    ) -> Result<Vec<u8>, EmitError> {
        metal::emit(job, machine, module, kind)
    }
}
