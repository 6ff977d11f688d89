//! Sessions with the packages of a program loaded, kept from one process to the next.
//!
//! The packages that a program loads before anything else are loaded once. The session is then frozen, as the build freezes the one
//! with Base, and put into the store with every file, directory and variable that was looked at meanwhile. A later process that
//! finds all of them as they were begins with that session. The process that made it begins with it as well, so that code that
//! is compiled for one is compiled for all.
//!
//! After a change the packages are loaded as without this, so that code is compiled again only as far as the change reaches. If nothing
//! has changed when they are loaded once more, that session is kept.
//!
//! The session that loads them is isolated and only asks: one that would print, write, start a process, read standard input or ask for
//! the time or for chance while it loads is not kept, and the program loads its packages itself.
//!
//! `__init__` runs in each process, as Julia runs it. The functions have run before the session was frozen, too, since packages that
//! are loaded later may need them; so a session is kept only if it is the same after they have run again.

use crate::error::Error;
use crate::host_io::working_directory;
use crate::library::Library;
use crate::options::SessionOptions;
use crate::preload;
use crate::seen_inputs::{self, SeenInputs};
use crate::session::{self, Session};
use crate::snapshot;
use kiln_bytes::{Read, Reader, Writer};
use kiln_cache::{Class, Entry, Key, KeyBuilder};
use kiln_compile::SOURCES;
use kiln_ir::{Ast, Expr, ExprId};
use kiln_packages::DEFAULT_LOAD_PATH;
use kiln_results::TieredStore;
use kiln_runtime::eval::{modules, packages};
use kiln_runtime::heap::{identity, mutator};
use kiln_runtime::image::{self, ImageBytes, ImageError, Snapshot, Trust};
use kiln_runtime::tasks;
use kiln_syntax::FileId;
use kiln_types::{Module, Types};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

/// The states of an entry, as it is written.
const REFUSED: u8 = 0;
const SESSION: u8 = 1;
const NOTED: u8 = 2;

/// The packages that a program loads first, and the key of a session with them.
#[derive(Debug)]
pub(crate) struct Wanted {
    names: Vec<String>,
    key: Key,
    began: Instant,
    /// The questions of the session while it loads them.
    pub(crate) seen: Arc<SeenInputs>,
}

