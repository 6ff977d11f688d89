//! The divergence analysis alone, on modules written by hand in LLVM's language: each file of `tests/divergence` is a test.
//!
//! Lines that begin with `#` are comments, but for `#: divergence BITS`: the text that follows lists the blocks of each loop over
//! items in the order in which they are vectorized, and says of each instruction how its value differs between items (of
//! an access its address, of a branch its condition), and how vector code does it.
//!
//! `KILN_BLESS=1` writes the lists. LLVM's verifier reads the modules before.

use kiln_codegen::{Generator, assemble};
use kiln_testing::{Section, Suite, Verdict, read, verify};
use kiln_unit::{AnalysedLoop, DivergenceRequest, LaneOperation, Spread};
use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

fn listed(it: &AnalysedLoop) -> String {
    let mut text = match &it.lanes {
        Ok(lanes) => format!("@{}: vectors of {lanes} items\n", it.function),
        Err(why) => format!("@{}: one item after the other: {}\n", it.function, why.0),
    };
    let mut block = None;
    for it in &it.instructions {
        if block != Some(it.block) {
            block = Some(it.block);
            let partial = if it.is_partial { ", some items" } else { "" };
            let divergent = if it.is_in_divergent_loop { ", divergent loop" } else { "" };
            let _ = writeln!(text, "block {}{partial}{divergent}", it.block);
        }
        let spread = match it.spread {
            Spread::Uniform => "uniform".into(),
            Spread::Consecutive(stride) => format!("consecutive {stride:+}"),
            Spread::Varying => "varying".into(),
        };
        let operation = if it.operation == LaneOperation::Value { "" } else { it.operation.name() };
        let _ = writeln!(text, "  {spread:<17}{operation:<14}{}", it.text);
    }
    text
}

fn made(text: &str, section: &Section) -> Result<String, String> {
    let [verb, bits] = &section.words[..] else { return Err("write `divergence BITS`".into()) };
    if verb != "divergence" {
        return Err(format!("there is no stage `{verb}`"));
    }
    let source: String = text.lines().filter(|it| !it.starts_with('#')).map(|it| format!("{it}\n")).collect();
    let bitcode = assemble(&source).map_err(|it| it.to_string())?;
    let target = kiln_targets::lookup("x86-64-v4").ok_or("there is no such target")?.to_bytes();
    let vector_bits = bits.parse().map_err(|_| format!("`{bits}` is no number"))?;
    let request = DivergenceRequest { target, opt_level: 2, vector_bits, by_hand: true, bitcode };
    let loops = Generator::default().divergence(&request).result.map_err(|it| it.message)?;
    Ok(loops.iter().map(listed).collect::<Vec<_>>().join("\n"))
}

fn main() -> ExitCode {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/divergence");
    let document = |file: &Path| -> Verdict {
        let text = read(file);
        verify(file, &mut |section| made(&text, section))
    };
    Suite::new().files("", &folder, "ll", document).run()
}
