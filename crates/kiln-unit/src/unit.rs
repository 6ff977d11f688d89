//! The stored form of a compiled specialization: a part that can be shared and a part that ties it to one instance.

use crate::LinkInfo;
use kiln_bytes::{Malformed, Read, Reader, Writer};

/// First bytes of every stored body; the number is the version of the format.
const MAGIC: &[u8] = b"kiln-body-6\n";

/// Machine code with local names only. Equal emitted units have equal bodies, whatever their names and positions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Body {
    /// A relocatable object.
    pub object: Vec<u8>,
    /// The link information.
    pub link: LinkInfo,
    /// The [`Emitted::hash`](crate::Emitted::hash) of its emitted unit.
    pub emitted: [u8; 32],
}

impl Body {
    /// Serializes the body; equal bodies have equal bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer::new();
        out.bytes(MAGIC);
        out.bytes(&self.object);
        self.link.write(&mut out);
        out.bytes(&self.emitted);
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
        let (object, link) = (input.bytes()?.to_vec(), LinkInfo::read(&mut input)?);
        let emitted = input.bytes()?.try_into().map_err(|_| Malformed("not the hash of a module"))?;
        let body = Self { object, link, emitted };
        input.finish()?;
        Ok(body)
    }

    /// The hash a body is stored under.
    pub fn content_hash(&self) -> [u8; 32] {
        *blake3::hash(&self.to_bytes()).as_bytes()
    }
}

/// First bytes of every stored [`Stages`]; the number is the version of the format.
const STAGES_MAGIC: &[u8] = b"kiln-stages-2\n";

/// The stages of a body, as LLVM's bitcode: to be looked at, not to go on from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stages {
    /// The module before the passes.
    pub emitted: Vec<u8>,
    /// The module after them.
    pub optimized: Vec<u8>,
}

impl Stages {
    /// Serializes the stages; equal stages have equal bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer::new();
        out.bytes(STAGES_MAGIC);
        out.bytes(&self.emitted);
        out.bytes(&self.optimized);
        out.finish()
    }

    /// The inverse of `to_bytes`.
    ///
    /// # Errors
    /// When the bytes are no stages of this version.
    pub fn from_bytes(bytes: &[u8]) -> Read<Self> {
        let mut input = Reader::new(bytes);
        if input.bytes()? != STAGES_MAGIC {
            return Err(Malformed("not stages of this version"));
        }
        let stages = Self { emitted: input.bytes()?.to_vec(), optimized: input.bytes()?.to_vec() };
        input.finish()?;
        Ok(stages)
    }
}

/// The meaning of a body's ordinals for one code instance. Made by the front end on each hit, never stored with the
/// body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnitBinding<Callee> {
    /// The caller's name for each function of the request.
    pub functions: Vec<Callee>,
    /// The name for users.
    pub name: String,
}

/// A specialization that can be linked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit<Callee> {
    /// The code.
    pub body: std::sync::Arc<Body>,
    /// The meaning of its ordinals.
    pub binding: UnitBinding<Callee>,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A store may hold any bytes: they are read or refused.
    #[test]
    fn bodies_and_stages_survive_their_bytes_and_no_prefix_of_them() {
        let link = LinkInfo { args_align: 8, ..LinkInfo::default() };
        let body = Body { object: vec![1, 2, 3], link, emitted: [7; 32] };
        let stages = Stages { emitted: vec![4], optimized: vec![5, 6] };
        let (body_bytes, stages_bytes) = (body.to_bytes(), stages.to_bytes());
        assert_eq!(Body::from_bytes(&body_bytes), Ok(body));
        assert_eq!(Stages::from_bytes(&stages_bytes), Ok(stages));
        for len in 0..body_bytes.len() {
            assert!(Body::from_bytes(&body_bytes[..len]).is_err());
        }
        for len in 0..stages_bytes.len() {
            assert!(Stages::from_bytes(&stages_bytes[..len]).is_err());
        }
    }
}
