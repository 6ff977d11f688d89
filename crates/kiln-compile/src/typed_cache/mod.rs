//! Typed code from one session to the next.
//!
//! The result of inferring and optimizing a function is kept, with all that it depends on, in the store and in images: a
//! later session that asks for the same function of the same text checks what it depends on, and infers nothing.
//!
//! Its dependencies are kept flat, those of everything it calls included ([`facts`]), because most of what a function calls
//! is inlined into it: neither the bodies nor the results of those calls are needed again. Most facts are about the library,
//! which both sessions have from one snapshot, and hold unless the program has added to what they are about.
//!
//! A session is told from another by the snapshot it was thawed from and by the sources of the compiler; one that loaded
//! the library from its text keeps nothing.

mod body;
mod boundary;
mod changes;
mod facts;
mod library;
mod names;
mod objects;
mod places;
mod record;
pub(crate) mod state;
mod unkept;

pub(crate) use boundary::keep_with_callees;
pub use changes::{Cause, causes};

use crate::env::{CompileEnv, Compiler};
use crate::error::DIFFERS;
use crate::inputs::View;
use crate::naming::specialization;
use kiln_bytes::{Reader, Writer};
use kiln_cache::{Class, ContentHash, Entry, Key, KeyBuilder, KeyId};
use kiln_ir::Instance;
use kiln_ir::wire::SectionWriter;
use kiln_runtime::tables::{CacheOwner, CodeInstance, MethodTableView};
use kiln_runtime::{Runtime, TypedQuery};
use kiln_types::identity;
use record::{Sources, Written};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Results kept under one key: of the same function of the same text that came to depend on other things, as when one goes
/// to and fro between two versions of what it calls.
const ALTERNATIVES_MAX: usize = 8;

/// Where the typed code of a code instance is kept: what it is the result of, and a hash of all that is kept of it, what it
/// depends on included. Equal ones are of equal code.
#[derive(Debug)]
pub struct CacheLocation {
    /// The function, and the types of its arguments.
    pub subject: String,
    /// The key of the function and its text.
    pub key: KeyId,
    /// The hash of what is kept.
    pub record: ContentHash,
}

/// Says of a code instance that it came from another session, or has been kept for one: by one thread.
#[derive(Debug, Default)]
struct IsKept(AtomicBool);

impl IsKept {
    /// Sets it. Whether it was set before.
    fn set(typed: &CodeInstance) -> bool {
        typed.result_or_insert_with(Self::default).0.swap(true, Ordering::AcqRel)
    }
}

/// Returns the part that all keys of typed code of a session share; `None` if it can not be found by others.
fn kept_environment<'a>(compiler: &'a Compiler, rt: &Runtime) -> Option<&'a Key> {
    let made = || {
        let image = rt.image?;
        let mut key = KeyBuilder::new(Class::Semantic, "inference");
        key.text("kiln", env!("CARGO_PKG_VERSION")).text("sources", env!("KILN_SOURCES"));
        key.bytes("library", &image).flag("fused multiply-add", rt.have_fma);
        // The host's owner is one for all modes.
        key.text("bounds checks", rt.check_bounds.name());
        Some(key.finish())
    };
    compiler.typed.environment.get_or_init(made).as_ref()
}

/// The key of the typed code of an instance; `None` if no other session can ask for it.
fn kept_key(compiler: &Compiler, rt: &Runtime, owner: CacheOwner, instance: Instance) -> Option<Key> {
    let data = rt.tables.instance_data(instance);
    let method = rt.tables.method(data.method);
    let mut key = KeyBuilder::new(Class::Semantic, specialization(rt, instance));
    key.nested("environment", kept_environment(compiler, rt)?);
    key.bytes("owner", &owner.hash().to_le_bytes());
    if rt.tables.methods.is_frozen(method.id) {
        key.number("method of the library", method.id.index() as u64);
    } else {
        key.bytes("signature", &identity::hash_of_type(&rt.types, method.sig).to_le_bytes());
        key.bytes("body", &method.content_hash(&rt.types)?.to_le_bytes());
    }
    key.bytes("arguments", &identity::hash_of_type(&rt.types, data.spec_types).to_le_bytes());
    if !data.known_args.is_empty() {
        let mut known = SectionWriter::within(&rt.types, &*rt.heap);
        data.known_args.iter().for_each(|it| record::write_known(&mut known, it));
        key.bytes("known arguments", &known.finish()?);
    }
    Some(key.finish())
}

/// The key of a section of facts about the library.
fn section_key(compiler: &Compiler, rt: &Runtime, section: ContentHash) -> Option<Key> {
    let mut key = KeyBuilder::new(Class::Semantic, "facts about the library");
    key.nested("environment", kept_environment(compiler, rt)?).bytes("content", &section.0);
    Some(key.finish())
}

