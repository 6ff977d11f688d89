//! Kernels and functions built ahead of time, as objects and headers for programs in C: `docs/ahead-of-time.md`.
//!
//! Each is compiled as `kiln compile` compiles for a processor, and gets a descriptor that `libkiln_rt` launches it by.

mod header;
mod identifier;

pub use header::header;
pub use identifier::{NamedSignature, named_signature};

use crate::compile::{
    CType, CompileOptions, DescribedSite, Description, Emit, Parameter, Space, compile_for_library,
};
use crate::{Error, Session};
use kiln_compile::device::EntryAbi;
use kiln_exec::KernelOptions;
use kiln_link::{LibraryEntry, library_object};
use kiln_targets::Items;
use kiln_unit::{DescriptorFacts, EntryDescription, KIND_FUNCTION, KIND_GROUPS, KIND_ITEM, SiteDescription};

/// The options of a build.
///
/// ```
/// let options = kiln::ahead::BuildOptions::new("x86-64-v3");
/// assert_eq!(options.target, "x86-64-v3");
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct BuildOptions {
    /// The processor: `native`, `x86-64-v3`, `znver4`, ...
    pub target: String,
    /// The launch of a kernel that is specialized for its dimensions.
    pub space: Space,
    /// Everything else about the code.
    pub kernel: KernelOptions,
}

impl BuildOptions {
    /// The default options for a processor.
    ///
    /// ```
    /// assert_eq!(kiln::ahead::BuildOptions::new("native").kernel, kiln::KernelOptions::default());
    /// ```
    pub fn new(target: impl Into<String>) -> Self {
        Self { target: target.into(), space: Space::OfArguments, kernel: KernelOptions::default() }
    }
}

/// A kernel, or a function that returns something, built for programs without a session.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct BuiltEntry {
    /// The name in C: of its descriptor, and the beginning of those of its typed functions.
    pub symbol: String,
    /// The signature that it was built for.
    pub signature: String,
    /// An object whose one global symbol is the descriptor.
    pub object: Vec<u8>,
    /// Its arguments, with their places in the block that it is given.
    pub params: Vec<Parameter>,
    /// The length of the block in bytes.
    pub args_bytes: u32,
    /// The type of its result; `None` for a kernel.
    pub returns: Option<CType>,
}

fn compile_options(options: &BuildOptions) -> CompileOptions {
    CompileOptions {
        target: options.target.clone(),
        emit: Emit::Default,
        name: None,
        space: options.space.clone(),
        function: true,
        kernel: options.kernel.clone(),
    }
}

/// Checks that there is such a processor; looks at no function.
///
/// # Errors
/// When there is none.
///
/// ```
/// use kiln::ahead::{BuildOptions, check_options};
///
/// let session = kiln::Session::new(kiln::SessionOptions::new())?;
/// assert!(check_options(&session, &BuildOptions::new("x86-64-v2")).is_ok());
/// assert!(check_options(&session, &BuildOptions::new("sm_90")).is_err());
/// # Ok::<(), kiln::Error>(())
/// ```
pub fn check_options(session: &Session, options: &BuildOptions) -> Result<(), Error> {
    match session.check_compile_options(&compile_options(options))?.items {
        Items::Loops => Ok(()),
        Items::Device | Items::None => {
            let name = &options.target;
            let what = format!("error: `{name}` is no processor: `kiln compile -t {name}` compiles for it");
            Err(Error::usage(what))
        }
    }
}

/// Builds a function of `Main` for programs without a session. The file that defines it must have been run.
///
/// # Errors
/// When the signature is invalid, or the function needs Julia's objects, output, or a value of the session.
///
/// ```
/// use kiln::{Session, SessionOptions};
/// use kiln::ahead::{BuildOptions, build_entry, header, named_signature};
///
/// let session = Session::new(SessionOptions::new())?;
/// session.load_text("half.jl", "half(x::Float64) = x / 2")?;
/// let half = build_entry(&session, &named_signature("half(Float64)")?, &BuildOptions::new("native"))?;
/// assert!(half.object.starts_with(b"\x7fELF"));
/// assert!(header("half", &[half]).contains("half_call(double x, double *result"));
/// # Ok::<(), kiln::Error>(())
/// ```
pub fn build_entry(
    session: &Session,
    NamedSignature { symbol, signature }: &NamedSignature,
    options: &BuildOptions,
) -> Result<BuiltEntry, Error> {
    let compiled = CompileOptions { name: Some(symbol.clone()), ..compile_options(options) };
    let made = compile_for_library(session, signature, &compiled)?;
    let description = made.description.unwrap_or_default();
    let facts = facts(&description, options.kernel.heap_bytes);
    if matches!(description.returns, Some(CType::Bytes(bytes)) if bytes < facts.result_bytes) {
        return Err(Error::program(
            "error: its result is of one of several types, which C has no type for\n\
             \x20 = help: return a value of one type, or a tuple of the value and a number that says which it is",
        ));
    }
    let text =
        EntryDescription { name: signature.clone(), sites: description.sites.iter().map(site).collect() };
    let object = library_object(&LibraryEntry {
        symbol,
        object: &made.bytes,
        entry: &made.symbol,
        facts,
        description: &text.to_bytes(),
    });
    let object = object.map_err(|it| Error::program(format!("error: {signature}: {it}")))?;
    Ok(BuiltEntry {
        symbol: symbol.clone(),
        signature: signature.clone(),
        object,
        params: description.params,
        args_bytes: facts.args_bytes,
        returns: description.returns,
    })
}

/// Returns the names of the files that a session has read code from, without the standard library, in the order in which
/// it did.
///
/// ```
/// let session = kiln::Session::new(kiln::SessionOptions::new())?;
/// session.load_text("half.jl", "half(x) = x / 2")?;
/// assert_eq!(kiln::ahead::source_files(&session), ["half.jl"]);
/// # Ok::<(), kiln::Error>(())
/// ```
pub fn source_files(session: &Session) -> Vec<String> {
    let files = session.front.files.lock();
    let own = files.iter().filter(|it| !it.name.starts_with("@kiln/"));
    own.map(|it| it.name.to_string()).collect()
}

/// An archive of the objects of a library.
///
/// ```
/// assert!(kiln::ahead::archive(&[]).starts_with(b"!<arch>\n"));
/// ```
pub fn archive(entries: &[BuiltEntry]) -> Vec<u8> {
    let member = |it: &BuiltEntry| (format!("{}.o", it.symbol), it.object.clone(), vec![it.symbol.clone()]);
    kiln_link::archive(&entries.iter().map(member).collect::<Vec<_>>())
}

/// The numbers of the descriptor.
fn facts(description: &Description, heap_bytes: u32) -> DescriptorFacts {
    let entry = &description.entry;
    let kind = match entry.abi {
        EntryAbi::Item => KIND_ITEM,
        EntryAbi::Function => KIND_FUNCTION,
        EntryAbi::Groups | EntryAbi::Device => KIND_GROUPS,
    };
    DescriptorFacts {
        kind,
        args_bytes: entry.bytes,
        result_bytes: entry.result_bytes,
        shared_bytes: description.shared_bytes,
        frame_bytes: entry.frame_bytes,
        lanes: entry.lanes,
        heap_bytes: if description.allocates { heap_bytes.into() } else { 0 },
    }
}

fn site(it: &DescribedSite) -> SiteDescription {
    let frame = |it: &crate::compile::DescribedFrame| {
        let (file, line) = it.place.clone().unwrap_or_default();
        (it.function.clone(), file, line)
    };
    SiteDescription { message: it.message.clone(), frames: it.frames.iter().map(frame).collect() }
}
