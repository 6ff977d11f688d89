//! The interpreter is the oracle: random programs give the same bits, or throw the same exception, compiled.
//!
//! Each program is compiled by default. One batch of [`SHARE`] is also compiled without optimization, and another with an
//! empty cache and then, by a second session, with what the first left there; `KILN_DIFFERENTIAL_ALL=1` does so with every
//! batch. `KILN_DIFFERENTIAL` sets how many programs run (10,000 by default) and `KILN_SEED` where they start.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod generate;
mod host;

use generate::{Program, Ty, prelude, program};
use kiln::cache::{StoreMode, StoreOptions};
use kiln::internals::{Mutant, SessionInternals as _, TestOptions as _};
use kiln::{Session, SessionOptions};
use kiln_ir::Intrinsic as I;
use kiln_runtime::heap::{bits, numbers, tuples};
use kiln_runtime::{CompiledBody, Run, Value};
use kiln_testing::mutants::MutantTest;
use kiln_testing::random::{Rng, setting};
use kiln_types::{Type, Types, datatype, display, layout};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;

/// Sets of arguments each program is run with.
const RUNS: usize = 3;
/// Programs that one session runs.
const PER_SESSION: u64 = 500;
/// Batches of which one is compiled in more ways than by default.
const SHARE: u64 = 5;
/// Differences shown at most by a worker.
const FAILURES_MAX: usize = 3;
/// Programs within which a wrong compiler must be noticed.
const MUTANT_PROGRAMS: u64 = 1500;
/// A native stack for deep interpretation.
const STACK_BYTES: usize = 1 << 28;

fn session(options: SessionOptions) -> Session {
    let session = Session::new(options.interpret_host(true)).unwrap();
    session.run_text("prelude", &prelude()).unwrap();
    session
}

fn argument(session: &Session, rng: &mut Rng, ty: Ty) -> Value {
    let types = &session.runtime().types;
    let core = types.core();
    let heap = &session.runtime().heap;
    let bits = u128::from(rng.next()) | u128::from(rng.next()) << 64;
    let small = u128::from(rng.next() % 5);
    let bits = if rng.below(2) == 0 { bits } else { small };
    match ty {
        Ty::Int(8) => bits::from_wide(heap, core.int8, bits & 0xff),
        Ty::Int(16) => bits::from_wide(heap, core.int16, bits & 0xffff),
        Ty::Int(32) => bits::from_wide(heap, core.int32, bits & 0xffff_ffff),
        Ty::Int(128) => bits::from_wide(heap, core.int128, bits),
        Ty::UInt(8) => bits::from_wide(heap, core.uint8, bits & 0xff),
        Ty::UInt(16) => bits::from_wide(heap, core.uint16, bits & 0xffff),
        Ty::UInt(32) => bits::from_wide(heap, core.uint32, bits & 0xffff_ffff),
        Ty::UInt(64) => bits::from_wide(heap, core.uint64, bits & u128::from(u64::MAX)),
        Ty::UInt(_) => bits::from_wide(heap, core.uint128, bits),
        Ty::Float(32) => numbers::float32(heap, (small as f32) * 1.5 - 3.0),
        Ty::Float(_) => numbers::float64(heap, (bits as u64 % 1000) as f64 * 0.37 - 100.0),
        Ty::Int(_) | Ty::Bool | Ty::Tuple | Ty::Struct | Ty::Maybe | Ty::Either | Ty::OneOfThree => {
            heap.int(bits as i64)
        }
    }
}

/// The result as text, bits and all.
fn outcome(session: &Session, run: Run) -> String {
    let rt = session.runtime();
    match run {
        Ok(value) => {
            let parts = tuples::values(&rt.heap, value);
            let shown: Vec<String> = parts
                .iter()
                .map(|it| match layout::is_bits(&rt.types, it.ty()) {
                    true => format!("{}:{}", display::of_type(&rt.types, it.ty()), normal_bits(session, *it)),
                    false => display::of_type(&rt.types, it.ty()),
                })
                .collect();
            shown.join(" ")
        }
        Err(thrown) => format!("throws {}", display::of_type(&rt.types, thrown.exception.ty())),
    }
}

