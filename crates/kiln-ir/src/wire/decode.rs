//! Reads an [`IrCode`], checking that everything it refers to is there.

use super::encode::tag;
use super::read_types::{Known, Tables};
use super::section::OwnNames;
use super::{OUT_OF_RANGE, WireError};
use crate::{
    Block, BlockData, Builtin, HostFunction, InlinedAt, Instance, Intrinsic, IrCode, Op, SourceLoc, Stmt,
    StmtData, ThrowSite, ThrowSiteData, ThunkStep, ThunkValue, Undefined, Value,
};
use cranelift_entity::PrimaryMap;
use kiln_bytes::Reader;
use kiln_types::Types;

/// Reads bodies into one interner. A definition that several bodies mention is made once.
pub struct WireReader<'a> {
    pub(super) known: Known<'a>,
    types: &'a Types,
}

impl<'a> WireReader<'a> {
    /// Reads into `types`.
    pub fn new(types: &'a Types) -> Self {
        Self { known: Known::new(types, None), types }
    }

    /// Reads the output of [`write_within`](super::write_within) of a session of the same image. `names` finds
    /// definitions that both sessions have added since.
    pub fn within(types: &'a Types, names: &'a dyn OwnNames) -> Self {
        Self { known: Known::new(types, Some(names)), types }
    }

    /// Reads `Wire::body`, and names, places and thunks from `Wire::host` if it is given.
    ///
    /// # Errors
    /// When the bytes are not a valid body. Definitions read before the error stay in the interner.
    pub fn read(&mut self, body: &[u8], host: Option<&[u8]>) -> Result<IrCode, WireError> {
        let mut input = Reader::new(body);
        let tables = Tables::read(&mut input, &mut self.known)?;
        let mut code = Decoder::new(&tables, input, self.types.symbol("")).code()?;
        if let Some(host) = host {
            let mut input = Reader::new(host);
            let tables = Tables::read(&mut input, &mut self.known)?;
            read_host(&tables, input, &mut code)?;
        }
        Ok(code)
    }
}

impl WireReader<'_> {
    /// Looks up all that a body and its host part name, and makes it if it has to be made: it can be read later then.
    ///
    /// # Errors
    /// When something is not there.
    pub fn check_names(&mut self, body: &[u8], host: &[u8]) -> Result<(), WireError> {
        for part in [body, host] {
            Tables::read(&mut Reader::new(part), &mut self.known)?;
        }
        Ok(())
    }
}

struct Decoder<'a> {
    tables: &'a Tables,
    input: Reader<'a>,
    code: IrCode,
    stmts: usize,
    blocks: usize,
}

impl<'a> Decoder<'a> {
    fn new(tables: &'a Tables, input: Reader<'a>, name: kiln_types::Symbol) -> Self {
        let code = IrCode {
            name,
            args: Vec::new(),
            stmts: PrimaryMap::new(),
            blocks: PrimaryMap::new(),
            inlined_at: Vec::new(),
            throw_sites: PrimaryMap::new(),
            return_type: Types::BOTTOM,
        };
        Self { tables, input, code, stmts: 0, blocks: 0 }
    }

    fn code(mut self) -> Result<IrCode, WireError> {
        let tables = self.tables;
        self.code.args = self.input.list_of(|it| tables.ty(it))?;
        self.code.return_type = tables.ty(&mut self.input)?;
        for _ in 0..self.input.count()? {
            let operands = self.input.list_of(|it| tables.ty(it))?;
            let site = ThrowSiteData { operands, thunk: Vec::new(), loc: SourceLoc::NONE, inlined: 0 };
            self.code.throw_sites.push(site);
        }
        self.stmts = self.input.count()?;
        self.blocks = self.input.count()?;
        for _ in 0..self.stmts {
            let op = self.op()?;
            let ty = tables.ty(&mut self.input)?;
            let inbounds = self.input.bool()?;
            self.code.stmts.push(StmtData { op, ty, loc: SourceLoc::NONE, inlined: 0, inbounds });
        }
        let mut placed = vec![false; self.stmts];
        for _ in 0..self.blocks {
            let mut stmts = Vec::new();
            for _ in 0..self.input.count()? {
                let stmt = self.stmt()?;
                if std::mem::replace(&mut placed[stmt.as_u32() as usize], true) {
                    return Err(WireError("a statement is in two places"));
                }
                stmts.push(stmt);
            }
            self.code.blocks.push(BlockData { stmts });
        }
        self.input.finish()?;
        Ok(self.code)
    }

