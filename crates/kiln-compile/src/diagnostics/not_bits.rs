//! `not-bits-argument`: an argument of a kernel is not plain bits.

use super::span;
use crate::described::shown_type;
use crate::dialects::advice;
use crate::not_bits::NotBits;
use kiln_ir::SourceLoc;
use kiln_runtime::Runtime;
use kiln_runtime::tables::{Method, TableId};
use kiln_syntax::Diagnostic;
use kiln_types::{Type, datatype, unionall};
use std::sync::Arc;

pub(super) fn diagnostic(
    rt: &Runtime,
    loc: SourceLoc,
    position: usize,
    ty: Type,
    found: &NotBits,
) -> Diagnostic {
    if let Some(boxed) = of_captured(rt, loc, position, found) {
        return boxed;
    }
    let (shown, inner) = (shown_type(rt, ty), shown_type(rt, found.ty));
    let message = format!("argument {position} of the kernel, a `{shown}`, is not plain bits");
    if !datatype::is_concrete(&rt.types, found.ty) && datatype::type_type_param(&rt.types, found.ty).is_none()
    {
        return of_abstract(rt, loc, &message, found);
    }
    let label = match found.path.as_str() {
        "" => format!("a `{inner}` lives on the host"),
        path => format!("its field `{path}` is a `{inner}`, which lives on the host"),
    };
    let help = match found.ty == rt.types.core().string {
        true => {
            "a device knows no strings: pass a `Symbol`, a number, or the bytes as an array (`codeunits`)"
                .into()
        }
        false => {
            let of_struct = advice(rt, "adapting");
            let of_struct = of_struct.iter().map(|it| format!("; for a struct that holds arrays {it}"));
            let arrays = "pass arrays whose elements are plain bits, as device arrays";
            [arrays.to_owned()].into_iter().chain(of_struct).collect::<String>()
        }
    };
    Diagnostic::error("not-bits-argument", format!("{message}: {label}"), span(loc)).with_help(help)
}

/// A variable that a closure captures and that is assigned again lives in a box.
fn of_captured(rt: &Runtime, loc: SourceLoc, position: usize, found: &NotBits) -> Option<Diagnostic> {
    let owner = found.owner.filter(|_| found.ty == rt.types.core().box_)?;
    let field = found.path.rsplit('.').next()?;
    let function = datatype::name_of(&rt.types, owner)?;
    let is_its = |it: &Arc<Method>| {
        let params = datatype::params(&rt.types, unionall::unwrap(&rt.types, it.sig));
        params.iter().any(|it| datatype::name_of(&rt.types, *it) == Some(function))
    };
    let methods =
        rt.tables.methods.methods_of_table(TableId::GLOBAL).into_iter().map(|it| rt.tables.method(it));
    let boxed = methods.filter(is_its).find_map(|method| {
        let place = method.code.meta.boxed.iter().find(|it| rt.types.name(it.0) == field)?.1;
        Some((method.name, place))
    });
    let (name, again) = boxed?;
    let name = rt.types.name(name);
    let who = match position {
        0 => format!("the kernel `{name}` captures"),
        _ => format!("argument {position} of the kernel has a function `{name}`, which captures"),
    };
    let message =
        format!("{who} the variable `{field}`, which is assigned again: it is in a box on the host");
    let place = if again.is_none() { loc } else { again };
    let diagnostic = Diagnostic::error("not-bits-argument", message, span(place)).with_help(format!(
        "have it capture a variable that is assigned once, `let {field} = {field}` around the function, or pass the value as an \
         argument"
    ));
    Some(if again.is_none() { diagnostic } else { diagnostic.with_label("assigned again here") })
}

/// Most concrete types that are named as examples.
const EXAMPLES_MAX: usize = 4;

/// Nothing can be compiled for an argument that may be of several types.
fn of_abstract(rt: &Runtime, loc: SourceLoc, message: &str, found: &NotBits) -> Diagnostic {
    let inner = shown_type(rt, found.ty);
    let what = match found.path.as_str() {
        "" => format!("`{inner}` is no concrete type"),
        path => format!("the type of its field `{path}`, `{inner}`, is not concrete"),
    };
    let core = rt.types.core();
    let one = core.float32;
    let arrays = advice(rt, "array_examples");
    let numbers = [core.float32, core.float64, core.int32, core.int64, core.uint8, core.bool];
    let fitting = numbers.iter().filter(|it| rt.types.subtype(**it, found.ty)).map(|it| shown_type(rt, *it));
    let mut examples: Vec<String> = fitting.map(|it| it.to_string()).take(EXAMPLES_MAX).collect();
    if examples.is_empty() {
        let vector = rt.types.apply(core.abstract_array, &[one]).unwrap_or(core.abstract_array);
        let is_array = rt.types.subtype(found.ty, core.abstract_array) || rt.types.subtype(vector, found.ty);
        examples.extend(arrays.into_iter().filter(|_| is_array));
    }
    let help = match &examples[..] {
        [] => "a kernel is compiled for one type each: name a concrete one".to_owned(),
        all => {
            format!("a kernel is compiled for one type each: name a concrete one, such as {}", all.join(", "))
        }
    };
    Diagnostic::error("not-bits-argument", format!("{message}: {what}"), span(loc)).with_help(help)
}
