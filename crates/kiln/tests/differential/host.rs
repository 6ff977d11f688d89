//! Random host programs that allocate: strings, dictionaries, closures, objects, and calls that are dispatched when they
//! run. Interpreted and compiled, each gives the same value, shown as Julia shows it, or the same exception.

use super::{finished, on_large_stack};
use kiln::internals::{SessionInternals as _, TestOptions as _};
use kiln::{Session, SessionOptions};
use kiln_runtime::heap::text;
use kiln_runtime::interp::run;
use kiln_runtime::{CompiledBody, Run, Value};
use kiln_testing::random::{Rng, setting};

/// Programs that one session runs.
const PER_SESSION: u64 = 20;
/// Differences shown at most.
const FAILURES_MAX: usize = 3;
/// How deeply statements nest.
const DEPTH_MAX: u32 = 3;

const PRELUDE: &str = r#"
mutable struct Node
    n::Int
    label::String
    next::Union{Nothing, Node}
    any::Any
end
mutable struct Late
    n::Int
    text::String
    Late(n) = new(n)
end
struct Pair2
    a::Int
    b::Any
end
weight(x::Int) = x
weight(x::String) = length(x)
weight(::Nothing) = 1
weight(::Missing) = 2
weight(x::Float64) = isnan(x) ? 0 : 3
weight(x::Symbol) = 4
weight(x::Node) = x.n
weight(x::Pair2) = x.a + weight(x.b)
weight(x::Vector{Int}) = length(x)
weight(x::Tuple) = length(x)
weight(x::Type) = 5
weight(x) = 6
guarded(x) = try
    sqrt(weight(x)) > 3 ? 1 : 2
catch err
    err isa DomainError ? -1 : -2
end
@noinline keyed(i; by = 2, label = "k") = i * by + length(label)
@noinline several(i, xs...) = i + length(xs)
@noinline fails(x) = x % 3 == 0 ? throw(ErrorException(string("f", x))) : x
@noinline below(x) = x <= 0 ? error("deep") : below(x - 2) + 1
struct Held <: Exception
    what::Any
end
@noinline hold(x) = throw(Held(x))
cleaned(x) = try
    fails(x)
finally
    global COUNTER += 1
end
again(x) = try
    cleaned(x)
catch
    x % 2 == 0 ? rethrow() : throw(Held(x))
end
kind(e) = e isa Held ? weight(e.what) : length(string(typeof(e)))
handled() = length(current_exceptions())
counted(f, n) = (s = 0; for k in 1:n; s += f(k); end; s)
short(s) = first(s, 24)
global COUNTER = 0
global TYPED::Int = 0
reset() = (global COUNTER = 0; global TYPED = 0; nothing)
bump() = (global COUNTER = COUNTER + 1; global TYPED += 2; COUNTER)
shown(x) = string(repr(x), " ", COUNTER, " ", TYPED)
described(e) = string(typeof(e), ": ", sprint(showerror, e), " ", COUNTER)
"#;

/// A program: a function `entry` of two integers.
struct HostProgram {
    text: String,
    entry: String,
}

struct Generator {
    rng: Rng,
    text: String,
    depth: u32,
    /// Loops around the statement, which it may leave.
    loops: u32,
}

