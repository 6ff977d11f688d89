//! Shows the lowered code of a file: `cargo run -p kiln-lower --example lower FILE`. Macros are not run: a call is
//! replaced by its last argument. With `--errors` only what can not be lowered is shown.

use kiln_ir::{Ast, Expansion, Expr, ExprId};
use kiln_lower::{LowerError, MacroCall, MacroHost};
use kiln_types::{Module, Types, consts};

struct LastArgument<'a>(&'a Types);

impl MacroHost for LastArgument<'_> {
    fn call_macro(
        &mut self,
        ast: &mut Ast,
        module: Module,
        _name: ExprId,
        call: MacroCall<'_>,
    ) -> Result<(ExprId, Module), LowerError> {
        let nothing = Expr::Const(consts::nothing(self.0));
        let last = call.args.last().copied().unwrap_or_else(|| ast.push(nothing, call.loc));
        Ok((ast.node(self.0.symbol("escape"), vec![last], call.loc), module))
    }
}

fn main() {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let only_errors = args.first().is_some_and(|it| it == "--errors");
    for path in args.drain(usize::from(only_errors)..) {
        show(&path, only_errors);
    }
}

#[expect(clippy::print_stdout, reason = "an example is a program")]
fn show(path: &str, only_errors: bool) {
    let Ok(text) = std::fs::read_to_string(path) else { return };
    let types = Types::new();
    let mut files = kiln_syntax::Files::new();
    let file = files.add(path, text.clone()).expect("a file of ordinary size");
    let parse = kiln_syntax::parse(&text, file);
    let mut ast = Ast::new();
    let mut host = LastArgument(&types);
    let mut work: Vec<ExprId> = kiln_lower::expr::to_ast(&parse, &types, &mut ast);
    work.reverse();
    while let Some(e) = work.pop() {
        let module = Module::MAIN;
        if let Some((head, parts)) = ast.as_node(e) {
            match types.name(head) {
                "module" => {
                    let body = ast.as_node(parts[2]).map(|(_, it)| it.to_vec()).unwrap_or_default();
                    work.extend(body.into_iter().rev());
                    continue;
                }
                "toplevel" => {
                    work.extend(parts.iter().copied().rev());
                    continue;
                }
                "using" | "import" | "export" | "public" => continue,
                _ => {}
            }
        }
        let lowered = kiln_lower::expand(&types, &mut ast, module, e, Expansion::Whole, &mut host)
            .and_then(|it| kiln_lower::lower_toplevel(&types, &mut ast, module, it, &kiln_lower::NoGlobals));
        match lowered {
            Ok((code, _)) if !only_errors => println!("{}", code.display(&types)),
            Ok(_) => {}
            Err(error) => {
                let at = error.loc.start() as usize;
                let line = text[..at.min(text.len())].lines().count().max(1);
                println!("{path}:{line}: error[{}]: {error}", error.code);
            }
        }
    }
}
