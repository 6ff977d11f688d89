//! Type definitions, with Julia 1.12's arguments:
//!
//! * `_abstracttype(module, name, params::svec)`
//! * `_primitivetype(module, name, params::svec, bits::Int)`
//! * `_structtype(module, name, params::svec, fieldnames::svec, attributes::svec, mutable::Bool, ninitialized::Int)`,
//!   attributes being `index, :const` or `:atomic` pairs
//! * `_setsuper!(T, super)`
//! * `_typebody!(previous, T, [fieldtypes::svec])`: returns the type of the previous definition (or `false`) when
//!   both definitions are equal; `_typebody!(T, fieldtypes)` is accepted too
//! * `_equiv_typedef(old, new)::Bool`

use super::{bool_argument, int_argument, svec_argument, symbol_argument};
use crate::{Heap, Run, Value, exceptions};
use kiln_types::{
    Module, StructDef, Symbol, Type, TypeName, TypeNameKind, datatype, definition, equality, typevar,
    unionall,
};

fn module_argument(heap: &Heap, function: &str, value: Value) -> Run<Module> {
    value
        .as_module(heap.core())
        .ok_or_else(|| exceptions::type_error(heap, function, heap.core().module, value))
}

fn vars_argument(heap: &Heap, function: &str, value: Value) -> Run<Vec<Type>> {
    let core = heap.core();
    let mut vars = Vec::new();
    for it in svec_argument(heap, function, value)? {
        match it.as_type_like(core).filter(|_| it.ty() == core.type_var) {
            Some(var) => vars.push(var),
            None => return Err(exceptions::type_error(heap, function, core.type_var, it)),
        }
    }
    Ok(vars)
}

/// Reads module, name and parameters, the first arguments of every definition.
fn start(heap: &Heap, function: &str, args: &[Value], kind: TypeNameKind) -> Run<StructDef> {
    Ok(StructDef {
        module: module_argument(heap, function, args[0])?,
        name: symbol_argument(heap, function, args[1])?,
        kind,
        params: vars_argument(heap, function, args[2])?,
        field_names: Vec::new(),
        fields_init_min: 0,
        const_fields: Vec::new(),
        atomic_fields: Vec::new(),
    })
}

fn define(heap: &Heap, def: StructDef) -> Run {
    let name = definition::define(heap.types(), def);
    Ok(heap.type_value(heap.types().type_name(name).wrapper))
}

pub(super) fn abstracttype(heap: &Heap, args: &[Value]) -> Run {
    define(heap, start(heap, "_abstracttype", args, TypeNameKind::Abstract)?)
}

pub(super) fn primitivetype(heap: &Heap, args: &[Value]) -> Run {
    let mut def = start(heap, "_primitivetype", args, TypeNameKind::Primitive { bits: 0 })?;
    let name = heap.types().name(def.name);
    let Some(bits) = args[3].as_int(heap.core()) else {
        return Err(exceptions::error(heap, &format!("invalid declaration of primitive type {name}")));
    };
    if !(1..1 << 23).contains(&bits) || bits % 8 != 0 {
        return Err(exceptions::error(heap, &format!("invalid number of bits in primitive type {name}")));
    }
    def.kind = TypeNameKind::Primitive { bits: bits as u32 };
    define(heap, def)
}

pub(super) fn structtype(heap: &Heap, args: &[Value]) -> Run {
    let function = "_structtype";
    let mut def = start(heap, function, args, TypeNameKind::Struct { mutable: false })?;
    for name in svec_argument(heap, function, args[3])? {
        def.field_names.push(symbol_argument(heap, function, name)?);
    }
    let attributes = svec_argument(heap, function, args[4])?;
    let mutable = bool_argument(heap, function, args[5])?;
    let initialized = int_argument(heap, function, args[6])?;
    let count = def.field_names.len();
    if !(0..=count as i64).contains(&initialized) {
        return Err(exceptions::error(heap, "invalid number of initialized fields"));
    }
    def.kind = TypeNameKind::Struct { mutable };
    def.fields_init_min = initialized as usize;
    def.const_fields = vec![false; count];
    def.atomic_fields = vec![false; count];
    for pair in attributes.chunks(2) {
        let &[field, attribute] = pair else {
            return Err(exceptions::error(heap, "a field attribute without its name"));
        };
        let field = int_argument(heap, function, field)? - 1;
        let attribute = symbol_argument(heap, function, attribute)?;
        set_attribute(heap, &mut def, field, attribute)?;
    }
    define(heap, def)
}

fn set_attribute(heap: &Heap, def: &mut StructDef, field: i64, attribute: Symbol) -> Run<()> {
    let name = heap.types().name(attribute);
    let flags = match name {
        "atomic" => &mut def.atomic_fields,
        "const" => &mut def.const_fields,
        _ => return Err(exceptions::error(heap, &format!("invalid field attribute {name}"))),
    };
    match usize::try_from(field).ok().and_then(|it| flags.get_mut(it)) {
        Some(flag) => *flag = true,
        None => return Err(exceptions::error(heap, &format!("invalid field attribute {name}"))),
    }
    if name == "atomic" && def.kind == (TypeNameKind::Struct { mutable: false }) {
        return Err(exceptions::error(heap, "invalid field attribute atomic for immutable struct"));
    }
    Ok(())
}

fn definition(heap: &Heap, function: &str, value: Value) -> Run<TypeName> {
    let ty = value.as_type(heap.core());
    ty.and_then(|it| datatype::name_of(heap.types(), it))
        .ok_or_else(|| exceptions::type_error(heap, function, heap.core().data_type, value))
}

