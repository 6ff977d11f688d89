//! BPF: functions for the virtual machine.

use crate::harness::*;
use kiln_unit::DeviceLinkRequest;
use std::process::Command;

fn function(text: &str) -> DeviceLinkRequest {
    DeviceLinkRequest { is_kernel: false, ..request("bpf", vec![part(text)]) }
}

/// Returns the instructions of a function, from assembly and from the object.
fn instructions(text: &str) -> String {
    let made = linked_module(&function(text));
    if let Some(disassembler) = tool("llvm-objdump-22") {
        let scratch = Scratch::new();
        let file = scratch.file("kernel.o", &made.object);
        let code = run(Command::new(disassembler).args(["-d", "--no-show-raw-insn"]).arg(file));
        check(&code, "check: section .text:\ncheck: <kernel>:\ncheck: exit");
    }
    text_of(&made.assembly)
}

/// Upstream: no-op, return argument, addition. MISSION G.
#[test]
fn small_functions() {
    let text = instructions("define i64 @f0() {\n ret i64 0\n}");
    check(&text, "check: kernel:\nnextln: r0 = 0\nnextln: exit");
    let text = instructions("define i64 @f0(i64 %a) {\n ret i64 %a\n}");
    check(&text, "check: kernel:\nnextln: r0 = r1\nnextln: exit");
    let text = instructions("define i64 @f0(i64 %a) {\n %b = add i64 %a, 1\n ret i64 %b\n}");
    check(&text, "check: kernel:\nnextln: r0 = r1\nnextln: r0 += 1\nnextln: exit");
}

/// A kernel helper is called by its number. Upstream: function pointers, valid.
#[test]
fn helpers_are_called_by_number() {
    let text = instructions(
        "define i64 @f0(i64 %a) {\n %b = call i64 inttoptr (i64 3 to ptr)(i64 %a)\n ret i64 %b\n}",
    );
    check(&text, "check: call 3");
}

/// Undefined functions and unsupported operations are refused, the latter in LLVM's words. Upstream: errors.
#[test]
fn what_the_machine_lacks_is_refused() {
    let asked = function(
        "declare i64 @undefined(i64)\ndefine i64 @f0(i64 %a) {\n %b = call i64 @undefined(i64 %a)\n ret i64 %b\n}",
    );
    assert_eq!(refusals(&asked)[0].message, "nothing defines `undefined`, which is used");
    let asked = function("define i64 @f0(i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f) {\n ret i64 %f\n}");
    assert!(
        refusals(&asked)[0].message.contains("stack arguments are not supported"),
        "{:?}",
        refusals(&asked)
    );
}
