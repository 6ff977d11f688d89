//! The objects and numbers of a session that compiled host code names: types by their hashes, constants and
//! variables by their places.

use crate::unit::BoundUnit;
use kiln_ir::{IrCode, Op, Value as Operand};
use kiln_runtime::heap::{boxes, compiled, constants};
use kiln_runtime::tables::{Binding, GlobalCell, World};
use kiln_runtime::{Runtime, Value};
use kiln_types::{Const, ConstData, Type, TypeData, Types, consts, datatype, definition, hash};
use kiln_unit::GlobalRole;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::OnceCell;
use std::sync::Arc;

/// In place of the cell of a variable that has none.
static NO_CELL: GlobalCell = GlobalCell::none();

/// The addresses and numbers of a session for one unit.
pub struct SessionAddresses<'a> {
    rt: &'a Runtime,
    unit: &'a BoundUnit,
    /// The world of the code.
    world: World,
    known: OnceCell<FxHashMap<u128, Type>>,
}

impl<'a> SessionAddresses<'a> {
    /// Of a unit whose code is good in this world.
    pub fn new(rt: &'a Runtime, unit: &'a BoundUnit, world: World) -> Self {
        Self { rt, unit, world, known: OnceCell::new() }
    }

    /// Returns the value that the session has for a role.
    pub fn address(&self, role: &GlobalRole) -> Option<u64> {
        let rt = self.rt;
        match role {
            // All places that hold a symbol hold the address of one box, which is never freed.
            GlobalRole::Name(name) => Some(boxes::box_value(&rt.heap, rt.heap.symbol(name))),
            GlobalRole::Type(hash) => Some(*hash as u64),
            GlobalRole::Number(hash) => Some(self.find(*hash)?.index() as u64),
            GlobalRole::Instance(hash) => {
                let ty = self.find(*hash)?;
                let value = match datatype::type_type_param(&rt.types, ty) {
                    Some(it) => rt.heap.type_value(it),
                    None => constants::value_of(&rt.heap, definition::singleton(&rt.types, ty)?),
                };
                Some(compiled::permanent_object(&rt.heap, value))
            }
            GlobalRole::Constant { function, stmt, operand, path } => {
                let code = self.unit.functions.get(*function as usize)?.code(rt);
                let data = code.stmts.values().nth(*stmt as usize)?;
                let constant = match data.op.operands().get(*operand as usize)? {
                    Operand::Const(it) => *it,
                    // Code generation is given the value itself.
                    Operand::Arg(n) => definition::singleton(&rt.types, *code.args.get(*n as usize)?)?,
                    Operand::Stmt(_) => return None,
                };
                Some(compiled::permanent_object(&rt.heap, part(rt, constant, path)?))
            }
            GlobalRole::Cell { function, stmt } => {
                let code = self.unit.functions.get(*function as usize)?.code(rt);
                let data = code.stmts.values().nth(*stmt as usize)?;
                let cell = self.cell(code, &data.op);
                // A variable without a cell has no value, and is not assigned: the host says why.
                Some(cell.map_or_else(|| NO_CELL.address(), |it| it.address()))
            }
        }
    }

    /// The cell of the variable that an operation reads or assigns, if it may be read and assigned there.
    fn cell(&self, code: &IrCode, op: &Op) -> Option<Arc<GlobalCell>> {
        let types = &self.rt.types;
        let (module, name, assigned) = match op {
            Op::Global(module, name) => (*module, *name, None),
            _ => {
                let (module, name, value) = op.assigned_global(types)?;
                let ty = match value {
                    Operand::Const(it) => consts::type_of(types, it),
                    Operand::Stmt(it) => code.stmts[it].ty,
                    Operand::Arg(n) => *code.args.get(n as usize)?,
                };
                (module, name, Some(ty))
            }
        };
        let resolved = self.rt.tables.bindings.resolve_binding(module, name, self.world);
        let is_own = resolved.module == module && resolved.name == name && !resolved.imported;
        match resolved.binding {
            Binding::Global(cell, ty) => {
                assigned.is_none_or(|it| is_own && types.subtype(it, ty)).then_some(cell)
            }
            Binding::Undefined | Binding::Ambiguous(..) | Binding::Const(_) => None,
        }
    }

    fn find(&self, hash: u128) -> Option<Type> {
        let codes = || self.unit.functions.iter().map(|it| &**it.code(self.rt));
        let known = self.known.get_or_init(|| mentioned(&self.rt.types, codes()));
        known.get(&hash).copied()
    }
}

/// The field of a constant that a path leads to.
fn part(rt: &Runtime, constant: Const, path: &[u32]) -> Option<Value> {
    let mut constant = constant;
    for at in path {
        let ConstData::Aggregate { fields, .. } = rt.types.const_data(constant) else { return None };
        constant = *fields.get(*at as usize)?;
    }
    Some(constants::value_of(&rt.heap, constant))
}

/// The types that bodies mention, and the types that these consist of.
fn mentioned<'a>(types: &Types, codes: impl Iterator<Item = &'a IrCode>) -> FxHashMap<u128, Type> {
    let mut work: Vec<Type> = Vec::new();
    let of_const = |work: &mut Vec<Type>, constant: Const| {
        work.push(consts::type_of(types, constant));
        if let ConstData::Type(ty) = types.const_data(constant) {
            work.extend([*ty, datatype::type_type(types, *ty)]);
        }
    };
    for code in codes {
        work.push(code.return_type);
        work.extend(&code.args);
        for data in code.stmts.values() {
            work.push(data.ty);
            data.op.each_operand(|it| {
                if let Operand::Const(it) = it {
                    of_const(&mut work, it);
                }
            });
        }
        for site in code.throw_sites.values() {
            work.extend(&site.operands);
        }
    }
    let core = types.core();
    work.extend([core.bool, core.int64, core.nothing]);
    let (mut seen, mut found) = (FxHashSet::default(), FxHashMap::default());
    while let Some(ty) = work.pop() {
        if !seen.insert(ty) {
            continue;
        }
        found.insert(hash::of_type(types, ty), ty);
        match types.data(ty) {
            TypeData::Data { params, .. } => {
                work.extend(params.iter());
                if datatype::is_concrete(types, ty) {
                    work.extend(datatype::field_types(types, ty));
                }
            }
            TypeData::Union(members) => work.extend(members.iter()),
            TypeData::Value(constant) => of_const(&mut work, *constant),
            TypeData::Bottom | TypeData::UnionAll { .. } | TypeData::Var { .. } | TypeData::Vararg { .. } => {
            }
        }
    }
    found
}
