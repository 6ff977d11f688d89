//! The boundary matrix: kiln's arithmetic equals the exact model, in values, types and exceptions.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use kiln::internals::heap::memory;
use kiln::internals::{SessionInternals as _, TestOptions as _};
use kiln::{Session, SessionOptions};
use kiln_oracle::boundary::model::{ModelOutcome, NumberOp, expected};
use kiln_oracle::boundary::numbers::{Num, NumberType, TYPES, boundary_values};
use kiln_oracle::boundary::program::{
    DIVIDE, DOMAIN, INEXACT, KERNEL_PRELUDE, OVERFLOW, PRELUDE, kernel_program, operations, pairs_program,
    type_numbers, values_program,
};

/// Of so many pairs of types and operations one is tried in kernels. It has no divisor in common with the number of types,
/// so that each type meets each.
const KERNEL_SHARE: usize = 29;
/// Differences shown.
const SHOWN_MAX: usize = 200;

fn session(more: &str) -> Session {
    let session = Session::new(SessionOptions::new().interpret_host(true)).unwrap();
    let prelude = format!("{}{PRELUDE}{}{more}", type_numbers(), values_program());
    session.run_text("prelude", &prelude).unwrap();
    session
}

fn results(session: &Session) -> Vec<Result<Num, u8>> {
    let heap = &session.runtime().heap;
    let kinds = memory::bytes(heap, session.evaluate("KINDS").unwrap());
    let bits = memory::bytes(heap, session.evaluate("BITS").unwrap());
    let words = bits.chunks_exact(16).map(|it| u128::from_le_bytes(it.try_into().unwrap()));
    kinds
        .iter()
        .zip(words)
        .map(|(kind, bits)| TYPES.get(usize::from(*kind)).map_or(Err(*kind), |ty| Ok(Num { ty: *ty, bits })))
        .collect()
}

fn outcome(result: Result<Num, u8>) -> Option<ModelOutcome> {
    match result {
        Ok(num) => Some(ModelOutcome::Value(num)),
        Err(DIVIDE) => Some(ModelOutcome::Divide),
        Err(INEXACT) => Some(ModelOutcome::Inexact),
        Err(DOMAIN) => Some(ModelOutcome::Domain),
        Err(OVERFLOW) => Some(ModelOutcome::Overflow),
        Err(_) => None,
    }
}

fn shown(num: Num) -> String {
    match num.ty {
        NumberType::Float(_) => format!("{}({:?})", num.ty.name(), num.float()),
        NumberType::Bool | NumberType::Int(_) | NumberType::UInt(_) => {
            format!("{}({})", num.ty.name(), num.integer())
        }
    }
}

/// The pairs of values of two types, and what an operation has to give for each.
fn pairs(op: NumberOp, a: NumberType, b: NumberType) -> (Vec<(Num, Num)>, Vec<Option<ModelOutcome>>) {
    let (xs, ys) = (boundary_values(a), boundary_values(b));
    let pairs: Vec<(Num, Num)> = xs.iter().flat_map(|x| ys.iter().map(move |y| (*x, *y))).collect();
    let wanted = pairs.iter().map(|(x, y)| expected(op, *x, *y)).collect();
    (pairs, wanted)
}

/// The pairs of which something else was found. One of a pair of types shows what is wrong; the rest is counted.
fn different(
    function: &str,
    pairs: impl Iterator<Item = ((Num, Num), ModelOutcome)>,
    found: Vec<Result<Num, u8>>,
) -> Option<String> {
    let different = pairs.zip(found).filter_map(|(((x, y), wanted), found)| {
        let same = outcome(found).is_some_and(|it| it.same(wanted));
        let text = found.map_or_else(|kind| format!("exception {kind}"), shown);
        let of = format!("{function} of {}, {}", shown(x), shown(y));
        (!same).then(|| format!("{of}: {text} instead of {wanted:?}"))
    });
    let mut different: Vec<String> = different.collect();
    let more = different.len().saturating_sub(1);
    different.truncate(1);
    different.pop().map(|it| format!("{it} (and {more} more)"))
}

