//! The record of a group whose items agree: memory of the entry, which becomes registers.
//!
//! It must not become registers before the loops over items are vectors. A store of each item to one place would become a value that goes
//! from item to item, and such loops are not vectorized. So its address comes from a function without a body until then.

use crate::kernel::Entry;
use crate::llvm::{Module, Val};

/// The function without a body: it returns the address that it takes.
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
