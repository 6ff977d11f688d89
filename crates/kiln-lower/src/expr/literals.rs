//! Numbers and characters as constants.

use kiln_syntax::SyntaxKind;
use kiln_syntax::literal::{NumberLiteral, char_bits, parse_number, unescape};
use kiln_types::{Const, ConstData, Type, Types, consts};
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
pub(super) fn number(types: &Types, text: &str, kind: SyntaxKind) -> Literal {
    let core = types.core();
    match parse_number(text, kind) {
        Some(NumberLiteral::Int64(value)) => Literal::Const(consts::int(types, value)),
        Some(NumberLiteral::UInt8(value)) => bits(types, core.uint8, &value.to_le_bytes()),
        Some(NumberLiteral::UInt16(value)) => bits(types, core.uint16, &value.to_le_bytes()),
        Some(NumberLiteral::UInt32(value)) => bits(types, core.uint32, &value.to_le_bytes()),
        Some(NumberLiteral::UInt64(value)) => bits(types, core.uint64, &value.to_le_bytes()),
        Some(NumberLiteral::Float64(value)) => bits(types, core.float64, &value.to_le_bytes()),
        Some(NumberLiteral::Float32(value)) => bits(types, core.float32, &value.to_le_bytes()),
        Some(NumberLiteral::Int128(_)) => Literal::Int128,
        Some(NumberLiteral::UInt128(_)) => Literal::UInt128,
        Some(NumberLiteral::Big) => Literal::Big,
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

/// Returns the name of an identifier: its Unicode normal form C, with look-alike characters unified.
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
