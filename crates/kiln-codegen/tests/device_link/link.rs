//! Linking: names, numbers, libraries, and refusals.

use crate::harness::*;
use kiln_codegen::Generator;
use kiln_unit::{DeviceLinkReply, DeviceLinkRequest, LinkPart, OutputKinds};

/// Calls a definition of another part.
const CALLER: &str = r#"
declare i32 @c1(i32)
declare i32 @site_base() memory(none)
declare i64 @g0() memory(none)
define void @entry(ptr addrspace(1) %out, i32 %x) {
  %a = call i32 @c1(i32 %x)
  %base = call i32 @site_base()
  %site = add i32 %base, 2
  %number = call i64 @g0()
  %p1 = getelementptr i8, ptr addrspace(1) %out, i64 8
  %p2 = getelementptr i8, ptr addrspace(1) %out, i64 16
  store i32 %a, ptr addrspace(1) %out
  store i32 %site, ptr addrspace(1) %p1
  store i64 %number, ptr addrspace(1) %p2
  ret void
}
"#;

const CALLEE: &str = r#"
declare i32 @site_base() memory(none)
define i32 @f0(i32 %x) noinline {
  %base = call i32 @site_base()
  %y = mul i32 %x, %base
  ret i32 %y
}
"#;

fn two_parts(target: &str) -> DeviceLinkRequest {
    let caller = LinkPart {
        calls: vec![call("c1", 1, "f0")],
        site_base: 40,
        globals: vec![("g0".into(), 0x1234_5678_9abc_def0)],
        ..part(CALLER)
    };
    let callee = LinkPart { site_base: 7, ..part(CALLEE) };
    request(target, vec![caller, callee])
}

