//! Compilers with one thing wrong, to test tests with: bodies are changed after the optimizer, where only what is compiled
//! sees it and not the interpreter. Mistakes of the stages in front are made there, and are named here.

use kiln_ir::{Builtin, Intrinsic, IrCode, Op, Value};
use kiln_types::{FrontMutant, Types, consts, datatype};
use kiln_unit::Mistake;

/// A mistake of a compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mutant {
    /// The first intrinsic is compiled as if it were the second.
    Intrinsic(Intrinsic, Intrinsic),
    /// A value is taken for the member of a union that is asked for first.
    FirstMember,
    /// A value is never of the member of a union that is asked for first.
    OtherMember,
    /// An element that an index chooses at run time is the first.
    FirstElement,
    /// Elements that an index chooses are not checked.
    Unchecked,
    /// Constants that a variable has, as control came, trade places.
    Constants,
    /// Two arguments of a call that are of one type trade places.
    Arguments,
    /// A field is its neighbour of the same type.
    Field,
    /// Two places that throw trade what they throw.
    Sites,
    /// Comparisons for identity find a difference.
    Identity,
    /// Code generation makes the mistake.
    Codegen(Mistake),
    /// A stage in front of this one makes the mistake.
    Front(FrontMutant),
}

/// Gets it wrong wherever it can be.
pub fn mutate(code: &mut IrCode, types: &Types, mutant: Mutant) {
    if mutant == Mutant::Sites {
        return swap_sites(code);
    }
    let arg_types = code.args.clone();
    let stmt_types: Vec<_> = code.stmts.values().map(|it| it.ty).collect();
    let type_of = |it: &Value| match it {
        Value::Stmt(it) => stmt_types[it.as_u32() as usize],
        Value::Arg(n) => arg_types[*n as usize],
        Value::Const(it) => consts::type_of(types, *it),
    };
    let constant = |it: bool| Op::Pi(Value::Const(consts::bool(types, it)));
    for data in code.stmts.values_mut() {
        match (mutant, &mut data.op) {
            (Mutant::Intrinsic(right, wrong), Op::Intrinsic(it, _)) if *it == right => *it = wrong,
            (Mutant::FirstMember, op @ Op::Builtin(Builtin::Isa, _)) => *op = constant(true),
            (Mutant::OtherMember, op @ Op::Builtin(Builtin::Isa, _)) => *op = constant(false),
            (Mutant::Identity, op @ Op::Builtin(Builtin::Is, _)) => *op = constant(false),
            (Mutant::FirstElement, Op::Builtin(Builtin::Getfield, args)) if is_open(args) => {
                args[1] = Value::Const(consts::int(types, 1));
            }
            (Mutant::Unchecked, Op::Builtin(Builtin::Getfield, args)) if is_open(args) => {
                args.truncate(2);
                args.push(Value::Const(consts::bool(types, false)));
            }
            (Mutant::Constants, Op::Phi(edges)) => {
                let of_consts: Vec<usize> =
                    (0..edges.len()).filter(|it| matches!(edges[*it].1, Value::Const(_))).collect();
                if let [a, b, ..] = of_consts[..] {
                    (edges[a].1, edges[b].1) = (edges[b].1, edges[a].1);
                }
            }
            (Mutant::Arguments, Op::Invoke(_, args)) => {
                if let Some(at) =
                    (1..args.len()).find(|it| *it > 1 && type_of(&args[*it]) == type_of(&args[it - 1]))
                {
                    args.swap(at, at - 1);
                }
            }
            (Mutant::Field, Op::Builtin(Builtin::Getfield, args)) if !is_open(args) => {
                let fields = datatype::field_types(types, type_of(&args[0]));
                if let [first, second, ..] = fields
                    && first == second
                {
                    args[1] = Value::Const(consts::int(types, 2));
                }
            }
            _ => {} // right
        }
    }
}

fn is_open(args: &[Value]) -> bool {
    args.get(1).is_some_and(|it| !matches!(it, Value::Const(_)))
}

/// The first two places that leave operands of the same types.
fn swap_sites(code: &mut IrCode) {
    let sites: Vec<_> = code.throw_sites.keys().collect();
    for (n, &a) in sites.iter().enumerate() {
        for &b in &sites[n + 1..] {
            if code.throw_sites[a].operands == code.throw_sites[b].operands
                && code.throw_sites[a].thunk != code.throw_sites[b].thunk
            {
                let thunk = code.throw_sites[a].thunk.clone();
                code.throw_sites[a].thunk = std::mem::replace(&mut code.throw_sites[b].thunk, thunk);
                return;
            }
        }
    }
}
