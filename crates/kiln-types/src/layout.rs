//! Where the fields of an instance lie: Julia's rules.

use crate::field_layout::MAX_ALIGN;
use crate::{
    FieldLayout, FieldStorage, FrontMutant, Layout, Module, Type, TypeData, TypeNameKind, Types, datatype,
    mutant, name_entry,
};

const POINTER: u32 = 8;
/// The largest atomic access.
const MAX_ATOMIC: u32 = 16;
/// Bytes of a lock.
const LOCK: u32 = 16;
/// The members of an inline union that a selector byte tells apart, at most.
const MAX_INLINE_MEMBERS: usize = 127;

/// Whether `new` may leave field `field` (from 0) of an instance of `object` unset: a reference is null then, and bits are
/// arbitrary.
pub fn may_be_undefined(types: &Types, object: Type, field: usize) -> bool {
    let is_whole = datatype::is_tuple(types, object) || datatype::is_named_tuple(types, object);
    !is_whole
        && datatype::name_of(types, object).is_some_and(|it| field >= types.type_name(it).def.fields_init_min)
}

/// Returns the layout of a type; `None` unless it is concrete and fully defined.
pub fn of(types: &Types, ty: Type) -> Option<&Layout> {
    of_within(types, ty, &mut Vec::new())
}

/// `within` lists the types in whose layout this one occurs: a type that would contain itself is stored by
/// reference.
fn of_within<'a>(types: &'a Types, ty: Type, within: &mut Vec<Type>) -> Option<&'a Layout> {
    let entry = types.entry(ty);
    if let Some(known) = entry.layout.get() {
        return known.as_ref();
    }
    if !entry.facts.concrete || within.contains(&ty) {
        return None;
    }
    let TypeData::Data { name, .. } = entry.data else { return None };
    let kind = name_entry::kind(types, name);
    let layout = match kind {
        TypeNameKind::Abstract => return None,
        TypeNameKind::Primitive { bits } => primitive_layout(bits),
        TypeNameKind::Struct { .. } | TypeNameKind::Tuple | TypeNameKind::NamedTuple => {
            let is_struct = matches!(kind, TypeNameKind::Struct { .. });
            if is_struct && types.type_name(name).field_types().is_none() {
                return None;
            }
            if within.iter().any(|&it| contains_inline(types, ty, it)) {
                return None;
            }
            within.push(ty);
            let fields = datatype::field_types(types, ty);
            let atomic = if is_struct { &types.type_name(name).def.atomic_fields[..] } else { &[] };
            let mut layout = of_struct(types, fields, atomic, within);
            if kind == TypeNameKind::Tuple
                && let Some(align) = vector_align(types, fields)
            {
                layout.align = layout.align.max(align);
                layout.size = layout.size.next_multiple_of(layout.align);
            }
            within.pop();
            layout
        }
    };
    entry.layout.get_or_init(|| Some(layout)).as_ref()
}

/// Whether the fields of `ty` that could be inline lead to `target`.
fn contains_inline(types: &Types, ty: Type, target: Type) -> bool {
    let mut seen = vec![ty];
    let mut todo = datatype::field_types(types, ty).to_vec();
    while let Some(ty) = todo.pop() {
        if ty == target {
            return true;
        }
        if let TypeData::Union(members) = types.data(ty) {
            todo.extend_from_slice(members);
        } else if datatype::is_concrete(types, ty) && !datatype::is_mutable(types, ty) && !seen.contains(&ty)
        {
            seen.push(ty);
            todo.extend_from_slice(datatype::field_types(types, ty));
        }
    }
    false
}

/// Computes a struct's layout; `atomic` marks atomic fields. An atomic field that fits a machine's atomic access
/// occupies a power of two; a larger one is guarded by a lock at the start of the struct.
fn of_struct(types: &Types, field_types: &[Type], atomic: &[bool], within: &mut Vec<Type>) -> Layout {
    let (mut size, mut align, mut pointer_free) = (0u32, 1u32, true);
    let shapes: Vec<_> = field_types.iter().map(|&ty| field_shape(types, ty, within)).collect();
    let is_atomic = |index: usize| atomic.get(index).copied().unwrap_or(false);
    if shapes.iter().enumerate().any(|(index, it)| is_atomic(index) && it.0 > MAX_ATOMIC) {
        size = LOCK;
    }
    let mut fields = Vec::with_capacity(field_types.len());
    for (index, (field_size, field_align, storage, free)) in shapes.into_iter().enumerate() {
        let whole = is_atomic(index) && field_size <= MAX_ATOMIC;
        let room = if whole { field_size.next_power_of_two() } else { field_size };
        let field_align = if whole && field_size > 0 { field_align.max(room) } else { field_align };
        if !mutant::is_set(types, FrontMutant::NoPadding) {
            size = size.next_multiple_of(field_align);
        }
        fields.push(FieldLayout { offset: size, size: field_size, storage });
        size += if field_size > 0 { room } else { 0 };
        align = align.max(field_align);
        pointer_free &= free;
    }
    Layout { size: size.next_multiple_of(align), align, pointer_free, fields: fields.into() }
}

