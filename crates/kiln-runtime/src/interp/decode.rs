//! Lowered code in the form the interpreter runs: operands resolved to registers, constants and global sites,
//! registers only for values that are used, one cache a call site.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "singles out the statements it changes; the rest are treated alike"
)]

use super::globals::GlobalSite;
use super::hot_loops::HotLoops;
use crate::heap::{Value, constants};
use crate::runtime::Runtime;
use kiln_ir::{CodeInfo, Lowered, LoweredStmt};
use kiln_types::Module;
use rustc_hash::FxHashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

/// The destination of an unused result.
pub(super) const NOWHERE: u32 = u32::MAX;
/// The number of no dispatch entry.
const NO_ENTRY: u32 = u32::MAX;

/// The last two dispatch entries of a call site: one that sees the elements of a tuple alternates between their types.
#[derive(Debug)]
pub(super) struct CallSite {
    seen: [AtomicU32; 2],
    /// Whether it is under `@inbounds`.
    pub(super) inbounds: bool,
}

impl Default for CallSite {
    fn default() -> Self {
        Self::new(false)
    }
}

impl CallSite {
    fn new(inbounds: bool) -> Self {
        Self { seen: [const { AtomicU32::new(NO_ENTRY) }; 2], inbounds }
    }
    /// The numbers of entries that may answer the next call.
    #[inline]
    pub(super) fn seen(&self) -> [u32; 2] {
        [self.seen[0].load(Ordering::Relaxed), self.seen[1].load(Ordering::Relaxed)]
    }
    /// Another entry answered.
    pub(super) fn see(&self, entry: u32) {
        let last = self.seen[0].swap(entry, Ordering::Relaxed);
        self.seen[1].store(last, Ordering::Relaxed);
    }
}

/// An operand: two bits of tag, the rest an index.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operand(u32);

/// The referent of an [`Operand`].
#[derive(Clone, Copy, Debug)]
pub(super) enum OperandSource {
    /// A register of the frame.
    Register(usize),
    /// A constant of the body.
    Const(usize),
    /// A global site of the body.
    Global(usize),
    /// A static parameter.
    StaticParam(usize),
}

const TAG_SHIFT: u32 = 30;
const INDEX_MASK: u32 = (1 << TAG_SHIFT) - 1;

impl Operand {
    fn new(tag: u32, index: usize) -> Self {
        assert!(index <= INDEX_MASK as usize, "a body this large can not be lowered");
        Self((tag << TAG_SHIFT) | index as u32)
    }
    #[inline]
    pub(super) fn place(self) -> OperandSource {
        let index = (self.0 & INDEX_MASK) as usize;
        match self.0 >> TAG_SHIFT {
            0 => OperandSource::Register(index),
            1 => OperandSource::Const(index),
            2 => OperandSource::Global(index),
            _ => OperandSource::StaticParam(index),
        }
    }
}

/// One decoded statement. `dst` is a register or [`NOWHERE`]; `start..start + len` are operands.
#[derive(Clone, Copy, Debug)]
pub(super) enum Op {
    Move {
        dst: u32,
        src: Operand,
    },
    /// An assignment whose value is also used.
    MoveTwice {
        dst: u32,
        also: u32,
        src: Operand,
    },
    Clear {
        slot: u32,
    },
    Call {
        dst: u32,
        start: u32,
        len: u32,
        site: u32,
    },
    /// `===` of the second and third of three operands.
    Is {
        dst: u32,
        start: u32,
    },
    /// `getfield` with a number: as a call of three operands.
    Field {
        dst: u32,
        start: u32,
        site: u32,
    },
    /// A call that always has the same result: number `once` of the body's.
    CallOnce {
        dst: u32,
        start: u32,
        len: u32,
        once: u32,
    },
    New {
        dst: u32,
        start: u32,
        len: u32,
    },
    SplatNew {
        dst: u32,
        ty: Operand,
        tuple: Operand,
    },
    IsDefined {
        dst: u32,
        what: Operand,
    },
    Goto {
        target: u32,
    },
    GotoIfNot {
        cond: Operand,
        target: u32,
    },
    Return {
        src: Operand,
    },
    Enter {
        dst: u32,
        target: u32,
    },
    /// `start..start + len` of the body's list of left handlers.
    Leave {
        start: u32,
        len: u32,
    },
    TheException {
        dst: u32,
    },
    PopException {
        token: Operand,
    },
    BoundsCheck {
        dst: u32,
    },
    Nop,
    CopyAst {
        dst: u32,
        src: Operand,
    },
    /// A definition: rare, carried out from the lowered statement of the same number.
    Define {
        dst: u32,
        start: u32,
        len: u32,
    },
}

