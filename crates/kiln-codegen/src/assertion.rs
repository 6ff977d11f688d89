//! Static assertions: code that a program declares unreachable.
//!
//! An assertion is a call of an undefined function. The passes remove the call if they prove it unreachable; a
//! remaining call refuses the unit, or the device link. The function's name encodes the statement.

use crate::error::{EmitError, EmitErrorKind};
use crate::llvm::Module;

/// The prefix of the function names; in a device link it follows the prefix of the part.
pub(crate) const PREFIX: &str = "static_assertion.";

/// The place of an assertion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    /// The position of the part, in a device link.
    part: Option<u32>,
    function: u32,
    stmt: u32,
}

/// Returns the name of the function for the assertion at `stmt`.
pub(crate) fn symbol(function: u32, stmt: u32) -> String {
    format!("{PREFIX}{function}.{stmt}")
}

/// Returns the place that a symbol encodes, in a unit or in a part.
pub(crate) fn place(symbol: &str) -> Option<Place> {
    let (part, symbol) = match symbol.strip_prefix('p').and_then(|it| it.split_once('_')) {
        Some((part, rest)) => (Some(part.parse().ok()?), rest),
        None => (None, symbol),
    };
    let (function, stmt) = symbol.strip_prefix(PREFIX)?.split_once('.')?;
    Some(Place { part, function: function.parse().ok()?, stmt: stmt.parse().ok()? })
}

/// Checks that no assertion remains.
///
/// # Errors
/// Returns an error for each remaining one, in order of the places.
pub(crate) fn check(module: &Module) -> Result<(), Vec<EmitError>> {
    let mut places: Vec<Place> = module.undefined().iter().filter_map(|it| place(it)).collect();
    if places.is_empty() {
        return Ok(());
    }
    places.sort();
    let error = |it: Place| EmitError {
        function: it.part.unwrap_or(it.function),
        within: it.part.map(|_| it.function),
        stmt: Some(it.stmt),
        kind: EmitErrorKind::StaticAssertion,
    };
    Err(places.into_iter().map(error).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// MISSION R: a symbol says where its assertion stands, in a unit and in a device link.
    #[test]
    fn symbols_name_places() {
        let own = symbol(3, 14);
        assert_eq!(place(&own), Some(Place { part: None, function: 3, stmt: 14 }));
        let of_part = crate::llvm::part_symbol(2, &own);
        assert_eq!(place(&of_part), Some(Place { part: Some(2), function: 3, stmt: 14 }));
        for other in
            ["printf", "p2_f0", "p_static_assertion.1.2", "static_assertion.1", "static_assertion.x.2"]
        {
            assert_eq!(place(other), None, "{other}");
        }
    }
}
