//! What codegen is asked for.

use crate::bytes::{Malformed, Read, Reader, Writer};

/// First bytes of every request; the number is the version of the format.
const MAGIC: &[u8] = b"kiln-request-1\n";

/// One unit to be compiled.
///
/// Functions are named by their position in `functions`: *ordinals*. The body of function `f` calls
/// `Invoke(Instance(k), ..)`, and `functions[f].callees[k]` is the ordinal that is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodegenRequest {
    /// `kiln_targets::TargetFacts::to_bytes`.
    pub target: Vec<u8>,
    /// How to compile.
    pub options: CodegenOptions,
    /// What the unit's entry is.
    pub entry: EntryKind,
    /// The functions; 0 is the entry.
    pub functions: Vec<FunctionRequest>,
}

/// How to compile.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CodegenOptions {
    /// 0 to 3, as LLVM's `O` levels.
    pub opt_level: u8,
    /// Run LLVM's verifier before and after the passes.
    pub verify: bool,
    /// Return the textual IR before and after the passes.
    pub keep_ir: bool,
}

impl Default for CodegenOptions {
    fn default() -> Self {
        Self { opt_level: 3, verify: cfg!(debug_assertions), keep_ir: false }
    }
}

/// What the unit's entry is. It is always function 0 and the symbol is `entry`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EntryKind {
    /// A function called by the host: [`FunctionEntry`](crate::FunctionEntry).
    Function,
    /// A kernel: [`GroupsEntry`](crate::GroupsEntry), or [`ItemEntry`](crate::ItemEntry) if a barrier can be reached.
    Kernel,
}

/// One function of a unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionRequest {
    /// The body, by `kiln_ir::wire`. For an external function an `IrCode` without blocks, for its signature.
    pub ir: Vec<u8>,
    /// Ordinals of what its `Invoke`s name.
    pub callees: Vec<u32>,
    /// Not compiled here: called through an undefined symbol that `LinkInfo::calls` lists.
    pub external: bool,
}

impl CodegenRequest {
    /// As bytes, equal for equal requests.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer::new();
        out.bytes(MAGIC);
        out.bytes(&self.target);
        out.u8(self.options.opt_level);
        out.bool(self.options.verify);
        out.bool(self.options.keep_ir);
        out.u8(match self.entry {
            EntryKind::Function => 0,
            EntryKind::Kernel => 1,
        });
        out.list(&self.functions, |out, it| {
            out.bytes(&it.ir);
            out.list(&it.callees, |out, callee| out.u32(*callee));
            out.bool(it.external);
        });
        out.finish()
    }

    /// The inverse of `to_bytes`; every callee is in range.
    pub fn from_bytes(bytes: &[u8]) -> Read<Self> {
        let mut input = Reader::new(bytes);
        if input.bytes()? != MAGIC {
            return Err(Malformed("not a request of this version"));
        }
        let target = input.bytes()?.to_vec();
        let options =
            CodegenOptions { opt_level: input.u8()?.min(3), verify: input.bool()?, keep_ir: input.bool()? };
        let entry = match input.u8()? {
            0 => EntryKind::Function,
            1 => EntryKind::Kernel,
            _ => return Err(Malformed("unknown kind of entry")),
        };
        let functions = input.list(|input| {
            Ok(FunctionRequest {
                ir: input.bytes()?.to_vec(),
                callees: input.list(Reader::u32)?,
                external: input.bool()?,
            })
        })?;
        input.finish()?;
        let count = functions.len();
        if functions.iter().flat_map(|it| &it.callees).any(|&it| it as usize >= count) {
            return Err(Malformed("a callee is out of range"));
        }
        if functions.first().is_none_or(|it| it.external) {
            return Err(Malformed("the entry is missing"));
        }
        Ok(Self { target, options, entry, functions })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request() -> CodegenRequest {
        let function = FunctionRequest { ir: vec![1, 2, 3], callees: vec![0], external: false };
        CodegenRequest {
            target: vec![9],
            options: CodegenOptions::default(),
            entry: EntryKind::Kernel,
            functions: vec![function],
        }
    }

    /// What is written is read again.
    #[test]
    fn a_request_survives_its_bytes() {
        assert_eq!(CodegenRequest::from_bytes(&request().to_bytes()), Ok(request()));
    }

    /// A request may come from another process: no prefix of one may panic.
    #[test]
    fn every_truncation_is_an_error() {
        let bytes = request().to_bytes();
        for len in 0..bytes.len() {
            assert!(CodegenRequest::from_bytes(&bytes[..len]).is_err());
        }
    }

    /// Codegen indexes by callee without looking.
    #[test]
    fn a_callee_out_of_range_is_an_error() {
        let mut wrong = request();
        wrong.functions[0].callees = vec![1];
        assert_eq!(CodegenRequest::from_bytes(&wrong.to_bytes()), Err(Malformed("a callee is out of range")));
    }
}
