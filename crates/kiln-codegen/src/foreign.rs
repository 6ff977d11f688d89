//! `llvmcall`: functions of LLVM text in the unit's module, and calls of them.
//!
//! All foreign code becomes text: an intrinsic or an external symbol is the text of a function that calls it, a body
//! is put between a signature and a brace. So LLVM's parser and verifier see all of it, upgrade older syntax, and
//! report errors.
//!
//! As in Julia, such functions take a `Bool` as an `i8` (an `i1` for intrinsics), a `Ptr` as a `ptr`, a
//! `Core.LLVMPtr{T,AS}` as a `ptr addrspace(AS)`, a tuple of `VecElement`s as a vector, a struct or tuple of fields
//! of one type as an array, another as a literal struct; ghosts are omitted. Text from before opaque pointers, or
//! with an `i1` for a `Bool`, is recognized by its types: see [`Style`]. A function that takes another form of a
//! value gets it converted.

use crate::error::{EmitError, EmitErrorKind, ForeignError, InvalidBody};
use crate::function::Emitter;
use crate::llvm::{Function, Kind, Rules, Ty, Val, Visibility};
use crate::screen::ScreenCalls;
use crate::shape::{Form, Shape};
use crate::value::Value;
use kiln_ir::Value as Operand;
use kiln_ir::foreign::{ForeignCallee, callee};
use kiln_targets::Items;
use kiln_types::{ConstData, Module, Type, Types, consts, datatype, display};
use kiln_unit::{SHARED_BASE, SITE_BASE};
use llvm_sys::LLVMOpcode as Opcode;
use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The types that a body's text uses for values with several conventions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Style {
    /// The bits of a `Bool`.
    bool_bits: u32,
    /// Whether a `Ptr` is an integer.
    pointer_is_int: bool,
}

/// All styles, Julia's current one first.
const STYLES: [Style; 4] = [
    Style { bool_bits: 8, pointer_is_int: false },
    Style { bool_bits: 1, pointer_is_int: false },
    Style { bool_bits: 8, pointer_is_int: true },
    Style { bool_bits: 1, pointer_is_int: true },
];
/// The styles that intrinsics try, in order.
const INTRINSIC_STYLES: [Style; 4] = [STYLES[1], STYLES[0], STYLES[3], STYLES[2]];

/// An argument of a call.
enum Argument {
    /// A value that is passed.
    Passed(Value),
    /// A constant that is written into the text, for intrinsics that take only constants.
    Literal(Value, u128),
}

impl Argument {
    fn value(&self) -> Value {
        match self {
            Argument::Passed(value) | Argument::Literal(value, _) => *value,
        }
    }
}

impl Emitter<'_, '_> {
    /// Emits `llvmcall(what, Ret, Tuple{Args...}, args...)` in a statement of type `ty`.
    pub(crate) fn llvmcall(&self, operands: &[Operand], ty: Type) -> Result<Option<Value>, EmitError> {
        let types = self.types();
        let [what, result, declared, values @ ..] = operands else {
            return Err(ForeignError::TooFewArguments.into());
        };
        let &Operand::Const(what) = what else {
            return Err(ForeignError::DynamicCode.into());
        };
        let callee = callee(types, what).ok_or(ForeignError::NotCode)?;
        let (result, declared) = (self.type_operand(*result)?, self.type_operand(*declared)?);
        if !datatype::is_tuple(types, declared) {
            return Err(ForeignError::NotTuple(display::of_type(types, declared)).into());
        }
        let args = self.foreign_arguments(callee, datatype::params(types, declared), values)?;
        if self.unit.screens && self.may_write(callee, &args)? {
            ScreenCalls(self).suspect(); // what it writes is not saved
        }
        let function = match callee {
            ForeignCallee::Module { text, entry } => self.module_text(text, entry)?,
            ForeignCallee::Body(text) => {
                let passed: Vec<Value> = args.iter().map(Argument::value).collect();
                let body = utf8(text)?.to_owned();
                self.in_some_style(&STYLES, |style| {
                    Ok(Written {
                        passed: self.abi_all(&passed, style)?,
                        result: self.abi_result(result, style)?,
                        head: String::new(),
                        body: body.clone(),
                    })
                })?
            }
            ForeignCallee::Intrinsic(name) => {
                self.in_some_style(&INTRINSIC_STYLES, |style| self.calling(name, &args, result, style))?
            }
            ForeignCallee::Extern(name) => {
                self.in_some_style(&INTRINSIC_STYLES[..1], |style| self.calling(name, &args, result, style))?
            }
        };
        let passed: Vec<Value> = args
            .iter()
            .filter_map(|it| match (it, callee) {
                (Argument::Literal(..), ForeignCallee::Intrinsic(_)) => None,
                _ => Some(it.value()),
            })
            .collect();
        self.call_text(function, &passed, result, ty)
    }

