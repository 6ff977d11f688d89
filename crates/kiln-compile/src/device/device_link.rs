//! The units of a kernel made into one artifact: found by what they are, or linked by the code generator and kept.
//!
//! The key of an artifact lists its parts by content, so an edit that reaches one unit makes that unit and the device link
//! again, and kernels that come out of equal parts share one artifact, whatever they are called in the program.

use super::kept_forms::{keep_forms, kept_forms, missing, only, together};
use super::lines;
use crate::diagnostics::unresolved_symbol;
use crate::env::{CompileEnv, Compiler};
use crate::error::{CompileError, ErrorKind};
use crate::generate::{explained, naming};
use crate::internal::{FailedJob, internal_error};
use crate::keys::{OUTPUT, REFUSAL};
use crate::program::LinkSet;
use crate::refusals::{NoReply, unless_refused};
use crate::unit_store::session_keys;
use crate::unit_target::UnitTarget;
use kiln_bytes::Writer;
use kiln_cache::{Class, ContentHash, Key, KeyBuilder};
use kiln_codegen_client::CodegenError;
use kiln_codegen_client::RoundTrip;
use kiln_ir::Inlining;
use kiln_runtime::Runtime;
use kiln_runtime::eval::generated;
use kiln_targets::{Limits, LineForm, References, TargetFacts};
use kiln_types::{gensym, mangle};
use kiln_unit::{
    DefinedSymbol, DeviceLinkRequest, DeviceOptions, GlobalRole, LinkPart, LinkedModule, OutputKinds,
    PartCall, Refusal, Role,
};
use std::cell::Cell;
use std::sync::Arc;
use std::time::Instant;

/// A request to link a kernel or a function.
#[derive(Clone, Debug)]
pub struct LinkOptions<'a> {
    /// The name for users.
    pub subject: String,
    /// The name on the device.
    pub name: String,
    /// A kernel, not a function.
    pub is_kernel: bool,
    /// The target of its units.
    pub unit: &'a UnitTarget,
    /// How it is linked and optimized.
    pub options: &'a DeviceOptions,
    /// The forms that are asked for.
    pub wanted: OutputKinds,
    /// Bitcode of libraries of the device.
    pub libraries: Vec<Vec<u8>>,
}

/// The part of an artifact's key that says what it is for. The environment has more of it, but is listed elsewhere.
pub const DEVICE: &str = "device";

/// Returns the name for users of an artifact's target.
pub fn device_label(facts: &TargetFacts) -> String {
    let architecture = facts.triple.split('-').next().unwrap_or_default();
    if facts.cpu.is_empty() { architecture.to_owned() } else { facts.cpu.clone() }
}

/// The number that a `Symbol` is on a device: the same in every process, and another name's only by accident.
pub fn symbol_number(name: &str) -> u64 {
    let [a, b, c, d, e, f, g, h, ..] = ContentHash::of(name.as_bytes()).0;
    u64::from_le_bytes([a, b, c, d, e, f, g, h])
}

/// The number that stands for something of the host on a device, unless another is given.
pub fn reference_number(role: &GlobalRole) -> u64 {
    match role {
        GlobalRole::Name(name) => symbol_number(name),
        GlobalRole::Type(hash) | GlobalRole::Number(hash) | GlobalRole::Instance(hash) => *hash as u64,
        GlobalRole::Constant { .. } | GlobalRole::Cell { .. } => 0, // host code only
    }
}

