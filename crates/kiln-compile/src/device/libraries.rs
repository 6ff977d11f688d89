//! Libraries of functions for devices, and the overlay tables that kernels see because of what their target is or has.
//!
//! A library is a file of bitcode that a vendor ships: libdevice, ocml, libclc. It is used when it is named, and then
//! for every target whose device link takes it; what it defines can be called (`ccall("extern __nv_sinf", llvmcall, ...)`).
//! Of libraries that the tables of `Base.DeviceTables` know, Julia's own mathematical functions are calls too.
//!
//! # Invariants
//! * Kernels see the tables of their dialect first, then those of their target: a program has the last word.
//! * A library is in the key of what is linked with it by its content, and the table that stands for it is in the owner
//!   of typed code by its name.

use kiln_runtime::Runtime;
use kiln_runtime::interp::define;
use kiln_runtime::tables::TableId;
use kiln_targets::{Items, Library, TargetFacts, ToolPaths};
use kiln_types::Module;
use kiln_unit::Checks;
use std::fmt;
use std::path::{Path, PathBuf};

/// The module of Base that has the tables.
const MODULE: &str = "DeviceTables";

/// First bytes of LLVM's bitcode, plain and in a wrapper.
const BITCODE: [&[u8]; 2] = [b"BC\xc0\xde", b"\xde\xc0\x17\x0b"];

/// Finds a library: in the folder of tools and libraries, or where vendors install it.
pub fn find_library(paths: &ToolPaths, library: &Library) -> Option<PathBuf> {
    let usual = library.folders.iter().map(|it| Path::new(&**it));
    let mut all = paths.folder.as_deref().into_iter().chain(usual).map(|it| it.join(&*library.file));
    all.find(|it| it.is_file())
}

/// Why a library for devices cannot be used.
#[derive(Debug)]
pub enum LibraryError {
    /// The file cannot be read.
    Read(PathBuf, std::io::Error),
    /// The file is no bitcode.
    NotBitcode(PathBuf),
}

impl std::error::Error for LibraryError {}

impl fmt::Display for LibraryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(path, error) => write!(f, "{}: {error}", path.display()),
            Self::NotBitcode(path) => write!(f, "{} is no library of bitcode", path.display()),
        }
    }
}

/// A library that was named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceLibrary {
    /// The name of its file, which begins with that of a library that a vendor ships. Symbols cannot be asked: what wrote
    /// libdevice keeps them where only LLVM finds them.
    file: String,
    bitcode: Vec<u8>,
}

impl DeviceLibrary {
    /// The library in a file, or those of vendors that are [found](find_library) if the path is `auto`.
    ///
    /// # Errors
    /// When the file cannot be read, or is no bitcode.
    pub fn named(path: &Path, paths: &ToolPaths) -> Result<Vec<Self>, LibraryError> {
        if path == Path::new("auto") {
            let known = kiln_targets::libraries();
            return known.iter().filter_map(|it| find_library(paths, it)).map(|it| Self::read(&it)).collect();
        }
        Ok(vec![Self::read(path)?])
    }

    fn read(path: &Path) -> Result<Self, LibraryError> {
        let bitcode = std::fs::read(path).map_err(|it| LibraryError::Read(path.to_owned(), it))?;
        if !BITCODE.iter().any(|it| bitcode.starts_with(it)) {
            return Err(LibraryError::NotBitcode(path.to_owned()));
        }
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Self { file, bitcode })
    }

    /// Whether it is this library of a vendor's.
    fn is_one(&self, library: &Library) -> bool {
        self.file.starts_with(&*library.name)
    }

    /// Whether it is for this target: a vendor's is for that vendor's devices, one of which nothing is known for all.
    fn is_for(&self, facts: &TargetFacts) -> bool {
        match &facts.library {
            Some(own) if self.is_one(own) => true,
            _ => facts.items != Items::Loops && !kiln_targets::libraries().iter().any(|it| self.is_one(it)),
        }
    }
}

