//! Changes of a kept result's dependencies: the answer to why it was made again.

use super::facts::{self, Meant, Renamed};
use super::library::LibraryFacts;
use super::names::Names;
use super::record::{Listed, list_instance, list_lookup, list_method, parts, section};
use crate::env::CompileEnv;
use crate::naming::specialization;
use kiln_cache::{ContentHash, Key};
use kiln_infer::kept::read_result;
use kiln_ir::wire::{OwnNames, SectionReader, WireError, WireReader};
use kiln_ir::{Instance, SourceLoc};
use kiln_runtime::Runtime;
use kiln_runtime::tables::{MethodId, MethodTableView};
use kiln_types::{Module, ObjectHandle, Symbol, Type, TypeName, display, module};
use std::cell::RefCell;

/// Something that a result depends on and that changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// The name of a method, a constant, a type, or an option.
    pub what: String,
    /// Where it is now: a file and a line.
    pub at: Option<(String, u32)>,
    /// The old and the new text, where they can be shown.
    pub change: Option<(String, String)>,
}

impl Cause {
    fn plain(what: impl Into<String>) -> Self {
        Self { what: what.into(), at: None, change: None }
    }

    fn method(rt: &Runtime, id: MethodId) -> Self {
        let method = rt.tables.method(id);
        let what =
            format!("method {} {}", rt.types.name(method.name), display::of_type(&rt.types, method.sig));
        Self { what, at: rt.frontend.place(method.loc), change: None }
    }

    fn name(rt: &Runtime, (module, name): (Module, Symbol), change: Option<(String, String)>) -> Self {
        let loc = rt.tables.bindings.declared_at(module, name).unwrap_or(SourceLoc::NONE);
        let what = format!("{}.{}", module::path(&rt.types, module), rt.types.name(name));
        Self { what, at: rt.frontend.place(loc), change }
    }
}

/// The names of a session, and those of them that were asked for and are not there as they were.
struct Noting<'a> {
    names: &'a Names<'a>,
    missing: RefCell<Vec<(Module, Symbol)>>,
}

impl OwnNames for Noting<'_> {
    fn object(&self, number: u32, ty: Type) -> Option<ObjectHandle> {
        self.names.object(number, ty)
    }

    fn module(&self, parent: Option<Module>, name: Symbol) -> Option<Module> {
        self.names.module(parent, name)
    }

    fn definition(&self, module: Module, name: Symbol, hash: u128) -> Option<TypeName> {
        let found = self.names.definition(module, name, hash);
        if found.is_none() {
            self.missing.borrow_mut().push((module, name));
        }
        found
    }
}

struct Comparing<'a> {
    rt: &'a Runtime,
    names: &'a Names<'a>,
    view: &'a MethodTableView,
    /// Finds the bytes of a section of facts about the library.
    fetch: &'a dyn Fn(ContentHash) -> Option<Vec<u8>>,
    causes: Vec<Cause>,
}

