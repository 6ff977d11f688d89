//! Programs of nested scopes that assign, declare and capture a few names.

use crate::judge;
use crate::judge::{Judged, LOG};
use crate::scope_model::{EXCEPTION, Evaluator, Expr, NO_METHOD, Name, Stmt, UNDEFINED, is_valid};
use kiln_testing::random::Rng;
use std::fmt::Write as _;

const NAMES: [&str; 4] = ["a", "b", "c", "d"];
/// Globals that have a value from the start.
const GLOBALS: [(Name, i64); 2] = [(0, 100), (1, 200)];
const DEPTH_MAX: usize = 3;
/// Numbers logged at most: longer programs are not run.
const LOG_MAX: usize = 300;

/// The form of a program.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Statements at top level.
    Top,
    /// The body of a function.
    Function,
    /// The same for kernels too: without globals, exceptions and undefined variables.
    Kernel,
}

struct Writer<'a> {
    rng: &'a mut Rng,
    form: Form,
    /// Functions that calls may name.
    functions: Vec<usize>,
    /// Numbers given to functions and counters.
    numbers: usize,
    methods: usize,
    /// In a function: no method of a global function is defined there.
    inside: bool,
    /// In a comprehension.
    generating: bool,
}

impl Writer<'_> {
    fn name(&mut self) -> Name {
        self.rng.below(NAMES.len())
    }

    fn number(&mut self) -> usize {
        self.numbers += 1;
        self.numbers
    }

    fn block(&mut self, depth: usize) -> Vec<Stmt> {
        let functions = self.functions.len();
        let count = 1 + self.rng.below(4);
        let mut body = Vec::new();
        if self.form != Form::Kernel && self.rng.one_in(9) {
            body.push(Stmt::Global(self.name()));
        }
        body.extend((0..count).map(|_| self.stmt(depth)));
        self.functions.truncate(functions);
        body
    }

    /// A block that declares a global, in which a function assigns that name.
    fn shared_global(&mut self) -> Stmt {
        let (name, number) = (self.name(), self.number());
        let other = (name + 1 + self.rng.below(NAMES.len() - 1)) % NAMES.len();
        let (value, given) = (self.expr(1), self.expr(0));
        let function = Stmt::Function(number, other, vec![Stmt::Assign(name, value)], Expr::Var(name));
        let call = Stmt::Log(Expr::Call(number, Box::new(given)));
        Stmt::For(vec![(other, 1)], vec![Stmt::Global(name), function, call, Stmt::Log(Expr::Var(name))])
    }

    /// The body and value of a function, or of a comprehension.
    fn body(&mut self, depth: usize) -> (Vec<Stmt>, Expr) {
        let inside = std::mem::replace(&mut self.inside, true);
        let functions = self.functions.len();
        let body = (0..self.rng.below(3)).map(|_| self.stmt(depth)).collect();
        let value = self.expr(1);
        self.functions.truncate(functions);
        self.inside = inside;
        (body, value)
    }

    fn vars(&mut self) -> Vec<(Name, i64)> {
        let (first, second) = (self.name(), self.name());
        let mut vars = vec![(first, 1 + self.rng.below(3) as i64)];
        if second != first && self.rng.one_in(2) {
            vars.push((second, 2));
        }
        vars
    }

    fn stmt(&mut self, depth: usize) -> Stmt {
        let name = self.name();
        if depth == 0 {
            return self.leaf(name);
        }
        match self.rng.below(18) {
            0..=5 => self.leaf(name),
            6 => Stmt::Local(name, (self.form == Form::Kernel || self.rng.one_in(2)).then(|| self.expr(1))),
            7 => Stmt::If(self.expr(1), self.block_of_if(depth - 1)),
            8 | 9 => Stmt::For(self.vars(), self.block(depth - 1)),
            10 => Stmt::ForOuter(name, 2, self.block(depth - 1)),
            11 => Stmt::While(self.number(), 1 + self.rng.below(3) as i64, self.block(depth - 1)),
            12 => self.let_block(depth),
            13 if self.form != Form::Kernel && !self.generating => {
                Stmt::Try(self.block(depth - 1), self.expr(1), name, self.block(depth - 1))
            }
            14 if self.form == Form::Top && !self.inside => {
                self.methods += 1;
                let number = self.methods - 1;
                let (body, value) = self.body(0);
                Stmt::Method(number, body, value)
            }
            15 if self.form != Form::Kernel && !self.functions.is_empty() => {
                let functions = self.functions.clone();
                Stmt::Keep(*self.rng.pick(&functions))
            }
            _ => {
                let number = self.number();
                let (body, value) = self.body(depth - 1);
                self.functions.push(number);
                Stmt::Function(number, name, body, value)
            }
        }
    }

    /// `if` is no scope: a function defined in it would be seen behind it, and may then not be there.
    fn block_of_if(&mut self, depth: usize) -> Vec<Stmt> {
        let functions = self.functions.len();
        let body = (0..2).map(|_| self.stmt(depth.min(1))).collect();
        self.functions.truncate(functions);
        body
    }

    fn let_block(&mut self, depth: usize) -> Stmt {
        let mut vars: Vec<(Name, Option<Expr>)> = Vec::new();
        for _ in 0..1 + self.rng.below(2) {
            let name = self.name();
            let value = (self.form == Form::Kernel || !self.rng.one_in(5)).then(|| self.expr(1));
            if vars.iter().all(|it| it.0 != name) {
                vars.push((name, value));
            }
        }
        Stmt::Let(vars, self.block(depth - 1))
    }

    fn leaf(&mut self, name: Name) -> Stmt {
        match self.rng.below(5) {
            0 | 1 => Stmt::Log(self.expr(2)),
            2 => Stmt::Add(name, self.expr(1)),
            _ => Stmt::Assign(name, self.expr(1)),
        }
    }

    fn expr(&mut self, depth: usize) -> Expr {
        let name = self.name();
        match self.rng.below(if depth == 0 { 4 } else { 9 }) {
            0 => Expr::Int(self.rng.below(50) as i64),
            1..=3 => Expr::Var(name),
            4 | 5 => Expr::Add(Box::new(self.expr(depth - 1)), Box::new(self.expr(depth - 1))),
            6 if !self.functions.is_empty() => {
                let functions = self.functions.clone();
                Expr::Call(*self.rng.pick(&functions), Box::new(self.expr(0)))
            }
            7 => Expr::Defined(name),
            8 if !self.generating => {
                let vars = self.vars();
                self.generating = true;
                let (body, value) = self.body(0);
                self.generating = false;
                Expr::Sum(vars, body, Box::new(value))
            }
            _ => Expr::Var(name),
        }
    }
}

