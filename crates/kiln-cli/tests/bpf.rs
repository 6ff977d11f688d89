//! Functions compiled for the virtual machine of the Linux kernel run there, and give what Julia gives. MISSION D4, G.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use object::{Object, ObjectSection};
use std::path::Path;
use std::process::Command;

const PROGRAM: &str = "\
# The first word says how many follow.
function total(p::Ptr{UInt64})
    n = unsafe_load(p)
    sum = zero(UInt64)
    for i in 1:n
        sum += unsafe_load(p, i + 1)
    end
    return sum
end
# Of a packet: whether it is of the protocol (0x0800 is IPv4), and how long it says it is.
function accepts(p::Ptr{UInt8})
    word(at) = (UInt16(unsafe_load(p, at)) << 8) | unsafe_load(p, at + 1)
    word(13) == 0x0800 || return UInt64(0)
    return UInt64(word(17))
end
# FNV-1a, of as many bytes as the first says.
@noinline step(hash::UInt64, byte::UInt8) = (hash ⊻ byte) * 0x00000100000001b3
function fnv(p::Ptr{UInt8})
    hash = 0xcbf29ce484222325
    for i in 1:Int(unsafe_load(p))
        hash = step(hash, unsafe_load(p, i + 1))
    end
    return hash
end
# Looked up and called in the same place, and within what is looked up. (Built with checks of overflow, the virtual machine
# cannot call backwards.)
using Base.Device: deferred, deferred_call
@noinline scramble(x::UInt64) = (x * 0x9e3779b97f4a7c15) ⊻ (x >> 7)
@inline twice_scrambled(x::UInt64) = deferred_call(deferred(scramble, x), UInt64, scramble(x))
function scrambled(p::Ptr{UInt64})
    x = unsafe_load(p, 2)
    return deferred_call(deferred(twice_scrambled, x), UInt64, x)
end
";

/// The machine code of a function.
fn code(file: &Path, signature: &str) -> Vec<u8> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kiln"));
    let output = command.args(["compile", "-t", "bpf", "-o", "-"]).arg(file).arg(signature).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let object = object::File::parse(&*output.stdout).unwrap();
    let text = object.sections().find(|it| it.kind() == object::SectionKind::Text && it.size() > 0).unwrap();
    assert_eq!(text.relocations().count(), 0, "{signature}: it is one program");
    text.data().unwrap().to_vec()
}

/// What the interpreter makes of a function, given the address of these bytes.
fn interpreted(file: &Path, call: &str, memory: &[u8]) -> u64 {
    let bytes: Vec<String> = memory.iter().map(|it| format!("{it:#04x}")).collect();
    let program = std::fs::read_to_string(file).unwrap();
    let code =
        format!("{program}\nmemory = UInt8[{}]\nGC.@preserve memory println({call})\n", bytes.join(", "));
    let output = Command::new(env!("CARGO_BIN_EXE_kiln")).args(["-e", &code]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().parse().unwrap()
}

/// Loops, calls, bytes and words: the virtual machine computes what the interpreter does.
#[test]
fn programs_run_in_the_virtual_machine() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bpf.jl");
    std::fs::write(&file, PROGRAM).unwrap();
    let words: Vec<u8> = [4u64, 10, 20, 30, u64::MAX].iter().flat_map(|it| it.to_le_bytes()).collect();
    let mut packet = vec![0u8; 40];
    (packet[12], packet[13], packet[16], packet[17]) = (8, 0, 1, 44);
    let mut other = packet.clone();
    other[13] = 6;
    let text = [b"\x0bhello there".to_vec(), vec![0; 4]].concat();
    for (signature, call, memory) in [
        ("total(Ptr{UInt64})", "total(Ptr{UInt64}(pointer(memory)))", &words),
        ("accepts(Ptr{UInt8})", "Int(accepts(pointer(memory)))", &packet),
        ("accepts(Ptr{UInt8})", "Int(accepts(pointer(memory)))", &other),
        ("scrambled(Ptr{UInt64})", "scrambled(Ptr{UInt64}(pointer(memory)))", &words),
        ("fnv(Ptr{UInt8})", "fnv(pointer(memory))", &text),
    ] {
        let code = code(&file, signature);
        let machine = rbpf::EbpfVmRaw::new(Some(&code)).unwrap();
        let made = machine.execute_program(&mut memory.clone()).unwrap();
        assert_eq!(made, interpreted(&file, call, memory), "{signature}");
    }
}
