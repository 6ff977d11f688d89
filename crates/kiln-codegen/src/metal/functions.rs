//! Functions: intrinsics of LLVM become those of AIR, and functions of AIR are told what they do with memory.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "LLVM has many types: those that are not named have no function"
)]

use super::{FUNCTIONS, INPUTS, refused};
use crate::air::is_hint;
use crate::error::EmitError;
use crate::llvm::{AirDraft, Contents, Function, Kind, Ty, TypeForm, Val};
use kiln_air::rules;
use llvm_sys::{LLVMIntPredicate as Int, LLVMOpcode as Op};

/// Functions of floats: LLVM's name, and AIR's.
const FLOATS: [(&str, &str); 30] = [
    ("sqrt", "sqrt"),
    ("floor", "floor"),
    ("ceil", "ceil"),
    ("trunc", "trunc"),
    ("rint", "rint"),
    ("nearbyint", "rint"),
    ("roundeven", "rint"),
    ("round", "round"),
    ("fabs", "fabs"),
    ("minnum", "fmin"),
    ("maxnum", "fmax"),
    ("fma", "fma"),
    ("fmuladd", "fma"),
    ("sin", "sin"),
    ("cos", "cos"),
    ("tan", "tan"),
    ("asin", "asin"),
    ("acos", "acos"),
    ("atan", "atan"),
    ("atan2", "atan2"),
    ("sinh", "sinh"),
    ("cosh", "cosh"),
    ("tanh", "tanh"),
    ("exp", "exp"),
    ("exp2", "exp2"),
    ("exp10", "exp10"),
    ("log", "log"),
    ("pow", "pow"),
    ("log2", "log2"),
    ("log10", "log10"),
];
/// Functions of AIR that have a fast form.
const FAST: [&str; 33] = [
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "ceil", "cos", "cosh", "cospi", "exp",
    "exp10", "exp2", "fabs", "floor", "fmax", "fmin", "log", "log10", "log2", "pow", "powr", "rint", "round",
    "rsqrt", "sin", "sinh", "sinpi", "sqrt", "tan", "tanh", "trunc",
];
/// Functions of integers: LLVM's name, AIR's, and the number of operands that AIR takes.
const INTEGERS: [(&str, &str, usize); 9] = [
    ("ctlz", "clz", 2),
    ("cttz", "ctz", 2),
    ("ctpop", "popcount", 1),
    ("bitreverse", "reverse_bits", 1),
    ("abs", "abs.s", 1),
    ("smin", "min.s", 2),
    ("smax", "max.s", 2),
    ("umin", "min.u", 2),
    ("umax", "max.u", 2),
];
/// LLVM's bit that a function may be approximated.
const APPROXIMATE: u32 = 1 << 6;
/// Parts of names of functions that items run together.
const TOGETHER: [&str; 5] = ["barrier", "simd_", "simdgroup", "quad_", "quadgroup"];
/// Attributes of functions that compute, and of those that items run together.
const PURE: [&str; 3] = ["memory", "nounwind", "willreturn"];
const CONVERGENT: [&str; 3] = ["convergent", "nounwind", "willreturn"];

/// Gives the functions of AIR that a program declares their attributes.
pub(super) fn annotate(module: AirDraft<'_>) {
    for prefix in [FUNCTIONS, INPUTS] {
        for function in module.declarations(prefix) {
            let name = module.name_of(function);
            let has_address = module.param_types(function).into_iter().any(|it| is_pointer(module, it));
            let attributes: &[&str] = if TOGETHER.iter().any(|it| name.contains(it)) && prefix == FUNCTIONS {
                &CONVERGENT
            } else if has_address || module.result_type(function) == module.void() {
                &PURE[1..]
            } else {
                &PURE
            };
            attributes.iter().for_each(|it| module.set_attribute(function, it));
        }
    }
}

fn is_pointer(module: AirDraft<'_>, ty: Ty) -> bool {
    matches!(module.kind(ty), Kind::Pointer(_))
}

