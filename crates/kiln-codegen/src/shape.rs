//! Shapes: the representation of Julia types in registers and in memory.
//!
//! `layout::of` is the authority on memory. In registers a ghost is nothing, a `Bool` is an `i1`, a `Ptr` a `ptr`,
//! an immutable struct an LLVM struct of its fields that are not ghosts, a homogeneous tuple an LLVM array, a union
//! of types `{ payload, i8 tag }` with the payload as one wide integer (only the tag if all members are ghosts), and
//! an object the address of its data. A value of less known type is the address of its box: see
//! [`object`](crate::object) for kernels, [`host`](crate::host) for host code.

use crate::error::{EmitError, InvalidBody, TypeRole, Unsupported};
use crate::llvm::{Module, Ty};
use kiln_targets::{Items, TargetFacts};
use kiln_types::{
    FieldStorage, Type, TypeData, Types, boxing, consts, datatype, definition, display, layout,
};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;

/// The elements of a homogeneous tuple in registers, at most.
const ARRAY_MAX: usize = 4096;

/// The kinds of register values.
#[derive(Clone, Debug)]
pub(crate) enum Form {
    /// Nothing.
    Ghost,
    /// `i1`, a byte in memory.
    Bool,
    /// `iN`.
    Int(u32),
    /// `half` or `bfloat`, `float`, `double`.
    Float(u32),
    /// A `ptr` that is a `Ptr{T}` or a `Core.LLVMPtr{T,AS}`. In memory it is an integer of its full size.
    Pointer,
    /// A `ptr` to the data of an object.
    Object,
    /// A struct.
    Fields(Vec<Field>),
    /// A tuple of one type that is not a ghost.
    Array {
        /// The type of each element.
        elem: Type,
        /// The number of elements.
        count: u32,
        /// The bytes from one element to the next.
        stride: u32,
    },
    /// One of several isbits types.
    Union {
        /// The members, by tag.
        members: Vec<Type>,
        /// The bytes of the largest member.
        payload: u32,
        /// The type that holds the bytes: an integer, or an array of integers that the target computes with.
        holder: Ty,
    },
}

/// A field of a struct.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    /// The declared type.
    pub(crate) ty: Type,
    /// The offset in memory.
    pub(crate) offset: u32,
    /// The index in the LLVM struct; `None` for ghosts.
    pub(crate) index: Option<u32>,
    /// The field holds the address of an object, whatever its type.
    pub(crate) by_address: bool,
}

/// The representation of a type.
#[derive(Debug)]
pub(crate) struct Shape {
    /// The kind of register value.
    pub(crate) form: Form,
    /// The type in registers; `None` for ghosts.
    pub(crate) llvm: Option<Ty>,
    /// The bytes in memory.
    pub(crate) size: u32,
    /// The alignment in memory.
    pub(crate) align: u32,
}

/// The shapes of one module, computed on demand.
pub(crate) struct Shapes<'a> {
    types: &'a Types,
    module: &'a Module,
    facts: &'a TargetFacts,
    in_kernel: bool,
    known: RefCell<FxHashMap<Type, Rc<Shape>>>,
}

impl<'a> Shapes<'a> {
    pub(crate) fn new(types: &'a Types, module: &'a Module, facts: &'a TargetFacts, in_kernel: bool) -> Self {
        Self { types, module, facts, in_kernel, known: RefCell::default() }
    }

    /// Returns the shape of a type.
    ///
    /// # Errors
    /// Fails if compiled code cannot hold values of the type in registers.
    pub(crate) fn of(&self, ty: Type) -> Result<Rc<Shape>, EmitError> {
        if let Some(known) = self.known.borrow().get(&ty) {
            return Ok(known.clone());
        }
        let shape = Rc::new(self.make(ty)?);
        self.known.borrow_mut().insert(ty, shape.clone());
        Ok(shape)
    }

    /// Returns the shape of a field; with `by_address`, everything but plain data is the address of an object.
    pub(crate) fn of_field(&self, ty: Type, by_address: bool) -> Result<Rc<Shape>, EmitError> {
        if by_address { Ok(Rc::new(self.object())) } else { self.of(ty) }
    }

    fn object(&self) -> Shape {
        Shape { form: Form::Object, llvm: Some(self.module.ptr()), size: 8, align: 8 }
    }

    fn make(&self, ty: Type) -> Result<Shape, EmitError> {
        let types = self.types;
        let ghost = Shape { form: Form::Ghost, llvm: None, size: 0, align: 1 };
        if ty == Types::BOTTOM
            || datatype::type_type_param(types, ty).is_some()
            || definition::singleton(types, ty).is_some()
        {
            return Ok(ghost);
        }
        if let TypeData::Union(members) = types.data(ty) {
            return self.union(ty, members);
        }
        if !datatype::is_concrete(types, ty) || datatype::is_mutable(types, ty) {
            return Ok(self.object());
        }
        let Some(layout) = layout::of(types, ty) else {
            return Err(Unsupported::of_type(TypeRole::Layout, display::of_type(types, ty)));
        };
        let (size, align) = (layout.size, layout.access_align());
        if datatype::is_primitive(types, ty) {
            let (form, llvm) = self.primitive(ty, size * 8)?;
            return Ok(Shape { form, llvm: Some(llvm), size, align });
        }
        if size == 0 {
            return Ok(ghost);
        }
        self.structure(ty).map(|(form, llvm)| Shape { form, llvm: Some(llvm), size, align })
    }

