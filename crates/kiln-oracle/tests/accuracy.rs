//! The mathematical functions keep their bounds of accuracy.

/// Numbers of each kind that a test tries; the page has more.
const SAMPLES: usize = 100;

#[test]
fn functions_keep_their_bounds() {
    let found = kiln_oracle::accuracy::measure(SAMPLES).unwrap();
    assert!(found.beyond.is_empty(), "{}", found.beyond);
}
