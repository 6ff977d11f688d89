//! The module that codegen emits for a unit, before LLVM's passes: enough to know the unit's key.

use crate::LinkInfo;
use kiln_bytes::{Malformed, Read, Reader, Writer};

/// First bytes of every [`Emitted`]; the number is the version of the format.
const MAGIC: &[u8] = b"kiln-emitted-5\n";

/// A unit before LLVM's passes. With the target and the level of optimization it determines the object and the rest
/// of its [`LinkInfo`]: units of different bodies with equal emitted modules share one object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Emitted {
    /// The module, as LLVM's bitcode.
    pub bitcode: Vec<u8>,
    /// The facts that linking needs and the module lacks: the [`LinkInfo`] known before there is an object.
    pub link: LinkInfo,
    /// The line of the first statement of each function: lines in the module are relative to it.
    pub line_bases: Vec<u32>,
}

impl Emitted {
    /// Everything but the module, as bytes.
    pub fn link_bytes(&self) -> Vec<u8> {
        let mut out = Writer::new();
        self.link.write(&mut out);
        out.list(&self.line_bases, |out, it| out.u32(*it));
        out.finish()
    }

    /// Returns the hash that identifies it in a [`Body`](crate::Body).
    pub fn hash(&self) -> [u8; 32] {
        *blake3::hash(&self.to_bytes()).as_bytes()
    }

    /// Serializes it; equal modules have equal bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer::new();
        out.bytes(MAGIC);
        out.bytes(&self.bitcode);
        self.link.write(&mut out);
        out.list(&self.line_bases, |out, it| out.u32(*it));
        out.finish()
    }

    /// The inverse of `to_bytes`.
    ///
    /// # Errors
    /// When the bytes are nothing of this version.
    pub fn from_bytes(bytes: &[u8]) -> Read<Self> {
        let mut input = Reader::new(bytes);
        if input.bytes()? != MAGIC {
            return Err(Malformed("nothing emitted by this version"));
        }
        let bitcode = input.bytes()?.to_vec();
        let (link, line_bases) = (LinkInfo::read(&mut input)?, input.list(Reader::u32)?);
        input.finish()?;
        Ok(Self { bitcode, link, line_bases })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn emitted() -> Emitted {
        let link = LinkInfo { args_align: 8, ..LinkInfo::default() };
        Emitted { bitcode: vec![0x42, 0x43, 0xc0, 0xde], link, line_bases: vec![1, 9] }
    }

    /// It may come from a child that died while writing.
    #[test]
    fn it_survives_its_bytes_and_no_prefix_of_them() {
        let bytes = emitted().to_bytes();
        assert_eq!(Emitted::from_bytes(&bytes), Ok(emitted()));
        for len in 0..bytes.len() {
            assert!(Emitted::from_bytes(&bytes[..len]).is_err());
        }
    }
}
