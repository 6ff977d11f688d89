//! The lines that the numbers of statements in a kernel's units stand for.
//!
//! Units know no file, so they are the same wherever their functions have moved; only who links them asks where that is.

use crate::program::LinkSet;
use crate::unit::UnitFunction;
use kiln_ir::{Instance, SourceLoc};
use kiln_runtime::Runtime;
use kiln_unit::{LinePlace, LineScope, LineTable, PartLines};
use rustc_hash::FxHashMap;

/// The lines of all parts of a device link, in their order.
pub(super) fn table(rt: &Runtime, link_set: &LinkSet) -> LineTable {
    let mut lines = Lines::new(rt);
    for unit in link_set.linked_entry_first() {
        let functions = unit.functions.iter().map(|it| lines.scope(it.instance)).collect();
        let statements = unit.functions.iter().flat_map(|it| lines.statements(it)).collect();
        lines.table.parts.push(PartLines { functions, statements });
    }
    lines.table
}

/// A table being made: what is in it already, by what it is of.
struct Lines<'a> {
    rt: &'a Runtime,
    table: LineTable,
    files: FxHashMap<String, u32>,
    /// The file and the line of a place in the source; none if it is nowhere.
    known: FxHashMap<SourceLoc, Option<(u32, u32)>>,
    scopes: FxHashMap<Instance, u32>,
    places: FxHashMap<LinePlace, u32>,
}

impl<'a> Lines<'a> {
    fn new(rt: &'a Runtime) -> Self {
        let (files, known) = (FxHashMap::default(), FxHashMap::default());
        let (scopes, places) = (FxHashMap::default(), FxHashMap::default());
        Self { rt, table: LineTable::default(), files, known, scopes, places }
    }

    fn file(&mut self, name: String) -> u32 {
        let (files, table) = (&mut self.files, &mut self.table);
        *files.entry(name).or_insert_with_key(|name| {
            table.files.push(name.clone());
            table.files.len() as u32 - 1
        })
    }

    /// The file and the line of a place.
    fn line(&mut self, loc: SourceLoc) -> Option<(u32, u32)> {
        if let Some(known) = self.known.get(&loc) {
            return *known;
        }
        let found = self.rt.frontend.place(loc).filter(|_| !loc.is_none());
        let found = found.map(|(file, line)| (self.file(file), line));
        self.known.insert(loc, found);
        found
    }

    /// Returns the scope of an instance's method.
    fn scope(&mut self, instance: Instance) -> u32 {
        if let Some(known) = self.scopes.get(&instance) {
            return *known;
        }
        let method = self.rt.tables.method(self.rt.tables.instance_data(instance).method);
        let place = self.line(method.loc);
        let (file, line) = place.unwrap_or_else(|| (self.file("unknown".to_owned()), 0));
        let scope = LineScope { name: self.rt.types.name(method.name).to_owned(), file, line };
        // Specializations of one method are one function to who reads lines.
        let known = self.table.scopes.iter().position(|it| *it == scope);
        let position = known.unwrap_or_else(|| {
            self.table.scopes.push(scope);
            self.table.scopes.len() - 1
        }) as u32;
        self.scopes.insert(instance, position);
        position
    }

    fn place(&mut self, place: LinePlace) -> u32 {
        let (places, table) = (&mut self.places, &mut self.table);
        *places.entry(place).or_insert_with(|| {
            table.places.push(place);
            table.places.len() as u32 - 1
        })
    }

    /// The place of each statement of a function.
    fn statements(&mut self, function: &UnitFunction) -> Vec<Option<u32>> {
        let code = function.code(self.rt);
        let own = self.scope(function.instance);
        let scopes: Vec<u32> = code.inlined_at.iter().skip(1).map(|it| self.scope(it.callee)).collect();
        let scope = |inlined: u32| match inlined {
            0 => own,
            other => scopes.get(other as usize - 1).copied().unwrap_or(own),
        };
        // Where each function that was inlined was called: callers come first.
        let mut calls: Vec<Option<u32>> = vec![None];
        for it in code.inlined_at.iter().skip(1) {
            let outer = calls.get(it.parent as usize).copied().flatten();
            let call = self.line(it.call);
            let at = call.map(|(file, line)| {
                self.place(LinePlace { scope: scope(it.parent), file, line, inlined_at: outer })
            });
            calls.push(at.or(outer));
        }
        let mut places = Vec::with_capacity(code.stmts.len());
        for it in code.stmts.values() {
            let outer = calls.get(it.inlined as usize).copied().flatten();
            let own = self.line(it.loc).filter(|_| it.inlined == 0 || outer.is_some());
            let at = own.map(|(file, line)| {
                self.place(LinePlace { scope: scope(it.inlined), file, line, inlined_at: outer })
            });
            places.push(at.or(outer));
        }
        places
    }
}
