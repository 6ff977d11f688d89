//! Bytes: those of strings, of their parts, and of memories and vectors of bytes as slices; copying them, to and from
//! addresses too; facts about text, and its case.

use super::arguments::Arguments;
use crate::heap::{FieldSlot, arrays, fields, memory, pointers, text};
use crate::{Run, Runtime, Value, exceptions, runtime};
use kiln_types::{Symbol, Type, datatype, layout};

/// The types that hold text. Those of Base are looked up once it has them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TextTypes {
    /// `SubString{String}`.
    pub(super) substring: Type,
    /// `Memory{SubString{String}}`.
    pub(super) substrings: Type,
    /// `CodeUnits{UInt8, String}`.
    code_units: Type,
    /// `IOBuffer`: a stream over a `Memory{UInt8}`.
    pub(super) buffer: Type,
    /// `Memory{UInt8}`.
    pub(super) memory: Type,
    /// `Vector{UInt8}`.
    vector: Type,
    /// The names of the [`FACTS`].
    facts: [Symbol; 3],
}

impl TextTypes {
    /// The types; `None` while Base is loaded.
    #[inline]
    pub(super) fn of(rt: &Runtime) -> Option<&Self> {
        let cell = &rt.text_types;
        cell.get().or_else(|| Self::find(rt).map(|it| cell.get_or_init(|| it)))
    }

    /// Finds the types; `None` until Base has defined all of them.
    fn find(rt: &Runtime) -> Option<Self> {
        let core = rt.heap.core();
        let memory = memory::memory_type(&rt.heap, core.uint8);
        let applied = |name: &str, params: &[Type]| {
            let wrapper = rt.base_global(name)?.as_type(core)?;
            rt.types.apply(wrapper, params).ok()
        };
        let substring = applied("SubString", &[core.string])?;
        Some(Self {
            substring,
            substrings: memory::memory_type(&rt.heap, substring),
            code_units: applied("CodeUnits", &[core.uint8, core.string])?,
            buffer: applied("GenericIOBuffer", &[memory])?,
            memory,
            vector: arrays::vector_type(&rt.heap, core.uint8),
            facts: fact_names(rt),
        })
    }
}

impl<'a> Arguments<'a> {
    /// The types that hold text; `None` while Base is loaded.
    #[inline]
    pub(super) fn text_types(&self) -> Option<&'a TextTypes> {
        TextTypes::of(self.rt)
    }

    /// The string, and the bytes of it that a `String`, a `SubString{String}` or its code units are.
    pub(super) fn string_part(&self, value: Value) -> Option<StringPart<'a>> {
        let heap = self.heap();
        if let Some(all) = text::as_bytes(heap, value) {
            return Some(StringPart { string: value, offset: 0, bytes: all });
        }
        let types = self.text_types()?;
        if value.ty() != types.substring {
            let is_units = value.ty() == types.code_units;
            return if is_units { self.string_part(fields::get(heap, value, 0)?) } else { None };
        }
        let (string, [offset, count]) = fields::object_and_words(heap, value)?;
        let (offset, count) = (offset as usize, count as usize);
        if count == 0 {
            // An empty part may stand anywhere, behind the string too.
            return Some(StringPart { string, offset, bytes: &[] });
        }
        let bytes = text::as_bytes(heap, string)?.get(offset..offset.checked_add(count)?)?;
        Some(StringPart { string, offset, bytes })
    }

    /// The bytes of a string, a part of one, or a memory or vector of bytes.
    pub(super) fn bytes_in(&self, value: Value) -> Option<&'a [u8]> {
        if let Some(part) = self.string_part(value) {
            return Some(part.bytes);
        }
        let heap = self.heap();
        let types = self.text_types()?;
        if value.ty() == types.memory {
            return Some(memory::bytes(heap, value));
        }
        if value.ty() != types.vector {
            return None;
        }
        let parts = memory::ref_parts(heap, fields::get(heap, value, 0)?)?;
        let start = usize::try_from(parts.index).ok()?;
        memory::bytes(heap, parts.memory).get(start..start.checked_add(arrays::len(heap, value))?)
    }

    /// Argument `at` as [`Arguments::bytes_in`] reads it; throws for other values.
    pub(super) fn any_bytes(&self, at: usize) -> Run<&'a [u8]> {
        let value = self.value(at)?;
        self.bytes_in(value).ok_or_else(|| self.not_text(value))
    }

    /// Argument `at` as a string or a part of one; throws for other values.
    pub(super) fn string_at(&self, at: usize) -> Run<StringPart<'a>> {
        let value = self.value(at)?;
        self.string_part(value).ok_or_else(|| self.not_text(value))
    }

    /// The address behind a pointer by so many bytes; `None` for other values.
    pub(super) fn address(&self, value: Value, place: usize) -> Option<u64> {
        let heap = self.heap();
        let is_pointer =
            datatype::name_of(heap.types(), value.ty()) == datatype::name_of(heap.types(), heap.core().ptr);
        is_pointer.then(|| value.bits().wrapping_add(place as u64))
    }

    fn not_text(&self, value: Value) -> Box<crate::Thrown> {
        exceptions::type_error(self.heap(), self.function.name(), self.heap().core().abstract_string, value)
    }

    /// A `SubString{String}` of `count` bytes.
    pub(super) fn substring(&self, string: Value, offset: usize, count: usize) -> Run {
        let heap = self.heap();
        let Some(types) = self.text_types() else { return Err(self.error("there is no `SubString` yet")) };
        let fields = [string, heap.int(offset as i64), heap.int(count as i64)];
        Ok(fields::new_struct(heap, types.substring, &fields))
    }
}

