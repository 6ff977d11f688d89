//! `kiln test`: packages of `tests/packages`, found by their project files, and the exit codes that CI sees.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod project;

use std::path::{Path, PathBuf};
use std::process::Output;

fn packages() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/packages")
}

/// Runs `kiln test ARGS` in a folder of the packages; returns exit code, standard output and standard error.
fn test(folder: &str, args: &[&str]) -> (i32, String, String) {
    let mut command = project::uncached();
    let output: Output =
        command.current_dir(packages().join(folder)).arg("test").args(args).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

/// The package and one that it has by a path are found, from any folder; what is missing is named, and the summary is printed.
#[test]
fn a_package_is_tested_with_its_dependencies() {
    for (folder, args) in
        [("Scale", &[][..]), (".", &["Scale", "--as", "sm_80", "--check"]), ("Scale", &["test/runtests.jl"])]
    {
        let (code, out, errors) = test(folder, args);
        assert_eq!(code, 0, "{args:?}: {out}{errors}");
        assert!(out.contains("Scale         |    3      3"), "{args:?}: {out}");
        assert!(errors.contains("kiln: warning: not available: Absent;"), "{args:?}: {errors}");
        assert!(errors.ends_with("kiln: tests of Scale passed\n"), "{args:?}: {errors}");
    }
}

/// A failing test is exit code 1, also where the failure is a line of JSON.
#[test]
fn failures_are_for_continuous_integration() {
    let (code, out, errors) = test(".", &["Scale", "--", "fail"]);
    assert_eq!(code, 1, "{out}{errors}");
    assert!(out.contains("Test Failed at") && out.contains("Scale         |    2     1      3"), "{out}");
    assert!(errors.contains("kiln: tests of Scale failed\n"), "{errors}");
    let (code, _, errors) = test(".", &["Scale", "--json", "--", "fail"]);
    assert_eq!(code, 1, "{errors}");
    assert!(errors.lines().any(|it| it.starts_with(r#"{"error":{"kind":"program""#)), "{errors}");
}

/// Tests that pass are no success if the checks of kernels find anything, and an unknown option is none of the tests'.
#[test]
fn checks_decide_as_tests_do() {
    let (code, out, errors) = test(".", &["Scale", "--check=race", "--", "race"]);
    assert_eq!(code, 1, "{out}{errors}");
    assert!(out.contains("Scale         |    3      3"), "{out}");
    assert!(errors.contains("passed, but the checks of kernels found mistakes: 1"), "{errors}");
    assert!(errors.contains("error[race]: a race on `y`"), "{errors}");
    assert_eq!(test(".", &["Scale", "--", "race"]).0, 0);
    assert_eq!(test(".", &["Scale", "--chek"]).0, 2);
}

/// Where there are no tests, the command line is wrong.
#[test]
fn a_folder_without_tests_is_a_mistake() {
    for (args, why) in [
        (&["Shared"][..], "has no tests: there is no `test/runtests.jl` in it"),
        (&["Nowhere"], "cannot test `Nowhere`"),
        (&["--as", "z80", "Scale"], "there is no such target"),
    ] {
        let (code, _, errors) = test(".", args);
        assert_eq!(code, 2, "{args:?}: {errors}");
        assert!(errors.contains(why), "{args:?}: {errors}");
    }
}
