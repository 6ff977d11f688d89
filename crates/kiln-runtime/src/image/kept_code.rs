//! Lowered code of a top-level expression as bytes, for other sessions of the same image.
//!
//! ```text
//! bytes = symbols, constants      those that are not of the image; numbers behind those of the image refer to them
//!         body                    as in an image
//! ```
//!
//! The module that the expression is evaluated in has a number of its own, and places are relative to the expression: equal
//! text in another module, file or line is the same code there. Code is not kept that mentions anything else of the
//! session that lowered it.

use super::Around;
use super::body::{read_body, write_body};
use crate::heap::{Heap, Value, constants, exprs};
use kiln_bytes::{Malformed, Read, Reader, Writer};
use kiln_ir::{CodeInfo, Lowered, LoweredStmt, Mark, SourceLoc};
use kiln_types::freeze::TableSizes;
use kiln_types::{Const, ConstData, Module, Symbol, Type, Types, consts, datatype, gensym, identity, layout};
use rustc_hash::FxHashMap;

/// The number of the file in places that are relative.
const FILE: u16 = 1;

/// Bytes of code that was lowered in `module` from an expression at `base`; `None` if it mentions something that another session
/// may not have.
pub fn write_code(heap: &Heap, code: &CodeInfo, module: Module, base: SourceLoc) -> Option<Vec<u8>> {
    let types = heap.types();
    let mut items = Outgoing::new(heap, module, base);
    let mut code = code.clone();
    renumber(&mut code, &mut items)?;
    let mut out = Writer::new();
    out.list(&items.symbols, |out, it| out.str(types.name(*it)));
    out.index(items.consts.len());
    for constant in &items.consts {
        items.write_constant(&mut out, *constant)?;
    }
    write_body(&mut out, &code, around());
    Some(out.finish())
}

/// The code of [`write_code`], for an expression at `base` that is evaluated in `module`.
///
/// # Errors
/// When the bytes are not those of code.
pub fn read_code(heap: &Heap, bytes: &[u8], module: Module, base: SourceLoc) -> Read<CodeInfo> {
    let types = heap.types();
    let mut input = Reader::new(bytes);
    let frozen = identity::frozen_counts(types);
    let symbols = input.list(|it| Ok(types.symbol(it.str()?)))?;
    let mut items = Incoming { frozen, module, base, symbols, consts: Vec::new() };
    for _ in 0..input.count()? {
        let constant = items.read_constant(heap, &mut input)?;
        items.consts.push(constant);
    }
    let mut code = read_body(&mut input, &items.counts(), around(), 0)?;
    input.finish()?;
    renumber(&mut code, &mut items).ok_or(Malformed("code with something unknown"))?;
    Ok(code)
}

fn is_bits_of(types: &Types, ty: Type, len: usize) -> bool {
    layout::is_bits(types, ty) && layout::of(types, ty).is_some_and(|it| it.size as usize == len)
}

/// Whether constants are the fields of an immutable struct that is no plain data.
fn holds(types: &Types, ty: Type, fields: &[Const]) -> bool {
    let declared = datatype::field_types(types, ty);
    datatype::is_concrete(types, ty)
        && !datatype::is_mutable(types, ty)
        && !layout::is_bits(types, ty)
        && fields.len() <= declared.len()
        && fields.iter().zip(declared).all(|(it, ty)| consts::isa(types, *it, *ty))
}

/// The surroundings of the outermost body: none.
fn around() -> Around {
    Around { name: Symbol::from_index(0), module: Module::from_index(0), loc: SourceLoc::NONE }
}

/// Other numbers for all that code mentions; `None` refuses it.
trait Numbers {
    fn symbol(&mut self, symbol: Symbol) -> Option<Symbol>;
    fn module(&mut self, module: Module) -> Option<Module>;
    fn constant(&mut self, constant: Const) -> Option<Const>;
    fn place(&mut self, loc: SourceLoc) -> Option<SourceLoc>;
    fn global(&mut self, module: Module, name: Symbol) -> Option<(Module, Symbol)> {
        self.module(module).zip(self.symbol(name))
    }
}

struct Outgoing<'a> {
    heap: &'a Heap,
    frozen: TableSizes,
    module: Module,
    base: SourceLoc,
    symbols: Vec<Symbol>,
    consts: Vec<Const>,
    symbol_numbers: FxHashMap<Symbol, usize>,
    const_numbers: FxHashMap<Const, usize>,
}

