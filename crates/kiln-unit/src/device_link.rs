//! Device links: the request that links units of a device into one module and finishes an artifact, and its reply.
//!
//! A unit for a device is not machine code: `CompiledUnit::object` is the emitted bitcode. A device link puts the
//! units that a kernel reaches, with runtime functions and the device's libraries, into one module, which is then
//! optimized as a whole and passed to the device's back end. Parts are identified by their bytes alone, so equal
//! parts yield equal artifacts.

use crate::{LineTable, Refusal, StageTime};
use kiln_bytes::{Malformed, Read, Reader, Writer};
use std::fmt;

/// First bytes of every request for a device link; the number is the version of the format.
const MAGIC: &[u8] = b"kiln-device-link-7\n";

/// A request to link a kernel, or functions to be called, for a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceLinkRequest {
    /// `kiln_targets::TargetFacts::to_bytes`.
    pub target: Vec<u8>,
    /// The options of the link.
    pub options: DeviceOptions,
    /// The name of the entry on the device: letters, digits and `_`.
    pub name: String,
    /// Whether the entry is a kernel, or a function for other device code.
    pub is_kernel: bool,
    /// The units; the first has the entry.
    pub parts: Vec<LinkPart>,
    /// Bitcode of the device's libraries, linked as far as it is used.
    pub libraries: Vec<Vec<u8>>,
    /// Where the parts' statements are; `None`: the artifact is to have no lines.
    pub lines: Option<LineTable>,
    /// The wanted outputs.
    pub wanted: OutputKinds,
    /// The name in messages. No output depends on it.
    pub title: String,
}

/// One unit of a device link. Its symbols are its own: they get names that no other part has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkPart {
    /// The bitcode of the unit: `CompiledUnit::object`.
    pub bitcode: Vec<u8>,
    /// The meaning of its undefined functions: the symbol, the part that defines it, and the symbol there.
    pub calls: Vec<PartCall>,
    /// Added to the numbers of its sites: see [`SITE_BASE`](crate::SITE_BASE).
    pub site_base: u32,
    /// Undefined globals, and the numbers that stand for them on this device (see [`Global`](crate::Global)).
    pub globals: Vec<(String, u64)>,
    /// Functions of the unit that must not be inlined.
    pub noinline: Vec<String>,
    /// Functions of the unit, and the names by which people know them: letters, digits and `_`.
    pub names: Vec<(String, String)>,
}

/// Returns the numbers of the parts' references to the host, each once, in the order of first use: the words of the
/// reference table of a target that has one.
pub fn references(parts: &[LinkPart]) -> Vec<u64> {
    let mut all = Vec::new();
    for (_, number) in parts.iter().flat_map(|it| &it.globals) {
        if !all.contains(number) {
            all.push(*number);
        }
    }
    all
}

/// Returns the name of the table of references in an artifact with this entry.
pub fn references_symbol(entry: &str) -> String {
    format!("{entry}_references")
}

/// A call from one part to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartCall {
    /// The symbol in the part that calls.
    pub symbol: String,
    /// Position of the part that defines it.
    pub part: u32,
    /// Its symbol there.
    pub definition: String,
}

/// The options of compiling a kernel for a device, apart from the facts about the device.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DeviceOptions {
    /// 0 to 3.
    pub opt_level: u8,
    /// Run LLVM's verifier before and after the passes.
    pub verify: bool,
    /// Include lines of the source in the artifact, if the device supports any: see [`DeviceLinkRequest::lines`].
    pub lines: bool,
    /// Floats need not be computed as written.
    pub fastmath: bool,
    /// Items of a group in each dimension, exactly.
    pub items: Option<[u32; 3]>,
    /// Items of a group in each dimension, at most.
    pub items_max: Option<[u32; 3]>,
    /// Groups that are to fit one processor at once.
    pub groups_min: Option<u32>,
    /// Registers an item may have.
    pub registers_max: Option<u32>,
    /// Version of the device's language (PTX), as `major * 10 + minor`; `None`: the minimum for the device.
    pub language: Option<u32>,
    /// Version of the code object (GCN), 5 or 6; `None`: 6, LLVM's default.
    pub code_object: Option<u32>,
    /// Extensions the driver has beyond those that every one has (SPIR-V), as `--spirv-ext` takes them.
    pub extensions: String,
}

