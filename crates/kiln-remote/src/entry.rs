//! One entry of a store in the body of an envelope.
//!
//! ```text
//! body    = cost_us number, nested (list of keys), key, content [32], place
//! place   = 0, payload | 1, sha256 [32], length number        the payload is a file under /cas/ of its own
//! ```
//!
//! Keys are in their stored form. The nested ones come before those that name them, so that a machine that takes the entry can explain
//! later misses. The identity of the envelope is that of the key.

use crate::envelope::{BODY_BYTES_MAX, EnvelopeKind, Rejection, disclose, enclose};
use crate::identity::{EntrySigner, TrustedKeys};
use kiln_bytes::{Malformed, Read, Reader, Writer};
use kiln_cache::{ContentHash, Entry, Key, KeyId};
use sha2::{Digest, Sha256};
use std::time::Duration;

/// Payloads up to this length are in the envelope: one request finds them. Longer ones are files of their own, stored once.
pub(crate) const INLINE_BYTES_MAX: usize = 64 << 10;

/// The place of a payload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Payload {
    /// In the envelope.
    Inline(Vec<u8>),
    /// Under `/cas/`.
    Blob {
        /// The hash that names it.
        sha256: [u8; 32],
        /// The length in bytes.
        length: usize,
    },
}

/// An entry whose envelope has been checked.
#[derive(Clone, Debug)]
pub(crate) struct SharedEntry {
    pub(crate) key: Key,
    pub(crate) cost: Duration,
    pub(crate) content: ContentHash,
    pub(crate) payload: Payload,
}

/// Returns the hash that names a file under `/cas/`.
pub(crate) fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// Writes the envelope of an entry. A payload longer than `inline_max` is left out, to be stored as a blob. `None` if it is too large.
pub(crate) fn write_entry(
    key: &Key,
    entry: &Entry,
    inline_max: usize,
    signer: Option<&EntrySigner>,
) -> Option<Vec<u8>> {
    if entry.payload.len() > BODY_BYTES_MAX {
        return None;
    }
    let mut body = Writer::with_capacity(entry.payload.len().min(inline_max) + 1024);
    body.number(entry.cost.as_micros() as u64);
    let mut lists = Vec::new();
    gather(key, &mut lists);
    body.list(&lists, |out, it| out.bytes(&it.encode()));
    body.bytes(&key.encode());
    body.raw(&entry.content.0);
    if entry.payload.len() <= inline_max {
        body.u8(0);
        body.bytes(&entry.payload);
    } else {
        body.u8(1);
        body.raw(&sha256(&entry.payload));
        body.number(entry.payload.len() as u64);
    }
    enclose(EnvelopeKind::Entry, &key.id().0, body.as_bytes(), signer)
}

/// The nested keys of a key, each after those that it names.
fn gather(key: &Key, out: &mut Vec<Key>) {
    for nested in key.nested() {
        if !out.iter().any(|it| it.id() == nested.id()) {
            gather(nested, out);
            out.push(nested.clone());
        }
    }
}

/// Reads the envelope of the entry `id`, and checks everything but a payload elsewhere.
pub(crate) fn read_entry(
    id: KeyId,
    envelope: &[u8],
    trusted: &TrustedKeys,
) -> Result<SharedEntry, Rejection> {
    let body = disclose(EnvelopeKind::Entry, &id.0, envelope, trusted)?;
    let entry = parse(&body)?;
    if entry.key.id() != id {
        return Err(Rejection::Misplaced);
    }
    match &entry.payload {
        Payload::Inline(payload) if ContentHash::of(payload) != entry.content => {
            Err(Malformed("a payload of another hash").into())
        }
        Payload::Inline(_) | Payload::Blob { .. } => Ok(entry),
    }
}

