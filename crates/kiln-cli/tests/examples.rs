//! The programs of `examples/`, as users write them: each checks its own results, on the processor and on an OpenCL device; their
//! output there is the same within a tolerance, and later processes compile nothing.
//!
//! `make test-opencl` runs those of devices with an OpenCL driver for CPUs; there a missing one fails. Elsewhere they are skipped where
//! there is none, and say so. A program that uses a package is skipped unless `KILN_PACKAGES` names a folder with its checkout, as for
//! `scripts/packages.sh`.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod opencl;
mod project;

use kiln_testing::{Outcome, Suite, Verdict, repository};
use project::{Project, total};
use std::path::PathBuf;
use std::process::ExitCode;

/// Sums of 32-bit floats in another order, and functions of a driver's mathematical library.
const TOLERANCE: f64 = 1e-4;

#[derive(Clone, Copy)]
struct Example {
    name: &'static str,
    /// How far numbers with a point may be apart, relative to the larger one.
    tolerance: f64,
    /// A package that is not a part of kiln.
    package: Option<&'static str>,
    /// The bytes that are copied to a device and back, at most, if it has memory of its own: the arrays that the program gives and
    /// looks at, and no results in between.
    copied: [u64; 2],
    /// The functions that every process infers again, since the store does not keep them.
    inferred_again: u64,
}

/// The processes after the first of which one compiles nothing; mostly it is the first of them. In a second process some code is compiled
/// earlier than in the first, so that other code may become hot that was not.
const PROCESSES: u32 = 3;

const fn example(name: &'static str, copied: [u64; 2]) -> Example {
    Example { name, tolerance: TOLERANCE, package: None, copied, inferred_again: 0 }
}

const EXAMPLES: &[Example] = &[
    // They print what does not depend on rounding.
    Example { tolerance: 0.0, ..example("nbody", [64 << 10, 64 << 10]) },
    // Its arrays are the processor's.
    Example { tolerance: 0.0, ..example("mandelbrot", [512 << 10, 512 << 10]) },
    Example { tolerance: 0.0, ..example("matmul_tiled", [64 << 10, 64 << 10]) },
    Example { inferred_again: 14, ..example("softmax", [280 << 10, 24 << 10]) },
    example("kmeans", [160 << 10, 80 << 10]),
    // Host code that a later process compiles at once asks for its array of 516 KiB a few times; 425 launches leave it on the device.
    Example { inferred_again: 1, ..example("heat", [2 << 20, 2 << 20]) },
    example("conjugate_gradients", [168 << 10, 48 << 10]),
    example("fft", [520 << 10, 4 << 10]),
    example("blur", [240 << 10, 536 << 10]),
    // The numbers that a device draws are others than on the processor.
    Example { tolerance: 2e-2, ..example("options", [1 << 10, 1 << 10]) },
    example("life", [264 << 10, 12 << 10]),
    example("runge_kutta", [3920 << 10, 1 << 10]),
    // Its last `@test` reaches more objects than are walked, so that all arrays are asked for, also those that nothing has any more.
    Example {
        package: Some("ForwardDiff.jl"),
        inferred_again: u64::MAX,
        ..example("gradient_descent", [128 << 10, u64::MAX])
    },
];

/// The folder of checkouts that has the package; why the test is skipped, if there is none.
fn checkouts_with(package: &str) -> Result<PathBuf, String> {
    let folder = std::env::var_os("KILN_PACKAGES").map(PathBuf::from);
    folder.filter(|it| it.join(package).is_dir()).ok_or_else(|| format!("{package} is not in KILN_PACKAGES"))
}

/// Runs an example with a store of its own. Returns its output and that of `--timings=json`.
fn run(project: &Project, it: &Example, device: &str) -> Result<(String, String), String> {
    let file = repository().join("examples").join(it.name).with_extension("jl");
    let picture = project.dir.join("picture.png");
    let mut command = project.command("rw", &["run", "--timings=json", "--device", device]);
    command.arg(file).arg(picture).env_remove("KILN_DEVICE").env("KILN_COPY_ARRAYS", "1");
    if let Some(package) = it.package {
        let folder = checkouts_with(package)?;
        command.env("JULIA_LOAD_PATH", format!("{}:@stdlib", folder.display()));
    }
    let output = command.output().unwrap();
    let [printed, said] = [output.stdout, output.stderr].map(|it| String::from_utf8(it).unwrap());
    // Where the picture is differs.
    let printed = printed.replace(&project.dir.display().to_string(), "");
    if output.status.success() {
        Ok((printed, said))
    } else {
        Err(format!("{}\n{printed}\n{said}", output.status))
    }
}