impl Default for DeviceOptions {
    fn default() -> Self {
        Self {
            opt_level: 3,
            verify: cfg!(debug_assertions),
            lines: false,
            fastmath: false,
            items: None,
            items_max: None,
            groups_min: None,
            registers_max: None,
            language: None,
            code_object: None,
            extensions: String::new(),
        }
    }
}

/// Forms of an artifact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct OutputKinds {
    /// The linked module before passes, as bitcode.
    pub linked: bool,
    /// The module as the passes left it, as bitcode.
    pub optimized: bool,
    /// Text of the device's assembler.
    pub assembly: bool,
    /// Bytes for the device's loader, or for the vendor's linker: PTX text, a GCN object, SPIR-V,
    /// a BPF object.
    pub object: bool,
}

/// The reply to a [`DeviceLinkRequest`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceLinkReply {
    /// The linked module, or at least one refusal. `Refusal::function` is the position of a part.
    pub result: Result<LinkedModule, Vec<Refusal>>,
    /// The time of each stage.
    pub times: Vec<StageTime>,
}

/// The outputs of a device link; those that were not requested are empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkedModule {
    /// See [`OutputKinds::linked`].
    pub linked: Vec<u8>,
    /// See [`OutputKinds::optimized`].
    pub optimized: Vec<u8>,
    /// See [`OutputKinds::assembly`].
    pub assembly: Vec<u8>,
    /// See [`OutputKinds::object`].
    pub object: Vec<u8>,
    /// Static memory of a group, in bytes.
    pub shared_bytes: u32,
}

impl LinkedModule {
    fn write(&self, out: &mut Writer) {
        let Self { linked, optimized, assembly, object, shared_bytes } = self;
        for bytes in [linked, optimized, assembly, object] {
            out.bytes(bytes);
        }
        out.u32(*shared_bytes);
    }

    fn read(input: &mut Reader<'_>) -> Read<Self> {
        Ok(Self {
            linked: input.bytes()?.to_vec(),
            optimized: input.bytes()?.to_vec(),
            assembly: input.bytes()?.to_vec(),
            object: input.bytes()?.to_vec(),
            shared_bytes: input.u32()?,
        })
    }

    /// Serializes the module, for storage.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer::new();
        self.write(&mut out);
        out.finish()
    }

    /// The inverse of `to_bytes`.
    ///
    /// # Errors
    /// When the bytes are not a module of this version.
    pub fn from_bytes(bytes: &[u8]) -> Read<Self> {
        let mut input = Reader::new(bytes);
        let linked_module = Self::read(&mut input)?;
        input.finish()?;
        Ok(linked_module)
    }
}

/// Whether a device can call an entry so: its name is written into texts and tables of other programs.
///
/// # Errors
/// When the name has other characters than letters, digits and `_`, or a digit first.
pub fn check_entry_name(name: &str) -> Result<(), InvalidEntryName> {
    let is_word = name.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'_');
    if is_word && name.bytes().next().is_some_and(|it| !it.is_ascii_digit()) {
        Ok(())
    } else {
        Err(InvalidEntryName(name.to_owned()))
    }
}

/// A name that no entry can have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidEntryName(pub String);

impl fmt::Display for InvalidEntryName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is no name of an entry: letters, digits and `_`, no digit first", self.0)
    }
}

impl std::error::Error for InvalidEntryName {}

fn write_option(out: &mut Writer, value: Option<u32>) {
    out.bool(value.is_some());
    out.u32(value.unwrap_or(0));
}

fn read_option(input: &mut Reader<'_>) -> Read<Option<u32>> {
    let (is_some, value) = (input.bool()?, input.u32()?);
    Ok(is_some.then_some(value))
}

fn write_sizes(out: &mut Writer, value: Option<[u32; 3]>) {
    out.bool(value.is_some());
    value.unwrap_or_default().iter().for_each(|it| out.u32(*it));
}

