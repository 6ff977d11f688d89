//! `big_integer(what, T, args...)`: arithmetic of integers without a limit of size.
//!
//! `T` is Julia's `BigInt`, a mutable object of two fields: `size::Int`, whose sign is the number's and whose magnitude
//! counts the words in use, and `limbs::Memory{UInt64}`, the magnitude with the least word first. An operand is such an
//! object, an `Int64` or a `UInt64`. Results are new objects: nothing here writes to an operand.
//!
//! | what | arguments and result |
//! |---|---|
//! | `:add`, `:sub`, `:mul`, `:and`, `:or`, `:xor`, `:gcd` | `(x, y)::T` |
//! | `:div`, `:rem`, `:fld`, `:mod`, `:cld` | `(x, y)::T`, a DivideError if `y` is zero |
//! | `:divrem`, `:fldmod` | `(x, y)::Tuple{T, T}` |
//! | `:gcdx` | `(x, y)::Tuple{T, T, T}`: the divisor and its two coefficients |
//! | `:neg`, `:abs`, `:not`, `:isqrt` | `(x)::T` |
//! | `:shl`, `:shr`, `:root`, `:pow` | `(x, n::Int)::T`, `n` not negative; an OutOfMemoryError if the result has no room |
//! | `:powermod` | `(x, p, m)::T`, `p` and `m` not negative, in `0:m-1` |
//! | `:cmp` | `(x, y)::Int`: -1, 0 or 1 |
//! | `:bits`, `:ones`, `:zeros` | `(x)::Int`: of the magnitude the length in bits and the set bits; trailing zero bits |
//! | `:digits` | `(x, base::Int)::Int`: how many digits the magnitude has |
//! | `:string` | `(x, base::Int)::String`, bases 2 to 62 |
//! | `:parse` | `(text::String, base::Int)::Union{T, Nothing}`: a sign and digits |
//! | `:factorial` | `(n::Int)::T` |
//! | `:float` | `(x, mode::Int)::Float64`; `:float32`, `:float16` alike, the latter as a `Float64` |
//! | `:words` | `(x)::UInt64`, `:words128`: the low bits in two's complement, two words as a tuple |

use super::arguments::Arguments;
use crate::bignum::{BinaryFloat, RoundingMode, parse_integer};
use crate::heap::{fields, memory, numbers, text, tuples};
use crate::{Run, exceptions};
use dashu_int::fast_div::ConstDivisor;
use dashu_int::ops::{BitTest, DivRem, ExtendedGcd, Gcd, SquareRoot, UnsignedAbs};
use dashu_int::{IBig, Sign, UBig};
use kiln_types::Type;

/// Longest number that is made: 16 GiB of limbs.
const MOST_BITS: u128 = 1 << 37;

/// The integer that a value is: a `Int64`, a `UInt64` or an object of type `big`.
pub(super) fn operand(args: &Arguments<'_>, big: Type, at: usize) -> Run<IBig> {
    let heap = args.heap();
    let value = args.value(at)?;
    let core = heap.core();
    if value.ty() == core.int64 {
        return Ok(IBig::from(value.bits() as i64));
    }
    if value.ty() == core.uint64 {
        return Ok(IBig::from(value.bits()));
    }
    if value.ty() == big
        && let (Some(size), Some(limbs)) = (fields::get(heap, value, 0), fields::get(heap, value, 1))
    {
        let size = size.bits() as i64;
        let words = memory::words(heap, limbs, size.unsigned_abs() as usize);
        let sign = if size < 0 { Sign::Negative } else { Sign::Positive };
        return Ok(IBig::from_sign_words(sign, &words));
    }
    Err(exceptions::type_error(heap, args.function.name(), big, value))
}

/// A new object of type `big`.
pub(super) fn integer(args: &Arguments<'_>, big: Type, number: &IBig) -> Run {
    let heap = args.heap();
    let (sign, words) = number.as_sign_words();
    let size = words.len() as i64;
    let size = if sign == Sign::Negative { -size } else { size };
    match memory::try_new_words(heap, words) {
        Some(limbs) => Ok(fields::new_struct(heap, big, &[heap.int(size), limbs])),
        None => Err(exceptions::out_of_memory_error(heap)),
    }
}

/// Quotient and remainder, the quotient rounded down.
fn floor_divide(x: IBig, y: &IBig) -> (IBig, IBig) {
    let (quotient, rest) = x.div_rem(y);
    match !rest.is_zero() && (rest.sign() != y.sign()) {
        true => (quotient - IBig::ONE, rest + y),
        false => (quotient, rest),
    }
}

fn divide(args: &Arguments<'_>, what: &str, x: IBig, y: &IBig) -> Run<IBig> {
    if y.is_zero() {
        return Err(exceptions::divide_error(args.heap()));
    }
    Ok(match what {
        "div" => x / y,
        "rem" => x % y,
        "fld" => floor_divide(x, y).0,
        "mod" => floor_divide(x, y).1,
        _ => -floor_divide(-x, y).0,
    })
}

