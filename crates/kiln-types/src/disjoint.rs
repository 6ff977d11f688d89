//! A cheap test for having nothing in common.

use crate::{Type, TypeData, TypeName, Types, datatype, entry, unionall};

/// Disjoint for sure (cheap; `false` means unknown).
pub fn are_obviously_disjoint(types: &Types, a: Type, b: Type) -> bool {
    are_disjoint(types, a, b, false)
}

/// With `specificity`, tuples of different lengths, and types of which one inherits the other's name, do not
/// count as disjoint.
pub(crate) fn are_disjoint(types: &Types, a: Type, b: Type, specificity: bool) -> bool {
    if a == b || a == Types::ANY || b == Types::ANY || specificity && a == types.core.typeof_bottom {
        return false;
    }
    if a == Types::BOTTOM || b == Types::BOTTOM {
        return true;
    }
    if datatype::is_concrete(types, a)
        && datatype::is_concrete(types, b)
        && entry::is_plain(types, a)
        && entry::is_plain(types, b)
        && !specificity
    {
        return true;
    }
    let (a, b) = (unionall::unwrap(types, a), unionall::unwrap(types, b));
    if let TypeData::Union(members) = types.data(a) {
        return members.iter().all(|&it| are_disjoint(types, it, b, specificity));
    }
    if let TypeData::Union(members) = types.data(b) {
        return members.iter().all(|&it| are_disjoint(types, a, it, specificity));
    }
    let (TypeData::Data { name: na, .. }, TypeData::Data { name: nb, .. }) = (types.data(a), types.data(b))
    else {
        return false;
    };
    let (na, nb) = (*na, *nb);
    if a == Types::ANY || b == Types::ANY {
        return false;
    }
    let related = if datatype::inherits(types, a, nb) {
        datatype::ancestor(types, a, nb).map(|it| (it, b))
    } else if datatype::inherits(types, b, na) {
        datatype::ancestor(types, b, na).map(|it| (a, it))
    } else {
        // `Type{Int64}` and `DataType` share `Int64`.
        let type_name = TypeName::TYPE;
        return !(na == type_name && datatype::is_kind(types, b)
            || nb == type_name && datatype::is_kind(types, a));
    };
    if na != nb && specificity {
        return false;
    }
    related.is_some_and(|(a, b)| params_disjoint(types, a, b, specificity))
}

fn params_disjoint(types: &Types, a: Type, b: Type, specificity: bool) -> bool {
    let (pa, pb) = (datatype::params(types, a), datatype::params(types, b));
    let is_tuple = datatype::is_tuple(types, a);
    let open = |params: &[Type]| {
        is_tuple && matches!(params.last().map(|&it| types.data(it)), Some(TypeData::Vararg { .. }))
    };
    let (open_a, open_b) = (open(pa), open(pb));
    let (fixed_a, fixed_b) = (pa.len() - usize::from(open_a), pb.len() - usize::from(open_b));
    if is_tuple && !specificity {
        let too_short = |open: bool, len: usize, other: usize| !open && len < other;
        if too_short(open_a, fixed_a, fixed_b) || too_short(open_b, fixed_b, fixed_a) {
            return true;
        }
    }
    pa[..fixed_a]
        .iter()
        .zip(&pb[..fixed_b])
        .any(|(&x, &y)| param_disjoint(types, x, y, is_tuple, specificity))
}

fn param_disjoint(types: &Types, x: Type, y: Type, in_tuple: bool, specificity: bool) -> bool {
    match (types.data(x), types.data(y)) {
        // Parameters may be any type, `Union{}` included.
        (TypeData::Var { .. }, _) | (_, TypeData::Var { .. }) => false,
        (TypeData::Value(_), TypeData::Value(_)) => x != y,
        (TypeData::Value(_), _) => y != Types::ANY,
        (_, TypeData::Value(_)) => x != Types::ANY,
        (TypeData::Vararg { .. }, _) | (_, TypeData::Vararg { .. }) => false,
        (TypeData::Bottom, _) | (_, TypeData::Bottom) if in_tuple => false,
        _ => are_disjoint(types, x, y, specificity),
    }
}
