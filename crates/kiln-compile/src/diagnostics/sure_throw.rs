//! An exception that a kernel is sure to throw, in Julia's words: `undefined-name`, `field-error`, `bounds-error`, `type-error`,
//! `method-error`.

use super::{no_matching_method::function_text, span};
use crate::definite::SureThrow;
use crate::described::shown_type;
use kiln_ir::{SourceLoc, Undefined};
use kiln_runtime::Runtime;
use kiln_syntax::Diagnostic;
use kiln_types::{Type, datatype};

pub(super) fn diagnostic(rt: &Runtime, loc: SourceLoc, thrown: &SureThrow) -> Diagnostic {
    let types = &rt.types;
    let error = |code, message: String| Diagnostic::error(code, message, span(loc));
    match thrown {
        SureThrow::Undefined(what) => {
            let name = types.name(what.name());
            let (scope, help) = match what {
                Undefined::Local(_) => (
                    "local scope",
                    "Suggestion: check for an assignment to a local variable that shadows a global of the same name.",
                ),
                Undefined::StaticParam(_) => (
                    "static parameter matching",
                    "Suggestion: run Test.detect_unbound_args to detect method arguments that do not fully constrain a type \
                     parameter.",
                ),
            };
            error("undefined-name", format!("UndefVarError: `{name}` not defined in {scope}")).with_help(help)
        }
        SureThrow::NoField(ty, name) => {
            let whole = whole_name(rt, *ty);
            let message = format!("FieldError: type {whole} has no field `{}`", types.name(*name));
            let fields: Vec<String> =
                datatype::field_names(types, *ty).iter().map(|it| format!("`{}`", types.name(*it))).collect();
            error("field-error", message).with_help(match fields.as_slice() {
                [] => format!("{whole} has no fields at all"),
                some => format!("available fields: {}", some.join(", ")),
            })
        }
        SureThrow::NoFieldNumber(ty, number) => {
            let shown = shown_type(rt, *ty);
            error("bounds-error", format!("BoundsError: attempt to access {shown} at index [{number}]"))
        }
        SureThrow::Immutable(ty) => {
            let whole = whole_name(rt, *ty);
            error("exception", format!("setfield!: immutable struct of type {whole} cannot be changed"))
        }
        SureThrow::Assertion(wanted, given) => {
            let (wanted, given) = (shown_type(rt, *wanted), shown_type(rt, *given));
            error(
                "type-error",
                format!("TypeError: in typeassert, expected {wanted}, got a value of type {given}"),
            )
        }
        SureThrow::Keywords(operands) => keywords(rt, loc, operands),
    }
}

/// The name of a type without its parameters.
fn whole_name(rt: &Runtime, ty: Type) -> String {
    let whole = datatype::name_of(&rt.types, ty).map_or(ty, |it| rt.types.type_name(it).wrapper);
    shown_type(rt, whole)
}

/// `kwerr(names, f, arguments...)`.
fn keywords(rt: &Runtime, loc: SourceLoc, operands: &[Type]) -> Diagnostic {
    // What a function takes any number of is one tuple where it is called.
    let (given, rest) = match operands {
        [_, given, rest] if datatype::is_tuple(&rt.types, *rest) => {
            (*given, datatype::params(&rt.types, *rest))
        }
        [_, given, rest @ ..] => (*given, rest),
        _ => (rt.types.core().bottom, &[][..]),
    };
    let Some((&callee, args)) = rest.split_first() else {
        return Diagnostic::error("method-error", "MethodError: unsupported keyword arguments", span(loc));
    };
    let typed = |it: &Type| format!("::{}", shown_type(rt, *it));
    let args: Vec<String> = args.iter().map(typed).collect();
    let (names, values) = (datatype::field_names(&rt.types, given), datatype::field_types(&rt.types, given));
    let keywords = names.iter().zip(values.iter());
    let keywords: Vec<String> =
        keywords.map(|(name, ty)| rt.types.name(*name).to_owned() + &typed(ty)).collect();
    let call = format!("{}({}; {})", function_text(rt, callee), args.join(", "), keywords.join(", "));
    Diagnostic::error("method-error", format!("MethodError: no method matching {call}"), span(loc)).with_help(
        "This method does not support all of the given keyword arguments (and may not support any).",
    )
}
