//! Where code is now. A result that outlives an equal redefinition (record 13) is the same object, with the places of the
//! earlier text; what is shown of it is shown in the text that there is now, statement by statement.

use kiln_ir::{Instance, SourceLoc};
use kiln_runtime::Runtime;

/// The place in the newest text of what `instance` has at `loc`: `loc`, unless its method was defined again and reads the
/// same.
pub(crate) fn current_place(rt: &Runtime, instance: Instance, loc: SourceLoc) -> SourceLoc {
    let tables = &rt.tables;
    let now = tables.current_instance(instance, tables.world());
    let [old, new] = [instance, now].map(|it| tables.method(tables.instance_data(it).method));
    if old.id == new.id || loc.is_none() || old.code.stmts != new.code.stmts {
        return loc;
    }
    if loc == old.loc {
        return new.loc;
    }
    let at = old.code.locs.iter().position(|it| *it == loc);
    at.and_then(|it| new.code.locs.get(it)).copied().unwrap_or(loc)
}
