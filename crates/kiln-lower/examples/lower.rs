//! Shows the lowered code of a file: `cargo run -p kiln-lower --example lower FILE`.

use kiln_ir::Ast;
use kiln_types::Types;

#[expect(clippy::print_stdout, reason = "an example is a program")]
fn main() {
    let path = std::env::args().nth(1).expect("the name of a file");
    let text = std::fs::read_to_string(path).expect("a readable file");
    let types = Types::new();
    let mut files = kiln_syntax::Files::new();
    let file = files.add("example.jl", &text).expect("a file of ordinary size");
    let parse = kiln_syntax::parse(&text, file);
    let mut ast = Ast::new();
    for e in kiln_lower::expr::to_ast(&parse, &types, &mut ast) {
        match kiln_lower::lower_toplevel(&types, &mut ast, types.main_module(), e) {
            Ok(code) => println!("{}", code.display(&types)),
            Err(error) => println!("error[{}]: {error} at {}\n", error.code, error.loc.start()),
        }
    }
}
