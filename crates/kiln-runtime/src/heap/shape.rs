//! `Shape`: everything the heap needs in order to hold, load, store and trace values of a concrete type, computed
//! once per type from `layout::of`.

use kiln_types::{
    ConstData, CoreTypes, FieldStorage, Type, TypeData, TypeNameKind, Types, boxing, consts, datatype,
    identity, layout,
};
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

/// The representation of values of a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ObjectForm {
    /// In the bits of a [`Value`](super::Value).
    Inline,
    /// An object with fields in Julia's layout (or the bytes of a large primitive type).
    Struct,
    /// `{ length: u64, bytes, NUL }`.
    String,
    /// `{ length: u64, pointers }`.
    Svec,
    /// `{ length: u64, data: u64 }`, then the elements, then a selector byte an element of a union.
    Memory(ElementLayout),
}

/// The representation of a field or element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldSlot {
    /// The bytes of a value of exactly this type.
    Inline(Type),
    /// The address of an object, 0 when undefined.
    Pointer,
    /// The bytes of one of these isbits types, selected by a selector byte.
    Union(Box<[Type]>),
}

/// The layout of the elements of a `Memory`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ElementLayout {
    /// The element type as declared.
    pub ty: Type,
    /// The representation of one element. Selectors of a union follow all elements.
    pub slot: FieldSlot,
    /// Bytes from one element to the next.
    pub stride: u32,
    /// Whether accesses must be atomic.
    pub atomic: bool,
    /// The type of references to such a memory.
    pub ref_type: Type,
}

impl ElementLayout {
    /// Whether a `MemoryRef` holds an index (from 0) instead of an address: elements without size, and unions.
    pub fn by_index(&self) -> bool {
        self.stride == 0 || matches!(self.slot, FieldSlot::Union(_))
    }
}

/// A field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldShape {
    /// Its declared type, parameters filled in.
    pub ty: Type,
    /// Bytes from the start of the data.
    pub offset: u32,
    /// Bytes it takes; the last one is the selector of a union.
    pub size: u32,
    /// The representation of the field.
    pub slot: FieldSlot,
    /// `const` in a mutable struct, or any field of an immutable one.
    pub constant: bool,
    /// `@atomic`.
    pub atomic: bool,
}

/// See the module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The type.
    pub ty: Type,
    /// The representation of values.
    pub form: ObjectForm,
    /// Bytes of the data of an inline value or struct.
    pub size: u32,
    /// Alignment of the data.
    pub align: u32,
    /// Values have identity.
    pub mutable: bool,
    /// Concrete, immutable, pointer-free.
    pub is_bits: bool,
    /// A `GenericMemoryRef`.
    pub is_ref: bool,
    /// A `WeakRef`, whose field keeps nothing alive.
    pub is_weak: bool,
    /// The bits are a number that names something (a type, a symbol, a method).
    pub is_name: bool,
    /// Plain bits without fields and of nonzero size: the operands of intrinsics.
    pub primitive: bool,
    /// Equal bytes mean equal values: no padding, no pointer, no union inside.
    pub plain: bool,
    /// Fields, in order.
    pub fields: Box<[FieldShape]>,
    /// The number of leading fields that `new` requires.
    pub fields_required: u32,
    /// Offsets of all pointers in the data, those of inline fields included.
    pub pointers: Box<[u32]>,
}

/// Bytes of `{ length, data }` before the elements of a memory.
pub(super) const ELEMENTS: u64 = 16;
/// Types per leaf of the table of shapes.
const LEAF: usize = 64;
/// More than any session has types.
const TYPES_MAX: usize = 1 << 23;

/// The shapes of all types seen, by number. Reading is two loads, no lock. Unused shapes take no memory: a process
/// uses few hundred types of an image's tens of thousands.
#[derive(Debug)]
pub(super) struct Shapes {
    leaves: Box<[AtomicPtr<Leaf>]>,
}

type Leaf = [AtomicPtr<Shape>; LEAF];

impl Shapes {
    pub(super) fn new() -> Self {
        // SAFETY: zero is the null pointer, as which every entry begins; zeroed pages are not touched.
        Self { leaves: unsafe { Box::new_zeroed_slice(TYPES_MAX / LEAF).assume_init() } }
    }

