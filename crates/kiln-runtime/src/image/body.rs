//! Lowered bodies in an image, and bodies that are decoded when they are first used.

use kiln_bytes::{Malformed, Read, Reader, Writer};
use kiln_ir::{CodeInfo, CodeMeta, Declaration, Inlining, Lowered, LoweredStmt, Mark, SlotInfo, SourceLoc};
use kiln_types::freeze::{FrozenTable, ImageError, TableSizes};
use kiln_types::{Module, Symbol};
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

/// The body of a method: there already, or bytes of an image until it is used.
#[derive(Debug)]
pub struct MethodBody {
    code: OnceLock<Arc<CodeInfo>>,
    frozen: Option<FrozenBody>,
}

/// Where the bytes of a body are.
#[derive(Clone, Debug)]
pub(crate) struct FrozenBody {
    pub(crate) source: Arc<BodySource>,
    pub(crate) number: usize,
    pub(crate) around: Around,
}

/// The facts that a body shares with the method or the body that it is part of, more often than not.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Around {
    pub(crate) name: Symbol,
    pub(crate) module: Module,
    pub(crate) loc: SourceLoc,
}

/// The part of an image that holds bodies.
#[derive(Debug, Default)]
pub(crate) struct BodySource {
    /// The bodies of methods, by the numbers of these.
    pub(crate) bodies: FrozenTable,
    /// Of the interner that the image was made from.
    pub(crate) counts: TableSizes,
}

impl FrozenBody {
    pub(crate) fn decode(&self) -> Result<CodeInfo, ImageError> {
        let mut input = self.source.bodies.entry(self.number)?;
        let code = read_body(&mut input, &self.source.counts, self.around, 0)?;
        input.finish()?;
        Ok(code)
    }
}

impl MethodBody {
    /// A body that is there.
    pub(crate) fn new(code: Arc<CodeInfo>) -> Self {
        Self { code: OnceLock::from(code), frozen: None }
    }
    /// Whether its bytes are those of a body.
    pub(crate) fn check(&self) -> Result<(), ImageError> {
        self.frozen.as_ref().map_or(Ok(()), |it| it.decode().map(drop))
    }
    /// A body that waits in an image.
    pub(crate) fn frozen(body: FrozenBody) -> Self {
        Self { code: OnceLock::new(), frozen: Some(body) }
    }
}

impl Deref for MethodBody {
    type Target = Arc<CodeInfo>;

    fn deref(&self) -> &Arc<CodeInfo> {
        self.code.get_or_init(|| {
            let decoded = self.frozen.as_ref().map(FrozenBody::decode);
            match decoded {
                Some(Ok(code)) => Arc::new(code),
                Some(Err(problem)) => unreachable!("an image that was accepted: {problem}"),
                None => unreachable!("a body is there or frozen"),
            }
        })
    }
}

/// Deeper nesting of bodies than lowering makes is refused.
const NESTING_MAX: u32 = 200;

/// The facts of a body that most bodies do not have.
mod facts {
    /// It takes any number of arguments.
    pub(super) const VARARG: u64 = 1;
    /// It has static parameters.
    pub(super) const STATIC_PARAMS: u64 = 2;
    /// It holds other bodies.
    pub(super) const BODIES: u64 = 4;
    /// It has marks.
    pub(super) const META: u64 = 8;
    /// Its place is another one than that around it.
    pub(super) const LOC: u64 = 16;
    /// Its name or its module is.
    pub(super) const NAME: u64 = 32;
}

