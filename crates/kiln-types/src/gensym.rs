//! Suffixes of generated names (`#f#480017743602`), derived from the content that they name: the same definition has
//! the same names in every process, and when it is evaluated again.
//!
//! A session remembers the content of each suffix. On a collision the later name gets a counter.

use crate::Types;
use crate::freeze::{FrozenTable, ImageError, TableWriter, accepted};
use kiln_bytes::{Reader, Writer};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

/// The number of decimal digits of a suffix: Julia's gensyms end in numbers, too.
const LENGTH: u32 = 12;

/// The content hash of a generated name, and its counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Gensym {
    content: u64,
    count: u32,
}

/// The generated names.
#[derive(Default)]
pub(crate) struct GensymTable {
    /// Those of the image.
    frozen: FrozenTable,
    /// Those added or changed since.
    own: Mutex<FxHashMap<u64, Gensym>>,
}

/// Returns the suffix for a content hash: with `again`, the one that the content has already; else a fresh one.
pub fn suffix(types: &Types, content: u128, again: bool) -> String {
    let number = (content >> 64) as u64 % 10u64.pow(LENGTH);
    let content = content as u64;
    let mut own = types.made_names.own.lock();
    let known = own.get(&number).copied().or_else(|| types.made_names.find_frozen(number));
    let count = match known {
        Some(known) if again && known.content == content => return text(number, 1),
        Some(known) => known.count + 1,
        None => 1,
    };
    own.insert(number, Gensym { content: known.map_or(content, |it| it.content), count });
    text(number, count)
}

/// Splits a name made up by a macro's result (`#12#x`) or by `gensym` (`##x#12`) around the session's number; `None` if it
/// is no such name.
pub fn around_number(name: &str) -> Option<(&str, &str)> {
    let is_number = |it: &str| !it.is_empty() && it.bytes().all(|it| it.is_ascii_digit());
    if name.starts_with("##") {
        let (before, number) = name.split_at(name.rfind('#')? + 1);
        return is_number(number).then_some((before, ""));
    }
    let (number, _) = name.strip_prefix('#')?.split_once('#')?;
    is_number(number).then(|| (&name[..1], &name[1 + number.len()..]))
}

fn text(number: u64, count: u32) -> String {
    let mut text = format!("{number:0width$}", width = LENGTH as usize);
    if count > 1 {
        text.push_str(&format!("_{count}"));
    }
    text
}

/// Returns the hash by which an entry is looked up: every bit depends on the number.
fn entry_hash(number: u64) -> u64 {
    number.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

fn read_entry(entry: Result<Reader<'_>, ImageError>) -> Result<(u64, Gensym), ImageError> {
    let mut entry = entry?;
    let made = (entry.number()?, Gensym { content: entry.number()?, count: entry.number_u32()? });
    entry.finish()?;
    Ok(made)
}

impl GensymTable {
    fn find_frozen(&self, number: u64) -> Option<Gensym> {
        let candidates = self.frozen.candidates(entry_hash(number));
        candidates
            .map(|it| accepted(read_entry(self.frozen.entry(it))))
            .find(|it| it.0 == number)
            .map(|it| it.1)
    }

    pub(crate) fn freeze(&self, out: &mut Writer) {
        let mut all: BTreeMap<u64, Gensym> =
            (0..self.frozen.len()).map(|it| accepted(read_entry(self.frozen.entry(it)))).collect();
        all.extend(self.own.lock().iter());
        let mut table = TableWriter::new();
        for (number, made) in all {
            let entry = table.entry(Some(entry_hash(number)));
            entry.number(number);
            entry.number(made.content);
            entry.number(u64::from(made.count));
        }
        table.finish(out);
    }

    pub(crate) fn from_image(frozen: FrozenTable) -> Self {
        Self { frozen, own: Mutex::default() }
    }

    /// Reads every entry of the image.
    pub(crate) fn check(&self) -> Result<(), ImageError> {
        let mut hashes = Vec::new();
        for at in 0..self.frozen.len() {
            hashes.push((entry_hash(read_entry(self.frozen.entry(at))?.0), at as u32));
        }
        self.frozen.check_index(&hashes)
    }
}

/// Returns a number not given before, for names that a macro's result makes up (`#12#x`).
pub fn fresh_number(types: &Types) -> u32 {
    types.next_number.fetch_add(1, Ordering::Relaxed)
}

#[cfg(test)]
mod tests {
    use super::suffix;
    use crate::Types;
    use crate::freeze;
    use crate::freeze::ImageBytes;
    use kiln_bytes::Writer;

    /// Only the same content gets a name again, and only with `again`; an image remembers the contents.
    #[test]
    fn names_are_made_for_contents() {
        let content = 7 << 64 | 1;
        let first = Types::new();
        assert_eq!(suffix(&first, content, true), "000000000007");
        assert_eq!(suffix(&first, content, true), "000000000007");
        assert_eq!(suffix(&first, content, false), "000000000007_2");
        let mut out = Writer::new();
        freeze::write(&first, &mut out);
        let second = Types::thaw(&ImageBytes::read(out.finish()), true).unwrap();
        for types in [&first, &second] {
            assert_eq!(suffix(types, content + 1, true), "000000000007_3");
            assert_eq!(suffix(types, content, true), "000000000007");
            assert_eq!(suffix(types, content, false), "000000000007_4");
            assert_eq!(suffix(types, 8 << 64, false), "000000000008");
            assert_eq!(suffix(types, 8 << 64, false), "000000000008_2");
        }
    }
}
