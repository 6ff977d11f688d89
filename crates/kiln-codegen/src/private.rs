//! Private memory of screened kernels: behind its bytes there is a flag for each, which says that the item has written it.
//!
//! This is done where all accesses are known: its address goes to loads and stores of the function alone. Then LLVM makes registers of
//! it as ever, and of the flags too. Where it is not, nothing is known, and the launch is suspected. Here is which memory has flags;
//! `private_flags` emits their code.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "an operation that computes an address from another must say so here; the others are refused"
)]

use crate::source::Source;
use kiln_ir::{Intrinsic as I, IrCode, Op, Stmt, Value as Operand};
use kiln_types::{Types, consts};
use std::collections::{BTreeMap, BTreeSet};

/// The bytes of private memory that has flags, at most.
const BYTES_MAX: i64 = 1024;

/// The private memory of a function that has flags, with its bytes.
#[derive(Debug, Default)]
pub(crate) struct Privates(BTreeMap<Stmt, i64>);

impl Privates {
    /// Finds the memory whose accesses are all known.
    pub(crate) fn find(code: &IrCode, types: &Types) -> Self {
        let mut users: BTreeMap<Stmt, Vec<Stmt>> = BTreeMap::new();
        let mut memories = Vec::new();
        for &stmt in code.blocks.values().flat_map(|it| &it.stmts) {
            let op = &code.stmts[stmt].op;
            if let Op::Intrinsic(I::PrivateMemory, args) = op
                && let Some(Operand::Const(bytes)) = args.first()
                && let Some(bytes) = consts::as_int(types, *bytes)
                && (1..=BYTES_MAX).contains(&bytes)
            {
                memories.push((stmt, bytes));
            }
            op.each_operand(|it| {
                if let Operand::Stmt(it) = it {
                    users.entry(it).or_default().push(stmt);
                }
            });
        }
        Self(memories.into_iter().filter(|it| is_closed(code, it.0, &users)).collect())
    }

    /// Returns the bytes of the flags behind the memory of a statement.
    pub(crate) fn flag_bytes(&self, memory: Stmt) -> Option<i64> {
        self.0.get(&memory).copied()
    }
}

/// Returns the private memory of all functions of a unit.
pub(crate) fn of_all(sources: &[Source], types: &Types) -> Vec<Privates> {
    sources.iter().map(|it| Privates::find(&it.code, types)).collect()
}

/// Whether the address of a block of memory goes to loads and stores alone.
fn is_closed(code: &IrCode, memory: Stmt, users: &BTreeMap<Stmt, Vec<Stmt>>) -> bool {
    let (mut waiting, mut seen) = (vec![memory], BTreeSet::new());
    while let Some(address) = waiting.pop() {
        if !seen.insert(address) {
            continue;
        }
        for user in users.get(&address).into_iter().flatten() {
            let is_address = |it: &Operand| *it == Operand::Stmt(address);
            match &code.stmts[*user].op {
                // Who fails is no longer of interest: the launch is made again.
                _ if fails(code, *user) => {}
                Op::New(_) if is_for_failures(code, *user, users) => {}
                Op::Intrinsic(I::Pointerref | I::Pointerset, args) if !args[1..].iter().any(is_address) => {}
                op if next_of(op).is_some_and(|it| is_address(&it)) => waiting.push(*user),
                _ => return false,
            }
        }
    }
    true
}

/// Whether an object is made for failing items alone.
fn is_for_failures(code: &IrCode, object: Stmt, users: &BTreeMap<Stmt, Vec<Stmt>>) -> bool {
    let mut all = users.get(&object).into_iter().flatten();
    all.all(|it| fails(code, *it))
}

/// Whether an item that comes to a statement fails.
fn fails(code: &IrCode, stmt: Stmt) -> bool {
    let data = &code.stmts[stmt];
    matches!(data.op, Op::Fail(..)) || (matches!(data.op, Op::Invoke(..)) && data.ty == Types::BOTTOM)
}

/// Returns the address that an operation computes another one from.
pub(crate) fn next_of(op: &Op) -> Option<Operand> {
    match op {
        Op::Intrinsic(I::Bitcast, args) => args.get(1).copied(),
        Op::Intrinsic(I::AddPtr | I::SubPtr, args) => args.first().copied(),
        Op::Pi(value) => Some(*value),
        _ => None,
    }
}
