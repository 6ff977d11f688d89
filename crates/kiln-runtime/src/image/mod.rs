//! A whole session as bytes, and a session from bytes: a program starts without reading Base.
//!
//! An image is a header and six parts: the interner, objects, code tables, the list of loaded files, bodies of
//! methods, and a part for its maker (the front end's list of files). Ids of types, symbols, constants, methods and
//! modules, and world numbers, are equal in the frozen session and the thawed one, so nothing in an image is looked
//! up by name. Tables are used in place: a type, a method, its body, a binding or an object is decoded on first use.
//! Equal sessions have equal bytes.
//!
//! An image omits data that is made on demand: instances, inferred code, boxes.
//!
//! # Invariants
//! * An image from outside the program ([`Trust::Nothing`]) is checked as a whole before it is used, its checksum,
//!   bodies and field types included: damaged bytes are an [`ImageError`], never a panic, then or later.
//! * No code runs while an image is made or read.

mod body;
mod container;
pub mod kept_code;
#[cfg(test)]
mod tests;

pub use body::MethodBody;
pub(crate) use body::{Around, BodySource, FrozenBody, read_place, write_body, write_place};
pub use container::{Snapshot, Trust};
pub use kiln_types::freeze::{ImageBytes, ImageError};

use crate::eval::EvalState;
use crate::heap::{Heap, ObjectWriter, constants, frozen};
use crate::host::{OwnPrinting, RegexCache};
use crate::interp::{BuiltinCallees, GlobalSites, Special, define};
use crate::runtime::Runtime;
use crate::services::{Frontend, HostIo};
use crate::tables::CodeTables;
use container::Part;
use kiln_bytes::{Malformed, Read, Reader, Writer};
use kiln_ir::{Builtin, HostFunction};
use kiln_types::freeze::{self, FrozenTable, TableSizes};
use kiln_types::{Type, Types, datatype};
use std::sync::{Arc, OnceLock};

impl Runtime {
    /// Restores the frozen session.
    ///
    /// # Errors
    /// When the bytes are not the output of `freeze` of this version of the program.
    pub fn thaw(
        image: &Snapshot,
        frontend: Box<dyn Frontend>,
        io: Box<dyn HostIo>,
    ) -> Result<Self, ImageError> {
        let part = |part| Reader::new(image.part(part));
        let check = image.trust() == Trust::Nothing;
        let types = Arc::new(Types::thaw(&image.part_bytes(Part::Types), check)?);
        let counts = freeze::counts(&types);
        let heap = Arc::new(Heap::new(types.clone()));
        let mut tables = CodeTables::empty(types.clone());
        let mut callees = BuiltinCallees::default();
        let eval = EvalState::default();
        {
            frozen::thaw(&heap, &image.part_bytes(Part::Objects))?;
            let mut input = part(Part::Bodies);
            let bodies = FrozenTable::read(&image.part_bytes(Part::Bodies), &mut input)?;
            input.finish()?;
            let bodies = Arc::new(BodySource { bodies, counts });
            tables.thaw(&image.part_bytes(Part::Tables), bodies, heap.clone())?;
            let mut input = part(Part::Loaded);
            callees.thaw(&mut input, &counts)?;
            eval.thaw(&mut input, &counts)?;
            input.finish()?;
            if check {
                freeze::check_constants(&types, constants::handle_count(&heap))?;
                frozen::check_objects(&heap)?;
                tables.check(&heap)?;
            }
        }
        Ok(Self {
            types,
            heap,
            tables,
            roots: Arc::default(),
            preparing: crate::preparing::Preparing::default(),
            tasks: crate::tasks::Tasks::default(),
            collecting: crate::collecting::Collecting::default(),
            interpreter_time: crate::interp::InterpreterTime::default(),
            callees,
            have_fma: true,
            check_bounds: kiln_ir::CheckBounds::Auto,
            image: Some(image.id()),
            frontend,
            io,
            eval,
            global_sites: GlobalSites::default(),
            deferred: crate::interp::DeferredTable::default(),
            deferred_compilers: crate::deferred::DeferredCompilers::default(),
            regexes: RegexCache::default(),
            text_types: OnceLock::new(),
            own_printing: OwnPrinting::default(),
            kernels: OnceLock::new(),
            stored_code: OnceLock::new(),
            compiler: OnceLock::new(),
        })
    }
}

/// The session as an image. No other thread may use it meanwhile. `attached` comes back as
/// [`Snapshot::attached`].
///
/// # Errors
/// When something that only this process has is reachable: memory outside the heap, compiled code.
pub fn freeze(rt: &Runtime, attached: &[u8]) -> Result<Vec<u8>, ImageError> {
    let (mut types, mut objects, mut tables) = (Writer::new(), Writer::new(), Writer::new());
    let (mut loaded, mut bodies) = (Writer::new(), Writer::new());
    let mut writer = ObjectWriter::new(&rt.heap);
    // As constants of the image method tables are told by their numbers in every session of it.
    for table in rt.tables.methods.all_tables() {
        let _ = constants::const_of(&rt.heap, define::method_table_value(rt, table));
    }
    // So are objects that constants name: code that holds them means the same in another session of it.
    for value in
        rt.tables.bindings.constants().into_iter().filter(|it| datatype::is_mutable(&rt.types, it.ty()))
    {
        let _ = constants::const_of(&rt.heap, value);
    }
    rt.tables.freeze(&mut tables, &mut bodies, &mut writer)?;
    writer.finish(&mut objects)?;
    rt.callees.freeze(&mut loaded);
    rt.eval.freeze(&mut loaded);
    freeze::write(&rt.types, &mut types);
    let parts = [types, objects, tables, loaded, bodies].map(Writer::finish);
    let [types, objects, tables, loaded, bodies] = &parts;
    Ok(container::assemble([types, objects, tables, loaded, bodies, attached]))
}

impl BuiltinCallees {
    fn freeze(&self, out: &mut Writer) {
        out.index(self.all().len());
        for &(special, ty) in self.all() {
            let (tag, name) = match special {
                Special::Builtin(it) => (0, it.name()),
                Special::Host(it) => (1, it.name()),
            };
            out.u8(tag);
            out.str(name);
            out.index(ty.index());
        }
    }

    fn thaw(&mut self, input: &mut Reader<'_>, counts: &TableSizes) -> Read<()> {
        let all = input.list(|it| {
            let tag = it.u8()?;
            let name = it.str()?;
            let special = match tag {
                0 => Builtin::from_name(name).map(Special::Builtin),
                _ => HostFunction::from_name(name).map(Special::Host),
            };
            let ty: Type = counts.ty(it)?;
            Ok((special.ok_or(Malformed("a function that this program does not have"))?, ty))
        })?;
        for (special, ty) in all {
            self.insert(ty, special);
        }
        self.finish();
        Ok(())
    }
}
