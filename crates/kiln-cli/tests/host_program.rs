//! `examples/opencl-host`: a third-party program, which links nothing of kiln, runs the output of `kiln compile`, and
//! finds in the table of sites where an item failed, by `docs/artifacts.md` alone.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod project;
use project::Project;
use std::path::{Path, PathBuf};
use std::process::Command;

const SIGNATURE: &str = "axpy!(CuDeviceVector{Float32,1}, Float32, CuDeviceVector{Float32,1})";

fn example() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/opencl-host")
}

/// Builds the program in a folder of its own, as its owner would.
fn program() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("opencl-host");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["build", "--locked", "--target-dir"]).arg(&folder).current_dir(example());
    // The driver's directory has libraries of names that others have.
    command.env_remove("LD_LIBRARY_PATH");
    assert!(command.status().unwrap().success(), "the example does not build");
    folder.join("debug/opencl-host")
}

/// MISSION R5, U: the kernel computes what it says; an item beyond the end leaves a number, which is a line of the program.
#[test]
fn a_program_without_kiln_runs_what_was_compiled() {
    if std::env::var_os("KILN_TEST_OPENCL").is_none() {
        eprintln!("skipped: no OpenCL driver (make test-opencl installs one)");
        return;
    }
    let project = Project::new("axpy");
    std::fs::copy(example().join("axpy.jl"), project.dir.join("axpy.jl")).unwrap();
    let options = ["-o", "axpy.spv", "--name", "axpy", "--sites", "axpy.json"];
    let args = [&["compile", "-t", "spirv64"], &options[..], &["axpy.jl", SIGNATURE]].concat();
    let output = project.kiln("off", &args);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));

    let output =
        Command::new(program()).args(["axpy.spv", "axpy"]).current_dir(&project.dir).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines[0], "sum 921600, site 0");
    let (site, item) = lines[1].strip_prefix("site ").and_then(|it| it.split_once(": item ")).unwrap();
    let item: usize = item.split_once(' ').unwrap().0.parse().unwrap();
    assert!((961..=1024).contains(&item), "{said}");

    let sites = std::fs::read_to_string(project.dir.join("axpy.json")).unwrap();
    let (_, of_site) = sites.split_once(&format!("{{\"site\":{site},")).unwrap();
    let of_site = of_site.split("{\"site\":").next().unwrap();
    assert!(of_site.contains("\"exception\":\"throw_boundserror\""), "{of_site}");
    assert!(of_site.contains("{\"function\":\"axpy!\",\"file\":\"axpy.jl\",\"line\":6}"), "{of_site}");
}