/// Prints statements as Julia; `log` is the call that takes a number.
fn print(body: &[Stmt], out: &mut String) {
    for stmt in body {
        let _ = match stmt {
            Stmt::Log(value) => writeln!(out, "put(o, {})", expr(value)),
            Stmt::Assign(name, value) => writeln!(out, "{} = {}", NAMES[*name], expr(value)),
            Stmt::Add(name, value) => {
                writeln!(out, "{0} = n({0}) + {1}", NAMES[*name], expr(value))
            }
            Stmt::Local(name, None) => writeln!(out, "local {}", NAMES[*name]),
            Stmt::Local(name, Some(value)) => writeln!(out, "local {} = {}", NAMES[*name], expr(value)),
            Stmt::Global(name) => writeln!(out, "global {}", NAMES[*name]),
            Stmt::If(condition, body) => writeln!(out, "if isodd({})\n{}end", expr(condition), block(body)),
            Stmt::For(vars, body) => {
                let vars: Vec<String> =
                    vars.iter().map(|it| format!("{} in 1:{}", NAMES[it.0], it.1)).collect();
                writeln!(out, "for {}\n{}end", vars.join(", "), block(body))
            }
            Stmt::ForOuter(name, last, body) => {
                writeln!(out, "for outer {} in 1:{last}\n{}end", NAMES[*name], block(body))
            }
            Stmt::While(number, turns, body) => writeln!(
                out,
                "let w{number} = 0\nwhile w{number} < {turns}\nw{number} += 1\n{}end\nend",
                block(body)
            ),
            Stmt::Let(vars, body) => {
                let shown = vars.iter().map(|(name, value)| match value {
                    Some(value) => format!("{} = {}", NAMES[*name], expr(value)),
                    None => NAMES[*name].to_owned(),
                });
                writeln!(out, "let {}\n{}end", shown.collect::<Vec<_>>().join(", "), block(body))
            }
            Stmt::Try(body, thrown, var, handler) => writeln!(
                out,
                "try\n{}throw({})\ncatch {}\n{}end",
                block(body),
                expr(thrown),
                NAMES[*var],
                block(handler)
            ),
            Stmt::Function(number, arg, body, value) => {
                writeln!(out, "f{number} = {} -> begin\n{}{}\nend", NAMES[*arg], block(body), expr(value))
            }
            Stmt::Keep(number) => writeln!(out, "push!(kept, f{number})"),
            Stmt::Method(number, body, value) => {
                writeln!(
                    out,
                    "global function method(::Val{{{number}}})\n{}{}\nend",
                    block(body),
                    expr(value)
                )
            }
        };
    }
}

fn block(body: &[Stmt]) -> String {
    let mut out = String::new();
    print(body, &mut out);
    out
}

