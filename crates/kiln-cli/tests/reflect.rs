//! What `kiln reflect` shows of a kernel's machine code.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::path::Path;
use std::process::Command;

/// Machine code of `signature` in a file with this text; `None` where there is no disassembler.
fn native(name: &str, text: &str, signature: &str) -> Option<String> {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&file, text).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_kiln"));
    let output = command.args(["reflect", "native"]).arg(&file).arg(signature).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    if stderr.contains("no disassembler") {
        eprintln!("skipped: no disassembler");
        return None;
    }
    assert!(output.status.success(), "{stderr}");
    Some(String::from_utf8(output.stdout).unwrap())
}

/// Several items go into one vector, whether or not every access is checked, and whether indices have 32 bits
/// (CUDA) or 64 (KernelAbstractions).
#[test]
fn saxpy_is_made_of_packed_instructions() {
    let cuda = "using CUDA
function saxpy!(y, a, x)
    i = (blockIdx().x - 1) * blockDim().x + threadIdx().x
    if i <= length(y)
        y[i] = y[i] + a * x[i]
    end
    return
end
";
    let inbounds = cuda.replace("        y[i] =", "        @inbounds y[i] =");
    let signature = "saxpy!(CuDeviceVector{Float32,1}, Float32, CuDeviceVector{Float32,1})";
    for (name, text) in [("saxpy_checked.jl", cuda), ("saxpy_inbounds.jl", &inbounds)] {
        let Some(code) = native(name, text, signature) else { return };
        let packed = |it: &str| code.lines().any(|line| line.contains(it));
        assert!(packed("mulps") && packed("addps"), "{name}: {code}");
        // A comment before the instructions of each statement says where it stands.
        let store = if name == "saxpy_checked.jl" { "saxpy_checked.jl:5" } else { "saxpy_inbounds.jl:5" };
        assert!(code.lines().any(|it| it.starts_with("; ") && it.contains(store)), "{code}");
        // The loop that most items run in asks nothing of each.
        assert!(!packed("{%k") && !packed("maskmov"), "{name}: {code}");
    }
}
