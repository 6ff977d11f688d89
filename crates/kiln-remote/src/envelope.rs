//! The bytes that a server keeps under a name: an identity, a body, a checksum, and perhaps a signature.
//!
//! ```text
//!   0 magic "KSHR"     6 raw_len u32     42 check [32]   BLAKE3(domain, bytes 0..42, stored)
//!   4 version u8      10 id [32]         74 signed u8    0, or 1 with the two fields that follow
//!   5 kind u8                            75 signer [32], signature [64] of the check
//!     stored: the body, compressed by zstd, to the end
//! ```
//!
//! Checksum, identity and signature are checked before a byte of the body is decompressed or read, and the body is not
//! longer than `raw_len`, which is bounded.

use crate::identity::{EntrySigner, PUBLIC_BYTES, SIGNATURE_BYTES, TrustedKeys};
use kiln_bytes::{Malformed, Read, Reader, Writer};
use std::fmt;

const MAGIC: &[u8; 4] = b"KSHR";
const VERSION: u8 = 1;
const HEAD_BYTES: usize = 42;
const CHECK_DOMAIN: &[u8] = b"kiln-remote envelope 1\0";
const COMPRESSION_LEVEL: i32 = 1;

/// Largest body, in bytes.
pub(crate) const BODY_BYTES_MAX: usize = 256 << 20;
/// Largest envelope, in bytes: a body that does not get smaller, and what is around it.
pub(crate) const ENVELOPE_BYTES_MAX: usize = BODY_BYTES_MAX + (1 << 20);

/// The kind of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EnvelopeKind {
    /// One entry.
    Entry,
    /// A list of packs of entries.
    Manifest,
}

impl EnvelopeKind {
    fn tag(self) -> u8 {
        match self {
            EnvelopeKind::Entry => 1,
            EnvelopeKind::Manifest => 2,
        }
    }
}

/// Why bytes of a server are not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rejection {
    /// The structure or the checksum is wrong.
    Damaged(Malformed),
    /// They belong to another identity, or are of another kind.
    Misplaced,
    /// A signature is required, and there is none.
    Unsigned,
    /// The signature is not that of a trusted key.
    Untrusted,
}

impl From<Malformed> for Rejection {
    fn from(why: Malformed) -> Rejection {
        Rejection::Damaged(why)
    }
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rejection::Damaged(why) => write!(f, "{why}"),
            Rejection::Misplaced => write!(f, "it is of another key"),
            Rejection::Unsigned => write!(f, "it has no signature"),
            Rejection::Untrusted => write!(f, "its signature is not that of a trusted key"),
        }
    }
}

/// Encloses a body; `None` if it is too large.
pub(crate) fn enclose(
    kind: EnvelopeKind,
    id: &[u8; 32],
    body: &[u8],
    signer: Option<&EntrySigner>,
) -> Option<Vec<u8>> {
    if body.len() > BODY_BYTES_MAX {
        return None;
    }
    let stored = zstd::bulk::compress(body, COMPRESSION_LEVEL).ok()?;
    let mut out = Writer::with_capacity(stored.len() + 256);
    out.raw(MAGIC);
    out.raw(&[VERSION, kind.tag()]);
    out.u32(body.len() as u32);
    out.raw(id);
    let check = check_of(out.as_bytes(), &stored);
    out.raw(&check);
    out.bool(signer.is_some());
    if let Some(signer) = signer {
        out.raw(&signer.public());
        out.raw(&signer.sign(&check));
    }
    out.raw(&stored);
    Some(out.finish())
}

/// Returns the body of an envelope of this kind and identity, which is signed by a trusted key if there are any.
pub(crate) fn disclose(
    kind: EnvelopeKind,
    id: &[u8; 32],
    bytes: &[u8],
    trusted: &TrustedKeys,
) -> Result<Vec<u8>, Rejection> {
    let mut reader = Reader::new(bytes);
    let head = reader.take(HEAD_BYTES)?;
    let check: [u8; 32] = reader.array()?;
    let is_signed = reader.bool()?;
    let signed: Option<([u8; PUBLIC_BYTES], [u8; SIGNATURE_BYTES])> =
        if is_signed { Some((reader.array()?, reader.array()?)) } else { None };
    let stored = reader.rest();
    if check_of(head, stored) != check {
        return Err(Malformed("the checksum is another").into());
    }
    let (found, raw_len) = read_head(head)?;
    if found != (kind.tag(), *id) {
        return Err(Rejection::Misplaced);
    }
    if trusted.is_required() {
        let (signer, signature) = signed.as_ref().ok_or(Rejection::Unsigned)?;
        if !trusted.accepts(signer, signature, &check) {
            return Err(Rejection::Untrusted);
        }
    }
    let body = zstd::bulk::decompress(stored, raw_len).map_err(|_| Malformed("a body that is not zstd"))?;
    if body.len() == raw_len { Ok(body) } else { Err(Malformed("a body of another length").into()) }
}

