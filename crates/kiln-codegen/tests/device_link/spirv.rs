//! SPIR-V: calling conventions, control flow for drivers, versions, and the validator.

use crate::harness::*;
use kiln_unit::{DeviceLinkRequest, DeviceOptions, LinkPart};
use std::process::Command;

const VERSIONS: [&str; 7] = ["v1.0", "v1.1", "v1.2", "v1.3", "v1.4", "v1.5", "v1.6"];

const STOPS: &str = r#"
declare i64 @_Z13get_global_idj(i32)
declare void @llvm.trap()
define void @guard(i64 %i) noinline {
  %c = icmp sgt i64 %i, 100
  br i1 %c, label %bad, label %ok
bad:
  call void @llvm.trap()
  unreachable
ok:
  ret void
}
define void @entry(ptr addrspace(1) %y) {
  %w = call i64 @_Z13get_global_idj(i32 0)
  call void @guard(i64 %w)
  %py = getelementptr i64, ptr addrspace(1) %y, i64 %w
  %v = freeze i64 %w
  store i64 %v, ptr addrspace(1) %py
  ret void
}
"#;

/// Returns the validated SPIR-V of a request.
fn validated(asked: &DeviceLinkRequest) -> String {
    let made = linked_module(asked);
    assert_eq!(made.object[..4], [3, 2, 35, 7], "the magic number");
    let facts = kiln_targets::TargetFacts::from_bytes(&asked.target).expect("facts");
    let version =
        facts.triple.split('-').next().and_then(|it| it.split_once('v')?.1.split_once('v')).expect("one").1;
    if let Some(validator) = tool("spirv-val") {
        let scratch = Scratch::new();
        let file = scratch.file("kernel.spv", &made.object);
        run(Command::new(validator).args(["--target-env", &format!("spv{version}")]).arg(&file));
    }
    text_of(&made.assembly)
}

fn target(version: &str) -> String {
    format!("spirv64-{version}")
}

/// Only a kernel is an entry point. Upstream: calling convention. MISSION G.
#[test]
fn a_kernel_is_an_entry_point() {
    let mut asked = request("spirv64", vec![part(STOPS)]);
    check(&validated(&asked), "check: OpEntryPoint Kernel\ncheck: \"kernel\"");
    let module = listing(&linked_module(&asked).optimized);
    check(
        &module,
        "check: define spir_kernel void @kernel\nnot: !opencl.ocl.version\ncheck: !opencl.spirv.version",
    );
    asked.is_kernel = false;
    assert!(!validated(&asked).contains("OpEntryPoint"));
    check(&listing(&linked_module(&asked).optimized), "check: define spir_func void @kernel");
}

/// Functions that stop are inlined into the kernel, which returns there: drivers refuse `unreachable`. Upstream: trap
/// removal, inlining of throwing callees.
#[test]
fn nothing_is_unreachable() {
    for version in VERSIONS {
        for opt_level in [0, 3] {
            let options = DeviceOptions { opt_level, ..options() };
            let asked = DeviceLinkRequest { options, ..request(&target(version), vec![part(STOPS)]) };
            let text = validated(&asked);
            assert!(!text.contains("OpUnreachable") && !text.contains("trap"), "{text}");
            assert_eq!(
                text.matches("OpFunction ").count() + text.matches("= OpFunction ").count(),
                2,
                "{text}"
            );
            let module = listing(&linked_module(&asked).optimized);
            assert!(!module.contains("unreachable") && !module.contains("freeze"), "{module}");
        }
    }
}

/// An aggregate by value is in a structure of its own, as emission wraps it. Upstream: byval workaround.
#[test]
fn aggregates_by_value() {
    let text = "define void @entry(ptr addrspace(1) %out, ptr byval({ { i64, float } }) align 8 %t) {\n\
                %p = getelementptr i8, ptr %t, i64 8\n %v = load float, ptr %p\n\
                store float %v, ptr addrspace(1) %out\n ret void\n}";
    for version in VERSIONS {
        check(&validated(&request(&target(version), vec![part(text)])), "check: FuncParamAttr ByVal");
    }
}

/// A function that must not be inlined remains, and verifies. Upstream: byval bug.
#[test]
fn child_functions_are_called() {
    let main = "declare i64 @c1(i64)\ndefine void @entry(ptr addrspace(1) %p, i64 %x) {\n\
                %y = call i64 @c1(i64 %x)\n store i64 %y, ptr addrspace(1) %p\n ret void\n}";
    let child = "define i64 @f0(i64 %x) noinline {\n %y = mul i64 %x, 7\n ret i64 %y\n}";
    let parts = vec![LinkPart { calls: vec![call("c1", 1, "f0")], ..part(main) }, part(child)];
    check(&validated(&request("spirv64", parts)), "check: OpFunctionCall");
}

