//! The symbolic facts by which an object is linked, launched and understood.

use crate::{SHARED_BASE, SITE_BASE, Traits};
use kiln_bytes::{Malformed, Read, Reader, Writer};

/// The facts that codegen gives with an object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkInfo {
    /// The entry's symbol; empty if there is none.
    pub entry: String,
    /// The kernel has barriers and was not cut at them: the entry is an [`ItemEntry`](crate::ItemEntry).
    pub has_barrier: bool,
    /// The items of a warp, for a launcher that runs each item on a fiber.
    pub lanes: u32,
    /// It is checked: the entry is an [`ItemEntry`](crate::ItemEntry), and the launch must give
    /// `LaunchContext::checks`.
    pub is_checked: bool,
    /// It is screened: the launch must give `LaunchContext::screen`.
    pub is_screened: bool,
    /// It is checked, and its items may wait for each other.
    pub waits: bool,
    /// Items report: the launch must give `LaunchContext::report`.
    pub reports: bool,
    /// Items allocate objects: the launch must give memory for them.
    pub allocates: bool,
    /// Symbols the object defines and exports.
    pub definitions: Vec<DefinedSymbol>,
    /// Undefined symbols that stand for external functions of the request.
    pub calls: Vec<ExternalCall>,
    /// Undefined symbols for objects that each session has its own of, in the order of first use.
    pub globals: Vec<Global>,
    /// The code has an address as a number, of a pointer that was a constant: it means something in one process only.
    pub holds_address: bool,
    /// The other undefined symbols but `SITE_BASE` and `SHARED_BASE`, sorted: `memcpy`, `fma`, `__divti3`, ...
    pub runtime: Vec<String>,
    /// Site number `n` (from 1) is `sites[n - 1]`.
    pub sites: Vec<Site>,
    /// Places of instructions, by offset in `.text`; see [`Line`].
    pub lines: Vec<Line>,
    /// Static shared memory a group, in bytes.
    pub shared_bytes: u32,
    /// Those of them through which the lanes of a warp exchange values: the program does not ask for them.
    pub lane_bytes: u32,
    /// Size in bytes of an item's part of `LaunchContext::frames`.
    pub frame_bytes: u32,
    /// The items that groups have in each dimension, if launches must give groups of this size.
    pub group_size: Option<[u32; 3]>,
    /// Size in bytes of the block the entry's `args` points to.
    pub args_bytes: u32,
    /// Its alignment.
    pub args_align: u32,
    /// The place of each argument (0 is the function) in that block: the layout of a tuple of them. Objects of the
    /// heap are addresses, ghosts are empty.
    pub args: Vec<OperandPlace>,
    /// Size in bytes of the block the result is written to ([`FunctionEntry`](crate::FunctionEntry) only).
    pub result_bytes: u32,
}

/// A symbol the object defines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefinedSymbol {
    /// Its name in the object.
    pub symbol: String,
    /// The role of the symbol.
    pub role: Role,
    /// The ordinal of the function in the request.
    pub ordinal: u32,
    /// The traits that callers must know.
    pub traits: Traits,
}

/// The role of a defined symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// The unit's entry.
    Entry,
    /// A function with the ABI of functions.
    Body,
    /// The vector variant of a function.
    Lanes,
}

impl Role {
    /// All of them, by the number they have in bytes.
    const ALL: [Self; 3] = [Self::Body, Self::Entry, Self::Lanes];

    fn write(self, out: &mut Writer) {
        out.u8(Self::ALL.iter().position(|it| *it == self).unwrap_or(0) as u8);
    }

    fn read(input: &mut Reader<'_>) -> Read<Self> {
        let role = Self::ALL.get(usize::from(input.u8()?)).copied();
        role.ok_or(Malformed("a symbol of a role that this version does not know"))
    }
}

/// An undefined symbol for a function of the request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExternalCall {
    /// Its name in the object.
    pub symbol: String,
    /// The ordinal of the function in the request.
    pub ordinal: u32,
    /// Which of its definitions is called.
    pub role: Role,
}

