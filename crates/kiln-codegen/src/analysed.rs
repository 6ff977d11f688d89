//! The divergence analysis of a kept module.

use crate::error::EmitError;
use crate::generator::Generator;
use crate::kernel::ENTRY;
use crate::llvm::Module;
use crate::target::Job;
use kiln_targets::TargetFacts;
use kiln_unit::{AnalysedLoop, DeviceOptions, DivergenceRequest};

/// Analyses the item loops of a module, after the passes that run before code generation does.
pub(crate) fn analysed(
    generator: &Generator,
    request: &DivergenceRequest,
) -> Result<Vec<AnalysedLoop>, EmitError> {
    let facts = TargetFacts::from_bytes(&request.target)?;
    let options = DeviceOptions { opt_level: request.opt_level, ..DeviceOptions::default() };
    let vector_bits = request.vector_bits;
    let job = Job {
        facts: &facts,
        options: &options,
        entry: ENTRY,
        is_kernel: true,
        is_host: false,
        vector_bits,
        is_sized: false,
    };
    let machine = generator.lookup(&facts)?.machine(&job)?;
    let module = Module::read(&request.bitcode)?;
    if request.by_hand {
        module.describe(&machine);
    } else {
        machine.run_passes(&module, &crate::passes::unit(request.opt_level))?;
    }
    crate::vector::loops(&module, &machine, vector_bits, request.by_hand)
}