/// A string, or a part of one.
#[derive(Clone, Copy)]
pub(super) struct StringPart<'a> {
    pub(super) string: Value,
    /// Bytes before the part.
    pub(super) offset: usize,
    pub(super) bytes: &'a [u8],
}

/// Up to four bytes: those of a `Char`, most significant first, without the zeros behind them.
#[derive(Clone, Copy)]
pub(super) struct CharBytes {
    bytes: [u8; 4],
    count: usize,
}

impl CharBytes {
    pub(super) fn of(bits: u32) -> Self {
        let count = 4 - (bits.trailing_zeros() / 8).min(3) as usize;
        Self { bytes: bits.to_be_bytes(), count }
    }

    pub(super) fn as_slice(&self) -> &[u8] {
        &self.bytes[..self.count]
    }

    /// Whether the first byte promises as many bytes as there are, and the others continue it: then the bytes stand in
    /// a string only where this character does.
    pub(super) fn is_whole(&self) -> bool {
        is_whole_char(self.as_slice())
    }
}

fn is_whole_char(bytes: &[u8]) -> bool {
    bytes.split_first().is_some_and(|(&lead, rest)| {
        !is_continuation(lead)
            && char_width(lead) == bytes.len()
            && rest.iter().all(|&it| is_continuation(it))
    })
}

/// Whether the text is one character of which a string can have a part in another one: the lead byte of a longer one,
/// or a byte that continues one.
pub(super) fn is_part_of_char(text: &[u8]) -> bool {
    !text.is_empty() && char_end(text, 0) == text.len() && !is_whole_char(text)
}

fn is_continuation(byte: u8) -> bool {
    byte & 0xc0 == 0x80
}

/// The bytes of the character that begins with this byte.
fn char_width(lead: u8) -> usize {
    match lead {
        0xc0..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf7 => 4,
        _ => 1,
    }
}

/// The end of the character that begins at `start`, as Julia reads text that may be no UTF-8.
fn char_end(bytes: &[u8], start: usize) -> usize {
    let most = bytes.len().min(start + char_width(bytes[start]));
    (start + 1..most).find(|&at| !is_continuation(bytes[at])).unwrap_or(most)
}

