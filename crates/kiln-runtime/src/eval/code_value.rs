//! Lowered code as a value: a `Core.CodeInfo`, whose statements are expressions over `SSAValue`s and slots.

use crate::heap::{Value, arrays, constants, exprs, fields, tuples};
use crate::runtime::Runtime;
use crate::thrown::Run;
use kiln_ir::{CodeInfo, Declaration, Inlining, Lowered, LoweredStmt, Mark, SourceLoc};
use kiln_types::{Const, Module, Symbol, Type};

/// Makes the nodes of lowered and typed code.
pub(super) struct Nodes<'a> {
    pub(super) rt: &'a Runtime,
}

impl Nodes<'_> {
    /// The type of a kind of node, which the library defines.
    pub(super) fn ty(&self, name: &str) -> Run<Type> {
        let rt = self.rt;
        let found = rt.global(Module::CORE, rt.types.symbol(name));
        let found = found.and_then(|it| it.as_type(rt.types.core()));
        found.ok_or_else(|| rt.error(&format!("`Core.{name}` is not defined yet")))
    }

    /// A node of these fields; trailing ones may be missing.
    pub(super) fn node(&self, name: &str, fields: &[Value]) -> Run {
        Ok(fields::new_struct(&self.rt.heap, self.ty(name)?, fields))
    }

    /// A node that holds a number counted from 1, given from 0.
    pub(super) fn numbered(&self, name: &str, index: u32) -> Run {
        self.node(name, &[self.rt.heap.int(i64::from(index) + 1)])
    }

    pub(super) fn expr(&self, head: &str, args: &[Value]) -> Value {
        exprs::new(&self.rt.heap, self.rt.types.symbol(head), args)
    }

    pub(super) fn global(&self, module: Module, name: Symbol) -> Value {
        let core = self.rt.types.core();
        let fields = [Value::module(core, module), Value::symbol(core, name)];
        fields::new_struct(&self.rt.heap, core.global_ref, &fields)
    }

    /// A constant as an operand: quoted if code would take it for something else.
    pub(super) fn constant(&self, constant: Const) -> Run {
        let (heap, core) = (&self.rt.heap, self.rt.types.core());
        let value = constants::value_of(heap, constant);
        let quoted = [core.symbol, core.expr, core.global_ref, core.quote_node, core.line_number_node];
        let is_node = ["SSAValue", "SlotNumber", "Argument"].into_iter();
        let is_node = is_node.map(|it| self.ty(it)).collect::<Run<Vec<_>>>()?.contains(&value.ty());
        let is_code = quoted.contains(&value.ty()) || is_node;
        Ok(if is_code { fields::new_struct(heap, core.quote_node, &[value]) } else { value })
    }

    /// The lines that statements are from, 0 where unknown.
    pub(super) fn lines(&self, locs: impl Iterator<Item = SourceLoc>) -> Value {
        let heap = &self.rt.heap;
        let line = |it| self.rt.frontend.place(it).map_or(0, |it| i64::from(it.1));
        let lines: Vec<Value> = locs.map(|it| heap.int(line(it))).collect();
        arrays::any_vector(heap, &lines)
    }

    /// `Core._code_info(facts)`; the library defines the fields.
    pub(super) fn code_info(&self, facts: &[(&str, Value)]) -> Run {
        let rt = self.rt;
        let names: Vec<_> = facts.iter().map(|it| rt.types.symbol(it.0)).collect();
        let values: Vec<_> = facts.iter().map(|it| it.1).collect();
        let make = rt.global(Module::CORE, rt.types.symbol("_code_info"));
        let make = make.ok_or_else(|| rt.error("`Core._code_info` is not defined yet"))?;
        rt.call_latest(make, &[tuples::named(&rt.heap, &names, &values)])
    }

    fn operand(&self, operand: Lowered) -> Run {
        match operand {
            Lowered::Ssa(index) => self.numbered("SSAValue", index),
            Lowered::Slot(index) => self.numbered("SlotNumber", index),
            Lowered::Const(value) => self.constant(value),
            Lowered::Global(module, name) => Ok(self.global(module, name)),
            Lowered::StaticParam(index) => {
                Ok(self.expr("static_parameter", &[self.rt.heap.int(i64::from(index) + 1)]))
            }
        }
    }

    fn operands(&self, head: &str, operands: &[Lowered]) -> Run {
        let args = operands.iter().map(|&it| self.operand(it)).collect::<Run<Vec<_>>>()?;
        Ok(self.expr(head, &args))
    }

    /// A statement; `bodies` are the bodies of the methods that it may add.
    fn statement(&self, stmt: &LoweredStmt, bodies: &[CodeInfo]) -> Run {
        let heap = &self.rt.heap;
        Ok(match stmt {
            LoweredStmt::Value(it) => self.operand(*it)?,
            LoweredStmt::SetSlot(slot, value) => {
                self.expr("=", &[self.numbered("SlotNumber", *slot)?, self.operand(*value)?])
            }
            LoweredStmt::NewVar(slot) => self.node("NewvarNode", &[self.numbered("SlotNumber", *slot)?])?,
            LoweredStmt::Call(args) => self.operands("call", args)?,
            LoweredStmt::New(args) => self.operands("new", args)?,
            LoweredStmt::SplatNew(ty, fields) => self.operands("splatnew", &[*ty, *fields])?,
            LoweredStmt::IsDefined(it) => self.operands("isdefined", &[*it])?,
            LoweredStmt::Goto(target) => self.numbered("GotoNode", *target)?,
            LoweredStmt::GotoIfNot(cond, target) => {
                let target = heap.int(i64::from(*target) + 1);
                self.node("GotoIfNot", &[self.operand(*cond)?, target])?
            }
            LoweredStmt::Return(it) => self.node("ReturnNode", &[self.operand(*it)?])?,
            LoweredStmt::Enter(handler) => self.numbered("EnterNode", *handler)?,
            LoweredStmt::Leave(tokens) => self.operands("leave", tokens)?,
            LoweredStmt::TheException => self.expr("the_exception", &[]),
            LoweredStmt::PopException(token) => self.operands("pop_exception", &[*token])?,
            LoweredStmt::BoundsCheck => self.expr("boundscheck", &[]),
            LoweredStmt::InboundsBegin => self.expr("inbounds", &[heap.bool(true)]),
            LoweredStmt::InboundsEnd => self.expr("inbounds", &[heap.symbol("pop")]),
            LoweredStmt::LoopInfo(marks) => {
                let core = self.rt.types.core();
                let marks: Vec<Value> = marks.iter().map(|&it| Value::symbol(core, it)).collect();
                self.expr("loopinfo", &marks)
            }
            LoweredStmt::CopyAst(value) => self.expr("copyast", &[self.constant(*value)?]),
            LoweredStmt::GenericFunction(module, name) => self.expr("method", &[self.global(*module, *name)]),
            LoweredStmt::Method { signature, body, table } => {
                let name = bodies.get(*body as usize).map(|it| Value::symbol(self.rt.types.core(), it.name));
                let name = name.unwrap_or_else(|| heap.nothing());
                let table = table.map_or(Ok(name), |it| self.operand(it))?;
                let body = bodies.get(*body as usize).map_or(Ok(heap.nothing()), |it| self.code(it))?;
                self.expr("method", &[table, self.operand(*signature)?, body])
            }
            LoweredStmt::DeclareGlobal { module, name, value, kind } => {
                let head = match kind {
                    Declaration::Constant => "const",
                    Declaration::Variable => "globaldecl",
                    Declaration::Weak => "global",
                };
                let mut args = vec![self.global(*module, *name)];
                args.extend(value.map(|it| self.operand(it)).transpose()?);
                self.expr(head, &args)
            }
            LoweredStmt::LatestWorld => self.expr("latestworld", &[]),
            LoweredStmt::TopLevel(value) => constants::value_of(heap, *value),
        })
    }

    fn mark(&self, mark: &Mark) -> Value {
        match mark {
            Mark::Name(name) => Value::symbol(self.rt.types.core(), *name),
            Mark::Value(value) => constants::value_of(&self.rt.heap, *value),
            Mark::Node(head, args) => {
                let args: Vec<Value> = args.iter().map(|it| self.mark(it)).collect();
                exprs::new(&self.rt.heap, *head, &args)
            }
        }
    }

    fn code(&self, code: &CodeInfo) -> Run {
        let (heap, core) = (&self.rt.heap, self.rt.types.core());
        let code = &with_own_reads(code);
        let mut stmts: Vec<Value> =
            code.meta.others.iter().map(|it| self.expr("meta", &[self.mark(it)])).collect();
        for stmt in &code.stmts[stmts.len()..] {
            stmts.push(self.statement(stmt, &code.bodies)?);
        }
        let names: Vec<Value> = code.slots.iter().map(|it| Value::symbol(core, it.name)).collect();
        let unused: Vec<Value> = code.slots.iter().map(|it| heap.bool(it.unused)).collect();
        let single: Vec<Value> = code.slots.iter().map(|it| heap.bool(it.single_assignment)).collect();
        let params: Vec<Value> = code.static_params.iter().map(|&it| Value::symbol(core, it)).collect();
        let inlining = match code.meta.inlining {
            Inlining::Default => 0,
            Inlining::Always => 1,
            Inlining::Never => 2,
        };
        let assumed: Vec<Value> =
            code.meta.assumed_effects.iter().map(|&it| Value::symbol(core, it)).collect();
        let constprop = code.meta.constprop.map_or(heap.nothing(), |it| Value::symbol(core, it));
        self.code_info(&[
            ("code", arrays::any_vector(heap, &stmts)),
            ("lines", self.lines(code.locs.iter().copied())),
            ("name", Value::symbol(core, code.name)),
            ("mod", Value::module(core, code.module)),
            ("slotnames", arrays::any_vector(heap, &names)),
            ("unused", arrays::any_vector(heap, &unused)),
            ("single", arrays::any_vector(heap, &single)),
            ("sparams", arrays::any_vector(heap, &params)),
            ("nargs", heap.int(i64::from(code.nargs))),
            ("isva", heap.bool(code.is_va)),
            ("propagate_inbounds", heap.bool(code.meta.propagate_inbounds)),
            ("inlining", heap.int(inlining)),
            ("constprop", constprop),
            ("assumed", arrays::any_vector(heap, &assumed)),
            ("types", heap.nothing()),
            ("rettype", heap.nothing()),
        ])
    }
}

