//! Units: a specialization, or several that call one another in a circle, compiled on its own.
//!
//! A unit knows of the functions it calls only how they are called, so it stays good when they are compiled again, and
//! kernels share it. [`BoundUnit`] is a unit with what ties it to code instances of this session; it is kept on theirs.

use crate::erase_names::{erase_names, parameter};
use crate::inputs::View;
use crate::naming::specialization;
use crate::typed_error::TypedError;
use crate::unit_target::UnitTarget;
use cranelift_entity::PrimaryMap;
use kiln_cache::Key;
use kiln_ir::{Block, BlockData, InlinedAt, Instance, IrCode, Op, SourceLoc, StmtData, Value, wire};
use kiln_results::Memo;
use kiln_runtime::Runtime;
use kiln_runtime::tables::CodeInstance;
use kiln_types::{Const, Types, consts, datatype};
use kiln_unit::{
    Body, CodegenRequest, EntryKind, ExternalCall, FunctionRequest, RuntimeRole, Stages, Traits,
};
use std::fmt;
use std::sync::{Arc, OnceLock, Weak};

/// Where the stages of a unit are.
#[derive(Clone, Debug)]
pub enum Kept {
    /// In memory: there is no store, or it takes none.
    Here(Arc<Stages>),
    /// In the store, unless they have been evicted.
    Stored(Key),
}

/// One function of a unit.
#[derive(Clone, Debug)]
pub struct UnitFunction {
    /// The instance that it specializes.
    pub instance: Instance,
    code: UnitCode,
}

/// The body that codegen was given.
#[derive(Clone, Debug)]
enum UnitCode {
    Made(Arc<IrCode>),
    Found(Arc<dyn LateCode>),
}

/// The body of a unit that was found: made when it is first asked for, as failures are explained by it.
pub trait LateCode: fmt::Debug + Send + Sync {
    /// Returns the body that codegen was given.
    fn code(&self, rt: &Runtime) -> &Arc<IrCode>;
}

impl UnitFunction {
    /// A function that codegen is given.
    pub fn new(instance: Instance, code: Arc<IrCode>) -> Self {
        Self { instance, code: UnitCode::Made(code) }
    }

    /// The function of a kernel that was found, with its body made when it is asked for.
    pub fn found(instance: Instance, code: impl LateCode + 'static) -> Self {
        Self { instance, code: UnitCode::Found(Arc::new(code)) }
    }

    /// The body that codegen was given: its places and throw sites explain failures.
    pub fn code(&self, rt: &Runtime) -> &Arc<IrCode> {
        match &self.code {
            UnitCode::Made(code) => code,
            UnitCode::Found(code) => code.code(rt),
        }
    }
}

/// A function of another unit that a unit calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnitCallee {
    /// The function.
    pub instance: Instance,
    /// The traits that its unit gave when this one was compiled. They must be the same when the two are linked.
    pub traits: Traits,
}

/// A compiled unit, tied to the code instances of this session.
#[derive(Debug)]
pub struct BoundUnit {
    /// The object, and how it is linked.
    pub body: Arc<Body>,
    /// The functions it defines, by ordinal.
    pub functions: Vec<UnitFunction>,
    /// The functions it calls: ordinals go on after those of `functions`.
    pub callees: Vec<UnitCallee>,
    /// Where what it was made of is kept.
    pub stages: Kept,
    /// Its object is empty: its code is generated when it is first called.
    pub late: Option<Box<LateUnit>>,
}

/// The source of a late unit's code, and that code once it has been generated.
#[derive(Debug)]
pub struct LateUnit {
    pub(crate) source: UnitSource,
    pub(crate) target: Arc<UnitTarget>,
    /// The code instances of its functions, which keep the unit.
    pub(crate) typed: Vec<Weak<CodeInstance>>,
    pub(crate) made: OnceLock<Arc<BoundUnit>>,
}

impl BoundUnit {
    /// Returns the unit with its code; itself if that has not been generated.
    pub fn with_code(&self) -> &Self {
        self.late.as_ref().and_then(|it| it.made.get()).map_or(self, |it| it)
    }

    /// Whether a function of it, by ordinal, launches kernels.
    pub fn launches(&self, function: u32) -> bool {
        self.body.link.definitions.iter().any(|it| it.ordinal == function && it.traits.launches)
    }

    /// Returns the traits of one of its functions.
    pub fn traits(&self, instance: Instance) -> Option<Traits> {
        let definitions = self.body.link.definitions.iter();
        let mut of = definitions.filter(|it| self.functions[it.ordinal as usize].instance == instance);
        of.next().map(|it| it.traits)
    }

