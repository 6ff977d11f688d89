//! Variables and functions: declared first, so that constants and bodies can name them.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "LLVM has many types and operations: those that are not named are refused"
)]

use super::Bridge;
use crate::error::AirUnsupported;
use crate::llvm::{TypeForm, Val};
use kiln_air::{AirFunction, AirGlobal, AirLinkage, Type, TypeId, Value, rules};
use llvm_sys::LLVMLinkage;

/// Calls of these functions only say something of a value: they are left out.
const HINTS: &[&str] = &[
    "llvm.assume",
    "llvm.lifetime.start.",
    "llvm.lifetime.end.",
    "llvm.experimental.noalias.scope.decl",
    "llvm.donothing",
    "llvm.sideeffect",
];
/// Intrinsics of LLVM with addresses whose types are part of their names.
const COPIES: &[&str] = &["llvm.memcpy.", "llvm.memmove.", "llvm.memset."];
/// Conventions that only this module can see, which C's replaces: C, fast, cold.
const CONVENTIONS: [u32; 3] = [0, 8, 9];

/// Whether calls of a function are left out.
pub(crate) fn is_hint(name: &str) -> bool {
    HINTS.iter().any(|it| name.starts_with(it))
}

/// Whether a convention can become C's.
pub(super) fn is_plain(convention: u32) -> bool {
    CONVENTIONS.contains(&convention)
}

/// Returns the name of a function in LLVM 14: addresses in the names of copies have types.
fn typed_name(name: &str) -> String {
    if !COPIES.iter().any(|it| name.starts_with(it)) {
        return name.to_owned();
    }
    let typed = |part: &str| {
        let space = part.strip_prefix('p').filter(|it| !it.is_empty());
        let is_address = space.is_some_and(|it| it.bytes().all(|it| it.is_ascii_digit()));
        if is_address { format!("{part}i8") } else { part.to_owned() }
    };
    name.split('.').map(typed).collect::<Vec<_>>().join(".")
}

/// Returns the type of the values at the addresses that a declared function takes; `None` if it is not known.
fn pointee(name: &str) -> Option<Type> {
    let suffix = name.rsplit('.').next()?;
    let of_suffix = match suffix {
        "i32" => Some(Type::Int(32)),
        "i64" => Some(Type::Int(64)),
        "f32" => Some(Type::Float),
        "f16" => Some(Type::Half),
        _ => None,
    };
    if name.starts_with("air.atomic.") || name.starts_with("air.sincos.") {
        return of_suffix;
    }
    let has_bytes = COPIES.iter().any(|it| name.starts_with(it)) || name == "air.os_log";
    let is_other = !name.starts_with("air.") && !name.starts_with("llvm.");
    (has_bytes || is_other).then_some(Type::Int(8))
}

impl Bridge<'_> {
    /// Declares all symbols that are defined or used.
    pub(super) fn declare(&mut self) -> Result<(), AirUnsupported> {
        for variable in self.module.variables() {
            let name = self.module.symbol_name(variable);
            if name.starts_with("llvm.") {
                continue; // lists for linkers and for passes that have run
            }
            if self.module.is_special(variable) {
                return Err(AirUnsupported::Symbol(name));
            }
            let contents = self.ty(self.module.value_type(variable))?;
            let TypeForm::Pointer { space } = self.module.type_form(self.module.type_of(variable)) else {
                return Err(AirUnsupported::Symbol(name));
            };
            let address = self.out.types.pointer(contents, space);
            let index = self.out.globals.len() as u32;
            self.symbols.insert(variable, Value::Global(index));
            self.out.globals.push(AirGlobal {
                linkage: self.linkage(variable, &name)?,
                name,
                address,
                is_constant: self.module.is_constant(variable),
                initializer: None,
                align: self.module.alignment(variable),
            });
        }
        for function in self.module.all_functions() {
            let is_used = !self.module.is_unused(function) || !self.module.is_declaration(function);
            let name = self.module.symbol_name(function);
            if is_used && !is_hint(&name) {
                self.declare_function(function, &name)?;
            }
        }
        Ok(())
    }

    fn declare_function(&mut self, function: Val, name: &str) -> Result<(), AirUnsupported> {
        let is_intrinsic = name.starts_with("llvm.");
        if is_intrinsic && !rules::is_known_function(name) {
            return Err(AirUnsupported::Function(name.to_owned()));
        }
        if !is_plain(self.module.convention_of(function)) || self.module.is_special_function(function) {
            return Err(AirUnsupported::Symbol(name.to_owned()));
        }
        let signature = self.signature(function, name)?;
        let address = self.out.types.pointer(signature, 0);
        let attributes = self.attributes(function, name)?;
        let index = self.out.functions.len() as u32;
        self.symbols.insert(function, Value::Function(index));
        let linkage = self.linkage(function, name)?;
        let name = typed_name(name);
        self.out.functions.push(AirFunction { name, address, linkage, attributes, blocks: Vec::new() });
        Ok(())
    }

    /// Returns the signature of a function. A declared one has addresses of the types that its name says.
    fn signature(&mut self, function: Val, name: &str) -> Result<TypeId, AirUnsupported> {
        let ty = self.module.value_type(function);
        let TypeForm::Function { result, params, is_variadic } = self.module.type_form(ty) else {
            return Err(AirUnsupported::Symbol(name.to_owned()));
        };
        let is_declaration = self.module.is_declaration(function);
        let result = self.ty(result)?;
        let mut list = Vec::new();
        for param in params {
            let ty = match self.module.type_form(param) {
                TypeForm::Pointer { space } if is_declaration => {
                    let pointee = pointee(name).ok_or_else(|| AirUnsupported::Function(name.to_owned()))?;
                    let pointee = self.out.types.intern(pointee);
                    self.out.types.pointer(pointee, space)
                }
                _ => self.ty(param)?,
            };
            list.push(ty);
        }
        Ok(self.out.types.intern(Type::Function { result, params: list, is_variadic }))
    }

    fn linkage(&self, symbol: Val, name: &str) -> Result<AirLinkage, AirUnsupported> {
        match self.module.linkage_of(symbol) {
            LLVMLinkage::LLVMExternalLinkage => Ok(AirLinkage::External),
            LLVMLinkage::LLVMInternalLinkage => Ok(AirLinkage::Internal),
            LLVMLinkage::LLVMPrivateLinkage => Ok(AirLinkage::Private),
            _ => Err(AirUnsupported::Symbol(name.to_owned())),
        }
    }

    /// Gives variables their first contents.
    pub(super) fn initialize(&mut self) -> Result<(), AirUnsupported> {
        for variable in self.module.variables() {
            let Some(Value::Global(index)) = self.symbols.get(&variable).copied() else { continue };
            if let Some(value) = self.module.initializer(variable) {
                self.out.globals[index as usize].initializer = Some(self.constant(value)?);
            }
        }
        Ok(())
    }
}
