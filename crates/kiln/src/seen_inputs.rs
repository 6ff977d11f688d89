//! The answers of the machine to a session: files, directories and variables, each as a hash. A result that
//! follows from the same answers holds as long as the machine gives them.

use crate::host_files;
use crate::library::{Library, PREFIX};
use kiln_bytes::{Malformed, Read, Reader, Writer};
use kiln_cache::ContentHash;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};

/// The bits of a file's mode that tell its type.
const TYPE_BITS: u32 = 0o170_000;
const REGULAR: u32 = 0o100_000;

/// Variables that shells change from command to command.
const OF_SHELLS: [&str; 3] = ["_", "OLDPWD", "SHLVL"];

/// A question to the machine.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Question {
    /// The bytes of a file.
    Content(String),
    /// The kind of a file, and the size of a regular one; of a link itself unless it is to be followed.
    Status(String, bool),
    /// The names in a directory.
    Names(String),
    /// The absolute path without links.
    RealPath(String),
    /// The path that a link holds.
    Link(String),
    /// Whether a file may be read, written or executed.
    Access(String, u8),
    /// A variable of the environment.
    Variable(String),
    /// All variables of the environment.
    Variables,
    /// The working directory.
    WorkingDirectory,
    /// Whether a file descriptor is a terminal.
    Terminal(u8),
}

/// The hash of an answer.
type Answer = [u8; 32];

/// The questions of a session so far, with their answers, once they are wanted.
#[derive(Debug, Default)]
pub(crate) struct SeenInputs {
    is_wanted: AtomicBool,
    answers: Mutex<BTreeMap<Question, Answer>>,
    /// The session did more than ask: it printed, changed something, or asked for what no later process can be told.
    has_acted: AtomicBool,
}

impl SeenInputs {
    /// Notes questions from now on, or no more.
    pub(crate) fn want(&self, wanted: bool) {
        self.is_wanted.store(wanted, Ordering::Relaxed);
    }

    /// Notes that the session does more than ask.
    pub(crate) fn note_act(&self) {
        self.has_acted.fetch_or(self.is_wanted.load(Ordering::Relaxed), Ordering::Relaxed);
    }

    /// Whether the session did more than ask.
    pub(crate) fn has_acted(&self) -> bool {
        self.has_acted.load(Ordering::Relaxed)
    }

    /// Notes a question and its answer. The first answer counts: the session itself may have changed a later one.
    pub(crate) fn note(&self, question: impl FnOnce() -> Question, environment: &BTreeMap<String, String>) {
        if !self.is_wanted.load(Ordering::Relaxed) {
            return;
        }
        let question = question();
        // The library is part of the program.
        if question.path().is_some_and(|it| it.starts_with(PREFIX)) {
            return;
        }
        // To read a device or a pipe is an act.
        if let Question::Content(path) = &question
            && fs::metadata(path).is_ok_and(|it| !it.is_file() && !it.is_dir())
        {
            self.note_act();
            return;
        }
        let mut answers = self.answers.lock();
        if let Entry::Vacant(place) = answers.entry(question) {
            let answer = place.key().answer(environment);
            place.insert(answer);
        }
    }

    /// Writes the questions and the answers.
    pub(crate) fn write(&self, out: &mut Writer) {
        let answers = self.answers.lock();
        out.index(answers.len());
        for (question, answer) in &*answers {
            question.write(out);
            out.raw(answer);
        }
    }
}

/// Asks the questions again that [`SeenInputs::write`] wrote. Returns the answers now, written, if one differs.
pub(crate) fn changed(
    input: &mut Reader<'_>,
    environment: &BTreeMap<String, String>,
) -> Read<Option<Vec<u8>>> {
    let mut same = true;
    let mut out = Writer::new();
    let count = input.count()?;
    out.index(count);
    for _ in 0..count {
        let question = Question::read(input)?;
        let before: Answer = input.array()?;
        let now = question.answer(environment);
        same &= now == before;
        question.write(&mut out);
        out.raw(&now);
    }
    Ok((!same).then(|| out.finish()))
}

