//! The entry of a type in the interner: its data, and facts that are computed once.

use crate::{Layout, Symbol, Type, TypeData, TypeName, TypeNameKind, Types, name_entry};
use std::sync::OnceLock;

/// Ordinals from here on belong to variables that `typevar::new` made.
pub(crate) const FIRST_FRESH_ORDINAL: u32 = 1 << 31;
/// Ordinals from here on are for variables that substitution and subtyping rename bound variables to.
pub(crate) const FIRST_SCRATCH_ORDINAL: u32 = 1 << 30;

/// The facts that follow from the data of a type and of its parts.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TypeFacts {
    /// Free variables, sorted.
    pub(crate) free: Box<[Type]>,
    /// Above the ordinal of every variable bound inside.
    pub(crate) height: u32,
    /// Constructors nested inside each other.
    pub(crate) nesting: u32,
    pub(crate) concrete: bool,
    /// Built from `DataType`s and values alone, without `Type`, `Vararg` and variables: two such types are equal only
    /// if they are identical.
    pub(crate) plain: bool,
}

/// A type, with cached facts.
pub(crate) struct TypeEntry {
    pub(crate) data: TypeData,
    pub(crate) facts: TypeFacts,
    pub(crate) supertype: OnceLock<Type>,
    pub(crate) fields: OnceLock<Box<[Type]>>,
    pub(crate) field_names: OnceLock<Box<[Symbol]>>,
    pub(crate) layout: OnceLock<Option<Layout>>,
    pub(crate) hash: OnceLock<u128>,
    /// Whether it mentions a definition made since the image.
    pub(crate) mentions_program: OnceLock<bool>,
}

pub(crate) fn new(types: &Types, data: TypeData) -> TypeEntry {
    let facts = facts(types, &data);
    with_facts(data, facts)
}

pub(crate) fn facts(types: &Types, data: &TypeData) -> TypeFacts {
    let (free, height) = free_and_height(types, data);
    TypeFacts {
        concrete: free.is_empty() && concrete_data(types, data),
        plain: plain_data(types, data),
        free,
        height,
        nesting: nesting(types, data),
    }
}

/// An entry of data whose facts are known.
pub(crate) fn with_facts(data: TypeData, facts: TypeFacts) -> TypeEntry {
    TypeEntry {
        data,
        facts,
        supertype: OnceLock::new(),
        fields: OnceLock::new(),
        field_names: OnceLock::new(),
        layout: OnceLock::new(),
        hash: OnceLock::new(),
        mentions_program: OnceLock::new(),
    }
}

fn free_and_height(types: &Types, data: &TypeData) -> (Box<[Type]>, u32) {
    let mut free = Vec::new();
    let mut height = 0;
    let mut add = |ty: Type| {
        let entry = types.entry(ty);
        // A variable's own entry lists nothing.
        if matches!(entry.data, TypeData::Var { .. }) {
            free.push(ty);
        }
        free.extend_from_slice(&entry.facts.free);
        height = height.max(entry.facts.height);
    };
    match data {
        TypeData::Bottom | TypeData::Value(_) => {}
        TypeData::Data { params: parts, .. } | TypeData::Union(parts) => {
            parts.iter().copied().for_each(&mut add);
        }
        TypeData::Vararg { elem, count } => {
            add(*elem);
            count.iter().copied().for_each(&mut add);
        }
        // Bounds count where the variable is bound, not where it occurs.
        TypeData::Var { lower, upper, .. } => {
            return (Box::default(), types.entry(*lower).facts.height.max(types.entry(*upper).facts.height));
        }
        TypeData::UnionAll { var, body } => {
            add(*body);
            let bound = *var;
            free.retain(|&it| it != bound);
            if let TypeData::Var { lower, upper, ordinal, .. } = types.data(bound) {
                for bound in [*lower, *upper] {
                    if matches!(types.data(bound), TypeData::Var { .. }) {
                        free.push(bound);
                    }
                    free.extend_from_slice(&types.entry(bound).facts.free);
                    height = height.max(types.entry(bound).facts.height);
                }
                if *ordinal < FIRST_SCRATCH_ORDINAL {
                    height = height.max(ordinal + 1);
                }
            }
        }
    }
    if free.len() > 1 {
        free.sort_unstable();
        free.dedup();
    }
    (free.into(), height)
}

fn nesting(types: &Types, data: &TypeData) -> u32 {
    let of = |ty: Type| types.entry(ty).facts.nesting;
    let inside = match data {
        TypeData::Bottom | TypeData::Value(_) => 0,
        TypeData::Data { params: parts, .. } | TypeData::Union(parts) => {
            parts.iter().map(|&it| of(it)).max().unwrap_or(0)
        }
        TypeData::UnionAll { var, body } => of(*var).max(of(*body)),
        TypeData::Var { lower, upper, .. } => of(*lower).max(of(*upper)),
        TypeData::Vararg { elem, count } => of(*elem).max(count.map_or(0, of)),
    };
    inside + 1
}

fn concrete_data(types: &Types, data: &TypeData) -> bool {
    let TypeData::Data { name, params } = data else { return false };
    match name_entry::kind(types, *name) {
        TypeNameKind::Abstract => false,
        TypeNameKind::Primitive { .. } | TypeNameKind::Struct { .. } => true,
        TypeNameKind::Tuple => params.iter().all(|&it| types.entry(it).facts.concrete),
        TypeNameKind::NamedTuple => {
            matches!(params[..], [names, tuple] if lists_fields(types, tuple)
                && matches!(types.data(names), TypeData::Value(_)))
        }
    }
}

/// Whether a tuple type has a known number of elements.
fn lists_fields(types: &Types, tuple: Type) -> bool {
    let is_vararg = |it: &Type| matches!(types.data(*it), TypeData::Vararg { .. });
    let TypeData::Data { name, params } = types.data(tuple) else { return false };
    name_entry::kind(types, *name) == TypeNameKind::Tuple && !params.last().is_some_and(is_vararg)
}

fn plain_data(types: &Types, data: &TypeData) -> bool {
    match data {
        TypeData::Data { name, params } => {
            *name != TypeName::TYPE && params.iter().all(|&it| types.entry(it).facts.plain)
        }
        TypeData::Value(_) => true,
        TypeData::Bottom
        | TypeData::Union(_)
        | TypeData::UnionAll { .. }
        | TypeData::Var { .. }
        | TypeData::Vararg { .. } => false,
    }
}

pub(crate) fn is_plain(types: &Types, ty: Type) -> bool {
    types.entry(ty).facts.plain
}
