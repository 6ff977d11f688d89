//! Results of code instances in the store on disk.

use kiln_bytes::{Malformed, Read, Reader, Writer};
use kiln_cache::{Class, Config, Entry, Explanation, Key, KeyBuilder, OpenError, Store, inspect};
use kiln_runtime::caching::{ConfigKey, PortableResult, Stable, StableBytes};
use kiln_runtime::tables::{CodeInstance, World};
use std::time::Duration;

/// The version of the form of entries.
const FORM: u64 = 1;

/// The store of one compiler's results. See the [crate documentation](crate) for an example.
pub struct ResultStore {
    store: Store,
    /// The part that all keys share: the compiler.
    compiler: Key,
}

impl ResultStore {
    /// Opens the store of a folder, which compilers may share. `compiler` identifies everything beside the inputs
    /// that results depend on: the name and version of the compiler, and its options.
    ///
    /// # Errors
    /// When the folder cannot be used.
    pub fn open<T: Stable + ?Sized>(config: Config, compiler: &T) -> Result<Self, OpenError> {
        let mut key = KeyBuilder::new(Class::Codegen, "compiler");
        key.number("form", FORM).bytes("compiler", StableBytes::from_stable(compiler).as_bytes());
        Ok(Self { store: Store::open(config)?, compiler: key.finish() })
    }

    /// Returns the key of results: `subject` is their name in listings, `inputs` are all their dependencies. The
    /// inputs of a result include everything it uses of callees.
    pub fn key<T: Stable + ?Sized>(&self, subject: &str, inputs: &T) -> Key {
        let mut key = KeyBuilder::new(Class::Codegen, subject);
        key.nested("compiler", &self.compiler).bytes("inputs", StableBytes::from_stable(inputs).as_bytes());
        key.finish()
    }

    /// Gives a code instance the results that the store has under a key: the next to ask for them finds them. `world` is one
    /// that the code instance holds in. Whether there are any.
    pub fn restore(&self, key: &Key, code: &CodeInstance, world: World) -> bool {
        let Some(results) = self.store.get(key).and_then(|it| read(&it.payload).ok()) else { return false };
        code.restore_results(results, world);
        true
    }

    /// Puts the portable results of a code instance into the store, unless they are there. `cost` is the time that a hit saves.
    pub fn save(&self, key: &Key, code: &CodeInstance, world: World, cost: Duration) {
        let results = code.portable_results(world);
        if results.is_empty() {
            return;
        }
        let entry = Entry::new(write(&results), cost);
        match self.store.peek(key) {
            Ok(known) if known.content == entry.content => {}
            // Another kind of result was made since.
            Ok(_) => self.store.replace(key.clone(), entry),
            Err(_) => self.store.put(key.clone(), entry),
        }
    }

    /// Explains the state of a key: stored or not, and if not, its differences from the nearest key of the subject.
    pub fn explain(&self, key: &Key) -> Explanation {
        inspect::explain(&self.store, key)
    }

    /// The store itself: to collect, verify and list.
    pub fn store(&self) -> &Store {
        &self.store
    }
}

fn write(results: &[PortableResult]) -> Vec<u8> {
    let mut out = Writer::new();
    out.list(results, |out, it| {
        out.str(&it.name);
        out.bytes(&it.key.hash().to_le_bytes());
        out.list(&it.places, |out, (name, bytes)| {
            out.str(name);
            out.bytes(bytes);
        });
    });
    out.finish()
}

fn read(bytes: &[u8]) -> Read<Vec<PortableResult>> {
    let mut input = Reader::new(bytes);
    let results = input.list(|it| {
        let name = it.string()?;
        let hash = it.bytes()?.try_into().map_err(|_| Malformed("a key of another length"))?;
        let key = ConfigKey::from_hash(u128::from_le_bytes(hash));
        let places = it.list(|it| Ok((it.string()?, it.bytes()?.to_vec())))?;
        Ok(PortableResult { name, key, places })
    })?;
    input.finish()?;
    Ok(results)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Results come back as they were written, and no truncation of them is taken for some.
    #[test]
    fn results_survive_their_bytes() {
        let results = vec![PortableResult {
            name: "listing".into(),
            key: ConfigKey::from_hash(7),
            places: vec![("text".into(), b"push 1".to_vec()), ("c".into(), Vec::new())],
        }];
        let bytes = write(&results);
        assert_eq!(read(&bytes).ok(), Some(results));
        for len in 0..bytes.len() {
            assert!(read(&bytes[..len]).is_err());
        }
    }
}
