//! Metal libraries: the container around a module, which says for which release and in which dialect it is. The module says the same.

use kiln_air::{BitcodeError, KernelSummary, kernel_summary};
use kiln_metallib::{
    AirVersion, FunctionKind, LanguageVersion, MetalFunction, MetalLibError, MetalLibrary, MetalVersions,
    wrap, write,
};
use std::fmt;

/// Why a module is not put into a library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotMetal {
    /// The bytes are no module.
    Bitcode(BitcodeError),
    /// The module describes no kernel, or not one alone.
    NoKernel,
    /// The container does not take it.
    Container(MetalLibError),
}

impl std::error::Error for NotMetal {}

impl fmt::Display for NotMetal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bitcode(error) => write!(f, "the module is not one: {error}"),
            Self::NoKernel => f.write_str("the module describes no kernel"),
            Self::Container(error) => error.fmt(f),
        }
    }
}

/// Returns the library of a module with one kernel.
///
/// # Errors
/// Fails if the bytes are no such module.
pub(super) fn metal_library(module: &[u8]) -> Result<Vec<u8>, NotMetal> {
    let air = kiln_air::read(module).map_err(NotMetal::Bitcode)?;
    let KernelSummary { name, air: [major, minor], language, macos } =
        kernel_summary(&air).ok_or(NotMetal::NoKernel)?;
    let release = MetalVersions::of_macos(macos).map_err(NotMetal::Container)?;
    let versions = MetalVersions {
        air: AirVersion { major, minor },
        language: LanguageVersion { major: language[0], minor: language[1] },
        ..release
    };
    let wrapped = wrap(module).map_err(NotMetal::Container)?;
    let mut library = MetalLibrary::for_macos(&versions);
    library.functions.push(MetalFunction::new(&name, FunctionKind::Kernel, &versions, wrapped));
    library.uuid = Some(library.content_uuid());
    write(&library).map_err(NotMetal::Container)
}
