//! From text to running code: the only caller of codegen, the linker and compiled code.

use kiln_codegen::Generator;
use kiln_ir::{Vocabulary, wire};
use kiln_launch::{CpuDevice, CpuKernel, Failure, Grid};
use kiln_link::Linker;
use kiln_types::{Const, ConstData, Type, Types, consts};
use kiln_unit::{
    Checks, CodegenOptions, CodegenReply, CodegenRequest, CompiledUnit, Emitted, EntryKind, FunctionEntry,
    FunctionRequest, GroupsEntry, HostTable, LaunchContext, LaunchRecord, ListingReply, ListingRequest,
    Traits,
};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// An interner and the vocabulary of texts.
pub(crate) struct Suite {
    pub(crate) types: Arc<Types>,
    pub(crate) vocabulary: Vocabulary,
    /// Functions are those of kernels: the host runs foreign code of its own functions itself.
    pub(crate) in_kernel: bool,
}

impl Suite {
    pub(crate) fn new() -> Self {
        let types = Arc::new(Types::new());
        let mut vocabulary = Vocabulary::core(&types);
        let core = types.core();
        for (wrapper, param) in [
            (core.ptr, core.float32),
            (core.ptr, core.float64),
            (core.ptr, core.int64),
            (core.ptr, core.uint8),
            (core.ptr, core.int32),
        ] {
            vocabulary.add_type(&types, types.apply(wrapper, &[param]).expect("one parameter"));
        }
        for name in ["x", "tile", "acquire_release", "monotonic", "sequentially_consistent"] {
            vocabulary.add_const(&types, consts::symbol(&types, types.symbol(name)));
        }
        for ty in [
            core.int32,
            core.int64,
            core.float32,
            core.uint8,
            core.int128,
            core.float64,
            core.bool,
            core.int8,
        ] {
            vocabulary.add_const(&types, consts::of_type(&types, ty));
        }
        Self { types, vocabulary, in_kernel: false }
    }

    /// Adds a type that texts mention.
    pub(crate) fn with(&mut self, ty: Type) -> Type {
        self.vocabulary.add_type(&self.types, ty);
        ty
    }

    /// Adds a constant that texts mention.
    pub(crate) fn with_bits(&mut self, ty: Type, bytes: &[u8]) -> Const {
        let constant = self.types.constant(ConstData::Bits { ty, bytes: bytes.into() });
        self.vocabulary.add_const(&self.types, constant);
        constant
    }

    pub(crate) fn request(&self, entry: EntryKind, texts: &[&str]) -> CodegenRequest {
        let functions = texts.iter().map(|text| {
            let code =
                kiln_ir::parse(text, &self.types, &self.vocabulary).unwrap_or_else(|it| panic!("{it}"));
            let wire = wire::write(&code, &self.types);
            let callees = wire.instances.iter().map(|it| it.as_u32()).collect();
            let unknown = Traits { may_fail: true, needs_state: true, writes: true, ..Traits::default() };
            FunctionRequest { ir: wire.body, callees, external: code.blocks.is_empty().then_some(unknown) }
        });
        let target = kiln_targets::lookup("native").expect("x86-64").to_bytes();
        let options = CodegenOptions {
            opt_level: if entry == EntryKind::Kernel { 3 } else { 1 },
            verify: true,
            keep_optimized: true,
            lines: true,
            debug_level: 2,
            barrier_regions: true,
            group_size: None,
            vector_bits: 0,
            screens: false,
            checks: Checks::NONE,
            mistake: None,
            lanes: 32,
            lockstep: false,
            calls_launch: false,
        };
        let in_kernel = self.in_kernel || entry == EntryKind::Kernel;
        let functions = functions.collect();
        let runtime = Vec::new();
        CodegenRequest { target, options, entry, in_kernel, functions, runtime, title: "a test".into() }
    }

    /// Compiles by way of the bytes that cross the boundary.
    pub(crate) fn reply(&self, entry: EntryKind, texts: &[&str]) -> CodegenReply {
        let bytes =
            Generator::default().request_bytes(&self.request(entry, texts).to_bytes(), &mut |_| false);
        CodegenReply::from_bytes(&bytes).expect("codegen writes what it reads")
    }

