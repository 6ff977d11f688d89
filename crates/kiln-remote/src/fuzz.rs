//! The readers of bytes that others send, for fuzzing.

use crate::action_result::unwrap;
use crate::entry::{read_entry, write_entry};
use crate::envelope::{EnvelopeKind, claimed_id, disclose, enclose};
use crate::identity::TrustedKeys;
use crate::manifest::envelopes;
use crate::protocol::{RelayAnswer, RelayRequest};
use kiln_cache::KeyId;

/// Reads any bytes in every form. Bodies get right checksums, so that what is in them is reached; an entry that is read is written
/// again and read back.
pub fn read_all(bytes: &[u8]) {
    let _ = unwrap(bytes);
    crate::redis::read_any(bytes);
    let _ = RelayRequest::from_bytes(bytes);
    let _ = RelayAnswer::from_bytes(bytes);
    for (id, envelope) in envelopes(bytes).flatten() {
        let _ = read_entry(id, envelope, &TrustedKeys::default());
    }
    let id = claimed_id(bytes).unwrap_or_default();
    let _ = disclose(EnvelopeKind::Manifest, &id, bytes, &TrustedKeys::default());
    // An identity is a hash that a fuzzer does not guess: the body names it.
    let Some(key) = key_in(bytes) else { return };
    let Some(envelope) = enclose(EnvelopeKind::Entry, &key.0, bytes, None) else { return };
    let Ok(shared) = read_entry(key, &envelope, &TrustedKeys::default()) else { return };
    if let Ok((key, entry)) = shared.complete(None) {
        let again = write_entry(&key, &entry, usize::MAX, None).map(|it| {
            read_entry(key.id(), &it, &TrustedKeys::default()).and_then(|it| it.complete(None)).map(|it| it.1)
        });
        assert_eq!(again, Some(Ok(entry)));
    }
}

/// The identity of the key in the body of an entry.
fn key_in(body: &[u8]) -> Option<KeyId> {
    let mut reader = kiln_bytes::Reader::new(body);
    reader.number().ok()?;
    for _ in 0..reader.count().ok()? {
        reader.bytes().ok()?;
    }
    kiln_cache::Key::decode(reader.bytes().ok()?).ok().map(|it| it.id())
}