/// Memory for integers of 128 bits is words. Upstream: replace i128 allocas.
#[test]
fn wide_integers_have_no_memory_of_their_own() {
    let text = r#"
define void @entry(ptr addrspace(1) %out, i64 %i) {
  %m = alloca [2 x i128], align 16
  %q = getelementptr i8, ptr %m, i64 8
  store i64 %i, ptr %m
  store i64 7, ptr %q
  %k = and i64 %i, 1
  %r = getelementptr i64, ptr %m, i64 %k
  %v = load volatile i64, ptr %r
  store i64 %v, ptr addrspace(1) %out
  ret void
}"#;
    let asked = request("spirv64", vec![part(text)]);
    validated(&asked);
    check(&listing(&linked_module(&asked).optimized), "not: i128\ncheck: alloca [4 x i64], align 16");
}

/// Static and dynamic shared memory.
#[test]
fn shared_memory_of_both_kinds() {
    let text = r#"
@s = internal addrspace(3) global [64 x float] undef, align 4
declare i64 @_Z12get_local_idj(i32)
declare void @_Z7barrierj(i32) convergent
define void @entry(ptr addrspace(1) %y, ptr addrspace(3) %dynamic) {
  %i = call i64 @_Z12get_local_idj(i32 0)
  %p = getelementptr float, ptr addrspace(3) @s, i64 %i
  %d = getelementptr float, ptr addrspace(3) %dynamic, i64 %i
  store float 1.0, ptr addrspace(3) %p
  store float 2.0, ptr addrspace(3) %d
  call void @_Z7barrierj(i32 1)
  %o = xor i64 %i, 1
  %q = getelementptr float, ptr addrspace(3) @s, i64 %o
  %v = load float, ptr addrspace(3) %q
  %e = load float, ptr addrspace(3) %dynamic
  %f = fadd float %v, %e
  %out = getelementptr float, ptr addrspace(1) %y, i64 %i
  store float %f, ptr addrspace(1) %out
  ret void
}"#;
    for version in VERSIONS {
        let asked = request(&target(version), vec![part(text)]);
        check(&validated(&asked), "check: OpVariable\ncheck: Workgroup\ncheck: OpControlBarrier");
        assert_eq!(linked_module(&asked).shared_bytes, 256);
    }
}

/// Mathematics is the driver's, in both sizes of floats.
#[test]
fn mathematics_is_the_drivers() {
    let text = "declare double @llvm.exp.f64(double)\ndeclare float @llvm.sin.f32(float)\n\
                define void @entry(ptr addrspace(1) %p, double %x, float %y) {\n\
                %e = call double @llvm.exp.f64(double %x)\n %s = call float @llvm.sin.f32(float %y)\n\
                %w = fpext float %s to double\n %r = fadd double %e, %w\n\
                store double %r, ptr addrspace(1) %p\n ret void\n}";
    check(
        &validated(&request("spirv64", vec![part(text)])),
        "check: OpCapability Float64\nunordered: OpExtInst\nunordered: exp\nunordered: sin",
    );
}

/// The promised size of groups is a mode of the entry point.
#[test]
fn the_size_of_groups_is_a_mode() {
    let options = DeviceOptions { items: Some([64, 2, 1]), ..options() };
    let asked = DeviceLinkRequest { options, ..request("spirv64", vec![part(STOPS)]) };
    check(&validated(&asked), "check: LocalSize 64 2 1");
}

/// Extensions are used only by requests for drivers that have them; unknown ones are refused.
#[test]
fn extensions_are_those_of_the_request() {
    let text = "declare void @llvm.assume(i1)\ndefine void @entry(ptr addrspace(1) %p, i64 %i) {\n\
                %c = icmp slt i64 %i, 9\n call void @llvm.assume(i1 %c)\n store i64 %i, ptr addrspace(1) %p\n ret void\n}";
    let of = |extensions: &str| {
        let options = DeviceOptions { extensions: extensions.into(), ..options() };
        DeviceLinkRequest { options, ..request("spirv64", vec![part(text)]) }
    };
    for _ in 0..2 {
        check(&validated(&of("+SPV_KHR_expect_assume")), "check: OpAssumeTrueKHR");
        assert!(!validated(&of("")).contains("OpAssumeTrueKHR"));
    }
    for unknown in ["+SPV_FOO", "SPV_KHR_expect_assume", "all", "+SPV_KHR_expect_assume,"] {
        assert!(refusals(&of(unknown))[0].message.contains("extension"), "{unknown}");
    }
}

/// LLVM's back end leaves state behind; many modules, one after another and in parallel, are as valid as the first.
#[test]
fn the_hundredth_module_is_as_the_first() {
    let asked = request("spirv64", vec![part(STOPS)]);
    let first = linked_module(&asked).object;
    for _ in 0..100 {
        assert!(linked_module(&asked).object == first);
    }
    validated(&asked);
}

