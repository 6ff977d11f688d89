//! The line table of a device link: the positions of the statements of its parts.
//!
//! A unit numbers the statements of its functions, from 1, so that moving a body does not change the unit. The caller
//! of a device link knows where those statements are now. All parts share the places, and each place is inlined at an
//! earlier one, so chains end.

use kiln_bytes::{Malformed, Read, Reader, Writer};

/// The places of a device link.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineTable {
    /// Names of source files.
    pub files: Vec<String>,
    /// The functions that code is of, inlined or not.
    pub scopes: Vec<LineScope>,
    /// Where code is, once each.
    pub places: Vec<LinePlace>,
    /// The meaning of the parts' numbers, in the order of the parts.
    pub parts: Vec<PartLines>,
}

/// A function.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LineScope {
    /// The name for users.
    pub name: String,
    /// Position of its file.
    pub file: u32,
    /// Where it begins, from 1.
    pub line: u32,
}

/// A line of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinePlace {
    /// Position of the function.
    pub scope: u32,
    /// Position of the file, which may differ from the function's: code from a macro is at the macro's call.
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
    /// Positions of the places of its statements, starting with number 1; `None`: unknown.
    pub statements: Vec<Option<u32>>,
}

/// Positions are stored plus one; 0 stands for none.
fn write_option(out: &mut Writer, position: Option<u32>) {
    out.u32(position.map_or(0, |it| it.wrapping_add(1)));
}

fn read_option(input: &mut Reader<'_>) -> Read<Option<u32>> {
    Ok(input.u32()?.checked_sub(1))
}

impl LineTable {
    /// Serializes the table; equal tables have equal bytes.
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

    /// Reads the output of `write`, and checks that positions are valid and chains of inlining end.
    ///
    /// # Errors
    /// When the bytes are not such a table.
    pub fn read(input: &mut Reader<'_>) -> Read<Self> {
        let table = Self {
            files: input.list(Reader::string)?,
            scopes: input.list(|input| {
                Ok(LineScope { name: input.string()?, file: input.u32()?, line: input.u32()? })
            })?,
            places: input.list(|input| {
                let (scope, file, line) = (input.u32()?, input.u32()?, input.u32()?);
                Ok(LinePlace { scope, file, line, inlined_at: read_option(input)? })
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
                LineScope { name: "f".into(), file: 0, line: 3 },
                LineScope { name: "g".into(), file: 1, line: 9 },
            ],
            places: vec![
                LinePlace { scope: 0, file: 0, line: 4, inlined_at: None },
                LinePlace { scope: 1, file: 1, line: 10, inlined_at: Some(0) },
            ],
            parts: vec![PartLines { functions: vec![0], statements: vec![Some(1), None, Some(0)] }],
        }
    }

    fn reread(table: &LineTable) -> Read<LineTable> {
        let mut out = Writer::new();
        table.write(&mut out);
        LineTable::read(&mut Reader::new(&out.finish()))
    }

    /// Tables cross a process boundary: a reference to a missing place, and a cycle, are refused.
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