/// Bits in hexadecimal; every NaN is the same, because which of its payloads an operation keeps is not Julia's to say.
fn normal_bits(session: &Session, value: Value) -> String {
    let rt = session.runtime();
    let mut shown = String::new();
    push_bits(&rt.types, value.ty(), &bits::of(&rt.heap, value), &mut shown);
    shown
}

/// The fields of a struct one by one, for there may be a NaN in each.
fn push_bits(types: &Types, ty: Type, bytes: &[u8], shown: &mut String) {
    let core = types.core();
    let fields = datatype::field_types(types, ty);
    if !fields.is_empty() {
        let layout = layout::of(types, ty).expect("plain bits have a layout");
        for (field, &ty) in layout.fields.iter().zip(fields) {
            let at = field.offset as usize;
            push_bits(types, ty, &bytes[at..at + field.size as usize], shown);
        }
        return;
    }
    let is_nan = match bytes {
        [a, b, c, d] if ty == core.float32 => f32::from_le_bytes([*a, *b, *c, *d]).is_nan(),
        eight if ty == core.float64 => {
            f64::from_le_bytes(eight.try_into().expect("a Float64 has eight bytes")).is_nan()
        }
        _ => false,
    };
    if is_nan {
        shown.push_str("NaN");
    } else {
        bytes.iter().for_each(|it| shown.push_str(&format!("{it:02x}")));
    }
}

/// Runs a program both ways. `Err` says how they differ; `Ok(false)` that it was not compiled.
fn compare(session: &Session, program: &Program, seed: u64) -> Result<bool, String> {
    let rt = session.runtime();
    session.run_text("program", &program.text).map_err(|it| format!("{it}\n{}", program.text))?;
    let function = rt.global(session.main(), rt.types.symbol(&program.entry)).expect("just defined");
    let mut rng = Rng::new(seed ^ 0xabcd);
    let mut compiled = None;
    for _ in 0..RUNS {
        let args: Vec<Value> = program.args.iter().map(|ty| argument(session, &mut rng, *ty)).collect();
        let body = match &compiled {
            Some(body) => body,
            None => match session.compile_function(function, &args) {
                Ok(body) => compiled.insert(body),
                Err(why) => return Err(format!("not compiled: {why}\n{}", program.text)),
            },
        };
        let expected = outcome(session, rt.call_latest(function, &args));
        let mut call = vec![function];
        call.extend(&args);
        let got = outcome(session, body.call(rt, &call));
        if expected != got {
            let args: Vec<String> = args.iter().map(|it| normal_bits(session, *it)).collect();
            return Err(format!(
                "seed {seed}, arguments {args:?}\ninterpreted: {expected}\ncompiled:    {got}\n{}",
                program.text
            ));
        }
    }
    Ok(true)
}

fn on_large_stack<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
    std::thread::Builder::new().stack_size(STACK_BYTES).spawn(work).unwrap()
}

