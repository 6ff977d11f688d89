//! The bytes of a kept result: who answered its look-ups, what is known of calling it, its facts, its body.
//!
//! ```text
//! record = head, library, callees, body, host  each behind its length; the last three empty without a body
//! head   = methods, result, facts              a section; methods are referred to by position
//! library = facts about the library alone      the hash of a section that is kept by itself (see `library`)
//! callees = instances, calls, inlined          a section that is read with the body; instances are referred to by position
//! ```
//!
//! Methods of the image go by number. One of the program goes by table, signature and content: it must be there, and read
//! the same.

use super::body::KeptBody;
use super::facts::{self, Answer, Facts, Meant};
use super::library::{self, LibraryIndex};
use super::names::{NameIndex, Names};
use super::places;
use super::unkept::Unkept;
use kiln_bytes::{Malformed, Read, Reader, Writer};
use kiln_cache::ContentHash;
use kiln_infer::kept::{KeptResult, read_result, write_result};
use kiln_ir::wire::{self, SectionReader, SectionWriter, WireError, WireReader};
use kiln_ir::{Instance, IrCode};
use kiln_runtime::Runtime;
use kiln_runtime::tables::{
    CacheOwner, Code, CodeInstance, CodeResult, Edge, Edges, KnownArg, KnownField, Method, MethodId,
    MethodTableView, TableId, WorldRange,
};
use kiln_types::{Type, TypeData, Types, intersect, typevar};
use std::sync::Arc;

const STALE: WireError = WireError("what a result depends on has changed");
/// The depth of nested facts about arguments.
const DEPTH_MAX: usize = 32;

/// A result that was read and holds.
pub(super) struct Loaded {
    pub(super) result: CodeResult,
    pub(super) known: KeptResult,
}

/// Positions of things in a list of distinct ones.
struct Positions<T>(Vec<T>);

impl<T: Copy + PartialEq> Positions<T> {
    fn of(&mut self, it: T) -> usize {
        self.0.iter().position(|known| *known == it).unwrap_or_else(|| {
            self.0.push(it);
            self.0.len() - 1
        })
    }
}

/// A result as bytes.
pub(super) struct Written {
    pub(super) record: Vec<u8>,
    /// The section that it names.
    pub(super) library: Vec<u8>,
}

/// The parts of a session that a reader of results uses.
#[derive(Clone, Copy)]
pub(super) struct Sources<'a> {
    pub(super) names: &'a Arc<NameIndex>,
    pub(super) library: &'a LibraryIndex,
    /// Finds the bytes of a section of facts about the library.
    pub(super) fetch: &'a dyn Fn(ContentHash) -> Option<Vec<u8>>,
}

