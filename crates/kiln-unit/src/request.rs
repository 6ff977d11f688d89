//! The requests to codegen.

use crate::Checks;
use crate::link_info::{read_group_size, write_group_size};
use kiln_bytes::{Malformed, Read, Reader, Writer};

/// First bytes of every request; the number is the version of the format.
const MAGIC: &[u8] = b"kiln-request-10\n";

/// One unit to be compiled: a specialization, or several that call one another in a circle.
///
/// Functions are named by their position in `functions`: *ordinals*. The body of function `f` calls
/// `Invoke(Instance(k), ..)`, and `functions[f].callees[k]` is the ordinal that is called. Functions of other units are
/// there with their signature and [`Traits`] only, so equal requests make equal objects whatever those functions are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodegenRequest {
    /// `kiln_targets::TargetFacts::to_bytes`.
    pub target: Vec<u8>,
    /// The compile options.
    pub options: CodegenOptions,
    /// The kind of the unit's entry.
    pub entry: EntryKind,
    /// The value of the device intrinsic `in_kernel`.
    pub in_kernel: bool,
    /// The functions; 0 is the entry.
    pub functions: Vec<FunctionRequest>,
    /// The external functions that codegen may call itself, for code that only devices run; each role once.
    pub runtime: Vec<(RuntimeRole, u32)>,
    /// The name in messages. No output depends on it.
    pub title: String,
}

/// A device function that compiled code calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RuntimeRole {
    /// `(site::UInt32)::Nothing`: an item has failed there.
    Signal,
    /// `(site::UInt32)::Ptr{UInt8}`: an item has failed there; where the site's operands go if no item failed before, else
    /// null. Preferred to `Signal`.
    Claim,
    /// `(site::UInt32, bytes::UInt32)::Ptr{UInt8}`: where the operands of a report go, null if there is no room.
    Reserve,
    /// `(bytes::UInt64)::Ptr{UInt8}`: memory for an object, aligned to 16 bytes; null if there is no room.
    Allocate,
    /// `(site::UInt32)::Nothing`: the failing item is in the call that this site describes.
    Frame,
    /// `(value::T, tag::UInt64)::Ptr{UInt8}`: a box with a value; null if there is no room.
    Box(Plain),
    /// `(box::Ptr{UInt8})::T`: the value in a box.
    Unbox(Plain),
}

/// Types whose boxes device functions make and read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "each is Julia's type of that name")]
pub enum Plain {
    Int8,
    Int16,
    Int32,
    Int64,
    UInt8,
    UInt16,
    UInt32,
    UInt64,
    Bool,
    Float32,
    Float64,
}

impl Plain {
    /// All of them.
    pub const ALL: [Self; 11] = [
        Self::Int8,
        Self::Int16,
        Self::Int32,
        Self::Int64,
        Self::UInt8,
        Self::UInt16,
        Self::UInt32,
        Self::UInt64,
        Self::Bool,
        Self::Float32,
        Self::Float64,
    ];

    /// The functions that make and read boxes of the type.
    pub fn functions(self) -> (&'static str, &'static str) {
        match self {
            Self::Int8 => ("box_Int8", "unbox_Int8"),
            Self::Int16 => ("box_Int16", "unbox_Int16"),
            Self::Int32 => ("box_Int32", "unbox_Int32"),
            Self::Int64 => ("box_Int64", "unbox_Int64"),
            Self::UInt8 => ("box_UInt8", "unbox_UInt8"),
            Self::UInt16 => ("box_UInt16", "unbox_UInt16"),
            Self::UInt32 => ("box_UInt32", "unbox_UInt32"),
            Self::UInt64 => ("box_UInt64", "unbox_UInt64"),
            Self::Bool => ("box_Bool", "unbox_Bool"),
            Self::Float32 => ("box_Float32", "unbox_Float32"),
            Self::Float64 => ("box_Float64", "unbox_Float64"),
        }
    }
}

impl RuntimeRole {
    /// All of them, by the number they have in bytes.
    pub const ALL: [Self; 27] = Self::all();

    const fn all() -> [Self; 27] {
        let mut all = [Self::Signal; 27];
        (all[1], all[2], all[3], all[4]) = (Self::Claim, Self::Reserve, Self::Allocate, Self::Frame);
        let mut at = 0;
        while at < Plain::ALL.len() {
            all[5 + at] = Self::Box(Plain::ALL[at]);
            all[5 + Plain::ALL.len() + at] = Self::Unbox(Plain::ALL[at]);
            at += 1;
        }
        all
    }

