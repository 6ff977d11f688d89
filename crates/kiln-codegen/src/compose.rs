//! Units of a device made into one artifact.
//!
//! # Invariants
//! * Equal requests make equal bytes: each gets a context of its own, and parts are linked in their order.
//! * What cannot be composed is a refusal with the position of the part. Bytes that come from outside are verified before
//!   anything else looks at them, whatever the options say.

use crate::assertion;
use crate::compile::{Clock, contained, refuse};
use crate::kernel::ENTRY;
use crate::llvm::{
    self, FileKind, Library, Linked, Machine, Meaning, PartNames, Table, missing, part_symbol,
};
use crate::target::{self, Job, Target};
use kiln_targets::{Items, LineForm, References, TargetFacts};
use kiln_unit::{
    Composed, CompositionReply, CompositionRequest, Part, Refusal, SITE_BASE, Wanted, body_symbol,
    check_entry_name,
};

/// The module in `text`, LLVM's own language, as bitcode.
///
/// # Errors
/// Fails with the message of the parser or the verifier.
pub fn assemble(text: &str) -> Result<Vec<u8>, String> {
    let (made, fatal) = llvm::during("a text", || llvm::assemble(text));
    fatal.map_or(made, Err)
}

/// Answers a request. A panic in here would be a bug of ours; it is a refusal.
pub fn compose(request: &CompositionRequest) -> CompositionReply {
    let mut clock = Clock::start();
    let result = contained(&request.title, || stages(request, &mut clock));
    CompositionReply { result, times: clock.times }
}

/// The answer to what is no request.
pub(crate) fn refused(message: String) -> CompositionReply {
    CompositionReply { result: Err(refuse(0, None, message)), times: Vec::new() }
}

fn whole(message: String) -> Vec<Refusal> {
    refuse(0, None, message)
}

fn stages(request: &CompositionRequest, clock: &mut Clock) -> Result<Composed, Vec<Refusal>> {
    let facts = TargetFacts::from_bytes(&request.target).map_err(|it| whole(it.to_string()))?;
    check_entry_name(&request.name).map_err(whole)?;
    let job =
        Job { facts: &facts, options: &request.options, entry: &request.name, is_kernel: request.is_kernel };
    let target = target::lookup(&facts).map_err(whole)?;
    let machine = target.machine(&job).map_err(whole)?;
    let linked = Linked::new(&machine);
    link_parts(request, &facts, &machine, &linked)?;
    if facts.items == Items::Loops {
        return whole_object(request, &job, target, &machine, &linked);
    }
    locate(request, &facts, &linked);
    name_entry(request, &linked)?;
    link_libraries(request, target, &machine, &linked)?;
    let mut composed = Composed::default();
    if request.wanted.linked {
        composed.linked = linked.module().bitcode();
    }
    target.prepare(&job, &machine, linked.module()).map_err(whole)?;
    verify(request, &linked, "what was linked")?;
    clock.stage("link");
    let Wanted { optimized, assembly, object, .. } = request.wanted;
    if !(optimized || assembly || object) {
        return Ok(composed);
    }
    target.legalize(&job, &machine, linked.module()).map_err(whole)?;
    verify(request, &linked, "what the passes made")?;
    assertion::check(linked.module())?;
    clock.stage("passes");
    if optimized {
        composed.optimized = linked.module().bitcode();
    }
    let shared = linked.module().bytes_of_space(&machine, facts.spaces.shared);
    composed.shared_bytes =
        if facts.items == Items::Device { u32::try_from(shared).unwrap_or(u32::MAX) } else { 0 };
    if let Some(max) = facts.limits.static_shared_bytes.filter(|it| composed.shared_bytes > *it) {
        let (name, bytes) = (&facts.name, composed.shared_bytes);
        return Err(whole(crate::limits::limit(format_args!(
            "{bytes} bytes of static shared memory, where a group has {max} ({name}): memory whose size the launch gives \
             may be larger"
        ))));
    }
    if assembly || object {
        emit(request, &job, target, &machine, &linked, &mut composed).map_err(whole)?;
    }
    clock.stage("machine");
    Ok(composed)
}

/// For processors: the one part is a unit as the passes have left it, which has called for nothing that is not in C's library.
/// It gets its name, and is made into what is wanted.
fn whole_object(
    request: &CompositionRequest,
    job: &Job<'_>,
    target: &dyn Target,
    machine: &Machine,
    linked: &Linked,
) -> Result<Composed, Vec<Refusal>> {
    if request.parts.len() > 1 || !request.libraries.is_empty() {
        return Err(whole("a processor's object is made of one part and no libraries".into()));
    }
    let mut composed = Composed::default();
    locate(request, job.facts, linked);
    name_entry(request, linked)?;
    verify(request, linked, "what was linked")?;
    if request.wanted.optimized {
        composed.optimized = linked.module().bitcode();
    }
    emit(request, job, target, machine, linked, &mut composed).map_err(whole)?;
    Ok(composed)
}

/// Gives the code its lines, if the target takes any; what parts have are numbers.
fn locate(request: &CompositionRequest, facts: &TargetFacts, linked: &Linked) {
    match request.lines.as_ref().filter(|_| facts.lines != LineForm::None) {
        Some(table) => linked.locate(table, facts.lines == LineForm::Tables),
        None => linked.module().strip_lines(),
    }
}