impl Question {
    fn parts(&self) -> (u8, &str) {
        match self {
            Self::Content(path) => (0, path),
            Self::Status(path, follow) => (1 + u8::from(*follow), path),
            Self::Names(path) => (3, path),
            Self::RealPath(path) => (4, path),
            Self::Link(path) => (5, path),
            Self::Variable(name) => (6, name),
            Self::Variables => (7, ""),
            Self::WorkingDirectory => (8, ""),
            Self::Terminal(fd) => (24 + (fd & 3), ""),
            Self::Access(path, bits) => (16 + (bits & 7), path),
        }
    }

    fn path(&self) -> Option<&str> {
        match self {
            Self::Variable(_) | Self::Variables | Self::WorkingDirectory | Self::Terminal(_) => None,
            Self::Content(_)
            | Self::Status(..)
            | Self::Names(_)
            | Self::RealPath(_)
            | Self::Link(_)
            | Self::Access(..) => Some(self.parts().1),
        }
    }

    fn write(&self, out: &mut Writer) {
        let (tag, text) = self.parts();
        out.u8(tag);
        out.str(text);
    }

    fn read(input: &mut Reader<'_>) -> Read<Self> {
        let tag = input.u8()?;
        let text = input.string()?;
        Ok(match tag {
            0 => Self::Content(text),
            1 | 2 => Self::Status(text, tag == 2),
            3 => Self::Names(text),
            4 => Self::RealPath(text),
            5 => Self::Link(text),
            6 => Self::Variable(text),
            7 => Self::Variables,
            8 => Self::WorkingDirectory,
            16..24 => Self::Access(text, tag - 16),
            24..28 => Self::Terminal(tag - 24),
            _ => return Err(Malformed("an unknown question")),
        })
    }

    /// Asks it: the hash of the answer, or of its absence.
    fn answer(&self, environment: &BTreeMap<String, String>) -> Answer {
        let mut said = Writer::new();
        match self {
            Self::Content(path) => write_found(&mut said, fs::read(path).ok(), |out, it| out.raw(&it)),
            Self::Status(path, follow) => {
                let found = host_files::status(&Library::default(), path, *follow).ok();
                write_found(&mut said, found, |out, it| {
                    out.u32(it.mode);
                    out.u64(if it.mode & TYPE_BITS == REGULAR { it.size } else { 0 });
                });
            }
            Self::Names(path) => write_found(&mut said, host_files::list(path).ok(), |out, it| {
                out.list(&it, |out, name| out.str(name));
            }),
            Self::RealPath(path) => write_found(&mut said, fs::canonicalize(path).ok(), |out, it| {
                out.raw(it.as_os_str().as_encoded_bytes());
            }),
            Self::Link(path) => write_found(&mut said, fs::read_link(path).ok(), |out, it| {
                out.raw(it.as_os_str().as_encoded_bytes());
            }),
            Self::Terminal(fd) => said.bool(host_files::is_terminal(i64::from(*fd))),
            Self::Access(path, bits) => said.bool(host_files::may_access(path, u32::from(*bits))),
            Self::Variable(name) => write_found(&mut said, environment.get(name), |out, it| out.str(it)),
            Self::Variables => {
                for (name, value) in environment.iter().filter(|it| !OF_SHELLS.contains(&it.0.as_str())) {
                    said.str(name);
                    said.str(value);
                }
            }
            Self::WorkingDirectory => write_found(&mut said, std::env::current_dir().ok(), |out, it| {
                out.raw(it.as_os_str().as_encoded_bytes());
            }),
        }
        ContentHash::of(&said.finish()).0
    }
}

fn write_found<T>(out: &mut Writer, found: Option<T>, write: impl FnOnce(&mut Writer, T)) {
    out.bool(found.is_some());
    if let Some(found) = found {
        write(out, found);
    }
}
