//! Typed code as a value: a `Core.CodeInfo` whose statements are numbered from 1, with the type of each statement.

use super::code_value::Nodes;
use crate::heap::{Value, arrays};
use crate::runtime::Runtime;
use crate::thrown::Run;
use kiln_ir::{Block, IrCode, Op, Stmt, Value as Operand};
use kiln_types::Module;
use rustc_hash::FxHashMap;

/// Numbers the statements of a body as they lie, block after block.
struct Numbering {
    stmts: FxHashMap<Stmt, u32>,
    blocks: FxHashMap<Block, u32>,
    /// The last statement of each block.
    ends: FxHashMap<Block, u32>,
    order: Vec<Stmt>,
}

impl Numbering {
    fn new(code: &IrCode) -> Self {
        let (mut stmts, mut blocks, mut ends) =
            (FxHashMap::default(), FxHashMap::default(), FxHashMap::default());
        let mut order = Vec::new();
        for (block, data) in &code.blocks {
            blocks.insert(block, order.len() as u32);
            for &stmt in &data.stmts {
                stmts.insert(stmt, order.len() as u32);
                order.push(stmt);
                // A conditional jump is two statements of a `CodeInfo`.
                if matches!(code.stmts[stmt].op, Op::Branch { .. }) {
                    order.push(stmt);
                }
            }
            ends.insert(block, (order.len() as u32).saturating_sub(1));
        }
        Self { stmts, blocks, ends, order }
    }
}

struct Typed<'a> {
    nodes: Nodes<'a>,
    code: &'a IrCode,
    numbering: Numbering,
}