/// Symbols belong to their part, and undefined symbols become numbers. MISSION G.
#[test]
fn parts_are_linked_by_their_positions() {
    let made = linked_module(&two_parts("sm_90"));
    check(
        &listing(&made.linked),
        r"
        check: define void @kernel
        check: call i32 @p1_f0(i32
        check: add i32 40, 2
        check: store i64 1311768467463790320
        check: define internal i32 @p1_f0
        check: mul i32 %0, 7
        not: site_base
        ",
    );
    check(
        &text_of(&made.assembly),
        ".func  (.param .b32 func_retval0) p1_f0\ncheck: .visible .entry kernel"
            .replacen(".func", "check: .func", 1)
            .as_str(),
    );
}

/// On targets with a reference table, references are words that loaders may replace: each exists once, and the name
/// of the table tells its artifact. MISSION C17.
#[test]
fn references_are_words_of_a_table_where_the_target_has_one() {
    let mut wanted = two_parts("sm_90");
    let mut facts = kiln_targets::lookup("sm_90").unwrap();
    facts.references = kiln_targets::References::Table;
    wanted.target = facts.to_bytes();
    let twice = CALLEE.replace(
        "ret i32 %y",
        "%n = call i64 @g3()\n%m = call i64 @g4()\n%s = add i64 %n, %m\n\
                                              %t = trunc i64 %s to i32\n%r = add i32 %t, %y\nret i32 %r",
    );
    let twice = format!("declare i64 @g3() memory(none)\ndeclare i64 @g4() memory(none)\n{twice}");
    wanted.parts[1] = LinkPart {
        globals: vec![("g3".into(), 77), ("g4".into(), 0x1234_5678_9abc_def0)],
        site_base: 7,
        ..part(&twice)
    };
    assert_eq!(kiln_unit::references(&wanted.parts), [0x1234_5678_9abc_def0, 77]);
    let made = linked_module(&wanted);
    check(
        &listing(&made.optimized),
        r"
        check: @kernel_references = addrspace(1) externally_initialized global [2 x i64] [i64 1311768467463790320, i64 77]
        check: define ptx_kernel void @kernel
        check: load i64, ptr addrspace(1) @kernel_references
        check: store i64 %
        not: store i64 1311768467463790320
        ",
    );
    check(&text_of(&made.assembly), "check: .visible .global .align 8 .b8 kernel_references[16] =");
    // There are no references: there is no table.
    let plain = DeviceLinkRequest { parts: vec![part("define void @entry() {\n ret void\n}")], ..wanted };
    assert!(!listing(&linked_module(&plain).optimized).contains("references"));
}

/// A function that two parts call is linked once, and an unused one is not.
#[test]
fn a_definition_is_neither_lost_nor_doubled() {
    let through = "declare i32 @c0(i32)\ndefine i32 @f0(i32 %x) noinline {\n %y = call i32 @c0(i32 %x)\n ret i32 %y\n}\n\
                   define i32 @f1(i32 %x) {\n ret i32 %x\n}";
    let main = "declare i32 @c5(i32)\ndeclare i32 @c6(i32)\ndeclare i32 @c7(i32)\n\
                define void @entry(ptr %p, i32 %x) {\n\
                %a = call i32 @c5(i32 %x)\n %b = call i32 @c6(i32 %a)\n %c = call i32 @c7(i32 %b)\n\
                store i32 %c, ptr %p\n ret void\n}";
    let parts = vec![
        LinkPart { calls: vec![call("c5", 1, "f0"), call("c6", 2, "f0"), call("c7", 2, "f0")], ..part(main) },
        LinkPart { calls: vec![call("c0", 2, "f0")], ..part(through) },
        LinkPart { site_base: 3, ..part(CALLEE) },
    ];
    for target in ["sm_70", "gfx1100", "spirv64", "bpf"] {
        let made = linked_module(&request(target, parts.clone()));
        let text = listing(&made.linked);
        assert_eq!(text.matches("define internal i32 @p2_f0(").count(), 1, "{text}");
        assert_eq!(text.matches("@p2_f0(i32 ").count(), 4, "a definition and three calls: {text}");
        assert!(!listing(&made.optimized).contains("p1_f1"), "it is never called");
        assert!(!made.object.is_empty() && !made.assembly.is_empty());
    }
}

/// A part may call itself through its own symbol, as recursion across units does.
#[test]
fn a_part_may_call_its_own_definition() {
    let text = "declare i32 @c1(i32)\ndefine i32 @f0(i32 %x) noinline {\n\
                %c = icmp eq i32 %x, 0\n br i1 %c, label %done, label %more\n\
                done:\n ret i32 1\n\
                more:\n %n = sub i32 %x, 1\n %y = call i32 @c1(i32 %n)\n %z = mul i32 %x, %y\n ret i32 %z\n}";
    let mut asked = request("sm_90", vec![LinkPart { calls: vec![call("c1", 0, "f0")], ..part(text) }]);
    asked.is_kernel = false;
    check(&listing(&linked_module(&asked).linked), "check: define i32 @kernel\ncheck: call i32 @kernel(i32");
}

/// Equal requests give equal bytes, whatever else the process does. MISSION G.
#[test]
fn equal_requests_make_equal_bytes() {
    for target in ["sm_90", "gfx1100", "spirv64", "bpf"] {
        let asked = two_parts(target);
        let first = linked_module(&asked);
        std::thread::scope(|scope| {
            let work = || (0..8).map(|_| linked_module(&asked)).collect::<Vec<_>>();
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(work)).collect();
            for thread in threads {
                for again in thread.join().expect("no panic") {
                    assert_eq!(listing(&again.optimized), listing(&first.optimized));
                    assert_eq!(text_of(&again.assembly), text_of(&first.assembly));
                    assert!(again == first, "{target}: the bytes differ");
                }
            }
        });
    }
}

/// An object does not depend on the other requested outputs.
#[test]
fn forms_do_not_disturb_each_other() {
    for target in ["sm_90", "gfx1100", "spirv64", "bpf"] {
        let mut asked = two_parts(target);
        let all = linked_module(&asked);
        asked.wanted = OutputKinds { object: true, ..OutputKinds::default() };
        assert_eq!(linked_module(&asked).object, all.object);
        assert!(linked_module(&asked).assembly.is_empty());
        asked.wanted = OutputKinds { assembly: true, ..OutputKinds::default() };
        assert_eq!(text_of(&linked_module(&asked).assembly), text_of(&all.assembly));
        asked.wanted = OutputKinds { linked: true, ..OutputKinds::default() };
        assert_eq!(linked_module(&asked).linked, all.linked);
    }
}

