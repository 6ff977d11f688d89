//! The dependencies of a result, flat: every look-up and every name, those of its callees included.
//!
//! # Invariants
//! * Inference is a function of the bodies that its look-ups find, of what names mean, and of its parameters: where all
//!   facts hold, it would find the same.
//! * A body is part of the fact that a look-up found it, by its content. What a generator of the program's makes is a fact of
//!   its own: it may depend on anything, so a session that asks runs the generator and compares what it makes.

use super::names::Names;
use super::objects::Objects;
use super::unkept::Unkept;
use crate::inputs::View;
use kiln_infer::InferenceParams;
use kiln_ir::Instance;
use kiln_ir::wire::{ImageObjects as _, SectionReader, SectionWriter, WireError};
use kiln_runtime::eval::generated;
use kiln_runtime::heap::constants;
use kiln_runtime::tables::{Binding, CodeInstance, Edge, MethodId, MethodTableView, World, WorldRange};
use kiln_runtime::{Runtime, deferred};
use kiln_types::{Const, ConstData, Module, Symbol, Type, consts, display, identity};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// The answer of a look-up.
pub(super) enum Answer {
    /// These methods, in order.
    Found(Arc<[MethodId]>),
    /// More than inference considers.
    TooMany {
        /// The library's alone were too many.
        only_library: bool,
    },
}

/// See the [module](self).
#[derive(Default)]
pub(super) struct Facts {
    /// Signatures looked up.
    pub(super) lookups: Vec<(Type, Answer)>,
    /// Names, and the modules they were asked for in.
    pub(super) names: Vec<(Module, Symbol)>,
    /// Specializations whose bodies generators of the program's made, with hashes of those.
    pub(super) generated: Vec<(Instance, [u8; 16])>,
}

struct Walk<'a> {
    rt: &'a Runtime,
    view: &'a View,
    facts: Facts,
    /// Those of `facts`, and whether they were too many: an exact answer says more than that, and a result may depend on both.
    signatures: FxHashSet<(Type, bool)>,
    names: FxHashSet<(Module, Symbol)>,
    visited: FxHashSet<Instance>,
    work: Vec<Arc<CodeInstance>>,
}

/// The facts that `typed` depends on, unless some of them mean nothing in another session.
pub(super) fn of(rt: &Runtime, view: &View, typed: &CodeInstance) -> Result<Facts, Unkept> {
    let mut walk = Walk {
        rt,
        view,
        facts: Facts::default(),
        signatures: FxHashSet::default(),
        names: FxHashSet::default(),
        visited: FxHashSet::default(),
        work: Vec::new(),
    };
    walk.visited.insert(typed.instance);
    walk.body(typed.instance)?;
    typed.edges.iter().try_for_each(|it| walk.edge(it))?;
    while let Some(ci) = walk.work.pop() {
        ci.edges.iter().try_for_each(|it| walk.edge(it))?;
    }
    Ok(walk.facts)
}

impl Walk<'_> {
    /// Of a body that a generator of the program's made the generator is no sufficient description; one that another compiler
    /// made depends on the compiler.
    fn body(&mut self, instance: Instance) -> Result<(), Unkept> {
        if deferred::owner(self.rt, instance).is_some() {
            return Err(Unkept::Owned(instance));
        }
        let method = self.rt.tables.instance_data(instance).method;
        if !self.rt.tables.methods.is_frozen(method) && self.rt.tables.method(method).code.meta.generated {
            let hash = generated(self.rt, instance).ok_or(Unkept::Generated(instance))?;
            self.facts.generated.push((instance, hash));
        }
        Ok(())
    }

    fn edge(&mut self, edge: &Edge) -> Result<(), Unkept> {
        match edge {
            // A result that outlived a definition says what was found before it.
            Edge::Lookup { sig, found } if self.are_current(found) => {
                self.lookup(*sig, Answer::Found(found.clone()));
            }
            Edge::Lookup { sig, .. } => self.found_now(*sig)?,
            Edge::TooMany(sig) => {
                let only_library = self.rt.tables.methods.only_library(&self.view.tables, *sig);
                self.lookup(*sig, Answer::TooMany { only_library });
            }
            Edge::Binding(module, name) => {
                if self.names.insert((*module, *name)) {
                    self.facts.names.push((*module, *name));
                }
            }
            Edge::Invoke { sig, instance } => {
                self.found_now(*sig)?;
                self.visit(*instance)?;
            }
            Edge::Instance(instance) | Edge::Body(instance) => {
                self.found_now(self.rt.tables.instance_data(*instance).spec_types)?;
                self.visit(*instance)?;
            }
            // What it would find is not what look-ups find that other sessions check.
            Edge::Original { .. } => return Err(Unkept::Original),
            // What it evaluates to follows from the facts about what is evaluated.
            Edge::Constant { call, value: _ } => {
                if let Some(constant) = call.iter().find(|it| is_of_session(self.rt, **it)) {
                    return Err(Unkept::Constant(*constant));
                }
            }
        }
        Ok(())
    }

    fn are_current(&self, methods: &[MethodId]) -> bool {
        let tables = &self.rt.tables;
        methods.iter().all(|it| tables.method(*it).worlds().contains(self.view.world))
    }

    fn lookup(&mut self, sig: Type, found: Answer) {
        if self.signatures.insert((sig, matches!(found, Answer::TooMany { .. }))) {
            self.facts.lookups.push((sig, found));
        }
    }

    /// A look-up of `sig`, whatever it finds.
    fn found_now(&mut self, sig: Type) -> Result<(), Unkept> {
        if !self.signatures.contains(&(sig, false)) {
            let found = all_matches(self.rt, &self.view.tables, sig).ok_or(Unkept::Lookup(sig))?;
            self.lookup(sig, Answer::Found(found));
        }
        Ok(())
    }

    fn visit(&mut self, instance: Instance) -> Result<(), Unkept> {
        let tables = &self.rt.tables;
        let current = tables.current_instance(instance, self.view.world);
        if !self.visited.insert(current) {
            return Ok(());
        }
        self.body(current)?;
        let callee = tables.code_instance(current, self.view.owner, self.view.world);
        self.work.push(callee.ok_or(Unkept::Outdated(current))?);
        Ok(())
    }
}

