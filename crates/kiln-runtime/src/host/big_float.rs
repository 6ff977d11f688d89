//! `big_float(what, T, settings, args...)`: arithmetic of binary floats of any precision, with MPFR's rules.
//!
//! `T` is Julia's `BigFloat`, an object of four fields: `prec::Int`, `sign::Int32`, `exp::Int` and
//! `d::Memory{UInt64}`. The value is `sign * 0.d * 2^exp`, the first bit of `d` set, or what one of three exponents at
//! the low end of `Int` stands for. `settings` are the precision and mode of the result and the least and greatest
//! exponent. Operands are floats of any precision, `Float64`s, or integers ([`big_integer`](super::big_integer)), the
//! type of those without limit being the fifth of the settings.
//!
//! | what | arguments and result |
//! |---|---|
//! | `:add`, `:sub`, `:mul`, `:div`, `:rem`, `:remnearest`, `:pow`, `:atan2`, `:hypot` | `(x, y)::T` |
//! | `:fma` | `(x, y, z)::T` |
//! | `:sqrt`, `:set` and the names of elementary functions | `(x)::T` |
//! | `:quotient` | `(n, d)::T` of integers |
//! | `:ldexp` | `(x, n::Int)::T` |
//! | `:constant` | `(name::Symbol)::T` |
//! | `:next`, `:previous` | `(x)::T`, at the precision of the settings |
//! | `:cmp` | `(x, y)::Int`: -1, 0, 1, or 2 where one is NaN |
//! | `:isinteger` | `(x)::Bool` |
//! | `:integer` | `(x, mode::Int)::Union{BigInt, Nothing}`; mode 5 is to nearest, ties away from zero |
//! | `:parts` | `(x)::Tuple{BigInt, Int}`: mantissa with sign and exponent of a finite number |
//! | `:float`, `:float32`, `:float16` | `(x)`; the latter as a `Float64` |
//! | `:string` | `(x, digits::Int)::String` of a finite number; all that matter if negative |
//! | `:parse` | `(text::String, base::Int)::Union{T, Nothing}` |

use super::arguments::Arguments;
use super::big_integer;
use crate::bignum::{BinaryFloat, Class, Context, Function, RoundingMode, parse, scientific};
use crate::heap::{fields, memory, numbers, text, tuples};
use crate::{Run, Value, exceptions};
use dashu_int::ops::BitTest;
use dashu_int::{IBig, Sign, UBig};
use kiln_types::Type;
use std::cmp::Ordering;

const ZERO: i64 = i64::MIN + 1;
const NAN: i64 = i64::MIN + 2;
const INFINITE: i64 = i64::MIN + 3;
/// Longest mantissa.
const MOST_BITS: i64 = 1 << 36;

struct Call<'a> {
    args: &'a Arguments<'a>,
    float: Type,
    integer: Type,
    context: Context,
}

impl<'a> Call<'a> {
    fn new(args: &'a Arguments<'a>) -> Run<Self> {
        let heap = args.heap();
        let settings = tuples::values(heap, args.value(2)?);
        let core = heap.core();
        let number = |at: usize| settings.get(at).and_then(|it| it.as_int(core));
        let mode = number(1).and_then(RoundingMode::from_number);
        let integer = settings.get(4).and_then(|it| it.as_type(core));
        let (Some(precision), Some(mode), Some(least), Some(greatest), Some(integer)) =
            (number(0), mode, number(2), number(3), integer)
        else {
            return Err(args.error("big_float: precision, mode, exponents and the type of integers"));
        };
        if !(1..=MOST_BITS).contains(&precision) {
            return Err(exceptions::out_of_memory_error(heap));
        }
        let context = Context { precision: precision as usize, mode, range: (least, greatest) };
        Ok(Self { args, float: args.ty(1)?, integer, context })
    }

