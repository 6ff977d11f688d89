//! The last step of a kernel for a device: the form its users load.
//!
//! PTX, SPIR-V and objects are what the code generator made. Code objects are linked by `kiln_link`, in a few microseconds,
//! so that they are not kept beside the objects. What only a vendor's tool makes costs a process, and is kept under a key
//! of the object, the tool and its options.

use super::metal_library::metal_library;
use super::tools::{ToolError, find, refused_before, run_with};
use super::{ArtifactError, Form};
use crate::diagnostics;
use crate::env::{CompileEnv, Compiler};
use crate::error::{CompileError, ErrorKind};
use crate::keys::{OUTPUT, REFUSAL};
use crate::naming::specialization;
use kiln_cache::{Class, ContentHash, Entry, Key, KeyBuilder};
use kiln_codegen_client::{CodegenError, RoundTrip};
use kiln_ir::Instance;
use kiln_link::ObjectLinkError;
use kiln_targets::{Finish, TargetFacts, Tool, ToolUse};
use kiln_unit::LinkedModule;
use std::borrow::Cow;
use std::time::{Duration, Instant};

/// The part of a key that names the tool which made a file.
pub const TOOL: &str = "tool";

/// The form that was asked for of a kernel that has been linked.
pub fn finish(
    env: &CompileEnv<'_>,
    (entry, linked_module): (Instance, &LinkedModule),
    form: Form,
) -> Result<Vec<u8>, ArtifactError> {
    let CompileEnv { rt, compiler, view } = *env;
    let facts = &view.unit.facts;
    match form {
        Form::Llvm => {
            let codegen = compiler.codegen.for_target(facts);
            let codegen = codegen.map_err(|it| CompileError::no_codegen(&it))?;
            let text = codegen.listing(linked_module.optimized.clone());
            let failed = |it: CodegenError| {
                CompileError::new(ErrorKind::Internal, diagnostics::plain(&it.to_string()))
            };
            Ok(text.map_err(failed)?.into_bytes())
        }
        Form::Bitcode => Ok(linked_module.optimized.clone()),
        Form::Assembly => Ok(linked_module.assembly.clone()),
        Form::Object => Ok(linked_module.object.clone()),
        Form::Binary => Ok(finished(compiler, facts, &specialization(rt, entry), &linked_module.object)?),
    }
}

/// The finished form of an object.
///
/// # Errors
/// When the tool that makes it is missing or refuses the object.
pub fn finished(
    compiler: &Compiler,
    facts: &TargetFacts,
    subject: &str,
    object: &[u8],
) -> Result<Vec<u8>, ToolError> {
    match &facts.tools.finish {
        Finish::None => Ok(object.to_vec()),
        Finish::Assemble { .. } => machine_code(compiler, facts, subject, object),
        Finish::CodeObject(linker) => match kiln_link::code_object(object) {
            Ok(linked) => Ok(linked),
            Err(ObjectLinkError::Unsupported(_)) => {
                made_by(compiler, linker, &linker.options, subject, object)
            }
            Err(error) => Err(ToolError::Unlinkable(error)),
        },
        Finish::MetalLibrary => metal_library(object).map_err(ToolError::NotMetal),
    }
}

/// Returns the output of a target's assembler for one processor: code for the processor, or, if kernels launch kernels, an
/// object for a linker that has the library by which they do it. An object that no assembler takes is returned as it is.
///
/// # Errors
/// When the assembler is missing or refuses it.
pub fn machine_code(
    compiler: &Compiler,
    facts: &TargetFacts,
    subject: &str,
    object: &[u8],
) -> Result<Vec<u8>, ToolError> {
    let Some((assembler, options)) = assembler(facts, object) else { return Ok(object.to_vec()) };
    let made = made_by(compiler, assembler, &options, subject, object)?;
    // A launch does not know who made it.
    if let Some(which) = identity(compiler, &assembler.tool) {
        let key = which_key(&assembler.tool, &options, subject, object);
        if compiler.results.get_part(&key).is_none_or(|it| it.payload != which.as_bytes()) {
            compiler.results.replace(key, Entry::new(which.into_bytes(), Duration::ZERO));
        }
    }
    Ok(made)
}

