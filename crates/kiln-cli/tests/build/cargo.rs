//! Libraries that build scripts of Rust programs make.

use crate::project::{Project, SIGNATURES};
use kiln_build::{KernelLibrary, KernelLibraryError};

fn library(project: &Project) -> KernelLibrary {
    let kiln = env!("CARGO_BIN_EXE_kiln");
    KernelLibrary::new("kernels", project.0.join("program.jl")).kiln(kiln).out(project.0.join("out"))
}

/// A build script has the archive, the header, and lines for cargo that name each input.
#[test]
fn a_build_script_builds_a_library() {
    let project = Project::new("cargo");
    let text = std::fs::read_to_string(project.0.join("program.jl")).unwrap();
    std::fs::write(project.0.join("program.jl"), format!("include(\"part.jl\")\n{text}")).unwrap();
    std::fs::write(project.0.join("part.jl"), "const PART = 1\n").unwrap();
    let built =
        library(&project).function(SIGNATURES[0]).function(SIGNATURES[5]).cpu("x86-64-v2").try_build();
    let built = built.unwrap();
    assert!(std::fs::read(&built.archive).unwrap().starts_with(b"!<arch>\n"));
    assert!(std::fs::read_to_string(&built.header).unwrap().contains("root_call("));
    let has = |line: String| assert!(built.directives.contains(&line), "{line}: {:?}", built.directives);
    for input in ["program.jl", "part.jl"] {
        has(format!("cargo:rerun-if-changed={}", project.0.join(input).display()));
    }
    has(format!("cargo:rustc-link-search=native={}", project.0.join("out").display()));
    has("cargo:rustc-link-lib=static=kernels".into());
}

/// A build script fails with the message of kiln.
#[test]
fn a_build_script_fails_with_the_message() {
    let project = Project::with_program("cargo-fails", "words(n::Int64) = string(n)\n");
    let Err(KernelLibraryError::Failed(said)) = library(&project).function("words(Int64)").try_build() else {
        panic!("it has been built");
    };
    assert!(said.contains("program.jl:1:19") && said.contains("error[host-call]"), "{said}");
}