/// The bytes of a result, unless they would mean nothing in another session.
pub(super) fn write(rt: &Runtime, typed: &CodeInstance, mut facts: Facts) -> Result<Written, Unkept> {
    let library = library::take(rt, &typed.view, &mut facts)?;
    let wire = match typed.code(rt) {
        Some(code) => {
            let mut code = IrCode::clone(code);
            places::detach(rt, typed.instance, &mut code);
            Some(wire::write_within(&code, &rt.types, &*rt.heap).ok_or(Unkept::Code)?)
        }
        None => None,
    };
    let mut instances = Positions(Vec::new());
    let positions = |all: &[Instance], instances: &mut Positions<Instance>| -> Vec<usize> {
        all.iter().map(|it| instances.of(*it)).collect()
    };
    let calls = wire.as_ref().map_or(Vec::new(), |it| positions(&it.instances, &mut instances));
    let inlined = wire.as_ref().map_or(Vec::new(), |it| positions(&it.inlined, &mut instances));
    let mut methods = Positions(Vec::new());
    let found = facts.lookups.iter().map(|it| match &it.1 {
        Answer::Found(found) => Some(found.iter().map(|it| methods.of(*it)).collect()),
        Answer::TooMany { .. } => None,
    });
    let found: Vec<Option<Vec<usize>>> = found.collect();
    let with_method = |it: Instance, methods: &mut Positions<MethodId>| {
        (it, methods.of(rt.tables.instance_data(it).method))
    };
    let callees: Vec<(Instance, usize)> =
        instances.0.iter().map(|it| with_method(*it, &mut methods)).collect();
    let generated: Vec<_> =
        facts.generated.iter().map(|it| (with_method(it.0, &mut methods), it.1)).collect();

    let mut out = SectionWriter::within(&rt.types, &*rt.heap);
    let own = rt.tables.instance_data(typed.instance).method;
    out.number(methods.0.len());
    methods.0.iter().try_for_each(|it| write_method(rt, &mut out, *it, own))?;
    if !write_result(typed, &mut out) {
        return Err(Unkept::Inference);
    }
    out.ty(typed.return_type);
    out.flag(typed.return_const.is_some());
    typed.return_const.iter().for_each(|it| out.constant(*it));
    out.number(found.len());
    for ((sig, answer), found) in facts.lookups.iter().zip(found) {
        out.ty(*sig);
        out.number(match answer {
            &Answer::TooMany { only_library } => usize::from(only_library),
            Answer::Found(found) => found.len() + 2,
        });
        found.iter().flatten().for_each(|it| out.number(*it));
    }
    facts::write_names(rt, &mut out, &facts.names)?;
    out.number(generated.len());
    for ((instance, method), hash) in generated {
        write_instance(rt, &mut out, instance, method)?;
        out.bytes(&hash);
    }
    let head = out.finish().ok_or(Unkept::Head)?;
    let callees = if wire.is_some() { write_callees(rt, &callees, [&calls, &inlined])? } else { Vec::new() };
    let (body, host) = wire.map_or_else(Default::default, |it| (it.body, it.host));
    let section = ContentHash::of(&library).0;
    let parts = [&head[..], &section, &callees, &body, &host];
    let mut out = Writer::with_capacity(parts.iter().map(|it| it.len() + 4).sum());
    parts.iter().for_each(|it| out.bytes(it));
    Ok(Written { record: out.finish(), library })
}

/// The instances that a body mentions, each with the position of its method, and the positions of those it calls and of those that
/// were inlined into it.
fn write_callees(
    rt: &Runtime,
    instances: &[(Instance, usize)],
    lists: [&[usize]; 2],
) -> Result<Vec<u8>, Unkept> {
    let mut out = SectionWriter::within(&rt.types, &*rt.heap);
    out.number(instances.len());
    instances.iter().try_for_each(|it| write_instance(rt, &mut out, it.0, it.1))?;
    for list in lists {
        out.number(list.len());
        list.iter().for_each(|it| out.number(*it));
    }
    out.finish().ok_or(Unkept::Head)
}

/// The instances that a body calls, and those inlined into it: [`write_callees`]. `methods` are those of the record.
pub(super) fn read_callees(
    rt: &Runtime,
    mut input: SectionReader<'_>,
    methods: &[MethodId],
) -> Result<[Vec<Instance>; 2], WireError> {
    let instances = input.list(|it| read_instance(rt, it, methods))?;
    let mut listed = || input.list(|it| Ok(instances[it.below(instances.len())?]));
    let lists = [listed()?, listed()?];
    input.finish()?;
    Ok(lists)
}