fn read_sizes(input: &mut Reader<'_>) -> Read<Option<[u32; 3]>> {
    let (is_some, value) = (input.bool()?, [input.u32()?, input.u32()?, input.u32()?]);
    Ok(is_some.then_some(value))
}

impl DeviceOptions {
    /// Appends them to `out`.
    pub fn write(&self, out: &mut Writer) {
        out.u8(self.opt_level);
        for flag in [self.verify, self.lines, self.fastmath] {
            out.bool(flag);
        }
        write_sizes(out, self.items);
        write_sizes(out, self.items_max);
        for number in [self.groups_min, self.registers_max, self.language, self.code_object] {
            write_option(out, number);
        }
        out.str(&self.extensions);
    }

    /// Reads the output of `write`.
    pub fn read(input: &mut Reader<'_>) -> Read<Self> {
        Ok(Self {
            opt_level: input.u8()?.min(3),
            verify: input.bool()?,
            lines: input.bool()?,
            fastmath: input.bool()?,
            items: read_sizes(input)?,
            items_max: read_sizes(input)?,
            groups_min: read_option(input)?,
            registers_max: read_option(input)?,
            language: read_option(input)?,
            code_object: read_option(input)?,
            extensions: input.string()?,
        })
    }
}

impl LinkPart {
    fn write(&self, out: &mut Writer) {
        out.bytes(&self.bitcode);
        out.list(&self.calls, |out, it| {
            out.str(&it.symbol);
            out.u32(it.part);
            out.str(&it.definition);
        });
        out.u32(self.site_base);
        out.list(&self.globals, |out, (symbol, number)| {
            out.str(symbol);
            out.u64(*number);
        });
        out.list(&self.noinline, |out, it| out.str(it));
        out.list(&self.names, |out, (symbol, name)| {
            out.str(symbol);
            out.str(name);
        });
    }

    fn read(input: &mut Reader<'_>) -> Read<Self> {
        Ok(Self {
            bitcode: input.bytes()?.to_vec(),
            calls: input.list(|input| {
                Ok(PartCall { symbol: input.string()?, part: input.u32()?, definition: input.string()? })
            })?,
            site_base: input.u32()?,
            globals: input.list(|input| Ok((input.string()?, input.u64()?)))?,
            noinline: input.list(Reader::string)?,
            names: input.list(|it| Ok((it.string()?, it.string()?)))?,
        })
    }
}

impl DeviceLinkRequest {
    /// Whether bytes are meant to be one.
    pub fn is_one(bytes: &[u8]) -> bool {
        Reader::new(bytes).bytes() == Ok(MAGIC)
    }

    /// Serializes the request; equal requests have equal bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer::new();
        out.bytes(MAGIC);
        out.bytes(&self.target);
        self.options.write(&mut out);
        out.str(&self.name);
        out.bool(self.is_kernel);
        out.list(&self.parts, |out, it| it.write(out));
        out.list(&self.libraries, |out, it| out.bytes(it));
        out.bool(self.lines.is_some());
        if let Some(lines) = &self.lines {
            lines.write(&mut out);
        }
        let OutputKinds { linked, optimized, assembly, object } = self.wanted;
        [linked, optimized, assembly, object].iter().for_each(|it| out.bool(*it));
        out.str(&self.title);
        out.finish()
    }

    /// The inverse of `to_bytes`: checks that there is a part, and that every callee exists.
    ///
    /// # Errors
    /// When the bytes are not a request of this version.
    pub fn from_bytes(bytes: &[u8]) -> Read<Self> {
        let mut input = Reader::new(bytes);
        if input.bytes()? != MAGIC {
            return Err(Malformed("not a request for a device link of this version"));
        }
        let request = Self {
            target: input.bytes()?.to_vec(),
            options: DeviceOptions::read(&mut input)?,
            name: input.string()?,
            is_kernel: input.bool()?,
            parts: input.list(LinkPart::read)?,
            libraries: input.list(|input| Ok(input.bytes()?.to_vec()))?,
            lines: if input.bool()? { Some(LineTable::read(&mut input)?) } else { None },
            wanted: OutputKinds {
                linked: input.bool()?,
                optimized: input.bool()?,
                assembly: input.bool()?,
                object: input.bool()?,
            },
            title: input.string()?,
        };
        input.finish()?;
        let count = request.parts.len();
        if count == 0 || request.parts.iter().flat_map(|it| &it.calls).any(|it| it.part as usize >= count) {
            return Err(Malformed("a part is missing"));
        }
        Ok(request)
    }
}

