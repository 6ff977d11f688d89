//! Nothing a program or a macro can make brings lowering down: it lowers or it says why not.

use kiln_ir::{Ast, Expr, ExprId, SourceLoc};
use kiln_types::{Module, Types, consts};

/// `f(f(... x ...))`, made as a macro would.
fn nested(types: &Types, ast: &mut Ast, head: &str, depth: usize) -> ExprId {
    let loc = SourceLoc::NONE;
    let head = types.symbol(head);
    let mut e = ast.push(Expr::Symbol(types.symbol("x")), loc);
    for _ in 0..depth {
        let f = ast.push(Expr::Symbol(types.symbol("f")), loc);
        e = ast.node(head, vec![f, e], loc);
    }
    e
}

#[test]
fn deep_nesting_is_an_error_and_no_crash() {
    let checks = std::thread::Builder::new().stack_size(4 << 20).spawn(check_nesting).unwrap();
    checks.join().unwrap();
}

fn check_nesting() {
    let types = Types::new();
    for head in
        ["call", "&&", "if", "->", "tuple", "block", "=", ".", "ref", "let", "quote", "struct", "while"]
    {
        for depth in [100, 400, 690, 5000, 200_000] {
            let mut ast = Ast::new();
            let e = nested(&types, &mut ast, head, depth);
            let result =
                kiln_lower::lower_toplevel(&types, &mut ast, Module::MAIN, e, &kiln_lower::NoGlobals);
            assert!(depth < 5000 || result.is_err(), "{head} nested {depth} deep");
        }
    }
}

/// Every head that lowering knows, with every small number of arguments of every kind.
#[test]
fn malformed_expressions_are_errors() {
    const HEADS: &str = "block call = . ref tuple if elseif && || comparison while for break continue return let try \
        function -> do macro struct abstract primitive where curly :: <: >: local global const string quote inert \
        generator comprehension typed_comprehension flatten filter vect hcat vcat ncat typed_hcat typed_vcat \
        typed_ncat braces bracescat row nrow ' .= .&& .|| kw parameters ... $ macrocall escape hygienic-scope module \
        using import export public error incomplete += .+= ^= &&= meta inbounds boundscheck loopinfo isdefined \
        symboliclabel symbolicgoto new splatnew the_exception latestworld toplevel thismodule globalref core top \
        generated copyast gc_preserve_begin softscope foreigncall opaque_closure static_parameter outer atomic \
        unknown_head";
    let types = Types::new();
    let mut ast = Ast::new();
    let loc = SourceLoc::NONE;
    let mut pool = vec![
        ast.push(Expr::Symbol(types.symbol("x")), loc),
        ast.push(Expr::Symbol(types.symbol("end")), loc),
        ast.push(Expr::Symbol(types.symbol("_")), loc),
        ast.push(Expr::Symbol(types.symbol(".+")), loc),
        ast.push(Expr::Const(consts::int(&types, 1)), loc),
        ast.push(Expr::Const(consts::bool(&types, false)), loc),
        ast.push(Expr::Line { line: 1, file: None }, loc),
        ast.push(Expr::Global(Module::BASE, types.symbol("+")), loc),
    ];
    let quoted = ast.push(Expr::Quote(pool[0]), loc);
    pool.push(quoted);
    for head in HEADS.split_whitespace() {
        for args in [vec![], vec![pool[0]], vec![pool[0], pool[4]], vec![pool[0], pool[0], pool[0]]] {
            let node = ast.node(types.symbol(head), args, loc);
            pool.push(node);
        }
    }
    let leaves = pool.clone();
    for head in HEADS.split_whitespace() {
        let head = types.symbol(head);
        for (index, &a) in leaves.iter().enumerate() {
            let (b, c) = (leaves[(index * 7 + 3) % leaves.len()], leaves[(index * 5 + 1) % leaves.len()]);
            for args in [vec![a], vec![a, b], vec![b, a], vec![a, b, c], vec![b, c, a, b]] {
                let e = ast.node(head, args, loc);
                let _ = kiln_lower::lower_toplevel(&types, &mut ast, Module::MAIN, e, &kiln_lower::NoGlobals);
            }
        }
    }
}
