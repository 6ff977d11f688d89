//! Images through the library.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use kiln::cache::{Class, Entry, ImageFile, Key, write_image};
use kiln::image::{ImagePlan, build_image, target};
use kiln::internals::TestOptions as _;
use kiln::{Session, SessionOptions};
use std::path::PathBuf;
use std::time::Duration;

const PROGRAM: &str = "\
using CUDA
struct Weights
    a::Float32
    b::NTuple{2, Int16}
end
@noinline guarded(x, w) = x > 3 ? throw(DomainError(x)) : w.a * w.b[1]
kernel!(y, w) = (i = threadIdx().x; y[i] = i isa Int32 && w.b[2] == 2 ? guarded(i, w) : 0.0f0; return)
y = CUDA.zeros(Float32, 3)
@cuda threads=3 kernel!(y, Weights(2.0f0, (3, 2)))
";

/// The program in a file of its own, and an image of it.
fn built(name: &str) -> (PathBuf, PathBuf) {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("image-{name}"));
    std::fs::create_dir_all(&dir).unwrap();
    let (file, out) = (dir.join("program.jl"), dir.join("program.kimg"));
    std::fs::write(&file, PROGRAM).unwrap();
    let plan = ImagePlan::new(file.display().to_string(), out.clone());
    let mut told = 0;
    let report = build_image(&plan, &mut |_| told += 1).unwrap();
    assert_eq!((report.kernels, told, report.unfinished), (1, 1, Vec::new()));
    (file, out)
}

/// MISSION C9: a session that runs takes an image, and one that compiles for another processor refuses it.
#[test]
fn a_session_loads_an_image() {
    let (file, image) = built("loaded");
    let session = Session::new(SessionOptions::default()).unwrap();
    session.load_image(&image).unwrap();
    session.run_file(&file.display().to_string()).unwrap();
    let done = session.timings();
    assert_eq!((done.inferences, done.compiles, done.typed_found, done.image_hits), (0, 0, 3, 2));

    let other = if target("native") == target("x86-64") { "x86-64-v2" } else { "x86-64" };
    let session = Session::new(SessionOptions::new().target(target(other))).unwrap();
    let refused = session.load_image(&image).unwrap_err().message;
    assert!(refused.contains("this session compiles for"), "{refused}");
}

/// A cache is not trusted: typed code that was changed and given a right checksum is refused or is some code, and nothing
/// panics. What is compiled of it here is not launched.
#[test]
fn forged_typed_code_does_no_harm() {
    let (file, image) = built("forged");
    let opened = ImageFile::open(&image).unwrap();
    let entries: Vec<(Key, Entry)> = opened.entries().collect();
    let typed: Vec<usize> =
        (0..entries.len()).filter(|it| entries[*it].0.class() == Class::Semantic).collect();
    let rounds: u64 = std::env::var("KILN_FORGERIES").ok().and_then(|it| it.parse().ok()).unwrap_or(60);
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (state >> 33) as usize % below
    };
    let forged = image.with_extension("forged");
    for round in 0..rounds {
        let mut changed = entries.clone();
        let entry = &mut changed[typed[random(typed.len())]].1;
        let mut payload = entry.payload.clone();
        for _ in 0..=random(3) {
            let at = random(payload.len());
            match random(3) {
                0 => payload[at] ^= 1 << random(8),
                1 => payload[at] = random(256) as u8,
                _ => payload.truncate(at.max(1)),
            }
        }
        *entry = Entry::new(payload, Duration::ZERO);
        write_image(&forged, opened.note(), &changed).unwrap();
        let options = SessionOptions::new().image(Some(forged.clone())).builds_image(true).isolated(true);
        let session = Session::new(options).unwrap();
        if let Err(failure) = session.run_file(&file.display().to_string()) {
            assert!(!failure.is_bug(), "round {round}: {}", failure.message);
        }
    }
}
