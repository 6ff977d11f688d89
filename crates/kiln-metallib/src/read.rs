//! The strict reader: one pass from the first byte to the last.
//!
//! Each section must start where the one before it ends, and each function's offsets must name its own parts. So there is
//! one layout for a library, which the writer produces.

use crate::cursor::Cursor;
use crate::error::{LibraryPart, MetalLibError, MetalLibErrorKind};
use crate::layout::{HIGH_BIT, MACOS_BIT, MAGIC, MAJOR, MINOR};
use crate::model::{
    DebugPlace, EmbeddedSources, FUNCTION_KINDS, FunctionConstant, FunctionKind, LIBRARY_KINDS,
    MetalFunction, MetalLibrary, PLATFORMS, PlatformVersion, SourceArchive, by_number, hash,
};
use crate::versions::{AirVersion, FormatVersion, LanguageVersion};
use crate::{bitcode, reflection, tag};

/// An offset in the file and a size.
type Extent = (usize, usize);

/// The places of the sections that the header names.
struct Places {
    functions: Extent,
    public: Extent,
    private: Extent,
    modules: Extent,
}

/// The places of the sections that the extension names, and the identity.
struct Extension {
    sources: Option<Extent>,
    dynamic: Option<Extent>,
    reflections: Option<Extent>,
    uuid: Option<[u8; 16]>,
}

/// A number that must be the offset of a part, and the offset at which it stands in the file.
#[derive(Clone, Copy)]
struct Reference {
    tag: [u8; 4],
    at: usize,
    offset: usize,
}

impl Reference {
    /// The number must be this one.
    fn check(self, offset: usize) -> Result<(), MetalLibError> {
        if self.offset == offset { Ok(()) } else { Err(MetalLibErrorKind::Offset(self.tag).at(self.at)) }
    }
}

/// An entry of the function list.
struct Entry {
    name: String,
    kind: FunctionKind,
    hash: [u8; 32],
    hash_at: usize,
    public: Reference,
    private: Reference,
    module: Reference,
    air: AirVersion,
    language: LanguageVersion,
    module_bytes: usize,
    archive: Option<Reference>,
    reflection: Option<Reference>,
}

/// Returns the library in these bytes.
///
/// # Errors
/// Fails with the first fault and its offset if the bytes are not exactly those that [`write`](fn@crate::write) makes of a
/// library.
pub fn read(bytes: &[u8]) -> Result<MetalLibrary, MetalLibError> {
    let mut input = Cursor::new(bytes, 0, LibraryPart::Header);
    let (mut library, places) = header(&mut input, bytes.len())?;
    let entries = function_list(&mut input, places.functions)?;
    let extension = extension(&mut input, library.format, places.public.0)?;
    library.uuid = extension.uuid;
    library.functions = functions(&mut input, &places, &entries)?;
    if let Some(place) = extension.sources {
        input.part = LibraryPart::Sources;
        let (sources, offsets) = sources(&mut input, place, library.format)?;
        for (function, entry) in library.functions.iter_mut().zip(&entries) {
            function.archive = entry.archive.map(|it| index_of(&offsets, it)).transpose()?;
        }
        library.sources = Some(sources);
    } else if let Some(it) = entries.iter().find_map(|it| it.archive) {
        return Err(MetalLibErrorKind::NoSuchArchive.at(it.at));
    }
    if let Some(place) = extension.dynamic {
        input.part = LibraryPart::Dynamic;
        library.name = Some(dynamic(&mut input, place)?);
    }
    if let Some(place) = extension.reflections {
        input.part = LibraryPart::Reflections;
        reflections(&mut input, place, &entries, &mut library.functions)?;
    } else if let Some(it) = entries.iter().find_map(|it| it.reflection) {
        return Err(MetalLibErrorKind::SomeReflections.at(it.at));
    }
    if !input.is_empty() {
        return Err(MetalLibErrorKind::Place(input.part).at(input.at()));
    }
    Ok(library)
}

