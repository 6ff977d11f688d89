//! Names of compiled kernels, as the Itanium C++ ABI mangles them: profilers and debuggers show `axpy(Float32, Val<1>)`
//! and group the specializations of one function.
//!
//! Julia's types are written as C++ templates: type parameters are template arguments, values are literals of the nearest
//! C type, `Ptr{T}` is a pointer, `Union{A, B}` a template of that name. Letters that C++ has no place for become `_`.

use crate::{Const, ConstData, Type, TypeData, Types, consts, datatype, display};

/// A repeated element beyond this is in no signature of a program.
const REPEATS_MAX: i64 = 1 << 16;

/// The mangled name of a function called `function` for arguments of these types. Only letters, digits and `_`.
pub fn symbol(types: &Types, function: &str, args: &[Type]) -> String {
    let name = safe(function);
    let mut mangler = Mangler { types, known: Vec::new(), out: format!("_Z{}{name}", name.len()) };
    for &arg in args {
        mangler.parameter(arg, true);
    }
    mangler.out
}

/// A part that was written before, which C++ names by a number instead of writing it again.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Type(Type),
    /// The name `Union`, before its members.
    UnionName,
}

struct Mangler<'a> {
    types: &'a Types,
    known: Vec<Part>,
    out: String,
}

/// A name with everything but ASCII letters and digits made `_`. The first may be a digit.
pub fn safe(name: &str) -> String {
    name.chars().map(|it| if it.is_ascii_alphanumeric() { it } else { '_' }).collect()
}

/// The number of a part that is known, from the second on: base 36.
fn sequence(mut number: usize) -> String {
    let mut digits = Vec::new();
    loop {
        digits.push(b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[number % 36]);
        number /= 36;
        if number == 0 {
            break;
        }
    }
    digits.iter().rev().map(|it| char::from(*it)).collect()
}

