//! Values as text: what `print` writes of strings, symbols, characters and machine numbers, many at a time.

use super::arguments::Arguments;
use super::bytes::CharBytes;
use super::float_text::{self, FloatKind};
use crate::heap::{arrays, bits, fields, memory, text};
use crate::{Heap, Run, Value, exceptions, runtime};
use kiln_types::{Type, bytes_of_name, datatype};
use std::io::Write as _;

/// Fields of a `GenericIOBuffer` (`base/core/iobuffer.jl`).
mod field {
    pub(super) const DATA: usize = 0;
    pub(super) const READABLE: usize = 1;
    pub(super) const WRITABLE: usize = 2;
    pub(super) const SEEKABLE: usize = 3;
    pub(super) const APPEND: usize = 4;
    pub(super) const SIZE: usize = 5;
    pub(super) const MAXSIZE: usize = 6;
    pub(super) const PTR: usize = 7;
}

/// Bytes that a buffer has at least once it has grown.
const BUFFER_MIN: usize = 32;

impl Arguments<'_> {
    /// Appends what `print` writes of a value. Whether it is one whose text is known here, and Base prints it.
    pub(super) fn append_plain(&self, value: Value, out: &mut Vec<u8>) -> bool {
        !self.rt.own_printing.has(self, value.ty()) && self.append_known(value, out)
    }

    /// As [`Arguments::append_plain`], by Base's methods: what `string` makes of one value.
    pub(super) fn append_known(&self, value: Value, out: &mut Vec<u8>) -> bool {
        let (heap, core) = (self.heap(), self.heap().core());
        let ty = value.ty();
        if ty == core.int64 {
            append_int(value.bits() as i64, out);
        } else if ty == core.float64 {
            append_float(f64::from_bits(value.bits()), FloatKind::Double, out);
        } else if ty == core.float32 {
            append_float(f64::from(f32::from_bits(value.bits() as u32)), FloatKind::Single, out);
        } else if ty == core.float16 {
            append_float(float_text::half_value(value.bits() as u16), FloatKind::Half, out);
        } else if ty == core.char {
            out.extend_from_slice(CharBytes::of(value.bits() as u32).as_slice());
        } else if let Some(symbol) = value.as_symbol(core) {
            out.extend_from_slice(&bytes_of_name(heap.types().name(symbol)));
        } else if let Some(part) = self.string_part(value).filter(|it| self.is_string(value, it.string)) {
            out.extend_from_slice(part.bytes);
        } else if let Some(known) = value.as_bool(core) {
            out.extend_from_slice(if known { b"true" } else { b"false" });
        } else if let Some((bits, signed)) = machine_integer(heap, value) {
            append_wide(bits, signed, out);
        } else {
            return false;
        }
        true
    }

    /// Whether `string` joins values of this type by itself, not by `print`.
    fn is_text(&self, ty: Type) -> bool {
        let core = self.heap().core();
        [core.string, core.symbol, core.char].contains(&ty)
            || self.text_types().is_some_and(|it| it.substring == ty)
    }

    /// Code units have the bytes of a string and print as numbers.
    fn is_string(&self, value: Value, string: Value) -> bool {
        value.same(string) || self.text_types().is_some_and(|it| it.substring == value.ty())
    }
}

fn append_int(value: i64, out: &mut Vec<u8>) {
    // Writing to a vector does not fail. The standard library divides by 100 and reads two digits from a table.
    let _ = write!(out, "{value}");
}

fn append_wide(bits: u128, signed: bool, out: &mut Vec<u8>) {
    let negative = signed && (bits as i128) < 0;
    let size = if negative { (bits as i128).unsigned_abs() } else { bits };
    if negative {
        out.push(b'-');
    }
    // Most numbers fit a word, which is written faster.
    let _ = match u64::try_from(size) {
        Ok(word) => write!(out, "{word}"),
        Err(_) => write!(out, "{size}"),
    };
}

fn append_float(x: f64, kind: FloatKind, out: &mut Vec<u8>) {
    float_text::append_shortest(x, kind, false, 'e', out);
}

/// The bits of a machine integer, extended to 128, and whether its type is signed.
pub(super) fn machine_integer(heap: &Heap, value: Value) -> Option<(u128, bool)> {
    let (width, signed) = integer_width(heap, value.ty())?;
    let (bits, _) = bits::wide(heap, value)?;
    let unused = 128 - width;
    Some((if signed { ((bits << unused) as i128 >> unused) as u128 } else { bits }, signed))
}

/// Bits of a machine integer type, and whether it is signed.
pub(super) fn integer_width(heap: &Heap, ty: Type) -> Option<(u32, bool)> {
    let core = heap.core();
    let signed = [core.int8, core.int16, core.int32, core.int64, core.int128];
    let unsigned = [core.uint8, core.uint16, core.uint32, core.uint64, core.uint128];
    let place = |list: &[Type]| list.iter().position(|&it| it == ty).map(|it| 8 << it);
    place(&signed).map(|it| (it, true)).or_else(|| place(&unsigned).map(|it| (it, false)))
}