    /// Returns its name in keys.
    pub fn name(self) -> &'static str {
        match self {
            Self::Signal => "signal",
            Self::Claim => "claim",
            Self::Reserve => "reserve",
            Self::Allocate => "allocate",
            Self::Frame => "frame",
            Self::Box(plain) => plain.functions().0,
            Self::Unbox(plain) => plain.functions().1,
        }
    }
}

/// The options of a compilation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CodegenOptions {
    /// 0: required passes only; 1: no vectorization; 2 and 3: all.
    pub opt_level: u8,
    /// Run LLVM's verifier before and after the passes.
    pub verify: bool,
    /// Return the module as the passes left it.
    pub keep_optimized: bool,
    /// Make a table of where instructions come from.
    pub lines: bool,
    /// The value of the device intrinsic `debug_level`: the amount of detail that a failing item reports.
    pub debug_level: u8,
    /// Cut kernels at their barriers, where the processor runs items in loops: they run faster than on fibers, and take
    /// longer to compile.
    pub barrier_regions: bool,
    /// The items of a group in each dimension, if kernels that are cut at their barriers are only launched with groups of this size:
    /// loops over items have constant bounds then.
    pub group_size: Option<[u32; 3]>,
    /// The bits of the vectors of items that kernels of processors are compiled to; 0: items run one after the other,
    /// or as LLVM vectorizes innermost loops.
    pub vector_bits: u32,
    /// The checks of kernels for the processor: see [`CheckTable`](crate::CheckTable). They are not cut at their
    /// barriers then.
    pub checks: Checks,
    /// The mistake to make, in builds with debug assertions.
    pub mistake: Option<Mistake>,
    /// Kernels that would be checked are screened instead: see [`ScreenState`](crate::ScreenState).
    pub screens: bool,
    /// The items of a warp, where the processor runs items: 32 or 64.
    pub lanes: u32,
    /// The items of a warp run kernels of the processor in lockstep, access by access.
    pub lockstep: bool,
    /// Calls of the host that are not known before they run may launch kernels, on a device that then has arrays.
    pub calls_launch: bool,
}

/// A mistake that code generation makes on request: tests must notice it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mistake {
    /// Where the ways of items meet first, in vector code, all get the values of those that came last.
    LostMask,
    /// A number that lives across a barrier is not kept.
    LostValue,
}

impl Mistake {
    const ALL: [Option<Self>; 3] = [None, Some(Self::LostMask), Some(Self::LostValue)];
}

impl Default for CodegenOptions {
    fn default() -> Self {
        Self {
            opt_level: 3,
            verify: cfg!(debug_assertions),
            keep_optimized: false,
            lines: true,
            debug_level: 1,
            barrier_regions: false,
            group_size: None,
            vector_bits: 0,
            checks: Checks::NONE,
            mistake: None,
            screens: false,
            lanes: 32,
            lockstep: false,
            calls_launch: false,
        }
    }
}

/// The kind of the unit's entry. It is always function 0; the symbol is `entry`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EntryKind {
    /// A function called by the host: [`FunctionEntry`](crate::FunctionEntry).
    Function,
    /// A kernel: [`GroupsEntry`](crate::GroupsEntry), or [`ItemEntry`](crate::ItemEntry) if it reaches a barrier. On
    /// devices, the code of one item, with the arguments as parameters.
    Kernel,
    /// None: functions for other units to call. Function `n` has the symbol [`body_symbol(n)`](body_symbol), and the
    /// numbers of sites and the places in shared memory are relative to [`SITE_BASE`] and [`SHARED_BASE`].
    Body,
}

/// The symbol of a function that a [`EntryKind::Body`] unit defines.
pub fn body_symbol(ordinal: u32) -> String {
    format!("f{ordinal}")
}

/// The symbol of the vector variant of a function: it runs the function for several items, each of which has its own
/// values of the arguments.
pub fn lanes_symbol(function: &str) -> String {
    format!("{function}.lanes")
}

/// Undefined symbol of a unit without an entry: an absolute value below 2^31, added to the numbers of its sites. In a unit
/// for a device it is a function without parameters that returns the value, an `i32`.
pub const SITE_BASE: &str = "site_base";
/// Undefined symbol of a unit without an entry: an absolute value below 2^31, where its static shared memory begins.
pub const SHARED_BASE: &str = "shared_base";

