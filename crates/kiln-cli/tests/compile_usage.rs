//! `kiln compile`: a wrong command line is an error that lists the accepted values, and compiles nothing; the places of output
//! files; the fields of its JSON.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::path::{Path, PathBuf};
use std::process::Command;

const PROGRAM: &str = "
using CUDA
f!(x) = (x[1] += 1; nothing)
g!(x) = (x[1] = f!(x) === nothing ? 2 : 3; nothing)
dynamic!(x) = (x[1] = undefined_function(x[1]); nothing)
half!(x) = (x[1] += Float64(2); nothing)
";

const F: &str = "f!(CuDeviceVector{Float32,1})";
const G: &str = "g!(CuDeviceVector{Float32,1})";

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("compile_{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("p.jl"), PROGRAM).unwrap();
    folder
}

/// Exit code, standard output, standard error.
fn run(folder: &Path, args: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kiln"));
    command.current_dir(folder).env("KILN_CACHE", "off").env("NO_COLOR", "1").env_remove("KILN_ISOLATE");
    let output = command.arg("compile").args(args).output().unwrap();
    let text = |it: &[u8]| String::from_utf8_lossy(it).into_owned();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

/// Wrong usage ends with status 2, the option, and its possible values.
#[test]
fn usage_is_told_before_anything_is_compiled() {
    let folder = folder("usage");
    std::fs::write(folder.join("file"), "").unwrap();
    let cases: &[(&[&str], &[&str])] = &[
        (&["-t", "sm_90", "--ptx", "99.9"], &["LLVM makes no PTX 99.9", "8.0, 8.1"]),
        (&["-t", "sm_90", "--ptx", "6.0"], &["sm_90 needs a later PTX than 6.0"]),
        (&["-t", "sm_90", "--ptx", "eight"], &["--ptx", "8.0, say"]),
        (&["-t", "sm_90", "--name", "a b"], &["--name", "letters, digits and `_`"]),
        (&["-t", "sm_99"], &["no target `sm_99`", "did you mean `sm_89`?"]),
        (&["-t", "gfx1100", "--code-object", "9"], &["--code-object"]),
        (&["-t", "spirv64", "--extensions", "SPV_X"], &["`SPV_X` is no extension"]),
        (&["-t", "spirv64", "--maxregs", "32"], &["--maxregs means nothing for spirv64", "sm_XX", "gfxXXXX"]),
        (&["-t", "bpf", "--minthreads", "32"], &["--minthreads means nothing for bpf"]),
        (&["-t", "native", "--fastmath"], &["--fastmath means nothing for native"]),
        (&["-t", "sm_90", "--maxthreads", "0"], &["one to three positive numbers"]),
        (&["-t", "sm_90", "--minthreads", "32,32,32"], &["at most 1024"]),
        (&["-t", "sm_90", "--maxregs", "0"], &["--maxregs"]),
        (&["-t", "sm_90", "--maxregs", "100000"], &["at most 255"]),
        (&["-t", "gfx1100", "--maxthreads", "4096"], &["at most 1024"]),
        (
            &["-t", "sm_90", "--minthreads", "512", "--maxthreads", "256"],
            &["--minthreads", "more than --maxthreads"],
        ),
        (&["-t", "sm_90", "--dims", "2"], &["no kernel of KernelAbstractions"]),
        (&["-t", "sm_90", "--dims", "2", "--groupsize", "16"], &["--dims", "--groupsize"]),
        (&["-t", "sm_90", "--groupsize", "0"], &["--groupsize"]),
        (&["-t", "sm_90,sm_90"], &["each target is to be named once"]),
        (&["-t", ""], &["--target: the name of a target is empty"]),
        (&["-t", "sm_90,"], &["--target: the name of a target is empty"]),
        (&["-t", "sm_90,spirv64", "-o", "file"], &["-o file", "2 artifacts", "name a folder"]),
        (&["-t", "sm_90,spirv64", "-o", "-"], &["-o -", "name a folder"]),
        (&["-t", "sm_90", "-o", "-", "--json"], &["--json is written there"]),
        (&["-t", "sm_90", "-o", "file/below"], &["file cannot be written"]),
        (&["-t", "native", "-o", "libx.so"], &["-o libx.so", "no .so but a .o file"]),
        (&["-t", "native", "-o", "x.a"], &["-o x.a", "no .a but a .o file"]),
        (&["-t", "native", "-o", "x.h"], &["-o x.h", "no .h but a .o file"]),
        (&["-t", "sm_90", "-o", "x.o"], &["-o x.o", "no .o but a .ptx file"]),
        (&["-t", "sm_90", "-o", "x.DLL"], &["-o x.DLL", "no .dll but a .ptx file"]),
        (&["-t", "sm_90", "--isolate=often"], &["--isolate", "never, risky, devices"]),
        (&["-t", "sm_90", "--emit", "exe"], &["--emit", "lowered"]),
    ];
    for (options, expected) in cases {
        let (code, out, err) = run(&folder, &[*options, &["p.jl", F]].concat());
        assert_eq!(code, 2, "{options:?}: {out}{err}");
        for it in *expected {
            assert!(err.contains(it), "{options:?}: no `{it}` in {err}");
        }
        assert!(!err.contains("limit of kiln"), "{options:?}: {err}");
    }
    let (code, _, err) = run(&folder, &["--name", "a", "-t", "sm_90", "p.jl", F, G]);
    assert!(code == 2 && err.contains("--name names one kernel"), "{err}");
    let left: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|it| it.unwrap().file_name()).collect();
    assert_eq!(left.len(), 2, "nothing is written: {left:?}");
}

