//! The text form of an [`IrCode`], close to what Julia's `code_typed` shows.
//!
//! It is a function of the body and its interner's names only: no ids of types or constants appear.

use crate::{IrCode, Op, Stmt, ThrowSite, ThunkStep, ThunkValue, Undefined, Value};
use kiln_types::{Symbol, Types, display, module};
use std::fmt::{self, Display, Formatter, Write};

/// A body to be printed; see [`IrCode::display`].
#[derive(Clone, Copy)]
pub struct IrDisplay<'a> {
    code: &'a IrCode,
    types: &'a Types,
}

impl IrCode {
    /// The text form.
    pub fn display<'a>(&'a self, types: &'a Types) -> IrDisplay<'a> {
        IrDisplay { code: self, types }
    }
}

impl Display for IrDisplay<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let types = self.types;
        write!(f, "{}(", types.name(self.code.name))?;
        for (n, &ty) in self.code.args.iter().enumerate() {
            let comma = if n == 0 { "" } else { ", " };
            write!(f, "{comma}_{n}::{}", display::of_type(types, ty))?;
        }
        writeln!(f, ")::{}", display::of_type(types, self.code.return_type))?;
        for (block, data) in &self.code.blocks {
            writeln!(f, "{block}:")?;
            for &stmt in &data.stmts {
                self.statement(f, stmt)?;
            }
        }
        for (site, _) in &self.code.throw_sites {
            self.site(f, site)?;
        }
        Ok(())
    }
}

impl IrDisplay<'_> {
    fn statement(&self, f: &mut Formatter<'_>, stmt: Stmt) -> fmt::Result {
        let data = &self.code.stmts[stmt];
        f.write_str("  ")?;
        if !data.op.is_terminator() && !matches!(data.op, Op::Nop) || matches!(data.op, Op::Enter { .. }) {
            write!(f, "{stmt} = ")?;
        }
        self.operation(f, &data.op)?;
        if data.op.is_terminator() || matches!(data.op, Op::Nop) {
            f.write_char('\n')
        } else {
            writeln!(f, "::{}", display::of_type(self.types, data.ty))
        }
    }

    fn operation(&self, f: &mut Formatter<'_>, op: &Op) -> fmt::Result {
        match op {
            Op::Phi(incoming) => {
                f.write_str("φ (")?;
                for (n, (from, value)) in incoming.iter().enumerate() {
                    let comma = if n == 0 { "" } else { ", " };
                    write!(f, "{comma}{from} => {}", self.value(*value))?;
                }
                f.write_char(')')
            }
            Op::Pi(value) => write!(f, "π ({})", self.value(*value)),
            Op::Upsilon(value) => write!(f, "ϒ ({})", self.value(*value)),
            Op::PhiC(kept) => self.call(f, "", "φᶜ ", kept),
            Op::Intrinsic(it, args) => self.call(f, "Intrinsics.", it.name(), args),
            Op::Builtin(it, args) => self.call(f, "Core.", it.name(), args),
            Op::Host(it, args) => self.call(f, "Core.Host.", it.name(), args),
            Op::Invoke(instance, args) => self.call(f, "invoke ", &instance.to_string(), args),
            Op::Lookup(instance, args) => self.call(f, "gpuc.lookup ", &instance.to_string(), args),
            Op::Call(args) => self.call(f, "", "dynamic", args),
            Op::New(args) => self.call(f, "", "new", args),
            Op::NewDynamic(args) => self.call(f, "", "new_dynamic", args),
            Op::SplatNew(ty, args) => self.call(f, "", "splatnew", &[*ty, *args]),
            Op::Global(module, name) => self.global(f, "", *module, *name),
            Op::BoundsCheck => f.write_str("boundscheck"),
            Op::IsDefinedGlobal(module, name) => self.global(f, "isdefined ", *module, *name),
            Op::ThrowUndefIfNot(what, value) => {
                let scope = if matches!(what, Undefined::StaticParam(_)) { "static " } else { "" };
                let name = self.types.name(what.name());
                write!(f, "throw_undef_if_not {scope}{name}, {}", self.value(*value))
            }
            Op::Enter { body, handler } => write!(f, "enter {body}, {handler}"),
            Op::Leave(tokens) => self.call(f, "", "leave", tokens),
            Op::TheException => f.write_str("the_exception"),
            Op::PopException(token) => write!(f, "pop_exception {}", self.value(*token)),
            Op::CopyAst(it) => write!(f, "copyast {}", display::of_const(self.types, *it)),
            Op::LoopInfo(marks) => {
                f.write_str("loopinfo")?;
                marks.iter().try_for_each(|it| write!(f, " {}", self.types.name(*it)))
            }
            Op::Nop => f.write_str("nop"),
            Op::Goto(target) => write!(f, "goto {target}"),
            Op::Branch { cond, then, other } => write!(f, "branch {} ? {then} : {other}", self.value(*cond)),
            Op::Return(value) => write!(f, "return {}", self.value(*value)),
            Op::Fail(site, args) => self.call(f, "fail ", &site.to_string(), args),
            Op::Report(site, args) => self.call(f, "report ", &site.to_string(), args),
            Op::Unreachable => f.write_str("unreachable"),
        }
    }

    fn call(&self, f: &mut Formatter<'_>, prefix: &str, name: &str, args: &[Value]) -> fmt::Result {
        write!(f, "{prefix}{name}(")?;
        for (n, value) in args.iter().enumerate() {
            let comma = if n == 0 { "" } else { ", " };
            write!(f, "{comma}{}", self.value(*value))?;
        }
        f.write_char(')')
    }

    fn global(
        &self,
        f: &mut Formatter<'_>,
        prefix: &str,
        module: kiln_types::Module,
        name: Symbol,
    ) -> fmt::Result {
        let types = self.types;
        write!(f, "{prefix}{}.{}", types.name(module::name(types, module)), types.name(name))
    }

    fn value(&self, value: Value) -> String {
        match value {
            Value::Stmt(stmt) => stmt.to_string(),
            Value::Arg(n) => format!("_{n}"),
            Value::Const(it) => display::of_const(self.types, it),
        }
    }

    fn site(&self, f: &mut Formatter<'_>, site: ThrowSite) -> fmt::Result {
        let data = &self.code.throw_sites[site];
        write!(f, "{site}(")?;
        for (n, ty) in data.operands.iter().enumerate() {
            let comma = if n == 0 { "" } else { ", " };
            write!(f, "{comma}#{n}::{}", display::of_type(self.types, *ty))?;
        }
        writeln!(f, "):")?;
        for (n, step) in data.thunk.iter().enumerate() {
            let (head, args) = match step {
                ThunkStep::Call(args) => ("call".to_owned(), args),
                ThunkStep::New(ty, args) => (format!("new {}", display::of_type(self.types, *ty)), args),
            };
            write!(f, "  !{n} = {head}(")?;
            for (n, value) in args.iter().enumerate() {
                let comma = if n == 0 { "" } else { ", " };
                let text = match value {
                    ThunkValue::Operand(n) => format!("#{n}"),
                    ThunkValue::Step(n) => format!("!{n}"),
                    ThunkValue::Const(it) => display::of_const(self.types, *it),
                };
                write!(f, "{comma}{text}")?;
            }
            writeln!(f, ")")?;
        }
        Ok(())
    }
}

