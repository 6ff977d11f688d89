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

/// Runs a function in the interpreter, given the address of these bytes.
fn interpreted(file: &Path, call: &str, memory: &[u8]) -> u64 {
    let bytes: Vec<String> = memory.iter().map(|it| format!("{it:#04x}")).collect();
    let program = std::fs::read_to_string(file).unwrap();
    let code =
        format!("{program}\nmemory = UInt8[{}]\nGC.@preserve memory println({call})\n", bytes.join(", "));
    let output = Command::new(env!("CARGO_BIN_EXE_kiln")).args(["-e", &code]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().parse().unwrap()
}

/// A failing program returns the number of its site, below zero, whatever it returns otherwise; `kiln compile --json` has the
/// place. A value that is narrower than a register is never below zero, and nothing is 0. MISSION R5.
#[test]
fn a_failure_is_what_is_returned() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (file, out) = (folder.join("bpf_fails.jl"), folder.join("bpf_fails.o"));
    let program = "\
@noinline checked(x::Int32) = x < 0 ? throw(DomainError(x)) : x + Int32(1)
function narrow(x::Int32)
    y = checked(x)
    y == 8 && throw(OverflowError(\"eight\"))
    return y - Int32(3)
end
fits(x::UInt64) = (UInt8(x); nothing)
";
    std::fs::write(&file, program).unwrap();
    let run = |signature: &str, arguments: &[u64]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kiln"));
        let command =
            command.args(["compile", "--json", "-t", "bpf", "-o"]).arg(&out).arg(&file).arg(signature);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let said = String::from_utf8(output.stdout).unwrap();
        let object = std::fs::read(&out).unwrap();
        let object = object::File::parse(&*object).unwrap();
        let text =
            object.sections().find(|it| it.kind() == object::SectionKind::Text && it.size() > 0).unwrap();
        // The virtual machine gives one argument, an address: the others are loaded there.
        let mut code = vec![0xbf, 0x16, 0, 0, 0, 0, 0, 0]; // r6 = r1
        for (at, _) in arguments.iter().enumerate() {
            code.extend([0x79, 0x60 | (at as u8 + 1), 8 * at as u8, 0, 0, 0, 0, 0]); // r1 = *(u64 *)(r6 + 0)
        }
        code.extend(text.data().unwrap());
        let mut memory: Vec<u8> = arguments.iter().flat_map(|it| it.to_le_bytes()).collect();
        let machine = rbpf::EbpfVmRaw::new(Some(&code)).unwrap();
        (machine.execute_program(&mut memory).unwrap() as i64, said)
    };
    let line = |said: &str, returned: i64| {
        let site = format!("\"site\":{},", -returned);
        let at = said.find(&site).unwrap_or_else(|| panic!("{site} is not in {said}"));
        let line = said[at..].split("\"line\":").nth(1).unwrap();
        line.split('}').next().unwrap().parse::<u32>().unwrap()
    };
    assert_eq!(run("narrow(Int32)", &[4]).0, 2);
    assert_eq!(run("narrow(Int32)", &[1]).0, 0xffff_ffff, "-1 as the 32 bits it has");
    let (returned, said) = run("narrow(Int32)", &[-5i64 as u64]);
    assert!(returned < 0);
    assert_eq!(line(&said, returned), 1, "{said}");
    let (returned, said) = run("narrow(Int32)", &[7]);
    assert_eq!(line(&said, returned), 4, "{said}");
    assert_eq!(run("fits(UInt64)", &[7]).0, 0);
    let (returned, said) = run("fits(UInt64)", &[300]);
    assert!(returned < 0 && said.contains(&format!("\"site\":{},", -returned)), "{said}");
}

/// Operations without an instruction or a call: division of signed integers, products that tell of overflow, functions of more
/// than five arguments and such that return several values. Where a quotient does not exist the program fails.
#[test]
fn what_has_no_instruction_is_computed() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bpf_computes.jl");
    let program = "\
quotient(p::Ptr{Int64}) = div(unsafe_load(p, 1), unsafe_load(p, 2)) - 7
remainder(p::Ptr{Int64}) = rem(unsafe_load(p, 1), unsafe_load(p, 2))
function overflows(p::Ptr{Int64})
    product, overflowed = Base.mul_with_overflow(unsafe_load(p, 1), unsafe_load(p, 2))
    return overflowed ? product ⊻ 5 : product
end
@noinline six(a, b, c, d, e, f) = (a - b, c * d - e ⊻ f)
function many(p::Ptr{Int64})
    a, b = unsafe_load(p, 1), unsafe_load(p, 2)
    x, y = six(a, b, a + 1, b + 1, a + 2, b + 2)
    return x ⊻ y
end
";
    std::fs::write(&file, program).unwrap();
    let functions = ["quotient", "remainder", "overflows", "many"];
    let codes = functions.map(|it| code(&file, &format!("{it}(Ptr{{Int64}})")));
    let values = [0, 1, -1, 2, -3, 7, i64::MIN, i64::MAX, 1 << 32, -(1 << 31), 0x1234_5678_9abc_def0];
    for (a, b) in values.iter().flat_map(|a| values.iter().map(move |b| (*a, *b))) {
        let six = {
            let (c, d, e, f) = (a.wrapping_add(1), b.wrapping_add(1), a.wrapping_add(2), b.wrapping_add(2));
            a.wrapping_sub(b) ^ (c.wrapping_mul(d).wrapping_sub(e) ^ f)
        };
        let (product, overflowed) = a.overflowing_mul(b);
        let expected = [
            a.checked_div(b).map(|it| it.wrapping_sub(7)),
            (b != 0).then(|| a.wrapping_rem(b)),
            Some(if overflowed { product ^ 5 } else { product }),
            Some(six),
        ];
        let memory: Vec<u8> = [a, b].iter().flat_map(|it| it.to_le_bytes()).collect();
        for ((code, expected), name) in codes.iter().zip(expected).zip(functions) {
            let machine = rbpf::EbpfVmRaw::new(Some(code)).unwrap();
            let made = machine.execute_program(&mut memory.clone()).unwrap() as i64;
            match expected {
                Some(expected) => assert_eq!(made, expected, "{name}({a}, {b})"),
                // rbpf extends what jumps compare with by zeros, where the kernel extends by the sign.
                None if b == -1 => {}
                None => assert!((-100..0).contains(&made), "{name}({a}, {b}) is {made}"),
            }
        }
    }
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
