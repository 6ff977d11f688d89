//! Portable artifacts and the handles that devices make of them.

use crate::program::Program;
use kiln_runtime::caching::{CacheView, Handles, NewCode, Portable, Results, Stored, StoredFields};
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// A device that exists in this test.
#[derive(Clone, Debug, PartialEq, Eq)]
struct MockDevice(u32);

/// A device's name for a loaded artifact.
#[derive(Debug, PartialEq, Eq)]
struct Loaded {
    device: u32,
    address: u64,
}

/// Text that devices load.
#[derive(Debug, PartialEq, Eq)]
struct Assembly(String);

impl Portable for Assembly {
    fn to_bytes(&self) -> Vec<u8> {
        self.0.to_bytes()
    }
    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let text = String::from_bytes(bytes)?;
        text.starts_with("asm").then_some(Self(text))
    }
}

#[derive(Default)]
struct Kernel {
    asm: Stored<Assembly>,
    log: Stored<String>,
    loaded: Handles<MockDevice, Loaded>,
}

impl Results for Kernel {
    const NAME: &'static str = "mock kernel";
    fn stored_fields<'a>(&'a self, to: &mut StoredFields<'a>) {
        let Self { asm, log, loaded: _ } = self;
        to.add("asm", asm).add("log", log);
    }
}

/// A session with code for `kernel(::Int)`.
fn session() -> Program {
    let it = Program::new();
    it.define("kernel", &[it.int()], "body");
    it
}

fn kernel(it: &Program, view: &CacheView<'_>) -> Arc<Kernel> {
    let instance = view.method_instance(&it.call("kernel", &[it.int()])).unwrap();
    view.get_or_insert_with(instance, NewCode::new);
    view.results::<Kernel>(instance).unwrap()
}

/// MISSION C6: two devices, one artifact, two handles, one compile. Every other launch finds both.
#[test]
fn two_devices_link_one_artifact() {
    let it = session();
    let links = AtomicU32::new(0);
    let launch = |device: &MockDevice| {
        let kernel = kernel(&it, &it.view("Mock"));
        let asm = kernel.asm.get_or_make(|| {
            it.compiles.set(it.compiles.get() + 1);
            Assembly("asm of kernel".into())
        });
        let link = |device: &MockDevice, asm: &Assembly| -> Result<Loaded, Infallible> {
            links.fetch_add(1, Ordering::Relaxed);
            Ok(Loaded { device: device.0, address: asm.0.len() as u64 })
        };
        let Ok(handle) = kernel.loaded.get_or_link(device, &**asm, link);
        (handle, kernel.loaded.len())
    };
    let (one, two) = (MockDevice(1), MockDevice(2));
    let (first, n) = launch(&one);
    assert_eq!((first.device, first.address, n), (1, 13, 1));
    assert_eq!(launch(&two).0.device, 2);
    for _ in 0..100 {
        assert!(Arc::ptr_eq(&first, &launch(&one).0));
    }
    assert_eq!((it.compiles.get(), links.load(Ordering::Relaxed), launch(&two).1), (1, 2, 2));
    kernel(&it, &it.view("Mock")).loaded.forget(&one);
    assert!(!Arc::ptr_eq(&first, &launch(&one).0), "a device that was reset links again");
    assert_eq!((it.compiles.get(), links.load(Ordering::Relaxed)), (1, 3));
}

/// MISSION C6: a device that cannot link says why, and is asked again.
#[test]
fn a_link_that_fails_leaves_nothing() {
    let handles = Handles::<MockDevice, u64>::default();
    let device = MockDevice(1);
    assert_eq!(handles.get_or_link(&device, "asm", |_, _| Err("out of memory")), Err("out of memory"));
    assert!(handles.is_empty() && handles.get(&device).is_none());
    assert_eq!(handles.get_or_link(&device, "asm", |_, _| Ok::<u64, &str>(7)).as_deref(), Ok(&7));
}

/// CompilerCaching "exceptions propagate without storing": a compile that fails says why, and is tried again. What fails
/// before there is code leaves none.
#[test]
fn a_compile_that_fails_leaves_nothing() {
    let it = session();
    let view = it.view("Failing");
    let instance = view.method_instance(&it.call("kernel", &[it.int()])).unwrap();
    let refused = view.get_or_try_insert_with(instance, || Err::<NewCode, _>("refused"));
    assert_eq!(refused.err(), Some("refused"));
    assert!(view.get(instance).is_none());
    let results = kernel(&it, &view);
    assert_eq!(results.asm.get_or_try_make(|| Err("no compiler")).err(), Some("no compiler"));
    assert!(results.asm.get().is_none());
    let made = results.asm.get_or_try_make(|| Ok::<_, &str>(Assembly("asm".into())));
    assert!(made.is_ok() && results.asm.get().is_some());
}

