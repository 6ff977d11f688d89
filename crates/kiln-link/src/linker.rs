//! Placing an object in the arena and tying it to the rest.

use crate::ObjectLinkError;
use crate::arena::{Arena, Placed};
use crate::late::FindTarget;
use crate::relocate::{self, Patch};
use crate::sections::{Access, Object, Relocation, SymbolPlace};
use crate::slot::{self, CallSlot};
use parking_lot::{Mutex, MutexGuard};
use std::sync::Arc;

/// A placed object, with the addresses of its symbols.
#[derive(Debug, Clone)]
pub struct Linked {
    /// Exported names and their addresses, in the object's order.
    pub symbols: Vec<(String, u64)>,
    /// First address of the object's code, and its length in bytes.
    pub code: (u64, usize),
    /// The address of each section of the object, by its index there: the base of a line table.
    pub sections: Vec<(usize, u64)>,
}

impl Linked {
    /// The address of an exported symbol.
    pub fn address(&self, name: &str) -> Option<u64> {
        self.symbols.iter().find(|it| it.0 == name).map(|it| it.1)
    }
}

/// Links objects into one arena. Dropping it unmaps the code: the owner ensures that none is running.
#[derive(Debug)]
pub struct Linker {
    arena: Mutex<Arena>,
}

/// Bytes of `jmp *0(%rip); .quad target`.
const STUB_BYTES: usize = 14;
const GOT_BYTES: usize = 8;

/// Where the parts of one object are: offsets in one block of code and one of data.
struct Layout {
    /// (index in the object, is code, offset in its block).
    sections: Vec<(usize, bool, usize)>,
    stubs_at: usize,
    code_bytes: usize,
    got_at: usize,
    data_bytes: usize,
    align: usize,
}

impl Linker {
    /// Reserves the arena. Nothing is committed until code is placed.
    pub fn new() -> Result<Self, ObjectLinkError> {
        Ok(Self { arena: Mutex::new(Arena::new()?) })
    }

    /// Reserves an arena without a memory file, so that `perf` looks for the names of its code in `/tmp/perf-PID.map`. Each object takes
    /// pages of its own.
    ///
    /// # Errors
    /// As for [`Linker::new`].
    pub fn for_profilers() -> Result<Self, ObjectLinkError> {
        Ok(Self { arena: Mutex::new(Arena::anonymous()?) })
    }

    /// Places `object` and applies its relocations. `resolve` gives the address of each undefined symbol.
    ///
    /// # Errors
    /// See [`ObjectLinkError`]. On an error nothing of the object can be reached.
    pub fn link(
        &self,
        object: &[u8],
        resolve: &mut dyn FnMut(&str) -> Option<u64>,
    ) -> Result<Linked, ObjectLinkError> {
        let object = Object::read(object)?;
        let layout = lay_out(&object);
        let mut arena = self.arena.lock();
        let code = arena.allocate(layout.code_bytes, layout.align)?;
        let data = arena.allocate(layout.data_bytes, layout.align)?;
        copy_sections(&mut arena, &object, &layout, code, data)?;
        let (code_address, data_address) = (arena.address(code), arena.address(data));
        let place = |index: usize| {
            layout.sections.iter().find(|it| it.0 == index).map(|&(_, is_code, offset)| {
                if is_code { code_address + offset as u64 } else { data_address + offset as u64 }
            })
        };
        let symbols = symbol_addresses(&object, &place, resolve)?;
        for (number, relocation) in object.relocations.iter().enumerate() {
            let patch = Patch {
                symbol: resolved(&object, &symbols, relocation)?,
                place: place(relocation.section).unwrap_or(0) + relocation.offset,
                stub: code_address + (layout.stubs_at + number * STUB_BYTES) as u64,
                got: data_address + (layout.got_at + number * GOT_BYTES) as u64,
            };
            apply(&mut arena, &layout, (code, data), (number, relocation), patch)?;
        }
        arena.publish(code, true)?;
        arena.publish(data, false)?;
        let exported = object.symbols.iter().zip(&symbols).filter(|(symbol, _)| symbol.exported);
        Ok(Linked {
            symbols: exported.filter_map(|(it, at)| Some((it.name.clone(), (*at)?))).collect(),
            code: (code_address, layout.stubs_at),
            sections: layout.sections.iter().filter_map(|it| Some((it.0, place(it.0)?))).collect(),
        })
    }

    /// Makes a redirectable call target; callers call [`CallSlot::stub`].
    ///
    /// # Safety
    /// `target` is valid as for [`CallSlot::point_at`].
    ///
    /// # Errors
    /// When the arena is full.
    pub unsafe fn slot(self: &Arc<Self>, target: u64) -> Result<CallSlot, ObjectLinkError> {
        slot::make(self, target)
    }

    /// Makes a call target that is asked for when it is first called: `find` returns its address, and points the slot there so that it is
    /// not asked again. It may be asked more than once, by calls that begin before that.
    ///
    /// # Safety
    /// The address that `find` returns is valid as for [`CallSlot::point_at`]; the slot is kept as long as code that calls it may run.
    ///
    /// # Errors
    /// When the arena is full, or the processor [has no late slots](crate::has_late_slots).
    pub unsafe fn late_slot(self: &Arc<Self>, find: FindTarget) -> Result<CallSlot, ObjectLinkError> {
        slot::make_late(self, find)
    }

