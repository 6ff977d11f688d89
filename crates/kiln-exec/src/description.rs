//! The description that ships with an artifact: its parameters, and the meaning of each number that a failing item leaves.
//!
//! `docs/artifacts.md` says how it is used.

use crate::device::entry;
use crate::failure;
use crate::thunk;
use kiln_compile::device::{DeviceParams, DeviceProgram};
use kiln_compile::{UnitFunction, device::device_link::reference_number};
use kiln_ir::{Op, SourceLoc, ThrowSiteData, ThunkStep, ThunkValue};
use kiln_launch::ParamKind;
use kiln_runtime::{Runtime, TraceFrame};
use kiln_targets::{Items, References, TargetFacts};
use kiln_types::Type;
use kiln_unit::{
    GlobalRole, LinkInfo, NO_STMT, OperandPlace, SITE_BOUNDS, SITE_CALL, SITE_DIVIDE, SITE_MEMORY,
    SITE_STACK, SITE_TYPE, Site,
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
        params: params(rt, facts, link, &made.program.entry_function().code(rt).args),
        shared_bytes: made.code.module.shared_bytes,
        reports: link.reports,
        allocates: link.allocates,
        sites: sites.collect(),
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

fn params(rt: &Runtime, facts: &TargetFacts, link: &LinkInfo, args: &[Type]) -> Vec<Parameter> {
    let nowhere = OperandPlace { offset: 0, size: 0 };
    let shown = |place: OperandPlace| {
        let at = link.args.iter().position(|it| *it == place);
        at.and_then(|at| args.get(at)).map(|it| rt.types.display(*it)).unwrap_or_default()
    };
    if facts.items != Items::Device {
        // The processor's entry has one parameter for all, and a program that runs by itself has registers.
        let values = link.args.iter().filter(|it| it.size > 0);
        return values.map(|it| Parameter { kind: "value", ty: shown(*it), place: *it }).collect();
    }
    let params = entry::params(&rt.types, facts, link, args);
    let described = params.iter().map(|it| {
        let place = OperandPlace { offset: it.offset, size: it.size };
        match it.kind {
            ParamKind::State => Parameter { kind: "state", ty: String::new(), place: nowhere },
            ParamKind::DynamicShared => Parameter { kind: "shared", ty: String::new(), place: nowhere },
            ParamKind::Pointer => Parameter { kind: "pointer", ty: shown(place), place },
            ParamKind::Value => Parameter { kind: "value", ty: shown(place), place },
            ParamKind::Aggregate => Parameter { kind: "aggregate", ty: shown(place), place },
        }
    });
    described.collect()
}

fn unknown() -> DescribedSite {
    DescribedSite { kind: "throw", what: String::new(), operands: Vec::new(), frames: Vec::new() }
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
    let types: Vec<String> = match data {
        Some(data) => data.operands.iter().map(|it| rt.types.display(*it)).collect(),
        None => site.operands.iter().map(|_| "Int64".to_owned()).collect(),
    };
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
    let operands = types.into_iter().zip(site.operands.iter().copied()).collect();
    DescribedSite { kind, what, operands, frames: frames.into_iter().map(frame).collect() }
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
        ThunkStep::New(ty, _) => types.display(*ty),
        ThunkStep::Call(call) => match call.first() {
            Some(ThunkValue::Const(callee)) => types.display_const(*callee),
            _ => String::new(), // a value of the item's
        },
    };
    let Some(last) = data.thunk.last() else { return String::new() };
    match last {
        ThunkStep::Call(call) if of_step(last).ends_with("throw") => match call.get(1) {
            Some(ThunkValue::Step(made)) => data.thunk.get(*made as usize).map(of_step).unwrap_or_default(),
            Some(ThunkValue::Const(thrown)) => types.display(types.typeof_const(*thrown)),
            Some(ThunkValue::Operand(at)) => {
                data.operands.get(*at as usize).map(|it| types.display(*it)).unwrap_or_default()
            }
            None => String::new(),
        },
        ThunkStep::Call(_) | ThunkStep::New(..) => of_step(last),
    }
}
