//! Stages as text: what codegen is asked for besides units.

use crate::bytes::{Malformed, Read, Reader, Writer};

/// First bytes of every request for a listing; the number is the version of the format.
const MAGIC: &[u8] = b"kiln-listing-1\n";

/// A request for the text of a module. Nothing is compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListingRequest {
    /// LLVM's bitcode.
    pub bitcode: Vec<u8>,
}

impl ListingRequest {
    /// Whether bytes are meant to be one.
    pub fn is_one(bytes: &[u8]) -> bool {
        Reader::new(bytes).bytes() == Ok(MAGIC)
    }

    /// As bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer::new();
        out.bytes(MAGIC);
        out.bytes(&self.bitcode);
        out.finish()
    }

    /// The inverse of `to_bytes`.
    ///
    /// # Errors
    /// When the bytes are no such request of this version.
    pub fn from_bytes(bytes: &[u8]) -> Read<Self> {
        let mut input = Reader::new(bytes);
        if input.bytes()? != MAGIC {
            return Err(Malformed("not a request for a listing of this version"));
        }
        let request = Self { bitcode: input.bytes()?.to_vec() };
        input.finish()?;
        Ok(request)
    }
}

/// The text, or why there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListingReply {
    /// One or the other.
    pub result: Result<String, String>,
}

impl ListingReply {
    /// As bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer::new();
        out.bytes(MAGIC);
        out.bool(self.result.is_ok());
        match &self.result {
            Ok(text) | Err(text) => out.str(text),
        }
        out.finish()
    }

    /// The inverse of `to_bytes`.
    ///
    /// # Errors
    /// When the bytes are no such reply of this version.
    pub fn from_bytes(bytes: &[u8]) -> Read<Self> {
        let mut input = Reader::new(bytes);
        if input.bytes()? != MAGIC {
            return Err(Malformed("not a listing of this version"));
        }
        let (is_text, text) = (input.bool()?, input.str()?);
        input.finish()?;
        Ok(Self { result: if is_text { Ok(text) } else { Err(text) } })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Requests and replies may come from another process.
    #[test]
    fn they_survive_their_bytes_and_no_prefix_of_them() {
        let request = ListingRequest { bitcode: vec![1, 2] };
        let reply = ListingReply { result: Ok("define".into()) };
        let (asked, told) = (request.to_bytes(), reply.to_bytes());
        assert!(ListingRequest::is_one(&asked));
        assert_eq!(ListingRequest::from_bytes(&asked), Ok(request));
        assert_eq!(ListingReply::from_bytes(&told), Ok(reply));
        for len in 0..asked.len() {
            assert!(ListingRequest::from_bytes(&asked[..len]).is_err());
        }
        for len in 0..told.len() {
            assert!(ListingReply::from_bytes(&told[..len]).is_err());
        }
    }
}
