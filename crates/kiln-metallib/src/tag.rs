//! The tags that label values in a library: four letters each.

/// A tag.
pub(crate) type Tag = [u8; 4];

/// The end of a group. It has no size and no value.
pub(crate) const END: Tag = *b"ENDT";

/// The name of a function, or of the library's file.
pub(crate) const NAME: Tag = *b"NAME";
/// The kind of a function.
pub(crate) const TYPE: Tag = *b"TYPE";
/// The SHA-256 of a module.
pub(crate) const HASH: Tag = *b"HASH";
/// Offsets into the sections of metadata and modules.
pub(crate) const OFFSETS: Tag = *b"OFFT";
/// The versions of AIR and of the language.
pub(crate) const VERSIONS: Tag = *b"VERS";
/// The size of a module.
pub(crate) const MODULE_SIZE: Tag = *b"MDSZ";
/// The offset of a function's archive of sources.
pub(crate) const SOURCE_OFFSET: Tag = *b"SOFF";
/// The offset of a function's reflection.
pub(crate) const REFLECTION_OFFSET: Tag = *b"RFLT";

/// The constants of a function that the host sets.
pub(crate) const CONSTANTS: Tag = *b"CNST";
/// The place of a function in its source.
pub(crate) const DEBUG: Tag = *b"DEBI";
/// The file that the module comes from.
pub(crate) const DEPENDENCY: Tag = *b"DEPF";

/// The section of sources, with the working directory.
pub(crate) const SOURCES: Tag = *b"HSRD";
/// The section of sources, before format 1.2.6.
pub(crate) const OLD_SOURCES: Tag = *b"HSRC";
/// The section with the name of the library's file.
pub(crate) const DYNAMIC: Tag = *b"HDYN";
/// The section of reflections.
pub(crate) const REFLECTIONS: Tag = *b"RLST";
/// The identity of the library.
pub(crate) const UUID: Tag = *b"UUID";
/// An archive of sources. Its size has 32 bits.
pub(crate) const ARCHIVE: Tag = *b"SARC";
/// A reflection. Its size has 32 bits.
pub(crate) const REFLECTION: Tag = *b"RBUF";

/// Whether the size behind a tag has 32 bits and not 16.
pub(crate) fn is_wide(tag: Tag) -> bool {
    tag == ARCHIVE || tag == REFLECTION
}
