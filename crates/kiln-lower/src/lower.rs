//! The stages in order.

use crate::analyze::analyze;
use crate::desugar::Desugar;
use crate::error::{LowerError, LowerWarning, Lowering, problem};
use crate::expand::DEPTH_MAX;
use crate::gensym::finish_names;
use crate::hir::HirNode;
use crate::linearize::linearize;
use crate::resolve::resolve;
use kiln_ir::{Ast, CodeInfo, Expr, ExprId, SourceLoc};
use kiln_types::{Module, Symbol, Types};
use rustc_hash::FxHashMap;

/// Knows which globals exist: an assignment in a loop at top level may refer to one.
pub trait Globals {
    /// Whether the module has a global of this name itself.
    fn is_global(&self, module: Module, name: Symbol) -> bool;
}

/// No global exists.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoGlobals;

impl Globals for NoGlobals {
    fn is_global(&self, _module: Module, _name: Symbol) -> bool {
        false
    }
}

/// A lowered top-level expression.
#[derive(Debug)]
pub struct Thunk {
    /// Its code, without arguments.
    pub code: CodeInfo,
    /// Remarks about the program.
    pub warnings: Vec<LowerWarning>,
    /// Lowering it again gives the same code. Some code is to have names of its own at each evaluation.
    pub is_repeatable: bool,
}

/// As [`lower_thunk`]: the code and the remarks.
pub fn lower_toplevel(
    types: &Types,
    ast: &mut Ast,
    module: Module,
    e: ExprId,
    globals: &dyn Globals,
) -> Result<(CodeInfo, Vec<LowerWarning>), LowerError> {
    lower_thunk(types, ast, module, e, globals).map(|it| (it.code, it.warnings))
}

/// Lowers one expanded top-level expression to a thunk without arguments. Expressions nested as deeply as is allowed
/// take about 4 MiB of stack.
pub fn lower_thunk(
    types: &Types,
    ast: &mut Ast,
    module: Module,
    e: ExprId,
    globals: &dyn Globals,
) -> Result<Thunk, LowerError> {
    thunk(types, ast, module, e, globals).map_err(|it| *it)
}

fn thunk(types: &Types, ast: &mut Ast, module: Module, e: ExprId, globals: &dyn Globals) -> Lowering<Thunk> {
    check_depth(ast, e)?;
    let mut desugar = Desugar::new(types, ast, module);
    let mut node = desugar.expr(e)?;
    let softscope = desugar.softscope;
    let mut warnings = std::mem::take(&mut desugar.warnings);
    let finished = finish(types, module, &mut node, globals, softscope)?;
    warnings.extend(finished.warnings);
    Ok(Thunk { warnings, ..finished })
}

/// Rejects code that nests too deeply for the recursive passes. Needs no stack itself.
fn check_depth(ast: &Ast, e: ExprId) -> Lowering<()> {
    let mut deepest: FxHashMap<ExprId, u32> = FxHashMap::default();
    let mut work = vec![(e, 0)];
    while let Some((e, depth)) = work.pop() {
        let Some((_, args)) = ast.as_node(e) else { continue };
        if depth > DEPTH_MAX {
            return Err(problem("nesting-too-deep", "this expression nests too deeply", ast.loc(e)));
        }
        match deepest.get(&e) {
            Some(&known) if known >= depth => continue,
            _ => deepest.insert(e, depth),
        };
        work.extend(args.iter().map(|&it| (it, depth + 1)));
    }
    Ok(())
}

fn finish(
    types: &Types,
    module: Module,
    node: &mut HirNode,
    globals: &dyn Globals,
    softscope: bool,
) -> Lowering<Thunk> {
    let mut resolved = resolve(types, module, node, globals, softscope)?;
    analyze(&mut resolved, node);
    let warnings = std::mem::take(&mut resolved.warnings);
    let mut code = linearize(types, module, resolved, node)?;
    let is_repeatable = finish_names(types, &mut code);
    Ok(Thunk { code, warnings, is_repeatable })
}

/// The shape of the method whose body a generator produced.
#[derive(Clone, Copy, Debug)]
pub struct GeneratedShape<'a> {
    /// The module names resolve in.
    pub module: Module,
    /// The method's name.
    pub name: Symbol,
    /// The names of its arguments, the function itself first.
    pub args: &'a [Symbol],
    /// Whether the last one is a tuple of the rest.
    pub is_va: bool,
    /// The names of its static parameters.
    pub static_params: &'a [Symbol],
    /// Where the method is defined.
    pub loc: SourceLoc,
}

/// Lowers the expression that the generator of a `@generated` function returned.
///
/// Bodies that define closures are refused: their types would have to be made at top level.
pub fn lower_generated(
    types: &Types,
    ast: &mut Ast,
    shape: &GeneratedShape<'_>,
    body: ExprId,
) -> Result<CodeInfo, LowerError> {
    let loc = shape.loc;
    check_depth(ast, body).map_err(|it| *it)?;
    let mut parts = Vec::new();
    for (index, &name) in shape.args.iter().enumerate().skip(1) {
        let mut arg = ast.push(Expr::Symbol(name), loc);
        if shape.is_va && index + 1 == shape.args.len() {
            arg = ast.node(types.symbol("..."), vec![arg], loc);
        }
        parts.push(arg);
    }
    let mut node = Desugar::new(types, ast, shape.module)
        .generated_body(shape.args, &parts, shape.static_params, body)
        .map_err(|it| *it)?;
    let finished = finish(types, shape.module, &mut node, &NoGlobals, false);
    let mut code = finished.map_err(|it| *it)?.code;
    match code.bodies.len() {
        1 => {
            let mut inner = code.bodies.swap_remove(0);
            inner.name = shape.name;
            Ok(inner)
        }
        _ => Err(LowerError::new(
            "closure-in-generated",
            "The function body AST defined by this @generated function is not pure. \
             This likely means it contains a closure, a comprehension or a generator.",
            loc,
        )),
    }
}
