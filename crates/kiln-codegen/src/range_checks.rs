//! Range-check elimination: finds checks that end an item early, such as `i <= n` or a bounds check, and that hold
//! for whole ranges of items.
//!
//! A range check is a branch of the entry with one side that only returns or fails, and whose condition is monotone
//! along a row: a comparison of an affine value (made of `x` by `+`, `-`, constant factors and changes of width) with
//! a loop-invariant bound. The items that pass are an interval, so a range of items passes if its first and its last
//! item do. [`RangeChecks`] are the conditions to test on both, and the blocks that remain if they hold.
//!
//! Integers wrap: the numbers that pass are an arc of a ring, and a range that leaves the arc between its ends would
//! have to cross all other numbers. Two wrap predicates exclude this, neither of which depends on the item: the other
//! numbers are at least a quarter of the ring, and the range is at most an eighth. Where a value is widened, its two
//! ends must differ by as much after the extension as before.
//!
//! The conditions are evaluated ahead of the items, so they consist of operations without effects. Checks deeper in
//! the body are tested together with the first one: if all hold, no item ends early.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "an operation that is not named is not known to be pure and linear"
)]

use crate::analysis::{may_fail, operand_type};
use crate::shape::{Form, Shapes};
use cranelift_entity::{EntitySet, SecondaryMap};
use kiln_ir::{Block, Builtin, Cfg, Intrinsic, IrCode, Op, Stmt, Value};
use kiln_types::{ConstData, Types};

/// The largest stride of a value.
const STRIDE_MAX: i64 = 1 << 20;

/// A predicate on a bound, which excludes that values wrap around the ring of their type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum WrapPredicate {
    /// At most a quarter of the ring, signed.
    SignedUpper,
    /// At least minus a quarter of the ring, signed.
    SignedLower,
    /// At most half of the ring, unsigned.
    Unsigned,
}

/// The conditions that a range of items must meet.
pub(crate) struct RangeChecks {
    /// The conditions, with the value that both ends must have.
    pub(crate) conditions: Vec<(Value, bool)>,
    /// The bounds, with their wrap predicates.
    pub(crate) wrap_predicates: Vec<(Value, WrapPredicate)>,
    /// The widened values, with their strides.
    pub(crate) widened: Vec<(Stmt, i64)>,
    /// The width and the stride of each compared value.
    pub(crate) arcs: Vec<(u32, i64)>,
    /// The statements that compute the conditions and bounds, in order.
    pub(crate) slice: Vec<Stmt>,
    /// Whether the remaining blocks may fail.
    pub(crate) may_fail: bool,
    /// For each block that ends in a range check, the branch condition under which items continue.
    taken: SecondaryMap<Block, Option<bool>>,
    /// The remaining blocks.
    reachable: EntitySet<Block>,
}

impl RangeChecks {
    /// Finds the range checks of a body; `None` if none depends on `x`.
    pub(crate) fn find(code: &IrCode, types: &Types, shapes: &Shapes<'_>) -> Option<Self> {
        let cfg = Cfg::new(code);
        let mut finder = Finder { code, types, shapes, strides: SecondaryMap::new() };
        for &block in &cfg.reverse_postorder {
            for &stmt in &code.blocks[block].stmts {
                finder.strides[stmt] =
                    finder.stride_of_op(&code.stmts[stmt].op).filter(|it| it.abs() <= STRIDE_MAX);
            }
        }
        let ends = early_exits(code, &cfg);
        let mut checks = Self {
            conditions: Vec::new(),
            wrap_predicates: Vec::new(),
            widened: Vec::new(),
            arcs: Vec::new(),
            slice: Vec::new(),
            may_fail: false,
            taken: SecondaryMap::new(),
            reachable: EntitySet::new(),
        };
        for &block in &cfg.reverse_postorder {
            if block.as_u32() == 0 {
                checks.reachable.insert(block);
            }
            if checks.reachable.contains(block) {
                checks.visit(&finder, &ends, block);
            }
        }
        if checks.arcs.is_empty() {
            return None;
        }
        let left = |it: &&Block| checks.reachable.contains(**it);
        let rest = cfg.reverse_postorder.iter().filter(left).flat_map(|it| &code.blocks[*it].stmts);
        checks.may_fail = rest.into_iter().any(|it| may_fail(code, &code.stmts[*it], types));
        checks.slice = finder.slice(&cfg, &checks);
        Some(checks)
    }

    /// Returns the branch condition that a range check of this block always has.
    pub(crate) fn taken(&self, block: Block) -> Option<bool> {
        self.taken[block]
    }

    /// Whether a block remains.
    pub(crate) fn is_reachable(&self, block: Block) -> bool {
        self.reachable.contains(block)
    }

    fn visit(&mut self, finder: &Finder<'_>, ends: &EntitySet<Block>, block: Block) {
        let terminator = finder.code.terminator(block);
        if let Op::Branch { cond, then, other } = terminator
            && ends.contains(*then) != ends.contains(*other)
        {
            let want = ends.contains(*other);
            let mut found = Evidence::default();
            if finder.passes(*cond, want, &mut found) {
                self.taken[block] = Some(want);
                self.conditions.push((*cond, want));
                self.wrap_predicates.extend(found.wrap_predicates);
                self.arcs.extend(found.arcs);
                for it in found.widened {
                    if !self.widened.contains(&it) {
                        self.widened.push(it);
                    }
                }
                self.reachable.insert(if want { *then } else { *other });
                return;
            }
        }
        for next in terminator.successors() {
            self.reachable.insert(next);
        }
    }
}

