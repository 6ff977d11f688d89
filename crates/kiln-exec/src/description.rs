//! The description that ships with an artifact: its parameters, and the meaning of each number that a failing item leaves.
//!
//! `docs/artifacts.md` says how it is used.

use crate::c_type::{CType, base_name, c_type, show_operand};
use crate::device::entry;
use crate::failure;
use crate::thunk;
use kiln_compile::device::{DeviceParams, DeviceProgram};
use kiln_compile::{UnitFunction, device::device_link::reference_number};
use kiln_ir::{Op, SourceLoc, ThrowSiteData, ThunkStep, ThunkValue};
use kiln_launch::ParamKind;
use kiln_runtime::{Runtime, TraceFrame};
use kiln_targets::{Items, References, TargetFacts};
use kiln_types::{Type, consts, display};
use kiln_unit::{
    GlobalRole, LinkInfo, MessagePart, NO_STMT, OperandPlace, SITE_BOUNDS, SITE_CALL, SITE_DIVIDE,
    SITE_MEMORY, SITE_STACK, SITE_TYPE, Site,
};

/// A kernel as its users see it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Description {
    /// How the entry is called, and where the arguments are in their block.
    pub entry: DeviceParams,
    /// The parameters of the entry, in order.
    pub params: Vec<Parameter>,
    /// Memory of a group that is in the artifact, in bytes.
    pub shared_bytes: u32,
    /// Its state has room for reports after the launch record.
    pub reports: bool,
    /// Its items make objects, for which the launch gives memory.
    pub allocates: bool,
    /// The sites by their numbers, that of number 1 first.
    pub sites: Vec<DescribedSite>,
    /// The type of what a function returns, as C has it; `None` for a kernel.
    pub returns: Option<CType>,
    /// The words of the table of references, on a target that has one: see `kiln_unit::references_symbol`.
    pub references: Vec<DescribedReference>,
}

/// A word of the table of references.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DescribedReference {
    /// `symbol`, or `type`: what values in boxes are tagged with.
    pub kind: &'static str,
    /// The symbol's name; of a type its structural hash.
    pub name: String,
    /// The contents until the loader puts others there.
    pub number: u64,
}

/// One parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// The kind: `state`, `pointer`, `value`, `aggregate` or `shared`.
    pub kind: &'static str,
    /// The type of the argument that it is, as Julia shows it; empty if it is none.
    pub ty: String,
    /// Where the argument lies in the block.
    pub place: OperandPlace,
    /// The name of the argument, as the method has it; empty if it has none.
    pub name: String,
    /// The type as C has it.
    pub c_type: CType,
}

/// A place where an item gives up, or reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DescribedSite {
    /// `throw`, `report` (what the kernel prints), or a check of the code generator's: `bounds`, `divide`, `type`,
    /// `stack`, `memory`; or `call`: what failed was called there.
    pub kind: &'static str,
    /// The exception, as far as it is known: the name of a type or of the function that makes it.
    pub what: String,
    /// Types of the values that the site leaves, and where they lie.
    pub operands: Vec<(String, OperandPlace)>,
    /// The exception and these values as a text.
    pub message: Vec<MessagePart>,
    /// Where it is, the innermost function first.
    pub frames: Vec<DescribedFrame>,
}

/// A function that a site is in, inlined into the next one or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DescribedFrame {
    /// Its name.
    pub function: String,
    /// The file and the line, if it has them.
    pub place: Option<(String, u32)>,
}

/// Describes what was made.
pub(crate) fn describe(rt: &Runtime, facts: &TargetFacts, made: &DeviceProgram) -> Description {
    let link = made.program.entry();
    let sites = (1..=made.program.site_count()).map(|number| {
        let site = made.program.site(number);
        site.map_or_else(unknown, |(site, function)| describe_site(rt, site, function))
    });
    Description {
        entry: made.code.params.clone(),
        params: params(rt, facts, link, made.program.entry_function()),
        shared_bytes: made.code.module.shared_bytes,
        reports: link.reports,
        allocates: link.allocates,
        sites: sites.collect(),
        returns: returns(rt, made),
        references: if facts.references == References::Table { references(made) } else { Vec::new() },
    }
}

