//! The number types, their values at the boundaries, and exact conversion between them.

use dashu_int::ops::{BitTest, UnsignedAbs};
use dashu_int::{IBig, UBig};

/// A number type of fixed width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberType {
    /// `Bool`.
    Bool,
    /// `Int8` to `Int128`, by their bits.
    Int(u32),
    /// `UInt8` to `UInt128`, by their bits.
    UInt(u32),
    /// `Float16` to `Float64`, by their bits.
    Float(u32),
}

/// All number types of the matrix.
pub const TYPES: [NumberType; 14] = [
    NumberType::Bool,
    NumberType::Int(8),
    NumberType::UInt(8),
    NumberType::Int(16),
    NumberType::UInt(16),
    NumberType::Int(32),
    NumberType::UInt(32),
    NumberType::Int(64),
    NumberType::UInt(64),
    NumberType::Int(128),
    NumberType::UInt(128),
    NumberType::Float(16),
    NumberType::Float(32),
    NumberType::Float(64),
];

impl NumberType {
    /// The type's name in Julia.
    pub fn name(self) -> String {
        match self {
            NumberType::Bool => "Bool".into(),
            NumberType::Int(n) => format!("Int{n}"),
            NumberType::UInt(n) => format!("UInt{n}"),
            NumberType::Float(n) => format!("Float{n}"),
        }
    }

    /// Returns the number of bits of its values.
    pub fn bits(self) -> u32 {
        match self {
            NumberType::Bool => 8,
            NumberType::Int(n) | NumberType::UInt(n) | NumberType::Float(n) => n,
        }
    }

    /// Whether it is a type of floats.
    pub fn is_float(self) -> bool {
        matches!(self, NumberType::Float(_))
    }

    /// Whether its values may be negative.
    pub fn is_signed(self) -> bool {
        matches!(self, NumberType::Int(_) | NumberType::Float(_))
    }

    /// Bits of the fraction of a float type.
    pub(super) fn fraction_bits(self) -> u32 {
        match self.bits() {
            16 => 10,
            32 => 23,
            _ => 52,
        }
    }

    fn exponent_max(self) -> i64 {
        match self.bits() {
            16 => 15,
            32 => 127,
            _ => 1023,
        }
    }
}

/// A value of one of the types, by its bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Num {
    /// Its type.
    pub ty: NumberType,
    /// Its bits, zeros above.
    pub bits: u128,
}

/// The value of a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Exact {
    /// Not a number.
    Nan,
    /// An infinity; whether it is negative.
    Infinite(bool),
    /// A numerator, a power of two as denominator, and whether it is a negative zero.
    Finite(IBig, UBig, bool),
}

impl Num {
    /// Whether its sign bit is set.
    pub fn is_negative(self) -> bool {
        self.ty.is_signed() && self.bits >> (self.ty.bits() - 1) & 1 == 1
    }

    /// The value of an integer type or `Bool`.
    pub fn integer(self) -> IBig {
        match self.ty {
            NumberType::Int(n) if self.is_negative() => IBig::from(self.bits) - (IBig::ONE << n as usize),
            NumberType::Bool | NumberType::Int(_) | NumberType::UInt(_) | NumberType::Float(_) => {
                IBig::from(self.bits)
            }
        }
    }

    /// Its value.
    pub fn exact(self) -> Exact {
        if !self.ty.is_float() {
            return Exact::Finite(self.integer(), UBig::ONE, false);
        }
        let fraction_bits = self.ty.fraction_bits();
        let negative = self.is_negative();
        let magnitude = self.bits & ((1 << (self.ty.bits() - 1)) - 1);
        let field = (magnitude >> fraction_bits) as i64;
        let fraction = magnitude & ((1 << fraction_bits) - 1);
        if field == 2 * self.ty.exponent_max() + 1 {
            return if fraction == 0 { Exact::Infinite(negative) } else { Exact::Nan };
        }
        let significand = if field == 0 { fraction } else { fraction | 1 << fraction_bits };
        let exponent = field.max(1) - self.ty.exponent_max() - i64::from(fraction_bits);
        let signed = if negative { -IBig::from(significand) } else { IBig::from(significand) };
        if exponent >= 0 {
            Exact::Finite(signed << exponent as usize, UBig::ONE, negative && significand == 0)
        } else {
            Exact::Finite(signed, UBig::ONE << (-exponent) as usize, negative && significand == 0)
        }
    }

    /// The float value in `f64`, which holds all three formats.
    pub fn float(self) -> f64 {
        match self.ty.bits() {
            64 => f64::from_bits(self.bits as u64),
            32 => f64::from(f32::from_bits(self.bits as u32)),
            _ => match self.exact() {
                Exact::Nan => f64::NAN,
                Exact::Infinite(true) => f64::NEG_INFINITY,
                Exact::Infinite(false) => f64::INFINITY,
                found @ Exact::Finite(..) => {
                    f64::from_bits(rounded(NumberType::Float(64), &found).bits as u64)
                }
            },
        }
    }

    /// Equal bits, or both NaN.
    pub fn same(self, other: Self) -> bool {
        self == other || (self.ty == other.ty && self.exact() == Exact::Nan && other.exact() == Exact::Nan)
    }
}

/// A float of type `ty` by its value in `f64`, rounded to nearest.
pub fn float(ty: NumberType, x: f64) -> Num {
    let wide = Num { ty: NumberType::Float(64), bits: u128::from(x.to_bits()) };
    if ty.bits() == 64 { wide } else { rounded(ty, &wide.exact_signed(x)) }
}