impl DeviceLinkReply {
    /// Serializes the reply.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer::new();
        out.bytes(MAGIC);
        out.bool(self.result.is_ok());
        match &self.result {
            Ok(it) => it.write(&mut out),
            Err(refusals) => out.list(refusals, |out, it| it.write(out)),
        }
        out.list(&self.times, |out, it| it.write(out));
        out.finish()
    }

    /// The inverse of `to_bytes`.
    ///
    /// # Errors
    /// When the bytes are not a reply of this version.
    pub fn from_bytes(bytes: &[u8]) -> Read<Self> {
        let mut input = Reader::new(bytes);
        if input.bytes()? != MAGIC {
            return Err(Malformed("not a reply to a device link of this version"));
        }
        let result =
            if input.bool()? { Ok(LinkedModule::read(&mut input)?) } else { Err(input.list(Refusal::read)?) };
        let times = input.list(StageTime::read)?;
        input.finish()?;
        Ok(Self { result, times })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request() -> DeviceLinkRequest {
        let call = PartCall { symbol: "c1".into(), part: 1, definition: "f0".into() };
        let options = DeviceOptions {
            items_max: Some([256, 1, 1]),
            language: Some(80),
            extensions: "+SPV_KHR_expect_assume".into(),
            ..DeviceOptions::default()
        };
        DeviceLinkRequest {
            target: vec![1, 2],
            options,
            name: "_Z4axpy".into(),
            is_kernel: true,
            parts: vec![
                LinkPart {
                    bitcode: vec![7],
                    calls: vec![call],
                    globals: vec![("g0".into(), 9)],
                    ..LinkPart::default()
                },
                LinkPart {
                    bitcode: vec![8],
                    site_base: 3,
                    noinline: vec!["f0".into()],
                    names: vec![("f0".into(), "scaled".into())],
                    ..LinkPart::default()
                },
            ],
            libraries: vec![vec![9, 9]],
            lines: Some(LineTable { files: vec!["a.jl".into()], ..LineTable::default() }),
            wanted: OutputKinds { object: true, ..OutputKinds::default() },
            title: "axpy".into(),
        }
    }

    /// Requests and replies cross a process boundary.
    #[test]
    fn both_survive_their_bytes() {
        assert_eq!(DeviceLinkRequest::from_bytes(&request().to_bytes()), Ok(request()));
        let refusal = Refusal {
            function: 1,
            stmt: Some(3),
            within: Some(2),
            message: "no".into(),
            kind: crate::RefusalKind::Internal,
            missing: Some("__nv_sinf".into()),
        };
        let linked_module = LinkedModule { object: vec![1], shared_bytes: 64, ..LinkedModule::default() };
        for result in [Ok(linked_module), Err(vec![refusal])] {
            let reply = DeviceLinkReply { result, times: vec![StageTime { stage: "link".into(), nanos: 5 }] };
            assert_eq!(DeviceLinkReply::from_bytes(&reply.to_bytes()), Ok(reply.clone()));
        }
    }

    /// A request may come from another process: no prefix of one may panic, and no part it names may be missing.
    #[test]
    fn what_is_cut_or_names_no_part_is_an_error() {
        let bytes = request().to_bytes();
        for len in 0..bytes.len() {
            assert!(DeviceLinkRequest::from_bytes(&bytes[..len]).is_err());
        }
        let mut wrong = request();
        wrong.parts[0].calls[0].part = 2;
        assert!(DeviceLinkRequest::from_bytes(&wrong.to_bytes()).is_err());
    }
}
