//! The mode of bounds checks of a session, Julia's `--check-bounds`.

/// The bounds checks to perform.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CheckBounds {
    /// All but those in the scope of `@inbounds`.
    #[default]
    Auto,
    /// All.
    Yes,
    /// None.
    No,
}

impl CheckBounds {
    /// Returns the name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Yes => "yes",
            Self::No => "no",
        }
    }
}

/// The text names no mode of bounds checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoCheckBounds;

impl std::fmt::Display for NoCheckBounds {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("expected yes, no or auto")
    }
}

impl std::error::Error for NoCheckBounds {}

impl std::str::FromStr for CheckBounds {
    type Err = NoCheckBounds;

    fn from_str(text: &str) -> Result<Self, NoCheckBounds> {
        [Self::Auto, Self::Yes, Self::No].into_iter().find(|it| it.name() == text).ok_or(NoCheckBounds)
    }
}