/// MISSION C19: threads that want the same artifact and the same handle get them from the one that makes them.
#[test]
fn threads_share_one_compile_and_one_link() {
    let (compiles, links) = (AtomicU32::new(0), AtomicU32::new(0));
    let kernel = Kernel::default();
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let (kernel, compiles, links) = (&kernel, &compiles, &links);
            scope.spawn(move || {
                let asm = kernel.asm.get_or_make(|| {
                    compiles.fetch_add(1, Ordering::Relaxed);
                    Assembly("asm".into())
                });
                let link = |device: &MockDevice, _: &Assembly| {
                    links.fetch_add(1, Ordering::Relaxed);
                    Ok::<_, Infallible>(Loaded { device: device.0, address: 0 })
                };
                let Ok(handle) = kernel.loaded.get_or_link(&MockDevice(thread % 2), &**asm, link);
                assert_eq!(handle.device, thread % 2);
            });
        }
    });
    assert_eq!((compiles.into_inner(), links.into_inner()), (1, 2));
}

/// A compiler that asks for what it is making has a bug: it is told, and does not wait for itself.
#[test]
#[should_panic(expected = "made of itself")]
fn an_artifact_is_not_made_of_itself() {
    let kernel = Kernel::default();
    kernel.log.get_or_make(|| kernel.log.get_or_make(String::new).to_string());
}

/// MISSION C5. CompilerCaching "Inference caching" and the end of GPUCompiler "cached results": what is portable leaves the
/// process and is found in the next one without a compile; handles and what is of this process stay behind; other
/// configurations on the same code are not touched.
#[test]
fn what_is_portable_leaves_the_process() {
    let it = session();
    let view = it.view("Mock");
    let instance = view.method_instance(&it.call("kernel", &[it.int()])).unwrap();
    let first = kernel(&it, &view);
    first.asm.get_or_make(|| Assembly("asm of kernel".into()));
    let link = |_: &MockDevice, _: &str| Ok::<_, Infallible>(Loaded { device: 1, address: 1 });
    let Ok(_) = first.loaded.get_or_link(&MockDevice(1), "asm", link);
    let key = kiln_runtime::caching::ConfigKey::from_stable("another configuration");
    let second = view.results_for::<Kernel>(instance, key).unwrap();
    second.asm.store_local(Assembly("asm with an address of this process".into()));
    second.log.get_or_make(|| "a log".into());
    let written = view.get(instance).unwrap().portable_results(view.world());
    let names = |at: usize| written[at].places.iter().map(|it| it.0.as_str()).collect::<Vec<_>>();
    assert_eq!((written.len(), names(0), names(1)), (2, vec!["asm"], vec!["log"]));

    let next = session();
    let view = next.view("Mock");
    let instance = view.method_instance(&next.call("kernel", &[next.int()])).unwrap();
    let code = view.get_or_insert_with(instance, NewCode::new);
    code.restore_results(written.clone(), view.world());
    assert_eq!(code.portable_results(view.world()), written, "no job has asked yet");
    let found = kernel(&next, &view);
    let compiled: fn() -> Assembly = || unreachable!("it came from the other process");
    assert_eq!(found.asm.get_or_make(compiled).0, "asm of kernel");
    assert!(found.loaded.is_empty(), "handles are made anew");
    let other = view.results_for::<Kernel>(instance, key).unwrap();
    assert!(other.asm.get().is_none());
    assert_eq!(other.log.get().unwrap().as_str(), "a log");
}

/// MISSION C5: what comes from an image is not trusted to be what it says.
#[test]
fn what_is_not_understood_is_made_again() {
    let it = session();
    let view = it.view("Mock");
    kernel(&it, &view).asm.get_or_make(|| Assembly("asm".into()));
    let instance = view.method_instance(&it.call("kernel", &[it.int()])).unwrap();
    let mut written = view.get(instance).unwrap().portable_results(view.world());
    written[0].places[0].1 = b"garbage".to_vec();
    written[0].places.push(("of another version".into(), Vec::new()));
    let next = session();
    let view = next.view("Mock");
    let instance = view.method_instance(&next.call("kernel", &[next.int()])).unwrap();
    view.get_or_insert_with(instance, NewCode::new).restore_results(written, view.world());
    assert!(kernel(&next, &view).asm.get().is_none());
}
