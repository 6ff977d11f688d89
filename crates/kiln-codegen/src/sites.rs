//! The sites of a unit: the places where its code fails or calls the host, numbered over all of its functions.

use crate::error::{EmitError, Unsupported};
use crate::host_statements::{may_be_run as host_may_run, touches_arrays};
use crate::llvm::Val;
use crate::never_returning::all_never_returning;
use crate::unit::Unit;
use kiln_ir::{Stmt, ThrowSite};
use kiln_types::{Type, Types};
use kiln_unit::{EntryKind, NO_STMT, OperandPlace, SITE_BASE, Site};

/// The statement in the key of a site that is of all statements of a function that have none of their own.
const ANY_STMT: u32 = NO_STMT - 1;

/// Returns the operands of a site of codegen's own.
fn own_operands(site: u32) -> Vec<OperandPlace> {
    match site {
        kiln_unit::SITE_BOUNDS | kiln_unit::SITE_MEMORY => vec![OperandPlace { offset: 0, size: 8 }],
        _ => Vec::new(),
    }
}

/// Numbers the sites of a function: those of its body, then those that codegen adds.
pub(crate) fn number(unit: &mut Unit<'_>, ordinal: usize) -> Result<(), EmitError> {
    unit.site_base.push(unit.sites.len() as u32);
    let source = &unit.sources[ordinal];
    if source.external.is_some() {
        return Ok(());
    }
    for (site, data) in &source.code.throw_sites {
        let operands = places(unit, &data.operands)?;
        let (function, site) = (ordinal as u32, site.as_u32());
        unit.sites.push(Site { function, site, stmt: NO_STMT, operands });
    }
    number_own(unit, ordinal);
    Ok(())
}

/// Numbers the sites that codegen adds: one of each kind for the function, used by statements that are not
/// expected to fail, and those of the statements that are.
fn number_own(unit: &mut Unit<'_>, ordinal: usize) {
    let function = ordinal as u32;
    for site in [kiln_unit::SITE_BOUNDS, kiln_unit::SITE_DIVIDE, kiln_unit::SITE_TYPE] {
        unit.sites.push(Site { function, site, stmt: NO_STMT, operands: own_operands(site) });
    }
    if unit.looks_at_stack(ordinal) {
        let site = kiln_unit::SITE_STACK;
        unit.sites.push(Site { function, site, stmt: NO_STMT, operands: Vec::new() });
    }
    for (stmt, data) in &unit.sources[ordinal].code.stmts {
        let call = unit.keeps_frames() && matches!(data.op, kiln_ir::Op::Invoke(..));
        let calls: &[u32] = if call { &[kiln_unit::SITE_CALL] } else { &[] };
        let is_checked = unit.checks.any() && crate::check_sites::has_site(data);
        let accesses: &[u32] = if is_checked { &[kiln_unit::SITE_ACCESS] } else { &[] };
        for &site in crate::analysis::own_sites(data, unit.types).iter().chain(calls).chain(accesses) {
            unit.sites.push(Site { function, site, stmt: stmt.as_u32(), operands: own_operands(site) });
            unit.own_sites.insert((function, stmt, site), unit.sites.len() as u32);
        }
        if may_be_run(unit, function, stmt) {
            let (site, stmt_number) = (kiln_unit::SITE_RUN, stmt.as_u32());
            let operands = run_places(unit, function, data).unwrap_or_default();
            unit.sites.push(Site { function, site, stmt: stmt_number, operands });
            unit.own_sites.insert((function, stmt, site), unit.sites.len() as u32);
        }
    }
    let is_host = unit.is_host;
    for stmt in all_never_returning(&unit.sources[ordinal].code).filter(|_| is_host) {
        let site = kiln_unit::SITE_RETURNED;
        unit.sites.push(Site { function, site, stmt: stmt.as_u32(), operands: Vec::new() });
        unit.own_sites.insert((function, stmt, site), unit.sites.len() as u32);
    }
    if unit.host.makes_boxes(function) {
        let (site, stmt) = (kiln_unit::SITE_MEMORY, Stmt::from_u32(ANY_STMT));
        unit.sites.push(Site { function, site, stmt: NO_STMT, operands: own_operands(site) });
        unit.own_sites.insert((function, stmt, site), unit.sites.len() as u32);
    }
}

/// Finds out how much memory the statements need that the host may run.
pub(crate) fn number_run(unit: &mut Unit<'_>, ordinal: usize) -> Result<(), EmitError> {
    if !unit.is_host {
        return Ok(());
    }
    for (stmt, data) in &unit.sources[ordinal].code.stmts {
        if !may_be_run(unit, ordinal as u32, stmt) {
            continue;
        }
        let places = run_places(unit, ordinal as u32, data)?;
        let operands = places.iter().map(|it| it.offset + it.size).max().unwrap_or(0);
        if operands as usize > kiln_unit::RUN_OPERAND_BYTES {
            let most = kiln_unit::RUN_OPERAND_BYTES;
            return Err(
                EmitError::from(Unsupported::OperandBytes { bytes: operands, most }).at(stmt.as_u32())
            );
        }
        let result = unit.shapes.of(data.ty)?.size;
        let bytes = &mut unit.run_bytes[ordinal];
        *bytes = (bytes.0.max(operands), bytes.1.max(result));
    }
    Ok(())
}