impl<'a> Outgoing<'a> {
    fn new(heap: &'a Heap, module: Module, base: SourceLoc) -> Self {
        Self {
            heap,
            frozen: identity::frozen_counts(heap.types()),
            module,
            base,
            symbols: Vec::new(),
            consts: Vec::new(),
            symbol_numbers: FxHashMap::default(),
            const_numbers: FxHashMap::default(),
        }
    }

    fn known_symbol(&self, symbol: Symbol) -> Option<Symbol> {
        if symbol.index() < self.frozen.symbols {
            return Some(symbol);
        }
        self.symbol_numbers.get(&symbol).map(|it| Symbol::from_index(self.frozen.symbols + it))
    }

    /// Gives numbers to the parts of a constant, which come before its own.
    fn number_parts(&mut self, constant: Const) -> Option<()> {
        match self.heap.types().const_data(constant) {
            &ConstData::Symbol(name) => {
                self.symbol(name)?;
            }
            &ConstData::Module(module) => {
                self.module(module)?;
            }
            ConstData::Aggregate { fields, .. } => {
                for field in fields {
                    self.constant(*field)?;
                }
            }
            ConstData::Object { .. } => {
                let (head, args) = quoted(self.heap, constant)?;
                self.symbol(head)?;
                for arg in args {
                    self.constant(arg)?;
                }
            }
            ConstData::Bits { .. } | ConstData::String(_) | ConstData::Type(_) => {}
        }
        Some(())
    }

    /// Writes a constant whose parts have numbers.
    fn write_constant(&self, out: &mut Writer, constant: Const) -> Option<()> {
        let known = |it: &Const| match self.const_numbers.get(it) {
            Some(at) => self.frozen.consts + at,
            None => it.index(),
        };
        match self.heap.types().const_data(constant) {
            ConstData::Bits { ty, bytes } if ty.index() < self.frozen.types => {
                out.u8(0);
                out.index(ty.index());
                out.bytes(bytes);
            }
            ConstData::String(text) => {
                out.u8(1);
                out.bytes(text);
            }
            ConstData::Symbol(name) => {
                out.u8(2);
                out.index(self.known_symbol(*name)?.index());
            }
            ConstData::Type(ty) if ty.index() < self.frozen.types => {
                out.u8(3);
                out.index(ty.index());
            }
            ConstData::Module(module) => {
                out.u8(4);
                out.index(if *module == self.module { self.frozen.modules } else { module.index() });
            }
            ConstData::Aggregate { ty, fields } if ty.index() < self.frozen.types => {
                out.u8(5);
                out.index(ty.index());
                out.list(fields, |out, it| out.index(known(it)));
            }
            ConstData::Object { .. } => {
                let (head, args) = quoted(self.heap, constant)?;
                out.u8(6);
                out.index(self.known_symbol(head)?.index());
                out.list(&args, |out, it| out.index(known(it)));
            }
            ConstData::Bits { .. } | ConstData::Type(_) | ConstData::Aggregate { .. } => return None,
        }
        Some(())
    }
}

/// Head and arguments of an `Expr`, the only object with identity that code may mention.
fn quoted(heap: &Heap, constant: Const) -> Option<(Symbol, Vec<Const>)> {
    let value = constants::value_of(heap, constant);
    if exprs::has_undefined_part(heap, value) {
        return None;
    }
    let (head, args) = exprs::parts(heap, value)?;
    Some((head, args.into_iter().map(|it| constants::const_of(heap, it)).collect()))
}