/// Reads a result for `instance`, and checks that all it depends on is as it was.
pub(super) fn read(
    rt: &Runtime,
    sources: Sources<'_>,
    bytes: &[u8],
    (view, owner): (&MethodTableView, CacheOwner),
    instance: Instance,
) -> Result<Loaded, WireError> {
    let [head, library, callees, body, host] = parts(bytes)?;
    let names = &sources.names.of(rt);
    let mut reader = WireReader::within(&rt.types, names);
    let mut input = reader.section(head)?;
    let own = rt.tables.instance_data(instance).method;
    let methods = input.list(|it| read_method(rt, it, own))?;
    let known = read_result(&mut input)?;
    let return_type = input.ty()?;
    let return_const = if input.flag()? { Some(input.constant()?) } else { None };
    let mut worlds = rt.tables.method(own).worlds();
    let mut edges = read_lookups((rt, names), &mut input, view, &methods, &mut worlds)?;
    let library = sources.library.read((rt, names), view, section(library)?, sources.fetch)?;
    worlds = worlds.intersect(library.worlds(rt, names, view).ok_or(STALE)?);
    let meant = Meant::read_all(&mut input)?;
    worlds = worlds.intersect(Meant::worlds(&meant, rt, names).ok_or(STALE)?);
    edges.extend(meant.iter().map(Meant::edge));
    let generated = input.list(|it| Ok((read_instance(rt, it, &methods)?, it.bytes()?.to_vec())))?;
    let is_same = |(instance, hash): &(Instance, Vec<u8>)| {
        facts::generated(rt, *instance).is_some_and(|it| it == **hash)
    };
    if !worlds.contains(rt.tables.world()) || !generated.iter().all(is_same) {
        return Err(STALE);
    }
    input.finish()?;
    let code = if body.is_empty() {
        None
    } else {
        reader.check_names(body, host)?;
        let parts = [callees, body, host];
        Some(Code::Deferred(Arc::new(KeptBody::new(sources.names.clone(), parts, methods.into()))))
    };
    let result = CodeResult {
        instance,
        owner,
        view: view.clone(),
        worlds: WorldRange::since(worlds.min),
        return_type,
        return_const,
        effects: known.effects(),
        exception_type: known.exception_type(),
        code,
        edges: Edges::flat(edges, library.edges.clone()),
    };
    Ok(Loaded { result, known })
}

/// Whether a result that was read is the one that was made now.
pub(super) fn is_same(rt: &Runtime, read: &CodeResult, made: &CodeInstance) -> bool {
    // What was read has lost its places in text that is nowhere.
    let placed = |code: &Arc<IrCode>| {
        let mut code = IrCode::clone(code);
        places::detach(rt, made.instance, &mut code);
        places::attach(rt, made.instance, &mut code);
        code
    };
    let code = |it: &Code| match it {
        Code::Made(code) => Some(IrCode::clone(code)),
        Code::Deferred(code) => code.code(rt, made.instance).map(|it| IrCode::clone(it)),
    };
    let known = (read.return_type, read.return_const, read.effects, read.exception_type);
    known == (made.return_type, made.return_const, made.effects, made.exception_type)
        && read.code.as_ref().map(code) == made.code(rt).map(|it| Some(placed(it)))
}

/// The five parts of a record.
pub(super) fn parts(bytes: &[u8]) -> Read<[&[u8]; 5]> {
    let mut input = Reader::new(bytes);
    let parts = [input.bytes()?, input.bytes()?, input.bytes()?, input.bytes()?, input.bytes()?];
    input.finish()?;
    Ok(parts)
}

/// The section that a record names.
pub(super) fn section(bytes: &[u8]) -> Read<ContentHash> {
    bytes.try_into().map(ContentHash).map_err(|_| Malformed("a hash of another length"))
}

fn write_method(
    rt: &Runtime,
    out: &mut SectionWriter<'_>,
    id: MethodId,
    own: MethodId,
) -> Result<(), Unkept> {
    let tables = &rt.tables;
    if tables.methods.is_frozen(id) {
        out.number(0);
        out.number(id.index());
    } else if id == own {
        out.number(1);
    } else {
        let method = tables.method(id);
        if method.table == TableId::GLOBAL {
            out.number(2);
        } else {
            let (name, module) = tables.methods.table_name(method.table).ok_or(Unkept::Method(id))?;
            out.number(3);
            out.symbol(name);
            out.module(module);
        }
        out.ty(method.sig);
        let hash = method.content_hash(&rt.types).ok_or(Unkept::Method(id))?;
        out.bytes(&hash.to_le_bytes());
    }
    Ok(())
}