    fn below(&mut self, limit: usize) -> Result<u32, WireError> {
        Ok(self.input.index(limit)? as u32)
    }

    fn stmt(&mut self) -> Result<Stmt, WireError> {
        Ok(Stmt::from_u32(self.below(self.stmts)?))
    }

    fn block(&mut self) -> Result<Block, WireError> {
        Ok(Block::from_u32(self.below(self.blocks)?))
    }

    fn value(&mut self) -> Result<Value, WireError> {
        Ok(match self.input.u8()? {
            0 => Value::Stmt(self.stmt()?),
            1 => Value::Arg(self.below(self.code.args.len())?),
            2 => Value::Const(self.tables.constant(&mut self.input)?),
            _ => return Err(WireError("unknown kind of operand")),
        })
    }

    fn values(&mut self) -> Result<Vec<Value>, WireError> {
        let count = self.input.count()?;
        (0..count).map(|_| self.value()).collect()
    }

    /// Reads the callee and the arguments.
    fn some_values(&mut self) -> Result<Vec<Value>, WireError> {
        let values = self.values()?;
        if values.is_empty() { Err(WireError("a call of nothing")) } else { Ok(values) }
    }

    fn named<T: Copy>(&mut self, all: &[T]) -> Result<T, WireError> {
        Ok(all[self.below(all.len())? as usize])
    }

    fn op(&mut self) -> Result<Op, WireError> {
        Ok(match self.input.u8()? {
            tag::PHI => {
                let count = self.input.count()?;
                let incoming: Result<_, WireError> =
                    (0..count).map(|_| Ok((self.block()?, self.value()?))).collect();
                Op::Phi(incoming?)
            }
            tag::PI => Op::Pi(self.value()?),
            tag::INTRINSIC => {
                let args = self.values()?;
                Op::Intrinsic(self.intrinsic(args.len())?, args)
            }
            tag::BUILTIN => {
                let args = self.values()?;
                Op::Builtin(self.named(Builtin::ALL)?, args)
            }
            tag::HOST => {
                let args = self.values()?;
                Op::Host(self.named(HostFunction::ALL)?, args)
            }
            tag::INVOKE => {
                let args = self.some_values()?;
                Op::Invoke(Instance::from_u32(self.input.number_u32()?), args)
            }
            tag::LOOKUP => {
                let args = self.some_values()?;
                Op::Lookup(Instance::from_u32(self.input.number_u32()?), args)
            }
            tag::CALL => Op::Call(self.some_values()?),
            tag::NEW => Op::New(self.values()?),
            tag::NEW_DYNAMIC => Op::NewDynamic(self.some_values()?),
            tag::SPLAT_NEW => Op::SplatNew(self.value()?, self.value()?),
            tag::GLOBAL => {
                Op::Global(self.tables.module(&mut self.input)?, self.tables.symbol(&mut self.input)?)
            }
            tag::BOUNDS_CHECK => Op::BoundsCheck,
            tag::IS_DEFINED_GLOBAL => Op::IsDefinedGlobal(
                self.tables.module(&mut self.input)?,
                self.tables.symbol(&mut self.input)?,
            ),
            tag::THROW_UNDEF => {
                let value = self.value()?;
                Op::ThrowUndefIfNot(Undefined::Local(self.tables.symbol(&mut self.input)?), value)
            }
            tag::THROW_UNBOUND => {
                let value = self.value()?;
                Op::ThrowUndefIfNot(Undefined::StaticParam(self.tables.symbol(&mut self.input)?), value)
            }
            tag::LEAVE => Op::Leave(self.values()?),
            tag::UPSILON => Op::Upsilon(self.value()?),
            tag::PHI_C => Op::PhiC(self.values()?),
            tag::THE_EXCEPTION => Op::TheException,
            tag::POP_EXCEPTION => Op::PopException(self.value()?),
            tag::COPY_AST => Op::CopyAst(self.tables.constant(&mut self.input)?),
            tag::LOOP_INFO => {
                let tables = self.tables;
                Op::LoopInfo(self.input.list_of(|it| tables.symbol(it))?)
            }
            tag::NOP => Op::Nop,
            tag::REPORT => {
                let (site, operands) = self.site()?;
                Op::Report(site, operands)
            }
            other => self.terminator(other)?,
        })
    }

