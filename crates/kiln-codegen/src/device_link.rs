//! Device link: device linking of units into one artifact.
//!
//! # Invariants
//! * Equal requests give equal bytes: each gets its own context, and parts are linked in order.
//! * A refusal has the position of the part. Bytes from outside are verified before anything else reads them,
//!   whatever the options say.

use crate::assertion;
use crate::error::{EmitError, LinkError, TargetLimit, VerifiedModule};
use crate::generator::{Clock, Generator};
use crate::kernel::ENTRY;
use crate::llvm::{
    FileKind, Linked, Machine, PartNames, PlaceholderValue, Table, called_otherwise, fill, missing,
    name_function, part_symbol,
};
use crate::target::{Job, Target};
use kiln_targets::{Items, LineForm, References, TargetFacts};
use kiln_unit::{
    DeviceLinkRequest, LinkPart, LinkedModule, OutputKinds, SITE_BASE, body_symbol, check_entry_name,
};

/// Links, optimizes and emits the parts of a request.
pub(crate) fn stages(
    generator: &Generator,
    request: &DeviceLinkRequest,
    clock: &mut Clock,
) -> Result<LinkedModule, Vec<EmitError>> {
    let facts = TargetFacts::from_bytes(&request.target).map_err(EmitError::from)?;
    check_entry_name(&request.name).map_err(EmitError::from)?;
    let job = Job {
        facts: &facts,
        options: &request.options,
        entry: &request.name,
        is_kernel: request.is_kernel,
        is_host: false,
        vector_bits: 0,
        is_sized: false,
    };
    let target = generator.lookup(&facts)?;
    let machine = target.machine(&job)?;
    let linked = Linked::new(&machine);
    link_parts(request, &facts, &machine, &linked)?;
    if facts.items == Items::Loops {
        return Ok(whole_object(request, &job, target, &machine, &linked)?);
    }
    locate(request, &facts, &linked);
    name_entry(request, &linked)?;
    link_libraries(generator, request, target, &machine, &linked)?;
    name_functions(request, &linked);
    let mut output = LinkedModule::default();
    if request.wanted.linked {
        output.linked = linked.module().bitcode();
    }
    target.prepare(&job, &machine, linked.module())?;
    verify(request, &linked, VerifiedModule::Linked)?;
    clock.stage("link");
    let OutputKinds { optimized, assembly, object, .. } = request.wanted;
    if !(optimized || assembly || object) {
        return Ok(output);
    }
    target.legalize(&job, &machine, linked.module())?;
    verify(request, &linked, VerifiedModule::Optimized)?;
    assertion::check(linked.module())?;
    clock.stage("passes");
    if optimized {
        output.optimized = linked.module().bitcode();
    }
    let shared = linked.module().bytes_of_space(&machine, facts.spaces.shared);
    output.shared_bytes =
        if facts.items == Items::Device { u32::try_from(shared).unwrap_or(u32::MAX) } else { 0 };
    if let Some(most) = facts.limits.static_shared_bytes.filter(|it| output.shared_bytes > *it) {
        let (target, bytes) = (facts.name.clone(), output.shared_bytes);
        return Err(EmitError::from(TargetLimit::SharedBytes { bytes, most, target }).into());
    }
    if assembly || object {
        emit(request, &job, target, &machine, &linked, &mut output)?;
    }
    clock.stage("machine");
    Ok(output)
}

/// Emits the object of a processor. Its only part is an optimized unit that needs nothing but the C library; it gets
/// its final name.
fn whole_object(
    request: &DeviceLinkRequest,
    job: &Job<'_>,
    target: &dyn Target,
    machine: &Machine,
    linked: &Linked,
) -> Result<LinkedModule, EmitError> {
    if request.parts.len() > 1 || !request.libraries.is_empty() {
        return Err(LinkError::SeveralParts.into());
    }
    let mut output = LinkedModule::default();
    locate(request, job.facts, linked);
    name_entry(request, linked)?;
    verify(request, linked, VerifiedModule::Linked)?;
    if request.wanted.optimized {
        output.optimized = linked.module().bitcode();
    }
    emit(request, job, target, machine, linked, &mut output)?;
    Ok(output)
}

/// Sets source lines, if the target takes any; parts have statement numbers.
fn locate(request: &DeviceLinkRequest, facts: &TargetFacts, linked: &Linked) {
    match request.lines.as_ref().filter(|_| facts.lines != LineForm::None) {
        Some(table) => crate::llvm::locate(linked, table, facts.lines == LineForm::Tables),
        None => linked.module().strip_lines(),
    }
}

/// Returns the meaning of all symbols of a part.
fn names<'a>(position: usize, part: &'a LinkPart, table: Option<&'a Table>) -> PartNames<'a> {
    let calls =
        part.calls.iter().map(|it| (it.symbol.as_str(), it.part as usize, it.definition.as_str())).collect();
    let globals = part.globals.iter().map(|(symbol, number)| {
        let entry = table.and_then(|it| Some((it, it.numbers.iter().position(|it| it == number)?)));
        let meaning =
            entry.map_or(PlaceholderValue::Number(*number), |(table, at)| PlaceholderValue::Entry(table, at));
        (symbol.as_str(), meaning)
    });
    let base = (SITE_BASE, PlaceholderValue::Number(part.site_base.into()));
    PartNames { position, calls, numbers: globals.chain([base]).collect() }
}

