//! Libraries of functions for devices, and the overlay tables that kernels see because of what their target is or has.
//!
//! A library is a file of bitcode that a vendor ships: libdevice, ocml, libclc. It is used when it is named, and then
//! for every target whose composition takes it; what it defines can be called (`ccall("extern __nv_sinf", llvmcall, ...)`).
//! Of libraries that the tables of `Base.DeviceTables` know, Julia's own mathematical functions are calls too.
//!
//! # Invariants
//! * Kernels see the tables of their dialect first, then those of their target: a program has the last word.
//! * A library is in the key of what is composed with it by its content, and the table that stands for it is in the owner
//!   of typed code by its name.

use crate::kernel_host::Driver;
use kiln_runtime::Runtime;
use kiln_runtime::tables::TableId;
use kiln_targets::{Backend, Items, TargetFacts};
use kiln_types::Module;
use std::path::{Path, PathBuf};

/// The module of Base that has the tables.
const MODULE: &str = "DeviceTables";

/// First bytes of LLVM's bitcode, plain and in a wrapper.
const BITCODE: [&[u8]; 2] = [b"BC\xc0\xde", b"\xde\xc0\x17\x0b"];

/// The definitions of a library, by the name of its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LibraryKind {
    /// NVIDIA's: `__nv_sinf`.
    Libdevice,
    /// AMD's: `__ocml_sin_f32`.
    Ocml,
    /// Nothing is known of it.
    Other,
}

impl LibraryKind {
    /// Those that are known.
    pub const KNOWN: [Self; 2] = [Self::Libdevice, Self::Ocml];

    /// As people, and the tables, name it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Libdevice => "libdevice",
            Self::Ocml => "ocml",
            Self::Other => "other",
        }
    }

    /// That of a file. Symbols cannot be asked: what wrote libdevice keeps them where only LLVM finds them.
    fn of(path: &Path) -> Self {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let known = Self::KNOWN.into_iter().find(|it| name.starts_with(it.name()));
        known.unwrap_or(Self::Other)
    }

    /// Whether it is for targets like this one.
    fn is_for(self, facts: &TargetFacts) -> bool {
        match self {
            Self::Libdevice => facts.backend == Backend::Ptx,
            Self::Ocml => facts.backend == Backend::Gcn,
            Self::Other => facts.items != Items::Loops,
        }
    }

    /// Where it usually is, the best first.
    fn usual(self) -> Vec<PathBuf> {
        let folders: &[&str] = match self {
            Self::Libdevice => &["/usr/local/cuda/nvvm/libdevice", "/usr/lib/nvidia-cuda-toolkit/libdevice"],
            Self::Ocml => &["/opt/rocm/amdgcn/bitcode", "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode"],
            Self::Other => &[],
        };
        let file = match self {
            Self::Libdevice => "libdevice.10.bc",
            Self::Ocml => "ocml.bc",
            Self::Other => return Vec::new(),
        };
        let tools = std::env::var_os("KILN_TOOLS").map(PathBuf::from);
        tools.into_iter().chain(folders.iter().map(PathBuf::from)).map(|it| it.join(file)).collect()
    }

    /// Where it was found: in `$KILN_TOOLS`, or where vendors install it.
    pub fn find(self) -> Option<PathBuf> {
        self.usual().into_iter().find(|it| it.is_file())
    }
}

/// A library that was named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceLibrary {
    /// The kind of its definitions.
    pub kind: LibraryKind,
    bitcode: Vec<u8>,
}

impl DeviceLibrary {
    /// The library in a file, or those that are [found](LibraryKind::find) if the path is `auto`.
    ///
    /// # Errors
    /// When the file cannot be read, or is no bitcode.
    pub fn named(path: &Path) -> Result<Vec<Self>, String> {
        if path == Path::new("auto") {
            let found = LibraryKind::KNOWN.into_iter().filter_map(LibraryKind::find);
            return found.map(|it| Self::read(&it)).collect();
        }
        Ok(vec![Self::read(path)?])
    }

    fn read(path: &Path) -> Result<Self, String> {
        let shown = path.display();
        let bitcode = std::fs::read(path).map_err(|it| format!("{shown}: {it}"))?;
        if !BITCODE.iter().any(|it| bitcode.starts_with(it)) {
            return Err(format!("{shown} is no library of bitcode"));
        }
        Ok(Self { kind: LibraryKind::of(path), bitcode })
    }
}

/// The table of this name in a module.
fn table_in(rt: &Runtime, module: Module, name: &str) -> Option<TableId> {
    rt.global(module, rt.types.symbol(name)).and_then(|it| rt.method_table(it))
}

impl Driver {
    /// The tables that kernels see for which `tables` are named, the front one first. A dialect's table `t` brings along
    /// the `ptx_t` beside it that the dialect has for that back end, so kernels are the same for all callers.
    pub(crate) fn seen_tables(&self, rt: &Runtime, tables: &[TableId], facts: &TargetFacts) -> Vec<TableId> {
        let mut all = Vec::with_capacity(tables.len() + 2);
        for table in tables {
            if let Some((name, module)) = rt.tables.table_name(*table) {
                let own = format!("{}_{}", facts.backend.name(), rt.types.name(name));
                all.extend(table_in(rt, module, &own).filter(|it| !tables.contains(it)));
            }
            all.push(*table);
        }
        let module = rt.base_global(MODULE).and_then(|it| it.as_module(rt.types.core()));
        if let Some(module) = module.filter(|_| facts.items != Items::Loops) {
            all.extend(self.target_tables(facts).into_iter().filter_map(|it| table_in(rt, module, it)));
        }
        all
    }

    /// The names of the tables of a target's kernels.
    fn target_tables(&self, facts: &TargetFacts) -> Vec<&'static str> {
        let libraries = self.libraries().iter().filter(|it| it.kind != LibraryKind::Other);
        let mut names: Vec<&str> =
            libraries.filter(|it| it.kind.is_for(facts)).map(|it| it.kind.name()).collect();
        names.push(facts.backend.name());
        if !facts.have_float64 {
            names.push("no_float64");
        }
        if !facts.have_int128 {
            names.push("no_int128");
        }
        names
    }

    /// The bitcode of the libraries for a target.
    pub(crate) fn libraries_for(&self, facts: &TargetFacts) -> Vec<Vec<u8>> {
        let libraries = self.libraries().iter().filter(|it| it.kind.is_for(facts));
        libraries.map(|it| it.bitcode.clone()).collect()
    }
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
        let kind = |path: &Path| DeviceLibrary::named(path).map(|it| it[0].kind);
        assert_eq!(kind(&write("libdevice.10.bc", b"BC\xc0\xde")), Ok(LibraryKind::Libdevice));
        assert_eq!(kind(&write("ocml.bc", b"\xde\xc0\x17\x0b")), Ok(LibraryKind::Ocml));
        assert_eq!(kind(&write("nvptx64--.bc", b"BC\xc0\xde")), Ok(LibraryKind::Other));
        assert!(kind(&write("libdevice.so", b"\x7fELF")).unwrap_err().contains("no library of bitcode"));
        assert!(kind(&folder.join("missing.bc")).unwrap_err().contains("missing.bc"));
        let _ = std::fs::remove_dir_all(&folder);
    }
}
