//! The compiler: its queries of kiln's tables, and the results it stores there.
//!
//! *Checking* a function makes its code instance, with all that it depends on. What is *made* of checked code, a listing or
//! C, is made when it is asked for and kept on the code instance, as is what a machine *links*. Nothing here removes
//! anything: a definition ends the code instances that depend on it, with all they keep.

use crate::check::{Checked, check};
use crate::formula::{Expr, Formula, Kind, Number, read};
use crate::machine::{Program, c_type};
use kiln_caching::{
    CacheView, CodeInstance, CodeTables, Handles, Instance, Key, Module, ResultStore, Results, Stored,
    StoredFields, TableId, Type, Types, Value, datatype,
};
use std::cell::Cell;
use std::sync::Arc;
use std::time::Duration;

/// Calls are followed as deep as this: recursion has to end while compiling, as in languages for shading.
const DEPTH_MAX: usize = 100;

/// A machine that runs programs.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Machine(pub(crate) &'static str);

/// One type of results: for machines. Listings may leave the process; what machines made of them may not.
#[derive(Default)]
struct Listing {
    text: Stored<String>,
    linked: Handles<Machine, Program>,
}

/// Another one, of another consumer, on the same code instances.
#[derive(Default)]
struct CSource {
    text: Stored<String>,
}

impl Results for Listing {
    const NAME: &'static str = "listing";
    fn stored_fields<'a>(&'a self, to: &mut StoredFields<'a>) {
        let Self { text, linked: _ } = self;
        to.add("text", text);
    }
}

impl Results for CSource {
    const NAME: &'static str = "c";
    fn stored_fields<'a>(&'a self, to: &mut StoredFields<'a>) {
        let Self { text } = self;
        to.add("text", text);
    }
}

/// How often something was done that is otherwise found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) checked: u32,
    pub(crate) made: u32,
    pub(crate) linked: u32,
}

/// A code instance, with its facts.
type Found = (Arc<CodeInstance>, Arc<Checked>);

/// A session.
pub(crate) struct Compiler {
    tables: CodeTables,
    gpu: TableId,
    counts: Cell<Counts>,
    /// How many functions are being checked.
    depth: Cell<usize>,
    /// The results of earlier sessions, if they are kept.
    store: Option<ResultStore>,
}

impl Compiler {
    pub(crate) fn new(store: Option<ResultStore>) -> Self {
        let tables = CodeTables::new(Arc::new(Types::new()));
        let gpu = tables.methods.add_table(tables.types().symbol("gpu"), Module::MAIN);
        Self { tables, gpu, counts: Cell::default(), depth: Cell::default(), store }
    }

    pub(crate) fn tables(&self) -> &CodeTables {
        &self.tables
    }

    /// Returns the counts since the last call.
    pub(crate) fn counts(&self) -> Counts {
        self.counts.take()
    }

    fn count(&self, change: impl FnOnce(&mut Counts)) {
        let mut counts = self.counts.get();
        change(&mut counts);
        self.counts.set(counts);
    }

