//! `no-matching-method`: no method takes these arguments, so the call would throw a `MethodError`.

use super::span;
use kiln_ir::SourceLoc;
use kiln_runtime::Runtime;
use kiln_runtime::tables::{MethodId, TableId};
use kiln_syntax::Diagnostic;
use kiln_types::Type;

/// Candidates shown at most.
const CANDIDATES_MAX: usize = 3;

/// `f(Int64, Float32)` for a callee's type and the arguments'.
pub(super) fn call_text(rt: &Runtime, types: &[Type]) -> String {
    let Some((callee, args)) = types.split_first() else { return "?".into() };
    let name = rt.types.display(*callee);
    let function = name.strip_prefix("typeof(").and_then(|it| it.strip_suffix(')'));
    // A type that is called makes values of it, also one with parameters that are not known.
    let constructor = name.strip_prefix("Type{").and_then(|it| it.split(" where ").next()?.strip_suffix('}'));
    let name = function.or(constructor).unwrap_or(&name).to_owned();
    let args: Vec<String> = args.iter().map(|it| rt.types.display(*it)).collect();
    format!("{name}({})", args.join(", "))
}

pub(super) fn diagnostic(rt: &Runtime, loc: SourceLoc, types: &[Type]) -> Diagnostic {
    let shown = call_text(rt, types);
    let mut diagnostic =
        Diagnostic::error("no-matching-method", format!("no method matches `{shown}`"), span(loc))
            .with_label("nothing takes these arguments");
    let candidates = candidates(rt, types);
    diagnostic.help = Some(match candidates.as_slice() {
        [] => "the function has no methods; define one, or import the one you mean".to_owned(),
        some => format!("closest candidates: {}", some.join("; ")),
    });
    diagnostic
}

/// Methods of the same function, those that fail in the fewest arguments first, each with what fails.
fn candidates(rt: &Runtime, types: &[Type]) -> Vec<String> {
    let Some((callee, args)) = types.split_first() else { return Vec::new() };
    let world = rt.tables.world();
    let methods = rt.tables.methods_of_table(TableId::GLOBAL);
    let mut scored: Vec<(usize, MethodId, String)> = Vec::new();
    for id in methods {
        let method = rt.tables.method(id);
        let sig = rt.types.unwrap_unionall(method.sig);
        let params = rt.types.params(sig);
        // A closure's type has parameters: what it captures.
        let function = params.first().map(|it| rt.types.rewrap_unionall(*it, method.sig));
        if !method.worlds().contains(world) || !function.is_some_and(|it| rt.types.subtype(*callee, it)) {
            continue;
        }
        let wanted = &params[1..];
        let first_miss = args.iter().zip(wanted).position(|(given, want)| {
            let want = rt.types.rewrap_unionall(*want, method.sig);
            rt.types.intersect(*given, want) == rt.types.core().bottom
        });
        let count = args.len().abs_diff(wanted.len());
        let why = match first_miss {
            Some(n) => format!("argument {} is a `{}`", n + 1, rt.types.display(args[n])),
            None if count > 0 && !method.is_va => {
                format!("it takes {} arguments, not {}", wanted.len(), args.len())
            }
            None => "the arguments do not fit together".to_owned(),
        };
        let shown = call_text(rt, params);
        scored.push((count + usize::from(first_miss.is_some()), id, format!("`{shown}` ({why})")));
    }
    scored.sort();
    scored.into_iter().take(CANDIDATES_MAX).map(|it| it.2).collect()
}
