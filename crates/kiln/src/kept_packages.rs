//! Sessions with the packages of a program loaded, kept from one process to the next.
//!
//! The packages that a program loads before anything else are loaded once. The session is then frozen, as the build freezes the one
//! with Base, and put into the store with every file, directory and variable that was looked at meanwhile. A later process that
//! finds all of them as they were begins with that session. The process that made it begins with it as well, so that code that
//! is compiled for one is compiled for all.
//!
//! After a change the program loads its packages itself, so that code is compiled again only as far as the change reaches. If a later
//! process finds everything as it was then, it makes a session again.
//!
//! The session that loads them is isolated and only asks: one that would print, write, start a process, read standard input or ask for
//! the time or for chance while it loads is not kept, and the program loads its packages itself.
//!
//! `__init__` runs in each process, as Julia runs it. The functions have run before the session was frozen, too, since packages that
//! are loaded later may need them; so a session is kept only if it is the same after they have run again.

use crate::error::Error;
use crate::host_io::working_directory;
use crate::leading_packages::leading_packages;
use crate::library::Library;
use crate::options::SessionOptions;
use crate::preload;
use crate::seen_inputs::{self, SeenInputs};
use crate::session::{self, Session};
use crate::snapshot;
use kiln_bytes::{Read, Reader, Writer};
use kiln_cache::{Class, Entry, Key, KeyBuilder};
use kiln_compile::SOURCES;
use kiln_packages::DEFAULT_LOAD_PATH;
use kiln_results::TieredStore;
use kiln_runtime::eval::{modules, packages};
use kiln_runtime::heap::{identity, mutator};
use kiln_runtime::image::{self, ImageBytes, ImageError, Snapshot, Trust};
use kiln_runtime::tasks;
use kiln_types::Module;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

/// The states of an entry, as it is written.
const REFUSED: u8 = 0;
const SESSION: u8 = 1;
const NOTED: u8 = 2;
const LIBRARY: u8 = 3;

/// The packages that a program loads first, and the key of a session with them.
#[derive(Debug)]
pub(crate) struct Wanted {
    names: Vec<String>,
    key: Key,
    began: Instant,
    environment: BTreeMap<String, String>,
    /// The questions of the session while it loads them.
    pub(crate) seen: Arc<SeenInputs>,
}