    /// Returns the current view of the host, or of the device, which has methods of its own. The owner names this compiler: one that made
    /// other code of the same formulas would have to say something else.
    pub(crate) fn view(&self, on_gpu: bool) -> CacheView<'_> {
        let overlays = if on_gpu { std::slice::from_ref(&self.gpu) } else { &[] };
        CacheView::new(&self.tables, &("formula", 1), overlays)
    }

    pub(crate) fn ty(&self, kind: Kind) -> Type {
        let core = self.tables.types().core();
        if kind == Kind::Int { core.int64 } else { core.float64 }
    }

    fn function(&self, name: &str) -> Result<Type, String> {
        let main = Module::MAIN;
        self.tables.function(main, name).map_err(|_| format!("`{name}` is no function"))
    }

    /// Takes definitions, each in a new world.
    pub(crate) fn define(&self, text: &str) -> Result<(), String> {
        read(text)?.iter().try_for_each(|it| self.define_one(it))
    }

    fn define_one(&self, definition: &Expr) -> Result<(), String> {
        let wrong = || format!("{definition} is no definition");
        let Expr::List(parts) = definition else { return Err(wrong()) };
        let types = self.tables.types();
        match &parts[..] {
            [Expr::Name(word), Expr::Name(name), Expr::Number(Number::Int(value))] if word == "let" => {
                let (name, value) = (types.symbol(name), Value::int(types.core(), *value));
                self.tables.define_const(Module::MAIN, name, value).map_err(|_| wrong())
            }
            [Expr::Name(word), Expr::List(head), body] if word == "fn" || word == "on-gpu" => {
                let [Expr::Name(name), params @ ..] = &head[..] else { return Err(wrong()) };
                let formula = Formula::new(params, body.clone())?;
                let mut sig = vec![self.function(name)?];
                sig.extend(formula.params.iter().map(|it| it.1.map_or(types.core().any, |it| self.ty(it))));
                let table = if word == "fn" { TableId::GLOBAL } else { self.gpu };
                self.tables.add_foreign_method(table, datatype::tuple(types, &sig), formula);
                Ok(())
            }
            _ => Err(wrong()),
        }
    }

    /// The instance that a call with arguments of these kinds goes to.
    pub(crate) fn instance(
        &self,
        view: &CacheView<'_>,
        name: &str,
        args: &[Kind],
    ) -> Result<Instance, String> {
        let mut call = vec![self.function(name)?];
        call.extend(args.iter().map(|it| self.ty(*it)));
        let why = |ambiguous| if ambiguous { "several methods" } else { "no method" };
        view.method_instance(&call).map_err(|it| format!("{} of `{name}` for {args:?}", why(it.ambiguous)))
    }

    /// The checked code of an instance: that of the last time, if nothing it depends on has changed.
    pub(crate) fn checked(&self, view: &CacheView<'_>, instance: Instance) -> Result<Found, String> {
        let mut is_new = false;
        let ci = view.get_or_try_insert_with(instance, || {
            is_new = true;
            self.count(|it| it.checked += 1);
            let depth = self.depth.get();
            if depth == DEPTH_MAX {
                return Err("calls that do not end".to_owned());
            }
            self.depth.set(depth + 1);
            let new = check(self, view, instance);
            self.depth.set(depth);
            new
        })?;
        let checked = ci.result::<Checked>().ok_or("another compiler has the same owner")?;
        if is_new && let Some(store) = &self.store {
            store.restore(&key(store, &checked), &ci, view.world());
        }
        Ok((ci, checked))
    }

    /// The checked code of a call and of all that it calls, its own first.
    fn reachable(&self, view: &CacheView<'_>, name: &str, args: &[Kind]) -> Result<Vec<Found>, String> {
        let (mut all, mut next) = (Vec::new(), vec![self.instance(view, name, args)?]);
        let mut at = 0;
        while let Some(instance) = next.get(at) {
            let (ci, checked) = self.checked(view, *instance)?;
            let new: Vec<Instance> =
                checked.callees.iter().filter(|it| !next.contains(it)).copied().collect();
            next.extend(new);
            all.push((ci, checked));
            at += 1;
        }
        Ok(all)
    }

    /// Runs a call on a machine.
    pub(crate) fn run(
        &self,
        view: &CacheView<'_>,
        machine: &Machine,
        name: &str,
        args: &[Number],
    ) -> Result<Number, String> {
        let kinds: Vec<Kind> = args.iter().map(|it| it.kind()).collect();
        let entry = self.instance(view, name, &kinds)?;
        self.checked(view, entry)?;
        let program = results::<Listing>(view, entry)?.linked.get_or_link(machine, name, |_, name| {
            let mut listings = Vec::new();
            for (ci, it) in self.reachable(view, name, &kinds)? {
                let listing = results::<Listing>(view, ci.instance)?;
                let text = listing.text.get_or_make(|| self.made(it.code.listing()));
                listings.push((it.symbol.clone(), text.clone()));
            }
            self.count(|it| it.linked += 1);
            Program::link(&listings).ok_or_else(|| format!("the listings of `{name}` do not fit together"))
        })?;
        Ok(program.run(args))
    }

    /// A function and all it calls, in C.
    pub(crate) fn c(&self, view: &CacheView<'_>, name: &str, args: &[Kind]) -> Result<String, String> {
        let mut all = String::new();
        for (ci, it) in self.reachable(view, name, args)?.iter().rev() {
            let params = it.params.iter().enumerate();
            let params: Vec<String> = params.map(|(at, it)| format!("{} x{at}", c_type(*it))).collect();
            let head = format!("{} {}({})", c_type(it.kind), it.symbol, params.join(", "));
            let make = || self.made(format!("{head} {{ return {}; }}\n", it.code.c()));
            all += results::<CSource>(view, ci.instance)?.text.get_or_make(make);
        }
        Ok(all)
    }

    fn made(&self, text: String) -> String {
        self.count(|it| it.made += 1);
        text
    }

    /// Keeps the results of a call and of all that it calls for sessions to come.
    pub(crate) fn save(&self, view: &CacheView<'_>, name: &str, args: &[Kind]) -> Result<(), String> {
        let Some(store) = &self.store else { return Ok(()) };
        for (ci, it) in self.reachable(view, name, args)? {
            store.save(&key(store, &it), &ci, view.world(), Duration::from_millis(1));
        }
        store.store().flush(Duration::from_secs(10));
        Ok(())
    }
}

/// The key of a function's results: the program may have changed, so it lists what they are made of.
fn key(store: &ResultStore, checked: &Checked) -> Key {
    store.key(&checked.symbol, &format!("{:?}", checked.code))
}

fn results<R: Results>(view: &CacheView<'_>, instance: Instance) -> Result<Arc<R>, String> {
    view.results(instance).ok_or_else(|| "a definition was made while compiling".into())
}
