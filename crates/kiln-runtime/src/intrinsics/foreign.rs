//! Foreign code on the host: LLVM's arithmetic by name, and the C library's. The interpreter runs no LLVM text.

use super::float::{self, Float};
use super::integer;
use super::operand::{Operand, mask, narrow, primitive, sign_extend};
use crate::{Heap, Run, Value, exceptions};
use kiln_ir::{Intrinsic, foreign};

/// The value of a call that the interpreter can make; `None` for the rest.
pub fn evaluate(heap: &Heap, have_fma: bool, op: Intrinsic, args: &[Value]) -> Option<Run> {
    let first = if op == Intrinsic::Llvmcall { 3 } else { 4 };
    let values = args.get(first..)?;
    let name = heap.types().name(args[0].as_symbol(heap.core())?);
    let declared = args[first - 2].as_type(heap.core());
    let result = if op == Intrinsic::Foreigncall {
        c_function(heap, name, values)
    } else {
        llvm_function(heap, have_fma, name, values)
    };
    result.filter(|it| it.as_ref().map_or(true, |it| Some(it.ty()) == declared))
}

fn llvm_function(heap: &Heap, have_fma: bool, name: &str, values: &[Value]) -> Option<Run> {
    foreign::arithmetic(name)?;
    let stem = foreign::stem(name)?;
    let suffix = &name[name.len().min("llvm.".len() + stem.len())..];
    if suffix.split('.').any(|it| it.starts_with('v')) {
        return None; // of vectors
    }
    llvm(heap, have_fma, stem, values)
}

/// As [`evaluate`], where every target must compute the same value.
pub fn evaluate_exactly(heap: &Heap, op: Intrinsic, args: &[Value]) -> Option<Run> {
    let name = args.first()?.as_symbol(heap.core())?;
    let exact = foreign::arithmetic(heap.types().name(name)) == Some(foreign::Arithmetic::Exact);
    (exact && op == Intrinsic::Llvmcall).then(|| evaluate(heap, true, op, args)).flatten()
}

/// A call that has no value here.
pub(super) fn call(heap: &Heap, have_fma: bool, op: Intrinsic, args: &[Value]) -> Run {
    evaluate(heap, have_fma, op, args).unwrap_or_else(|| {
        Err(exceptions::error(heap, &format!("`{}` of this function has no value on the host", op.name())))
    })
}

fn llvm(heap: &Heap, have_fma: bool, stem: &str, args: &[Value]) -> Option<Run> {
    use Intrinsic as I;
    let float_unary = |op| Some(float::unary(heap, op, args[0]));
    Some(match (stem, args.len()) {
        ("sqrt", 1) => return float_unary(I::SqrtLlvm),
        ("floor", 1) => return float_unary(I::FloorLlvm),
        ("ceil", 1) => return float_unary(I::CeilLlvm),
        ("trunc", 1) => return float_unary(I::TruncLlvm),
        ("rint" | "nearbyint" | "roundeven", 1) => return float_unary(I::RintLlvm),
        ("fabs", 1) => return float_unary(I::AbsFloat),
        ("copysign", 2) => float::binary(heap, I::CopysignFloat, args[0], args[1]),
        ("minimum", 2) => float::binary(heap, I::MinFloat, args[0], args[1]),
        ("maximum", 2) => float::binary(heap, I::MaxFloat, args[0], args[1]),
        ("fma", 3) => float::fused(heap, have_fma, I::FmaFloat, args),
        ("fmuladd", 3) => float::fused(heap, have_fma, I::MuladdFloat, args),
        ("ctpop", 1) => integer::unary(heap, I::CtpopInt, args[0]),
        ("bswap", 1) => integer::unary(heap, I::BswapInt, args[0]),
        ("ctlz", 2) => integer::unary(heap, I::CtlzInt, args[0]),
        ("cttz", 2) => integer::unary(heap, I::CttzInt, args[0]),
        ("smax", 2) => pick(heap, I::SltInt, args, true),
        ("smin", 2) => pick(heap, I::SltInt, args, false),
        ("umax", 2) => pick(heap, I::UltInt, args, true),
        ("umin", 2) => pick(heap, I::UltInt, args, false),
        ("abs", 2) => return bits(heap, args, |a, _, _, width| sign_extend(a, width).unsigned_abs()),
        ("bitreverse", 1) => return bits(heap, args, |a, _, _, width| a.reverse_bits() >> (64 - width)),
        ("fshl", 3) => return bits(heap, args, |a, b, n, width| funnel(a, b, n % u64::from(width), width)),
        ("fshr", 3) => {
            return bits(heap, args, |a, b, n, width| match n % u64::from(width) {
                0 => b,
                n => funnel(a, b, u64::from(width) - n, width),
            });
        }
        ("pow", 2) => return real(heap, args, |x, y| x.powf(y), |x, y| x.powf(y)),
        ("atan2", 2) => return real(heap, args, f64::atan2, f32::atan2),
        (name, 1) => return unary_math(heap, name, args[0]),
        _ => return None,
    })
}