/// Returns the meaning of all symbols of a part.
fn names<'a>(position: usize, part: &'a Part, table: Option<&'a Table>) -> PartNames<'a> {
    let calls =
        part.calls.iter().map(|it| (it.symbol.as_str(), it.part as usize, it.definition.as_str())).collect();
    let globals = part.globals.iter().map(|(symbol, number)| {
        let entry = table.and_then(|it| Some((it, it.numbers.iter().position(|it| it == number)?)));
        let meaning = entry.map_or(Meaning::Number(*number), |(table, at)| Meaning::Entry(table, at));
        (symbol.as_str(), meaning)
    });
    let base = (SITE_BASE, Meaning::Number(part.site_base.into()));
    PartNames { position, calls, numbers: globals.chain([base]).collect() }
}

/// The table through which the parts have references to the host, if the target has one and they have any.
fn table(request: &CompositionRequest, facts: &TargetFacts) -> Option<Table> {
    let numbers = kiln_unit::references(&request.parts);
    (facts.references == References::Table && !numbers.is_empty()).then(|| Table {
        symbol: kiln_unit::references_symbol(&request.name),
        numbers,
        space: facts.spaces.global,
    })
}

fn link_parts(
    request: &CompositionRequest,
    facts: &TargetFacts,
    machine: &Machine,
    linked: &Linked,
) -> Result<(), Vec<Refusal>> {
    let table = table(request, facts);
    for (position, part) in request.parts.iter().enumerate() {
        linked
            .add_part(machine, &part.bitcode, &names(position, part, table.as_ref()))
            .map_err(|it| refuse(position as u32, None, it))?;
    }
    if let Some(table) = &table {
        linked.fill(table);
    }
    let undefined = linked.module().undefined();
    let mut refusals = Vec::new();
    for (position, part) in request.parts.iter().enumerate() {
        for call in &part.calls {
            let symbol = part_symbol(call.part as usize, &call.definition);
            if undefined.contains(&symbol) {
                let (callee, definition) = (call.part, &call.definition);
                let message =
                    format!("`{}` is `{definition}` of part {callee}, which does not define it", call.symbol);
                refusals.extend(refuse(position as u32, None, message));
            }
        }
    }
    for symbol in linked.called_otherwise() {
        refusals.extend(whole(format!("`{symbol}` is called as if it had another type")));
    }
    if !refusals.is_empty() {
        return Err(refusals);
    }
    for (position, part) in request.parts.iter().enumerate() {
        part.noinline.iter().for_each(|it| linked.module().set_noinline(&part_symbol(position, it)));
    }
    Ok(())
}

fn name_entry(request: &CompositionRequest, linked: &Linked) -> Result<(), Vec<Refusal>> {
    let entry = [ENTRY.to_owned(), body_symbol(0)].map(|it| part_symbol(0, &it));
    let entry = entry.iter().find(|it| linked.defines(it));
    let entry = entry.ok_or_else(|| whole("the first part has no entry".into()))?;
    linked.name_entry(entry, &request.name).map_err(whole)
}

fn link_libraries(
    request: &CompositionRequest,
    target: &dyn Target,
    machine: &Machine,
    linked: &Linked,
) -> Result<(), Vec<Refusal>> {
    let libraries: Result<Vec<_>, _> = request.libraries.iter().map(|it| Library::of(it)).collect();
    linked.add_libraries(machine, &libraries.map_err(whole)?, &request.name).map_err(whole)?;
    let addresses = linked.module().called_numbers();
    if let Some(address) = addresses.into_iter().find(|it| !target.is_address_of_function(*it)) {
        let what = format_args!("call through a literal pointer: nothing is known to be at {address:#x}");
        return Err(whole(crate::limits::limit(what)));
    }
    let missing =
        missing(linked.module().undefined(), |it| target.is_provided(it) || assertion::place(it).is_some());
    let refusal = |it: &String| {
        let refusal = crate::limits::refusal(0, None, &format!("nothing defines `{it}`, which is used"));
        Refusal { missing: Some(it.clone()), ..refusal }
    };
    let refusals: Vec<Refusal> = missing.iter().map(refusal).collect();
    if refusals.is_empty() { Ok(()) } else { Err(refusals) }
}

fn verify(request: &CompositionRequest, linked: &Linked, what: &str) -> Result<(), Vec<Refusal>> {
    if request.options.verify {
        let result = linked.module().verify();
        result.map_err(|it| whole(format!("LLVM's verifier refuses {what}: {}", it.trim_end())))?;
    }
    linked.check().map_err(whole)
}

/// Makes what is wanted. The back end leaves nothing of a module that could be used again, and machines count what they have
/// made, so text of what is wanted as an object too is made from a copy, by a machine of its own.
fn emit(
    request: &CompositionRequest,
    job: &Job<'_>,
    target: &dyn Target,
    machine: &Machine,
    linked: &Linked,
    composed: &mut Composed,
) -> Result<(), String> {
    let Wanted { assembly, object, .. } = request.wanted;
    if job.facts.files.object_is_text {
        let text = target.emit(job, machine, linked.module(), FileKind::Assembly)?;
        if assembly && object {
            composed.assembly.clone_from(&text);
        }
        *if object { &mut composed.object } else { &mut composed.assembly } = text;
        return linked.check();
    }
    if assembly && object {
        let machine = target.machine(job)?;
        let copy = linked.copy(&machine)?;
        composed.assembly = target.emit(job, &machine, copy.module(), FileKind::Assembly)?;
        copy.check()?;
    } else if assembly {
        composed.assembly = target.emit(job, machine, linked.module(), FileKind::Assembly)?;
    }
    if object {
        composed.object = target.emit(job, machine, linked.module(), FileKind::Object)?;
    }
    linked.check()
}