impl Generator {
    fn pick<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.rng.below(all.len())]
    }

    fn int(&mut self, depth: u32) -> String {
        if depth == 0 {
            return self.pick(&["a", "b", "i", "j", "1", "3", "-2", "length(v)", "n.n"]).to_owned();
        }
        match self.rng.below(22) {
            0 => format!("({} + {})", self.int(depth - 1), self.int(depth - 1)),
            1 => format!("({} * 3 % 1009)", self.int(depth - 1)),
            2 => format!("({} - {})", self.int(depth - 1), self.int(depth - 1)),
            3 => format!("length({})", self.string(depth - 1)),
            4 => format!("v[mod1({}, length(v))]", self.int(depth - 1)),
            5 => format!("get(d, {}, 7)", self.int(depth - 1)),
            6 => format!("get(e, {}, 8)", self.string(depth - 1)),
            7 => format!("weight({})", self.any(depth - 1)),
            8 => format!("weight(q[mod1({}, length(q))])", self.int(depth - 1)),
            9 => format!("f({})", self.int(depth - 1)),
            10 => format!("guarded({})", self.any(depth - 1)),
            11 => format!("keyed({}; by = {})", self.int(depth - 1), self.int(0)),
            12 => format!("several({}, {}, {})", self.int(depth - 1), self.string(0), self.any(0)),
            13 => "sum(x % 17 for x in v)".to_owned(),
            14 => format!("(q[end] isa Int ? q[end] : {})", self.int(depth - 1)),
            15 => format!("(n.next === nothing ? {} : n.next.n)", self.int(0)),
            16 => format!("counted(x -> x * {} % 5, 3)", self.int(0)),
            17 => "bump()".to_owned(),
            18 => format!("({} === {} ? 1 : 0)", self.any(depth - 1), self.any(depth - 1)),
            19 => format!("(({}, {})[mod1({}, 2)])", self.int(0), self.int(0), self.int(0)),
            20 => format!("(hash({}) % 97 % Int)", self.string(0)),
            _ => self.int(0),
        }
    }

    fn string(&mut self, depth: u32) -> String {
        if depth == 0 {
            return self.pick(&["s", "t", "\"ab\"", "\"\"", "\"é∀\"", "n.label"]).to_owned();
        }
        match self.rng.below(9) {
            0 => format!("string({})", self.int(depth - 1)),
            1 => format!("short({} * {})", self.string(depth - 1), self.string(depth - 1)),
            2 => format!("uppercase({})", self.string(depth - 1)),
            3 => format!("repeat(\"xy\", mod({}, 4))", self.int(depth - 1)),
            4 => "short(join(v, \"-\"))".to_owned(),
            5 => format!("short(string({}, :sym, {}))", self.any(0), self.int(depth - 1)),
            6 => format!("short(\"<$({})>\")", self.int(0)),
            7 => format!("String(SubString({}, 1, 0))", self.string(0)),
            _ => self.string(0),
        }
    }

    fn any(&mut self, depth: u32) -> String {
        match self.rng.below(14) {
            0 | 1 => self.int(depth),
            2 | 3 => self.string(depth),
            4 => "nothing".to_owned(),
            5 => "missing".to_owned(),
            6 => "n".to_owned(),
            7 => format!("({}, {})", self.int(0), self.string(0)),
            8 => format!("Pair2({}, {})", self.int(0), self.pick(&["nothing", "s", "1.5", "n", "(1, s)"])),
            9 => self.pick(&[":left", "Int", "Vector{Int}", "'c'", "0x07", "true"]).to_owned(),
            10 => format!("{} * 0.5", self.int(0)),
            11 => format!("[{}]", self.int(0)),
            12 => "q[end]".to_owned(),
            _ => self.pick(&["a", "s", "v", "nothing"]).to_owned(),
        }
    }

    fn line(&mut self, text: &str) {
        self.text.push_str(&"    ".repeat(self.depth as usize + 1));
        self.text.push_str(text);
        self.text.push('\n');
    }

    fn statement(&mut self) {
        let text = match self.rng.below(32) {
            0 | 1 => format!("i = {} % 100003", self.int(2)),
            2 => format!("j = {} % 1009", self.int(2)),
            3 | 4 => format!("s = {}", self.string(2)),
            5 => format!("t = {}", self.string(2)),
            6 | 7 => format!("push!(v, {})", self.int(2)),
            8 | 9 => format!("push!(q, {})", self.any(1)),
            10 => format!("d[{}] = {}", self.int(1), self.int(1)),
            11 => format!("e[{}] = {}", self.string(1), self.int(1)),
            12 => format!(
                "n = Node({}, {}, {}, {})",
                self.int(1),
                self.string(1),
                self.pick(&["nothing", "n"]),
                self.any(1)
            ),
            13 => format!("n.any = {}", self.any(1)),
            14 => format!("n.n = {} % 1009", self.int(2)),
            15 => format!("n.next = {}", self.pick(&["nothing", "Node(1, s, nothing, j)"])),
            16 => format!("f = x -> x + {} % 11", self.int(1)),
            17 => "f = let k = i; x -> (k += 1; x + k % 7); end".to_owned(),
            18 => format!("v = map(x -> x + {}, v)", self.int(0)),
            19 => "v = filter(isodd, v); push!(v, 5)".to_owned(),
            20 => format!("sort!(v, by = x -> x % {})", self.pick(&["3", "5", "7"])),
            21 => format!("v[mod1({}, length(v))] = {}", self.int(1), self.int(1)),
            22 => "q = Any[x for x in q]".to_owned(),
            23 => self.failing(),
            24 => format!("delete!(d, {})", self.int(0)),
            25 => "pop!(q); isempty(q) && push!(q, j)".to_owned(),
            26 | 27 => return self.caught(),
            _ => return self.nested(),
        };
        self.line(&text);
    }

    /// A statement that may throw.
    fn failing(&mut self) -> String {
        let rare = format!("{} % 13 == 0", self.int(1));
        let what = match self.rng.below(14) {
            0 => format!("i = v[{}]", self.int(0)),
            1 => format!("i = d[{}]", self.int(0)),
            2 => "i = q[end]::Int".to_owned(),
            3 => format!("i = div({}, {})", self.int(0), self.int(0)),
            4 => format!("i = parse(Int, {})", self.string(0)),
            5 => format!("throw(ArgumentError({}))", self.string(0)),
            6 => format!("s = Late({}).text", self.int(0)),
            7 => format!("i = fails({})", self.int(1)),
            8 => format!("j = below(mod({}, 9))", self.int(0)),
            9 => format!("hold({})", self.any(1)),
            10 => format!("i = again({})", self.int(1)),
            11 => "i = q[end] + 1".to_owned(),
            12 => format!("throw(Held({}))", self.any(0)),
            _ => format!("n.n = convert(Int, {})", self.any(0)),
        };
        format!("if {rare}; {what}; end")
    }

    /// A `try` with a handler, or code that runs in any case, or both.
    fn caught(&mut self) {
        if self.depth >= DEPTH_MAX {
            return self.line("j += 2");
        }
        let form = self.rng.below(6);
        self.line("try");
        self.block();
        if form != 0 {
            self.line(if form == 1 { "catch" } else { "catch err" });
            self.depth += 1;
            if form > 1 {
                self.line("i += kind(err)");
            }
            self.line("j += handled()");
            self.depth -= 1;
            self.block();
            if form == 2 {
                self.line("else");
                self.block();
            }
        }
        if form == 0 || form > 3 {
            self.line("finally");
            self.block();
        }
        self.line("end");
        self.line("j += 10 * handled()");
    }

    /// Some statements, of which the last may leave the block.
    fn block(&mut self) {
        self.depth += 1;
        for _ in 0..=self.rng.below(3) {
            self.statement();
        }
        let rare = format!("{} % 5 == 0", self.int(0));
        let leaves = match self.rng.below(12) {
            0 => "return (i, j, s, q)",
            1 if self.loops > 0 => "break",
            2 if self.loops > 0 => "continue",
            3 => "rethrow()",
            4 => "throw(Held(n))",
            _ => "i += 1",
        };
        self.line(&format!("if {rare}; {leaves}; end"));
        if self.rng.below(2) == 0 {
            let failing = self.failing().replace("% 13", "% 2");
            self.line(&failing);
        }
        self.depth -= 1;
    }

    fn nested(&mut self) {
        if self.depth >= DEPTH_MAX {
            return self.line("j += 1");
        }
        let heads = [
            format!("for k in 1:{}", self.pick(&["2", "3", "5"])),
            format!("if {} > {}", self.int(1), self.int(1)),
            "for x in q[1:min(end, 3)]".to_owned(),
            format!("if q[end] isa {}", self.pick(&["Int", "String", "Union{Int, String}", "Node", "Real"])),
        ];
        let head = heads[self.rng.below(heads.len())].clone();
        self.line(&head);
        self.depth += 1;
        self.loops += u32::from(head.starts_with("for"));
        for _ in 0..=self.rng.below(3) {
            self.statement();
        }
        self.loops -= u32::from(head.starts_with("for"));
        self.depth -= 1;
        self.line("end");
    }
}

