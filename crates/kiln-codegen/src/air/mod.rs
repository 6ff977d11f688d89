//! Modules of this LLVM as modules of LLVM 14: opaque pointers become typed ones.
//!
//! Every address is an `i8*` in its address space, and each use converts it to the type that it needs: a load, a store, an
//! address computation, a call of a function of AIR. So no analysis of types is needed, and functions, phis and structures have
//! one form. Addresses of variables, and constant expressions, are computed at the start of the function that uses them.
//!
//! # Invariants
//! * Anything that LLVM 14 does not have, or that is not known here, is an [`AirUnsupported`] that names it. Two kinds of things
//!   are left out, since code means the same without them: flags, attributes and metadata that only say more of a
//!   value, and calls that do (`llvm.assume`, `llvm.lifetime`).
//! * Equal modules have equal results: everything is visited in the module's order.
//!
//! # Deliberately absent
//! Atomic instructions, exceptions, calls through addresses, vectors of addresses in address computations: AIR has no use
//! for them. Lines of sources.

mod attributes;
mod body;
mod constant;
mod instruction;
mod memory;
mod metadata;
mod symbol;

#[cfg(feature = "metal")]
pub(crate) use symbol::is_hint;

use crate::error::{AirUnsupported, EmitError, EmitErrorKind};
use crate::llvm::{Contents, Module, Ty, TypeForm, Val};
use kiln_air::{Module as AirModule, Type, TypeId, Value};
use rustc_hash::FxHashMap;

/// The translation of a module.
pub(crate) struct Bridge<'a> {
    module: Contents<'a>,
    out: AirModule,
    types: FxHashMap<Ty, TypeId>,
    constants: FxHashMap<Val, Value>,
    /// Variables and functions of the result.
    symbols: FxHashMap<Val, Value>,
}

/// Returns a module of this LLVM, in its bitcode, as a module of LLVM 14.
///
/// # Errors
/// Fails if the bytes are no module, or with the part that LLVM 14 does not have.
///
/// ```
/// let text = "define i32 @next(i32 %x) {\n %y = add nsw i32 %x, 1\n ret i32 %y\n}";
/// let bitcode = kiln_codegen::assemble(text)?;
/// let module = kiln_codegen::air::typed_bitcode(&bitcode)?;
/// assert_eq!(kiln_air::read(&module).expect("it was written").functions[0].name, "next");
/// # Ok::<(), kiln_codegen::EmitError>(())
/// ```
pub fn typed_bitcode(bitcode: &[u8]) -> Result<Vec<u8>, EmitError> {
    let module = typed_module(&Module::read(bitcode)?)?;
    kiln_air::write(&module).map_err(|it| AirUnsupported::IllFormed(it).into())
}

/// Returns a module of this LLVM as a module of LLVM 14. The verifier must accept it.
///
/// # Errors
/// Fails with the part that LLVM 14 does not have.
pub fn typed_module(module: &Module) -> Result<AirModule, EmitError> {
    let module = Contents::new(module);
    if module.has_aliases_or_assembly() {
        return Err(AirUnsupported::AliasOrAssembly.into());
    }
    let [triple, layout, source] = module.identity();
    let mut bridge = Bridge {
        module,
        out: AirModule::new(&source, &triple, &layout),
        types: FxHashMap::default(),
        constants: FxHashMap::default(),
        symbols: FxHashMap::default(),
    };
    bridge.declare()?;
    bridge.initialize()?;
    bridge.bodies()?;
    bridge.metadata()?;
    kiln_air::check(&bridge.out).map_err(AirUnsupported::IllFormed)?;
    Ok(bridge.out)
}

impl Bridge<'_> {
    /// Returns the type for a type.
    fn ty(&mut self, ty: Ty) -> Result<TypeId, AirUnsupported> {
        if let Some(known) = self.types.get(&ty) {
            return Ok(*known);
        }
        let form = match self.module.type_form(ty) {
            TypeForm::Void => Type::Void,
            TypeForm::Half => Type::Half,
            TypeForm::BFloat => Type::BFloat,
            TypeForm::Float => Type::Float,
            TypeForm::Double => Type::Double,
            TypeForm::Int(bits) if bits <= 64 => Type::Int(bits),
            TypeForm::Pointer { space } => Type::Pointer { pointee: self.byte(), space },
            TypeForm::Array { count, element } => Type::Array { count, element: self.ty(element)? },
            TypeForm::Vector { count, element } => Type::Vector { count, element: self.ty(element)? },
            TypeForm::Struct { is_packed, fields } => {
                let fields = fields.into_iter().map(|it| self.ty(it)).collect::<Result<_, _>>()?;
                Type::Struct { name: None, is_packed, fields }
            }
            TypeForm::Function { result, params, is_variadic } => {
                let result = self.ty(result)?;
                let params = params.into_iter().map(|it| self.ty(it)).collect::<Result<_, _>>()?;
                Type::Function { result, params, is_variadic }
            }
            TypeForm::Int(_) | TypeForm::Other => {
                return Err(AirUnsupported::Type(self.module.type_text(ty)));
            }
        };
        let id = self.out.types.intern(form);
        self.types.insert(ty, id);
        Ok(id)
    }
    /// Returns the type of a value.
    fn type_of(&mut self, value: Val) -> Result<TypeId, AirUnsupported> {
        self.ty(self.module.type_of(value))
    }
    /// Returns `i8`.
    fn byte(&mut self) -> TypeId {
        self.out.types.intern(Type::Int(8))
    }
    /// Returns the type of all addresses in an address space.
    fn address(&mut self, space: u32) -> TypeId {
        let byte = self.byte();
        self.out.types.pointer(byte, space)
    }
}

/// An error of a part, as an error of the crate.
impl From<AirUnsupported> for EmitErrorKind {
    fn from(error: AirUnsupported) -> Self {
        Self::Air(error)
    }
}
