//! PTX: calling conventions, launch bounds, versions, floats, and `ptxas`.

use crate::harness::*;
use kiln_unit::{DeviceLinkRequest, DeviceOptions, LinkPart};
use std::process::Command;

const AXPY: &str = r#"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define void @entry(ptr %y, ptr %x, float %a) {
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = sext i32 %i to i64
  %px = getelementptr float, ptr %x, i64 %w
  %py = getelementptr float, ptr %y, i64 %w
  %vx = load float, ptr %px
  %vy = load float, ptr %py
  %m = fmul float %vx, %a
  %s = fadd float %m, %vy
  store float %s, ptr %py
  ret void
}
"#;

/// Returns a function of floats: `%a`, `%b` of `ty` in, the value of `%r` out.
fn of_floats(ty: &str, body: &str) -> String {
    format!(
        "declare {ty} @llvm.sqrt.f{bits}({ty})\ndefine void @entry(ptr %out, {ty} %a, {ty} %b) {{\n{body}\n\
         store {ty} %r, ptr %out\n ret void\n}}\n",
        bits = if ty == "float" { 32 } else { 64 }
    )
}

/// Returns the PTX of a request, assembled by `ptxas` for its device.
fn assembled(asked: &DeviceLinkRequest) -> String {
    let made = linked_module(asked);
    let text = text_of(&made.object);
    assert_eq!(text, text_of(&made.assembly), "PTX is text");
    assert!(text.trim_end().len() + 1 == text.len() && !text.contains('\0'), "{text}");
    let facts = kiln_targets::TargetFacts::from_bytes(&asked.target).expect("facts");
    if let Some(ptxas) = tool("ptxas") {
        let scratch = Scratch::new();
        let file = scratch.file("kernel.ptx", text.as_bytes());
        let cubin = scratch.path("kernel.cubin");
        run(Command::new(ptxas).args(["-arch", &facts.cpu, "-o"]).arg(&cubin).arg(&file));
        assert!(std::fs::metadata(&cubin).expect("a cubin").len() > 0);
    }
    text
}

fn kernel(target: &str, text: &str) -> String {
    assembled(&request(target, vec![part(text)]))
}

fn with(target: &str, text: &str, options: DeviceOptions) -> DeviceLinkRequest {
    DeviceLinkRequest { options, ..request(target, vec![part(text)]) }
}

/// Only a kernel is an entry; a function for other device code is visible and no entry. Upstream: calling convention.
/// MISSION G.
#[test]
fn a_kernel_is_an_entry() {
    for target in ["sm_70", "sm_90"] {
        let mut asked = request(target, vec![part(AXPY)]);
        check(&assembled(&asked), "check: .visible .entry kernel(\ncheck: ret;");
        let made = linked_module(&asked);
        check(&listing(&made.optimized), "check: define ptx_kernel void @kernel");
        asked.is_kernel = false;
        let made = linked_module(&asked);
        check(&text_of(&made.assembly), "not: .entry\ncheck: .visible .func kernel(");
        assert!(!listing(&made.optimized).contains("ptx_kernel"));
    }
}

/// Pointers of a kernel are to global memory, so its loads are of that. Generic ones are slower.
#[test]
fn spaces_of_pointers_are_inferred() {
    let text = kernel("sm_90", AXPY);
    check(&text, "check: cvta.to.global\ncheck: ld.global\ncheck: fma.rn.f32\ncheck: st.global");
    let through_tile = r#"
@tile = internal addrspace(3) global [64 x float] undef, align 4
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) convergent
declare float @c1(ptr, i64)
define void @entry(ptr %y) {
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = zext i32 %i to i64
  %generic = addrspacecast ptr addrspace(3) @tile to ptr
  %p = getelementptr float, ptr %generic, i64 %w
  %q = getelementptr float, ptr %y, i64 %w
  %v = load float, ptr %q
  store float %v, ptr %p
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %o = xor i64 %w, 1
  %r = call float @c1(ptr %generic, i64 %o)
  store float %r, ptr %q
  ret void
}"#;
    let load = "define float @f0(ptr %p, i64 %i) {\n %q = getelementptr float, ptr %p, i64 %i\n\
                %v = load float, ptr %q\n ret float %v\n}";
    let parts = vec![LinkPart { calls: vec![call("c1", 1, "f0")], ..part(through_tile) }, part(load)];
    let text = assembled(&request("sm_90", parts));
    check(
        &text,
        "check: .shared .align 4 .b8 p0_tile[256]\ncheck: st.shared\ncheck: bar.sync\ncheck: ld.shared",
    );
    assert!(!text.contains(".func"), "a small function of another part is inlined");
}

