//! Host functions whose code is generated in the background.

use crate::executor;
use crate::program::Program;
use kiln_codegen_client::{ClientOptions, Isolation, OnOpen};
use kiln_compile::Background;
use kiln_exec::{ExecEnv, compile_hot_beside};
use kiln_ir::Instance;
use kiln_runtime::{CompiledBody, HostCode};
use std::sync::Mutex;
use std::sync::mpsc;
use std::time::Duration;

/// Longer than any unit takes.
const LONG: Duration = Duration::from_secs(120);

/// `f(x) = g(x) + 1` and `g(x) = 6`, with a thread beside the program's.
fn program(on_open: OnOpen) -> Program {
    let options = ClientOptions { isolation: Isolation::Never, ..ClientOptions::default() };
    let program = Program::with_threads(options, 2, on_open);
    program.add_constant("g", 6);
    program.add_caller("f", "g");
    program
}

fn f(program: &Program) -> Instance {
    program.instance("f", &[program.core().int64])
}

/// Asks for a function until it is not pending any more.
fn asked_until_done(env: &ExecEnv<'_>, instance: Instance) -> HostCode {
    let background = env.exec.background.as_ref().unwrap();
    let started = std::time::Instant::now();
    loop {
        let done = background.done();
        match compile_hot_beside(env, instance) {
            HostCode::Pending => assert!(started.elapsed() < LONG, "it stays pending"),
            outcome @ (HostCode::Compiled(_) | HostCode::Refused) => return outcome,
        }
        background.wait(done, LONG);
    }
}

/// Whether code of a function is being made. An open code generator may be done before the question is answered.
fn is_begun(code: &HostCode) -> bool {
    !matches!(code, HostCode::Refused)
}

fn value(program: &Program, code: &dyn CompiledBody) -> Option<i64> {
    let args = [program.function("f"), program.rt.heap.int(3)];
    code.call(&program.rt, &args).unwrap().as_int(program.core())
}

fn compiled(code: HostCode) -> Box<dyn CompiledBody> {
    match code {
        HostCode::Compiled(code) => code,
        other @ (HostCode::Refused | HostCode::Pending) => panic!("{other:?}"),
    }
}

/// While the code generator is at work, asking again returns at once, and the program runs; the code that comes is that of the
/// function, and its cost is counted once, as time in the background.
#[test]
fn the_program_goes_on_while_code_is_generated() {
    let (go_on, waits) = mpsc::channel::<()>();
    let waits = Mutex::new(waits);
    let program = program(Box::new(move |_, _| _ = waits.lock().unwrap().recv_timeout(LONG)));
    let exec = executor(&program);
    let env = ExecEnv::new(&program.rt, &exec);
    let f = f(&program);
    for _ in 0..3 {
        assert!(matches!(compile_hot_beside(&env, f), HostCode::Pending));
        let called = program.rt.call(program.function("f"), &[program.rt.heap.int(3)]).unwrap();
        assert_eq!(called.as_int(program.core()), Some(7));
    }
    assert_eq!((exec.notes.compilations.entries().len(), exec.background.as_ref().unwrap().done()), (0, 0));
    go_on.send(()).unwrap();
    assert_eq!(value(&program, &*compiled(asked_until_done(&env, f))), Some(7));
    let all = program.compiler.counters.now();
    assert_eq!((all.host_compiled, all.host_refused), (1, 0));
    assert!(all.background_ns >= all.codegen_ns && all.codegen_ns > 0, "{all:?}");
    let noted = exec.notes.compilations.entries();
    assert_eq!((noted.len(), noted[0].spent.compiles, noted[0].spent.memory_hits), (1, all.compiles, 0));
}

/// What is defined while code is generated ends what depends on it, and nothing else.
#[test]
fn definitions_in_between_are_seen() {
    let program = program(Box::new(|_, _| ()));
    let exec = executor(&program);
    let env = ExecEnv::new(&program.rt, &exec);
    let f = f(&program);
    assert!(is_begun(&compile_hot_beside(&env, f)));
    program.add_constant("g", 40);
    assert_eq!(value(&program, &*compiled(asked_until_done(&env, f))), Some(41));
    program.add_caller("h", "g");
    let h = program.instance("h", &[program.core().int64]);
    assert!(is_begun(&compile_hot_beside(&env, h)));
    let inferred = program.compiler.counters.now().inferences;
    program.add_constant("unrelated", 1);
    let code = compiled(asked_until_done(&env, h));
    assert_eq!(value(&program, &*code), Some(41));
    assert!(code.worlds().contains(program.rt.tables.world()));
    assert_eq!(program.compiler.counters.now().inferences, inferred, "nothing of it was inferred again");
}

/// Who settles waits for no unit that has not begun; those that are wanted later are asked for again.
#[test]
fn what_was_given_up_is_asked_for_again() {
    let program = program(Box::new(|_, _| ()));
    let exec = executor(&program);
    let env = ExecEnv::new(&program.rt, &exec);
    let names = ["a", "b", "c", "d"];
    names.iter().for_each(|it| program.add_caller(it, "g"));
    let instances = names.map(|it| program.instance(it, &[program.core().int64]));
    for it in instances {
        assert!(is_begun(&compile_hot_beside(&env, it)));
    }
    exec.background.as_ref().map(Background::settle);
    for it in instances {
        assert_eq!(value(&program, &*compiled(asked_until_done(&env, it))), Some(7));
    }
    // The end of the session settles, too.
    program.add_constant("g", 1);
    assert!(is_begun(&compile_hot_beside(&env, f(&program))));
}

/// Without a code generator, and after a panic in the background, a function stays interpreted.
#[test]
fn failures_in_the_background_refuse_the_function() {
    let library = Some("/none/lib.so".into());
    let missing = ClientOptions { library, ..ClientOptions::default() };
    let missing = Program::with_threads(missing, 2, Box::new(|_, _| ()));
    missing.add_constant("g", 6);
    missing.add_caller("f", "g");
    let panics = program(Box::new(|_, _| panic!("on purpose")));
    for (program, why) in [(missing, "/none/lib.so"), (panics, "on purpose")] {
        let exec = executor(&program);
        let env = ExecEnv::new(&program.rt, &exec);
        assert!(matches!(asked_until_done(&env, f(&program)), HostCode::Refused));
        let outcome = exec.notes.hot.entries()[0].outcome.clone();
        assert!(outcome.as_ref().unwrap_err().to_string().contains(why), "{outcome:?}");
        assert_eq!(program.compiler.counters.now().host_refused, 1);
    }
}

/// With one thread the program waits for its code.
#[test]
fn one_thread_compiles_at_once() {
    let program = Program::new();
    program.add_constant("g", 6);
    program.add_caller("f", "g");
    let exec = executor(&program);
    assert!(exec.background.is_none());
    let code = compile_hot_beside(&ExecEnv::new(&program.rt, &exec), f(&program));
    assert_eq!(value(&program, &*compiled(code)), Some(7));
}