    /// Whether foreign code may write memory: it gets an address, or its text says so.
    fn may_write(&self, callee: ForeignCallee<'_>, args: &[Argument]) -> Result<bool, EmitError> {
        const WRITES: [&str; 7] = ["store", "atomicrmw", "cmpxchg", "call", "invoke", "callbr", "va_arg"];
        Ok(match callee {
            ForeignCallee::Module { text, .. } | ForeignCallee::Body(text) => {
                let text = utf8(text)?;
                WRITES.iter().any(|it| text.contains(it))
            }
            ForeignCallee::Intrinsic(_) | ForeignCallee::Extern(_) => {
                let is_plain = |form: &Form| matches!(form, Form::Bool | Form::Int(_) | Form::Float(_));
                let forms: Result<Vec<bool>, EmitError> =
                    args.iter().map(|it| Ok(is_plain(&self.unit.shapes.of(it.value().ty)?.form))).collect();
                !forms?.into_iter().all(|it| it)
            }
        })
    }

    /// Returns the arguments to pass, which excludes ghosts.
    fn foreign_arguments(
        &self,
        callee: ForeignCallee<'_>,
        declared: &[Type],
        values: &[Operand],
    ) -> Result<Vec<Argument>, EmitError> {
        if declared.len() != values.len() {
            let (declared, given) = (declared.len(), values.len());
            return Err(ForeignError::ArgumentCount { declared, given }.into());
        }
        let mut all = Vec::with_capacity(values.len());
        for (&ty, &operand) in declared.iter().zip(values) {
            let value = self.convert(self.operand(operand)?, ty)?;
            let shape = self.unit.shapes.of(ty)?;
            if shape.llvm.is_none() {
                continue;
            }
            let literal = match callee {
                ForeignCallee::Intrinsic(_) => self.integer(operand, &shape),
                ForeignCallee::Extern(_) | ForeignCallee::Body(_) | ForeignCallee::Module { .. } => None,
            };
            all.push(match literal {
                Some(number) => Argument::Literal(value, number),
                None => Argument::Passed(value),
            });
        }
        Ok(all)
    }

    /// Returns a constant integer.
    fn integer(&self, operand: Operand, shape: &Shape) -> Option<u128> {
        let Operand::Const(constant) = operand else { return None };
        let ConstData::Bits { bytes, .. } = self.types().const_data(constant) else { return None };
        let is_integer = matches!(shape.form, Form::Bool | Form::Int(8 | 16 | 32 | 64));
        is_integer.then(|| bytes.iter().rev().fold(0, |sum, it| sum << 8 | u128::from(*it)))
    }

    /// Returns the function that calls `name`.
    fn calling(
        &self,
        name: &str,
        args: &[Argument],
        result: Type,
        style: Style,
    ) -> Result<Written, EmitError> {
        if name.is_empty() || name.chars().any(|it| it.is_control() || matches!(it, '"' | '\\')) {
            return Err(ForeignError::FunctionName(name.into()).into());
        }
        let module = self.module();
        let result = self.abi_result(result, style)?;
        let (mut params, mut given, mut passed) = (Vec::new(), Vec::new(), Vec::new());
        for arg in args {
            let ty = self.abi(arg.value().ty, style)?;
            let text = module.type_text(ty);
            match arg {
                Argument::Literal(_, number) => given.push(format!("{text} {number}")),
                Argument::Passed(_) => {
                    given.push(format!("{text} %{}", passed.len()));
                    passed.push(ty);
                }
            }
            params.push(text);
        }
        let result_text = module.type_text(result);
        let head = format!("declare {result_text} @\"{name}\"({})\n", params.join(", "));
        let call = format!("call {result_text} @\"{name}\"({})", given.join(", "));
        let body = if module.kind(result) == Kind::Void {
            format!("  {call}\n  ret void")
        } else {
            format!("  %result = {call}\n  ret {result_text} %result")
        };
        Ok(Written { passed, result, head, body })
    }

