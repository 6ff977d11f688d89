//! The stages of a request for a unit.

use crate::error::{EmitError, InvalidBody, VerifiedModule};
use crate::function::Emitter;
use crate::generator::{Clock, Generator};
use crate::host_statements::{self, HostStatements};
use crate::items::DeviceItems;
use crate::llvm::{FileKind, Module};
use crate::probe::Limit;
use crate::regions::Regions;
use crate::signatures;
use crate::source::Source;
use crate::target::Job;
use crate::unit::Unit;
use crate::{kernel, object_symbols, shared_memory};
use kiln_ir::wire::WireReader;
use kiln_targets::TargetFacts;
use kiln_types::Types;
use kiln_unit::{
    CodegenOptions, CodegenRequest, CompiledUnit, DefinedSymbol, DeviceOptions, Emitted, EntryKind,
    ExternalCall, Line, LinkInfo, Role, body_symbol, lanes_symbol,
};

/// Returns the options of a unit's passes.
fn pass_options(request: &CodegenRequest) -> DeviceOptions {
    let CodegenOptions { opt_level, verify, lines, .. } = request.options;
    DeviceOptions { opt_level, verify, lines, ..DeviceOptions::default() }
}

/// Compiles a unit; `None` if the emitted bitcode `is_known`.
pub(crate) fn stages(
    generator: &Generator,
    request: &CodegenRequest,
    clock: &mut Clock,
    is_known: &mut dyn FnMut(&Emitted) -> bool,
) -> Result<Option<CompiledUnit>, Vec<EmitError>> {
    let facts = TargetFacts::from_bytes(&request.target).map_err(EmitError::from)?;
    let types = Types::new();
    let sources = read(request, &types)?;
    clock.stage("read");
    let options = pass_options(request);
    let is_kernel = request.entry == EntryKind::Kernel;
    let job = Job {
        facts: &facts,
        options: &options,
        entry: kernel::ENTRY,
        is_kernel,
        is_host: !request.in_kernel,
        vector_bits: request.options.vector_bits,
        is_sized: request.options.group_size.is_some(),
    };
    let target = generator.lookup(&facts)?;
    let machine = target.machine(&job)?;
    let device = crate::items::lookup(&facts, target);
    let begin = || match device {
        None => Module::new(&machine, request.options.lines),
        Some(_) => Module::for_device(&machine, request.options.lines, facts.spaces.generic),
    };
    let limit = crate::probe::limits(&generator.probes, target, &facts);
    let (module, mut link) =
        emitted_by_rounds((request, &facts), &types, (&sources, device, &limit), &begin)?;
    module.finish_lines();
    if job.is_quick() {
        // The passes are part of the code: what is emitted is its key.
        module.remark("code of the host at level 0");
    }
    if device.is_some() {
        link.calls = calls(&sources, &module.prune());
    }
    clock.stage("emit");
    if request.options.verify {
        module.verify(VerifiedModule::Emitted)?;
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
        // The module is optimized as a whole after linking: see `device_link`.
        let Emitted { bitcode: object, link, .. } = emitted;
        return Ok(Some(CompiledUnit { link, object, optimized: Vec::new() }));
    }
    target.prepare(&job, &machine, &module)?;
    target.legalize(&job, &machine, &module)?;
    clock.stage("passes");
    if request.options.verify {
        module.verify(VerifiedModule::Optimized)?;
        clock.stage("verify");
    }
    crate::assertion::check(&module)?;
    let variants = variants(&module, &emitted.link.definitions);
    let optimized = if request.options.keep_optimized { module.bitcode() } else { Vec::new() };
    clock.stage("keep");
    let object = target.emit(&job, &machine, &module, FileKind::Object)?;
    clock.stage("machine");
    let Emitted { mut link, line_bases, .. } = emitted;
    add_variants(&mut link, variants);
    let (undefined, rows) = (object_symbols::undefined(&object), crate::lines::rows(&object));
    let link = finish_link(link, undefined, &rows, &line_bases, &sources);
    Ok(Some(CompiledUnit { link, object, optimized }))
}

