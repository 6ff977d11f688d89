//! Late devirtualization: calls that inference could not resolve, because a value came out of a `Core.Box` or another
//! object that has since been replaced by its fields.
//!
//! The pass infers the types of non-concrete statements anew from their operands: optimistically, so that a variable
//! changed in a loop has its initial type if the loop preserves it. Every call with concrete arguments and a single
//! target method then becomes a static call. Calls whose arguments stay abstract are unchanged. Only bodies with an
//! unresolved call are processed.

use crate::value::{field_number, type_of};
use crate::{Callees, Resolved};
use cranelift_entity::SecondaryMap;
use kiln_ir::{Block, Builtin, Cfg, Instance, Intrinsic, IrCode, Op, Stmt, StmtData, Value};
use kiln_types::{ConstData, Type, TypeData, Types, consts, datatype, intersect, typevar};
use rustc_hash::FxHashMap;

/// Members of the union a statement may be found to be of; one of more types keeps its declared type.
const MEMBERS_MAX: usize = 4;

/// Returns `code` with calls that are static by now and narrower types, and whether there were any: then folding and
/// inlining may open the way for more. `again`: there were some before.
pub fn devirtualize_calls(
    mut code: IrCode,
    types: &Types,
    callees: &dyn Callees,
    again: bool,
) -> (IrCode, bool) {
    let looked_at = |it: &StmtData| match &it.op {
        Op::Call(_) => true,
        Op::Invoke(_, args) => {
            is_open(types, it) || args.iter().any(|it| !is_exact(types, type_of(&code, types, *it)))
        }
        // The types of what an earlier round made static may still be on their way.
        _ => again && is_open(types, it),
    };
    let cfg = Cfg::new(&code);
    let mut reached = cfg.reverse_postorder.iter().flat_map(|it| code.blocks[*it].stmts.iter());
    if !reached.any(|it| looked_at(&code.stmts[*it])) {
        return (code, false);
    }
    let mut found = SecondaryMap::new();
    for data in code.stmts.keys() {
        found[data] = is_open(types, &code.stmts[data]).then_some(KnownType::Never);
    }
    let mut types_found = KnownTypes { types, callees, found, calls: FxHashMap::default() };
    while types_found.round(&code, &cfg) {}
    let changed = types_found.rewrite(&mut code, &cfg);
    (code, changed)
}

/// Returns `code` with a narrower return type, where it is now a single type.
pub fn narrow_return(mut code: IrCode, types: &Types) -> IrCode {
    let cfg = Cfg::new(&code);
    let returned = cfg.reverse_postorder.iter().filter_map(|it| match code.terminator(*it) {
        Op::Return(value) => Some(type_of(&code, types, *value)),
        _ => None, // goes on, or throws
    });
    let ty = types.union(&returned.collect::<Vec<Type>>());
    if datatype::is_concrete(types, ty) && types.subtype(ty, code.return_type) {
        code.return_type = ty;
    }
    code
}

/// Whether there is one representation, or one value, of the type.
pub(crate) fn is_exact(types: &Types, ty: Type) -> bool {
    datatype::is_concrete(types, ty)
        || datatype::type_type_param(types, ty).is_some_and(|it| !typevar::has_free_vars(types, it))
}

fn is_open(types: &Types, data: &StmtData) -> bool {
    let computes = matches!(
        data.op,
        Op::Phi(_)
            | Op::Pi(_)
            | Op::Call(_)
            | Op::Invoke(..)
            | Op::Intrinsic(..)
            | Op::Builtin(Builtin::Typeassert | Builtin::Tuple | Builtin::Getfield | Builtin::Ifelse, _)
    );
    computes && data.ty != types.core().bottom && !is_exact(types, data.ty)
}

/// The facts found about a statement so far.
#[derive(Clone, Copy, PartialEq, Eq)]
enum KnownType {
    /// Nothing: no value has come by.
    Never,
    Type(Type),
}

struct KnownTypes<'a> {
    types: &'a Types,
    callees: &'a dyn Callees,
    /// The types of statements whose declared type is not exact.
    found: SecondaryMap<Stmt, Option<KnownType>>,
    /// Answers about calls of these types, and of the method of an instance if that is given.
    calls: FxHashMap<(Vec<Type>, Option<Instance>), Option<Resolved>>,
}