/// Drivers know comparisons to be uniform, but not functions, which the back end makes of minimums and maximums.
#[test]
fn the_least_and_the_greatest_are_compared() {
    for (name, predicate) in [("smax", "sgt"), ("smin", "slt"), ("umax", "ugt"), ("umin", "ult")] {
        let text = format!(
            "declare i64 @llvm.{name}.i64(i64, i64)\ndefine void @entry(ptr addrspace(1) %p, i64 %a, i64 %b) {{\n\
             %m = call i64 @llvm.{name}.i64(i64 %a, i64 %b)\n store i64 %m, ptr addrspace(1) %p\n ret void\n}}"
        );
        let asked = request("spirv64", vec![part(&text)]);
        let module = listing(&linked_module(&asked).optimized);
        check(&module, &format!("not: llvm.{name}\ncheck: icmp {predicate}\ncheck: select"));
        assert!(!validated(&asked).contains("OpExtInst "));
    }
    let text = "declare i32 @llvm.abs.i32(i32, i1)\ndefine void @entry(ptr addrspace(1) %p, i32 %a) {\n\
                %m = call i32 @llvm.abs.i32(i32 %a, i1 false)\n store i32 %m, ptr addrspace(1) %p\n ret void\n}";
    let module = listing(&linked_module(&request("spirv64", vec![part(text)])).optimized);
    check(&module, "not: llvm.abs\ncheck: icmp slt\ncheck: sub i32 0\ncheck: select");
}

/// A loop over `n` items' values with a barrier, or with none, in each iteration.
fn with_loop(barrier: &str) -> String {
    format!(
        r#"
declare void @_Z7barrierj(i32) convergent
define void @entry(ptr addrspace(1) %p, i64 %n) {{
  br label %again
again:
  %i = phi i64 [ 0, %0 ], [ %next, %again ]
  %sum = phi float [ 0.0, %0 ], [ %more, %again ]
  %at = getelementptr float, ptr addrspace(1) %p, i64 %i
  %v = load float, ptr addrspace(1) %at
  %more = fadd float %sum, %v
  {barrier}
  %next = add i64 %i, 1
  %goes = icmp slt i64 %next, %n
  br i1 %goes, label %again, label %done
done:
  store float %more, ptr addrspace(1) %p
  ret void
}}"#
    )
}

/// Where there are barriers, loop counters are variables, from which drivers make no vectors of addresses.
#[test]
fn counters_are_variables_where_there_are_barriers() {
    let waits = with_loop("call void @_Z7barrierj(i32 1)");
    for version in VERSIONS {
        let asked = request(&target(version), vec![part(&waits)]);
        let module = listing(&linked_module(&asked).optimized);
        check(
            &module,
            "check: alloca i64\ncheck: store i64 0\ncheck: phi float\ncheck: load i64\ncheck: _Z7barrierj\ncheck: store i64",
        );
        assert!(!module.contains("phi i64"), "{module}");
        check(&validated(&asked), "check: OpVariable\ncheck: OpControlBarrier");
    }
    let module = listing(&linked_module(&request("spirv64", vec![part(&with_loop(""))])).optimized);
    check(&module, "not: alloca\ncheck: phi i64");
}

/// The code of a failing item is in a loop, which drivers skip if no item enters it; it runs once.
#[test]
fn failures_are_in_loops() {
    let text = r#"
declare i64 @_Z13get_global_idj(i32)
declare ptr addrspace(4) @report(ptr addrspace(1), i32)
define void @entry(ptr addrspace(1) %state, ptr addrspace(1) %p, i64 %n) {
  %i = call i64 @_Z13get_global_idj(i32 0)
  %inside = icmp slt i64 %i, %n
  br i1 %inside, label %good, label %bad
bad:
  %told = call ptr addrspace(4) @report(ptr addrspace(1) %state, i32 7) "kiln-failure"
  %is_null = icmp eq ptr addrspace(4) %told, null
  br i1 %is_null, label %gone, label %write
write:
  store i64 %i, ptr addrspace(4) %told
  br label %gone
gone:
  ret void
good:
  %at = getelementptr i64, ptr addrspace(1) %p, i64 %i
  store i64 %i, ptr addrspace(1) %at
  ret void
}"#;
    let report = "define ptr addrspace(4) @f0(ptr addrspace(1) %state, i32 %site) noinline {\n\
                  store i32 %site, ptr addrspace(1) %state\n\
                  %told = addrspacecast ptr addrspace(1) %state to ptr addrspace(4)\n ret ptr addrspace(4) %told\n}";
    for version in VERSIONS {
        let parts = vec![LinkPart { calls: vec![call("report", 1, "f0")], ..part(text) }, part(report)];
        let asked = request(&target(version), parts);
        check(
            &validated(&asked),
            "check: OpFunctionCall\ncheck: OpBranchConditional\ncheck: OpIEqual\ncheck: OpBranchConditional",
        );
        let module = listing(&linked_module(&asked).optimized);
        check(
            &module,
            "check: define spir_kernel\ncheck: i32 7\ncheck: call spir_func i32 @_Z12get_work_dimv()\ncheck: icmp eq i32\nsameln: 0\ncheck: br i1",
        );
    }
}