/// Functions that must not be inlined are called. Upstream: child functions, kernel functions.
#[test]
fn child_functions_are_called() {
    let text = "define i64 @f0(i64 %x) noinline {\n %y = mul i64 %x, 7\n ret i64 %y\n}\n\
                define void @entry(ptr %p, i64 %x) {\n %y = call i64 @f0(i64 %x)\n store i64 %y, ptr %p\n ret void\n}";
    let text = kernel("sm_70", text);
    check(
        &text,
        "check: .func  (.param .b64 func_retval0) p0_f0\ncheck: .visible .entry kernel\ncheck: call.uni",
    );
    assert!(!text.contains(".visible .func"), "a child is private");
}

/// One function in two artifacts is in both. Upstream: child function reuse.
#[test]
fn a_child_is_in_each_that_calls_it() {
    let child = part("define i64 @f0(i64 %x) noinline {\n %y = mul i64 %x, 7\n ret i64 %y\n}");
    for factor in [2, 3] {
        let text = format!(
            "declare i64 @c1(i64)\ndefine void @entry(ptr %p, i64 %x) {{\n %w = mul i64 %x, {factor}\n\
             %y = call i64 @c1(i64 %w)\n store i64 %y, ptr %p\n ret void\n}}"
        );
        let main = LinkPart { calls: vec![call("c1", 1, "f0")], ..part(&text) };
        check(
            &assembled(&request("sm_90", vec![main, child.clone()])),
            "check: .entry kernel\ncheck: p1_f0,\ncheck: .func  (.param .b64 func_retval0) p1_f0(",
        );
    }
}

/// Launch bounds become directives. Upstream: property_annotations.
#[test]
fn launch_bounds_are_directives() {
    let of = |options: DeviceOptions| {
        let asked = with("sm_90", AXPY, options);
        (assembled(&asked), listing(&linked_module(&asked).optimized))
    };
    let (text, _) = of(options());
    assert!(![".maxntid", ".reqntid", ".minnctapersm", ".maxnreg"].iter().any(|it| text.contains(it)));
    let (text, module) = of(DeviceOptions { items: Some([64, 2, 1]), ..options() });
    check(&text, "check: .reqntid 64, 2, 1");
    check(&module, "check: \"nvvm.reqntid\"=\"64,2,1\"");
    let (text, _) = of(DeviceOptions { items_max: Some([256, 1, 1]), groups_min: Some(2), ..options() });
    check(&text, "check: .maxntid 256, 1, 1\ncheck: .minnctapersm 2");
    let (text, _) = of(DeviceOptions { registers_max: Some(42), ..options() });
    check(&text, "check: .maxnreg 42");
}

/// The device determines the minimum version, and LLVM's errors become messages instead of an `exit`. Upstream:
/// feature_set.
#[test]
fn versions_of_the_language_are_checked() {
    for (target, version) in [("sm_70", "6.3"), ("sm_90", "8.0"), ("sm_90a", "8.0"), ("sm_100f", "8.8")] {
        let text = kernel(target, AXPY);
        check(&text, &format!("check: .version {version}\ncheck: .target {target}"));
    }
    let of = |language| with("sm_90", AXPY, DeviceOptions { language: Some(language), ..options() });
    check(&assembled(&of(83)), "check: .version 8.3\ncheck: .target sm_90");
    let said = |language| refusals(&of(language))[0].message.clone();
    assert!(said(70).starts_with("sm_90 needs a later PTX than 7.0; for sm_90 it can be 8.0, 8.1,"));
    assert!(said(79).starts_with("LLVM makes no PTX 7.9; for sm_90 it can be 8.0, 8.1,"));
}

