//! `--json`: a command that fails, or warns, says why in one line, with the places of its diagnostics.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod project;

use std::path::PathBuf;
use std::process::Output;

/// Writes a program of this name; returns its folder.
fn program(name: &str, text: &str) -> PathBuf {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("json_failures").join(name);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("program.jl"), text).unwrap();
    folder
}

fn kiln(folder: &PathBuf, args: &[&str]) -> Output {
    project::uncached().current_dir(folder).args(args).output().unwrap()
}

/// Standard error of `kiln run --json program.jl`, which is one line, and fails.
fn failure(name: &str, text: &str) -> String {
    let output = kiln(&program(name, text), &["run", "--json", "program.jl"]);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(said.lines().count(), 1, "{said}");
    said
}

const UNDEFINED: &str = "using CUDA
function half!(y)
    y[1] = halff(y[1])
    return
end
println(\"before\")
@cuda half!(CUDA.ones(Float32, 1))
";

/// A kernel that does not compile has code, file, line, column and label; what the program printed stays on standard output.
#[test]
fn kernels_that_do_not_compile_have_places() {
    let folder = program("kernel", UNDEFINED);
    let output = kiln(&folder, &["run", "--json", "program.jl"]);
    assert_eq!((output.status.code(), &*output.stdout), (Some(1), &b"before\n"[..]));
    let said = String::from_utf8(output.stderr).unwrap();
    for part in [
        r#"{"error":{"kind":"program","code":"undefined-name","message":"#,
        r#""diagnostics":[{"code":"undefined-name","severity":"error","message":"`halff` not defined in `Main`""#,
        r#""file":"program.jl","line":3,"column":12,"span":["#,
    ] {
        assert!(said.contains(part), "{part} in {said}");
    }
}

/// So have syntax errors, and exceptions of the host.
#[test]
fn programs_that_fail_say_why() {
    let said = failure("syntax", "half(x) = (x /\n");
    assert!(said.contains(r#""severity":"error""#) && said.contains(r#""line":"#), "{said}");
    let said = failure("exception", "f(x) = [1, 2, 3][x]\nf(7)\n");
    assert!(said.contains("BoundsError: attempt to access 3-element Vector{Int64} at index [7]"), "{said}");
    assert!(said.contains(r#""code":"bounds-error""#) && said.contains(r#""line":1,"column":8"#), "{said}");
}

const DOUBTFUL: &str = "using CUDA
function pick!(y)
    y[1] > 8 && (y[1] = (1, 2)[3])
    return
end
@cuda pick!(CUDA.ones(Int64, 1))
println(\"after\")
";

/// A warning stops nothing. It has a line of its own, with the place where it has one.
#[test]
fn warnings_are_lines() {
    let folder = program("warning", DOUBTFUL);
    let output = kiln(&folder, &["run", "--json", "--image", "no-such.kimg", "program.jl"]);
    assert_eq!((output.status.code(), &*output.stdout), (Some(0), &b"after\n"[..]));
    let said = String::from_utf8(output.stderr).unwrap();
    let lines: Vec<&str> = said.lines().collect();
    let unused =
        r#"{"warning":{"code":"image-unused","severity":"warning","message":"no-such.kimg is not used: "#;
    let throws = r#"{"warning":{"code":"may-throw","severity":"warning","message":"an item that comes here throws BoundsError"#;
    assert!(lines.len() == 2 && lines[0].starts_with(unused) && lines[1].starts_with(throws), "{said}");
    assert!(lines[1].contains(r#""file":"program.jl","line":3,"column":25,"span":["#), "{said}");
    let text = kiln(&folder, &["run", "program.jl"]);
    let said = String::from_utf8(text.stderr).unwrap();
    assert!(
        said.starts_with("kiln: warning: program.jl:3: an item that comes here throws BoundsError"),
        "{said}"
    );
}

/// Commands whose output is JSON have the failure there.
#[test]
fn other_commands_have_it_on_standard_output() {
    let folder = program("others", UNDEFINED);
    let compile = kiln(&folder, &["compile", "--json", "program.jl", "half!(CuDeviceVector{Float32,1})"]);
    let said = String::from_utf8(compile.stdout).unwrap();
    assert!(said.contains(r#""error":{"kind":"program","code":"undefined-name""#), "{said}");
    assert!(said.contains(r#""file":"program.jl","line":3,"column":12"#), "{said}");
    let image = kiln(&folder, &["image", "--json", "show", "no-such.kimg"]);
    let said = String::from_utf8(image.stdout).unwrap();
    assert!(said.starts_with(r#"{"error":{"kind":""#) && said.lines().count() == 1, "{said}");
}

/// A build of an image tells in lines of JSON, too, which statements of the program did not finish.
#[test]
fn images_say_what_they_lack() {
    let folder = program("image_lacks", UNDEFINED);
    let output = kiln(&folder, &["image", "--json", "build", "-o", "program.kimg", "program.jl"]);
    assert!(output.status.success());
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(said.lines().count(), 1, "{said}");
    let parts = [r#"{"unfinished":{"kind":"program","code":"undefined-name""#, r#""line":3,"column":12"#];
    assert!(parts.iter().all(|it| said.contains(it)), "{said}");
}
