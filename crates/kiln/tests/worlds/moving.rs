//! MISSION C14: worlds that move while a program runs. Functions are defined again between launches, inside the functions
//! that launch; kernels are launched directly, in the latest world, in a world that was kept, by tasks and by closures. A
//! model knows which definitions each of them sees.
//!
//! `KILN_MOVING_WORLDS` sets how many programs there are, of which `KILN_SEED` is the first.

use kiln::internals::SessionInternals as _;
use kiln::{Session, SessionOptions};
use kiln_runtime::eval::toplevel;
use kiln_runtime::heap::text;
use kiln_testing::random::{Rng, setting};

const FUNCTIONS: usize = 5;
/// Calls of functions that define and launch in turn.
const DEPTH_MAX: usize = 3;
const STATEMENTS: usize = 7;

/// A function: a number, plus the result of a later function.
#[derive(Clone)]
struct Body {
    number: i64,
    callee: Option<usize>,
}

/// The definitions that code sees.
type World = Vec<Body>;

fn result(world: &World, function: usize) -> i64 {
    let Body { number, callee } = world[function];
    number + callee.map_or(0, |it| result(world, it))
}

/// A program that is being written, and run by the model at once: each of its functions is called once.
struct Writer<'a> {
    rng: &'a mut Rng,
    /// The functions that define and launch, whole.
    frames: Vec<String>,
    latest: World,
    /// The number that each launch or call leaves in its place.
    expected: Vec<i64>,
}

impl Writer<'_> {
    fn definition(&mut self, function: usize) -> String {
        let number = self.rng.below(1000) as i64;
        let after = FUNCTIONS - function - 1;
        let callee = (after > 0 && self.rng.below(2) == 0).then(|| function + 1 + self.rng.below(after));
        self.latest[function] = Body { number, callee };
        let rest = callee.map_or_else(String::new, |it| format!(" + f{it}()"));
        format!("f{function}() = {number}{rest}")
    }

    /// The place of a number that is found in a world.
    fn place(&mut self, world: &World, function: usize) -> usize {
        self.expected.push(result(world, function));
        self.expected.len()
    }

    /// Writes a function that is called in a world, and returns its name.
    fn frame(&mut self, seen: &World, depth: usize) -> String {
        let mut text = String::new();
        let mut tasks = Vec::new();
        // A world that was kept for later.
        let kept = self.latest.clone();
        text.push_str("    kept = Base.get_world_counter()\n");
        for _ in 0..STATEMENTS {
            let line = self.statement(seen, &kept, depth, &mut tasks);
            text.push_str(&format!("    {line}\n"));
        }
        for task in tasks {
            text.push_str(&format!("    schedule({task}); wait({task})\n"));
        }
        let name = format!("frame{}", self.frames.len());
        self.frames.push(format!("function {name}(r, o)\n{text}    return\nend\n"));
        name
    }

    fn statement(&mut self, seen: &World, kept: &World, depth: usize, tasks: &mut Vec<String>) -> String {
        let n = self.rng.below(FUNCTIONS);
        match self.rng.below(13) {
            0..4 => format!("@eval {}", self.definition(n)),
            4 => format!("@cuda kernel{n}(o, {})", self.place(seen, n)),
            5 => format!("r[{}] = f{n}()", self.place(seen, n)),
            6 => {
                let latest = self.latest.clone();
                format!("Base.invokelatest(launch{n}, o, {})", self.place(&latest, n))
            }
            7 => format!("Base.invoke_in_world(kept, launch{n}, o, {})", self.place(kept, n)),
            8 => {
                let task = format!("task{}", self.expected.len());
                let line = format!("{task} = @task (@cuda kernel{n}(o, {}); nothing)", self.place(seen, n));
                tasks.push(task);
                line
            }
            9 => {
                let place = self.place(seen, n);
                format!(
                    "closure = Base.Experimental.@opaque () -> (@cuda kernel{n}(o, {place}); nothing); Base.invokelatest(closure)"
                )
            }
            10 => {
                let latest = self.latest.clone();
                format!("@eval launch{n}($o, {})", self.place(&latest, n))
            }
            _ if depth == DEPTH_MAX => format!("foreach(s -> launch{n}(o, s), {})", self.place(seen, n)),
            11 => format!("{}(r, o)", self.frame(seen, depth + 1)),
            _ => {
                let latest = self.latest.clone();
                format!("Base.invokelatest({}, r, o)", self.frame(&latest, depth + 1))
            }
        }
    }
}

/// A program, and the numbers that it has to leave.
fn program(rng: &mut Rng) -> (String, Vec<i64>) {
    let nothing = Body { number: 0, callee: None };
    let latest = vec![nothing; FUNCTIONS];
    let mut writer = Writer { rng, frames: Vec::new(), latest, expected: Vec::new() };
    let mut text = "using CUDA\n".to_owned();
    for n in 0..FUNCTIONS {
        text.push_str(&format!("@noinline {}\n", writer.definition(n)));
        text.push_str(&format!("kernel{n}(o, s) = (o[s] = f{n}(); return)\n"));
        text.push_str(&format!("launch{n}(o, s) = (@cuda kernel{n}(o, s); return)\n"));
    }
    let seen = writer.latest.clone();
    let entry = writer.frame(&seen, 0);
    text.extend(writer.frames);
    let count = writer.expected.len().max(1);
    text.push_str(&format!("const r, o = zeros(Int, {count}), CUDA.zeros(Int, {count})\n{entry}(r, o)\n"));
    (text, writer.expected)
}

/// The numbers that a program leaves, on the host or on the device.
fn left(text: &str) -> Vec<i64> {
    let session = Session::new(SessionOptions::new().isolated(true)).unwrap();
    session.run_text("moving", text).unwrap_or_else(|it| panic!("{it}\n{text}"));
    let rt = session.runtime();
    let shown = toplevel::eval_string(rt, session.main(), "join(r .+ Array(o), ' ')").unwrap();
    text::read(&rt.heap, shown).unwrap().split(' ').map(|it| it.parse().unwrap()).collect()
}

#[test]
fn a_launch_sees_the_definitions_of_the_world_it_runs_in() {
    let seed = setting("KILN_SEED", 1);
    for n in 0..setting("KILN_MOVING_WORLDS", 40) {
        let (text, expected) = program(&mut Rng::from_state(seed + n));
        if !expected.is_empty() {
            assert_eq!(left(&text), expected, "program {} of\n{text}", seed + n);
        }
    }
}