fn program(seed: u64) -> HostProgram {
    let mut it = Generator { rng: Rng::new(seed ^ 0x5eed), text: String::new(), depth: 0, loops: 0 };
    let entry = format!("host{seed}");
    it.text.push_str(&format!("function {entry}(a::Int, b::Int)\n"));
    for line in [
        "i, j, s, t = a, b, \"s\", string(b)",
        "v, q = [a, b, 3], Any[a, \"q\", nothing]",
        "d, e = Dict{Int, Int}(1 => 2), Dict{String, Int}()",
        "n = Node(a, \"n\", nothing, b)",
        "f = x -> x + 1",
    ] {
        it.line(line);
    }
    for _ in 0..6 + it.rng.below(8) {
        it.statement();
    }
    it.line("(i, j, s, t, v, q, sort!(collect(d)), length(e), n.n, n.label, n.any, f(1))");
    it.text.push_str("end\n");
    HostProgram { text: it.text, entry }
}

/// The value as text, or the exception.
fn outcome(session: &Session, run: Run) -> String {
    let rt = session.runtime();
    let named =
        |name: &str| rt.global(session.main(), rt.types.symbol(name)).expect("the prelude defines it");
    let text = |function: &str, value: Value| match rt.call_latest(named(function), &[value]) {
        Ok(text) => String::from_utf8_lossy(text::bytes(&rt.heap, text)).into_owned(),
        Err(_) => format!("{function} throws"),
    };
    match run {
        Ok(value) => text("shown", value),
        Err(thrown) => text("described", thrown.exception),
    }
}

