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
use kiln_bytes::{Malformed, Read, Reader, Writer};
use kiln_ir::{CodeInfo, Lowered, LoweredStmt, Mark, SourceLoc};
use kiln_types::freeze::TableSizes;
use kiln_types::{Const, ConstData, Module, Symbol, Type, Types, consts, identity, layout};
use rustc_hash::FxHashMap;

/// The number of the file in places that are relative.
const FILE: u16 = 1;

/// Bytes of code that was lowered in `module` from an expression at `base`; `None` if it mentions something that another session
/// may not have.
pub fn write_code(types: &Types, code: &CodeInfo, module: Module, base: SourceLoc) -> Option<Vec<u8>> {
    let mut items = Outgoing::new(types, module, base);
    let mut code = code.clone();
    renumber(&mut code, &mut items)?;
    let mut out = Writer::new();
    out.list(&items.symbols, |out, it| out.str(types.name(*it)));
    out.index(items.consts.len());
    for constant in &items.consts {
        match types.const_data(*constant) {
            ConstData::Bits { ty, bytes } if ty.index() < items.frozen.types => {
                out.u8(0);
                out.index(ty.index());
                out.bytes(bytes);
            }
            ConstData::String(text) => {
                out.u8(1);
                out.bytes(text);
            }
            // Its number was given when the constant was met.
            ConstData::Symbol(name) => {
                out.u8(2);
                out.index(items.known_symbol(*name)?.index());
            }
            ConstData::Bits { .. }
            | ConstData::Type(_)
            | ConstData::Module(_)
            | ConstData::Aggregate { .. }
            | ConstData::Object { .. } => return None,
        }
    }
    write_body(&mut out, &code, around());
    Some(out.finish())
}

/// The code of [`write_code`], for an expression at `base` that is evaluated in `module`.
///
/// # Errors
/// When the bytes are not those of code.
pub fn read_code(types: &Types, bytes: &[u8], module: Module, base: SourceLoc) -> Read<CodeInfo> {
    let mut input = Reader::new(bytes);
    let frozen = identity::frozen_counts(types);
    let symbols = input.list(|it| Ok(types.symbol(it.str()?)))?;
    let mut items = Incoming { frozen, module, base, symbols, consts: Vec::new() };
    items.consts = input.list(|it| {
        Ok(match it.u8()? {
            0 => {
                let ty = frozen.ty(it)?;
                let bytes: Box<[u8]> = it.bytes()?.into();
                if !is_bits_of(types, ty, bytes.len()) {
                    return Err(Malformed("a constant of another size"));
                }
                types.constant(ConstData::Bits { ty, bytes })
            }
            1 => types.constant(ConstData::String(it.bytes()?.into())),
            2 => {
                let number = it.index(frozen.symbols + items.symbols.len())?;
                let name = items.symbol(Symbol::from_index(number));
                consts::symbol(types, name.ok_or(Malformed("an unknown symbol"))?)
            }
            _ => return Err(Malformed("an unknown kind of constant")),
        })
    })?;
    let counts = TableSizes {
        symbols: frozen.symbols + items.symbols.len(),
        consts: frozen.consts + items.consts.len(),
        modules: frozen.modules + 1,
        ..frozen
    };
    let mut code = read_body(&mut input, &counts, around(), 0)?;
    input.finish()?;
    renumber(&mut code, &mut items).ok_or(Malformed("code with something unknown"))?;
    Ok(code)
}

fn is_bits_of(types: &Types, ty: Type, len: usize) -> bool {
    layout::is_bits(types, ty) && layout::of(types, ty).is_some_and(|it| it.size as usize == len)
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
}

struct Outgoing<'a> {
    types: &'a Types,
    frozen: TableSizes,
    module: Module,
    base: SourceLoc,
    symbols: Vec<Symbol>,
    consts: Vec<Const>,
    symbol_numbers: FxHashMap<Symbol, usize>,
    const_numbers: FxHashMap<Const, usize>,
}

impl<'a> Outgoing<'a> {
    fn new(types: &'a Types, module: Module, base: SourceLoc) -> Self {
        Self {
            types,
            frozen: identity::frozen_counts(types),
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
            if let ConstData::Symbol(name) = *self.types.const_data(constant) {
                self.symbol(name)?;
            }
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
}

struct Incoming {
    frozen: TableSizes,
    module: Module,
    base: SourceLoc,
    symbols: Vec<Symbol>,
    consts: Vec<Const>,
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
            (*module, *name) = (to.module(*module)?, to.symbol(*name)?);
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
                to.module(module).zip(to.symbol(name)).map(|(module, name)| Lowered::Global(module, name))
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
