//! The way from a job to a launch: the cost of a warm launch, the effects of definitions, failures, and sharing between
//! threads. MISSION C10, C16, C19, N11.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod allocations;
mod configurations;

use allocations::allocations;
use kiln::internals::{SessionInternals as _, Value};
use kiln::{ConfigId, Grid, KernelHandle, KernelJob, Session, SessionOptions, Together};
use std::sync::Barrier;

const SAXPY: &str = "
    using CUDA
    scaled(a, x) = a * x
    function saxpy!(y, a, x)
        i = threadIdx().x + (blockIdx().x - 1) * blockDim().x
        y[i] += scaled(a, x[i])
        return
    end
    x, y = CUDA.ones(Float32, 1024), CUDA.ones(Float32, 1024)
    args = map(cudaconvert, (y, 2.0f0, x))
";
const GRID: Grid =
    Grid { groups: [4, 1, 1], items: [256, 1, 1], dynamic_shared_bytes: 0, together: Together::NONE };

/// A session that has run a text, and how it compiles CUDA kernels.
struct Program {
    session: Session,
    config: ConfigId,
}

impl Program {
    fn new(text: &str) -> Self {
        let session = Session::new(SessionOptions::default().waits_for_code(true)).unwrap();
        session.run_text("program", text).unwrap();
        let config = session.kernel_config("(; method_tables = (CUDA.method_table,))").unwrap();
        Self { session, config }
    }
    fn run(&self, text: &str) {
        self.session.run_text("program", text).unwrap();
    }
    /// The launch of a function with the arguments of this name.
    fn job(&self, function: &str, args: &str) -> (KernelJob, Value, Vec<Value>) {
        let function = self.session.evaluate(function).unwrap();
        let args = self.session.elements(self.session.evaluate(args).unwrap());
        (self.session.kernel_job(function, &args, self.config), function, args)
    }
    /// Units LLVM made, bodies inferred, kernels compiled, jobs refused.
    fn work(&self) -> [u64; 4] {
        let it = self.session.timings();
        [it.compiles, it.inferences, it.kernels_compiled, it.kernels_refused]
    }
    fn message(&self, job: &KernelJob) -> String {
        self.session.kernel(job).unwrap_err().message.clone()
    }
}

/// A warm launch is resolved by one probe: a hundred thousand allocate, infer and compile nothing, and find the same.
#[test]
fn a_warm_resolve_does_no_work() {
    let program = Program::new(SAXPY);
    let (job, function, args) = program.job("saxpy!", "args");
    let kernel = program.session.kernel(&job).unwrap();
    program.session.launch(kernel, &GRID, function, &args).unwrap();
    assert_eq!(program.session.evaluate("all(Array(y) .== 3.0f0)").unwrap().bits() & 1, 1);
    let (work, before) = (program.work(), allocations());
    for _ in 0..100_000 {
        assert_eq!(program.session.kernel(&job).ok(), Some(kernel));
    }
    assert_eq!(allocations() - before, 0);
    assert_eq!(program.work(), work);
}

/// A launch whose arguments take no more than 512 bytes allocates nothing either, on the thread that launches.
#[test]
fn a_small_launch_allocates_nothing() {
    let program = Program::new(SAXPY);
    let (job, function, args) = program.job("saxpy!", "args");
    let grid =
        Grid { groups: [1, 1, 1], items: [16, 1, 1], dynamic_shared_bytes: 0, together: Together::NONE };
    let launch =
        || program.session.launch(program.session.kernel(&job).unwrap(), &grid, function, &args).unwrap();
    launch();
    let before = allocations();
    (0..1000).for_each(|_| launch());
    assert_eq!(allocations() - before, 0);
}

/// A definition is seen by the next resolve; one that changes nothing about the kernel leaves it as it is.
#[test]
fn a_definition_is_seen_at_once() {
    let program = Program::new(SAXPY);
    let (job, function, args) = program.job("saxpy!", "args");
    let first = program.session.kernel(&job).unwrap();
    let work = program.work();
    program.run("unrelated(x) = x + 1");
    assert_eq!(program.session.kernel(&job).unwrap(), first);
    assert_eq!(program.work(), work);
    program.run("scaled(a, x) = 10 * a * x");
    let second = program.session.kernel(&job).unwrap();
    assert_ne!(second, first);
    program.session.launch(second, &GRID, function, &args).unwrap();
    assert_eq!(program.session.evaluate("all(Array(y) .== 21.0f0)").unwrap().bits() & 1, 1);
    let work = program.work();
    assert_eq!(program.session.kernel(&job).unwrap(), second);
    assert_eq!(program.work(), work);
}

/// A job that does not compile is refused again with the same text and without work, also after definitions that do not matter;
/// it compiles as soon as the missing definition exists.
#[test]
fn a_failure_is_kept_until_it_is_healed() {
    let program = Program::new(SAXPY);
    program.run("function broken!(y, a, x)\n    y[1] = missing_function(a)\n    return\nend");
    let (job, ..) = program.job("broken!", "args");
    let text = program.message(&job);
    assert!(text.contains("missing_function"), "{text}");
    let work = program.work();
    for _ in 0..10 {
        assert_eq!(program.message(&job), text);
    }
    assert_eq!(program.work(), work);
    program.run("unrelated(x) = x + 1");
    assert_eq!(program.message(&job), text);
    assert_eq!(program.work(), work, "what failed depends on nothing that was defined");
    program.run("missing_function(a) = 2a");
    program.session.kernel(&job).unwrap();
    program.run("missing_function(a::Float32) = (v = Any[a]; v[1] + 1)");
    program.session.kernel(&job).unwrap_err();
    program.run("missing_function(a::Float32) = a");
    program.session.kernel(&job).unwrap();
}

