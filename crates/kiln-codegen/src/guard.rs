//! Guards: questions that end an item early, such as `i <= n` or whether an index is in bounds.
//!
//! Most rows of items pass all of them, and then they need not be asked item by item. A guard is a branch of the
//! entry with one side that only returns or fails, and whose condition is *monotone* along a row: a comparison of a
//! value that grows by a constant from item to item (`x`, and what `+`, `-`, constant factors and changes of width
//! make of it) with one that does not change. The items that pass such a comparison are an interval, so that a range
//! of items passes if its first and its last do. [`Guards`] are what to ask of the two, and the body that is left when
//! the answer is yes.
//!
//! Integers wrap. As a ring, the numbers that pass are an arc; a range that leaves it between its ends would have
//! to run over all the others. That is excluded by two margins asked with the rest, neither of which depends on the
//! item: the others are at least a quarter of the ring, the range is at most an eighth. Where a value is widened,
//! the two ends must differ by as much after the widening as before.
//!
//! Guards are evaluated early, so a guard's condition is made of operations without effect only. Guards deeper in the
//! body are asked like the first one: if all hold, none of them ends the item.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "an operation that is not named is not known to be pure and linear"
)]

use crate::analysis::{may_fail, operand_type};
use crate::shape::{Form, Shapes};
use cranelift_entity::{EntitySet, SecondaryMap};
use kiln_ir::{Block, Builtin, Cfg, Intrinsic, IrCode, Op, Stmt, Value};
use kiln_types::{ConstData, Types};

/// A value may grow by this much from one item to the next.
const SLOPE_MAX: i64 = 1 << 20;

/// How far from the end of its ring a bound must be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Margin {
    /// At most a quarter of the ring, signed.
    SignedUpper,
    /// At least minus a quarter.
    SignedLower,
    /// At most half, unsigned.
    Unsigned,
}

/// The conditions that a range of items has to pass.
pub(crate) struct Guards {
    /// Conditions, and what they must be at both ends.
    pub(crate) conditions: Vec<(Value, bool)>,
    /// Bounds.
    pub(crate) margins: Vec<(Value, Margin)>,
    /// Values that were widened, and how fast they grow.
    pub(crate) widened: Vec<(Stmt, i64)>,
    /// Width and slope of what is compared.
    pub(crate) arcs: Vec<(u32, i64)>,
    /// The statements that compute all of these, in order.
    pub(crate) slice: Vec<Stmt>,
    /// Whether what is left of the body may fail.
    pub(crate) may_fail: bool,
    /// The side that goes on.
    ways: SecondaryMap<Block, Option<bool>>,
    /// Blocks that are left.
    left: EntitySet<Block>,
}

impl Guards {
    /// The guards of a body; `None` if there are none that depend on `x`.
    pub(crate) fn of(code: &IrCode, types: &Types, shapes: &Shapes<'_>) -> Option<Self> {
        let cfg = Cfg::new(code);
        let mut finder = Finder { code, types, shapes, slopes: SecondaryMap::new() };
        for &block in &cfg.reverse_postorder {
            for &stmt in &code.blocks[block].stmts {
                finder.slopes[stmt] =
                    finder.slope_of_op(&code.stmts[stmt].op).filter(|it| it.abs() <= SLOPE_MAX);
            }
        }
        let ends = early_ends(code, &cfg);
        let mut guards = Self {
            conditions: Vec::new(),
            margins: Vec::new(),
            widened: Vec::new(),
            arcs: Vec::new(),
            slice: Vec::new(),
            may_fail: false,
            ways: SecondaryMap::new(),
            left: EntitySet::new(),
        };
        for &block in &cfg.reverse_postorder {
            if block.as_u32() == 0 {
                guards.left.insert(block);
            }
            if guards.left.contains(block) {
                guards.visit(&finder, &ends, block);
            }
        }
        if guards.arcs.is_empty() {
            return None;
        }
        let left = |it: &&Block| guards.left.contains(**it);
        let rest = cfg.reverse_postorder.iter().filter(left).flat_map(|it| &code.blocks[*it].stmts);
        guards.may_fail = rest.into_iter().any(|it| may_fail(code, &code.stmts[*it], types));
        guards.slice = finder.slice(&cfg, &guards);
        Some(guards)
    }

    /// The successor a block always has, if its branch is a guard.
    pub(crate) fn way(&self, block: Block) -> Option<bool> {
        self.ways[block]
    }

