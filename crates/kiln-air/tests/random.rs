//! Random programs are run by LLVM 14's interpreter of machine code, and print the values that were computed when they were
//! generated. A verifier cannot see a swapped operand; this can.
//!
//! Blocks are in random order, so that results are mentioned before their instruction is written. `KILN_AIR_PROGRAMS` (40) is the
//! number of modules of eight functions each, `KILN_SEED` (1) where they start.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "random/program.rs"]
mod program;
#[path = "tools/mod.rs"]
mod tools;

use kiln_air::{read, write};

/// Returns a number from the environment.
fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |it| it.parse().unwrap())
}

#[test]
fn random_programs_compute_what_they_should() {
    let interpreter = tools::tool("lli");
    for seed in 0..number("KILN_AIR_PROGRAMS", 40) {
        let (module, output) = program::program(number("KILN_SEED", 1).wrapping_add(seed));
        let bitcode = write(&module).unwrap_or_else(|it| panic!("program {seed}: {it}"));
        assert!(read(&bitcode) == Ok(module), "program {seed} is another");
        let Some(interpreter) = &interpreter else { continue };
        tools::verified(&bitcode);
        let printed = String::from_utf8(tools::run(interpreter, &[], &bitcode, &[])).unwrap();
        assert_eq!(printed, output, "program {seed}");
    }
}
