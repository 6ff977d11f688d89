//! Symbols of a unit that refer to objects of the session.

use crate::llvm::Val;
use crate::unit::Unit;
use kiln_types::{Type, hash};
use kiln_unit::{Global, GlobalRole};
use llvm_sys::LLVMOpcode;

/// Returns the address of the session's `Symbol` of this name.
pub(crate) fn name(unit: &Unit<'_>, name: &str) -> Val {
    global(unit, GlobalRole::Name(name.into()))
}

/// Returns the tag of a type. On processors it is the type's hash, the same for all programs; on devices it is a
/// symbol that device linking resolves.
pub(crate) fn type_tag(unit: &Unit<'_>, ty: Type) -> Val {
    let hash = hash::of_type(unit.types, ty);
    match unit.device {
        None => unit.module.const_i64(hash as i64),
        Some(_) => {
            let address = global(unit, GlobalRole::Type(hash));
            unit.module.cast(LLVMOpcode::LLVMPtrToInt, address, unit.module.int(64))
        }
    }
}

/// Returns the number that the session has for a type, an `i32`.
pub(crate) fn type_number(unit: &Unit<'_>, ty: Type) -> Val {
    let symbol = symbol(unit, GlobalRole::Number(hash::of_type(unit.types, ty)));
    unit.module.absolute(&symbol, 32)
}

/// Returns the symbol of something of the session.
fn symbol(unit: &Unit<'_>, role: GlobalRole) -> String {
    let mut globals = unit.globals.borrow_mut();
    let known = globals.iter().find(|it| it.role == role).map(|it| it.symbol.clone());
    known.unwrap_or_else(|| {
        let symbol = format!("g{}", globals.len());
        globals.push(Global { symbol: symbol.clone(), role });
        symbol
    })
}

/// Returns the address of an object of the session; on a device, the number that stands for it.
pub(crate) fn global(unit: &Unit<'_>, role: GlobalRole) -> Val {
    let symbol = symbol(unit, role);
    match unit.device {
        None => unit.module.external(&symbol),
        Some(_) => {
            let number = unit.module.placeholder(&symbol, 64);
            unit.module.cast(LLVMOpcode::LLVMIntToPtr, number, unit.module.ptr())
        }
    }
}
