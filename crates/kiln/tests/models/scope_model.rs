//! The rule of `docs/spec/scope.md` as an evaluator: each scope is a frame of bindings, made anew when control enters it,
//! that holds every name the scope declares, or assigns and does not find further out.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A variable, by its place among the names of programs.
pub(crate) type Name = usize;

pub(crate) enum Expr {
    Int(i64),
    Var(Name),
    Add(Box<Expr>, Box<Expr>),
    /// A call of a local function, by its number.
    Call(usize, Box<Expr>),
    /// `@isdefined`, as a number.
    Defined(Name),
    /// The sum of a comprehension: each variable counts up to a number.
    Sum(Vec<(Name, i64)>, Vec<Stmt>, Box<Expr>),
}

pub(crate) enum Stmt {
    Log(Expr),
    Assign(Name, Expr),
    Add(Name, Expr),
    Local(Name, Option<Expr>),
    Global(Name),
    If(Expr, Vec<Stmt>),
    /// Variables that count up to a number.
    For(Vec<(Name, i64)>, Vec<Stmt>),
    ForOuter(Name, i64, Vec<Stmt>),
    /// The number of the counter, and of turns.
    While(usize, i64, Vec<Stmt>),
    Let(Vec<(Name, Option<Expr>)>, Vec<Stmt>),
    /// A body that ends by throwing a number, the variable of `catch`, and its body.
    Try(Vec<Stmt>, Expr, Name, Vec<Stmt>),
    /// A local function of one argument.
    Function(usize, Name, Vec<Stmt>, Expr),
    /// Keeps a local function, to be called at the end.
    Keep(usize),
    /// A method of a global function, by the number that it is called with.
    Method(usize, Vec<Stmt>, Expr),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Thrown {
    Undefined,
    Number(i64),
}

type Run<T> = Result<T, Thrown>;

/// The value read of a variable that holds an exception.
pub(crate) const EXCEPTION: i64 = -7;
/// Logged for a statement that reads an undefined variable.
pub(crate) const UNDEFINED: i64 = -99;
/// Logged for a call of a method that was never defined.
pub(crate) const NO_METHOD: i64 = -98;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Slot {
    Var(Option<i64>),
    Global,
}

struct Frame<'a> {
    slots: RefCell<BTreeMap<Name, Slot>>,
    functions: RefCell<BTreeMap<usize, Closure<'a>>>,
    outer: Option<Env<'a>>,
}

type Env<'a> = Rc<Frame<'a>>;

/// A function with the bindings around it.
#[derive(Clone)]
struct Closure<'a> {
    arg: Option<Name>,
    body: &'a [Stmt],
    value: &'a Expr,
    env: Env<'a>,
}

/// The names that a scope declares and assigns, not looking into scopes inside it.
#[derive(Default)]
struct Names {
    locals: Vec<Name>,
    globals: Vec<Name>,
    assigned: Vec<Name>,
    outer: Vec<Name>,
}

impl Names {
    fn of(body: &[Stmt]) -> Self {
        let mut names = Self::default();
        names.collect(body);
        names
    }

    fn collect(&mut self, body: &[Stmt]) {
        for stmt in body {
            match stmt {
                Stmt::Assign(name, _) | Stmt::Add(name, _) => self.assigned.push(*name),
                Stmt::Local(name, _) => self.locals.push(*name),
                Stmt::Global(name) => self.globals.push(*name),
                Stmt::If(_, body) => self.collect(body),
                Stmt::ForOuter(name, ..) => self.outer.push(*name),
                Stmt::Log(_)
                | Stmt::For(..)
                | Stmt::While(..)
                | Stmt::Let(..)
                | Stmt::Try(..)
                | Stmt::Function(..)
                | Stmt::Keep(_)
                | Stmt::Method(..) => {}
            }
        }
    }
}