pub(crate) fn write_body(out: &mut Writer, code: &CodeInfo, around: Around) {
    let own = Around { name: code.name, module: code.module, loc: code.loc };
    let has_name = (own.name, own.module) != (around.name, around.module);
    let has_meta = code.meta != CodeMeta::default();
    let present = [
        (facts::VARARG, code.is_va),
        (facts::STATIC_PARAMS, !code.static_params.is_empty()),
        (facts::BODIES, !code.bodies.is_empty()),
        (facts::META, has_meta),
        (facts::LOC, own.loc != around.loc),
        (facts::NAME, has_name),
    ];
    out.number(present.iter().filter(|it| it.1).map(|it| it.0).sum());
    if has_name {
        out.index(own.name.index());
        out.index(own.module.index());
    }
    if own.loc != around.loc {
        write_place(out, own.loc);
    }
    out.list(&code.slots, |out, it| {
        out.index(it.name.index() * 4 + usize::from(it.unused) + 2 * usize::from(it.single_assignment));
    });
    out.number(u64::from(code.nargs));
    if !code.static_params.is_empty() {
        out.list(&code.static_params, |out, it| out.index(it.index()));
    }
    if !code.bodies.is_empty() {
        out.list(&code.bodies, |out, it| write_body(out, it, own));
    }
    let len = code.stmts.len();
    out.index(len);
    for (at, stmt) in code.stmts.iter().enumerate() {
        write_stmt(&mut BodyOut { out: &mut *out, at, len }, stmt);
    }
    debug_assert_eq!(code.locs.len(), len, "every statement has a place");
    let mut last = own.loc;
    for &loc in &code.locs {
        write_loc(out, loc, last);
        last = loc;
    }
    if has_meta {
        write_meta(out, &code.meta);
    }
}

pub(super) fn read_body(
    input: &mut Reader<'_>,
    counts: &TableSizes,
    around: Around,
    nesting: u32,
) -> Read<CodeInfo> {
    if nesting > NESTING_MAX {
        return Err(Malformed("bodies are nested too deep"));
    }
    let present = input.number()?;
    let has = |fact| present & fact != 0;
    let mut own = around;
    if has(facts::NAME) {
        (own.name, own.module) = (counts.symbol(input)?, counts.module(input)?);
    }
    if has(facts::LOC) {
        own.loc = read_place(input)?;
    }
    let slots = input.list(|it| {
        let number = it.index(counts.symbols * 4)?;
        let name = Symbol::from_index(number / 4);
        Ok(SlotInfo { name, unused: number & 1 != 0, single_assignment: number & 2 != 0 })
    })?;
    let nargs = input.index(slots.len() + 1)? as u32;
    let static_params =
        if has(facts::STATIC_PARAMS) { input.list(|it| counts.symbol(it))? } else { Vec::new() };
    let bodies = if has(facts::BODIES) {
        input.list(|it| read_body(it, counts, own, nesting + 1))?
    } else {
        Vec::new()
    };
    let count = input.count()?;
    let mut sizes = Sizes {
        counts: *counts,
        at: 0,
        slots: slots.len(),
        stmts: count,
        bodies: bodies.len(),
        static_params: static_params.len(),
    };
    let mut stmts = Vec::with_capacity(count);
    for at in 0..count {
        sizes.at = at;
        stmts.push(read_stmt(input, &sizes)?);
    }
    let mut locs = Vec::with_capacity(count);
    let mut last = own.loc;
    for _ in 0..count {
        last = read_loc(input, last)?;
        locs.push(last);
    }
    let meta = if has(facts::META) { read_meta(input, counts)? } else { CodeMeta::default() };
    let (is_va, Around { name, module, loc }) = (has(facts::VARARG), own);
    Ok(CodeInfo { name, module, slots, nargs, is_va, static_params, stmts, locs, bodies, meta, loc })
}

/// A place by itself.
pub(crate) fn write_place(out: &mut Writer, loc: SourceLoc) {
    out.number(u64::from(loc.file()));
    out.number(u64::from(loc.start()));
    out.number(u64::from(loc.len()));
}

/// The inverse of [`write_place`].
pub(crate) fn read_place(input: &mut Reader<'_>) -> Read<SourceLoc> {
    let file = input.index(1 << 16)? as u16;
    Ok(SourceLoc::new(file, input.number_u32()?, input.index(1 << 16)? as u32))
}

/// The first number of a statement's place: the distance from the place before, and one of these.
mod places {
    /// Of the same length.
    pub(super) const SAME_LENGTH: u64 = 0;
    /// Of another length, which follows.
    pub(super) const OTHER_LENGTH: u64 = 1;
    /// The place follows: it is in another file.
    pub(super) const OTHER_FILE: u64 = 2;
    pub(super) const ALL: u64 = 3;
}