/// `text_of(values...)`: the text of all of them as one `String`; `nothing` if one is printed by Julia code.
pub(super) fn text_of(args: &Arguments<'_>) -> Run {
    let heap = args.heap();
    if let [value] = args.values
        && value.ty() == heap.core().string
    {
        return Ok(*value);
    }
    let mut text = Vec::with_capacity(64);
    let joins = args.values.iter().all(|it| args.is_text(it.ty()));
    let append = if joins { Arguments::append_known } else { Arguments::append_plain };
    let known = args.values.iter().all(|&it| append(args, it, &mut text));
    Ok(if known { text::from_bytes(heap, &text) } else { heap.nothing() })
}

/// `put_text(io, values...)`: writes the text of values to an `IOBuffer`, up to the first one that Julia code prints.
/// Returns how many it wrote; -1 for a buffer whose writing has conditions (a limit, a gap, bytes that were read).
pub(super) fn put_text(args: &Arguments<'_>) -> Run {
    args.expect(1, usize::MAX)?;
    let heap = args.heap();
    let io = args.value(0)?;
    if args.text_types().is_none_or(|it| it.buffer != io.ty()) {
        return Ok(heap.int(-1));
    }
    let Some(end) = Buffer::open(args, io) else { return Ok(heap.int(-1)) };
    let rest = &args.values[1..];
    if let [value] = rest
        && let Some(part) = args.string_part(*value).filter(|it| args.is_string(*value, it.string))
    {
        end.append(args, part.bytes)?;
        return Ok(heap.int(1));
    }
    let mut text = Vec::with_capacity(64);
    let known = rest.iter().take_while(|&&it| args.append_plain(it, &mut text)).count();
    end.append(args, &text)?;
    runtime::after_async_errors(args.rt, Ok(heap.int(known as i64)))
}

/// The place where an `IOBuffer` is written.
struct Buffer {
    io: Value,
    data: Value,
    /// Bytes before the place.
    at: usize,
    size: usize,
    appends: bool,
}

impl Buffer {
    /// `None` if the buffer has conditions.
    fn open(args: &Arguments<'_>, io: Value) -> Option<Self> {
        let heap = args.heap();
        let flag = |at: usize| fields::plain_bits(heap, io, at) == Some(1);
        let number = |at: usize| fields::plain_bits(heap, io, at).map(|it| it as i64);
        if !flag(field::WRITABLE) || number(field::MAXSIZE) != Some(i64::MAX) {
            return None;
        }
        let appends = flag(field::APPEND);
        if appends && !flag(field::SEEKABLE) {
            return None;
        }
        let size = usize::try_from(number(field::SIZE)?).ok()?;
        let at = if appends { size } else { usize::try_from(number(field::PTR)?.checked_sub(1)?).ok()? };
        let data = fields::get(heap, io, field::DATA)?;
        (at <= size && size <= memory::len(heap, data)).then_some(Self { io, data, at, size, appends })
    }

    fn append(self, args: &Arguments<'_>, bytes: &[u8]) -> Run<()> {
        let heap = args.heap();
        let mut data = self.data;
        let Some(end) = self.at.checked_add(bytes.len()) else { return Err(out_of_memory(args)) };
        let room = memory::len(heap, data);
        if end > room {
            let larger = end.max(room.saturating_mul(2)).max(BUFFER_MIN);
            if !memory::fits(heap, data.ty(), larger as i64) {
                return Err(out_of_memory(args));
            }
            let grown = memory::try_new(heap, data.ty(), larger).ok_or_else(|| out_of_memory(args))?;
            memory::copy(heap, data, 0, grown, 0, self.size);
            fields::set(heap, self.io, field::DATA, grown);
            data = grown;
        }
        memory::write(heap, data, self.at, bytes);
        if !self.appends {
            fields::set_int(heap, self.io, field::PTR, end as i64 + 1);
        }
        if end > self.size {
            fields::set_int(heap, self.io, field::SIZE, end as i64);
        }
        Ok(())
    }
}

fn out_of_memory(args: &Arguments<'_>) -> Box<crate::Thrown> {
    exceptions::out_of_memory_error(args.heap())
}