/// The parts of a device link, the entry's first.
fn parts(rt: &Runtime, link_set: &LinkSet) -> Vec<LinkPart> {
    let order = link_set.linked_entry_first();
    let mut site_base = 0;
    let mut parts = Vec::with_capacity(order.len());
    for unit in &order {
        let link = &unit.body.link;
        let calls = unit.calls().filter_map(|(call, callee)| {
            let wanted = link_set.meaning(callee.instance);
            order.iter().enumerate().find_map(|(part, it)| {
                let ordinal = it.functions.iter().position(|it| it.instance == wanted)? as u32;
                let definition = it.body.link.definitions.iter().find(|it| it.ordinal == ordinal)?;
                let (symbol, definition) = (call.symbol.clone(), definition.symbol.clone());
                Some(PartCall { symbol, part: part as u32, definition })
            })
        });
        let globals = link.globals.iter().map(|it| (it.symbol.clone(), reference_number(&it.role)));
        let stays = |it: &&DefinedSymbol| {
            let function = unit.functions.get(it.ordinal as usize);
            let body = function.and_then(|it| generated::instance_body(rt, it.instance).ok());
            it.role == Role::Body && body.is_some_and(|it| it.meta.inlining == Inlining::Never)
        };
        let bodies = link.definitions.iter().filter(|it| it.role == Role::Body);
        let names = bodies.filter_map(|it| {
            let instance = unit.functions.get(it.ordinal as usize)?.instance;
            let method = rt.tables.method(rt.tables.instance_data(instance).method);
            // Without the numbers of a session.
            let name = rt.types.name(method.name);
            let name =
                gensym::around_number(name).map_or_else(|| name.to_owned(), |it| [it.0, it.1].concat());
            Some((it.symbol.clone(), mangle::safe(&name)))
        });
        parts.push(LinkPart {
            bitcode: unit.body.object.clone(),
            calls: calls.collect(),
            site_base,
            globals: globals.collect(),
            noinline: link.definitions.iter().filter(stays).map(|it| it.symbol.clone()).collect(),
            names: names.collect(),
        });
        site_base += link.sites.len() as u32;
    }
    parts
}

/// The artifact of a device link.
pub fn linked_module(
    env: &CompileEnv<'_>,
    link_set: &LinkSet,
    order: &LinkOptions<'_>,
) -> Result<LinkedModule, CompileError> {
    linked_module_from_parts(env, link_set, order, parts(env.rt, link_set))
}

/// The same, of parts that are given.
pub fn linked_module_from_parts(
    env: &CompileEnv<'_>,
    link_set: &LinkSet,
    order: &LinkOptions<'_>,
    parts: Vec<LinkPart>,
) -> Result<LinkedModule, CompileError> {
    let compiler = env.compiler;
    let request = link_request(env, link_set, order, parts);
    let Some(key) = device_link_key(compiler, order, &request) else {
        let made = request_device_link(env, link_set, order, &request);
        return made.map_err(|it| link_error(env, link_set, it));
    };
    let is_enough = |it: &LinkedModule| missing(it, order.wanted) == OutputKinds::default();
    let is_found = Cell::new(true);
    let made = compiler.linked.get_or_make(key.id(), is_enough, |known| {
        is_found.set(false);
        let kept = kept_forms(&compiler.results, &key, order.wanted);
        let found = match known {
            Some(known) => together(kept, known.clone()),
            None => kept,
        };
        let missing = missing(&found, order.wanted);
        if missing == OutputKinds::default() {
            return Ok::<_, CompileError>(Arc::new(found));
        }
        let made = make_forms(env, (link_set, order), &key, request, missing)?;
        let all = together(made, found);
        // What a store has is read again by those who look at it.
        Ok(Arc::new(if compiler.results.has_store() { only(&all, order.wanted) } else { all }))
    })?;
    if is_found.get() {
        compiler.counters.count(|it| &it.memory_hits);
    }
    Ok((*made).clone())
}

