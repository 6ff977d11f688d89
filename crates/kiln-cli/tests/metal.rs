//! Kernels for Apple GPUs, executed on this processor: each file in `tests/metal` launches kernels on the CPU device, and the same
//! kernels, compiled to AIR, have to leave the same bytes.
//!
//! The modules are read, verified and compiled by LLVM 14, whose dialect they are in, and `runner.c` has the functions of AIR. So what is
//! tested is everything up to Apple's own compiler (MISSION M1, M2, M3); nothing here runs on a Mac. Without LLVM 14 (`scripts/air-tools.sh`) or a C
//! compiler the tests are skipped.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "metal/launch.rs"]
mod launch;
mod project;
#[path = "metal/trampoline.rs"]
mod trampoline;

use kiln_testing::{Outcome, Suite, Verdict, repository, stem};
use launch::{Argument, Launch};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// Where Debian has LLVM 14.
const LLVM: &str = "/usr/lib/llvm-14/bin";
/// Each kernel is compiled for these, with these options.
const TARGETS: [(&str, &[&str]); 3] =
    [("metal", &[]), ("metal-macos26", &["-O1", "-g2"]), ("metal-macos15-metal3.1", &["-O0", "--strip"])];
/// The bytes of a launch record with room for reports, and where that room is said.
const RECORD_BYTES: usize = 640 + (1 << 14);
const ROOM: usize = 576;
/// The record of a launch in which no item has failed: numbers that no item has.
const NO_ITEM: std::ops::Range<usize> = 8..56;

fn tool(name: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("KILN_LLVM14").map_or_else(|| PathBuf::from(LLVM), PathBuf::from);
    Some(folder.join(name)).filter(|it| it.exists())
}

/// Runs a program; what it says of an error is the error.
fn done(command: &mut Command) -> Result<Vec<u8>, String> {
    let output = command.output().map_err(|it| format!("{command:?}: {it}"))?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() {
        Ok(output.stdout)
    } else {
        Err(format!("{command:?}: {}\n{said}", output.status))
    }
}

/// Executes all launches of a file.
fn file(path: &Path) -> Verdict {
    let (Some(llc), Some(opt), Some(link)) = (tool("llc"), tool("opt"), tool("llvm-link")) else {
        return Ok(Outcome::Skipped("no LLVM 14 (scripts/air-tools.sh installs it)".into()));
    };
    let folder = project::Project::new(&stem(path)).dir;
    let said = done(project::uncached().arg("run").arg(path))?;
    let launches = Launch::read(&String::from_utf8_lossy(&said))?;
    if launches.is_empty() {
        return Err("the file launches nothing".into());
    }
    let runner = folder.join("runner.o");
    let source = repository().join("tests/metal/support/runner.c");
    done(Command::new("cc").args(["-O1", "-w", "-c", "-o"]).args([&runner, &source]))?;
    for (number, launch) in launches.iter().enumerate() {
        for (target, options) in TARGETS {
            let at = folder.join(format!("{number}-{target}"));
            std::fs::create_dir_all(&at).map_err(|it| it.to_string())?;
            let tools = [&llc, &opt, &link, &runner];
            execute(path, launch, (target, options), &at, tools)
                .map_err(|it| format!("{} for {target}: {it}", launch.signature))?;
        }
    }
    Ok(Outcome::Passed)
}