/// Whether a constant is or holds something that only this session has.
fn is_of_session(rt: &Runtime, constant: Const) -> bool {
    identity::hash_of_const(&rt.types, constant).is_none()
        && match rt.types.const_data(constant) {
            ConstData::Object { handle, .. } => rt.heap.number_of(*handle).is_none(),
            ConstData::Aggregate { fields, .. } => fields.iter().any(|it| is_of_session(rt, *it)),
            ConstData::Bits { .. }
            | ConstData::Symbol(_)
            | ConstData::Type(_)
            | ConstData::String(_)
            | ConstData::Module(_) => true,
        }
}

/// A hash of what a generator makes for an instance; `None` if it throws, or another session cannot have the same.
pub(super) fn generated(rt: &Runtime, instance: Instance) -> Option<[u8; 16]> {
    let (body, data) = (generated::generated_body(rt, instance).ok()?, rt.tables.instance_data(instance));
    let hash = body.content_hash(&rt.types)?;
    // Places are kept relative to the method's own.
    let loc = rt.tables.method(data.method).loc;
    Some((hash ^ u128::from(body.loc.start().wrapping_sub(loc.start()))).to_le_bytes())
}

fn all_matches(rt: &Runtime, view: &MethodTableView, sig: Type) -> Option<Arc<[MethodId]>> {
    let found = rt.tables.find_matches_in(view, sig, rt.tables.world(), usize::MAX)?;
    Some(found.matches.iter().map(|it| it.method).collect())
}

/// The worlds in which facts about the library hold that the program has added nothing to.
fn library_worlds(rt: &Runtime) -> WorldRange {
    WorldRange::since(rt.tables.sealed().unwrap_or(World::FIRST))
}

/// The worlds up to the newest in which a look-up finds what it found; `None` if it finds something else now.
pub(super) fn finds(
    rt: &Runtime,
    names: &Names<'_>,
    view: &MethodTableView,
    sig: Type,
    found: &Answer,
) -> Option<WorldRange> {
    let is_library = match found {
        Answer::Found(found) => found.iter().all(|it| rt.tables.methods.is_frozen(*it)),
        Answer::TooMany { only_library } => *only_library,
    };
    if is_library && rt.tables.methods.only_library(view, sig) {
        return Some(library_worlds(rt));
    }
    let Answer::Found(found) = found else {
        let still = names.find(view, sig, InferenceParams::default().methods_max).is_none();
        return still.then(|| WorldRange::since(rt.tables.world()));
    };
    let now = names.find(view, sig, usize::MAX)?;
    (now.0 == *found).then_some(now.1)
}

/// The meaning of a name, as far as inference can tell.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    Undefined,
    Ambiguous,
    Const(Const),
    /// A constant of this type that is or holds an object, and what can be seen of it: see [`Objects`].
    Object(Type, [u8; 16]),
    /// A variable of this type, where it is defined.
    Global(Type, Module, Symbol),
}

impl Meaning {
    fn display(&self, rt: &Runtime) -> String {
        match self {
            Meaning::Undefined => "undefined".into(),
            Meaning::Ambiguous => "ambiguous".into(),
            Meaning::Const(it) => display::of_const(&rt.types, *it),
            Meaning::Object(ty, _) => format!("an object of type {}", display::of_type(&rt.types, *ty)),
            Meaning::Global(ty, ..) => format!("a variable of type {}", display::of_type(&rt.types, *ty)),
        }
    }
}

