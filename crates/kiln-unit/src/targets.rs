//! The targets that a code generator has beside the built-in ones: listed before anything is compiled for one.

use kiln_bytes::{Malformed, Read, Reader, Writer};

/// First bytes of the question and of the answer; the number is the version of the format.
const MAGIC: &[u8] = b"kiln-targets-2\n";

/// The request for the list of targets. It has no content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TargetsRequest;

impl TargetsRequest {
    /// Whether bytes are one.
    pub fn is_one(bytes: &[u8]) -> bool {
        let mut input = Reader::new(bytes);
        input.bytes() == Ok(MAGIC) && input.finish().is_ok()
    }

    /// Serializes the request.
    pub fn to_bytes(self) -> Vec<u8> {
        let mut out = Writer::new();
        out.bytes(MAGIC);
        out.finish()
    }
}

/// The reply to a [`TargetsRequest`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetsReply {
    /// `kiln_targets::TargetFacts::to_bytes` of each target.
    pub facts: Vec<Vec<u8>>,
}

impl TargetsReply {
    /// Serializes the reply.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer::new();
        out.bytes(MAGIC);
        out.list(&self.facts, |out, facts| out.bytes(facts));
        out.finish()
    }

    /// The inverse of `to_bytes`.
    ///
    /// # Errors
    /// When the bytes are not a reply of this version.
    pub fn from_bytes(bytes: &[u8]) -> Read<Self> {
        let mut input = Reader::new(bytes);
        if input.bytes()? != MAGIC {
            return Err(Malformed("not a list of targets of this version"));
        }
        let reply = Self { facts: input.list(|input| input.bytes().map(<[u8]>::to_vec))? };
        input.finish()?;
        Ok(reply)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Replies may come from another process.
    #[test]
    fn they_survive_their_bytes_and_no_prefix_of_them() {
        let reply = TargetsReply { facts: vec![vec![1, 2], Vec::new()] };
        let (asked, told) = (TargetsRequest.to_bytes(), reply.to_bytes());
        assert!(TargetsRequest::is_one(&asked));
        assert_eq!(TargetsReply::from_bytes(&told), Ok(reply));
        for len in 0..asked.len() {
            assert!(!TargetsRequest::is_one(&asked[..len]));
        }
        for len in 0..told.len() {
            assert!(TargetsReply::from_bytes(&told[..len]).is_err());
        }
    }
}