impl Mangler<'_> {
    /// Writes a reference to a part that is known.
    fn substitute(&mut self, part: Part) -> bool {
        let Some(at) = self.known.iter().position(|it| *it == part) else { return false };
        match at.checked_sub(1) {
            None => self.out.push_str("S_"),
            Some(number) => self.out.push_str(&format!("S{}_", sequence(number))),
        }
        true
    }

    fn identifier(&mut self, name: &str) {
        let name = safe(name);
        let name = if name.starts_with(|it: char| it.is_ascii_digit()) { format!("_{name}") } else { name };
        self.out.push_str(&format!("{}{name}", name.len()));
    }

    /// `is_argument`: of the function itself, not of a type.
    fn parameter(&mut self, ty: Type, is_argument: bool) {
        let types = self.types;
        if ty == types.core().nothing {
            return self.out.push('v');
        }
        if self.substitute(Part::Type(ty)) {
            return;
        }
        match types.data(ty) {
            TypeData::Bottom => self.identifier("Bottom"),
            TypeData::Data { .. } => self.data(ty),
            TypeData::Union(members) => {
                if !self.substitute(Part::UnionName) {
                    self.identifier("Union");
                    self.known.push(Part::UnionName);
                }
                self.list(members);
                self.known.push(Part::Type(ty));
            }
            TypeData::UnionAll { body, .. } => self.parameter(*body, is_argument),
            TypeData::Var { .. } => self.variable(ty),
            TypeData::Vararg { elem, count } => self.repeated(*elem, *count, is_argument),
            TypeData::Value(constant) => self.value(*constant),
        }
    }

    fn list(&mut self, params: &[Type]) {
        self.out.push('I');
        let start = self.out.len();
        params.iter().for_each(|it| self.parameter(*it, false));
        // Arguments there are none of are an empty pack.
        self.out.push_str(if self.out.len() == start { "JEE" } else { "E" });
    }

    fn data(&mut self, ty: Type) {
        let types = self.types;
        let TypeData::Data { name, params } = types.data(ty) else { return };
        let def = types.type_name(*name);
        if datatype::name_of(types, types.core().ptr) == Some(*name) && params.len() == 1 {
            self.out.push('P');
            self.parameter(params[0], false);
            return self.known.push(Part::Type(ty));
        }
        if !self.substitute(Part::Type(def.wrapper)) {
            let written = types.name(def.def.name);
            // A function's type has the name of the function with a `#`.
            self.identifier(if def.of_function { written.trim_start_matches('#') } else { written });
            self.known.push(Part::Type(def.wrapper));
        }
        if def.wrapper == ty && !matches!(types.data(def.wrapper), TypeData::UnionAll { .. }) {
            return; // it has no parameters
        }
        self.list(params);
        self.known.push(Part::Type(ty));
    }

    /// A bound of a type variable is shown: `I<:Integer`.
    fn variable(&mut self, ty: Type) {
        let TypeData::Var { name, lower, upper, .. } = self.types.data(ty) else { return };
        let mut written = self.types.name(*name).to_owned();
        if *lower != Types::BOTTOM {
            written = format!("{}<:{written}", display::of_type(self.types, *lower));
        }
        if *upper != Types::ANY {
            written = format!("{written}<:{}", display::of_type(self.types, *upper));
        }
        self.identifier(&written);
    }

    fn repeated(&mut self, elem: Type, count: Option<Type>, is_argument: bool) {
        let known = count.and_then(|it| {
            let TypeData::Value(constant) = self.types.data(it) else { return None };
            consts::as_int(self.types, *constant)
        });
        match known {
            Some(count) => (0..count.clamp(0, REPEATS_MAX)).for_each(|_| self.parameter(elem, false)),
            None if is_argument => {
                self.parameter(elem, false);
                self.out.push('z');
            }
            // As an argument of a template it stands for none.
            None => {}
        }
    }

    /// A literal of the C type that is nearest.
    fn value(&mut self, constant: Const) {
        let (types, core) = (self.types, self.types.core());
        let ConstData::Bits { ty, bytes } = types.const_data(constant) else {
            return self.other_value(constant);
        };
        let unsigned = bytes.iter().rev().fold(0u128, |bits, it| bits << 8 | u128::from(*it));
        let unused = 128 - 8 * bytes.len().min(16) as u32;
        let signed = if unused == 128 { 0 } else { (unsigned << unused) as i128 >> unused };
        let literal = |code: char, negative: bool, magnitude: u128| {
            format!("L{code}{}{magnitude}E", if negative { "n" } else { "" })
        };
        let integer = |code: char| literal(code, signed < 0, signed.unsigned_abs());
        let fits_int = i32::try_from(signed).is_ok();
        let text = match *ty {
            it if it == core.bool => literal('b', false, unsigned),
            it if it == core.int8 => integer('a'),
            it if it == core.uint8 => literal('h', false, unsigned),
            it if it == core.int16 => integer('s'),
            it if it == core.uint16 => literal('t', false, unsigned),
            it if it == core.int32 => integer('i'),
            it if it == core.uint32 => literal('j', false, unsigned),
            it if it == core.int64 => integer(if fits_int { 'i' } else { 'l' }),
            it if it == core.uint64 => literal('m', false, unsigned),
            it if it == core.int128 => integer('n'),
            it if it == core.uint128 => literal('o', false, unsigned),
            it if it == core.char => literal('j', false, u128::from(code_point(unsigned as u32))),
            it if it == core.float32 => format!("Lf{unsigned:08x}E"),
            it if it == core.float64 => format!("Ld{unsigned:016x}E"),
            _ => return self.other_value(constant),
        };
        self.out.push_str(&text);
    }

    fn other_value(&mut self, constant: Const) {
        let written = display::of_const(self.types, constant);
        self.identifier(&written);
    }
}

/// The code point of a `Char`, which holds its UTF-8 bytes from the top.
fn code_point(bits: u32) -> u32 {
    let bytes = bits.to_be_bytes();
    let used = 4 - (bits.trailing_zeros() / 8).min(3) as usize;
    let text = std::str::from_utf8(&bytes[..used]).ok();
    text.and_then(|it| it.chars().next()).map_or(bits, u32::from)
}