    fn operand(&self, at: usize) -> Run<BinaryFloat> {
        let heap = self.args.heap();
        let value = self.args.value(at)?;
        if value.ty() == heap.core().float64 {
            return Ok(BinaryFloat::from_f64(f64::from_bits(value.bits())));
        }
        if value.ty() != self.float {
            return big_integer::operand(self.args, self.integer, at).map(BinaryFloat::from_integer);
        }
        let field = |at: usize| fields::get(heap, value, at);
        let (Some(sign), Some(exponent), Some(limbs)) = (field(1), field(2), field(3)) else {
            return Err(exceptions::undef_ref_error(heap));
        };
        let negative = (sign.bits() as i32) < 0;
        let exponent = exponent.bits() as i64;
        let class = match exponent {
            ZERO => Class::Zero,
            NAN => Class::Nan,
            INFINITE => Class::Infinite,
            _ => {
                let count = memory::len(heap, limbs);
                let mantissa = UBig::from_words(&memory::words(heap, limbs, count));
                Class::Finite { mantissa, exponent: exponent - 64 * count as i64 }
            }
        };
        Ok(BinaryFloat { negative, class })
    }

    fn float(&self, x: &BinaryFloat) -> Run {
        let heap = self.args.heap();
        let count = self.context.precision.div_ceil(64);
        let (exponent, words) = match &x.class {
            Class::Zero => (ZERO, vec![0; count]),
            Class::Nan => (NAN, vec![0; count]),
            Class::Infinite => (INFINITE, vec![0; count]),
            Class::Finite { mantissa, exponent } => {
                let bits = mantissa.bit_len();
                let words = (mantissa << (64 * count - bits)).as_words().to_vec();
                (exponent + bits as i64, words)
            }
        };
        let sign = if x.negative { -1i32 } else { 1 };
        let Some(limbs) = memory::try_new_words(heap, &words) else {
            return Err(exceptions::out_of_memory_error(heap));
        };
        let sign = Value::inline(heap.core().int32, u64::from(sign as u32));
        Ok(fields::new_struct(
            heap,
            self.float,
            &[heap.int(self.context.precision as i64), sign, heap.int(exponent), limbs],
        ))
    }

    fn integer(&self, x: &IBig) -> Run {
        big_integer::integer(self.args, self.integer, x)
    }

    fn binary(&self, what: &str) -> Run<BinaryFloat> {
        let (c, x, y) = (&self.context, self.operand(3)?, self.operand(4)?);
        Ok(match what {
            "add" => c.add(&x, &y),
            "sub" => c.sub(&x, &y),
            "mul" => c.mul(&x, &y),
            "div" | "quotient" => c.div(&x, &y),
            "rem" => c.rem(&x, &y, false),
            "remnearest" => c.rem(&x, &y, true),
            "pow" => c.pow(&x, &y),
            "atan2" => c.atan2(&x, &y),
            "hypot" => c.hypot(&x, &y),
            _ => c.fma(&x, &y, &self.operand(5)?),
        })
    }

    fn scaled(&self) -> Run<BinaryFloat> {
        let (x, n) = (self.operand(3)?, self.args.int(4)?);
        Ok(match x.class {
            Class::Finite { mantissa, exponent } => {
                self.context.round(x.negative, mantissa, i128::from(exponent) + i128::from(n), false)
            }
            Class::Nan | Class::Infinite | Class::Zero => x,
        })
    }

    /// The neighbour of a number of this precision.
    fn neighbour(&self, up: bool) -> Run<BinaryFloat> {
        let x = self.operand(3)?;
        let mode = if up { RoundingMode::Up } else { RoundingMode::Down };
        let context = Context { mode, ..self.context };
        if x.class == Class::Infinite {
            let toward_zero = x.negative == up;
            return Ok(match toward_zero {
                true => Context { mode: RoundingMode::ToZero, ..self.context }.overflow(x.negative),
                false => x,
            });
        }
        // Less than anything in the range.
        let least = Class::Finite { mantissa: UBig::ONE, exponent: self.context.range.0 - 2 };
        let tiny = BinaryFloat { negative: !up, class: least };
        Ok(match x.class {
            Class::Zero => context.underflow(!up, true),
            _ if x.negative == up => {
                // Toward zero the neighbour of the least number is zero.
                let y = context.add(&x, &tiny);
                if y.is_zero() { BinaryFloat::zero(x.negative) } else { y }
            }
            Class::Nan | Class::Infinite | Class::Finite { .. } => context.add(&x, &tiny),
        })
    }