/// In the order of `kiln_unit::references`: the units are the parts.
fn references(made: &DeviceProgram) -> Vec<DescribedReference> {
    let mut all: Vec<DescribedReference> = Vec::new();
    for global in made.program.units().flat_map(|it| &it.body.link.globals) {
        let (kind, name) = match &global.role {
            GlobalRole::Name(name) => ("symbol", name.clone()),
            GlobalRole::Type(hash) | GlobalRole::Number(hash) | GlobalRole::Instance(hash) => {
                ("type", format!("{hash:032x}"))
            }
            GlobalRole::Constant { .. } | GlobalRole::Cell { .. } => continue, // of host code
        };
        let number = reference_number(&global.role);
        if all.iter().all(|it| it.number != number) {
            all.push(DescribedReference { kind, name, number });
        }
    }
    all
}

/// The type of what the entry returns, unless that is nothing.
fn returns(rt: &Runtime, made: &DeviceProgram) -> Option<CType> {
    let ty = made.program.entry_function().code(rt).return_type;
    (!rt.types.subtype(ty, rt.types.core().nothing)).then(|| c_type(&rt.types, ty))
}

fn params(rt: &Runtime, facts: &TargetFacts, link: &LinkInfo, function: &UnitFunction) -> Vec<Parameter> {
    let nowhere = OperandPlace { offset: 0, size: 0 };
    let args = &function.code(rt).args;
    let method = rt.tables.method(rt.tables.instance_data(function.instance).method);
    let parameter = |kind: &'static str, place: OperandPlace| {
        let at = link.args.iter().position(|it| *it == place && place.size > 0);
        let found = at.and_then(|at| Some((at, *args.get(at)?)));
        let name =
            found.and_then(|it| method.code.slots.get(it.0)).map(|it| rt.types.name(it.name).to_owned());
        Parameter {
            kind,
            ty: found.map(|it| display::of_type(&rt.types, it.1)).unwrap_or_default(),
            place,
            name: name.unwrap_or_default(),
            c_type: found.map_or(CType::Bytes(0), |it| c_type(&rt.types, it.1)),
        }
    };
    if facts.items != Items::Device {
        // The processor's entry has one parameter for all, and a program that runs by itself has registers.
        return link.args.iter().filter(|it| it.size > 0).map(|it| parameter("value", *it)).collect();
    }
    let params = entry::params(&rt.types, facts, link, args);
    let described = params.iter().map(|it| {
        let place = OperandPlace { offset: it.offset, size: it.size };
        match it.kind {
            ParamKind::State => parameter("state", nowhere),
            ParamKind::DynamicShared => parameter("shared", nowhere),
            ParamKind::Pointer => parameter("pointer", place),
            ParamKind::Value => parameter("value", place),
            ParamKind::Aggregate => parameter("aggregate", place),
        }
    });
    described.collect()
}

fn unknown() -> DescribedSite {
    DescribedSite {
        kind: "throw",
        what: String::new(),
        operands: Vec::new(),
        message: Vec::new(),
        frames: Vec::new(),
    }
}