/// Every listed device has PTX.
#[test]
fn every_device_is_known() {
    let family = kiln_targets::FAMILIES.iter().find(|it| it.backend.name() == "ptx");
    for target in family.expect("a family").names {
        let text = text_of(&linked_module(&request(target, vec![part(AXPY)])).object);
        check(&text, &format!("check: .target {target}"));
    }
}

/// Products and sums contract to fused operations, as with the vendor's compiler. Upstream: FMA contraction.
#[test]
fn products_and_sums_contract() {
    let body = "%m = fmul float %a, %b\n %r = fsub float %m, 1.0";
    let text = kernel("sm_90", &of_floats("float", body));
    check(&text, "check: fma.rn.f32");
    let text = kernel("sm_90", &of_floats("float", "%r = fmul float %a, %b"));
    assert!(!text.contains("mul.rn.f32"), "{text}");
}

/// Fast math of a job sets the flags of every instruction. Upstream: fastmath.
#[test]
fn fast_math_of_a_job() {
    let text = of_floats("float", "%r = call float @llvm.sqrt.f32(float %a)");
    check(&kernel("sm_90", &text), "check: sqrt.rn.f32");
    let asked = with("sm_90", &text, DeviceOptions { fastmath: true, ..options() });
    check(&assembled(&asked), "check: sqrt.approx.ftz.f32");
    let module = listing(&linked_module(&asked).optimized);
    check(
        &module,
        "check: call fast float @llvm.sqrt.f32\ncheck: \"denormal-fp-math-f32\"=\"preserve-sign,preserve-sign\"",
    );
    assert!(
        module.contains("\"unsafe-fp-math\"=\"true\"") && module.contains("!\"nvvm-reflect-ftz\", i32 1")
    );
}

/// Flags of instructions choose approximations. Upstream: fastmath fdiv/fsqrt.
#[test]
fn fast_quotients_and_roots() {
    let of = |ty: &str, body: &str| kernel("sm_90", &of_floats(ty, body));
    check(&of("float", "%r = fdiv float %a, %b"), "check: div.rn.f32");
    check(&of("float", "%r = fdiv fast float %a, %b"), "check: div.approx");
    check(&of("float", "%r = call fast float @llvm.sqrt.f32(float %a)"), "check: sqrt.approx");
    check(&of("double", "%r = fdiv double %a, %b"), "check: div.rn.f64");
    let text = of("double", "%r = fdiv fast double %a, %b");
    check(
        &text,
        "not: div.\ncheck: rcp.approx.ftz.f64\ncheck: fma.rn.f64\ncheck: fma.rn.f64\ncheck: fma.rn.f64",
    );
    check(&of("double", "%r = call double @llvm.sqrt.f64(double %a)"), "check: sqrt.rn.f64");
    let text = of("double", "%r = call fast double @llvm.sqrt.f64(double %a)");
    check(&text, "check: rsqrt.approx.f64\ncheck: rcp.approx.ftz.f64");
}

/// `1 / sqrt(x)` is one instruction where the flags allow it. Upstream: fastmath rsqrt.
#[test]
fn fast_inverse_roots() {
    let of = |ty: &str, flags: &str| {
        let bits = if ty == "float" { 32 } else { 64 };
        let body =
            format!("%s = call {flags} {ty} @llvm.sqrt.f{bits}({ty} %a)\n %r = fdiv {flags} {ty} 1.0, %s");
        kernel("sm_90", &of_floats(ty, &body))
    };
    check(&of("float", "fast"), "not: sqrt.rn\nnot: div\ncheck: rsqrt.approx");
    check(&of("double", "fast"), "not: rcp\nnot: sqrt.rn\nnot: div.\ncheck: rsqrt.approx.f64");
    check(&of("double", ""), "check: sqrt.rn.f64\ncheck: rcp.rn.f64");
}

