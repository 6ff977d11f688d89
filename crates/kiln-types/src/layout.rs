//! Where the fields of an instance lie: Julia's rules.

use crate::{FrontMutant, Type, TypeData, TypeNameKind, Types};

/// The place of a field in an instance.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FieldLayout {
    /// Bytes from the start of the object's data.
    pub offset: u32,
    /// Bytes it occupies, the selector byte of an inline union included.
    pub size: u32,
    /// The storage of the field.
    pub storage: FieldStorage,
}

/// The storage of a field.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum FieldStorage {
    /// The bits of an isbits (or inline immutable) value.
    Inline,
    /// A pointer to a heap object, null when undefined.
    Pointer,
    /// The bits of one member of a union of isbits types, followed by a `u8` index into `members`.
    Union {
        /// The members, in the union's order.
        members: Box<[Type]>,
    },
}

/// Size and shape of an instance of a concrete type, Julia's rules.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Layout {
    /// Bytes of the data (without any header).
    pub size: u32,
    /// Alignment in bytes.
    pub align: u32,
    /// No pointers inside: an isbits type if it is immutable too.
    pub pointer_free: bool,
    /// One a field; empty for primitive types.
    pub fields: Box<[FieldLayout]>,
}

impl Layout {
    /// The alignment that code may assume of an address: offsets follow `align`, addresses are aligned to 16 at most.
    pub fn access_align(&self) -> u32 {
        self.align.min(MAX_ALIGN)
    }
}

const POINTER: u32 = 8;
/// The largest alignment of a primitive type, and of any address that the heap or a launch gives out.
const MAX_ALIGN: u32 = 16;
/// The largest atomic access.
const MAX_ATOMIC: u32 = 16;
/// Bytes of a lock.
const LOCK: u32 = 16;
/// A selector byte tells members apart.
const MAX_INLINE_MEMBERS: usize = 127;

impl Types {
    /// Whether `new` may leave field `field` (from 0) of an instance of `object` without a value of the program's: a reference is
    /// null then, and bits are any.
    pub fn may_be_undefined(&self, object: Type, field: usize) -> bool {
        let is_whole = self.is_tuple(object) || self.is_named_tuple(object);
        !is_whole && self.name_of(object).is_some_and(|it| field >= self.type_name(it).def.fields_init_min)
    }

    /// `None` unless concrete and fully defined.
    pub fn layout(&self, ty: Type) -> Option<&Layout> {
        self.layout_within(ty, &mut Vec::new())
    }

