//! Type definitions: `struct`, `abstract type`, `primitive type`, and the parts that are completed later.

use crate::{
    Const, ConstData, Module, StructDef, Symbol, Type, TypeData, TypeName, TypeNameData, TypeNameKind, Types,
    consts, datatype, layout, name_entry, typevar, unionall,
};
use std::sync::OnceLock;
use std::sync::atomic::Ordering;

/// Registers a definition. `def.params` are the variables its supertype and fields will mention.
pub fn define(types: &Types, def: StructDef) -> TypeName {
    define_as(types, def, false)
}

fn define_as(types: &Types, mut def: StructDef, of_function: bool) -> TypeName {
    // Nothing can ask for the definition before its id is returned, but interning its primary type asks
    // whether that is concrete: the entry comes first, the types made from it second.
    let kind = def.kind;
    let declared = def.params.clone();
    let name = name_entry::reserve(types, kind);
    types.unfinished.fetch_add(1, Ordering::AcqRel);
    let mut wrapper = types.intern(TypeData::Data { name, params: declared.clone().into() });
    for &var in declared.iter().rev() {
        wrapper = unionall::new(types, var, wrapper);
    }
    let (mut primary, mut params) = (wrapper, Vec::new());
    while let TypeData::UnionAll { var, body } = types.data(primary) {
        params.push(*var);
        primary = *body;
    }
    def.params = params;
    name_entry::fill(
        types,
        name,
        TypeNameData {
            def,
            primary,
            wrapper,
            declared,
            supertype: OnceLock::new(),
            field_types: OnceLock::new(),
            of_function,
        },
    );
    name
}

/// Fills in a definition that is its own wrapper.
pub(crate) fn fill_builtin_name(types: &Types, name: TypeName, def: StructDef, ty: Type) {
    let supertype = OnceLock::from(Types::ANY);
    let data = TypeNameData {
        def,
        primary: ty,
        wrapper: ty,
        declared: Vec::new(),
        supertype,
        field_types: OnceLock::from(Box::default()),
        of_function: false,
    };
    name_entry::fill(types, name, data);
}

/// Sets the supertype, in terms of the variables given to `define` or of `def.params`. Once.
pub fn set_supertype(types: &Types, name: TypeName, supertype: Type) {
    let data = types.type_name(name);
    let supertype = unionall::substitute_all(types, supertype, &data.declared, &data.def.params);
    if data.supertype.set(supertype).is_ok() {
        types.unfinished.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Sets the field types, in terms of the variables given to `define` or of `def.params`. Once.
pub fn set_fields(types: &Types, name: TypeName, field_types: &[Type]) {
    let data = types.type_name(name);
    let fields = field_types
        .iter()
        .map(|&ty| unionall::substitute_all(types, ty, &data.declared, &data.def.params))
        .collect::<Box<[_]>>();
    let _ = data.field_types.set(fields);
}

/// The types made so far by giving values to the parameters of a definition.
pub fn instances(types: &Types, name: TypeName) -> impl Iterator<Item = Type> {
    let has_params = !types.type_name(name).def.params.is_empty() || name == TypeName::TUPLE;
    let all = (0..if has_params { types.types.len() } else { 0 }).map(Type::from_index);
    let is_instance =
        move |it: &Type| matches!(types.data(*it), TypeData::Data { name: of, .. } if *of == name);
    all.filter(move |it| is_instance(it) && !typevar::has_free_vars(types, *it))
}

/// Makes a singleton type `name <: supertype` (the type of a function) and returns it.
pub fn define_singleton(types: &Types, name: Symbol, module: Module, supertype: Type) -> Type {
    let def = StructDef {
        name,
        module,
        kind: TypeNameKind::Struct { mutable: false },
        params: Vec::new(),
        field_names: Vec::new(),
        fields_init_min: 0,
        const_fields: Vec::new(),
        atomic_fields: Vec::new(),
    };
    let of_function = types.subtype(supertype, types.core().function);
    let id = define_as(types, def, of_function);
    set_supertype(types, id, supertype);
    set_fields(types, id, &[]);
    types.type_name(id).wrapper
}

/// The name of the functions of a type: of a closure type `#f#1` it is `f`, of that of an anonymous function, `##1#2` or
/// `#1#2`, it is `##1` or `#1`.
pub fn function_name(types: &Types, name: TypeName) -> Symbol {
    let data = types.type_name(name);
    let text = types.name(data.def.name);
    if data.of_function || data.supertype() != types.core().function {
        return data.def.name;
    }
    let Some(inner) = text.strip_prefix('#') else { return data.def.name };
    let is_anonymous = inner.starts_with(|it: char| it.is_ascii_digit())
        || inner.contains("##") && {
            // `#f##1#f##2`, as against `#g#f##2`.
            let function = inner.split("##").next().unwrap_or_default();
            inner.matches(&format!("{function}##")).count() > 1
        };
    let said = match (is_anonymous, inner.split_once("##")) {
        (true, Some((function, rest))) => {
            let number = rest.split('#').next().unwrap_or_default();
            return types.symbol(&format!("#{function}##{number}"));
        }
        (true, None) => return types.symbol(&format!("#{}", inner.split('#').next().unwrap_or_default())),
        (false, _) => inner.split('#').next().unwrap_or_default(),
    };
    types.symbol(said)
}

/// The instance of a singleton type, if `ty` is one.
pub fn singleton(types: &Types, ty: Type) -> Option<Const> {
    if ty == types.core().typeof_bottom {
        return Some(consts::of_type(types, Types::BOTTOM));
    }
    if !datatype::is_concrete(types, ty)
        || datatype::is_mutable(types, ty)
        || datatype::is_primitive(types, ty)
    {
        return None;
    }
    let layout = layout::of(types, ty)?;
    (layout.size == 0 && layout.pointer_free)
        .then(|| types.constant(ConstData::Bits { ty, bytes: Box::default() }))
}
