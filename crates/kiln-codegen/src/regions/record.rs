//! The record of a group whose items agree: memory of the entry, which becomes registers.
//!
//! It may not until the loops over items are vectors: values that go from item to item would stand where stores to one place
//! stood. So its address comes from a function without a body until then.

use crate::kernel::Entry;
use crate::llvm::{Module, Val};

/// Returns the address that it takes.
const RECORD: &str = "kiln.record";

/// Returns the address of memory of the entry for a record of so many bytes.
pub(super) fn own_record(entry: &Entry<'_, '_>, bytes: u32) -> Val {
    let module = entry.module();
    let memory = module.alloca_in(entry.function, module.array(module.int(8), bytes.into()), 16);
    let pure = ["memory", "nounwind", "willreturn"];
    let address = module.declared(RECORD, module.ptr(), &[module.ptr()], &pure);
    module.call(address, &[memory])
}

/// Makes the memory of records known; returns whether there is any.
pub(crate) fn define_records(module: &Module) -> bool {
    let declared = module.declarations(RECORD);
    for function in &declared {
        module.set_internal(*function);
        module.set_attribute(*function, "alwaysinline");
        module.at_end(module.block(*function));
        module.ret(Some(module.param(*function, 0)));
    }
    !declared.is_empty()
}