impl KnownTypes<'_> {
    /// One walk. Whether anything was found to be wider than before.
    fn round(&mut self, code: &IrCode, cfg: &Cfg) -> bool {
        let mut changed = false;
        for &block in &cfg.reverse_postorder {
            for &stmt in &code.blocks[block].stmts {
                let Some(before) = self.found[stmt] else { continue };
                let now = self.statement(code, stmt);
                let now = self.joined(before, now, code.stmts[stmt].ty);
                changed |= now != before;
                self.found[stmt] = Some(now);
            }
        }
        changed
    }

    /// Joins two types; types only grow, up to the declared one.
    fn joined(&self, before: KnownType, now: KnownType, declared: Type) -> KnownType {
        let (KnownType::Type(a), KnownType::Type(b)) = (before, now) else {
            return if before == KnownType::Never { now } else { before };
        };
        let union = self.types.union(&[a, b]);
        let members = match self.types.data(union) {
            TypeData::Union(members) => members.len(),
            _ => 1, // one type
        };
        KnownType::Type(if members > MEMBERS_MAX { declared } else { union })
    }

    fn known_type(&self, code: &IrCode, value: Value) -> KnownType {
        match value {
            Value::Stmt(stmt) => self.found[stmt].unwrap_or(KnownType::Type(code.stmts[stmt].ty)),
            Value::Const(constant) => KnownType::Type(match self.types.const_data(constant) {
                ConstData::Type(ty) => datatype::type_type(self.types, *ty),
                _ => consts::type_of(self.types, constant), // its type is one of values
            }),
            Value::Arg(_) => KnownType::Type(type_of(code, self.types, value)),
        }
    }

    /// The types of operands; `None` if one of them never comes by.
    fn all(&self, code: &IrCode, values: &[Value]) -> Option<Vec<Type>> {
        values
            .iter()
            .map(|it| match self.known_type(code, *it) {
                KnownType::Never => None,
                KnownType::Type(ty) => Some(ty),
            })
            .collect()
    }

    fn statement(&mut self, code: &IrCode, stmt: Stmt) -> KnownType {
        let data = &code.stmts[stmt];
        let types = self.types;
        if let Op::Phi(edges) = &data.op {
            let incoming = edges.iter().map(|it| self.known_type(code, it.1));
            return incoming.fold(KnownType::Never, |all, it| self.joined(all, it, data.ty));
        }
        let Some(operands) = self.all(code, &data.op.operands()) else { return KnownType::Never };
        let within = |ty: Type| {
            let met = intersect::meet(types, ty, data.ty);
            if met == types.core().bottom { KnownType::Never } else { KnownType::Type(met) }
        };
        match &data.op {
            Op::Pi(_) | Op::Builtin(Builtin::Typeassert, _) => within(operands[0]),
            Op::Builtin(Builtin::Tuple, _) if operands.iter().all(|it| is_exact(types, *it)) => {
                KnownType::Type(datatype::tuple(types, &operands))
            }
            Op::Builtin(Builtin::Ifelse, _) => within(types.union(operands.get(1..).unwrap_or_default())),
            Op::Intrinsic(intrinsic, _) => {
                intrinsic_type(types, *intrinsic, &operands).map_or(KnownType::Type(data.ty), within)
            }
            Op::Builtin(Builtin::Getfield, args) => match (operands.first(), args.get(1)) {
                (Some(object), Some(Value::Const(field))) => {
                    self.field(*object, *field).map_or(KnownType::Type(data.ty), within)
                }
                _ => KnownType::Type(data.ty),
            },
            Op::Call(_) | Op::Invoke(..) => match self.call(code, stmt) {
                Some(it) => within(it.returns),
                None => KnownType::Type(data.ty),
            },
            _ => KnownType::Type(data.ty), // not narrowed by its operands
        }
    }

    fn field(&self, object: Type, field: kiln_types::Const) -> Option<Type> {
        let number =
            field_number(self.types, object, field).filter(|_| datatype::is_concrete(self.types, object))?;
        datatype::field_types(self.types, object).get(number).copied()
    }

    /// Returns the target of a call with the known argument types; `None` unless it is a single method, or if the
    /// call was resolved before.
    fn call(&mut self, code: &IrCode, stmt: Stmt) -> Option<Resolved> {
        let (Op::Call(args) | Op::Invoke(_, args)) = &code.stmts[stmt].op else { return None };
        let call = self.all(code, args)?;
        if !call.iter().all(|it| is_exact(self.types, *it)) {
            return None;
        }
        let of = match &code.stmts[stmt].op {
            // A packed tuple is not the arguments that are looked up.
            Op::Invoke(instance, _) if self.callees.is_vararg(*instance) => return None,
            Op::Invoke(instance, _) if self.is_wide(code, stmt) => Some(*instance),
            Op::Invoke(..) => return None,
            _ => None, // any method will do
        };
        let callees = self.callees;
        let found = self.calls.entry((call, of)).or_insert_with_key(|(call, of)| callees.resolve(call, *of));
        found.clone().filter(|it| Some(it.instance) != of && it.returns != self.types.core().bottom)
    }

    /// Whether a static call takes or returns a value of more than one type, so that another instance may be better.
    fn is_wide(&self, code: &IrCode, stmt: Stmt) -> bool {
        let data = &code.stmts[stmt];
        let exact = |it: &Value| is_exact(self.types, type_of(code, self.types, *it));
        !is_exact(self.types, data.ty) || !data.op.operands().iter().all(exact)
    }

    fn rewrite(&mut self, code: &mut IrCode, cfg: &Cfg) -> bool {
        // All of them before the first is changed, which would make others look narrow.
        let mut calls = Vec::new();
        for &block in &cfg.reverse_postorder {
            for &stmt in &code.blocks[block].stmts {
                calls.extend(self.call(code, stmt).map(|it| (block, stmt, it)));
            }
        }
        let mut changed = !calls.is_empty();
        let narrowed: Vec<(Stmt, Type)> = code
            .stmts
            .keys()
            .filter_map(|it| match self.found[it] {
                Some(KnownType::Type(ty)) if ty != code.stmts[it].ty => Some((it, ty)),
                _ => None, // exact before, or as declared
            })
            .collect();
        self.drop_never(code);
        for (stmt, ty) in narrowed {
            let data = &mut code.stmts[stmt];
            // What a call is found to return it returns only once it is static.
            if !matches!(data.op, Op::Call(_) | Op::Invoke(..)) {
                data.ty = ty;
                changed = true;
            }
        }
        for (block, stmt, to) in calls {
            make_static(code, self.types, (block, stmt), &to);
        }
        changed
    }
}