/// Returns the current meaning of a name; `None` if that cannot be told.
pub(super) fn meaning(
    rt: &Runtime,
    objects: &mut Objects,
    (module, name): (Module, Symbol),
) -> Option<(Meaning, WorldRange)> {
    let resolved = rt.tables.bindings.resolve_binding(module, name, rt.tables.world());
    let meaning = match resolved.binding {
        Binding::Undefined => Meaning::Undefined,
        Binding::Ambiguous(..) => Meaning::Ambiguous,
        Binding::Const(value) => {
            let constant = constants::const_of(&rt.heap, value);
            match identity::hash_of_const(&rt.types, constant) {
                Some(_) => Meaning::Const(constant),
                None => Meaning::Object(consts::type_of(&rt.types, constant), objects.hash(rt, constant)?),
            }
        }
        Binding::Global(_, ty) => Meaning::Global(ty, resolved.module, resolved.name),
    };
    Some((meaning, resolved.worlds))
}

/// Writes what names mean now, if that can be told.
pub(super) fn write_names(
    rt: &Runtime,
    out: &mut SectionWriter<'_>,
    names: &[(Module, Symbol)],
) -> Result<(), Unkept> {
    let mut objects = Objects::default();
    out.number(names.len());
    names.iter().try_for_each(|it| write_name(rt, out, &mut objects, *it))
}

fn write_name(
    rt: &Runtime,
    out: &mut SectionWriter<'_>,
    objects: &mut Objects,
    (module, name): (Module, Symbol),
) -> Result<(), Unkept> {
    let is_library = rt.tables.bindings.is_library_name(module, name);
    let meaning = meaning(rt, objects, (module, name));
    out.module(module);
    out.symbol(name);
    out.flag(is_library);
    match meaning.ok_or(Unkept::Name(module, name))?.0 {
        Meaning::Undefined => out.number(0),
        Meaning::Ambiguous => out.number(1),
        Meaning::Const(it) => {
            out.number(2);
            out.constant(it);
        }
        Meaning::Object(ty, hash) => {
            out.number(3);
            out.ty(ty);
            out.bytes(&hash);
        }
        Meaning::Global(ty, module, name) => {
            out.number(4);
            out.ty(ty);
            out.module(module);
            out.symbol(name);
        }
    }
    Ok(())
}

/// A name in a module, what it meant and what it means.
pub(super) type Renamed = (Module, Symbol, String, String);

/// The meaning of a name when a result was kept.
pub(super) struct Meant {
    module: Module,
    name: Symbol,
    was_library: bool,
    then: Meaning,
}

impl Meant {
    /// Reads what [`write_names`] wrote.
    pub(super) fn read_all(input: &mut SectionReader<'_>) -> Result<Vec<Self>, WireError> {
        input.list(Self::read)
    }

    fn read(input: &mut SectionReader<'_>) -> Result<Self, WireError> {
        let (module, name, was_library) = (input.module()?, input.symbol()?, input.flag()?);
        let then = match input.below(5)? {
            0 => Meaning::Undefined,
            1 => Meaning::Ambiguous,
            2 => Meaning::Const(input.constant()?),
            3 => {
                let (ty, hash) = (input.ty()?, input.bytes()?);
                let hash = hash.try_into().map_err(|_| WireError("a hash of another length"))?;
                Meaning::Object(ty, hash)
            }
            _ => Meaning::Global(input.ty()?, input.module()?, input.symbol()?),
        };
        Ok(Self { module, name, was_library, then })
    }

    /// The worlds up to the newest in which all mean that; `None` if one means something else now.
    pub(super) fn worlds(all: &[Self], rt: &Runtime, names: &Names<'_>) -> Option<WorldRange> {
        let mut objects = Objects::default();
        let mut each = all.iter().map(|it| it.worlds_of(rt, names, &mut objects));
        each.try_fold(WorldRange::ALL, |worlds, it| Some(worlds.intersect(it?)))
    }

    /// Those of `all` that mean something else now.
    pub(super) fn changed(all: &[Self], rt: &Runtime, names: &Names<'_>) -> Vec<Renamed> {
        let mut objects = Objects::default();
        let mut changed = Vec::new();
        for it in all {
            if it.worlds_of(rt, names, &mut objects).is_none() {
                let now = names.meaning(&mut Objects::default(), (it.module, it.name));
                let now = now.map_or_else(|| "an object".into(), |now| now.0.display(rt));
                changed.push((it.module, it.name, it.then.display(rt), now));
            }
        }
        changed
    }

    fn worlds_of(&self, rt: &Runtime, names: &Names<'_>, objects: &mut Objects) -> Option<WorldRange> {
        if self.was_library && rt.tables.bindings.is_library_name(self.module, self.name) {
            return Some(library_worlds(rt));
        }
        let (now, worlds) = names.meaning(objects, (self.module, self.name))?;
        (now == self.then).then_some(worlds)
    }

    pub(super) fn edge(&self) -> Edge {
        Edge::Binding(self.module, self.name)
    }
}

impl Answer {
    /// The methods it found; none if they were too many.
    pub(super) fn methods(&self) -> &[MethodId] {
        match self {
            Answer::Found(found) => found,
            Answer::TooMany { .. } => &[],
        }
    }

    pub(super) fn edge(&self, sig: Type) -> Edge {
        match self {
            Answer::Found(found) => Edge::Lookup { sig, found: found.clone() },
            Answer::TooMany { .. } => Edge::TooMany(sig),
        }
    }
}
