//! The driver's linker, for code that needs a library.

use super::{Refused, launch::KernelLoadError, text};
use cudarc::driver::sys::{self, CUjit_option, CUjitInputType, CUlinkState, CUresult};
use std::ffi::{CString, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;

/// Size of the log that the linker may fill.
const LOG_BYTES: usize = 16 << 10;

/// A linker at work.
struct Link {
    state: CUlinkState,
    log: Vec<u8>,
}

/// Links PTX, which ends in a zero, with a library, into machine code.
pub(super) fn link(ptx: &[u8], library: &Path) -> Result<Vec<u8>, KernelLoadError> {
    let mut link = Link { state: ptr::null_mut(), log: vec![0; LOG_BYTES] };
    let mut options =
        [CUjit_option::CU_JIT_ERROR_LOG_BUFFER, CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES];
    let mut values = [link.log.as_mut_ptr().cast::<c_void>(), ptr::without_provenance_mut(LOG_BYTES)];
    // SAFETY: there are two options and their values; the log is as large as said and lives as long as the linker.
    let made = unsafe {
        sys::cuLinkCreate_v2(
            options.len() as u32,
            options.as_mut_ptr(),
            values.as_mut_ptr(),
            &raw mut link.state,
        )
    };
    link.check("cuLinkCreate", made)?;
    // SAFETY: the text is as long as said and is used during the call only; no options are given.
    let added = unsafe {
        sys::cuLinkAddData_v2(
            link.state,
            CUjitInputType::CU_JIT_INPUT_PTX,
            ptx.as_ptr().cast_mut().cast(),
            ptx.len(),
            c"kernel.ptx".as_ptr(),
            0,
            ptr::null_mut(),
            ptr::null_mut(),
        )
    };
    link.check("cuLinkAddData", added)?;
    let path = CString::new(library.as_os_str().as_bytes());
    let path = path.map_err(|_| KernelLoadError::Build("the library's path has a zero in it".into()))?;
    // SAFETY: the path ends in a zero; no options are given.
    let added = unsafe {
        sys::cuLinkAddFile_v2(
            link.state,
            CUjitInputType::CU_JIT_INPUT_LIBRARY,
            path.as_ptr(),
            0,
            ptr::null_mut(),
            ptr::null_mut(),
        )
    };
    link.check("cuLinkAddFile", added)?;
    let (mut code, mut bytes) = (ptr::null_mut(), 0);
    // SAFETY: both are written to.
    let done = unsafe { sys::cuLinkComplete(link.state, &raw mut code, &raw mut bytes) };
    link.check("cuLinkComplete", done)?;
    // SAFETY: the linker has that many bytes there until it is destroyed.
    Ok(unsafe { std::slice::from_raw_parts(code.cast::<u8>(), bytes) }.to_vec())
}

impl Link {
    fn check(&self, name: &'static str, result: CUresult) -> Result<(), KernelLoadError> {
        result.result().map_err(|error| {
            let log = String::from_utf8_lossy(&self.log);
            let log = log.trim_matches(|it: char| it == '\0' || it.is_whitespace());
            let refused: Refused = (name, text(error));
            if log.is_empty() {
                KernelLoadError::Driver(refused)
            } else {
                KernelLoadError::Build(log.to_owned())
            }
        })
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        if !self.state.is_null() {
            // SAFETY: it was created, and nothing of it is used any more.
            let _ = unsafe { sys::cuLinkDestroy(self.state) };
        }
    }
}