/// Replaces the intrinsics of LLVM.
///
/// # Errors
/// Fails with the first one that Apple's compiler is not known to have.
pub(super) fn lower(module: AirDraft<'_>, entry: Function) -> Result<(), EmitError> {
    for call in module.all_instructions(entry) {
        if module.opcode(call) != Some(Op::LLVMCall) {
            continue;
        }
        let Some(name) = module.called_name(call) else { continue };
        if name.starts_with(FUNCTIONS) {
            use_fast_form(module, call, &name);
        }
        if !name.starts_with("llvm.") {
            continue;
        }
        if is_hint(&name) {
            module.erase(call);
            continue;
        }
        let mut parts = name.split('.').skip(1);
        let (base, suffix) = (parts.next().unwrap_or_default(), name.rsplit('.').next().unwrap_or_default());
        module.before(call);
        if let Some(value) = replaced(module, call, base, suffix) {
            module.replace(call, value);
        } else if !rules::is_known_function(&name) {
            return Err(refused(module, call, format!("AIR has no function `{name}` that kiln can call")));
        }
    }
    Ok(())
}

/// Replaces a call of a function that may be approximated by one of its fast form.
fn use_fast_form(module: AirDraft<'_>, call: Val, name: &str) {
    let base = name.strip_prefix(FUNCTIONS).and_then(|it| it.strip_suffix(".f32"));
    let Some(base) = base.filter(|it| FAST.contains(it)) else { return };
    if Contents::new(&module).fast_flags(call) & APPROXIMATE == 0 {
        return;
    }
    module.before(call);
    let operands = &module.operands(call)[..module.argument_count(call)];
    let value = called(module, &format!("{FUNCTIONS}fast_{base}.f32"), call, operands);
    module.copy_fast(call, value);
    module.replace(call, value);
}

/// Returns the value of a call of an intrinsic by other means; `None` if it stays, or if there are none.
fn replaced(module: AirDraft<'_>, call: Val, base: &str, suffix: &str) -> Option<Val> {
    let operands = &module.operands(call)[..module.argument_count(call)];
    if let Some((_, name, count)) = INTEGERS.iter().find(|it| it.0 == base) {
        return Some(called(module, &format!("{FUNCTIONS}{name}.{suffix}"), call, &operands[..*count]));
    }
    if let Some((_, name)) = FLOATS.iter().find(|it| it.0 == base) {
        return float_function(module, call, name, suffix);
    }
    match base {
        "copysign" => sign_copied(module, operands),
        "is" => is_of_class(module, operands),
        "ucmp" => Some(compared(module, call, operands, Int::LLVMIntUGT, Int::LLVMIntULT)),
        "scmp" => Some(compared(module, call, operands, Int::LLVMIntSGT, Int::LLVMIntSLT)),
        _ => None,
    }
}

/// Emits a call of a function that computes a value of the type of another call.
fn called(module: AirDraft<'_>, name: &str, like: Val, operands: &[Val]) -> Val {
    let types: Vec<Ty> = operands.iter().map(|it| module.type_of(*it)).collect();
    let function = module.declared(name, module.type_of(like), &types, &PURE);
    module.call(function, operands)
}

/// Emits a function of floats. Those of `BFloat16` are computed in `Float32`.
fn float_function(module: AirDraft<'_>, call: Val, name: &str, suffix: &str) -> Option<Val> {
    let operands = &module.operands(call)[..module.argument_count(call)];
    let may_be_fast = FAST.contains(&name) && Contents::new(&module).fast_flags(call) & APPROXIMATE != 0;
    let named = |suffix: &str| {
        let fast = if may_be_fast && suffix == "f32" { "fast_" } else { "" };
        format!("{FUNCTIONS}{fast}{name}.{suffix}")
    };
    match Contents::new(&module).type_form(module.type_of(call)) {
        TypeForm::BFloat => {
            let float = module.float(32);
            let wide: Vec<Val> = operands.iter().map(|it| module.cast(Op::LLVMFPExt, *it, float)).collect();
            let function = module.declared(&named("f32"), float, &vec![float; wide.len()], &PURE);
            let value = module.call(function, &wide);
            Some(module.cast(Op::LLVMFPTrunc, value, module.type_of(call)))
        }
        TypeForm::Half | TypeForm::Float => {
            let value = called(module, &named(suffix), call, operands);
            module.copy_fast(call, value);
            Some(value)
        }
        // AIR's functions of the least and the greatest are of single numbers.
        TypeForm::Vector { count, element } if matches!(name, "fmin" | "fmax") => {
            let suffix = suffix.trim_start_matches('v').trim_start_matches(|it: char| it.is_ascii_digit());
            let types = vec![element; operands.len()];
            let function = module.declared(&named(suffix), element, &types, &PURE);
            let mut vector = module.poison(module.type_of(call));
            for lane in 0..count {
                let lanes: Vec<Val> = operands.iter().map(|it| module.element(*it, lane)).collect();
                vector = module.with_element(vector, module.call(function, &lanes), lane);
            }
            Some(vector)
        }
        TypeForm::Vector { .. } => {
            let value = called(module, &named(suffix), call, operands);
            module.copy_fast(call, value);
            Some(value)
        }
        _ => None,
    }
}

