//! Opening the code generator: a shared library found beside the executable, or named by `KILN_CODEGEN`.

use kiln_targets::TargetFacts;
use kiln_unit::{Malformed, TargetsReply, TargetsRequest};
use libloading::Library;
use object::Endianness;
use object::elf::FileHeader64;
use object::read::elf::{FileHeader as _, ProgramHeader as _};
use std::any::Any;
use std::ffi::c_void;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::ptr::NonNull;
use std::time::SystemTime;

/// The file the code generator is in.
const LIBRARY: &str = "libkiln_codegen.so";

/// Asks whether an emitted unit is known: the context, and the bytes of an emitted unit.
type AskFn = unsafe extern "C" fn(*mut c_void, *const u8, usize) -> bool;
/// `kiln_codegen_open`: makes an instance. See the crate `kiln-codegen`.
type OpenFn = unsafe extern "C" fn(*const Host) -> *mut c_void;
/// `kiln_codegen_request`: request bytes in, a question, an owned reply out.
type RequestFn =
    unsafe extern "C" fn(*mut c_void, *const u8, usize, AskFn, *mut c_void, *mut *mut u8, *mut usize);
/// `kiln_codegen_free`: takes a reply back.
type FreeFn = unsafe extern "C" fn(*mut u8, usize);
/// `kiln_codegen_close`: takes an instance back.
type CloseFn = unsafe extern "C" fn(*mut c_void);
/// `kiln_codegen_setup`, in which a third-party library registers its targets with an instance.
type SetupFn = unsafe extern "C" fn(*mut c_void);

/// The services that an instance has of its host, as `kiln_codegen::Host` has them.
#[repr(C)]
struct Host {
    /// Nanoseconds since some time.
    now: extern "C" fn() -> u64,
    /// Whether the message of a panic has the call stack.
    traces_panics: bool,
}

/// Nanoseconds since 1970. The code generator takes differences; a clock that is set back counts as no time.
extern "C" fn now() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

/// Why code could not be generated at all.
#[derive(Debug)]
pub enum CodegenError {
    /// No library where one was looked for.
    NotFound(Vec<PathBuf>),
    /// The library exists and cannot be opened.
    Open(PathBuf, String),
    /// The library returned an invalid reply.
    Protocol(String),
    /// The separate process ended; holds a description of how.
    Ended(String),
}

impl fmt::Display for CodegenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CodegenError::NotFound(paths) => {
                write!(f, "the code generator {LIBRARY} is missing; looked at ")?;
                let shown: Vec<String> = paths.iter().map(|it| it.display().to_string()).collect();
                f.write_str(&shown.join(", "))
            }
            CodegenError::Open(path, error) => {
                write!(f, "the code generator {} cannot be opened: {error}", path.display())
            }
            CodegenError::Protocol(what) => write!(f, "the code generator answered nonsense: {what}"),
            CodegenError::Ended(how) => write!(f, "the process of the code generator {how}"),
        }
    }
}

impl std::error::Error for CodegenError {}

impl CodegenError {
    /// Returns advice about the error.
    pub fn help(&self) -> Option<String> {
        match self {
            Self::NotFound(_) => Some(format!(
                "{LIBRARY} belongs beside the program `kiln`: put it there, or name it in KILN_CODEGEN (`cargo build -p kiln-codegen` makes it)"
            )),
            Self::Open(..) | Self::Protocol(_) => Some(format!(
                "{LIBRARY} has to be of the same version as `kiln`: build both again, and unset KILN_CODEGEN if it names another"
            )),
            Self::Ended(_) => None,
        }
    }

    /// Returns the message and the advice.
    pub fn with_help(&self) -> String {
        match self.help() {
            Some(help) => format!("{self}\n  = help: {help}"),
            None => self.to_string(),
        }
    }
}

