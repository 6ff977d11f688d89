//! The parts that a compiled kernel was linked of: for tests and tools.

use kiln_exec::{Executor, KernelHandle};
use kiln_ir::Instance;
use kiln_unit::Body;
use std::sync::Arc;

/// One unit of a kernel.
#[derive(Clone, Debug)]
pub struct LinkedUnit {
    /// The functions it defines, by ordinal.
    pub functions: Vec<Instance>,
    /// Its object and how that is linked. The same object as long as the unit is not made again.
    pub body: Arc<Body>,
}

/// The units of the kernel of this handle, the entry's first; `None` if there is no such kernel.
pub fn linked_units(exec: &Executor, handle: KernelHandle) -> Option<Vec<LinkedUnit>> {
    let kernel = exec.jobs.kernel(handle)?.best();
    let units = kernel.program.units().map(|it| LinkedUnit {
        functions: it.functions.iter().map(|it| it.instance).collect(),
        body: it.body.clone(),
    });
    Some(units.collect())
}