/// A request and its reply as bytes, through the C interface.
#[test]
fn bytes_are_answered_by_bytes() {
    let asked = two_parts("sm_90");
    let reply = Generator::default().request_bytes(&asked.to_bytes(), &mut |_| false);
    let reply = DeviceLinkReply::from_bytes(&reply).expect("a reply");
    assert_eq!(reply.result.expect("made"), linked_module(&asked));
    let stages: Vec<&str> = reply.times.iter().map(|it| it.stage.as_str()).collect();
    assert_eq!(stages, ["link", "passes", "machine"]);
    let bytes = asked.to_bytes();
    let cut = Generator::default().request_bytes(&bytes[..bytes.len() - 9], &mut |_| false);
    assert!(DeviceLinkReply::from_bytes(&cut).expect("a reply").result.is_err());
}

/// A refusal names the part and the reason.
#[test]
fn what_is_missing_or_malformed_is_refused() {
    let refused = |asked: &DeviceLinkRequest| {
        let all = refusals(asked);
        (all[0].function, all[0].message.clone())
    };
    let mut asked = two_parts("sm_90");
    asked.parts[1].bitcode = vec![1, 2, 3];
    let (part_of, message) = refused(&asked);
    assert!(part_of == 1 && message.contains("no module"), "{message}");

    let mut asked = two_parts("sm_90");
    asked.parts[0].calls[0].definition = "f9".into();
    assert_eq!(refused(&asked), (0, "`c1` is `f9` of part 1, which does not define it".into()));

    let mut asked = two_parts("sm_90");
    asked.parts[0].calls.clear();
    assert_eq!(refused(&asked).1, "nothing defines `c1`, which is used");

    let mut asked = two_parts("sm_90");
    asked.parts[0].globals.clear();
    assert_eq!(refused(&asked).1, "nothing defines `g0`, which is used");

    let mut asked = two_parts("sm_90");
    asked.parts[1] = part("define float @f0(float %x) {\n ret float %x\n}");
    assert_eq!(refused(&asked).1, "`p1_f0` is called as if it had another type");

    let mut asked = two_parts("sm_90");
    asked.parts[1] = part("target triple = \"bpfel-unknown-none\"\ndefine i32 @f0(i32 %x) {\n ret i32 %x\n}");
    assert_eq!(
        refused(&asked),
        (1, "the module is for bpfel-unknown-none, not for nvptx64-nvidia-cuda".into())
    );

    for name in ["", "9a", "a.b", "a b", "é"] {
        let mut asked = two_parts("sm_90");
        asked.name = name.into();
        assert!(refused(&asked).1.contains("is no name of an entry"), "{name}");
    }

    let mut asked = two_parts("sm_90");
    asked.parts.swap(0, 1);
    asked.parts[1].calls[0].part = 0;
    asked.parts[0] = part("define i32 @other(i32 %x) {\n ret i32 %x\n}");
    asked.parts[1].calls[0].definition = "other".into();
    assert_eq!(refused(&asked).1, "the first part has no entry");

    let native = kiln_targets::lookup("native").expect("a target").to_bytes();
    let asked = DeviceLinkRequest { target: native, ..two_parts("sm_90") };
    assert_eq!(refused(&asked).1, "a processor's object is made of one part and no libraries");
}

/// Damaged bitcode never ends the process: every prefix of a module, and modules with changed bytes.
#[test]
fn damaged_bitcode_is_refused_or_linked() {
    let whole = two_parts("bpf");
    let bitcode = whole.parts[1].bitcode.clone();
    let attempt = |bytes: Vec<u8>| {
        let mut asked = whole.clone();
        asked.wanted = OutputKinds { linked: true, ..OutputKinds::default() };
        asked.parts[1].bitcode = bytes;
        Generator::default().link_device(&asked).result.is_ok()
    };
    assert!(attempt(bitcode.clone()));
    for len in (0..bitcode.len()).step_by(37) {
        assert!(!attempt(bitcode[..len].to_vec()), "{len} bytes of it");
    }
}

