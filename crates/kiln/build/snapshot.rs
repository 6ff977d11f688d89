//! Loads the standard library in a session, and writes the session down.

#[expect(dead_code, reason = "diagnostics are for sessions")]
#[path = "../src/frontend.rs"]
mod frontend;
#[path = "io.rs"]
mod io;
#[path = "packed.rs"]
mod packed;
#[expect(dead_code, reason = "sessions read what the build writes")]
#[path = "../src/preload.rs"]
mod preload;

use frontend::{FrontState, SessionFrontend};
use io::{Library, LibraryIo};
use kiln_runtime::heap::{fields, text};
use kiln_runtime::{Runtime, Thrown, image};
use kiln_types::{Types, display};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{env, fs};

/// Base is loaded by the interpreter, which uses the native stack.
const STACK_BYTES: usize = 256 << 20;

fn collect(dir: &Path, out: &mut Vec<PathBuf>) {
    println!("cargo:rerun-if-changed={}", dir.display());
    let Ok(entries) = fs::read_dir(dir) else { return };
    let mut paths: Vec<PathBuf> = entries.filter_map(|it| Some(it.ok()?.path())).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect(&path, out);
        } else {
            out.push(path);
        }
    }
}

/// Every file below `base/` with its text, sorted by path.
fn library(root: &Path) -> Library {
    let mut files = Vec::new();
    collect(root, &mut files);
    let mut library = Library::default();
    for file in files {
        println!("cargo:rerun-if-changed={}", file.display());
        let name = file.strip_prefix(root).expect("collected below it").display().to_string();
        let text = fs::read_to_string(&file).expect("the library is UTF-8 text");
        library.files.insert(name, text);
    }
    library
}

/// Describes a thrown exception without running code.
fn describe(rt: &Runtime, thrown: &Thrown) -> String {
    let exception = thrown.exception;
    let mut text = display::of_type(&rt.types, exception.ty());
    for field in (0..fields::count(&rt.heap, exception)).filter_map(|it| fields::get(&rt.heap, exception, it))
    {
        let shown = text::read(&rt.heap, field).unwrap_or_else(|| display::of_type(&rt.types, field.ty()));
        let _ = write!(text, " ({shown})");
    }
    let place = thrown.trace.iter().find_map(|it| rt.frontend.place(it.loc));
    if let Some((file, line)) = place {
        let _ = write!(text, " at {file}:{line}");
    }
    text
}

/// A session with Base and `packages`; the package that failed (none: Base), and why.
fn load(library: &Arc<Library>, packages: &[String]) -> Result<Vec<u8>, (Option<String>, String)> {
    let front = Arc::new(FrontState::default());
    let frontend = Box::new(SessionFrontend { state: front.clone() });
    let rt = Runtime::new(Arc::new(Types::new()), frontend, Box::new(LibraryIo { library: library.clone() }));
    let files = library.order().into_iter().map(|(path, text)| (path, text.to_owned()));
    preload::load_base(&rt, files).map_err(|it| (None, describe(&rt, &it)))?;
    for name in packages {
        let loaded = preload::load_package(&rt, name);
        loaded.map_err(|it| (Some(name.clone()), describe(&rt, &it)))?;
    }
    let attached =
        preload::write_files(&front.files.lock(), packages, |path| library.files.contains_key(path));
    image::freeze(&rt, &attached).map_err(|it| (None, it.to_string()))
}

fn make_image(library: &Arc<Library>) -> Vec<u8> {
    let mut packages = library.packages();
    loop {
        match load(library, &packages) {
            Ok(image) => return image,
            Err((Some(package), why)) => {
                println!("cargo:warning=the package {package} is not part of the snapshot: {why}");
                packages.retain(|it| *it != package);
            }
            Err((None, why)) => {
                println!("cargo:warning=no snapshot of Base: {why}");
                return Vec::new();
            }
        }
    }
}

/// Writes the library and the snapshot to cargo's output directory.
pub(crate) fn make() {
    let root = Path::new(&env::var("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("../../base");
    let root = root.canonicalize().expect("base/ is part of the repository");
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo sets it"));
    for source in ["src/frontend.rs", "src/preload.rs"] {
        println!("cargo:rerun-if-changed={source}");
    }
    let library = Arc::new(library(&root));
    let packed = packed::write(library.files.iter().map(|it| (&**it.0, &**it.1)));
    fs::write(out.join("library.bin"), packed.expect("zstd compresses text"))
        .expect("cargo's OUT_DIR is writable");
    let worker = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(move || make_image(&library));
    let made = worker.expect("a thread to load Base on").join();
    let image = made.unwrap_or_else(|_| {
        println!("cargo:warning=no snapshot of Base: loading it panicked");
        Vec::new()
    });
    fs::write(out.join("base.kimg"), image).expect("cargo's OUT_DIR is writable");
    // Programs of debug builds that run from elsewhere, as documentation tests do, find the code generator of their build.
    if let Some(folder) = out.ancestors().nth(3).filter(|_| env::var("PROFILE").is_ok_and(|it| it == "debug"))
    {
        println!("cargo:rustc-env=KILN_BUILD_FOLDER={}", folder.display());
    }
}
