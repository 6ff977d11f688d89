//! Stages alone, on documents: a file of `tests/stages` is a test, by its name.
//!
//! - `tests/stages/inference/*.md`: types that inference finds; a heading is a test.
//! - `tests/stages/infer/*.jl`: source to typed IR, before the optimizer. `#: infer 'f(Int64)'`.
//! - `tests/stages/opt/*.jl`: source to optimized IR. `#: typed 'f(Int64)'`.
//! - `tests/stages/codegen/*.jl`: source to LLVM IR before and after its passes, and to PTX. `#: emitted 'f(Int64)'`,
//!   `#: llvm sm_90 'f(Int64)'`, `#: native sm_90 'f(Int64)'`. A target makes a kernel of the function, for that device.
//!
//! Source comes first, in the form of `kiln_testing::Document`: directives check intent, and a section without any has its exact
//! text behind it. `KILN_BLESS=1` writes it.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod inference;

use kiln::{ReflectStage, Session, SessionOptions, ShownFor};
use kiln_ir::{Effects, IrCode, Op};
use kiln_runtime::Runtime;
use kiln_testing::{Section, Suite, Verdict, read, repository, verify};
use kiln_types::display;
use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

/// The names of the promises that hold.
fn promises(effects: Effects) -> String {
    let all = format!("{effects:?}");
    let named = all.split(['{', ',', '}']).filter_map(|it| it.trim().strip_suffix(": true"));
    named.collect::<Vec<_>>().join(" ")
}

/// The text of a body, with callees by name: numbers of instances differ from build to build.
fn shown(rt: &Runtime, code: &IrCode) -> String {
    let mut text = code.display(&rt.types).to_string();
    for data in code.stmts.values() {
        if let Op::Invoke(callee, _) = data.op {
            let name = rt.types.name(rt.tables.method(rt.tables.instance_data(callee).method).name);
            text = text.replace(&format!("invoke {callee}("), &format!("invoke {name}("));
        }
    }
    text
}

/// The result of inference, and nothing after it.
fn infer(session: &Session, text: &str, call: &str) -> Result<String, String> {
    session.run_text("document", text).map_err(|it| format!("{it:?}"))?;
    let ci = inference::infer(session, call)?;
    let rt = session.runtime();
    let mut result = String::new();
    let _ = writeln!(result, "returns {}", display::of_type(&rt.types, ci.return_type));
    if let Some(constant) = ci.return_const {
        let _ = writeln!(result, "always {}", display::of_const(&rt.types, constant));
    }
    let _ = writeln!(result, "throws {}", display::of_type(&rt.types, ci.exception_type));
    let _ = writeln!(result, "promises {}", promises(ci.effects));
    if let Some(code) = ci.code(rt) {
        result.push_str(&shown(rt, &kiln_ir::compact(IrCode::clone(code))));
    }
    Ok(result)
}

/// The result of a section: a stage, perhaps a target, and a signature.
fn made(file: &Path, section: &Section) -> Result<String, String> {
    let session = Session::new(SessionOptions::default()).map_err(|it| format!("{it:?}"))?;
    let (stage, shown_for, signature) = match &section.words[..] {
        [stage, signature] => (stage, ShownFor::Launch, signature),
        [stage, target, signature] => (stage, ShownFor::Target(target.clone(), None), signature),
        _ => return Err("expected a stage, perhaps a target, and a signature".to_owned()),
    };
    if stage == "infer" {
        return infer(&session, &read(file), signature);
    }
    let all = ReflectStage::ALL;
    let (_, stage) = all.iter().find(|it| it.0 == stage).ok_or_else(|| format!("no stage `{stage}`"))?;
    let path = file.to_string_lossy();
    let text = session.reflect(*stage, &shown_for, &path, signature).map_err(|it| it.to_string())?;
    String::from_utf8(text).map_err(|it| it.to_string())
}

fn document(file: &Path) -> Verdict {
    verify(file, &mut |section| made(file, section))
}

fn main() -> ExitCode {
    let root = repository().join("tests/stages");
    let mut suite = inference::specifications(Suite::new(), &root.join("inference"));
    for stage in ["infer", "opt", "codegen"] {
        suite = suite.files(&format!("{stage}/"), &root.join(stage), "jl", document);
    }
    suite.run()
}
