//! A `Core.CodeInfo` back to lowered code: thunks that are evaluated, and bodies that generators return.

use super::code_value::Nodes;
use crate::heap::{Value, arrays, constants, exprs, fields};
use crate::runtime::Runtime;
use crate::thrown::Run;
use kiln_ir::{CodeInfo, CodeMeta, Declaration, Inlining, Lowered, LoweredStmt, SlotInfo, SourceLoc};
use kiln_types::{Module, Symbol, Type, consts, datatype};

/// Marks the number of a statement of the value: that of the lowered statement is known when all are made.
const GIVEN: u32 = 1 << 30;

/// The kinds of nodes.
struct NodeTypes {
    ssa: Type,
    slot: Type,
    argument: Type,
    goto: Type,
    goto_if_not: Type,
    returns: Type,
    new_var: Type,
    enter: Type,
}

/// Reads one `CodeInfo`.
struct Reader<'a> {
    rt: &'a Runtime,
    kinds: NodeTypes,
    module: Module,
    stmts: Vec<LoweredStmt>,
    bodies: Vec<CodeInfo>,
}

impl Reader<'_> {
    fn malformed<T>(&self, what: &str) -> Run<T> {
        Err(self.rt.error(&format!("malformed `CodeInfo`: {what}")))
    }

    /// The number in a node that holds one, from 0.
    fn number(&self, node: Value) -> Run<u32> {
        let (heap, core) = (&self.rt.heap, self.rt.types.core());
        let number = fields::get(heap, node, 0).and_then(|it| it.as_int(core));
        match number.and_then(|it| u32::try_from(it - 1).ok()) {
            Some(number) if number < GIVEN => Ok(number),
            _ => self.malformed("a number that counts from 1 is expected"),
        }
    }

    fn push(&mut self, stmt: LoweredStmt) -> Lowered {
        self.stmts.push(stmt);
        Lowered::Ssa(self.stmts.len() as u32 - 1)
    }

    fn global(&self, value: Value) -> Option<(Module, Symbol)> {
        let (heap, core) = (&self.rt.heap, self.rt.types.core());
        if let Some(name) = value.as_symbol(core) {
            return Some((self.module, name));
        }
        if value.ty() != core.global_ref {
            return None;
        }
        let field = |at| fields::get(heap, value, at);
        Some((field(0)?.as_module(core)?, field(1)?.as_symbol(core)?))
    }

    fn operand(&mut self, value: Value) -> Run<Lowered> {
        let (rt, core) = (self.rt, self.rt.types.core());
        let ty = value.ty();
        if ty == self.kinds.ssa {
            return Ok(Lowered::Ssa(self.number(value)? + GIVEN));
        }
        if ty == self.kinds.slot || ty == self.kinds.argument {
            return Ok(Lowered::Slot(self.number(value)?));
        }
        if let Some((module, name)) = self.global(value) {
            return Ok(Lowered::Global(module, name));
        }
        if ty == core.quote_node {
            let inner = fields::get(&rt.heap, value, 0).unwrap_or_else(|| rt.heap.nothing());
            return Ok(Lowered::Const(constants::const_of(&rt.heap, inner)));
        }
        match exprs::parts(&rt.heap, value) {
            Some((head, args)) if rt.types.name(head) == "static_parameter" && args.len() == 1 => {
                let number = args[0].as_int(core).and_then(|it| u32::try_from(it - 1).ok());
                number.map_or_else(|| self.malformed("a static parameter"), |it| Ok(Lowered::StaticParam(it)))
            }
            Some(_) => {
                let stmt = self.statement(value)?;
                Ok(self.push(stmt))
            }
            None => Ok(Lowered::Const(constants::const_of(&rt.heap, value))),
        }
    }

    fn operands(&mut self, args: &[Value]) -> Run<Box<[Lowered]>> {
        args.iter().map(|&it| self.operand(it)).collect()
    }

    fn statement(&mut self, value: Value) -> Run<LoweredStmt> {
        let rt = self.rt;
        let (ty, heap) = (value.ty(), &rt.heap);
        let field = |at| fields::get(heap, value, at);
        if ty == self.kinds.goto {
            return Ok(LoweredStmt::Goto(self.number(value)?));
        }
        if ty == self.kinds.enter {
            return Ok(LoweredStmt::Enter(self.number(value)?));
        }
        if ty == self.kinds.goto_if_not {
            let target = field(1).and_then(|it| it.as_int(rt.types.core()));
            let Some(target) = target.and_then(|it| u32::try_from(it - 1).ok()) else {
                return self.malformed("a jump without a target");
            };
            let cond = self.operand(field(0).unwrap_or_else(|| heap.nothing()))?;
            return Ok(LoweredStmt::GotoIfNot(cond, target));
        }
        if ty == self.kinds.returns {
            let Some(result) = field(0) else { return self.malformed("unreachable code in lowered code") };
            return Ok(LoweredStmt::Return(self.operand(result)?));
        }
        if ty == self.kinds.new_var {
            let slot = field(0).unwrap_or(value);
            return Ok(LoweredStmt::NewVar(self.number(slot)?));
        }
        match exprs::parts(heap, value) {
            Some((head, args)) => self.expression(rt.types.name(head), &args),
            None => Ok(LoweredStmt::Value(self.operand(value)?)),
        }
    }

    fn expression(&mut self, head: &str, args: &[Value]) -> Run<LoweredStmt> {
        let rt = self.rt;
        let core = rt.types.core();
        Ok(match (head, args) {
            ("call", [_, ..]) => LoweredStmt::Call(self.operands(args)?),
            ("invoke", [_, call @ ..]) if !call.is_empty() => LoweredStmt::Call(self.operands(call)?),
            ("new", [_, ..]) => LoweredStmt::New(self.operands(args)?),
            ("splatnew", &[ty, fields]) => LoweredStmt::SplatNew(self.operand(ty)?, self.operand(fields)?),
            ("=", &[slot, value]) if slot.ty() == self.kinds.slot => {
                let value = self.operand(value)?;
                LoweredStmt::SetSlot(self.number(slot)?, value)
            }
            ("isdefined", &[it]) => LoweredStmt::IsDefined(self.operand(it)?),
            ("leave", _) => LoweredStmt::Leave(self.operands(args)?),
            ("the_exception", []) => LoweredStmt::TheException,
            ("pop_exception", &[token]) => LoweredStmt::PopException(self.operand(token)?),
            ("boundscheck", _) => LoweredStmt::BoundsCheck,
            ("inbounds", &[flag]) if flag.as_bool(core) == Some(true) => LoweredStmt::InboundsBegin,
            ("inbounds", _) => LoweredStmt::InboundsEnd,
            ("loopinfo", _) => {
                LoweredStmt::LoopInfo(args.iter().filter_map(|it| it.as_symbol(core)).collect())
            }
            ("copyast", &[it]) => match self.operand(it)? {
                Lowered::Const(quoted) => LoweredStmt::CopyAst(quoted),
                Lowered::Ssa(_) | Lowered::Slot(_) | Lowered::Global(..) | Lowered::StaticParam(_) => {
                    return self.malformed("`copyast` of no constant");
                }
            },
            ("static_parameter", _) => return self.malformed("a static parameter alone"),
            ("meta", _) => LoweredStmt::Value(Lowered::Const(consts::nothing(&rt.types))),
            ("latestworld", _) => LoweredStmt::LatestWorld,
            ("method", &[name]) => match self.global(name) {
                Some((module, name)) => LoweredStmt::GenericFunction(module, name),
                None => return self.malformed("a function without a name"),
            },
            ("method", &[table, signature, body]) => {
                let body = code_of_value(rt, body, self.module)?;
                // A name is for readers: the signature says whose method it is. Anything else is a method table.
                let is_name = table.as_symbol(core).is_some() || table.is_nothing(core);
                let table = if is_name { None } else { Some(self.operand(table)?) };
                self.bodies.push(body);
                let signature = self.operand(signature)?;
                LoweredStmt::Method { signature, body: self.bodies.len() as u32 - 1, table }
            }
            ("const" | "global" | "globaldecl", [name, value @ ..]) => {
                let Some((module, name)) = self.global(*name) else {
                    return self.malformed("a declaration without a name");
                };
                let value = value.first().map(|&it| self.operand(it)).transpose()?;
                let kind = match head {
                    "const" => Declaration::Constant,
                    "globaldecl" => Declaration::Variable,
                    _ => Declaration::Weak,
                };
                LoweredStmt::DeclareGlobal { module, name, value, kind }
            }
            ("toplevel" | "module" | "using" | "import" | "export" | "public", _) => {
                let statement = exprs::new(&rt.heap, rt.types.symbol(head), args);
                LoweredStmt::TopLevel(constants::const_of(&rt.heap, statement))
            }
            _ => return self.malformed(&format!("the expression `{head}`")),
        })
    }
}

