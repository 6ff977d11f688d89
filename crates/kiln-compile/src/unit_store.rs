//! Units among kept results: a unit whose key is there is not compiled again, in any process.
//!
//! A unit is looked for by its front key, and if that is not there and its module has been emitted, by its back key (see
//! [`keys`](crate::keys)). An entry is checked before it is used: a store is not trusted.

use crate::env::Compiler;
use crate::keys::UnitKeys;
use crate::unit::UnitSource;
use crate::unit_target::UnitTarget;
use kiln_cache::{Entry, Key, Lease};
use kiln_unit::{Body, Emitted, Role, Stages};
use std::time::Duration;

/// Returns the keys of a target's units; `None` if the code generator cannot be told from others.
pub fn session_keys<'a>(compiler: &Compiler, target: &'a UnitTarget) -> Option<&'a UnitKeys> {
    target.keys_or_init(|| {
        let codegen = compiler.codegen_identity()?;
        Some(UnitKeys::new(&codegen, &target.facts, compiler.options.mutant))
    })
}

/// Returns the keys of a target's units; `None` if nothing is looked for or kept.
pub fn keys<'a>(compiler: &Compiler, target: &'a UnitTarget) -> Option<&'a UnitKeys> {
    if compiler.results.is_wanted() { session_keys(compiler, target) } else { None }
}

/// Returns the unit's code, if it is in an image or the store and can be what `source` was compiled to.
pub(crate) fn stored(compiler: &Compiler, key: &Key, source: &UnitSource) -> Option<Body> {
    let own = source.functions.len();
    compiler.results.look_up(key, |it| fitting(it, (own, own + source.callees.len())))
}

/// Returns what callers need to know of a unit without code, if it is stored and can be that of `source`.
pub(crate) fn stored_late(compiler: &Compiler, key: &Key, source: &UnitSource) -> Option<Body> {
    let own = source.functions.len();
    let entry = compiler.results.looks_up().then(|| compiler.results.get_hint(key))??;
    let body = Body::from_bytes(&entry.payload).ok()?;
    let bodies = |ordinal: usize| {
        let of_function = body.link.definitions.iter().filter(|it| it.ordinal as usize == ordinal);
        of_function.filter(|it| it.role == Role::Body).count()
    };
    let is_whole = body.object.is_empty() && (0..own).all(|it| bodies(it) == 1);
    (is_whole && counts_fit(&body, own, own + source.callees.len())).then_some(body)
}

/// The key of a unit by the module that was emitted for it. `None` if nothing is looked for or kept.
pub(crate) fn back_key(
    compiler: &Compiler,
    front: &Key,
    target: &UnitTarget,
    emitted: &Emitted,
) -> Option<Key> {
    Some(keys(compiler, target)?.back(front.subject(), &target.options, emitted))
}

/// Returns the unit's code, if it is stored under the key of its module, and can be that of so many functions, of which the first are its
/// own. From now on it has the front key, too.
pub(crate) fn stored_by_module(
    compiler: &Compiler,
    (front, back): (&Key, &Key),
    (own, all): (usize, usize),
) -> Option<Body> {
    let entry = compiler.results.get_by_other_key(back)?;
    let body = fitting(&entry, (own, all))?;
    compiler.results.collect(front, &entry);
    compiler.results.put(front.clone(), entry);
    Some(body)
}

/// Stores a unit that took `cost` to make under both its keys, and its stages, unless it holds what belongs to this process.
/// Returns the key of the stages, if they can be had from the store from now on.
pub(crate) fn store(
    compiler: &Compiler,
    (front, back): (&Key, Option<Key>),
    target: &UnitTarget,
    (body, stages): (&Body, &Stages),
    (cost, lease): (Duration, Option<Lease>),
) -> Option<Key> {
    if let Err(why) = lint(body) {
        compiler.warn("uncacheable", format!("`{}` is not kept: {why}", front.subject()));
        compiler.counters.count(|it| &it.uncacheable);
        return None;
    }
    if body.link.holds_address {
        // The program's doing: it has a constant that is a pointer.
        compiler.counters.count(|it| &it.uncacheable);
        return None;
    }
    let (results, entry) = (&compiler.results, Entry::new(body.to_bytes(), cost));
    results.collect(front, &entry);
    let keys = keys(compiler, target).filter(|_| results.has_store())?;
    results.put(front.clone(), entry.clone());
    results.put_leased(back?, entry, lease);
    let key = keys.stages(front.subject(), &target.options, &body.emitted);
    results.put(key.clone(), Entry::new(stages.to_bytes(), Duration::ZERO));
    results.is_readable().then_some(key)
}

