//! Types, type variables and definitions seen as objects with fields: `T.parameters`, `U.body`, `T.name.module`.
//! They have no memory of their own; a field is computed when it is read.

use crate::heap::{allocation, constants, fields, identity, params, svecs};
use crate::{Heap, Value};
use kiln_types::{Type, TypeData, TypeName, datatype, definition, instance_checks};

const DATA_TYPE: &[&str] = &["name", "super", "parameters", "types", "instance", "hash"];
const UNION: &[&str] = &["a", "b"];
const UNION_ALL: &[&str] = &["var", "body"];
const TYPE_VAR: &[&str] = &["name", "lb", "ub"];
const VARARG: &[&str] = &["T", "N"];
const TYPE_NAME: &[&str] = &[
    "name",
    "module",
    "singletonname",
    "names",
    "atomicfields",
    "constfields",
    "wrapper",
    "n_uninitialized",
    "cache",
];

/// The names of the fields of a type-like value; `None` for any other value.
pub(super) fn names(heap: &Heap, value: Value) -> Option<&'static [&'static str]> {
    reflected_names(heap, value.ty())
}

/// Field `index` (from 0) of a type-like value; `None` when it is undefined, or the value has none.
pub fn reflected_field(heap: &Heap, value: Value, index: usize) -> Option<Value> {
    names(heap, value).filter(|it| index < it.len()).and_then(|_| field(heap, value, index))
}

/// Returns the names of the fields of values of this type, if the values are types or type-like: none of their fields
/// is in memory.
pub fn reflected_names(heap: &Heap, ty: Type) -> Option<&'static [&'static str]> {
    if !heap.shape(ty).is_some_and(|it| it.is_name) {
        return None;
    }
    let core = heap.core();
    let all = [
        (core.data_type, DATA_TYPE),
        (core.union_type, UNION),
        (core.union_all, UNION_ALL),
        (core.type_var, TYPE_VAR),
        (core.typeof_vararg, VARARG),
        (core.type_name, TYPE_NAME),
    ];
    all.iter().find(|(it, _)| *it == ty).map(|(_, names)| *names)
}

/// Returns the number of fields of a value.
pub(super) fn field_count(heap: &Heap, value: Value) -> usize {
    names(heap, value).map_or_else(|| fields::count(heap, value), <[_]>::len)
}

/// Field `index` (from 0) of a type-like value; `None` when it is undefined.
pub(super) fn field(heap: &Heap, value: Value, index: usize) -> Option<Value> {
    let core = heap.core();
    if let Some(name) = value.as_type_name(core) {
        return type_name_field(heap, name, TYPE_NAME.get(index)?);
    }
    let ty = value.as_type_like(core)?;
    match heap.types().data(ty) {
        TypeData::Data { .. } => data_type_field(heap, ty, DATA_TYPE.get(index)?),
        TypeData::Union(members) => match index {
            0 => Some(heap.type_value(members[0])),
            _ => Some(heap.type_value(heap.types().union(&members[1..]))),
        },
        TypeData::UnionAll { var, body } => Some(heap.type_value(if index == 0 { *var } else { *body })),
        TypeData::Var { name, lower, upper, .. } => Some(match index {
            0 => Value::symbol(core, *name),
            1 => heap.type_value(*lower),
            _ => heap.type_value(*upper),
        }),
        TypeData::Vararg { elem, count } => match index {
            0 => Some(params::value_of_param(heap, *elem)),
            _ => count.map(|it| params::value_of_param(heap, it)),
        },
        TypeData::Bottom | TypeData::Value(_) => None,
    }
}

fn params(heap: &Heap, params: &[Type]) -> Value {
    let values: Vec<Value> = params.iter().map(|&it| params::value_of_param(heap, it)).collect();
    part_of_type(heap, &values)
}

/// A list that Julia's type objects hold: reading it allocates nothing.
fn part_of_type(heap: &Heap, values: &[Value]) -> Value {
    allocation::uncounted(heap, || svecs::new(heap, values))
}

fn data_type_field(heap: &Heap, ty: Type, field: &str) -> Option<Value> {
    let types = heap.types();
    let name = datatype::name_of(types, ty)?;
    match field {
        "name" => Some(Value::type_name(heap.core(), name)),
        "super" => Some(heap.type_value(datatype::supertype(types, ty))),
        "parameters" => Some(params(heap, datatype::params(types, ty))),
        "types" => Some(params(heap, datatype::field_types(types, ty))),
        "instance" => definition::singleton(types, ty).map(|it| constants::value_of(heap, it)),
        // Zero where types that are equal may differ.
        _ => {
            let hash = if instance_checks::has_one_form(types, ty) {
                identity::object_id(heap, heap.type_value(ty)) as u32
            } else {
                0
            };
            Some(Value::inline(heap.core().int32, u64::from(hash)))
        }
    }
}

fn type_name_field(heap: &Heap, name: TypeName, field: &str) -> Option<Value> {
    let types = heap.types();
    let data = types.type_name(name);
    let core = heap.core();
    match field {
        // The type of a function `f` is named `#f`.
        "name" if data.is_of_function() => {
            let name = types.symbol(&format!("#{}", types.name(data.def.name)));
            Some(Value::symbol(core, name))
        }
        "name" => Some(Value::symbol(core, data.def.name)),
        "singletonname" => Some(Value::symbol(core, definition::function_name(types, name))),
        "module" => Some(Value::module(core, data.def.module)),
        "names" => {
            let names: Vec<Value> = data.def.field_names.iter().map(|&it| Value::symbol(core, it)).collect();
            Some(part_of_type(heap, &names))
        }
        "cache" => {
            let known: Vec<Value> =
                definition::instances(types, name).map(|it| heap.type_value(it)).collect();
            Some(part_of_type(heap, &known))
        }
        "wrapper" => Some(heap.type_value(data.wrapper)),
        "n_uninitialized" => {
            let missing = data.def.field_names.len().saturating_sub(data.def.fields_init_min);
            Some(Value::inline(core.int32, missing as u64))
        }
        // Julia keeps bit sets here, null when empty.
        _ => None,
    }
}