    /// Adds the function in the first style that LLVM accepts; if there is none, returns the error of the first
    /// style. There is at least one style.
    fn in_some_style(
        &self,
        styles: &[Style],
        write: impl Fn(Style) -> Result<Written, EmitError>,
    ) -> Result<Function, EmitError> {
        let module = self.module();
        let (mut first, mut tried) = (None, Vec::new());
        for &style in styles {
            let written = write(style)?;
            let params: Vec<String> = written.passed.iter().map(|it| module.type_text(*it)).collect();
            let signature = (module.type_text(written.result), params.join(", "));
            if tried.contains(&signature) {
                continue;
            }
            let (result, params) = &signature;
            let Written { head, body, .. } = &written;
            let name = symbol(&[head, result, params, body]);
            let text = format!("{head}define {result} @{name}({params}) {{\n{body}\n}}\n");
            match self.text_function(&text, &name, &name) {
                Ok(function) => return Ok(function),
                Err(error) if matches!(error.kind, EmitErrorKind::Limit(_)) => return Err(error),
                Err(error) => first = first.or(Some(error)),
            }
            tried.push(signature);
        }
        Err(first.expect("callers give a style"))
    }

    /// Adds a module and returns its entry function.
    fn module_text(&self, text: &[u8], entry: &[u8]) -> Result<Function, EmitError> {
        let (text, entry) = (utf8(text)?, utf8(entry)?);
        self.text_function(text, entry, &symbol(&[text, entry]))
    }

    fn text_function(&self, text: &str, entry: &str, name: &str) -> Result<Function, EmitError> {
        let module = self.module();
        if let Some(known) = module.find_function(name) {
            return Ok(known);
        }
        let visibility = match self.unit.facts.items {
            Items::Loops => Visibility::Internal,
            Items::Device | Items::None => Visibility::Replaceable,
        };
        module
            .add_text(
                text,
                entry,
                &Rules {
                    prefix: name,
                    visibility,
                    is_taken: &is_own,
                    is_elsewhere: &|it| is_elsewhere(&self.unit.facts.intrinsics, it),
                },
            )
            .map_err(ForeignError::Text)?;
        if let Some(limit) = (self.unit.limit)(text, entry) {
            return Err(limit.into());
        }
        module.find_function(name).ok_or_else(|| ForeignError::NotLinked(entry.into()).into())
    }

    fn call_text(
        &self,
        function: Function,
        args: &[Value],
        result: Type,
        ty: Type,
    ) -> Result<Option<Value>, EmitError> {
        let module = self.module();
        let (returned, params) = module.signature(function).ok_or(ForeignError::Variadic)?;
        if params.len() != args.len() {
            let (takes, given) = (params.len(), args.len());
            return Err(ForeignError::ParameterCount { takes, given }.into());
        }
        let mut passed = Vec::with_capacity(args.len());
        for (n, (arg, &to)) in args.iter().zip(&params).enumerate() {
            let value = self.materialize(*arg)?;
            passed.push(self.reshape(value, to).ok_or_else(|| {
                let (takes, given) = (module.type_text(to), display::of_type(self.types(), arg.ty));
                ForeignError::Parameter { number: n + 1, takes, given }
            })?);
        }
        let call = module.call_as_declared(function, &passed);
        let shape = self.unit.shapes.of(result)?;
        let returns = || {
            let (returns, declared) = (module.type_text(returned), display::of_type(self.types(), result));
            ForeignError::Result { returns, declared }
        };
        let value = match (shape.llvm, module.kind(returned)) {
            (None, Kind::Void) => self.ghost(result),
            (None, _) if result == Types::BOTTOM => self.ghost(result),
            (None, _) | (Some(_), Kind::Void) => return Err(returns().into()),
            (Some(llvm), _) => self.register(result, self.reshape(call, llvm).ok_or_else(returns)?),
        };
        self.convert(value, ty).map(Some)
    }

