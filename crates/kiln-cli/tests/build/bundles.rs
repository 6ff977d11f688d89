//! Bundles: one file for several targets, opened by a C program.

use crate::project::{Project, SIGNATURES, c_compiler, runtime};
use kiln_bundle::Bundle;

const MAIN: &str = r#"
#include "kernels.h"
#include <stdio.h>
#include <stdlib.h>

static struct kiln_rt_failure failure;

int main(int count, char **names) {
    (void)count;
    struct kiln_bundle *bundle = 0;
    const struct kiln_rt_kernel *saxpy_here = 0, *root_here = 0, *none = 0;
    struct kiln_artifact artifact;
    float y[3] = {1, 2, 3}, x[3] = {10, 20, 30};
    kiln_array_float32_1 vy = {y, {3}}, vx = {x, {3}};
    double root_of = 0;
    if (kiln_bundle_open(names[1], &bundle, &failure) != KILN_RT_OK) { printf("%s\n", failure.text); return 4; }
    if (kiln_bundle_kernel(bundle, "saxpy", &saxpy_here, &failure) != KILN_RT_OK) return 5;
    if (kiln_bundle_kernel(bundle, "root", &root_here, &failure) != KILN_RT_OK) return 6;
    if (saxpy_launch_with(saxpy_here, kiln_rt_cover(3, 2), vy, 2, vx, &failure) != KILN_RT_OK) return 7;
    if (root_call_with(root_here, 9, 1, &root_of, &failure) != KILN_RT_OK) return 8;
    printf("%g %g %g %g\n", y[0], y[1], y[2], root_of);
    vx.dims[0] = 2;
    if (saxpy_launch_with(saxpy_here, kiln_rt_cover(3, 2), vy, 2, vx, &failure) != KILN_RT_FAILED) return 9;
    printf("%.46s\n", failure.text);
    if (kiln_bundle_kernel(bundle, "memcpy", &none, &failure) != KILN_RT_MISSING || none) return 10;
    printf("%s\n", failure.text);
    if (kiln_bundle_artifact(bundle, "saxpy", "sm_90", &artifact, &failure) != KILN_RT_OK) return 11;
    printf("%.*s\n", (int)artifact.description_bytes, artifact.description);
    fwrite(artifact.contents, 1, artifact.bytes, stdout);
    if (kiln_bundle_artifact(bundle, "saxpy", "sm_50", &artifact, 0) != KILN_RT_MISSING) return 12;
    if (kiln_bundle_close(bundle) != KILN_RT_OK) return 13;
    puts("closed");
    return 0;
}
"#;

const BUILT: [&str; 2] = [SIGNATURES[0], SIGNATURES[5]];

/// A project with a program of `main.c`, which opens bundles, and the arguments of a build.
fn project(test: &str, targets: &str) -> Project {
    let project = Project::new(test);
    std::fs::write(project.0.join("main.c"), MAIN).unwrap();
    project.build(&["-t", targets, "-o", "kernels.kbundle", "--header", "kernels.h"], &BUILT);
    project
}

fn opened(project: &Project, bundle: &str) -> (Option<i32>, String) {
    let mut command = std::process::Command::new(project.0.join("main"));
    command.arg(project.0.join(bundle)).env_clear().env("PATH", "").env("LD_LIBRARY_PATH", runtime());
    let ran = command.output().unwrap();
    (ran.status.code(), String::from_utf8_lossy(&ran.stdout).into_owned())
}

/// MISSION N13: a program launches kernels of a bundle on the processor, and finds the code for a GPU, without kiln.
#[test]
fn a_program_opens_a_bundle() {
    let Some(cc) = c_compiler() else { return };
    let project = project("bundle", "x86-64,sm_90,spirv64,x86-64-v2,metal");
    let folder = format!("-L{}", runtime().display());
    // No function of the header is used that names a descriptor, so no library of kernels is linked.
    project.compile(cc, &["-std=c11", "-O1", "main.c", "-o", "main", &folder, "-lkiln_rt"]);
    let (code, said) = opened(&project, "kernels.kbundle");
    assert_eq!(code, Some(0), "{said}");
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines[0], "21 42 63 3");
    assert_eq!(lines[1], "BoundsError: an array of size 2 at index (3) i");
    assert_eq!(lines[2], "the bundle has no `memcpy` for this processor");
    assert!(
        lines[3].starts_with(r#"{"kernels":[{"function":"saxpy!","symbol":"saxpy","target":"sm_90""#),
        "{said}"
    );
    assert!(said.contains(".visible .entry saxpy(") && said.ends_with("closed\n"), "{said}");

    let bytes = project.read("kernels.kbundle");
    let bundle = Bundle::from_bytes(&bytes).unwrap();
    let parts: Vec<String> = bundle
        .parts
        .iter()
        .map(|it| format!("{} {} {}", it.target, it.format, it.kernels.join(",")))
        .collect();
    let expected = [
        "x86-64-v2 so saxpy,root",
        "x86-64 so saxpy,root",
        "sm_90 ptx saxpy",
        "spirv64 spv saxpy",
        "metal metallib saxpy",
    ];
    assert_eq!(parts, expected);
}

/// A damaged bundle is refused by name, wherever the damage is.
#[test]
fn damaged_bundles_are_refused() {
    let Some(cc) = c_compiler() else { return };
    let project = project("damaged", "x86-64");
    let folder = format!("-L{}", runtime().display());
    project.compile(cc, &["-std=c11", "-O1", "main.c", "-o", "main", &folder, "-lkiln_rt"]);
    let whole = project.read("kernels.kbundle");
    let refused = |bytes: &[u8]| {
        std::fs::write(project.0.join("other.kbundle"), bytes).unwrap();
        let (code, said) = opened(&project, "other.kbundle");
        assert_eq!(code, Some(4), "{said}");
        said
    };
    for at in [8, 13, 20, 50, whole.len() / 2, whole.len() - 1] {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x40;
        let said = refused(&damaged);
        assert!(
            said.contains("other.kbundle: it ") || said.contains("its format has version"),
            "{at}: {said}"
        );
    }
    assert!(refused(&whole[..whole.len() - 1]).contains("it has been cut short"));
    assert!(refused(b"\x7fELF").contains("it is no bundle"));
    let (code, said) = opened(&project, "missing.kbundle");
    assert!(code == Some(4) && said.contains("missing.kbundle: No such file"), "{said}");
}

/// Two builds are equal to the byte; what a bundle cannot have is said.
#[test]
fn bundles_are_reproducible_and_refuse_other_processors() {
    let (one, other) = (project("bundle-one", "sm_90,x86-64-v2"), project("bundle-other", "sm_90,x86-64-v2"));
    assert!(one.read("kernels.kbundle") == other.read("kernels.kbundle"));
    let said = one.refused(2, &["-t", "znver4", "-o", "no.kbundle"], &BUILT);
    assert!(said.contains("`znver4` is no level of processors"), "{said}");
    let said = one.refused(2, &["-t", "sm_90", "-o", "no.so"], &BUILT);
    assert!(said.contains("--target is for bundles"), "{said}");
    let said = one.refused(2, &["-t", "sm_9000", "-o", "no.kbundle"], &BUILT);
    assert!(said.contains("sm_9000"), "{said}");
}
