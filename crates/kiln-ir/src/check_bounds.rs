//! The mode of bounds checks of a session, Julia's `--check-bounds`.

/// Which bounds checks are made.
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
    /// As the command line has it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Yes => "yes",
            Self::No => "no",
        }
    }
}

impl std::str::FromStr for CheckBounds {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        [Self::Auto, Self::Yes, Self::No]
            .into_iter()
            .find(|it| it.name() == text)
            .ok_or_else(|| "expected yes, no or auto".to_owned())
    }
}