fn header(input: &mut Cursor<'_>, bytes: usize) -> Result<(MetalLibrary, Places), MetalLibError> {
    if input.array()? != MAGIC {
        return Err(MetalLibErrorKind::NotALibrary.at(0));
    }
    let (first, minor, patch) = (input.u16()?, input.u16()?, input.u16()?);
    let major = first & !MACOS_BIT;
    let format = FormatVersion::from_patch(patch).filter(|_| (major, minor) == (MAJOR, MINOR));
    let format = format.ok_or_else(|| MetalLibErrorKind::FormatVersion(major, minor, patch).at(4))?;
    let kind = input.u8()?;
    let platform = platform(input, format)?;
    let library = MetalLibrary {
        format,
        is_macos: first & MACOS_BIT != 0,
        kind: by_number(&LIBRARY_KINDS, kind & !HIGH_BIT)
            .ok_or_else(|| MetalLibErrorKind::HeaderByte(kind).at(10))?,
        is_stub: kind & HIGH_BIT != 0,
        platform,
        functions: Vec::new(),
        uuid: None,
        name: None,
        sources: None,
    };
    let size = input.u64()?;
    if size != bytes as u64 {
        return Err(MetalLibErrorKind::FileSize(size).at(16));
    }
    let mut extent = || Ok((input.size()?, input.size()?));
    let places = Places { functions: extent()?, public: extent()?, private: extent()?, modules: extent()? };
    Ok((library, places))
}

fn platform(input: &mut Cursor<'_>, format: FormatVersion) -> Result<Option<PlatformVersion>, MetalLibError> {
    let at = input.at();
    let (number, major, minor, patch) = (input.u8()?, input.u16()?, input.u8()?, input.u8()?);
    if format < FormatVersion::V1_2_6 {
        let is_empty = (number, major, minor, patch) == (0, 0, 0, 0);
        return if is_empty { Ok(None) } else { Err(MetalLibErrorKind::HeaderByte(number).at(at)) };
    }
    let platform = by_number(&PLATFORMS, number & !HIGH_BIT)
        .ok_or_else(|| MetalLibErrorKind::HeaderByte(number).at(at))?;
    Ok(Some(PlatformVersion { platform, is_64_bit: number & HIGH_BIT != 0, major, minor, patch }))
}

/// A section must start at the next byte.
fn starts(input: &Cursor<'_>, place: Extent) -> Result<(), MetalLibError> {
    if input.at() == place.0 { Ok(()) } else { Err(MetalLibErrorKind::Place(input.part).at(input.at())) }
}

/// A section that started at `start` must end at the next byte.
fn ends(input: &Cursor<'_>, start: usize, bytes: usize) -> Result<(), MetalLibError> {
    if input.at() - start == bytes {
        Ok(())
    } else {
        Err(MetalLibErrorKind::Place(input.part).at(input.at()))
    }
}

fn function_list(input: &mut Cursor<'_>, place: Extent) -> Result<Vec<Entry>, MetalLibError> {
    input.part = LibraryPart::Functions;
    starts(input, place)?;
    let count = input.u32()?;
    let start = input.at(); // the size does not include the count
    let mut entries = Vec::new();
    for _ in 0..count {
        let mut group = input.group(4)?;
        entries.push(entry(&mut group)?);
    }
    ends(input, start, place.1)?;
    Ok(entries)
}

/// Reads a value that is one offset.
fn reference(mut value: Cursor<'_>, tag: [u8; 4]) -> Result<Reference, MetalLibError> {
    let it = Reference { tag, at: value.at(), offset: value.size()? };
    value.finish(tag)?;
    Ok(it)
}