    /// Whether the block can still be reached.
    pub(crate) fn is_left(&self, block: Block) -> bool {
        self.left.contains(block)
    }

    fn visit(&mut self, finder: &Finder<'_>, ends: &EntitySet<Block>, block: Block) {
        let terminator = finder.code.terminator(block);
        if let Op::Branch { cond, then, other } = terminator
            && ends.contains(*then) != ends.contains(*other)
        {
            let want = ends.contains(*other);
            let mut found = Evidence::default();
            if finder.passes(*cond, want, &mut found) {
                self.ways[block] = Some(want);
                self.conditions.push((*cond, want));
                self.margins.extend(found.margins);
                self.arcs.extend(found.arcs);
                for it in found.widened {
                    if !self.widened.contains(&it) {
                        self.widened.push(it);
                    }
                }
                self.left.insert(if want { *then } else { *other });
                return;
            }
        }
        for next in terminator.successors() {
            self.left.insert(next);
        }
    }
}

/// Why a condition is monotone.
#[derive(Default)]
struct Evidence {
    margins: Vec<(Value, Margin)>,
    widened: Vec<(Stmt, i64)>,
    arcs: Vec<(u32, i64)>,
}

/// Blocks from which an item does nothing any more but return, or fail.
fn early_ends(code: &IrCode, cfg: &Cfg) -> EntitySet<Block> {
    let mut ends = EntitySet::new();
    for &block in cfg.reverse_postorder.iter().rev() {
        let quiet = |it: &Stmt| match &code.stmts[*it].op {
            Op::Nop | Op::Phi(_) | Op::Return(_) | Op::Fail(..) | Op::Unreachable | Op::Goto(_) => true,
            Op::Builtin(builtin, _) => *builtin == Builtin::Tuple,
            Op::New(_) => true,
            _ => false,
        };
        let then = code.terminator(block);
        let branches = matches!(then, Op::Branch { .. });
        if !branches
            && code.blocks[block].stmts.iter().all(quiet)
            && then.successors().all(|it| ends.contains(it))
        {
            ends.insert(block);
        }
    }
    ends
}

struct Finder<'a> {
    code: &'a IrCode,
    types: &'a Types,
    shapes: &'a Shapes<'a>,
    /// By how much a value grows from item to item: 0 if it does not change, `None` if that is not known.
    slopes: SecondaryMap<Stmt, Option<i64>>,
}

