//! The regions of a kernel with barriers: a barrier cuts the body, and what lies between two barriers runs as a loop
//! over the items of a group.
//!
//! A region has an entry point, which is the start of the body or the statement after a barrier, and consists of the
//! code that is reachable from it without passing a barrier. Code may belong to several regions. A region ends an
//! item's run with the number of the region that the item goes on with, or with 0 if the item returned or failed.
//!
//! A value that lives across a barrier is kept in the frame of its item, unless it is cheap to compute again from
//! arguments, facts of the launch, the item's indices and uniform values: then each region does that, and LLVM sees the strides of
//! addresses. A region reads the values that are live at its entry point, and at a barrier writes those that it may
//! have changed. Private memory is in the frame too.
//!
//! A meeting of a warp cuts as a barrier of the group does. While all items of a group agree, all its warps meet at once; once
//! they do not, they run warp by warp: see [`warps`].
//!
//! [`code`] emits regions, [`groups`] the loops around them.
//!
//! Kept values that are [uniform] are loaded once before the loop, and a uniform first branch is taken before it: so
//! the loop of a region has contiguous addresses and no exit of the loop around the barrier.
//!
//! # Deliberately absent
//! Proofs that the items of a group meet at the same barrier: the loops compare the numbers that items return.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "an operation that is cheap to compute again must say so here; the others are kept"
)]

mod code;
mod cut;
mod groups;
mod record;
mod uniform;
mod warps;

pub(crate) use code::Region;
pub(crate) use groups::{is_of_entry, takes_launch};
pub(crate) use record::define_records;

use crate::analysis;
use crate::shape::Form;
use crate::unit::Unit;
use kiln_ir::{Block, Builtin, Cfg, Intrinsic, IrCode, Op, Stmt, StmtData, foreign};
use kiln_types::consts;
use kiln_unit::EntryKind;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use uniform::FirstBranch;
use warps::{Meeting, Meetings};

/// The bytes of an item's frame, at most. An item on a fiber needs more than that.
const FRAME_BYTES_MAX: u32 = 4096;
/// The statements of all regions, at most: this many times those of the body.
const GROWTH_MAX: usize = 4;
/// The statements that any body may grow to.
const GROWTH_FREE: usize = 400;

/// A piece of a block: a range of its statements, which ends at a barrier or at the terminator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Piece {
    pub(crate) block: Block,
    pub(crate) from: usize,
    pub(crate) to: usize,
}

/// A region: an entry point, and what is reachable from it.
#[derive(Clone, Debug)]
pub(crate) struct Cut {
    /// The pieces: the entry point first, then whole blocks up to their first barrier in reverse postorder.
    pub(crate) pieces: Vec<Piece>,
    /// The values that are live at the entry point and computed again, in order.
    pub(crate) computed: Vec<Stmt>,
    /// The values that are live at the entry point and kept.
    pub(crate) kept: Vec<Stmt>,
    /// The statements of the region.
    pub(crate) defined: BTreeSet<Stmt>,
    /// The kept values that are the same for all items at the entry point, as long as the items agree.
    pub(crate) uniform: BTreeSet<Stmt>,
    /// The first branch, if it goes the same way for all items.
    pub(crate) branch: Option<FirstBranch>,
    /// The meeting of a warp that the region comes after.
    pub(crate) meeting: Option<Meeting>,
    /// Whether there are atomic operations in it: accesses of its items may depend on each other.
    pub(crate) has_atomics: bool,
}