/// Consecutive statements come from the same file and from places close to each other.
fn write_loc(out: &mut Writer, loc: SourceLoc, last: SourceLoc) {
    if loc.file() != last.file() {
        out.number(places::OTHER_FILE);
        return write_place(out, loc);
    }
    let step = i64::from(loc.start()) - i64::from(last.start());
    let zigzag = ((step << 1) ^ (step >> 63)) as u64;
    if loc.len() == last.len() {
        return out.number(zigzag * places::ALL + places::SAME_LENGTH);
    }
    out.number(zigzag * places::ALL + places::OTHER_LENGTH);
    out.number(u64::from(loc.len()));
}

fn read_loc(input: &mut Reader<'_>, last: SourceLoc) -> Read<SourceLoc> {
    let number = input.number()?;
    if number % places::ALL == places::OTHER_FILE {
        return read_place(input);
    }
    let zigzag = number / places::ALL;
    let step = (zigzag >> 1) as i64 ^ -((zigzag & 1) as i64);
    let start = u32::try_from(i64::from(last.start()).wrapping_add(step));
    let start = start.map_err(|_| Malformed("a place outside its file"))?;
    let len = if number % places::ALL == places::OTHER_LENGTH { input.number_u32()? } else { last.len() };
    Ok(SourceLoc::new(last.file(), start, len))
}

fn write_meta(out: &mut Writer, meta: &CodeMeta) {
    out.u8(match meta.inlining {
        Inlining::Default => 0,
        Inlining::Always => 1,
        Inlining::Never => 2,
    });
    out.bool(meta.propagate_inbounds);
    out.bool(meta.generated);
    out.number(u64::from(meta.nospecialize));
    out.list(&meta.assumed_effects, |out, it| out.index(it.index()));
    out.bool(meta.constprop.is_some());
    meta.constprop.iter().for_each(|it| out.index(it.index()));
    write_marks(out, &meta.others);
    out.index(meta.boxed.len());
    for (name, loc) in &meta.boxed {
        out.index(name.index());
        write_place(out, *loc);
    }
}

fn write_marks(out: &mut Writer, marks: &[Mark]) {
    out.index(marks.len());
    for mark in marks {
        match mark {
            Mark::Name(name) => {
                out.u8(0);
                out.index(name.index());
            }
            Mark::Value(value) => {
                out.u8(1);
                out.index(value.index());
            }
            Mark::Node(head, args) => {
                out.u8(2);
                out.index(head.index());
                write_marks(out, args);
            }
        }
    }
}

/// The inverse of `write_marks`.
fn read_marks(input: &mut Reader<'_>, counts: &TableSizes, nesting: u32) -> Read<Vec<Mark>> {
    if nesting > NESTING_MAX {
        return Err(Malformed("marks are nested too deep"));
    }
    input.list(|it| {
        Ok(match it.u8()? {
            0 => Mark::Name(counts.symbol(it)?),
            1 => Mark::Value(counts.constant(it)?),
            2 => Mark::Node(counts.symbol(it)?, read_marks(it, counts, nesting + 1)?),
            _ => return Err(Malformed("an unknown mark on a body")),
        })
    })
}

fn read_meta(input: &mut Reader<'_>, counts: &TableSizes) -> Read<CodeMeta> {
    let inlining = match input.u8()? {
        0 => Inlining::Default,
        1 => Inlining::Always,
        2 => Inlining::Never,
        _ => return Err(Malformed("an unknown mark on a body")),
    };
    Ok(CodeMeta {
        inlining,
        propagate_inbounds: input.bool()?,
        generated: input.bool()?,
        nospecialize: input.number_u32()?,
        assumed_effects: input.list(|it| counts.symbol(it))?,
        constprop: if input.bool()? { Some(counts.symbol(input)?) } else { None },
        others: read_marks(input, counts, 0)?,
        boxed: input.list(|it| Ok((counts.symbol(it)?, read_place(it)?)))?,
    })
}

/// The bounds of the numbers in a body.
struct Sizes {
    counts: TableSizes,
    /// The number of the statement that is read.
    at: usize,
    slots: usize,
    stmts: usize,
    bodies: usize,
    static_params: usize,
}

