//! GCN: calling conventions, kernel arguments, versions of code objects, and checks by linker and disassembler.

use crate::harness::*;
use kiln_unit::{DeviceLinkRequest, DeviceOptions, LinkPart};
use std::process::Command;

const READS_AGGREGATE: &str = r#"
declare i32 @llvm.amdgcn.workitem.id.x()
define void @entry(ptr addrspace(4) byref({i64, i64}) %t, ptr %y, i64 %n) {
  %i = call i32 @llvm.amdgcn.workitem.id.x()
  %v = load i64, ptr addrspace(4) %t
  %q = getelementptr i8, ptr addrspace(4) %t, i64 8
  %u = load i64, ptr addrspace(4) %q
  %s = add i64 %v, %u
  %r = add i64 %s, %n
  %w = sext i32 %i to i64
  %py = getelementptr i64, ptr %y, i64 %w
  store i64 %r, ptr %py
  ret void
}
"#;

const CHILD: &str = "define i64 @f0(i64 %x) noinline {\n %y = mul i64 %x, 7\n ret i64 %y\n}\n";

fn calls_child(factor: u32) -> LinkPart {
    let text = format!(
        "declare i64 @c1(i64)\ndefine void @entry(ptr %p, i64 %x) {{\n %w = mul i64 %x, {factor}\n\
         %y = call i64 @c1(i64 %w)\n store i64 %y, ptr %p\n ret void\n}}"
    );
    LinkPart { calls: vec![call("c1", 1, "f0")], ..part(&text) }
}

/// Links an object for the loader, and disassembles it.
fn disassembled(asked: &DeviceLinkRequest) -> Option<String> {
    let made = linked_module(asked);
    let (linker, disassembler) = (tool("ld.lld-22")?, tool("llvm-objdump-22")?);
    let scratch = Scratch::new();
    let object = scratch.file("kernel.o", &made.object);
    let hsaco = scratch.path("kernel.hsaco");
    run(Command::new(linker).args(["-shared", "--no-undefined", "-o"]).arg(&hsaco).arg(&object));
    Some(run(Command::new(disassembler).args(["-d", "-t"]).arg(&hsaco)))
}

/// Only a kernel has the convention of kernels. Upstream: kernel calling convention. MISSION G.
#[test]
fn a_kernel_has_its_convention() {
    let mut asked = request("gfx90a", vec![part(READS_AGGREGATE)]);
    check(&listing(&linked_module(&asked).optimized), "check: define protected amdgpu_kernel void @kernel(");
    asked.is_kernel = false;
    asked.parts = vec![part(CHILD)];
    let made = linked_module(&asked);
    assert!(!listing(&made.optimized).contains("amdgpu_kernel"));
    assert!(!text_of(&made.assembly).contains(".amdhsa_kernel"));
}

/// An aggregate is read from the memory of arguments by scalar loads, without memory of an item's own. Upstream: kernarg
/// address space, byref attribute, mixed parameters, `s_load`, no scratch spills.
#[test]
fn arguments_are_loaded_by_scalars() {
    for target in ["gfx90a", "gfx1100"] {
        let asked = request(target, vec![part(READS_AGGREGATE)]);
        let made = linked_module(&asked);
        check(&listing(&made.optimized), "check: ptr addrspace(4) \ncheck: byref({ i64, i64 })");
        let text = text_of(&made.assembly);
        check(&text, "check: kernel:\ncheck: s_load_\ncheck: .private_segment_fixed_size: 0");
        assert!(!text.contains("flat_load"), "{text}");
    }
}

/// A child is called; only the kernel has a descriptor. Upstream: child functions, kernel functions.
#[test]
fn child_functions_have_no_descriptor() {
    for target in ["gfx90a", "gfx1100"] {
        let asked = request(target, vec![calls_child(2), part(CHILD)]);
        let text = text_of(&linked_module(&asked).assembly);
        check(&text, "check: p1_f0@rel32@lo\ncheck: p1_f0@rel32@hi\ncheck: s_swappc_b64");
        check(&text, "check: .type\tp1_f0,@function");
        assert!(text.contains("kernel.kd") && !text.contains("p1_f0.kd"), "{text}");
        let Some(code) = disassembled(&asked) else { continue };
        assert!(
            code.contains("kernel.kd") && code.contains("<kernel>:") && code.contains("s_endpgm"),
            "{code}"
        );
        assert!(!code.contains("p1_f0.kd"), "{code}");
    }
}

/// One child in two artifacts. Upstream: child function reuse.
#[test]
fn a_child_is_in_each_that_calls_it() {
    for factor in [2, 3] {
        let asked = request("gfx1100", vec![calls_child(factor), part(CHILD)]);
        check(
            &text_of(&linked_module(&asked).assembly),
            "check: p1_f0:\ncheck: kernel:\ncheck: p1_f0@rel32@lo",
        );
    }
}

