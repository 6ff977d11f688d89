//! `accuracy [SAMPLES] > docs/accuracy.md`: the greatest errors of the mathematical functions as a page.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command")]

use kiln_oracle::accuracy::measure;
use std::process::ExitCode;

/// The text above the table.
const HEAD: &str = "# Accuracy of the mathematical functions\n\n\
    The greatest error that was found, in units of the last place of the exact value, and the argument. The reference is\n\
    `BigFloat` of 160 bits. Host code and kernels for processors run the same functions. Kernels for NVIDIA and AMD GPUs have\n\
    functions of their own for `Float32`, which compute in `Float32` alone (`base/core/device_math.jl`), unless a vendor's library is\n\
    named; kernels in SPIR-V and for Metal call the driver's, which are not measured. The bounds are 1.0 for `Float32`, 1.5 for\n\
    `Float64`, and 2.0 for `Float32` on GPUs; `crates/kiln-oracle/tests/accuracy.rs` holds them. Made by\n\
    `cargo run -p kiln-oracle --bin accuracy`.\n";

fn main() -> ExitCode {
    let samples = std::env::args().nth(1).and_then(|it| it.parse().ok()).unwrap_or(1500);
    match measure(samples) {
        Ok(found) => {
            println!("{HEAD}\n{}", found.table);
            eprint!("{}", found.beyond);
            if found.beyond.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}
