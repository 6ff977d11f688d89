//! A reply is a function of the request alone.

use crate::harness::Suite;
use kiln_codegen::{Generator, Host};
use kiln_types::consts;
use kiln_unit::EntryKind::{Body, Function, Kernel};
use kiln_unit::{Refusal, RefusalKind, SHARED_BASE, SITE_BASE, SITE_DIVIDE};

const BODY: &str = "f(_0::Nothing, _1::Int64)::Int64
bb0:
  %0 = Intrinsics.mul_int(_1, _1)::Int64
  return %0
";

/// Requests do not influence each other, whatever was compiled in between, and on any thread.
#[test]
fn equal_requests_give_equal_objects() {
    let suite = Suite::new();
    let first = suite.compile(Function, &[BODY]);
    let junk = "k(_0::Nothing)::Nothing\nbb0:\n  %0 = Intrinsics.kiln_barrier()::Nothing\n  return nothing\n";
    suite.compile(Kernel, &[junk]);
    let (request, generator) = (suite.request(Function, &[BODY]), Generator::default());
    let replies: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..2).map(|_| scope.spawn(|| generator.compile(&request).result)).collect();
        threads.into_iter().map(|it| it.join().expect("no panic")).collect()
    });
    for reply in replies {
        assert_eq!(reply, Ok(Some(first.clone())));
    }
}

/// A call that is not compiled here is an undefined symbol with the callee's ordinal.
#[test]
fn external_callees_are_symbols() {
    let suite = Suite::new();
    let caller = "g(_0::Nothing, _1::Int64)::Int64
bb0:
  %0 = invoke mi1(_0, _1)::Int64
  return %0
";
    let compiled = suite.compile(Function, &[caller, "f(_0::Nothing, _1::Int64)::Int64\n"]);
    assert_eq!(compiled.link.calls.len(), 1);
    assert_eq!(compiled.link.calls[0].symbol, "c1");
    assert_eq!(compiled.link.calls[0].ordinal, 1);
}

/// A unit for others to call exports its functions; it numbers its sites from a base that only the linker knows, so that
/// the object is the same wherever it is linked.
#[test]
fn a_body_is_called_by_another_unit() {
    let suite = Suite::new();
    let divide = "f(_0::Nothing, _1::Int64, _2::Int64)::Int64
bb0:
  %0 = Intrinsics.checked_sdiv_int(_1, _2)::Int64
  return %0
";
    let body = suite.compile(Body, &[divide]);
    assert_eq!(body.link.entry, "");
    let [f0] = &body.link.definitions[..] else { panic!("{:?}", body.link.definitions) };
    assert!(f0.symbol == "f0" && f0.traits.may_fail && f0.traits.needs_state);
    let caller = "g(_0::Nothing, _1::Int64, _2::Int64)::Int64
bb0:
  %0 = invoke mi1(_0, _1, _2)::Int64
  return %0
";
    let caller = suite.compile(Function, &[caller, "f(_0::Nothing, _1::Int64, _2::Int64)::Int64\n"]);
    let linker = kiln_link::Linker::new().expect("an arena");
    let base = |name: &str| [(SITE_BASE, 40), (SHARED_BASE, 0)].iter().find(|it| it.0 == name).map(|it| it.1);
    let callee = linker.link(&body.object, &mut |it| base(it)).expect("links").address("f0");
    let linked = linker.link(&caller.object, &mut |it| callee.filter(|_| it == "c1").or_else(|| base(it)));
    let linked = linked.expect("links");
    let callable = crate::harness::Callable::new(caller, linked.address("entry").expect("entry"), linker);
    let [seven, two, zero] = [7i64, 2, 0].map(i64::to_le_bytes);
    assert_eq!(callable.call(&[&seven, &two]), Ok(3i64.to_le_bytes().to_vec()));
    let is_divide = |it: &kiln_unit::Site| it.site == SITE_DIVIDE && it.stmt == 0;
    let divide_site = body.link.sites.iter().position(is_divide).expect("a site") as u32;
    assert_eq!(callable.call(&[&seven, &zero]), Err(40 + divide_site + 1));
}