/// A method of a record's list.
pub(super) enum Listed {
    /// It is there, and reads the same.
    Same(MethodId),
    /// The program's of this signature is gone, or reads otherwise.
    Changed(Option<TableId>, Type),
}

/// Reads a method. `own` is that of the instance that the record is of.
pub(super) fn list_method(
    rt: &Runtime,
    input: &mut SectionReader<'_>,
    own: MethodId,
) -> Result<Listed, WireError> {
    let tables = &rt.tables;
    let table = match input.below(4)? {
        0 => return Ok(Listed::Same(MethodId::from_index(input.below(tables.methods.frozen_methods())?))),
        1 => return Ok(Listed::Same(own)),
        2 => Some(TableId::GLOBAL),
        _ => {
            let (name, module) = (input.symbol()?, input.module()?);
            tables.methods.table_of_name(name, module)
        }
    };
    let sig = input.ty()?;
    let hash = input.bytes()?;
    let method = table.and_then(|it| tables.methods.equal_method(it, sig, tables.world()));
    let same = |it: &Arc<Method>| it.content_hash(&rt.types).is_some_and(|it| it.to_le_bytes() == hash);
    Ok(method.filter(same).map_or(Listed::Changed(table, sig), |it| Listed::Same(it.id)))
}

fn read_method(rt: &Runtime, input: &mut SectionReader<'_>, own: MethodId) -> Result<MethodId, WireError> {
    match list_method(rt, input, own)? {
        Listed::Same(method) => Ok(method),
        Listed::Changed(..) => Err(STALE),
    }
}

fn write_instance(
    rt: &Runtime,
    out: &mut SectionWriter<'_>,
    instance: Instance,
    method: usize,
) -> Result<(), Unkept> {
    let data = rt.tables.instance_data(instance);
    out.number(method);
    out.ty(data.spec_types);
    // Variables that the types leave open have no description: dispatch finds them again.
    let is_open = data.static_params.iter().any(|it| typevar::has_free_vars(&rt.types, *it));
    out.flag(is_open);
    if !is_open {
        out.number(data.static_params.len());
        data.static_params.iter().for_each(|it| out.ty(*it));
    } else if !are_same(&rt.types, &data.static_params, &dispatched(rt, data.method, data.spec_types)) {
        return Err(Unkept::Head);
    }
    out.number(data.known_args.len());
    data.known_args.iter().for_each(|it| write_known(out, it));
    Ok(())
}

/// The static parameters that dispatch finds for a method and the types of its arguments.
fn dispatched(rt: &Runtime, method: MethodId, spec_types: Type) -> Vec<Type> {
    intersect::meet_with_values(&rt.types, spec_types, rt.tables.method(method).sig).1
}

/// Whether static parameters mean the same: variables are compared by their bounds.
fn are_same(types: &Types, a: &[Type], b: &[Type]) -> bool {
    let bounds = |it: Type| match types.data(it) {
        TypeData::Var { lower, upper, .. } => Some((*lower, *upper)),
        TypeData::Bottom
        | TypeData::Data { .. }
        | TypeData::Union(_)
        | TypeData::UnionAll { .. }
        | TypeData::Vararg { .. }
        | TypeData::Value(_) => None,
    };
    let is_same = |(a, b): (&Type, &Type)| a == b || bounds(*a).is_some_and(|it| Some(it) == bounds(*b));
    a.len() == b.len() && a.iter().zip(b).all(is_same)
}

fn read_instance(
    rt: &Runtime,
    input: &mut SectionReader<'_>,
    methods: &[MethodId],
) -> Result<Instance, WireError> {
    let described = list_instance(input, methods.len())?;
    Ok(described.of(rt, methods[described.method]))
}

/// An instance of a record's list.
pub(super) struct Described {
    /// The position of its method.
    pub(super) method: usize,
    spec_types: Type,
    /// `None`: the types leave some open.
    static_params: Option<Vec<Type>>,
    known: Vec<KnownArg>,
}