    fn intrinsic(&mut self, args: usize) -> Result<Intrinsic, WireError> {
        let intrinsic = self.named(Intrinsic::ALL)?;
        match intrinsic.arity() {
            Some(arity) if arity != args => Err(WireError("an intrinsic has the wrong number of arguments")),
            Some(_) | None => Ok(intrinsic),
        }
    }

    /// A site, and an operand for each of its types.
    fn site(&mut self) -> Result<(ThrowSite, Vec<Value>), WireError> {
        let operands = self.values()?;
        let site = ThrowSite::from_u32(self.below(self.code.throw_sites.len())?);
        if operands.len() != self.code.throw_sites[site].operands.len() {
            return Err(WireError("a site has not one type an operand"));
        }
        Ok((site, operands))
    }

    fn terminator(&mut self, kind: u8) -> Result<Op, WireError> {
        Ok(match kind {
            tag::ENTER => Op::Enter { body: self.block()?, handler: self.block()? },
            tag::GOTO => Op::Goto(self.block()?),
            tag::BRANCH => Op::Branch { cond: self.value()?, then: self.block()?, other: self.block()? },
            tag::RETURN => Op::Return(self.value()?),
            tag::FAIL => {
                let (site, operands) = self.site()?;
                Op::Fail(site, operands)
            }
            tag::UNREACHABLE => Op::Unreachable,
            _ => return Err(WireError("unknown kind of operation")),
        })
    }
}

fn read_host(tables: &Tables, mut input: Reader<'_>, code: &mut IrCode) -> Result<(), WireError> {
    code.name = tables.symbol(&mut input)?;
    for _ in 0..input.count()? {
        code.inlined_at.push(InlinedAt {
            callee: Instance::from_u32(input.number_u32()?),
            name: tables.symbol(&mut input)?,
            call: SourceLoc::from_bits(input.number()?),
            parent: input.number_u32()?,
        });
    }
    let inlined_max = code.inlined_at.len().max(1);
    let stmts: Vec<Stmt> = code.stmts.keys().collect();
    for stmt in stmts {
        code.stmts[stmt].loc = SourceLoc::from_bits(input.number()?);
        code.stmts[stmt].inlined = input.index(inlined_max)? as u32;
    }
    let sites: Vec<ThrowSite> = code.throw_sites.keys().collect();
    for site in sites {
        let operands = code.throw_sites[site].operands.len();
        let data = &mut code.throw_sites[site];
        data.loc = SourceLoc::from_bits(input.number()?);
        data.inlined = input.index(inlined_max)? as u32;
        let steps = input.count()?;
        for step in 0..steps {
            let ty = if input.bool()? { Some(tables.ty(&mut input)?) } else { None };
            let values = input.list_of(|it| thunk_value(tables, it, operands, step))?;
            data.thunk.push(match ty {
                Some(ty) => ThunkStep::New(ty, values),
                None => ThunkStep::Call(values),
            });
        }
    }
    let parents = code.inlined_at.iter().all(|it| (it.parent as usize) < inlined_max);
    if parents { Ok(input.finish()?) } else { Err(OUT_OF_RANGE) }
}

fn thunk_value(
    tables: &Tables,
    input: &mut Reader<'_>,
    operands: usize,
    step: usize,
) -> Result<ThunkValue, WireError> {
    Ok(match input.u8()? {
        0 => ThunkValue::Operand(input.index(operands)? as u32),
        1 => ThunkValue::Step(input.index(step)? as u32),
        2 => ThunkValue::Const(tables.constant(input)?),
        _ => return Err(WireError("unknown kind of operand")),
    })
}
