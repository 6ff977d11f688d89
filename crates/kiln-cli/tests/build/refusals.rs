//! What is not built, and how the user is told.

use crate::project::{Project, SIGNATURES};

const PROGRAM: &str = "
using CUDA
squares(n::Int64) = sum([i^2 for i in 1:n])
text(x::Float64) = string(x)
function chatty!(y)
    @cuprintln(\"hello\")
    return
end
symbol(n::Int64) = n > 0 ? :positive : :other
calls(n::Int64) = ccall(:getpid, Cint, ())
fine(n::Int64) = n + 1
either(n::Int64) = n > 0 ? n : 1.0
";

/// MISSION V2: what a program without a session cannot have is refused at its line, with the call; nothing is written then.
#[test]
fn what_needs_a_session_is_refused() {
    let project = Project::with_program("refused", PROGRAM);
    let refused = |signature: &str| project.refused(1, &["-o", "no.so"], &["fine(Int64)", signature]);
    for (signature, message, place, caret) in [
        (
            "squares(Int64)",
            "error[allocation]: a kernel cannot allocate",
            "program.jl:3:",
            "^ `collect` makes one",
        ),
        (
            "text(Float64)",
            "error[host-object]: a kernel has no strings",
            "program.jl:4:",
            "^ `string` needs one",
        ),
        (
            "chatty!(CuDeviceVector{Float32,1})",
            "error[ahead-of-time]: code that is built ahead of time cannot print",
            "program.jl:6:",
            "^ this prints",
        ),
        ("symbol(Int64)", "symbol or an address of this session", "program.jl:9:", "^"),
        (
            "calls(Int64)",
            "error[foreign-call]: a kernel cannot call the C function `getpid`",
            "program.jl:10:",
            "^^",
        ),
    ] {
        let said = refused(signature);
        assert!(
            said.contains(message) && said.contains(place) && said.contains(caret),
            "{signature}: {said}"
        );
        assert!(!said.contains("fine(Int64)"), "{said}");
    }
    assert!(refused("either(Int64)").contains("its result is of one of several types"));
    assert!(!project.0.join("no.so").exists());
}

/// Names that C cannot have, endings that say something else, and functions that are not there.
#[test]
fn wrong_command_lines_are_explained() {
    let project = Project::new("usage");
    let said = |args: &[&str], signatures: &[&str]| project.refused(2, args, signatures);
    for (signatures, wanted) in [
        (
            &["sin(Float64)"][..],
            "`sin` is a name of C's library: give another name, as in `my_sin=sin(Float64)`",
        ),
        (&["int=root(Float64, Int32)"], "`int` is a keyword or a type of C or C++"),
        (&["root(Float64, Int32)", "root(Float64, Int32)"], "would both be `root`"),
        (&["root"], "is not of the form"),
    ] {
        let said = said(&["-o", "no.so"], signatures);
        assert!(said.contains(wanted), "{said}");
    }
    assert!(
        said(&["-o", "kernels"], &SIGNATURES).contains("the kind of output is not clear from the ending")
    );
    assert!(
        said(&["--emit", "static", "-o", "kernels.so"], &SIGNATURES)
            .contains("names a shared library, and --emit asks for an archive")
    );
    assert!(said(&["-o", "kernels.o"], &SIGNATURES).contains("9 functions make as many objects"));
    assert!(said(&["--cpu", "sm_90", "-o", "kernels.so"], &SIGNATURES).contains("`sm_90` is no processor"));
    assert!(said(&["--cpu", "znver44", "-o", "kernels.so"], &SIGNATURES).contains("did you mean `znver4`?"));
}

/// An archive needs no linker; a shared library says which ones would do.
#[test]
fn a_missing_linker_is_named() {
    let project = Project::new("linker");
    let without = |args: &[&str]| {
        let ran = project.command(args, &["answer()"]).env("PATH", "/none").output().unwrap();
        (ran.status.code(), String::from_utf8_lossy(&ran.stderr).into_owned())
    };
    let (code, said) = without(&["-o", "kernels.so"]);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("none of cc, gcc, clang, ld.lld, ld.lld-22 and ld in PATH"), "{said}");
    assert_eq!(without(&["-o", "kernels.a"]).0, Some(0));
    let said = project.refused(1, &["--linker", "/bin/false", "-o", "kernels.so"], &["answer()"]);
    assert!(said.contains("/bin/false cannot link the library"), "{said}");
}

/// Linkers link without a compiler, too.
#[test]
fn linkers_link_by_themselves() {
    for linker in ["ld.lld", "ld.lld-22", "ld"] {
        if std::process::Command::new(linker).arg("--version").output().is_err() {
            continue;
        }
        let project = Project::new(&format!("by-{linker}"));
        project.build(&["--linker", linker, "-o", "kernels.so"], &SIGNATURES);
        assert!(project.read("kernels.so").starts_with(b"\x7fELF"));
    }
}

/// No output is written over a source, or over another output.
#[test]
fn outputs_have_places_of_their_own() {
    let project = Project::new("places");
    let before = project.read("program.jl");
    let said = project.refused(2, &["--emit", "header", "-o", "program.jl"], &["answer()"]);
    assert!(said.contains("program.jl is a source of the build"), "{said}");
    let said = project.refused(2, &["-o", "one.so", "--depfile", "./one.so"], &["answer()"]);
    assert!(said.contains("two outputs are to be written to ./one.so"), "{said}");
    assert_eq!(project.read("program.jl"), before);
    assert!(!project.0.join("one.so").exists());
}