/// `f(x::Int64, y::Int64)`: a comparison, and a phi of `x` and `x + y`.
#[cfg(test)]
pub(crate) fn sample() -> (Types, IrCode) {
    use crate::{Block, BlockData, Intrinsic, SourceLoc, StmtData};
    use kiln_types::{Module, definition};
    let types = Types::new();
    let (int, boolean, bottom) = (types.core().int64, types.core().bool, types.core().bottom);
    let f = definition::define_singleton(&types, types.symbol("#f"), Module::MAIN, types.core().function);
    let mut code = IrCode {
        name: types.symbol("f"),
        args: vec![f, int, int],
        stmts: Default::default(),
        blocks: Default::default(),
        inlined_at: vec![],
        throw_sites: Default::default(),
        return_type: int,
    };
    let blocks: Vec<Block> = (0..3).map(|_| code.blocks.push(BlockData::default())).collect();
    let mut add = |block: usize, op, ty| {
        code.append(blocks[block], StmtData { op, ty, loc: SourceLoc::NONE, inlined: 0, inbounds: false })
    };
    let (x, y) = (Value::Arg(1), Value::Arg(2));
    let less = add(0, Op::Intrinsic(Intrinsic::SltInt, vec![x, y]), boolean);
    add(0, Op::Branch { cond: Value::Stmt(less), then: blocks[1], other: blocks[2] }, bottom);
    let sum = add(1, Op::Intrinsic(Intrinsic::AddInt, vec![x, y]), int);
    add(1, Op::Goto(blocks[2]), bottom);
    let phi = add(2, Op::Phi(vec![(blocks[0], x), (blocks[1], Value::Stmt(sum))]), int);
    add(2, Op::Return(Value::Stmt(phi)), bottom);
    (types, code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_reads_like_julia() {
        let (types, code) = sample();
        let text = code.display(&types).to_string();
        let body = text.split_once('\n').expect("the header is one line").1;
        assert_eq!(
            body,
            "bb0:\n  %0 = Intrinsics.slt_int(_1, _2)::Bool\n  branch %0 ? bb1 : bb2\n\
             bb1:\n  %2 = Intrinsics.add_int(_1, _2)::Int64\n  goto bb2\n\
             bb2:\n  %4 = φ (bb0 => _1, bb1 => %2)::Int64\n  return %4\n"
        );
    }
}
