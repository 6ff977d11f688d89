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
//! `__init__` runs in each process, as Julia runs it. The functions have run before the session was frozen, too, since packages that
//! are loaded later may need them; so a session is kept only if it is the same after they have run again.

use crate::error::Error;
use crate::host_io::working_directory;
use crate::library::Library;
use crate::options::SessionOptions;
use crate::preload;
use crate::seen_inputs::{self, SeenInputs};
use crate::session::Session;
use crate::snapshot;
use kiln_bytes::{Read, Reader, Writer};
use kiln_cache::{Class, Entry, Key, KeyBuilder};
use kiln_compile::{DIFFERS, SOURCES};
use kiln_ir::{Ast, Expr, ExprId};
use kiln_packages::DEFAULT_LOAD_PATH;
use kiln_results::TieredStore;
use kiln_runtime::eval::{modules, packages};
use kiln_runtime::heap::{identity, mutator};
use kiln_runtime::image::{self, ImageBytes, ImageError, Snapshot, Trust};
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
    /// The session that the store has with these packages, or Base.
    Kept(&'a Wanted),
    /// A session that was frozen.
    Snapshot(&'a Snapshot),
}

/// The entry under the key of packages.
#[derive(Debug)]
pub(crate) enum Kept {
    /// The session.
    Session(Snapshot),
    /// No session with these packages can be kept.
    Refused,
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
    // Where relative paths and searches begin.
    key.text("working directory", &working_directory());
    let program = std::path::absolute(&options.program).ok()?;
    let directory = program.parent().map_or_else(String::new, |it| it.display().to_string());
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
        let Some(loaded) = loaded_by(&types, &ast, statement) else { break };
        for name in loaded {
            if !names.contains(&name) {
                names.push(name);
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
    let (session, kept) = Session::begin(options, Foundation::Kept(wanted))?;
    let changed = match kept {
        Some(Kept::Session(_)) => match initialize(&session) {
            Ok(()) => return Ok(session),
            // The program is to see what an `__init__` throws where it loads the package.
            Err(_) => return Session::begin(options, Foundation::Base).map(|it| it.0),
        },
        Some(Kept::Refused) => return Ok(session),
        None if !session.driver().results().is_readable() => return Ok(session),
        Some(Kept::Changed) => true,
        Some(Kept::Noted) | None => false,
    };
    wanted.note_all(&session, true);
    let loaded = wanted.load(&session);
    let frozen = loaded.map(|()| if changed { None } else { wanted.freeze(&session) });
    wanted.note_all(&session, false);
    match frozen {
        // A package in development is edited and run many times, and a kept session would have none of the typed code before it.
        Ok(None) if changed => {
            wanted.put(&session, State::Noted);
            Ok(session)
        }
        Ok(None) => Ok(session),
        Ok(Some(Err(why))) => {
            wanted.put(&session, State::Refused(why));
            Ok(session)
        }
        Ok(Some(Ok(bytes))) => wanted.settle(options, session, bytes),
        Err(_) => Session::begin(options, Foundation::Base).map(|it| it.0),
    }
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
        // To verify it, the packages are loaded again.
        if results.verifies() {
            return None;
        }
        let bytes = ImageBytes::read(results.get_part(&self.key)?.payload);
        read(&bytes, environment).ok().flatten()
    }

    /// Notes each question to the machine, and each object that is hashed by where it lies.
    fn note_all(&self, session: &Session, wanted: bool) {
        self.seen.want(wanted);
        identity::note_hashed_addresses(&session.runtime().heap, wanted);
    }

    fn load(&self, session: &Session) -> Result<(), Error> {
        let rt = session.runtime();
        self.names.iter().try_for_each(|name| {
            let load = || packages::root_module(rt, Module::MAIN, rt.types.symbol(name));
            session.alone(|| load().map(drop).map_err(|it| session.failure(&it)))
        })
    }

    /// The session as it is; `None` if all of its packages are the library's.
    fn freeze(&self, session: &Session) -> Option<Result<Vec<u8>, ImageError>> {
        let rt = session.runtime();
        packages::has_foreign(rt).then(|| {
            let files = session.front.files.lock();
            let in_library = |path: &str| Library::default().size(path).is_some();
            let attached = preload::write_files(&files, &self.names, in_library);
            drop(files);
            mutator::exclusive(&rt.heap, || image::freeze(rt, &attached))
        })
    }

    /// Keeps a frozen session, or why there is none.
    fn put(&self, session: &Session, state: State<'_>) {
        let compiler = session.driver().compiler();
        if let State::Refused(why) = state
            && compiler.results.verifies()
        {
            let names = self.names.join(", ");
            compiler.warn(
                "packages-not-kept",
                format!("a session with {names} is loaded by each process: {why}"),
            );
        }
        let mut out = Writer::new();
        self.seen.write(&mut out);
        let inputs = out.len();
        let (tag, bytes) = match state {
            State::Refused(why) => (REFUSED, why.0.as_bytes()),
            State::Session(bytes) => (SESSION, bytes),
            State::Noted => (NOTED, &[][..]),
        };
        out.u8(tag);
        out.raw(bytes);
        let bytes = out.finish();
        let same_inputs = |it: &Entry| it.payload.starts_with(&bytes[..inputs]);
        if let Some(stored) = compiler.results.to_verify(&self.key).filter(same_inputs) {
            compiler.counters.count(|it| &it.verified);
            if stored.payload != bytes {
                compiler.counters.count(|it| &it.mismatches);
                let about = self.key.subject();
                compiler.warn(DIFFERS, format!("{about}: loaded again, it differs from what was stored"));
            }
        }
        compiler.results.replace(self.key.clone(), Entry::new(bytes, self.began.elapsed()));
    }

    /// The session that begins with the frozen one, which is kept. If `__init__` changes it further, the answer is the session
    /// that has loaded the packages, and none is kept.
    fn settle(&self, options: &SessionOptions, loaded: Session, bytes: Vec<u8>) -> Result<Session, Error> {
        let snapshot = Snapshot::open(ImageBytes::read(bytes.clone()), Trust::Program);
        let begun = snapshot.map_err(|it| Error::program(it.0)).and_then(|it| {
            let session = Session::begin(options, Foundation::Snapshot(&it))?.0;
            initialize(&session)?;
            Ok(session)
        });
        let same = begun.map(|it| {
            let again = self.freeze(&it).and_then(Result::ok);
            again.is_some_and(|again| again == bytes).then_some(it)
        });
        match same {
            Ok(Some(session)) => {
                self.put(&loaded, State::Session(&bytes));
                loaded.close_store()?;
                Ok(session)
            }
            Ok(None) | Err(_) => {
                let why = ImageError("`__init__` changes more when it runs again");
                self.put(&loaded, State::Refused(why));
                Ok(loaded)
            }
        }
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
        REFUSED => Some(Kept::Refused),
        NOTED => Some(Kept::Noted),
        SESSION => image().map(Kept::Session),
        _ => None,
    })
}