    /// Compiles `text` as a kernel, with other options.
    pub(crate) fn kernel_with(&self, text: &str, change: impl Fn(&mut CodegenOptions)) -> CompiledUnit {
        let mut request = self.request(EntryKind::Kernel, &[text]);
        change(&mut request.options);
        let bytes = Generator::default().request_bytes(&request.to_bytes(), &mut |_| false);
        let reply = CodegenReply::from_bytes(&bytes).expect("codegen writes what it reads");
        reply.result.expect("it compiles").expect("nothing is known")
    }

    /// Compiles `text` as a kernel each of whose items runs on a fiber.
    pub(crate) fn on_fibers(&self, text: &str) -> CompiledUnit {
        self.kernel_with(text, |it| it.barrier_regions = false)
    }

    pub(crate) fn compile(&self, entry: EntryKind, texts: &[&str]) -> CompiledUnit {
        match self.reply(entry, texts).result {
            Ok(compiled) => compiled.expect("nothing is known"),
            Err(refusals) => panic!("{refusals:?}"),
        }
    }

    /// Returns the emitted module before the passes.
    pub(crate) fn emitted(&self, entry: EntryKind, texts: &[&str]) -> Emitted {
        let mut shown = None;
        let reply = Generator::default().compile_unless(&self.request(entry, texts), &mut |it| {
            shown = Some(it.clone());
            true
        });
        assert_eq!(reply.result, Ok(None), "what is known is not compiled");
        assert!(!reply.times.iter().any(|it| it.stage == "passes"), "{:?}", reply.times);
        shown.expect("it is shown")
    }

    pub(crate) fn refusal(&self, entry: EntryKind, text: &str) -> String {
        match self.reply(entry, &[text]).result {
            Ok(_) => panic!("it compiled"),
            Err(refusals) => refusals[0].message.clone(),
        }
    }

    /// Compiles `texts` as a plain function.
    pub(crate) fn function(&self, texts: &[&str]) -> Callable {
        let compiled = self.compile(EntryKind::Function, texts);
        let (linker, address) = link(&compiled);
        Callable { compiled, address, _linker: linker }
    }

    /// Compiles `texts` as a plain function and calls it with the bytes of its arguments.
    pub(crate) fn call(&self, texts: &[&str], args: &[&[u8]]) -> Result<Vec<u8>, u32> {
        self.function(texts).call(args)
    }
}

/// A plain function that was compiled and linked.
pub(crate) struct Callable {
    compiled: CompiledUnit,
    address: u64,
    _linker: Linker,
}

impl Callable {
    /// A function whose entry is at `address`, with the linker that placed it.
    pub(crate) fn new(compiled: CompiledUnit, address: u64, linker: Linker) -> Self {
        Self { compiled, address, _linker: linker }
    }

    /// Calls it; returns the bytes of the result, or the failed site.
    pub(crate) fn call(&self, args: &[&[u8]]) -> Result<Vec<u8>, u32> {
        let compiled = &self.compiled;
        let block = argument_block(compiled, args);
        let mut result = vec![0u8; compiled.link.result_bytes as usize + 16];
        let mut record = LaunchRecord::new();
        let mut ctx = context([1; 3], [1; 3], &mut record);
        // SAFETY: the address is that of code made for this ABI; the blocks have the sizes its LinkInfo gives.
        let site = unsafe {
            let entry: FunctionEntry = std::mem::transmute(self.address as usize);
            entry(&mut ctx, block.as_ptr().cast(), result.as_mut_ptr())
        };
        result.truncate(compiled.link.result_bytes as usize);
        if site == 0 { Ok(result) } else { Err(site) }
    }
}

pub(crate) fn argument_block(compiled: &CompiledUnit, args: &[&[u8]]) -> Vec<u128> {
    let mut block = vec![0u8; compiled.link.args_bytes as usize];
    let places = compiled.link.args.iter().filter(|it| it.size > 0);
    assert_eq!(places.clone().count(), args.len());
    for (place, arg) in places.zip(args) {
        assert_eq!(arg.len(), place.size as usize);
        block[place.offset as usize..][..arg.len()].copy_from_slice(arg);
    }
    // `u128`s, so that the block is aligned.
    block.chunks(16).map(|it| it.iter().rev().fold(0, |word, byte| (word << 8) | u128::from(*byte))).collect()
}