fn describe_site(rt: &Runtime, site: &Site, function: &UnitFunction) -> DescribedSite {
    let code = function.code(rt);
    let data = thunk::data(rt, function, site);
    let kind = match site.site {
        SITE_BOUNDS => "bounds",
        SITE_DIVIDE => "divide",
        SITE_TYPE => "type",
        SITE_STACK => "stack",
        SITE_MEMORY => "memory",
        SITE_CALL => "call",
        _ if reports(rt, function, site) => "report",
        _ => "throw",
    };
    let what = match (kind, data) {
        ("bounds", _) => "BoundsError".to_owned(),
        ("divide", _) => "DivideError".to_owned(),
        ("type", _) if failure::undefined(rt, site, function).is_some() => "UndefVarError".to_owned(),
        ("type", _) => "UndefRefError".to_owned(),
        ("stack", _) => "StackOverflowError".to_owned(),
        ("memory", _) => "OutOfMemoryError".to_owned(),
        (_, Some(data)) => thrown(rt, data),
        (_, None) => String::new(),
    };
    let types: Vec<Type> = match data {
        Some(data) => data.operands.to_vec(),
        None => site.operands.iter().map(|_| rt.types.core().int64).collect(),
    };
    let operands: Vec<(Type, OperandPlace)> = types.into_iter().zip(site.operands.iter().copied()).collect();
    let message = message(rt, &what, &operands);
    let stmt = code.stmts.values().nth(site.stmt as usize).filter(|_| site.stmt != NO_STMT);
    let at = data.map(|it| (it.loc, it.inlined)).or_else(|| stmt.map(|it| (it.loc, it.inlined)));
    let frames = match at {
        Some(at) => {
            let mut frames = Vec::new();
            failure::frames(rt, function, at, &mut frames);
            frames
        }
        None => {
            let method = rt.tables.method(rt.tables.instance_data(function.instance).method);
            vec![TraceFrame::new(method.name, method.loc)]
        }
    };
    let frame = |it: TraceFrame| DescribedFrame {
        function: rt.types.name(it.name).to_owned(),
        place: rt.frontend.place(it.loc).filter(|_| it.loc != SourceLoc::NONE),
    };
    let operands = operands.into_iter().map(|(ty, place)| (display::of_type(&rt.types, ty), place)).collect();
    DescribedSite { kind, what, operands, message, frames: frames.into_iter().map(frame).collect() }
}

/// The function of the library that throws for an index out of range: its operands are the array and the indices.
const BOUNDS: &str = "throw_boundserror";

/// The text of an exception, which shows the values that the site leaves.
fn message(rt: &Runtime, what: &str, operands: &[(Type, OperandPlace)]) -> Vec<MessagePart> {
    let text = |text: &str| MessagePart::Text(text.to_owned());
    let mut parts = Vec::new();
    match operands {
        [array, index] if base_name(what) == BOUNDS => {
            parts.push(text("BoundsError: "));
            show_operand(&rt.types, array.0, array.1, &mut parts);
            parts.push(text(" at index "));
            show_operand(&rt.types, index.0, index.1, &mut parts);
        }
        [] => parts.push(text(what)),
        operands => {
            parts.push(text(&format!("{what}(")));
            for (number, (ty, place)) in operands.iter().enumerate() {
                parts.extend((number > 0).then(|| text(", ")));
                show_operand(&rt.types, *ty, *place, &mut parts);
            }
            parts.push(text(")"));
        }
    }
    parts
}

/// Whether the body goes on after the site.
fn reports(rt: &Runtime, function: &UnitFunction, site: &Site) -> bool {
    let is_it = |op: &Op| matches!(op, Op::Report(number, _) if number.as_u32() == site.site);
    function.code(rt).stmts.values().any(|it| is_it(&it.op))
}

/// Returns the exception that the last step throws: its type, or the function that makes it.
fn thrown(rt: &Runtime, data: &ThrowSiteData) -> String {
    let types = &rt.types;
    let of_step = |step: &ThunkStep| match step {
        ThunkStep::New(ty, _) => display::of_type(types, *ty),
        ThunkStep::Call(call) => match call.first() {
            Some(ThunkValue::Const(callee)) => display::of_const(types, *callee),
            _ => String::new(), // a value of the item's
        },
    };
    let Some(last) = data.thunk.last() else { return String::new() };
    match last {
        ThunkStep::Call(call) if of_step(last).ends_with("throw") => match call.get(1) {
            Some(ThunkValue::Step(made)) => data.thunk.get(*made as usize).map(of_step).unwrap_or_default(),
            Some(ThunkValue::Const(thrown)) => display::of_type(types, consts::type_of(types, *thrown)),
            Some(ThunkValue::Operand(at)) => {
                data.operands.get(*at as usize).map(|it| display::of_type(types, *it)).unwrap_or_default()
            }
            None => String::new(),
        },
        ThunkStep::Call(_) | ThunkStep::New(..) => of_step(last),
    }
}
