//! Units for devices: emitted code and refusals.

use crate::harness::{Suite, listing};
use crate::units::filecheck;
use kiln_codegen::Generator;
use kiln_types::{consts, datatype, display};
use kiln_unit::EntryKind::{self, Body, Kernel};
use kiln_unit::{CompiledUnit, RuntimeRole, Traits};

/// The device and kind of a test's request.
pub(crate) struct Device<'a> {
    pub(crate) suite: &'a Suite,
    pub(crate) target: &'a str,
    pub(crate) entry: EntryKind,
    pub(crate) runtime: &'a [(RuntimeRole, u32)],
    /// The traits of all external functions.
    pub(crate) external: Traits,
}

impl<'a> Device<'a> {
    pub(crate) fn new(suite: &'a Suite, target: &'a str, entry: EntryKind) -> Self {
        Self { suite, target, entry, runtime: &[], external: Traits::default() }
    }

    fn result(&self, texts: &[&str]) -> Result<CompiledUnit, String> {
        let mut request = self.suite.request(self.entry, texts);
        request.target = kiln_targets::lookup(self.target).expect("a target").to_bytes();
        request.options.lines = false;
        request.in_kernel = true;
        request.runtime = self.runtime.to_vec();
        for function in &mut request.functions {
            function.external = function.external.map(|_| self.external);
        }
        let reply = Generator::default().request_bytes(&request.to_bytes(), &mut |_| false);
        let reply = kiln_unit::CodegenReply::from_bytes(&reply).expect("codegen writes what it reads");
        match reply.result {
            Ok(compiled) => Ok(compiled.expect("nothing is known")),
            Err(refusals) => Err(refusals[0].message.clone()),
        }
    }

    /// Returns the text of the module, and its link information.
    pub(crate) fn module(&self, texts: &[&str]) -> (String, kiln_unit::LinkInfo) {
        let compiled = self.result(texts).unwrap_or_else(|it| panic!("{}: {it}", self.target));
        let text = listing(&compiled.object);
        if let Some(dir) = std::env::var_os("KILN_KEEP_MODULES") {
            let name = format!("{}-{}.ll", self.target, blake(&text));
            std::fs::write(std::path::Path::new(&dir).join(name), &text).expect("a directory");
        }
        (text, compiled.link)
    }

    pub(crate) fn refusal(&self, texts: &[&str]) -> String {
        match self.result(texts) {
            Ok(_) => panic!("{}: it compiled", self.target),
            Err(message) => message,
        }
    }
}

