//! How values of a Julia type look in registers and in memory.
//!
//! `Types::layout` is the authority on memory. In registers a ghost is nothing, a `Bool` is an `i1`, a `Ptr` a `ptr`,
//! an immutable struct an LLVM struct of its fields that are not ghosts, a homogeneous tuple an LLVM array, a union of
//! types `{ payload, i8 tag }` with the payload as one wide integer (only the tag if all members are ghosts), and everything
//! that lives in the heap the address of its data. In kernels a value of which less is known is the address of its box: see
//! [`object`](crate::object).

use crate::error::{EmitError, InvalidBody, TypeRole, Unsupported};
use crate::llvm::{Module, Ty};
use kiln_targets::{Items, TargetFacts};
use kiln_types::{FieldStorage, Type, TypeData, Types};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;

/// Members a union in registers may have in host code.
const HOST_MEMBERS_MAX: usize = 4;
/// Elements a homogeneous tuple in registers may have.
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
    /// `ptr` that is a `Ptr{T}` or a `Core.LLVMPtr{T,AS}`. In memory it is an integer of its full size.
    Pointer,
    /// `ptr` to the data of an object in the heap.
    Object,
    /// A struct.
    Fields(Vec<Field>),
    /// A tuple of one type that is no ghost.
    Array {
        /// The type of each element.
        elem: Type,
        /// How many.
        count: u32,
        /// Bytes from one to the next.
        stride: u32,
    },
    /// One of several isbits types.
    Union {
        /// By tag.
        members: Vec<Type>,
        /// Bytes of the largest.
        payload: u32,
        /// The type that holds the bytes, if there are any: an integer, or integers that the target computes with.
        holder: Ty,
    },
}

/// A field of a struct.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    /// Declared type.
    pub(crate) ty: Type,
    /// In memory.
    pub(crate) offset: u32,
    /// In the LLVM struct; `None` for ghosts.
    pub(crate) index: Option<u32>,
    /// The field's value is an object's address whatever its type.
    pub(crate) by_address: bool,
}

/// The representation of a type.
#[derive(Debug)]
pub(crate) struct Shape {
    /// How it looks.
    pub(crate) form: Form,
    /// In registers; `None` for ghosts.
    pub(crate) llvm: Option<Ty>,
    /// Bytes in memory.
    pub(crate) size: u32,
    /// Alignment in memory.
    pub(crate) align: u32,
}

/// Shapes made so far, in one module.
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

    /// The shape of a type.
    ///
    /// # Errors
    /// When values of the type cannot be in registers of compiled code.
    pub(crate) fn of(&self, ty: Type) -> Result<Rc<Shape>, EmitError> {
        if let Some(known) = self.known.borrow().get(&ty) {
            return Ok(known.clone());
        }
        let shape = Rc::new(self.make(ty)?);
        self.known.borrow_mut().insert(ty, shape.clone());
        Ok(shape)
    }

    /// Like `of`, where anything that is not plain data is an object's address.
    pub(crate) fn of_field(&self, ty: Type, by_address: bool) -> Result<Rc<Shape>, EmitError> {
        if by_address { Ok(Rc::new(self.object())) } else { self.of(ty) }
    }

    fn object(&self) -> Shape {
        Shape { form: Form::Object, llvm: Some(self.module.ptr()), size: 8, align: 8 }
    }

    fn make(&self, ty: Type) -> Result<Shape, EmitError> {
        let types = self.types;
        let ghost = Shape { form: Form::Ghost, llvm: None, size: 0, align: 1 };
        if ty == Types::BOTTOM || types.type_type_param(ty).is_some() || types.singleton(ty).is_some() {
            return Ok(ghost);
        }
        if let TypeData::Union(members) = types.data(ty) {
            return self.union(ty, members);
        }
        if !types.is_concrete(ty) || types.is_mutable(ty) {
            return Ok(self.object());
        }
        let Some(layout) = types.layout(ty) else {
            return Err(Unsupported::of_type(TypeRole::Layout, types.display(ty)));
        };
        let (size, align) = (layout.size, layout.access_align());
        if types.is_primitive(ty) {
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
        let is = |wrapper: Type| types.name_of(ty) == types.name_of(wrapper);
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

    /// The address space that an `LLVMPtr` points into. The memory of a processor is one, whatever programs call its parts.
    fn space(&self, pointer: Type) -> Result<u32, EmitError> {
        if self.facts.items == Items::Loops {
            return Ok(self.facts.spaces.generic);
        }
        let number = match self.types.params(pointer).get(1).map(|it| self.types.data(*it)) {
            Some(TypeData::Value(number)) => self.types.const_as_int(*number),
            _ => None,
        };
        let space = number.and_then(|it| self.facts.pointer_space(it));
        space.ok_or_else(|| {
            let (pointer, target) = (self.types.display(pointer), self.facts.name.clone());
            Unsupported::AddressSpace { pointer, target }.into()
        })
    }

    fn structure(&self, ty: Type) -> Result<(Form, Ty), EmitError> {
        let types = self.types;
        let layout = types.layout(ty).ok_or(InvalidBody::StructLayout)?;
        let field_types = types.field_types(ty);
        if types.is_tuple(ty)
            && field_types.len() > 1
            && field_types.windows(2).all(|it| it[0] == it[1])
            && layout.fields.iter().all(|it| self.is_element(field_types[0], &it.storage) && it.size > 0)
        {
            if field_types.len() > ARRAY_MAX {
                return Err(Unsupported::of_type(TypeRole::LongTuple, types.display(ty)));
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

    /// Whether a field has in memory the bytes that a value of its type has.
    fn is_element(&self, ty: Type, storage: &FieldStorage) -> bool {
        match storage {
            FieldStorage::Inline => true,
            FieldStorage::Pointer => self.of(ty).is_ok_and(|it| matches!(it.form, Form::Object)),
            FieldStorage::Union { .. } => false,
        }
    }

    fn union(&self, ty: Type, members: &[Type]) -> Result<Shape, EmitError> {
        let types = self.types;
        // What the host is given of a union has the form that objects have there.
        let is_plain = members.len() <= HOST_MEMBERS_MAX && members.iter().all(|it| types.is_bits(*it));
        if self.in_kernel && types.is_boxed(ty) {
            return Ok(self.object());
        }
        if !self.in_kernel && !is_plain {
            return Err(Unsupported::of_type(TypeRole::HostUnion, types.display(ty)));
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
