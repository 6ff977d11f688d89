//! The callee that the first operand of [`Llvmcall`](crate::Intrinsic::Llvmcall) names, and facts that follow from intrinsics'
//! names alone.
//!
//! # Deliberately absent
//! Signatures: LLVM has them. Effects of text: only LLVM reads it, so it may do anything.

use crate::{Intrinsic, Value};
use kiln_types::{Const, ConstData, Types};

/// LLVM code that a program calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForeignCallee<'a> {
    /// An intrinsic, by its whole name: `llvm.sqrt.f64`.
    Intrinsic(&'a str),
    /// A symbol that something else defines.
    Extern(&'a str),
    /// The body of a function.
    Body(&'a [u8]),
    /// A module and its function.
    Module {
        /// The text of the module.
        text: &'a [u8],
        /// The name of the function.
        entry: &'a [u8],
    },
}

/// Returns the callee that a constant names in an `llvmcall`.
pub fn callee(types: &Types, what: Const) -> Option<ForeignCallee<'_>> {
    match types.const_data(what) {
        ConstData::Symbol(name) => {
            let name = types.name(*name);
            Some(match name.strip_prefix("extern ") {
                Some(name) => ForeignCallee::Extern(name.trim()),
                None if name.starts_with("llvm.") => ForeignCallee::Intrinsic(name),
                None => ForeignCallee::Extern(name),
            })
        }
        ConstData::String(text) => Some(ForeignCallee::Body(text)),
        ConstData::Aggregate { fields, .. } => match fields.as_ref() {
            &[text, entry] => match (types.const_data(text), types.const_data(entry)) {
                (ConstData::String(text), ConstData::String(entry)) => {
                    Some(ForeignCallee::Module { text, entry })
                }
                _ => None, // no text
            },
            _ => None, // no pair
        },
        ConstData::Bits { .. } | ConstData::Type(_) | ConstData::Module(_) | ConstData::Object { .. } => None,
    }
}

/// The behaviour of an intrinsic that only computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arithmetic {
    /// Its value is the same on every target, and the interpreter has it.
    Exact,
    /// Its last bits are the target's, or the interpreter does not have it.
    OfTarget,
}

/// Intrinsics of one number type whose results depend on their arguments alone.
const EXACT: &[&str] = &[
    "sqrt",
    "floor",
    "ceil",
    "trunc",
    "rint",
    "nearbyint",
    "roundeven",
    "fabs",
    "copysign",
    "fma",
    "minimum",
    "maximum",
    "ctpop",
    "bswap",
    "bitreverse",
    "ctlz",
    "cttz",
    "abs",
    "smax",
    "smin",
    "umax",
    "umin",
    "fshl",
    "fshr",
];

/// Others that only compute.
const OF_TARGET: &[&str] = &[
    "sin",
    "cos",
    "tan",
    "sinh",
    "cosh",
    "tanh",
    "asin",
    "acos",
    "atan",
    "atan2",
    "exp",
    "exp2",
    "exp10",
    "log",
    "log2",
    "log10",
    "pow",
    "powi",
    "fmuladd",
    "minnum",
    "maxnum",
    "round",
    "canonicalize",
    "is.fpclass",
    "lround",
    "llround",
    "lrint",
    "llrint",
    "ldexp",
    "frexp",
    "sincos",
    "modf",
    "sadd.sat",
    "uadd.sat",
    "ssub.sat",
    "usub.sat",
    "sshl.sat",
    "ushl.sat",
    "sadd.with.overflow",
    "uadd.with.overflow",
    "ssub.with.overflow",
    "usub.with.overflow",
    "smul.with.overflow",
    "umul.with.overflow",
    "scmp",
    "ucmp",
    "vector.reduce.add",
    "vector.reduce.mul",
    "vector.reduce.and",
    "vector.reduce.or",
    "vector.reduce.xor",
    "vector.reduce.smax",
    "vector.reduce.smin",
    "vector.reduce.umax",
    "vector.reduce.umin",
    "vector.reduce.fadd",
    "vector.reduce.fmul",
    "vector.reduce.fmax",
    "vector.reduce.fmin",
];

/// The name without `llvm.` and without the types it is overloaded on: `sqrt` of `llvm.sqrt.f64`.
pub fn stem(name: &str) -> Option<&str> {
    let mut stem = name.strip_prefix("llvm.")?;
    while let Some((before, last)) = stem.rsplit_once('.').filter(|it| is_type(it.1)) {
        debug_assert!(!last.is_empty());
        stem = before;
    }
    Some(stem)
}

