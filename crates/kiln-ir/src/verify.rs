//! Checks the invariants of an [`IrCode`]: runs on the output of inference and, in tests, after every pass.

use crate::handlers::{leave, leaves_innermost};
use crate::{Block, Cfg, Dominators, Handlers, IrCode, Op, Stmt, Value};
use cranelift_entity::SecondaryMap;
use kiln_types::{Types, consts, datatype};

/// Something wrong with a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The block it is in.
    pub block: Block,
    /// The statement, if it is about one.
    pub stmt: Option<Stmt>,
    /// The description of the violation.
    pub message: String,
}

/// All that is wrong with a body, in layout order. Blocks that cannot be reached are checked for shape only.
pub fn verify(code: &IrCode, types: &Types) -> Vec<Violation> {
    let mut checker = Checker { code, types, problems: Vec::new(), place: SecondaryMap::new() };
    if code.blocks.is_empty() {
        checker.block_problem(Block::from_u32(0), "there is no block");
        return checker.problems;
    }
    checker.shapes();
    if !checker.problems.is_empty() {
        return checker.problems; // Blocks without terminators have no control flow graph.
    }
    let cfg = Cfg::new(code);
    let dominators = Dominators::new(&cfg);
    checker.regions(&cfg);
    if !cfg.predecessors[Block::from_u32(0)].is_empty() {
        checker.block_problem(Block::from_u32(0), "the entry has predecessors");
    }
    for (block, data) in &code.blocks {
        for &stmt in &data.stmts {
            checker.ranges(block, stmt);
            checker.typing(block, stmt);
            if cfg.is_reachable(block) {
                checker.dominance(block, stmt, &cfg, &dominators);
            }
        }
    }
    checker.problems
}

struct Checker<'a> {
    code: &'a IrCode,
    types: &'a Types,
    problems: Vec<Violation>,
    /// Block and position of each placed statement.
    place: SecondaryMap<Stmt, Option<(Block, usize)>>,
}

