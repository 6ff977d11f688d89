//! The statements that call the launcher in checked kernels: see `checked`.

use kiln_ir::{Builtin, HostFunction, Intrinsic as I, Op, StmtData};
use kiln_targets::TargetFacts;
use kiln_unit::{Checks, CodegenRequest};

/// Bytes before and behind a block of shared or private memory that belong to nothing: a multiple of all alignments.
pub(crate) const RED_ZONE: u64 = 64;

/// Returns the checks that the functions of a request are emitted with.
pub(crate) fn checks(request: &CodegenRequest, facts: &TargetFacts) -> Checks {
    let loops = facts.items == kiln_targets::Items::Loops;
    let checks = request.options.checks;
    if request.in_kernel && loops && !request.options.screens { checks } else { Checks::NONE }
}

/// Whether the functions of a request are screened: see `screen`.
pub(crate) fn screens(request: &CodegenRequest, facts: &TargetFacts) -> bool {
    let loops = facts.items == kiln_targets::Items::Loops;
    request.in_kernel && loops && request.options.screens
}

/// Whether a statement may call the launcher, so that it has a site.
pub(crate) fn has_site(data: &StmtData) -> bool {
    let of_intrinsic = |it: I| {
        let declares =
            matches!(it, I::SharedMemory | I::DynamicSharedMemory | I::PrivateMemory | I::DeclareConstant);
        it.accesses_memory() || declares || it == I::Barrier
    };
    matches!(&data.op, Op::Intrinsic(it, _) if of_intrinsic(*it))
        || matches!(&data.op, Op::Builtin(Builtin::Memoryrefget | Builtin::Memoryrefset, _))
        || matches!(&data.op, Op::Host(HostFunction::GenericmemoryCopyto, _))
}
