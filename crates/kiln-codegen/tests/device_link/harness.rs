//! Requests from text, and programs that check the results.

use filecheck::{CheckerBuilder, NO_VARIABLES};
use kiln_codegen::{Generator, assemble};
use kiln_unit::{DeviceLinkRequest, DeviceOptions, LinkPart, LinkedModule, OutputKinds, PartCall, Refusal};
use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

/// Makes a part of text.
pub(crate) fn part(text: &str) -> LinkPart {
    let bitcode = assemble(text).unwrap_or_else(|it| panic!("{it}\nin\n{text}"));
    LinkPart { bitcode, ..LinkPart::default() }
}

/// Makes a call of a part.
pub(crate) fn call(symbol: &str, part: u32, definition: &str) -> PartCall {
    PartCall { symbol: symbol.into(), part, definition: definition.into() }
}

/// Returns the options of tests: verification after each stage.
pub(crate) fn options() -> DeviceOptions {
    DeviceOptions { verify: true, ..DeviceOptions::default() }
}

/// Makes a request for a kernel called `kernel`, with all outputs.
pub(crate) fn request(target: &str, parts: Vec<LinkPart>) -> DeviceLinkRequest {
    let facts = kiln_targets::lookup(target).unwrap_or_else(|| panic!("no target {target}"));
    DeviceLinkRequest {
        target: facts.to_bytes(),
        options: options(),
        name: "kernel".into(),
        is_kernel: true,
        parts,
        libraries: Vec::new(),
        lines: None,
        wanted: OutputKinds { linked: true, optimized: true, assembly: true, object: true },
        title: "a test".into(),
    }
}

/// Links the units of a request.
pub(crate) fn linked_module(request: &DeviceLinkRequest) -> LinkedModule {
    Generator::default().link_device(request).result.unwrap_or_else(|it| panic!("refused: {it:#?}"))
}

/// Returns the refusals of a request.
pub(crate) fn refusals(request: &DeviceLinkRequest) -> Vec<Refusal> {
    Generator::default().link_device(request).result.map(|_| ()).expect_err("this is to be refused")
}

/// Returns the assembly of a kernel of one part.
pub(crate) fn assembly(target: &str, text: &str) -> String {
    text_of(&linked_module(&request(target, vec![part(text)])).assembly)
}

/// Returns bytes as text.
pub(crate) fn text_of(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("text")
}

/// Returns bitcode in LLVM's language.
pub(crate) fn listing(bitcode: &[u8]) -> String {
    let request = kiln_unit::ListingRequest { bitcode: bitcode.to_vec() }.to_bytes();
    let reply = Generator::default().request_bytes(&request, &mut |_| false);
    kiln_unit::ListingReply::from_bytes(&reply).expect("a reply").result.expect("a module")
}

/// Checks text against the directives of `filecheck`.
pub(crate) fn check(text: &str, directives: &str) {
    let mut builder = CheckerBuilder::new();
    for line in directives.lines().map(str::trim).filter(|it| !it.is_empty()) {
        assert!(builder.directive(line).expect("a directive"), "not a directive: {line}");
    }
    let (matches, explanation) = builder.finish().explain(text, NO_VARIABLES).expect("a checker");
    assert!(matches, "{explanation}");
}

/// Returns the path of a program, from `scripts/device-tools.sh` or the search path, and reports a missing one.
pub(crate) fn tool(name: &str) -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or(root.join("target"), PathBuf::from);
    let fetched = std::env::var_os("KILN_TOOLS").map_or(target.join("tools"), PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let places = [fetched].into_iter().chain(std::env::split_paths(&path));
    let found = places.map(|it| it.join(name)).find(|it| it.is_file());
    if found.is_none() {
        let test = std::thread::current().name().unwrap_or("a test").to_owned();
        static SAID: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
        if !SAID.lock().expect("no panic").insert(format!("{test} {name}")) {
            return None;
        }
        // Not `eprintln!`: the harness would keep it to itself.
        let _ = writeln!(std::io::stderr(), "skipped: {test} without {name} (scripts/device-tools.sh)");
    }
    found
}

/// A temporary directory.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn new() -> Self {
        use std::sync::atomic::{AtomicU32, Ordering};
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("kiln-device-link-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a directory");
        Self(path)
    }

    /// Writes a file in it.
    pub(crate) fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, bytes).expect("a file");
        path
    }

    /// Returns a path in it.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Runs a program, which must succeed, and returns its output.
pub(crate) fn run(command: &mut Command) -> String {
    let output = command.output().expect("it starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {}\n{said}", output.status);
    String::from_utf8_lossy(&output.stdout).into_owned() + &said
}