/// An undefined symbol whose address is that of an object of the session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Global {
    /// Its name in the object.
    pub symbol: String,
    /// The role of the global.
    pub role: GlobalRole,
}

/// The role of a [`Global`], in terms that any session can resolve: never an address or a number of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GlobalRole {
    /// The `Symbol` of this name.
    Name(String),
    /// The type with this structural hash: the tag of values in boxes.
    Type(u128),
    /// The number that the session has for the type with this structural hash.
    Number(u128),
    /// The object of the only value of the type with this structural hash.
    Instance(u128),
    /// The object of a constant that a body has.
    Constant {
        /// The ordinal of the function in the request.
        function: u32,
        /// The number of the statement.
        stmt: u32,
        /// The number of the operand.
        operand: u32,
        /// The number of the field of that operand, and of a field of that field, and so on.
        path: Vec<u32>,
    },
    /// The cell of the global variable that a statement reads or assigns: a word with the address of its object or null, and
    /// at [`GLOBAL_CELL_IS_DIRECT`] a word that is 0 if an assignment is the host's.
    Cell {
        /// The ordinal of the function in the request.
        function: u32,
        /// The number of the statement.
        stmt: u32,
    },
}

/// The offset in the cell of a global variable of the word that is 0 if the host has to make the assignment.
pub const GLOBAL_CELL_IS_DIRECT: u64 = 8;

impl GlobalRole {
    fn write(&self, out: &mut Writer) {
        match self {
            Self::Name(name) => {
                out.u32(0);
                out.str(name);
            }
            Self::Type(hash) => {
                out.u32(1);
                out.u64(*hash as u64);
                out.u64((hash >> 64) as u64);
            }
            Self::Number(hash) => {
                out.u32(2);
                out.u64(*hash as u64);
                out.u64((hash >> 64) as u64);
            }
            Self::Instance(hash) => {
                out.u32(3);
                out.u64(*hash as u64);
                out.u64((hash >> 64) as u64);
            }
            Self::Constant { function, stmt, operand, path } => {
                out.u32(4);
                [*function, *stmt, *operand].into_iter().for_each(|it| out.u32(it));
                out.list(path, |out, it| out.u32(*it));
            }
            Self::Cell { function, stmt } => {
                out.u32(5);
                [*function, *stmt].into_iter().for_each(|it| out.u32(it));
            }
        }
    }

    fn read(input: &mut Reader<'_>) -> Read<Self> {
        let hash = |input: &mut Reader<'_>| -> Read<u128> {
            Ok(u128::from(input.u64()?) | u128::from(input.u64()?) << 64)
        };
        match input.u32()? {
            0 => Ok(Self::Name(input.string()?)),
            1 => Ok(Self::Type(hash(input)?)),
            2 => Ok(Self::Number(hash(input)?)),
            3 => Ok(Self::Instance(hash(input)?)),
            4 => {
                let (function, stmt, operand) = (input.u32()?, input.u32()?, input.u32()?);
                Ok(Self::Constant { function, stmt, operand, path: input.list(Reader::u32)? })
            }
            5 => Ok(Self::Cell { function: input.u32()?, stmt: input.u32()? }),
            _ => Err(Malformed("a global of a role that this version does not know")),
        }
    }
}

/// `Site::site` of an index out of range that no site of the body describes; its operand is the index, an `Int64`.
pub const SITE_BOUNDS: u32 = u32::MAX;
/// `Site::site` of a checked division without a result: `DivideError()`.
pub const SITE_DIVIDE: u32 = u32::MAX - 1;
/// `Site::site` of a value that is not of the type asserted, or of a reference that is not set.
pub const SITE_TYPE: u32 = u32::MAX - 2;
/// `Site::site` of a function that calls itself and has no stack left: `StackOverflowError()`.
pub const SITE_STACK: u32 = u32::MAX - 3;
/// `Site::site` of an object when memory is exhausted: `OutOfMemoryError()`; its operand is its size in bytes, an
/// `Int64`.
pub const SITE_MEMORY: u32 = u32::MAX - 4;
/// `Site::site` of a call that is not inlined (debug level 2): nothing fails there, but failures come through it.
pub const SITE_CALL: u32 = u32::MAX - 5;

