//! Where the type of a value stopped being concrete, and which problems have that in common.
//!
//! The way back goes through the operands of a body, and into the bodies of callees: what `make(n)` returns became wide in
//! `make`. Problems of one origin are one cause, of which the user is told once.

use crate::call_graph::Node;
use crate::check::{Problem, ProblemKind, is_static, type_of};
use kiln_ir::{Builtin, Instance, IrCode, Op, SourceLoc, Stmt, StmtData, Value};
use kiln_types::Types;
use rustc_hash::FxHashMap;

/// Steps back at most: longer chains end where they are, which is still a true place.
const STEPS_MAX: usize = 256;

/// Where a value became what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    /// At this statement of this function.
    Stmt(usize, Stmt),
    /// Where the function was called.
    Argument,
    /// In a `Core.Box`: variables that closures capture and that are assigned again, all of them together, because which
    /// closure holds which box does not show.
    Box,
}

/// The functions an entry reaches, and their positions.
pub(crate) struct Functions<'a> {
    pub(crate) types: &'a Types,
    pub(crate) all: &'a [Node],
    pub(crate) positions: &'a FxHashMap<Instance, usize>,
}

/// Says of every dynamic call where the type of what is to blame became wide; of problems of one origin leaves the one
/// that tells most.
pub(crate) fn attribute(functions: &Functions<'_>, problems: Vec<Problem>) -> Vec<Problem> {
    let mut kept: Vec<(Origin, Problem)> = Vec::new();
    for mut problem in problems {
        let origin = functions.boxed(functions.origin_of(&mut problem));
        match kept.iter_mut().find(|it| it.0 == origin) {
            Some((_, other)) if rank(origin, &problem.kind) < rank(origin, &other.kind) => {
                *other = problem;
            }
            Some(_) => {}
            None => kept.push((origin, problem)),
        }
    }
    // The call that passed the argument on is a problem itself, unless there is none.
    let elsewhere = kept.iter().any(|it| it.0 != Origin::Argument);
    kept.retain(|it| !elsewhere || it.0 != Origin::Argument);
    kept.into_iter().map(|it| it.1).collect()
}

/// What tells a user more comes first: what may not be done at all, then a call that names the argument, then one whose
/// callee is not known, then what the library does on its behalf.
fn rank(origin: Origin, kind: &ProblemKind) -> u32 {
    match kind {
        ProblemKind::DynamicCall { blame: Some(blame), .. } if blame.operand > 0 => 1,
        ProblemKind::DynamicCall { .. } => 2,
        ProblemKind::RuntimeCall { .. } => 3,
        ProblemKind::Boxed { .. } | ProblemKind::Untold { .. } => 5,
        // Of a box or of a closure that holds one it tells less than what is done with the contents.
        ProblemKind::Allocation { .. } if origin == Origin::Box => 4,
        ProblemKind::Allocation { .. }
        | ProblemKind::HostCall { .. }
        | ProblemKind::Global { .. }
        | ProblemKind::HostObject { .. }
        | ProblemKind::Try
        | ProblemKind::Report { .. }
        | ProblemKind::ForeignCall { .. }
        | ProblemKind::Throw => 0,
    }
}

impl Functions<'_> {
    /// The origin, or the box if that is what it is about.
    fn boxed(&self, origin: Origin) -> Origin {
        let Origin::Stmt(function, stmt) = origin else { return origin };
        let (code, types) = (&self.all[function].code, self.types);
        let box_ = types.core().box_;
        let data = &code.stmts[stmt];
        let about = match &data.op {
            Op::New(_) => data.ty == box_ || types.field_types(data.ty).contains(&box_),
            Op::Builtin(_, args) => args.first().is_some_and(|it| type_of(code, types, *it) == box_),
            _ => false, // something else
        };
        if about { Origin::Box } else { origin }
    }

    fn origin_of(&self, problem: &mut Problem) -> Origin {
        let code = &self.all[problem.function].code;
        let data = &code.stmts[problem.stmt];
        let blamed = match &problem.kind {
            ProblemKind::DynamicCall { blame, .. } => {
                blame.as_ref().and_then(|it| data.op.operands().get(it.operand).copied())
            }
            _ => first_open_operand(code, self.types, data),
        };
        let Some(blamed) = blamed else { return Origin::Stmt(problem.function, problem.stmt) };
        let (origin, why) = self.back(problem.function, blamed);
        if let ProblemKind::DynamicCall { blame: Some(blame), .. } = &mut problem.kind {
            blame.loc = match origin {
                Origin::Stmt(function, stmt) => self.all[function].code.stmts[stmt].loc,
                Origin::Argument | Origin::Box => SourceLoc::NONE,
            };
            blame.why = why;
        }
        origin
    }

    /// Back to the first statement whose operands are all concrete, and why its value is not.
    fn back(&self, mut function: usize, mut value: Value) -> (Origin, String) {
        let mut last = Origin::Argument;
        for _ in 0..STEPS_MAX {
            let code = &self.all[function].code;
            let Value::Stmt(stmt) = value else { break };
            last = Origin::Stmt(function, stmt);
            let data = &code.stmts[stmt];
            if let Op::Pi(inner) = data.op {
                value = inner;
            } else if let Some(open) = first_open_operand(code, self.types, data) {
                value = open;
            } else if let Some((callee, returned)) = self.returned(&data.op) {
                (function, value) = (callee, returned);
            } else {
                return (last, self.why(code, &data.op));
            }
        }
        match value {
            Value::Arg(n) if last == Origin::Argument => (last, format!("argument {n} has this type")),
            Value::Arg(_) | Value::Const(_) | Value::Stmt(_) => {
                (last, "the result is inferred so here".into())
            }
        }
    }

    /// What a call returns that is not concrete, in its callee.
    fn returned(&self, op: &Op) -> Option<(usize, Value)> {
        let Op::Invoke(instance, _) = op else { return None };
        let callee = *self.positions.get(instance)?;
        let code = &self.all.get(callee)?.code;
        let returned = code.stmts.values().find_map(|it| match it.op {
            Op::Return(value @ Value::Stmt(_))
                if !is_static(self.types, type_of(code, self.types, value)) =>
            {
                Some(value)
            }
            _ => None, // no end, or one with a value of one type
        });
        returned.map(|it| (callee, it))
    }

    fn why(&self, code: &IrCode, op: &Op) -> String {
        let types = self.types;
        match op {
            Op::Global(_, name) => format!("the global `{}` is not constant", types.name(*name)),
            Op::Phi(_) => "values of different types meet here".into(),
            Op::Builtin(Builtin::ApplyType, _) => {
                "a parameter of this type is a value that is only known when the kernel runs".into()
            }
            Op::Builtin(Builtin::Getfield, args) if type_of(code, types, args[0]) == types.core().box_ => {
                "this variable is captured by a closure and assigned more than once, so its type is not known"
                    .into()
            }
            Op::Builtin(Builtin::Getfield, args) => {
                let owner = types.display(type_of(code, types, args[0]));
                format!("a field of `{owner}` has this declared type")
            }
            _ => "the result is inferred so here".into(), // a call
        }
    }
}

fn first_open_operand(code: &IrCode, types: &Types, data: &StmtData) -> Option<Value> {
    let mut operands = data.op.operands().into_iter();
    operands.find(|it| matches!(it, Value::Stmt(_)) && !is_static(types, type_of(code, types, *it)))
}