impl Numbers for Outgoing<'_> {
    fn symbol(&mut self, symbol: Symbol) -> Option<Symbol> {
        if let Some(known) = self.known_symbol(symbol) {
            return Some(known);
        }
        let at = self.symbols.len();
        self.symbols.push(symbol);
        self.symbol_numbers.insert(symbol, at);
        Some(Symbol::from_index(self.frozen.symbols + at))
    }

    fn module(&mut self, module: Module) -> Option<Module> {
        if module == self.module {
            return Some(Module::from_index(self.frozen.modules));
        }
        // What the name of another one means is for a session to say.
        (module.index() < self.frozen.modules).then_some(module)
    }

    fn constant(&mut self, constant: Const) -> Option<Const> {
        if constant.index() < self.frozen.consts {
            return Some(constant);
        }
        let mut at = self.const_numbers.get(&constant).copied();
        if at.is_none() {
            self.number_parts(constant)?;
            self.const_numbers.insert(constant, self.consts.len());
            at = Some(self.consts.len());
            self.consts.push(constant);
        }
        at.map(|it| Const::from_index(self.frozen.consts + it))
    }

    fn place(&mut self, loc: SourceLoc) -> Option<SourceLoc> {
        if loc.is_none() {
            return Some(loc);
        }
        let start = loc.start().checked_sub(self.base.start())?;
        self.base.contains(loc).then(|| SourceLoc::new(FILE, start, loc.len()))
    }

    /// The number of a global that a macro made up is one of the session.
    fn global(&mut self, module: Module, name: Symbol) -> Option<(Module, Symbol)> {
        let is_numbered =
            module == self.module && gensym::around_number(self.heap.types().name(name)).is_some();
        if is_numbered { None } else { self.module(module).zip(self.symbol(name)) }
    }
}

struct Incoming {
    frozen: TableSizes,
    module: Module,
    base: SourceLoc,
    symbols: Vec<Symbol>,
    consts: Vec<Const>,
}

impl Incoming {
    /// The numbers that code may mention now.
    fn counts(&self) -> TableSizes {
        TableSizes {
            symbols: self.frozen.symbols + self.symbols.len(),
            consts: self.frozen.consts + self.consts.len(),
            modules: self.frozen.modules + 1,
            ..self.frozen
        }
    }

    fn read_symbol(&self, input: &mut Reader<'_>) -> Read<Symbol> {
        let number = self.counts().symbol(input)?;
        match number.index().checked_sub(self.frozen.symbols) {
            None => Some(number),
            Some(at) => self.symbols.get(at).copied(),
        }
        .ok_or(Malformed("an unknown symbol"))
    }

    fn read_part(&self, input: &mut Reader<'_>) -> Read<Const> {
        let number = self.counts().constant(input)?;
        match number.index().checked_sub(self.frozen.consts) {
            None => Some(number),
            Some(at) => self.consts.get(at).copied(),
        }
        .ok_or(Malformed("an unknown constant"))
    }

    /// Reads a constant, whose parts are among those that were read before.
    fn read_constant(&self, heap: &Heap, input: &mut Reader<'_>) -> Read<Const> {
        let types = heap.types();
        Ok(match input.u8()? {
            0 => {
                let ty = self.frozen.ty(input)?;
                let bytes: Box<[u8]> = input.bytes()?.into();
                if !is_bits_of(types, ty, bytes.len()) {
                    return Err(Malformed("a constant of another size"));
                }
                types.constant(ConstData::Bits { ty, bytes })
            }
            1 => types.constant(ConstData::String(input.bytes()?.into())),
            2 => consts::symbol(types, self.read_symbol(input)?),
            3 => types.constant(ConstData::Type(self.frozen.ty(input)?)),
            4 => {
                let number = self.counts().module(input)?;
                let is_own = number.index() == self.frozen.modules;
                types.constant(ConstData::Module(if is_own { self.module } else { number }))
            }
            5 => {
                let ty = self.frozen.ty(input)?;
                let fields: Box<[Const]> = input.list(|it| self.read_part(it))?.into();
                if !holds(types, ty, &fields) {
                    return Err(Malformed("a constant with other fields"));
                }
                types.constant(ConstData::Aggregate { ty, fields })
            }
            6 => {
                let head = self.read_symbol(input)?;
                let args = input.list(|it| self.read_part(it))?;
                let args: Vec<Value> = args.iter().map(|it| constants::value_of(heap, *it)).collect();
                constants::const_of(heap, exprs::new(heap, head, &args))
            }
            _ => return Err(Malformed("an unknown kind of constant")),
        })
    }
}

impl Numbers for Incoming {
    fn symbol(&mut self, symbol: Symbol) -> Option<Symbol> {
        match symbol.index().checked_sub(self.frozen.symbols) {
            None => Some(symbol),
            Some(at) => self.symbols.get(at).copied(),
        }
    }