impl Described {
    /// It, as one of `method`.
    pub(super) fn of(&self, rt: &Runtime, method: MethodId) -> Instance {
        let found = || dispatched(rt, method, self.spec_types);
        let static_params = self.static_params.clone().unwrap_or_else(found);
        rt.tables.known_instance(method, self.spec_types, &static_params, &self.known)
    }
}

/// Reads an instance of one of so many methods.
pub(super) fn list_instance(input: &mut SectionReader<'_>, methods: usize) -> Result<Described, WireError> {
    let method = input.below(methods)?;
    let spec_types = input.ty()?;
    let static_params = if input.flag()? { None } else { Some(input.list(SectionReader::ty)?) };
    let known = input.list(|it| read_known(it, 0))?;
    Ok(Described { method, spec_types, static_params, known })
}

/// Writes what is known of an argument.
pub(super) fn write_known(out: &mut SectionWriter<'_>, known: &KnownArg) {
    match known {
        KnownArg::Type => out.number(0),
        KnownArg::Const(it) => {
            out.number(1);
            out.constant(*it);
        }
        KnownArg::Fields(ty, fields) => {
            out.number(2);
            out.ty(*ty);
            out.number(fields.len());
            for field in fields {
                match field {
                    KnownField::Type(ty) => {
                        out.flag(false);
                        out.ty(*ty);
                    }
                    KnownField::More(it) => {
                        out.flag(true);
                        write_known(out, it);
                    }
                }
            }
        }
    }
}

fn read_known(input: &mut SectionReader<'_>, depth: usize) -> Result<KnownArg, WireError> {
    if depth > DEPTH_MAX {
        return Err(WireError("what is known of an argument nests too deep"));
    }
    Ok(match input.below(3)? {
        0 => KnownArg::Type,
        1 => KnownArg::Const(input.constant()?),
        _ => {
            let ty = input.ty()?;
            let fields = input.list(|it| {
                Ok(if it.flag()? {
                    KnownField::More(read_known(it, depth + 1)?)
                } else {
                    KnownField::Type(it.ty()?)
                })
            })?;
            KnownArg::Fields(ty, fields.into())
        }
    })
}

fn read_lookups(
    (rt, names): (&Runtime, &Names<'_>),
    input: &mut SectionReader<'_>,
    view: &MethodTableView,
    methods: &[MethodId],
    worlds: &mut WorldRange,
) -> Result<Vec<Edge>, WireError> {
    input.list(|it| {
        let (sig, listed) = list_lookup(it, methods.len())?;
        let answer = listed.answer(&|at| Some(methods[at])).ok_or(STALE)?;
        *worlds = worlds.intersect(facts::finds(rt, names, view, sig, &answer).ok_or(STALE)?);
        Ok(answer.edge(sig))
    })
}

/// The answer of a look-up, by positions of methods.
pub(super) enum ListedAnswer {
    Found(Vec<usize>),
    TooMany { only_library: bool },
}

impl ListedAnswer {
    /// The same, of methods; `None` if one is not there.
    pub(super) fn answer(&self, method: &dyn Fn(usize) -> Option<MethodId>) -> Option<Answer> {
        Some(match self {
            ListedAnswer::Found(found) => {
                Answer::Found(found.iter().map(|it| method(*it)).collect::<Option<_>>()?)
            }
            ListedAnswer::TooMany { only_library } => Answer::TooMany { only_library: *only_library },
        })
    }
}

/// Reads a look-up that found some of so many methods.
pub(super) fn list_lookup(
    input: &mut SectionReader<'_>,
    methods: usize,
) -> Result<(Type, ListedAnswer), WireError> {
    let sig = input.ty()?;
    let answer = match input.number()? {
        only_library @ (0 | 1) => ListedAnswer::TooMany { only_library: only_library == 1 },
        count => {
            let found = (0..count - 2).map(|_| input.below(methods));
            ListedAnswer::Found(found.collect::<Read<_>>()?)
        }
    };
    Ok((sig, answer))
}
