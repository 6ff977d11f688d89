//! Where the type of a value stopped being concrete, and which problems have that in common.
//!
//! The way back goes through the operands of a body, and into the bodies of callees: what `make(n)` returns became wide in
//! `make`. It is the same with the language's arrays and strings, which no kernel has: what is done with one goes back to where
//! it was made. Problems of one origin are one cause, of which the user is told once, and so are all that one call of the
//! library leads to.

use crate::check::{
    Place, Problem, ProblemKind, Via, is_of_host, is_static, operand_types, through, type_of,
};
use crate::described::shown_type;
use crate::graph::Node;
use crate::growth;
use kiln_ir::{Builtin, Instance, IrCode, Op, SourceLoc, Stmt, StmtData, Value};
use kiln_runtime::Runtime;
use kiln_types::{Type, Types, boxing, datatype};
use rustc_hash::{FxHashMap, FxHashSet};

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
    pub(crate) rt: &'a Runtime,
    pub(crate) types: &'a Types,
    pub(crate) all: &'a [Node],
    pub(crate) positions: &'a FxHashMap<Instance, usize>,
    /// How control comes to each: the calls, innermost first.
    pub(crate) paths: &'a [Vec<Via>],
    pub(crate) is_user_file: &'a dyn Fn(SourceLoc) -> bool,
    /// Where they are to run.
    pub(crate) place: Place,
}

/// A problem, and what it comes from.
struct Traced {
    origin: Origin,
    /// Where the program is that the origin was reached from, if that is in the library.
    entered_at: Option<SourceLoc>,
    /// Where the origin is, if that is in the program.
    own: Option<SourceLoc>,
    problem: Problem,
}

impl Traced {
    /// Whether both are of one cause: of one origin, or of one use of the library.
    fn has_cause_of(&self, other: &Self) -> bool {
        let at = |it: &Self| it.entered_at.or(it.own);
        let is_library = self.entered_at.is_some() || other.entered_at.is_some();
        self.origin == other.origin || (is_library && at(self).is_some() && at(self) == at(other))
    }
}

/// Says of every dynamic call where the type of what is to blame became wide; of problems of one cause leaves the one
/// that tells most.
pub(crate) fn attribute(functions: &Functions<'_>, problems: Vec<Problem>) -> Vec<Problem> {
    let mut kept: Vec<Traced> = Vec::new();
    for problem in problems {
        let traced = functions.traced(problem);
        match kept.iter_mut().find(|it| it.has_cause_of(&traced)) {
            Some(other) if functions.rank(&traced) < functions.rank(other) => *other = traced,
            Some(_) => {}
            None => kept.push(traced),
        }
    }
    // The call that passed the argument on is a problem itself, unless there is none.
    let elsewhere = kept.iter().any(|it| it.origin != Origin::Argument);
    kept.retain(|it| !elsewhere || it.origin != Origin::Argument);
    kept.into_iter().map(|it| it.problem).collect()
}

