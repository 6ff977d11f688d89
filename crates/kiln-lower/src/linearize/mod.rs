//! The resolved tree to flat statements.
//!
//! Operands are read where they are used; an argument that a later argument assigns is read first. Conditions
//! become jumps. Closures' types and methods are statements of the top-level thunk, placed before the statement
//! that needs them.

mod body;
mod closure;
mod exits;
mod expr;
mod method;
mod variable;

use crate::error::Lowering;
use crate::hir::{GroupId, HirKind, HirNode, LambdaId, VarId};
use crate::resolve::{Resolved, Var};
use body::{Body, BodyFacts, Item};
use kiln_ir::{CodeInfo, CodeMeta, Declaration, Lowered, LoweredStmt, SourceLoc};
use kiln_types::{Module, Symbol, Types, consts};
use rustc_hash::FxHashMap;

/// The destination of an expression's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dest {
    /// Nowhere.
    Effect,
    /// To the caller.
    Value,
    Slot(u32),
    /// Out of the function.
    Return,
}

/// The context.
pub(super) struct Linearizer<'a> {
    types: &'a Types,
    module: Module,
    resolved: Resolved,
    /// The bodies being built: the thunk, then functions, innermost last.
    bodies: Vec<Body>,
    /// Types and methods of closures, to be put before the thunk's current statement.
    lifted: Vec<Item>,
    /// The values of static parameters while a signature is evaluated.
    overrides: FxHashMap<VarId, Lowered>,
    /// The global that holds the type of a closure, once it has one.
    closure_types: FxHashMap<GroupId, Symbol>,
    declared: Vec<(Module, Symbol, Declaration)>,
    /// The types and constants that statements of the thunk have defined so far.
    globals_defined: Vec<Symbol>,
    /// The variables whose declared types are being evaluated.
    types_around: Vec<VarId>,
}

/// Lowers a resolved thunk.
pub(crate) fn linearize(
    types: &Types,
    module: Module,
    resolved: Resolved,
    thunk: &HirNode,
) -> Lowering<CodeInfo> {
    let mut linearizer = Linearizer {
        types,
        module,
        resolved,
        bodies: vec![Body::new(LambdaId(0))],
        lifted: Vec::new(),
        overrides: FxHashMap::default(),
        closure_types: FxHashMap::default(),
        declared: Vec::new(),
        globals_defined: Vec::new(),
        types_around: Vec::new(),
    };
    linearizer.collect_labels(thunk)?;
    linearizer.box_thunk_locals();
    linearizer.top_level(thunk, Dest::Return)?;
    let body = linearizer.bodies.swap_remove(0);
    Ok(body.finish(BodyFacts {
        name: types.symbol("top-level scope"),
        module,
        nargs: 0,
        is_va: false,
        static_params: Vec::new(),
        meta: CodeMeta::default(),
        loc: thunk.loc,
        nothing: consts::nothing(types),
    }))
}

impl Linearizer<'_> {
    fn body(&mut self) -> &mut Body {
        let last = self.bodies.len() - 1;
        &mut self.bodies[last]
    }

    pub(super) fn push(&mut self, stmt: LoweredStmt, loc: SourceLoc) -> Lowered {
        self.body().push(stmt, loc)
    }

    pub(super) fn var(&self, var: VarId) -> &Var {
        &self.resolved.vars[var.0 as usize]
    }

    pub(super) fn sym(&self, name: &str) -> Symbol {
        self.types.symbol(name)
    }

    pub(super) fn nothing(&self) -> Lowered {
        Lowered::Const(consts::nothing(self.types))
    }

    pub(super) fn symbol(&self, name: Symbol) -> Lowered {
        Lowered::Const(consts::symbol(self.types, name))
    }

    pub(super) fn int(&self, value: i64) -> Lowered {
        Lowered::Const(consts::int(self.types, value))
    }

    pub(super) fn core(&self, name: &str) -> Lowered {
        Lowered::Global(Module::CORE, self.sym(name))
    }

    pub(super) fn module_value(&self, module: Module) -> Lowered {
        Lowered::Const(self.types.constant(kiln_types::ConstData::Module(module)))
    }

    pub(super) fn call(&mut self, f: Lowered, args: &[Lowered], loc: SourceLoc) -> Lowered {
        let mut all = vec![f];
        all.extend_from_slice(args);
        self.push(LoweredStmt::Call(all.into()), loc)
    }

    pub(super) fn core_call(&mut self, name: &str, args: &[Lowered], loc: SourceLoc) -> Lowered {
        let f = self.core(name);
        self.call(f, args, loc)
    }

    pub(super) fn base_call(&mut self, name: &str, args: &[Lowered], loc: SourceLoc) -> Lowered {
        let f = Lowered::Global(Module::BASE, self.sym(name));
        self.call(f, args, loc)
    }

    /// A statement of the thunk outside of loops and branches: lifted definitions precede it directly.
    fn top_level(&mut self, node: &HirNode, dest: Dest) -> Lowering<()> {
        if let HirKind::Block(nodes) = &node.kind
            && let Some((last, first)) = nodes.split_last()
        {
            for it in first {
                self.top_level(it, Dest::Effect)?;
            }
            return self.top_level(last, dest);
        }
        let start = self.body().items.len();
        self.node(node, dest)?;
        let lifted = std::mem::take(&mut self.lifted);
        self.body().items.splice(start..start, lifted);
        Ok(())
    }

    /// Runs `emit` with the thunk as the current body and its statements going to `lifted`.
    pub(super) fn lift<T>(&mut self, emit: impl FnOnce(&mut Self) -> Lowering<T>) -> Lowering<T> {
        let inner: Vec<Body> = self.bodies.drain(1..).collect();
        let mut saved = std::mem::take(&mut self.lifted);
        let mut unreachable = false;
        self.bodies[0].swap_items(&mut saved, &mut unreachable);
        let overrides = std::mem::take(&mut self.overrides);
        let result = emit(self);
        self.overrides = overrides;
        self.bodies[0].swap_items(&mut saved, &mut unreachable);
        // What was lifted while lifting comes first.
        let nested = std::mem::take(&mut self.lifted);
        self.lifted = nested;
        self.lifted.extend(saved);
        self.bodies.extend(inner);
        result
    }
}