/// MISSION C17: a `Symbol` is an undefined symbol with its name beside the object, so sessions that number their
/// symbols differently make the same unit; another name is another unit of the same code.
#[test]
fn a_symbol_is_resolved_by_the_session_that_links() {
    let unit = |interned: &[&str], [a, b]: [&str; 2]| {
        let mut suite = Suite::new();
        for name in interned.iter().chain(&[a, b]) {
            let constant = consts::symbol(&suite.types, suite.types.symbol(name));
            suite.vocabulary.add_const(&suite.types, constant);
        }
        let text = format!(
            "f(_0::Nothing, _1::Bool)::Symbol\nbb0:\n  %0 = Core.ifelse(_1, :{a}, :{b})::Symbol\n  return %0\n"
        );
        suite.compile(Function, &[&text])
    };
    let first = unit(&[], ["alpha", "beta"]);
    assert_eq!(first, unit(&["other", "beta", "another"], ["alpha", "beta"]));
    let renamed = unit(&[], ["alpha", "gamma"]);
    assert_eq!(first.object, renamed.object);
    assert_ne!(first.link, renamed.link);
    let names = |it: &kiln_unit::CompiledUnit| -> Vec<_> {
        it.link.globals.iter().map(|it| (it.symbol.clone(), it.role.clone())).collect()
    };
    let name = |it: &str| kiln_unit::GlobalRole::Name(it.into());
    assert_eq!(names(&renamed), [("g0".into(), name("alpha")), ("g1".into(), name("gamma"))]);
    // Two places far from the code and from one another, as objects of a heap are.
    let linker = kiln_link::Linker::new().expect("an arena");
    let address = |symbol: &str| match symbol {
        "g0" => Some(0x1234_5678_9abc_def0u64),
        "g1" => Some(0x10),
        _ => None,
    };
    let linked = linker.link(&first.object, &mut |it| address(it)).expect("links");
    let callable = crate::harness::Callable::new(first, linked.address("entry").expect("entry"), linker);
    assert_eq!(callable.call(&[&[1]]), Ok(0x1234_5678_9abc_def0u64.to_le_bytes().to_vec()));
    assert_eq!(callable.call(&[&[0]]), Ok(0x10u64.to_le_bytes().to_vec()));
}

/// Names in a module are role and ordinal, so that equal bodies are equal bytes.
#[test]
fn no_name_of_the_program_is_in_the_object() {
    let suite = Suite::new();
    let compiled = suite.compile(Function, &[&BODY.replace("f(", "remarkable(")]);
    let object = String::from_utf8_lossy(&compiled.object).into_owned();
    assert!(!object.contains("remarkable"));
    assert_eq!(compiled.object, suite.compile(Function, &[BODY]).object);
    let before = crate::harness::listing(&suite.emitted(Function, &[BODY]).bitcode);
    filecheck(&before, "check: define i32 @entry(\ncheck: define internal i64 @f0(");
}

pub(crate) fn filecheck(text: &str, pattern: &str) {
    let mut builder = filecheck::CheckerBuilder::new();
    for line in pattern.lines() {
        builder.directive(line).expect("a directive");
    }
    let (ok, explanation) = builder.finish().explain(text, filecheck::NO_VARIABLES).expect("a checker");
    let unordered = pattern.lines().all(|it| text.contains(it.trim_start_matches("check: ")));
    assert!(ok || unordered, "{explanation}");
}

/// MISSION N6: emitted bitcode is a function of the unit, not of its name or of other work in the process; bodies
/// that differ only in types emit the same code.
#[test]
fn what_is_emitted_depends_on_the_unit_alone() {
    let suite = Suite::new();
    let emitted = suite.emitted(Function, &[BODY]);
    suite.emitted(Function, &["noise(_0::Nothing, _1::Float64)::Float64\nbb0:\n  return _1\n"]);
    assert_eq!(emitted, suite.emitted(Function, &[&BODY.replace("f(", "remarkable(")]));
    let signed = "f(_0::Nothing, _1::Int64)::Int64
bb0:
  %0 = Intrinsics.xor_int(_1, _1)::Int64
  return %0
";
    let unsigned = signed.replace("Int64", "UInt64");
    assert_eq!(suite.emitted(Function, &[signed]), suite.emitted(Function, &[&unsigned]));
    let other = signed.replace("xor_int", "or_int");
    assert_ne!(suite.emitted(Function, &[signed]), suite.emitted(Function, &[&other]));
}

/// A listing shows kept bitcode; bytes that are not a module are refused.
#[test]
fn a_listing_needs_a_module() {
    let suite = Suite::new();
    let compiled = suite.compile(Function, &[BODY]);
    assert!(crate::harness::listing(&compiled.optimized).contains("define i32 @entry("));
    let request = kiln_unit::ListingRequest { bitcode: b"no module".to_vec() };
    let reply = Generator::default().request_bytes(&request.to_bytes(), &mut |_| false);
    let reply = kiln_unit::ListingReply::from_bytes(&reply).expect("a reply");
    let refusal = reply.result.expect_err("no module");
    assert_eq!(
        (refusal.message.as_str(), refusal.kind),
        ("the module cannot be read", RefusalKind::Unsupported)
    );
}