/// The state that a session begins with.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Foundation<'a> {
    /// Base.
    Base,
    /// The kept session with these packages; if there is none, Base. Its questions can be noted.
    Kept(&'a Wanted),
    /// Base, watched while these packages are loaded.
    Watched(&'a Wanted),
    /// A session that was frozen, with these packages.
    Snapshot(&'a Snapshot, &'a Wanted),
}

/// The entry under the key of packages.
#[derive(Debug)]
pub(crate) enum Kept {
    /// The session.
    Session(Snapshot),
    /// The reason why no session with these packages can be kept.
    Refused(String),
    /// All of the packages are the library's: each session has them.
    Library,
    /// The machine is as it was when a change was last seen.
    Noted,
    /// The machine is not as it was. Its answers now, written.
    Changed(Vec<u8>),
}

/// The state of an entry, which follows the answers of the machine.
#[derive(Clone, Copy, Debug)]
enum State<'a> {
    Refused(ImageError),
    Session(&'a [u8]),
    Library,
}

/// The packages that the program of the options loads first; `None` if sessions with them are not kept.
pub(crate) fn wanted(options: &SessionOptions) -> Option<Wanted> {
    let text = options.keeps_packages_of.as_ref().filter(|_| is_plain(options))?;
    let names = leading_packages(text);
    let listed = Library::default().listed();
    let is_of_library = |it: &String| listed.uuids.contains_key(it) && !listed.stand_ins.contains(it);
    if names.iter().all(is_of_library) {
        return None;
    }
    let key = key(options, &names)?;
    let environment = options.environment.clone();
    Some(Wanted { names, key, began: Instant::now(), environment, seen: Arc::default() })
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
        && !options.checks.any()
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
    // The session that is kept knows no program, so it has no directory of one.
    (!entries.iter().any(|it| it.starts_with("@script"))).then(|| key.finish())
}

/// A session for a program whose packages are kept.
pub(crate) fn begin(options: &SessionOptions, wanted: &Wanted) -> Result<Session, Error> {
    let (session, kept) = session::begin(options, Foundation::Kept(wanted))?;
    match kept {
        Some(Kept::Session(_)) => return wanted.go_on(options, session),
        Some(Kept::Library) => {}
        Some(Kept::Refused(why)) => wanted.tell(&session, &why),
        // A package in development is edited and run many times, and a kept session would have none of the typed code before it.
        Some(Kept::Changed(answers)) => wanted.put_written(&session, answers, NOTED, &[]),
        Some(Kept::Noted) | None => {
            // The program runs also if nothing can be kept.
            let made = wanted.make(options, &session).ok().flatten();
            let begun = made.map(|it| session::begin(options, Foundation::Snapshot(&it, wanted)));
            if let Some((begun, _)) = begun.transpose()? {
                return wanted.go_on(options, begun);
            }
        }
    }
    Ok(session)
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
    pub(crate) fn look_up(&self, results: &TieredStore) -> Option<Kept> {
        // What is verified is made from the same session.
        let entry = results.get_part(&self.key).or_else(|| results.to_verify(&self.key))?;
        let bytes = ImageBytes::read(entry.payload);
        read(&bytes, &self.environment).ok().flatten()
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

    /// A session that has begun with the packages, after each `__init__`.
    fn go_on(&self, options: &SessionOptions, session: Session) -> Result<Session, Error> {
        self.seen.want(true);
        let done = initialize(&session);
        self.seen.want(false);
        match done {
            Err(_) if session.exit_code().is_some() => Ok(session),
            // What has been done is not done again.
            Err(error) if self.seen.has_acted() => Err(error),
            // The program meets the error where it loads the package.
            Err(_) => session::begin(options, Foundation::Base).map(|it| it.0),
            Ok(()) => Ok(session),
        }
    }

    /// Loads the packages and keeps the session, if it can be kept.
    fn make(&self, options: &SessionOptions, session: &Session) -> Result<Option<Snapshot>, Error> {
        if !session.driver().results().is_readable() {
            return Ok(None);
        }
        let options = &isolated(options);
        let (maker, _) = session::begin(options, Foundation::Watched(self))?;
        let loaded = self.load(&maker);
        let frozen = match loaded {
            _ if self.seen.has_acted() => Err(ImageError("a package does more than ask while it is loaded")),
            Err(_) => Err(ImageError("a package throws while it is loaded")),
            Ok(()) if !packages::has_foreign(maker.runtime()) => {
                self.put(session, State::Library);
                return Ok(None);
            }
            Ok(()) => self.freeze(&maker),
        };
        match frozen.and_then(|it| self.is_settled(options, &maker, &it).map(|()| it)) {
            Ok(bytes) => {
                self.put(session, State::Session(&bytes));
                Ok(Snapshot::open(ImageBytes::read(bytes), Trust::Program).ok())
            }
            Err(why) => {
                self.tell(session, why.0);
                self.put(session, State::Refused(why));
                Ok(None)
            }
        }
    }

    /// The session as it is.
    fn freeze(&self, session: &Session) -> Result<Vec<u8>, ImageError> {
        let rt = session.runtime();
        if tasks::any_live(rt) {
            return Err(ImageError("a task has started and not ended"));
        }
        let files = session.front.files.lock();
        let in_library = |path: &str| Library::default().size(path).is_some();
        let attached = preload::write_files(&files, &self.names, in_library);
        drop(files);
        mutator::exclusive(&rt.heap, || image::freeze(rt, &attached))
    }

    /// Checks that a frozen session is the same after each `__init__` has run in it.
    fn is_settled(&self, options: &SessionOptions, maker: &Session, bytes: &[u8]) -> Result<(), ImageError> {
        if !modules::has_initialized(maker.runtime()) {
            return Ok(());
        }
        let snapshot = Snapshot::open(ImageBytes::read(bytes.to_vec()), Trust::Program)?;
        let begun = session::begin(options, Foundation::Snapshot(&snapshot, self)).map(|it| it.0);
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
            let message = format!("{names}: loaded by each process, not kept: {why}");
            compiler.warn("packages-not-kept", message);
        }
    }

    /// Keeps a frozen session, or why there is none, if the machine still gives the same answers.
    fn put(&self, session: &Session, state: State<'_>) {
        let mut out = Writer::new();
        self.seen.write(&mut out);
        let answers = out.finish();
        if seen_inputs::changed(&mut Reader::new(&answers), &self.environment) != Ok(None) {
            return;
        }
        let (tag, bytes) = match state {
            State::Refused(why) => (REFUSED, why.0.as_bytes()),
            State::Session(bytes) => (SESSION, bytes),
            State::Library => (LIBRARY, &[][..]),
        };
        self.put_written(session, answers, tag, bytes);
    }

    fn put_written(&self, session: &Session, mut answers: Vec<u8>, tag: u8, bytes: &[u8]) {
        answers.push(tag);
        answers.extend_from_slice(bytes);
        let results = &session.driver().compiler().results;
        results.replace(self.key.clone(), Entry::new(answers, self.began.elapsed()));
    }
}

/// Reads an entry; `None` if nothing can be made of it.
fn read(bytes: &ImageBytes, environment: &BTreeMap<String, String>) -> Read<Option<Kept>> {
    let all = bytes.get();
    let mut input = Reader::new(all);
    if let Some(answers) = seen_inputs::changed(&mut input, environment)? {
        return Ok(Some(Kept::Changed(answers)));
    }
    let tag = input.u8()?;
    let start = all.len() - input.rest().len();
    // The store has checked that the bytes are those that were put, and it is trusted with machine code.
    let image = || Snapshot::open(bytes.slice(start, all.len() - start), Trust::Program).ok();
    Ok(match tag {
        REFUSED => Some(Kept::Refused(String::from_utf8_lossy(input.rest()).into_owned())),
        NOTED => Some(Kept::Noted),
        LIBRARY => Some(Kept::Library),
        SESSION => image().map(Kept::Session),
        _ => None,
    })
}
