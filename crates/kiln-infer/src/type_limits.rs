//! Limits that keep recursion finite: detection of growing signatures, and their widening.

use crate::lattice::{type_depth, wrapper};
use kiln_types::{ConstData, Type, TypeData, Types, consts, datatype, unionall};
use rustc_hash::FxHashMap;

/// Whether `ty` contains something larger than `old` has in its place, so that a recursion from `old` to `ty` may not
/// end.
pub fn is_more_complex(types: &Types, ty: Type, old: Type) -> bool {
    Growth { types, source: old, depths: FxHashMap::default(), known: FxHashMap::default() }.grew(ty, old, 0)
}

/// Whether a type has more than `max` parts, each counted as often as it occurs.
pub fn is_larger_than(types: &Types, ty: Type, max: usize) -> bool {
    let (mut left, mut count) = (vec![ty], 0);
    while let Some(ty) = left.pop() {
        count += 1;
        if count > max {
            return true;
        }
        match types.data(ty) {
            TypeData::Data { params, .. } => left.extend(params.iter().copied()),
            TypeData::Union(members) => left.extend(members.iter().copied()),
            TypeData::UnionAll { body, .. } => left.push(*body),
            TypeData::Vararg { elem, .. } => left.push(*elem),
            TypeData::Bottom | TypeData::Var { .. } | TypeData::Value(_) => {}
        }
    }
    false
}

/// A comparison of a type with `source`. Types share their parts, so that a walk of their trees may take exponential time: each
/// question is answered once.
struct Growth<'a> {
    types: &'a Types,
    source: Type,
    /// The greatest depth at which each part lies in the source, once asked for.
    depths: FxHashMap<Type, usize>,
    known: FxHashMap<(Type, Type, usize), bool>,
}

impl Growth<'_> {
    fn grew(&mut self, ty: Type, old: Type, depth: usize) -> bool {
        let types = self.types;
        let has_parts = match types.data(ty) {
            TypeData::Data { params, .. } => !params.is_empty(),
            TypeData::Bottom => false,
            TypeData::Union(_)
            | TypeData::UnionAll { .. }
            | TypeData::Vararg { .. }
            | TypeData::Var { .. }
            | TypeData::Value(_) => true,
        };
        if !has_parts || ty == old {
            return false;
        }
        if depth > 0 && self.lies_at(ty, depth) {
            return false;
        }
        if let Some(&known) = self.known.get(&(ty, old, depth)) {
            return known;
        }
        let grew = self.part_grew(ty, old, depth);
        self.known.insert((ty, old, depth), grew);
        grew
    }

    fn part_grew(&mut self, ty: Type, old: Type, depth: usize) -> bool {
        let types = self.types;
        match (types.data(ty), types.data(old)) {
            (TypeData::Bottom, _) => false,
            (TypeData::Value(a), TypeData::Value(b)) => self.value_grew(*a, *b),
            (TypeData::Value(_), _) => true,
            (TypeData::Vararg { elem, .. }, TypeData::Vararg { elem: old, .. }) => {
                self.grew(*elem, *old, depth)
            }
            (TypeData::Vararg { elem, .. }, _) => self.grew(*elem, old, depth),
            (_, TypeData::Vararg { elem: old, .. }) => self.grew(ty, *old, depth),
            (TypeData::UnionAll { body, .. }, TypeData::UnionAll { body: old, .. }) => {
                self.grew(*body, *old, depth)
            }
            (TypeData::UnionAll { body, .. }, _) => self.grew(*body, old, depth),
            (_, TypeData::UnionAll { body: old, .. }) => self.grew(ty, *old, depth),
            (TypeData::Union(members), _) => members.iter().any(|&it| self.grew(it, old, depth)),
            (TypeData::Data { .. } | TypeData::Var { .. }, TypeData::Union(members)) => {
                members.iter().all(|&it| self.grew(ty, it, depth))
            }
            (TypeData::Var { upper, .. }, TypeData::Var { upper: old, .. }) => {
                self.grew(*upper, *old, depth + 1)
            }
            // `C{O} where O<:C{...}` nests as `C{C{...}}` does.
            (TypeData::Var { upper, .. }, _) => self.grew(*upper, old, depth),
            (TypeData::Data { name, params }, TypeData::Data { name: old_name, params: old_params }) => {
                if name != old_name {
                    return type_depth(types, ty) > type_depth(types, old).max(1);
                }
                self.params_grew(params, old_params, depth)
            }
            (TypeData::Data { .. }, TypeData::Bottom | TypeData::Var { .. } | TypeData::Value(_)) => {
                type_depth(types, ty) > 1
            }
        }
    }

    fn params_grew(&mut self, params: &[Type], old: &[Type], depth: usize) -> bool {
        if params.len() > old.len() {
            return true;
        }
        // A tuple that got shorter lost its head.
        let skip = if depth == 0 { 0 } else { old.len() - params.len() };
        params.iter().zip(&old[skip..]).any(|(&it, &old)| self.grew(it, old, depth + 1))
    }

    fn value_grew(&self, a: kiln_types::Const, b: kiln_types::Const) -> bool {
        let number = |it| match self.types.const_data(it) {
            ConstData::Bits { ty, bytes } if *ty == self.types.core().int64 => {
                bytes.as_ref().try_into().ok().map(i64::from_le_bytes)
            }
            _other => None,
        };
        match (number(a), number(b)) {
            (Some(a), Some(b)) => a != 1 && !(0 <= a && a < b),
            _ => consts::type_of(self.types, a) != consts::type_of(self.types, b),
        }
    }

    /// Whether `ty` is a part of the source that lies at least as deep there: a part that sinks deeper is growth.
    fn lies_at(&mut self, ty: Type, depth: usize) -> bool {
        if self.depths.is_empty() {
            self.measure();
        }
        self.depths.get(&ty).is_some_and(|&it| it >= depth)
    }

    /// Fills in `depths`: each part after all the parts that contain it.
    fn measure(&mut self) {
        let mut order = Vec::new();
        self.order_parts(self.source, &mut order);
        for whole in order.into_iter().rev() {
            let depth = self.depths[&whole];
            let inner = depth + usize::from(matches!(self.types.data(whole), TypeData::Data { .. }));
            for_parts(self.types, whole, |part| {
                let deepest = self.depths.entry(part).or_insert(0);
                *deepest = inner.max(*deepest);
            });
        }
    }

    /// Appends the parts of a type that are not in the order yet, and then the type.
    fn order_parts(&mut self, whole: Type, order: &mut Vec<Type>) {
        if self.depths.insert(whole, 0).is_some() {
            return;
        }
        for_parts(self.types, whole, |part| self.order_parts(part, order));
        order.push(whole);
    }
}