/// Queries of libraries for the device and for denormals become numbers before the passes.
#[test]
fn reflection_is_folded() {
    let text = r#"
@arch = private unnamed_addr addrspace(4) constant [12 x i8] c"__CUDA_ARCH\00"
@ftz = private unnamed_addr addrspace(4) constant [11 x i8] c"__CUDA_FTZ\00"
@other = private unnamed_addr addrspace(4) constant [6 x i8] c"other\00"
declare i32 @__nvvm_reflect(ptr)
define void @entry(ptr %out) {
  %a = call i32 @__nvvm_reflect(ptr addrspacecast (ptr addrspace(4) @arch to ptr))
  %f = call i32 @__nvvm_reflect(ptr addrspacecast (ptr addrspace(4) @ftz to ptr))
  %o = call i32 @__nvvm_reflect(ptr addrspacecast (ptr addrspace(4) @other to ptr))
  %s = add i32 %f, %o
  store i32 %a, ptr %out
  %p = getelementptr i32, ptr %out, i64 1
  store i32 %s, ptr %p
  ret void
}"#;
    for (target, fastmath, arch) in [("sm_70", false, 700), ("sm_90", true, 900)] {
        let asked = with(target, text, DeviceOptions { fastmath, ..options() });
        let module = listing(&linked_module(&asked).optimized);
        check(&module, &format!("check: store i32 {arch},\ncheck: store i32 {},", u32::from(fastmath)));
        assert!(!assembled(&asked).contains("__nvvm_reflect"));
    }
}

/// The vendor's library, if present: exact and fast, and small since only used functions are linked.
#[test]
fn libdevice_is_linked() {
    let Some(library) = tool("libdevice.10.bc") else { return };
    let library = std::fs::read(library).expect("a file");
    let text = "declare double @__nv_exp(double)\ndeclare float @__nv_sinf(float)\n\
                define void @entry(ptr %p, double %x, float %y) {\n\
                %e = call double @__nv_exp(double %x)\n %s = call float @__nv_sinf(float %y)\n\
                %w = fpext float %s to double\n %r = fadd double %e, %w\n store double %r, ptr %p\n ret void\n}";
    for (target, fastmath) in [("sm_70", false), ("sm_90", false), ("sm_90", true)] {
        let mut asked = with(target, text, DeviceOptions { fastmath, ..options() });
        asked.libraries = vec![library.clone()];
        let made = assembled(&asked);
        check(&made, "not: __nv\ncheck: .visible .entry kernel");
        assert!(listing(&linked_module(&asked).linked).matches("\ndefine ").count() < 12);
    }
}

/// Aggregates by value, and dynamic shared memory.
#[test]
fn parameters_and_dynamic_shared_memory() {
    let text = r#"
@dynamic_shared = external addrspace(3) global [0 x i8], align 16
define void @entry(ptr addrspace(1) %state, ptr byval({i64, [3 x float]}) align 8 %t, ptr %out, i64 %i) {
  %f = getelementptr i8, ptr %t, i64 12
  %v = load float, ptr %f
  %p = getelementptr float, ptr addrspace(3) @dynamic_shared, i64 %i
  store float %v, ptr addrspace(3) %p
  %q = load float, ptr addrspace(3) @dynamic_shared
  store float %q, ptr %out
  %n = load i64, ptr %t
  store i64 %n, ptr addrspace(1) %state
  ret void
}"#;
    let text = kernel("sm_90", text);
    check(
        &text,
        r"
        check: .extern .shared .align 16 .b8 dynamic_shared[];
        check: .param .align 8 .b8 kernel_param_1[24]
        check: ld.param
        check: st.shared
        ",
    );
    assert!(!text.contains(".local"), "a parameter is read where it is: {text}");
}

/// Without optimization marked functions are inlined, and other code compiles.
#[test]
fn every_level_makes_a_kernel() {
    for opt_level in 0..=3 {
        assembled(&with("sm_90", AXPY, DeviceOptions { opt_level, ..options() }));
    }
}