impl Functions<'_> {
    /// Returns the rank of a problem: those that may not be done at all come first, then a call that names the argument, then one whose
    /// callee is not known, then what the library does on its behalf.
    fn rank(&self, traced: &Traced) -> u32 {
        let Problem { kind, function, stmt, .. } = &traced.problem;
        match kind {
            ProblemKind::HostCall { name } if name.contains("string") => 0,
            ProblemKind::Global { .. }
            | ProblemKind::HostObject { .. }
            | ProblemKind::Try
            | ProblemKind::Throws(_)
            | ProblemKind::Growth { .. }
            | ProblemKind::Generator { .. }
            | ProblemKind::Report { .. }
            | ProblemKind::ForeignCall { .. } => 0,
            // Of what was made elsewhere, or of a box, it tells less than what is done with the contents.
            ProblemKind::Allocation { .. } if traced.origin != Origin::Stmt(*function, *stmt) => 5,
            ProblemKind::Allocation { .. } | ProblemKind::HostCall { .. } => 1,
            ProblemKind::DynamicCall { blame: None, .. } => 1,
            ProblemKind::DynamicCall { blame: Some(blame), .. } if blame.operand > 0 => 2,
            ProblemKind::DynamicCall { .. } => 3,
            ProblemKind::RuntimeCall { .. } | ProblemKind::Throw => 4,
            ProblemKind::Boxed { .. } | ProblemKind::Untold { .. } => 6,
        }
    }

    fn traced(&self, mut problem: Problem) -> Traced {
        let origin = self.boxed(self.origin_of(&mut problem));
        let Origin::Stmt(function, stmt) = origin else {
            return Traced { origin, entered_at: None, own: None, problem };
        };
        let code = &self.all[function].code;
        let data = &code.stmts[stmt];
        let is_user_file = |it: &SourceLoc| (self.is_user_file)(*it);
        let calls = through(code, data).into_iter().chain(self.paths[function].iter().copied());
        let own = Some(data.loc).filter(|it| is_user_file(it));
        let entered = match self.place {
            Place::Device if own.is_none() => calls.into_iter().find(|it| is_user_file(&it.call)),
            Place::Device | Place::Host => None,
        };
        // What the library does with an array or a string follows from that; if it is a constant, this may be where it shows.
        let is_given_one = entered.is_some_and(|it| {
            let spec = self.rt.tables.instance_data(it.callee).spec_types;
            datatype::params(self.types, spec).iter().any(|it| is_of_host(self.types, *it))
        });
        let is_cause = matches!(problem.kind, ProblemKind::HostObject { .. });
        let origin = if is_given_one && !is_cause { Origin::Argument } else { origin };
        Traced { origin, entered_at: entered.map(|it| it.call), own, problem }
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
            Op::New(_) => data.ty == box_ || datatype::field_types(types, data.ty).contains(&box_),
            Op::Builtin(_, args) => args.first().is_some_and(|it| type_of(code, types, *it) == box_),
            _ => false, // something else
        };
        if about { Origin::Box } else { origin }
    }

    fn origin_of(&self, problem: &mut Problem) -> Origin {
        let code = &self.all[problem.function].code;
        let data = &code.stmts[problem.stmt];
        let blamed = match &problem.kind {
            ProblemKind::DynamicCall { blame: Some(blame), .. } => {
                data.op.operands().get(blame.operand).copied()
            }
            // It is the cause itself.
            ProblemKind::HostObject { .. } => None,
            ProblemKind::Throw => self.thrown_with(code, data),
            _ => self.open_operands(code, data).next(), // what is done with a value
        };
        let Some(blamed) = blamed else { return Origin::Stmt(problem.function, problem.stmt) };
        let (origin, why) = self.back(problem.function, blamed);
        if let Some((kind, loc)) = self.growth(problem, origin) {
            (problem.kind, problem.loc) = (kind, loc);
            return origin;
        }
        if let ProblemKind::DynamicCall { blame: Some(blame), .. } = &mut problem.kind {
            blame.loc = match origin {
                Origin::Stmt(function, stmt) => self.all[function].code.stmts[stmt].loc,
                Origin::Argument | Origin::Box => SourceLoc::NONE,
            };
            blame.why = why;
        }
        origin
    }

    /// The growth of types that a dynamic call comes from, and the call that would be next: it, or the one whose result it is
    /// given.
    fn growth(&self, problem: &Problem, origin: Origin) -> Option<(ProblemKind, SourceLoc)> {
        let ProblemKind::DynamicCall { blame: Some(_), .. } = problem.kind else { return None };
        let at = |function: usize, stmt: Stmt| {
            let code = &self.all[function].code;
            let data = &code.stmts[stmt];
            let called = operand_types(code, self.types, &data.op.operands());
            let path = through(code, data).into_iter().chain(self.paths[function].iter().copied());
            Some((growth::left_open(self.rt, &called, path)?, data.loc))
        };
        let Origin::Stmt(function, stmt) = origin else { return at(problem.function, problem.stmt) };
        at(problem.function, problem.stmt).or_else(|| at(function, stmt))
    }

    /// Back to the first statement whose operands are all such as a kernel has, and why its value is not.
    fn back(&self, mut function: usize, mut value: Value) -> (Origin, String) {
        let mut last = Origin::Argument;
        let mut seen: FxHashSet<(usize, Stmt)> = FxHashSet::default();
        for _ in 0..STEPS_MAX {
            let code = &self.all[function].code;
            let stmt = match value {
                Value::Stmt(stmt) => stmt,
                // It is no argument of a kernel: some caller has it.
                Value::Arg(n) if self.is_open(type_of(code, self.types, value)) => {
                    last = Origin::Argument;
                    match self.passed(function, n) {
                        Some(passed) => (function, value) = passed,
                        None => break,
                    }
                    continue;
                }
                Value::Arg(_) | Value::Const(_) => break,
            };
            last = Origin::Stmt(function, stmt);
            seen.insert((function, stmt));
            let data = &code.stmts[stmt];
            let is_new = |it: &Value| !matches!(it, Value::Stmt(it) if seen.contains(&(function, *it)));
            if let Op::Pi(inner) = data.op {
                value = inner;
            } else if let Some(open) = self.open_operands(code, data).find(is_new) {
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

    /// Returns the operand of an exception that a kernel cannot have: the exception has room for anything.
    fn thrown_with(&self, code: &IrCode, throw: &StmtData) -> Option<Value> {
        let thrown = throw.op.operands().into_iter().find_map(|it| match it {
            Value::Stmt(made) => self.open_operands(code, &code.stmts[made]).next(),
            Value::Arg(_) | Value::Const(_) => None,
        });
        thrown.or_else(|| self.open_operands(code, throw).next())
    }

    /// Whether no kernel is given a value of this type.
    fn is_open(&self, ty: Type) -> bool {
        self.place == Place::Device && (!is_static(self.types, ty) || is_of_host(self.types, ty))
    }

    /// Operands of no one representation, and such as a kernel cannot have.
    fn open_operands<'b>(&'b self, code: &'b IrCode, data: &StmtData) -> impl Iterator<Item = Value> + 'b {
        data.op.operands().into_iter().filter(move |it| {
            let ty = type_of(code, self.types, *it);
            match it {
                Value::Stmt(stmt) => {
                    (!is_static(self.types, ty) || self.is_open(ty)) && !self.is_box_of_known(code, *stmt)
                }
                Value::Arg(_) => self.is_open(ty),
                Value::Const(_) => false,
            }
        })
    }

    /// Whether a value is a box around one of which all is known: it is in a box for others' sake.
    fn is_box_of_known(&self, code: &IrCode, stmt: Stmt) -> bool {
        let Op::New(args) = &code.stmts[stmt].op else { return false };
        let is_known = |it: &Value| is_static(self.types, type_of(code, self.types, *it));
        boxing::is_boxed(self.types, code.stmts[stmt].ty) && args.iter().all(is_known)
    }

    /// Returns the caller's value for this argument, and the caller: a value that a kernel cannot have, or, if it is a
    /// constant, the call.
    fn passed(&self, function: usize, n: u32) -> Option<(usize, Value)> {
        let wanted = self.all[function].typed.instance;
        self.all.iter().enumerate().find_map(|(caller, node)| {
            let code = &*node.code;
            let (at, call) = code.stmts.iter().find(|it| it.1.op.callee() == Some(wanted))?;
            let given = match &call.op {
                Op::Invoke(_, args) => args.get(n as usize..).unwrap_or_default(),
                _ => &[], // an address of it is taken
            };
            let found = given.iter().find(|it| self.is_open(type_of(code, self.types, **it)));
            Some((
                caller,
                found.copied().filter(|it| !matches!(it, Value::Const(_))).unwrap_or(Value::Stmt(at)),
            ))
        })
    }

    /// Returns the callee's value that a call returns and that is not concrete.
    fn returned(&self, op: &Op) -> Option<(usize, Value)> {
        let Op::Invoke(instance, _) = op else { return None };
        let callee = *self.positions.get(instance)?;
        let code = &self.all.get(callee)?.code;
        let returned = code.stmts.values().find_map(|it| match it.op {
            Op::Return(value @ Value::Stmt(_)) => {
                let ty = type_of(code, self.types, value);
                (!is_static(self.types, ty) || self.is_open(ty)).then_some(value)
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
                let owner = shown_type(self.rt, type_of(code, types, args[0]));
                format!("a field of `{owner}` has this declared type")
            }
            _ => "the result is inferred so here".into(), // a call
        }
    }
}
