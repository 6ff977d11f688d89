//! Heads that only macros make: marks on bodies, regions without bounds checks, labels, `new` by itself.

use super::Desugar;
use crate::error::{Lowering, problem};
use crate::hir::{HirKind, HirNode};
use kiln_ir::{Expr, ExprId, Inlining, Mark, SourceLoc};
use kiln_types::{ConstData, Module, Symbol, consts};

impl Desugar<'_> {
    pub(super) fn internal_node(&mut self, head: &str, args: &[ExprId], loc: SourceLoc) -> Lowering<HirNode> {
        let kind = match head {
            "meta" => {
                self.mark(args);
                return Ok(self.nothing(loc));
            }
            "inbounds" => return Ok(self.inbounds(args, loc)),
            "boundscheck" => HirKind::BoundsCheck,
            "locals" => HirKind::Locals,
            "loopinfo" => HirKind::LoopInfo(self.loop_marks(args)),
            "isdefined" => return self.is_defined(args, loc),
            "foreigncall" => return Ok(self.no_foreign_call("ccall", loc)),
            "cfunction" => return self.c_function(args, loc),
            "symboliclabel" | "symbolicgoto" => {
                let Some(name) = args.first().and_then(|&it| self.as_symbol(it)) else {
                    return Err(problem("malformed-expression", "a label must be a name", loc));
                };
                if head == "symboliclabel" { HirKind::Label(name) } else { HirKind::Goto(name) }
            }
            "new" => HirKind::New(self.exprs(args)?),
            "splatnew" => {
                self.arity("splatnew", args, 2, 2, loc)?;
                let (ty, fields) = (self.expr(args[0])?, self.expr(args[1])?);
                HirKind::SplatNew(Box::new(ty), Box::new(fields))
            }
            "the_exception" => HirKind::TheException,
            "latestworld" => HirKind::LatestWorld,
            "latestworld-if-toplevel" => HirKind::LatestWorldAtTopLevel,
            "toplevel" => return self.toplevel(args, loc),
            "thismodule" => return Ok(self.module_value(loc)),
            "globalref" | "core" | "top" => return self.global_reference(head, args, loc),
            "generated" => return Ok(self.bool(false, loc)),
            "copyast" | "unnecessary" => match args.first() {
                Some(&inner) => return self.expr(inner),
                None => return Ok(self.nothing(loc)),
            },
            "softscope" => {
                let asked = args.first().map(|&it| self.ast.expr(it));
                let value = consts::bool(self.types, true);
                self.softscope |= matches!(asked, Some(Expr::Const(it)) if *it == value);
                return Ok(self.nothing(loc));
            }
            "gc_preserve_begin" | "gc_preserve_end" | "hardscope" | "aliasscope" | "popaliasscope"
            | "line" | "null" | "inline" | "noinline" | "purity" => {
                return Ok(self.nothing(loc));
            }
            _ => return Err(self.unsupported(head, loc)),
        };
        Ok(HirNode::new(kind, loc))
    }

    fn unsupported(&self, head: &str, loc: SourceLoc) -> Box<crate::LowerError> {
        match head {
            "opaque_closure" => problem("unsupported-opaque-closure", "unsupported: opaque closures", loc),
            _ => {
                problem("unsupported-expression", format!("unsupported: expressions with head `{head}`"), loc)
            }
        }
    }

    /// `Expr(:meta, ...)`: an annotation of the surrounding function.
    fn mark(&mut self, args: &[ExprId]) {
        let Some((&what, rest)) = args.split_first() else { return };
        let Some(name) = self.as_symbol(what) else {
            if self.is_head(what, "purity") {
                self.mark_effects(&self.args(what));
            } else if let Some(mark) = self.other_mark(what) {
                self.frame.meta.others.push(mark);
                self.mark(rest);
            }
            return;
        };
        let meta = &mut self.frame.meta;
        match self.types.name(name) {
            "inline" => meta.inlining = Inlining::Always,
            "noinline" => meta.inlining = Inlining::Never,
            "propagate_inbounds" => {
                meta.inlining = Inlining::Always;
                meta.propagate_inbounds = true;
            }
            "aggressive_constprop" => meta.constprop = Some(self.types.symbol("aggressive")),
            "no_constprop" => meta.constprop = Some(self.types.symbol("none")),
            "generated" | "generated_only" => {}
            "nospecialize" if rest.is_empty() => self.frame.nospecialize.push(None),
            "nospecialize" => {
                for &it in rest {
                    let named = self
                        .as_symbol(it)
                        .or_else(|| self.args(it).first().and_then(|&it| self.as_symbol(it)));
                    self.frame.nospecialize.extend(named.map(Some));
                }
            }
            _ => {}
        }
        // Several marks may share one node: `Expr(:meta, :inline, :propagate_inbounds)`.
        if !rest.is_empty() && !matches!(self.types.name(name), "nospecialize" | "specialize") {
            self.mark(rest);
        }
    }

    /// A mark that only programs read.
    fn other_mark(&self, it: ExprId) -> Option<Mark> {
        Some(match self.ast.expr(it) {
            Expr::Symbol(name) => Mark::Name(*name),
            Expr::Const(value) => Mark::Value(*value),
            Expr::Node { head, args } => {
                Mark::Node(*head, args.iter().map(|&it| self.other_mark(it)).collect::<Option<_>>()?)
            }
            Expr::Quote(_) | Expr::Global(..) | Expr::Line { .. } => return None,
        })
    }

    /// The order in which `Base.@assume_effects` puts its answers into the node.
    fn mark_effects(&mut self, args: &[ExprId]) {
        const NAMES: &[&str] = &[
            "consistent",
            "effect_free",
            "nothrow",
            "terminates_globally",
            "terminates_locally",
            "notaskstate",
            "inaccessiblememonly",
            "noub",
            "noub_if_noinbounds",
            "consistent_overlay",
            "nortcall",
        ];
        for (index, &it) in args.iter().enumerate() {
            if let Some(name) = self.as_symbol(it) {
                self.frame.meta.assumed_effects.push(name);
            } else if let Some(name) = self.negated_name(it) {
                self.frame.meta.assumed_effects.push(name);
            } else if let (Expr::Const(value), Some(name)) = (self.ast.expr(it), NAMES.get(index))
                && *value == consts::bool(self.types, true)
            {
                let name = self.types.symbol(name);
                self.frame.meta.assumed_effects.push(name);
            }
        }
    }

    /// `!name` of the expression `!:name`.
    fn negated_name(&self, it: ExprId) -> Option<Symbol> {
        let Expr::Node { head, args } = self.ast.expr(it) else { return None };
        let [not, name] = args.as_slice() else { return None };
        let is_not = self.types.name(*head) == "call"
            && self.as_symbol(*not).is_some_and(|it| self.types.name(it) == "!");
        let Expr::Quote(name) = self.ast.expr(*name) else { return None };
        let name = self.as_symbol(*name).filter(|_| is_not)?;
        Some(self.types.symbol(&format!("!{}", self.types.name(name))))
    }

    fn inbounds(&mut self, args: &[ExprId], loc: SourceLoc) -> HirNode {
        let kind = match args.first().map(|&it| self.ast.expr(it).clone()) {
            Some(Expr::Const(value)) => {
                let opens = value == consts::bool(self.types, true);
                self.frame.inbounds.push(opens);
                opens.then_some(HirKind::InboundsBegin)
            }
            _ => match self.frame.inbounds.pop() {
                Some(true) => Some(HirKind::InboundsEnd),
                Some(false) | None => None,
            },
        };
        match kind {
            Some(kind) => HirNode::new(kind, loc),
            None => self.nothing(loc),
        }
    }

    /// The number that a constant expression is.
    fn as_int(&self, expr: ExprId) -> Option<i64> {
        let Expr::Const(value) = self.ast.expr(expr) else { return None };
        let ConstData::Bits { ty, bytes } = self.types.const_data(*value) else { return None };
        let bytes: [u8; 8] = bytes[..].try_into().ok()?;
        (*ty == self.types.core().int64).then(|| i64::from_ne_bytes(bytes))
    }

    fn loop_marks(&self, args: &[ExprId]) -> Vec<Symbol> {
        let mut marks = Vec::new();
        for &it in args {
            match self.ast.expr(it) {
                Expr::Symbol(name) => marks.push(*name),
                Expr::Const(value) => {
                    if let ConstData::Symbol(name) = self.types.const_data(*value) {
                        marks.push(*name);
                    }
                }
                Expr::Quote(inner) => marks.extend(self.as_symbol(*inner)),
                Expr::Node { args, .. } => {
                    // `("llvm.loop.unroll.count", 4)`: one mark, a name with its number.
                    let named = self.loop_marks(args);
                    match (named.as_slice(), args.last().and_then(|&it| self.as_int(it))) {
                        (&[name], Some(number)) => {
                            marks.push(self.types.symbol(&format!("{}={number}", self.types.name(name))));
                        }
                        _ => marks.extend(named),
                    }
                }
                Expr::Global(..) | Expr::Line { .. } => {}
            }
        }
        marks
    }

    fn is_defined(&mut self, args: &[ExprId], loc: SourceLoc) -> Lowering<HirNode> {
        match args.first().map(|&it| self.ast.expr(it).clone()) {
            Some(Expr::Symbol(name)) => {
                Ok(HirNode::new(HirKind::IsDefined(Box::new(self.name(name, loc))), loc))
            }
            Some(Expr::Global(module, name)) => {
                let global = HirNode::new(HirKind::Global(module, name), loc);
                Ok(HirNode::new(HirKind::IsDefined(Box::new(global)), loc))
            }
            _ => Err(problem("malformed-expression", "`@isdefined` takes a variable", loc)),
        }
    }

    fn toplevel(&mut self, args: &[ExprId], loc: SourceLoc) -> Lowering<HirNode> {
        let mut nodes = Vec::new();
        for &it in args {
            if !self.is_line(it) {
                nodes.push(self.evaluated(it, loc)?);
            }
        }
        Ok(HirNode::block(nodes, loc))
    }

    /// An expression that is at top level although something is around it, such as `using` under a condition: it is
    /// evaluated when control comes here.
    pub(super) fn evaluated(&mut self, e: ExprId, loc: SourceLoc) -> Lowering<HirNode> {
        let quoted = self.quoted(e, loc)?;
        let module = self.module_value(loc);
        let call = self.core_call("eval", vec![module, quoted], loc);
        let mut nodes = Vec::new();
        let value = self.hold(call, &mut nodes);
        nodes.extend([HirNode::new(HirKind::LatestWorld, loc), value]);
        Ok(HirNode::block(nodes, loc))
    }

    /// `Expr(:core, :x)`, `Expr(:top, :x)`, `Expr(:globalref, M, :x)`.
    fn global_reference(&mut self, head: &str, args: &[ExprId], loc: SourceLoc) -> Lowering<HirNode> {
        let module = match head {
            "core" => Module::CORE,
            "top" => Module::BASE,
            _ => match args.first().map(|&it| self.ast.expr(it)) {
                Some(Expr::Const(value))
                    if let ConstData::Module(module) = *self.types.const_data(*value) =>
                {
                    module
                }
                _ => return Err(problem("malformed-expression", "malformed global reference", loc)),
            },
        };
        match args.last().and_then(|&it| self.as_symbol(it)) {
            Some(name) => Ok(HirNode::new(HirKind::Global(module, name), loc)),
            None => Err(problem("malformed-expression", "malformed global reference", loc)),
        }
    }
}