/// Whether a statement has a site for the host to run it.
fn may_be_run(unit: &Unit<'_>, ordinal: u32, stmt: Stmt) -> bool {
    let data = &unit.sources[ordinal as usize].code.stmts[stmt];
    unit.is_host
        && (unit.host.contains(ordinal, stmt) || host_may_run(data) || looks_for_copies(unit, ordinal, data))
}

/// Whether compiled code looks for copies of arrays on devices before this statement.
pub(crate) fn looks_for_copies(unit: &Unit<'_>, ordinal: u32, data: &kiln_ir::StmtData) -> bool {
    unit.is_host
        && unit.traits[ordinal as usize].launches
        && data.ty != Types::BOTTOM
        && touches_arrays(data, &unit.sources[ordinal as usize], &unit.traits)
}

/// Whether the host can run a statement: it has a site.
pub(crate) fn has_run_site(unit: &Unit<'_>, (ordinal, stmt): (u32, Stmt)) -> bool {
    unit.own_sites.contains_key(&(ordinal, stmt, kiln_unit::SITE_RUN))
}

/// Returns the layout of the operands of a statement that the host runs.
pub(crate) fn run_places(
    unit: &Unit<'_>,
    ordinal: u32,
    data: &kiln_ir::StmtData,
) -> Result<Vec<OperandPlace>, EmitError> {
    let code = &unit.sources[ordinal as usize].code;
    let (mut end, mut places) = (0u32, Vec::new());
    for operand in data.op.operands() {
        let shape = match operand {
            kiln_ir::Value::Const(_) => None,
            kiln_ir::Value::Stmt(_) | kiln_ir::Value::Arg(_) => {
                Some(unit.shapes.of(crate::analysis::operand_type(code, unit.types, operand))?)
            }
        };
        let (size, align) = shape.map_or((0, 1), |it| (it.size, it.align));
        let offset = end.next_multiple_of(align);
        end = offset + size;
        places.push(OperandPlace { offset, size });
    }
    Ok(places)
}

/// Returns the bytes of the operands and of a result of the statements of a function that the host may run.
pub(crate) fn run_bytes(unit: &Unit<'_>, ordinal: u32) -> (u32, u32) {
    unit.run_bytes[ordinal as usize]
}

/// Returns the layout of values of these types, one after the other.
pub(crate) fn places(unit: &Unit<'_>, operands: &[Type]) -> Result<Vec<OperandPlace>, EmitError> {
    let (mut end, mut places) = (0u32, Vec::with_capacity(operands.len()));
    for &ty in operands {
        let shape = unit.shapes.of(ty)?;
        let offset = end.next_multiple_of(shape.align);
        end = offset + shape.size;
        places.push(OperandPlace { offset, size: shape.size });
    }
    if end as usize > kiln_unit::RECORD_OPERAND_BYTES {
        let most = kiln_unit::RECORD_OPERAND_BYTES;
        return Err(Unsupported::OperandBytes { bytes: end, most }.into());
    }
    Ok(places)
}

/// Returns the number of a body's site.
pub(crate) fn number_of(unit: &Unit<'_>, ordinal: u32, site: ThrowSite) -> u32 {
    unit.site_base[ordinal as usize] + site.as_u32() + 1
}

/// Returns the number of a function's site of codegen's own; `which` is one of `kiln_unit`'s constants.
pub(crate) fn own_number(unit: &Unit<'_>, ordinal: u32, which: u32) -> u32 {
    let count = unit.sources[ordinal as usize].code.throw_sites.len() as u32;
    unit.site_base[ordinal as usize] + count + (u32::MAX - which) + 1
}

/// Returns the number of the site at which an allocation of a statement of the host fails; `None` if emission has to note first that
/// the function makes boxes.
pub(crate) fn of_allocation(unit: &Unit<'_>, (ordinal, stmt): (u32, Stmt)) -> Option<u32> {
    let of = |stmt, which| unit.own_sites.get(&(ordinal, stmt, which)).copied();
    let own = of(stmt, kiln_unit::SITE_RUN).or_else(|| of(stmt, kiln_unit::SITE_MEMORY));
    own.or_else(|| of(Stmt::from_u32(ANY_STMT), kiln_unit::SITE_MEMORY))
}

/// Returns the number of a statement's site of codegen's own.
pub(crate) fn own_number_of(unit: &Unit<'_>, (ordinal, stmt): (u32, Stmt), which: u32) -> u32 {
    unit.own_sites.get(&(ordinal, stmt, which)).copied().unwrap_or_else(|| own_number(unit, ordinal, which))
}

/// Returns a site's number in compiled code: relative to a symbol in units that others call, and in host code, whose sites have
/// numbers of the session.
pub(crate) fn value(unit: &Unit<'_>, number: u32) -> Val {
    let number = unit.module.const_u32(number);
    match unit.entry {
        EntryKind::Body if unit.device.is_some() => {
            unit.module.add(unit.module.placeholder(SITE_BASE, 32), number)
        }
        EntryKind::Body => unit.module.add(unit.module.absolute(SITE_BASE, 32), number),
        EntryKind::Function if unit.is_host => unit.module.add(unit.module.absolute(SITE_BASE, 32), number),
        EntryKind::Function | EntryKind::Kernel => number,
    }
}
