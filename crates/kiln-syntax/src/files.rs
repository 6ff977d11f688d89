//! Source files and places in them.

use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// Names one file of a [`Files`]. Counts from 1, so that 0 can mean "no file".
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub u16);

impl FileId {
    /// No file: text that came from nowhere, such as the argument of `Meta.parse`.
    pub const NONE: FileId = FileId(0);
}

/// A range of bytes of one file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// The first byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// Bytes `start..end` of `file`.
    pub fn new(file: FileId, start: u32, end: u32) -> Self {
        Self { file, start, end: end.max(start) }
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}..{}", self.file.0, self.start, self.end)
    }
}

/// The offsets at which the lines of a text start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineStarts(Vec<u32>);

impl LineStarts {
    /// Finds the line starts of `text`.
    pub fn new(text: &str) -> Self {
        let breaks = text.bytes().zip(1u32..).filter(|&(byte, _)| byte == b'\n').map(|(_, next)| next);
        Self(std::iter::once(0).chain(breaks).collect())
    }
    /// Finds the starts of lines of these lengths, ends of lines included, and of the last one after them.
    pub fn of_lengths(lengths: impl IntoIterator<Item = u32>) -> Self {
        let mut starts = vec![0];
        let mut end = 0;
        starts.extend(lengths.into_iter().map(|it| {
            end += it;
            end
        }));
        Self(starts)
    }
    /// The line, from 1, that contains byte `offset`.
    pub fn line(&self, offset: u32) -> u32 {
        self.0.partition_point(|&start| start <= offset) as u32
    }
    /// The line and the byte column, both from 1.
    pub fn line_column(&self, offset: u32) -> (u32, u32) {
        let line = self.line(offset);
        let start = self.0.get(line.saturating_sub(1) as usize).copied().unwrap_or(0);
        (line, offset - start + 1)
    }
}

/// Where the contents of files are until they are needed.
pub trait Unread: fmt::Debug + Send + Sync {
    /// Returns the text of the file of this name.
    fn text(&self, name: &str) -> Cow<'static, str>;
    /// Returns where its lines start, perhaps without the text.
    fn lines(&self, name: &str) -> LineStarts;
}

/// One source file.
#[derive(Clone, Debug)]
pub struct File {
    /// The name of the file in messages.
    pub name: Arc<str>,
    text: OnceLock<Cow<'static, str>>,
    lines: OnceLock<LineStarts>,
    /// Where text and lines come from, unless they are there.
    unread: Option<Arc<dyn Unread>>,
    /// Whether its text is unknown: as many empty lines as were asked for.
    is_synthetic: bool,
}

/// Lines that a file of unknown text may have.
const LINES_MAX: usize = 1 << 20;

impl File {
    /// Returns its contents.
    pub fn text(&self) -> &str {
        self.text.get_or_init(|| self.unread.as_ref().map_or(Cow::Borrowed(""), |it| it.text(&self.name)))
    }
    /// Where its lines start: computed on demand.
    pub fn lines(&self) -> &LineStarts {
        self.lines.get_or_init(|| match &self.unread {
            Some(unread) => unread.lines(&self.name),
            None => LineStarts::new(self.text()),
        })
    }
    /// Adds empty lines.
    fn extend(&mut self, missing: usize) {
        let text = format!("{}{}", self.text(), "\n".repeat(missing));
        (self.text, self.lines) = (OnceLock::from(Cow::Owned(text)), OnceLock::new());
        (self.unread, self.is_synthetic) = (None, true);
    }
}

/// All source files of a session, by number.
#[derive(Clone, Debug, Default)]
pub struct Files {
    files: Vec<File>,
}

impl Files {
    /// No files.
    pub fn new() -> Self {
        Self::default()
    }
    /// No files, and room for some.
    pub fn with_capacity(count: usize) -> Self {
        Self { files: Vec::with_capacity(count.min(usize::from(u16::MAX))) }
    }
    /// Adds a file. `None` when all 65,535 numbers are taken.
    pub fn add(&mut self, name: &str, text: impl Into<Cow<'static, str>>) -> Option<FileId> {
        self.push(name, OnceLock::from(text.into()), None)
    }
    /// Adds a file whose contents are read when they are needed. `None` as of [`Self::add`].
    pub fn add_unread(&mut self, name: &str, unread: Arc<dyn Unread>) -> Option<FileId> {
        self.push(name, OnceLock::new(), Some(unread))
    }
    fn push(
        &mut self,
        name: &str,
        text: OnceLock<Cow<'static, str>>,
        unread: Option<Arc<dyn Unread>>,
    ) -> Option<FileId> {
        let id = u16::try_from(self.files.len() + 1).ok()?;
        self.files.push(File {
            name: name.into(),
            text,
            lines: OnceLock::new(),
            unread,
            is_synthetic: false,
        });
        Some(FileId(id))
    }
    /// The file, if `id` is of this collection.
    pub fn get(&self, id: FileId) -> Option<&File> {
        self.files.get(usize::from(id.0).checked_sub(1)?)
    }
    /// A whole line, from 1, of the file of this name that was added last. A file that was never added, and one that has
    /// fewer lines, is made up of empty lines. `None` when there are too many lines or files.
    pub fn line(&mut self, name: &str, line: u32) -> Option<Span> {
        let wanted = usize::try_from(line.checked_sub(1)?).ok().filter(|it| *it < LINES_MAX)?;
        let has_line = |it: &File| it.is_synthetic || it.lines().0.len() > wanted;
        let at = self.files.iter().rposition(|it| &*it.name == name && has_line(it));
        let id = match at {
            Some(at) => FileId(u16::try_from(at + 1).ok()?),
            None => self.add(name, String::new())?,
        };
        let file = self.files.get_mut(usize::from(id.0) - 1)?;
        if file.lines().0.len() <= wanted {
            let missing = wanted + 1 - file.lines().0.len();
            file.extend(missing);
        }
        let start = *file.lines().0.get(wanted)? as usize;
        let text = file.text().get(start..)?.lines().next().unwrap_or_default();
        let indent = text.len() - text.trim_start().len();
        let start = start + indent;
        Some(Span::new(id, u32::try_from(start).ok()?, u32::try_from(start + text.trim().len()).ok()?))
    }
    /// All files, in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = &File> {
        self.files.iter()
    }
    /// Parses the file; the tree carries its name.
    pub fn parse(&self, id: FileId) -> Option<crate::Parse> {
        let file = self.get(id)?;
        Some(crate::parse(file.text(), id).named(&file.name))
    }
}