    /// The shape of a concrete type; `None` for any other type.
    #[inline]
    pub(super) fn get(&self, types: &Types, ty: Type) -> Option<&Shape> {
        let (leaf, at) = (ty.index() / LEAF, ty.index() % LEAF);
        // SAFETY: an entry is null or what `make` has put there, which stays until the table is dropped.
        let found = unsafe {
            let leaf = self.leaves[leaf].load(Ordering::Acquire).as_ref();
            leaf.and_then(|it| it[at].load(Ordering::Acquire).as_ref())
        };
        found.or_else(|| self.make(types, ty))
    }

    #[cold]
    fn make(&self, types: &Types, ty: Type) -> Option<&Shape> {
        // A type becomes concrete when its fields are set, so only success is remembered.
        let shape = Builder { types, core: types.core(), shapes: self }.build(ty)?;
        let leaf = get_or_init(&self.leaves[ty.index() / LEAF], || {
            [const { AtomicPtr::new(ptr::null_mut()) }; LEAF]
        });
        Some(get_or_init(&leaf[ty.index() % LEAF], || shape))
    }
}

/// Returns the contents of `place`, made now if it is empty. Another thread may be the first.
fn get_or_init<T>(place: &AtomicPtr<T>, make: impl FnOnce() -> T) -> &T {
    let mut kept = place.load(Ordering::Acquire);
    if kept.is_null() {
        let made = Box::into_raw(Box::new(make()));
        kept = match place.compare_exchange(ptr::null_mut(), made, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => made,
            Err(first) => {
                // SAFETY: it was made just now, and no other thread has seen it.
                drop(unsafe { Box::from_raw(made) });
                first
            }
        };
    }
    // SAFETY: only boxes are put in places, and they are freed with them.
    unsafe { &*kept }
}

impl Drop for Shapes {
    fn drop(&mut self) {
        let owned = |it: *mut Leaf| {
            // SAFETY: places hold boxes or nothing, and the table has no other owner.
            (!it.is_null()).then(|| unsafe { Box::from_raw(it) })
        };
        for leaf in self.leaves.iter_mut().filter_map(|it| owned(*it.get_mut())) {
            for shape in leaf.map(AtomicPtr::into_inner).into_iter().filter(|it| !it.is_null()) {
                // SAFETY: as above.
                drop(unsafe { Box::from_raw(shape) });
            }
        }
    }
}

struct Builder<'a> {
    types: &'a Types,
    core: &'a CoreTypes,
    shapes: &'a Shapes,
}

