//! Which host code earlier processes compiled: noted in the store and in images, so that a process compiles it at once instead of
//! finding out again that it runs often.
//!
//! A note is a hint. It names code by its name, place and types, which another body may have by now: then something is
//! compiled a little early.

use kiln_cache::{Class, Entry, Key, KeyBuilder};
use kiln_compile::{Compiler, keys};
use kiln_runtime::{HotPart, HotSpot, Runtime};
use kiln_types::{Type, display, identity};
use std::fmt::Write as _;
use std::time::Duration;

/// Whether an earlier process took a note of this.
pub fn was_hot(compiler: &Compiler, rt: &Runtime, spot: &HotSpot) -> bool {
    keys(compiler, compiler.targets.host())
        .is_some_and(|it| has_hint(compiler, &note(rt, spot, it.environment())))
}

/// Takes a note of it.
pub fn note_hot(compiler: &Compiler, rt: &Runtime, spot: &HotSpot) {
    let Some(keys) = keys(compiler, compiler.targets.host()) else { return };
    let key = note(rt, spot, keys.environment());
    if !has_hint(compiler, &key) {
        compiler.results.replace(key, Entry::new(Vec::new(), Duration::ZERO));
    }
}

fn has_hint(compiler: &Compiler, key: &Key) -> bool {
    compiler.results.get_hint(key).is_some()
}

fn note(rt: &Runtime, spot: &HotSpot, shared: &Key) -> Key {
    let name = rt.types.name(spot.name);
    let mut signature = String::new();
    spot.types.iter().for_each(|it| add_type(rt, *it, &mut signature));
    let mut key = KeyBuilder::new(Class::Semantic, name);
    key.nested("environment", shared).bytes("library", rt.image.as_ref().map_or(&[], |it| &it[..]));
    match &spot.part {
        HotPart::Body => key.text("note", "ran often"),
        HotPart::Loops => key.text("note", "its loops ran often"),
        HotPart::Loop { header, inputs } => {
            let mut entry = format!("at {header}");
            for (variable, ty) in inputs {
                let _ = write!(entry, ", {variable}::");
                add_type(rt, *ty, &mut entry);
            }
            key.text("note", "its loop ran often").text("entry", &entry)
        }
    };
    key.text("signature", &signature);
    if let Some((file, line)) = rt.frontend.place(spot.loc) {
        key.text("place", &format!("{file}:{line}"));
    }
    key.finish()
}

/// Names a type: one of the image by its number there, which takes less time than to write it out.
fn add_type(rt: &Runtime, ty: Type, out: &mut String) {
    let is_of_image = rt.image.is_some() && ty.index() < identity::frozen_counts(&rt.types).types;
    let _ = match is_of_image {
        true => write!(out, "{};", ty.index()),
        false => write!(out, "{};", display::of_type(&rt.types, ty)),
    };
}