/// `Site::site` of an access, a barrier or a declaration in a checked kernel: see [`CheckTable`](crate::CheckTable).
pub const SITE_ACCESS: u32 = u32::MAX - 6;

/// `Site::site` of a statement of host code that the host runs: see [`HostTable::run`](crate::HostTable::run). Its operands
/// are those of the statement; the places of constants and of values without bits are empty.
pub const SITE_RUN: u32 = u32::MAX - 7;

/// `Site::site` of a statement of host code that returned, where inference says that it never does.
pub const SITE_RETURNED: u32 = u32::MAX - 8;

/// A place where compiled code gives up or reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// The ordinal of the function in the request.
    pub function: u32,
    /// The index in its `throw_sites`, or one of the constants `SITE_*` of this module.
    pub site: u32,
    /// The failing statement, for sites that codegen added; [`NO_STMT`] for others.
    pub stmt: u32,
    /// The places of the operands in `LaunchRecord::operands`, or in the operands of `LaunchContext::report`.
    pub operands: Vec<OperandPlace>,
}

/// `Site::stmt` of a site that no one statement has.
pub const NO_STMT: u32 = u32::MAX;

/// A range of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OperandPlace {
    /// First byte.
    pub offset: u32,
    /// The size in bytes.
    pub size: u32,
}

/// Where the instructions from an offset on came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// Offset in `.text`.
    pub offset: u32,
    /// The ordinal of the function in the request; `u32::MAX`: code of no statement, such as the loops around a
    /// kernel's body.
    pub function: u32,
    /// The number of the statement: the caller, who has the body, knows its position. So moving a body leaves the
    /// table unchanged.
    pub stmt: u32,
}

fn write_place(out: &mut Writer, place: &OperandPlace) {
    out.u32(place.offset);
    out.u32(place.size);
}

fn read_place(input: &mut Reader<'_>) -> Read<OperandPlace> {
    Ok(OperandPlace { offset: input.u32()?, size: input.u32()? })
}

impl LinkInfo {
    /// Returns the function and the statement of the code at an offset of `.text`.
    pub fn line_at(&self, offset: u32) -> Option<Line> {
        let after = self.lines.partition_point(|it| it.offset <= offset);
        let line = *self.lines.get(after.checked_sub(1)?)?;
        (line.function != u32::MAX).then_some(line)
    }

    /// Whether an undefined symbol of this name is accounted for.
    pub fn names(&self, symbol: &str) -> bool {
        [SITE_BASE, SHARED_BASE].contains(&symbol)
            || self.calls.iter().any(|it| it.symbol == symbol)
            || self.globals.iter().any(|it| it.symbol == symbol)
            || self.runtime.iter().any(|it| it == symbol)
    }

    /// Appends it to `out`.
    pub fn write(&self, out: &mut Writer) {
        out.str(&self.entry);
        out.bool(self.has_barrier);
        out.bool(self.is_checked);
        out.bool(self.is_screened);
        out.bool(self.waits);
        out.bool(self.reports);
        out.bool(self.allocates);
        out.list(&self.definitions, |out, it| {
            out.str(&it.symbol);
            it.role.write(out);
            out.u32(it.ordinal);
            out.u32(it.traits.bits());
        });
        out.list(&self.calls, |out, it| {
            out.str(&it.symbol);
            out.u32(it.ordinal);
            it.role.write(out);
        });
        out.list(&self.globals, |out, it| {
            out.str(&it.symbol);
            it.role.write(out);
        });
        out.bool(self.holds_address);
        out.list(&self.runtime, |out, it| out.str(it));
        out.list(&self.sites, |out, it| {
            out.u32(it.function);
            out.u32(it.site);
            out.u32(it.stmt);
            out.list(&it.operands, write_place);
        });
        out.list(&self.lines, |out, it| {
            out.u32(it.offset);
            out.u32(it.function);
            out.u32(it.stmt);
        });
        out.u32(self.shared_bytes);
        out.u32(self.lane_bytes);
        out.u32(self.lanes);
        out.u32(self.frame_bytes);
        write_group_size(out, self.group_size);
        out.u32(self.args_bytes);
        out.u32(self.args_align);
        out.list(&self.args, write_place);
        out.u32(self.result_bytes);
    }

