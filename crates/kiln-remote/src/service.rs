//! Entries on a server: looked up one by one, checked, and sent.

use crate::action_result::{unwrap, wrap};
use crate::address::RemoteAddress;
use crate::entry::{INLINE_BYTES_MAX, Payload, SharedEntry, read_entry, sha256, write_entry};
use crate::envelope::{ENVELOPE_BYTES_MAX, Rejection};
use crate::http::{RemoteError, RequestLimits};
use crate::identity::{EntrySigner, TrustedKeys};
use crate::server::{Area, FileServer};
use kiln_bytes::Malformed;
use kiln_cache::{Entry, Key, KeyId};

/// Largest message of one entry, in bytes: a payload that is not a file of its own, and its key.
const MESSAGE_BYTES_MAX: usize = 4 << 20;

/// A shared cache.
pub struct RemoteCache {
    pub(crate) server: FileServer,
    pub(crate) signer: Option<EntrySigner>,
    pub(crate) trusted: TrustedKeys,
}

/// The answer to a lookup.
#[derive(Debug)]
pub enum Fetched {
    /// The entry, checked.
    Found(Key, Entry),
    /// The server has none.
    Absent,
    /// The server has bytes that are not used.
    Rejected(Rejection),
}

impl RemoteCache {
    /// The cache of an address. Sends nothing yet.
    pub fn new(
        address: &RemoteAddress,
        limits: RequestLimits,
        signer: Option<EntrySigner>,
        trusted: TrustedKeys,
    ) -> RemoteCache {
        RemoteCache { server: FileServer::new(address, limits), signer, trusted }
    }

    /// Looks an entry up: one request, or two for large payloads.
    ///
    /// # Errors
    /// When the server does not answer as it should.
    pub fn fetch(&self, id: KeyId) -> Result<Fetched, RemoteError> {
        let Some(message) = self.server.get(Area::Action, &id.0, MESSAGE_BYTES_MAX)? else {
            return Ok(Fetched::Absent);
        };
        let envelope = match unwrap(&message) {
            Ok(envelope) => envelope,
            Err(why) => return Ok(Fetched::Rejected(why.into())),
        };
        match read_entry(id, envelope, &self.trusted) {
            Ok(shared) => self.complete(shared),
            Err(why) => Ok(Fetched::Rejected(why)),
        }
    }

    /// Completes a checked entry with its payload.
    fn complete(&self, shared: SharedEntry) -> Result<Fetched, RemoteError> {
        let blob = match &shared.payload {
            Payload::Inline(_) => None,
            Payload::Blob { sha256, length } => match self.server.get(Area::Content, sha256, *length)? {
                // The server has evicted it.
                None => return Ok(Fetched::Absent),
                found => found,
            },
        };
        Ok(match shared.complete(blob) {
            Ok((key, entry)) => Fetched::Found(key, entry),
            Err(why) => Fetched::Rejected(why),
        })
    }

    /// Sends an entry, signed if there is a key to sign with. Returns the number of bytes; 0 if it is too large to be shared.
    ///
    /// # Errors
    /// When the server does not take it.
    pub fn publish(&self, key: &Key, entry: &Entry) -> Result<u64, RemoteError> {
        let Some(envelope) = write_entry(key, entry, INLINE_BYTES_MAX, self.signer.as_ref()) else {
            return Ok(0);
        };
        let mut bytes = 0;
        if entry.payload.len() > INLINE_BYTES_MAX {
            // First: no entry on the server is without its payload.
            self.server.put(Area::Content, &sha256(&entry.payload), &entry.payload)?;
            bytes += entry.payload.len();
        }
        let message = wrap(&envelope);
        self.server.put(Area::Action, &key.id().0, &message)?;
        Ok((bytes + message.len()) as u64)
    }

    /// Sends a file named by its hash; returns the hash.
    pub(crate) fn publish_blob(&self, bytes: &[u8]) -> Result<[u8; 32], RemoteError> {
        let name = sha256(bytes);
        self.server.put(Area::Content, &name, bytes)?;
        Ok(name)
    }

    /// Returns a file named by its hash, checked.
    pub(crate) fn blob(
        &self,
        name: &[u8; 32],
        length: usize,
    ) -> Result<Option<Result<Vec<u8>, Rejection>>, RemoteError> {
        let found = self.server.get(Area::Content, name, length.min(ENVELOPE_BYTES_MAX))?;
        Ok(found.map(|bytes| {
            let is_right = bytes.len() == length && sha256(&bytes) == *name;
            if is_right { Ok(bytes) } else { Err(Malformed("a file of another hash").into()) }
        }))
    }

    /// Returns the envelope under an identity of the action cache.
    pub(crate) fn envelope(&self, id: &[u8; 32]) -> Result<Option<Result<Vec<u8>, Rejection>>, RemoteError> {
        let message = self.server.get(Area::Action, id, MESSAGE_BYTES_MAX)?;
        Ok(message.map(|it| unwrap(&it).map(<[u8]>::to_vec).map_err(Rejection::from)))
    }
}
