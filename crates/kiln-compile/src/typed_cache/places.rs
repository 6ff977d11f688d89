//! Places in kept code: those in the program's files are written relative to the method they are in, so that they are right
//! wherever the method is when the code is read.

use kiln_ir::{Instance, IrCode, SourceLoc};
use kiln_runtime::Runtime;

/// The file number that says that a place is relative. No file has it.
const RELATIVE: u16 = u16::MAX;

/// The code of `own` with every place changed by `change`, which is given the place of the method it is in; `None` for a
/// method of the library, whose places are the same in every session.
fn map(
    rt: &Runtime,
    own: Instance,
    code: &mut IrCode,
    change: &dyn Fn(SourceLoc, Option<SourceLoc>) -> SourceLoc,
) {
    let base = |instance: Instance| {
        let method = rt.tables.instance_data(instance).method;
        (!rt.tables.methods.is_frozen(method)).then(|| rt.tables.method(method).loc)
    };
    let mut scopes: Vec<Option<SourceLoc>> = code.inlined_at.iter().map(|it| base(it.callee)).collect();
    match scopes.first_mut() {
        Some(first) => *first = base(own),
        None => scopes.push(base(own)),
    }
    let scope = |at: u32| scopes.get(at as usize).copied().unwrap_or(scopes[0]);
    for it in &mut code.inlined_at {
        it.call = change(it.call, scope(it.parent));
    }
    for it in code.stmts.values_mut() {
        it.loc = change(it.loc, scope(it.inlined));
    }
    for it in code.throw_sites.values_mut() {
        it.loc = change(it.loc, scope(it.inlined));
    }
}

/// Makes the places of the code of `own` relative.
pub(super) fn detach(rt: &Runtime, own: Instance, code: &mut IrCode) {
    map(rt, own, code, &|loc, base| match base {
        Some(base) if loc != SourceLoc::NONE => {
            if loc.file() == base.file() {
                SourceLoc::new(RELATIVE, loc.start().wrapping_sub(base.start()), loc.len())
            } else {
                SourceLoc::NONE // made from text that is nowhere
            }
        }
        Some(_) | None => loc,
    });
}

/// The inverse of [`detach`], where the methods are now.
pub(super) fn attach(rt: &Runtime, own: Instance, code: &mut IrCode) {
    map(rt, own, code, &|loc, base| match base {
        Some(base) if loc.file() == RELATIVE => {
            SourceLoc::new(base.file(), loc.start().wrapping_add(base.start()), loc.len())
        }
        None if loc.file() == RELATIVE => SourceLoc::NONE,
        Some(_) | None => loc,
    });
}
