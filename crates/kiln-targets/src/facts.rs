//! The facts of a target.

use kiln_unit::bytes::{Malformed, Read, Reader, Writer};

/// Which `Target` of codegen takes requests for a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Backend {
    /// Objects for the processor this runs on, or one like it.
    Native,
}

/// What is true of a target: everything codegen and the optimizer may ask. Part of every key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TargetFacts {
    /// Who generates code for it.
    pub backend: Backend,
    /// LLVM's triple.
    pub triple: String,
    /// LLVM's name of the processor.
    pub cpu: String,
    /// LLVM's feature string.
    pub features: String,
    /// Bytes of a pointer.
    pub pointer_bytes: u32,
    /// `fma` is one instruction: `muladd` fuses.
    pub have_fma: bool,
    /// A failing item says where it failed.
    pub can_throw: bool,
    /// Items a group runs in step, for choosing group sizes.
    pub preferred_group_items: u32,
    /// 128-bit integers can be computed with.
    pub have_int128: bool,
    /// `Float64` can be computed with.
    pub have_float64: bool,
}

impl TargetFacts {
    /// As bytes, equal for equal facts.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer::new();
        out.u8(match self.backend {
            Backend::Native => 0,
        });
        out.str(&self.triple);
        out.str(&self.cpu);
        out.str(&self.features);
        out.u32(self.pointer_bytes);
        out.bool(self.have_fma);
        out.bool(self.can_throw);
        out.u32(self.preferred_group_items);
        out.bool(self.have_int128);
        out.bool(self.have_float64);
        out.finish()
    }

    /// The inverse of `to_bytes`.
    pub fn from_bytes(bytes: &[u8]) -> Read<Self> {
        let mut input = Reader::new(bytes);
        let backend = match input.u8()? {
            0 => Backend::Native,
            _ => return Err(Malformed("unknown back end")),
        };
        let facts = Self {
            backend,
            triple: input.str()?,
            cpu: input.str()?,
            features: input.str()?,
            pointer_bytes: input.u32()?,
            have_fma: input.bool()?,
            can_throw: input.bool()?,
            preferred_group_items: input.u32()?,
            have_int128: input.bool()?,
            have_float64: input.bool()?,
        };
        input.finish()?;
        Ok(facts)
    }
}
