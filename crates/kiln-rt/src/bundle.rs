//! Bundles: one file with kernels for several targets.
//!
//! The code for a processor is a shared library, which the system's loader places: `kiln_bundle_open` loads the best one for this
//! machine. Code for a device is given out as it is, for the device's driver.

use crate::failure::FailureReport;
use crate::launch::{STATUS_OK, write_report};
use kiln_bundle::{Bundle, BundlePart};
use kiln_unit::KernelDescriptor;
use std::ffi::{CStr, CString, OsStr, c_char, c_void};
use std::io::Write;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::ptr;

/// The file cannot be read or is no bundle, or its code cannot be loaded.
pub const STATUS_FILE: i32 = 4;
/// The bundle has no such kernel for the target.
pub const STATUS_MISSING: i32 = 5;

/// `struct kiln_bundle`: an open bundle.
#[derive(Debug)]
pub struct OpenBundle {
    /// Of the file; the code of devices is in it.
    _bytes: Box<[u8]>,
    /// Target, kernels, and place of the code of devices.
    artifacts: Vec<(String, Vec<String>, BundleArtifact)>,
    /// The library for this processor.
    library: *mut c_void,
    /// The kernels of the library.
    kernels: Vec<String>,
}

/// `struct kiln_artifact`: code for a device.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct BundleArtifact {
    /// The code, in the form that the driver loads.
    pub contents: *const u8,
    /// Its length in bytes.
    pub bytes: u64,
    /// How it is launched, as JSON: no NUL ends it.
    pub description: *const u8,
    /// Its length in bytes.
    pub description_bytes: u64,
}

/// Opens the bundle at `path`, and loads its code for this processor, if it has any. `report` is as for `kiln_rt_launch`.
///
/// # Safety
/// `path` ends with a NUL, `out` has room for an address. The code of the bundle is trusted like an executable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kiln_bundle_open(
    path: *const c_char,
    out: *mut *mut OpenBundle,
    report: *mut FailureReport,
) -> i32 {
    // SAFETY: the caller's promise.
    let path = OsStr::from_bytes(unsafe { CStr::from_ptr(path) }.to_bytes());
    let opened =
        open(path).map_err(|why| FailureReport::refusal(STATUS_FILE, &format!("{}: {why}", path.display())));
    let done = opened.map(|it| {
        // SAFETY: the caller's promise.
        unsafe { out.write(Box::into_raw(Box::new(it))) };
    });
    // SAFETY: the caller's promise.
    unsafe { write_report(done, report) }
}

/// Finds a kernel or a function by its name in C, for this processor. The descriptor is there until the bundle is closed.
///
/// # Safety
/// `bundle` is open, `name` ends with a NUL, `out` has room for an address.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kiln_bundle_kernel(
    bundle: *const OpenBundle,
    name: *const c_char,
    out: *mut *const KernelDescriptor,
    report: *mut FailureReport,
) -> i32 {
    // SAFETY: the caller's promise.
    let (bundle, name) = unsafe { (&*bundle, CStr::from_ptr(name)) };
    let shown = name.to_string_lossy();
    let is_there = bundle.kernels.iter().any(|it| *it == shown);
    let found = match is_there {
        // SAFETY: the library is open, and the name ends with a NUL.
        true => unsafe { libc::dlsym(bundle.library, name.as_ptr()) },
        false => ptr::null_mut(),
    };
    let missing =
        || FailureReport::refusal(STATUS_MISSING, &format!("the bundle has no `{shown}` for this processor"));
    let done = if found.is_null() { Err(missing()) } else { Ok(()) };
    if done.is_ok() {
        // SAFETY: the caller's promise.
        unsafe { out.write(found.cast()) };
    }
    // SAFETY: the caller's promise.
    unsafe { write_report(done, report) }
}

