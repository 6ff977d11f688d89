//! A reader of `.debug_line` (DWARF 4), as LLVM writes it for this crate.
//!
//! Only `.text` counts. A relocation gives the address at which a sequence of rows starts.

use object::{Object, ObjectSection, ObjectSymbol, RelocationTarget, SectionIndex};

/// An offset in `.text`, and the number of the statement whose code begins there, or 0.
pub(crate) type LineRow = (u32, u32);

/// Returns the rows of an object by offset, one for each offset; none if the table has another form.
pub(crate) fn rows(object: &[u8]) -> Vec<LineRow> {
    let mut rows = Vec::new();
    let _ = read(object, &mut rows);
    rows.sort_by_key(|it: &LineRow| it.0); // stable: of several at one offset, the last counts
    let mut kept: Vec<LineRow> = Vec::with_capacity(rows.len());
    for row in rows {
        match kept.last_mut() {
            Some(last) if last.0 == row.0 => *last = row,
            Some(last) if last.1 == row.1 => {}
            _ => kept.push(row),
        }
    }
    kept
}

fn read(object: &[u8], rows: &mut Vec<LineRow>) -> Option<()> {
    let file = object::File::parse(object).ok()?;
    let text = file.section_by_name(".text")?.index();
    let section = file.section_by_name(".debug_line")?;
    let data = section.data().ok()?;
    let start_at = |offset: usize| {
        let (_, relocation) = section.relocations().find(|it| it.0 == offset as u64)?;
        let RelocationTarget::Symbol(symbol) = relocation.target() else { return None };
        let symbol = file.symbol_by_index(symbol).ok()?;
        let address = symbol.address().wrapping_add_signed(relocation.addend());
        Some((symbol.section_index()?, u32::try_from(address).ok()?))
    };
    Program::header(data)?.run(&start_at, text, rows)
}

/// A line number program.
struct Program<'a> {
    data: &'a [u8],
    at: usize,
    instruction_bytes: u8,
    line_base: i8,
    line_range: u8,
    /// The number of operands of each standard opcode.
    operands: &'a [u8],
}

impl<'a> Program<'a> {
    fn header(data: &'a [u8]) -> Option<Self> {
        let mut it = Self { data, at: 0, instruction_bytes: 1, line_base: 0, line_range: 1, operands: &[] };
        let bytes = it.u32()? as usize;
        it.data = data.get(..bytes.checked_add(4)?)?;
        if it.u16()? != 4 {
            return None;
        }
        let program = it.u32()? as usize;
        let program = it.at.checked_add(program)?;
        it.instruction_bytes = it.u8()?;
        it.at += 2; // operations of an instruction, which is one; whether rows begin statements
        it.line_base = it.u8()? as i8;
        it.line_range = it.u8()?.max(1);
        let first_special = it.u8()?;
        it.operands = it.data.get(it.at..it.at + usize::from(first_special.checked_sub(1)?))?;
        it.at = program;
        Some(it)
    }

    fn run(
        &mut self,
        start_at: &dyn Fn(usize) -> Option<(SectionIndex, u32)>,
        text: SectionIndex,
        rows: &mut Vec<LineRow>,
    ) -> Option<()> {
        let first_special = self.operands.len() as u8 + 1;
        let (mut address, mut line, mut counts) = (0u32, 1u32, false);
        while self.at < self.data.len() {
            let opcode = self.u8()?;
            let mut row = false;
            match opcode {
                0 => {
                    let len = self.leb()? as usize;
                    let end = self.at.checked_add(len)?;
                    match self.u8()? {
                        1 => (address, line, counts) = (0, 1, false),
                        2 => {
                            let (section, start) = start_at(self.at)?;
                            (address, counts) = (start, section == text);
                        }
                        _ => {} // discriminators and the like
                    }
                    self.at = end;
                }
                1 => row = true,
                2 => address += self.leb()? as u32 * u32::from(self.instruction_bytes),
                3 => line = line.wrapping_add_signed(self.signed_leb()? as i32),
                8 => {
                    address +=
                        u32::from((255 - first_special) / self.line_range) * u32::from(self.instruction_bytes)
                }
                9 => address += u32::from(self.u16()?),
                special if special >= first_special => {
                    let by = special - first_special;
                    address += u32::from(by / self.line_range) * u32::from(self.instruction_bytes);
                    line =
                        line.wrapping_add_signed(i32::from(self.line_base) + i32::from(by % self.line_range));
                    row = true;
                }
                other => {
                    for _ in 0..*self.operands.get(usize::from(other) - 1)? {
                        self.leb()?;
                    }
                }
            }
            if row && counts {
                rows.push((address, line));
            }
        }
        Some(())
    }

    fn u8(&mut self) -> Option<u8> {
        let byte = *self.data.get(self.at)?;
        self.at += 1;
        Some(byte)
    }
    fn u16(&mut self) -> Option<u16> {
        Some(u16::from_le_bytes([self.u8()?, self.u8()?]))
    }
    fn u32(&mut self) -> Option<u32> {
        Some(u32::from(self.u16()?) | u32::from(self.u16()?) << 16)
    }
    fn leb(&mut self) -> Option<u64> {
        let (mut value, mut shift) = (0, 0);
        loop {
            let byte = self.u8()?;
            value |= u64::from(byte & 0x7f).checked_shl(shift)?;
            shift += 7;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
    }
    fn signed_leb(&mut self) -> Option<i64> {
        let (mut value, mut shift) = (0i64, 0);
        loop {
            let byte = self.u8()?;
            value |= i64::from(byte & 0x7f).checked_shl(shift)?;
            shift += 7;
            if byte & 0x80 == 0 {
                let fill = if byte & 0x40 != 0 && shift < 64 { -1i64 << shift } else { 0 };
                return Some(value | fill);
            }
        }
    }
}