/// Defines vector variants, and tells callers the lanes of each at its function.
fn add_variants(link: &mut LinkInfo, variants: Vec<(DefinedSymbol, u8)>) {
    for (it, lanes) in variants {
        if let Some(function) = link.definitions.iter_mut().find(|of| of.ordinal == it.ordinal) {
            function.traits.lanes = lanes;
            link.definitions.push(it);
        }
    }
}

fn read(request: &CodegenRequest, types: &Types) -> Result<Vec<Source>, EmitError> {
    let mut reader = WireReader::new(types);
    let mut sources = Vec::with_capacity(request.functions.len());
    let is_kernel = request.entry == EntryKind::Kernel;
    // The checker looks for what relies on lockstep.
    let steps = request.options.lockstep && request.in_kernel && !request.options.checks.any();
    for (ordinal, function) in request.functions.iter().enumerate() {
        let ordinal = ordinal as u32;
        let code = reader.read(&function.ir, None);
        let code = code.map_err(|it| EmitError::from(it).in_function(ordinal))?;
        if function.external.is_none()
            && let Some(first) = kiln_ir::verify(&code, types).into_iter().next()
        {
            let stmt = first.stmt.map(|it| it.as_u32());
            let error = EmitError::from(InvalidBody::Verifier(first)).in_function(ordinal);
            return Err(EmitError { stmt, ..error });
        }
        let code = match steps && function.external.is_none() {
            true => crate::lockstep::with_meetings(code, types, ordinal == 0 && is_kernel),
            false => code,
        };
        sources.push(Source { code, callees: function.callees.clone(), external: function.external });
    }
    Ok(sources)
}

/// The functions, the queries of items, and the limits of the target.
type Emission<'a> = (&'a [Source], Option<&'static dyn DeviceItems>, &'a Limit<'a>);

/// Emits the functions of a unit, until all statements are emitted or left to the host; also into which module.
fn emitted_by_rounds(
    (request, facts): (&CodegenRequest, &TargetFacts),
    types: &Types,
    (sources, device, limit): Emission<'_>,
    begin: &dyn Fn() -> Module,
) -> Result<(Module, LinkInfo), Vec<EmitError>> {
    let mut host = HostStatements::default();
    if crate::unit::is_host(request, facts) {
        host = host_statements::statements(sources, types);
    }
    loop {
        let module = begin();
        if let Some(scopes) = &facts.scopes {
            module.set_atomic_scope(&scopes.device);
        }
        if cfg!(debug_assertions) {
            module.mistake.set(request.options.mistake);
        }
        if let Some(link) = emit((request, facts), types, &module, (sources, device, limit), &mut host)? {
            return Ok((module, link));
        }
    }
}