impl Comparing<'_> {
    fn add(&mut self, cause: Cause) {
        if !self.causes.contains(&cause) {
            self.causes.push(cause);
        }
    }

    /// A look-up that found these methods finds others.
    fn lookup(&mut self, sig: Type, found: &[MethodId]) {
        let now = self.names.find(self.view, sig, usize::MAX);
        let now: Vec<MethodId> = now.iter().flat_map(|it| it.0.iter().copied()).collect();
        let new: Vec<MethodId> = now.into_iter().filter(|it| !found.contains(it)).collect();
        if new.is_empty() {
            self.add(Cause::plain(format!("the methods for {}", display::of_type(&self.rt.types, sig))));
        }
        new.into_iter().for_each(|it| self.add(Cause::method(self.rt, it)));
    }

    /// Names that mean something else.
    fn renamed(&mut self, all: Vec<Renamed>) {
        for (module, name, then, now) in all {
            let change = (then != now).then_some((then, now));
            self.add(Cause::name(self.rt, (module, name), change));
        }
    }

    fn head(&mut self, input: &mut SectionReader<'_>, own: MethodId) -> Result<(), WireError> {
        let rt = self.rt;
        let methods = input.list(|it| list_method(rt, it, own))?;
        let same = |at: usize| match methods.get(at) {
            Some(Listed::Same(method)) => Some(*method),
            Some(Listed::Changed(..)) | None => None,
        };
        for it in &methods {
            let Listed::Changed(table, sig) = it else { continue };
            let now = table.and_then(|it| rt.tables.methods.equal_method(it, *sig, rt.tables.world()));
            self.add(match now {
                Some(method) => Cause::method(rt, method.id),
                None => Cause::plain(format!(
                    "the method for {}, which is gone",
                    display::of_type(&rt.types, *sig)
                )),
            });
        }
        read_result(input)?;
        input.ty()?;
        if input.flag()? {
            input.constant()?;
        }
        for (sig, listed) in input.list(|it| list_lookup(it, methods.len()))? {
            // One that is not there any more has been told of.
            let Some(answer) = listed.answer(&same) else { continue };
            if facts::finds(rt, self.names, self.view, sig, &answer).is_none() {
                self.lookup(sig, answer.methods());
            }
        }
        let names = Meant::read_all(input)?;
        self.renamed(Meant::changed(&names, rt, self.names));
        for (it, hash) in input.list(|it| Ok((list_instance(it, methods.len())?, it.bytes()?.to_vec())))? {
            let Some(method) = same(it.method) else { continue };
            let instance = it.of(rt, method);
            if facts::generated(rt, instance).is_none_or(|it| it != *hash) {
                let what = format!("what is generated for {}", specialization(rt, instance));
                self.add(Cause::plain(what));
            }
        }
        Ok(())
    }

    fn library(&mut self, section: ContentHash) -> Result<(), WireError> {
        let bytes = &(self.fetch)(section).ok_or(WireError("the facts about the library are not there"))?;
        let facts = LibraryFacts::read(self.rt, self.names, bytes)?;
        let (lookups, names) = facts.changed(self.rt, self.names, self.view);
        let is_library = |it: &MethodId| self.rt.tables.methods.is_frozen(*it);
        for sig in lookups {
            let now = self.names.find(self.view, sig, usize::MAX);
            let library: Vec<MethodId> =
                now.iter().flat_map(|it| it.0.iter().copied()).filter(is_library).collect();
            self.lookup(sig, &library);
        }
        self.renamed(names);
        Ok(())
    }

    fn record(&mut self, bytes: &[u8], instance: Instance) -> Result<(), WireError> {
        let [head, library, ..] = parts(bytes)?;
        let own = self.rt.tables.instance_data(instance).method;
        let noting = Noting { names: self.names, missing: RefCell::default() };
        let mut reader = WireReader::within(&self.rt.types, &noting);
        let read = reader.section(head).and_then(|mut input| self.head(&mut input, own));
        for (module, name) in noting.missing.take() {
            self.add(Cause::name(self.rt, (module, name), None));
        }
        read?;
        self.library(section(library)?)
    }
}

/// Returns the changes since typed code of an instance was kept last; none if it was not, or holds.
pub fn causes(env: &CompileEnv<'_>, instance: Instance) -> Vec<Cause> {
    let CompileEnv { rt, compiler, view } = *env;
    let Some(key) = super::kept_key(compiler, rt, view.owner, instance) else { return Vec::new() };
    let names = compiler.typed.names.of(rt);
    let fetch = |it| Some(compiler.results.peek(&super::section_key(compiler, rt, it)?)?.payload);
    let mut all = Comparing { rt, names: &names, view: &view.tables, fetch: &fetch, causes: Vec::new() };
    let Some(explanation) = compiler.results.explain(&key) else { return Vec::new() };
    let mut kept: Key = key;
    if explanation.miss.is_some() {
        let Some(closest) = explanation.closest() else { return Vec::new() };
        for change in &closest.changes {
            let name = change.part.split(['.', '[']).next().unwrap_or_default();
            all.add(match name {
                "body" | "signature" => Cause::method(rt, rt.tables.instance_data(instance).method),
                "owner" => Cause::plain("what inference sees: method tables, or an option"),
                "arguments" | "known arguments" => Cause::plain("a type of an argument"),
                _ => Cause::plain(format!("the {} of kiln", change.part.replace("environment.", ""))),
            });
        }
        kept = closest.listed.key.clone();
    }
    let Some(entry) = compiler.results.peek(&kept) else { return all.causes };
    if let Some(newest) = super::alternatives(&entry.payload).next()
        && let Err(why) = all.record(newest, instance)
        && all.causes.is_empty()
    {
        all.add(Cause::plain(why.0));
    }
    all.causes
}