/// Keeps a result for other sessions, if they can make sense of it and it did not come from one.
pub fn keep(env: &CompileEnv<'_>, typed: &CodeInstance) {
    let CompileEnv { rt, compiler, view } = *env;
    // A launch runs in the world of its caller, which may be older: the facts are those of the newest.
    let world = rt.tables.world();
    if !compiler.keeps_typed() || !typed.holds_in(world) || IsKept::set(typed) {
        return;
    }
    let view = &View { world, ..view.clone() };
    let env = &env.with_view(view);
    let Some(key) = kept_key(compiler, rt, view.owner, typed.instance) else { return };
    let Written { record: bytes, library } =
        match facts::of(rt, view, typed).and_then(|it| record::write(rt, typed, it)) {
            Ok(written) => written,
            Err(why) => {
                compiler.counters.count(|it| &it.typed_uncacheable);
                if compiler.results.verifies() {
                    let name = specialization(rt, typed.instance);
                    let why = format!("{name}: its typed code is not kept: {}", why.display(rt));
                    compiler.warn("uncacheable", why);
                }
                return;
            }
        };
    if rt.tables.world() != view.world {
        return; // some of the facts may be of a definition that was made meanwhile
    }
    verify_kept(env, typed, &key);
    let section = ContentHash::of(&library);
    if compiler.typed.library.is_new(section)
        && let Some(key) = section_key(compiler, rt, section)
    {
        compiler.results.replace(key, Entry::new(library, Duration::ZERO));
    }
    typed.set_result(Arc::new(CacheLocation {
        subject: key.subject().to_owned(),
        key: key.id(),
        record: ContentHash::of(&bytes),
    }));
    let others = compiler.typed.others.lock().remove(&key.id()).unwrap_or_default();
    let mut all = Writer::with_capacity(bytes.len() + others.len() + 4);
    let kept = alternatives(&others).filter(|it| *it != bytes).take(ALTERNATIVES_MAX - 1);
    std::iter::once(&*bytes).chain(kept).for_each(|it| all.bytes(it));
    let all = all.finish();
    if compiler.results.collects() {
        // An image has what the program came to need one after the other.
        compiler.typed.others.lock().insert(key.id(), all.clone());
    }
    compiler.results.replace(key, Entry::new(all, Duration::ZERO));
}

/// Compares a result with those in the store that would have been taken for it, in the mode that verifies.
fn verify_kept(env: &CompileEnv<'_>, typed: &CodeInstance, key: &Key) {
    let CompileEnv { rt, compiler, view } = *env;
    let Some(entry) = compiler.results.to_verify(key) else { return };
    let fetch = |section| {
        let key = section_key(compiler, rt, section)?;
        let found = compiler.results.to_verify(&key).or_else(|| compiler.results.peek(&key));
        found.map(|it| it.payload)
    };
    let sources = Sources { names: &compiler.typed.names, library: &compiler.typed.library, fetch: &fetch };
    let read = |it| record::read(rt, sources, it, (&view.tables, view.owner), typed.instance).ok();
    let Some(found) = alternatives(&entry.payload).find_map(read) else { return };
    compiler.counters.count(|it| &it.verified);
    if !record::is_same(rt, &found.result, typed) {
        compiler.counters.count(|it| &it.mismatches);
        let name = specialization(rt, typed.instance);
        compiler.warn(DIFFERS, format!("{name}: inferred again, it differs from what was stored"));
    }
}

/// The results in an entry, the newest first. Nothing of what is malformed.
fn alternatives(payload: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut input = Reader::new(payload);
    std::iter::from_fn(move || input.bytes().ok())
}

/// Returns the typed code of an instance that another session kept, if all that it depends on is as it was.
///
/// A look-up of a callee is not counted as one of the store, and asks no server.
pub fn find(
    (compiler, rt): (&Compiler, &Runtime),
    view: &MethodTableView,
    owner: CacheOwner,
    instance: Instance,
    query: TypedQuery,
) -> Option<Arc<CodeInstance>> {
    if !compiler.keeps_typed() {
        return None;
    }
    let world = rt.tables.world();
    let key = kept_key(compiler, rt, owner, instance)?;
    let entry = match query {
        TypedQuery::Requested => compiler.results.get_part(&key),
        TypedQuery::Callee if compiler.results.looks_up() => compiler.results.get_hint(&key),
        TypedQuery::Callee => None,
    };
    let Some(entry) = entry else {
        compiler.counters.count(|it| &it.typed_absent);
        return None;
    };
    let fetch = |section| Some(compiler.results.get_part(&section_key(compiler, rt, section)?)?.payload);
    let sources = Sources { names: &compiler.typed.names, library: &compiler.typed.library, fetch: &fetch };
    let read = |it| Some((record::read(rt, sources, it, (view, owner), instance).ok()?, ContentHash::of(it)));
    let Some((loaded, record)) = alternatives(&entry.payload).find_map(read) else {
        compiler.counters.count(|it| &it.typed_stale);
        compiler.typed.others.lock().insert(key.id(), entry.payload);
        return None;
    };
    let ci = rt.tables.add_code_instance(loaded.result, world);
    loaded.known.attach(&ci);
    IsKept::set(&ci);
    ci.set_result(Arc::new(CacheLocation { subject: key.subject().to_owned(), key: key.id(), record }));
    compiler.counters.count(|it| &it.typed_found);
    Some(ci)
}