/// The facts about a function that its callers must know: they decide how it is called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Traits {
    /// Returns a site.
    pub may_fail: bool,
    /// Takes the state of the item: it may fail, or reads its position. On a device, takes the state of the kernel.
    pub needs_state: bool,
    /// Writes memory that others see.
    pub writes: bool,
    /// Waits for other items of its group.
    pub has_barrier: bool,
    /// Has private memory that may stay in memory.
    pub has_private: bool,
    /// Uses atomic operations.
    pub has_atomics: bool,
    /// Has the host do something while it runs.
    pub reports: bool,
    /// Its own control flow has a cycle.
    pub has_loop: bool,
    /// Uses the group's memory whose size the launch specifies (devices only).
    pub has_dynamic_shared: bool,
    /// Allocates objects: the launch must give it memory for them.
    pub allocates: bool,
    /// Has no compiled form: the host runs calls of it (host code only).
    pub is_interpreted: bool,
    /// Launches kernels, itself or in a callee, so that devices may have arrays while it runs (host code only).
    pub launches: bool,
    /// The lanes of its [vector variant](lanes_symbol); 0 if it has none.
    pub lanes: u8,
}

impl Traits {
    /// The traits of a function without a compiled form.
    pub const INTERPRETED: Self = Self {
        may_fail: true,
        needs_state: true,
        writes: true,
        has_barrier: false,
        has_private: false,
        has_atomics: true,
        reports: false,
        has_loop: true,
        has_dynamic_shared: false,
        allocates: false,
        is_interpreted: true,
        launches: false,
        lanes: 0,
    };

    /// Returns the traits that callers must know on a device, which runs items without a loop around them: changing
    /// the others changes no caller.
    #[must_use]
    pub fn for_device(self) -> Self {
        Self { writes: false, has_private: false, has_atomics: false, has_loop: false, ..self }
    }

    /// Returns the traits as bits, the first field lowest.
    pub fn bits(self) -> u32 {
        let all = [
            self.may_fail,
            self.needs_state,
            self.writes,
            self.has_barrier,
            self.has_private,
            self.has_atomics,
            self.reports,
            self.has_loop,
            self.has_dynamic_shared,
            self.allocates,
            self.is_interpreted,
            self.launches,
        ];
        let flags = all.iter().enumerate().fold(0, |bits, (at, it)| bits | u32::from(*it) << at);
        flags | u32::from(self.lanes) << all.len()
    }

    /// The inverse of `bits`; others are ignored.
    pub fn from_bits(bits: u32) -> Self {
        let bit = |at: u32| bits >> at & 1 == 1;
        Self {
            may_fail: bit(0),
            needs_state: bit(1),
            writes: bit(2),
            has_barrier: bit(3),
            has_private: bit(4),
            has_atomics: bit(5),
            reports: bit(6),
            has_loop: bit(7),
            has_dynamic_shared: bit(8),
            allocates: bit(9),
            is_interpreted: bit(10),
            launches: bit(11),
            lanes: (bits >> 12) as u8,
        }
    }
}

/// One function of a unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionRequest {
    /// The body, by `kiln_ir::wire`. For an external function an `IrCode` without blocks, for its signature.
    pub ir: Vec<u8>,
    /// The ordinals of the callees of its `Invoke`s.
    pub callees: Vec<u32>,
    /// The traits of the function in the unit that defines it, if it is not compiled here but called through an
    /// undefined symbol in `LinkInfo::calls`.
    pub external: Option<Traits>,
}