/// The opened code generator: an instance of it, and its library.
#[derive(Debug)]
pub struct Codegen {
    instance: NonNull<c_void>,
    request: RequestFn,
    free: FreeFn,
    close: CloseFn,
    /// The functions are the library's, so it is dropped last.
    _library: Library,
}

// SAFETY: an instance takes requests from several threads at once, and belongs to none.
unsafe impl Send for Codegen {}
// SAFETY: as above.
unsafe impl Sync for Codegen {}

impl Drop for Codegen {
    fn drop(&mut self) {
        // SAFETY: the instance is of this library, and no call of `self` is at work.
        unsafe { (self.close)(self.instance.as_ptr()) }
    }
}

impl Codegen {
    /// Opens it: `named` if given, else beside the running executable or in the folder above (test binaries live in
    /// `deps/`). Messages about panics have the call stack if `traces_panics`.
    ///
    /// # Errors
    /// When it is missing, or is of another version.
    pub fn open(named: Option<&Path>, traces_panics: bool) -> Result<Self, CodegenError> {
        let path = &find(named)?;
        // SAFETY: opening runs the library's constructors; it is ours, built with this program.
        let library =
            unsafe { Library::new(path) }.map_err(|it| CodegenError::Open(path.clone(), it.to_string()))?;
        let missing = |it: libloading::Error| CodegenError::Open(path.clone(), it.to_string());
        // SAFETY: the names have these types in `kiln-codegen`, whose version is that of this crate.
        let (open, request, free, close): (OpenFn, RequestFn, FreeFn, CloseFn) = unsafe {
            (
                *library.get(b"kiln_codegen_open\0").map_err(missing)?,
                *library.get(b"kiln_codegen_request\0").map_err(missing)?,
                *library.get(b"kiln_codegen_free\0").map_err(missing)?,
                *library.get(b"kiln_codegen_close\0").map_err(missing)?,
            )
        };
        let host = Host { now, traces_panics };
        // SAFETY: the host is readable during the call.
        let instance = NonNull::new(unsafe { open(&raw const host) });
        let instance =
            instance.ok_or_else(|| CodegenError::Open(path.clone(), "it makes no instance".into()))?;
        // SAFETY: a library that has the function has it to be called once for an instance, before the others.
        unsafe {
            if let Ok(setup) = library.get::<SetupFn>(b"kiln_codegen_setup\0") {
                setup(instance.as_ptr());
            }
        }
        Ok(Self { instance, request, free, close, _library: library })
    }

    /// Facts of the targets it has that `kiln_targets` does not know.
    ///
    /// # Errors
    /// When the library is not one of this version.
    pub fn targets(&self) -> Result<Vec<TargetFacts>, CodegenError> {
        let reply = self.call(&TargetsRequest.to_bytes(), &mut |_| true)?;
        let reply = TargetsReply::from_bytes(&reply).map_err(|it| protocol_error(&it))?;
        let facts: Result<_, _> = reply.facts.iter().map(|it| TargetFacts::from_bytes(it)).collect();
        facts.map_err(|it| protocol_error(&it))
    }

    /// The reply to the bytes of a request.
    ///
    /// # Errors
    /// When the library gives nothing.
    pub fn call(
        &self,
        request: &[u8],
        is_known: &mut dyn FnMut(&[u8]) -> bool,
    ) -> Result<Vec<u8>, CodegenError> {
        let (mut reply, mut len) = (std::ptr::null_mut(), 0);
        let mut question = AskContext { is_known, panic: None };
        let context = (&raw mut question).cast();
        let (instance, start) = (self.instance.as_ptr(), request.as_ptr());
        // SAFETY: the instance lives, the request is readable for its length, the reply's places may be written to, and the
        // context is what `answer` takes.
        unsafe {
            (self.request)(
                instance,
                start,
                request.len(),
                answer_is_known,
                context,
                &raw mut reply,
                &raw mut len,
            );
        }
        if reply.is_null() {
            return Err(CodegenError::Protocol("nothing".into()));
        }
        // SAFETY: the library says that `reply` holds `len` bytes until they are freed.
        let bytes = unsafe { std::slice::from_raw_parts(reply, len) }.to_vec();
        // SAFETY: the reply came from this library and is given back once.
        unsafe { (self.free)(reply, len) };
        match question.panic {
            Some(panic) => resume_unwind(panic),
            None => Ok(bytes),
        }
    }
}

