//! Listings: stages of the code generator as text.

use crate::Refusal;
use kiln_bytes::{Malformed, Read, Reader, Writer};

/// First bytes of every request for a listing; the number is the version of the format.
const MAGIC: &[u8] = b"kiln-listing-3\n";

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

    /// Serializes the request.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer::new();
        out.bytes(MAGIC);
        out.bytes(&self.bitcode);
        out.finish()
    }

    /// The inverse of `to_bytes`.
    ///
    /// # Errors
    /// When the bytes are not a request of this version.
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

/// The text, or the reason why there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListingReply {
    /// One or the other.
    pub result: Result<String, Refusal>,
}

impl ListingReply {
    /// Serializes the reply.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer::new();
        out.bytes(MAGIC);
        out.bool(self.result.is_ok());
        match &self.result {
            Ok(text) => out.str(text),
            Err(refusal) => refusal.write(&mut out),
        }
        out.finish()
    }

    /// The inverse of `to_bytes`.
    ///
    /// # Errors
    /// When the bytes are not a reply of this version.
    pub fn from_bytes(bytes: &[u8]) -> Read<Self> {
        let mut input = Reader::new(bytes);
        if input.bytes()? != MAGIC {
            return Err(Malformed("not a listing of this version"));
        }
        let result = if input.bool()? { Ok(input.string()?) } else { Err(Refusal::read(&mut input)?) };
        input.finish()?;
        Ok(Self { result })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RefusalKind;

    /// Requests and replies may come from another process.
    #[test]
    fn they_survive_their_bytes_and_no_prefix_of_them() {
        let request = ListingRequest { bitcode: vec![1, 2] };
        let asked = request.to_bytes();
        assert!(ListingRequest::is_one(&asked));
        assert_eq!(ListingRequest::from_bytes(&asked), Ok(request));
        for len in 0..asked.len() {
            assert!(ListingRequest::from_bytes(&asked[..len]).is_err());
        }
        let (message, kind) = ("the module cannot be read".into(), RefusalKind::Unsupported);
        let refusal = Refusal { function: 0, stmt: None, within: None, message, kind, missing: None };
        for result in [Ok("define".into()), Err(refusal)] {
            let told = ListingReply { result }.to_bytes();
            assert_eq!(ListingReply::from_bytes(&told).expect("it was written").to_bytes(), told);
            for len in 0..told.len() {
                assert!(ListingReply::from_bytes(&told[..len]).is_err());
            }
        }
    }
}