/// A statement that is being written: its number, and that of all.
struct BodyOut<'a> {
    out: &'a mut Writer,
    at: usize,
    len: usize,
}

fn write_operand(to: &mut BodyOut<'_>, operand: Lowered) {
    let (tag, index) = match operand {
        // Most are the results of statements just before. Later ones are counted around the end.
        Lowered::Ssa(at) => (0, (to.at + to.len - at as usize) % to.len),
        Lowered::Slot(slot) => (1, slot as usize),
        Lowered::Const(constant) => (2, constant.index()),
        Lowered::Global(_, name) => (3, name.index()),
        Lowered::StaticParam(at) => (4, at as usize),
    };
    to.out.number(index as u64 * 5 + tag);
    if let Lowered::Global(module, _) = operand {
        to.out.index(module.index());
    }
}

fn read_operand(input: &mut Reader<'_>, sizes: &Sizes) -> Read<Lowered> {
    let number = input.number()?;
    let index = |len: usize| {
        let index = number / 5;
        if index < len as u64 { Ok(index as usize) } else { Err(Malformed("an operand does not exist")) }
    };
    Ok(match number % 5 {
        0 => Lowered::Ssa(((sizes.at + sizes.stmts - index(sizes.stmts)?) % sizes.stmts) as u32),
        1 => Lowered::Slot(index(sizes.slots)? as u32),
        2 => Lowered::Const(kiln_types::Const::from_index(index(sizes.counts.consts)?)),
        3 => {
            let name = Symbol::from_index(index(sizes.counts.symbols)?);
            Lowered::Global(sizes.counts.module(input)?, name)
        }
        _ => Lowered::StaticParam(index(sizes.static_params)? as u32),
    })
}

fn write_operands(to: &mut BodyOut<'_>, tag: u8, operands: &[Lowered]) {
    to.out.u8(tag);
    to.out.index(operands.len());
    operands.iter().for_each(|&it| write_operand(to, it));
}

fn write_tagged(to: &mut BodyOut<'_>, tag: u8, operands: &[Lowered]) {
    to.out.u8(tag);
    operands.iter().for_each(|&it| write_operand(to, it));
}

fn write_numbered(to: &mut BodyOut<'_>, tag: u8, number: u32) {
    to.out.u8(tag);
    to.out.number(u64::from(number));
}

/// The tag of a call of no operands. One of a few is as many more.
const FIRST_CALL: u8 = 32;

fn write_stmt(to: &mut BodyOut<'_>, stmt: &LoweredStmt) {
    match stmt {
        LoweredStmt::Value(it) => write_tagged(to, 0, &[*it]),
        LoweredStmt::SetSlot(slot, it) => {
            write_numbered(to, 1, *slot);
            write_operand(to, *it);
        }
        LoweredStmt::NewVar(slot) => write_numbered(to, 2, *slot),
        LoweredStmt::Call(args) if args.len() < usize::from(u8::MAX - FIRST_CALL) => {
            write_tagged(to, FIRST_CALL + args.len() as u8, args);
        }
        LoweredStmt::Call(args) => write_operands(to, 3, args),
        LoweredStmt::New(args) => write_operands(to, 4, args),
        LoweredStmt::SplatNew(ty, tuple) => write_tagged(to, 5, &[*ty, *tuple]),
        LoweredStmt::IsDefined(it) => write_tagged(to, 6, &[*it]),
        LoweredStmt::Goto(target) => write_numbered(to, 7, *target),
        LoweredStmt::GotoIfNot(cond, target) => {
            write_numbered(to, 8, *target);
            write_operand(to, *cond);
        }
        LoweredStmt::Return(it) => write_tagged(to, 9, &[*it]),
        LoweredStmt::Enter(target) => write_numbered(to, 10, *target),
        LoweredStmt::Leave(tokens) => write_operands(to, 11, tokens),
        LoweredStmt::TheException => to.out.u8(12),
        LoweredStmt::PopException(it) => write_tagged(to, 13, &[*it]),
        LoweredStmt::BoundsCheck => to.out.u8(14),
        LoweredStmt::InboundsBegin => to.out.u8(15),
        LoweredStmt::InboundsEnd => to.out.u8(16),
        LoweredStmt::LoopInfo(marks) => {
            to.out.u8(17);
            to.out.list(marks, |out, it| out.index(it.index()));
        }
        LoweredStmt::CopyAst(constant) => write_numbered(to, 18, constant.index() as u32),
        LoweredStmt::GenericFunction(module, name) => {
            write_numbered(to, 19, module.index() as u32);
            to.out.index(name.index());
        }
        LoweredStmt::Method { signature, body, table } => {
            write_numbered(to, 20, *body);
            let operands: Vec<Lowered> = [Some(*signature), *table].into_iter().flatten().collect();
            to.out.index(operands.len());
            operands.iter().for_each(|&it| write_operand(to, it));
        }
        LoweredStmt::DeclareGlobal { module, name, value, kind } => {
            write_numbered(to, 21, module.index() as u32);
            to.out.index(name.index());
            to.out.u8(*kind as u8);
            to.out.index(value.iter().len());
            value.iter().for_each(|&it| write_operand(to, it));
        }
        LoweredStmt::LatestWorld => to.out.u8(22),
        LoweredStmt::TopLevel(constant) => write_numbered(to, 23, constant.index() as u32),
    }
}

