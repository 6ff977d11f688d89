//! The writer: sections first, whose places the function list then names.

use crate::error::{LibraryPart, MetalLibError, MetalLibErrorKind};
use crate::layout::{Group, HEADER_BYTES, HIGH_BIT, MACOS_BIT, MAGIC, MAJOR, MINOR, text};
use crate::model::{
    EmbeddedSources, FUNCTION_KINDS, LIBRARY_KINDS, MetalFunction, MetalLibrary, PLATFORMS, hash, number_of,
};
use crate::versions::FormatVersion;
use crate::{bitcode, reflection, tag};
use kiln_bytes::Writer;

/// The offsets of a function's parts in their sections.
#[derive(Clone, Copy, Default)]
struct Offsets {
    public: u64,
    private: u64,
    module: u64,
    archive: u64,
    reflection: u64,
}

/// The sections behind the function list.
#[derive(Default)]
struct Sections {
    public: Vec<u8>,
    private: Vec<u8>,
    modules: Vec<u8>,
    sources: Option<Vec<u8>>,
    dynamic: Option<Vec<u8>>,
    reflections: Option<Vec<u8>>,
    offsets: Vec<Offsets>,
}

/// Returns the bytes of a library.
///
/// # Errors
/// Fails if a part cannot be written: a name that has a NUL or more than 65,534 bytes, a module without its wrapper, a part
/// that the format does not have.
pub fn write(library: &MetalLibrary) -> Result<Vec<u8>, MetalLibError> {
    check_format(library)?;
    let mut sections = sections(library)?;
    // The offsets do not change the sizes of the list and of the extension.
    let functions_bytes = function_list(library, &sections)?.len();
    let has_reflections = library.functions.iter().any(|it| it.reflection.is_some());
    if has_reflections {
        sections.reflections = Some(Vec::new());
    }
    let extension_bytes = extension(library, &sections, 0)?.len();
    let public_at = HEADER_BYTES as usize + functions_bytes + extension_bytes;
    let private_at = public_at + sections.public.len();
    let modules_at = private_at + sections.private.len();
    let rest_at = modules_at + sections.modules.len();
    if has_reflections {
        let before =
            [&sections.sources, &sections.dynamic].into_iter().flatten().map(Vec::len).sum::<usize>();
        place_reflections(library, &mut sections, rest_at + before)?;
    }
    let extension = extension(library, &sections, rest_at as u64)?;
    let mut out = Writer::new();
    out.raw(&function_list(library, &sections)?);
    out.raw(&extension);
    for section in [&sections.public, &sections.private, &sections.modules] {
        out.raw(section);
    }
    for section in [&sections.sources, &sections.dynamic, &sections.reflections].into_iter().flatten() {
        out.raw(section);
    }
    let places = [
        (HEADER_BYTES, functions_bytes as u64 - 4), // the count in front of the list is not part of its size
        (public_at as u64, sections.public.len() as u64),
        (private_at as u64, sections.private.len() as u64),
        (modules_at as u64, sections.modules.len() as u64),
    ];
    let mut file = header(library, HEADER_BYTES + out.len() as u64, &places);
    file.extend(out.finish());
    Ok(file)
}

/// Some parts exist in some versions only.
fn check_format(library: &MetalLibrary) -> Result<(), MetalLibError> {
    let names_platform = library.format >= FormatVersion::V1_2_6;
    if library.platform.is_some() != names_platform {
        return Err(MetalLibErrorKind::HeaderByte(0).at(11));
    }
    if let Some(sources) = &library.sources
        && sources.working_directory.is_some() != names_platform
    {
        return Err(MetalLibErrorKind::UnexpectedTag(tag::SOURCES).at(0));
    }
    let reflected = library.functions.iter().filter(|it| it.reflection.is_some()).count();
    if reflected != 0 && reflected != library.functions.len() {
        return Err(MetalLibErrorKind::SomeReflections.at(0));
    }
    let archives = library.sources.as_ref().map_or(0, |it| it.archives.len());
    if library.functions.iter().filter_map(|it| it.archive).any(|it| it as usize >= archives) {
        return Err(MetalLibErrorKind::NoSuchArchive.at(0));
    }
    Ok(())
}