/// A word, and its value if it is a number with a point; others have to be the same to the letter.
fn words(printed: &str) -> Vec<(&str, Option<f64>)> {
    let is_between = |it: char| it.is_whitespace() || "[](),:;".contains(it);
    let words = printed.split(is_between).filter(|it| !it.is_empty());
    // A `Float32` may be written as `1.0f-5`.
    let value = |it: &str| it.contains('.').then(|| it.replace('f', "e").parse().ok()).flatten();
    words.map(|it| (it, value(it))).collect()
}

fn are_near((a, b): (f64, f64), tolerance: f64) -> bool {
    a == b || (a - b).abs() <= tolerance * a.abs().max(b.abs())
}

/// Compares two outputs, number by number.
fn agree(expected: &str, got: &str, tolerance: f64) -> Verdict {
    let (left, right) = (words(expected), words(got));
    let near = |((a, x), (b, y))| match (x, y) {
        (Some(x), Some(y)) => are_near((x, y), tolerance),
        _ => a == b,
    };
    if !left.is_empty() && left.len() == right.len() && left.into_iter().zip(right).all(near) {
        return Ok(Outcome::Passed);
    }
    Err(format!("expected within {tolerance}\n{expected}\ngot\n{got}"))
}

/// The example runs to its end, and so it does in later processes, of which one compiles nothing.
fn settles(it: &Example, project: &Project, device: &str) -> Result<(String, String), String> {
    let (first, _) = run(project, it, device)?;
    let mut made = Vec::new();
    for _ in 0..PROCESSES {
        let (printed, said) = run(project, it, device)?;
        agree(&first, &printed, it.tolerance)?;
        let of_this = ["inferences", "compiles", "device_links"].map(|name| total(&said, name));
        if of_this[0] <= it.inferred_again && of_this[1..] == [0; 2] {
            return Ok((first, said));
        }
        made.push(of_this);
    }
    Err(format!("later processes inferred, compiled and linked {made:?}"))
}

/// Why an example is skipped.
fn is_skipped(it: &Example) -> Option<Outcome> {
    it.package.and_then(|it| checkouts_with(it).err()).map(Outcome::Skipped)
}

fn on_the_processor(it: &Example) -> Verdict {
    if let Some(skipped) = is_skipped(it) {
        return Ok(skipped);
    }
    let project = Project::new(&format!("{}-cpu", it.name));
    settles(it, &project, "cpu").map(|_| Outcome::Passed)
}

/// MISSION G, E4: on a device the output is that of the processor, and arrays stay on the device.
fn on_a_device(it: &Example) -> Verdict {
    if let Some(reason) = opencl::reason_to_skip() {
        return Ok(Outcome::Skipped(reason));
    }
    if let Some(skipped) = is_skipped(it) {
        return Ok(skipped);
    }
    let project = Project::new(&format!("{}-device", it.name));
    let (expected, _) = run(&project, it, "cpu")?;
    let (got, said) = settles(it, &project, "opencl")?;
    let copied = ["bytes_to_devices", "bytes_from_devices"].map(|name| total(&said, name));
    if copied.iter().zip(it.copied).any(|(bytes, most)| *bytes > most) {
        return Err(format!("{copied:?} bytes were copied, where {:?} are enough", it.copied));
    }
    agree(&expected, &got, it.tolerance)
}

/// Every program there is tested.
fn all_are_listed() -> Verdict {
    let files = kiln_testing::files(&repository().join("examples"), "jl");
    // A part of others.
    let mut names: Vec<String> =
        files.iter().map(|it| kiln_testing::stem(it)).filter(|it| it != "png").collect();
    let mut listed: Vec<&str> = EXAMPLES.iter().map(|it| it.name).collect();
    names.sort();
    listed.sort_unstable();
    let index = kiln_testing::read(&repository().join("examples/README.md"));
    let absent: Vec<&String> = names.iter().filter(|it| !index.contains(&format!("`{it}.jl`"))).collect();
    if names == listed && absent.is_empty() {
        Ok(Outcome::Passed)
    } else {
        Err(format!("{names:?} {absent:?}"))
    }
}

fn main() -> ExitCode {
    let mut suite = Suite::new().test("all_are_listed", all_are_listed);
    for it in EXAMPLES {
        suite = suite.test(format!("cpu/{}", it.name), || on_the_processor(it));
        suite = suite.test(format!("opencl/{}", it.name), || on_a_device(it));
    }
    suite.run()
}
