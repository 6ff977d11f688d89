//! Manifests: many entries by name, in a few files.
//!
//! A manifest is an envelope under the hash of its name. Its body lists *packs*, files under `/cas/`: envelopes of entries with their
//! payloads, each behind its length. So a machine that has nothing asks once for the manifest and once a pack, not once an entry.
//!
//! ```text
//! body = name text, packs (list of sha256 [32], length number), entries number
//! pack = (length u32, envelope)*
//! ```

use crate::entry::{read_entry, write_entry};
use crate::envelope::{
    BODY_BYTES_MAX, ENVELOPE_BYTES_MAX, EnvelopeKind, Rejection, claimed_id, disclose, enclose,
};
use crate::http::RemoteError;
use crate::server::Area;
use crate::service::RemoteCache;
use kiln_bytes::{Malformed, Read, Reader, Writer};
use kiln_cache::{Entry, Key, KeyId};

/// A pack is sent when it has this many bytes.
const PACK_BYTES: usize = 1 << 20;
const NAME_DOMAIN: &[u8] = b"kiln-remote manifest 1\0";

/// Returns the identity of the manifest of a name.
pub(crate) fn manifest_id(name: &str) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(NAME_DOMAIN).update(name.as_bytes());
    *hasher.finalize().as_bytes()
}

/// A file of entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pack {
    pub(crate) sha256: [u8; 32],
    /// The length in bytes.
    pub(crate) length: usize,
}

/// Collects entries in packs and sends them.
pub(crate) struct PackWriter<'a> {
    remote: &'a RemoteCache,
    pack: Writer,
    packs: Vec<Pack>,
    entries: u64,
    pub(crate) bytes: u64,
}

impl<'a> PackWriter<'a> {
    pub(crate) fn new(remote: &'a RemoteCache) -> Self {
        Self { remote, pack: Writer::new(), packs: Vec::new(), entries: 0, bytes: 0 }
    }

    /// Adds an entry; false if it is too large to be shared.
    pub(crate) fn add(&mut self, key: &Key, entry: &Entry) -> Result<bool, RemoteError> {
        let signer = self.remote.signer.as_ref();
        let Some(envelope) = write_entry(key, entry, BODY_BYTES_MAX, signer) else { return Ok(false) };
        if !self.pack.is_empty() && self.pack.len() + envelope.len() > PACK_BYTES {
            self.send()?;
        }
        self.pack.u32(envelope.len() as u32);
        self.pack.raw(&envelope);
        self.entries += 1;
        Ok(true)
    }

    fn send(&mut self) -> Result<(), RemoteError> {
        let pack = std::mem::take(&mut self.pack).finish();
        if !pack.is_empty() {
            let sha256 = self.remote.publish_blob(&pack)?;
            self.packs.push(Pack { sha256, length: pack.len() });
            self.bytes += pack.len() as u64;
        }
        Ok(())
    }

    /// Sends the last pack and the manifest.
    pub(crate) fn finish(mut self, name: &str) -> Result<u64, RemoteError> {
        self.send()?;
        let mut body = Writer::new();
        body.str(name);
        body.list(&self.packs, |out, it| {
            out.raw(&it.sha256);
            out.number(it.length as u64);
        });
        body.number(self.entries);
        let id = manifest_id(name);
        let signer = self.remote.signer.as_ref();
        if let Some(envelope) = enclose(EnvelopeKind::Manifest, &id, body.as_bytes(), signer) {
            let message = crate::action_result::wrap(&envelope);
            self.remote.server.put(Area::Action, &id, &message)?;
            self.bytes += message.len() as u64;
        }
        Ok(self.bytes)
    }
}

/// Returns the packs of a manifest; `None` if there is no such manifest.
pub(crate) fn packs_of(
    remote: &RemoteCache,
    name: &str,
) -> Result<Option<Result<Vec<Pack>, Rejection>>, RemoteError> {
    let id = manifest_id(name);
    let envelope = remote.envelope(&id)?;
    Ok(envelope.map(|it| read_manifest(name, &it?, remote)))
}

fn read_manifest(name: &str, envelope: &[u8], remote: &RemoteCache) -> Result<Vec<Pack>, Rejection> {
    let body = disclose(EnvelopeKind::Manifest, &manifest_id(name), envelope, &remote.trusted)?;
    Ok(parse(name, &body)?)
}

fn parse(name: &str, body: &[u8]) -> Read<Vec<Pack>> {
    let mut reader = Reader::new(body);
    if reader.str()? != name {
        return Err(Malformed("a manifest of another name"));
    }
    let packs = reader.list(|it| {
        let (sha256, length) = (it.array()?, it.number()?);
        let length = usize::try_from(length).ok().filter(|it| *it <= ENVELOPE_BYTES_MAX + 4);
        Ok(Pack { sha256, length: length.ok_or(Malformed("a pack of an impossible length"))? })
    })?;
    reader.number()?;
    reader.finish()?;
    Ok(packs)
}

/// The envelopes of a pack with the identities they claim. A malformed end is one last error.
pub(crate) fn envelopes(pack: &[u8]) -> impl Iterator<Item = Read<(KeyId, &[u8])>> {
    let mut reader = Reader::new(pack);
    let mut is_broken = false;
    std::iter::from_fn(move || {
        if is_broken || reader.is_empty() {
            return None;
        }
        let next = reader.u32().and_then(|length| reader.take(length as usize));
        let next = next.and_then(|it| {
            Ok((KeyId(claimed_id(it).ok_or(Malformed("an envelope of another version"))?), it))
        });
        is_broken = next.is_err();
        Some(next)
    })
}

/// Reads an entry of a pack, and checks everything.
pub(crate) fn entry_in_pack(
    id: KeyId,
    envelope: &[u8],
    remote: &RemoteCache,
) -> Result<(Key, Entry), Rejection> {
    read_entry(id, envelope, &remote.trusted)?.complete(None)
}
