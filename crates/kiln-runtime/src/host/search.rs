//! Searches in text: bytes, characters and strings in strings, by `memchr`; splitting, replacing and stripping on top.

use super::arguments::Arguments;
use super::bytes::{CharBytes, StringPart, is_part_of_char};
use crate::heap::{memory, text};
use crate::{Run, Value};
use memchr::memmem;
use std::cmp::Ordering;

/// The text that is looked for.
pub(super) enum Needle<'a> {
    Bytes(&'a [u8]),
    Char(CharBytes),
}

impl<'a> Needle<'a> {
    /// A string; `None` for a part of a character, which Julia does not find within others.
    pub(super) fn of_text(text: &'a [u8]) -> Option<Self> {
        (!is_part_of_char(text)).then_some(Needle::Bytes(text))
    }

    /// A `Char`; `None` unless it is whole.
    pub(super) fn of_char(bits: u32) -> Option<Self> {
        let bytes = CharBytes::of(bits);
        bytes.is_whole().then_some(Needle::Char(bytes))
    }

    fn bytes(&self) -> &[u8] {
        match self {
            Needle::Bytes(bytes) => bytes,
            Needle::Char(bytes) => bytes.as_slice(),
        }
    }

    /// The place of the first occurrence.
    fn find(&self, text: &[u8]) -> Option<usize> {
        find(text, self.bytes())
    }
}

fn find(text: &[u8], what: &[u8]) -> Option<usize> {
    match what {
        &[byte] => memchr::memchr(byte, text),
        bytes => memmem::find(text, bytes),
    }
}

impl<'a> Arguments<'a> {
    /// A text to look for: a byte, bytes, or a character that is whole. A string of one character is looked for as that
    /// character.
    fn needle(&self, value: Value) -> Option<Needle<'a>> {
        let core = self.heap().core();
        if value.ty() == core.char {
            return Needle::of_char(value.bits() as u32);
        }
        if value.ty() == core.uint8 || value.ty() == core.int8 {
            return Some(Needle::Char(CharBytes::of((value.bits() as u32) << 24)));
        }
        if let Some(part) = self.string_part(value) {
            return Needle::of_text(part.bytes);
        }
        self.bytes_in(value).map(Needle::Bytes)
    }
}

/// `find_text(text, what, from, backwards, [last])`: the place, from 1, of the first occurrence at or after `from`, or of the last
/// one that begins at or before `from`; 0 if there is none, -1 for a character that only Julia code can find. With `last`, the
/// text ends behind that place.
pub(super) fn find_text(args: &Arguments<'_>) -> Run {
    args.expect(4, 5)?;
    let heap = args.heap();
    let mut text = args.any_bytes(0)?;
    if args.values.len() > 4 {
        text = &text[..text.len().min(usize::try_from(args.int(4)?).unwrap_or(0))];
    }
    let needle = args.needle(args.value(1)?);
    let from = args.int(2)?;
    let backwards = args.value(3)?.as_bool(heap.core()) == Some(true);
    Ok(heap.int(place_in(text, needle, from, backwards)))
}

/// The place of the occurrence, as [`find_text`] says it.
pub(super) fn place_in(text: &[u8], needle: Option<Needle<'_>>, from: i64, backwards: bool) -> i64 {
    let Some(needle) = needle else { return -1 };
    let what = needle.bytes();
    let found = if backwards {
        let end =
            usize::try_from(from).ok().filter(|&it| it > 0).map(|it| (it - 1).saturating_add(what.len()));
        let text = end.and_then(|it| text.get(..it.min(text.len())));
        text.and_then(|it| memmem::rfind(it, what))
    } else {
        let start = usize::try_from(from.saturating_sub(1)).unwrap_or(0);
        text.get(start..).and_then(|it| find(it, what)).map(|it| it + start)
    };
    found.map_or(0, |it| it as i64 + 1)
}

/// `count_text(text, what)`: how often it occurs, without overlaps; -1 for what only Julia code can count.
pub(super) fn count_text(args: &Arguments<'_>) -> Run {
    args.expect(2, 2)?;
    let text = args.any_bytes(0)?;
    let needle = args.needle(args.value(1)?).filter(|it| !it.bytes().is_empty());
    let count = needle.map(|it| match it.bytes() {
        &[byte] => memchr::memchr_iter(byte, text).count(),
        bytes => memmem::find_iter(text, bytes).count(),
    });
    Ok(args.heap().int(count.map_or(-1, |it| it as i64)))
}

