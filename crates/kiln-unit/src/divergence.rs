//! The divergence analysis of a unit, for people: which instructions run once for all items.

use crate::Refusal;
use kiln_bytes::{Malformed, Read, Reader, Writer};

/// First bytes of every request for an analysis; the number is the version of the format.
const MAGIC: &[u8] = b"kiln-divergence-2\n";

/// A request for the analysis of the loops over items in a module as it was emitted. Nothing is compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DivergenceRequest {
    /// `kiln_targets::TargetFacts::to_bytes`.
    pub target: Vec<u8>,
    /// The level of the passes that run before the analysis.
    pub opt_level: u8,
    /// The bits of the vectors of items.
    pub vector_bits: u32,
    /// The module was written by hand: no passes run before the analysis, and instructions are returned as text.
    pub by_hand: bool,
    /// LLVM's bitcode.
    pub bitcode: Vec<u8>,
}

impl DivergenceRequest {
    /// Whether bytes are meant to be one.
    pub fn is_one(bytes: &[u8]) -> bool {
        Reader::new(bytes).bytes() == Ok(MAGIC)
    }

    /// Serializes the request.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer::new();
        out.bytes(MAGIC);
        out.bytes(&self.target);
        out.u8(self.opt_level);
        out.u32(self.vector_bits);
        out.bool(self.by_hand);
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
            return Err(Malformed("not a request for an analysis of this version"));
        }
        let request = Self {
            target: input.bytes()?.to_vec(),
            opt_level: input.u8()?.min(3),
            vector_bits: input.u32()?.min(2048),
            by_hand: input.bool()?,
            bitcode: input.bytes()?.to_vec(),
        };
        input.finish()?;
        Ok(request)
    }
}

/// How a value differs between items that run together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Spread {
    /// It is the same for all.
    Uniform,
    /// It grows by this from one item to the next.
    Consecutive(i64),
    /// Each has its own.
    Varying,
}

/// An instruction, and how vector code does it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LaneOperation {
    /// A computation without an effect.
    Value,
    /// A load of one value for all items.
    UniformLoad,
    /// A load of a vector.
    VectorLoad,
    /// A load from an address of each item.
    Gather,
    /// A store to one place.
    UniformStore,
    /// A store of a vector.
    VectorStore,
    /// A store to an address of each item.
    Scatter,
    /// A branch.
    Branch,
    /// A call of a vector variant: one for all items.
    VectorCall,
    /// Anything that runs for one item after the other: calls, atomic operations.
    LaneByLane,
}

impl LaneOperation {
    const ALL: [Self; 10] = [
        Self::Value,
        Self::UniformLoad,
        Self::VectorLoad,
        Self::Gather,
        Self::UniformStore,
        Self::VectorStore,
        Self::Scatter,
        Self::Branch,
        Self::VectorCall,
        Self::LaneByLane,
    ];

    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Value => "value",
            Self::UniformLoad => "uniform load",
            Self::VectorLoad => "vector load",
            Self::Gather => "gather",
            Self::UniformStore => "uniform store",
            Self::VectorStore => "vector store",
            Self::Scatter => "scatter",
            Self::Branch => "branch",
            Self::VectorCall => "vector call",
            Self::LaneByLane => "item by item",
        }
    }
}

/// An instruction of a loop over items.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnalysedInstruction {
    /// Its line: see [`Emitted::line_bases`](crate::Emitted); 0: of no statement.
    pub line: u32,
    /// Its block, in the order of the analysis.
    pub block: u32,
    /// Its kind.
    pub operation: LaneOperation,
    /// How its value differs between items; of an access, the address; of a branch, the condition.
    pub spread: Spread,
    /// Whether only some items may run it.
    pub is_partial: bool,
    /// Whether it is in a loop that items leave in different turns.
    pub is_in_divergent_loop: bool,
    /// Its text, of a module written by hand.
    pub text: String,
}

/// The reason why each item of a loop runs by itself, as people read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScalarReason(pub String);

/// A loop over items, or the lanes of a callee.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnalysedLoop {
    /// The function with the loop.
    pub function: String,
    /// The number of items that run together, or why each runs by itself.
    pub lanes: Result<u32, ScalarReason>,
    /// The instructions; none if the loop has a form without an analysis.
    pub instructions: Vec<AnalysedInstruction>,
}