    /// The place of the code at an offset of `.text`, as `file:line`, and where that was inlined, innermost first.
    pub fn places_at(&self, rt: &Runtime, offset: u32) -> Option<String> {
        let line = self.body.link.line_at(offset)?;
        let code = self.functions.get(line.function as usize)?.code(rt);
        let data = code.stmts.values().nth(line.stmt as usize)?;
        let calls = std::iter::successors(Some(data.inlined), |at| {
            Some(code.inlined_at.get(*at as usize)?.parent).filter(|_| *at != 0)
        });
        let calls = calls.filter(|at| *at != 0).filter_map(|at| code.inlined_at.get(at as usize));
        let places = std::iter::once(data.loc).chain(calls.map(|it| it.call));
        let shown =
            places.filter_map(|it| rt.frontend.place(it)).map(|(file, line)| format!("{file}:{line}"));
        let shown: Vec<String> = shown.collect();
        (!shown.is_empty()).then(|| shown.join(", inlined at "))
    }

    /// The functions of other units that its object names.
    pub fn calls(&self) -> impl Iterator<Item = (&ExternalCall, UnitCallee)> {
        self.body.link.calls.iter().filter_map(|it| {
            let callee = (it.ordinal as usize).checked_sub(self.functions.len())?;
            Some((it, *self.callees.get(callee)?))
        })
    }
}

/// The units made of a code instance, by what they are compiled for and the kind of their entry: inference cannot tell all
/// targets apart.
#[derive(Debug, Default)]
pub struct Units(Memo<(u32, EntryKind), BoundUnit>);

impl Units {
    /// Those of `typed`.
    pub fn of(typed: &CodeInstance) -> Arc<Self> {
        typed.result_or_insert_with(Self::default)
    }

    /// Returns the unit of a kind that has been made for a target.
    pub fn get(&self, target: &UnitTarget, entry: EntryKind) -> Option<Arc<BoundUnit>> {
        self.0.get(&(target.number(), entry))
    }

    /// Returns the unit of a kind for a target, made now unless there is one that `is_valid`; `make` is given one that is
    /// not. Threads that want it wait meanwhile.
    ///
    /// # Errors
    /// Why it cannot be made.
    pub fn get_or_make<E>(
        &self,
        (target, entry): (&UnitTarget, EntryKind),
        is_valid: impl Fn(&BoundUnit) -> bool,
        make: impl FnOnce(Option<&BoundUnit>) -> Result<Arc<BoundUnit>, E>,
    ) -> Result<Arc<BoundUnit>, E> {
        self.0.get_or_make((target.number(), entry), is_valid, make)
    }

    /// Keeps `unit`, in place of one of that kind.
    pub fn put(&self, target: &UnitTarget, entry: EntryKind, unit: Arc<BoundUnit>) {
        self.0.insert((target.number(), entry), unit);
    }
}

/// A function as the unit of another sees it.
#[derive(Clone, Debug)]
pub struct Signature {
    pub callee: UnitCallee,
    /// Its body, of which the arguments and the result count.
    pub code: Arc<IrCode>,
}

/// The source of a unit.
#[derive(Clone, Debug)]
pub struct UnitSource {
    /// The functions, the entry first.
    pub functions: Vec<UnitFunction>,
    /// The signatures of their callees in other units.
    pub callees: Vec<Signature>,
    /// Those of them that code generation calls of its own.
    pub runtime: Vec<(RuntimeRole, Instance)>,
}

impl UnitSource {
    /// The unit that was made of it.
    pub fn bind(self, body: Body, stages: Kept) -> BoundUnit {
        let callees = self.callees.into_iter().map(|it| it.callee).collect();
        BoundUnit { body: Arc::new(body), functions: self.functions, callees, stages, late: None }
    }

    /// Whether a unit that is made of `other` will be the same: of the same functions of a code instance, which calls functions
    /// with the same traits.
    pub(crate) fn is_as(&self, other: &Self) -> bool {
        let functions = |it: &Self| it.functions.iter().map(|it| it.instance).collect::<Vec<_>>();
        let callees = |it: &Self| it.callees.iter().map(|it| it.callee).collect::<Vec<_>>();
        functions(self) == functions(other) && callees(self) == callees(other)
    }

    /// Returns the name for users.
    pub fn subject(&self, rt: &Runtime) -> String {
        specialization(rt, self.functions[0].instance)
    }

