//! Source lines: parts have statement numbers, a table has their places. MISSION G, N8.

use crate::harness::*;
use kiln_unit::{DeviceLinkRequest, LinePlace, LineScope, LineTable, LinkPart, PartLines};

/// Two statements, the second a call of another part, and code of none.
const CALLER: &str = r#"
declare i32 @c1(i32)
define void @entry(ptr addrspace(1) %out, i32 %x) !dbg !4 {
  %y = mul i32 %x, 7, !dbg !6
  %a = call i32 @c1(i32 %y), !dbg !7
  store i32 %a, ptr addrspace(1) %out, !dbg !7
  ret void, !dbg !8
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}
!0 = distinct !DICompileUnit(language: DW_LANG_Julia, file: !1, emissionKind: DebugDirectivesOnly)
!1 = !DIFile(filename: "unit", directory: "")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !{i32 2, !"Dwarf Version", i32 4}
!4 = distinct !DISubprogram(name: "entry", scope: !1, file: !1, type: !5, spFlags: DISPFlagDefinition, unit: !0)
!5 = !DISubroutineType(types: !{})
!6 = !DILocation(line: 1, scope: !4)
!7 = !DILocation(line: 2, scope: !4)
!8 = !DILocation(line: 0, scope: !4)
"#;

const CALLEE: &str = r#"
define i32 @f0(i32 %x) !dbg !4 {
  %y = udiv i32 %x, 3, !dbg !6
  %z = xor i32 %y, 77, !dbg !7
  ret i32 %z, !dbg !7
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}
!0 = distinct !DICompileUnit(language: DW_LANG_Julia, file: !1, emissionKind: DebugDirectivesOnly)
!1 = !DIFile(filename: "unit", directory: "")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !{i32 2, !"Dwarf Version", i32 4}
!4 = distinct !DISubprogram(name: "f0", scope: !1, file: !1, type: !5, spFlags: DISPFlagDefinition, unit: !0)
!5 = !DISubroutineType(types: !{})
!6 = !DILocation(line: 1, scope: !4)
!7 = !DILocation(line: 2, scope: !4)
"#;

/// `kernel` of a.jl calls `child` of b.jl, which has `helper` of b.jl inlined.
fn table() -> LineTable {
    let scope = |name: &str, file, line| LineScope { name: name.into(), file, line };
    let place = |scope, file, line, inlined_at| LinePlace { scope, file, line, inlined_at };
    LineTable {
        files: vec!["a.jl".into(), "lib/b.jl".into()],
        scopes: vec![scope("kernel!", 0, 10), scope("child", 1, 20), scope("helper", 1, 30)],
        places: vec![
            place(0, 0, 11, None),
            place(0, 0, 12, None),
            place(1, 1, 21, None),
            place(2, 1, 31, Some(2)),
        ],
        parts: vec![
            PartLines { functions: vec![0], statements: vec![Some(0), Some(1)] },
            PartLines { functions: vec![1], statements: vec![Some(3), None] },
        ],
    }
}

fn asked(target: &str, lines: Option<LineTable>) -> DeviceLinkRequest {
    let parts = vec![LinkPart { calls: vec![call("c1", 1, "f0")], ..part(CALLER) }, part(CALLEE)];
    DeviceLinkRequest { lines, ..request(target, parts) }
}

/// Collapses spaces.
fn spaced(text: &str) -> String {
    text.lines().map(|it| it.split_whitespace().collect::<Vec<_>>().join(" ") + "\n").collect()
}

