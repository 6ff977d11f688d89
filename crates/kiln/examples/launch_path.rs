//! The cost of the path from a job to a launch, in numbers: `name value` a line. Run by `scripts/bench.sh`.
//!
//! Times are the least of several batches: nanoseconds, unless the name says otherwise.
#![expect(clippy::print_stdout, reason = "a report on standard output")]

#[path = "../tests/launch/allocations.rs"]
mod allocations;

use allocations::allocations;
use kiln::internals::SessionInternals as _;
use kiln::{Error, Grid, KernelJob, Session, SessionOptions, Together};
use std::fmt::Write as _;
use std::time::Instant;

/// Kernels that share nothing but the library.
const KERNELS: usize = 16;

fn program() -> String {
    // The kernels that Julia and C launch, too.
    let mut text = include_str!("../../../bench/launch/kernels.jl").to_owned();
    text += "
        function broken!(y, a, x)
            y[1] = undefined_name
            return
        end
        x, y = CUDA.ones(Float32, 256), CUDA.zeros(Float32, 256)
        args = map(cudaconvert, (y, 2.0f0, x))
    ";
    for n in 0..KERNELS {
        let _ = write!(
            text,
            "function kernel{n}!(y, a, x)
                 i = threadIdx().x + (blockIdx().x - 1) * blockDim().x
                 s = 0.0f0
                 for k in 1:length(x)
                     d = x[k] - y[i] + {n}.0f0
                     s += sqrt(d * d + a) / ({n}.5f0 + d)
                 end
                 if i <= length(y)
                     y[i] = s
                 end
                 return
             end\n"
        );
    }
    text
}

/// Nanoseconds one of `count` calls takes, the least of several batches.
fn nanos(count: u32, mut call: impl FnMut()) -> f64 {
    let batch = || {
        let start = Instant::now();
        (0..count).for_each(|_| call());
        start.elapsed().as_nanos() as f64 / f64::from(count)
    };
    std::iter::repeat_with(batch).take(20).fold(f64::INFINITY, f64::min)
}

fn main() -> Result<(), Error> {
    let session = Session::new(SessionOptions::default())?;
    session.run_text("program", &program())?;
    let config = session.kernel_config("(; method_tables = (CUDA.method_table,))")?;
    let args = session.elements(session.evaluate("args")?);
    let job = |name: &str| -> Result<KernelJob, Error> {
        Ok(session.kernel_job(session.evaluate(name)?, &args, config))
    };
    let refused = |it: std::sync::Arc<kiln::Uncompiled>| Error::program(it.message.clone());

    let empty = job("empty!")?;
    let kernel = session.kernel(&empty).map_err(refused)?;
    let resolve = || assert_eq!(session.kernel(std::hint::black_box(&empty)).ok(), Some(kernel));
    let before = allocations();
    println!("resolve {:.1}", nanos(100_000, resolve));
    println!("resolve_allocations {}", allocations() - before);

    let function = session.evaluate("empty!")?;
    let grid =
        Grid { groups: [1, 1, 1], items: [16, 1, 1], dynamic_shared_bytes: 0, together: Together::NONE };
    let launch = || assert!(session.launch(kernel, &grid, function, &args).is_ok());
    launch(); // starts the device's threads
    let before = allocations();
    println!("launch {:.0}", nanos(10_000, launch));
    println!("launch_allocations {}", allocations() - before);
    let of_items = Grid { items: [256, 1, 1], ..grid };
    for name in ["empty!", "saxpy!"] {
        let (job, function) = (job(name)?, session.evaluate(name)?);
        let kernel = session.kernel(&job).map_err(refused)?;
        let launch = || {
            assert_eq!(session.kernel(std::hint::black_box(&job)).ok(), Some(kernel));
            assert!(session.launch(kernel, &of_items, function, &args).is_ok());
        };
        println!("launch_256_{} {:.0}", name.trim_end_matches('!'), nanos(10_000, launch));
    }

    let mut times = Vec::new();
    for n in 0..20 {
        session.run_text("program", &format!("unrelated(x) = {n}"))?;
        let start = Instant::now();
        resolve();
        times.push(start.elapsed().as_nanos());
    }
    println!("resolve_after_a_definition {}", times.iter().min().unwrap_or(&0));

    let broken = job("broken!")?;
    println!("first_failure_us {:.0}", nanos_once(|| session.kernel(&broken).is_err()) / 1e3);
    println!("next_failure {:.0}", nanos(1000, || assert!(session.kernel(&broken).is_err())));

    let names: Vec<String> = (0..KERNELS).map(|n| format!("kernel{n}!")).collect();
    let jobs = names.iter().map(|it| job(it)).collect::<Result<Vec<_>, _>>()?;
    let before = session.timings();
    let took = nanos_once(|| session.kernels(&jobs).iter().all(Result::is_ok));
    let spent = session.timings().since(&before);
    println!("compile_{KERNELS}_kernels_us {:.0}", took / 1e3);
    println!("of_that_inference_us {:.0}", spent.infer_ns as f64 / 1e3);
    println!("llvm_on_all_threads_us {:.0}", spent.codegen_ns as f64 / 1e3);
    Ok(())
}

fn nanos_once(work: impl FnOnce() -> bool) -> f64 {
    let start = Instant::now();
    assert!(work(), "the program is as it was written");
    start.elapsed().as_nanos() as f64
}
