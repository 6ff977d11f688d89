//! The stages of one request.

use crate::function::{Emitter, Stop};
use crate::llvm::{FileKind, Module, during, listing, version};
use crate::target::{self, Job};
use crate::unit::{Source, Unit};
use crate::{kernel, object_symbols};
use kiln_ir::wire::WireReader;
use kiln_targets::TargetFacts;
use kiln_types::Types;
use kiln_unit::{
    CodegenReply, CodegenRequest, Compiled, CompositionRequest, Definition, DeviceOptions, Emitted,
    EntryKind, ExternalCall, Line, LinkInfo, ListingReply, ListingRequest, Refusal, RefusalKind, Role,
    StageTime, TargetsReply, TargetsRequest, body_symbol,
};
use std::time::Instant;

/// `major.minor.patch` of the LLVM this is linked with; part of keys.
pub fn llvm_version() -> String {
    version()
}

/// Answers a request given as bytes, for a unit, a composition, a listing or the list of targets. The bytes may be anything.
/// `is_known` is as in [`compile_unless`].
pub fn request_bytes(request: &[u8], is_known: &mut dyn FnMut(&Emitted) -> bool) -> Vec<u8> {
    if ListingRequest::is_one(request) {
        let asked = ListingRequest::from_bytes(request).map_err(|it| it.to_string());
        let (result, fatal) = during("a listing", || asked.and_then(|it| listing(&it.bitcode)));
        let result = fatal.map_or(result, Err);
        return ListingReply { result }.to_bytes();
    }
    if TargetsRequest::is_one(request) {
        let facts = target::offered().iter().map(TargetFacts::to_bytes).collect();
        return TargetsReply { facts }.to_bytes();
    }
    if CompositionRequest::is_one(request) {
        return match CompositionRequest::from_bytes(request) {
            Ok(request) => crate::compose::compose(&request),
            Err(error) => crate::compose::refused(error.to_string()),
        }
        .to_bytes();
    }
    let reply = match CodegenRequest::from_bytes(request) {
        Ok(request) => compile_unless(&request, is_known),
        Err(error) => refused(error.to_string()),
    };
    reply.to_bytes()
}

fn refused(message: String) -> CodegenReply {
    CodegenReply { llvm_version: version(), result: Err(refuse(0, None, message)), times: Vec::new() }
}

/// Answers a request.
pub fn compile(request: &CodegenRequest) -> CodegenReply {
    compile_unless(request, &mut |_| false)
}

/// Answers a request, up to what is emitted if that `is_known`: then the caller has what would be made of it. A panic in
/// here would be a bug of ours; it is a refusal, so that the caller, who may be on the other side of a C interface, lives
/// on and can say so.
pub fn compile_unless(request: &CodegenRequest, is_known: &mut dyn FnMut(&Emitted) -> bool) -> CodegenReply {
    let mut clock = Clock::start();
    let result = contained(&request.title, || stages(request, &mut clock, is_known));
    CodegenReply { llvm_version: version(), result, times: clock.times }
}

/// Does the work of a job. A panic is a refusal, and so is a fatal LLVM error, whatever was made of it.
pub(crate) fn contained<T>(
    title: &str,
    work: impl FnOnce() -> Result<T, Vec<Refusal>>,
) -> Result<T, Vec<Refusal>> {
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| during(title, work)));
    let internal = |message: String| {
        let place = Refusal {
            function: 0,
            stmt: None,
            within: None,
            message,
            kind: RefusalKind::Internal,
            missing: None,
        };
        Err(vec![place])
    };
    if let Ok((_, Some(fatal))) = result {
        return internal(fatal);
    }
    result.map(|it| it.0).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text =
            text.or_else(|| panic.downcast_ref::<&str>().map(|it| (*it).to_owned())).unwrap_or_default();
        internal(format!("a bug in codegen: {text}"))
    })
}

/// A clock of the stages.
pub(crate) struct Clock {
    last: Instant,
    pub(crate) times: Vec<StageTime>,
}

impl Clock {
    pub(crate) fn start() -> Self {
        Self { last: Instant::now(), times: Vec::new() }
    }