/// A body in the form the interpreter runs.
#[derive(Debug)]
pub struct Decoded {
    /// The lowered body.
    pub(super) code: Arc<CodeInfo>,
    pub(super) ops: Box<[Op]>,
    pub(super) operands: Box<[Operand]>,
    pub(super) consts: Box<[Value]>,
    pub(super) globals: Box<[GlobalSite]>,
    /// The callees that each call site has called.
    pub(super) sites: Box<[CallSite]>,
    /// Calls that always have the same result: their sites, and the results.
    pub(super) once: Box<[(u32, OnceLock<Value>)]>,
    /// The `Enter` statements that `Leave`s name.
    pub(super) left: Box<[u32]>,
    /// Registers of a frame: the slots, then the values that are used.
    pub(super) registers: usize,
    /// Whether it has a `try`.
    pub(super) has_handlers: bool,
    /// Whether it jumps back.
    pub(super) has_loops: bool,
    /// Whether it asks, or passes on, that bounds are checked.
    pub(super) has_checks: bool,
    /// Loops that ran long enough to be compiled.
    pub(super) hot_loops: HotLoops,
}

struct Decoder<'a> {
    rt: &'a Runtime,
    registers: Vec<u32>,
    operands: Vec<Operand>,
    consts: Vec<Value>,
    const_ids: Numbering<kiln_types::Const>,
    globals: Vec<GlobalSite>,
    global_ids: Numbering<(kiln_types::Module, kiln_types::Symbol)>,
    sites: Vec<CallSite>,
    once: Vec<(u32, OnceLock<Value>)>,
    code: &'a CodeInfo,
    /// The `@inbounds` regions open at the statement: the marks nest in the order of the statements.
    inbounds: u32,
    /// Whether it is a method's body: nothing is inlined into a statement of a program.
    is_method: bool,
    left: Vec<u32>,
}

/// More distinct things than this are found by hashing: most bodies mention a handful.
const FEW: usize = 16;

/// Numbers distinct things in the order they come.
#[derive(Debug)]
struct Numbering<T> {
    known: Vec<T>,
    /// All of them, once they are more than [`FEW`].
    numbers: FxHashMap<T, usize>,
}

impl<T> Default for Numbering<T> {
    fn default() -> Self {
        Self { known: Vec::new(), numbers: FxHashMap::default() }
    }
}

impl<T: Copy + Eq + std::hash::Hash> Numbering<T> {
    /// The number of `it`, and whether it is new.
    fn number(&mut self, it: T) -> (usize, bool) {
        let next = self.known.len();
        let found = if next <= FEW {
            self.known.iter().position(|known| *known == it)
        } else {
            self.numbers.get(&it).copied()
        };
        if let Some(at) = found {
            return (at, false);
        }
        self.known.push(it);
        if next == FEW {
            self.numbers.extend(self.known.iter().copied().zip(0..));
        } else if next > FEW {
            self.numbers.insert(it, next);
        }
        (next, true)
    }
}

impl Decoded {
    /// Decodes `code`.
    pub(crate) fn new(rt: &Runtime, code: Arc<CodeInfo>) -> Self {
        let slots = code.slots.len();
        let (registers, count) = assign_registers(&code);
        let mut decoder = Decoder {
            rt,
            registers,
            operands: Vec::new(),
            consts: Vec::new(),
            const_ids: Numbering::default(),
            globals: Vec::new(),
            global_ids: Numbering::default(),
            sites: Vec::new(),
            once: Vec::new(),
            code: &code,
            inbounds: 0,
            is_method: code.nargs > 0,
            left: Vec::new(),
        };
        let ops: Box<[Op]> = code.stmts.iter().enumerate().map(|(at, it)| decoder.stmt(at, it)).collect();
        let has_handlers = ops.iter().any(|it| matches!(it, Op::Enter { .. }));
        let back = |(at, it): (usize, &Op)| match it {
            Op::Goto { target } | Op::GotoIfNot { target, .. } => *target as usize <= at,
            _ => false,
        };
        let has_loops = ops.iter().enumerate().any(back);
        let has_checks =
            code.meta.propagate_inbounds || ops.iter().any(|it| matches!(it, Op::BoundsCheck { .. }));
        let Decoder { operands, consts, globals, sites, once, left, .. } = decoder;
        Self {
            ops,
            operands: operands.into(),
            consts: consts.into(),
            globals: globals.into(),
            sites: sites.into(),
            once: once.into(),
            left: left.into(),
            registers: slots + count,
            has_handlers,
            has_loops,
            has_checks,
            hot_loops: HotLoops::default(),
            code,
        }
    }
}