    fn constant(&self) -> Run<BinaryFloat> {
        let heap = self.args.heap();
        let symbol = self.args.symbol(3)?;
        let found = self.context.constant(heap.types().name(symbol));
        found.ok_or_else(|| self.args.error("big_float: there is no such constant"))
    }

    fn fact(&self, what: &str) -> Run {
        let heap = self.args.heap();
        let x = self.operand(3)?;
        Ok(match what {
            "isinteger" => heap.bool(x.is_integer()),
            "float" => numbers::float64(heap, x.to_f64(self.context.mode)),
            "float32" => numbers::float32(heap, x.to_f32(self.context.mode)),
            "float16" => numbers::float64(heap, x.to_f16(self.context.mode)),
            "cmp" => {
                let order = x.compare(&self.operand(4)?);
                heap.int(order.map_or(2, |it: Ordering| it as i64))
            }
            "integer" => {
                let number = self.args.int(4)?;
                let mode = RoundingMode::from_number(number).unwrap_or(RoundingMode::Nearest);
                match x.to_integer(mode, number == 5) {
                    Some(integer) => return self.integer(&integer),
                    None => heap.nothing(),
                }
            }
            "parts" => match x.class {
                Class::Finite { mantissa, exponent } => {
                    let sign = if x.negative { Sign::Negative } else { Sign::Positive };
                    let mantissa = self.integer(&IBig::from_parts(sign, mantissa))?;
                    tuples::new(heap, &[mantissa, heap.int(exponent)])
                }
                Class::Nan | Class::Infinite | Class::Zero => {
                    tuples::new(heap, &[self.integer(&IBig::ZERO)?, heap.int(0)])
                }
            },
            _ => {
                let digits = usize::try_from(self.args.int(4)?).ok();
                match scientific(&x, self.context.precision, digits) {
                    Some(text) => text::string(heap, &text),
                    None => return Err(self.args.error("big_float: no digits of this number")),
                }
            }
        })
    }

    fn parse(&self) -> Run {
        let base = u32::try_from(self.args.int(4)?).ok().filter(|it| matches!(it, 0 | 2..=36));
        let Some(base) = base else { return Err(self.args.error("big_float: a base from 2 to 36")) };
        match parse(&self.args.text(3)?, base, &self.context) {
            Some(number) => self.float(&number),
            None => Ok(self.args.heap().nothing()),
        }
    }
}

pub(super) fn call(args: &Arguments<'_>) -> Run {
    args.expect(4, 6)?;
    let call = Call::new(args)?;
    let symbol = args.symbol(0)?;
    let what = args.heap().types().name(symbol);
    let result = match what {
        "add" | "sub" | "mul" | "div" | "quotient" | "rem" | "remnearest" | "pow" | "atan2" | "hypot"
        | "fma" => call.binary(what)?,
        "set" => call.operand(3)?.rounded(&call.context),
        "sqrt" => call.context.sqrt(&call.operand(3)?),
        "ldexp" => call.scaled()?,
        "next" => call.neighbour(true)?,
        "previous" => call.neighbour(false)?,
        "constant" => call.constant()?,
        "isinteger" | "float" | "float32" | "float16" | "cmp" | "integer" | "parts" | "string" => {
            return call.fact(what);
        }
        "parse" => return call.parse(),
        other => match Function::from_name(other) {
            Some(function) => call.context.elementary(function, &call.operand(3)?),
            None => return Err(args.error(&format!("big_float: there is no operation `{other}`"))),
        },
    };
    call.float(&result)
}