/// The table of this name in a module.
fn table_in(rt: &Runtime, module: Module, name: &str) -> Option<TableId> {
    rt.global(module, rt.types.symbol(name)).and_then(|it| define::method_table(rt, it))
}

/// The tables that kernels see for which `tables` are named, the front one first. A dialect's table `t` brings along
/// the `ptx_t` beside it that the dialect has for that back end, so kernels are the same for all callers.
pub fn seen_tables(
    (libraries, checks): (&[DeviceLibrary], Checks),
    rt: &Runtime,
    tables: &[TableId],
    facts: &TargetFacts,
) -> Vec<TableId> {
    let mut all = Vec::with_capacity(tables.len() + 2);
    for table in tables {
        if let Some((name, module)) = rt.tables.methods.table_name(*table) {
            let own = format!("{}_{}", facts.backend.name(), rt.types.name(name));
            all.extend(table_in(rt, module, &own).filter(|it| !tables.contains(it)));
        }
        all.push(*table);
    }
    let module = rt.base_global(MODULE).and_then(|it| it.as_module(rt.types.core()));
    let sees_tables = facts.items != Items::Loops || checks.memory;
    if let Some(module) = module.filter(|_| sees_tables) {
        all.extend(
            target_tables((libraries, checks), facts).into_iter().filter_map(|it| table_in(rt, module, it)),
        );
    }
    all
}

/// The names of the tables of a target's kernels.
fn target_tables<'a>(
    (libraries, checks): (&[DeviceLibrary], Checks),
    facts: &'a TargetFacts,
) -> Vec<&'a str> {
    if facts.items == Items::Loops {
        return if checks.memory { vec!["checked"] } else { Vec::new() };
    }
    let own = facts.library.as_ref().filter(|own| libraries.iter().any(|it| it.is_one(own)));
    let mut names: Vec<&str> = own.iter().map(|it| &*it.name).collect();
    names.extend(facts.tables.iter().map(|it| &**it));
    names.extend([facts.backend.name(), "device_math"]);
    if !facts.have_float64 {
        names.push("no_float64");
    }
    if !facts.have_int128 {
        names.push("no_int128");
    }
    names
}

/// The bitcode of the libraries for a target.
pub fn libraries_for(libraries: &[DeviceLibrary], facts: &TargetFacts) -> Vec<Vec<u8>> {
    libraries.iter().filter(|it| it.is_for(facts)).map(|it| it.bitcode.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// MISSION G: libraries are told by the names that vendors give their files, and what is no library is said.
    #[test]
    fn libraries_are_told_by_their_names() {
        let folder = std::env::temp_dir().join(format!("kiln-libraries-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let write = |name: &str, bytes: &[u8]| {
            let path = folder.join(name);
            std::fs::write(&path, bytes).unwrap();
            path
        };
        let takers = |path: &Path| {
            let library = DeviceLibrary::named(path, &ToolPaths::default()).map_err(|it| it.to_string())?;
            let facts = ["sm_90", "gfx90a", "spirv64", "x86-64"].map(|it| kiln_targets::lookup(it).unwrap());
            Ok::<_, String>(facts.map(|it| library[0].is_for(&it)))
        };
        assert_eq!(takers(&write("libdevice.10.bc", b"BC\xc0\xde")), Ok([true, false, false, false]));
        assert_eq!(takers(&write("ocml.bc", b"\xde\xc0\x17\x0b")), Ok([false, true, false, false]));
        assert_eq!(takers(&write("nvptx64--.bc", b"BC\xc0\xde")), Ok([true, true, true, false]));
        assert!(takers(&write("libdevice.so", b"\x7fELF")).unwrap_err().contains("no library of bitcode"));
        assert!(takers(&folder.join("missing.bc")).unwrap_err().contains("missing.bc"));
        let _ = std::fs::remove_dir_all(&folder);
    }
}