fn expr(expr_: &Expr) -> String {
    match expr_ {
        Expr::Int(it) => it.to_string(),
        Expr::Var(name) => format!("n({})", NAMES[*name]),
        Expr::Add(a, b) => format!("({} + {})", expr(a), expr(b)),
        Expr::Call(number, arg) => format!("f{number}({})", expr(arg)),
        Expr::Defined(name) => format!("Int(@isdefined({}))", NAMES[*name]),
        Expr::Sum(vars, body, value) => {
            let vars: Vec<String> =
                vars.iter().map(|it| format!("for {} in 1:{}", NAMES[it.0], it.1)).collect();
            format!("sum([begin\n{}{}\nend {}])", block(body), expr(value), vars.join(" "))
        }
    }
}

/// The functions that every program calls, and its globals. `o` is the log: its length, and numbers.
fn prelude() -> String {
    format!(
        "{LOG}
global a, b, c, d
a = 100
b = 200
const kept = Any[]
const o = zeros(Int, {size})
n(x) = x isa Int ? x : {EXCEPTION}
method() = 0
told(e) = e isa UndefVarError ? {UNDEFINED} : e isa MethodError ? {NO_METHOD} : rethrow()
at_top(text) = try Core.eval(@__MODULE__, Meta.parse(text)) catch e; put(o, told(e)) end
",
        size = LOG_MAX + 1
    )
}

fn text(body: &[Stmt], form: Form, methods: usize) -> String {
    let mut out = prelude();
    if form == Form::Top {
        out.push_str("function host()\n");
        for stmt in body {
            let _ = writeln!(out, "at_top(\"\"\"\n{}\"\"\")", block(std::slice::from_ref(stmt)));
        }
    } else {
        let _ = writeln!(out, "function entry(o)\n{}nothing\nend", block(body));
        out.push_str("function host()\ntry entry(o) catch e; put(o, told(e)) end\n");
    }
    out.push_str("for f in kept\nput(o, try Base.invokelatest(f, 5) catch e; told(e) end)\nend\n");
    let _ = writeln!(
        out,
        "for k in 0:{}\nput(o, try Base.invokelatest(method, Val(k)) catch e; told(e) end)\nend",
        methods as i64 - 1
    );
    out.push_str("shown(o)\nend\n");
    if form == Form::Kernel {
        let _ = writeln!(
            out,
            "k(o) = (entry(o); return)\nfunction device()\nd = CUDA.zeros(Int, {})\n@cuda k(d)\nshown(Array(d))\nend",
            LOG_MAX + 1
        );
    }
    out
}

/// The program of a seed.
pub(crate) fn program(seed: u64) -> Judged {
    let mut rng = Rng::new(seed);
    loop {
        let form = *rng.pick(&[Form::Top, Form::Function, Form::Kernel]);
        let mut writer = Writer {
            rng: &mut rng,
            form,
            functions: Vec::new(),
            numbers: 0,
            methods: 0,
            inside: false,
            // Kernels make no arrays.
            generating: form == Form::Kernel,
        };
        let mut body = Vec::new();
        if form == Form::Kernel {
            // Each name is a variable of the function.
            body.extend((0..NAMES.len()).map(|it| Stmt::Assign(it, Expr::Int(10 * it as i64))));
        }
        for _ in 0..5 {
            let stmt = match form != Form::Kernel && writer.rng.one_in(12) {
                true => writer.shared_global(),
                false => writer.stmt(DEPTH_MAX),
            };
            let wanted = !matches!(stmt, Stmt::Function(..) | Stmt::If(..) | Stmt::Local(..) | Stmt::Keep(_));
            if wanted || form != Form::Top {
                body.push(stmt);
            } else {
                writer.functions.clear();
            }
        }
        let methods = writer.methods;
        if form == Form::Top && !body.iter().all(|it| is_valid(std::slice::from_ref(it), None, &[], &[]))
            || form != Form::Top && !is_valid(&body, None, &[], &[])
        {
            continue;
        }
        let mut evaluator = Evaluator::new(&GLOBALS);
        if form == Form::Top {
            body.iter().for_each(|it| evaluator.run(std::slice::from_ref(it), true));
        } else {
            evaluator.run(&body, false);
        }
        let ran_in_kernel = !evaluator.leaves_kernel;
        evaluator.finish(methods);
        if evaluator.log.is_empty() || evaluator.log.len() > LOG_MAX || form == Form::Kernel && !ran_in_kernel
        {
            continue;
        }
        let shown: Vec<String> = evaluator.log.iter().map(i64::to_string).collect();
        let text = text(&body, form, methods);
        let form = if form == Form::Kernel { judge::Form::Kernel } else { judge::Form::Host };
        return Judged { text, form, expected: shown.join(" ") };
    }
}