/// Whether a value is a `Core.CodeInfo`.
pub(crate) fn is_code_info(rt: &Runtime, value: Value) -> bool {
    Nodes { rt }.ty("CodeInfo").is_ok_and(|it| value.ty() == it)
}

/// Returns the lowered code of a `Core.CodeInfo`; unqualified names belong to `module`.
pub(crate) fn code_of_value(rt: &Runtime, value: Value, module: Module) -> Run<CodeInfo> {
    let core = rt.types.core();
    let nodes = Nodes { rt };
    if value.ty() != nodes.ty("CodeInfo")? {
        return Err(rt.error("malformed `thunk`: its code is no `CodeInfo`"));
    }
    let field = |name: &str| {
        let at = datatype::field_index(&rt.types, value.ty(), rt.types.symbol(name));
        at.and_then(|it| fields::get(&rt.heap, value, it))
    };
    let list = |name: &str| field(name).map_or_else(Vec::new, |it| arrays::values(&rt.heap, it));
    let kinds = NodeTypes {
        ssa: nodes.ty("SSAValue")?,
        slot: nodes.ty("SlotNumber")?,
        argument: nodes.ty("Argument")?,
        goto: nodes.ty("GotoNode")?,
        goto_if_not: nodes.ty("GotoIfNot")?,
        returns: nodes.ty("ReturnNode")?,
        new_var: nodes.ty("NewvarNode")?,
        enter: nodes.ty("EnterNode")?,
    };
    let mut reader = Reader { rt, kinds, module, stmts: Vec::new(), bodies: Vec::new() };
    let (mut begins, mut ends) = (Vec::new(), Vec::new());
    for it in list("code") {
        begins.push(reader.stmts.len() as u32);
        let stmt = reader.statement(it)?;
        ends.push(reader.stmts.len() as u32);
        reader.stmts.push(stmt);
    }
    let Reader { mut stmts, bodies, .. } = reader;
    for stmt in &mut stmts {
        stmt.each_operand_mut(|it| {
            if let Lowered::Ssa(number) = it
                && let Some(given) = number.checked_sub(GIVEN)
            {
                *number = ends.get(given as usize).copied().unwrap_or(given);
            }
        });
        if let LoweredStmt::Goto(to) | LoweredStmt::GotoIfNot(_, to) | LoweredStmt::Enter(to) = stmt {
            *to = begins.get(*to as usize).copied().unwrap_or(0);
        }
    }
    if !matches!(stmts.last(), Some(LoweredStmt::Return(_) | LoweredStmt::Goto(_))) {
        return Err(rt.error("malformed `CodeInfo`: its last statement does not return"));
    }
    let symbols = |name: &str| list(name).into_iter().filter_map(|it| it.as_symbol(core));
    let slots = symbols("slotnames").map(|name| SlotInfo { name, unused: false, single_assignment: false });
    let flag = |name: &str| field(name).and_then(|it| it.as_bool(core)).unwrap_or(false);
    let inlining = match field("inlining").map_or(0, |it| it.bits()) {
        1 => Inlining::Always,
        2 => Inlining::Never,
        _ => Inlining::Default,
    };
    let meta = CodeMeta { inlining, propagate_inbounds: flag("propagate_inbounds"), ..CodeMeta::default() };
    Ok(CodeInfo {
        name: rt.types.symbol("top-level scope"),
        module,
        slots: slots.collect(),
        nargs: field("nargs").map_or(0, |it| it.bits() as u32),
        is_va: flag("isva"),
        static_params: Vec::new(),
        locs: vec![SourceLoc::NONE; stmts.len()],
        stmts,
        bodies,
        meta,
        loc: SourceLoc::NONE,
    })
}
