//! The second boundary matrix: rational and complex numbers equal the exact model, in values, types and exceptions.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use kiln::internals::heap::memory;
use kiln::internals::{SessionInternals as _, TestOptions as _};
use kiln::{Session, SessionOptions};
use kiln_oracle::boundary::compound::{
    CompoundOp, Given, Number, NumberForm, NumberKind, PRELUDE, expected, operations, pairs, program, stored,
    values_program,
};
use kiln_oracle::boundary::program;

/// Of so many pairs of types one is tried with each operation, another with the next: one of `KILN_BOUNDARY_SHARE`.
const SHARE: usize = 4;
/// Differences shown.
const SHOWN_MAX: usize = 200;

fn session() -> Session {
    let session = Session::new(SessionOptions::new().interpret_host(true)).unwrap();
    let (numbers, values) = (program::type_numbers(), program::values_program());
    let prelude = format!("{numbers}{}{values}{PRELUDE}{}", program::PRELUDE, values_program());
    session.run_text("prelude", &prelude).unwrap();
    session
}

fn results(session: &Session) -> Vec<Option<Given>> {
    let heap = &session.runtime().heap;
    let kinds = memory::bytes(heap, session.evaluate("KINDS").unwrap());
    let bits = memory::bytes(heap, session.evaluate("BITS").unwrap());
    let word = |it: &[u8]| u128::from_le_bytes(it.try_into().unwrap());
    let parts = bits.chunks_exact(32).map(|it| (word(&it[..16]), word(&it[16..])));
    kinds.iter().zip(parts).map(|(kind, (a, b))| stored(*kind, a, b)).collect()
}

fn shown(given: Option<Given>) -> String {
    match given {
        Some(Ok(number)) => number.shown(),
        Some(Err(thrown)) => format!("{thrown:?}"),
        None => "an exception of another type".to_owned(),
    }
}

fn same(found: Option<Given>, wanted: Given) -> bool {
    match (found, wanted) {
        (Some(Ok(found)), Ok(wanted)) => found.same(wanted),
        (Some(Err(found)), Err(wanted)) => found == wanted,
        _ => false,
    }
}

/// Returns the number of results asked for, and the first that differs with the number of those that do.
fn differences(
    session: &Session,
    (op, function): &(CompoundOp, String),
    (a, b): (NumberKind, NumberKind),
) -> (usize, Option<String>) {
    let (xs, ys) = (a.values(), b.values());
    let pairs: Vec<(Number, Number)> = xs.iter().flat_map(|x| ys.iter().map(move |y| (*x, *y))).collect();
    let wanted: Vec<Option<Given>> = pairs.iter().map(|(x, y)| expected(*op, *x, *y)).collect();
    let asked = wanted.iter().flatten().count();
    if asked == 0 {
        return (0, None);
    }
    session.run_text("pairs", &program(function, a, b)).unwrap();
    let found = results(session);
    assert_eq!(found.len(), pairs.len());
    let all = pairs.iter().zip(wanted).zip(found);
    let mut different = all.filter_map(|(((x, y), wanted), found)| {
        let wanted = wanted?;
        let of = format!("{function} of {}, {}", x.shown(), y.shown());
        (!same(found, wanted)).then(|| format!("{of}: {} instead of {}", shown(found), shown(Some(wanted))))
    });
    let first = different.next();
    let more = different.count();
    (asked, first.map(|it| format!("{it} (and {more} more)")))
}

fn differ(form: NumberForm) {
    let share = std::env::var("KILN_BOUNDARY_SHARE").ok().and_then(|it| it.parse().ok());
    let share: usize = share.unwrap_or(SHARE);
    let session = session();
    let (mut count, mut found) = (0, Vec::new());
    let pairs: Vec<(NumberKind, NumberKind)> =
        pairs().into_iter().filter(|(a, b)| a.form == form || b.form == form).collect();
    for (first, operation) in operations().iter().enumerate() {
        for types in pairs.iter().skip(first % share).step_by(share) {
            let (asked, different) = differences(&session, operation, *types);
            count += asked;
            found.extend(different);
        }
    }
    assert!(count > 50_000, "the matrix asks for {count} results");
    let shown: Vec<&String> = found.iter().take(SHOWN_MAX).collect();
    assert!(found.is_empty(), "{} pairs of types differ, {count} results: {shown:#?}", found.len());
}

#[test]
fn rational_numbers_equal_the_model() {
    differ(NumberForm::Rational);
}

#[test]
fn complex_numbers_equal_the_model() {
    differ(NumberForm::Complex);
}
