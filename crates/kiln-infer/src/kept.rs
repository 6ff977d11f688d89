//! The wire form of inference results, for other sessions of the same image.

use crate::InferenceResult;
use crate::abstract_interp::{Closed, Inlining};
use crate::lattice::{Conditional, Lattice, PartialStruct};
use kiln_ir::Effects;
use kiln_ir::wire::{SectionReader, SectionWriter, WireError};
use kiln_runtime::tables::{CodeInstance, WorldRange};
use kiln_types::Type;
use std::sync::Arc;

/// The deepest nesting of lattice elements.
const DEPTH_MAX: usize = 32;

/// A decoded result, to be attached to the code instance it belongs to.
#[derive(Debug)]
pub struct KeptResult {
    result: InferenceResult,
    inlining: Inlining,
}

/// Writes the inference result of `ci`. Returns `false` if it has none.
pub fn write_result(ci: &CodeInstance, out: &mut SectionWriter<'_>) -> bool {
    let (Some(result), Some(inlining)) = (ci.result::<InferenceResult>(), ci.result::<Inlining>()) else {
        return false;
    };
    lattice(out, &result.ret);
    out.number(result.effects.to_bits() as usize);
    out.ty(result.exct);
    out.flag(result.imprecise);
    out.number(inlining.0.into());
    true
}

/// Reads the result that [`write_result`] wrote.
///
/// # Errors
/// Fails if the bytes are malformed.
pub fn read_result(input: &mut SectionReader<'_>) -> Result<KeptResult, WireError> {
    let ret = read_lattice(input, 0)?;
    let effects = input.below(1 << Effects::BITS)?;
    let effects = Effects::from_bits(effects as u32);
    let exct = input.ty()?;
    let imprecise = input.flag()?;
    let inlining = Inlining(input.below(256)? as u8);
    Ok(KeptResult {
        result: InferenceResult { ret, effects, exct, imprecise, worlds: WorldRange::ALL },
        inlining,
    })
}

impl KeptResult {
    /// Returns the effects of the calls.
    pub fn effects(&self) -> Effects {
        self.result.effects
    }

    /// Returns the type of the exceptions.
    pub fn exception_type(&self) -> Type {
        self.result.exct
    }

    /// Attaches the result to `ci`. The edges of `ci` must include those of its callees.
    pub fn attach(self, ci: &CodeInstance) {
        ci.set_result(Arc::new(InferenceResult { worlds: ci.worlds(), ..self.result }));
        ci.set_result(Arc::new(self.inlining));
        ci.set_result(Arc::new(Closed));
    }
}

fn lattice(out: &mut SectionWriter<'_>, element: &Lattice) {
    match element {
        Lattice::Type(ty) => {
            out.number(0);
            out.ty(*ty);
        }
        Lattice::Const(it) => {
            out.number(1);
            out.constant(*it);
        }
        Lattice::PartialStruct(it) => {
            out.number(2);
            out.ty(it.ty);
            out.number(it.fields.len());
            it.fields.iter().for_each(|it| lattice(out, it));
        }
        Lattice::Conditional(it) => conditional(out, 3, it),
        Lattice::InterConditional(it) => conditional(out, 4, it),
    }
}

fn conditional(out: &mut SectionWriter<'_>, tag: usize, it: &Conditional) {
    out.number(tag);
    out.number(it.slot as usize);
    out.number(it.def as usize);
    lattice(out, &it.then);
    lattice(out, &it.other);
}

fn read_lattice(input: &mut SectionReader<'_>, depth: usize) -> Result<Lattice, WireError> {
    if depth > DEPTH_MAX {
        return Err(WireError("what is known of a value nests too deep"));
    }
    Ok(match input.below(5)? {
        0 => Lattice::Type(input.ty()?),
        1 => Lattice::Const(input.constant()?),
        2 => {
            let ty = input.ty()?;
            let fields = input.list(|it| read_lattice(it, depth + 1))?;
            Lattice::PartialStruct(Arc::new(PartialStruct { ty, fields }))
        }
        tag => {
            let (slot, def) = (input.below(1 << 32)? as u32, input.below(1 << 32)? as u32);
            let (then, other) = (read_lattice(input, depth + 1)?, read_lattice(input, depth + 1)?);
            let it = Arc::new(Conditional { slot, def, then, other });
            if tag == 3 { Lattice::Conditional(it) } else { Lattice::InterConditional(it) }
        }
    })
}
