//! Why a package is not found, and files that cannot be understood.

use crate::PkgId;
use std::fmt;

/// The reason why a look-up has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PackageError {
    /// A file is not TOML.
    Syntax {
        /// The file.
        file: String,
        /// The line, from 1.
        line: usize,
        /// The mistake.
        message: String,
    },
    /// An entry of a file has another form than it must have.
    Entry {
        /// The file.
        file: String,
        /// The line, from 1.
        line: usize,
        /// The key, with the tables it is in.
        key: String,
        /// The form it must have.
        expected: &'static str,
    },
    /// A package loads another one that its project does not list.
    NotADependency {
        /// The package.
        parent: Box<PkgId>,
        /// The other's name.
        name: String,
        /// The file that lists the dependencies.
        file: String,
    },
    /// A manifest names a version that no depot has.
    NotInstalled {
        /// The package.
        package: Box<PkgId>,
        /// The manifest.
        file: String,
        /// The folders that were looked for.
        folders: Vec<String>,
    },
    /// A manifest has several packages of a name that it lists without a UUID.
    Ambiguous {
        /// The manifest.
        file: String,
        /// The name.
        name: String,
    },
}

impl fmt::Display for PackageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax { file, line, message } => write!(f, "{file}:{line}: {message}"),
            Self::Entry { file, line, key, expected } => {
                write!(f, "{file}:{line}: `{key}` must be {expected}")
            }
            Self::NotADependency { parent, name, file } => write!(
                f,
                "Package {} does not have {name} in its dependencies\n{file} lists those that it has; `[deps]` of its project must name {name}",
                parent.name
            ),
            Self::NotInstalled { package, file, folders } => {
                write!(
                    f,
                    "Package {package} is required but does not seem to be installed: {file} names a version that no depot has"
                )?;
                folders.iter().try_for_each(|it| write!(f, "\nlooked for {it}"))
            }
            Self::Ambiguous { file, name } => {
                write!(f, "{file}: there are several packages `{name}`, so it must be listed with its UUID")
            }
        }
    }
}

impl std::error::Error for PackageError {}