/// Returns the header of a file of so many bytes; each place is an offset and a size.
fn header(library: &MetalLibrary, bytes: u64, places: &[(u64, u64)]) -> Vec<u8> {
    let mut out = Writer::with_capacity(HEADER_BYTES as usize);
    out.raw(&MAGIC);
    out.u16(MAJOR | if library.is_macos { MACOS_BIT } else { 0 });
    out.u16(MINOR);
    out.u16(library.format.patch());
    let flag = |is_set: bool| if is_set { HIGH_BIT } else { 0 };
    out.u8(number_of(&LIBRARY_KINDS, library.kind) | flag(library.is_stub));
    match &library.platform {
        Some(it) => {
            out.u8(number_of(&PLATFORMS, it.platform) | flag(it.is_64_bit));
            out.u16(it.major);
            out.u8(it.minor);
            out.u8(it.patch);
        }
        None => out.raw(&[0; 5]),
    }
    out.u64(bytes);
    for (offset, size) in places {
        out.u64(*offset);
        out.u64(*size);
    }
    out.finish()
}

/// Returns the sections whose contents do not depend on their places: all but the reflections.
fn sections(library: &MetalLibrary) -> Result<Sections, MetalLibError> {
    let mut sections = Sections::default();
    let mut archives = Vec::new();
    if let Some(sources) = &library.sources {
        let (section, offsets) = source_section(sources)?;
        (sections.sources, archives) = (Some(section), offsets);
    }
    if let Some(name) = &library.name {
        let mut group = Group::default();
        group.add(tag::NAME, &text(tag::NAME, name)?)?;
        sections.dynamic = Some(group.plain());
    }
    for function in &library.functions {
        bitcode::unwrap(&function.module)?;
        let archive = function.archive.map_or(0, |it| archives[it as usize]); // it was checked
        sections.offsets.push(Offsets {
            public: sections.public.len() as u64,
            private: sections.private.len() as u64,
            module: sections.modules.len() as u64,
            archive,
            reflection: 0,
        });
        sections.public.extend(public_metadata(function)?);
        sections.private.extend(private_metadata(function)?);
        sections.modules.extend(&function.module);
    }
    Ok(sections)
}

/// Fills in the reflections, whose padding depends on their place in the file.
fn place_reflections(
    library: &MetalLibrary,
    sections: &mut Sections,
    at: usize,
) -> Result<(), MetalLibError> {
    let buffers: Vec<&[u8]> = library.functions.iter().filter_map(|it| it.reflection.as_deref()).collect();
    let (list, offsets) = reflection::write_list(at, &buffers)?;
    sections.reflections = Some(list);
    for (function, offset) in sections.offsets.iter_mut().zip(offsets) {
        function.reflection = offset;
    }
    Ok(())
}

/// Returns the count of functions and a group for each.
fn function_list(library: &MetalLibrary, sections: &Sections) -> Result<Vec<u8>, MetalLibError> {
    let too_many = |_| MetalLibErrorKind::Short(LibraryPart::Functions).at(HEADER_BYTES as usize);
    let count = u32::try_from(library.functions.len()).map_err(too_many)?;
    let mut list = count.to_le_bytes().to_vec();
    for (function, offsets) in library.functions.iter().zip(&sections.offsets) {
        list.extend(function_group(function, offsets)?);
    }
    Ok(list)
}

