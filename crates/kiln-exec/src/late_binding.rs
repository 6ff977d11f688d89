//! The lazy binding of late units: the first call of one of their functions generates, links and places their code.

use crate::host_links::{HostLinks, PlacedUnit};
use crate::trusted;
use kiln_compile::{BoundUnit, CompileEnv, CompileError, Compiler, View, with_late_code};
use kiln_link::{CallSlot, FindTarget, Linked, Linker};
use kiln_runtime::Runtime;
use kiln_runtime::bug::catch;
use kiln_runtime::interp::compile_now;
use kiln_unit::Role;
use std::sync::{Arc, OnceLock, Weak};

/// The way from the entries of a late unit to its code.
#[derive(Debug)]
pub(crate) struct LateBinding {
    links: Weak<HostLinks>,
    compiler: Arc<Compiler>,
    linker: Arc<Linker>,
    placed: OnceLock<Weak<PlacedUnit>>,
    /// The entries, by the symbols of the functions.
    entries: OnceLock<Vec<(String, CallSlot)>>,
    linked: OnceLock<Linked>,
}

/// One function of a late unit.
pub(crate) struct LateEntry {
    late: Weak<LateBinding>,
    symbol: String,
}

impl LateBinding {
    /// The way to the code of a unit that is placed now.
    pub(crate) fn new(
        (links, compiler, linker): (&Arc<HostLinks>, &Arc<Compiler>, &Arc<Linker>),
    ) -> Arc<Self> {
        Arc::new(Self {
            links: Arc::downgrade(links),
            compiler: compiler.clone(),
            linker: linker.clone(),
            placed: OnceLock::new(),
            entries: OnceLock::new(),
            linked: OnceLock::new(),
        })
    }

    /// Keeps the entries, and returns their addresses.
    pub(crate) fn keep(&self, entries: Vec<(String, CallSlot)>) -> Vec<(String, u64)> {
        let addresses = entries.iter().map(|(symbol, slot)| (symbol.clone(), slot.stub())).collect();
        let _ = self.entries.set(entries);
        addresses
    }

    /// Notes the placed unit.
    pub(crate) fn leads_to(&self, placed: &Arc<PlacedUnit>) {
        let _ = self.placed.set(Arc::downgrade(placed));
    }

    /// Returns the address of a function, whose code is generated now unless it has been.
    fn target(&self, symbol: &str) -> Result<u64, CompileError> {
        if self.linked.get().is_none() {
            let linked = self.place()?;
            for (symbol, slot) in self.entries.get().into_iter().flatten() {
                let address = linked.address(symbol).ok_or_else(|| lacks(symbol))?;
                trusted::point_slot(slot, address);
            }
            let _ = self.linked.set(linked);
        }
        self.linked.get().and_then(|it| it.address(symbol)).ok_or_else(|| lacks(symbol))
    }

    /// Generates and places the code.
    fn place(&self) -> Result<Linked, CompileError> {
        let (links, placed) = (self.links.upgrade(), self.placed.get().and_then(Weak::upgrade));
        let gone = || CompileError::bug("a late unit without its session");
        let (links, placed) = links.zip(placed).ok_or_else(gone)?;
        let made = |rt: &Runtime| {
            let view = View::host(rt, self.compiler.targets.host());
            let env = CompileEnv::new(rt, &self.compiler, &view);
            let unit = with_late_code(&env, &placed.unit)?;
            let linked = links.place_late(&env, &self.linker, (&placed, &unit));
            linked.map_err(|it| CompileError::bug(&it.to_string()))
        };
        trusted::in_running_runtime(&links, |rt| compile_now(|| made(rt))).ok_or_else(gone)?
    }
}

fn lacks(symbol: &str) -> CompileError {
    CompileError::bug(&format!("a late unit without `{symbol}`"))
}

/// Ends the process: there is no way back into the code that called, as each callee's failures have a form of their own.
fn end(symbol: &str, why: &str) -> ! {
    eprintln!("error: internal error: there is no code for `{symbol}`, which compiled code calls: {why}");
    std::process::abort()
}

impl LateEntry {
    /// The functions of a late unit.
    pub(crate) fn of(late: &Arc<LateBinding>, unit: &BoundUnit) -> impl Iterator<Item = Self> {
        let functions = unit.body.link.definitions.iter().filter(|it| it.role != Role::Entry);
        functions.map(|it| Self { late: Arc::downgrade(late), symbol: it.symbol.clone() })
    }

    /// Its symbol, and the function that the entry asks.
    pub(crate) fn into_parts(self) -> (String, FindTarget) {
        let Self { late, symbol } = self;
        let asked = symbol.clone();
        let find = move || {
            let late =
                late.upgrade().unwrap_or_else(|| unreachable!("code of a session that has ended runs"));
            match catch(|| late.target(&asked)) {
                Ok(Ok(target)) => target,
                Ok(Err(why)) => end(&asked, &why.to_string()),
                Err(bug) => end(&asked, &bug.message),
            }
        };
        (symbol, Box::new(find))
    }
}