/// Makes forms of an artifact, and keeps them. A refusal is kept, too.
fn make_forms(
    env: &CompileEnv<'_>,
    (link_set, order): (&LinkSet, &LinkOptions<'_>),
    key: &Key,
    request: DeviceLinkRequest,
    missing: OutputKinds,
) -> Result<LinkedModule, CompileError> {
    let compiler = env.compiler;
    // What only reflection reads is made along the way.
    let is_made = missing.optimized || missing.assembly || missing.object;
    let wanted = OutputKinds { optimized: is_made, ..missing };
    let started = Instant::now();
    let request = DeviceLinkRequest { wanted, ..request };
    let refusal = refusal_key(key, &request);
    let make = || request_device_link(env, link_set, order, &request);
    let made = unless_refused(compiler, Some(refusal), make);
    let made = made.map_err(|it| link_error(env, link_set, it))?;
    keep_forms(&compiler.results, key, &made, wanted, started.elapsed());
    Ok(made)
}

fn link_request(
    env: &CompileEnv<'_>,
    link_set: &LinkSet,
    order: &LinkOptions<'_>,
    parts: Vec<LinkPart>,
) -> DeviceLinkRequest {
    let facts = &order.unit.facts;
    let has_lines = order.options.lines && facts.lines != LineForm::None;
    DeviceLinkRequest {
        target: order.unit.bytes.clone(),
        options: order.options.clone(),
        name: order.name.clone(),
        is_kernel: order.is_kernel,
        parts,
        libraries: order.libraries.clone(),
        lines: has_lines.then(|| lines::table(env.rt, link_set)),
        wanted: order.wanted,
        title: order.subject.clone(),
    }
}

/// Returns the key of a device link's artifact; `None` if the code generator cannot be told from others.
pub fn key_of_device_link(env: &CompileEnv<'_>, link_set: &LinkSet, order: &LinkOptions<'_>) -> Option<Key> {
    let request = link_request(env, link_set, order, parts(env.rt, link_set));
    device_link_key(env.compiler, order, &request)
}

fn request_device_link(
    env: &CompileEnv<'_>,
    link_set: &LinkSet,
    order: &LinkOptions<'_>,
    request: &DeviceLinkRequest,
) -> Result<LinkedModule, NoReply> {
    let facts = &order.unit.facts;
    let codegen = env.compiler.codegen.for_device_link(facts, !request.libraries.is_empty());
    let codegen = codegen.map_err(|it| CompileError::no_codegen(&it))?;
    let subject = || request.title.clone();
    let reply = env.counters().timed(
        |it| &it.codegen_ns,
        "device link",
        subject,
        || {
            let reply = codegen.link_device(request);
            reply.inspect(|it| env.counters().add_stages(&it.times))
        },
    );
    let OutputKinds { linked: _, optimized, assembly, object } = request.wanted;
    if optimized || assembly || object {
        env.counters().count(|it| &it.compiles);
    }
    env.counters().count(|it| &it.device_links);
    let entry = link_set.linked_entry_first()[0].functions[0].instance;
    let internal = |what: &str| internal_error(env, facts, entry, &FailedJob::DeviceLink(request), what);
    let reply = reply.map_err(|it| match it {
        CodegenError::Ended(how) => internal(&format!("its process {how}")),
        other => CompileError::no_codegen(&other),
    })?;
    reply.result.map_err(|refusals| match ErrorKind::of_refusals(&refusals) {
        ErrorKind::Internal => internal(&refusals[0].message).into(),
        ErrorKind::Program | ErrorKind::Limit | ErrorKind::Tool => NoReply::Refused(refusals),
    })
}

/// Returns the diagnostics of a device link that failed. Refusals name parts and statements, never places.
fn link_error(env: &CompileEnv<'_>, link_set: &LinkSet, why: NoReply) -> CompileError {
    let refusals = match why {
        NoReply::Refused(refusals) => refusals,
        NoReply::Failed(unmade) => return unmade,
    };
    let units = link_set.linked_entry_first();
    let entry = units[0].functions[0].instance;
    let problem = |it: &Refusal| {
        if let Some(symbol) = &it.missing {
            let functions = units.iter().flat_map(|it| &it.functions);
            let place = naming(env.rt, functions.map(|it| &**it.code(env.rt)), symbol);
            return unresolved_symbol(place.unwrap_or_default(), symbol);
        }
        let unit = units.get(it.function as usize);
        let function = unit.and_then(|unit| unit.functions.get(it.within? as usize));
        explained(env, entry, function, it)
    };
    let kind = ErrorKind::of_refusals(&refusals);
    CompileError::new(kind, refusals.iter().map(problem).collect())
}

/// Returns the key of an artifact; `None` if the code generator cannot be told from others.
fn device_link_key(compiler: &Compiler, order: &LinkOptions<'_>, request: &DeviceLinkRequest) -> Option<Key> {
    let environment = session_keys(compiler, order.unit)?.environment();
    let mut key = KeyBuilder::new(Class::Tool, &order.subject);
    key.nested("environment", environment);
    key.text(DEVICE, &device_label(&order.unit.facts));
    // `title` is for messages.
    let DeviceLinkRequest {
        target: _,
        options,
        name,
        is_kernel,
        parts,
        libraries,
        lines,
        wanted: _, // each form is kept by itself
        title: _,
    } = request;
    key.text("name", name).flag("kernel", *is_kernel);
    key.flag("references in a table", order.unit.facts.references == References::Table);
    let Limits { static_shared_bytes, group_items, registers } = order.unit.facts.limits;
    let limits = [static_shared_bytes, group_items, registers];
    key.text("limits", &limits.map(|it| it.map_or_else(|| "none".to_owned(), |it| it.to_string())).join(" "));
    add_options(&mut key, options);
    for (at, part) in parts.iter().enumerate() {
        let LinkPart { bitcode, calls, site_base, globals, noinline, names } = part;
        key.digest(&format!("part {at}"), ContentHash::of(bitcode), bitcode.len() as u64);
        let calls: Vec<String> =
            calls.iter().map(|it| format!("{} is {} of {}", it.symbol, it.definition, it.part)).collect();
        key.text(&format!("calls of part {at}"), &calls.join(", "));
        key.number(&format!("sites before part {at}"), (*site_base).into());
        let globals: Vec<String> = globals.iter().map(|(name, it)| format!("{name} is {it}")).collect();
        key.text(&format!("globals of part {at}"), &globals.join(", "));
        key.text(&format!("not inlined of part {at}"), &noinline.join(", "));
        let names: Vec<String> = names.iter().map(|(symbol, name)| format!("{symbol} is {name}")).collect();
        key.text(&format!("names of part {at}"), &names.join(", "));
    }
    for (at, library) in libraries.iter().enumerate() {
        key.digest(&format!("library {at}"), ContentHash::of(library), library.len() as u64);
    }
    if let Some(lines) = lines {
        let mut bytes = Writer::new();
        lines.write(&mut bytes);
        let bytes = bytes.finish();
        key.digest("lines of the source", ContentHash::of(&bytes), bytes.len() as u64);
    }
    Some(key.finish())
}

/// Returns the key of a device link's refusals: those of the forms that were asked for, since fewer may be had.
fn refusal_key(link_set: &Key, request: &DeviceLinkRequest) -> Key {
    let OutputKinds { linked, optimized, assembly, object } = request.wanted;
    let mut key = KeyBuilder::new(Class::Tool, format!("refusal of {}", link_set.subject()));
    key.text(OUTPUT, REFUSAL).nested("composition", link_set);
    key.flag("linked", linked).flag("optimized", optimized).flag("assembly", assembly).flag("object", object);
    key.flag("verified", request.options.verify);
    key.finish()
}

fn add_options(key: &mut KeyBuilder, options: &DeviceOptions) {
    let DeviceOptions {
        opt_level,
        verify: _, // changes what is checked
        lines,
        fastmath,
        items,
        items_max,
        groups_min,
        registers_max,
        language,
        code_object,
        extensions,
    } = options;
    key.number("optimization level", (*opt_level).into()).flag("lines", *lines).flag("fast math", *fastmath);
    let sizes = |it: &Option<[u32; 3]>| format!("{it:?}");
    key.text("items", &sizes(items)).text("most items", &sizes(items_max));
    let number = |it: &Option<u32>| format!("{it:?}");
    key.text("fewest groups", &number(groups_min)).text("most registers", &number(registers_max));
    key.text("language", &number(language)).text("code object", &number(code_object));
    key.text("extensions", extensions);
}