fn protocol_error(error: &Malformed) -> CodegenError {
    CodegenError::Protocol(error.to_string())
}

/// The state behind the code generator's questions, and the panic that answering ended in: none may cross the C interface.
struct AskContext<'a> {
    is_known: &'a mut dyn FnMut(&[u8]) -> bool,
    panic: Option<Box<dyn Any + Send>>,
}

/// Answers a [`AskContext`].
///
/// # Safety
/// The context is that of a [`AskContext`] which nothing else uses, the bytes are valid for their length.
unsafe extern "C" fn answer_is_known(context: *mut c_void, bytes: *const u8, len: usize) -> bool {
    // SAFETY: by the contract.
    let (question, bytes) =
        unsafe { (&mut *context.cast::<AskContext<'_>>(), std::slice::from_raw_parts(bytes, len)) };
    match catch_unwind(AssertUnwindSafe(|| (question.is_known)(bytes))) {
        Ok(known) => known,
        Err(panic) => {
            question.panic = Some(panic);
            true
        }
    }
}

/// Returns the identity of the code generator, without opening it. `None` if there is none.
pub fn identity(named: Option<&Path>) -> Option<String> {
    file_identity(&candidates(named).into_iter().find(|it| it.is_file())?)
}

/// Returns the identity of a program or a library: its linker's build id, or, where it has none, its size and age.
pub fn file_identity(path: &Path) -> Option<String> {
    let file = std::fs::File::open(path).ok()?;
    let metadata = file.metadata().ok()?;
    if let Ok(Some(id)) = build_id(&object::ReadCache::new(file)) {
        return Some(id);
    }
    let age = metadata.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
    Some(format!("{} bytes of {}.{:09}", metadata.len(), age.as_secs(), age.subsec_nanos()))
}

/// Returns the build id of a library, from its notes: the many symbols and sections of a code generator are not read.
fn build_id(file: &object::ReadCache<std::fs::File>) -> object::read::Result<Option<String>> {
    let header = FileHeader64::<Endianness>::parse(file)?;
    let endian = header.endian()?;
    for segment in header.program_headers(endian, file)? {
        let Some(mut notes) = segment.notes(endian, file)? else { continue };
        while let Some(note) = notes.next()? {
            if note.name() == object::elf::ELF_NOTE_GNU && note.n_type(endian) == object::elf::NT_GNU_BUILD_ID
            {
                return Ok(Some(kiln_bytes::hex(note.desc())));
            }
        }
    }
    Ok(None)
}

/// Returns the path of the code generator to open.
///
/// # Errors
/// When there is none.
pub fn find(named: Option<&Path>) -> Result<PathBuf, CodegenError> {
    let candidates = candidates(named);
    let found = candidates.iter().find(|it| it.is_file()).cloned();
    found.ok_or(CodegenError::NotFound(candidates))
}

/// The places to look: beside the executable, where cargo puts the libraries that it depends on, and above.
fn candidates(named: Option<&Path>) -> Vec<PathBuf> {
    if let Some(path) = named {
        return vec![path.to_path_buf()];
    }
    let Some(dir) = std::env::current_exe().ok().and_then(|it| Some(it.parent()?.to_path_buf())) else {
        return vec![PathBuf::from(LIBRARY)];
    };
    let above = dir.parent().map(|it| it.join(LIBRARY));
    [dir.join(LIBRARY), dir.join("deps").join(LIBRARY)].into_iter().chain(above).collect()
}