fn read_stmt(input: &mut Reader<'_>, sizes: &Sizes) -> Read<LoweredStmt> {
    let counts = &sizes.counts;
    let operand = |it: &mut Reader<'_>| read_operand(it, sizes);
    let slot = |it: &mut Reader<'_>| it.index(sizes.slots).map(|it| it as u32);
    let target = |it: &mut Reader<'_>| it.index(sizes.stmts).map(|it| it as u32);
    Ok(match input.u8()? {
        0 => LoweredStmt::Value(operand(input)?),
        1 => LoweredStmt::SetSlot(slot(input)?, operand(input)?),
        2 => LoweredStmt::NewVar(slot(input)?),
        3 => LoweredStmt::Call(input.list(operand)?.into()),
        4 => LoweredStmt::New(input.list(operand)?.into()),
        5 => LoweredStmt::SplatNew(operand(input)?, operand(input)?),
        6 => LoweredStmt::IsDefined(operand(input)?),
        7 => LoweredStmt::Goto(target(input)?),
        8 => {
            let target = target(input)?;
            LoweredStmt::GotoIfNot(operand(input)?, target)
        }
        9 => LoweredStmt::Return(operand(input)?),
        10 => LoweredStmt::Enter(target(input)?),
        11 => LoweredStmt::Leave(input.list(operand)?.into()),
        12 => LoweredStmt::TheException,
        13 => LoweredStmt::PopException(operand(input)?),
        14 => LoweredStmt::BoundsCheck,
        15 => LoweredStmt::InboundsBegin,
        16 => LoweredStmt::InboundsEnd,
        17 => LoweredStmt::LoopInfo(input.list(|it| counts.symbol(it))?.into()),
        18 => LoweredStmt::CopyAst(counts.constant(input)?),
        19 => LoweredStmt::GenericFunction(counts.module(input)?, counts.symbol(input)?),
        20 => {
            let body = input.index(sizes.bodies)? as u32;
            match input.list(operand)?[..] {
                [signature] => LoweredStmt::Method { signature, body, table: None },
                [signature, table] => LoweredStmt::Method { signature, body, table: Some(table) },
                _ => return Err(Malformed("a method without a signature")),
            }
        }
        21 => {
            let (module, name) = (counts.module(input)?, counts.symbol(input)?);
            let kind = match input.u8()? {
                0 => Declaration::Weak,
                1 => Declaration::Variable,
                2 => Declaration::Constant,
                _ => return Err(Malformed("an unknown kind of declaration")),
            };
            let value = input.list(operand)?.first().copied();
            LoweredStmt::DeclareGlobal { module, name, value, kind }
        }
        22 => LoweredStmt::LatestWorld,
        23 => LoweredStmt::TopLevel(counts.constant(input)?),
        tag @ FIRST_CALL.. => {
            let args = (FIRST_CALL..tag).map(|_| operand(input));
            LoweredStmt::Call(args.collect::<Result<_, _>>()?)
        }
        _ => return Err(Malformed("an unknown statement")),
    })
}