/// Returns kind, identity and length of the body.
fn read_head(head: &[u8]) -> Read<((u8, [u8; 32]), usize)> {
    let mut reader = Reader::new(head);
    if reader.take(MAGIC.len())? != MAGIC || reader.u8()? != VERSION {
        return Err(Malformed("an envelope of another version"));
    }
    let kind = reader.u8()?;
    let raw_len = reader.u32()? as usize;
    let id = reader.array()?;
    if raw_len > BODY_BYTES_MAX {
        return Err(Malformed("a body of an impossible length"));
    }
    Ok(((kind, id), raw_len))
}

/// The identity that an envelope claims; to be checked by [`disclose`].
pub(crate) fn claimed_id(bytes: &[u8]) -> Option<[u8; 32]> {
    read_head(bytes.get(..HEAD_BYTES)?).ok().map(|it| it.0.1)
}

fn check_of(head: &[u8], stored: &[u8]) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(CHECK_DOMAIN).update(head).update(stored);
    *hasher.finalize().as_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signer(secret: u8) -> EntrySigner {
        EntrySigner::from_secret(&[secret; 32])
    }

    // MISSION N14: no damaged byte and no other length gives a body.
    #[test]
    fn every_damaged_byte_is_noticed() {
        let body: Vec<u8> = (0..600u32).map(|it| (it / 5) as u8).collect();
        let trusted = TrustedKeys::new(vec![signer(1).public()]);
        for (signer, trusted) in [(None, TrustedKeys::default()), (Some(signer(1)), trusted)] {
            let sealed = enclose(EnvelopeKind::Entry, &[5; 32], &body, signer.as_ref()).unwrap();
            let read = |bytes: &[u8]| disclose(EnvelopeKind::Entry, &[5; 32], bytes, &trusted);
            assert_eq!(read(&sealed).as_deref(), Ok(&*body));
            for at in 0..sealed.len() {
                let mut damaged = sealed.clone();
                damaged[at] ^= 0x10;
                assert!(read(&damaged).is_err(), "byte {at}");
                assert!(read(&sealed[..at]).is_err(), "{at} bytes");
            }
            assert!(read(&[&*sealed, &[0]].concat()).is_err(), "a byte more");
        }
    }

    // MISSION N14: with trusted keys, an entry is used only with the signature of one of them.
    #[test]
    fn trust_decides() {
        let sealed =
            |signer: Option<&EntrySigner>| enclose(EnvelopeKind::Entry, &[5; 32], b"x", signer).unwrap();
        let trusted = TrustedKeys::new(vec![signer(1).public(), signer(2).public()]);
        let read = |bytes: &[u8], trusted| disclose(EnvelopeKind::Entry, &[5; 32], bytes, trusted);
        assert_eq!(read(&sealed(None), &trusted), Err(Rejection::Unsigned));
        assert_eq!(read(&sealed(Some(&signer(3))), &trusted), Err(Rejection::Untrusted));
        assert_eq!(read(&sealed(Some(&signer(2))), &trusted), Ok(b"x".to_vec()));
        assert_eq!(read(&sealed(Some(&signer(3))), &TrustedKeys::default()), Ok(b"x".to_vec()));
        let other = disclose(EnvelopeKind::Entry, &[6; 32], &sealed(Some(&signer(1))), &trusted);
        assert_eq!(other, Err(Rejection::Misplaced), "an entry under another key");
        let manifest = disclose(EnvelopeKind::Manifest, &[5; 32], &sealed(Some(&signer(1))), &trusted);
        assert_eq!(manifest, Err(Rejection::Misplaced), "an entry as a manifest");
    }
}
