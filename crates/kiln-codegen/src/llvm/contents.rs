//! The contents of a module as plain data: types, symbols, constants, attributes and lists of metadata, for a writer of another
//! format.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "LLVM has many types and constants: those that are not named have no form"
)]

use super::walk::{functions, globals, name};
use super::{Function, Module, Ty, Val};
use llvm_sys::core::*;
use llvm_sys::debuginfo::{LLVMGetMetadataKind, LLVMMetadataKind};
use llvm_sys::prelude::*;
use llvm_sys::{LLVMLinkage, LLVMOpcode, LLVMTypeKind};

/// The form of a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TypeForm {
    Void,
    Half,
    BFloat,
    Float,
    Double,
    Int(u32),
    Pointer { space: u32 },
    Array { count: u64, element: Ty },
    Vector { count: u32, element: Ty },
    Struct { is_packed: bool, fields: Vec<Ty> },
    Function { result: Ty, params: Vec<Ty>, is_variadic: bool },
    Other,
}

/// The form of a constant.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ConstantForm {
    Null,
    Undef,
    Poison,
    /// Zero-extended.
    Int(u64),
    /// Bits.
    Float(u64),
    Elements(Vec<Val>),
    /// Bits of numbers.
    Data(Vec<u64>),
    Global,
    Function,
    Expression(LLVMOpcode),
    Other,
}

/// The form of a piece of metadata.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum MetadataForm {
    Text(String),
    /// A constant of the module.
    Value(Val),
    List(Vec<Option<Val>>),
    Other,
}

/// An attribute of LLVM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum AttributeForm {
    /// By its number, with another number; 0 if it has none.
    Number(u32, u64),
    Text(String, String),
    /// One that has a type, a range or another part.
    Other(u32),
}

/// The carriers of attributes, by LLVM's numbers.
pub(crate) mod carrier {
    pub(crate) const RESULT: u32 = 0;
    pub(crate) const FIRST_PARAM: u32 = 1;
    pub(crate) const FUNCTION: u32 = u32::MAX;
}

/// Returns a text of LLVM that does not end in NUL.
///
/// # Safety
/// There are as many bytes.
unsafe fn text(start: *const std::ffi::c_char, len: usize) -> String {
    if start.is_null() {
        return String::new();
    }
    // SAFETY: by the contract.
    String::from_utf8_lossy(unsafe { std::slice::from_raw_parts(start.cast::<u8>(), len) }).into_owned()
}

/// The contents of a module, which is not changed. It also has the module's own questions.
#[derive(Clone, Copy)]
pub(crate) struct Contents<'a>(&'a Module);

impl std::ops::Deref for Contents<'_> {
    type Target = Module;

    fn deref(&self) -> &Module {
        self.0
    }
}

impl<'a> Contents<'a> {
    /// Returns the contents of a module.
    pub(crate) fn new(module: &'a Module) -> Self {
        Self(module)
    }
}

