//! Lowered bodies in an image, and bodies that are decoded when they are first used.

use super::ImageBytes;
use kiln_ir::{CodeInfo, CodeMeta, Declaration, Inlining, Lowered, LoweredStmt, Mark, SlotInfo, SourceLoc};
use kiln_types::freeze::{ImageError, In, Out, TableSizes};
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
    pub(crate) start: usize,
    pub(crate) len: usize,
}

/// The part of an image that holds bodies.
#[derive(Debug, Default)]
pub(crate) struct BodySource {
    pub(crate) bytes: ImageBytes,
    /// Of the interner that the image was made from.
    pub(crate) counts: TableSizes,
}

impl FrozenBody {
    pub(crate) fn decode(&self) -> Result<CodeInfo, ImageError> {
        let bytes = self.source.bytes.get().get(self.start..).and_then(|it| it.get(..self.len));
        let mut input = In::new(bytes.ok_or(ImageError("a body lies outside the image"))?);
        let code = read_body(&mut input, &self.source.counts, 0)?;
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

pub(crate) fn write_body(out: &mut Out, code: &CodeInfo) {
    out.index(code.name.index());
    out.index(code.module.index());
    out.index(code.slots.len());
    for slot in &code.slots {
        out.index(slot.name.index());
        out.byte(u8::from(slot.unused) | (u8::from(slot.single_assignment) << 1));
    }
    out.number(u64::from(code.nargs));
    out.flag(code.is_va);
    out.index(code.static_params.len());
    code.static_params.iter().for_each(|it| out.index(it.index()));
    out.index(code.bodies.len());
    code.bodies.iter().for_each(|it| write_body(out, it));
    out.index(code.stmts.len());
    code.stmts.iter().for_each(|it| write_stmt(out, it));
    out.word(code.loc.to_bits());
    out.index(code.locs.len());
    let mut last = code.loc;
    for &loc in &code.locs {
        write_loc(out, loc, last);
        last = loc;
    }
    write_meta(out, &code.meta);
}

fn read_body(input: &mut In<'_>, counts: &TableSizes, nesting: u32) -> Result<CodeInfo, ImageError> {
    if nesting > NESTING_MAX {
        return Err(ImageError("bodies are nested too deep"));
    }
    let name = counts.symbol(input)?;
    let module = counts.module(input)?;
    let slots = input.list(|it| {
        let name = counts.symbol(it)?;
        let flags = it.byte()?;
        Ok(SlotInfo { name, unused: flags & 1 != 0, single_assignment: flags & 2 != 0 })
    })?;
    let nargs = input.index(slots.len() + 1)? as u32;
    let is_va = input.flag()?;
    let static_params = input.list(|it| counts.symbol(it))?;
    let bodies = input.list(|it| read_body(it, counts, nesting + 1))?;
    let count = input.count()?;
    let sizes = Sizes {
        counts: *counts,
        slots: slots.len(),
        stmts: count,
        bodies: bodies.len(),
        static_params: static_params.len(),
    };
    let mut stmts = Vec::with_capacity(count);
    for _ in 0..count {
        stmts.push(read_stmt(input, &sizes)?);
    }
    let loc = SourceLoc::from_bits(input.word()?);
    let mut last = loc;
    let locs = input.list(|it| {
        last = read_loc(it, last)?;
        Ok(last)
    })?;
    if locs.len() != stmts.len() {
        return Err(ImageError("a statement without a place"));
    }
    let meta = read_meta(input, counts)?;
    Ok(CodeInfo { name, module, slots, nargs, is_va, static_params, stmts, locs, bodies, meta, loc })
}

/// Consecutive statements come from the same file and from places close to each other.
fn write_loc(out: &mut Out, loc: SourceLoc, last: SourceLoc) {
    if loc.file() != last.file() {
        out.number(1);
        out.word(loc.to_bits());
        return;
    }
    let step = i64::from(loc.start()) - i64::from(last.start());
    out.number(((step << 1) ^ (step >> 63)) as u64 * 2);
    out.number(u64::from(loc.len()));
}

fn read_loc(input: &mut In<'_>, last: SourceLoc) -> Result<SourceLoc, ImageError> {
    let number = input.number()?;
    if number & 1 != 0 {
        return Ok(SourceLoc::from_bits(input.word()?));
    }
    let zigzag = number >> 1;
    let step = (zigzag >> 1) as i64 ^ -((zigzag & 1) as i64);
    let start = u32::try_from(i64::from(last.start()).wrapping_add(step));
    let start = start.map_err(|_| ImageError("a place outside its file"))?;
    Ok(SourceLoc::new(last.file(), start, input.u32()?))
}

fn write_meta(out: &mut Out, meta: &CodeMeta) {
    out.byte(match meta.inlining {
        Inlining::Default => 0,
        Inlining::Always => 1,
        Inlining::Never => 2,
    });
    out.flag(meta.propagate_inbounds);
    out.flag(meta.generated);
    out.number(u64::from(meta.nospecialize));
    out.index(meta.assumed_effects.len());
    meta.assumed_effects.iter().for_each(|it| out.index(it.index()));
    out.flag(meta.constprop.is_some());
    meta.constprop.iter().for_each(|it| out.index(it.index()));
    write_marks(out, &meta.others);
    out.index(meta.boxed.len());
    for (name, loc) in &meta.boxed {
        out.index(name.index());
        out.word(loc.to_bits());
    }
}

fn write_marks(out: &mut Out, marks: &[Mark]) {
    out.index(marks.len());
    for mark in marks {
        match mark {
            Mark::Name(name) => {
                out.byte(0);
                out.index(name.index());
            }
            Mark::Value(value) => {
                out.byte(1);
                out.index(value.index());
            }
            Mark::Node(head, args) => {
                out.byte(2);
                out.index(head.index());
                write_marks(out, args);
            }
        }
    }
}

/// The inverse of `write_marks`.
fn read_marks(input: &mut In<'_>, counts: &TableSizes) -> Result<Vec<Mark>, ImageError> {
    input.list(|it| {
        Ok(match it.byte()? {
            0 => Mark::Name(counts.symbol(it)?),
            1 => Mark::Value(counts.constant(it)?),
            2 => Mark::Node(counts.symbol(it)?, read_marks(it, counts)?),
            _ => return Err(ImageError("an unknown mark on a body")),
        })
    })
}

fn read_meta(input: &mut In<'_>, counts: &TableSizes) -> Result<CodeMeta, ImageError> {
    let inlining = match input.byte()? {
        0 => Inlining::Default,
        1 => Inlining::Always,
        2 => Inlining::Never,
        _ => return Err(ImageError("an unknown mark on a body")),
    };
    Ok(CodeMeta {
        inlining,
        propagate_inbounds: input.flag()?,
        generated: input.flag()?,
        nospecialize: input.u32()?,
        assumed_effects: input.list(|it| counts.symbol(it))?,
        constprop: if input.flag()? { Some(counts.symbol(input)?) } else { None },
        others: read_marks(input, counts)?,
        boxed: input.list(|it| Ok((counts.symbol(it)?, SourceLoc::from_bits(it.word()?))))?,
    })
}

/// The bounds of the numbers in a body.
struct Sizes {
    counts: TableSizes,
    slots: usize,
    stmts: usize,
    bodies: usize,
    static_params: usize,
}

fn write_operand(out: &mut Out, operand: Lowered) {
    let (tag, index) = match operand {
        Lowered::Ssa(at) => (0, at as usize),
        Lowered::Slot(slot) => (1, slot as usize),
        Lowered::Const(constant) => (2, constant.index()),
        Lowered::Global(_, name) => (3, name.index()),
        Lowered::StaticParam(at) => (4, at as usize),
    };
    out.number(index as u64 * 5 + tag);
    if let Lowered::Global(module, _) = operand {
        out.index(module.index());
    }
}

fn read_operand(input: &mut In<'_>, sizes: &Sizes) -> Result<Lowered, ImageError> {
    let number = input.number()?;
    let index = |len: usize| {
        let index = number / 5;
        if index < len as u64 { Ok(index as usize) } else { Err(ImageError("an operand does not exist")) }
    };
    Ok(match number % 5 {
        0 => Lowered::Ssa(index(sizes.stmts)? as u32),
        1 => Lowered::Slot(index(sizes.slots)? as u32),
        2 => Lowered::Const(kiln_types::Const::from_index(index(sizes.counts.consts)?)),
        3 => {
            let name = kiln_types::Symbol::from_index(index(sizes.counts.symbols)?);
            Lowered::Global(sizes.counts.module(input)?, name)
        }
        _ => Lowered::StaticParam(index(sizes.static_params)? as u32),
    })
}

fn write_operands(out: &mut Out, tag: u8, operands: &[Lowered]) {
    out.byte(tag);
    out.index(operands.len());
    operands.iter().for_each(|&it| write_operand(out, it));
}

fn write_tagged(out: &mut Out, tag: u8, operands: &[Lowered]) {
    out.byte(tag);
    operands.iter().for_each(|&it| write_operand(out, it));
}

fn write_numbered(out: &mut Out, tag: u8, number: u32) {
    out.byte(tag);
    out.number(u64::from(number));
}

fn write_stmt(out: &mut Out, stmt: &LoweredStmt) {
    match stmt {
        LoweredStmt::Value(it) => write_tagged(out, 0, &[*it]),
        LoweredStmt::SetSlot(slot, it) => {
            write_numbered(out, 1, *slot);
            write_operand(out, *it);
        }
        LoweredStmt::NewVar(slot) => write_numbered(out, 2, *slot),
        LoweredStmt::Call(args) => write_operands(out, 3, args),
        LoweredStmt::New(args) => write_operands(out, 4, args),
        LoweredStmt::SplatNew(ty, tuple) => write_tagged(out, 5, &[*ty, *tuple]),
        LoweredStmt::IsDefined(it) => write_tagged(out, 6, &[*it]),
        LoweredStmt::Goto(target) => write_numbered(out, 7, *target),
        LoweredStmt::GotoIfNot(cond, target) => {
            write_numbered(out, 8, *target);
            write_operand(out, *cond);
        }
        LoweredStmt::Return(it) => write_tagged(out, 9, &[*it]),
        LoweredStmt::Enter(target) => write_numbered(out, 10, *target),
        LoweredStmt::Leave(tokens) => write_operands(out, 11, tokens),
        LoweredStmt::TheException => out.byte(12),
        LoweredStmt::PopException(it) => write_tagged(out, 13, &[*it]),
        LoweredStmt::BoundsCheck => out.byte(14),
        LoweredStmt::InboundsBegin => out.byte(15),
        LoweredStmt::InboundsEnd => out.byte(16),
        LoweredStmt::LoopInfo(marks) => {
            out.byte(17);
            out.index(marks.len());
            marks.iter().for_each(|it| out.index(it.index()));
        }
        LoweredStmt::CopyAst(constant) => write_numbered(out, 18, constant.index() as u32),
        LoweredStmt::GenericFunction(module, name) => {
            write_numbered(out, 19, module.index() as u32);
            out.index(name.index());
        }
        LoweredStmt::Method { signature, body, table } => {
            write_numbered(out, 20, *body);
            let operands: Vec<Lowered> = [Some(*signature), *table].into_iter().flatten().collect();
            out.index(operands.len());
            operands.iter().for_each(|&it| write_operand(out, it));
        }
        LoweredStmt::DeclareGlobal { module, name, value, kind } => {
            write_numbered(out, 21, module.index() as u32);
            out.index(name.index());
            out.byte(*kind as u8);
            out.index(value.iter().len());
            value.iter().for_each(|&it| write_operand(out, it));
        }
        LoweredStmt::LatestWorld => out.byte(22),
        LoweredStmt::TopLevel(constant) => write_numbered(out, 23, constant.index() as u32),
    }
}

fn read_stmt(input: &mut In<'_>, sizes: &Sizes) -> Result<LoweredStmt, ImageError> {
    let counts = &sizes.counts;
    let operand = |it: &mut In<'_>| read_operand(it, sizes);
    let slot = |it: &mut In<'_>| it.index(sizes.slots).map(|it| it as u32);
    let target = |it: &mut In<'_>| it.index(sizes.stmts).map(|it| it as u32);
    Ok(match input.byte()? {
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
                _ => return Err(ImageError("a method without a signature")),
            }
        }
        21 => {
            let (module, name) = (counts.module(input)?, counts.symbol(input)?);
            let kind = match input.byte()? {
                0 => Declaration::Weak,
                1 => Declaration::Variable,
                2 => Declaration::Constant,
                _ => return Err(ImageError("an unknown kind of declaration")),
            };
            let value = input.list(operand)?.first().copied();
            LoweredStmt::DeclareGlobal { module, name, value, kind }
        }
        22 => LoweredStmt::LatestWorld,
        23 => LoweredStmt::TopLevel(counts.constant(input)?),
        _ => return Err(ImageError("an unknown statement")),
    })
}
