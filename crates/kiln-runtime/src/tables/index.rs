//! An index of the methods of a table by the type names of the callee and of the first argument: the candidates for a
//! signature.

use super::signature_index::SignatureIndex;
use super::{ArgKey, MethodId, World};
use kiln_bytes::{Read, Reader, Writer};
use kiln_types::freeze::{ImageBytes, ImageError};
use kiln_types::{Type, TypeData, TypeName, TypeNameKind, Types, datatype, unionall};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// The key that one position of a method's signature is filed under.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Key {
    /// Instances of the type of this name, or of its subtypes if it is abstract.
    Name(TypeName),
    /// The type of this name as a value: `Type{Array{T, 1}}`.
    TypeOf(TypeName),
    /// Any type as a value: `Type{T} where T`, `DataType`.
    AnyType,
    /// Everything else: `Any`, unions, `Vararg`, a missing position.
    Open,
}

impl Key {
    /// The key as a number, by which an image orders and finds methods.
    fn number(self) -> u32 {
        match self {
            Key::Name(name) => name.index() as u32 * 4,
            Key::TypeOf(name) => name.index() as u32 * 4 + 1,
            Key::AnyType => 2,
            Key::Open => 3,
        }
    }
}

/// Where to look for the methods that match one position of a signature.
pub(super) enum Probe {
    /// Methods filed under any of these.
    Keys(Vec<Key>),
    /// No key tells.
    All,
}

/// Returns the key of position `at` of a method with signature `sig`.
pub(super) fn method_key(types: &Types, sig: Type, at: usize) -> Key {
    let body = unionall::unwrap(types, sig);
    datatype::params(types, body).get(at).map_or(Key::Open, |&it| position_key(types, it))
}

/// Returns the key of methods whose callee is exactly this: their `method_key` at position 0, without their types.
pub(super) fn callee_key(types: &Types, callee: ArgKey) -> Key {
    let ty = callee.type_index();
    if callee.is_type_value() { type_key(types, ty) } else { position_key(types, ty) }
}