fn finished<T>(thread: JoinHandle<T>) -> T {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// Compares the programs of these seeds, up to the first that differ.
fn differences(seeds: Range<u64>) -> Vec<String> {
    let batch = seeds.start / PER_SESSION;
    let all = setting("KILN_DIFFERENTIAL_ALL", 0) == 1;
    let mut failures = differences_with("by default", SessionOptions::default(), seeds.clone());
    if all || batch % SHARE == 1 {
        let options = SessionOptions::new().host_opt_level(Some(0));
        failures.extend(differences_with("without optimization", options, seeds.clone()));
    }
    if all || batch % SHARE == 2 {
        let root = std::env::temp_dir().join(format!("kiln-differential-{}-{batch}", std::process::id()));
        for cache in ["with an empty cache", "with a warm cache"] {
            let mode = StoreMode::ReadWrite;
            let store = StoreOptions {
                root: root.clone(),
                mode,
                bytes_max: None,
                overlays: Vec::new(),
                verify_one_in: 0,
                remote: None,
            };
            let options = SessionOptions::new().store(Some(store));
            failures.extend(differences_with(cache, options, seeds.clone()));
        }
        let _ = std::fs::remove_dir_all(&root);
    }
    failures
}

/// The same for programs that are compiled in one way.
fn differences_with(how: &str, options: SessionOptions, seeds: Range<u64>) -> Vec<String> {
    let mut failures = Vec::new();
    let session = session(options);
    for seed in seeds {
        if let Err(difference) = compare(&session, &program(seed), seed) {
            failures.push(format!("{how}: {difference}"));
        }
        if failures.len() >= FAILURES_MAX {
            break;
        }
    }
    let closed = session.close_store();
    failures.extend(closed.err().map(|it| format!("{how}: the cache: {it:?}")));
    failures
}

#[test]
fn interpreted_and_compiled_programs_agree() {
    let count = setting("KILN_DIFFERENTIAL", 10_000);
    let first = setting("KILN_SEED", 1);
    let last = first + count;
    // A fresh session now and then keeps method tables, and so each look-up, small; two do not see each other.
    let next = Arc::new(AtomicU64::new(first));
    let worker = || {
        let next = next.clone();
        on_large_stack(move || {
            let mut failures = Vec::new();
            while failures.len() < FAILURES_MAX {
                let from = next.fetch_add(PER_SESSION, Ordering::Relaxed);
                if from >= last {
                    break;
                }
                failures.extend(differences(from..last.min(from + PER_SESSION)));
            }
            failures
        })
    };
    let count = std::thread::available_parallelism().map_or(1, usize::from);
    let workers: Vec<_> = (0..count).map(|_| worker()).collect();
    let failures: Vec<String> = workers.into_iter().flat_map(finished).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n----\n"));
}

/// Compilers with one thing wrong.
const MUTANTS: [Mutant; 19] = [
    Mutant::Intrinsic(I::AddInt, I::SubInt),
    Mutant::Intrinsic(I::OrInt, I::XorInt),
    Mutant::Intrinsic(I::SltInt, I::UltInt),
    Mutant::Intrinsic(I::SleInt, I::SltInt),
    Mutant::Intrinsic(I::AshrInt, I::LshrInt),
    Mutant::Intrinsic(I::SextInt, I::ZextInt),
    Mutant::Intrinsic(I::CheckedSdivInt, I::CheckedUdivInt),
    Mutant::Intrinsic(I::MulFloat, I::AddFloat),
    Mutant::Intrinsic(I::LtFloat, I::LeFloat),
    Mutant::Intrinsic(I::Sitofp, I::Uitofp),
    Mutant::Intrinsic(I::CtlzInt, I::CttzInt),
    Mutant::FirstMember,
    Mutant::OtherMember,
    Mutant::FirstElement,
    Mutant::Unchecked,
    Mutant::Constants,
    Mutant::Arguments,
    Mutant::Field,
    Mutant::Identity,
];

/// The comparison itself is tested by compilers with one thing wrong: each must be caught within a thousand programs or so.
/// Each runs in a process of its own, because the code of a wrong compiler may crash or never end.
#[test]
fn a_mutant_compiler_is_caught() {
    let test = MutantTest { name: "a_mutant_compiler_is_caught", variable: "KILN_DIFFERENTIAL_MUTANT" };
    if let Some(number) = test.number() {
        return look_for(MUTANTS[number]);
    }
    let missed = test.missed(&(0..MUTANTS.len()).collect::<Vec<_>>());
    let missed: Vec<Mutant> = missed.into_iter().map(|it| MUTANTS[it]).collect();
    assert!(missed.is_empty(), "these compilers were not noticed: {missed:?}");
}

/// Fails at the first program that shows the mutant.
fn look_for(mutant: Mutant) {
    let shown = on_large_stack(move || {
        let session = session(SessionOptions::new().mutant(Some(mutant)));
        (1..MUTANT_PROGRAMS).find_map(|seed| compare(&session, &program(seed), seed).err())
    });
    if let Some(difference) = finished(shown) {
        panic!("{difference}");
    }
}