/// The loops, or the reason why there is no analysis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DivergenceReply {
    /// One or the other.
    pub result: Result<Vec<AnalysedLoop>, Refusal>,
}

impl AnalysedInstruction {
    fn write(&self, out: &mut Writer) {
        out.u32(self.line);
        out.u32(self.block);
        out.u8(LaneOperation::ALL.iter().position(|it| *it == self.operation).unwrap_or(0) as u8);
        let (kind, stride) = match self.spread {
            Spread::Uniform => (0, 0),
            Spread::Consecutive(stride) => (1, stride),
            Spread::Varying => (2, 0),
        };
        out.u8(kind);
        out.u64(stride as u64);
        out.bool(self.is_partial);
        out.bool(self.is_in_divergent_loop);
        out.str(&self.text);
    }

    fn read(input: &mut Reader<'_>) -> Read<Self> {
        let (line, block) = (input.u32()?, input.u32()?);
        let operation = LaneOperation::ALL.get(usize::from(input.u8()?)).copied();
        let operation = operation.ok_or(Malformed("an unknown operation"))?;
        let (kind, stride) = (input.u8()?, input.u64()? as i64);
        let spread = match kind {
            0 => Spread::Uniform,
            1 => Spread::Consecutive(stride),
            2 => Spread::Varying,
            _ => return Err(Malformed("an unknown difference between items")),
        };
        let (is_partial, is_in_divergent_loop) = (input.bool()?, input.bool()?);
        Ok(Self { line, block, operation, spread, is_partial, is_in_divergent_loop, text: input.string()? })
    }
}

impl AnalysedLoop {
    fn write(&self, out: &mut Writer) {
        out.str(&self.function);
        out.u32(*self.lanes.as_ref().unwrap_or(&0));
        out.str(self.lanes.as_ref().err().map_or("", |it| &it.0));
        out.list(&self.instructions, |out, it| it.write(out));
    }

    fn read(input: &mut Reader<'_>) -> Read<Self> {
        let (function, lanes, why) = (input.string()?, input.u32()?, input.string()?);
        let lanes = if lanes > 0 { Ok(lanes) } else { Err(ScalarReason(why)) };
        Ok(Self { function, lanes, instructions: input.list(AnalysedInstruction::read)? })
    }
}

impl DivergenceReply {
    /// Serializes the reply.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer::new();
        out.bytes(MAGIC);
        out.bool(self.result.is_ok());
        match &self.result {
            Ok(loops) => out.list(loops, |out, it| it.write(out)),
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
            return Err(Malformed("not an analysis of this version"));
        }
        let result = match input.bool()? {
            true => Ok(input.list(AnalysedLoop::read)?),
            false => Err(Refusal::read(&mut input)?),
        };
        input.finish()?;
        Ok(Self { result })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Requests and replies may come from another process.
    #[test]
    fn they_survive_their_bytes_and_no_prefix_of_them() {
        let (target, bitcode) = (vec![3], vec![1, 2]);
        let request = DivergenceRequest { target, opt_level: 2, vector_bits: 512, by_hand: true, bitcode };
        let asked = request.to_bytes();
        assert!(DivergenceRequest::is_one(&asked));
        assert_eq!(DivergenceRequest::from_bytes(&asked), Ok(request));
        for len in 0..asked.len() {
            assert!(DivergenceRequest::from_bytes(&asked[..len]).is_err());
        }
        let instruction = AnalysedInstruction {
            line: 3,
            block: 1,
            operation: LaneOperation::Gather,
            spread: Spread::Consecutive(-4),
            is_partial: true,
            is_in_divergent_loop: false,
            text: "load".into(),
        };
        let analysed =
            |lanes| AnalysedLoop { function: "entry".into(), lanes, instructions: vec![instruction.clone()] };
        let loops = vec![analysed(Ok(16)), analysed(Err(ScalarReason("it is large".into())))];
        let reply = DivergenceReply { result: Ok(loops) };
        let told = reply.to_bytes();
        assert_eq!(DivergenceReply::from_bytes(&told), Ok(reply));
        for len in 0..told.len() {
            assert!(DivergenceReply::from_bytes(&told[..len]).is_err());
        }
    }
}
