//! Constants of host code that are objects: the linker has their addresses.

use crate::error::{EmitError, NameRole, Unsupported};
use crate::function::Emitter;
use crate::llvm::Val;
use crate::session_symbols;
use kiln_ir::{IrCode, Value as Operand};
use kiln_types::{Const, ConstData, Type, Types, consts, datatype, definition, display, hash};
use kiln_unit::GlobalRole;
use rustc_hash::FxHashMap;

/// The place of a constant in a body: its statement, its operand, and the fields that lead to it.
#[derive(Clone, Debug)]
pub(crate) struct ConstantPlace {
    stmt: u32,
    operand: u32,
    path: Vec<u32>,
}

/// The first place of each constant of a body.
pub(crate) type ConstantPlaces = FxHashMap<Const, ConstantPlace>;

fn places(code: &IrCode, types: &Types) -> ConstantPlaces {
    let mut all = FxHashMap::default();
    for (stmt, data) in &code.stmts {
        for (operand, value) in data.op.operands().into_iter().enumerate() {
            if let Operand::Const(constant) = value {
                let (stmt, operand) = (stmt.as_u32(), operand as u32);
                add(&mut all, types, constant, ConstantPlace { stmt, operand, path: Vec::new() });
            }
        }
    }
    all
}

fn add(all: &mut ConstantPlaces, types: &Types, constant: Const, place: ConstantPlace) {
    if all.contains_key(&constant) {
        return;
    }
    all.insert(constant, place.clone());
    if let ConstData::Aggregate { fields, .. } = types.const_data(constant) {
        for (at, field) in fields.iter().enumerate() {
            let path = place.path.iter().copied().chain([at as u32]).collect();
            add(all, types, *field, ConstantPlace { path, ..place.clone() });
        }
    }
}

impl Emitter<'_, '_> {
    /// Returns the address of the object of a constant; `None` if the body does not have the constant.
    pub(super) fn known_constant(&self, constant: Const) -> Option<Val> {
        if let ConstData::Symbol(name) = self.types().const_data(constant) {
            return Some(session_symbols::name(self.unit, self.types().name(*name)));
        }
        let places = self.constants.get_or_init(|| places(self.code(), self.types()));
        let ConstantPlace { stmt, operand, path } = places.get(&constant)?.clone();
        let role = GlobalRole::Constant { function: self.ordinal, stmt, operand, path };
        Some(session_symbols::global(self.unit, role))
    }

    /// Returns the address of the object of a constant.
    pub(crate) fn constant_object(&self, constant: Const) -> Result<Val, EmitError> {
        let types = self.types();
        if definition::singleton(types, consts::type_of(types, constant)).is_some() {
            return Ok(self.instance_object(consts::type_of(types, constant)));
        }
        if let Some(known) = self.known_constant(constant) {
            return Ok(known);
        }
        if let ConstData::Type(ty) = types.const_data(constant) {
            return Ok(self.instance_object(datatype::type_type(types, *ty)));
        }
        let shown = display::of_const(types, constant).to_string();
        Err(Unsupported::of_name(NameRole::Constant, &shown))
    }

    /// Returns the address of the object of the only value of a type.
    pub(super) fn instance_object(&self, ty: Type) -> Val {
        session_symbols::global(self.unit, GlobalRole::Instance(hash::of_type(self.types(), ty)))
    }

    /// Returns the number that the session has for a type, an `i32`.
    pub(super) fn type_number(&self, ty: Type) -> Val {
        session_symbols::type_number(self.unit, ty)
    }
}