/// With several targets an option is for those that take it; a warning names the others.
#[test]
fn options_that_some_take_are_warned_of() {
    let folder = folder("some");
    let (code, _, err) = run(&folder, &["-t", "sm_90,spirv64", "--maxregs", "32", "-o", "out", "p.jl", F]);
    assert_eq!(code, 0, "{err}");
    assert!(err.contains("warning: --maxregs means nothing for spirv64"), "{err}");
    assert!(std::fs::read_to_string(folder.join("out/f!.sm_90.ptx")).unwrap().contains(".maxnreg 32"));
}

/// One artifact goes to the file or into the folder, several into a folder that is made.
#[test]
fn files_go_where_they_are_to_go() {
    let folder = folder("files");
    let written = |args: &[&str], files: &[&str]| {
        let (code, out, err) = run(&folder, &[args, &["p.jl", F]].concat());
        assert_eq!(code, 0, "{args:?}: {out}{err}");
        for file in files {
            assert!(folder.join(file).is_file(), "{args:?}: no {file}");
        }
    };
    written(&["-t", "sm_90", "-o", "a/b/kernel.ptx"], &["a/b/kernel.ptx"]);
    written(&["-t", "sm_90", "-o", "a"], &["a/f!.sm_90.ptx"]);
    written(&["-t", "sm_90", "-o", "new/"], &["new/f!.sm_90.ptx"]);
    written(&["-t", "sm_90,gfx90a", "--emit", "obj", "-o", "two"], &["two/f!.sm_90.ptx", "two/f!.gfx90a.o"]);
    let (code, out, _) = run(&folder, &["-t", "sm_90", "p.jl", F]);
    assert!(code == 0 && out.contains(".visible .entry"), "text goes to standard output");
}

/// Every outcome is in the JSON, by kind; the status is that of the worst.
#[test]
fn json_has_every_outcome() {
    let folder = folder("json");
    let args = ["--json", "-t", "bpf,sm_90", "-o", "out", "p.jl", F, "dynamic!(CuDeviceVector{Float32,1})"];
    let (code, out, _) = run(&folder, &args);
    assert_eq!(code, 1);
    assert_eq!(out.lines().count(), 1, "{out}");
    for it in [
        r#""target":"sm_90","#,
        r#""symbol":"_Z2f_"#,
        r#""file":"out/f!.sm_90.ptx""#,
        r#""abi":"device""#,
        r#""kind":"target-limit""#,
        r#""kind":"program""#,
        "undefined_function",
    ] {
        assert!(out.contains(it), "no {it} in {out}");
    }
    let (code, out, _) = run(&folder, &["--json", "-t", "sm_1", "p.jl", F]);
    assert!(code == 2 && out.contains(r#""compiled":[],"error":{"kind":"usage""#), "{out}");
    let (code, out, _) = run(&folder, &["--json", "-t", "sm_90", "none.jl", F]);
    assert!(code != 0 && out.contains(r#""error":{"kind":"#), "{out}");
}

/// Help is complete: examples, exit statuses, every option with its values.
#[test]
fn help_has_examples_and_exit_statuses() {
    let (code, out, _) = run(&folder("help"), &["--help"]);
    assert_eq!(code, 0);
    for it in
        ["Examples:", "Exit status:", "--isolate", "--timeout", "--json", "kiln targets", "Possible values"]
    {
        assert!(out.contains(it), "no {it} in {out}");
    }
}

/// MISSION V1: a code generator that is not there, or is none, is a tool's fault, and what to do is said: for every target, and in
/// whichever process it would run.
#[test]
fn a_missing_code_generator_is_a_tool() {
    let folder = folder("codegen");
    let run = |codegen: &str, args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kiln"));
        command
            .current_dir(&folder)
            .env("KILN_CACHE", "off")
            .env("NO_COLOR", "1")
            .env("KILN_CODEGEN", codegen);
        let output = command.arg("compile").args(args).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{args:?}");
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    for target in ["sm_90", "spirv64", "native"] {
        for (codegen, what, help) in [
            ("/nowhere", "libkiln_codegen.so is missing; looked at /nowhere", "name it in KILN_CODEGEN"),
            ("/bin/sh", "the code generator /bin/sh cannot be opened", "of the same version as `kiln`"),
        ] {
            for emit in ["obj", "llvm"] {
                let (json, said) =
                    run(codegen, &["--json", "-t", target, "--emit", emit, "-o", "out", "p.jl", F]);
                assert!(json.contains("\"kind\":\"tool\""), "{target} {emit}: {json}");
                assert!(said.contains("error[tool]") && said.contains(what) && said.contains(help), "{said}");
                assert!(!said.contains("limit of kiln"), "{said}");
            }
        }
    }
}