fn on_the_host(
    session: &Session,
    op: NumberOp,
    function: &str,
    (a, b): (NumberType, NumberType),
) -> (usize, Option<String>) {
    let (pairs, wanted) = pairs(op, a, b);
    let asked = wanted.iter().flatten().count();
    if asked == 0 {
        return (0, None);
    }
    session.run_text("pairs", &pairs_program(function, a, b)).unwrap();
    let found = results(session);
    assert_eq!(found.len(), pairs.len());
    let asked_of = pairs.into_iter().zip(wanted).zip(found);
    let (asked_of, found): (Vec<_>, Vec<_>) =
        asked_of.filter_map(|((pair, wanted), found)| Some(((pair, wanted?), found))).unzip();
    (asked, different(function, asked_of.into_iter(), found))
}

/// The share that a variable asks for.
fn share(variable: &str, otherwise: usize) -> usize {
    std::env::var(variable).ok().and_then(|it| it.parse().ok()).unwrap_or(otherwise)
}

/// Every pair of types, or one of `KILN_HOST_SHARE`.
#[test]
fn host_arithmetic_equals_the_model() {
    let share = share("KILN_HOST_SHARE", 1);
    let session = session("");
    let (mut number, mut count, mut found) = (0, 0, Vec::new());
    for (op, function) in operations() {
        for types in TYPES.into_iter().flat_map(|a| TYPES.map(|b| (a, b))) {
            number += 1;
            if number % share == 0 {
                let (asked, different) = on_the_host(&session, op, &function, types);
                count += asked;
                found.extend(different);
            }
        }
    }
    assert!(count > 0, "the matrix asks for no result");
    let shown: Vec<&String> = found.iter().take(SHOWN_MAX).collect();
    assert!(found.is_empty(), "{} pairs of types differ, {count} results: {shown:#?}", found.len());
}

/// The pairs that have a value, in a kernel: one that throws would end it.
fn in_a_kernel(
    session: &Session,
    op: NumberOp,
    function: &str,
    (a, b): (NumberType, NumberType),
) -> (usize, Option<String>) {
    let (pairs, wanted) = pairs(op, a, b);
    let has_value = |it: &usize| matches!(wanted[*it], Some(ModelOutcome::Value(_)));
    let asked: Vec<usize> = (0..pairs.len()).filter(has_value).collect();
    if asked.is_empty() {
        return (0, None);
    }
    if let Err(why) = session.run_text("pairs", &kernel_program(function, a, b, &asked)) {
        return (asked.len(), Some(format!("{function} of {}, {}: {why}", a.name(), b.name())));
    }
    let found = results(session);
    assert_eq!(found.len(), asked.len());
    let asked_of = asked.iter().filter_map(|it| Some((pairs[*it], wanted[*it]?)));
    (asked.len(), different(function, asked_of, found))
}

/// Kernels are compiled for each operation and pair of types, so a share of these is taken: one of `KILN_BOUNDARY_SHARE`.
#[test]
fn arithmetic_of_kernels_equals_the_model() {
    let share = share("KILN_BOUNDARY_SHARE", KERNEL_SHARE);
    let session = session(KERNEL_PRELUDE);
    let (mut number, mut count, mut found) = (0, 0, Vec::new());
    for (op, function) in operations() {
        for types in TYPES.into_iter().flat_map(|a| TYPES.map(|b| (a, b))) {
            number += 1;
            if number % share == 0 {
                let (asked, different) = in_a_kernel(&session, op, &function, types);
                count += asked;
                found.extend(different);
            }
        }
    }
    let shown: Vec<&String> = found.iter().take(SHOWN_MAX).collect();
    assert!(found.is_empty(), "{} pairs of types differ, {count} results: {shown:#?}", found.len());
}