fn parse(body: &[u8]) -> Read<SharedEntry> {
    let mut reader = Reader::new(body);
    let cost = Duration::from_micros(reader.number()?);
    let mut lists: Vec<Key> = Vec::new();
    for _ in 0..reader.count()? {
        let list = Key::decode(reader.bytes()?)?.with_nested(&lists);
        lists.push(list);
    }
    let key = Key::decode(reader.bytes()?)?.with_nested(&lists);
    let content = ContentHash(reader.array()?);
    let payload = match reader.u8()? {
        0 => Payload::Inline(reader.bytes()?.to_vec()),
        1 => {
            let (sha256, length) = (reader.array()?, reader.number()?);
            let length = usize::try_from(length).ok().filter(|it| *it <= BODY_BYTES_MAX);
            Payload::Blob { sha256, length: length.ok_or(Malformed("a payload of an impossible length"))? }
        }
        _ => return Err(Malformed("a payload in an unknown place")),
    };
    reader.finish()?;
    Ok(SharedEntry { key, cost, content, payload })
}

impl SharedEntry {
    /// Returns the entry, with the bytes of its payload where that was elsewhere.
    pub(crate) fn complete(self, blob: Option<Vec<u8>>) -> Result<(Key, Entry), Rejection> {
        let payload = match (self.payload, blob) {
            (Payload::Inline(payload), _) => payload,
            (Payload::Blob { sha256: name, length }, Some(blob)) => {
                let is_right =
                    blob.len() == length && sha256(&blob) == name && ContentHash::of(&blob) == self.content;
                if !is_right {
                    return Err(Malformed("a payload of another hash").into());
                }
                blob
            }
            (Payload::Blob { .. }, None) => return Err(Malformed("a payload that is not there").into()),
        };
        Ok((self.key, Entry { payload, content: self.content, cost: self.cost }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kiln_cache::{Class, KeyBuilder};
    use proptest::prelude::*;

    fn key(subject: &str) -> Key {
        let mut inner = KeyBuilder::new(Class::Codegen, "machine");
        inner.text("cpu", "x86-64-v3");
        let mut environment = KeyBuilder::new(Class::Codegen, "environment");
        environment.nested("machine", &inner.finish()).number("level", 2);
        let mut key = KeyBuilder::new(Class::Codegen, subject);
        key.nested("environment", &environment.finish()).bytes("ir", &[7; 300]);
        key.finish()
    }

    // MISSION N14: an entry comes back with its whole key, in the envelope or beside it.
    #[test]
    fn an_entry_reads_back() {
        let (key, trusted) = (key("f"), TrustedKeys::default());
        let entry = Entry::new(vec![3; 5000], Duration::from_micros(1234));
        for inline_max in [5000, 4999] {
            let envelope = write_entry(&key, &entry, inline_max, None).unwrap();
            let shared = read_entry(key.id(), &envelope, &trusted).unwrap();
            let blob = (inline_max == 4999).then(|| entry.payload.clone());
            let (again, found) = shared.clone().complete(blob).unwrap();
            assert_eq!((again.id(), again.subject(), &found), (key.id(), "f", &entry));
            assert_eq!(again.nested()[0].nested()[0].subject(), "machine");
            if inline_max == 4999 {
                assert!(shared.clone().complete(None).is_err());
                assert!(shared.clone().complete(Some(vec![3; 4999])).is_err());
                assert!(shared.complete(Some(vec![4; 5000])).is_err());
            }
        }
        // The identity of the envelope and that of the key inside are the same.
        let other = KeyBuilder::new(Class::Tool, "").finish();
        let body = disclose(
            EnvelopeKind::Entry,
            &key.id().0,
            &write_entry(&key, &entry, 5000, None).unwrap(),
            &trusted,
        );
        let moved = enclose(EnvelopeKind::Entry, &other.id().0, &body.unwrap(), None).unwrap();
        assert_eq!(read_entry(other.id(), &moved, &trusted).err(), Some(Rejection::Misplaced));
    }

    proptest! {
        #[test]
        fn any_body_is_read_or_refused(body in proptest::collection::vec(any::<u8>(), 0..200)) {
            let id = key("f").id();
            let envelope = enclose(EnvelopeKind::Entry, &id.0, &body, None).unwrap();
            prop_assert!(read_entry(id, &envelope, &TrustedKeys::default()).is_err());
        }
    }
}
