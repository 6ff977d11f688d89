//! The 16-bit floating-point formats, which Rust has no stable type for.

/// The `Float16` nearest to `x`, ties to even, as bits.
pub fn float16_from_f64(x: f64) -> u16 {
    round(x, 5, 10)
}

/// The `BFloat16` nearest to `x`, ties to even, as bits.
pub fn bfloat16_from_f64(x: f64) -> u16 {
    round(x, 8, 7)
}

/// Rounds to a binary format with the given numbers of exponent and mantissa bits.
fn round(x: f64, exponent_bits: u32, mantissa_bits: u32) -> u16 {
    let bits = x.to_bits();
    let sign = ((bits >> 63) as u16) << 15;
    let infinity = ((1u16 << exponent_bits) - 1) << mantissa_bits;
    let fraction = bits & ((1 << 52) - 1);
    if x.is_nan() {
        let payload = (fraction >> (52 - mantissa_bits)) as u16;
        return sign | infinity | (1 << (mantissa_bits - 1)) | payload;
    }
    if x.is_infinite() {
        return sign | infinity;
    }
    let bias = (1i32 << (exponent_bits - 1)) - 1;
    let exponent = ((bits >> 52) & 0x7ff) as i32 - 1023;
    // All finite doubles too small to be normal are far below half of the smallest value of either format.
    let significand = if exponent == -1023 { 0 } else { fraction | (1 << 52) };
    let scaled = exponent + bias;
    let drop = 52 - mantissa_bits as i32 + if scaled >= 1 { 0 } else { 1 - scaled };
    if drop > 54 {
        return sign;
    }
    let kept = significand >> drop;
    let rest = significand & ((1 << drop) - 1);
    let half = 1u64 << (drop - 1);
    let up = rest > half || (rest == half && kept & 1 == 1);
    let rounded = kept + u64::from(up);
    if scaled >= 1 {
        // The implicit bit of `rounded` adds one to the exponent.
        let packed = (((scaled - 1) as u64) << mantissa_bits) + rounded;
        return sign | packed.min(u64::from(infinity)) as u16;
    }
    sign | rounded as u16
}

/// A `Float16` of these bits, exactly.
pub fn float16_to_f32(bits: u16) -> f32 {
    let sign = u32::from(bits >> 15) << 31;
    let exponent = u32::from(bits >> 10) & 0x1f;
    let fraction = u32::from(bits) & 0x3ff;
    match exponent {
        0 => {
            // A multiple of 2^-24, exact in f32.
            let magnitude = fraction as f32 * f32::from_bits((127 - 24) << 23);
            f32::from_bits(magnitude.to_bits() | sign)
        }
        0x1f if fraction != 0 => f32::from_bits(sign | 0x7fc0_0000 | (fraction << 13)),
        0x1f => f32::from_bits(sign | 0x7f80_0000),
        _ => f32::from_bits(sign | ((exponent + 127 - 15) << 23) | (fraction << 13)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every `Float16` survives the way through `Float64`.
    #[test]
    fn every_half_is_its_own_rounding() {
        for bits in 0..=u16::MAX {
            let value = float16_to_f32(bits);
            let back = float16_from_f64(f64::from(value));
            let quiet = if value.is_nan() { bits | 0x200 } else { bits };
            assert_eq!(back, quiet, "{bits:#06x}");
        }
    }

    /// Between two neighbours the nearer one wins, and the even one in the middle.
    #[test]
    fn ties_go_to_even() {
        for bits in 0..0x7bff_u16 {
            let (low, high) = (f64::from(float16_to_f32(bits)), f64::from(float16_to_f32(bits + 1)));
            let middle = (low + high) / 2.0;
            assert_eq!(float16_from_f64(middle), bits + (bits & 1), "{bits:#06x}");
            assert_eq!(float16_from_f64(middle.next_up()), bits + 1);
            assert_eq!(float16_from_f64(middle.next_down()), bits);
        }
    }

    /// 65520 is halfway to the first value out of range.
    #[test]
    fn overflow_is_infinite() {
        assert_eq!(float16_from_f64(65519.99), 0x7bff);
        assert_eq!(float16_from_f64(65520.0), 0x7c00);
        assert_eq!(float16_from_f64(-1e300), 0xfc00);
        assert_eq!(float16_from_f64(1e-300), 0);
        assert_eq!(bfloat16_from_f64(1.0), 0x3f80);
        assert_eq!(bfloat16_from_f64(1.00390625), 0x3f80);
        assert_eq!(bfloat16_from_f64(1.01171875), 0x3f82);
    }
}