/// Whether a part of a name is a type: `f64`, `i8`, `v4f32`, `p0`.
fn is_type(part: &str) -> bool {
    let digits = |it: &str| !it.is_empty() && it.bytes().all(|it| it.is_ascii_digit());
    let scalar = |it: &str| {
        it == "bf16" || ["i", "f", "p"].iter().any(|kind| it.strip_prefix(kind).is_some_and(digits))
    };
    if scalar(part) {
        return true;
    }
    let Some(vector) = part.strip_prefix('v') else { return false };
    let elem = vector.trim_start_matches(|it: char| it.is_ascii_digit());
    elem.len() < vector.len() && scalar(elem)
}

/// Returns the behaviour of the intrinsic of this name; `None` if it may do more than compute.
pub fn arithmetic(name: &str) -> Option<Arithmetic> {
    let stem = stem(name)?;
    let scalar = name
        .strip_prefix("llvm.")?
        .strip_prefix(stem)?
        .strip_prefix('.')
        .is_some_and(|it| matches!(it, "f32" | "f64" | "i8" | "i16" | "i32" | "i64"));
    if EXACT.contains(&stem) {
        return Some(if scalar { Arithmetic::Exact } else { Arithmetic::OfTarget });
    }
    OF_TARGET.contains(&stem).then_some(Arithmetic::OfTarget)
}

/// Returns the behaviour of an `llvmcall` with this first operand.
pub fn arithmetic_of(types: &Types, what: Const) -> Option<Arithmetic> {
    match callee(types, what)? {
        ForeignCallee::Intrinsic(name) => arithmetic(name),
        ForeignCallee::Extern(_) | ForeignCallee::Body(_) | ForeignCallee::Module { .. } => None,
    }
}

/// Whether the operation is foreign and may do more than compute a value.
pub fn may_do_anything(types: &Types, intrinsic: Intrinsic, args: &[Value]) -> bool {
    if intrinsic != Intrinsic::Llvmcall {
        return intrinsic == Intrinsic::Foreigncall;
    }
    match args.first() {
        Some(Value::Const(what)) => arithmetic_of(types, *what).is_none(),
        Some(Value::Stmt(_) | Value::Arg(_)) | None => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kiln_types::consts;
    use kiln_types::datatype;

    /// Types in a name are separated from its stem.
    #[test]
    fn the_stem_of_a_name_has_no_types() {
        for (name, expected) in [
            ("llvm.sqrt.f64", "sqrt"),
            ("llvm.smax.v2i64", "smax"),
            ("llvm.uadd.sat.i8", "uadd.sat"),
            ("llvm.powi.f64.i32", "powi"),
            ("llvm.nvvm.barrier0", "nvvm.barrier0"),
            ("llvm.memcpy.p0.p0.i64", "memcpy"),
            ("llvm.experimental.v4", "experimental.v4"),
            ("llvm.fabs.bf16", "fabs"),
        ] {
            assert_eq!(stem(name), Some(expected), "{name}");
        }
        assert_eq!(stem("__nv_sinf"), None);
    }

    /// Only pure computations may be removed or folded, and only numbers are folded.
    #[test]
    fn what_only_computes_is_known_by_name() {
        assert_eq!(arithmetic("llvm.sqrt.f64"), Some(Arithmetic::Exact));
        assert_eq!(arithmetic("llvm.sqrt.v2f64"), Some(Arithmetic::OfTarget));
        assert_eq!(arithmetic("llvm.sin.f32"), Some(Arithmetic::OfTarget));
        for name in ["llvm.trap", "llvm.nvvm.barrier0", "llvm.memcpy.p0.p0.i64", "llvm.assume", "sqrt"] {
            assert_eq!(arithmetic(name), None, "{name}");
        }
    }

    /// The type of a constant, not its text, distinguishes names, externals, bodies and modules.
    #[test]
    fn a_constant_names_its_callee_by_its_type() {
        let types = Types::new();
        let symbol = |it: &str| consts::symbol(&types, types.symbol(it));
        let text = |it: &str| types.constant(ConstData::String(it.as_bytes().into()));
        assert_eq!(callee(&types, symbol("llvm.trap")), Some(ForeignCallee::Intrinsic("llvm.trap")));
        assert_eq!(callee(&types, symbol("extern __nv_sinf")), Some(ForeignCallee::Extern("__nv_sinf")));
        assert_eq!(callee(&types, symbol("air.sincos.f32")), Some(ForeignCallee::Extern("air.sincos.f32")));
        assert_eq!(callee(&types, text("unreachable")), Some(ForeignCallee::Body(b"unreachable")));
        let ty = datatype::tuple(&types, &[types.core().string, types.core().string]);
        let fields = Box::new([text("define void @f() { ret void }"), text("f")]);
        let pair = types.constant(ConstData::Aggregate { ty, fields });
        assert!(matches!(callee(&types, pair), Some(ForeignCallee::Module { entry: b"f", .. })));
        assert_eq!(callee(&types, consts::nothing(&types)), None);
    }
}
