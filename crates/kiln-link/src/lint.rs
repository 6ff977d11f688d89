//! Whether an object may outlive the process that made it.

use crate::LinkError;
use crate::relocate::{self, Patch};
use crate::sections::{Object, SymbolPlace};

/// Finds what ties an object to one process: thread-local storage, constructors, absolute addresses, and undefined
/// symbols that `is_listed` does not know, which nobody could resolve elsewhere.
///
/// # Errors
/// The first such thing.
pub fn lint(object: &[u8], is_listed: &dyn Fn(&str) -> bool) -> Result<(), LinkError> {
    let object = Object::read(object)?;
    let anywhere = Patch { symbol: 0, place: 0, stub: 0, got: 0 };
    for relocation in &object.relocations {
        relocate::value(relocation, &anywhere)?;
        let Some(symbol) = object.symbols.get(relocation.symbol) else {
            return Err(LinkError::Malformed("relocation against a symbol that is not there".into()));
        };
        match symbol.place {
            SymbolPlace::Undefined { .. } if !is_listed(&symbol.name) => {
                return Err(LinkError::Undefined(symbol.name.clone()));
            }
            SymbolPlace::Absolute(value) => {
                return Err(LinkError::Unsupported(format!("the absolute address {value:#x}")));
            }
            SymbolPlace::Undefined { .. } | SymbolPlace::Section { .. } => {}
        }
    }
    Ok(())
}
