//! Results for devices that a session keeps while it runs, without a cache.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use kiln::cache::ContentHash;
use kiln::compile::{CompileOptions, Emit, Space};
use kiln::{KernelOptions, Session, SessionOptions};

const PROGRAM: &str = "\
using CUDA
@noinline scaled(x) = 2 * x
kernel!(y) = (unsafe_store!(y, scaled(unsafe_load(y))); return)
";

/// Compiles the kernel; returns the counts of units, artifacts and inferred bodies, and the identity of the artifact.
fn compile(session: &Session, target: &str, kernel: KernelOptions) -> ([u64; 3], String) {
    let before = session.timings();
    let options = CompileOptions {
        target: target.into(),
        emit: Emit::Default,
        name: None,
        space: Space::OfArguments,
        function: false,
        kernel,
    };
    let made = session.compile("kernel!(Ptr{Int32})", &options).unwrap();
    let done = session.timings().since(&before);
    let hash = ContentHash::of(&made.bytes).to_string();
    ([done.compiles - done.device_links, done.device_links, done.inferences], hash)
}

/// MISSION C1, C2, C8: what was made for a device is found until something that it depends on is redefined; then what depends
/// on that is made again, and nothing else.
#[test]
fn artifacts_live_as_long_as_what_they_are_made_of() {
    for target in ["sm_90", "gfx1100", "spirv64"] {
        let session = Session::new(SessionOptions::default()).unwrap();
        session.run_text("program", PROGRAM).unwrap();
        let plain = || compile(&session, target, KernelOptions::default());
        let (done, made) = plain();
        assert!(done[0] == 3 && done[1] == 1 && done[2] > 0, "{target}: {done:?}");
        assert_eq!(plain(), ([0, 0, 0], made.clone()), "{target}");
        session.run_text("more", "unrelated(x) = x").unwrap();
        assert_eq!(plain(), ([0, 0, 0], made.clone()), "{target}");
        session.run_text("more", "@noinline scaled(x) = 3 * x").unwrap();
        let ([units, linked_module, _], other) = plain();
        assert_eq!((units, linked_module), (1, 1), "{target}");
        assert!(other != made);
        session.run_text("more", "@noinline scaled(x) = 2 * x").unwrap();
        let ([_, linked_module, _], again) = plain();
        assert_eq!((linked_module, again), (0, made), "{target}: what was linked_module is still known");
    }
}

/// The usual options, for groups of at most 128 items.
fn bounded_options() -> KernelOptions {
    let mut options = KernelOptions::default();
    options.device.items_max = Some([128, 1, 1]);
    options
}

/// MISSION N2: the units of a kernel are linked in one order, whichever of them a session had made before.
#[test]
fn what_was_made_before_changes_no_artifact() {
    for target in ["sm_90", "gfx1100", "spirv64"] {
        let alone = Session::new(SessionOptions::default()).unwrap();
        let bounded = || bounded_options();
        alone.run_text("program", PROGRAM).unwrap();
        let (_, expected) = compile(&alone, target, bounded());
        let other = Session::new(SessionOptions::default()).unwrap();
        other.run_text("program", PROGRAM).unwrap();
        compile(&other, target, KernelOptions::default());
        assert_eq!(compile(&other, target, bounded()), ([0, 1, 0], expected), "{target}");
    }
}

/// MISSION C3, C4: jobs that differ in options have artifacts of their own, and share inference and units.
#[test]
fn options_have_their_own_artifacts() {
    let session = Session::new(SessionOptions::default()).unwrap();
    session.run_text("program", PROGRAM).unwrap();
    let (_, made) = compile(&session, "sm_90", KernelOptions::default());
    let bounded = || bounded_options();
    let (done, other) = compile(&session, "sm_90", bounded());
    assert_eq!(done, [0, 1, 0]);
    assert!(other != made);
    assert_eq!(compile(&session, "sm_90", bounded()), ([0, 0, 0], other));
    assert_eq!(compile(&session, "sm_90", KernelOptions::default()), ([0, 0, 0], made));
}