/// Returns the output of a target's assembler for one processor, here or where an image was built, if that is kept and can
/// be run as it is. The assembler need not be here.
pub fn kept_machine_code(
    compiler: &Compiler,
    facts: &TargetFacts,
    subject: &str,
    object: &[u8],
) -> Option<Vec<u8>> {
    if kiln_unit::needs_device_runtime(object) {
        return None;
    }
    let (assembler, options) = assembler(facts, object)?;
    let which = compiler.results.get_part(&which_key(&assembler.tool, &options, subject, object))?;
    let which = std::str::from_utf8(&which.payload).ok()?;
    Some(compiler.results.get(&tool_key(&assembler.tool, which, &options, subject, object))?.payload)
}

/// Returns the output of a tool for an object; the tool runs once for each.
fn made_by(
    compiler: &Compiler,
    using: &ToolUse,
    options: &[Cow<'static, str>],
    subject: &str,
    object: &[u8],
) -> Result<Vec<u8>, ToolError> {
    let tool = &using.tool;
    let key = identity(compiler, tool).map(|which| tool_key(tool, &which, options, subject, object));
    if let Some(entry) = key.as_ref().and_then(|it| compiler.results.get(it)) {
        return Ok(entry.payload);
    }
    let refusal = key.as_ref().map(|it| refusal_key(it, subject));
    if let Some(entry) = refusal.as_ref().and_then(|it| compiler.results.get_part(it))
        && let Ok(said) = String::from_utf8(entry.payload)
    {
        return Err(refused_before(tool, object, said));
    }
    let started = Instant::now();
    let made = run_with(&compiler.options.tools, using, options, object);
    let took = started.elapsed();
    compiler.counters.span(&tool.name, || subject.to_owned(), started, took);
    match (&made, key, refusal) {
        (Ok(made), Some(key), _) => compiler.results.replace(key, Entry::new(made.clone(), took)),
        (Err(ToolError::Refused(_, said, _)), _, Some(key)) => {
            compiler.results.replace(key, Entry::new(said.clone().into_bytes(), Duration::ZERO));
        }
        (Ok(_) | Err(_), _, _) => {}
    }
    made
}

/// The assembler of a target, and its options for an object; `None` if there is none.
fn assembler<'a>(facts: &'a TargetFacts, object: &[u8]) -> Option<(&'a ToolUse, Vec<Cow<'static, str>>)> {
    let Finish::Assemble { assembler, relocatable } = &facts.tools.finish else { return None };
    let mut options = assembler.options.clone();
    if kiln_unit::needs_device_runtime(object) {
        options.extend(relocatable.iter().cloned());
    }
    Some((assembler, options))
}

/// Returns the identity of a tool's version; `None` if there is no tool.
fn identity(compiler: &Compiler, tool: &Tool) -> Option<String> {
    kiln_codegen_client::file_identity(&find(&compiler.options.tools, tool)?)
}

/// Returns the key of the file that a tool makes.
fn tool_key(tool: &Tool, which: &str, options: &[Cow<'static, str>], subject: &str, object: &[u8]) -> Key {
    let mut key = KeyBuilder::new(Class::Tool, subject);
    key.text(TOOL, &tool.name).text("which one", which).text("options", &options.join(" "));
    key.digest("object", ContentHash::of(object), object.len() as u64);
    key.finish()
}

/// Returns the key of the identity of the assembler that was asked last.
fn which_key(tool: &Tool, options: &[Cow<'static, str>], subject: &str, object: &[u8]) -> Key {
    let mut key = KeyBuilder::new(Class::Tool, format!("assembler of {subject}"));
    key.text(OUTPUT, "which one").text("tool asked", &tool.name).text("options", &options.join(" "));
    key.digest("object", ContentHash::of(object), object.len() as u64);
    key.finish()
}

/// Returns the key of a tool's refusal, beside that of its file.
fn refusal_key(file: &Key, subject: &str) -> Key {
    let mut key = KeyBuilder::new(Class::Tool, format!("refusal of {subject}"));
    key.text(OUTPUT, REFUSAL).nested("file", file);
    key.finish()
}
