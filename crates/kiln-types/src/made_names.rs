//! The ends of names that lowering makes up (`#f#480017743602`): told by what they are made for, so that the same definition
//! makes the same names in every process, and again when it is evaluated again.
//!
//! A session keeps what each was made for. When two things would get the same, the later one gets a number behind it.

use crate::Types;
use crate::freeze::{FrozenTable, ImageError, In, Out, TableWriter, accepted};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// How many decimal digits an end has: Julia's made-up names end in numbers, too.
const LENGTH: u32 = 12;

/// The purpose of a made-up name, and its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Made {
    content: u64,
    count: u32,
}

/// The names that were made up.
#[derive(Default)]
pub(crate) struct MadeNames {
    /// Those the image brought.
    frozen: FrozenTable,
    /// Those made or changed since.
    own: Mutex<FxHashMap<u64, Made>>,
}

impl Types {
    /// The end of a name made up for what has this hash: the same `again`, if it may be; else one not given before.
    pub fn made_name(&self, content: u128, again: bool) -> String {
        let number = (content >> 64) as u64 % 10u64.pow(LENGTH);
        let content = content as u64;
        let mut own = self.made_names.own.lock();
        let known = own.get(&number).copied().or_else(|| self.made_names.find_frozen(number));
        let count = match known {
            Some(known) if again && known.content == content => return text(number, 1),
            Some(known) => known.count + 1,
            None => 1,
        };
        own.insert(number, Made { content: known.map_or(content, |it| it.content), count });
        text(number, count)
    }
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

fn read_entry(entry: Result<In<'_>, ImageError>) -> Result<(u64, Made), ImageError> {
    let mut entry = entry?;
    let made = (entry.number()?, Made { content: entry.number()?, count: entry.u32()? });
    entry.finish()?;
    Ok(made)
}

impl MadeNames {
    fn find_frozen(&self, number: u64) -> Option<Made> {
        let candidates = self.frozen.candidates(entry_hash(number));
        candidates
            .map(|it| accepted(read_entry(self.frozen.entry(it))))
            .find(|it| it.0 == number)
            .map(|it| it.1)
    }

    pub(crate) fn freeze(&self, out: &mut Out) {
        let mut all: BTreeMap<u64, Made> =
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

    pub(crate) fn of_image(frozen: FrozenTable) -> Self {
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

#[cfg(test)]
mod tests {
    use crate::Types;
    use crate::freeze::{ImageBytes, Out};

    /// A name is made again for the same thing only, and only where it may be; an image remembers what it was made for.
    #[test]
    fn names_are_made_for_contents() {
        let content = 7 << 64 | 1;
        let first = Types::new();
        assert_eq!(first.made_name(content, true), "000000000007");
        assert_eq!(first.made_name(content, true), "000000000007");
        assert_eq!(first.made_name(content, false), "000000000007_2");
        let mut out = Out::new();
        first.freeze(&mut out);
        let second = Types::thaw(&ImageBytes::read(out.into_bytes()), true).unwrap();
        for types in [&first, &second] {
            assert_eq!(types.made_name(content + 1, true), "000000000007_3");
            assert_eq!(types.made_name(content, true), "000000000007");
            assert_eq!(types.made_name(content, false), "000000000007_4");
            assert_eq!(types.made_name(8 << 64, false), "000000000008");
            assert_eq!(types.made_name(8 << 64, false), "000000000008_2");
        }
    }
}