/// Emits the functions of a unit; `None` if statements were found that the host has to run, or boxes, which are then in `host`.
fn emit(
    (request, facts): (&CodegenRequest, &TargetFacts),
    types: &Types,
    module: &Module,
    (sources, device, limit): Emission<'_>,
    host: &mut HostStatements,
) -> Result<Option<LinkInfo>, Vec<EmitError>> {
    let mut unit = Unit::new(types, facts, module, sources, request, (device, limit), host)?;
    signatures::declare_all(&mut unit)?;
    let mut link = LinkInfo { sites: unit.sites.clone(), args_align: 1, ..LinkInfo::default() };
    let mut errors = Vec::new();
    let vectors = request.options.vector_bits > 0;
    let is_cut = request.options.barrier_regions && !unit.checks.any();
    let regions = is_cut.then(|| Regions::find(&unit, vectors)).flatten();
    if regions.is_some() {
        // They stand for the body of the entry; LLVM drops its declaration.
        module.set_external(unit.functions[0]);
    }
    module.mark_accesses.set(kernel::is_parallel(&unit));
    for (ordinal, source) in sources.iter().enumerate() {
        let is_cut = ordinal == 0 && regions.is_some();
        if source.external.is_some() || is_cut {
            continue;
        }
        let (function, ordinal) = (unit.functions[ordinal], ordinal as u32);
        let mode = if ordinal == 0 { kernel::mode(&unit) } else { crate::function::Mode::Record };
        let called_once = sources.iter().all(|it| !it.callees.contains(&0));
        if ordinal == 0 && request.entry != EntryKind::Body && called_once {
            module.set_attribute(function, "alwaysinline");
        }
        let body = Emitter::new(&unit, ordinal, function, mode).body();
        errors.extend(body.map_err(|it| it.in_function(ordinal)).err());
    }
    module.mark_accesses.set(false);
    let left = unit.left_to_host.take();
    if left.into_iter().fold(false, |new, (function, what)| host.insert(function, what) || new) {
        return Ok(None);
    }
    if errors.is_empty() {
        let rest =
            crate::deferred::define(&unit).and_then(|()| kernel::emit(&unit, regions.as_ref(), &mut link));
        errors.extend(rest.err());
    }
    define(&unit, &mut link);
    let shared = unit.shared.borrow().last().map_or(0, |it| it.offset + it.bytes);
    link.shared_bytes = shared as u32;
    link.lane_bytes = shared_memory::lane_bytes(&unit);
    link.globals = unit.globals.take();
    link.holds_address = unit.holds_address.get();
    if errors.is_empty() { Ok(Some(link)) } else { Err(errors) }
}

/// Lists the definitions that the object exports.
fn define(unit: &Unit<'_>, link: &mut LinkInfo) {
    if unit.entry != EntryKind::Body {
        let (symbol, traits) = (kernel::ENTRY.into(), unit.traits[0]);
        link.definitions.push(DefinedSymbol { symbol, role: Role::Entry, ordinal: 0, traits });
        return;
    }
    for (ordinal, source) in unit.sources.iter().enumerate() {
        if source.external.is_none() {
            let (symbol, traits) = (body_symbol(ordinal as u32), unit.traits[ordinal]);
            link.definitions.push(DefinedSymbol {
                symbol,
                role: Role::Body,
                ordinal: ordinal as u32,
                traits,
            });
        }
    }
}

/// Returns the vector variants that the passes made of functions that other units call, each with its lanes.
fn variants(module: &Module, functions: &[DefinedSymbol]) -> Vec<(DefinedSymbol, u8)> {
    let bodies = functions.iter().filter(|it| it.role == Role::Body);
    let made = bodies.filter_map(|it| {
        let lanes = crate::vector::lanes_of(module, module.named(&it.symbol)?)?;
        let symbol = lanes_symbol(&it.symbol);
        module.named(&symbol)?;
        Some((DefinedSymbol { symbol, role: Role::Lanes, ..it.clone() }, lanes as u8))
    });
    made.collect()
}

/// Returns the external functions that the undefined symbols stand for.
fn calls(sources: &[Source], undefined: &[String]) -> Vec<ExternalCall> {
    let mut calls: Vec<_> = undefined.iter().filter_map(|it| call(sources, it)).collect();
    calls.sort_by_key(|it| it.ordinal);
    calls
}

/// Returns the external function that an undefined symbol stands for.
fn call(sources: &[Source], symbol: &str) -> Option<ExternalCall> {
    let number = symbol.strip_prefix('c')?;
    let ordinal: u32 = number.split('.').next()?.parse().ok()?;
    let role = if *symbol == lanes_symbol(&format!("c{ordinal}")) { Role::Lanes } else { Role::Body };
    sources.get(ordinal as usize)?.external?;
    Some(ExternalCall { symbol: symbol.into(), ordinal, role })
}

/// Completes the link information: undefined symbols, and the statement of each row of the line table.
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