/// Statement numbers become places, with the chain of earlier inlined calls; a number without a place has its
/// function's first line.
#[test]
fn numbers_become_places() {
    let made = linked_module(&asked("sm_90", Some(table())));
    let text = listing(&made.linked);
    check(
        &text,
        r#"
        regex: N=![0-9]+
        check: define void @kernel(
        sameln: !dbg $(kernel=$N)
        check: mul i32 %1, 7, !dbg $(mul=$N)
        check: call i32 @p1_f0(
        sameln: !dbg $(call=$N)
        check: ret void, !dbg $(ret=$N)
        check: define internal i32 @p1_f0(
        sameln: !dbg $(child=$N)
        check: udiv i32 %0, 3, !dbg $(div=$N)
        check: xor i32
        sameln: !dbg $(xor=$N)
        check: emissionKind: DebugDirectivesOnly
        not: DICompileUnit(
        unordered: $kernel = distinct !DISubprogram(name: "kernel!",
        unordered: $mul = !DILocation(line: 11, scope: $kernel)
        unordered: $call = !DILocation(line: 12, scope: $kernel)
        unordered: $ret = !DILocation(line: 10, scope: $kernel)
        unordered: $child = distinct !DISubprogram(name: "child",
        unordered: $div = !DILocation(line: 31, scope: $(helper=$N), inlinedAt: $(at=$N))
        unordered: $helper = distinct !DISubprogram(name: "helper",
        unordered: $at = !DILocation(line: 21, scope: $child)
        unordered: $xor = !DILocation(line: 20, scope: $child)
        "#,
    );
    assert!(!text.contains("\"unit\""), "nothing of the parts' own is left: {text}");
}

/// PTX has line directives, and does not request a debug build of the assembler.
#[test]
fn ptx_has_directives() {
    let made = linked_module(&asked("sm_90", Some(table())));
    let text = spaced(&text_of(&made.object));
    check(
        &text,
        r#"
        check: .target sm_90
        not: debug
        check: .loc $(a=[0-9]+) 11 0
        check: mul.lo.s32
        check: .loc $(b=[0-9]+) 31 0
        check: .file $a "a.jl"
        check: .file $b "lib/b.jl"
        "#,
    );
    let Some(ptxas) = tool("ptxas") else { return };
    let scratch = Scratch::new();
    let (source, out) = (scratch.file("k.ptx", &made.object), scratch.path("k.cubin"));
    run(std::process::Command::new(ptxas).args(["-arch=sm_90", "-lineinfo", "-o"]).arg(&out).arg(source));
    let cubin = std::fs::read(out).unwrap();
    let has = |it: &[u8]| cubin.windows(it.len()).any(|at| at == it);
    assert!(has(b"a.jl") && has(b".debug_line"), "the assembler takes them over");
}

/// A GCN object has a line table, and records inlined functions.
#[test]
fn gcn_has_tables() {
    let made = linked_module(&asked("gfx90a", Some(table())));
    let Some(dump) = tool("llvm-dwarfdump-22") else { return };
    let scratch = Scratch::new();
    let object = scratch.file("k.o", &made.object);
    let lines = run(std::process::Command::new(&dump).arg("--debug-line").arg(&object));
    check(&spaced(&lines), "check: name: \"a.jl\"\ncheck: 0x0000000000000000 11 0 1");
    let info = run(std::process::Command::new(&dump).arg("--debug-info").arg(&object));
    check(
        &spaced(&info),
        r#"
        check: DW_AT_name ("a.jl")
        check: DW_TAG_inlined_subroutine
        unordered: "helper"
        unordered: DW_AT_call_line (21)
        unordered: DW_AT_call_line (12)
        "#,
    );
}

/// Lines change nothing else. Without a table there are none, and SPIR-V never has any.
#[test]
fn only_lines_differ() {
    let instructions = |text: &str| {
        let is_one = |it: &&str| !it.trim_start().starts_with(['.', '$', '/', '}']) && !it.trim().is_empty();
        text.lines().filter(is_one).map(str::to_owned).collect::<Vec<_>>()
    };
    for target in ["sm_70", "sm_90"] {
        let [with, without] =
            [Some(table()), None].map(|it| text_of(&linked_module(&asked(target, it)).object));
        assert!(with.contains(".loc") && !without.contains(".loc") && !without.contains(".file"));
        assert_eq!(instructions(&with), instructions(&without), "{target}");
    }
    let [with, without] = [Some(table()), None].map(|it| linked_module(&asked("spirv64", it)));
    assert_eq!(with, without);
}