/// The regions of a body.
#[derive(Clone, Debug)]
pub(crate) struct Regions {
    /// Region number `n` (from 1) is `cuts[n - 1]`.
    pub(crate) cuts: Vec<Cut>,
    /// The number of the region after each barrier.
    pub(crate) after: FxHashMap<Stmt, u32>,
    /// The offset of each kept value and each block of private memory in the frames, to be multiplied by the number of
    /// items, and the bytes of one item.
    pub(crate) places: FxHashMap<Stmt, Place>,
    /// The offset of each uniform value in a record. A record holds the uniform values of all items while they agree, and
    /// those of one item once they do not.
    pub(crate) recorded: FxHashMap<Stmt, u32>,
    /// The column of the records, one for each item; that of the first item is the group's.
    pub(crate) records: Place,
    /// The offset in a record of the flags of regions, a byte for each and one for items that returned.
    pub(crate) flags: u32,
    /// The offset of the numbers of the next regions.
    pub(crate) next: u32,
    /// The columns of meetings of warps, if there are any.
    pub(crate) meetings: Option<Meetings>,
    /// The bytes of an item's frame.
    pub(crate) bytes: u32,
    /// Private memory that only loads and stores of the body access, with these: each region works on a copy, in registers.
    pub(crate) copied: BTreeMap<Stmt, BTreeSet<Stmt>>,
    /// Whether nothing but kept values, records and copies is accessed in frames.
    pub(crate) separate: bool,
    /// Whether the items of a region may run as lanes of vectors.
    pub(crate) unordered: bool,
    /// Whether the loop over x is around those over z and y: rows of one vector share what they load.
    pub(crate) by_columns: bool,
}

/// The column of a value in the frames of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) offset: u32,
    pub(crate) size: u32,
}

/// Whether the body does what counts as an atomic operation, but is none of its statements: callees have some, or there is foreign
/// code, or a new object.
fn is_ordered_elsewhere(unit: &Unit<'_>) -> bool {
    let is_other = |it: &StmtData| {
        let is_foreign =
            matches!(&it.op, Op::Intrinsic(op, args) if foreign::may_do_anything(unit.types, *op, args));
        is_foreign || analysis::makes_object(it, unit.types)
    };
    let callees = unit.traits.get(1..).unwrap_or_default();
    callees.iter().any(|it| it.has_atomics) || unit.sources[0].code.stmts.values().any(is_other)
}

impl Regions {
    /// Returns the regions of the entry; `None` if it has no barriers, or needs a fiber for each item. Notes which, and why.
    pub(crate) fn find(unit: &Unit<'_>, vectors: bool) -> Option<Self> {
        if unit.entry != EntryKind::Kernel || unit.device.is_some() || !unit.traits[0].has_barrier {
            return None;
        }
        let found = Self::try_find(unit, vectors);
        unit.module.remark(&match &found {
            Ok(it) => {
                let warps = match it.cuts.iter().filter(|it| it.meeting.is_some()).count() {
                    0 => String::new(),
                    count => format!(", {count} of them after meetings of a warp"),
                };
                let (count, bytes) = (it.cuts.len(), it.bytes);
                format!("barriers: {count} regions{warps}, which keep {bytes} bytes for each item")
            }
            Err(why) => format!("barriers: each item runs on a fiber: {why}"),
        });
        found.ok()
    }