impl Checker<'_> {
    fn block_problem(&mut self, block: Block, message: &str) {
        self.problems.push(Violation { block, stmt: None, message: message.into() });
    }

    fn problem(&mut self, block: Block, stmt: Stmt, message: impl Into<String>) {
        self.problems.push(Violation { block, stmt: Some(stmt), message: message.into() });
    }

    /// One terminator at the end of each block, phis at the beginning, each statement in one place, targets
    /// that exist.
    fn shapes(&mut self) {
        let code = self.code;
        for (block, data) in &code.blocks {
            let Some((&last, body)) = data.stmts.split_last() else {
                self.block_problem(block, "the block is empty");
                continue;
            };
            let mut phis_over = false;
            for (position, &stmt) in data.stmts.iter().enumerate() {
                if stmt.as_u32() as usize >= code.stmts.len() {
                    self.problem(block, stmt, "there is no such statement");
                    return;
                }
                if self.place[stmt].replace((block, position)).is_some() {
                    self.problem(block, stmt, "the statement is in two places");
                }
                let is_phi = matches!(code.stmts[stmt].op, Op::Phi(_));
                if is_phi && phis_over {
                    self.problem(block, stmt, "a phi comes after something else");
                }
                phis_over |= !is_phi;
            }
            if let Some(&early) = body.iter().find(|&&it| code.stmts[it].op.is_terminator()) {
                self.problem(block, early, "a terminator is not the last statement");
            }
            if !code.stmts[last].op.is_terminator() {
                self.problem(block, last, "the last statement is no terminator");
            }
            for target in code.stmts[last].op.successors() {
                if target.as_u32() as usize >= code.blocks.len() {
                    self.problem(block, last, format!("{target} does not exist"));
                }
            }
        }
    }

    /// Numbers that index something are in range; operations have as many operands as they take.
    fn ranges(&mut self, block: Block, stmt: Stmt) {
        let data = &self.code.stmts[stmt];
        if data.inlined as usize >= self.code.inlined_at.len().max(1) {
            self.problem(block, stmt, "the inlining entry does not exist");
        }
        let args = self.code.args.len() as u32;
        let mut bad = Vec::new();
        data.op.each_operand(|value| match value {
            Value::Arg(n) if n >= args => bad.push(format!("there is no argument {n}")),
            Value::Stmt(used) if used.as_u32() as usize >= self.code.stmts.len() => {
                bad.push(format!("there is no {used}"));
            }
            Value::Arg(_) | Value::Stmt(_) | Value::Const(_) => {}
        });
        for message in bad {
            self.problem(block, stmt, message);
        }
        if let Op::Intrinsic(intrinsic, operands) = &data.op
            && intrinsic.arity().is_some_and(|it| it != operands.len())
        {
            self.problem(block, stmt, format!("`{}` with {} operands", intrinsic.name(), operands.len()));
        }
        if let Op::Invoke(_, operands)
        | Op::Lookup(_, operands)
        | Op::Call(operands)
        | Op::NewDynamic(operands) = &data.op
            && operands.is_empty()
        {
            self.problem(block, stmt, "a call of nothing");
        }
        if let Op::Fail(site, operands) | Op::Report(site, operands) = &data.op {
            match self.code.throw_sites.get(*site) {
                None => self.problem(block, stmt, "the throw site does not exist"),
                Some(it) if it.operands.len() != operands.len() => {
                    self.problem(block, stmt, "the throw site takes another number of operands");
                }
                Some(_) => {}
            }
        }
    }

    /// The few types an operation insists on.
    fn typing(&mut self, block: Block, stmt: Stmt) {
        let data = &self.code.stmts[stmt];
        let types = self.types;
        let boolean = types.core().bool;
        if let Op::Branch { cond, .. } | Op::ThrowUndefIfNot(_, cond) = &data.op
            && self.type_of(*cond).is_some_and(|it| !types.subtype(it, boolean))
        {
            self.problem(block, stmt, "the condition is no Bool");
        }
        if let Op::Return(value) = &data.op
            && !self.is_of(*value, self.code.return_type)
        {
            self.problem(block, stmt, "what is returned is not of the return type");
        }
        if let Op::New(fields) = &data.op {
            let count = if datatype::is_concrete(types, data.ty) {
                datatype::field_types(types, data.ty).len()
            } else {
                1
            };
            if fields.len() > count {
                self.problem(block, stmt, "`new` with too many fields");
            } else if fields.is_empty() && !datatype::is_concrete(types, data.ty) {
                self.problem(
                    block,
                    stmt,
                    "`new` of a type that is not concrete, which makes a box of one value",
                );
            }
        }
        if let Op::Leave(tokens) = &data.op
            && !tokens.iter().all(|it| self.is_enter(*it))
        {
            self.problem(block, stmt, "`leave` of what is no `enter`");
        }
        if let Op::PopException(token) = &data.op
            && !self.is_enter(*token)
        {
            self.problem(block, stmt, "`pop_exception` of what is no `enter`");
        }
    }

    /// The regions of `try`s: each handler follows its `Enter` only, the regions that a block is in do not depend on the way to
    /// it, and are left innermost first; `PhiC`s are where handlers start.
    fn regions(&mut self, cfg: &Cfg) {
        let code = self.code;
        let handlers = Handlers::new(code, cfg);
        if let Some(block) = handlers.conflict() {
            self.block_problem(block, "on one way to the block another `try` is open than on another");
            return;
        }
        for &block in &cfg.reverse_postorder {
            let entered = handlers.is_handler(block);
            if entered && cfg.predecessors[block].len() > 1 {
                self.block_problem(block, "a handler has more than one predecessor");
            }
            let mut around = handlers.around(block).to_vec();
            let mut starts = entered;
            for &stmt in &code.blocks[block].stmts {
                let op = &code.stmts[stmt].op;
                starts &= matches!(op, Op::Phi(_) | Op::PhiC(_));
                if matches!(op, Op::PhiC(_)) && !starts {
                    self.problem(block, stmt, "a φᶜ that starts no handler");
                }
                if let Op::Leave(tokens) = op
                    && !leaves_innermost(&around, tokens)
                {
                    self.problem(block, stmt, "`leave` of another `try` than the innermost");
                }
                if matches!(op, Op::Return(_)) && !around.is_empty() {
                    self.problem(block, stmt, "`return` within a `try`");
                }
                leave(&mut around, op);
            }
        }
    }

    fn is_enter(&self, value: Value) -> bool {
        matches!(value, Value::Stmt(it) if self.code.stmts.get(it).is_some_and(|it| matches!(it.op, Op::Enter { .. })))
    }

    fn is_of(&self, value: Value, ty: kiln_types::Type) -> bool {
        match value {
            Value::Const(it) => consts::isa(self.types, it, ty),
            Value::Stmt(_) | Value::Arg(_) => self.type_of(value).is_none_or(|it| self.types.subtype(it, ty)),
        }
    }

    fn type_of(&self, value: Value) -> Option<kiln_types::Type> {
        match value {
            Value::Stmt(it) => self.code.stmts.get(it).map(|it| it.ty),
            Value::Arg(n) => self.code.args.get(n as usize).copied(),
            Value::Const(it) => Some(consts::type_of(self.types, it)),
        }
    }

    /// Operands are defined before they are used, on every path.
    fn dominance(&mut self, block: Block, stmt: Stmt, cfg: &Cfg, dominators: &Dominators) {
        let op = &self.code.stmts[stmt].op;
        if let Op::Phi(incoming) = op {
            let mut seen = Vec::with_capacity(incoming.len());
            for &(from, value) in incoming {
                if seen.contains(&from) {
                    self.problem(block, stmt, format!("two values from {from}"));
                }
                seen.push(from);
                if !cfg.predecessors[block].contains(&from) {
                    self.problem(block, stmt, format!("{from} is no predecessor"));
                } else if let Value::Stmt(used) = value {
                    let good = self.place[used].is_some_and(|(at, _)| dominators.dominates(at, from));
                    if !good {
                        self.problem(block, stmt, format!("{used} is not defined at the end of {from}"));
                    }
                }
            }
            return;
        }
        if let Op::PhiC(kept) = op {
            let is_upsilon = |it: &Value| matches!(it, Value::Stmt(it) if matches!(self.code.stmts.get(*it).map(|it| &it.op), Some(Op::Upsilon(_))));
            if !kept.iter().all(is_upsilon) {
                self.problem(block, stmt, "a φᶜ of what is no ϒ");
            }
            return;
        }
        let (_, position) = self.place[stmt].expect("the statement is placed: it was found in a block");
        for value in op.operands() {
            let Value::Stmt(used) = value else { continue };
            let good = match self.place[used] {
                Some((at, earlier)) if at == block => earlier < position,
                Some((at, _)) => dominators.dominates(at, block),
                None => false,
            };
            if !good {
                self.problem(block, stmt, format!("{used} is not defined here"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::print::sample;

    /// A sound body has no problems; each change of it that breaks one rule yields that problem.
    #[test]
    fn each_rule_is_noticed() {
        let (types, good) = sample();
        assert_eq!(verify(&good, &types), vec![]);
        let entry = Block::from_u32(0);
        let messages =
            |code: &IrCode| verify(code, &types).into_iter().map(|it| it.message).collect::<Vec<_>>();

        let mut code = good.clone();
        code.blocks[entry].stmts.pop();
        assert_eq!(messages(&code), ["the last statement is no terminator"]);

        let mut code = good.clone();
        let first = code.blocks[entry].stmts[0];
        code.stmts[first].op.each_operand_mut(|it| *it = Value::Arg(9));
        assert_eq!(messages(&code), ["there is no argument 9", "there is no argument 9"]);

        // The value of bb1 is used in bb2, which bb0 reaches without passing bb1.
        let mut code = good.clone();
        let inner = code.blocks[Block::from_u32(1)].stmts[0];
        let last = *code.blocks[Block::from_u32(2)].stmts.last().expect("bb2 returns");
        code.stmts[last].op = Op::Return(Value::Stmt(inner));
        assert_eq!(messages(&code), [format!("{inner} is not defined here")]);
    }

    /// A region of a `try` is entered and left in one way, and its handler gets what it defines by a `PhiC` alone.
    #[test]
    fn regions_are_checked() {
        let types = kiln_types::Types::new();
        let good = "f(_0::Int64, _1::Bool)::Int64\n\
                    bb0:\n  %0 = enter bb1, bb4\n\
                    bb1:\n  %1 = ϒ (_0)::Int64\n  branch _1 ? bb2 : bb3\n\
                    bb2:\n  goto bb3\n\
                    bb3:\n  %4 = leave(%0)::Nothing\n  return _0\n\
                    bb4:\n  %6 = φᶜ (%1)::Int64\n  %7 = pop_exception %0::Nothing\n  return %6\n";
        let messages = |text: &str| {
            let code =
                crate::parse(text, &types, &crate::Vocabulary::core(&types)).expect("it is well formed");
            verify(&code, &types).into_iter().map(|it| it.message).collect::<Vec<_>>()
        };
        assert_eq!(messages(good), Vec::<String>::new());
        let with = |from: &str, to: &str| messages(&good.replacen(from, to, 1));
        assert_eq!(with("%6 = φᶜ (%1)", "%6 = φᶜ (%7)"), ["a φᶜ of what is no ϒ"]);
        assert_eq!(with("%6 = φᶜ (%1)", "%6 = π (%1)"), ["%1 is not defined here"]);
        assert_eq!(
            with("%1 = ϒ (_0)", "%1 = φᶜ ()"),
            ["a φᶜ that starts no handler", "a φᶜ of what is no ϒ"]
        );
        assert_eq!(with("%4 = leave(%0)", "%4 = π (_0)"), ["`return` within a `try`"]);
        let twice = with("%4 = leave(%0)", "%4 = leave(%0, %0)");
        assert_eq!(twice, ["`leave` of another `try` than the innermost"]);
        let other_way = with("  goto bb3", "  goto bb4");
        assert_eq!(other_way, ["on one way to the block another `try` is open than on another"]);
    }
}