/// The register of each statement's value ([`NOWHERE`] if unused), and how many there are.
fn assign_registers(code: &CodeInfo) -> (Vec<u32>, usize) {
    let mut used = vec![false; code.stmts.len()];
    for stmt in &code.stmts {
        stmt.each_operand(|operand| {
            if let Lowered::Ssa(at) = operand {
                used[at as usize] = true;
            }
        });
    }
    let mut next = code.slots.len() as u32;
    let registers = used
        .iter()
        .map(|&used| {
            if !used {
                return NOWHERE;
            }
            next += 1;
            next - 1
        })
        .collect();
    (registers, next as usize - code.slots.len())
}

/// The register of each statement's value: [`NOWHERE`] if nothing uses it.
pub(super) fn registers_of(code: &CodeInfo) -> Vec<u32> {
    assign_registers(code).0
}

impl Decoder<'_> {
    fn operand(&mut self, operand: &Lowered) -> Operand {
        match *operand {
            Lowered::Ssa(at) => Operand::new(0, self.registers[at as usize] as usize),
            Lowered::Slot(slot) => Operand::new(0, slot as usize),
            Lowered::Const(constant) => self.constant(constant),
            Lowered::Global(module, name) => {
                let (at, is_new) = self.global_ids.number((module, name));
                if is_new {
                    self.globals.push(GlobalSite::new(module, name));
                }
                Operand::new(2, at)
            }
            Lowered::StaticParam(at) => Operand::new(3, at as usize),
        }
    }

    fn constant(&mut self, constant: kiln_types::Const) -> Operand {
        let (at, is_new) = self.const_ids.number(constant);
        if is_new {
            self.consts.push(constants::value_of(&self.rt.heap, constant));
        }
        Operand::new(1, at)
    }

    /// Whether a call is `apply_type(NamedTuple, tuple(names...))` with constant names, as before each call with keywords.
    fn is_type_of_keywords(&self, call: &[Lowered]) -> bool {
        let [callee, wrapper, names] = call else { return false };
        self.is_core(callee, "apply_type")
            && self.is_core(wrapper, "NamedTuple")
            && matches!(self.statement(names), Some(LoweredStmt::Call(made)) if made.split_first().is_some_and(|(tuple, rest)| {
                self.is_core(tuple, "tuple") && rest.iter().all(|it| matches!(it, Lowered::Const(_)))
            }))
    }

    /// The statement whose value an operand is.
    fn statement(&self, operand: &Lowered) -> Option<&LoweredStmt> {
        match operand {
            Lowered::Ssa(at) => self.code.stmts.get(*at as usize),
            Lowered::Slot(_) | Lowered::Const(_) | Lowered::Global(..) | Lowered::StaticParam(_) => None,
        }
    }

    /// Whether an operand is the global of Core with this name.
    fn is_core(&self, operand: &Lowered, name: &str) -> bool {
        let value = match self.statement(operand) {
            Some(LoweredStmt::Value(value)) => value,
            _ => operand,
        };
        matches!(value, Lowered::Global(module, it) if *module == Module::CORE && self.rt.types.name(*it) == name)
    }

    /// Whether an operand is an `Int` in the text.
    fn is_number(&self, operand: &Lowered) -> bool {
        matches!(operand, Lowered::Const(it) if constants::value_of(&self.rt.heap, *it).as_int(self.rt.types.core()).is_some())
    }

    fn call(&mut self, dst: u32, args: &[Lowered]) -> Op {
        let (start, len) = self.list(args);
        if let [callee, _, _] = args
            && self.is_core(callee, "===")
        {
            return Op::Is { dst, start };
        }
        let site = self.sites.len() as u32;
        self.sites.push(CallSite::new(self.inbounds > 0 && self.is_method));
        if let [callee, _, field] = args
            && self.is_core(callee, "getfield")
            && self.is_number(field)
        {
            return Op::Field { dst, start, site };
        }
        if self.is_type_of_keywords(args) {
            self.once.push((site, OnceLock::new()));
            return Op::CallOnce { dst, start, len, once: self.once.len() as u32 - 1 };
        }
        Op::Call { dst, start, len, site }
    }

    fn list(&mut self, args: &[Lowered]) -> (u32, u32) {
        let start = self.operands.len() as u32;
        for arg in args {
            let operand = self.operand(arg);
            self.operands.push(operand);
        }
        (start, args.len() as u32)
    }

    fn stmt(&mut self, at: usize, stmt: &LoweredStmt) -> Op {
        let dst = self.registers[at];
        match stmt {
            LoweredStmt::Value(it) => Op::Move { dst, src: self.operand(it) },
            LoweredStmt::SetSlot(slot, it) if dst != NOWHERE => {
                Op::MoveTwice { dst: *slot, also: dst, src: self.operand(it) }
            }
            LoweredStmt::SetSlot(slot, it) => Op::Move { dst: *slot, src: self.operand(it) },
            LoweredStmt::NewVar(slot) => Op::Clear { slot: *slot },
            LoweredStmt::Call(args) => self.call(dst, args),
            LoweredStmt::New(args) => {
                let (start, len) = self.list(args);
                Op::New { dst, start, len }
            }
            LoweredStmt::SplatNew(ty, tuple) => {
                Op::SplatNew { dst, ty: self.operand(ty), tuple: self.operand(tuple) }
            }
            LoweredStmt::IsDefined(it) => Op::IsDefined { dst, what: self.operand(it) },
            LoweredStmt::Goto(target) => Op::Goto { target: *target },
            LoweredStmt::GotoIfNot(cond, target) => {
                Op::GotoIfNot { cond: self.operand(cond), target: *target }
            }
            LoweredStmt::Return(it) => Op::Return { src: self.operand(it) },
            LoweredStmt::Enter(target) => Op::Enter { dst, target: *target },
            LoweredStmt::Leave(tokens) => {
                let start = self.left.len() as u32;
                self.left.extend(tokens.iter().filter_map(|it| match it {
                    Lowered::Ssa(at) => Some(*at),
                    Lowered::Slot(_) | Lowered::Const(_) | Lowered::Global(..) | Lowered::StaticParam(_) => {
                        None
                    }
                }));
                Op::Leave { start, len: self.left.len() as u32 - start }
            }
            LoweredStmt::TheException => Op::TheException { dst },
            LoweredStmt::PopException(token) => Op::PopException { token: self.operand(token) },
            LoweredStmt::BoundsCheck => Op::BoundsCheck { dst },
            LoweredStmt::InboundsBegin => {
                self.inbounds += 1;
                Op::Nop
            }
            LoweredStmt::InboundsEnd => {
                self.inbounds = self.inbounds.saturating_sub(1);
                Op::Nop
            }
            LoweredStmt::LoopInfo(_) => Op::Nop,
            LoweredStmt::CopyAst(constant) => Op::CopyAst { dst, src: self.constant(*constant) },
            LoweredStmt::Method { signature, table, .. } => {
                let args: Vec<Lowered> = [Some(*signature), *table].into_iter().flatten().collect();
                let (start, len) = self.list(&args);
                Op::Define { dst, start, len }
            }
            LoweredStmt::DeclareGlobal { value, .. } => {
                let (start, len) = self.list(value.as_slice());
                Op::Define { dst, start, len }
            }
            LoweredStmt::GenericFunction(..) | LoweredStmt::LatestWorld | LoweredStmt::TopLevel(_) => {
                Op::Define { dst, start: 0, len: 0 }
            }
        }
    }
}

impl Decoded {
    /// The name that the register of a slot is known by.
    pub(super) fn slot_name(&self, register: usize) -> kiln_types::Symbol {
        self.code.slots.get(register).map_or(self.code.name, |it| it.name)
    }
}