impl Finder<'_> {
    fn slope(&self, value: Value) -> Option<i64> {
        match value {
            Value::Const(_) | Value::Arg(_) => Some(0),
            Value::Stmt(stmt) => self.slopes[stmt],
        }
    }

    fn slope_of_op(&self, op: &Op) -> Option<i64> {
        match op {
            Op::Intrinsic(intrinsic, args) => self.slope_of_intrinsic(*intrinsic, args),
            Op::Builtin(Builtin::Getfield, args) => {
                let of = operand_type(self.code, self.types, args[0]);
                let plain = !matches!(self.shapes.of(of).ok()?.form, Form::Object | Form::Union { .. });
                let known = matches!(args.get(1), Some(Value::Const(_)));
                (plain && known && self.slope(args[0]) == Some(0)).then_some(0)
            }
            Op::Builtin(Builtin::Ifelse, args) => self.all_constant(args),
            _ => None,
        }
    }

    fn slope_of_intrinsic(&self, intrinsic: Intrinsic, args: &[Value]) -> Option<i64> {
        use Intrinsic as I;
        match intrinsic {
            I::LocalId => Some(i64::from(self.int(args[0])? == 0)),
            I::GroupId | I::LocalSize | I::NumGroups => Some(0),
            I::AddInt => self.slope(args[0])?.checked_add(self.slope(args[1])?),
            I::SubInt => self.slope(args[0])?.checked_sub(self.slope(args[1])?),
            I::NegInt => self.slope(args[0])?.checked_neg(),
            I::MulInt => match (self.slope(args[0])?, self.slope(args[1])?) {
                (0, 0) => Some(0),
                (slope, 0) => slope.checked_mul(self.int(args[1])?),
                (0, slope) => slope.checked_mul(self.int(args[0])?),
                _ => None,
            },
            I::SextInt | I::ZextInt | I::TruncInt | I::Bitcast => match self.slope(args[1])? {
                0 => Some(0),
                slope => {
                    let to = match args[0] {
                        Value::Const(it) => match self.types.const_data(it) {
                            ConstData::Type(ty) => *ty,
                            _ => return None,
                        },
                        _ => return None,
                    };
                    matches!(self.shapes.of(to).ok()?.form, Form::Int(_)).then_some(slope)
                }
            },
            I::EqInt
            | I::NeInt
            | I::SltInt
            | I::UltInt
            | I::SleInt
            | I::UleInt
            | I::AndInt
            | I::OrInt
            | I::XorInt
            | I::NotInt
            | I::ShlInt
            | I::LshrInt
            | I::AshrInt => self.all_constant(args),
            _ => None,
        }
    }

    fn all_constant(&self, args: &[Value]) -> Option<i64> {
        args.iter().all(|it| self.slope(*it) == Some(0)).then_some(0)
    }

    /// A constant integer of at most 64 bits.
    fn int(&self, value: Value) -> Option<i64> {
        let Value::Const(constant) = value else { return None };
        let ConstData::Bits { ty, bytes } = self.types.const_data(constant) else { return None };
        if !matches!(self.shapes.of(*ty).ok()?.form, Form::Int(_)) || bytes.len() > 8 {
            return None;
        }
        let fill = if bytes.last().is_some_and(|it| *it >= 0x80) { 0xff } else { 0 };
        let mut word = [fill; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        Some(i64::from_le_bytes(word))
    }

    /// Whether the items for which `value` is `want` are an interval of a row.
    fn passes(&self, value: Value, want: bool, found: &mut Evidence) -> bool {
        use Intrinsic as I;
        if self.slope(value) == Some(0) {
            return true;
        }
        let Value::Stmt(stmt) = value else { return false };
        let Op::Intrinsic(intrinsic, args) = &self.code.stmts[stmt].op else { return false };
        match (intrinsic, want) {
            (I::NotInt, _) => self.passes(args[0], !want, found),
            (I::AndInt, true) | (I::OrInt, false) => args.iter().all(|it| self.passes(*it, want, found)),
            (I::SltInt | I::SleInt, true) => self.compared(args[0], args[1], true, found),
            (I::SltInt | I::SleInt, false) => self.compared(args[1], args[0], true, found),
            (I::UltInt | I::UleInt, true) => self.compared(args[0], args[1], false, found),
            (I::UltInt | I::UleInt, false) => self.compared(args[1], args[0], false, found),
            _ => false,
        }
    }

    /// `small < large`, or `<=`.
    fn compared(&self, small: Value, large: Value, signed: bool, found: &mut Evidence) -> bool {
        let (moving, slope, bound, margin) = match (self.slope(small), self.slope(large)) {
            (Some(slope), Some(0)) => {
                (small, slope, large, if signed { Margin::SignedUpper } else { Margin::Unsigned })
            }
            (Some(0), Some(slope)) if signed => (large, slope, small, Margin::SignedLower),
            _ => return false,
        };
        let of = operand_type(self.code, self.types, moving);
        let Ok(Form::Int(bits @ 8..=64)) = self.shapes.of(of).map(|it| it.form.clone()) else { return false };
        found.margins.push((bound, margin));
        found.arcs.push((bits, slope));
        self.widenings(moving, found);
        true
    }

    /// The changes of width on the way from `x` to a value.
    fn widenings(&self, value: Value, found: &mut Evidence) {
        let Value::Stmt(stmt) = value else { return };
        let (Some(slope), Op::Intrinsic(intrinsic, args)) = (self.slopes[stmt], &self.code.stmts[stmt].op)
        else {
            return;
        };
        if slope == 0 || found.widened.contains(&(stmt, slope)) {
            return;
        }
        if matches!(intrinsic, Intrinsic::SextInt | Intrinsic::ZextInt) {
            found.widened.push((stmt, slope));
        }
        for it in args {
            self.widenings(*it, found);
        }
    }

    /// The statements that compute what is asked.
    fn slice(&self, cfg: &Cfg, guards: &Guards) -> Vec<Stmt> {
        let mut wanted: EntitySet<Stmt> = EntitySet::new();
        let mut todo: Vec<Value> = guards.conditions.iter().map(|it| it.0).collect();
        todo.extend(guards.margins.iter().map(|it| it.0));
        while let Some(value) = todo.pop() {
            if let Value::Stmt(stmt) = value
                && wanted.insert(stmt)
            {
                self.code.stmts[stmt].op.each_operand(|it| todo.push(it));
            }
        }
        let all = cfg.reverse_postorder.iter().flat_map(|it| &self.code.blocks[*it].stmts);
        all.copied().filter(|it| wanted.contains(*it)).collect()
    }
}