pub(crate) fn context(groups: [i64; 3], items: [i64; 3], record: &mut LaunchRecord) -> LaunchContext {
    LaunchContext {
        num_groups: groups,
        local_size: items,
        group_id: [0; 3],
        shared: std::ptr::null_mut(),
        dynamic_shared: std::ptr::null_mut(),
        dynamic_shared_bytes: 0,
        record,
        barrier: None,
        scheduler: std::ptr::null_mut(),
        warp_barrier: None,
        report: None,
        reports: std::ptr::null(),
        stack_limit: std::ptr::null(),
        heap: std::ptr::null_mut(),
        frames: std::ptr::null_mut(),
        checks: std::ptr::null(),
        checker: std::ptr::null_mut(),
        screen: std::ptr::null_mut(),
        host: Box::into_raw(Box::new(host_table())),
    }
}

pub(crate) fn link(compiled: &CompiledUnit) -> (Linker, u64) {
    let linker = Linker::new().expect("an arena");
    // Sites count from 0 here.
    let resolve = |name: &str| if name == kiln_unit::SITE_BASE { Some(0) } else { runtime(name) };
    let linked = linker.link(&compiled.object, &mut |name| resolve(name)).expect("links");
    let address = linked.address(&compiled.link.entry).expect("the entry is defined");
    (linker, address)
}

/// Returns the runtime functions that generated code may need.
fn runtime(name: &str) -> Option<u64> {
    unsafe extern "C" {
        fn memcpy(to: *mut u8, from: *const u8, len: usize) -> *mut u8;
        fn memset(to: *mut u8, byte: i32, len: usize) -> *mut u8;
    }
    unsafe extern "C" {
        fn __divti3(a: i128, b: i128) -> i128;
        fn __modti3(a: i128, b: i128) -> i128;
        fn __udivti3(a: u128, b: u128) -> u128;
        fn __umodti3(a: u128, b: u128) -> u128;
        fn __fixdfti(a: f64) -> i128;
        fn __fixsfti(a: f32) -> i128;
        fn __floattidf(a: i128) -> f64;
        fn __floattisf(a: i128) -> f32;
        fn __fixunsdfti(a: f64) -> u128;
        fn __fixunssfti(a: f32) -> u128;
        fn __floatuntidf(a: u128) -> f64;
        fn __floatuntisf(a: u128) -> f32;
    }
    match name {
        "__divti3" => Some(__divti3 as *const () as u64),
        "__modti3" => Some(__modti3 as *const () as u64),
        "__udivti3" => Some(__udivti3 as *const () as u64),
        "__umodti3" => Some(__umodti3 as *const () as u64),
        "__fixdfti" => Some(__fixdfti as *const () as u64),
        "__fixsfti" => Some(__fixsfti as *const () as u64),
        "__floattidf" => Some(__floattidf as *const () as u64),
        "__floattisf" => Some(__floattisf as *const () as u64),
        "__fixunsdfti" => Some(__fixunsdfti as *const () as u64),
        "__fixunssfti" => Some(__fixunssfti as *const () as u64),
        "__floatuntidf" => Some(__floatuntidf as *const () as u64),
        "__floatuntisf" => Some(__floatuntisf as *const () as u64),
        "memcpy" => Some(memcpy as *const () as u64),
        "memset" => Some(memset as *const () as u64),
        _ => None,
    }
}

/// A module as text.
pub(crate) fn listing(bitcode: &[u8]) -> String {
    let request = ListingRequest { bitcode: bitcode.to_vec() };
    let reply =
        Generator::default().request_bytes(&request.to_bytes(), &mut |_| unreachable!("nothing is emitted"));
    let reply = ListingReply::from_bytes(&reply).expect("codegen writes what it reads");
    reply.result.expect("codegen reads what it writes")
}

/// Runs all groups of a kernel without barriers.
pub(crate) fn launch(
    compiled: &CompiledUnit,
    groups: [i64; 3],
    items: [i64; 3],
    args: &[&[u8]],
    shared: &mut [u128],
) -> LaunchRecord {
    assert!(!compiled.link.has_barrier);
    let (_linker, address) = link(compiled);
    let block = argument_block(compiled, args);
    let mut record = LaunchRecord::new();
    let mut ctx = context(groups, items, &mut record);
    ctx.shared = shared.as_mut_ptr().cast();
    // SAFETY: the address is that of code made for this ABI; the block has the layout its LinkInfo gives.
    unsafe {
        let entry: GroupsEntry = std::mem::transmute(address as usize);
        entry(&mut ctx, block.as_ptr().cast(), 0, groups.iter().product());
    }
    record
}