impl Contents<'_> {
    /// Returns the triple, the data layout and the name of the source.
    pub(crate) fn identity(&self) -> [String; 3] {
        // SAFETY: the module is alive; the strings are its own and end in NUL, or have the length that is said.
        unsafe {
            let whole =
                |it: *const std::ffi::c_char| std::ffi::CStr::from_ptr(it).to_string_lossy().into_owned();
            let mut len = 0;
            let source = LLVMGetSourceFileName(self.module, &mut len);
            [whole(LLVMGetTarget(self.module)), whole(LLVMGetDataLayoutStr(self.module)), text(source, len)]
        }
    }
    /// Returns the global variables, in order.
    pub(crate) fn variables(&self) -> Vec<Val> {
        // SAFETY: the module is alive.
        unsafe { globals(self.module) }.into_iter().map(Val).collect()
    }
    /// Returns all functions, in order.
    pub(crate) fn all_functions(&self) -> Vec<Val> {
        // SAFETY: the module is alive.
        unsafe { functions(self.module) }.into_iter().map(Val).collect()
    }
    /// Whether the module has assembly, or other names for its symbols.
    pub(crate) fn has_aliases_or_assembly(&self) -> bool {
        let mut len = 0;
        // SAFETY: the module is alive.
        unsafe {
            LLVMGetModuleInlineAsm(self.module, &mut len);
            let aliases = [LLVMGetFirstGlobalAlias(self.module), LLVMGetFirstGlobalIFunc(self.module)];
            len != 0 || aliases.iter().any(|it| !it.is_null())
        }
    }
    /// Returns a function as a value.
    pub(crate) fn value_of(&self, function: Function) -> Val {
        Val(function.value)
    }
    /// Returns the name of a symbol.
    pub(crate) fn symbol_name(&self, symbol: Val) -> String {
        // SAFETY: the caller has a function or a variable.
        unsafe { name(symbol.0) }
    }
    /// Whether nothing uses a value.
    pub(crate) fn is_unused(&self, value: Val) -> bool {
        // SAFETY: the value is alive.
        unsafe { LLVMGetFirstUse(value.0).is_null() }
    }
    /// Whether a symbol is defined elsewhere.
    pub(crate) fn is_declaration(&self, symbol: Val) -> bool {
        // SAFETY: the caller has a function or a variable.
        unsafe { LLVMIsDeclaration(symbol.0) != 0 }
    }
    /// Returns the linkage of a symbol.
    pub(crate) fn linkage_of(&self, symbol: Val) -> LLVMLinkage {
        // SAFETY: the caller has a function or a variable.
        unsafe { LLVMGetLinkage(symbol.0) }
    }
    /// Returns the type of a function, or of a variable's contents.
    pub(crate) fn value_type(&self, symbol: Val) -> Ty {
        // SAFETY: the caller has a function or a variable.
        Ty(unsafe { LLVMGlobalGetValueType(symbol.0) })
    }
    /// Whether a variable never changes.
    pub(crate) fn is_constant(&self, variable: Val) -> bool {
        // SAFETY: the caller has a variable.
        unsafe { LLVMIsGlobalConstant(variable.0) != 0 }
    }
    /// Whether a variable has a section, belongs to a thread, or is initialized elsewhere.
    pub(crate) fn is_special(&self, variable: Val) -> bool {
        // SAFETY: the caller has a variable; a section is null or ends in NUL.
        unsafe {
            let section = LLVMGetSection(variable.0);
            let has_section = !section.is_null() && *section != 0;
            has_section || LLVMIsThreadLocal(variable.0) != 0 || LLVMIsExternallyInitialized(variable.0) != 0
        }
    }
    /// Whether a function has a collector, a personality, or data before it.
    pub(crate) fn is_special_function(&self, function: Val) -> bool {
        // SAFETY: the caller has a function.
        unsafe {
            !LLVMGetGC(function.0).is_null()
                || LLVMHasPersonalityFn(function.0) != 0
                || LLVMHasPrefixData(function.0) != 0
                || LLVMHasPrologueData(function.0) != 0
        }
    }
    /// Returns the number of a function's calling convention.
    pub(crate) fn convention_of(&self, function: Val) -> u32 {
        // SAFETY: the caller has a function.
        unsafe { LLVMGetFunctionCallConv(function.0) }
    }
    /// Returns the first contents of a variable.
    pub(crate) fn initializer(&self, variable: Val) -> Option<Val> {
        // SAFETY: the caller has a variable.
        let it = unsafe { LLVMGetInitializer(variable.0) };
        (!it.is_null()).then_some(Val(it))
    }

    /// Returns the form of a type.
    pub(crate) fn type_form(&self, ty: Ty) -> TypeForm {
        use LLVMTypeKind as K;
        // SAFETY: each question is asked of types of its kind; lists have the lengths that LLVM says.
        unsafe {
            match LLVMGetTypeKind(ty.0) {
                K::LLVMVoidTypeKind => TypeForm::Void,
                K::LLVMHalfTypeKind => TypeForm::Half,
                K::LLVMBFloatTypeKind => TypeForm::BFloat,
                K::LLVMFloatTypeKind => TypeForm::Float,
                K::LLVMDoubleTypeKind => TypeForm::Double,
                K::LLVMIntegerTypeKind => TypeForm::Int(LLVMGetIntTypeWidth(ty.0)),
                K::LLVMPointerTypeKind => TypeForm::Pointer { space: LLVMGetPointerAddressSpace(ty.0) },
                K::LLVMArrayTypeKind => TypeForm::Array {
                    count: LLVMGetArrayLength2(ty.0),
                    element: Ty(LLVMGetElementType(ty.0)),
                },
                K::LLVMVectorTypeKind => {
                    TypeForm::Vector { count: LLVMGetVectorSize(ty.0), element: Ty(LLVMGetElementType(ty.0)) }
                }
                K::LLVMStructTypeKind if LLVMIsOpaqueStruct(ty.0) == 0 => {
                    let fields = 0..LLVMCountStructElementTypes(ty.0);
                    let fields = fields.map(|it| Ty(LLVMStructGetTypeAtIndex(ty.0, it))).collect();
                    TypeForm::Struct { is_packed: LLVMIsPackedStruct(ty.0) != 0, fields }
                }
                K::LLVMFunctionTypeKind => {
                    let mut params = vec![std::ptr::null_mut(); LLVMCountParamTypes(ty.0) as usize];
                    LLVMGetParamTypes(ty.0, params.as_mut_ptr());
                    let params = params.into_iter().map(Ty).collect();
                    let result = Ty(LLVMGetReturnType(ty.0));
                    TypeForm::Function { result, params, is_variadic: LLVMIsFunctionVarArg(ty.0) != 0 }
                }
                _ => TypeForm::Other,
            }
        }
    }
    /// Whether a value is a constant: a number, a symbol, or made of them.
    pub(crate) fn is_constant_value(&self, value: Val) -> bool {
        // SAFETY: the value is alive.
        unsafe { LLVMIsConstant(value.0) != 0 }
    }
    /// Returns the form of a constant.
    pub(crate) fn constant_form(&self, value: Val) -> ConstantForm {
        let it = value.0;
        // SAFETY: each question is asked of constants of its kind.
        unsafe {
            if !LLVMIsAFunction(it).is_null() {
                ConstantForm::Function
            } else if !LLVMIsAGlobalVariable(it).is_null() {
                ConstantForm::Global
            } else if LLVMIsPoison(it) != 0 {
                ConstantForm::Poison
            } else if LLVMIsUndef(it) != 0 {
                ConstantForm::Undef
            } else if LLVMIsNull(it) != 0 {
                ConstantForm::Null
            } else if !LLVMIsAConstantExpr(it).is_null() {
                ConstantForm::Expression(LLVMGetConstOpcode(it))
            } else {
                self.number_form(value)
            }
        }
    }
    fn number_form(&self, value: Val) -> ConstantForm {
        let it = value.0;
        let form = self.type_form(self.type_of(value));
        // SAFETY: each question is asked of constants of its kind; a float has as many bits as the integer.
        unsafe {
            match form {
                TypeForm::Int(bits) if bits <= 64 && !LLVMIsAConstantInt(it).is_null() => {
                    ConstantForm::Int(LLVMConstIntGetZExtValue(it))
                }
                TypeForm::Half | TypeForm::BFloat => float_form(self.context, it, 16),
                TypeForm::Float => float_form(self.context, it, 32),
                TypeForm::Double => float_form(self.context, it, 64),
                TypeForm::Array { count, .. } if !LLVMIsAConstantDataSequential(it).is_null() => {
                    // The binding of the function that returns all bytes has a wrong type.
                    let elements = (0..count as u32).map(|index| Val(LLVMGetAggregateElement(it, index)));
                    elements
                        .map(|it| word(*self, it))
                        .collect::<Option<_>>()
                        .map_or(ConstantForm::Other, ConstantForm::Data)
                }
                TypeForm::Array { count, .. } if count <= u64::from(u32::MAX) => elements(it, count as u32),
                TypeForm::Vector { count, .. } => elements(it, count),
                TypeForm::Struct { fields, .. } => elements(it, fields.len() as u32),
                _ => ConstantForm::Other,
            }
        }
    }
    /// Returns the names of the lists of metadata, with their elements, in order.
    pub(crate) fn metadata_lists(&self) -> Vec<(String, Vec<Val>)> {
        let mut lists = Vec::new();
        // SAFETY: the handles are of this module; names are given with their lengths and end in NUL.
        unsafe {
            let mut at = LLVMGetFirstNamedMetadata(self.module);
            while !at.is_null() {
                let mut len = 0;
                let start = LLVMGetNamedMetadataName(at, &mut len);
                let mut list =
                    vec![std::ptr::null_mut(); LLVMGetNamedMetadataNumOperands(self.module, start) as usize];
                LLVMGetNamedMetadataOperands(self.module, start, list.as_mut_ptr());
                lists.push((text(start, len), list.into_iter().map(Val).collect()));
                at = LLVMGetNextNamedMetadata(at);
            }
        }
        lists
    }
    /// Returns the form of a piece of metadata.
    pub(crate) fn metadata_form(&self, value: Val) -> MetadataForm {
        // SAFETY: the value is of this context; lists have the lengths that LLVM says.
        unsafe {
            if LLVMIsAMDString(value.0).is_null() && LLVMIsAMDNode(value.0).is_null() {
                let is_constant = LLVMIsConstant(value.0) != 0;
                return if is_constant { MetadataForm::Value(value) } else { MetadataForm::Other };
            }
            let mut len = 0;
            let start = LLVMGetMDString(value.0, &mut len);
            if !start.is_null() {
                return MetadataForm::Text(text(start, len as usize));
            }
            let kind = LLVMGetMetadataKind(LLVMValueAsMetadata(value.0));
            if !matches!(kind, LLVMMetadataKind::LLVMMDTupleMetadataKind) {
                return MetadataForm::Other;
            }
            let mut list = vec![std::ptr::null_mut(); LLVMGetMDNodeNumOperands(value.0) as usize];
            LLVMGetMDNodeOperands(value.0, list.as_mut_ptr());
            MetadataForm::List(list.into_iter().map(|it| (!it.is_null()).then_some(Val(it))).collect())
        }
    }

    /// Returns the attributes of a carrier of a function, or of a call.
    pub(crate) fn attributes_of(&self, holder: Val, carrier: u32) -> Vec<AttributeForm> {
        // SAFETY: the holder is a function or a call; lists have the lengths that LLVM says.
        unsafe {
            let is_call = !LLVMIsACallInst(holder.0).is_null();
            let count = if is_call {
                LLVMGetCallSiteAttributeCount(holder.0, carrier)
            } else {
                LLVMGetAttributeCountAtIndex(holder.0, carrier)
            };
            let mut all = vec![std::ptr::null_mut(); count as usize];
            if is_call {
                LLVMGetCallSiteAttributes(holder.0, carrier, all.as_mut_ptr());
            } else {
                LLVMGetAttributesAtIndex(holder.0, carrier, all.as_mut_ptr());
            }
            all.into_iter().map(|it| attribute_form(it)).collect()
        }
    }
}

