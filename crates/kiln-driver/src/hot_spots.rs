//! Which host code earlier processes compiled: noted in the store and in images, so that a process compiles it at once instead of
//! finding out again that it runs often.
//!
//! A note is a hint. It names code by its name, place and types, which another body may have by now: then something is
//! compiled a little early.

use crate::kernel_host::Driver;
use kiln_cache::{Class, Entry, Key, KeyBuilder};
use kiln_compile::keys;
use kiln_runtime::{HotSpot, Runtime};
use std::fmt::Write as _;
use std::time::Duration;

impl Driver {
    /// Whether an earlier process took a note of this.
    pub fn was_hot(&self, rt: &Runtime, spot: &HotSpot) -> bool {
        keys(&self.compiler, self.compiler.targets.host())
            .is_some_and(|it| self.has_hint(&note(rt, spot, it.environment())))
    }

    /// Takes a note of it.
    pub fn is_hot(&self, rt: &Runtime, spot: &HotSpot) {
        let Some(keys) = keys(&self.compiler, self.compiler.targets.host()) else { return };
        let key = note(rt, spot, keys.environment());
        if !self.has_hint(&key) {
            self.compiler.results.replace(key, Entry::new(Vec::new(), Duration::ZERO));
        }
    }
}

impl Driver {
    fn has_hint(&self, key: &Key) -> bool {
        self.compiler.results.get_hint(key).is_some()
    }
}

fn note(rt: &Runtime, spot: &HotSpot, shared: &Key) -> Key {
    let mut subject = format!("{}(", rt.types.name(spot.name));
    for (at, ty) in spot.types.iter().skip(1).enumerate() {
        let _ = write!(subject, "{}::{}", if at == 0 { "" } else { ", " }, rt.types.display(*ty));
    }
    subject.push(')');
    let mut key = KeyBuilder::new(Class::Semantic, subject.clone());
    key.nested("environment", shared);
    key.text("note", if spot.is_loop { "its loops ran often" } else { "ran often" });
    key.text("function", &rt.types.display(spot.types[0])).text("signature", &subject);
    if let Some((file, line)) = rt.frontend.place(spot.loc) {
        key.text("place", &format!("{file}:{line}"));
    }
    key.finish()
}