    /// `within` lists the types in whose layout this one occurs: a type that would contain itself is stored by
    /// reference.
    fn layout_within(&self, ty: Type, within: &mut Vec<Type>) -> Option<&Layout> {
        let entry = self.entry(ty);
        if let Some(known) = entry.layout.get() {
            return known.as_ref();
        }
        if !entry.concrete || within.contains(&ty) {
            return None;
        }
        let TypeData::Data { name, .. } = entry.data else { return None };
        let kind = self.name_kind(name);
        let layout = match kind {
            TypeNameKind::Abstract => return None,
            TypeNameKind::Primitive { bits } => primitive_layout(bits),
            TypeNameKind::Struct { .. } | TypeNameKind::Tuple | TypeNameKind::NamedTuple => {
                let is_struct = matches!(kind, TypeNameKind::Struct { .. });
                if is_struct && self.type_name(name).field_types().is_none() {
                    return None;
                }
                if within.iter().any(|&it| self.contains_inline(ty, it)) {
                    return None;
                }
                within.push(ty);
                let fields = self.field_types(ty);
                let atomic = if is_struct { &self.type_name(name).def.atomic_fields[..] } else { &[] };
                let mut layout = self.struct_layout(fields, atomic, within);
                if kind == TypeNameKind::Tuple
                    && let Some(align) = self.vector_align(fields)
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
    fn contains_inline(&self, ty: Type, target: Type) -> bool {
        let mut seen = vec![ty];
        let mut todo = self.field_types(ty).to_vec();
        while let Some(ty) = todo.pop() {
            if ty == target {
                return true;
            }
            if let TypeData::Union(members) = self.data(ty) {
                todo.extend_from_slice(members);
            } else if self.is_concrete(ty) && !self.is_mutable(ty) && !seen.contains(&ty) {
                seen.push(ty);
                todo.extend_from_slice(self.field_types(ty));
            }
        }
        false
    }

    /// Computes a struct's layout; `atomic` marks atomic fields. An atomic field that fits a machine's atomic access
    /// occupies a power of two; a larger one is guarded by a lock at the start of the struct.
    fn struct_layout(&self, field_types: &[Type], atomic: &[bool], within: &mut Vec<Type>) -> Layout {
        let (mut size, mut align, mut pointer_free) = (0u32, 1u32, true);
        let shapes: Vec<_> = field_types.iter().map(|&ty| self.field_shape(ty, within)).collect();
        let is_atomic = |index: usize| atomic.get(index).copied().unwrap_or(false);
        if shapes.iter().enumerate().any(|(index, it)| is_atomic(index) && it.0 > MAX_ATOMIC) {
            size = LOCK;
        }
        let mut fields = Vec::with_capacity(field_types.len());
        for (index, (field_size, field_align, storage, free)) in shapes.into_iter().enumerate() {
            let whole = is_atomic(index) && field_size <= MAX_ATOMIC;
            let room = if whole { field_size.next_power_of_two() } else { field_size };
            let field_align = if whole && field_size > 0 { field_align.max(room) } else { field_align };
            if !self.is_mutant(FrontMutant::NoPadding) {
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
    fn vector_align(&self, fields: &[Type]) -> Option<u32> {
        let (&first, rest) = fields.split_first()?;
        let name = &self.type_name(self.name_of(first)?).def;
        let is_element = name.module == self.core_module() && self.name(name.name) == "VecElement";
        let &[scalar] = self.field_types(first) else { return None };
        if self.is_mutant(FrontMutant::ElementAlignment) {
            return None;
        }
        if !is_element || !self.is_primitive(scalar) || rest.iter().any(|&it| it != first) {
            return None;
        }
        let size = self.layout(scalar)?.size;
        let count = u32::try_from(fields.len()).ok()?;
        size.is_power_of_two().then(|| size.checked_mul(count)?.checked_next_power_of_two()).flatten()
    }

    fn field_shape(&self, ty: Type, within: &mut Vec<Type>) -> (u32, u32, FieldStorage, bool) {
        if let TypeData::Union(members) = self.data(ty) {
            if let Some((size, align)) = self.inline_union(members, within) {
                let selector = u32::from(!self.is_mutant(FrontMutant::NoSelector));
                return (size + selector, align, FieldStorage::Union { members: members.clone() }, true);
            }
        } else if !self.is_mutable(ty)
            && let Some(layout) = self.layout_within(ty, within)
            && (layout.pointer_free || self.always_initialized(ty))
        {
            return (layout.size, layout.align, FieldStorage::Inline, layout.pointer_free);
        }
        (POINTER, POINTER, FieldStorage::Pointer, false)
    }

    /// Whether values can be made without an allocation: bits, `Symbol`s, which exist once each, and immutable structs
    /// and tuples of these that hold no boxes.
    pub fn is_flat(&self, ty: Type) -> bool {
        if ty == self.core().symbol || self.is_bits(ty) {
            return true;
        }
        let Some(layout) = self.layout(ty).filter(|_| !self.is_mutable(ty)) else { return false };
        self.field_types(ty).iter().zip(&layout.fields).all(|(field, place)| match place.storage {
            FieldStorage::Inline => self.is_flat(*field),
            FieldStorage::Pointer => *field == self.core().symbol,
            FieldStorage::Union { .. } => true,
        })
    }

    /// An inline value with pointers must have them all set: a null would be taken for an undefined field.
    fn always_initialized(&self, ty: Type) -> bool {
        let Some(name) = self.name_of(ty) else { return false };
        match self.name_kind(name) {
            TypeNameKind::Struct { .. } => {
                let def = &self.type_name(name).def;
                def.fields_init_min >= def.field_names.len()
            }
            TypeNameKind::Tuple | TypeNameKind::NamedTuple | TypeNameKind::Primitive { .. } => true,
            TypeNameKind::Abstract => false,
        }
    }

    fn inline_union(&self, members: &[Type], within: &mut Vec<Type>) -> Option<(u32, u32)> {
        if members.len() > MAX_INLINE_MEMBERS {
            return None;
        }
        let (mut size, mut align) = (0, 1);
        for &member in members {
            if self.is_mutable(member) {
                return None;
            }
            let layout = self.layout_within(member, within).filter(|it| it.pointer_free)?;
            size = size.max(layout.size);
            align = align.max(layout.align);
        }
        Some((size, align))
    }
}

fn primitive_layout(bits: u32) -> Layout {
    let size = bits / 8;
    let align = size.next_power_of_two().min(MAX_ALIGN);
    Layout { size, align, pointer_free: true, fields: Box::default() }
}