    /// Fails with the reason.
    fn try_find(unit: &Unit<'_>, vectors: bool) -> Result<Self, &'static str> {
        if unit.recursive[0] {
            return Err("the kernel calls itself, or calls through an address");
        }
        let code = &unit.sources[0].code;
        let others = unit.traits.get(1..).unwrap_or_default();
        if !crate::waiting::latches(code, &Cfg::new(code), unit.types).is_empty() {
            return Err("a loop waits for another item");
        }
        if others.iter().any(|it| it.has_barrier) {
            return Err("a callee has a barrier");
        }
        const LARGE: &str = "frames of items would be too large";
        let mut regions = cut::cut(unit, code, &Cfg::new(code)).ok_or(LARGE)?;
        uniform::find(unit, code, &mut regions);
        cut::compute_from_uniform(unit, code, &Cfg::new(code), &mut regions);
        cut::place_records(unit, code, &mut regions).ok_or(LARGE)?;
        if regions.bytes > FRAME_BYTES_MAX {
            return Err(LARGE);
        }
        let total: usize = regions.cuts.iter().map(|it| it.defined.len()).sum();
        if total > (GROWTH_MAX * code.stmts.len()).max(GROWTH_FREE) {
            return Err("the regions together would be several times the body");
        }
        // The private memory of callees, and results in memory, are on a stack that the items share.
        let calls_through = |op: &Op| matches!(op, Op::Builtin(Builtin::DeferredCall, _));
        let shares =
            others.iter().any(|it| it.has_private) || code.stmts.values().any(|it| calls_through(&it.op));
        regions.unordered = !unit.traits[0].reports && !shares && !is_ordered_elsewhere(unit);
        let has_atomics = regions.cuts.iter().any(|it| it.has_atomics);
        regions.by_columns = vectors && regions.unordered && !has_atomics && has_rows(unit, code);
        Ok(regions)
    }

    /// Returns the region of a number.
    pub(crate) fn cut(&self, number: u32) -> &Cut {
        &self.cuts[number as usize - 1]
    }
}

/// Whether items ask for their place in other dimensions than the first.
fn has_rows(unit: &Unit<'_>, code: &IrCode) -> bool {
    code.stmts.values().any(|it| match &it.op {
        Op::Intrinsic(Intrinsic::LocalId, args) => match args.first() {
            Some(kiln_ir::Value::Const(dim)) => consts::as_int(unit.types, *dim) != Some(0),
            _ => true,
        },
        _ => false,
    })
}

/// Returns the end of the piece that starts at a statement of a block.
fn piece(code: &IrCode, block: Block, from: usize) -> Piece {
    let stmts = &code.blocks[block].stmts;
    let barrier = stmts[from..].iter().position(|it| is_barrier(&code.stmts[*it].op));
    Piece { block, from, to: barrier.map_or(stmts.len(), |it| from + it + 1) }
}

/// Whether an operation is the barrier of the group, or a meeting of a warp.
pub(crate) fn is_barrier(op: &Op) -> bool {
    matches!(op, Op::Intrinsic(Intrinsic::Barrier | Intrinsic::WarpBarrier, _))
}

/// Returns the statements of a piece.
pub(crate) fn stmts_of(code: &IrCode, piece: Piece) -> &[Stmt] {
    &code.blocks[piece.block].stmts[piece.from..piece.to]
}

/// Whether a statement may be computed again where its operands may be, and its cost.
fn cost(unit: &Unit<'_>, code: &IrCode, stmt: Stmt) -> Option<u32> {
    use Intrinsic as I;
    let data = &code.stmts[stmt];
    match &data.op {
        Op::Pi(_) | Op::BoundsCheck => Some(0),
        Op::New(_) => (!analysis::makes_object(data, unit.types)).then_some(1),
        Op::Builtin(Builtin::Getfield, args) => {
            let object = analysis::operand_type(code, unit.types, *args.first()?);
            let shape = unit.shapes.of(object).ok()?;
            let is_plain = !matches!(shape.form, Form::Object | Form::Union { .. });
            (is_plain && !analysis::may_fail(code, data, unit.types)).then_some(0)
        }
        Op::Builtin(Builtin::Tuple | Builtin::Ifelse, _) => Some(1),
        Op::Intrinsic(intrinsic, _) => match intrinsic {
            I::LocalId | I::GroupId | I::LocalSize | I::NumGroups | I::SharedMemory => Some(0),
            I::DynamicSharedMemory | I::DynamicSharedBytes | I::PrivateMemory | I::Bitcast => Some(0),
            I::InKernel | I::DebugLevel | I::Lanes | I::HaveFma => Some(0),
            I::NegInt | I::NotInt | I::AddInt | I::SubInt | I::MulInt | I::AndInt | I::OrInt | I::XorInt => {
                Some(1)
            }
            I::ShlInt | I::LshrInt | I::AshrInt | I::SextInt | I::ZextInt | I::TruncInt => Some(1),
            I::EqInt | I::NeInt | I::SltInt | I::UltInt | I::SleInt | I::UleInt | I::FlipsignInt => Some(1),
            I::AddPtr | I::SubPtr => Some(1),
            _ => None,
        },
        _ => None,
    }
}
