//! Runs generated programs interpreted and compiled, and compares their results with the model's.

use kiln::internals::{Mutant, SessionInternals as _, TestOptions as _};
use kiln::{Session, SessionOptions};
use kiln_runtime::heap::text;
use kiln_runtime::{CompiledBody, Run, Value};
use kiln_testing::random::setting;
use kiln_types::display;
use std::ops::Range;

/// Programs per model by default.
const PROGRAMS: u64 = 40;
/// Programs that one session runs.
const PER_SESSION: u64 = 50;
/// A native stack for deep interpretation.
const STACK_BYTES: usize = 1 << 28;

/// The log of programs: `o` holds the number of entries, then these.
pub(crate) const LOG: &str = "
put(o, x) = (o[1] += 1; o[o[1] + 1] = x; nothing)
shown(o) = join(o[2:o[1]+1], ' ')
";

/// The functions of a program that give its result.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// `host()` returns the text.
    Host,
    /// The same, and so does `device()`, by a kernel.
    Kernel,
    /// `entry(1)`, `entry(2)` and so on, as many, return `Int`s or throw; as a host function also compiled.
    Entry(i64),
}

/// A program and the result its model expects.
pub(crate) struct Judged {
    /// The body of a module that defines the functions of its form.
    pub(crate) text: String,
    pub(crate) form: Form,
    pub(crate) expected: String,
}

/// The program of a seed.
pub(crate) type Model = fn(u64) -> Judged;

/// The text that a function of a program returns.
fn text_of(session: &Session, seed: u64, function: &str) -> Result<String, String> {
    let rt = session.runtime();
    session
        .run_text("model", &format!("const R{seed} = P{seed}.{function}()\n"))
        .map_err(|it| it.to_string())?;
    let value = rt.global(session.main(), rt.types.symbol(&format!("R{seed}")));
    let text = value.and_then(|it| text::read(&rt.heap, it));
    Ok(text.map_or_else(|| "no text".to_owned(), |it| it.to_string()))
}

/// Returns the outcome of each call of `entry`.
fn outcomes(session: &Session, seed: u64, calls: i64, compiled: bool) -> Result<String, String> {
    let rt = session.runtime();
    session.run_text("model", &format!("const E{seed} = P{seed}.entry\n")).map_err(|it| it.to_string())?;
    let function = rt.global(session.main(), rt.types.symbol(&format!("E{seed}"))).ok_or("no entry")?;
    let body = match compiled.then(|| session.compile_function(function, &[rt.heap.int(1)])) {
        Some(Ok(body)) => Some(body),
        // Host code that has to look a method up at run time stays interpreted.
        Some(Err(why)) if !why.to_string().starts_with("a dynamic call") => return Err(why.to_string()),
        _ => None,
    };
    let outcome = |run: Run| match run.map(|it: Value| it.as_int(rt.types.core())) {
        Ok(Some(it)) => it.to_string(),
        Ok(None) => "no Int".to_owned(),
        Err(thrown) => display::of_type(&rt.types, thrown.exception.ty()),
    };
    let called = (1..=calls).map(|k| {
        let k = rt.heap.int(k);
        outcome(match &body {
            Some(body) => body.call(rt, &[function, k]),
            None => rt.call_latest(function, &[k]),
        })
    });
    Ok(called.collect::<Vec<_>>().join(" "))
}

fn result(session: &Session, seed: u64, program: &Judged, compiled: bool) -> Result<String, String> {
    let text = format!("module P{seed}\nusing CUDA\n{}\nend\n", program.text);
    session.run_text("model", &text).map_err(|it| it.to_string())?;
    match program.form {
        Form::Kernel if compiled => text_of(session, seed, "device"),
        Form::Host | Form::Kernel => text_of(session, seed, "host"),
        Form::Entry(calls) => outcomes(session, seed, calls, compiled),
    }
}

/// The first difference between a model and kiln, or kiln with something wrong in it.
pub(crate) fn difference(model: Model, seeds: Range<u64>, mutant: Option<Mutant>) -> Option<String> {
    for first in seeds.clone().step_by(PER_SESSION as usize) {
        // With one thread hot code runs compiled from then on.
        let options = SessionOptions::new().isolated(true).mutant(mutant).threads(1);
        let interpreted = options.clone().interpret_host(true);
        let (interpreted, compiled) = (Session::new(interpreted).unwrap(), Session::new(options).unwrap());
        for seed in first..seeds.end.min(first + PER_SESSION) {
            let program = model(seed);
            for (how, session) in [("interpreted", &interpreted), ("compiled", &compiled)] {
                let found = result(session, seed, &program, how == "compiled");
                if found.as_ref() != Ok(&program.expected) {
                    let (Ok(found) | Err(found)) = found;
                    return Some(format!(
                        "program {seed}, {how}:\n{}\nfound    {found}\nexpected {}",
                        program.text, program.expected
                    ));
                }
            }
        }
    }
    None
}

/// Runs on a thread with room for deep interpretation.
pub(crate) fn on_large_stack<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(work).unwrap();
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// Fails at the first program of the model that differs.
pub(crate) fn agrees(model: Model) {
    let first = setting("KILN_SEED", 1);
    let seeds = first..first + setting("KILN_MODELS", PROGRAMS);
    if let Some(difference) = on_large_stack(move || difference(model, seeds, None)) {
        panic!("{difference}");
    }
}