/// The same through `@cuda`: the second exception has the text of the first and nothing is inferred for it. Without any
/// method at all it is refused, and accepted once there is one.
#[test]
fn a_program_sees_the_same_exception_twice() {
    let program = Program::new(SAXPY);
    program.run(
        "function broken!(y, a, x)
             y[1] = a * undefined_name
             return
         end
         function nothing_takes end
         says(f) = try; @cuda(f(y, 1.0f0, x)); \"\"; catch e; sprint(showerror, e); end
         first_time, no_method = says(broken!), says(nothing_takes)",
    );
    let work = program.work();
    program.run("@assert says(broken!) == first_time && first_time != \"\"");
    program.run("@assert says(nothing_takes) == no_method && no_method != \"\"");
    assert_eq!((program.work()[1], program.work()[2]), (work[1], work[2]));
    program.run("const undefined_name = 2.0f0\nnothing_takes(y, a, x) = nothing");
    program.run(
        "@assert says(broken!) == \"\"\n@assert says(nothing_takes) == \"\"\n@assert Array(y)[1] == 2.0f0",
    );
}

/// Kernels that call one function that is not inlined: so many units, and one more that they share.
fn family(count: usize) -> String {
    let mut text = SAXPY.to_owned();
    text.push_str("@noinline shared(x) = (s = x; for i in 1:10; s = s * s + x; end; s)\n");
    for n in 0..count {
        text.push_str(&format!(
            "function kernel{n}!(y, a, x)
                 i = threadIdx().x
                 s = a
                 for k in 1:{n} + 3
                     s = s * x[i] + {n}.0f0
                 end
                 y[i] = shared(s) + {n}
                 return
             end\n"
        ));
    }
    text
}

/// Eight threads that want one job at once: it is inferred, compiled and linked once, and all get the same kernel.
#[test]
fn one_of_eight_threads_compiles() {
    let program = Program::new(&family(1));
    let (job, ..) = program.job("kernel0!", "args");
    let start = Barrier::new(8);
    let kernels: Vec<KernelHandle> = std::thread::scope(|scope| {
        let ask = || {
            start.wait();
            program.session.kernel(&job).unwrap()
        };
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(ask)).collect();
        threads.into_iter().map(|it| it.join().unwrap()).collect()
    });
    assert!(kernels.iter().all(|it| *it == kernels[0]));
    let [compiles, _, kernels, _] = program.work();
    assert_eq!((compiles, kernels), (2, 1));
}

/// Eight threads that want different jobs: each is compiled once, and so is what they share. What threads make is what
/// one thread makes.
#[test]
fn threads_compile_different_jobs() {
    let count = 8;
    let program = Program::new(&family(count));
    let names: Vec<String> = (0..count).map(|n| format!("kernel{n}!")).collect();
    let jobs: Vec<_> = names.iter().map(|it| program.job(it, "args").0).collect();
    let start = Barrier::new(count);
    std::thread::scope(|scope| {
        for job in &jobs {
            scope.spawn(|| {
                start.wait();
                program.session.kernel(job).unwrap();
            });
        }
    });
    let [compiles, inferences, kernels, _] = program.work();
    assert_eq!((compiles, kernels), (count as u64 + 1, count as u64));
    let alone = Program::new(&family(count));
    for name in &names {
        alone.session.kernel(&alone.job(name, "args").0).unwrap();
    }
    assert_eq!(alone.work()[1], inferences);
}

/// Many jobs at once, one of them twice and one that fails: answers in the order of the jobs, and the kernels compute what
/// the host does.
#[test]
fn many_jobs_are_compiled_together() {
    let count = 6;
    let program = Program::new(&family(count));
    program.run("broken!(y, a, x) = (y[1] = undefined_name; nothing)");
    let mut all: Vec<_> = (0..count).map(|n| program.job(&format!("kernel{n}!"), "args")).collect();
    all.insert(2, program.job("broken!", "args"));
    all.push(all[0].clone());
    let jobs: Vec<KernelJob> = all.iter().map(|it| it.0).collect();
    let kernels = program.session.kernels(&jobs);
    assert_eq!(kernels[0].as_ref().unwrap(), kernels[count + 1].as_ref().unwrap());
    assert!(kernels[2].as_ref().unwrap_err().message.contains("undefined_name"));
    let [compiles, _, compiled, refused] = program.work();
    assert_eq!((compiles, compiled, refused), (count as u64 + 1, count as u64, 1));
    let grid =
        Grid { groups: [1, 1, 1], items: [1024, 1, 1], dynamic_shared_bytes: 0, together: Together::NONE };
    for ((_, function, args), kernel) in all.iter().zip(&kernels) {
        let Ok(kernel) = kernel else { continue };
        program.session.launch(*kernel, &grid, *function, args).unwrap();
    }
    // The last launch was of the first kernel.
    program.run(
        "s = 2.0f0; for k in 1:3; global s = s * 1.0f0 + 0.0f0; end; @assert all(Array(y) .== shared(s))",
    );
    let work = program.work();
    program.session.kernels(&jobs);
    assert_eq!(program.work(), work, "all of it is kept, the failure too");
}
