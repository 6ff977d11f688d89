//! The outcome of a site.

/// The outcome of one `@test...` in the source text, best first: a site that is reached several times has its worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SiteOutcome {
    /// Reached, and never failed.
    Pass,
    /// Its top-level expression does not parse.
    Unparsed,
    /// Control never came to it.
    NotReached,
    /// kiln refuses a feature that the test needs, by name: see `docs/lacks.md`.
    Refused,
    /// A name that the test uses is not defined.
    MissingName,
    /// An exception that the test does not expect.
    OtherException,
    /// No exception, where the test requires one.
    MissingException,
    /// The value is wrong.
    WrongValue,
}

impl SiteOutcome {
    /// Every outcome, in the order of the columns of a table.
    pub const ALL: [Self; 8] = [
        Self::Pass,
        Self::WrongValue,
        Self::MissingException,
        Self::OtherException,
        Self::MissingName,
        Self::Refused,
        Self::NotReached,
        Self::Unparsed,
    ];

    /// The name in tables and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::WrongValue => "wrong",
            Self::MissingException => "no-exception",
            Self::OtherException => "exception",
            Self::MissingName => "no-name",
            Self::Refused => "refused",
            Self::NotReached => "not-reached",
            Self::Unparsed => "unparsed",
        }
    }

    /// The outcome of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.name() == name)
    }
}