fn entry(group: &mut Cursor<'_>) -> Result<Entry, MetalLibError> {
    let mut value = group.required(tag::NAME)?;
    let name = value.text()?;
    value.finish(tag::NAME)?;
    let mut value = group.required(tag::TYPE)?;
    let (kind_at, kind) = (value.at(), value.u8()?);
    value.finish(tag::TYPE)?;
    let kind =
        by_number(&FUNCTION_KINDS, kind).ok_or_else(|| MetalLibErrorKind::FunctionKind(kind).at(kind_at))?;
    let mut value = group.required(tag::HASH)?;
    let (hash_at, hash) = (value.at(), value.array()?);
    value.finish(tag::HASH)?;
    let mut value = group.required(tag::OFFSETS)?;
    let mut offset = || Ok(Reference { tag: tag::OFFSETS, at: value.at(), offset: value.size()? });
    let (public, private, module) = (offset()?, offset()?, offset()?);
    value.finish(tag::OFFSETS)?;
    let mut value = group.required(tag::VERSIONS)?;
    let air = AirVersion { major: value.u16()?, minor: value.u16()? };
    let language = LanguageVersion { major: value.u16()?, minor: value.u16()? };
    value.finish(tag::VERSIONS)?;
    let module_bytes = reference(group.required(tag::MODULE_SIZE)?, tag::MODULE_SIZE)?.offset;
    let mut optional = |tag| group.optional(tag)?.map(|it| reference(it, tag)).transpose();
    let (archive, reflection) = (optional(tag::SOURCE_OFFSET)?, optional(tag::REFLECTION_OFFSET)?);
    group.end_of_sized_group()?;
    Ok(Entry {
        name,
        kind,
        hash,
        hash_at,
        public,
        private,
        module,
        air,
        language,
        module_bytes,
        archive,
        reflection,
    })
}

fn extension(
    input: &mut Cursor<'_>,
    format: FormatVersion,
    public_at: usize,
) -> Result<Extension, MetalLibError> {
    input.part = LibraryPart::Extension;
    if input.at() == public_at {
        return Err(MetalLibErrorKind::MissingTag(tag::END).at(input.at()));
    }
    let sources = if format >= FormatVersion::V1_2_6 { tag::SOURCES } else { tag::OLD_SOURCES };
    let mut place = |tag| -> Result<Option<Extent>, MetalLibError> {
        let Some(mut value) = input.optional(tag)? else { return Ok(None) };
        let extent = (value.size()?, value.size()?);
        value.finish(tag)?;
        Ok(Some(extent))
    };
    let (sources, dynamic, reflections) = (place(sources)?, place(tag::DYNAMIC)?, place(tag::REFLECTIONS)?);
    let mut uuid = None;
    if let Some(mut value) = input.optional(tag::UUID)? {
        uuid = Some(value.array()?);
        value.finish(tag::UUID)?;
    }
    input.end_of_group()?;
    Ok(Extension { sources, dynamic, reflections, uuid })
}

/// Reads the metadata and the modules of all functions.
fn functions(
    input: &mut Cursor<'_>,
    places: &Places,
    entries: &[Entry],
) -> Result<Vec<MetalFunction>, MetalLibError> {
    let mut functions = Vec::new();
    input.part = LibraryPart::PublicMetadata;
    starts(input, places.public)?;
    for entry in entries {
        entry.public.check(input.at() - places.public.0)?;
        functions.push(MetalFunction {
            name: entry.name.clone(),
            kind: entry.kind,
            air: entry.air,
            language: entry.language,
            module: Vec::new(),
            constants: public_metadata(input)?,
            debug: None,
            dependency: None,
            archive: None,
            reflection: None,
        });
    }
    ends(input, places.public.0, places.public.1)?;
    input.part = LibraryPart::PrivateMetadata;
    starts(input, places.private)?;
    for (entry, function) in entries.iter().zip(&mut functions) {
        entry.private.check(input.at() - places.private.0)?;
        (function.debug, function.dependency) = private_metadata(input)?;
    }
    ends(input, places.private.0, places.private.1)?;
    input.part = LibraryPart::Modules;
    starts(input, places.modules)?;
    for (entry, function) in entries.iter().zip(&mut functions) {
        entry.module.check(input.at() - places.modules.0)?;
        function.module = module(input, entry)?;
    }
    ends(input, places.modules.0, places.modules.1)?;
    Ok(functions)
}

fn public_metadata(input: &mut Cursor<'_>) -> Result<Vec<FunctionConstant>, MetalLibError> {
    let mut group = input.group(4)?;
    let mut constants = Vec::new();
    if let Some(mut value) = group.optional(tag::CONSTANTS)? {
        let (at, count) = (value.at(), value.u16()?);
        if count == 0 {
            return Err(MetalLibErrorKind::ValueSize(tag::CONSTANTS).at(at));
        }
        for _ in 0..count {
            constants.push(FunctionConstant {
                name: value.text()?,
                data_type: value.u8()?,
                index: value.u16()?,
                is_active: value.flag()?,
            });
        }
        value.finish(tag::CONSTANTS)?;
    }
    group.end_of_sized_group()?;
    Ok(constants)
}

