//! Runs the documents in `tests/lowered`: each piece of source is followed by its lowered code, in `#>` lines.
//!
//! A document is a test; `KILN_BLESS=1` writes the code of today, and the difference is the review. Every piece starts from nothing, so
//! made-up names have the same numbers whatever stands before it.

use kiln_ir::{Ast, Expansion, ExprId, SourceLoc};
use kiln_lower::{LowerError, MacroCall, MacroHost};
use kiln_testing::{Suite, Verdict, compare, read};
use kiln_types::{Module, Types};
use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

/// Macros as templates, all of module `Base`: `ESC` stands for the escaped argument, `ARG` for the bare one.
const MACROS: &[(&str, &str)] = &[
    ("@twice", "begin t = ESC; t + t end"),
    ("@same", "ESC"),
    ("@bare", "ARG"),
    ("@outer", "@twice ESC"),
    ("@loop", "for i in 1:n; println(i, ESC); end"),
    ("@define", "function ESC(x; k = 1) where {T}; y = x + k; f(; x, k = y); end"),
    ("@lambda", "x -> x + ESC"),
    ("@point", "begin struct P; x::Int; end; P(1).x; end"),
    ("@quoted", ":(x + $(ESC))"),
    ("@global_x", "begin global x = ESC; y = x end"),
    ("@let_x", "let x = ESC; (; x = x, z) end"),
];

struct Templates<'a>(&'a Types);

impl Templates<'_> {
    fn fill(&self, ast: &mut Ast, e: ExprId, arg: ExprId, loc: SourceLoc) -> ExprId {
        match ast.expr(e).clone() {
            kiln_ir::Expr::Symbol(name) => match self.0.name(name) {
                "ESC" => ast.node(self.0.symbol("escape"), vec![arg], loc),
                "ARG" => arg,
                _ => e,
            },
            kiln_ir::Expr::Node { head, args } => {
                let args = args.into_iter().map(|it| self.fill(ast, it, arg, loc)).collect();
                ast.node(head, args, loc)
            }
            kiln_ir::Expr::Quote(inner) => {
                let inner = self.fill(ast, inner, arg, loc);
                ast.push(kiln_ir::Expr::Quote(inner), loc)
            }
            kiln_ir::Expr::Const(_) | kiln_ir::Expr::Global(..) | kiln_ir::Expr::Line { .. } => e,
        }
    }
}

impl MacroHost for Templates<'_> {
    fn call_macro(
        &mut self,
        ast: &mut Ast,
        _module: Module,
        name: ExprId,
        call: MacroCall<'_>,
    ) -> Result<(ExprId, Module), LowerError> {
        let kiln_ir::Expr::Symbol(symbol) = *ast.expr(name) else {
            return Err(LowerError::new("no-macro", "macros are named plainly in these tests", call.loc));
        };
        let Some((_, text)) = MACROS.iter().find(|it| it.0 == self.0.name(symbol)) else {
            return Err(LowerError::new("no-macro", "no such macro in these tests", call.loc));
        };
        let parse = kiln_syntax::parse(text, kiln_syntax::FileId(9));
        let template = kiln_lower::expr::to_ast(&parse, self.0, ast);
        let template = *template
            .iter()
            .find(|&&it| !matches!(ast.expr(it), kiln_ir::Expr::Line { .. }))
            .expect("an expression");
        Ok((self.fill(ast, template, call.args[0], call.loc), Module::BASE))
    }
}

/// Returns the lowered form of the source, or the error.
fn lowered(source: &str) -> String {
    let types = Types::new();
    let mut files = kiln_syntax::Files::new();
    let file = files.add("test.jl", source.to_owned()).expect("a small file");
    let parse = kiln_syntax::parse(source, file);
    let mut ast = Ast::new();
    let mut text = String::new();
    for e in kiln_lower::expr::to_ast(&parse, &types, &mut ast) {
        if matches!(ast.expr(e), kiln_ir::Expr::Line { .. }) {
            continue;
        }
        let module = Module::MAIN;
        let code = kiln_lower::expand(&types, &mut ast, module, e, Expansion::Whole, &mut Templates(&types))
            .and_then(|it| kiln_lower::lower_toplevel(&types, &mut ast, module, it, &kiln_lower::NoGlobals));
        match code {
            Ok((code, _)) => {
                let _ = write!(text, "{}", code.display(&types));
            }
            Err(error) => {
                let (start, len) = (error.loc.start() as usize, error.loc.len() as usize);
                let at = source.get(start..start + len).and_then(|it| it.lines().next()).unwrap_or("");
                let _ = writeln!(text, "error[{}] at `{at}`: {error}", error.code);
                if let Some(help) = &error.help {
                    let _ = writeln!(text, "help: {help}");
                }
            }
        }
    }
    text
}

/// The document with its expectations as they are now.
fn blessed(document: &str) -> String {
    let mut result = String::new();
    let mut source = String::new();
    let mut expecting = false;
    for line in document.lines().chain([""]) {
        if line.starts_with("#>") {
            expecting = true;
            continue;
        }
        if expecting {
            for it in lowered(&source).lines() {
                let _ = writeln!(result, "{}", format!("#> {it}").trim_end());
            }
            source.clear();
            expecting = false;
        }
        let _ = writeln!(result, "{line}");
        let _ = writeln!(source, "{line}");
    }
    format!("{}\n", result.trim_end())
}

fn document(path: &Path) -> Verdict {
    compare(path, &blessed(&read(path)))
}

fn main() -> ExitCode {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lowered");
    Suite::new().files("", &folder, "jl", document).run()
}