impl Num {
    fn exact_signed(self, x: f64) -> Exact {
        match self.exact() {
            Exact::Finite(n, d, _) => Exact::Finite(n, d, x == 0.0 && x.is_sign_negative()),
            other @ (Exact::Nan | Exact::Infinite(_)) => other,
        }
    }
}

/// The float of type `ty` nearest to a value, ties to even.
pub fn rounded(ty: NumberType, value: &Exact) -> Num {
    let sign = 1u128 << (ty.bits() - 1);
    let infinity = (2 * ty.exponent_max() as u128 + 1) << ty.fraction_bits();
    let bits = match value {
        Exact::Nan => infinity | 1 << (ty.fraction_bits() - 1),
        Exact::Infinite(negative) => infinity | if *negative { sign } else { 0 },
        Exact::Finite(n, d, negative_zero) => {
            let negative = *n < IBig::ZERO || *negative_zero;
            rounded_magnitude(ty, &n.clone().unsigned_abs(), d).min(infinity)
                | if negative { sign } else { 0 }
        }
    };
    Num { ty, bits }
}

/// Bits of the magnitude `n / d`; past the greatest float they are those of infinity or more.
fn rounded_magnitude(ty: NumberType, n: &UBig, d: &UBig) -> u128 {
    if *n == UBig::ZERO {
        return 0;
    }
    let fraction_bits = i64::from(ty.fraction_bits());
    let floor_log2 = n.bit_len() as i64 - d.bit_len() as i64;
    let mut exponent = floor_log2.max(1 - ty.exponent_max()) - fraction_bits;
    loop {
        let (top, bottom) = if exponent >= 0 {
            (n.clone(), d << exponent as usize)
        } else {
            (n << (-exponent) as usize, d.clone())
        };
        let (quotient, rest) = (&top / &bottom, &top % &bottom);
        let shortest = 1 - ty.exponent_max() - fraction_bits;
        let too_short = quotient < UBig::ONE << fraction_bits as usize;
        if too_short && exponent > shortest {
            exponent -= 1;
            continue;
        }
        let twice = rest << 1;
        let up = twice > bottom || (twice == bottom && quotient.bit(0));
        let significand = if up { quotient + UBig::ONE } else { quotient };
        let field = if too_short { 0 } else { exponent + fraction_bits + ty.exponent_max() - 1 };
        // The leading bit counts up the exponent field by itself, and so does one that is carried out.
        let value = u128::try_from(significand).unwrap_or(u128::MAX >> 1);
        return ((field as u128) << fraction_bits) + value;
    }
}

/// The low bits of an integer, as type `ty` has them.
pub fn wrapped(ty: NumberType, value: &IBig) -> Num {
    let modulus = IBig::ONE << ty.bits() as usize;
    let mut low = value % &modulus;
    if low < IBig::ZERO {
        low += &modulus;
    }
    Num { ty, bits: u128::try_from(low).unwrap_or(0) }
}

/// Returns the integer as a value of type `ty`, if it fits.
pub fn fitting(ty: NumberType, value: &IBig) -> Option<Num> {
    let found = match ty {
        NumberType::Bool if *value < IBig::ZERO || *value > IBig::ONE => return None,
        NumberType::Bool | NumberType::Int(_) | NumberType::UInt(_) | NumberType::Float(_) => {
            wrapped(ty, value)
        }
    };
    (found.integer() == *value).then_some(found)
}

/// The values of a type that the matrix takes.
pub fn boundary_values(ty: NumberType) -> Vec<Num> {
    let bits: Vec<u128> = match ty {
        NumberType::Bool => vec![0, 1],
        NumberType::Int(n) | NumberType::UInt(n) => {
            let all = u128::MAX >> (128 - n);
            let top = 1u128 << (n - 1);
            vec![0, 1, 2, 3, all, all - 1, all - 2, top, top + 1, top - 1, (1 << (n / 2)) + 1]
        }
        NumberType::Float(_) => float_bits(ty),
    };
    bits.into_iter().map(|bits| Num { ty, bits }).collect()
}

fn float_bits(ty: NumberType) -> Vec<u128> {
    let one = (ty.exponent_max() as u128) << ty.fraction_bits();
    let infinity = (2 * ty.exponent_max() as u128 + 1) << ty.fraction_bits();
    let unit = 1u128 << ty.fraction_bits();
    let half = one - unit;
    let magnitudes = [
        0,
        1,
        unit - 1,
        unit,
        half,
        one - 1,
        one,
        one + 1,
        one + unit / 2,
        one + unit + unit / 4,
        infinity - 1,
        infinity,
    ];
    let sign = 1u128 << (ty.bits() - 1);
    let mut found: Vec<u128> = magnitudes.iter().flat_map(|it| [*it, *it | sign]).collect();
    found.push(infinity | 1 << (ty.fraction_bits() - 1));
    // Where the integers of 8 to 128 bits end.
    for power in [7.0, 8.0, 15.0, 16.0, 31.0, 32.0, 63.0, 64.0, 127.0, 128.0_f64] {
        let edge = float(ty, power.exp2());
        if edge.bits < infinity {
            found.extend([edge.bits, edge.bits - 1]);
            if power as u32 % 2 == 1 {
                found.push(edge.bits | sign);
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}
