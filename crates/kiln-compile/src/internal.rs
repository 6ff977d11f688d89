//! Failures of the code generator itself: reported at the kernel that it failed for, with the job left for the
//! developers to find.
//!
//! A job is the bytes of its request, which `kiln codegen replay` gives to the code generator again, and beside them what
//! LLVM's own tools read. Its folder is called after its content: a failure that is met again writes nothing new.

use crate::diagnostics;
use crate::env::CompileEnv;
use crate::error::{CompileError, ErrorKind};
use crate::naming::job;
use kiln_bytes::{Malformed, hex};
use kiln_cache::ContentHash;
use kiln_codegen_client::RoundTrip;
use kiln_codegen_client::{Codegen, CodegenError};
use kiln_ir::{Instance, SourceLoc};
use kiln_targets::TargetFacts;
use kiln_unit::{CodegenRequest, DeviceLinkRequest, LinkedModule};
use std::fmt;
use std::path::{Path, PathBuf};

/// The job that the code generator failed at.
pub(crate) enum FailedJob<'a> {
    /// A unit.
    Unit(&'a CodegenRequest),
    /// A device link.
    DeviceLink(&'a DeviceLinkRequest),
}

impl FailedJob<'_> {
    fn bytes(&self) -> Vec<u8> {
        match self {
            Self::Unit(it) => it.to_bytes(),
            Self::DeviceLink(it) => it.to_bytes(),
        }
    }

    fn modules(&self) -> impl Iterator<Item = (usize, &[u8])> {
        let parts = match self {
            Self::Unit(_) => &[][..],
            Self::DeviceLink(it) => &it.parts,
        };
        parts.iter().map(|it| &*it.bitcode).enumerate()
    }

    fn options(&self) -> String {
        match self {
            Self::Unit(it) => format!("{:#?}", it.options),
            Self::DeviceLink(it) => format!("{:#?}\nwanted: {:?}", it.options, it.wanted),
        }
    }
}

/// Why there is no code for `entry`: the code generator has failed, as `what` says.
pub(crate) fn internal_error(
    env: &CompileEnv<'_>,
    facts: &TargetFacts,
    entry: Instance,
    failed: &FailedJob<'_>,
    what: &str,
) -> CompileError {
    let about = format!(
        "what failed: {what}\njob: {}\ntarget: {} ({}, {}, {})\nkiln: {}\noptions: {}\n\nTo do it again: kiln codegen replay {}\n",
        job(env.rt, entry),
        facts.name,
        facts.triple,
        facts.cpu,
        facts.features,
        env!("CARGO_PKG_VERSION"),
        failed.options(),
        REQUEST,
    );
    let written = write(failed, &about);
    let help = match &written {
        Ok(folder) => format!(
            "the job was written to {0}; `kiln codegen replay {0}/{REQUEST}` does it again; please report it with that folder",
            folder.display()
        ),
        Err(error) => format!("please report it with the program (the job cannot be written: {error})"),
    };
    let place = place_of(env, entry);
    let problem = diagnostics::internal(place, &facts.name, what, &help);
    CompileError::new(ErrorKind::Internal, vec![problem])
}

/// Where the method of an instance is, if that is in the program.
pub fn place_of(env: &CompileEnv<'_>, instance: Instance) -> SourceLoc {
    let rt = env.rt;
    let loc = rt.tables.method(rt.tables.instance_data(instance).method).loc;
    if env.compiler.is_user_file(loc) { loc } else { SourceLoc::NONE }
}

/// The file that is replayed.
const REQUEST: &str = "request";

/// Writes the job to a folder of its own.
fn write(failed: &FailedJob<'_>, about: &str) -> std::io::Result<PathBuf> {
    let bytes = failed.bytes();
    let name = hex(&ContentHash::of(&bytes).0[..6]);
    let folder = std::env::temp_dir().join(format!("kiln-job-{name}"));
    std::fs::create_dir_all(&folder)?;
    let put = |name: &str, bytes: &[u8]| std::fs::write(folder.join(Path::new(name)), bytes);
    put(REQUEST, &bytes)?;
    put("about.txt", about.as_bytes())?;
    for (number, bitcode) in failed.modules() {
        put(&format!("part{number}.bc"), bitcode)?;
    }
    Ok(folder)
}

/// Why a request cannot be given to the code generator again.
#[derive(Debug)]
pub enum ReplayError {
    /// The code generator cannot be opened, or gives no reply.
    Codegen(CodegenError),
    /// The bytes are no request of this version.
    Unreadable(Malformed),
}

impl std::error::Error for ReplayError {}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Codegen(error) => write!(f, "{error}"),
            Self::Unreadable(error) => write!(f, "{error}"),
        }
    }
}

impl From<CodegenError> for ReplayError {
    fn from(error: CodegenError) -> Self {
        Self::Codegen(error)
    }
}

impl From<Malformed> for ReplayError {
    fn from(error: Malformed) -> Self {
        Self::Unreadable(error)
    }
}

/// Gives the bytes of a request to the code generator that `named` says, or ours, and describes the outcome. Messages about
/// panics have the call stack if `traces_panics`.
///
/// # Errors
/// When it cannot be opened, or the bytes are no request of this version.
pub fn replay(named: Option<&Path>, traces_panics: bool, request: &[u8]) -> Result<String, ReplayError> {
    let codegen = Codegen::open(named, traces_panics)?;
    let result = if DeviceLinkRequest::is_one(request) {
        let request = DeviceLinkRequest::from_bytes(request)?;
        let reply = codegen.link_device(&request)?;
        reply.result.map(|it| {
            let LinkedModule { linked, optimized, assembly, object, shared_bytes: _ } = it;
            [linked, optimized, assembly, object].iter().map(Vec::len).sum::<usize>()
        })
    } else {
        let request = CodegenRequest::from_bytes(request)?;
        let reply = codegen.request(&request, &mut |_| false)?;
        reply.result.map(|it| it.map_or(0, |it| it.object.len()))
    };
    Ok(match result {
        Ok(bytes) => format!("it was made: {bytes} bytes\n"),
        Err(refusals) => refusals.iter().map(|it| format!("{:?}: {}\n", it.kind, it.message)).collect(),
    })
}