/// The larger or the smaller of two.
fn pick(heap: &Heap, less: Intrinsic, args: &[Value], larger: bool) -> Run {
    let first_is_less = integer::compare(heap, less, args[0], args[1])?.bits() & 1 == 1;
    Ok(args[usize::from(first_is_less == larger)])
}

/// The upper half of `a:b` shifted left by `n`, which is less than `width`.
fn funnel(a: u64, b: u64, n: u64, width: u32) -> u64 {
    if n == 0 { a } else { a << n | (b & mask(width)) >> (u64::from(width) - n) }
}

/// A function of the bits of up to three integers of at most 64 bits.
fn bits(heap: &Heap, args: &[Value], of: impl FnOnce(u64, u64, u64, u32) -> u64) -> Option<Run> {
    let mut operands = [0; 3];
    let mut first: Option<Operand> = None;
    for (operand, &arg) in operands.iter_mut().zip(args) {
        let it = primitive(heap, Intrinsic::Llvmcall, "value", arg).ok()?;
        if it.width > 64 {
            return None;
        }
        first.get_or_insert(it);
        *operand = it.wide() as u64;
    }
    let [a, b, n] = operands;
    let it = first?;
    Some(Ok(narrow(heap, it.ty, it.width, of(a, b, n, it.width))))
}

/// A function of two floats of 64 or of 32 bits.
fn real(
    heap: &Heap,
    args: &[Value],
    double: fn(f64, f64) -> f64,
    single: fn(f32, f32) -> f32,
) -> Option<Run> {
    let of = |arg: Value| {
        let it = primitive(heap, Intrinsic::Llvmcall, "value", arg).ok()?;
        Float::from_operand(heap, Intrinsic::Llvmcall, it).ok()
    };
    let (first, second) = (*args.first()?, *args.last()?);
    let result = match (of(first)?, of(second)?) {
        (Float::Double(x), Float::Double(y)) => Value::inline(first.ty(), double(x, y).to_bits()),
        (Float::Single(x), Float::Single(y)) => Value::inline(first.ty(), u64::from(single(x, y).to_bits())),
        _ => return None, // of other widths
    };
    Some(Ok(result))
}

macro_rules! unary_table {
    ($heap:ident, $name:ident, $arg:ident, $($text:literal = $function:ident),* $(,)?) => {
        match $name {
            $($text => real($heap, &[$arg], |x, _| f64::$function(x), |x, _| f32::$function(x)),)*
            _ => None,
        }
    };
}

