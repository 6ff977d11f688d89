//! What is kept of a compiled specialization: a part that can be shared and a part that ties it to one instance.

use crate::LinkInfo;
use crate::bytes::{Malformed, Read, Reader, Writer};

/// First bytes of every stored body; the number is the version of the format.
const MAGIC: &[u8] = b"kiln-body-2\n";

/// Machine code with local names only. Equal code has equal bodies, whatever it was called and wherever it stood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Body {
    /// A relocatable object.
    pub object: Vec<u8>,
    /// How to link it.
    pub link: LinkInfo,
}

impl Body {
    /// As bytes, equal for equal bodies.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer::new();
        out.bytes(MAGIC);
        out.bytes(&self.object);
        self.link.write(&mut out);
        out.finish()
    }

    /// The inverse of `to_bytes`.
    ///
    /// # Errors
    /// When the bytes are no body of this version.
    pub fn from_bytes(bytes: &[u8]) -> Read<Self> {
        let mut input = Reader::new(bytes);
        if input.bytes()? != MAGIC {
            return Err(Malformed("not a unit of this version"));
        }
        let body = Self { object: input.bytes()?.to_vec(), link: LinkInfo::read(&mut input)? };
        input.finish()?;
        Ok(body)
    }

    /// The hash a body is stored under.
    pub fn content_hash(&self) -> [u8; 32] {
        *blake3::hash(&self.to_bytes()).as_bytes()
    }
}

/// What the ordinals of a body mean for one code instance. Made by the front end on each hit, never stored with the
/// body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Binding<Callee> {
    /// The caller's name for each function of the request.
    pub functions: Vec<Callee>,
    /// The name a user knows.
    pub name: String,
}

/// A specialization that can be linked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit<Callee> {
    /// The code.
    pub body: std::sync::Arc<Body>,
    /// What its ordinals mean.
    pub binding: Binding<Callee>,
}