pub(super) fn setsuper(heap: &Heap, ty: Value, supertype: Value) -> Run {
    let (types, core) = (heap.types(), heap.core());
    let name = definition(heap, "_setsuper!", ty)?;
    let given = supertype.as_type(core).filter(|_| supertype.ty() == core.data_type);
    let problem = match given {
        None => Some("can only subtype data types"),
        Some(_) if types.type_name(name).has_supertype() => Some("type already has a supertype"),
        Some(given) if datatype::name_of(types, given) == Some(name) => Some("a type cannot subtype itself"),
        Some(given) if datatype::is_tuple(types, given) => Some("cannot subtype a tuple type"),
        Some(given) if datatype::is_named_tuple(types, given) => Some("cannot subtype a named tuple type"),
        Some(given) if types.subtype(given, core.type_) => Some("cannot add subtypes to Type"),
        Some(given) if types.subtype(given, core.builtin) => Some("cannot add subtypes to Core.Builtin"),
        Some(given) if !datatype::is_abstract(types, given) => Some("can only subtype abstract types"),
        Some(_) => None,
    };
    if let Some(problem) = problem {
        let shown = types.name(types.type_name(name).def.name);
        let message = format!("invalid subtyping in definition of {shown}: {problem}.");
        return Err(exceptions::error(heap, &message));
    }
    definition::set_supertype(types, name, given.unwrap_or(core.any));
    Ok(heap.nothing())
}

pub(super) fn typebody(heap: &Heap, args: &[Value]) -> Run {
    let core = heap.core();
    let short = args.len() == 2 && args[1].ty() == core.simple_vector;
    let (previous, ty, fields) =
        if short { (None, args[0], Some(args[1])) } else { (Some(args[0]), args[1], args.get(2).copied()) };
    let name = definition(heap, "_typebody!", ty)?;
    let Some(fields) = fields else { return Ok(ty) };
    let shown = heap.types().name(heap.types().type_name(name).def.name);
    let mut field_types = Vec::new();
    for field in svec_argument(heap, "_typebody!", fields)? {
        match field.as_type_like(core).filter(|_| field.ty() != core.typeof_vararg) {
            Some(it) => field_types.push(it),
            None => {
                let expected = heap.type_value(core.type_);
                return Err(exceptions::type_error_in(heap, shown, "type definition", expected, field));
            }
        }
    }
    let previous = previous.filter(|it| it.as_type(core).is_some());
    let Some(previous) = previous else {
        definition::set_fields(heap.types(), name, &field_types);
        return Ok(ty);
    };
    let old = definition(heap, "_typebody!", previous)?;
    // The fields may be in terms of the old definition's parameters.
    let types = heap.types();
    let params = |it: TypeName| &types.type_name(it).def.params[..];
    let renamed: Vec<Type> =
        field_types.iter().map(|&it| rename(heap, params(old), params(name), it)).collect();
    definition::set_fields(types, name, &renamed);
    Ok(if same_fields(heap, old, name) { previous } else { ty })
}

/// `ty` with each variable of `from` replaced by that of `to`.
fn rename(heap: &Heap, from: &[Type], to: &[Type], ty: Type) -> Type {
    from.iter().zip(to).fold(ty, |ty, (&var, &with)| unionall::substitute(heap.types(), ty, var, with))
}

/// Whether two definitions have the same fields.
fn same_fields(heap: &Heap, old: TypeName, new: TypeName) -> bool {
    let types = heap.types();
    let (old, new) = (types.type_name(old), types.type_name(new));
    let (Some(known), Some(given)) = (old.field_types(), new.field_types()) else { return false };
    known.len() == given.len()
        && known.iter().zip(given).all(|(&a, &b)| {
            let b = rename(heap, &new.def.params, &old.def.params, b);
            a == b
                || (!typevar::has_free_vars(types, a)
                    && !typevar::has_free_vars(types, b)
                    && equality::are_equal(types, a, b))
        })
}

/// Whether two definitions declare the same type: everything but the field types is compared.
pub(super) fn equiv_typedef(heap: &Heap, old: Value, new: Value) -> Run {
    let types = heap.types();
    let definition = |it: Value| it.as_type(heap.core()).and_then(|it| datatype::name_of(types, it));
    let (Some(old), Some(new)) = (definition(old), definition(new)) else {
        return Ok(heap.bool(false));
    };
    let (a, b) = (types.type_name(old), types.type_name(new));
    let same = a.def.name == b.def.name
        && a.def.module == b.def.module
        && a.def.kind == b.def.kind
        && a.def.field_names == b.def.field_names
        && a.def.fields_init_min == b.def.fields_init_min
        && a.def.const_fields == b.def.const_fields
        && a.def.atomic_fields == b.def.atomic_fields
        && a.def.params.len() == b.def.params.len()
        && same_params_and_super(heap, old, new);
    Ok(heap.bool(same))
}

fn same_params_and_super(heap: &Heap, old: TypeName, new: TypeName) -> bool {
    use kiln_types::TypeData;
    let types = heap.types();
    let (a, b) = (types.type_name(old), types.type_name(new));
    let rename = |ty: Type| rename(heap, &b.def.params, &a.def.params, ty);
    let params =
        a.def.params.iter().zip(&b.def.params).all(|(&p, &q)| match (types.data(p), types.data(q)) {
            (
                TypeData::Var { name: n, lower: l, upper: u, .. },
                TypeData::Var { name: m, lower: k, upper: v, .. },
            ) => n == m && *l == rename(*k) && *u == rename(*v),
            _ => false,
        });
    params && a.supertype() == rename(b.supertype())
}