impl Typed<'_> {
    fn operand(&self, operand: Operand) -> Run {
        match operand {
            Operand::Stmt(stmt) => {
                let number = self.numbering.stmts.get(&stmt).copied().unwrap_or(0);
                self.nodes.numbered("SSAValue", number)
            }
            Operand::Arg(index) => self.nodes.numbered("Argument", index),
            Operand::Const(value) => self.nodes.constant(value),
        }
    }

    fn operands(&self, first: Option<Value>, operands: &[Operand]) -> Run<Vec<Value>> {
        first.into_iter().map(Ok).chain(operands.iter().map(|&it| self.operand(it))).collect()
    }

    fn call(&self, callee: Option<Value>, operands: &[Operand]) -> Run {
        Ok(self.nodes.expr("call", &self.operands(callee, operands)?))
    }

    fn label(&self, block: Block) -> u32 {
        self.numbering.blocks.get(&block).copied().unwrap_or(0)
    }

    /// A function of the runtime, by the name that `Base` or `Core` has for it.
    fn named(&self, module: &str, name: &str) -> Value {
        let types = &self.nodes.rt.types;
        let module = if module == "Core" { Module::CORE } else { Module::BASE };
        self.nodes.global(module, types.symbol(name))
    }

    fn phi(&self, incoming: &[(Block, Operand)]) -> Run {
        let heap = &self.nodes.rt.heap;
        let end = |it: &Block| self.numbering.ends.get(it).copied().unwrap_or(0);
        let int32 = self.nodes.rt.types.core().int32;
        let edges: Vec<Value> =
            incoming.iter().map(|it| Value::inline(int32, u64::from(end(&it.0)) + 1)).collect();
        let values = incoming.iter().map(|it| self.operand(it.1)).collect::<Run<Vec<_>>>()?;
        self.nodes.node("PhiNode", &[arrays::vector(heap, int32, &edges), arrays::any_vector(heap, &values)])
    }

    fn statement(&self, stmt: Stmt, again: bool) -> Run {
        let (nodes, rt) = (&self.nodes, self.nodes.rt);
        let (heap, core) = (&rt.heap, rt.types.core());
        let data = &self.code.stmts[stmt];
        Ok(match &data.op {
            Op::Phi(incoming) => self.phi(incoming)?,
            Op::Pi(value) => nodes.node("PiNode", &[self.operand(*value)?, heap.type_value(data.ty)])?,
            Op::Upsilon(value) => nodes.node("UpsilonNode", &[self.operand(*value)?])?,
            Op::PhiC(kept) => {
                let kept = kept.iter().map(|it| self.operand(*it)).collect::<Run<Vec<_>>>()?;
                nodes.node("PhiCNode", &[arrays::any_vector(heap, &kept)])?
            }
            Op::Intrinsic(it, args) => self.call(Some(self.named("Base", it.name())), args)?,
            Op::Builtin(it, args) => self.call(Some(self.named("Core", it.name())), args)?,
            Op::Host(it, args) => {
                let host = rt.global(Module::CORE, rt.types.symbol("Host"));
                let host = host.and_then(|it| it.as_module(core)).unwrap_or(Module::CORE);
                self.call(Some(nodes.global(host, rt.types.symbol(it.name()))), args)?
            }
            Op::Invoke(instance, args) => {
                let instance = Value::inline(core.method_instance, u64::from(instance.as_u32()));
                nodes.expr("invoke", &self.operands(Some(instance), args)?)
            }
            Op::Lookup(_, args) => self.call(Some(self.named("Core", "deferred")), args)?,
            Op::Call(args) => self.call(None, args)?,
            Op::New(args) => nodes.expr("new", &self.operands(Some(heap.type_value(data.ty)), args)?),
            Op::NewDynamic(args) => nodes.expr("new", &self.operands(None, args)?),
            Op::SplatNew(a, b) => nodes.expr("splatnew", &self.operands(None, &[*a, *b])?),
            Op::Global(module, name) => nodes.global(*module, *name),
            Op::BoundsCheck => nodes.expr("boundscheck", &[]),
            Op::IsDefinedGlobal(module, name) => nodes.expr("isdefined", &[nodes.global(*module, *name)]),
            Op::ThrowUndefIfNot(what, value) => {
                nodes.expr("throw_undef_if_not", &[Value::symbol(core, what.name()), self.operand(*value)?])
            }
            Op::Enter { handler, .. } => nodes.numbered("EnterNode", self.label(*handler))?,
            Op::Leave(tokens) => nodes.expr("leave", &self.operands(None, tokens)?),
            Op::TheException => nodes.expr("the_exception", &[]),
            Op::PopException(token) => nodes.expr("pop_exception", &[self.operand(*token)?]),
            Op::CopyAst(value) => nodes.expr("copyast", &[nodes.constant(*value)?]),
            Op::LoopInfo(marks) => {
                let marks: Vec<Value> = marks.iter().map(|&it| Value::symbol(core, it)).collect();
                nodes.expr("loopinfo", &marks)
            }
            Op::Nop => heap.nothing(),
            Op::Goto(to) => nodes.numbered("GotoNode", self.label(*to))?,
            Op::Branch { then, .. } if again => nodes.numbered("GotoNode", self.label(*then))?,
            Op::Branch { cond, other, .. } => {
                let label = heap.int(i64::from(self.label(*other)) + 1);
                nodes.node("GotoIfNot", &[self.operand(*cond)?, label])?
            }
            Op::Return(value) => nodes.node("ReturnNode", &[self.operand(*value)?])?,
            Op::Fail(_, args) => nodes.expr("throw_site", &self.operands(None, args)?),
            Op::Report(_, args) => nodes.expr("report_site", &self.operands(None, args)?),
            Op::Unreachable => nodes.node("ReturnNode", &[])?,
        })
    }

    fn code(&self) -> Run {
        let (code, heap) = (self.code, &self.nodes.rt.heap);
        let core = self.nodes.rt.types.core();
        let mut stmts = Vec::with_capacity(self.numbering.order.len());
        let mut types = Vec::with_capacity(self.numbering.order.len());
        for (at, &stmt) in self.numbering.order.iter().enumerate() {
            let again = at > 0 && self.numbering.order[at - 1] == stmt;
            stmts.push(self.statement(stmt, again)?);
            types.push(heap.type_value(code.stmts[stmt].ty));
        }
        let slots: Vec<Value> = (0..code.args.len()).map(|it| heap.symbol(&format!("#arg{it}"))).collect();
        let flags: Vec<Value> = slots.iter().map(|_| heap.bool(false)).collect();
        let none = arrays::any_vector(heap, &[]);
        self.nodes.code_info(&[
            ("code", arrays::any_vector(heap, &stmts)),
            ("lines", self.nodes.lines(self.numbering.order.iter().map(|&it| code.stmts[it].loc))),
            ("name", Value::symbol(core, code.name)),
            ("mod", heap.nothing()),
            ("slotnames", arrays::any_vector(heap, &slots)),
            ("unused", arrays::any_vector(heap, &flags)),
            ("single", arrays::any_vector(heap, &flags)),
            ("sparams", none),
            ("nargs", heap.int(code.args.len() as i64)),
            ("isva", heap.bool(false)),
            ("propagate_inbounds", heap.bool(false)),
            ("inlining", heap.int(0)),
            ("constprop", heap.nothing()),
            ("assumed", none),
            ("types", arrays::any_vector(heap, &types)),
            ("rettype", heap.type_value(code.return_type)),
        ])
    }
}

/// Typed code as a `Core.CodeInfo`.
pub(crate) fn typed_value(rt: &Runtime, code: &IrCode) -> Run {
    Typed { nodes: Nodes { rt }, code, numbering: Numbering::new(code) }.code()
}