/// Whether a kernel's code is looked for by its typed code: where nothing is to be compared with what is made again, and no
/// image is to have all that was needed.
pub(crate) fn finds_kernels(compiler: &Compiler) -> bool {
    let results = &compiler.results;
    let is_plain = results.options().is_some_and(|it| it.mode.looks_up() && it.verify_one_in == 0);
    is_plain && compiler.keeps_typed() && !results.collects() && !results.has_images()
}

/// Returns the code of a kernel that is one function and calls none.
pub(crate) fn lone_kernel_body(compiler: &Compiler, key: &Key) -> Option<Body> {
    let entry = compiler.results.peek(key)?;
    let body = Body::from_bytes(&entry.payload).ok()?;
    fits(&body, 1, 1).then_some(body)
}

/// Returns the stages of a unit, if they still are in the store.
pub(crate) fn stored_stages(compiler: &Compiler, key: &Key) -> Option<Stages> {
    Stages::from_bytes(&compiler.results.peek(key)?.payload).ok()
}

/// Returns the stored body, if it can be that of a unit of so many functions, of which the first are its own.
fn fitting(entry: &Entry, (own, all): (usize, usize)) -> Option<Body> {
    Body::from_bytes(&entry.payload).ok().filter(|it| fits(it, own, all))
}

/// Whether a stored body can be that of a unit of so many functions, of which the first are its own: what follows indexes
/// by its ordinals, and a cache is not trusted.
fn fits(body: &Body, own: usize, all: usize) -> bool {
    counts_fit(body, own, all) && lint(body).is_ok()
}

/// Whether the ordinals of a stored body are those of so many functions.
fn counts_fit(body: &Body, own: usize, all: usize) -> bool {
    let link = &body.link;
    link.definitions.iter().all(|it| (it.ordinal as usize) < own)
        && link.sites.iter().all(|it| (it.function as usize) < own)
        && link.calls.iter().all(|it| (own..all).contains(&(it.ordinal as usize)))
}

/// How LLVM's bitcode begins.
const BITCODE: &[u8] = b"BC\xc0\xde";

/// Whether an object holds nothing of this process. A unit for a device is bitcode, which has no place for such things: what
/// it names of a session is listed, and the code generator reads it with care.
fn lint(body: &Body) -> Result<(), kiln_link::ObjectLinkError> {
    if body.object.starts_with(BITCODE) {
        return Ok(());
    }
    kiln_link::lint(&body.object, &|symbol| body.link.names(symbol))
}

#[cfg(test)]
mod tests {
    use super::*;
    use kiln_unit::{DefinedSymbol, LinkInfo, Role, Traits};

    /// The smallest object there is: a header.
    fn object() -> Vec<u8> {
        let architecture = object::Architecture::X86_64;
        let endian = object::Endianness::Little;
        object::write::Object::new(object::BinaryFormat::Elf, architecture, endian)
            .write()
            .expect("an empty object can be written")
    }

    /// MISSION N9: what a cache says is checked before it is used.
    #[test]
    fn a_body_that_lies_does_not_fit() {
        let defining = |ordinal| {
            let definition =
                DefinedSymbol { symbol: "f0".into(), role: Role::Body, ordinal, traits: Traits::default() };
            let link = LinkInfo { definitions: vec![definition], args_align: 1, ..LinkInfo::default() };
            Body { object: object(), link, emitted: [0; 32] }
        };
        assert!(fits(&defining(0), 1, 1));
        assert!(!fits(&defining(1), 1, 2), "a function that the unit does not have");
        assert!(!fits(&Body { object: b"no object".to_vec(), ..defining(0) }, 1, 1));
    }
}
