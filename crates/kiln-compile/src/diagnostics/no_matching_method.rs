//! `no-matching-method`: no method takes these arguments, so the call would throw a `MethodError`.

use super::span;
use crate::described::shown_type;
use crate::inputs::View;
use kiln_ir::SourceLoc;
use kiln_runtime::Runtime;
use kiln_runtime::tables::{Method, MethodId, TableId};
use kiln_syntax::Diagnostic;
use kiln_types::{Type, TypeData, datatype, intersect, typevar, unionall};
use std::sync::Arc;

/// Candidates shown at most.
const CANDIDATES_MAX: usize = 3;

/// `f(Int64, Float32)` for a callee's type and the arguments'.
pub(super) fn call_text(rt: &Runtime, types: &[Type]) -> String {
    let Some((callee, args)) = types.split_first() else { return "?".into() };
    let args: Vec<String> = args.iter().map(|it| shown_type(rt, *it)).collect();
    format!("{}({})", function_text(rt, *callee), args.join(", "))
}

/// Renders a method's signature as a call; type variables are shown by name.
pub(super) fn signature_text(rt: &Runtime, sig: Type) -> String {
    let (types, mut sig) = (&rt.types, sig);
    while let &TypeData::UnionAll { var, body } = types.data(sig) {
        let TypeData::Var { name, .. } = types.data(var) else { break };
        sig = unionall::substitute(
            types,
            body,
            var,
            typevar::new(types, *name, types.core().bottom, types.core().any),
        );
    }
    call_text(rt, datatype::params(types, sig))
}

/// `f` for a callee's type.
pub(super) fn function_text(rt: &Runtime, callee: Type) -> String {
    let name = shown_type(rt, callee);
    let function = name.strip_prefix("typeof(").and_then(|it| it.strip_suffix(')'));
    // A type that is called makes values of it, also one with parameters that are not known.
    let constructor = name.strip_prefix("Type{").and_then(|it| it.split(" where ").next()?.strip_suffix('}'));
    function.or(constructor).unwrap_or(&name).to_owned()
}

pub(super) fn diagnostic(rt: &Runtime, view: &View, loc: SourceLoc, types: &[Type]) -> Diagnostic {
    let shown = call_text(rt, types);
    let diagnostic =
        Diagnostic::error("no-matching-method", format!("no method matches `{shown}`"), span(loc));
    if let Some(newer) = newer(rt, view, types) {
        let sig = signature_text(rt, newer.sig);
        let at = rt
            .frontend
            .place(newer.loc)
            .map_or_else(String::new, |(file, line)| format!(" at {file}:{line}"));
        return diagnostic
            .with_label("nothing takes these arguments in the world of the launch")
            .with_help(format!(
                "`{sig}`{at} takes them, but is newer than the call of the function that launches: define it before that call, \
                 or make the call with `Base.invokelatest`"
            ));
    }
    let candidates = candidates(rt, view, types);
    diagnostic.with_label("nothing takes these arguments").with_help(match candidates.as_slice() {
        [] => "the function has no methods; define one, or import the one you mean".to_owned(),
        some => format!("closest candidates: {}", some.join("; ")),
    })
}

/// The method that takes the arguments in the newest world alone.
fn newer(rt: &Runtime, view: &View, types: &[Type]) -> Option<Arc<Method>> {
    let found = rt.tables.dispatch_in(view.id(rt), types, rt.tables.world()).ok()?;
    let method = rt.tables.method(rt.tables.instance_data(found).method);
    (method.worlds().min > view.world).then_some(method)
}

/// Methods of the same function, those that fail in the fewest arguments first, each with what fails.
fn candidates(rt: &Runtime, view: &View, types: &[Type]) -> Vec<String> {
    let Some((callee, args)) = types.split_first() else { return Vec::new() };
    let mut scored: Vec<(usize, MethodId)> = Vec::new();
    for id in rt.tables.methods.methods_of_table(TableId::GLOBAL) {
        let method = rt.tables.method(id);
        let params = datatype::params(&rt.types, unionall::unwrap(&rt.types, method.sig));
        // A closure's type has parameters: what it captures.
        let function = params.first().map(|it| unionall::rewrap(&rt.types, *it, method.sig));
        if !method.worlds().contains(view.world) || !function.is_some_and(|it| rt.types.subtype(*callee, it))
        {
            continue;
        }
        let count = args.len().abs_diff(params.len() - 1);
        scored.push((count + usize::from(first_miss(rt, &method, args).is_some()), id));
    }
    scored.sort();
    let shown = |(_, id)| {
        let method = rt.tables.method(id);
        let wanted = datatype::params(&rt.types, unionall::unwrap(&rt.types, method.sig)).len() - 1;
        let why = match first_miss(rt, &method, args) {
            Some(n) => format!("argument {} is a `{}`", n + 1, shown_type(rt, args[n])),
            None if args.len() != wanted && !method.is_va => {
                format!("it takes {wanted} arguments, not {}", args.len())
            }
            None => "the arguments do not fit together".to_owned(),
        };
        format!("`{}` ({why})", signature_text(rt, method.sig))
    };
    scored.into_iter().take(CANDIDATES_MAX).map(shown).collect()
}

/// The first argument that the method does not take.
fn first_miss(rt: &Runtime, method: &Method, args: &[Type]) -> Option<usize> {
    let params = datatype::params(&rt.types, unionall::unwrap(&rt.types, method.sig));
    args.iter().zip(&params[1..]).position(|(given, want)| {
        let want = unionall::rewrap(&rt.types, *want, method.sig);
        intersect::meet(&rt.types, *given, want) == rt.types.core().bottom
    })
}
