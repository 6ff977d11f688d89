//! The replies of codegen.

use crate::LinkInfo;
use kiln_bytes::{Malformed, Read, Reader, Writer};

/// First bytes of every reply; the number is the version of the format.
const MAGIC: &[u8] = b"kiln-reply-11\n";

/// The reply to a [`CodegenRequest`](crate::CodegenRequest).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodegenReply {
    /// `major.minor.patch` of the LLVM that answered.
    pub llvm_version: String,
    /// The unit; `None` if the caller knows the emitted module; or at least one refusal.
    pub result: Result<Option<CompiledUnit>, Vec<Refusal>>,
    /// The time of each stage.
    pub times: Vec<StageTime>,
}

/// The outputs of a compiled unit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CompiledUnit {
    /// A relocatable object, or a device's binary or assembly.
    pub object: Vec<u8>,
    /// The link information.
    pub link: LinkInfo,
    /// The module as the passes left it, as LLVM's bitcode, if it was asked for; else empty.
    pub optimized: Vec<u8>,
}

/// Why codegen did not compile something: it cannot be expressed on this target, or the body is malformed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The ordinal of the function in the request.
    pub function: u32,
    /// The number of the statement.
    pub stmt: Option<u32>,
    /// In a device link, where `function` is the position of a part: the function of that part, if one is at fault.
    pub within: Option<u32>,
    /// The message, a sentence.
    pub message: String,
    /// The party at fault.
    pub kind: RefusalKind,
    /// In a device link: the used symbol that nothing defines.
    pub missing: Option<String>,
}

/// The party at fault for a [`Refusal`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RefusalKind {
    /// kiln does not compile it, or the program uses something that does not exist.
    Unsupported,
    /// The target cannot do it for any program.
    Limit,
    /// The code generator itself has failed: LLVM made a fatal error, or there was a panic.
    Internal,
}

impl RefusalKind {
    /// All of them, by the number they have in bytes.
    const ALL: [Self; 3] = [Self::Unsupported, Self::Limit, Self::Internal];

    /// The kind of several refusals of one thing: a limit if all are limits, internal if one is.
    pub fn from_refusals(refusals: &[Refusal]) -> Self {
        refusals.iter().map(|it| it.kind).reduce(Self::and).unwrap_or(Self::Unsupported)
    }

    /// The kind of two refusals together.
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Internal, _) | (_, Self::Internal) => Self::Internal,
            (Self::Limit, Self::Limit) => Self::Limit,
            (Self::Unsupported, _) | (_, Self::Unsupported) => Self::Unsupported,
        }
    }
}

/// The duration of a stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StageTime {
    /// `read`, `emit`, `verify`, `keep`, `ask`, `passes`, `machine`.
    pub stage: String,
    /// Nanoseconds.
    pub nanos: u64,
}

impl Refusal {
    pub(crate) fn write(&self, out: &mut Writer) {
        out.u32(self.function);
        out.u32(self.stmt.map_or(u32::MAX, |it| it));
        out.u32(self.within.map_or(u32::MAX, |it| it));
        out.str(&self.message);
        out.u8(RefusalKind::ALL.iter().position(|it| *it == self.kind).unwrap_or(0) as u8);
        out.list(self.missing.as_slice(), |out, it| out.str(it));
    }

    pub(crate) fn read(input: &mut Reader<'_>) -> Read<Self> {
        let function = input.u32()?;
        let stmt = Some(input.u32()?).filter(|it| *it != u32::MAX);
        let within = Some(input.u32()?).filter(|it| *it != u32::MAX);
        let message = input.string()?;
        let kind = RefusalKind::ALL.get(usize::from(input.u8()?)).ok_or(Malformed("a kind of refusal"))?;
        let missing = input.list(Reader::string)?.pop();
        Ok(Self { function, stmt, within, message, kind: *kind, missing })
    }
}

impl StageTime {
    pub(crate) fn write(&self, out: &mut Writer) {
        out.str(&self.stage);
        out.u64(self.nanos);
    }

