//! Macros whose expansions are kept from one session to the next.
//!
//! A macro may look at files, globals and functions, and nothing tells which. Of a method of its own the library says with
//! `Base.@keep_expansions` that it looks only at its arguments and at the module, or also at the place of the call, and that it does
//! nothing. What such a method calls is of the library too, so an expansion by it is the same in every session of the image as long as
//! the program adds no method to the library that applies to values the library makes, and gives none of its names another meaning.

use crate::frontend::SessionFrontend;
use kiln_ir::{Ast, Expansion, Expr, ExprId};
use kiln_lower::PLACE_MACROS;
use kiln_runtime::eval::macros::{self, ExpansionSource, MacroResult, expansion_source};
use kiln_runtime::tables::is_library_unchanged;
use kiln_runtime::{ExpandError, Runtime};
use kiln_types::{Module, Symbol, Type, Types};

/// The macros of the library that an expression calls, by the types of their functions.
#[derive(Debug, Default)]
pub(crate) struct MacroCalls {
    /// The file that macros are told; `None` if there are no calls.
    file: Option<Symbol>,
    callees: Vec<Type>,
    /// Whether one of them says where it is.
    says_place: bool,
}

/// An expression without macros.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Expanded {
    pub(crate) expr: ExprId,
    /// Whether every session of the image expands it so.
    pub(crate) is_kept: bool,
    /// Whether it does so only at this place.
    pub(crate) is_of_place: bool,
}

impl MacroCalls {
    /// The meaning of the names of macros in a module now; `None` if the program has made one, or has changed what some may do.
    pub(crate) fn resolve(
        rt: &Runtime,
        module: Module,
        ast: &Ast,
        names: &[ExprId],
        file: Symbol,
    ) -> Option<Self> {
        if !is_library_unchanged(&rt.tables) {
            return None;
        }
        let (mut callees, mut says_place) = (Vec::new(), false);
        for name in names {
            let is_of_place =
                matches!(ast.expr(*name), Expr::Symbol(it) if PLACE_MACROS.contains(&rt.types.name(*it)));
            says_place |= is_of_place;
            if !is_of_place {
                callees.push(macros::library_callee(rt, ast, module, *name)?);
            }
        }
        Some(Self { file: Some(file), callees, says_place })
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.file.is_none()
    }

    /// The name of the file that macros are told: with its directory, wherever the process is.
    pub(crate) fn file<'a>(&self, types: &'a Types) -> &'a str {
        self.file.map_or("", |it| types.name(it))
    }

    /// Whether the expansion depends on the place, as far as the names tell.
    pub(crate) fn says_place(&self) -> bool {
        self.says_place
    }

    /// One a call, but for those that say where they are.
    pub(crate) fn callees(&self) -> &[Type] {
        &self.callees
    }

    /// Expands the macros of the expression that these are of.
    ///
    /// # Errors
    /// When a macro throws, and when the expression is wrong.
    pub(crate) fn expand(
        &self,
        front: &SessionFrontend,
        (rt, module): (&Runtime, Module),
        (ast, expr): (&mut Ast, ExprId),
    ) -> Result<Expanded, ExpandError> {
        let (mut is_kept, mut is_of_place) = (true, self.says_place);
        if self.is_empty() {
            return Ok(Expanded { expr, is_kept, is_of_place });
        }
        let mut seen = |within: Module, result: &MacroResult| {
            // A name in the result of another macro is not among those of the key.
            let is_known = within != module || self.callees.contains(&result.callee);
            let source =
                result.method.as_ref().map_or(ExpansionSource::Anything, |it| expansion_source(rt, it));
            is_kept &= is_known && source != ExpansionSource::Anything;
            is_of_place |= source == ExpansionSource::Place;
        };
        let expr = front.expand_seen((rt, module), ast, expr, Expansion::Whole, &mut seen)?;
        Ok(Expanded { expr, is_kept: is_kept && is_library_unchanged(&rt.tables), is_of_place })
    }
}
