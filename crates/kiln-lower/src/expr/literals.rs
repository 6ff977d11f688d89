//! Numbers and characters as constants.

use kiln_syntax::Kind;
use kiln_syntax::literal::{Number, char_bits, parse_number, unescape};
use kiln_types::{Const, ConstData, Type, Types};
use unicode_normalization::UnicodeNormalization;

/// The value of a number token.
pub(super) enum Literal {
    /// A value.
    Const(Const),
    /// A call of the string macro that makes it: Julia keeps large integers as text.
    Int128,
    /// A call of the string macro of an unsigned one.
    UInt128,
    /// A call of the string macro of a `BigInt`.
    Big,
    /// Not a number: an error was reported.
    Malformed,
}

fn bits(types: &Types, ty: Type, bytes: &[u8]) -> Literal {
    Literal::Const(types.constant(ConstData::Bits { ty, bytes: bytes.into() }))
}

/// The value of a number token.
pub(super) fn number(types: &Types, text: &str, kind: Kind) -> Literal {
    let core = types.core();
    match parse_number(text, kind) {
        Some(Number::Int64(value)) => Literal::Const(types.const_int(value)),
        Some(Number::UInt8(value)) => bits(types, core.uint8, &value.to_le_bytes()),
        Some(Number::UInt16(value)) => bits(types, core.uint16, &value.to_le_bytes()),
        Some(Number::UInt32(value)) => bits(types, core.uint32, &value.to_le_bytes()),
        Some(Number::UInt64(value)) => bits(types, core.uint64, &value.to_le_bytes()),
        Some(Number::Float64(value)) => bits(types, core.float64, &value.to_le_bytes()),
        Some(Number::Float32(value)) => bits(types, core.float32, &value.to_le_bytes()),
        Some(Number::Int128(_)) => Literal::Int128,
        Some(Number::UInt128(_)) => Literal::UInt128,
        Some(Number::Big) => Literal::Big,
        None => Literal::Malformed,
    }
}

/// The value of a character token, quotes included.
pub(super) fn character(types: &Types, text: &str) -> Option<Const> {
    let inner = text.strip_prefix('\'')?.strip_suffix('\'')?;
    let value = char_bits(&unescape(inner.as_bytes()).ok()?)?;
    Some(
        types.constant(ConstData::Bits {
            ty: types.core().char,
            bytes: value.to_le_bytes().as_slice().into(),
        }),
    )
}

/// The name that an identifier stands for: the normal form C of Unicode, in which look-alikes are made one.
pub(super) fn name(text: &str) -> String {
    text.nfc()
        .map(|c| match c {
            'ɛ' => 'ε',
            'µ' => 'μ',
            '\u{b7}' | '\u{387}' => '⋅',
            '−' => '-',
            'ℏ' => 'ħ',
            _ => c,
        })
        .collect()
}
