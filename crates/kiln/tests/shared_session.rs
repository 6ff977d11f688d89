//! Four threads share a session: they run programs, define methods, launch kernels, and collect; each result is that of a session of
//! its own. `KILN_SHARED_SECONDS` says for how long, `KILN_SEED` where to start.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use kiln::{DeviceSlice, Session, SessionOptions, Value};
use kiln_runtime::collecting;
use kiln_testing::random::{Rng, setting};
use std::time::{Duration, Instant};

const PROGRAM: &str = r#"
using CUDA
mutable struct Node
    value::Int
    next::Any
end
function chained(n)
    first = nothing
    for i in 1:n
        first = Node(i, first)
    end
    s = 0
    while first !== nothing
        s += first.value
        first = first.next
    end
    s
end
function counted(n)
    d = Dict{String, Int}()
    for i in 1:n
        k = string("k", i % 37)
        d[k] = get(d, k, 0) + i
    end
    sum(values(d))
end
joined(n) = sum(length, split(join([string(i, base = 16) for i in 1:n], ","), ","))
function caught(n)
    s = 0
    for i in 1:n
        try
            i % 3 == 0 ? error(string("three ", i)) : (s += i)
        catch e
            s += length(e.msg)
        end
    end
    s
end
closures(n) = sum(f -> f(2), Any[x -> x * i for i in 1:n])
function tasks(n)
    c = Channel{Any}(2)
    t = @async for i in 1:n
        put!(c, string(i))
    end
    s = sum(parse(Int, take!(c)) for _ in 1:n)
    wait(t)
    s
end
function finalized(n)
    log = Any[]
    for i in 1:n
        finalizer(x -> push!(log, x.value), Node(i, nothing))
    end
    n + 0 * length(log)
end
function scale!(y, a)
    i = threadIdx().x
    y[i] *= a
    return
end
function launched(n)
    y = CuArray(collect(1:n))
    @cuda threads=n scale!(y, 3)
    sum(Array(y))
end
"#;

const FUNCTIONS: [&str; 8] =
    ["chained", "counted", "joined", "caught", "closures", "tasks", "finalized", "launched"];

fn session(stress: u64) -> Session {
    let session = Session::new(SessionOptions::new().collection_stress(stress)).unwrap();
    session.run_text("program.jl", PROGRAM).unwrap();
    session
}

fn run(session: &Session, function: &str, n: i64) -> i64 {
    let function: Value = session.main_module().get(function).unwrap();
    let n = session.eval(&n.to_string()).unwrap();
    function.call(&[&n]).unwrap().as_i64().unwrap()
}

/// The work of one thread.
fn work(session: &Session, thread: u64, seed: u64, until: Instant, expected: &[Vec<i64>]) {
    let mut random = Rng::new(seed + thread);
    let mut round = 0;
    while Instant::now() < until || round < 3 {
        round += 1;
        match random.below(5) {
            // A definition of its own, which ends what was compiled of the one before.
            0 => {
                let text = format!("own{thread}(x) = x + {round}\nuses{thread}(n) = sum(own{thread}, 1:n)");
                session.run_text("own.jl", &text).unwrap();
                let n = 1 + random.below(300) as i64;
                assert_eq!(run(session, &format!("uses{thread}"), n), n * (n + 1) / 2 + n * round);
            }
            1 => {
                let module = session.main_module();
                let kernel = module.kernel::<(&mut DeviceSlice<i64>, i64)>("scale!").unwrap();
                let mut y = session.array_from(&(0..64).collect::<Vec<i64>>()).unwrap();
                kernel.launch((1, 64), (&mut y, round)).unwrap();
                assert_eq!(y.to_vec().unwrap(), (0..64).map(|it| it * round).collect::<Vec<i64>>());
            }
            2 if round % 16 == 0 => collecting::collect(session.runtime()),
            _ => {
                let which = random.below(FUNCTIONS.len());
                let n = random.below(expected[which].len());
                let found = run(session, FUNCTIONS[which], n as i64 + 1);
                assert_eq!(found, expected[which][n], "{}({})", FUNCTIONS[which], n + 1);
            }
        }
    }
}

#[test]
fn threads_share_a_session() {
    let (seconds, seed) = (setting("KILN_SHARED_SECONDS", 4), setting("KILN_SEED", 1));
    let alone = session(0);
    let expected: Vec<Vec<i64>> =
        FUNCTIONS.iter().map(|it| (1..=60).map(|n| run(&alone, it, n)).collect()).collect();
    for stress in [0, 200] {
        let shared = session(stress);
        let until = Instant::now() + Duration::from_secs(seconds) / 2;
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let (shared, expected) = (&shared, &expected);
                scope.spawn(move || work(shared, thread, seed, until, expected));
            }
        });
        assert!(shared.timings().collections > 0 || stress == 0);
    }
}