/// Returns the first number with the sign of the second; `None` of vectors.
fn sign_copied(module: AirDraft<'_>, operands: &[Val]) -> Option<Val> {
    let ty = module.type_of(operands[0]);
    let bits = match Contents::new(&module).type_form(ty) {
        TypeForm::Half | TypeForm::BFloat => 16,
        TypeForm::Float => 32,
        _ => return None,
    };
    let int = module.int(bits);
    let sign = module.const_int(int, 1 << (bits - 1));
    let rest = module.const_int(int, (1 << (bits - 1)) - 1);
    let of = |it: Val, mask: Val| module.and(module.cast(Op::LLVMBitCast, it, int), mask);
    Some(module.cast(Op::LLVMBitCast, module.or(of(operands[0], rest), of(operands[1], sign)), ty))
}

/// Returns 1, 0 or -1: the order of two integers.
fn compared(module: AirDraft<'_>, call: Val, operands: &[Val], greater: Int, less: Int) -> Val {
    let ty = module.type_of(call);
    let bit = |predicate| module.cast(Op::LLVMZExt, module.icmp(predicate, operands[0], operands[1]), ty);
    module.sub(bit(greater), bit(less))
}

/// Classes of floats, by LLVM's bits: two of what is no number, then infinite, normal, subnormal and zero numbers below zero, and the
/// same above zero in the other order.
const CLASSES: u32 = 10;

/// The bits of a format of floats: its exponent, all ones, the first of the significand, and the least exponent.
struct Format {
    infinity: u128,
    quiet: u128,
    normal: u128,
}

/// Returns whether a float is of one of the classes in a constant mask; `None` of vectors.
fn is_of_class(module: AirDraft<'_>, operands: &[Val]) -> Option<Val> {
    let (width, format) = match Contents::new(&module).type_form(module.type_of(operands[0])) {
        TypeForm::Half => (16, Format { infinity: 0x7c00, quiet: 0x0200, normal: 0x0400 }),
        TypeForm::BFloat => (16, Format { infinity: 0x7f80, quiet: 0x0040, normal: 0x0080 }),
        TypeForm::Float => (32, Format { infinity: 0x7f80_0000, quiet: 0x0040_0000, normal: 0x0080_0000 }),
        _ => return None,
    };
    let mask = module.int_constant(operands[1])?;
    let int = module.int(width);
    let number = |it: u128| module.const_int(int, it);
    let bits = module.cast(Op::LLVMBitCast, operands[0], int);
    let size = module.and(bits, number((1 << (width - 1)) - 1));
    let within = |from: u128, to: u128| {
        module.icmp(Int::LLVMIntULT, module.sub(size, number(from)), number(to - from))
    };
    let is_negative = module.icmp(Int::LLVMIntSLT, bits, number(0));
    let is_positive = module.negated(is_negative);
    let Format { infinity, quiet, normal } = format;
    let mut any = module.const_int(module.int(1), 0);
    for class in (0..CLASSES).filter(|it| mask & (1 << it) != 0) {
        let is_size = match class {
            0 => within(infinity + 1, infinity + quiet),
            1 => within(infinity + quiet, 1 << (width - 1)),
            2 | 9 => module.int_eq(size, number(infinity)),
            3 | 8 => within(normal, infinity),
            4 | 7 => within(1, normal),
            _ => module.int_eq(size, number(0)),
        };
        let is_one = match class {
            0 | 1 => is_size,
            2..=5 => module.and(is_size, is_negative),
            _ => module.and(is_size, is_positive),
        };
        any = module.or(any, is_one);
    }
    Some(any)
}