    pub(crate) fn arena(&self) -> MutexGuard<'_, Arena> {
        self.arena.lock()
    }
}

/// Code first, each stub beside it; then data, each indirect address beside it. One stub and one cell a
/// relocation is more than is ever used and needs no bookkeeping: both are a few bytes.
fn lay_out(object: &Object<'_>) -> Layout {
    let (mut code, mut data, mut align) = (0usize, 0usize, 16usize);
    let mut sections = Vec::with_capacity(object.sections.len());
    for section in &object.sections {
        let is_code = section.access == Access::Execute;
        let at = if is_code { &mut code } else { &mut data };
        align = align.max(section.align);
        let offset = at.next_multiple_of(section.align);
        *at = offset + section.size;
        sections.push((section.index, is_code, offset));
    }
    let got_at = data.next_multiple_of(GOT_BYTES);
    let count = object.relocations.len();
    let code_bytes = code + count * STUB_BYTES;
    Layout { sections, stubs_at: code, code_bytes, got_at, data_bytes: got_at + count * GOT_BYTES, align }
}

fn copy_sections(
    arena: &mut Arena,
    object: &Object<'_>,
    layout: &Layout,
    code: Placed,
    data: Placed,
) -> Result<(), ObjectLinkError> {
    for (section, &(_, is_code, offset)) in object.sections.iter().zip(&layout.sections) {
        let block = arena.bytes(if is_code { code } else { data });
        let target = block.get_mut(offset..offset + section.data.len());
        let fits = section.data.len() <= section.size;
        match target {
            Some(target) if fits => target.copy_from_slice(section.data),
            Some(_) | None => {
                return Err(ObjectLinkError::Malformed(format!("section {} overflows", section.index)));
            }
        }
    }
    Ok(())
}

/// The address of every symbol; `None` for those in sections that are not loaded (debug information).
fn symbol_addresses(
    object: &Object<'_>,
    place: &dyn Fn(usize) -> Option<u64>,
    resolve: &mut dyn FnMut(&str) -> Option<u64>,
) -> Result<Vec<Option<u64>>, ObjectLinkError> {
    let mut used = vec![false; object.symbols.len()];
    for relocation in &object.relocations {
        if let Some(flag) = used.get_mut(relocation.symbol) {
            *flag = true;
        }
    }
    let mut addresses = Vec::with_capacity(object.symbols.len());
    for (symbol, used) in object.symbols.iter().zip(used) {
        addresses.push(match &symbol.place {
            SymbolPlace::Section { index, offset } => place(*index).map(|it| it.wrapping_add(*offset)),
            SymbolPlace::Absolute(value) => Some(*value),
            SymbolPlace::Undefined { .. } if !used => None,
            SymbolPlace::Undefined { weak } => match resolve(&symbol.name) {
                Some(address) => Some(address),
                None if *weak => Some(0),
                None => return Err(ObjectLinkError::Undefined(symbol.name.clone())),
            },
        });
    }
    Ok(addresses)
}

fn resolved(
    object: &Object<'_>,
    symbols: &[Option<u64>],
    relocation: &Relocation,
) -> Result<u64, ObjectLinkError> {
    match symbols.get(relocation.symbol) {
        Some(Some(address)) => Ok(*address),
        Some(None) => {
            let name = object.symbols.get(relocation.symbol).map_or("?", |it| it.name.as_str());
            Err(ObjectLinkError::Malformed(format!("relocation against `{name}`, which is not loaded")))
        }
        None => Err(ObjectLinkError::Malformed("relocation against a symbol that is not there".into())),
    }
}

fn apply(
    arena: &mut Arena,
    layout: &Layout,
    (code, data): (Placed, Placed),
    (number, relocation): (usize, &Relocation),
    patch: Patch,
) -> Result<(), ObjectLinkError> {
    let Some(&(_, is_code, base)) = layout.sections.iter().find(|it| it.0 == relocation.section) else {
        return Err(ObjectLinkError::Malformed("relocation of a section that is not loaded".into()));
    };
    let value = relocate::value(relocation, &patch)?;
    if value.needs_stub {
        let at = layout.stubs_at + number * STUB_BYTES;
        let stub = &mut arena.bytes(code)[at..at + STUB_BYTES];
        stub[..6].copy_from_slice(&[0xff, 0x25, 0, 0, 0, 0]);
        stub[6..].copy_from_slice(&patch.symbol.to_le_bytes());
    }
    if value.needs_got {
        let at = layout.got_at + number * GOT_BYTES;
        arena.bytes(data)[at..at + GOT_BYTES].copy_from_slice(&patch.symbol.to_le_bytes());
    }
    let block = arena.bytes(if is_code { code } else { data });
    let at = usize::try_from(relocation.offset).ok().and_then(|it| it.checked_add(base));
    let field = at.and_then(|at| block.get_mut(at..at.checked_add(value.width)?));
    let Some(field) = field else {
        return Err(ObjectLinkError::Malformed(format!(
            "relocation at {:#x} is outside its section",
            relocation.offset
        )));
    };
    field.copy_from_slice(&value.bits.to_le_bytes()[..value.width]);
    Ok(())
}