/// Calls `visit` for each part of a type, except for bounds of variables.
fn for_parts(types: &Types, whole: Type, mut visit: impl FnMut(Type)) {
    match types.data(whole) {
        TypeData::Data { params: parts, .. } => parts.iter().copied().for_each(visit),
        TypeData::Union(parts) => parts.iter().copied().for_each(visit),
        TypeData::UnionAll { var, body } => [*var, *body].into_iter().for_each(visit),
        TypeData::Vararg { elem, .. } => visit(*elem),
        TypeData::Bottom | TypeData::Var { .. } | TypeData::Value(_) => {}
    }
}

/// Returns a supertype of `sig` that is no more complex than `old`: each argument that grew is widened, and a
/// signature longer than both `old` and `len_min` ends in a vararg.
pub(crate) fn limit_signature(types: &Types, sig: Type, old: Type, len_min: usize) -> Type {
    let elems = datatype::params(types, unionall::unwrap(types, sig));
    let old = datatype::params(types, unionall::unwrap(types, old)).to_vec();
    let len_max = old.len().max(len_min);
    let kept = if elems.len() > len_max { len_max - 1 } else { elems.len() };
    let grew = |elem: Type, before: Option<&Type>| match before {
        Some(&before) => {
            is_more_complex(types, datatype::tuple(types, &[elem]), datatype::tuple(types, &[before]))
        }
        None => !matches!(types.data(elem), TypeData::Data { params, .. } if params.is_empty()),
    };
    let mut limited: Vec<Type> = Vec::new();
    for (at, &elem) in elems[..kept].iter().enumerate() {
        let grown = at > 0 && grew(elem, old.get(at).or(old.last().filter(|it| is_vararg(types, **it))));
        limited.push(if grown { widened(types, elem) } else { elem });
    }
    if kept < elems.len() {
        limited.push(datatype::vararg(types, types.core().any, None));
    }
    unionall::rewrap(types, datatype::tuple(types, &limited), sig)
}

fn is_vararg(types: &Types, ty: Type) -> bool {
    matches!(types.data(ty), TypeData::Vararg { .. })
}

fn widened(types: &Types, ty: Type) -> Type {
    match types.data(ty) {
        TypeData::Vararg { .. } => datatype::vararg(types, types.core().any, None),
        TypeData::Union(_) | TypeData::Var { .. } | TypeData::Value(_) => types.core().any,
        TypeData::Data { .. } if datatype::type_type_param(types, ty).is_some() => types.core().type_,
        TypeData::Bottom | TypeData::Data { .. } | TypeData::UnionAll { .. } => wrapper(types, ty),
    }
}