impl KnownTypes<'_> {
    /// Drops the edges of phis by which no value comes. A phi may be found to be of one type without them, and then no code may make a
    /// value of that type of what comes by them: it is undefined.
    fn drop_never(&self, code: &mut IrCode) {
        let is_never = |it: Value| matches!(it, Value::Stmt(it) if self.found[it] == Some(KnownType::Never));
        for data in code.stmts.values_mut() {
            if let Op::Phi(edges) = &mut data.op {
                edges.retain(|it| !is_never(it.1));
            }
        }
    }
}

/// Returns the result type of arithmetic on plain numbers: that of the operands, or the target of a conversion.
fn intrinsic_type(types: &Types, intrinsic: Intrinsic, operands: &[Type]) -> Option<Type> {
    let first = *operands.first()?;
    if let Some(to) = datatype::type_type_param(types, first) {
        return (datatype::is_concrete(types, to) && operands.len() == 2).then_some(to);
    }
    let with_flag = matches!(
        intrinsic,
        Intrinsic::CheckedSaddInt
            | Intrinsic::CheckedUaddInt
            | Intrinsic::CheckedSsubInt
            | Intrinsic::CheckedUsubInt
            | Intrinsic::CheckedSmulInt
            | Intrinsic::CheckedUmulInt
    );
    if with_flag && datatype::is_concrete(types, first) {
        return Some(datatype::tuple(types, &[first, types.core().bool]));
    }
    // Memory is of the type its pointer says, which inference may know.
    let memory = matches!(
        intrinsic,
        Intrinsic::Pointerref
            | Intrinsic::Pointerset
            | Intrinsic::AtomicPointerref
            | Intrinsic::AtomicPointerset
            | Intrinsic::AtomicPointerswap
            | Intrinsic::AtomicPointermodify
            | Intrinsic::AtomicPointerreplace
            // Of the type they declare.
            | Intrinsic::Llvmcall
            | Intrinsic::Foreigncall
    );
    let same = !memory && !with_flag;
    (same && datatype::is_concrete(types, first)).then_some(first)
}

/// The call as one of an instance; trailing arguments of a vararg method are packed into a tuple.
pub(crate) fn make_static(code: &mut IrCode, types: &Types, (block, stmt): (Block, Stmt), to: &Resolved) {
    let data = code.stmts[stmt].clone();
    let mut args = data.op.operands();
    if let Some(fixed) = to.packed_from {
        let rest = args.split_off(fixed);
        let elems: Vec<Type> = rest.iter().map(|it| type_of(code, types, *it)).collect();
        let op = Op::Builtin(Builtin::Tuple, rest);
        let tuple = code.stmts.push(StmtData { op, ty: datatype::tuple(types, &elems), ..data });
        let at =
            code.blocks[block].stmts.iter().position(|it| *it == stmt).expect("the call is in its block");
        code.blocks[block].stmts.insert(at, tuple);
        args.push(Value::Stmt(tuple));
    }
    let data = &mut code.stmts[stmt];
    data.op = Op::Invoke(to.instance, args);
    // Inference may have known more, from constant arguments.
    if types.subtype(to.returns, data.ty) {
        data.ty = to.returns;
    }
}

#[cfg(test)]
mod tests;