    fn abi_all(&self, values: &[Value], style: Style) -> Result<Vec<Ty>, EmitError> {
        values.iter().map(|it| self.abi(it.ty, style)).collect()
    }

    fn abi_result(&self, ty: Type, style: Style) -> Result<Ty, EmitError> {
        if self.unit.shapes.of(ty)?.llvm.is_none() { Ok(self.module().void()) } else { self.abi(ty, style) }
    }

    /// Returns the type of a Julia value in a style.
    fn abi(&self, ty: Type, style: Style) -> Result<Ty, EmitError> {
        let (module, types) = (self.module(), self.types());
        let shape = self.unit.shapes.of(ty)?;
        if let Some(elem) = self.vec_element(ty) {
            return self.abi(elem, style);
        }
        match &shape.form {
            Form::Bool => Ok(module.int(style.bool_bits)),
            Form::Int(bits) => Ok(module.int(*bits)),
            Form::Float(_) => shape.llvm.ok_or_else(|| InvalidBody::FloatRegister.into()),
            Form::Pointer => Ok(match self.space_of(ty) {
                Some(space) => module.pointer_to_space(space),
                None if style.pointer_is_int => module.int(64),
                None => module.ptr(),
            }),
            Form::Array { elem, count, .. } => Ok(match self.vec_element(*elem) {
                Some(scalar) => module.vector(self.abi(scalar, style)?, *count),
                None => module.array(self.abi(*elem, style)?, (*count).into()),
            }),
            Form::Fields(fields) => {
                let held: Vec<Type> = fields.iter().filter(|it| it.index.is_some()).map(|it| it.ty).collect();
                if fields.iter().any(|it| it.by_address) {
                    return Err(ForeignError::HoldsObjects(display::of_type(types, ty)).into());
                }
                if let [only] = held[..]
                    && datatype::is_tuple(types, ty)
                    && let Some(scalar) = self.vec_element(only)
                {
                    return Ok(module.vector(self.abi(scalar, style)?, 1));
                }
                let all: Result<Vec<Ty>, EmitError> = held.iter().map(|it| self.abi(*it, style)).collect();
                let all = all?;
                let same = all.windows(2).all(|it| it[0] == it[1]);
                Ok(if same { module.array(all[0], all.len() as u64) } else { module.structure(&all) })
            }
            Form::Ghost | Form::Object | Form::Union { .. } => {
                Err(ForeignError::NotPlain(display::of_type(types, ty)).into())
            }
        }
    }

    /// Returns `T` of `VecElement{T}`.
    fn vec_element(&self, ty: Type) -> Option<Type> {
        let types = self.types();
        let name = &types.type_name(datatype::name_of(types, ty)?).def;
        let is_one = name.module == Module::CORE && types.name(name.name) == "VecElement";
        is_one.then(|| datatype::field_types(types, ty).first().copied()).flatten()
    }

    /// Returns `AS` of `Core.LLVMPtr{T,AS}`.
    fn space_of(&self, ty: Type) -> Option<u32> {
        let types = self.types();
        if datatype::name_of(types, ty) != datatype::name_of(types, types.core().llvm_ptr) {
            return None;
        }
        let kiln_types::TypeData::Value(space) = types.data(*datatype::params(types, ty).get(1)?) else {
            return None;
        };
        consts::as_int(types, *space)?.try_into().ok()
    }