    /// A stage ends here.
    pub(crate) fn stage(&mut self, stage: &str) {
        let nanos = u64::try_from(self.last.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.times.push(StageTime { stage: stage.into(), nanos });
        self.last = Instant::now();
    }
}

pub(crate) fn refuse(function: u32, stmt: Option<u32>, message: impl Into<String>) -> Vec<Refusal> {
    vec![crate::limits::refusal(function, stmt, &message.into())]
}

fn stages(
    request: &CodegenRequest,
    clock: &mut Clock,
    is_known: &mut dyn FnMut(&Emitted) -> bool,
) -> Result<Option<Compiled>, Vec<Refusal>> {
    let whole = |message: String| refuse(0, None, message);
    let facts = TargetFacts::from_bytes(&request.target).map_err(|it| whole(it.to_string()))?;
    let types = Types::new();
    let sources = read(request, &types)?;
    clock.stage("read");
    let options = DeviceOptions {
        opt_level: request.options.opt_level,
        verify: request.options.verify,
        lines: request.options.lines,
        ..DeviceOptions::default()
    };
    let is_kernel = request.entry == EntryKind::Kernel;
    let job = Job { facts: &facts, options: &options, entry: kernel::ENTRY, is_kernel };
    let target = target::lookup(&facts).map_err(whole)?;
    let machine = target.machine(&job).map_err(whole)?;
    let device = crate::items::lookup(&facts);
    let module = match device {
        None => Module::new(&machine, request.options.lines),
        Some(_) => Module::for_device(&machine, request.options.lines, facts.spaces.generic),
    };
    if let Some(scopes) = &facts.scopes {
        module.set_atomic_scope(&scopes.device);
    }
    let mut link = emit(request, &facts, &types, &module, &sources)?;
    module.finish_lines();
    if device.is_some() {
        link.calls = calls(&sources, &module.prune());
    }
    clock.stage("emit");
    if request.options.verify {
        module.verify().map_err(|it| whole(format!("LLVM's verifier refuses what was emitted: {it}")))?;
        clock.stage("verify");
    }
    let emitted = Emitted { bitcode: module.bitcode(), link, line_bases: crate::unit::line_bases(&sources) };
    clock.stage("keep");
    let known = is_known(&emitted);
    clock.stage("ask");
    if known {
        return Ok(None);
    }
    if device.is_some() {
        // The whole is optimized when it is composed: see `compose`.
        let Emitted { bitcode: object, link, .. } = emitted;
        return Ok(Some(Compiled { link, object, optimized: Vec::new() }));
    }
    target.prepare(&job, &machine, &module).map_err(whole)?;
    target.legalize(&job, &machine, &module).map_err(whole)?;
    clock.stage("passes");
    if request.options.verify {
        module.verify().map_err(|it| whole(format!("LLVM's verifier refuses what the passes made: {it}")))?;
        clock.stage("verify");
    }
    crate::assertion::check(&module)?;
    let optimized = if request.options.keep_optimized { module.bitcode() } else { Vec::new() };
    clock.stage("keep");
    let object = target.emit(&job, &machine, &module, FileKind::Object).map_err(whole)?;
    clock.stage("machine");
    let Emitted { link, line_bases, .. } = emitted;
    let (undefined, rows) = (object_symbols::undefined(&object), crate::lines::rows(&object));
    let link = finish_link(link, undefined, &rows, &line_bases, &sources);
    Ok(Some(Compiled { link, object, optimized }))
}

fn read(request: &CodegenRequest, types: &Types) -> Result<Vec<Source>, Vec<Refusal>> {
    let mut reader = WireReader::new(types);
    let mut sources = Vec::with_capacity(request.functions.len());
    for (ordinal, function) in request.functions.iter().enumerate() {
        let ordinal = ordinal as u32;
        let code = reader.read(&function.ir, None).map_err(|it| refuse(ordinal, None, it.to_string()))?;
        if function.external.is_none() {
            let problems = kiln_ir::verify(&code, types);
            if let Some(first) = problems.first() {
                let stmt = first.stmt.map(|it| it.as_u32());
                return Err(refuse(ordinal, stmt, format!("the body is malformed: {}", first.message)));
            }
        }
        sources.push(Source { code, callees: function.callees.clone(), external: function.external });
    }
    Ok(sources)
}

fn emit(
    request: &CodegenRequest,
    facts: &TargetFacts,
    types: &Types,
    module: &Module,
    sources: &[Source],
) -> Result<LinkInfo, Vec<Refusal>> {
    let unit = Unit::new(types, facts, module, sources, request)
        .map_err(|(function, stmt, message)| refuse(function, stmt, message))?;
    let mut link = LinkInfo { sites: unit.sites.clone(), args_align: 1, ..LinkInfo::default() };
    let mut refusals = Vec::new();
    module.mark_accesses.set(kernel::is_parallel(&unit));
    for (ordinal, source) in sources.iter().enumerate() {
        if source.external.is_some() {
            continue;
        }
        let (function, ordinal) = (unit.functions[ordinal], ordinal as u32);
        let mode = if ordinal == 0 { kernel::mode(&unit) } else { crate::function::Mode::Record };
        let called_once = sources.iter().all(|it| !it.callees.contains(&0));
        if ordinal == 0 && request.entry != EntryKind::Body && called_once {
            module.set_attribute(function, "alwaysinline");
        }
        if let Err(Stop { stmt, message }) = Emitter::new(&unit, ordinal, function, mode).body() {
            refusals.extend(refuse(ordinal, stmt, message));
        }
    }
    module.mark_accesses.set(false);
    if refusals.is_empty()
        && let Err(Stop { stmt, message }) = crate::deferred::define(&unit)
    {
        refusals.extend(refuse(0, stmt, message));
    }
    if refusals.is_empty()
        && let Err(Stop { stmt, message }) = kernel::emit(&unit, &mut link)
    {
        refusals.extend(refuse(0, stmt, message));
    }
    define(&unit, &mut link);
    let shared = unit.shared.borrow().last().map_or(0, |it| it.offset + it.bytes);
    link.shared_bytes = shared as u32;
    link.globals = unit.globals.take();
    link.holds_address = unit.holds_address.get();
    if refusals.is_empty() { Ok(link) } else { Err(refusals) }
}

/// Lists what the object exports.
fn define(unit: &Unit<'_>, link: &mut LinkInfo) {
    if unit.entry != EntryKind::Body {
        let (symbol, traits) = (kernel::ENTRY.into(), unit.traits[0]);
        link.definitions.push(Definition { symbol, role: Role::Entry, ordinal: 0, traits });
        return;
    }
    for (ordinal, source) in unit.sources.iter().enumerate() {
        if source.external.is_none() {
            let (symbol, traits) = (body_symbol(ordinal as u32), unit.traits[ordinal]);
            link.definitions.push(Definition { symbol, role: Role::Body, ordinal: ordinal as u32, traits });
        }
    }
}

/// The undefined symbols that stand for external functions.
fn calls(sources: &[Source], undefined: &[String]) -> Vec<ExternalCall> {
    let mut calls: Vec<_> = undefined.iter().filter_map(|it| call(sources, it)).collect();
    calls.sort_by_key(|it| it.ordinal);
    calls
}

/// The external function that an undefined symbol stands for.
fn call(sources: &[Source], symbol: &str) -> Option<ExternalCall> {
    let ordinal = symbol.strip_prefix('c')?.parse::<u32>().ok()?;
    sources.get(ordinal as usize)?.external?;
    Some(ExternalCall { symbol: symbol.into(), ordinal })
}

/// Says what is undefined, and which statements the rows of a line table are.
fn finish_link(
    mut link: LinkInfo,
    undefined: Vec<String>,
    rows: &[(u32, u32)],
    bases: &[u32],
    sources: &[Source],
) -> LinkInfo {
    link.globals.retain(|it| undefined.contains(&it.symbol));
    for symbol in undefined {
        match call(sources, &symbol) {
            Some(call) => link.calls.push(call),
            None if link.names(&symbol) => {}
            None => link.runtime.push(symbol),
        }
    }
    for &(offset, line) in rows {
        let function = bases.partition_point(|it| *it <= line);
        let (function, stmt) = match function.checked_sub(1) {
            Some(function) => (function as u32, line - bases[function]),
            None => (u32::MAX, u32::MAX),
        };
        link.lines.push(Line { offset, function, stmt });
    }
    link.calls.sort_by_key(|it| it.ordinal);
    link.runtime.sort();
    link
}
