//! Host code whose types say that a call never returns, and which returns.

use crate::harness::{Suite, listing};
use kiln_unit::EntryKind::Function;
use kiln_unit::SITE_RETURNED;

const CALLER: &str = "f(_0::Nothing, _1::Int64)::Int64
bb0:
  %0 = Intrinsics.slt_int(_1, 0)::Bool
  branch %0 ? bb1 : bb2
bb1:
  %2 = invoke mi1(_0, _1)::Union{}
  unreachable
bb2:
  return _1
";
const RETURNS: &str = "g(_0::Nothing, _1::Int64)::Int64
bb0:
  return _1
";

/// The call fails at a site of its own: nothing goes on with an undefined value.
#[test]
fn a_call_that_returns_after_all_fails() {
    let suite = Suite::new();
    let callable = suite.function(&[CALLER, RETURNS]);
    let (three, negative) = (3i64.to_le_bytes(), (-3i64).to_le_bytes());
    assert_eq!(callable.call(&[&three]), Ok(three.to_vec()));
    let site = callable.call(&[&negative]).unwrap_err();
    let sites = suite.compile(Function, &[CALLER, RETURNS]).link.sites;
    let site = &sites[site as usize - 1];
    assert_eq!((site.function, site.stmt), (0, 2), "a site of the call");
    assert!(sites.iter().any(|it| it.site == SITE_RETURNED && it.stmt == 2), "{sites:?}");
}

/// The failure is a call of cold code. What nothing leads to has none, and code of kernels neither.
#[test]
fn only_statements_that_are_reached_are_checked() {
    let mut suite = Suite::new();
    let emitted = |suite: &Suite| listing(&suite.emitted(Function, &[CALLER, RETURNS]).bitcode);
    let text = emitted(&suite);
    assert!(text.contains("@kiln.claim(") && !text.contains("unreachable"), "{text}");
    let unreached = CALLER.replace("  %2 = invoke mi1(_0, _1)::Union{}\n", "");
    let text = listing(&suite.emitted(Function, &[&unreached]).bitcode);
    assert!(text.contains("unreachable") && !text.contains("@kiln.claim"), "{text}");
    suite.in_kernel = true;
    let text = emitted(&suite);
    assert!(text.contains("unreachable") && !text.contains("@kiln.claim"), "{text}");
}