fn position_key(types: &Types, ty: Type) -> Key {
    match types.data(ty) {
        TypeData::UnionAll { body, .. } => position_key(types, *body),
        TypeData::Var { upper, .. } => position_key(types, *upper),
        TypeData::Data { name, params } => {
            let core = types.core();
            if ty == core.any {
                Key::Open
            } else if Some(*name) == datatype::name_of(types, core.type_) {
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
    match types.data(unionall::unwrap(types, param)) {
        TypeData::Data { name, .. } => Key::TypeOf(*name),
        TypeData::Var { .. }
        | TypeData::UnionAll { .. }
        | TypeData::Bottom
        | TypeData::Union(_)
        | TypeData::Vararg { .. }
        | TypeData::Value(_) => Key::AnyType,
    }
}

/// Whether instances of this type are types.
fn is_kind(types: &Types, ty: Type) -> bool {
    let core = types.core();
    [core.data_type, core.union_all, core.union_type, core.typeof_bottom].contains(&ty)
}

/// The keys under which methods may be filed that match `ty` in some position.
pub(super) fn probe(types: &Types, ty: Type) -> Probe {
    if let Some(param) = datatype::type_type_param(types, ty) {
        let mut keys = vec![Key::AnyType, Key::Open];
        let key = type_key(types, param);
        if key != Key::AnyType {
            keys.push(key);
        }
        return Probe::Keys(keys);
    }
    if let key @ Key::TypeOf(_) = position_key(types, ty) {
        // `Type{Array{T, 1}} where T`: one of the types of this name.
        return Probe::Keys(vec![Key::AnyType, Key::Open, key]);
    }
    let body = unionall::unwrap(types, ty);
    let name = datatype::name_of(types, body).filter(|_| !is_kind(types, ty));
    // All types of the name of a struct have supertypes of the same names.
    let has_instances = |it: &TypeName| {
        matches!(types.type_name(*it).def.kind, TypeNameKind::Struct { .. } | TypeNameKind::Primitive { .. })
    };
    let Some(name) = name.filter(|it| datatype::is_concrete(types, ty) || has_instances(it)) else {
        return Probe::All;
    };
    let mut keys = vec![Key::Open, Key::Name(name)];
    let mut at = unionall::unwrap(types, types.type_name(name).supertype());
    while let Some(name) = datatype::name_of(types, at).filter(|_| at != types.core().any) {
        keys.push(Key::Name(name));
        at = unionall::unwrap(types, types.type_name(name).supertype());
    }
    Probe::Keys(keys)
}

/// Whether types filed under these keys may have a common instance.
pub(super) fn may_meet(types: &Types, a: Key, b: Key) -> bool {
    match (a, b) {
        (Key::Open, _) | (_, Key::Open) => true,
        (Key::AnyType, Key::AnyType | Key::TypeOf(_)) | (Key::TypeOf(_), Key::AnyType) => true,
        (Key::TypeOf(a), Key::TypeOf(b)) => a == b,
        (Key::Name(a), Key::Name(b)) => descends_from(types, a, b) || descends_from(types, b, a),
        (Key::Name(_), Key::AnyType | Key::TypeOf(_)) | (Key::AnyType | Key::TypeOf(_), Key::Name(_)) => {
            false
        }
    }
}

/// Whether a type name is another or has it among its supertypes.
fn descends_from(types: &Types, name: TypeName, other: TypeName) -> bool {
    let above = |it: &TypeName| {
        let supertype = unionall::unwrap(types, types.type_name(*it).supertype());
        datatype::name_of(types, supertype).filter(|_| supertype != types.core().any)
    };
    std::iter::successors(Some(name), above).any(|it| it == other)
}

#[derive(Debug, Default)]
struct Bucket {
    all: Vec<MethodId>,
    /// Each with the key of its second argument: all methods with keywords are in one bucket.
    by_argument: FxHashMap<Key, Vec<(MethodId, Key)>>,
}

/// Buckets up to this size are not worth a second probe.
const SMALL_BUCKET: usize = 8;

/// The numbers of a record.
const FIELDS: usize = 5;
const RECORD: usize = 4 * FIELDS;

/// The methods of one table in an image, sorted: of each the keys of callee and first argument, its number, the key of the second
/// argument, and its [`arity`], 32 bits each. Searched in place: most methods that cannot match are not read.
#[derive(Debug, Default)]
struct FrozenIndex {
    bytes: ImageBytes,
    start: usize,
    len: usize,
}

/// The records of an index of these methods.
fn index_records(types: &Types, methods: impl Iterator<Item = (MethodId, Type)>) -> Vec<[u32; FIELDS]> {
    let key = |sig, at| method_key(types, sig, at).number();
    let record = |(id, sig): (MethodId, Type)| {
        [key(sig, 0), key(sig, 1), id.index() as u32, key(sig, 2), arity(types, sig).number()]
    };
    let mut records: Vec<[u32; FIELDS]> = methods.map(record).collect();
    records.sort_unstable();
    records
}

/// How many elements the tuples of a signature have.
#[derive(Clone, Copy)]
struct Arity {
    /// The smallest number.
    least: usize,
    /// Whether there may be more.
    is_open: bool,
}

fn arity(types: &Types, sig: Type) -> Arity {
    let elems = datatype::params(types, unionall::unwrap(types, sig));
    let is_open = elems.last().is_some_and(|it| matches!(types.data(*it), TypeData::Vararg { .. }));
    Arity { least: elems.len() - usize::from(is_open), is_open }
}

impl Arity {
    fn number(self) -> u32 {
        self.least as u32 * 2 + u32::from(self.is_open)
    }
    fn from_number(number: u32) -> Self {
        Self { least: number as usize / 2, is_open: number & 1 != 0 }
    }
    /// Whether some tuple has both.
    fn meets(self, other: Self) -> bool {
        (self.is_open || self.least >= other.least) && (other.is_open || other.least >= self.least)
    }
}

/// Which methods of an image may match a signature, among those that its callee and its first argument let pass.
struct Filter {
    arity: Arity,
    /// The numbers of keys under which the second argument may be filed; `None`: any.
    second: Option<Vec<u32>>,
}

impl Filter {
    fn of(types: &Types, sig: Type) -> Self {
        let second = datatype::params(types, unionall::unwrap(types, sig)).get(2).map(|&it| probe(types, it));
        let second = match second {
            Some(Probe::Keys(keys)) => Some(keys.into_iter().map(Key::number).collect()),
            Some(Probe::All) | None => None,
        };
        Self { arity: arity(types, sig), second }
    }

    fn takes(&self, record: [u32; FIELDS]) -> bool {
        let [_, _, _, second, arity] = record;
        self.arity.meets(Arity::from_number(arity)) && self.takes_second(second)
    }

    fn takes_second(&self, second: u32) -> bool {
        self.second.as_ref().is_none_or(|it| it.contains(&second))
    }
}

impl FrozenIndex {
    fn record(&self, at: usize) -> [u32; FIELDS] {
        let start = self.start + at * RECORD;
        std::array::from_fn(|it| self.bytes.u32_at(start + 4 * it))
    }
    /// The number of records before the first whose keys are not less than `bound`.
    fn position(&self, bound: [u32; 2]) -> usize {
        let (mut low, mut high) = (0, self.len);
        while low < high {
            let middle = (low + high) / 2;
            if self.keys(middle) < bound {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }
    fn keys(&self, at: usize) -> [u32; 2] {
        [0, 4].map(|it| self.bytes.u32_at(self.start + at * RECORD + it))
    }
    /// Where the methods of a callee are.
    fn of_callee(&self, callee: Key) -> Range<usize> {
        let callee = callee.number();
        self.position([callee, 0])..self.position([callee + 1, 0])
    }
    /// Where its methods of this first argument are.
    fn of_argument(&self, callee: Key, argument: Key) -> Range<usize> {
        let (callee, argument) = (callee.number(), argument.number());
        self.position([callee, argument])..self.position([callee, argument + 1])
    }
    fn methods(&self, range: Range<usize>) -> impl Iterator<Item = MethodId> + '_ {
        range.map(|it| MethodId::from_index(self.record(it)[2] as usize))
    }
    /// The methods of records that the filter takes.
    fn matching<'a>(
        &'a self,
        range: Range<usize>,
        filter: &'a Filter,
    ) -> impl Iterator<Item = MethodId> + 'a {
        let records = range.map(|it| self.record(it)).filter(|it| filter.takes(*it));
        records.map(|it| MethodId::from_index(it[2] as usize))
    }
}

/// The methods of one table: those of the image, and those defined since.
#[derive(Debug, Default)]
pub(super) struct TableIndex {
    frozen: FrozenIndex,
    all: Vec<MethodId>,
    by_callee: FxHashMap<Key, Bucket>,
    /// The last worlds in which methods of these keys were defined or deleted, those of the image apart.
    changes: SignatureIndex<Option<World>>,
}

impl TableIndex {
    pub(super) fn insert(&mut self, types: &Types, method: MethodId, sig: Type) {
        self.all.push(method);
        let bucket = self.by_callee.entry(method_key(types, sig, 0)).or_default();
        bucket.all.push(method);
        let filed = bucket.by_argument.entry(method_key(types, sig, 1)).or_default();
        filed.push((method, method_key(types, sig, 2)));
    }

    /// Notes that a method with this signature begins or ends to hold in `world`.
    pub(super) fn note_change(&mut self, types: &Types, sig: Type, world: World) {
        let last = self.changes.group(types, sig);
        *last = (*last).max(Some(world));
    }

    /// Whether a definition or deletion after `then` may have changed a look-up of `sig`.
    pub(super) fn may_have_changed(&self, types: &Types, sig: Type, then: World) -> bool {
        self.changes.meeting(types, sig).into_iter().flatten().any(|&it| it > then)
    }

    /// The methods filed under the same keys as one with signature `sig` is, those of equal signature among them.
    pub(super) fn filed_like(&self, types: &Types, sig: Type) -> Vec<MethodId> {
        let (callee, argument) = (method_key(types, sig, 0), method_key(types, sig, 1));
        let second = method_key(types, sig, 2);
        let filter = Filter::of(types, sig);
        let filed = self.frozen.of_argument(callee, argument);
        let mut found: Vec<MethodId> = self.frozen.matching(filed, &filter).collect();
        let own = self.by_callee.get(&callee).and_then(|it| it.by_argument.get(&argument));
        found.extend(own.into_iter().flatten().filter(|it| it.1 == second).map(|it| it.0));
        found
    }

    /// Every method that could match `sig`, in the order of definition.
    pub(super) fn candidates(&self, types: &Types, sig: Type) -> Vec<MethodId> {
        let elems = datatype::params(types, unionall::unwrap(types, sig));
        let Some(Probe::Keys(callees)) = elems.first().map(|&it| probe(types, it)) else {
            return self.methods();
        };
        let argument = elems.get(1).map_or(Probe::All, |&it| probe(types, it));
        let filter = Filter::of(types, sig);
        let mut found = Vec::new();
        for callee in callees {
            let (frozen, bucket) = (self.frozen.of_callee(callee), self.by_callee.get(&callee));
            match &argument {
                Probe::Keys(keys) if frozen.len() + bucket.map_or(0, |it| it.all.len()) > SMALL_BUCKET => {
                    for &key in keys {
                        let filed = self.frozen.of_argument(callee, key);
                        found.extend(self.frozen.matching(filed, &filter));
                        let own = bucket.and_then(|it| it.by_argument.get(&key)).into_iter().flatten();
                        found.extend(own.filter(|it| filter.takes_second(it.1.number())).map(|it| it.0));
                    }
                }
                Probe::Keys(_) | Probe::All => {
                    found.extend(self.frozen.matching(frozen, &filter));
                    found.extend(bucket.map_or(&[][..], |it| &it.all));
                }
            }
        }
        found.sort_unstable();
        found
    }

    /// Whether a method defined since the image could match `sig`.
    pub(super) fn has_own_candidate(&self, types: &Types, sig: Type) -> bool {
        if self.all.is_empty() {
            return false;
        }
        let elems = datatype::params(types, unionall::unwrap(types, sig));
        let Some(Probe::Keys(callees)) = elems.first().map(|&it| probe(types, it)) else {
            return true;
        };
        let mut buckets = callees.iter().filter_map(|it| self.by_callee.get(it)).peekable();
        if buckets.peek().is_none() {
            return false;
        }
        match elems.get(1).map_or(Probe::All, |&it| probe(types, it)) {
            Probe::Keys(keys) => {
                buckets.any(|bucket| keys.iter().any(|it| bucket.by_argument.contains_key(it)))
            }
            Probe::All => true,
        }
    }

    /// All methods, in the order of definition.
    pub(super) fn methods(&self) -> Vec<MethodId> {
        let mut all: Vec<MethodId> = self.frozen.methods(0..self.frozen.len).collect();
        all.sort_unstable();
        all.extend(&self.all);
        all
    }

    /// Writes an index of methods with these signatures.
    pub(super) fn freeze(out: &mut Writer, types: &Types, methods: impl Iterator<Item = (MethodId, Type)>) {
        let records = index_records(types, methods);
        out.index(records.len());
        records.iter().flatten().for_each(|it| out.raw(&it.to_le_bytes()));
    }

    /// The index that `input`, which reads `bytes`, comes to next.
    pub(super) fn thaw(bytes: &ImageBytes, input: &mut Reader<'_>) -> Read<Self> {
        let len = input.count()?;
        let start = bytes.get().len() - input.rest().len();
        input.take(len * RECORD)?;
        let frozen = FrozenIndex { bytes: bytes.clone(), start, len };
        Ok(Self { frozen, ..Self::default() })
    }

    /// Checks that the data is an index of methods with these signatures.
    pub(super) fn check(
        &self,
        types: &Types,
        methods: impl Iterator<Item = (MethodId, Type)>,
    ) -> Result<(), ImageError> {
        let records = (0..self.frozen.len).map(|it| self.frozen.record(it));
        let same = records.eq(index_records(types, methods));
        if same { Ok(()) } else { Err(ImageError("an index of other methods")) }
    }
}
