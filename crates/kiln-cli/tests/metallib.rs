//! `kiln metallib` lists the functions of a library and writes their modules; a damaged library is refused with the place.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod project;

use kiln_metallib::{FunctionKind, MetalFunction, MetalLibrary, MetalVersions, unwrap, wrap, write};
use std::path::PathBuf;
use std::process::Output;

/// The folder of a test, with a library of these functions in `k.metallib`.
fn folder(name: &str, functions: &[&str]) -> PathBuf {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("metallib").join(name);
    std::fs::create_dir_all(&folder).unwrap();
    let versions = MetalVersions::of_macos(14).unwrap();
    let mut library = MetalLibrary::for_macos(&versions);
    for name in functions {
        let module = wrap(&[b"BC\xc0\xde", name.as_bytes()].concat()).unwrap();
        library.functions.push(MetalFunction::new(name, FunctionKind::Kernel, &versions, module));
    }
    std::fs::write(folder.join("k.metallib"), write(&library).unwrap()).unwrap();
    folder
}

fn kiln(folder: &PathBuf, args: &[&str]) -> Output {
    project::uncached().current_dir(folder).arg("metallib").args(args).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn functions_are_listed() {
    let folder = folder("ls", &["vadd", "sum"]);
    let output = kiln(&folder, &["ls", "--json", "k.metallib"]);
    assert_eq!(
        text(&output.stdout),
        "{\"format\":\"1.2.7\",\"platform\":\"macOS 14.0.0\",\"functions\":[\
         {\"function\":\"vadd\",\"kind\":\"kernel\",\"air\":\"2.6\",\"language\":\"3.1\",\"module_bytes\":32},\
         {\"function\":\"sum\",\"kind\":\"kernel\",\"air\":\"2.6\",\"language\":\"3.1\",\"module_bytes\":32}]}\n"
    );
    let people = text(&kiln(&folder, &["ls", "k.metallib"]).stdout);
    assert!(people.contains("vadd") && people.contains("macOS 14.0.0"), "{people}");
}

#[test]
fn modules_are_written_as_raw_bitcode() {
    let folder = folder("extract", &["vadd", "sum"]);
    let output = kiln(&folder, &["extract", "k.metallib", "sum"]);
    assert_eq!((output.status.code(), &*output.stdout), (Some(0), &b"BC\xc0\xdesum"[..]));
    let output = kiln(&folder, &["extract", "k.metallib", "vadd", "-o", "vadd.bc"]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(0), 0));
    let written = std::fs::read(folder.join("vadd.bc")).unwrap();
    assert_eq!(written, b"BC\xc0\xdevadd");
    assert_eq!(unwrap(&wrap(&written).unwrap()), Ok(&written[..]));
}

#[test]
fn faults_are_named() {
    let folder = folder("faults", &["vadd", "sum"]);
    let said = |args: &[&str]| {
        let output = kiln(&folder, args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        text(&output.stderr)
    };
    assert!(said(&["extract", "k.metallib"]).contains("name a function of the library: vadd, sum"));
    let none = said(&["extract", "k.metallib", "no"]);
    assert!(none.contains("there is no function `no`; there are: vadd, sum"), "{none}");
    let mut bytes = std::fs::read(folder.join("k.metallib")).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    std::fs::write(folder.join("damaged.metallib"), &bytes).unwrap();
    let damaged = said(&["ls", "damaged.metallib"]);
    assert!(damaged.contains("damaged.metallib: at byte"), "{damaged}");
    assert!(said(&["ls", "none.metallib"]).contains("none.metallib: "));
}