/// The entry may have a name that a part uses, but not one of the device.
#[test]
fn the_entry_gets_its_name() {
    let mut asked = two_parts("sm_90");
    asked.name = "p1_f0".into();
    let made = linked_module(&asked);
    check(&text_of(&made.assembly), "check: .entry p1_f0(");
    let text = "declare i32 @vprintf(ptr, ptr)\ndefine void @entry(ptr %p) {\n %i = call i32 @vprintf(ptr %p, ptr %p)\n ret void\n}";
    let mut asked = request("sm_90", vec![part(text)]);
    assert!(text_of(&linked_module(&asked).assembly).contains("vprintf"));
    asked.name = "vprintf".into();
    assert!(refusals(&asked)[0].message.contains("cannot be called `vprintf`"));
}

const LIBRARY: &str = r#"
@table = constant [2 x i32] [i32 5, i32 6]
@llvm.used = appending global [1 x ptr] [ptr @unused], section "llvm.metadata"
declare i32 @deeper(i32)
define i32 @used(i32 %x) {
  %v = load i32, ptr @table
  %y = add i32 %x, %v
  %z = call i32 @deeper(i32 %y)
  ret i32 %z
}
define i32 @unused(i32 %x) noinline {
  ret i32 %x
}
"#;

/// Libraries provide what is used, directly or by other libraries, in any order.
#[test]
fn libraries_are_linked_as_far_as_they_are_used() {
    let kernel = "declare i32 @used(i32)\ndefine void @entry(ptr %p, i32 %x) {\n\
                  %y = call i32 @used(i32 %x)\n store i32 %y, ptr %p\n ret void\n}";
    let bitcode = |text: &str| part(text).bitcode;
    let deeper = "define i32 @deeper(i32 %x) {\n %y = mul i32 %x, 3\n ret i32 %y\n}";
    for target in ["sm_90", "gfx1100", "spirv64"] {
        let mut asked = request(target, vec![part(kernel)]);
        assert_eq!(refusals(&asked)[0].message, "nothing defines `used`, which is used");
        for libraries in [[deeper, LIBRARY], [LIBRARY, deeper]] {
            asked.libraries = libraries.map(bitcode).to_vec();
            let made = linked_module(&asked);
            let linked = listing(&made.linked);
            check(&linked, "unordered: define internal i32 @used\nunordered: define internal i32 @deeper");
            assert!(!linked.contains("unused"), "{linked}");
            check(&listing(&made.optimized), "not: call\nnot: @deeper");
        }
        asked.libraries = vec![bitcode(LIBRARY)];
        assert_eq!(refusals(&asked)[0].message, "nothing defines `deeper`, which is used");
        asked.libraries = vec![b"no library".to_vec()];
        assert!(refusals(&asked)[0].message.contains("a library is no module"));
    }
}

/// The static shared memory of all parts is counted with its alignment.
#[test]
fn shared_memory_is_counted() {
    let text = |ty: &str| {
        format!(
            "@s = internal addrspace(3) global {ty} undef, align 16\n\
             declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) convergent\n\
             define float @f0(i64 %i, float %x) noinline {{\n\
             %p = getelementptr float, ptr addrspace(3) @s, i64 %i\n store float %x, ptr addrspace(3) %p\n\
             call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)\n\
             %q = load float, ptr addrspace(3) @s\n ret float %q\n}}\n"
        )
    };
    let main = text("[5 x float]")
        + "declare float @c1(i64, float)\ndefine void @entry(ptr %p, i64 %i, float %x) {\n\
           %a = call float @f0(i64 %i, float %x)\n %b = call float @c1(i64 %i, float %a)\n\
           store float %b, ptr %p\n ret void\n}";
    let parts =
        vec![LinkPart { calls: vec![call("c1", 1, "f0")], ..part(&main) }, part(&text("[8 x float]"))];
    let made = linked_module(&request("sm_90", parts));
    assert_eq!(made.shared_bytes, 32 + 32, "20 bytes, then 32 on a multiple of 16");
    check(
        &text_of(&made.assembly),
        "check: .shared .align 16 .b8 p0_s[20]\ncheck: .shared .align 16 .b8 p1_s[32]",
    );
}
