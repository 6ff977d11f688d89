//! The typed form of a library.

use crate::versions::{AirVersion, FormatVersion, LanguageVersion, MetalVersions};
use sha2::{Digest, Sha256};

/// The use of a library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LibraryKind {
    /// Functions that pipelines are made of.
    Executable,
    /// A filter of Core Image.
    CoreImage,
    /// A library that others link at run time.
    Dynamic,
    /// Symbols of a library.
    SymbolCompanion,
}

/// The platform of a library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each is the name of a platform")]
pub enum Platform {
    MacOs,
    Ios,
    TvOs,
    WatchOs,
    BridgeOs,
    MacCatalyst,
    IosSimulator,
    TvOsSimulator,
    WatchOsSimulator,
    DriverKit,
    XrOs,
    XrOsSimulator,
}

/// The oldest release of the platform that a library is for. A header before format 1.2.6 has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PlatformVersion {
    /// The platform.
    pub platform: Platform,
    /// Whether modules have addresses of 64 bits.
    pub is_64_bit: bool,
    /// The first number.
    pub major: u16,
    /// The second number.
    pub minor: u8,
    /// The third number.
    pub patch: u8,
}

/// The kind of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "Metal's names of functions")]
pub enum FunctionKind {
    Vertex,
    Fragment,
    Kernel,
    Unqualified,
    Visible,
    Extern,
    Intersection,
    Mesh,
    Object,
    None,
}

/// A constant of a function whose value the host sets when it makes a pipeline.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FunctionConstant {
    /// The name.
    pub name: String,
    /// The number of its type in the enumeration `MTLDataType` (3 is `float`).
    pub data_type: u8,
    /// The index under which the host sets it.
    pub index: u16,
    /// Whether the function uses it.
    pub is_active: bool,
}

/// The place of a function in its source.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DebugPlace {
    /// The line, from 1.
    pub line: u32,
    /// The path of the file.
    pub path: String,
}

/// A function of a library, with its module.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MetalFunction {
    /// The name, which is also the symbol in the module.
    pub name: String,
    /// The kind.
    pub kind: FunctionKind,
    /// The dialect of the module.
    pub air: AirVersion,
    /// The language that the module came from.
    pub language: LanguageVersion,
    /// Bitcode in its [wrapper](crate::wrap).
    pub module: Vec<u8>,
    /// The constants that the host sets.
    pub constants: Vec<FunctionConstant>,
    /// The place in the source.
    pub debug: Option<DebugPlace>,
    /// The file that the module was compiled to.
    pub dependency: Option<String>,
    /// The index of its archive in [`EmbeddedSources::archives`].
    pub archive: Option<u32>,
    /// A flatbuffer with the identifier `AIRR`, which Apple's tools read.
    pub reflection: Option<Vec<u8>>,
}

impl MetalFunction {
    /// Returns a function without optional parts.
    pub fn new(name: &str, kind: FunctionKind, versions: &MetalVersions, module: Vec<u8>) -> Self {
        Self {
            name: name.to_owned(),
            kind,
            air: versions.air,
            language: versions.language,
            module,
            constants: Vec::new(),
            debug: None,
            dependency: None,
            archive: None,
            reflection: None,
        }
    }
}

/// An archive of sources.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SourceArchive {
    /// The name; Apple's tools count: `0`, `1`.
    pub id: String,
    /// A tape archive, compressed by bzip2.
    pub data: Vec<u8>,
}

/// The sources of a library.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct EmbeddedSources {
    /// The command that linked the library.
    pub link_options: String,
    /// The folder it ran in: from format 1.2.6, and only from then.
    pub working_directory: Option<String>,
    /// The archives, in order.
    pub archives: Vec<SourceArchive>,
}