fn divide_both(args: &Arguments<'_>, what: &str, x: IBig, y: &IBig, big: Type) -> Run {
    if y.is_zero() {
        return Err(exceptions::divide_error(args.heap()));
    }
    let (quotient, rest) = if what == "divrem" { x.div_rem(y) } else { floor_divide(x, y) };
    Ok(tuples::new(args.heap(), &[integer(args, big, &quotient)?, integer(args, big, &rest)?]))
}

/// A machine integer that must not be negative.
fn count(args: &Arguments<'_>, at: usize) -> Run<usize> {
    usize::try_from(args.int(at)?).map_err(|_| args.error("big_integer: a negative count"))
}

/// With a machine integer: shifts, roots and powers.
fn scaled(args: &Arguments<'_>, what: &str, x: &IBig, n: usize) -> Run<IBig> {
    let magnitude = x.clone().unsigned_abs();
    let bits = magnitude.bit_len() as u128;
    let grown = match what {
        "shl" if bits > 0 => bits + n as u128,
        "pow" if bits > 1 => (bits - 1) * n as u128,
        _ => 0,
    };
    if grown > MOST_BITS {
        return Err(exceptions::out_of_memory_error(args.heap()));
    }
    Ok(match what {
        "shl" if bits == 0 => IBig::ZERO,
        "shl" => x << n,
        "shr" if n as u128 > bits => {
            if x.sign() == Sign::Negative {
                IBig::NEG_ONE
            } else {
                IBig::ZERO
            }
        }
        "shr" => x >> n,
        "root" => x.nth_root(n),
        _ if bits == 1 && x.sign() == Sign::Negative => {
            if n % 2 == 1 {
                IBig::NEG_ONE
            } else {
                IBig::ONE
            }
        }
        _ if bits <= 1 => {
            if n == 0 {
                IBig::ONE
            } else {
                x.clone()
            }
        }
        _ => x.pow(n),
    })
}

/// The product `from * (from + 1) * ... * to`, split in halves so that factors have similar lengths.
fn product(from: u64, to: u64) -> UBig {
    match to - from {
        0 => UBig::from(from),
        1 => UBig::from(from) * UBig::from(to),
        span => product(from, from + span / 2) * product(from + span / 2 + 1, to),
    }
}

fn gcd(x: &IBig, y: &IBig) -> IBig {
    match x.is_zero() && y.is_zero() {
        true => IBig::ZERO,
        false => x.gcd(y).into(),
    }
}

fn gcdx(args: &Arguments<'_>, x: IBig, y: IBig, big: Type) -> Run {
    let (divisor, s, t) = match (x.is_zero(), y.is_zero()) {
        (true, true) => (IBig::ZERO, IBig::ONE, IBig::ZERO),
        (false, true) => (x.clone().unsigned_abs().into(), x.signum(), IBig::ZERO),
        (true, false) => (y.clone().unsigned_abs().into(), IBig::ZERO, y.signum()),
        (false, false) => least_coefficients(x, y),
    };
    let parts = [integer(args, big, &divisor)?, integer(args, big, &s)?, integer(args, big, &t)?];
    Ok(tuples::new(args.heap(), &parts))
}

/// The divisor and the coefficients of least magnitude.
fn least_coefficients(x: IBig, y: IBig) -> (IBig, IBig, IBig) {
    let (divisor, s, _) = (&x).gcd_ext(&y);
    let divisor = IBig::from(divisor);
    // `s` is unique modulo `|y / divisor|`: the representative nearest to zero, and `t` follows.
    let step = (&y / &divisor).unsigned_abs();
    let mut s = floor_divide(s, &IBig::from(step.clone())).1;
    if (&s << 1usize) > IBig::from(step.clone()) {
        s -= IBig::from(step);
    }
    let mut t = (&divisor - &x * &s) / &y;
    // Of equal magnitudes: one argument divides the other, or both are alike.
    if x.clone().unsigned_abs() == y.clone().unsigned_abs() {
        (s, t) = (IBig::ZERO, y.signum());
    }
    (divisor, s, t)
}

fn convert(args: &Arguments<'_>, what: &str, x: IBig) -> Run {
    let heap = args.heap();
    let Some(mode) = RoundingMode::from_number(args.int(3)?) else {
        return Err(args.error("big_integer: there is no such rounding mode"));
    };
    let x = BinaryFloat::from_integer(x);
    Ok(match what {
        "float" => numbers::float64(heap, x.to_f64(mode)),
        "float32" => numbers::float32(heap, x.to_f32(mode)),
        _ => numbers::float64(heap, x.to_f16(mode)),
    })
}

/// The word `at` of the number in two's complement.
fn word(x: &IBig, at: usize) -> u64 {
    let (sign, words) = x.as_sign_words();
    let word = words.get(at).copied().unwrap_or(0);
    match sign {
        Sign::Positive => word,
        Sign::Negative if words[..at.min(words.len())].iter().all(|&it| it == 0) => word.wrapping_neg(),
        Sign::Negative => !word,
    }
}

