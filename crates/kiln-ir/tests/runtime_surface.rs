//! The whole of Julia that is written in Rust, as a list. `docs/runtime-surface.txt` is that list: a line more is a
//! decision, and has a record in `docs/decisions/`.
#![expect(clippy::print_stdout, reason = "the list is for people to read")]

use kiln_ir::{Builtin, HostFunction, Intrinsic};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

const HEADER: &str =
    "# What Rust implements of Julia. A line more needs a record in docs/decisions/ (see CONTRIBUTING.md).";

#[test]
fn rust_implements_what_is_listed_and_no_more() {
    let mut list = format!("{HEADER}\n");
    let mut section = |title: &str, names: Vec<&str>| {
        let _ = writeln!(list, "[{title}]\n{}", names.join("\n"));
    };
    section("intrinsics", Intrinsic::ALL.iter().map(|it| it.name()).collect());
    section("builtins", Builtin::ALL.iter().map(|it| it.name()).collect());
    section("host functions", HostFunction::ALL.iter().map(|it| it.name()).collect());
    println!("{list}");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/runtime-surface.txt");
    if std::env::var_os("KILN_BLESS").is_some() {
        fs::write(&path, &list).unwrap();
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), list, "write a decision record, then KILN_BLESS=1");
}