/// `compare_text(a, b)`: -1, 0 or 1, by bytes.
pub(super) fn compare_text(args: &Arguments<'_>) -> Run {
    args.expect(2, 2)?;
    Ok(args.heap().int(order(args.any_bytes(0)?, args.any_bytes(1)?)))
}

/// The order of two texts, as [`compare_text`] says it.
pub(super) fn order(a: &[u8], b: &[u8]) -> i64 {
    match a.cmp(b) {
        Ordering::Less => -1,
        Ordering::Equal => 0,
        Ordering::Greater => 1,
    }
}

/// `has_text(text, what, at)`: whether the bytes of `what` stand in the text from byte `at` on, from 1.
pub(super) fn has_text(args: &Arguments<'_>) -> Run {
    args.expect(3, 3)?;
    let (text, what) = (args.any_bytes(0)?, args.any_bytes(1)?);
    Ok(args.heap().bool(stands_at(text, what, args.int(2)?)))
}

/// Whether a text stands in another at a place from 1.
pub(super) fn stands_at(text: &[u8], what: &[u8], at: i64) -> bool {
    let start = at.checked_sub(1).and_then(|it| usize::try_from(it).ok());
    start.and_then(|it| text.get(it..)).is_some_and(|it| it.starts_with(what))
}

/// The bytes of the white space at the beginning, as Julia's `isspace` says; 0 if there is none.
fn space_before(text: &[u8]) -> usize {
    match *text {
        [9..=13 | 32, ..] => 1,
        [0xc2, 0x85 | 0xa0, ..] => 2,
        [0xe1, 0x9a, 0x80, ..] | [0xe2, 0x80, 0x80..=0x8a | 0xaf, ..] => 3,
        [0xe2, 0x81, 0x9f, ..] | [0xe3, 0x80, 0x80, ..] => 3,
        _ => 0,
    }
}

/// The bytes of the white space at the end.
fn space_behind(text: &[u8]) -> usize {
    (1..=text.len().min(3)).find(|&it| space_before(&text[text.len() - it..]) == it).unwrap_or(0)
}

/// `strip_text(s, left, right)`: the `SubString` without white space at the ends that are asked for.
pub(super) fn strip_text(args: &Arguments<'_>) -> Run {
    args.expect(3, 3)?;
    let core = args.heap().core();
    let StringPart { string, mut offset, bytes: mut text } = args.string_at(0)?;
    let asked = |at: usize| args.value(at).map(|it| it.as_bool(core) == Some(true));
    if asked(2)? {
        while let count @ 1.. = space_behind(text) {
            text = &text[..text.len() - count];
        }
    }
    if asked(1)? {
        while let count @ 1.. = space_before(text) {
            // Of text that is nothing but space the empty part stands behind the first byte of the last character.
            offset += if count == text.len() { 1 } else { count };
            text = &text[count..];
        }
    }
    args.substring(string, offset, text.len())
}

/// What text is split at.
enum Delimiter<'a> {
    Text(Needle<'a>),
    Space,
}

impl Delimiter<'_> {
    /// The next delimiter at or after a place: where it begins and ends.
    fn next(&self, text: &[u8], from: usize) -> Option<(usize, usize)> {
        match self {
            Delimiter::Text(needle) => {
                let start = needle.find(&text[from..])? + from;
                Some((start, start + needle.bytes().len()))
            }
            Delimiter::Space => (from..text.len()).find_map(|at| match space_before(&text[at..]) {
                0 => None,
                count => Some((at, at + count)),
            }),
        }
    }
}