/// Functions of one float. Their last bits are the C library's.
fn unary_math(heap: &Heap, name: &str, arg: Value) -> Option<Run> {
    unary_table!(
        heap,
        name,
        arg,
        "sin" = sin,
        "cos" = cos,
        "tan" = tan,
        "asin" = asin,
        "acos" = acos,
        "atan" = atan,
        "sinh" = sinh,
        "cosh" = cosh,
        "tanh" = tanh,
        "asinh" = asinh,
        "acosh" = acosh,
        "atanh" = atanh,
        "exp" = exp,
        "exp2" = exp2,
        "expm1" = exp_m1,
        "log" = ln,
        "log2" = log2,
        "log10" = log10,
        "log1p" = ln_1p,
        "cbrt" = cbrt,
        "sqrt" = sqrt,
        "floor" = floor,
        "ceil" = ceil,
        "trunc" = trunc,
        "round" = round,
        "fabs" = abs,
    )
}

/// A function of C's `math.h`: `sin` of a `Float64`, `sinf` of a `Float32`.
fn c_function(heap: &Heap, name: &str, args: &[Value]) -> Option<Run> {
    let core = heap.core();
    if let Some(result) = bessel(heap, name, args) {
        return Some(result);
    }
    let is_single = args.first()?.ty() == core.float32;
    let double = if is_single { name.strip_suffix('f')? } else { name };
    if args.iter().any(|it| it.ty() != if is_single { core.float32 } else { core.float64 }) {
        return None;
    }
    match (double, args.len()) {
        ("pow", 2) => real(heap, args, |x, y| x.powf(y), |x, y| x.powf(y)),
        ("atan2", 2) => real(heap, args, f64::atan2, f32::atan2),
        ("hypot", 2) => real(heap, args, f64::hypot, f32::hypot),
        ("fmod", 2) => real(heap, args, |x, y| x % y, |x, y| x % y),
        ("copysign", 2) => real(heap, args, f64::copysign, f32::copysign),
        (name, 1) => unary_math(heap, name, args[0]).or_else(|| special(heap, name, args[0])),
        _ => None,
    }
}

/// Special functions of `math.h`, which Julia's packages call in OpenLibm.
fn special(heap: &Heap, name: &str, arg: Value) -> Option<Run> {
    type Functions = (fn(f64) -> f64, fn(f32) -> f32);
    let (double, single): Functions = match name {
        "tgamma" => (libm::tgamma, libm::tgammaf),
        "lgamma" => (libm::lgamma, libm::lgammaf),
        "erf" => (libm::erf, libm::erff),
        "erfc" => (libm::erfc, libm::erfcf),
        "j0" => (libm::j0, libm::j0f),
        "j1" => (libm::j1, libm::j1f),
        "y0" => (libm::y0, libm::y0f),
        "y1" => (libm::y1, libm::y1f),
        _ => return None,
    };
    let of = |arg: Value| {
        let it = primitive(heap, Intrinsic::Foreigncall, "value", arg).ok()?;
        Float::from_operand(heap, Intrinsic::Foreigncall, it).ok()
    };
    match of(arg)? {
        Float::Double(x) => Some(Ok(Value::inline(arg.ty(), double(x).to_bits()))),
        Float::Single(x) => Some(Ok(Value::inline(arg.ty(), u64::from(single(x).to_bits())))),
        Float::Half(_) | Float::Brain(_) => None,
    }
}

/// Bessel functions of an order: `jn` and `yn`, and `jnf` and `ynf`.
fn bessel(heap: &Heap, name: &str, args: &[Value]) -> Option<Run> {
    let [order, x] = args else { return None };
    let core = heap.core();
    if order.ty() != core.int32 {
        return None;
    }
    let n = order.bits() as i32;
    let result = |bits| Some(Ok(Value::inline(x.ty(), bits)));
    match name {
        "jn" | "yn" if x.ty() == core.float64 => {
            let f = if name == "jn" { libm::jn } else { libm::yn };
            result(f(n, f64::from_bits(x.bits())).to_bits())
        }
        "jnf" | "ynf" if x.ty() == core.float32 => {
            let f = if name == "jnf" { libm::jnf } else { libm::ynf };
            result(u64::from(f(n, f32::from_bits(x.bits() as u32)).to_bits()))
        }
        _ => None,
    }
}