    fn module(&mut self, module: Module) -> Option<Module> {
        match module.index().checked_sub(self.frozen.modules) {
            None => Some(module),
            Some(at) => (at == 0).then_some(self.module),
        }
    }

    fn constant(&mut self, constant: Const) -> Option<Const> {
        match constant.index().checked_sub(self.frozen.consts) {
            None => Some(constant),
            Some(at) => self.consts.get(at).copied(),
        }
    }

    fn place(&mut self, loc: SourceLoc) -> Option<SourceLoc> {
        if loc.is_none() {
            return Some(loc);
        }
        let start = self.base.start().checked_add(loc.start())?;
        (loc.file() == FILE).then(|| SourceLoc::new(self.base.file(), start, loc.len()))
    }
}

/// Gives everything that code mentions its other number.
fn renumber(code: &mut CodeInfo, to: &mut dyn Numbers) -> Option<()> {
    code.name = to.symbol(code.name)?;
    code.module = to.module(code.module)?;
    for slot in &mut code.slots {
        slot.name = to.symbol(slot.name)?;
    }
    for name in &mut code.static_params {
        *name = to.symbol(*name)?;
    }
    code.stmts.iter_mut().try_for_each(|it| renumber_stmt(it, to))?;
    for loc in code.locs.iter_mut().chain([&mut code.loc]) {
        *loc = to.place(*loc)?;
    }
    let meta = &mut code.meta;
    for name in meta.assumed_effects.iter_mut().chain(&mut meta.constprop) {
        *name = to.symbol(*name)?;
    }
    meta.others.iter_mut().try_for_each(|it| renumber_mark(it, to))?;
    for (name, loc) in &mut meta.boxed {
        (*name, *loc) = (to.symbol(*name)?, to.place(*loc)?);
    }
    code.bodies.iter_mut().try_for_each(|it| renumber(it, to))
}

fn renumber_stmt(stmt: &mut LoweredStmt, to: &mut dyn Numbers) -> Option<()> {
    match stmt {
        LoweredStmt::GenericFunction(module, name) | LoweredStmt::DeclareGlobal { module, name, .. } => {
            (*module, *name) = to.global(*module, *name)?;
        }
        LoweredStmt::LoopInfo(marks) => {
            for mark in marks.iter_mut() {
                *mark = to.symbol(*mark)?;
            }
        }
        // They hold expressions, which are objects of a session.
        LoweredStmt::CopyAst(_) | LoweredStmt::TopLevel(_) => return None,
        LoweredStmt::Value(_)
        | LoweredStmt::SetSlot(..)
        | LoweredStmt::NewVar(_)
        | LoweredStmt::Call(_)
        | LoweredStmt::New(_)
        | LoweredStmt::SplatNew(..)
        | LoweredStmt::IsDefined(_)
        | LoweredStmt::Goto(_)
        | LoweredStmt::GotoIfNot(..)
        | LoweredStmt::Return(_)
        | LoweredStmt::Enter(_)
        | LoweredStmt::Leave(_)
        | LoweredStmt::TheException
        | LoweredStmt::PopException(_)
        | LoweredStmt::BoundsCheck
        | LoweredStmt::InboundsBegin
        | LoweredStmt::InboundsEnd
        | LoweredStmt::Method { .. }
        | LoweredStmt::LatestWorld => {}
    }
    let mut all = Some(());
    stmt.each_operand_mut(|operand| {
        let changed = match *operand {
            Lowered::Const(it) => to.constant(it).map(Lowered::Const),
            Lowered::Global(module, name) => {
                to.global(module, name).map(|(module, name)| Lowered::Global(module, name))
            }
            Lowered::Ssa(_) | Lowered::Slot(_) | Lowered::StaticParam(_) => Some(*operand),
        };
        match changed {
            Some(changed) => *operand = changed,
            None => all = None,
        }
    });
    all
}

fn renumber_mark(mark: &mut Mark, to: &mut dyn Numbers) -> Option<()> {
    match mark {
        Mark::Name(name) => *name = to.symbol(*name)?,
        Mark::Value(value) => *value = to.constant(*value)?,
        Mark::Node(head, parts) => {
            *head = to.symbol(*head)?;
            parts.iter_mut().try_for_each(|it| renumber_mark(it, to))?;
        }
    }
    Some(())
}