/// Copies bytes: `copy_bytes(to, at, from, first, n)`, `to` and `from` memories, strings (only `from`) or addresses,
/// places from 0.
pub(super) fn copy_bytes(args: &Arguments<'_>) -> Run {
    args.expect(5, 5)?;
    let heap = args.heap();
    let place = |at: usize| args.int(at).map(|it| usize::try_from(it).ok());
    let (Some(at), Some(first), Some(count)) = (place(1)?, place(3)?, place(4)?) else {
        return Err(args.error("copy_bytes: a negative place"));
    };
    let (to, from) = (args.value(0)?, args.value(2)?);
    let copied;
    let bytes = if let Some(start) = args.address(from, first) {
        copied = pointers::program_memory(heap).bytes(start, count);
        &copied[..]
    } else {
        let all = args.any_bytes(2)?;
        match first.checked_add(count).and_then(|end| all.get(first..end)) {
            Some(found) => found,
            None => return Err(exceptions::bounds_error(heap, from, heap.int(first as i64 + 1))),
        }
    };
    if let Some(start) = args.address(to, at) {
        pointers::program_memory(heap).write(start, bytes);
    } else {
        let element = memory::element(heap, to.ty()).filter(|it| it.stride == 1);
        if !element
            .is_some_and(|it| matches!(it.slot, FieldSlot::Inline(ty) if layout::is_bits(heap.types(), ty)))
        {
            let expected = memory::memory_type(heap, heap.core().uint8);
            return Err(exceptions::type_error(heap, args.function.name(), expected, to));
        }
        if at.checked_add(count).is_none_or(|end| end > memory::len(heap, to)) {
            return Err(exceptions::bounds_error(heap, to, heap.int(at as i64 + 1)));
        }
        memory::write(heap, to, at, bytes);
    }
    runtime::after_async_errors(args.rt, Ok(heap.nothing()))
}

/// A fact about text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextFact {
    /// The number of its characters.
    Chars,
    /// 1 for ASCII, else 0.
    Ascii,
    /// 1 for UTF-8, else 0.
    Valid,
}

/// The facts, with their names in Julia code.
const FACTS: [(TextFact, &str); 3] =
    [(TextFact::Chars, "chars"), (TextFact::Ascii, "ascii"), (TextFact::Valid, "valid")];

impl TextFact {
    /// The fact about a text.
    pub(super) fn about(self, text: &[u8]) -> i64 {
        match self {
            Self::Chars => count_chars(text) as i64,
            Self::Ascii => i64::from(text.is_ascii()),
            Self::Valid => i64::from(std::str::from_utf8(text).is_ok()),
        }
    }
}

fn fact_names(rt: &Runtime) -> [Symbol; 3] {
    FACTS.map(|(_, name)| rt.types.symbol(name))
}

/// The fact of this name.
pub(super) fn fact_of(rt: &Runtime, name: Symbol) -> Option<TextFact> {
    let names = rt.text_types.get().map_or_else(|| fact_names(rt), |it| it.facts);
    names.iter().position(|&it| it == name).map(|it| FACTS[it].0)
}

/// `text_fact(name, text)`: see [`TextFact`].
pub(super) fn text_fact(args: &Arguments<'_>) -> Run {
    args.expect(2, 2)?;
    let bytes = args.any_bytes(1)?;
    let asked = args.symbol(0)?;
    match fact_of(args.rt, asked) {
        Some(fact) => Ok(args.heap().int(fact.about(bytes))),
        None => {
            let name = args.heap().types().name(asked);
            Err(args.error(&format!("text_fact: no fact is called `{name}`")))
        }
    }
}

fn count_chars(bytes: &[u8]) -> usize {
    if bytes.is_ascii() {
        return bytes.len();
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        return text.chars().count();
    }
    let (mut at, mut count) = (0, 0);
    while at < bytes.len() {
        at = char_end(bytes, at);
        count += 1;
    }
    count
}

/// A string in capitals or small letters, if it is ASCII; else `nothing`.
pub(super) fn ascii_case(args: &Arguments<'_>) -> Run {
    args.expect(2, 2)?;
    let heap = args.heap();
    let bytes = args.string_at(0)?.bytes;
    if !bytes.is_ascii() {
        return Ok(heap.nothing());
    }
    let upper = args.value(1)?.as_bool(heap.core()) == Some(true);
    let changed = if upper { bytes.to_ascii_uppercase() } else { bytes.to_ascii_lowercase() };
    Ok(text::from_bytes(heap, &changed))
}
