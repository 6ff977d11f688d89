//! Inference, specified: `tests/stages/inference/*.md`. A heading is a test, its `julia` block a program run in a session
//! with Base; each line `#: f(A, B) -> R` in it says what `f` called with instances of `A` and `B` is inferred to
//! return, `#: f(A) static` that no call of it is left to run time, and `#: f(A) within N` that N bodies at most are
//! inferred for it.

use kiln::internals::SessionInternals as _;
use kiln::{Session, SessionOptions};
use kiln_infer::{InferenceInputs, InferenceParams};
use kiln_ir::Op;
use kiln_runtime::eval::toplevel;
use kiln_runtime::tables::{CacheOwner, CodeInstance, MethodTableView};
use kiln_testing::{Outcome, Suite, Verdict, files, read, stem};
use kiln_types::display;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

/// Infers a call `f(A, B)` of types.
pub(crate) fn infer(session: &Session, call: &str) -> Result<Arc<CodeInstance>, String> {
    let rt = session.runtime();
    let (name, types) = call.split_once('(').ok_or("no call")?;
    let types = types.trim_end().strip_suffix(')').ok_or("no call")?;
    let query = format!("Tuple{{Core.Typeof({name}), {types}}}").replace(", }", "}");
    let value = toplevel::eval_string(rt, session.main(), &query)
        .map_err(|it| display::of_type(&rt.types, it.exception.ty()))?;
    let sig = value.as_type(rt.types.core()).ok_or("no type")?;
    let world = rt.tables.world();
    let found = rt.tables.find_matches(sig, world, 4).ok_or("too many methods")?;
    let it = found.matches.first().ok_or("no method")?;
    let instance = rt.tables.instance(it.method, it.spec_types, &it.static_params);
    let inputs = InferenceInputs {
        world,
        view: MethodTableView::global(),
        params: InferenceParams::default(),
        owner: CacheOwner::from_hash(99),
    };
    kiln_infer::infer(rt, &inputs, instance, &mut |_, code| code.into()).map_err(|it| format!("{it:?}"))
}

fn is_static(session: &Session, ci: &CodeInstance) -> bool {
    ci.code(session.runtime()).is_some_and(|code| !code.stmts.values().any(|it| matches!(it.op, Op::Call(_))))
}

/// Returns the error of one line of expectations, if any.
fn check(session: &Session, line: &str) -> Option<String> {
    let types = &session.runtime().types;
    if let Some(call) = line.strip_suffix(" static") {
        return match infer(session, call) {
            Err(it) => Some(format!("{call}: {it}")),
            Ok(ci) if is_static(session, &ci) => None,
            Ok(ci) => Some(format!(
                "{call} has dynamic calls:\n{}",
                ci.code(session.runtime()).map_or_else(String::new, |it| it.display(types).to_string())
            )),
        };
    }
    if let Some((call, most)) = line.rsplit_once(" within ") {
        let before = session.runtime().tables.inference.inferred();
        let result = infer(session, call);
        let count = session.runtime().tables.inference.inferred() - before;
        return match result {
            Err(it) => Some(format!("{call}: {it}")),
            Ok(_) if count <= most.parse().unwrap() => None,
            Ok(_) => Some(format!("{call} needs {count} inferences, not {most}")),
        };
    }
    let (call, wanted) = line.rsplit_once(" -> ").unwrap();
    match infer(session, call) {
        Err(it) => Some(format!("{call}: {it}")),
        Ok(ci) => {
            let found = display::of_type(types, ci.return_type);
            (found != wanted.trim()).then(|| {
                let code =
                    ci.code(session.runtime()).map_or_else(String::new, |it| it.display(types).to_string());
                format!("{call} -> {found}, not {wanted}\n{code}")
            })
        }
    }
}

/// Runs the program of a heading, and checks its lines.
fn section(title: &str, program: &str) -> Verdict {
    let session = Session::new(SessionOptions::default()).map_err(|it| format!("{it:?}"))?;
    session.run_text(title, program).map_err(|it| format!("{it:?}"))?;
    let mut problems = String::new();
    for line in program.lines().filter_map(|it| it.trim().strip_prefix("#: ")) {
        if let Some(problem) = check(&session, line) {
            let _ = writeln!(problems, "{problem}");
        }
    }
    if problems.is_empty() { Ok(Outcome::Passed) } else { Err(problems) }
}

/// Adds a test for every heading of the documents in a folder that has a program.
pub(crate) fn specifications(mut suite: Suite, folder: &Path) -> Suite {
    for file in files(folder, "md") {
        for part in read(&file).split("\n## ").skip(1) {
            let title = part.lines().next().unwrap().to_owned();
            let Some((_, rest)) = part.split_once("```julia\n") else { continue };
            let program = rest.split_once("```").unwrap().0.to_owned();
            let name = format!("inference/{}/{title}", stem(&file));
            suite = suite.test(name, move || section(&title, &program));
        }
    }
    suite
}
