//! The contents of string literals: indentation taken off, escapes read, interpolations kept.

use kiln_syntax::literal::{unescape, unescape_raw};

/// One piece of a literal's text and whether an interpolation comes before it.
pub(super) struct Chunk<'t> {
    pub(super) text: &'t [u8],
    /// Nothing but the opening delimiter comes before it.
    pub(super) first: bool,
}

/// The pieces of one literal, as written.
pub(super) struct Literal<'t> {
    pub(super) chunks: Vec<Chunk<'t>>,
    pub(super) triple: bool,
    pub(super) raw: bool,
    pub(super) delimiter: u8,
}

impl Literal<'_> {
    /// Returns the bytes of each chunk.
    pub(super) fn values(&self) -> Vec<Vec<u8>> {
        let indent = if self.triple { self.indentation() } else { 0 };
        let value = |chunk: &Chunk<'_>| {
            let dedented = if self.triple { self.dedent(chunk, indent) } else { chunk.text.to_vec() };
            if self.raw {
                unescape_raw(&dedented, self.delimiter)
            } else {
                unescape(&dedented).unwrap_or_default()
            }
        };
        self.chunks.iter().map(value).collect()
    }

    /// Returns the number of bytes of indentation that all lines share.
    fn indentation(&self) -> usize {
        let mut common: Option<Vec<u8>> = None;
        for chunk in &self.chunks {
            for start in self.line_starts(chunk) {
                let line = &chunk.text[start..];
                let blanks = line.iter().take_while(|&&byte| matches!(byte, b' ' | b'\t')).count();
                match line.first() {
                    Some(b'\n' | b'\r') => continue,
                    // An interpolation or the closing delimiter stands at the start of its line.
                    None => return 0,
                    Some(_) => {}
                }
                let blanks = &line[..blanks];
                common = Some(match common {
                    None => blanks.to_vec(),
                    Some(known) => {
                        let same = known.iter().zip(blanks).take_while(|(a, b)| a == b).count();
                        known[..same].to_vec()
                    }
                });
            }
        }
        common.map_or(0, |blanks| blanks.len())
    }

    /// Offsets in the chunk just after a line break.
    fn line_starts(&self, chunk: &Chunk<'_>) -> Vec<usize> {
        let mut starts = Vec::new();
        let mut at = 0;
        while let Some(&byte) = chunk.text.get(at) {
            let length = line_break(chunk.text, at);
            if length > 0 {
                at += length;
                starts.push(at);
            } else if byte == b'\\' && !self.raw {
                // An escaped line break starts no line.
                at += 1 + line_break(chunk.text, at + 1).max(1);
            } else {
                at += 1;
            }
        }
        starts
    }

    fn dedent(&self, chunk: &Chunk<'_>, indent: usize) -> Vec<u8> {
        let starts = self.line_starts(chunk);
        let mut out = Vec::with_capacity(chunk.text.len());
        let mut from = if chunk.first { line_break(chunk.text, 0) } else { 0 };
        for start in starts {
            out.extend_from_slice(&chunk.text[from.min(start)..start]);
            let empty = line_break(chunk.text, start) > 0;
            from = if empty { start } else { (start + indent).min(chunk.text.len()) };
        }
        out.extend_from_slice(&chunk.text[from.min(chunk.text.len())..]);
        out
    }
}

/// Returns the length of the line break at `at`, 0 if there is none.
fn line_break(text: &[u8], at: usize) -> usize {
    match (text.get(at), text.get(at + 1)) {
        (Some(b'\r'), Some(b'\n')) => 2,
        (Some(b'\r' | b'\n'), _) => 1,
        _ => 0,
    }
}