/// Runs a kernel on the CPU device, which has fibers for barriers.
pub(crate) fn launch_on_device(compiled: &CompiledUnit, grid: &Grid, args: &[&[u8]]) -> Result<(), Failure> {
    let linker = Arc::new(Linker::new().expect("an arena"));
    // Sites count from 0 here.
    let resolve = |name: &str| if name == kiln_unit::SITE_BASE { Some(0) } else { runtime(name) };
    let linked = linker.link(&compiled.object, &mut |name| resolve(name)).expect("links");
    let shared = compiled.link.shared_bytes as usize;
    // SAFETY: the code was made for this processor, and is described so.
    let kernel =
        unsafe { CpuKernel::new(linker, &linked, &compiled.link, shared, 1 << 16) }.expect("an entry");
    let block = argument_block(compiled, args);
    let bytes: Vec<u8> = block.iter().flat_map(|it| it.to_le_bytes()).collect();
    // SAFETY: the block has the layout its LinkInfo gives; the tests pass addresses of live memory.
    unsafe { CpuDevice::new(2).expect("threads").launch(&kernel, grid, &bytes, &mut |_| ()) }
}

/// Returns the disassembled machine code; `None` without a disassembler.
pub(crate) fn disassembly(compiled: &CompiledUnit) -> Option<String> {
    let path = std::env::temp_dir().join(format!("kiln-generated-{}-{:p}.o", std::process::id(), compiled));
    std::fs::write(&path, &compiled.object).expect("a temporary file");
    let output =
        std::process::Command::new("llvm-objdump-22").args(["-d", "--no-show-raw-insn"]).arg(&path).output();
    let _ = std::fs::remove_file(&path);
    String::from_utf8(output.ok()?.stdout).ok()
}

/// Services of a host that makes nothing: a statement that it is to run is one that throws.
fn host_table() -> HostTable {
    unsafe extern "C" fn run(ctx: *mut LaunchContext, site: u32, _: *const u8, _: *mut u8) -> u32 {
        // SAFETY: compiled code passes its own context, whose record outlives the call.
        let record = unsafe { &(*(*ctx).record).site };
        let _ = record.compare_exchange(0, site, Ordering::AcqRel, Ordering::Relaxed);
        site
    }
    unsafe extern "C" fn allocate(_: *mut LaunchContext, _: u32, _: u64, _: u32) -> *mut u8 {
        unreachable!("these tests make no objects of a host")
    }
    unsafe extern "C" fn allocate_memory(_: *mut LaunchContext, _: u32, _: i64) -> *mut u8 {
        unreachable!("these tests make no objects of a host")
    }
    unsafe extern "C" fn box_value(_: *mut LaunchContext, _: u32, _: *const u8, _: u32) -> *mut u8 {
        unreachable!("these tests make no objects of a host")
    }
    unsafe extern "C" fn record_old(_: *mut LaunchContext, _: *const u8) {}
    unsafe extern "C" fn catch(_: *mut LaunchContext) -> u32 {
        unreachable!("these tests catch nothing")
    }
    unsafe extern "C" fn exception(_: *mut LaunchContext) -> *mut u8 {
        unreachable!("these tests catch nothing")
    }
    unsafe extern "C" fn pop_exceptions(_: *mut LaunchContext, _: u32) {}
    unsafe extern "C" fn record_call(_: *mut LaunchContext, _: u32) {}
    unsafe extern "C" fn egal(_: *mut LaunchContext, _: *const u8, _: *const u8) -> u32 {
        unreachable!("these tests make no objects of a host")
    }
    let (marking, newest_world) = (&raw const IS_MARKING, &raw const NEWEST_WORLD);
    HostTable {
        run,
        allocate,
        allocate_memory,
        box_value,
        record_old,
        marking,
        newest_world,
        world: NEWEST_WORLD,
        catch,
        exception,
        pop_exceptions,
        handled: &raw const NOTHING_HANDLED,
        egal,
        device_copies: &raw const HAS_COPIES,
        free_runs: NO_RUNS.as_ptr().cast(),
        integer_boxes: NO_BOXES.as_ptr(),
        record_call,
    }
}

/// No boxes of small numbers.
static NO_BOXES: [u64; 2 * kiln_memory::SHARED_INTEGER_MAX as usize + 1] =
    [0; 2 * kiln_memory::SHARED_INTEGER_MAX as usize + 1];

/// No free cells.
static NO_RUNS: [u64; 64] = [0; 64];

/// No exception is being handled.
static NOTHING_HANDLED: u32 = 0;

/// No device has copies.
static HAS_COPIES: u8 = 0;

/// No collector marks.
static IS_MARKING: u8 = 0;
static NEWEST_WORLD: u64 = 1;
