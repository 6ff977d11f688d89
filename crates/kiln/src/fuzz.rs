//! Damage that no checksum detects, for fuzz targets and tests: entries of a real image are changed and get correct
//! checksums, and a session loads them; a library of device functions is changed, and kernels are linked with it.
//!
//! Nothing is launched. Codegen runs in a separate process, so that a crash of LLVM on invalid bitcode ends only
//! that.

use crate::image::{Holding, ImagePlan, build_image, target};
use crate::options::Building;
use crate::{Error, ErrorKind, Isolation, Session, SessionOptions, compile};
use kiln_cache::{Entry, ImageFile, Key, fuzz::damage};
use kiln_targets::TargetFacts;
use kiln_unit::Body;
use std::path::{Path, PathBuf};
use std::time::Duration;

const PROGRAM: &str = "\
using CUDA
struct Weights
    a::Float32
    b::NTuple{2, Int16}
end
@noinline guarded(x, w) = x > 3 ? throw(DomainError(x)) : w.a * w.b[1]
function kernel!(y, w, s)
    i = threadIdx().x
    y[i] = s === :on && w.b[2] == 2 ? guarded(i, w) : 0.0f0
    return
end
last!(y, x) = (y[1] = x; return)
first!(y) = (@cuda dynamic=true last!(y, 1.0f0); return)
helped!(y) = (unsafe_store!(y, ccall(\"extern helper\", llvmcall, Int32, (Int32,), Int32(1)), 1); return)
helper(x) = x < 7 ? x * Int32(3) : x - Int32(1)
y = CUDA.zeros(Float32, 3)
@cuda threads=3 kernel!(y, Weights(2.0f0, (3, 2)), :on)
@cuda first!(y)
";

/// The kernels that are compiled of it.
const KERNELS: [&str; 3] = [
    "kernel!(CuDeviceVector{Float32,1}, Weights, Symbol)",
    "first!(CuDeviceVector{Float32,1})",
    "last!(CuDeviceVector{Float32,1}, Float32)",
];
const HELPED: &str = "helped!(Ptr{Int32})";
/// For which targets.
pub const TARGETS: [&str; 3] = ["sm_90", "gfx1100", "spirv64"];

/// The first byte of edits of the image's own description, instead of an entry.
const NOTE: u8 = 0xff;

/// A program, and the parts to damage.
#[derive(Debug)]
pub struct Damaged {
    file: PathBuf,
    image: PathBuf,
    library: PathBuf,
    note: Vec<u8>,
    entries: Vec<(Key, Entry)>,
    /// A library for each target.
    libraries: Vec<Vec<u8>>,
}

/// The results of compiling: how many kernels there are, and why there are not the others.
#[derive(Clone, Debug, Default)]
pub struct CompileTally {
    /// Kernels that were compiled.
    pub made: usize,
    /// Why others were not.
    pub failures: Vec<Error>,
}

impl Damaged {
    /// Builds an image, and libraries, in a folder.
    ///
    /// # Errors
    /// When they cannot be built.
    pub fn new(folder: &Path) -> Result<Self, Error> {
        let failed = |it: std::io::Error| Error::program(format!("{}: {it}", folder.display()));
        std::fs::create_dir_all(folder).map_err(failed)?;
        let [file, image, library] = ["program.jl", "program.kimg", "library.bc"].map(|it| folder.join(it));
        std::fs::write(&file, PROGRAM).map_err(failed)?;
        let devices: Vec<TargetFacts> = TARGETS.iter().filter_map(|it| target(it)).collect();
        let plan = ImagePlan { devices, ..ImagePlan::new(file.display().to_string(), image.clone()) };
        build_image(&plan, &mut |_| ())?;
        let opened = ImageFile::open(&image).map_err(|it| Error::program(it.to_string()))?;
        let mut made = Self {
            note: opened.note().to_vec(),
            entries: opened.entries().collect(),
            libraries: Vec::new(),
            file,
            image: image.with_extension("damaged.kimg"),
            library,
        };
        let session = made.session(SessionOptions::default())?;
        for target in TARGETS {
            let emit = compile::Emit::Form(kiln_compile::device::Form::Bitcode);
            let options = compile::CompileOptions { emit, name: Some("helper".into()), ..options(target) };
            made.libraries.push(session.compile("helper(Int32)", &options)?.bytes);
        }
        Ok(made)
    }

    fn session(&self, options: SessionOptions) -> Result<Session, Error> {
        let options = SessionOptions {
            building: Some(Building::default()), // nothing is launched
            isolated: true,
            codegen_limit: Some(Duration::from_secs(20)),
            ..options
        };
        let session = Session::new(options)?;
        session.run_file(&self.file.display().to_string())?;
        Ok(session)
    }

    /// Entries of the image are damaged, but for the machine code of processors, which `kiln_link` is fuzzed with.
    ///
    /// # Errors
    /// A bug: anything else is an outcome.
    pub fn entries(&self, edits: &[u8]) -> Result<CompileTally, Error> {
        let Some(([high, low], edits)) = edits.split_first_chunk() else {
            return Ok(CompileTally::default());
        };
        if *high == NOTE {
            let mut note = self.note.clone();
            damage(&mut note, edits);
            return self.compiled_with((&note, &self.entries), None, &KERNELS);
        }
        let mut entries = self.entries.clone();
        let at = usize::from(u16::from_be_bytes([*high, *low])) % entries.len();
        let (key, entry) = &mut entries[at];
        let body = Body::from_bytes(&entry.payload).ok().filter(|_| Holding::of(key, entry) == Holding::Unit);
        if body.is_some_and(|it| it.object.starts_with(b"\x7fELF")) {
            return Ok(CompileTally::default());
        }
        let mut payload = entry.payload.clone();
        damage(&mut payload, edits);
        *entry = Entry::new(payload, Duration::ZERO);
        self.compiled_with((&self.note, &entries), None, &KERNELS)
    }

    /// Damages the bitcode of a unit, or of a library, and links kernels with it.
    ///
    /// # Errors
    /// A bug: anything else is an outcome.
    pub fn bitcode(&self, edits: &[u8]) -> Result<CompileTally, Error> {
        let Some((which, rest)) = edits.split_first() else { return Ok(CompileTally::default()) };
        if which % 4 == 0 {
            let at = usize::from(which / 4) % self.libraries.len();
            let mut library = self.libraries[at].clone();
            damage(&mut library, rest);
            // Otherwise it is said to be none.
            library.splice(..library.len().min(4), *b"BC\xc0\xde");
            return self.compiled_with((&self.note, &self.entries), Some((at, &library)), &[HELPED]);
        }
        // The artifact is missing, so the units are linked again.
        let is_kept = |it: &&(Key, Entry)| Holding::of(&it.0, &it.1) != Holding::Artifact;
        let mut entries: Vec<(Key, Entry)> = self.entries.iter().filter(is_kept).cloned().collect();
        let mut units: Vec<(usize, Body)> = Vec::new();
        for (at, (_, entry)) in entries.iter().enumerate() {
            let body = Body::from_bytes(&entry.payload).ok();
            units.extend(body.filter(|it| it.object.starts_with(b"BC\xc0\xde")).map(|it| (at, it)));
        }
        let number = usize::from(*which) % units.len();
        let (at, body) = &mut units[number];
        damage(&mut body.object, rest);
        body.object.splice(..body.object.len().min(4), *b"BC\xc0\xde");
        entries[*at].1 = Entry::new(body.to_bytes(), Duration::ZERO);
        self.compiled_with((&self.note, &entries), None, &KERNELS)
    }

    fn compiled_with(
        &self,
        (note, entries): (&[u8], &[(Key, Entry)]),
        library: Option<(usize, &[u8])>,
        kernels: &[&str],
    ) -> Result<CompileTally, Error> {
        let failed = |it: std::io::Error| Error::program(it.to_string());
        kiln_cache::write_image(&self.image, note, entries).map_err(failed)?;
        let mut device_libraries = Vec::new();
        if let Some((_, library)) = library {
            std::fs::write(&self.library, library).map_err(failed)?;
            device_libraries.push(self.library.clone());
        }
        let mut compiled = CompileTally::default();
        let image = Some(self.image.clone());
        // Libraries are read elsewhere whatever is said.
        let isolation = library.is_none().then_some(Isolation::Devices);
        let session =
            self.session(SessionOptions { image, device_libraries, isolation, ..SessionOptions::default() });
        let session = match session {
            Ok(session) => session,
            Err(failure) if failure.is_bug() => return Err(failure),
            Err(failure) => {
                compiled.failures.push(failure);
                return Ok(compiled);
            }
        };
        for (at, target) in TARGETS.iter().enumerate() {
            for kernel in kernels.iter().filter(|_| library.is_none_or(|it| it.0 == at)) {
                match session.compile(kernel, &options(target)) {
                    Ok(_) => compiled.made += 1,
                    Err(failure) if failure.is_bug() => return Err(failure),
                    Err(failure) => compiled.failures.push(failure),
                }
            }
        }
        Ok(compiled)
    }
}

impl CompileTally {
    /// Returns the number of times that the code generator's process ended.
    pub fn ends(&self) -> usize {
        self.failures.iter().filter(|it| it.kind == ErrorKind::Internal).count()
    }
}

fn options(target: &str) -> compile::CompileOptions {
    compile::CompileOptions {
        target: target.into(),
        emit: compile::Emit::Default,
        name: None,
        space: compile::Space::OfArguments,
        function: true,
        kernel: crate::KernelOptions::default(),
    }
}