    /// Reads the output of `write`. Sites' operands fit the launch record.
    pub fn read(input: &mut Reader<'_>) -> Read<Self> {
        let info = Self {
            entry: input.string()?,
            has_barrier: input.bool()?,
            is_checked: input.bool()?,
            is_screened: input.bool()?,
            waits: input.bool()?,
            reports: input.bool()?,
            allocates: input.bool()?,
            definitions: input.list(|input| {
                let symbol = input.string()?;
                let role = Role::read(input)?;
                let (ordinal, traits) = (input.u32()?, Traits::from_bits(input.u32()?));
                Ok(DefinedSymbol { symbol, role, ordinal, traits })
            })?,
            calls: input.list(|input| {
                let (symbol, ordinal) = (input.string()?, input.u32()?);
                Ok(ExternalCall { symbol, ordinal, role: Role::read(input)? })
            })?,
            globals: input
                .list(|input| Ok(Global { symbol: input.string()?, role: GlobalRole::read(input)? }))?,
            holds_address: input.bool()?,
            runtime: input.list(Reader::string)?,
            sites: input.list(|input| {
                let (function, site, stmt) = (input.u32()?, input.u32()?, input.u32()?);
                Ok(Site { function, site, stmt, operands: input.list(read_place)? })
            })?,
            lines: input.list(|input| {
                Ok(Line { offset: input.u32()?, function: input.u32()?, stmt: input.u32()? })
            })?,
            shared_bytes: input.u32()?,
            lane_bytes: input.u32()?,
            lanes: input.u32()?,
            frame_bytes: input.u32()?,
            group_size: read_group_size(input)?,
            args_bytes: input.u32()?,
            args_align: input.u32()?,
            args: input.list(read_place)?,
            result_bytes: input.u32()?,
        };
        let fits = |place: &OperandPlace, max: usize| {
            place.offset as usize <= max && place.size as usize <= max - place.offset as usize
        };
        let room = |it: &Site| match it.site {
            SITE_RUN => crate::RUN_OPERAND_BYTES,
            _ => crate::RECORD_OPERAND_BYTES, // in the record
        };
        if !info.sites.iter().all(|site| site.operands.iter().all(|it| fits(it, room(site)))) {
            return Err(Malformed("a site's operands do not fit the launch record"));
        }
        if !info.args.iter().all(|it| fits(it, info.args_bytes as usize))
            || !info.args_align.is_power_of_two()
        {
            return Err(Malformed("the arguments do not fit their block"));
        }
        Ok(info)
    }
}

/// Writes the size of groups; no dimension of one is 0.
pub(crate) fn write_group_size(out: &mut Writer, size: Option<[u32; 3]>) {
    size.unwrap_or_default().iter().for_each(|it| out.u32(*it));
}

/// Reads the output of [`write_group_size`].
pub(crate) fn read_group_size(input: &mut Reader<'_>) -> Read<Option<[u32; 3]>> {
    let size = [input.u32()?, input.u32()?, input.u32()?];
    match size.iter().filter(|it| **it == 0).count() {
        0 if size.iter().all(|it| i32::try_from(*it).is_ok()) => Ok(Some(size)),
        3 => Ok(None),
        _ => Err(Malformed("a group has a size that no launch gives")),
    }
}