/// Whether no declarations of a scope contradict each other, those of the scopes inside included.
pub(crate) fn is_valid(body: &[Stmt], value: Option<&Expr>, fresh: &[Name], around: &[(Name, bool)]) -> bool {
    let names = Names::of(body);
    let is_local = |name: Name, scope: &[(Name, bool)]| {
        scope.iter().rev().find(|it| it.0 == name).is_some_and(|it| it.1)
    };
    let twice = |of: &[Name]| of.iter().enumerate().any(|(n, it)| of[..n].contains(it));
    if twice(&names.locals)
        || names.locals.iter().any(|it| fresh.contains(it) || names.globals.contains(it))
        || names.globals.iter().any(|it| fresh.contains(it) || is_local(*it, around))
    {
        return false;
    }
    let mut within = around.to_vec();
    within.extend(names.globals.iter().map(|it| (*it, false)));
    within.extend(fresh.iter().chain(&names.locals).map(|it| (*it, true)));
    for name in names.assigned {
        if !within.iter().any(|it| it.0 == name) {
            within.push((name, true));
        }
    }
    names.outer.iter().all(|it| is_local(*it, &within))
        && body.iter().all(|it| stmt_is_valid(it, &within))
        && value.is_none_or(|it| expr_is_valid(it, &within))
}

fn stmt_is_valid(stmt: &Stmt, within: &[(Name, bool)]) -> bool {
    let inner = |body: &[Stmt], fresh: &[Name]| is_valid(body, None, fresh, within);
    match stmt {
        Stmt::Log(value) | Stmt::Assign(_, value) | Stmt::Add(_, value) | Stmt::Local(_, Some(value)) => {
            expr_is_valid(value, within)
        }
        Stmt::If(condition, body) => {
            expr_is_valid(condition, within) && body.iter().all(|it| stmt_is_valid(it, within))
        }
        Stmt::For(vars, body) => inner(body, &vars.iter().map(|it| it.0).collect::<Vec<_>>()),
        Stmt::ForOuter(_, _, body) | Stmt::While(_, _, body) => inner(body, &[]),
        Stmt::Let(vars, body) => inner(body, &vars.iter().map(|it| it.0).collect::<Vec<_>>()),
        // The variable of `catch` is assigned, not declared: a global declaration of it would be one more case.
        Stmt::Try(body, _, var, handler) => {
            let names = Names::of(handler);
            let mut handling = within.to_vec();
            if !within.iter().any(|it| it.0 == *var) {
                handling.push((*var, true));
            }
            !names.globals.contains(var)
                && !names.locals.contains(var)
                && inner(body, &[])
                && is_valid(handler, None, &[], &handling)
        }
        Stmt::Function(_, arg, body, value) => is_valid(body, Some(value), &[*arg], within),
        Stmt::Method(_, body, value) => is_valid(body, Some(value), &[], within),
        Stmt::Local(_, None) | Stmt::Global(_) | Stmt::Keep(_) => true,
    }
}

fn expr_is_valid(expr: &Expr, within: &[(Name, bool)]) -> bool {
    match expr {
        Expr::Add(a, b) => expr_is_valid(a, within) && expr_is_valid(b, within),
        Expr::Call(_, arg) => expr_is_valid(arg, within),
        Expr::Sum(vars, body, value) => {
            is_valid(body, Some(value), &vars.iter().map(|it| it.0).collect::<Vec<_>>(), within)
        }
        Expr::Int(_) | Expr::Var(_) | Expr::Defined(_) => true,
    }
}

/// Runs programs.
pub(crate) struct Evaluator<'a> {
    globals: BTreeMap<Name, i64>,
    kept: Vec<Closure<'a>>,
    methods: BTreeMap<usize, Closure<'a>>,
    pub(crate) log: Vec<i64>,
    /// Whether a global was read or assigned, or an exception thrown: no kernel may do so.
    pub(crate) leaves_kernel: bool,
}

impl<'a> Evaluator<'a> {
    pub(crate) fn new(globals: &[(Name, i64)]) -> Self {
        let globals = globals.iter().copied().collect();
        Self { globals, kept: Vec::new(), methods: BTreeMap::new(), log: Vec::new(), leaves_kernel: false }
    }

    /// Runs the body of a function, or one statement at top level, and logs how it ends.
    pub(crate) fn run(&mut self, body: &'a [Stmt], at_top: bool) {
        let nothing = Frame { slots: RefCell::default(), functions: RefCell::default(), outer: None };
        let top = Rc::new(nothing);
        let ran = if at_top { self.stmts(body, &top) } else { self.scope(body, &[], Some(&top)) };
        if ran.is_err() {
            self.log.push(UNDEFINED);
            self.leaves_kernel = true;
        }
    }

