//! The party at fault where a kernel is not made.

use kiln_unit::{Refusal, RefusalKind};

/// The party at fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The program, or kiln, which does not compile something.
    Program,
    /// The target: it cannot do it for any program.
    Limit,
    /// A tool: what generates code is missing or another version's, or a device's driver refuses what it is given.
    Tool,
    /// The code generator, or kiln, has failed.
    Internal,
}

impl Fault {
    /// Returns the party at fault for refusals of the code generator.
    pub(crate) fn of(refusals: &[Refusal]) -> Self {
        match RefusalKind::of(refusals) {
            RefusalKind::Unsupported => Self::Program,
            RefusalKind::Limit => Self::Limit,
            RefusalKind::Internal => Self::Internal,
        }
    }

    /// Returns the party at fault for two problems together.
    pub(crate) fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Internal, _) | (_, Self::Internal) => Self::Internal,
            (Self::Tool, _) | (_, Self::Tool) => Self::Tool,
            (Self::Limit, Self::Limit) => Self::Limit,
            (Self::Program, _) | (_, Self::Program) => Self::Program,
        }
    }

    /// Whether the same would come of the same code again.
    pub(crate) fn is_lasting(self) -> bool {
        matches!(self, Self::Program | Self::Limit)
    }
}