/// Returns the table of references to the host, if the target has one and the parts have references.
fn table(request: &DeviceLinkRequest, facts: &TargetFacts) -> Option<Table> {
    let numbers = kiln_unit::references(&request.parts);
    (facts.references == References::Table && !numbers.is_empty()).then(|| Table {
        symbol: kiln_unit::references_symbol(&request.name),
        numbers,
        space: facts.spaces.global,
    })
}

fn link_parts(
    request: &DeviceLinkRequest,
    facts: &TargetFacts,
    machine: &Machine,
    linked: &Linked,
) -> Result<(), Vec<EmitError>> {
    let table = table(request, facts);
    for (position, part) in request.parts.iter().enumerate() {
        linked
            .add_part(machine, &part.bitcode, &names(position, part, table.as_ref()))
            .map_err(|it| it.in_function(position as u32))?;
    }
    if let Some(table) = &table {
        fill(linked, table);
    }
    let undefined = linked.module().undefined();
    let mut errors: Vec<EmitError> = Vec::new();
    for (position, part) in request.parts.iter().enumerate() {
        for call in &part.calls {
            let symbol = part_symbol(call.part as usize, &call.definition);
            if undefined.contains(&symbol) {
                let (symbol, definition) = (call.symbol.clone(), call.definition.clone());
                let error = LinkError::NotDefined { symbol, part: call.part, definition };
                errors.push(EmitError::from(error).in_function(position as u32));
            }
        }
    }
    errors.extend(called_otherwise(linked).into_iter().map(|it| LinkError::CallType(it).into()));
    if !errors.is_empty() {
        return Err(errors);
    }
    for (position, part) in request.parts.iter().enumerate() {
        part.noinline.iter().for_each(|it| linked.module().set_noinline(&part_symbol(position, it)));
    }
    Ok(())
}

fn name_entry(request: &DeviceLinkRequest, linked: &Linked) -> Result<(), EmitError> {
    let entry = [ENTRY.to_owned(), body_symbol(0)].map(|it| part_symbol(0, &it));
    let entry = entry.iter().find(|it| linked.defines(it));
    linked.name_entry(entry.ok_or(LinkError::NoEntry)?, &request.name)
}

/// Gives functions the names by which people know them, with the number of their part.
fn name_functions(request: &DeviceLinkRequest, linked: &Linked) {
    for (position, part) in request.parts.iter().enumerate() {
        for (symbol, name) in &part.names {
            if name.chars().all(|it| it.is_ascii_alphanumeric() || it == '_') {
                let name = format!("julia_{name}_{position}");
                name_function(linked.module(), &part_symbol(position, symbol), &name);
            }
        }
    }
}

fn link_libraries(
    generator: &Generator,
    request: &DeviceLinkRequest,
    target: &dyn Target,
    machine: &Machine,
    linked: &Linked,
) -> Result<(), Vec<EmitError>> {
    let libraries: Result<Vec<_>, _> =
        request.libraries.iter().map(|it| generator.libraries.prepared(it)).collect();
    linked.add_libraries(machine, &libraries?, &request.name)?;
    let addresses = linked.module().called_numbers();
    if let Some(address) = addresses.into_iter().find(|it| !target.is_address_of_function(*it)) {
        return Err(EmitError::from(TargetLimit::LiteralAddress(address)).into());
    }
    let missing =
        missing(linked.module().undefined(), |it| target.is_provided(it) || assertion::place(it).is_some());
    let errors: Vec<EmitError> = missing.into_iter().map(|it| LinkError::Undefined(it).into()).collect();
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

fn verify(request: &DeviceLinkRequest, linked: &Linked, module: VerifiedModule) -> Result<(), EmitError> {
    if request.options.verify {
        linked.module().verify(module)?;
    }
    linked.check()
}

/// Emits the requested outputs. The back end leaves the module unusable, and machines count their outputs, so
/// assembly beside an object is emitted from a copy by a machine of its own.
fn emit(
    request: &DeviceLinkRequest,
    job: &Job<'_>,
    target: &dyn Target,
    machine: &Machine,
    linked: &Linked,
    output: &mut LinkedModule,
) -> Result<(), EmitError> {
    let OutputKinds { assembly, object, .. } = request.wanted;
    if job.facts.files.object_is_text {
        let text = target.emit(job, machine, linked.module(), FileKind::Assembly)?;
        if assembly && object {
            output.assembly.clone_from(&text);
        }
        *if object { &mut output.object } else { &mut output.assembly } = text;
        return linked.check();
    }
    if assembly && object {
        let machine = target.machine(job)?;
        let copy = linked.copy(&machine)?;
        output.assembly = target.emit(job, &machine, copy.module(), FileKind::Assembly)?;
        copy.check()?;
    } else if assembly {
        output.assembly = target.emit(job, machine, linked.module(), FileKind::Assembly)?;
    }
    if object {
        output.object = target.emit(job, machine, linked.module(), FileKind::Object)?;
    }
    linked.check()
}
