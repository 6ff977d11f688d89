//! A program as a list of definitions, for tests that edit it at random.

use std::collections::BTreeMap;

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