/// A trap of some items does not stop the others of the wavefront. Upstream: skip scalar trap.
#[test]
fn a_trap_is_branched_around() {
    let text = "declare void @llvm.trap()\ndeclare i32 @llvm.amdgcn.workitem.id.x()\ndefine void @entry(ptr %p) {\n\
                %i = call i32 @llvm.amdgcn.workitem.id.x()\n %c = icmp ugt i32 %i, 1\n\
                br i1 %c, label %bad, label %good\nbad:\n call void @llvm.trap()\n unreachable\n\
                good:\n store i32 %i, ptr %p\n ret void\n}";
    check(&assembly("gfx90a", text), "check: s_cbranch_execz\ncheck: s_trap 2");
}

/// Group sizes are promises to the back end and facts for the loader; the object has the requested version.
#[test]
fn bounds_and_versions() {
    let of = |options: DeviceOptions| DeviceLinkRequest {
        options,
        ..request("gfx1100", vec![part(READS_AGGREGATE)])
    };
    let text = |options| text_of(&linked_module(&of(options)).assembly);
    let exact = text(DeviceOptions { items: Some([64, 2, 1]), ..options() });
    check(&exact, "check: .max_flat_workgroup_size: 128\ncheck: .reqd_workgroup_size:");
    let most = text(DeviceOptions { items_max: Some([256, 1, 1]), ..options() });
    check(&most, "check: .max_flat_workgroup_size: 256");
    check(&text(options()), "check: .amdhsa_code_object_version 6");
    for (version, abi) in [(5, 3), (6, 4)] {
        let made = linked_module(&of(DeviceOptions { code_object: Some(version), ..options() }));
        assert_eq!(made.object[8], abi, "version of the ABI in the header");
    }
    let asked = of(DeviceOptions { code_object: Some(9), ..options() });
    assert!(refusals(&asked)[0].message.contains("no version 9"));
    let asked = of(DeviceOptions { items: Some([1024, 2, 1]), ..options() });
    assert!(refusals(&asked)[0].message.contains("at most 1024"));
}

/// The variables of the vendor's libraries are defined, and shared memory is counted.
#[test]
fn library_numbers_and_shared_memory() {
    let text = r#"
@__oclc_ISA_version = external addrspace(4) constant i32
@dynamic_shared = external addrspace(3) global [0 x i8], align 16
@s = internal addrspace(3) global [32 x i32] undef, align 4
define void @entry(ptr %p, i64 %i) {
  %v = load i32, ptr addrspace(4) @__oclc_ISA_version
  store i32 %v, ptr %p
  %q = getelementptr i32, ptr addrspace(3) @s, i64 %i
  store i32 %v, ptr addrspace(3) %q
  %w = load volatile i32, ptr addrspace(3) @s
  store volatile i32 %w, ptr addrspace(3) @dynamic_shared
  ret void
}"#;
    for (target, number) in [("gfx90a", 9010), ("gfx1100", 11000), ("gfx1036", 10306), ("gfx908", 9008)] {
        let made = linked_module(&request(target, vec![part(text)]));
        check(&listing(&made.optimized), &format!("check: store i32 {number}, "));
        assert_eq!(made.shared_bytes, 128);
        check(&text_of(&made.assembly), "check: .group_segment_fixed_size: 128");
    }
}

/// Every listed device has an object.
#[test]
fn every_device_is_known() {
    let family = kiln_targets::FAMILIES.iter().find(|it| it.backend.name() == "gcn");
    for target in family.expect("a family").names {
        let asked = request(target, vec![part(READS_AGGREGATE)]);
        let text = text_of(&linked_module(&asked).assembly);
        check(&text, &format!("check: amdgcn-amd-amdhsa--{target}"));
    }
}

/// MISSION N9: a damaged object is linked or refused without a panic, and a truncated one is refused.
#[test]
fn damaged_objects_are_not_linked_by_guessing() {
    let made = linked_module(&request("gfx1100", vec![calls_child(2), part(CHILD)]));
    let whole = kiln_link::code_object(&made.object).expect("an object of ours");
    assert_eq!(&whole[..4], b"\x7fELF");
    for len in 0..made.object.len() {
        assert!(kiln_link::code_object(&made.object[..len]).is_err(), "{len}");
    }
    let mut refused = 0;
    for at in 0..made.object.len() * 8 {
        let mut object = made.object.clone();
        object[at / 8] ^= 1 << (at % 8);
        refused += usize::from(kiln_link::code_object(&object).is_err());
    }
    assert!(refused > 1000, "{refused}");
}