/// `take_line(io, keep, whole)`: the next line of an `IOBuffer` as a `String`, without its end unless it is kept; `nothing` if it
/// is no such stream, cannot be read, or has no line with an end where one is asked for.
pub(super) fn take_line(args: &Arguments<'_>) -> Run {
    args.expect(3, 3)?;
    let heap = args.heap();
    let core = heap.core();
    let io = args.value(0)?;
    let whole = args.value(2)?.as_bool(core) == Some(true);
    let keep = args.value(1)?.as_bool(core) == Some(true);
    if args.text_types().is_none_or(|it| it.buffer != io.ty()) {
        return Ok(heap.nothing());
    }
    let number = |at: usize| fields::plain_bits(heap, io, at).and_then(|it| usize::try_from(it as i64).ok());
    let readable = fields::plain_bits(heap, io, field::READABLE) == Some(1);
    let parts = (fields::get(heap, io, field::DATA), number(field::PTR), number(field::SIZE));
    let (Some(data), Some(next @ 1..), Some(size)) = parts else { return Ok(heap.nothing()) };
    let Some(waiting) = memory::bytes(heap, data).get(next - 1..size.max(next - 1)).filter(|_| readable)
    else {
        return Ok(heap.nothing());
    };
    let Some((line, used)) = line_of(waiting, keep, whole) else { return Ok(heap.nothing()) };
    fields::set_int(heap, io, field::PTR, (next + used) as i64);
    runtime::after_async_errors(args.rt, Ok(text::from_bytes(heap, line)))
}

/// The first line, and how many bytes it takes with its end.
fn line_of(bytes: &[u8], keep: bool, whole: bool) -> Option<(&[u8], usize)> {
    let Some(end) = memchr::memchr(b'\n', bytes) else { return (!whole).then_some((bytes, bytes.len())) };
    let line = &bytes[..end];
    let kept = if keep { &bytes[..=end] } else { line.strip_suffix(b"\r").unwrap_or(line) };
    Some((kept, end + 1))
}

/// `join_text(items, delim, last)`: the texts of the elements of an `Array` or a tuple with a delimiter between them, another
/// one before the last; `nothing` if one is printed by Julia code.
pub(super) fn join_text(args: &Arguments<'_>) -> Run {
    args.expect(3, 3)?;
    let heap = args.heap();
    let items = args.value(0)?;
    let (mut delim, mut last) = (Vec::new(), Vec::new());
    if !args.append_plain(args.value(1)?, &mut delim) || !args.append_plain(args.value(2)?, &mut last) {
        return Ok(heap.nothing());
    }
    let Some((item, count)) = elements(heap, items) else { return Ok(heap.nothing()) };
    let mut text = Vec::new();
    for at in 0..count {
        if at > 0 {
            text.extend_from_slice(if at + 1 == count { &last } else { &delim });
        }
        if !item(at).is_some_and(|it| args.append_plain(it, &mut text)) {
            return Ok(heap.nothing());
        }
    }
    Ok(text::from_bytes(heap, &text))
}

/// The elements of an `Array` or a tuple, by their places from 0, and how many there are.
pub(super) fn elements(heap: &Heap, items: Value) -> Option<(impl Fn(usize) -> Option<Value>, usize)> {
    let (memory, first, count) = if arrays::is_array(heap, items) {
        let parts = memory::ref_parts(heap, fields::get(heap, items, 0)?)?;
        let (first, count) = (usize::try_from(parts.index).ok()?, arrays::len(heap, items));
        let end = first.checked_add(count)?;
        (count == 0 || end <= memory::len(heap, parts.memory)).then_some((
            Some(parts.memory),
            first,
            count,
        ))?
    } else {
        datatype::is_tuple(heap.types(), items.ty()).then(|| (None, 0, fields::count(heap, items)))?
    };
    let item = move |at: usize| match memory {
        Some(memory) => memory::get(heap, memory, first + at),
        None => fields::get(heap, items, at),
    };
    Some((item, count))
}

/// `integer_text(x, base, pad)`: a machine integer in a base from 2 to 62, with at least `pad` digits.
pub(super) fn integer_text(args: &Arguments<'_>) -> Run {
    args.expect(3, 3)?;
    let heap = args.heap();
    let (base, pad) = (args.int(1)?, usize::try_from(args.int(2)?).unwrap_or(0));
    let number = machine_integer(heap, args.value(0)?).filter(|_| (2..=62).contains(&base) && pad < 1 << 30);
    let Some((bits, signed)) = number else {
        return Err(exceptions::argument_error(heap, "integer_text: no machine integer, or no such base"));
    };
    let negative = signed && (bits as i128) < 0;
    let mut rest = if negative { (bits as i128).unsigned_abs() } else { bits };
    let mut digits = Vec::new();
    while rest != 0 || digits.len() < pad {
        let digit = (rest % base as u128) as u8;
        digits.push(match digit {
            0..10 => b'0' + digit,
            10..36 if base > 36 => b'A' + (digit - 10),
            36.. => b'a' + (digit - 36),
            _ => b'a' + (digit - 10),
        });
        rest /= base as u128;
    }
    if negative {
        digits.push(b'-');
    }
    digits.reverse();
    Ok(text::from_bytes(heap, &digits))
}
