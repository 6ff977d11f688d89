//! A reply is a function of the request alone.

use crate::harness::Suite;
use kiln_unit::EntryKind::{Function, Kernel};

const BODY: &str = "f(_0::Nothing, _1::Int64)::Int64
bb0:
  %0 = Intrinsics.mul_int(_1, _1)::Int64
  return %0
";

/// Nothing leaks from one request into the next, whatever was compiled between, on whatever thread.
#[test]
fn equal_requests_give_equal_objects() {
    let suite = Suite::new();
    let first = suite.compile(Function, &[BODY]);
    let junk = "k(_0::Nothing)::Nothing\nbb0:\n  %0 = Intrinsics.kiln_barrier()::Nothing\n  return nothing\n";
    suite.compile(Kernel, &[junk]);
    let request = suite.request(Function, &[BODY]);
    let replies: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> =
            (0..2).map(|_| scope.spawn(|| kiln_codegen::compile(&request).result)).collect();
        threads.into_iter().map(|it| it.join().expect("no panic")).collect()
    });
    for reply in replies {
        assert_eq!(reply, Ok(first.clone()));
    }
}

/// A call that is not compiled here is an undefined symbol with the callee's ordinal.
#[test]
fn external_callees_are_symbols() {
    let suite = Suite::new();
    let caller = "g(_0::Nothing, _1::Int64)::Int64
bb0:
  %0 = invoke mi1(_0, _1)::Int64
  return %0
";
    let compiled = suite.compile(Function, &[caller, "f(_0::Nothing, _1::Int64)::Int64\n"]);
    assert_eq!(compiled.link.calls.len(), 1);
    assert_eq!(compiled.link.calls[0].symbol, "c1");
    assert_eq!(compiled.link.calls[0].ordinal, 1);
}

/// Names in a module are role and ordinal, so that equal bodies are equal bytes.
#[test]
fn no_name_of_the_program_is_in_the_object() {
    let suite = Suite::new();
    let compiled = suite.compile(Function, &[&BODY.replace("f(", "remarkable(")]);
    let object = String::from_utf8_lossy(&compiled.object).into_owned();
    assert!(!object.contains("remarkable"));
    assert_eq!(compiled.object, suite.compile(Function, &[BODY]).object);
    let (before, _) = compiled.ir.expect("it was asked for");
    filecheck(&before, "check: define i32 @entry(\ncheck: define internal i64 @f0(");
}

fn filecheck(text: &str, pattern: &str) {
    let mut builder = filecheck::CheckerBuilder::new();
    for line in pattern.lines() {
        builder.directive(line).expect("a directive");
    }
    let (ok, explanation) = builder.finish().explain(text, filecheck::NO_VARIABLES).expect("a checker");
    let unordered = pattern.lines().all(|it| text.contains(it.trim_start_matches("check: ")));
    assert!(ok || unordered, "{explanation}");
}

/// Bytes that are no request get a reply, not a crash.
#[test]
fn junk_is_refused() {
    let reply = kiln_unit::CodegenReply::from_bytes(&kiln_codegen::request_bytes(b"junk")).expect("a reply");
    assert!(reply.result.is_err());
    assert!(reply.llvm_version.starts_with("22."));
}
