//! Messages of the front end to the user, and how they are shown.

use crate::{FileId, Files, Span};
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

/// The severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The program cannot run.
    Error,
    /// The program can run, but perhaps not as meant.
    Warning,
}

/// A span and a remark about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// The text of the label; may be empty.
    pub text: String,
}

/// One problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// A stable name such as `syntax/unclosed`.
    pub code: &'static str,
    /// The severity.
    pub severity: Severity,
    /// One line, no final stop.
    pub message: String,
    /// The span of the problem, with a remark.
    pub primary: Label,
    /// Other places that explain it.
    pub secondary: Vec<Label>,
    /// The advice that follows the message.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error at `span` with nothing else to say.
    pub fn error(code: &'static str, message: impl Into<String>, span: Span) -> Self {
        Self {
            code,
            severity: Severity::Error,
            message: message.into(),
            primary: Label { span, text: String::new() },
            secondary: Vec::new(),
            help: None,
        }
    }
    /// A warning without a place.
    pub fn warning(code: &'static str, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, message, Span::new(FileId::NONE, 0, 0)) }
    }
    /// Adds the remark at the primary span.
    pub fn with_label(mut self, text: impl Into<String>) -> Self {
        self.primary.text = text.into();
        self
    }
    /// Adds another place.
    pub fn with_secondary(mut self, span: Span, text: impl Into<String>) -> Self {
        self.secondary.push(Label { span, text: text.into() });
        self
    }
    /// Adds advice.
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
    /// The text shown to the user.
    pub fn render(&self, files: &Files, color: bool) -> String {
        let level = match self.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        let mut group = level.primary_title(&self.message).id(self.code).elements(
            self.files().filter_map(|id| files.get(id).map(|file| self.snippet(id, &file.name, file.text()))),
        );
        if let Some(help) = &self.help {
            group = group.element(Level::HELP.message(help));
        }
        let renderer = if color { Renderer::styled() } else { Renderer::plain() };
        renderer.render(&[group])
    }

    /// The files that have a label, the primary's first.
    fn files(&self) -> impl Iterator<Item = FileId> {
        let mut ids = vec![self.primary.span.file];
        for label in &self.secondary {
            if !ids.contains(&label.span.file) {
                ids.push(label.span.file);
            }
        }
        ids.into_iter()
    }

    fn snippet<'a>(
        &'a self,
        file: FileId,
        name: &'a str,
        text: &'a str,
    ) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
        let labels = std::iter::once((AnnotationKind::Primary, &self.primary))
            .chain(self.secondary.iter().map(|label| (AnnotationKind::Context, label)))
            .filter(|(_, label)| label.span.file == file);
        let mut snippet = Snippet::source(text).path(name);
        for (kind, label) in labels {
            let range = clamp(text, label.span);
            let annotation = kind.span(range);
            snippet = snippet.annotation(match label.text.as_str() {
                "" => annotation,
                said => annotation.label(said),
            });
        }
        snippet
    }
}

/// The span as a range that is inside `text` and on character boundaries.
fn clamp(text: &str, span: Span) -> std::ops::Range<usize> {
    let mut start = (span.start as usize).min(text.len());
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    let mut end = (span.end as usize).clamp(start, text.len());
    while !text.is_char_boundary(end) {
        end += 1;
    }
    start..end
}

/// Shows several problems, a blank line between them.
pub fn render_all(diagnostics: &[Diagnostic], files: &Files, color: bool) -> String {
    let shown: Vec<String> = diagnostics.iter().map(|diagnostic| diagnostic.render(files, color)).collect();
    shown.join("\n\n")
}
