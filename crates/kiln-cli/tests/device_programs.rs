//! Programs of `tests/programs` on an OpenCL device: their tests hold there too, and their output is the same; each is a test.
//!
//! `make test-opencl` runs these with an OpenCL driver for CPUs; there a missing one fails. Elsewhere they are skipped
//! where there is none, and say so.
//!
//! MISSION G.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod opencl;
mod project;

use kiln_testing::random::setting;
use kiln_testing::{Outcome, Suite, Verdict, repository};
use opencl::printed;
use std::process::ExitCode;

/// Programs of `tests/programs` that launch kernels. The others compare bits of mathematical functions, which here are the
/// driver's, need items of a warp that go different ways or a stack, or have items that return before a barrier, for which
/// OpenCL defines nothing.
const PROGRAMS: &[&str] = &[
    "amdgpu_arrays",
    "amdgpu_kernels",
    "amdgpu_output",
    "amdgpu_wavefronts",
    "atomics",
    "checked_products",
    "cuda_atomics",
    "cuda_barriers",
    "cuda_dynamic",
    "cuda_dynamic_output",
    "cuda_failures",
    "cuda_launch_limits",
    "cuda_launch_options",
    "cuda_output",
    "cuda_saxpy",
    "cuda_streams",
    "cuda_subgroups",
    "device_array_broadcasts",
    "device_array_dialects",
    "device_array_folds",
    "device_array_parts",
    "device_array_products",
    "device_array_searches",
    "device_functions",
    "ka_basic",
    "ka_print",
    "index_bounds",
    "kernel_arguments",
    "kernel_boxes",
    "kernel_captured",
    "kernel_deferred_direct",
    "kernel_identities",
    "kernel_library",
    "kernel_objects",
    "kernel_random",
    "kernel_reflection",
    "kernel_tuples",
    "kernel_union_arrays",
    "kernel_union_fields",
    "kernel_unions",
    "kernel_varargs",
    "oneapi_kernels",
    "oneapi_output",
    "opencl_kernels",
    "overlays",
    "redefinition",
];

/// Their tests hold there, and what their kernels print is printed: lines of different items in any order.
fn program(name: &str) -> Verdict {
    if let Some(reason) = opencl::reason_to_skip() {
        return Ok(Outcome::Skipped(reason));
    }
    let sorted = |text: &str| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    let file = format!("tests/programs/{name}.jl");
    let got = printed(&file, "opencl")?;
    let expected = std::fs::read_to_string(repository().join(&file).with_extension("out")).ok();
    match expected.filter(|it| sorted(it) != sorted(&got)) {
        None => Ok(Outcome::Passed),
        Some(expected) => Err(format!("expected\n{expected}\ngot\n{got}")),
    }
}

fn main() -> ExitCode {
    let slice = setting("KILN_PROGRAM_SLICE", 1) as usize;
    let programs = PROGRAMS.iter().step_by(slice);
    programs.fold(Suite::new(), |suite, name| suite.test(*name, || program(name))).run()
}