    fn primitive(&self, ty: Type, bits: u32) -> Result<(Form, Ty), EmitError> {
        let (types, module) = (self.types, self.module);
        let core = types.core();
        let is = |wrapper: Type| datatype::name_of(types, ty) == datatype::name_of(types, wrapper);
        Ok(if ty == core.bool {
            (Form::Bool, module.int(1))
        } else if ty == core.bfloat16 {
            (Form::Float(16), module.bfloat())
        } else if ty == core.float16 || ty == core.float32 || ty == core.float64 {
            (Form::Float(bits), module.float(bits))
        } else if is(core.ptr) {
            (Form::Pointer, module.ptr())
        } else if is(core.llvm_ptr) {
            (Form::Pointer, module.ptr_in(self.space(ty)?))
        } else {
            (Form::Int(bits), module.int(bits))
        })
    }

    /// Returns the address space of an `LLVMPtr`. A processor has a single one, whatever programs call its parts.
    fn space(&self, pointer: Type) -> Result<u32, EmitError> {
        if self.facts.items == Items::Loops {
            return Ok(self.facts.spaces.generic);
        }
        let number = match datatype::params(self.types, pointer).get(1).map(|it| self.types.data(*it)) {
            Some(TypeData::Value(number)) => consts::as_int(self.types, *number),
            _ => None,
        };
        let space = number.and_then(|it| self.facts.pointer_space(it));
        space.ok_or_else(|| {
            let (pointer, target) = (display::of_type(self.types, pointer), self.facts.name.clone());
            Unsupported::AddressSpace { pointer, target }.into()
        })
    }

    fn structure(&self, ty: Type) -> Result<(Form, Ty), EmitError> {
        let types = self.types;
        let layout = layout::of(types, ty).ok_or(InvalidBody::StructLayout)?;
        let field_types = datatype::field_types(types, ty);
        if datatype::is_tuple(types, ty)
            && field_types.len() > 1
            && field_types.windows(2).all(|it| it[0] == it[1])
            && layout.fields.iter().all(|it| self.is_element(field_types[0], &it.storage) && it.size > 0)
        {
            if field_types.len() > ARRAY_MAX {
                return Err(Unsupported::of_type(TypeRole::LongTuple, display::of_type(types, ty)));
            }
            let elem = self.of(field_types[0])?;
            let llvm = elem.llvm.ok_or(InvalidBody::GhostSize)?;
            let (count, stride) = (field_types.len() as u32, layout.fields[1].offset);
            let form = Form::Array { elem: field_types[0], count, stride };
            return Ok((form, self.module.array(llvm, count.into())));
        }
        let (mut fields, mut llvm) = (Vec::new(), Vec::new());
        for (&field_ty, place) in field_types.iter().zip(&layout.fields) {
            let by_address = place.storage == FieldStorage::Pointer;
            let shape = self.of_field(field_ty, by_address)?;
            let index = shape.llvm.map(|it| {
                llvm.push(it);
                llvm.len() as u32 - 1
            });
            fields.push(Field { ty: field_ty, offset: place.offset, index, by_address });
        }
        Ok((Form::Fields(fields), self.module.structure(&llvm)))
    }

    /// Whether a field is stored like an independent value of its type.
    fn is_element(&self, ty: Type, storage: &FieldStorage) -> bool {
        match storage {
            FieldStorage::Inline => true,
            FieldStorage::Pointer => self.of(ty).is_ok_and(|it| matches!(it.form, Form::Object)),
            FieldStorage::Union { .. } => false,
        }
    }

    fn union(&self, ty: Type, members: &[Type]) -> Result<Shape, EmitError> {
        let types = self.types;
        // Unions that the host reads are laid out as in objects.
        let is_tagged =
            if self.in_kernel { !boxing::is_boxed(types, ty) } else { boxing::is_tagged_on_host(types, ty) };
        if !is_tagged {
            return Ok(self.object());
        }
        let (mut payload, mut align) = (0, 1);
        for &member in members {
            let shape = self.of(member)?;
            payload = payload.max(shape.size);
            align = align.max(shape.align);
        }
        let tag = self.module.int(8);
        let holder = self.holder(payload, align);
        let llvm = if payload == 0 { tag } else { self.module.structure(&[holder, tag]) };
        let form = Form::Union { members: members.to_vec(), payload, holder };
        Ok(Shape { form, llvm: Some(llvm), size: payload + 1, align })
    }

    /// Returns the type that holds the largest member of a union.
    fn holder(&self, bytes: u32, align: u32) -> Ty {
        if self.facts.have_int128 || matches!(bytes, 0 | 1 | 2 | 4 | 8) || self.facts.items == Items::Loops {
            return self.module.int(bytes.max(1) * 8);
        }
        let word = align.min(8).min(1 << bytes.trailing_zeros());
        self.module.array(self.module.int(word * 8), (bytes / word).into())
    }
}