/// A library.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MetalLibrary {
    /// The version of the container.
    pub format: FormatVersion,
    /// Whether the first version field has the bit of macOS.
    pub is_macos: bool,
    /// The use.
    pub kind: LibraryKind,
    /// Whether it stands for a library that is elsewhere.
    pub is_stub: bool,
    /// The platform: from format 1.2.6, and only from then.
    pub platform: Option<PlatformVersion>,
    /// The functions, in order.
    pub functions: Vec<MetalFunction>,
    /// The identity. Loaders do not read it.
    pub uuid: Option<[u8; 16]>,
    /// The name of the library's file: format 1.2.9.
    pub name: Option<String>,
    /// The sources.
    pub sources: Option<EmbeddedSources>,
}

impl MetalLibrary {
    /// Returns an executable library for a release of macOS, without functions.
    pub fn for_macos(versions: &MetalVersions) -> Self {
        let platform = PlatformVersion {
            platform: Platform::MacOs,
            is_64_bit: true,
            major: versions.macos,
            minor: 0,
            patch: 0,
        };
        Self {
            format: versions.format,
            is_macos: true,
            kind: LibraryKind::Executable,
            is_stub: false,
            platform: (versions.format >= FormatVersion::V1_2_6).then_some(platform),
            functions: Vec::new(),
            uuid: None,
            name: None,
            sources: None,
        }
    }

    /// Returns an identity that depends on the modules alone: the first half of their SHA-256, with the marks of a UUID of
    /// version 4. Equal code has equal bytes.
    pub fn content_uuid(&self) -> [u8; 16] {
        let mut hasher = Sha256::new();
        for function in &self.functions {
            hasher.update(&function.module);
        }
        let hash: [u8; 32] = hasher.finalize().into();
        let mut uuid = [0; 16];
        uuid.copy_from_slice(&hash[..16]);
        uuid[6] = uuid[6] & 0x0f | 0x40;
        uuid[8] = uuid[8] & 0x3f | 0x80;
        uuid
    }
}

/// The SHA-256 of a module as it is stored.
pub(crate) fn hash(module: &[u8]) -> [u8; 32] {
    Sha256::digest(module).into()
}

/// The kinds of functions with their numbers.
pub(crate) const FUNCTION_KINDS: [(u8, FunctionKind); 10] = [
    (0, FunctionKind::Vertex),
    (1, FunctionKind::Fragment),
    (2, FunctionKind::Kernel),
    (3, FunctionKind::Unqualified),
    (4, FunctionKind::Visible),
    (5, FunctionKind::Extern),
    (6, FunctionKind::Intersection),
    (7, FunctionKind::Mesh),
    (8, FunctionKind::Object),
    (255, FunctionKind::None),
];

/// The kinds of libraries with their numbers.
pub(crate) const LIBRARY_KINDS: [(u8, LibraryKind); 4] = [
    (0, LibraryKind::Executable),
    (1, LibraryKind::CoreImage),
    (2, LibraryKind::Dynamic),
    (3, LibraryKind::SymbolCompanion),
];

/// The platforms with their numbers.
pub(crate) const PLATFORMS: [(u8, Platform); 12] = [
    (1, Platform::MacOs),
    (2, Platform::Ios),
    (3, Platform::TvOs),
    (4, Platform::WatchOs),
    (5, Platform::BridgeOs),
    (6, Platform::MacCatalyst),
    (7, Platform::IosSimulator),
    (8, Platform::TvOsSimulator),
    (9, Platform::WatchOsSimulator),
    (10, Platform::DriverKit),
    (11, Platform::XrOs),
    (12, Platform::XrOsSimulator),
];

/// Returns the value with a number.
pub(crate) fn by_number<T: Copy>(table: &[(u8, T)], number: u8) -> Option<T> {
    table.iter().find(|it| it.0 == number).map(|it| it.1)
}

/// Returns the number of a value.
pub(crate) fn number_of<T: Copy + PartialEq>(table: &[(u8, T)], value: T) -> u8 {
    table.iter().find(|it| it.1 == value).expect("the tables have each value").0
}
