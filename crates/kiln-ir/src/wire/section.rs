//! A section: tables of mentioned items, and the data that refers to them. Bodies are written as sections, as is the
//! data that other crates store with them.

use super::read_types::{Known, Tables as ReadTables};
use super::write_types::Tables;
use super::{WireError, WireReader};
use crate::Instance;
use kiln_bytes::{Malformed, Read, Reader, Writer};
use kiln_types::{Const, Module, ObjectHandle, Symbol, Type, Types};

/// Writes a section.
pub struct SectionWriter<'a> {
    pub(super) tables: Tables<'a>,
    pub(super) out: Writer,
}

impl<'a> SectionWriter<'a> {
    /// A section for sessions of the image that `types` comes from.
    pub fn within(types: &'a Types, image: &'a dyn ImageObjects) -> Self {
        Self::new(types, Some(image))
    }

    pub(super) fn new(types: &'a Types, within: Option<&'a dyn ImageObjects>) -> Self {
        Self { tables: Tables::new(types, within), out: Writer::new() }
    }

    pub(super) fn finish_with_objects(self) -> (Vec<u8>, Vec<ObjectHandle>) {
        let (count, items, objects) = self.tables.finish();
        let mut whole = Writer::new();
        whole.number(count.into());
        whole.raw(&items);
        whole.raw(self.out.as_bytes());
        (whole.finish(), objects)
    }

    /// The bytes; `None` if something was written that means nothing in another session: an object made since the image,
    /// the number of a method table of the program's, a type with a variable that nothing binds.
    pub fn finish(self) -> Option<Vec<u8>> {
        if self.tables.is_open {
            return None;
        }
        let (bytes, objects) = self.finish_with_objects();
        objects.is_empty().then_some(bytes)
    }

    /// Writes a type.
    pub fn ty(&mut self, ty: Type) {
        let index = self.tables.closed(ty);
        self.out.number(index.into());
    }

    /// Writes a symbol.
    pub fn symbol(&mut self, symbol: Symbol) {
        let index = self.tables.symbol(symbol);
        self.out.number(index.into());
    }

    /// Writes a module.
    pub fn module(&mut self, module: Module) {
        let index = self.tables.module(module);
        self.out.number(index.into());
    }

    /// Writes a constant.
    pub fn constant(&mut self, constant: Const) {
        let index = self.tables.constant(constant);
        self.out.number(index.into());
    }

    /// Writes a number.
    pub fn number(&mut self, number: usize) {
        self.out.index(number);
    }

    /// Writes a flag.
    pub fn flag(&mut self, flag: bool) {
        self.out.bool(flag);
    }

    /// Writes bytes behind their length.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.out.bytes(bytes);
    }
}

/// Reads the output of a [`SectionWriter`].
pub struct SectionReader<'a> {
    tables: ReadTables,
    input: Reader<'a>,
}

impl<'a> SectionReader<'a> {
    pub(super) fn new(bytes: &'a [u8], known: &mut Known<'_>) -> Result<Self, WireError> {
        let mut input = Reader::new(bytes);
        let tables = ReadTables::read(&mut input, known)?;
        Ok(Self { tables, input })
    }

    /// Reads a type.
    ///
    /// # Errors
    /// All readers: when the bytes are not the output of the matching writer.
    pub fn ty(&mut self) -> Result<Type, WireError> {
        self.tables.ty(&mut self.input)
    }

    /// Reads a symbol.
    pub fn symbol(&mut self) -> Result<Symbol, WireError> {
        self.tables.symbol(&mut self.input)
    }

    /// Reads a module.
    pub fn module(&mut self) -> Result<Module, WireError> {
        self.tables.module(&mut self.input)
    }

    /// Reads a constant.
    pub fn constant(&mut self) -> Result<Const, WireError> {
        self.tables.constant(&mut self.input)
    }

    /// Reads a number.
    pub fn number(&mut self) -> Read<usize> {
        usize::try_from(self.input.number()?).map_err(|_| Malformed("a number is too large"))
    }

    /// Reads a number below `limit`.
    pub fn below(&mut self, limit: usize) -> Read<usize> {
        self.input.index(limit)
    }

    /// Reads a flag.
    pub fn flag(&mut self) -> Read<bool> {
        self.input.bool()
    }

    /// Reads bytes behind their length.
    pub fn bytes(&mut self) -> Read<&'a [u8]> {
        self.input.bytes()
    }

    /// Reads a list behind its length.
    pub fn list<T>(
        &mut self,
        mut read: impl FnMut(&mut Self) -> Result<T, WireError>,
    ) -> Result<Vec<T>, WireError> {
        let count = self.input.count()?;
        (0..count).map(|_| read(self)).collect()
    }

    /// Everything must have been read.
    pub fn finish(&self) -> Read<()> {
        self.input.finish()
    }
}

impl<'a> WireReader<'a> {
    /// Starts reading a section.
    ///
    /// # Errors
    /// When its tables are malformed, or name items that this session lacks.
    pub fn section<'b>(&mut self, bytes: &'b [u8]) -> Result<SectionReader<'b>, WireError> {
        SectionReader::new(bytes, &mut self.known)
    }
}

/// Numbers the objects of the image that a session comes from, for other sessions of it.
pub trait ImageObjects {
    /// Returns the number of the object that a handle names; `None` if it was made since the image.
    fn number_of(&self, handle: ObjectHandle) -> Option<u32>;
}

/// Finds the modules, definitions and objects that bytes of another session of the same image name.
pub trait OwnNames {
    /// Returns the module of this name in `parent`; a root without a parent.
    fn module(&self, parent: Option<Module>, name: Symbol) -> Option<Module>;
    /// Returns the definition of this name in `module` whose [definition hash](kiln_types::identity::hash_of_definition) is `hash`.
    fn definition(&self, module: Module, name: Symbol, hash: u128) -> Option<kiln_types::TypeName>;
    /// Returns the handle of the object of this number in the image, if it has this type.
    fn object(&self, number: u32, ty: Type) -> Option<ObjectHandle>;
}

/// The instances that calls and inlined calls of a body name, in place of their ordinals.
///
/// # Errors
/// When the body names one that is not in the list.
pub fn bind(code: &mut crate::IrCode, calls: &[Instance], inlined: &[Instance]) -> Result<(), WireError> {
    for data in code.stmts.values_mut() {
        if let Some(callee) = data.op.callee_mut() {
            *callee = *calls.get(callee.as_u32() as usize).ok_or(super::OUT_OF_RANGE)?;
        }
    }
    for it in &mut code.inlined_at {
        it.callee = *inlined.get(it.callee.as_u32() as usize).ok_or(super::OUT_OF_RANGE)?;
    }
    Ok(())
}
