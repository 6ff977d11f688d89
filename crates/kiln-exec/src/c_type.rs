//! Types of arguments and results as C declares them, and the values of operands in messages.

use crate::c_number::CNumber;
use kiln_types::{FieldStorage, Type, Types, datatype, display, layout};
use kiln_unit::{MessagePart, OperandPlace};

/// A type of bits, as C has it. Sizes and offsets are those of the type in Julia.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CType {
    /// A number.
    Number(CNumber),
    /// An address of elements; `None`: of anything.
    Pointer(Option<CNumber>),
    /// An array as kernels see it: the address of its elements, its lengths, and their product.
    Array {
        /// The elements, if they are numbers.
        element: Option<CNumber>,
        /// Dimensions.
        rank: u32,
    },
    /// The launch of a kernel over a space of indices: its range, items of a group, and groups, for each dimension.
    Space {
        /// Dimensions.
        rank: u32,
    },
    /// As many elements of one type.
    Repeated(Box<CType>, u32),
    /// Fields, with names and offsets.
    Fields(Vec<(String, u32, CType)>),
    /// Bytes whose meaning C has no word for.
    Bytes(u32),
}

/// Arrays as kernels see them: see `base/core/device.jl`.
const ARRAY: &str = "DeviceArray";
/// The launch of a kernel over a space of indices, its first argument.
const SPACE: &str = "Context";

impl CType {
    /// Bytes of a value.
    pub fn bytes(&self) -> u32 {
        match self {
            Self::Number(number) => number.bytes(),
            Self::Pointer(_) => 8,
            Self::Array { rank, .. } => 8 * (rank + 2),
            Self::Space { rank } => 3 * 8 * rank,
            Self::Repeated(element, count) => element.bytes() * count,
            Self::Fields(fields) => {
                let end = fields.iter().map(|it| it.1 + it.2.bytes()).max().unwrap_or(0);
                end.next_multiple_of(self.align())
            }
            Self::Bytes(bytes) => *bytes,
        }
    }

    /// The alignment of a value, in C.
    fn align(&self) -> u32 {
        match self {
            Self::Number(number) => number.bytes(),
            Self::Pointer(_) | Self::Array { .. } | Self::Space { .. } => 8,
            Self::Repeated(element, _) => element.align(),
            Self::Fields(fields) => fields.iter().map(|it| it.2.align()).max().unwrap_or(1),
            Self::Bytes(_) => 1,
        }
    }
}

/// Returns a type of bits as C has it.
pub(crate) fn c_type(types: &Types, ty: Type) -> CType {
    let Some(layout) = layout::of(types, ty) else { return CType::Bytes(0) };
    let made = c_type_of(types, ty);
    // C lays out its structs by the same rules; where it would not, the bytes are passed.
    if made.bytes() == layout.size { made } else { CType::Bytes(layout.size) }
}

fn c_type_of(types: &Types, ty: Type) -> CType {
    let core = types.core();
    let is = |wrapper: Type| {
        datatype::name_of(types, ty).is_some()
            && datatype::name_of(types, ty) == datatype::name_of(types, wrapper)
    };
    let named = |ty: &Type| CNumber::of_name(&display::of_type(types, *ty));
    if let Some(number) = named(&ty) {
        return CType::Number(number);
    }
    let params = datatype::params(types, ty);
    if is(core.ptr) || is(core.llvm_ptr) {
        return CType::Pointer(params.first().and_then(named));
    }
    let size = layout::of(types, ty).map_or(0, |it| it.size);
    if datatype::is_primitive(types, ty) {
        return CNumber::of_bytes(size).map_or(CType::Bytes(size), CType::Number);
    }
    match base_name(&display::of_type(types, ty)) {
        ARRAY if size >= 24 => {
            return CType::Array { element: params.first().and_then(named), rank: size / 8 - 2 };
        }
        SPACE if size > 0 && size.is_multiple_of(24) => return CType::Space { rank: size / 24 },
        _ => {}
    }
    fields(types, ty)
}