/// The code with a statement of its own for each global that a call or a branch reads, and for each static parameter that a
/// branch reads or a return gives, as Julia's lowering has them.
fn with_own_reads(code: &CodeInfo) -> CodeInfo {
    let mut starts = Vec::with_capacity(code.stmts.len());
    let mut values = Vec::with_capacity(code.stmts.len());
    // Marks come first, a statement each.
    let mut next = code.meta.others.len() as u32;
    for stmt in &code.stmts {
        let mut own = 0;
        stmt.each_operand(|it| own += u32::from(has_own_read(stmt, &it)));
        starts.push(next);
        values.push(next + own);
        next += own + 1;
    }
    let mark = LoweredStmt::Goto(0);
    let marks = code.meta.others.len();
    let mut out = CodeInfo { stmts: vec![mark; marks], locs: vec![code.loc; marks], ..code.clone() };
    for (stmt, &loc) in code.stmts.iter().zip(&code.locs) {
        let mut moved = stmt.clone();
        moved.each_operand_mut(|operand| {
            if let Lowered::Ssa(index) = operand {
                *index = values[*index as usize];
            } else if has_own_read(stmt, operand) {
                let read = std::mem::replace(operand, Lowered::Ssa(out.stmts.len() as u32));
                out.stmts.push(LoweredStmt::Value(read));
                out.locs.push(loc);
            }
        });
        if let LoweredStmt::Goto(to) | LoweredStmt::GotoIfNot(_, to) | LoweredStmt::Enter(to) = &mut moved {
            *to = starts[*to as usize];
        }
        out.stmts.push(moved);
        out.locs.push(loc);
    }
    out
}

/// Whether Julia has a statement for reading this operand.
fn has_own_read(stmt: &LoweredStmt, operand: &Lowered) -> bool {
    let is_branch = matches!(stmt, LoweredStmt::Return(_) | LoweredStmt::GotoIfNot(..));
    let is_call = matches!(stmt, LoweredStmt::Call(_) | LoweredStmt::New(_));
    match operand {
        Lowered::Global(..) => is_branch || is_call,
        Lowered::StaticParam(_) => is_branch,
        Lowered::Ssa(_) | Lowered::Slot(_) | Lowered::Const(_) => false,
    }
}

/// Lowered code as a `Core.CodeInfo`.
pub(crate) fn lowered_value(rt: &Runtime, code: &CodeInfo) -> Run {
    Nodes { rt }.code(code)
}
