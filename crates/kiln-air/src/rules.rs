//! Rules of Apple's compiler beyond those of LLVM 14.
//!
//! Apple documents none of them. They were collected by others from crashes and refusals on Macs, so the list is a lint: a
//! module without problems may still be refused.

use crate::codes::CastOp;
use crate::model::{AirOperation, Module, Value};
use crate::types::{Type, TypeId};
use std::fmt;

/// Address space of constants.
pub const CONSTANT_SPACE: u32 = 2;
/// The last address space: threadgroup memory.
const SPACE_MAX: u32 = 3;

/// LLVM's intrinsics that Apple's compiler has, without the suffixes of types.
const INTRINSICS: &[&str] = &[
    "llvm.sqrt",
    "llvm.exp",
    "llvm.exp2",
    "llvm.log",
    "llvm.log2",
    "llvm.fabs",
    "llvm.floor",
    "llvm.ceil",
    "llvm.trunc",
    "llvm.round",
    "llvm.rint",
    "llvm.fma",
    "llvm.fmuladd",
    "llvm.minnum",
    "llvm.maxnum",
    "llvm.copysign",
    "llvm.ctlz",
    "llvm.cttz",
    "llvm.ctpop",
    "llvm.bswap",
    "llvm.bitreverse",
    "llvm.umin",
    "llvm.umax",
    "llvm.smin",
    "llvm.smax",
    "llvm.abs",
    "llvm.uadd.sat",
    "llvm.usub.sat",
    "llvm.sadd.sat",
    "llvm.ssub.sat",
    "llvm.uadd.with.overflow",
    "llvm.usub.with.overflow",
    "llvm.umul.with.overflow",
    "llvm.sadd.with.overflow",
    "llvm.ssub.with.overflow",
    "llvm.smul.with.overflow",
    "llvm.assume",
    "llvm.memcpy",
    "llvm.memset",
    "llvm.memmove",
    "llvm.fshl",
    "llvm.fshr",
    "llvm.trap",
];

/// A breach of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RuleBreach {
    /// The triple is not that of AIR.
    Triple(String),
    /// The type has a float of 64 bits.
    Double(u32),
    /// The type has an address in a space that is not one of the first four.
    Space(u32),
    /// The type is the address of an `i1`.
    BitPointer(u32),
    /// A variable is neither a constant in the space of constants nor in threadgroup memory.
    GlobalSpace(String),
    /// A function that is defined elsewhere is not one of AIR, nor one of LLVM's that are known to be accepted.
    Unknown(String),
    /// A function converts a vector of `i1` to an integer, or back.
    MaskCast(String),
    /// A list of AIR is missing, by its name.
    MissingList(&'static str),
}

impl fmt::Display for RuleBreach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Triple(it) => write!(f, "the triple `{it}` is not one of AIR"),
            Self::Double(it) => write!(f, "type {it} has a float of 64 bits"),
            Self::Space(it) => write!(f, "type {it} has an address space that AIR lacks"),
            Self::BitPointer(it) => write!(f, "type {it} is the address of a bit"),
            Self::GlobalSpace(it) => write!(f, "@{it} is in an address space that variables may not have"),
            Self::Unknown(it) => write!(f, "the function @{it} is not known to Apple's compiler"),
            Self::MaskCast(it) => write!(f, "@{it} converts a vector of bits to an integer, or back"),
            Self::MissingList(it) => write!(f, "the list !{it} is missing"),
        }
    }
}

/// Whether Apple's compiler is known to have a function of this name: one of AIR, or an intrinsic of LLVM, with suffixes of
/// types.
pub fn is_known_function(name: &str) -> bool {
    let is_one =
        |it: &&str| name.strip_prefix(*it).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    name.starts_with("air.") || INTRINSICS.iter().any(is_one)
}

/// Returns the breaches of the rules for a module that is well-formed, in the order of its parts.
pub fn breaches(module: &Module) -> Vec<RuleBreach> {
    let mut found = Vec::new();
    if !module.triple.starts_with("air64") {
        found.push(RuleBreach::Triple(module.triple.clone()));
    }
    for (number, ty) in module.types.list().iter().enumerate() {
        let number = number as u32;
        if *ty == Type::Double {
            found.push(RuleBreach::Double(number));
        }
        if let Some((pointee, space)) = module.types.pointer_parts(TypeId(number)) {
            if space > SPACE_MAX {
                found.push(RuleBreach::Space(number));
            }
            if module.types.int_bits(pointee) == Some(1) {
                found.push(RuleBreach::BitPointer(number));
            }
        }
    }
    for global in &module.globals {
        let space = module.types.pointer_parts(global.address).map(|it| it.1);
        let is_right =
            if global.is_constant { space == Some(CONSTANT_SPACE) } else { space == Some(SPACE_MAX) };
        if !is_right {
            found.push(RuleBreach::GlobalSpace(global.name.clone()));
        }
    }
    for function in &module.functions {
        if function.blocks.is_empty() && !is_known_function(&function.name) {
            found.push(RuleBreach::Unknown(function.name.clone()));
        }
        if function.blocks.iter().flatten().any(|it| is_mask_cast(module, function, it)) {
            found.push(RuleBreach::MaskCast(function.name.clone()));
        }
    }
    for list in ["air.version", "air.language_version"] {
        if !module.metadata.named.iter().any(|it| it.0 == list) {
            found.push(RuleBreach::MissingList(list));
        }
    }
    found
}

/// Whether an instruction converts between a vector of bits and an integer.
fn is_mask_cast(module: &Module, function: &crate::AirFunction, it: &crate::AirInstruction) -> bool {
    let AirOperation::Cast { op: CastOp::BitCast, value } = it.op else { return false };
    let types = &module.types;
    let from = match value {
        Value::Argument(index) => {
            let pointee = types.pointer_parts(function.address).map(|it| it.0);
            let signature = pointee.and_then(|it| types.signature(it));
            signature.and_then(|it| it.1.get(index as usize).copied())
        }
        Value::Instruction(index) => {
            function.blocks.iter().flatten().nth(index as usize).and_then(|it| it.ty)
        }
        Value::Global(_) | Value::Function(_) | Value::Constant(_) => module.type_of(value),
    };
    let is_mask = |it: Option<TypeId>| {
        it.and_then(|it| types.vector_parts(it)).is_some_and(|it| types.int_bits(it.1) == Some(1))
    };
    is_mask(from) != is_mask(it.ty)
}
