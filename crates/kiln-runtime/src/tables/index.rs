//! Which methods of a table could match a signature: an index by the type name of the callee and of the first
//! argument.

use super::MethodId;
use kiln_types::{Type, TypeData, TypeName, Types};
use rustc_hash::FxHashMap;

/// What one position of a method's signature is filed under.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Key {
    /// Instances of the type of this name, or of its subtypes if it is abstract.
    Name(TypeName),
    /// The type of this name as a value: `Type{Array{T, 1}}`.
    TypeOf(TypeName),
    /// Any type as a value: `Type{T} where T`, `DataType`.
    AnyType,
    /// Everything else: `Any`, unions, `Vararg`, no such position.
    Open,
}

/// Where to look for the methods that match one position of a signature.
pub(super) enum Probe {
    /// Methods filed under any of these.
    Keys(Vec<Key>),
    /// No key tells.
    All,
}

/// What position `at` of a method with signature `sig` is filed under.
pub(super) fn method_key(types: &Types, sig: Type, at: usize) -> Key {
    let body = types.unwrap_unionall(sig);
    types.params(body).get(at).map_or(Key::Open, |&it| position_key(types, it))
}

fn position_key(types: &Types, ty: Type) -> Key {
    match types.data(ty) {
        TypeData::UnionAll { body, .. } => position_key(types, *body),
        TypeData::Var { upper, .. } => position_key(types, *upper),
        TypeData::Data { name, params } => {
            let core = types.core();
            if ty == core.any {
                Key::Open
            } else if Some(*name) == types.name_of(core.type_) {
                params.first().map_or(Key::AnyType, |&it| type_key(types, it))
            } else if is_kind(types, ty) {
                Key::AnyType
            } else {
                Key::Name(*name)
            }
        }
        TypeData::Bottom | TypeData::Union(_) | TypeData::Vararg { .. } | TypeData::Value(_) => Key::Open,
    }
}

fn type_key(types: &Types, param: Type) -> Key {
    match types.data(types.unwrap_unionall(param)) {
        TypeData::Data { name, .. } => Key::TypeOf(*name),
        TypeData::Var { .. }
        | TypeData::UnionAll { .. }
        | TypeData::Bottom
        | TypeData::Union(_)
        | TypeData::Vararg { .. }
        | TypeData::Value(_) => Key::AnyType,
    }
}

/// One of the types whose instances are types.
fn is_kind(types: &Types, ty: Type) -> bool {
    let core = types.core();
    [core.data_type, core.union_all, core.union_type, core.typeof_bottom].contains(&ty)
}

/// The keys under which methods may be filed that match `ty` in some position.
pub(super) fn probe(types: &Types, ty: Type) -> Probe {
    if let Some(param) = types.type_type_param(ty) {
        let mut keys = vec![Key::AnyType, Key::Open];
        let key = type_key(types, param);
        if key != Key::AnyType {
            keys.push(key);
        }
        return Probe::Keys(keys);
    }
    if !types.is_concrete(ty) || is_kind(types, ty) {
        return Probe::All;
    }
    let any = types.core().any;
    let mut keys = vec![Key::Open];
    let mut at = ty;
    while at != any {
        if let Some(name) = types.name_of(at) {
            keys.push(Key::Name(name));
        }
        at = types.supertype(at);
    }
    Probe::Keys(keys)
}

#[derive(Debug, Default)]
struct Bucket {
    all: Vec<MethodId>,
    by_argument: FxHashMap<Key, Vec<MethodId>>,
}

/// Buckets up to this size are not worth a second probe.
const SMALL_BUCKET: usize = 8;

/// The methods of one table.
#[derive(Debug, Default)]
pub(super) struct TableIndex {
    all: Vec<MethodId>,
    by_callee: FxHashMap<Key, Bucket>,
}

impl TableIndex {
    pub(super) fn insert(&mut self, types: &Types, method: MethodId, sig: Type) {
        self.all.push(method);
        let bucket = self.by_callee.entry(method_key(types, sig, 0)).or_default();
        bucket.all.push(method);
        bucket.by_argument.entry(method_key(types, sig, 1)).or_default().push(method);
    }

    /// The methods filed under the same keys as one with signature `sig` is, those of equal signature among them.
    pub(super) fn filed_like(&self, types: &Types, sig: Type) -> Vec<MethodId> {
        let bucket = self.by_callee.get(&method_key(types, sig, 0));
        bucket.and_then(|it| it.by_argument.get(&method_key(types, sig, 1))).cloned().unwrap_or_default()
    }

    /// Every method that could match `sig`, in the order of definition.
    pub(super) fn candidates(&self, types: &Types, sig: Type) -> Vec<MethodId> {
        let elems = types.params(types.unwrap_unionall(sig));
        let Some(Probe::Keys(callees)) = elems.first().map(|&it| probe(types, it)) else {
            return self.all.clone();
        };
        let argument = elems.get(1).map_or(Probe::All, |&it| probe(types, it));
        let mut found = Vec::new();
        for callee in callees {
            let Some(bucket) = self.by_callee.get(&callee) else { continue };
            match &argument {
                Probe::Keys(keys) if bucket.all.len() > SMALL_BUCKET => {
                    for key in keys {
                        found.extend(bucket.by_argument.get(key).into_iter().flatten());
                    }
                }
                Probe::Keys(_) | Probe::All => found.extend(&bucket.all),
            }
        }
        found.sort_unstable();
        found
    }

    pub(super) fn methods(&self) -> &[MethodId] {
        &self.all
    }
}
