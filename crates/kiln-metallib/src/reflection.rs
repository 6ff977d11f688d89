//! The list of reflections: flatbuffers that Apple's tools read and its loader does not.
//!
//! Zeros stand in front of each buffer, so that it starts at a multiple of 16 bytes in the file.

use crate::error::{LibraryPart, MetalLibError, MetalLibErrorKind};
use crate::layout::Group;
use crate::tag;

/// The alignment of a buffer in the file.
const ALIGN: usize = 16;
/// The identifier of the schema stands behind the first four bytes.
const IDENTIFIER: &[u8] = b"AIRR";
/// The bytes of a group before its value: its size, the tag, the value's size.
const GROUP_HEAD: usize = 12;

/// Whether bytes are a reflection.
fn is_reflection(buffer: &[u8]) -> bool {
    buffer.get(4..8) == Some(IDENTIFIER)
}

/// Returns the list that starts at an offset of the file, and the offset of each group in it.
///
/// # Errors
/// Fails if a buffer is not a reflection.
pub(crate) fn write_list(at: usize, buffers: &[&[u8]]) -> Result<(Vec<u8>, Vec<u64>), MetalLibError> {
    let count = u32::try_from(buffers.len()).map_err(|_| MetalLibErrorKind::TooLarge.at(at))?;
    let (mut list, mut offsets) = (count.to_le_bytes().to_vec(), Vec::new());
    for buffer in buffers {
        let start = at + list.len() + GROUP_HEAD;
        if !is_reflection(buffer) {
            return Err(MetalLibErrorKind::NotAReflection.at(start));
        }
        offsets.push(list.len() as u64);
        let padding = vec![0; start.next_multiple_of(ALIGN) - start];
        let mut group = Group::default();
        group.add(tag::REFLECTION, &[&padding, *buffer].concat())?;
        list.extend(group.sized()?);
    }
    Ok((list, offsets))
}

/// Returns the buffer behind the padding of a value that starts at an offset of the file.
///
/// # Errors
/// Fails if the padding is not zero, or if there is no reflection behind it.
pub(crate) fn read_value(at: usize, value: &[u8]) -> Result<Vec<u8>, MetalLibError> {
    let padding = at.next_multiple_of(ALIGN) - at;
    let short = || MetalLibErrorKind::Short(LibraryPart::Reflections).at(at + value.len());
    let (zeros, buffer) = value.split_at_checked(padding).ok_or_else(short)?;
    if let Some(offset) = zeros.iter().position(|it| *it != 0) {
        return Err(MetalLibErrorKind::Padding.at(at + offset));
    }
    if !is_reflection(buffer) {
        return Err(MetalLibErrorKind::NotAReflection.at(at + padding));
    }
    Ok(buffer.to_vec())
}