fn compare(session: &Session, seed: u64) -> Result<(), String> {
    let rt = session.runtime();
    let program = program(seed);
    session.run_text("program", &program.text).map_err(|it| format!("{it}\n{}", program.text))?;
    let named = |name: &str| rt.global(session.main(), rt.types.symbol(name)).expect("just defined");
    let (function, reset) = (named(&program.entry), named("reset"));
    let mut compiled = None;
    for args in [[3, 4], [-7, 0], [26, 13]] {
        let args = args.map(|it| rt.heap.int(it));
        let body = match &compiled {
            Some(body) => body,
            None => match session.compile_function(function, &args) {
                Ok(body) => compiled.insert(body),
                Err(why) => return Err(format!("not compiled: {why}\n{}", program.text)),
            },
        };
        let run = |work: &dyn Fn() -> Run| {
            let _ = rt.call_latest(reset, &[]);
            // What was thrown out of a handler is still being handled.
            run::pop_exceptions(0);
            outcome(session, work())
        };
        let expected = run(&|| rt.call_latest(function, &args));
        let got = run(&|| body.call(rt, &[function, args[0], args[1]]));
        if expected != got {
            return Err(format!(
                "seed {seed}\ninterpreted: {expected}\ncompiled:    {got}\n{}",
                program.text
            ));
        }
    }
    Ok(())
}

/// Host code that allocates and calls dynamically does the same compiled.
#[test]
fn host_programs_that_allocate_agree() {
    let (first, count) = (setting("KILN_SEED", 1), setting("KILN_HOST_PROGRAMS", 40));
    let last = first + count;
    let differences = on_large_stack(move || {
        let mut failures = Vec::new();
        for from in (first..last).step_by(PER_SESSION as usize) {
            let session = Session::new(SessionOptions::default().interpret_host(true)).expect("a session");
            session.run_text("prelude", PRELUDE).expect("the prelude runs");
            let seeds = from..last.min(from + PER_SESSION);
            failures.extend(seeds.filter_map(|seed| compare(&session, seed).err()));
            if failures.len() >= FAILURES_MAX {
                break;
            }
        }
        failures
    });
    let failures = finished(differences);
    assert!(failures.is_empty(), "{}", failures.join("\n----\n"));
}