/// The state that a session begins with.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Foundation<'a> {
    /// Base.
    Base,
    /// The kept session with these packages, else Base, watched.
    Kept(&'a Wanted),
    /// Base, watched while these packages are loaded.
    Watched(&'a Wanted),
    /// A session that was frozen.
    Snapshot(&'a Snapshot),
}

/// The entry under the key of packages.
#[derive(Debug)]
pub(crate) enum Kept {
    /// The session.
    Session(Snapshot),
    /// The reason why no session with these packages can be kept.
    Refused(String),
    /// The packages have been loaded as they are now, after a change.
    Noted,
    /// The machine is not as it was.
    Changed,
}

/// The state of an entry: what follows the answers of the machine.
#[derive(Clone, Copy, Debug)]
enum State<'a> {
    Refused(ImageError),
    Session(&'a [u8]),
    Noted,
}

/// The packages that the program of the options loads first; `None` if sessions with them are not kept.
pub(crate) fn wanted(options: &SessionOptions) -> Option<Wanted> {
    let text = options.keeps_packages_of.as_ref().filter(|_| is_plain(options))?;
    let names = leading_packages(text);
    let ids = Library::default().ids();
    let is_of_library = |it: &String| ids.uuids.contains_key(it) && !ids.stand_ins.contains(it);
    if names.iter().all(is_of_library) {
        return None;
    }
    let key = key(options, &names)?;
    Some(Wanted { names, key, began: Instant::now(), seen: Arc::default() })
}

/// Whether nothing in the options makes the loaded packages differ, beside the parts of the key.
fn is_plain(options: &SessionOptions) -> bool {
    let knobs = &options.knobs;
    options.store.is_some()
        && options.image.is_none()
        && options.library.is_none()
        && options.building.is_none()
        && options.imitated.is_none()
        && !options.isolated
        && knobs.mutant.is_none()
        && !knobs.base_from_text
}

fn key(options: &SessionOptions, names: &[String]) -> Option<Key> {
    let mut key = KeyBuilder::new(Class::Semantic, format!("session with {}", names.join(", ")));
    key.text("kiln", env!("CARGO_PKG_VERSION"))
        .text("sources", SOURCES)
        .bytes("library", &snapshot::of_program().ok()?.id());
    key.text("packages", &names.join(" "));
    key.text("check bounds", &format!("{:?}", options.check_bounds));
    let path = options.load_path.as_ref();
    let entries = path.map_or_else(|| DEFAULT_LOAD_PATH.map(str::to_owned).to_vec(), |it| it.entries.clone());
    let depots = path.map_or(&[][..], |it| &it.depots);
    let project = path.and_then(|it| it.project.as_deref()).unwrap_or_default();
    let tested = path.and_then(|it| it.tested.as_deref()).unwrap_or_default();
    key.text("load path", &entries.join("\n")).text("depots", &depots.join("\n"));
    key.text("project", project).text("tested", tested);
    let given: Vec<String> =
        options.package_files.iter().map(|(name, file)| format!("{name}={}", file.display())).collect();
    key.text("given", &given.join("\n"));
    key.text("folder", &options.packages.as_ref().map_or_else(String::new, |it| it.display().to_string()));
    key.text("home", options.environment.get("HOME").map_or("", String::as_str));
    // Of the machine and the session, as far as packages can ask for it.
    let facts = options.target.clone().or_else(|| kiln_targets::lookup("native"))?;
    key.flag("fused multiply-add", facts.have_fma).text("device", &format!("{:?}", options.device));
    key.number("threads", options.threads as u64).flag("color", options.color);
    // Where relative paths and searches begin.
    key.text("working directory", &working_directory());
    let program = std::path::absolute(&options.program).ok();
    let directory =
        program.as_ref().and_then(|it| it.parent()).map_or_else(String::new, |it| it.display().to_string());
    key.text("script directory", if entries.iter().any(|it| it == "@script") { &directory } else { "" });
    Some(key.finish())
}

/// The packages that the statements at the start of a program load, in order: as many statements as only load packages.
fn leading_packages(text: &str) -> Vec<String> {
    let parse = kiln_syntax::parse(text, FileId::NONE);
    let (types, mut ast) = (Types::new(), Ast::new());
    let statements = kiln_lower::expr::to_ast(&parse, &types, &mut ast);
    let mut names: Vec<String> = Vec::new();
    for statement in statements {
        if matches!(ast.expr(statement), Expr::Line { .. }) {
            continue;
        }
        // Statements in one line.
        let in_line = ast.as_node(statement).filter(|it| types.name(it.0) == "toplevel");
        for &statement in in_line.map_or(&[statement][..], |it| it.1) {
            let Some(loaded) = loaded_by(&types, &ast, statement) else { return names };
            for name in loaded {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
    }
    names
}

/// The packages that one statement loads; `None` if it does anything else.
fn loaded_by(types: &Types, ast: &Ast, statement: ExprId) -> Option<Vec<String>> {
    let (head, paths) = ast.as_node(statement)?;
    if !matches!(types.name(head), "using" | "import") {
        return None;
    }
    let mut names = Vec::new();
    for &path in paths {
        let mut path = path;
        // `using A: f` and `import A as B` have the path first.
        while let Some((":" | "as", [first, ..])) =
            ast.as_node(path).map(|(head, args)| (types.name(head), args))
        {
            path = *first;
        }
        let (".", [first, ..]) = ast.as_node(path).map(|(head, args)| (types.name(head), args))? else {
            return None;
        };
        let Expr::Symbol(name) = ast.expr(*first) else { return None };
        match types.name(*name) {
            "." => return None,
            "Base" | "Core" | "Main" => {}
            name => names.push(name.to_owned()),
        }
    }
    Some(names)
}

/// A session for a program whose packages are kept.
pub(crate) fn begin(options: &SessionOptions, wanted: &Wanted) -> Result<Session, Error> {
    let (session, kept) = session::begin(options, Foundation::Kept(wanted))?;
    match kept {
        Some(Kept::Session(_)) => match initialize(&session) {
            Ok(()) => Ok(session),
            // The program is to see what an `__init__` throws where it loads the package.
            Err(_) => session::begin(options, Foundation::Base).map(|it| it.0),
        },
        Some(Kept::Refused(why)) => {
            wanted.tell(&session, &why);
            Ok(session)
        }
        Some(Kept::Changed) => wanted.load_changed(options, session),
        Some(Kept::Noted) | None if session.driver().results().is_readable() => {
            let Some(snapshot) = wanted.make(options, &session)? else { return Ok(session) };
            let (begun, _) = session::begin(options, Foundation::Snapshot(&snapshot))?;
            Ok(if initialize(&begun).is_ok() { begun } else { session })
        }
        Some(Kept::Noted) | None => Ok(session),
    }
}

/// The options of a session that makes nothing that lasts and knows nothing of the program.
fn isolated(options: &SessionOptions) -> SessionOptions {
    let none: [&str; 0] = [];
    options.clone().args(none).program("").isolated(true)
}

/// Runs each `__init__` of the packages that a session began with.
fn initialize(session: &Session) -> Result<(), Error> {
    let rt = session.runtime();
    session.alone(|| modules::initialize_again(rt).map_err(|it| session.failure(&it)))
}

impl Wanted {
    /// The entry of the store, if the machine is as it was.
    pub(crate) fn look_up(
        &self,
        results: &TieredStore,
        environment: &BTreeMap<String, String>,
    ) -> Option<Kept> {
        // What is verified is made from the same session.
        let entry = results.get_part(&self.key).or_else(|| results.to_verify(&self.key))?;
        let bytes = ImageBytes::read(entry.payload);
        read(&bytes, environment).ok().flatten()
    }

    /// Notes each question to the machine, and each object that is hashed by where it lies.
    fn note_all(&self, session: &Session, wanted: bool) {
        self.seen.want(wanted);
        identity::note_hashed_addresses(&session.runtime().heap, wanted);
    }

    fn load(&self, session: &Session) -> Result<(), Error> {
        let rt = session.runtime();
        self.note_all(session, true);
        let loaded = self.names.iter().try_for_each(|name| {
            let load = || packages::root_module(rt, Module::MAIN, rt.types.symbol(name));
            session.alone(|| load().map(drop).map_err(|it| session.failure(&it)))
        });
        self.note_all(session, false);
        loaded
    }

    /// Loads the packages for the program after a change, and notes as what they were loaded. A package in development is edited and
    /// run many times, and a kept session would have none of the typed code before it.
    fn load_changed(&self, options: &SessionOptions, session: Session) -> Result<Session, Error> {
        if self.load(&session).is_err() {
            return session::begin(options, Foundation::Base).map(|it| it.0);
        }
        self.put(&session, State::Noted);
        Ok(session)
    }

    /// Loads the packages and keeps the session, if it can be kept.
    fn make(&self, options: &SessionOptions, session: &Session) -> Result<Option<Snapshot>, Error> {
        let options = &isolated(options);
        let (maker, _) = session::begin(options, Foundation::Watched(self))?;
        let loaded = self.load(&maker);
        if loaded.is_ok() && !packages::has_foreign(maker.runtime()) {
            return Ok(None);
        }
        let frozen = match loaded {
            Err(_) => Err(ImageError("a package throws while it is loaded")),
            Ok(()) if self.seen.has_acted() => {
                Err(ImageError("a package does more than look at files while it is loaded"))
            }
            Ok(()) => self.freeze(&maker),
        };
        let settled = frozen.and_then(|it| self.is_settled(options, &maker, &it).map(|()| it));
        let bytes = match settled {
            Ok(bytes) => bytes,
            Err(why) => {
                self.tell(session, why.0);
                self.put(&maker, State::Refused(why));
                maker.close_store()?;
                return Ok(None);
            }
        };
        self.put(&maker, State::Session(&bytes));
        maker.close_store()?;
        Ok(Snapshot::open(ImageBytes::read(bytes), Trust::Program).ok())
    }

    /// The session as it is.
    fn freeze(&self, session: &Session) -> Result<Vec<u8>, ImageError> {
        let rt = session.runtime();
        if tasks::has_unfinished(rt) {
            return Err(ImageError("a task has started and not ended"));
        }
        let files = session.front.files.lock();
        let in_library = |path: &str| Library::default().size(path).is_some();
        let attached = preload::write_files(&files, &self.names, in_library);
        drop(files);
        mutator::exclusive(&rt.heap, || image::freeze(rt, &attached))
    }

    /// Whether a frozen session is the same after each `__init__` has run in it.
    fn is_settled(&self, options: &SessionOptions, maker: &Session, bytes: &[u8]) -> Result<(), ImageError> {
        if !modules::has_initialized(maker.runtime()) {
            return Ok(());
        }
        let snapshot = Snapshot::open(ImageBytes::read(bytes.to_vec()), Trust::Program)?;
        let begun = session::begin(options, Foundation::Snapshot(&snapshot)).map(|it| it.0);
        let again = begun.and_then(|it| initialize(&it).map(|()| it));
        let again = again.map_err(|_| ImageError("an `__init__` throws when it runs again"))?;
        if self.freeze(&again)? == bytes {
            Ok(())
        } else {
            Err(ImageError("an `__init__` changes more when it runs again"))
        }
    }

    /// Says why no session with the packages is kept, where results are verified.
    fn tell(&self, session: &Session, why: &str) {
        let compiler = session.driver().compiler();
        if compiler.results.verifies() {
            let names = self.names.join(", ");
            let message = format!("a session with {names} is loaded by each process: {why}");
            compiler.warn("packages-not-kept", message);
        }
    }

    /// Keeps a frozen session, or why there is none.
    fn put(&self, session: &Session, state: State<'_>) {
        let compiler = session.driver().compiler();
        let mut out = Writer::new();
        self.seen.write(&mut out);
        let (tag, bytes) = match state {
            State::Refused(why) => (REFUSED, why.0.as_bytes()),
            State::Session(bytes) => (SESSION, bytes),
            State::Noted => (NOTED, &[][..]),
        };
        out.u8(tag);
        out.raw(bytes);
        let bytes = out.finish();
        compiler.results.replace(self.key.clone(), Entry::new(bytes, self.began.elapsed()));
    }
}

/// Reads an entry; `None` if nothing can be made of it.
fn read(bytes: &ImageBytes, environment: &BTreeMap<String, String>) -> Read<Option<Kept>> {
    let all = bytes.get();
    let mut input = Reader::new(all);
    if !seen_inputs::hold(&mut input, environment)? {
        return Ok(Some(Kept::Changed));
    }
    let tag = input.u8()?;
    let start = all.len() - input.rest().len();
    // The store has checked that the bytes are those that were put, and it is trusted with machine code.
    let image = || Snapshot::open(bytes.slice(start, all.len() - start), Trust::Program).ok();
    Ok(match tag {
        REFUSED => Some(Kept::Refused(String::from_utf8_lossy(input.rest()).into_owned())),
        NOTED => Some(Kept::Noted),
        SESSION => image().map(Kept::Session),
        _ => None,
    })
}