/// The evidence that a condition is monotone.
#[derive(Default)]
struct Evidence {
    wrap_predicates: Vec<(Value, WrapPredicate)>,
    widened: Vec<(Stmt, i64)>,
    arcs: Vec<(u32, i64)>,
}

/// Returns the blocks from which an item only returns or fails.
fn early_exits(code: &IrCode, cfg: &Cfg) -> EntitySet<Block> {
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
    /// The stride of each value: 0 if it is the same for all items, `None` if it is unknown.
    strides: SecondaryMap<Stmt, Option<i64>>,
}

impl Finder<'_> {
    fn stride(&self, value: Value) -> Option<i64> {
        match value {
            Value::Const(_) | Value::Arg(_) => Some(0),
            Value::Stmt(stmt) => self.strides[stmt],
        }
    }

    fn stride_of_op(&self, op: &Op) -> Option<i64> {
        match op {
            Op::Intrinsic(intrinsic, args) => self.stride_of_intrinsic(*intrinsic, args),
            Op::Builtin(Builtin::Getfield, args) => {
                let of = operand_type(self.code, self.types, args[0]);
                let plain = !matches!(self.shapes.of(of).ok()?.form, Form::Object | Form::Union { .. });
                let known = matches!(args.get(1), Some(Value::Const(_)));
                (plain && known && self.stride(args[0]) == Some(0)).then_some(0)
            }
            Op::Builtin(Builtin::Ifelse, args) => self.all_constant(args),
            _ => None,
        }
    }

    fn stride_of_intrinsic(&self, intrinsic: Intrinsic, args: &[Value]) -> Option<i64> {
        use Intrinsic as I;
        match intrinsic {
            I::LocalId => Some(i64::from(self.int(args[0])? == 0)),
            I::GroupId | I::LocalSize | I::NumGroups => Some(0),
            I::AddInt => self.stride(args[0])?.checked_add(self.stride(args[1])?),
            I::SubInt => self.stride(args[0])?.checked_sub(self.stride(args[1])?),
            I::NegInt => self.stride(args[0])?.checked_neg(),
            I::MulInt => match (self.stride(args[0])?, self.stride(args[1])?) {
                (0, 0) => Some(0),
                (stride, 0) => stride.checked_mul(self.int(args[1])?),
                (0, stride) => stride.checked_mul(self.int(args[0])?),
                _ => None,
            },
            I::SextInt | I::ZextInt | I::TruncInt | I::Bitcast => match self.stride(args[1])? {
                0 => Some(0),
                stride => {
                    let to = match args[0] {
                        Value::Const(it) => match self.types.const_data(it) {
                            ConstData::Type(ty) => *ty,
                            _ => return None,
                        },
                        _ => return None,
                    };
                    matches!(self.shapes.of(to).ok()?.form, Form::Int(_)).then_some(stride)
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
        args.iter().all(|it| self.stride(*it) == Some(0)).then_some(0)
    }

    /// Returns a constant integer of at most 64 bits.
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

    /// Whether the items for which `value` equals `want` are an interval of a row.
    fn passes(&self, value: Value, want: bool, found: &mut Evidence) -> bool {
        use Intrinsic as I;
        if self.stride(value) == Some(0) {
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

    /// Adds the evidence for `small < large`, or `<=`, if it is monotone.
    fn compared(&self, small: Value, large: Value, signed: bool, found: &mut Evidence) -> bool {
        let (moving, stride, bound, predicate) = match (self.stride(small), self.stride(large)) {
            (Some(stride), Some(0)) => (
                small,
                stride,
                large,
                if signed { WrapPredicate::SignedUpper } else { WrapPredicate::Unsigned },
            ),
            (Some(0), Some(stride)) if signed => (large, stride, small, WrapPredicate::SignedLower),
            _ => return false,
        };
        let of = operand_type(self.code, self.types, moving);
        let Ok(Form::Int(bits @ 8..=64)) = self.shapes.of(of).map(|it| it.form.clone()) else { return false };
        found.wrap_predicates.push((bound, predicate));
        found.arcs.push((bits, stride));
        self.widenings(moving, found);
        true
    }

    /// Adds the extensions on the way from `x` to a value.
    fn widenings(&self, value: Value, found: &mut Evidence) {
        let Value::Stmt(stmt) = value else { return };
        let (Some(stride), Op::Intrinsic(intrinsic, args)) = (self.strides[stmt], &self.code.stmts[stmt].op)
        else {
            return;
        };
        if stride == 0 || found.widened.contains(&(stmt, stride)) {
            return;
        }
        if matches!(intrinsic, Intrinsic::SextInt | Intrinsic::ZextInt) {
            found.widened.push((stmt, stride));
        }
        for it in args {
            self.widenings(*it, found);
        }
    }

    /// Returns the statements that compute the conditions and bounds.
    fn slice(&self, cfg: &Cfg, checks: &RangeChecks) -> Vec<Stmt> {
        let mut wanted: EntitySet<Stmt> = EntitySet::new();
        let mut todo: Vec<Value> = checks.conditions.iter().map(|it| it.0).collect();
        todo.extend(checks.wrap_predicates.iter().map(|it| it.0));
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