/// Returns a hash of a text.
fn blake(text: &str) -> u64 {
    text.bytes().fold(7, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// `i = group_id * local_size + local_id + 1; i <= n && (y[i] = a * x[i] + y[i])` of device arrays: `x` is a pointer to
/// global memory, `y` lies in a struct.
const SAXPY: &str = "saxpy(_0::Nothing, _1::Float32, _2::LP, _3::TUPLE)::Nothing
bb0:
  %0 = Intrinsics.kiln_group_id(0)::Int64
  %1 = Intrinsics.kiln_local_size(0)::Int64
  %2 = Intrinsics.mul_int(%0, %1)::Int64
  %3 = Intrinsics.kiln_local_id(0)::Int64
  %4 = Intrinsics.add_int(%2, %3)::Int64
  %5 = Intrinsics.add_int(%4, 1)::Int64
  %6 = Core.getfield(_3, 2)::Int64
  %7 = Intrinsics.sle_int(%5, %6)::Bool
  branch %7 ? bb1 : bb2
bb1:
  %9 = Intrinsics.bitcast(Ptr{Float32}, _2)::Ptr{Float32}
  %10 = Core.getfield(_3, 1)::LP
  %11 = Intrinsics.bitcast(Ptr{Float32}, %10)::Ptr{Float32}
  %12 = Intrinsics.pointerref(%9, %5, 4)::Float32
  %13 = Intrinsics.pointerref(%11, %5, 4)::Float32
  %14 = Intrinsics.muladd_float(_1, %12, %13)::Float32
  %15 = Intrinsics.pointerset(%11, %14, %5, 4)::Ptr{Float32}
  goto bb2
bb2:
  return nothing
";

/// Adds `Core.LLVMPtr{Float32,space}` and a `Tuple` of it and an `Int64` to a suite; returns their names in texts.
fn with_space(suite: &mut Suite, space: i64) -> (String, String) {
    let types = suite.types.clone();
    let core = *types.core();
    let space = consts::to_param(&types, consts::int(&types, space));
    let pointer = suite.with(types.apply(core.llvm_ptr, &[core.float32, space]).expect("two parameters"));
    let generic = types.apply(core.ptr, &[core.float32]).expect("one parameter");
    suite.vocabulary.add_const(&types, consts::of_type(&types, generic));
    let tuple = suite.with(datatype::tuple(&types, &[pointer, core.int64]));
    (display::of_type(&types, pointer), display::of_type(&types, tuple))
}

fn saxpy(suite: &mut Suite) -> String {
    let (pointer, tuple) = with_space(suite, 1);
    SAXPY.replace("LP", &pointer).replace("TUPLE", &tuple)
}

/// MISSION G: a kernel for a device is the code of one item, with the device's registers, address spaces and
/// parameter passing.
#[test]
fn a_kernel_is_what_one_item_does() {
    let mut suite = Suite::new();
    let text = saxpy(&mut suite);
    let expected = [
        (
            "sm_90",
            "check: target triple = \"nvptx64-nvidia-cuda\"
check: define internal void @f0(float %0, ptr addrspace(1) %1, { ptr addrspace(1), i64 } %2)
check: call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x(), !range
check: zext nneg i32
check: addrspacecast ptr addrspace(1) %1 to ptr
check: define void @entry(float %0, ptr addrspace(1) %1, ptr byval([2 x i64]) align 8 %2)
check: load ptr addrspace(1), ptr %2, align 8",
        ),
        (
            "gfx1100",
            "check: target triple = \"amdgcn-amd-amdhsa\"
check: call i32 @llvm.amdgcn.workgroup.id.x(), !range
check: call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
check: load i16, ptr addrspace(4)
check: define void @entry(float %0, ptr addrspace(1) %1, ptr addrspace(4) byref([2 x i64]) align 8 %2)
check: load ptr addrspace(1), ptr addrspace(4) %2, align 8",
        ),
        (
            "spirv64",
            "check: target triple = \"spirv64v1.2-unknown-unknown\"
check: call i64 @_Z12get_group_idj(i32 0), !range
check: addrspacecast ptr addrspace(1) %1 to ptr addrspace(4)
check: load float, ptr addrspace(4)
check: declare i64 @_Z12get_group_idj(i32)
check: define void @entry(float %0, ptr addrspace(1) %1, ptr byval({ [2 x i64] }) align 8 %2)
check: load ptr addrspace(1), ptr %2, align 8",
        ),
    ];
    for (target, pattern) in expected {
        let (module, link) = Device::new(&suite, target, Kernel).module(&[&text]);
        filecheck(&module, pattern);
        assert_eq!((link.entry.as_str(), link.calls.len(), link.runtime.len()), ("entry", 0, 0));
        let sizes: Vec<_> = link.args.iter().map(|it| it.size).collect();
        assert_eq!(sizes, [0, 4, 8, 16]);
    }
}

/// Host pointers are declared as global pointers, as drivers want; kernels use generic ones.
#[test]
fn pointers_of_the_host_are_global() {
    let suite = Suite::new();
    let text = "k(_0::Nothing, _1::Ptr{Float32}, _2::Bool)::Nothing
bb0:
  branch _2 ? bb1 : bb2
bb1:
  %1 = Intrinsics.pointerref(_1, 1, 4)::Float32
  %2 = Intrinsics.pointerset(_1, %1, 2, 4)::Ptr{Float32}
  goto bb2
bb2:
  return nothing
";
    for (target, generic) in [("sm_70", "ptr"), ("gfx90a", "ptr"), ("spirv64-v1.4", "ptr addrspace(4)")] {
        let (module, _) = Device::new(&suite, target, Kernel).module(&[text]);
        let pattern = format!(
            "check: define internal void @f0({generic} %0, i1 %1)
check: define void @entry(ptr addrspace(1) %0, i8 %1)
check: addrspacecast ptr addrspace(1) %0 to {generic}
check: trunc i8 %1 to i1"
        );
        filecheck(&module, &pattern);
    }
}

/// Each item stores its index in shared memory and, after a barrier, adds another item's and a word of dynamic shared
/// memory; private memory lies in between.
const MIRROR: &str = "mirror(_0::Nothing, _1::Ptr{Int64})::Nothing
bb0:
  %0 = Intrinsics.kiln_shared_memory(512, 8, :tile)::Ptr{UInt8}
  %1 = Intrinsics.bitcast(Ptr{Int64}, %0)::Ptr{Int64}
  %2 = Intrinsics.kiln_private_memory(16, 8, :tile)::Ptr{UInt8}
  %3 = Intrinsics.bitcast(Ptr{Int64}, %2)::Ptr{Int64}
  %4 = Intrinsics.kiln_local_id(0)::Int64
  %5 = Intrinsics.pointerset(%3, %4, 1, 8)::Ptr{Int64}
  %6 = Intrinsics.pointerref(%3, 1, 8)::Int64
  %7 = Intrinsics.add_int(%6, 1)::Int64
  %8 = Intrinsics.pointerset(%1, %6, %7, 8)::Ptr{Int64}
  %9 = Intrinsics.kiln_barrier()::Nothing
  %10 = Intrinsics.pointerref(%1, 3, 8)::Int64
  %11 = Intrinsics.kiln_dynamic_shared_memory()::Ptr{UInt8}
  %12 = Intrinsics.bitcast(Ptr{Int64}, %11)::Ptr{Int64}
  %13 = Intrinsics.pointerref(%12, 1, 8)::Int64
  %14 = Intrinsics.add_int(%10, %13)::Int64
  %15 = Intrinsics.pointerset(_1, %14, %7, 8)::Ptr{Int64}
  return nothing
";

/// MISSION G: shared memory is one block of the device for each statement; dynamic shared memory is a symbol or a
/// parameter; private memory is on the stack; a barrier is the device's own, and is convergent.
#[test]
fn memory_and_barriers_are_the_devices() {
    let mut suite = Suite::new();
    let core = *suite.types.core();
    let pointer = suite.types.apply(core.ptr, &[core.int64]).expect("one parameter");
    suite.vocabulary.add_const(&suite.types.clone(), consts::of_type(&suite.types, pointer));
    let expected = [
        (
            "sm_90",
            "check: @shared0 = internal addrspace(3) global [512 x i8] undef, align 8
check: @dynamic_shared = external addrspace(3) global [0 x i8], align 16
check: define internal void @f0(ptr %0)
check: alloca [16 x i8], align 8
check: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
check: define void @entry(ptr addrspace(1) %0)",
        ),
        (
            "gfx90a",
            "check: @shared0 = internal addrspace(3) global [512 x i8] undef, align 8
check: @dynamic_shared = external addrspace(3) global [0 x i8], align 16
check: alloca [16 x i8], align 8, addrspace(5)
check: addrspacecast ptr addrspace(5)
check: fence syncscope(\"workgroup\") release
check: call void @llvm.amdgcn.s.barrier()
check: fence syncscope(\"workgroup\") acquire
check: define void @entry(ptr addrspace(1) %0)",
        ),
        (
            "spirv64",
            "check: @shared0 = internal addrspace(3) global [512 x i8] undef, align 8
check: define internal void @f0(ptr addrspace(3) %0, ptr addrspace(4) %1)
check: alloca [16 x i8], align 8
check: addrspacecast ptr %
check: call void @_Z7barrierj(i32 3)
check: addrspacecast ptr addrspace(3) %0 to ptr addrspace(4)
check: define void @entry(ptr addrspace(1) %0, ptr addrspace(3) %1)
check: call void @f0(ptr addrspace(3) %1",
        ),
    ];
    for (target, pattern) in expected {
        let (module, link) = Device::new(&suite, target, Kernel).module(&[MIRROR]);
        filecheck(&module, pattern);
        assert!(module.contains("convergent"), "{target}");
        assert!(link.has_barrier && link.definitions[0].traits.has_dynamic_shared);
        assert_eq!(link.shared_bytes, 512);
    }
    let refused = Device::new(&suite, "bpf", Kernel).refusal(&[MIRROR]);
    assert!(refused.contains("there are no groups") && refused.contains("bpf"), "{refused}");
}

/// `2 < n ? n : fail site0(n)`.
const CHECKED: &str = "checked(_0::Nothing, _1::Int64)::Int64
bb0:
  %0 = Intrinsics.slt_int(2, _1)::Bool
  branch %0 ? bb1 : bb2
bb1:
  return _1
bb2:
  fail site0(_1)
site0(#0::Int64):
";
const SIGNAL: &str = "signal(_0::Nothing, _1::UInt32)::Nothing\n";
const CLAIM: &str = "claim(_0::Nothing, _1::UInt32)::Ptr{UInt8}\n";
const RESERVE: &str = "reserve(_0::Nothing, _1::UInt32, _2::UInt32)::Ptr{UInt8}\n";

/// MISSION G: a failing item signals the site to the device's runtime, stores the operands where the runtime says,
/// and returns the site; nothing unwinds or traps. The runtime gets the state of the kernel if it takes it.
#[test]
fn a_failing_item_tells_the_runtime() {
    let suite = Suite::new();
    let mut device = Device::new(&suite, "sm_90", Body);
    device.runtime = &[(RuntimeRole::Signal, 1)];
    let (module, link) = device.module(&[CHECKED, SIGNAL]);
    let signal = "check: define { i64, i32 } @f0(i64 %0)
check: call i32 @site_base()
check: add i32 %
check: call void @c1(i32 %
check: ret { i64, i32 }
check: declare void @c1(i32)
check: declare i32 @site_base()";
    filecheck(&module, signal);
    assert!(!module.contains("llvm.trap") && !module.contains("unreachable"), "{module}");
    assert_eq!(link.calls.iter().map(|it| (it.symbol.as_str(), it.ordinal)).collect::<Vec<_>>(), [("c1", 1)]);
    assert!(link.definitions[0].traits.may_fail && !link.definitions[0].traits.needs_state);

    device.runtime = &[(RuntimeRole::Signal, 1), (RuntimeRole::Claim, 2)];
    device.external = Traits { needs_state: true, writes: true, ..Traits::default() };
    for (target, generic) in [("sm_90", "ptr"), ("gfx1100", "ptr"), ("spirv64", "ptr addrspace(4)")] {
        device.target = target;
        let (module, link) = device.module(&[CHECKED, SIGNAL, CLAIM]);
        let claim = format!(
            "check: define {{ i64, i32 }} @f0(ptr addrspace(1) %0, i64 %1)
check: call {generic} @c2(ptr addrspace(1) %0, i32 %
check: icmp ne {generic} %
check: store i64 %1, {generic} %"
        );
        filecheck(&module, &claim);
        assert_eq!(link.calls.len(), 1, "the other role is not needed");
        assert!(link.definitions[0].traits.needs_state);
    }
    // Without a runtime the site is all there is.
    let (module, link) = Device::new(&suite, "spirv64", Body).module(&[CHECKED]);
    assert!(link.calls.is_empty() && !module.contains("call void"), "{module}");
}

/// A runtime function with another signature is refused.
#[test]
fn a_runtime_of_another_signature_is_refused() {
    let suite = Suite::new();
    let mut device = Device::new(&suite, "sm_90", Body);
    device.runtime = &[(RuntimeRole::Signal, 1)];
    let refused = device.refusal(&[CHECKED, "signal(_0::Nothing, _1::Int64)::Nothing\n"]);
    assert!(refused.contains("takes other arguments"), "{refused}");
}

/// A print stores the operands in room that the runtime reserves, and continues; without a runtime it is refused.
#[test]
fn a_report_is_left_in_the_runtimes_buffer() {
    let suite = Suite::new();
    let text = "k(_0::Nothing, _1::Int64)::Nothing
bb0:
  %0 = report site0(_1)::Nothing
  return nothing
site0(#0::Int64):
";
    let mut device = Device::new(&suite, "sm_90", Kernel);
    let refused = device.refusal(&[text]);
    assert!(refused.contains("printing") && refused.contains("sm_90"), "{refused}");
    device.runtime = &[(RuntimeRole::Reserve, 1)];
    device.external.needs_state = true;
    let (module, link) = device.module(&[text, RESERVE]);
    let pattern = "check: call ptr @c1(ptr addrspace(1) %0, i32 1, i32 8)
check: icmp ne ptr %
check: store i64 %1, ptr %
check: define void @entry(ptr addrspace(1) %0, i64 %1)";
    filecheck(&module, pattern);
    assert!(link.reports);
}
