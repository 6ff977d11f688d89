//! Operations that a device lacks are refused with their statement, or emitted by other means.

use crate::devices::Device;
use crate::harness::Suite;
use crate::units::filecheck;
use kiln_codegen::Generator;
use kiln_types::{Module, consts, datatype, definition, display};
use kiln_unit::EntryKind::{Body, Function, Kernel};
use kiln_unit::GlobalRole;

/// Returns a body that uses a value of a type, and one that only mentions the type.
fn bodies(ty: &str, pointer: &str) -> [String; 2] {
    let uses = format!(
        "f(_0::Nothing, _1::{pointer}, _2::{ty})::Nothing
bb0:
  %0 = Intrinsics.pointerset(_1, _2, 1, 1)::{pointer}
  return nothing
"
    );
    let mentions = format!(
        "f(_0::Nothing, _1::{pointer}, _2::{ty})::Int64
bb0:
  %0 = Core.isa(_2, {ty})::Bool
  %1 = Core.ifelse(%0, 1, 2)::Int64
  return %1
"
    );
    [uses, mentions]
}

/// MISSION G: a statement that computes with, or moves, a value of a kind that the device lacks is refused by name; a
/// program may mention the type, and a device that has it takes it.
#[test]
fn values_a_device_lacks_are_refused_where_they_are_used() {
    let mut suite = Suite::new();
    let core = *suite.types.core();
    for (ty, lacking, target, other) in [
        (core.float64, "double", "spirv64-nofp64", Some("spirv64")),
        (core.float16, "half", "spirv64-nofp16", Some("spirv64")),
        (core.bfloat16, "bfloat", "spirv64", Some("spirv64-bf16")),
        (core.int128, "i128", "spirv64", Some("gfx1100")),
        (core.float32, "float", "bpf", Some("sm_90")),
        (core.float64, "double", "bpf", Some("gfx90a")),
        (core.int128, "i128", "bpf", None),
    ] {
        let pointer = suite.types.apply(core.ptr, &[ty]).expect("one parameter");
        suite.with(pointer);
        suite.with(ty);
        suite.vocabulary.add_const(&suite.types.clone(), consts::of_type(&suite.types, ty));
        let shown = |it| display::of_type(&suite.types, it);
        let [uses, mentions] = bodies(&shown(ty), &shown(pointer));
        let refused = Device::new(&suite, target, Body).refusal(&[&uses]);
        let expected = format!("use of {lacking} value: {target} does not compute with {}", shown(ty));
        assert_eq!(refused, expected);
        Device::new(&suite, target, Body).module(&[&mentions]);
        if let Some(other) = other {
            Device::new(&suite, other, Body).module(&[&uses]);
        }
    }
}

/// A refusal names the function and the statement.
#[test]
fn a_refusal_has_its_statement() {
    let suite = Suite::new();
    let text = "f(_0::Nothing, _1::Float64)::Float64
bb0:
  %0 = Intrinsics.add_float(_1, _1)::Float64
  return %0
";
    let mut request = suite.request(Body, &[text]);
    request.target = kiln_targets::lookup("bpf").expect("a target").to_bytes();
    let refusals = Generator::default().compile(&request).result.expect_err("refused");
    assert_eq!((refusals[0].function, refusals[0].stmt), (0, Some(0)));
}