/// Finds the code of a kernel for a device. It is there until the bundle is closed.
///
/// # Safety
/// `bundle` is open, `name` and `target` end with a NUL, `out` has room for the struct.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kiln_bundle_artifact(
    bundle: *const OpenBundle,
    name: *const c_char,
    target: *const c_char,
    out: *mut BundleArtifact,
    report: *mut FailureReport,
) -> i32 {
    // SAFETY: the caller's promise.
    let (bundle, name, target) = unsafe { (&*bundle, CStr::from_ptr(name), CStr::from_ptr(target)) };
    let (name, target) = (name.to_string_lossy(), target.to_string_lossy());
    let mut all = bundle.artifacts.iter();
    let done = match all.find(|it| it.0 == target && it.1.iter().any(|it| *it == name)) {
        Some(it) => {
            // SAFETY: the caller's promise.
            unsafe { out.write(it.2) };
            Ok(())
        }
        None => {
            Err(FailureReport::refusal(STATUS_MISSING, &format!("the bundle has no `{name}` for {target}")))
        }
    };
    // SAFETY: the caller's promise.
    unsafe { write_report(done, report) }
}

/// Closes a bundle: its kernels must not run any more. Null closes nothing.
///
/// # Safety
/// `bundle` was opened, and was not closed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kiln_bundle_close(bundle: *mut OpenBundle) -> i32 {
    if bundle.is_null() {
        return STATUS_OK;
    }
    // SAFETY: the caller's promise.
    let bundle = unsafe { Box::from_raw(bundle) };
    if !bundle.library.is_null() {
        // SAFETY: opened by `load`, once.
        unsafe { libc::dlclose(bundle.library) };
    }
    STATUS_OK
}

/// Why a bundle is not open, for people.
fn open(path: &OsStr) -> Result<OpenBundle, Box<dyn std::error::Error>> {
    let bytes = std::fs::read(path)?.into_boxed_slice();
    let bundle = Bundle::from_bytes(&bytes)?;
    let here = kiln_targets::processor_level().unwrap_or(0) as u32;
    let (of_devices, of_processors): (Vec<_>, Vec<_>) = bundle.parts.iter().partition(|it| it.level == 0);
    let artifacts = of_devices.into_iter().map(|it| (it.target.clone(), it.kernels.clone(), artifact(it)));
    let artifacts = artifacts.collect();
    let best = of_processors.into_iter().filter(|it| it.level <= here).max_by_key(|it| it.level);
    let (library, kernels) = match best {
        Some(part) => (load(part.contents)?, part.kernels.clone()),
        None => (ptr::null_mut(), Vec::new()),
    };
    Ok(OpenBundle { _bytes: bytes, artifacts, library, kernels })
}

/// Where the code of a device is.
fn artifact(part: &BundlePart<'_>) -> BundleArtifact {
    BundleArtifact {
        contents: part.contents.as_ptr(),
        bytes: part.contents.len() as u64,
        description: part.description.as_ptr(),
        description_bytes: part.description.len() as u64,
    }
}

/// Has the system's loader place a library that is in memory.
fn load(library: &[u8]) -> Result<*mut c_void, Box<dyn std::error::Error>> {
    // SAFETY: the name ends with a NUL; the descriptor is owned from here on.
    let file = unsafe {
        let number = libc::memfd_create(c"kiln-bundle".as_ptr(), libc::MFD_CLOEXEC);
        if number < 0 {
            return Err(std::io::Error::last_os_error().into());
        }
        OwnedFd::from_raw_fd(number)
    };
    let mut file = std::fs::File::from(file);
    file.write_all(library)?;
    let path = CString::new(format!("/proc/self/fd/{}", file.as_raw_fd()))?;
    // SAFETY: the path ends with a NUL. Libraries of kernels run nothing when they are loaded.
    let opened = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
    if opened.is_null() {
        // SAFETY: the message, if there is one, is there until the next call of this thread.
        let why = unsafe {
            let text = libc::dlerror();
            (!text.is_null()).then(|| CStr::from_ptr(text).to_string_lossy().into_owned())
        };
        return Err(why.unwrap_or_else(|| "its code cannot be loaded".into()).into());
    }
    Ok(opened)
}