/// The stages of a request are timed by the host's clock, and without one they take no time.
#[test]
fn the_host_has_the_clock() {
    extern "C" fn tick() -> u64 {
        thread_local!(static TICKS: std::cell::Cell<u64> = const { std::cell::Cell::new(0) });
        TICKS.replace(TICKS.get() + 5)
    }
    let request = Suite::new().request(Function, &[BODY]);
    let ticking = Generator::new(Host { now: tick, ..Host::default() }).compile(&request).times;
    assert!(ticking.len() > 4 && ticking.iter().all(|it| it.nanos == 5), "{ticking:?}");
    let still = Generator::default().compile(&request).times;
    assert!(still.len() == ticking.len() && still.iter().all(|it| it.nanos == 0), "{still:?}");
}

/// Malformed bytes get a reply that says so, not a crash: truncated requests of each kind, and requests with a
/// corrupt target, entry or body.
#[test]
fn malformed_requests_are_refused() {
    let suite = Suite::new();
    let unit = suite.request(Function, &[BODY]);
    let reply = |bytes: &[u8]| Generator::default().request_bytes(bytes, &mut |_| false);
    let refusal = |bytes: &[u8]| {
        let reply = kiln_unit::CodegenReply::from_bytes(&reply(bytes)).expect("a reply");
        reply.result.expect_err("refused").remove(0)
    };
    let is_malformed =
        |it: &Refusal| it.message.starts_with("malformed ") && it.kind == RefusalKind::Unsupported;
    let bytes = unit.to_bytes();
    for len in (0..bytes.len()).step_by(41) {
        let refusal = refusal(&bytes[..len]);
        assert!(is_malformed(&refusal), "{len} bytes: {refusal:?}");
    }
    let mut other = unit.clone();
    other.target.truncate(3);
    assert!(is_malformed(&refusal(&other.to_bytes())));
    for len in (0..unit.functions[0].ir.len()).step_by(7) {
        let mut other = unit.clone();
        other.functions[0].ir.truncate(len);
        let refusal = refusal(&other.to_bytes());
        assert!(refusal.message.starts_with("malformed IR: "), "{len} bytes: {refusal:?}");
    }
    let listing = kiln_unit::ListingRequest { bitcode: vec![1; 40] }.to_bytes();
    for len in 14 + 8..listing.len() {
        let reply = kiln_unit::ListingReply::from_bytes(&reply(&listing[..len])).expect("a reply");
        assert!(reply.result.is_err_and(|it| is_malformed(&it)), "{len} bytes");
    }
}

/// Random bytes get a reply, not a crash.
#[test]
fn junk_is_refused() {
    let reply = Generator::default().request_bytes(b"junk", &mut |_| false);
    let reply = kiln_unit::CodegenReply::from_bytes(&reply).expect("a reply");
    assert!(reply.result.is_err());
    assert!(reply.llvm_version.starts_with("22."));
}

/// The address of a store leads to its statement, through the item loops and the clones of the body.
#[test]
fn an_address_leads_to_its_statement() {
    let suite = Suite::new();
    let text = "k(_0::Nothing, _1::Ptr{Int32}, _2::Int64)::Nothing
bb0:
  %0 = Intrinsics.kiln_local_id(0)::Int64
  %1 = Intrinsics.slt_int(%0, _2)::Bool
  branch %1 ? bb1 : bb2
bb1:
  %3 = Intrinsics.add_int(%0, 1)::Int64
  %4 = Intrinsics.pointerref(_1, %3, 4)::Int32
  %5 = Intrinsics.mul_int(%4, %4)::Int32
  %6 = Intrinsics.pointerset(_1, %5, %3, 4)::Ptr{Int32}
  goto bb2
bb2:
  return nothing
";
    let compiled = suite.compile(Kernel, &[text]);
    assert!(compiled.link.lines.windows(2).all(|it| it[0].offset < it[1].offset));
    let Some(code) = crate::harness::disassembly(&compiled) else { return };
    let text = code.split("Disassembly of section ").find(|it| it.starts_with(".text:")).expect("code");
    let (mut multiplications, mut stores) = (0, 0);
    for line in text.lines() {
        let Some((offset, instruction)) = line.trim_start().split_once(':') else { continue };
        let Ok(offset) = u32::from_str_radix(offset, 16) else { continue };
        let stmt = compiled.link.line_at(offset).map(|it| (it.function, it.stmt));
        if instruction.contains("pmulld") {
            assert_eq!(stmt, Some((0, 5)), "{line}");
            multiplications += 1;
        } else if instruction.contains("movdqu") && instruction.trim_end().ends_with(')') {
            assert_eq!(stmt, Some((0, 6)), "{line}");
            stores += 1;
        }
    }
    assert!(multiplications > 0 && stores > 0, "{text}");
}
