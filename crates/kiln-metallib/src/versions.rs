//! The versions that belong to each release of macOS.

use crate::error::{MetalLibError, MetalLibErrorKind};

/// A version of the container.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FormatVersion {
    /// 1.2.5, of macOS 11: the header names no platform.
    V1_2_5,
    /// 1.2.6, of macOS 12: the header names the platform; sources have a working directory.
    V1_2_6,
    /// 1.2.7, of macOS 13 and 14: functions may have reflections.
    V1_2_7,
    /// 1.2.8, of macOS 15.
    V1_2_8,
    /// 1.2.9, of macOS 26: the library may have a name.
    V1_2_9,
}

impl FormatVersion {
    /// Returns the last of the three numbers; the others are 1 and 2.
    pub fn patch(self) -> u16 {
        match self {
            Self::V1_2_5 => 5,
            Self::V1_2_6 => 6,
            Self::V1_2_7 => 7,
            Self::V1_2_8 => 8,
            Self::V1_2_9 => 9,
        }
    }

    /// Returns the version with this last number, if it is known.
    pub(crate) fn from_patch(patch: u16) -> Option<Self> {
        [Self::V1_2_5, Self::V1_2_6, Self::V1_2_7, Self::V1_2_8, Self::V1_2_9]
            .into_iter()
            .find(|it| it.patch() == patch)
    }
}

/// A version of AIR, the dialect of the modules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AirVersion {
    /// The first number.
    pub major: u16,
    /// The second number.
    pub minor: u16,
}

/// A version of the Metal shading language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LanguageVersion {
    /// The first number.
    pub major: u16,
    /// The second number.
    pub minor: u16,
}

/// The versions of a release of macOS.
///
/// ```
/// use kiln_metallib::{AirVersion, MetalVersions};
///
/// let versions = MetalVersions::of_macos(15)?;
/// assert_eq!(versions.air, AirVersion { major: 2, minor: 7 });
/// assert_eq!(versions.triple(), "air64_v27-apple-macosx15.0.0");
/// # Ok::<(), kiln_metallib::MetalLibError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MetalVersions {
    /// The first number of the release, in the count of Apple's tools: 11 to 15, then 26.
    pub macos: u16,
    /// The container.
    pub format: FormatVersion,
    /// The dialect of modules.
    pub air: AirVersion,
    /// The language.
    pub language: LanguageVersion,
}

/// Versions: macOS, format, minor version of AIR 2, language.
const RELEASES: [(u16, FormatVersion, u16, (u16, u16)); 7] = [
    (11, FormatVersion::V1_2_5, 3, (2, 3)),
    (12, FormatVersion::V1_2_6, 4, (2, 4)),
    (13, FormatVersion::V1_2_7, 5, (3, 0)),
    (14, FormatVersion::V1_2_7, 6, (3, 1)),
    (15, FormatVersion::V1_2_8, 7, (3, 2)),
    (26, FormatVersion::V1_2_9, 8, (4, 0)),
    (27, FormatVersion::V1_2_9, 9, (4, 1)),
];

impl MetalVersions {
    /// Returns the versions of a release. The numbers 16 to 25, under which some interfaces report newer releases, stand
    /// for 26 to 35.
    ///
    /// # Errors
    /// Fails for a release that is not in the table.
    pub fn of_macos(major: u16) -> Result<Self, MetalLibError> {
        let macos = if (16..=25).contains(&major) { major + 10 } else { major };
        let release = RELEASES.iter().find(|it| it.0 == macos);
        let &(macos, format, minor, language) =
            release.ok_or_else(|| MetalLibErrorKind::UnknownMacOs(major).at(0))?;
        Ok(Self {
            macos,
            format,
            air: AirVersion { major: 2, minor },
            language: LanguageVersion { major: language.0, minor: language.1 },
        })
    }

    /// Returns the triple of modules: it names the version of AIR from 2.6.
    pub fn triple(&self) -> String {
        let AirVersion { major, minor } = self.air;
        let version = if minor >= 6 { format!("_v{major}{minor}") } else { String::new() };
        format!("air64{version}-apple-macosx{}.0.0", self.macos)
    }
}
