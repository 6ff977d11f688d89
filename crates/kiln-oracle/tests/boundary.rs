//! The boundary matrix: kiln's arithmetic equals the exact model, in values, types and exceptions.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use kiln::{Session, SessionOptions};
use kiln_oracle::boundary::model::{Op, Outcome, expected};
use kiln_oracle::boundary::numbers::{Num, TYPES, Ty, boundary_values};
use kiln_oracle::boundary::program::{
    DIVIDE, INEXACT, PRELUDE, operations, pairs_program, type_numbers, values_program,
};

/// Differences shown.
const SHOWN_MAX: usize = 200;

fn session() -> Session {
    let session = Session::new(SessionOptions { interpret_host: true, ..SessionOptions::default() }).unwrap();
    session.run_text("prelude", &format!("{}{PRELUDE}{}", type_numbers(), values_program())).unwrap();
    session
}

fn results(session: &Session) -> Vec<Result<Num, u8>> {
    let heap = &session.runtime().heap;
    let kinds = heap.memory_bytes(session.evaluate("KINDS").unwrap());
    let bits = heap.memory_bytes(session.evaluate("BITS").unwrap());
    let words = bits.chunks_exact(16).map(|it| u128::from_le_bytes(it.try_into().unwrap()));
    kinds
        .iter()
        .zip(words)
        .map(|(kind, bits)| TYPES.get(usize::from(*kind)).map_or(Err(*kind), |ty| Ok(Num { ty: *ty, bits })))
        .collect()
}

fn outcome(result: Result<Num, u8>) -> Option<Outcome> {
    match result {
        Ok(num) => Some(Outcome::Value(num)),
        Err(DIVIDE) => Some(Outcome::Divide),
        Err(INEXACT) => Some(Outcome::Inexact),
        Err(_) => None,
    }
}

fn shown(num: Num) -> String {
    match num.ty {
        Ty::Float(_) => format!("{}({:?})", num.ty.name(), num.float()),
        Ty::Bool | Ty::Int(_) | Ty::UInt(_) => format!("{}({})", num.ty.name(), num.integer()),
    }
}

fn differences(session: &Session, op: Op, function: &str, a: Ty, b: Ty) -> (usize, Vec<String>) {
    let (xs, ys) = (boundary_values(a), boundary_values(b));
    let pairs: Vec<(Num, Num)> = xs.iter().flat_map(|x| ys.iter().map(move |y| (*x, *y))).collect();
    let wanted: Vec<Option<Outcome>> = pairs.iter().map(|(x, y)| expected(op, *x, *y)).collect();
    let asked = wanted.iter().flatten().count();
    if asked == 0 {
        return (0, Vec::new());
    }
    session.run_text("pairs", &pairs_program(function, a, b)).unwrap();
    let found = results(session);
    assert_eq!(found.len(), pairs.len());
    let different = pairs.iter().zip(&wanted).zip(found).filter_map(|((pair, wanted), found)| {
        let wanted = wanted.as_ref()?;
        let same = outcome(found).is_some_and(|it| it.same(*wanted));
        let text = found.map_or_else(|kind| format!("exception {kind}"), shown);
        (!same).then(|| {
            format!("{function} of {}, {}: {text} instead of {wanted:?}", shown(pair.0), shown(pair.1))
        })
    });
    // One of a pair of types shows what is wrong; the rest is counted.
    let mut different: Vec<String> = different.collect();
    let more = different.len().saturating_sub(1);
    different.truncate(1);
    different.iter_mut().for_each(|it| it.push_str(&format!(" (and {more} more)")));
    (asked, different)
}

#[test]
fn host_arithmetic_equals_the_model() {
    let session = session();
    let (mut count, mut found) = (0, Vec::new());
    for (op, function) in operations() {
        for a in TYPES {
            for b in TYPES {
                let (asked, different) = differences(&session, op, &function, a, b);
                count += asked;
                found.extend(different);
            }
        }
    }
    let shown: Vec<&String> = found.iter().take(SHOWN_MAX).collect();
    assert!(found.is_empty(), "{} pairs of types differ, {count} results: {shown:#?}", found.len());
}