    pub(crate) fn read(input: &mut Reader<'_>) -> Read<Self> {
        Ok(Self { stage: input.string()?, nanos: input.u64()? })
    }
}

impl CodegenReply {
    /// Serializes the reply.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer::new();
        out.bytes(MAGIC);
        out.str(&self.llvm_version);
        match &self.result {
            Ok(Some(compiled)) => {
                out.u8(0);
                out.bytes(&compiled.object);
                compiled.link.write(&mut out);
                out.bytes(&compiled.optimized);
            }
            Ok(None) => out.u8(2),
            Err(refusals) => {
                out.u8(1);
                out.list(refusals, |out, it| it.write(out));
            }
        }
        out.list(&self.times, |out, it| it.write(out));
        out.finish()
    }

    /// The inverse of `to_bytes`.
    pub fn from_bytes(bytes: &[u8]) -> Read<Self> {
        let mut input = Reader::new(bytes);
        if input.bytes()? != MAGIC {
            return Err(Malformed("not a reply of this version"));
        }
        let llvm_version = input.string()?;
        let result = match input.u8()? {
            0 => Ok(Some(CompiledUnit {
                object: input.bytes()?.to_vec(),
                link: LinkInfo::read(&mut input)?,
                optimized: input.bytes()?.to_vec(),
            })),
            2 => Ok(None),
            1 => Err(input.list(Refusal::read)?),
            _ => return Err(Malformed("neither a unit nor a refusal")),
        };
        let times = input.list(StageTime::read)?;
        input.finish()?;
        Ok(Self { llvm_version, result, times })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DefinedSymbol, ExternalCall, Line, OperandPlace, Role, Site, Traits};
    use crate::{Global, GlobalRole};

    fn reply() -> CodegenReply {
        let place = OperandPlace { offset: 8, size: 8 };
        let traits = Traits { writes: true, has_loop: true, ..Traits::default() };
        let link = LinkInfo {
            entry: "entry".into(),
            definitions: vec![DefinedSymbol {
                symbol: "entry".into(),
                role: Role::Entry,
                ordinal: 0,
                traits,
            }],
            calls: vec![ExternalCall { symbol: "c1".into(), ordinal: 1, role: Role::Body }],
            runtime: vec!["memcpy".into()],
            sites: vec![Site { function: 0, site: 2, stmt: 7, operands: vec![place] }],
            lines: vec![Line { offset: 4, function: 0, stmt: 7 }],
            args: vec![place],
            args_bytes: 16,
            args_align: 8,
            globals: vec![Global { symbol: "g0".into(), role: GlobalRole::Name("left".into()) }],
            ..LinkInfo::default()
        };
        CodegenReply {
            llvm_version: "22.1.8".into(),
            result: Ok(Some(CompiledUnit { object: vec![127, 69], link, optimized: vec![0x42, 0x43] })),
            times: vec![StageTime { stage: "emit".into(), nanos: 5 }],
        }
    }

    /// Written replies are read again: units, refusals, and that a unit is known.
    #[test]
    fn a_reply_survives_its_bytes() {
        assert_eq!(CodegenReply::from_bytes(&reply().to_bytes()), Ok(reply()));
        let refusal = Refusal {
            function: 1,
            stmt: None,
            within: None,
            message: "no".into(),
            kind: RefusalKind::Limit,
            missing: None,
        };
        let refused = CodegenReply { result: Err(vec![refusal]), ..reply() };
        assert_eq!(CodegenReply::from_bytes(&refused.to_bytes()), Ok(refused));
        let known = CodegenReply { result: Ok(None), ..reply() };
        assert_eq!(CodegenReply::from_bytes(&known.to_bytes()), Ok(known));
    }

    /// A reply may come from a child that died while writing.
    #[test]
    fn every_truncation_is_an_error() {
        let bytes = reply().to_bytes();
        for len in 0..bytes.len() {
            assert!(CodegenReply::from_bytes(&bytes[..len]).is_err());
        }
    }
}