fn function_group(function: &MetalFunction, offsets: &Offsets) -> Result<Vec<u8>, MetalLibError> {
    let mut group = Group::default();
    group.add(tag::NAME, &text(tag::NAME, &function.name)?)?;
    group.add(tag::TYPE, &[number_of(&FUNCTION_KINDS, function.kind)])?;
    group.add(tag::HASH, &hash(&function.module))?;
    let places = [offsets.public, offsets.private, offsets.module].map(u64::to_le_bytes);
    group.add(tag::OFFSETS, places.as_flattened())?;
    let (air, language) = (function.air, function.language);
    let versions = [air.major, air.minor, language.major, language.minor].map(u16::to_le_bytes);
    group.add(tag::VERSIONS, versions.as_flattened())?;
    group.add(tag::MODULE_SIZE, &(function.module.len() as u64).to_le_bytes())?;
    if function.archive.is_some() {
        group.add(tag::SOURCE_OFFSET, &offsets.archive.to_le_bytes())?;
    }
    if function.reflection.is_some() {
        group.add(tag::REFLECTION_OFFSET, &offsets.reflection.to_le_bytes())?;
    }
    group.sized()
}

/// Returns the list of the optional sections, the first of which starts at an offset of the file.
fn extension(library: &MetalLibrary, sections: &Sections, at: u64) -> Result<Vec<u8>, MetalLibError> {
    let sources = if library.format >= FormatVersion::V1_2_6 { tag::SOURCES } else { tag::OLD_SOURCES };
    let optional = [
        (sources, &sections.sources),
        (tag::DYNAMIC, &sections.dynamic),
        (tag::REFLECTIONS, &sections.reflections),
    ];
    let (mut group, mut at) = (Group::default(), at);
    for (tag, section) in optional {
        let Some(section) = section else { continue };
        let place = [at, section.len() as u64].map(u64::to_le_bytes);
        group.add(tag, place.as_flattened())?;
        at += section.len() as u64;
    }
    if let Some(uuid) = &library.uuid {
        group.add(tag::UUID, uuid)?;
    }
    Ok(group.plain())
}

fn public_metadata(function: &MetalFunction) -> Result<Vec<u8>, MetalLibError> {
    let mut group = Group::default();
    if !function.constants.is_empty() {
        let too_many = |_| MetalLibErrorKind::Unwritable(tag::CONSTANTS).at(0);
        let count = u16::try_from(function.constants.len()).map_err(too_many)?;
        let mut value = Writer::new();
        value.u16(count);
        for constant in &function.constants {
            value.raw(&text(tag::CONSTANTS, &constant.name)?);
            value.u8(constant.data_type);
            value.u16(constant.index);
            value.bool(constant.is_active);
        }
        group.add(tag::CONSTANTS, value.as_bytes())?;
    }
    group.sized()
}

fn private_metadata(function: &MetalFunction) -> Result<Vec<u8>, MetalLibError> {
    let mut group = Group::default();
    if let Some(debug) = &function.debug {
        let value = [&debug.line.to_le_bytes()[..], &text(tag::DEBUG, &debug.path)?].concat();
        group.add(tag::DEBUG, &value)?;
    }
    if let Some(path) = &function.dependency {
        group.add(tag::DEPENDENCY, &text(tag::DEPENDENCY, path)?)?;
    }
    group.sized()
}

/// Returns the section of sources, and for each archive the offset that functions name: behind the size of its group.
fn source_section(sources: &EmbeddedSources) -> Result<(Vec<u8>, Vec<u64>), MetalLibError> {
    let count = u32::try_from(sources.archives.len()).map_err(|_| MetalLibErrorKind::TooLarge.at(0))?;
    let mut section = count.to_le_bytes().to_vec();
    section.extend(text(tag::SOURCES, &sources.link_options)?);
    if let Some(folder) = &sources.working_directory {
        section.extend(text(tag::SOURCES, folder)?);
    }
    let mut offsets = Vec::new();
    for archive in &sources.archives {
        offsets.push(section.len() as u64 + 4);
        let mut group = Group::default();
        group.add(tag::ARCHIVE, &[text(tag::ARCHIVE, &archive.id)?, archive.data.clone()].concat())?;
        section.extend(group.behind_size(0)?);
    }
    Ok((section, offsets))
}