/// `split_text(s, delimiter, limit, keepempty)`: the pieces as a `Memory{SubString{String}}`; a delimiter of `nothing` is white
/// space. `nothing` where only Julia code finds the delimiter.
pub(super) fn split_text(args: &Arguments<'_>) -> Run {
    args.expect(4, 4)?;
    let heap = args.heap();
    let part = args.string_at(0)?;
    let what = args.value(1)?;
    let delimiter = if what.is_nothing(heap.core()) {
        Delimiter::Space
    } else {
        match args.needle(what).filter(|it| !it.bytes().is_empty()) {
            Some(needle) => Delimiter::Text(needle),
            None => return Ok(heap.nothing()),
        }
    };
    let Some(types) = args.text_types() else { return Ok(heap.nothing()) };
    let keep = args.value(3)?.as_bool(heap.core()) == Some(true);
    let pieces = pieces(part.bytes, &delimiter, args.int(2)?, keep);
    let memory = memory::new(heap, types.substrings, pieces.len());
    let place = |&(start, end): &(usize, usize)| (part.offset + start, end - start);
    let words = pieces.iter().map(place).map(|(offset, count)| [offset as u64, count as u64]);
    if !memory::set_objects_and_words(heap, memory, part.string, words) {
        for (at, (offset, count)) in pieces.iter().map(place).enumerate() {
            memory::set(heap, memory, at, args.substring(part.string, offset, count)?);
        }
    }
    Ok(memory)
}

/// The pieces that are made room for at once.
const FEW_PIECES: usize = 8;

/// Begins and ends of the pieces.
fn pieces(text: &[u8], delimiter: &Delimiter<'_>, limit: i64, keep: bool) -> Vec<(usize, usize)> {
    let mut pieces = Vec::with_capacity(FEW_PIECES);
    let mut from = 0;
    while pieces.len() as i64 != limit.wrapping_sub(1)
        && let Some((start, end)) = delimiter.next(text, from)
    {
        if keep || from < start {
            pieces.push((from, start));
        }
        from = end;
    }
    if keep || from < text.len() {
        pieces.push((from, text.len()));
    }
    pieces
}

/// `replace_text(s, count, what1, with1, what2, with2, ...)`: a `String` in which the first `count` occurrences are replaced; of
/// those that begin at one place the first counts. `nothing` where Julia code has to look or to print.
pub(super) fn replace_text(args: &Arguments<'_>) -> Run {
    args.expect(4, usize::MAX)?;
    let heap = args.heap();
    let part = args.string_at(0)?;
    let most = args.int(1)?;
    let mut rules = Vec::new();
    for pair in args.values[2..].chunks(2) {
        let &[what, with] = pair else { return Ok(heap.nothing()) };
        let core = heap.core();
        let with = match args.string_part(with) {
            Some(part) => Needle::Bytes(part.bytes),
            None if with.ty() == core.char => Needle::Char(CharBytes::of(with.bits() as u32)),
            None => return Ok(heap.nothing()),
        };
        let is_text = what.ty() == core.char || args.string_part(what).is_some();
        match args.needle(what).filter(|it| is_text && !it.bytes().is_empty()) {
            Some(what) => rules.push(Rule { next: what.find(part.bytes), what, with }),
            None => return Ok(heap.nothing()),
        }
    }
    match replaced(part.bytes, &mut rules, most) {
        Some(text) => Ok(text::from_bytes(heap, &text)),
        None if part.bytes.len() == text::bytes(heap, part.string).len() => Ok(part.string),
        None => Ok(text::from_bytes(heap, part.bytes)),
    }
}

/// A text, its replacement, and the next place of the text.
struct Rule<'a> {
    what: Needle<'a>,
    with: Needle<'a>,
    next: Option<usize>,
}

fn replaced(text: &[u8], rules: &mut [Rule<'_>], most: i64) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let (mut from, mut count) = (0, 0);
    while count < most {
        let first = rules.iter().filter(|it| it.next.is_some()).min_by_key(|it| it.next);
        let Some((rule, start)) = first.and_then(|it| Some((it, it.next?))) else { break };
        out.extend_from_slice(&text[from..start]);
        out.extend_from_slice(rule.with.bytes());
        from = start + rule.what.bytes().len();
        count += 1;
        for rule in rules.iter_mut().filter(|it| it.next.is_some_and(|next| next < from)) {
            rule.next = rule.what.find(&text[from..]).map(|it| it + from);
        }
    }
    out.extend_from_slice(&text[from..]);
    (count > 0).then_some(out)
}
