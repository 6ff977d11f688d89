//! The facts of a result that are about the library alone, which is most of them: in a section of their own that says
//! nothing about the program, so that it is the same for many results. It is kept by its content, and results name it. A
//! session reads each such section once, and checks it once a world.

use super::facts::{self, Answer, Facts, Meant, Renamed};
use super::names::Names;
use super::unkept::Unkept;
use kiln_cache::ContentHash;
use kiln_ir::wire::{SectionReader, SectionWriter, WireError, WireReader};
use kiln_runtime::Runtime;
use kiln_runtime::tables::{Edge, MethodId, MethodTableView, World, WorldRange};
use kiln_types::{Module, Symbol, Type, identity};
use parking_lot::Mutex;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// The contents of a section.
pub(super) struct LibraryFacts {
    lookups: Vec<(Type, Answer)>,
    names: Vec<Meant>,
    /// The same, as what code depends on.
    pub(super) edges: Arc<[Edge]>,
    /// The world they were checked in last, and those in which they hold.
    checked: Mutex<Option<(World, Option<WorldRange>)>>,
}

/// The sections a session has read, by the tables they are about, and those that it has written.
#[derive(Default)]
pub(super) struct LibraryIndex(Mutex<FxHashMap<MethodTableView, Sections>>, Mutex<FxHashSet<ContentHash>>);

type Sections = FxHashMap<ContentHash, Arc<LibraryFacts>>;

/// Takes the facts about the library out of `facts`: the bytes of a section, if they can be written.
pub(super) fn take(rt: &Runtime, view: &MethodTableView, facts: &mut Facts) -> Result<Vec<u8>, Unkept> {
    let is_library = |(sig, answer): &(Type, Answer)| {
        let found = match answer {
            Answer::Found(found) => found.iter().all(|it| rt.tables.methods.is_frozen(*it)),
            Answer::TooMany { only_library } => *only_library,
        };
        found && !identity::mentions_program(&rt.types, *sig) && rt.tables.methods.only_library(view, *sig)
    };
    let (lookups, own) = std::mem::take(&mut facts.lookups).into_iter().partition(is_library);
    facts.lookups = own;
    let is_library = |it: &(_, _)| rt.tables.bindings.is_library_name(it.0, it.1);
    let (names, own) = std::mem::take(&mut facts.names).into_iter().partition(is_library);
    facts.names = own;
    write(rt, &lookups, &names)
}

fn write(rt: &Runtime, lookups: &[(Type, Answer)], names: &[(Module, Symbol)]) -> Result<Vec<u8>, Unkept> {
    let mut out = SectionWriter::within(&rt.types, &*rt.heap);
    out.number(lookups.len());
    for (sig, answer) in lookups {
        out.ty(*sig);
        match answer {
            Answer::TooMany { .. } => out.number(0),
            Answer::Found(found) => {
                out.number(found.len() + 1);
                found.iter().for_each(|it| out.number(it.index()));
            }
        }
    }
    facts::write_names(rt, &mut out, names)?;
    out.finish().ok_or(Unkept::Library)
}

impl LibraryFacts {
    pub(super) fn read(rt: &Runtime, names: &Names<'_>, bytes: &[u8]) -> Result<Self, WireError> {
        let mut reader = WireReader::within(&rt.types, names);
        let mut input = reader.section(bytes)?;
        let lookups = input.list(|it| Ok((it.ty()?, read_answer(rt, it)?)))?;
        let names = Meant::read_all(&mut input)?;
        input.finish()?;
        let edges =
            lookups.iter().map(|(sig, answer)| answer.edge(*sig)).chain(names.iter().map(Meant::edge));
        let edges = edges.collect();
        Ok(Self { lookups, names, edges, checked: Mutex::default() })
    }

    /// The worlds up to the newest in which they hold; `None` if they do not.
    pub(super) fn worlds(
        &self,
        rt: &Runtime,
        names: &Names<'_>,
        view: &MethodTableView,
    ) -> Option<WorldRange> {
        let world = rt.tables.world();
        if let Some((_, worlds)) = self.checked.lock().filter(|it| it.0 == world) {
            return worlds;
        }
        let check = || {
            let lookups = self.lookups.iter().map(|it| facts::finds(rt, names, view, it.0, &it.1));
            let mut all = lookups.chain(std::iter::once(Meant::worlds(&self.names, rt, names)));
            all.try_fold(WorldRange::ALL, |worlds, it| Some(worlds.intersect(it?)))
        };
        let worlds = check();
        *self.checked.lock() = Some((world, worlds));
        worlds
    }

    /// The look-ups that find something else now, and the names that mean something else.
    pub(super) fn changed(
        &self,
        rt: &Runtime,
        names: &Names<'_>,
        view: &MethodTableView,
    ) -> (Vec<Type>, Vec<Renamed>) {
        let lookups = self.lookups.iter().filter(|it| facts::finds(rt, names, view, it.0, &it.1).is_none());
        (lookups.map(|it| it.0).collect(), Meant::changed(&self.names, rt, names))
    }
}

fn read_answer(rt: &Runtime, input: &mut SectionReader<'_>) -> Result<Answer, WireError> {
    let Some(count) = input.number()?.checked_sub(1) else {
        return Ok(Answer::TooMany { only_library: true });
    };
    let limit = rt.tables.methods.frozen_methods();
    let found = (0..count).map(|_| Ok(MethodId::from_index(input.below(limit)?)));
    Ok(Answer::Found(found.collect::<Result<_, WireError>>()?))
}

impl LibraryIndex {
    /// Whether the session has neither written nor been asked to write a section yet: it is to be kept now.
    pub(super) fn is_new(&self, section: ContentHash) -> bool {
        self.1.lock().insert(section)
    }

    /// Reads a section, whose bytes `fetch` finds.
    pub(super) fn read(
        &self,
        (rt, names): (&Runtime, &Names<'_>),
        view: &MethodTableView,
        section: ContentHash,
        fetch: &dyn Fn(ContentHash) -> Option<Vec<u8>>,
    ) -> Result<Arc<LibraryFacts>, WireError> {
        if let Some(known) = self.0.lock().get(view).and_then(|it| it.get(&section).cloned()) {
            return Ok(known);
        }
        let bytes = fetch(section).ok_or(WireError("the facts about the library are not there"))?;
        let facts = Arc::new(LibraryFacts::read(rt, names, &bytes)?);
        self.0.lock().entry(view.clone()).or_default().insert(section, facts.clone());
        Ok(facts)
    }
}