    /// Converts a value to another form: a `Bool` to another width, a pointer to an integer or another address space,
    /// an aggregate element by element.
    fn reshape(&self, value: Val, to: Ty) -> Option<Val> {
        let module = self.module();
        let from = module.type_of(value);
        if from == to {
            return Some(value);
        }
        let cast = |opcode| Some(module.cast(opcode, value, to));
        match (module.kind(from), module.kind(to)) {
            (Kind::Int(1), Kind::Int(8)) | (Kind::Int(8), Kind::Int(1)) => Some(module.resize(value, to)),
            (Kind::Pointer(_), Kind::Int(64)) => cast(Opcode::LLVMPtrToInt),
            (Kind::Int(64), Kind::Pointer(_)) => cast(Opcode::LLVMIntToPtr),
            (Kind::Pointer(_), Kind::Pointer(_)) => cast(Opcode::LLVMAddrSpaceCast),
            (Kind::Struct(fields), _) if fields.len() == 1 && !self.is_aggregate(to) => {
                self.reshape(module.extract(value, 0), to)
            }
            (_, Kind::Struct(fields)) if fields.len() == 1 && !self.is_aggregate(from) => {
                let inner = self.reshape(value, fields[0])?;
                Some(module.insert(module.poison(to), inner, 0))
            }
            (from, into) => {
                let (have, want) = (elements(&from)?, elements(&into)?);
                if have.len() != want.len() {
                    return None;
                }
                let (from, into) = (matches!(from, Kind::Vector(..)), matches!(into, Kind::Vector(..)));
                let mut whole = module.poison(to);
                for (index, want) in (0..).zip(want) {
                    let part = if from { module.element(value, index) } else { module.extract(value, index) };
                    let part = self.reshape(part, want)?;
                    whole = if into {
                        module.with_element(whole, part, index)
                    } else {
                        module.insert(whole, part, index)
                    };
                }
                Some(whole)
            }
        }
    }

    fn is_aggregate(&self, ty: Ty) -> bool {
        elements(&self.module().kind(ty)).is_some()
    }
}

/// A function to be written as text.
struct Written {
    passed: Vec<Ty>,
    result: Ty,
    /// The text before the function.
    head: String,
    body: String,
}

/// Returns the types of the elements; `None` for a scalar.
fn elements(kind: &Kind) -> Option<Vec<Ty>> {
    match kind {
        Kind::Vector(elem, count) | Kind::Array(elem, count) => Some(vec![*elem; *count as usize]),
        Kind::Struct(fields) => Some(fields.clone()),
        Kind::Void | Kind::Int(_) | Kind::Pointer(_) | Kind::Other => None,
    }
}

/// Returns the name of the function for these texts.
fn symbol(parts: &[&str]) -> String {
    let hash = |salt: u8| {
        let mut hasher = DefaultHasher::new();
        (salt, parts).hash(&mut hasher);
        hasher.finish()
    };
    format!("llvmcall.{:016x}{:016x}", hash(0), hash(1))
}

fn utf8(text: &[u8]) -> Result<&str, ForeignError> {
    std::str::from_utf8(text).map_err(|_| ForeignError::NotUtf8)
}

/// Whether units use the name themselves.
fn is_own(name: &str) -> bool {
    let numbered = |it: &str| !it.is_empty() && it.bytes().all(|it| it.is_ascii_digit());
    ["f", "c", "g"].iter().any(|kind| name.strip_prefix(kind).is_some_and(numbered))
        || matches!(name, crate::kernel::ENTRY | SITE_BASE | SHARED_BASE)
        || name.starts_with("llvmcall.")
        || crate::kernel::is_of_entry(name)
        || name.starts_with(crate::assertion::PREFIX)
}

/// The targets that prefix names of intrinsics.
const TARGETS: &[&str] = &[
    "aarch64",
    "amdgcn",
    "arm",
    "bpf",
    "dx",
    "hexagon",
    "loongarch",
    "mips",
    "nvvm",
    "ppc",
    "r600",
    "riscv",
    "s390",
    "spv",
    "ve",
    "wasm",
    "x86",
    "xcore",
];

/// Whether an intrinsic belongs to another target than `here`. A target without prefixes may have any.
fn is_elsewhere(here: &[Cow<'static, str>], name: &str) -> bool {
    let target = name.split('.').nth(1).unwrap_or_default();
    !here.is_empty() && TARGETS.contains(&target) && here.iter().all(|it| it != target)
}