impl CodegenRequest {
    /// Serializes the request; equal requests have equal bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer::new();
        out.bytes(MAGIC);
        out.bytes(&self.target);
        out.u8(self.options.opt_level);
        out.bool(self.options.verify);
        out.bool(self.options.keep_optimized);
        out.bool(self.options.lines);
        out.u8(self.options.debug_level);
        out.bool(self.options.barrier_regions);
        write_group_size(&mut out, self.options.group_size);
        out.u32(self.options.vector_bits);
        out.u8(self.options.checks.bits());
        out.u8(Mistake::ALL.iter().position(|it| *it == self.options.mistake).unwrap_or(0) as u8);
        out.bool(self.options.screens);
        out.bool(self.options.lanes > 32);
        out.bool(self.options.lockstep);
        out.bool(self.options.calls_launch);
        out.u8(match self.entry {
            EntryKind::Function => 0,
            EntryKind::Kernel => 1,
            EntryKind::Body => 2,
        });
        out.bool(self.in_kernel);
        out.list(&self.functions, |out, it| {
            out.bytes(&it.ir);
            out.list(&it.callees, |out, callee| out.u32(*callee));
            out.bool(it.external.is_some());
            out.u32(it.external.unwrap_or_default().bits());
        });
        out.list(&self.runtime, |out, (role, ordinal)| {
            out.u8(RuntimeRole::ALL.iter().position(|it| it == role).unwrap_or(0) as u8);
            out.u32(*ordinal);
        });
        out.str(&self.title);
        out.finish()
    }

    /// The inverse of `to_bytes`; every callee is in range, and functions of the runtime are external.
    pub fn from_bytes(bytes: &[u8]) -> Read<Self> {
        let mut input = Reader::new(bytes);
        if input.bytes()? != MAGIC {
            return Err(Malformed("not a request of this version"));
        }
        let target = input.bytes()?.to_vec();
        let options = CodegenOptions {
            opt_level: input.u8()?.min(3),
            verify: input.bool()?,
            keep_optimized: input.bool()?,
            lines: input.bool()?,
            debug_level: input.u8()?,
            barrier_regions: input.bool()?,
            group_size: read_group_size(&mut input)?,
            vector_bits: input.u32()?.min(2048),
            checks: Checks::from_bits(input.u8()?),
            mistake: Mistake::ALL.get(usize::from(input.u8()?)).copied().flatten(),
            screens: input.bool()?,
            lanes: if input.bool()? { 64 } else { 32 },
            lockstep: input.bool()?,
            calls_launch: input.bool()?,
        };
        let entry = match input.u8()? {
            0 => EntryKind::Function,
            1 => EntryKind::Kernel,
            2 => EntryKind::Body,
            _ => return Err(Malformed("unknown kind of entry")),
        };
        let in_kernel = input.bool()?;
        let functions = input.list(|input| {
            let (ir, callees) = (input.bytes()?.to_vec(), input.list(Reader::u32)?);
            let (external, traits) = (input.bool()?, Traits::from_bits(input.u32()?));
            Ok(FunctionRequest { ir, callees, external: external.then_some(traits) })
        })?;
        let runtime = input.list(|input| {
            let role = RuntimeRole::ALL.get(usize::from(input.u8()?));
            Ok((*role.ok_or(Malformed("unknown role of a runtime function"))?, input.u32()?))
        })?;
        let title = String::from_utf8_lossy(input.bytes()?).into_owned();
        input.finish()?;
        let count = functions.len();
        if functions.iter().flat_map(|it| &it.callees).any(|&it| it as usize >= count) {
            return Err(Malformed("a callee is out of range"));
        }
        if functions.first().is_none_or(|it| it.external.is_some()) {
            return Err(Malformed("the entry is missing"));
        }
        if !runtime.iter().all(|it| functions.get(it.1 as usize).is_some_and(|it| it.external.is_some())) {
            return Err(Malformed("a runtime function is not external"));
        }
        Ok(Self { target, options, entry, in_kernel, functions, runtime, title })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request() -> CodegenRequest {
        let function = FunctionRequest { ir: vec![1, 2, 3], callees: vec![0, 1], external: None };
        let traits = Traits { may_fail: true, has_atomics: true, ..Traits::default() };
        let external = FunctionRequest { ir: vec![4], callees: Vec::new(), external: Some(traits) };
        CodegenRequest {
            target: vec![9],
            options: CodegenOptions::default(),
            entry: EntryKind::Kernel,
            in_kernel: true,
            functions: vec![function, external],
            runtime: vec![(RuntimeRole::Claim, 1), (RuntimeRole::Reserve, 1)],
            title: "f(Int64)".into(),
        }
    }

    /// Written requests are read again.
    #[test]
    fn a_request_survives_its_bytes() {
        assert_eq!(CodegenRequest::from_bytes(&request().to_bytes()), Ok(request()));
    }

    /// Codegen calls functions of the runtime by the ABI of other units' functions.
    #[test]
    fn a_runtime_function_of_the_unit_is_an_error() {
        for ordinal in [0, 2] {
            let mut wrong = request();
            wrong.runtime = vec![(RuntimeRole::Signal, ordinal)];
            let error = Malformed("a runtime function is not external");
            assert_eq!(CodegenRequest::from_bytes(&wrong.to_bytes()), Err(error));
        }
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
        wrong.functions[0].callees = vec![2];
        assert_eq!(CodegenRequest::from_bytes(&wrong.to_bytes()), Err(Malformed("a callee is out of range")));
    }
}
