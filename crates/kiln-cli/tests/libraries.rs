//! Libraries for devices that are named on the command line: kernels call their functions, and a library of other
//! contents is another library.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const PROGRAM: &str = "using CUDA
scales(a) = (a[1] = ccall(\"extern scaled\", llvmcall, Float32, (Float32,), a[1]); return)
";

/// Bitcode of a library with a function that multiplies by `factor`; `None` where there is no assembler.
fn library(folder: &Path, factor: &str) -> Option<PathBuf> {
    let assembler = Path::new("/usr/lib/llvm-22/bin/llvm-as");
    if !assembler.is_file() {
        eprintln!("skipped: libraries (no llvm-as; see scripts/device-tools.sh)");
        return None;
    }
    let text =
        format!("define float @scaled(float %x) {{\n  %y = fmul float %x, {factor}\n  ret float %y\n}}\n");
    let (source, made) = (folder.join("scaled.ll"), folder.join("scaled.bc"));
    std::fs::write(&source, text).unwrap();
    assert!(Command::new(assembler).arg(&source).arg("-o").arg(&made).status().unwrap().success());
    Some(made)
}

fn compile(folder: &Path, library: Option<&Path>) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kiln"));
    command.env("KILN_CACHE", "rw").env("KILN_CACHE_DIR", folder.join("cache")).env("NO_COLOR", "1");
    command.env_remove("KILN_DEVICE_LIBRARY");
    command.args(["compile", "-t", "sm_90", "--emit", "llvm", "-o", "-", "--timings=json"]);
    if let Some(library) = library {
        command.arg("--device-library").arg(library);
    }
    command.arg(folder.join("scales.jl")).arg("scales(CuDeviceVector{Float32,1})").output().unwrap()
}

/// Compiles; returns the output and the number of compiled units.
fn compiled(folder: &Path, library: &Path) -> (String, u64) {
    let output = compile(folder, Some(library));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{said}");
    let count = said.split(r#""compiles":"#).nth(1).unwrap().split(|it: char| !it.is_ascii_digit()).next();
    (String::from_utf8(output.stdout).unwrap(), count.unwrap().parse().unwrap())
}

/// MISSION C14: what was made with a library is found again with the same one, and not with another in the same file.
#[test]
fn the_contents_of_a_library_are_in_the_key() {
    let folder = std::env::temp_dir().join(format!("kiln-cli-libraries-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("scales.jl"), PROGRAM).unwrap();
    if let Some(first) = library(&folder, "3.0") {
        let (text, count) = compiled(&folder, &first);
        assert!(text.contains("fmul float %") && text.contains("3.000000e+00") && count > 0, "{text}");
        assert_eq!(compiled(&folder, &first), (text, 0));
        let second = library(&folder, "5.0").unwrap();
        let (text, count) = compiled(&folder, &second);
        assert!(
            text.contains("5.000000e+00") && !text.contains("3.000000e+00") && count == 1,
            "{count} {text}"
        );
    }
    let output = compile(&folder, None);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        said.contains("nothing defines the function `scaled`") && said.contains("scales.jl:2:21"),
        "{said}"
    );
    let output = compile(&folder, Some(&folder.join("scales.jl")));
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(said.contains("scales.jl is no library of bitcode"), "{said}");
    let _ = std::fs::remove_dir_all(&folder);
}
