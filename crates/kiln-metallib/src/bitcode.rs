//! The wrapper of bitcode in modules: five numbers in front, zeros behind.

use crate::error::{MetalLibError, MetalLibErrorKind};

/// The first number of a wrapper.
const MAGIC: u32 = 0x0b17_c0de;
/// The version of wrappers.
const VERSION: u32 = 0;
/// The number for the processor: any.
const PROCESSOR: u32 = u32::MAX;
/// The bytes in front of the bitcode.
pub(crate) const HEADER_BYTES: usize = 20;
/// Modules have a multiple of so many bytes.
pub(crate) const ALIGN: usize = 16;
/// Raw bitcode begins so.
const RAW: &[u8] = b"BC\xc0\xde";

/// Returns raw bitcode in a wrapper, with zeros behind it up to a multiple of 16 bytes.
///
/// # Errors
/// Fails if the bytes do not begin as raw bitcode does, as bytes in a wrapper do not: Apple's compiler crashes on a second
/// wrapper.
///
/// ```
/// let raw = b"BC\xc0\xdebits";
/// let module = kiln_metallib::wrap(raw)?;
/// assert_eq!(module.len(), 32);
/// assert_eq!(kiln_metallib::unwrap(&module)?, raw);
/// # Ok::<(), kiln_metallib::MetalLibError>(())
/// ```
pub fn wrap(raw: &[u8]) -> Result<Vec<u8>, MetalLibError> {
    if !raw.starts_with(RAW) {
        return Err(MetalLibErrorKind::NotBitcode.at(0));
    }
    let length = u32::try_from(raw.len()).map_err(|_| MetalLibErrorKind::TooLarge.at(0))?;
    let mut out = kiln_bytes::Writer::with_capacity((HEADER_BYTES + raw.len()).next_multiple_of(ALIGN));
    for number in [MAGIC, VERSION, HEADER_BYTES as u32, length, PROCESSOR] {
        out.u32(number);
    }
    out.raw(raw);
    let mut bytes = out.finish();
    bytes.resize(bytes.len().next_multiple_of(ALIGN), 0);
    Ok(bytes)
}

/// Returns the raw bitcode of a module: the inverse of [`wrap`].
///
/// # Errors
/// Fails if the wrapper is not one, if there is raw bitcode of another length behind it, or if the padding is not the
/// shortest one.
pub fn unwrap(module: &[u8]) -> Result<&[u8], MetalLibError> {
    let mut input = kiln_bytes::Reader::new(module);
    let mut length = 0;
    for (index, expected) in
        [Some(MAGIC), Some(VERSION), Some(HEADER_BYTES as u32), None, Some(PROCESSOR)].into_iter().enumerate()
    {
        let found = input.u32().map_err(|_| MetalLibErrorKind::Wrapper.at(module.len()))?;
        match expected {
            Some(it) if it != found => return Err(MetalLibErrorKind::Wrapper.at(4 * index)),
            Some(_) => {}
            None => length = found as usize,
        }
    }
    let raw = input.take(length).map_err(|_| MetalLibErrorKind::Wrapper.at(12))?;
    if !raw.starts_with(RAW) {
        return Err(MetalLibErrorKind::NotBitcode.at(HEADER_BYTES));
    }
    let padding = input.rest();
    let is_shortest = module.len() == (HEADER_BYTES + length).next_multiple_of(ALIGN);
    if !is_shortest || padding.iter().any(|it| *it != 0) {
        return Err(MetalLibErrorKind::Padding.at(HEADER_BYTES + length));
    }
    Ok(raw)
}