fn fields(types: &Types, ty: Type) -> CType {
    let Some(layout) = layout::of(types, ty) else { return CType::Bytes(0) };
    let is_inline = layout.fields.iter().all(|it| it.storage == FieldStorage::Inline);
    if !is_inline {
        return CType::Bytes(layout.size);
    }
    let field_types = datatype::field_types(types, ty);
    if let [first, rest @ ..] = field_types
        && datatype::is_tuple(types, ty)
        && rest.iter().all(|it| it == first)
    {
        return CType::Repeated(Box::new(c_type(types, *first)), field_types.len() as u32);
    }
    let names = datatype::field_names(types, ty);
    let with_bytes = field_types.iter().zip(&layout.fields).enumerate().filter(|it| it.1.1.size > 0);
    let field = |(at, (ty, place)): (usize, (&Type, &kiln_types::FieldLayout))| {
        let name = names.get(at).map(|it| types.name(*it).to_owned());
        (name.unwrap_or_else(|| format!("field{at}")), place.offset, c_type(types, *ty))
    };
    CType::Fields(with_bytes.map(field).collect())
}

/// The name of a type without modules and parameters.
pub(crate) fn base_name(shown: &str) -> &str {
    let own = &shown[..shown.find('{').unwrap_or(shown.len())];
    own.rsplit('.').next().unwrap_or(own)
}

/// Appends the value of an operand, as a message shows it.
pub(crate) fn show_operand(types: &Types, ty: Type, place: OperandPlace, out: &mut Vec<MessagePart>) {
    let text = |text: &str| MessagePart::Text(text.to_owned());
    if place.size == 0 {
        return out.push(text(&display::of_type(types, ty)));
    }
    let at = |offset: u32, size: u32| OperandPlace { offset: place.offset + offset, size };
    match c_type(types, ty) {
        CType::Number(CNumber::Float32 | CNumber::Float64) => out.push(MessagePart::Float(place)),
        CType::Number(CNumber::Int8 | CNumber::Int16 | CNumber::Int32 | CNumber::Int64) => {
            out.push(MessagePart::Signed(place));
        }
        CType::Number(CNumber::UInt8 | CNumber::UInt16 | CNumber::UInt32 | CNumber::UInt64) => {
            out.push(MessagePart::Unsigned(place));
        }
        CType::Array { rank, .. } => {
            for dimension in 0..rank {
                out.push(text(if dimension == 0 { "an array of size " } else { " x " }));
                out.push(MessagePart::Signed(at(8 * (dimension + 1), 8)));
            }
        }
        _ if datatype::is_tuple(types, ty) => show_tuple(types, ty, place, out),
        _ => out.push(text(&format!("a value of type {}", display::of_type(types, ty)))),
    }
}

fn show_tuple(types: &Types, ty: Type, place: OperandPlace, out: &mut Vec<MessagePart>) {
    let text = |text: &str| MessagePart::Text(text.to_owned());
    let Some(layout) = layout::of(types, ty) else { return };
    out.push(text("("));
    for (number, (ty, field)) in datatype::field_types(types, ty).iter().zip(&layout.fields).enumerate() {
        out.extend((number > 0).then(|| text(", ")));
        let inner = OperandPlace { offset: place.offset + field.offset, size: field.size };
        show_operand(types, *ty, inner, out);
    }
    out.push(text(")"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_loses_its_modules_and_parameters() {
        assert_eq!(base_name("Base.Device.DeviceArray{Float32, 1, 1}"), "DeviceArray");
        assert_eq!(base_name("Tuple{A.B}"), "Tuple");
    }

    /// Sizes follow the rules of C.
    #[test]
    fn structs_are_laid_out_as_in_c() {
        let field = |name: &str, at, ty| (name.to_owned(), at, ty);
        let pair = CType::Fields(vec![
            field("a", 0, CType::Number(CNumber::Int8)),
            field("b", 8, CType::Repeated(Box::new(CType::Number(CNumber::Float64)), 2)),
            field("c", 24, CType::Number(CNumber::Bool)),
        ]);
        assert_eq!((pair.bytes(), pair.align()), (32, 8));
    }
}