/// The alignment of a tuple of `VecElement`s, which is an LLVM vector: its size, rounded up to a power of two.
fn vector_align(types: &Types, fields: &[Type]) -> Option<u32> {
    let (&first, rest) = fields.split_first()?;
    let name = &types.type_name(datatype::name_of(types, first)?).def;
    let is_element = name.module == Module::CORE && types.name(name.name) == "VecElement";
    let &[scalar] = datatype::field_types(types, first) else { return None };
    if mutant::is_set(types, FrontMutant::ElementAlignment) {
        return None;
    }
    if !is_element || !datatype::is_primitive(types, scalar) || rest.iter().any(|&it| it != first) {
        return None;
    }
    let size = of(types, scalar)?.size;
    let count = u32::try_from(fields.len()).ok()?;
    size.is_power_of_two().then(|| size.checked_mul(count)?.checked_next_power_of_two()).flatten()
}

fn field_shape(types: &Types, ty: Type, within: &mut Vec<Type>) -> (u32, u32, FieldStorage, bool) {
    if let TypeData::Union(members) = types.data(ty) {
        if let Some((size, align)) = inline_union(types, members, within) {
            let selector = u32::from(!mutant::is_set(types, FrontMutant::NoSelector));
            return (size + selector, align, FieldStorage::Union { members: members.clone() }, true);
        }
    } else if !datatype::is_mutable(types, ty)
        && let Some(layout) = of_within(types, ty, within)
        && (layout.pointer_free || always_initialized(types, ty))
    {
        return (layout.size, layout.align, FieldStorage::Inline, layout.pointer_free);
    }
    (POINTER, POINTER, FieldStorage::Pointer, false)
}

/// Whether values can be made without an allocation: bits, `Symbol`s, which exist once each, and immutable structs
/// and tuples of these that hold no boxes.
pub fn is_flat(types: &Types, ty: Type) -> bool {
    if ty == types.core().symbol || is_bits(types, ty) {
        return true;
    }
    let Some(layout) = of(types, ty).filter(|_| !datatype::is_mutable(types, ty)) else { return false };
    datatype::field_types(types, ty).iter().zip(&layout.fields).all(|(field, place)| match place.storage {
        FieldStorage::Inline => is_flat(types, *field),
        FieldStorage::Pointer => *field == types.core().symbol,
        FieldStorage::Union { .. } => true,
    })
}

/// An inline value with pointers must have them all set: a null would be taken for an undefined field.
fn always_initialized(types: &Types, ty: Type) -> bool {
    let Some(name) = datatype::name_of(types, ty) else { return false };
    match name_entry::kind(types, name) {
        TypeNameKind::Struct { .. } => {
            let def = &types.type_name(name).def;
            def.fields_init_min >= def.field_names.len()
        }
        TypeNameKind::Tuple | TypeNameKind::NamedTuple | TypeNameKind::Primitive { .. } => true,
        TypeNameKind::Abstract => false,
    }
}

fn inline_union(types: &Types, members: &[Type], within: &mut Vec<Type>) -> Option<(u32, u32)> {
    if members.len() > MAX_INLINE_MEMBERS {
        return None;
    }
    let (mut size, mut align) = (0, 1);
    for &member in members {
        if datatype::is_mutable(types, member) {
            return None;
        }
        let layout = of_within(types, member, within).filter(|it| it.pointer_free)?;
        size = size.max(layout.size);
        align = align.max(layout.align);
    }
    Some((size, align))
}

fn primitive_layout(bits: u32) -> Layout {
    let size = bits / 8;
    let align = size.next_power_of_two().min(MAX_ALIGN);
    Layout { size, align, pointer_free: true, fields: Box::default() }
}

/// Whether values of a type are plain bits: it is concrete, immutable and pointer-free.
pub fn is_bits(types: &Types, ty: Type) -> bool {
    datatype::is_concrete(types, ty)
        && !datatype::is_mutable(types, ty)
        && of(types, ty).is_some_and(|it| it.pointer_free)
}
