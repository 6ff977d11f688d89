//! Where the code of a composition came from: the other half of the lines of its parts.
//!
//! A unit numbers the statements of its functions, from 1, so that a body that has only moved is the same unit. A caller that asks
//! for a composition knows where those statements are now. Places are shared by all parts, and each is inlined at one
//! that comes before it, so chains end.

use crate::bytes::{Malformed, Read, Reader, Writer};

/// The places of a composition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineTable {
    /// Names of source files.
    pub files: Vec<String>,
    /// The functions that code is of, inlined or not.
    pub scopes: Vec<Scope>,
    /// Where code is, once each.
    pub places: Vec<Place>,
    /// The meaning of the parts' numbers, in the order of the parts.
    pub parts: Vec<PartLines>,
}

/// A function.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Scope {
    /// The name for users.
    pub name: String,
    /// Position of its file.
    pub file: u32,
    /// Where it begins, from 1.
    pub line: u32,
}

/// A line of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// Position of the function.
    pub scope: u32,
    /// Position of the file, which need not be the function's: what a macro wrote is where the macro was called.
    pub file: u32,
    /// From 1.
    pub line: u32,
    /// Position of the place that the function was inlined at.
    pub inlined_at: Option<u32>,
}

/// The meaning of a part's numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PartLines {
    /// Positions of the functions it defines, by ordinal.
    pub functions: Vec<u32>,
    /// Positions of the places of its statements, the one of number 1 first; `None`: unknown.
    pub statements: Vec<Option<u32>>,
}

/// Positions are kept plus one, and none is 0.
fn write_option(out: &mut Writer, position: Option<u32>) {
    out.u32(position.map_or(0, |it| it.wrapping_add(1)));
}

fn read_option(input: &mut Reader<'_>) -> Read<Option<u32>> {
    Ok(input.u32()?.checked_sub(1))
}

impl LineTable {
    /// As bytes, equal for equal tables.
    pub fn write(&self, out: &mut Writer) {
        out.list(&self.files, |out, it| out.str(it));
        out.list(&self.scopes, |out, it| {
            out.str(&it.name);
            out.u32(it.file);
            out.u32(it.line);
        });
        out.list(&self.places, |out, it| {
            [it.scope, it.file, it.line].into_iter().for_each(|number| out.u32(number));
            write_option(out, it.inlined_at);
        });
        out.list(&self.parts, |out, it| {
            out.list(&it.functions, |out, it| out.u32(*it));
            out.list(&it.statements, |out, it| write_option(out, *it));
        });
    }

    /// Reads what `write` wrote: every position is one, and chains of inlining end.
    ///
    /// # Errors
    /// When the bytes are no such table.
    pub fn read(input: &mut Reader<'_>) -> Read<Self> {
        let table = Self {
            files: input.list(Reader::str)?,
            scopes: input
                .list(|input| Ok(Scope { name: input.str()?, file: input.u32()?, line: input.u32()? }))?,
            places: input.list(|input| {
                let (scope, file, line) = (input.u32()?, input.u32()?, input.u32()?);
                Ok(Place { scope, file, line, inlined_at: read_option(input)? })
            })?,
            parts: input.list(|input| {
                Ok(PartLines { functions: input.list(Reader::u32)?, statements: input.list(read_option)? })
            })?,
        };
        let has = |count: usize, position: u32| (position as usize) < count;
        let (files, scopes, places) = (table.files.len(), table.scopes.len(), table.places.len());
        let mut named = table.parts.iter().flat_map(|it| it.statements.iter().flatten());
        let is_good = table.scopes.iter().all(|it| has(files, it.file))
            && table.places.iter().all(|it| has(scopes, it.scope) && has(files, it.file))
            && table.places.iter().zip(0..).all(|(it, at)| it.inlined_at.is_none_or(|outer| outer < at))
            && table.parts.iter().flat_map(|it| &it.functions).all(|it| has(scopes, *it))
            && named.all(|it| has(places, *it));
        if is_good { Ok(table) } else { Err(Malformed("a place that is not there")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> LineTable {
        LineTable {
            files: vec!["a.jl".into(), "b.jl".into()],
            scopes: vec![
                Scope { name: "f".into(), file: 0, line: 3 },
                Scope { name: "g".into(), file: 1, line: 9 },
            ],
            places: vec![
                Place { scope: 0, file: 0, line: 4, inlined_at: None },
                Place { scope: 1, file: 1, line: 10, inlined_at: Some(0) },
            ],
            parts: vec![PartLines { functions: vec![0], statements: vec![Some(1), None, Some(0)] }],
        }
    }

    fn reread(table: &LineTable) -> Read<LineTable> {
        let mut out = Writer::new();
        table.write(&mut out);
        LineTable::read(&mut Reader::new(&out.finish()))
    }

    /// Tables cross a process boundary: what names a place that is not there, or goes round, is refused.
    #[test]
    fn only_what_is_there_can_be_named() {
        assert_eq!(reread(&table()), Ok(table()));
        let wrong: [fn(&mut LineTable); 5] = [
            |it| it.scopes[0].file = 2,
            |it| it.places[0].scope = 2,
            |it| it.places[0].inlined_at = Some(0),
            |it| it.parts[0].functions[0] = 7,
            |it| it.parts[0].statements[1] = Some(2),
        ];
        for change in wrong {
            let mut table = table();
            change(&mut table);
            assert!(reread(&table).is_err());
        }
    }
}