/// Compiles a kernel, executes it, and compares.
fn execute(
    path: &Path,
    launch: &Launch,
    (target, options): (&str, &[&str]),
    folder: &Path,
    [llc, opt, link, runner]: [&PathBuf; 4],
) -> Result<(), String> {
    let [air, sites, whole, object, program] =
        ["k.air", "k.json", "whole.bc", "k.o", "k"].map(|it| folder.join(it));
    let mut command = project::uncached();
    command
        .env("KILN_LAUNCHES", "none")
        .args(["compile", "-t", target, "--name", "k", "--emit", "air", "-o"])
        .arg(&air);
    done(command.args(options).arg("--sites").arg(&sites).arg(path).arg(&launch.signature))?;
    let module = std::fs::read(&air).map_err(|it| it.to_string())?;
    let parsed = kiln_air::read(&module).map_err(|it| it.to_string())?;
    if let Some(breach) = kiln_air::rules::breaches(&parsed).first() {
        return Err(breach.to_string());
    }
    let machine = "-mtriple=x86_64-unknown-linux-gnu";
    done(Command::new(opt).args(["-passes=verify", "-disable-output", machine]).arg(&air))?;
    let text = trampoline::trampoline(&parsed).ok_or("the description of the kernel is not one")?;
    let caller = folder.join("launch.ll");
    std::fs::write(&caller, text).map_err(|it| it.to_string())?;
    done(Command::new(link).args([&air, &caller]).arg("-o").arg(&whole))?;
    let options = ["-O1", machine, "-mattr=+f16c", "-relocation-model=pic", "-filetype=obj"];
    done(Command::new(llc).args(options).arg(&whole).arg("-o").arg(&object))?;
    done(Command::new("cc").args([runner, &object]).args(["-lm", "-lpthread", "-o"]).arg(&program))?;
    let description = std::fs::read_to_string(&sites).map_err(|it| it.to_string())?;
    let kinds = launch::kinds(&description);
    let (input, output) = (folder.join("in"), folder.join("out"));
    std::fs::write(&input, input_bytes(launch, &kinds)?).map_err(|it| it.to_string())?;
    done(Command::new("timeout").arg("60").arg(&program).args([&input, &output]))?;
    compare(launch, &kinds, &std::fs::read(&output).map_err(|it| it.to_string())?, &description)
}

/// Compiles a kernel of `tests/metal/arrays.jl`.
fn compiled(target: &str, options: &[&str]) -> Result<Vec<u8>, String> {
    const SIGNATURE: &str = "saxpy!(CuDeviceVector{Float32,1}, Float32, CuDeviceVector{Float32,1})";
    let mut command = project::uncached();
    command.env("KILN_LAUNCHES", "none").args(["compile", "-t", target, "-o", "-"]).args(options);
    done(command.args(["tests/metal/arrays.jl", SIGNATURE]))
}

/// The default output is a library, in the one form that its reader takes, around the module that is also written alone; two processes
/// make the same bytes.
fn library() -> Verdict {
    for (options, versions) in [
        (&[][..], (15, 7, 3, 2)),
        (&["--macos", "14"], (14, 6, 3, 1)),
        (&["--macos", "26"], (26, 8, 4, 0)),
        (&["--macos", "26", "--air", "2.7", "--metal", "3.2"], (26, 7, 3, 2)),
    ] {
        let bytes = compiled("metal", options)?;
        let library = kiln_metallib::read(&bytes).map_err(|it| it.to_string())?;
        let again = kiln_metallib::write(&library).map_err(|it| it.to_string())?;
        let [function] = &library.functions[..] else { return Err("there is one function".into()) };
        let macos = library.platform.map(|it| it.major);
        let found = (macos, function.air.minor, function.language.major, function.language.minor);
        if found != (Some(versions.0), versions.1, versions.2, versions.3) || again != bytes {
            return Err(format!("{options:?}: {found:?}"));
        }
        let module = kiln_metallib::unwrap(&function.module).map_err(|it| it.to_string())?;
        let air = compiled("metal", &[options, &["--emit", "air"]].concat())?;
        if module != air || compiled("metal", options)? != bytes {
            return Err(format!("{options:?}: another time, other bytes"));
        }
    }
    Ok(Outcome::Passed)
}