fn private_metadata(input: &mut Cursor<'_>) -> Result<(Option<DebugPlace>, Option<String>), MetalLibError> {
    let mut group = input.group(4)?;
    let (mut debug, mut dependency) = (None, None);
    if let Some(mut value) = group.optional(tag::DEBUG)? {
        debug = Some(DebugPlace { line: value.u32()?, path: value.text()? });
        value.finish(tag::DEBUG)?;
    }
    if let Some(mut value) = group.optional(tag::DEPENDENCY)? {
        dependency = Some(value.text()?);
        value.finish(tag::DEPENDENCY)?;
    }
    group.end_of_sized_group()?;
    Ok((debug, dependency))
}

fn module(input: &mut Cursor<'_>, entry: &Entry) -> Result<Vec<u8>, MetalLibError> {
    let at = input.at();
    let module = input.take(entry.module_bytes)?;
    bitcode::unwrap(module).map_err(|it| it.kind.at(at + it.at))?;
    if hash(module) != entry.hash {
        return Err(MetalLibErrorKind::Hash.at(entry.hash_at));
    }
    Ok(module.to_vec())
}

/// Returns the sources, and the offset of each archive as functions name it: behind the size of its group.
fn sources(
    input: &mut Cursor<'_>,
    place: Extent,
    format: FormatVersion,
) -> Result<(EmbeddedSources, Vec<usize>), MetalLibError> {
    starts(input, place)?;
    let count = input.u32()?;
    let link_options = input.text()?;
    let working_directory = (format >= FormatVersion::V1_2_6).then(|| input.text()).transpose()?;
    let (mut archives, mut offsets) = (Vec::new(), Vec::new());
    for _ in 0..count {
        let mut group = input.group(0)?;
        offsets.push(group.at() - place.0);
        let mut value = group.required(tag::ARCHIVE)?;
        let id = value.text()?;
        let data = value.rest().to_vec();
        archives.push(SourceArchive { id, data });
        group.end_of_sized_group()?;
    }
    ends(input, place.0, place.1)?;
    Ok((EmbeddedSources { link_options, working_directory, archives }, offsets))
}

/// Returns the index of the archive that a function names.
fn index_of(offsets: &[usize], reference: Reference) -> Result<u32, MetalLibError> {
    let index = offsets.iter().position(|it| *it == reference.offset);
    index.map(|it| it as u32).ok_or_else(|| MetalLibErrorKind::NoSuchArchive.at(reference.at))
}

fn dynamic(input: &mut Cursor<'_>, place: Extent) -> Result<String, MetalLibError> {
    starts(input, place)?;
    let mut value = input.required(tag::NAME)?;
    let name = value.text()?;
    value.finish(tag::NAME)?;
    input.end_of_group()?;
    ends(input, place.0, place.1)?;
    Ok(name)
}

/// Reads one reflection for each function.
fn reflections(
    input: &mut Cursor<'_>,
    place: Extent,
    entries: &[Entry],
    functions: &mut [MetalFunction],
) -> Result<(), MetalLibError> {
    starts(input, place)?;
    let count = input.u32()?;
    if count as usize != entries.len() || entries.is_empty() {
        return Err(MetalLibErrorKind::SomeReflections.at(place.0));
    }
    for (entry, function) in entries.iter().zip(functions) {
        let group_at = input.at();
        let reference =
            entry.reflection.ok_or_else(|| MetalLibErrorKind::SomeReflections.at(entry.hash_at))?;
        reference.check(group_at - place.0)?;
        let mut group = input.group(4)?;
        let value = group.required(tag::REFLECTION)?;
        function.reflection = Some(reflection::read_value(value.at(), value.rest())?);
        group.end_of_sized_group()?;
    }
    ends(input, place.0, place.1)
}