/// Digits of a magnitude in a base; as GMP writes them above 36: digits, capitals, small letters.
fn digits_above_36(mut magnitude: UBig, base: u32) -> String {
    const LETTERS: &[u8] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let base = UBig::from(base);
    let mut digits = Vec::new();
    loop {
        let (rest, digit) = magnitude.div_rem(&base);
        digits.push(LETTERS[u8::try_from(digit).unwrap_or(0) as usize % LETTERS.len()]);
        magnitude = rest;
        if magnitude.is_zero() {
            break;
        }
    }
    digits.iter().rev().map(|&it| char::from(it)).collect()
}

fn text(x: &IBig, base: u32) -> String {
    if base <= 36 {
        return x.in_radix(base as u8).to_string();
    }
    let sign = if x.sign() == Sign::Negative { "-" } else { "" };
    format!("{sign}{}", digits_above_36(x.clone().unsigned_abs(), base))
}

fn base(args: &Arguments<'_>, at: usize) -> Run<u32> {
    match u32::try_from(args.int(at)?) {
        Ok(base @ 2..=62) => Ok(base),
        _ => Err(args.error("big_integer: a base from 2 to 62")),
    }
}

fn parsed(args: &Arguments<'_>, big: Type) -> Run {
    match parse_integer(&args.text(2)?, base(args, 3)?) {
        Some(number) => integer(args, big, &number),
        None => Ok(args.heap().nothing()),
    }
}

fn factorial(args: &Arguments<'_>) -> Run<IBig> {
    Ok(match count(args, 2)? {
        0 => IBig::ONE,
        n if n > 1 << 28 => return Err(exceptions::out_of_memory_error(args.heap())),
        n => product(1, n as u64).into(),
    })
}

/// Facts about one number that are no number without limit.
fn fact(args: &Arguments<'_>, what: &str, x: IBig) -> Run {
    let heap = args.heap();
    let magnitude = || x.clone().unsigned_abs();
    Ok(match what {
        "bits" => heap.int(magnitude().bit_len() as i64),
        "ones" => heap.int(magnitude().count_ones() as i64),
        "zeros" => heap.int(x.trailing_zeros().unwrap_or(0) as i64),
        "digits" => {
            let base = args.int(3)?;
            let magnitude = magnitude();
            let digits =
                if magnitude.is_zero() { 0 } else { magnitude.ilog(&UBig::from(base.unsigned_abs())) + 1 };
            heap.int(digits as i64)
        }
        "string" => text::string(heap, &text(&x, base(args, 3)?)),
        "words" => numbers::uint64(heap, word(&x, 0)),
        "words128" => {
            tuples::new(heap, &[numbers::uint64(heap, word(&x, 0)), numbers::uint64(heap, word(&x, 1))])
        }
        _ => return convert(args, what, x),
    })
}

fn power_modulo(args: &Arguments<'_>, big: Type, x: IBig) -> Run<IBig> {
    let (exponent, modulus) = (operand(args, big, 3)?, operand(args, big, 4)?);
    let (exponent, modulus) = (exponent.unsigned_abs(), modulus.unsigned_abs());
    if modulus.is_zero() {
        return Err(exceptions::divide_error(args.heap()));
    }
    let ring = ConstDivisor::new(modulus);
    Ok(ring.reduce(x).pow(&exponent).residue().into())
}

pub(super) fn call(args: &Arguments<'_>) -> Run {
    args.expect(3, 5)?;
    let heap = args.heap();
    let (symbol, big) = (args.symbol(0)?, args.ty(1)?);
    let what = heap.types().name(symbol);
    let x = || operand(args, big, 2);
    let y = || operand(args, big, 3);
    let result = match what {
        "add" => x()? + y()?,
        "sub" => x()? - y()?,
        "mul" => x()? * y()?,
        "cmp" => return Ok(heap.int(x()?.cmp(&y()?) as i64)),
        "div" | "rem" | "fld" | "mod" | "cld" => divide(args, what, x()?, &y()?)?,
        "divrem" | "fldmod" => return divide_both(args, what, x()?, &y()?, big),
        "and" => x()? & y()?,
        "or" => x()? | y()?,
        "xor" => x()? ^ y()?,
        "gcd" => gcd(&x()?, &y()?),
        "gcdx" => return gcdx(args, x()?, y()?, big),
        "neg" => -x()?,
        "abs" => x()?.unsigned_abs().into(),
        "not" => !x()?,
        "isqrt" => IBig::from(x()?.unsigned_abs().sqrt()),
        "shl" | "shr" | "root" | "pow" => scaled(args, what, &x()?, count(args, 3)?)?,
        "powermod" => power_modulo(args, big, x()?)?,
        "parse" => return parsed(args, big),
        "factorial" => factorial(args)?,
        "bits" | "ones" | "zeros" | "digits" | "string" | "words" | "words128" | "float" | "float32"
        | "float16" => {
            return fact(args, what, x()?);
        }
        other => return Err(args.error(&format!("big_integer: there is no operation `{other}`"))),
    };
    integer(args, big, &result)
}