impl Builder<'_> {
    fn build(&self, ty: Type) -> Option<Shape> {
        if identity::is_held_as_number(self.types, ty) {
            return Some(Shape { is_name: true, ..simple(ty, ObjectForm::Inline, 8, false) });
        }
        if ty == self.core.string {
            return Some(simple(ty, ObjectForm::String, 8, false));
        }
        if ty == self.core.simple_vector {
            return Some(simple(ty, ObjectForm::Svec, 8, false));
        }
        if !datatype::is_concrete(self.types, ty) {
            return None;
        }
        if datatype::name_of(self.types, ty) == datatype::name_of(self.types, self.core.generic_memory) {
            return self.memory(ty);
        }
        self.structure(ty)
    }

    fn memory(&self, ty: Type) -> Option<Shape> {
        let params = datatype::params(self.types, ty);
        let elem = params.get(1).copied()?;
        let (slot, stride) = self.element(elem);
        let kind = self.types.const_data(consts::of_type(self.types, params[0]));
        let atomic = matches!(kind, ConstData::Symbol(name) if self.types.name(*name) == "atomic");
        let ref_type = self.types.apply(self.core.generic_memory_ref, params).ok()?;
        let element = ElementLayout { ty: elem, slot, stride, atomic, ref_type };
        let mut fields = self.structure(ty)?.fields;
        fields.iter_mut().for_each(|it| it.constant = true);
        Some(Shape { fields, ..simple(ty, ObjectForm::Memory(element), 16, true) })
    }

    fn element(&self, elem: Type) -> (FieldSlot, u32) {
        if let TypeData::Union(members) = self.types.data(elem) {
            let layouts: Option<Vec<_>> = members
                .iter()
                .map(|&it| layout::is_bits(self.types, it).then(|| layout::of(self.types, it)).flatten())
                .collect();
            return match layouts {
                Some(layouts) if layouts.len() < 127 => {
                    let size = layouts.iter().map(|it| it.size).max().unwrap_or(0);
                    let align = layouts.iter().map(|it| it.access_align()).max().unwrap_or(1);
                    (FieldSlot::Union(members.clone()), size.next_multiple_of(align.max(1)))
                }
                _ => (FieldSlot::Pointer, 8),
            };
        }
        if !datatype::is_concrete(self.types, elem) || datatype::is_mutable(self.types, elem) {
            return (FieldSlot::Pointer, 8);
        }
        // The rule for elements is the rule for fields: ask how a tuple would hold it.
        let holder = datatype::tuple(self.types, &[elem]);
        let inline = layout::of(self.types, holder).is_some_and(|it| {
            it.fields.first().is_some_and(|field| matches!(field.storage, FieldStorage::Inline))
        });
        match layout::of(self.types, elem) {
            Some(layout) if inline => {
                let held = self.shapes.get(self.types, elem).map_or(0, |it| it.size);
                assert!(held <= layout.size, "a value larger than its element");
                (FieldSlot::Inline(elem), layout.size.next_multiple_of(layout.align.max(1)))
            }
            _ => (FieldSlot::Pointer, 8),
        }
    }

    fn structure(&self, ty: Type) -> Option<Shape> {
        let layout = layout::of(self.types, ty)?;
        let mutable = datatype::is_mutable(self.types, ty);
        let is_bits = layout::is_bits(self.types, ty);
        let name = datatype::name_of(self.types, ty)?;
        let def = &self.types.type_name(name).def;
        let is_struct = matches!(def.kind, TypeNameKind::Struct { .. });
        let field_types = datatype::field_types(self.types, ty);
        let mut fields = Vec::with_capacity(layout.fields.len());
        for (index, (field, &field_ty)) in layout.fields.iter().zip(field_types).enumerate() {
            let slot = match &field.storage {
                FieldStorage::Inline => FieldSlot::Inline(field_ty),
                FieldStorage::Pointer => FieldSlot::Pointer,
                FieldStorage::Union { members } => FieldSlot::Union(members.clone()),
            };
            let flag = |flags: &[bool]| is_struct && flags.get(index).copied().unwrap_or(false);
            fields.push(FieldShape {
                ty: field_ty,
                offset: field.offset,
                size: field.size,
                slot,
                constant: !mutable || flag(&def.const_fields),
                atomic: flag(&def.atomic_fields),
            });
        }
        let (pointers, plain) = self.inside(&fields, layout.size)?;
        let inline = is_bits && layout.size <= 8;
        Some(Shape {
            ty,
            form: if inline { ObjectForm::Inline } else { ObjectForm::Struct },
            size: layout.size,
            align: layout.align,
            mutable,
            is_bits,
            is_ref: Some(name) == datatype::name_of(self.types, self.core.generic_memory_ref),
            is_weak: mutable && boxing::is_weak_reference(self.types, ty),
            is_name: false,
            primitive: is_bits && layout.size > 0 && datatype::is_primitive(self.types, ty),
            plain,
            fields_required: if is_struct { def.fields_init_min as u32 } else { fields.len() as u32 },
            fields: fields.into(),
            pointers: pointers.into(),
        })
    }

    /// Offsets of the pointers in the data, and whether bytes alone decide equality.
    fn inside(&self, fields: &[FieldShape], size: u32) -> Option<(Vec<u32>, bool)> {
        let mut pointers = Vec::new();
        let mut covered = 0;
        let mut plain = true;
        for field in fields {
            covered += field.size;
            match &field.slot {
                FieldSlot::Pointer => {
                    pointers.push(field.offset);
                    plain = false;
                }
                FieldSlot::Union(_) => plain = false,
                &FieldSlot::Inline(inner) => {
                    let inner = self.shapes.get(self.types, inner)?;
                    assert!(inner.size <= field.size, "a value larger than its field");
                    pointers.extend(inner.pointers.iter().map(|it| it + field.offset));
                    plain &= inner.plain;
                }
            }
        }
        Some((pointers, plain && (fields.is_empty() || covered == size)))
    }
}

fn simple(ty: Type, form: ObjectForm, size: u32, mutable: bool) -> Shape {
    Shape {
        ty,
        form,
        size,
        align: 8,
        mutable,
        is_bits: false,
        is_ref: false,
        is_weak: false,
        is_name: false,
        primitive: false,
        plain: true,
        fields: Box::default(),
        fields_required: 0,
        pointers: Box::default(),
    }
}