/// A version that there is not, and an option for other targets, are errors of the command line.
fn options() -> Verdict {
    for (target, options, said) in [
        ("metal", &["--macos", "13"][..], "metal-macos13"),
        ("metal", &["--macos", "14", "--air", "2.8"], "metal-macos14-air2.8"),
        ("sm_90", &["--macos", "14"], "mean nothing for sm_90"),
        ("sm_90", &["--emit", "metallib"], "sm_90 has no such form"),
        ("metal", &["--maxregs", "64"], "--maxregs means nothing for metal"),
    ] {
        match compiled(target, options) {
            Err(it) if it.contains(said) && it.contains("exit status: 2") => {}
            other => return Err(format!("{target} {options:?}: {other:?}")),
        }
    }
    Ok(Outcome::Passed)
}

/// Returns a launch record before the launch.
fn record() -> Vec<u8> {
    let mut record = vec![0; RECORD_BYTES];
    record[NO_ITEM].fill(0xff);
    record[ROOM..ROOM + 8].copy_from_slice(&(RECORD_BYTES as u64 - 640).to_le_bytes());
    record
}

/// Returns the description of a launch for the runner.
fn input_bytes(launch: &Launch, kinds: &[String]) -> Result<Vec<u8>, String> {
    let mut words: Vec<u8> = Vec::new();
    let word = |out: &mut Vec<u8>, it: u64| out.extend(it.to_le_bytes());
    launch.grid.iter().for_each(|it| word(&mut words, *it));
    word(&mut words, kinds.len() as u64);
    let mut arguments = launch.arguments.iter();
    for kind in kinds {
        let (kind, dims, contents) = match kind.as_str() {
            "state" => (2, Vec::new(), record()),
            "shared" => (3, Vec::new(), vec![0xcc; launch.shared_bytes]),
            _ => match arguments.next() {
                Some(Argument::Array { dims, before, .. }) => (1, dims.clone(), before.clone()),
                Some(Argument::Value(bytes)) => (0, Vec::new(), bytes.clone()),
                None => return Err("the kernel takes more than the launch gives".into()),
            },
        };
        word(&mut words, kind);
        word(&mut words, dims.len() as u64);
        dims.iter().for_each(|it| word(&mut words, *it));
        word(&mut words, dims.iter().product());
        word(&mut words, contents.len() as u64);
        words.extend(contents);
    }
    Ok(words)
}

/// Compares arrays and failures after the launch.
fn compare(launch: &Launch, kinds: &[String], mut found: &[u8], description: &str) -> Result<(), String> {
    let mut arguments = launch.arguments.iter();
    let mut site = 0;
    for kind in kinds {
        let expected = match kind.as_str() {
            "state" => {
                let (record, rest) = found.split_at_checked(RECORD_BYTES).ok_or("too few bytes")?;
                site = u32::from_le_bytes(record[..4].try_into().unwrap());
                found = rest;
                continue;
            }
            "shared" => continue,
            _ => match arguments.next() {
                Some(Argument::Array { after, .. }) => after,
                Some(Argument::Value(_)) | None => continue,
            },
        };
        let (bytes, rest) = found.split_at_checked(expected.len()).ok_or("too few bytes")?;
        found = rest;
        if bytes != &expected[..] {
            let at = bytes.iter().zip(expected).position(|(a, b)| a != b);
            return Err(format!("other bytes, from {at:?} on:\n{bytes:02x?}\ninstead of\n{expected:02x?}"));
        }
    }
    let failed = launch::exception(description, site);
    let is_same = match (launch.failed.as_str(), &failed) {
        ("well", None) => true,
        (expected, Some(name)) => {
            let expected = expected.trim_end_matches("Error").to_lowercase();
            name.to_lowercase().replace('_', "").contains(&expected)
        }
        (_, None) => false,
    };
    if is_same { Ok(()) } else { Err(format!("it ends with {failed:?} instead of {}", launch.failed)) }
}

fn main() -> ExitCode {
    let suite = Suite::new().test("library", library).test("options", options);
    suite.files("", &repository().join("tests/metal"), "jl", file).run()
}