/// Queries of items need items, recursion needs a stack, and no device runs host functions.
#[test]
fn what_a_device_does_not_have_is_refused() {
    let suite = Suite::new();
    let id = "f(_0::Nothing)::Int64\nbb0:\n  %0 = Intrinsics.kiln_local_id(0)::Int64\n  return %0\n";
    let refused = Device::new(&suite, "bpf", Body).refusal(&[id]);
    assert_eq!(refused, "a question about the group: there are no items (bpf)");
    let recursive = "f(_0::Nothing, _1::Int64)::Int64
bb0:
  %0 = invoke mi0(_0, _1)::Int64
  return %0
";
    for target in ["spirv64", "bpf"] {
        let refused = Device::new(&suite, target, Body).refusal(&[recursive]);
        assert!(refused.starts_with("recursion: ") && refused.contains(target), "{refused}");
    }
    for target in ["sm_90", "gfx90a"] {
        let (module, link) = Device::new(&suite, target, Body).module(&[recursive]);
        assert!(module.contains("call i64 @f0(i64"), "{module}");
        assert!(!link.definitions[0].traits.may_fail, "there is no limit of the stack to look at");
        let refused = Device::new(&suite, target, Function).refusal(&[id]);
        assert!(refused.contains("runs no functions for the host"), "{refused}");
    }
    let warp = "f(_0::Nothing, _1::UInt32)::UInt32
bb0:
  %0 = Intrinsics.kiln_warp_barrier(_1)::UInt32
  %1 = Intrinsics.kiln_clock()::UInt64
  return %0
";
    let refused = Device::new(&suite, "spirv64", Body).refusal(&[warp]);
    assert!(refused.contains("GroupNonUniformBallot") && refused.contains("spirv64-v1.3"), "{refused}");
    let refused = Device::new(&suite, "spirv64-v1.3", Body).refusal(&[warp]);
    assert!(refused.contains("SPV_KHR_shader_clock") && refused.contains("spirv64-clock"), "{refused}");
    let pattern = "check: call void @_Z22__spirv_ControlBarrierjjj(i32 3, i32 3, i32 776)
check: call <4 x i32> @_Z16sub_group_balloti(i32 1)
check: call i64 @_Z17clock_read_devicev()";
    filecheck(&Device::new(&suite, "spirv64-v1.3-clock", Body).module(&[warp]).0, pattern);
    let pattern = "check: define i32 @f0(i32 %0)
check: call i32 @llvm.nvvm.activemask()
check: call void @llvm.nvvm.bar.warp.sync(i32 %
check: call i32 @llvm.nvvm.vote.ballot.sync(i32 %
check: call i64 @llvm.readcyclecounter()";
    filecheck(&Device::new(&suite, "sm_70", Body).module(&[warp]).0, pattern);
    let pattern = "check: call void @llvm.amdgcn.wave.barrier()
check: call i64 @llvm.amdgcn.ballot.i64(i1 true)
check: call i64 @llvm.readcyclecounter()";
    filecheck(&Device::new(&suite, "gfx1100", Body).module(&[warp]).0, pattern);
}

/// MISSION G: a program for BPF has integers in registers and returns one.
#[test]
fn a_bpf_program_returns_an_integer() {
    let suite = Suite::new();
    let text = "f(_0::Nothing, _1::Int64, _2::Ptr{Int64})::Int64
bb0:
  %0 = Intrinsics.pointerref(_2, 1, 8)::Int64
  %1 = Intrinsics.add_int(_1, %0)::Int64
  return %1
";
    let (module, _) = Device::new(&suite, "bpf", Kernel).module(&[text]);
    let pattern = "check: target triple = \"bpfel-unknown-none\"
check: define i64 @entry(i64 %0, ptr %1)
check: call i64 @f0(i64 %0, ptr %1)
check: ret i64";
    filecheck(&module, pattern);
    let nothing = Device::new(&suite, "sm_90", Kernel).refusal(&[text]);
    assert!(nothing.contains("not `nothing`"), "{nothing}");
}

/// Atomic operations have the scope of the device. A float is added by an instruction, by code of the back end, or by
/// a compare-and-exchange loop; types too small to exchange are refused.
#[test]
fn atomics_are_for_all_items_of_the_device() {
    let mut suite = Suite::new();
    let core = *suite.types.core();
    let pair = suite.with(datatype::tuple(&suite.types, &[core.float32, core.float32]));
    let pair = display::of_type(&suite.types, pair);
    let (main, function) = (Module::MAIN, core.function);
    let plus = definition::define_singleton(&suite.types, suite.types.symbol("+"), main, function);
    let plus = definition::singleton(&suite.types, plus).expect("a singleton");
    suite.vocabulary.add_const(&suite.types.clone(), plus);
    let plus = display::of_const(&suite.types, plus).to_string();
    let text = format!(
        "f(_0::Nothing, _1::Ptr{{Float32}}, _2::Float32)::Float32
bb0:
  %0 = Intrinsics.atomic_pointermodify(_1, {plus}, _2, :monotonic)::{pair}
  %1 = Core.getfield(%0, 1)::Float32
  %2 = Intrinsics.atomic_fence(:acquire_release)::Nothing
  return %1
"
    );
    for (target, pattern) in [
        (
            "sm_90",
            "check: atomicrmw fadd ptr %0, float %1 syncscope(\"device\") monotonic\ncheck: fence syncscope(\"device\") acq_rel",
        ),
        (
            "gfx90a",
            "check: atomicrmw fadd ptr %0, float %1 syncscope(\"agent\") monotonic\ncheck: fence syncscope(\"agent\") acq_rel",
        ),
        (
            "spirv64",
            "check: load atomic i32, ptr addrspace(4) %0 syncscope(\"device\") monotonic\ncheck: fadd float
check: cmpxchg ptr addrspace(4) %0, i32 %\ncheck: syncscope(\"device\") monotonic monotonic
check: call void @_Z21__spirv_MemoryBarrierjj(i32 1, i32 776)",
        ),
    ] {
        filecheck(&Device::new(&suite, target, Body).module(&[&text]).0, pattern);
    }
    let byte = "f(_0::Nothing, _1::Ptr{UInt8}, _2::UInt8)::UInt8
bb0:
  %0 = Intrinsics.atomic_pointerswap(_1, _2, :monotonic)::UInt8
  return %0
";
    let refused = Device::new(&suite, "spirv64", Body).refusal(&[byte]);
    assert!(refused.contains("32 bits and more"), "{refused}");
    Device::new(&suite, "sm_90", Body).module(&[byte]);
}

/// MISSION G: the state of the kernel is passed from function to function; the processor has it in the launch's context.
#[test]
fn the_state_of_a_kernel_is_passed_on() {
    let suite = Suite::new();
    let caller = "g(_0::Nothing, _1::Ptr{Int64})::Nothing
bb0:
  %0 = invoke mi1(_0)::Ptr{UInt8}
  return nothing
";
    let callee = "f(_0::Nothing)::Ptr{UInt8}
bb0:
  %0 = Intrinsics.kiln_kernel_state()::Ptr{UInt8}
  return %0
";
    for (target, generic) in [("sm_90", "ptr"), ("spirv64", "ptr addrspace(4)")] {
        let (module, link) = Device::new(&suite, target, Kernel).module(&[caller, callee]);
        let pattern = format!(
            "check: define internal void @f0(ptr addrspace(1) %0, {generic} %1)
check: call {generic} @f1(ptr addrspace(1) %0)
check: addrspacecast ptr addrspace(1) %0 to {generic}
check: define void @entry(ptr addrspace(1) %0, ptr addrspace(1) %1)"
        );
        filecheck(&module, &pattern);
        assert!(link.definitions[0].traits.needs_state);
    }
    let record = suite.call(&[callee], &[]).expect("an address");
    assert_ne!(record, [0; 8], "on the processor it is the record of the launch");
}

/// Operations that the SPIR-V back end mishandles are emitted by other means; BPF has no 128-bit products.
#[test]
fn arithmetic_is_exact_whatever_the_back_end_makes_of_it() {
    let mut suite = Suite::new();
    let core = *suite.types.core();
    let pair = suite.with(datatype::tuple(&suite.types, &[core.int64, core.bool]));
    let pair = display::of_type(&suite.types, pair);
    let text = |op: &str| {
        format!(
            "f(_0::Nothing, _1::Int64)::{pair}\nbb0:\n  %0 = Intrinsics.{op}(_1, _1)::{pair}\n  return %0\n"
        )
    };
    for op in ["checked_sadd_int", "checked_ssub_int", "checked_smul_int"] {
        let (module, _) = Device::new(&suite, "spirv64", Body).module(&[&text(op)]);
        assert!(!module.contains(&format!("llvm.s{}.with.overflow", &op[9..12])), "{module}");
        let (module, _) = Device::new(&suite, "sm_90", Body).module(&[&text(op)]);
        assert!(module.contains(&format!("llvm.s{}.with.overflow", &op[9..12])), "{module}");
    }
    // A product of twice the width is a call of a library on BPF, which has none: it is made of halves.
    let (module, _) = Device::new(&suite, "bpf", Body).module(&[&text("checked_umul_int")]);
    assert!(!module.contains("with.overflow"), "{module}");
    let least = "f(_0::Nothing, _1::Float32, _2::Float32)::Float32
bb0:
  %0 = Intrinsics.min_float(_1, _2)::Float32
  return %0
";
    filecheck(
        &Device::new(&suite, "spirv64", Body).module(&[least]).0,
        "check: fcmp olt float\ncheck: fcmp uno float",
    );
    filecheck(
        &Device::new(&suite, "gfx90a", Body).module(&[least]).0,
        "check: call float @llvm.minimum.f32(",
    );
}

/// The debug level of a job is a constant, on devices and on processors.
#[test]
fn the_debug_level_is_a_constant() {
    let suite = Suite::new();
    let text = "f(_0::Nothing)::Int64\nbb0:\n  %0 = Intrinsics.kiln_debug_level()::Int64\n  return %0\n";
    assert_eq!(suite.call(&[text], &[]), Ok(2i64.to_le_bytes().to_vec()));
    filecheck(&Device::new(&suite, "gfx1100", Body).module(&[text]).0, "check: ret i64 2");
}

/// Modules of devices have lines of statements, like those of processors, if they are wanted.
#[test]
fn statements_have_lines() {
    let suite = Suite::new();
    let text = "f(_0::Nothing, _1::Int64)::Int64
bb0:
  %0 = Intrinsics.kiln_local_id(0)::Int64
  %1 = Intrinsics.checked_sdiv_int(%0, _1)::Int64
  return %1
";
    for target in ["sm_90", "gfx90a", "spirv64"] {
        let mut request = suite.request(Body, &[text]);
        request.target = kiln_targets::lookup(target).expect("a target").to_bytes();
        let compiled =
            Generator::default().compile(&request).result.expect("compiles").expect("nothing is known");
        let module = crate::harness::listing(&compiled.object);
        filecheck(&module, "check: !DILocation(line: 1,\ncheck: !DILocation(line: 2,");
    }
}

/// MISSION C17: a `Symbol` is a number that device linking resolves, and is not in the module.
#[test]
fn a_symbol_is_a_placeholder() {
    let mut suite = Suite::new();
    for name in ["alpha", "beta"] {
        let constant = consts::symbol(&suite.types, suite.types.symbol(name));
        suite.vocabulary.add_const(&suite.types.clone(), constant);
    }
    let text = "f(_0::Nothing, _1::Bool)::Symbol
bb0:
  %0 = Core.ifelse(_1, :alpha, :beta)::Symbol
  return %0
";
    let (module, link) = Device::new(&suite, "sm_90", Body).module(&[text]);
    let pattern = "check: call i64 @g0()
check: inttoptr i64 %
check: declare i64 @g0()
check: declare i64 @g1()";
    filecheck(&module, pattern);
    assert!(module.contains("memory(none)") && !module.contains("alpha"), "{module}");
    let roles: Vec<_> = link.globals.iter().map(|it| it.role.clone()).collect();
    assert_eq!(roles, ["alpha", "beta"].map(|it| GlobalRole::Name(it.into())));
}

/// SPIR-V has phis and selects of scalars only, and integers up to 64 bits: structs have a phi for each part,
/// functions return in one block, and the payload of a union is words.
#[test]
fn structs_and_unions_are_taken_apart() {
    let mut suite = Suite::new();
    let core = *suite.types.core();
    let tuple = suite.with(datatype::tuple(&suite.types, &[core.int64, core.float32]));
    let union = suite.with(suite.types.union(&[core.nothing, tuple]));
    let shown = |it| display::of_type(&suite.types, it);
    let (tuple, union) = (shown(tuple), shown(union));
    let text = format!(
        "f(_0::Nothing, _1::Bool, _2::Int64, _3::Float32)::{union}
bb0:
  %0 = Core.tuple(_2, _3)::{tuple}
  branch _1 ? bb1 : bb2
bb1:
  %2 = Intrinsics.add_int(_2, 1)::Int64
  %3 = Core.tuple(%2, _3)::{tuple}
  goto bb3
bb2:
  return nothing
bb3:
  %6 = φ (bb1 => %3)::{tuple}
  %7 = Core.ifelse(_1, %6, %0)::{tuple}
  return %7
"
    );
    let (module, _) = Device::new(&suite, "spirv64", Body).module(&[&text]);
    assert!(!module.contains("phi {") && !module.contains("select i1 %0, {"), "{module}");
    let pattern = "check: define { [2 x i64], i8 } @f0(i1 %0, i64 %1, float %2)
check: phi i64 [
check: phi float [
check: select i1 %0, i64 %";
    filecheck(&module, pattern);
    assert_eq!(module.matches("  ret ").count(), 1, "{module}");
    assert!(!module.contains("i128"), "{module}");
}