/// Returns the bits of a constant number.
fn word(contents: Contents<'_>, value: Val) -> Option<u64> {
    match contents.constant_form(value) {
        ConstantForm::Null => Some(0),
        ConstantForm::Int(bits) | ConstantForm::Float(bits) => Some(bits),
        _ => None,
    }
}

/// # Safety
/// The value is a constant float of so many bits, in a living context.
unsafe fn float_form(context: LLVMContextRef, value: LLVMValueRef, bits: u32) -> ConstantForm {
    // SAFETY: by the contract; the conversion of a constant is a constant.
    unsafe {
        let number = LLVMConstBitCast(value, LLVMIntTypeInContext(context, bits));
        if LLVMIsAConstantInt(number).is_null() {
            ConstantForm::Other
        } else {
            ConstantForm::Float(LLVMConstIntGetZExtValue(number))
        }
    }
}

/// # Safety
/// The value is a constant with so many elements.
unsafe fn elements(value: LLVMValueRef, count: u32) -> ConstantForm {
    // SAFETY: by the contract.
    let all: Vec<_> = (0..count).map(|it| unsafe { LLVMGetAggregateElement(value, it) }).collect();
    if all.iter().any(|it| it.is_null()) {
        return ConstantForm::Other;
    }
    ConstantForm::Elements(all.into_iter().map(Val).collect())
}

/// Returns LLVM's number of an attribute; `None` if it has none of this name.
pub(crate) fn attribute_number(name: &str) -> Option<u32> {
    // SAFETY: the name is given with its length.
    let kind = unsafe { LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()) };
    (kind != 0).then_some(kind)
}

/// # Safety
/// The attribute is of a living context.
unsafe fn attribute_form(it: LLVMAttributeRef) -> AttributeForm {
    // SAFETY: by the contract; each question is asked of attributes of its kind.
    unsafe {
        if LLVMIsStringAttribute(it) != 0 {
            let mut len = 0;
            let key = LLVMGetStringAttributeKind(it, &mut len);
            let key = text(key, len as usize);
            let value = LLVMGetStringAttributeValue(it, &mut len);
            AttributeForm::Text(key, text(value, len as usize))
        } else if LLVMIsEnumAttribute(it) != 0 {
            AttributeForm::Number(LLVMGetEnumAttributeKind(it), LLVMGetEnumAttributeValue(it))
        } else {
            AttributeForm::Other(LLVMGetEnumAttributeKind(it))
        }
    }
}
