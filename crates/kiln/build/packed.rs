//! Writes the library's files in the form that `src/packed.rs` describes and reads.

use kiln_bytes::Writer;
use kiln_types::freeze::TableWriter;

/// The text in a group, or a little more: unpacking it takes two tenths of a millisecond.
const GROUP_BYTES: usize = 128 << 10;

/// The last level of the strategies that are compiled (`.cargo/config.toml`).
const LEVEL: i32 = 4;

/// Writes files, given with their paths, sorted.
///
/// # Errors
/// When zstd fails.
pub(crate) fn write<'a>(files: impl Iterator<Item = (&'a str, &'a str)>) -> std::io::Result<Vec<u8>> {
    let (mut groups, mut group, mut table) = (Vec::new(), String::new(), TableWriter::new());
    for (path, text) in files {
        if group.len() >= GROUP_BYTES {
            groups.push(std::mem::take(&mut group));
        }
        let entry = table.entry(None);
        entry.str(path);
        [groups.len(), group.len(), text.len()].iter().for_each(|&it| entry.index(it));
        let lines: Vec<&str> = text.split_inclusive('\n').filter(|it| it.ends_with('\n')).collect();
        entry.list(&lines, |entry, it| entry.index(it.len()));
        group.push_str(text);
    }
    groups.push(group);
    let mut out = Writer::new();
    out.index(groups.len());
    let mut packed = Vec::new();
    for group in groups {
        let bytes = zstd::bulk::compress(group.as_bytes(), LEVEL)?;
        out.index(group.len());
        out.index(bytes.len());
        packed.extend(bytes);
    }
    out.raw(&packed);
    table.finish(&mut out);
    Ok(out.finish())
}