    /// Calls the functions that were kept, and the methods with these numbers.
    pub(crate) fn finish(&mut self, methods: usize) {
        for closure in self.kept.clone() {
            let value = self.call(&closure, 5).unwrap_or(UNDEFINED);
            self.log.push(value);
        }
        for number in 0..methods {
            let value = match self.methods.get(&number).cloned() {
                Some(it) => self.call(&it, 0).unwrap_or(UNDEFINED),
                None => NO_METHOD,
            };
            self.log.push(value);
        }
    }

    fn enter(
        &self,
        body: &[Stmt],
        fresh: &[(Name, Option<i64>)],
        caught: Option<Name>,
        outer: &Env<'a>,
    ) -> Env<'a> {
        let names = Names::of(body);
        let mut slots = BTreeMap::new();
        slots.extend(names.globals.iter().map(|it| (*it, Slot::Global)));
        slots.extend(names.locals.iter().map(|it| (*it, Slot::Var(None))));
        slots.extend(fresh.iter().map(|it| (it.0, Slot::Var(it.1))));
        for name in names.assigned.into_iter().chain(caught) {
            if !slots.contains_key(&name) && find(outer, name).is_none() {
                slots.insert(name, Slot::Var(None));
            }
        }
        Rc::new(Frame {
            slots: RefCell::new(slots),
            functions: RefCell::default(),
            outer: Some(outer.clone()),
        })
    }

    fn scope(&mut self, body: &'a [Stmt], fresh: &[(Name, Option<i64>)], outer: Option<&Env<'a>>) -> Run<()> {
        let outer = outer.expect("every scope is inside the top level");
        let env = self.enter(body, fresh, None, outer);
        self.stmts(body, &env)
    }

    fn stmts(&mut self, body: &'a [Stmt], env: &Env<'a>) -> Run<()> {
        body.iter().try_for_each(|it| self.stmt(it, env))
    }

    fn stmt(&mut self, stmt: &'a Stmt, env: &Env<'a>) -> Run<()> {
        match stmt {
            Stmt::Log(value) => {
                let value = self.value(value, env)?;
                self.log.push(value);
            }
            Stmt::Assign(name, value) | Stmt::Local(name, Some(value)) => {
                let value = self.value(value, env)?;
                self.assign(env, *name, value);
            }
            Stmt::Add(name, value) => {
                let old = self.read(env, *name)?;
                let value = old.wrapping_add(self.value(value, env)?);
                self.assign(env, *name, value);
            }
            Stmt::Local(_, None) | Stmt::Global(_) => {}
            Stmt::If(condition, body) => {
                if self.value(condition, env)? % 2 != 0 {
                    self.stmts(body, env)?;
                }
            }
            Stmt::For(vars, body) => {
                for values in counts(vars) {
                    self.scope(body, &values, Some(env))?;
                }
            }
            Stmt::ForOuter(name, last, body) => {
                for turn in 1..=*last {
                    // The assignment belongs to the body, which may declare a local of the name.
                    let inner = self.enter(body, &[], None, env);
                    self.assign(&inner, *name, turn);
                    self.stmts(body, &inner)?;
                }
            }
            Stmt::While(_, turns, body) => {
                for _ in 0..*turns {
                    self.scope(body, &[], Some(env))?;
                }
            }
            Stmt::Let(vars, body) => self.let_scope(vars, body, env)?,
            Stmt::Try(body, thrown, var, handler) => self.try_scope(body, thrown, *var, handler, env)?,
            Stmt::Function(number, arg, body, value) => {
                let closure = Closure { arg: Some(*arg), body, value, env: env.clone() };
                env.functions.borrow_mut().insert(*number, closure);
            }
            Stmt::Keep(number) => self.kept.push(function(env, *number)),
            Stmt::Method(number, body, value) => {
                self.methods.insert(*number, Closure { arg: None, body, value, env: env.clone() });
            }
        }
        Ok(())
    }

    /// Each value is found where the variables before it are seen, and the variable itself is not yet.
    fn let_scope(&mut self, vars: &'a [(Name, Option<Expr>)], body: &'a [Stmt], env: &Env<'a>) -> Run<()> {
        let Some(((name, value), rest)) = vars.split_first() else { return self.stmts(body, env) };
        let value = value.as_ref().map(|it| self.value(it, env)).transpose()?;
        let within: &[Stmt] = if rest.is_empty() { body } else { &[] };
        let inner = self.enter(within, &[(*name, value)], None, env);
        self.let_scope(rest, body, &inner)
    }

    fn try_scope(
        &mut self,
        body: &'a [Stmt],
        thrown: &'a Expr,
        var: Name,
        handler: &'a [Stmt],
        env: &Env<'a>,
    ) -> Run<()> {
        self.leaves_kernel = true;
        let inner = self.enter(body, &[], None, env);
        let ended = self.stmts(body, &inner).and_then(|()| self.value(thrown, &inner)).map(Thrown::Number);
        let (Ok(thrown) | Err(thrown)) = ended;
        let handling = self.enter(handler, &[], Some(var), env);
        let value = match thrown {
            Thrown::Number(it) => it,
            Thrown::Undefined => EXCEPTION,
        };
        self.assign(&handling, var, value);
        self.stmts(handler, &handling)
    }

    fn call(&mut self, closure: &Closure<'a>, arg: i64) -> Run<i64> {
        let fresh: Vec<_> = closure.arg.map(|it| (it, Some(arg))).into_iter().collect();
        let env = self.enter(closure.body, &fresh, None, &closure.env);
        self.stmts(closure.body, &env)?;
        self.value(closure.value, &env)
    }

    fn value(&mut self, expr: &'a Expr, env: &Env<'a>) -> Run<i64> {
        Ok(match expr {
            Expr::Int(it) => *it,
            Expr::Var(name) => self.read(env, *name)?,
            Expr::Add(a, b) => {
                let a = self.value(a, env)?;
                a.wrapping_add(self.value(b, env)?)
            }
            Expr::Call(number, arg) => {
                let arg = self.value(arg, env)?;
                self.call(&function(env, *number), arg)?
            }
            Expr::Defined(name) => match find(env, *name) {
                Some(at) => i64::from(at.slots.borrow()[name] != Slot::Var(None)),
                None => {
                    self.leaves_kernel = true;
                    i64::from(self.globals.contains_key(name))
                }
            },
            Expr::Sum(vars, body, value) => {
                let mut sum = 0i64;
                for values in counts(vars) {
                    let inner = self.enter(body, &values, None, env);
                    self.stmts(body, &inner)?;
                    sum = sum.wrapping_add(self.value(value, &inner)?);
                }
                sum
            }
        })
    }

    fn read(&mut self, env: &Env<'a>, name: Name) -> Run<i64> {
        match find(env, name).map(|it| it.slots.borrow()[&name]) {
            Some(Slot::Var(value)) => value.ok_or(Thrown::Undefined),
            Some(Slot::Global) | None => {
                self.leaves_kernel = true;
                self.globals.get(&name).copied().ok_or(Thrown::Undefined)
            }
        }
    }

    fn assign(&mut self, env: &Env<'a>, name: Name, value: i64) {
        if let Some(frame) = find(env, name)
            && let Some(Slot::Var(it)) = frame.slots.borrow_mut().get_mut(&name)
        {
            *it = Some(value);
            return;
        }
        self.leaves_kernel = true;
        self.globals.insert(name, value);
    }
}

/// The innermost frame that defines a name.
fn find<'a, 'e>(env: &'e Env<'a>, name: Name) -> Option<&'e Env<'a>> {
    let mut at = Some(env);
    while let Some(frame) = at {
        if frame.slots.borrow().contains_key(&name) {
            return Some(frame);
        }
        at = frame.outer.as_ref();
    }
    None
}

fn function<'a>(env: &Env<'a>, number: usize) -> Closure<'a> {
    let mut at = env;
    loop {
        if let Some(found) = at.functions.borrow().get(&number) {
            return found.clone();
        }
        at = at.outer.as_ref().expect("only functions in scope are called");
    }
}

/// The values of loop variables, turn by turn: all are fresh in each turn.
fn counts(vars: &[(Name, i64)]) -> Vec<Vec<(Name, Option<i64>)>> {
    let mut turns = vec![Vec::new()];
    for &(name, last) in vars {
        let each = |turn: &Vec<_>| {
            (1..=last)
                .map(|it| turn.iter().copied().chain([(name, Some(it))]).collect::<Vec<_>>())
                .collect::<Vec<_>>()
        };
        turns = turns.iter().flat_map(each).collect();
    }
    turns
}
