//! Helpers of tests that edit programs at random: random numbers, and a program as a list of definitions.

use std::collections::BTreeMap;

pub(crate) fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|it| it.parse().ok()).unwrap_or(default)
}

/// Xorshift.
pub(crate) struct Rng(pub(crate) u64);

impl Rng {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() >> 11) as usize % end
    }
}

/// The definitions of the program, by the left side of each, with the names that its text mentions.
#[derive(Default)]
pub(crate) struct Source {
    pub(crate) definitions: BTreeMap<String, (String, Vec<String>)>,
}

impl Source {
    /// The functions that a change of `name` reaches: those that mention it, and those that mention them.
    pub(crate) fn reached_by(&self, name: &str) -> Vec<String> {
        let mut reached = vec![name.to_owned()];
        let mut at = 0;
        while let Some(it) = reached.get(at).cloned() {
            at += 1;
            for (key, (_, mentions)) in &self.definitions {
                let (name, _) = key.split_once('|').unwrap();
                if mentions.contains(&it) && !reached.iter().any(|known| known == name) {
                    reached.push(name.to_owned());
                }
            }
        }
        reached
    }
}

pub(crate) struct Edit {
    /// The defined `name|signature`.
    pub(crate) key: String,
    pub(crate) text: String,
    pub(crate) mentions: Vec<String>,
}