    /// The request for it. Equal sources make equal bytes in every session.
    pub fn request(&self, rt: &Runtime, view: &View, entry: EntryKind) -> CodegenRequest {
        let types = &rt.types;
        let members = self.functions.iter().map(|it| it.instance);
        let ordinals: Vec<Instance> =
            members.chain(self.callees.iter().map(|it| it.callee.instance)).collect();
        let ordinal = |instance: &Instance| {
            let at = ordinals.iter().position(|it| it == instance);
            at.expect("a unit's source lists everything it calls") as u32
        };
        let params = |callee: Instance| {
            let member = self.functions.iter().find(|it| it.instance == callee).map(|it| it.code(rt));
            let other = || self.callees.iter().find(|it| it.callee.instance == callee).map(|it| &it.code);
            member.or_else(other).map_or(Vec::new(), |it| it.args.clone())
        };
        let mut functions = Vec::with_capacity(ordinals.len());
        for function in &self.functions {
            let written = wire::write(&erase_names(function.code(rt), types, &params), types);
            let callees = written.instances.iter().map(ordinal).collect();
            functions.push(FunctionRequest { ir: written.body, callees, external: None });
        }
        for it in &self.callees {
            let ir = wire::write(&signature(&it.code, types), types).body;
            functions.push(FunctionRequest { ir, callees: Vec::new(), external: Some(it.callee.traits) });
        }
        let in_kernel = view.in_kernel();
        let (target, mut options) = (view.unit.bytes.clone(), view.unit.of(entry).options.clone());
        options.calls_launch &= !in_kernel && self.has_unknown_calls(rt);
        let runtime = self.runtime.iter().map(|it| (it.0, ordinal(&it.1))).collect();
        CodegenRequest { target, options, entry, in_kernel, functions, runtime, title: String::new() }
    }

    /// Whether what it calls is not all known before it runs.
    fn has_unknown_calls(&self, rt: &Runtime) -> bool {
        let is_unknown = |it: &StmtData| matches!(it.op, Op::Call(_));
        self.functions.iter().any(|it| it.code(rt).stmts.values().any(is_unknown))
            || self.callees.iter().any(|it| it.callee.traits.is_interpreted)
    }
}

/// A body without its statements.
pub(crate) fn signature(code: &IrCode, types: &Types) -> IrCode {
    IrCode {
        name: code.name,
        args: code.args.iter().map(|it| parameter(types, *it)).collect(),
        stmts: PrimaryMap::new(),
        blocks: PrimaryMap::new(),
        inlined_at: Vec::new(),
        throw_sites: PrimaryMap::new(),
        return_type: code.return_type,
    }
}

/// The body of an instance that always returns the same.
pub(crate) fn constant_body(rt: &Runtime, typed: &CodeInstance) -> Result<IrCode, TypedError> {
    let method = rt.tables.method(rt.tables.instance_data(typed.instance).method);
    let Some(constant) = typed.return_const else {
        return Err(TypedError::Bodiless(rt.types.name(method.name).to_owned()));
    };
    Ok(body_returning(rt, typed, constant))
}

/// A body of an instance that returns this, whatever it does.
pub(crate) fn body_returning(rt: &Runtime, typed: &CodeInstance, constant: Const) -> IrCode {
    let method = rt.tables.method(rt.tables.instance_data(typed.instance).method);
    let spec = rt.tables.instance_data(typed.instance).spec_types;
    let mut args = datatype::params(&rt.types, spec).to_vec();
    if method.is_va {
        let fixed = method.nargs as usize - 1;
        let rest = args.split_off(fixed.min(args.len()));
        args.push(datatype::tuple(&rt.types, &rest));
    }
    returning(rt, method.name, args, constant)
}

fn returning(rt: &Runtime, name: kiln_types::Symbol, args: Vec<kiln_types::Type>, constant: Const) -> IrCode {
    let mut code = IrCode {
        name,
        args,
        stmts: PrimaryMap::new(),
        blocks: PrimaryMap::new(),
        inlined_at: vec![InlinedAt { callee: Instance::from_u32(0), name, call: SourceLoc::NONE, parent: 0 }],
        throw_sites: PrimaryMap::new(),
        return_type: consts::type_of(&rt.types, constant),
    };
    let block: Block = code.blocks.push(BlockData::default());
    let end = StmtData {
        op: Op::Return(Value::Const(constant)),
        ty: rt.types.core().bottom,
        loc: SourceLoc::NONE,
        inlined: 0,
        inbounds: false,
    };
    code.append(block, end);
    code
}
