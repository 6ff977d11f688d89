//! A stand-in for the library of CUDA's driver, for tests of who calls it: it has the functions that kiln calls, keeps
//! memory, checks handles and sizes, and writes each call to the file that `FAKE_CUDA_LOG` names. Kernels do nothing.
//!
//! `FAKE_CUDA` says how it is to differ, words with spaces between: `no-device`, `mirrored` (it does not reach the
//! memory of the host), `refuse:CALL` (the call fails with CUDA_ERROR_INVALID_VALUE), `build-error`, `no-cubins` (it takes no
//! machine code), `fails` (kernels leave the number of their first site where their first parameter points to, and nothing
//! else).
//!
//! A file of its own, compiled by the test: a library that every build made would be found by other programs.
#![allow(non_snake_case, clippy::missing_safety_doc)]

use std::collections::HashMap;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::io::Write;
use std::sync::{LazyLock, Mutex};

type Status = c_int;
const INVALID_VALUE: Status = 1;
const NO_DEVICE: Status = 100;
const NO_BINARY_FOR_GPU: Status = 209;
const INVALID_PTX: Status = 218;
const INVALID_HANDLE: Status = 400;
const NOT_FOUND: Status = 500;

/// What handles are made of: their number, from one that is no address.
const FIRST_HANDLE: usize = 0x1000;

#[derive(Default)]
struct Driver {
    /// Live handles, with their kinds.
    alive: HashMap<usize, &'static str>,
    made: usize,
    /// Bytes of parameters of kernels, by module and name.
    modules: HashMap<usize, HashMap<String, Vec<usize>>>,
    functions: HashMap<usize, Vec<usize>>,
    /// Allocations.
    memory: HashMap<u64, Vec<u8>>,
    /// What the linker has been given.
    linked: Vec<u8>,
    current: usize,
}

static DRIVER: LazyLock<Mutex<Driver>> = LazyLock::new(Mutex::default);

fn is_asked(word: &str) -> bool {
    std::env::var("FAKE_CUDA").is_ok_and(|it| it.split(' ').any(|it| it == word))
}

fn log(line: &str) {
    let Some(path) = std::env::var_os("FAKE_CUDA_LOG") else { return };
    let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
    let _ = file.and_then(|mut it| writeln!(it, "{line}"));
}

/// Logs a call and does it, unless it is to fail.
fn call(name: &str, what: &str, act: impl FnOnce(&mut Driver) -> Status) -> Status {
    let refused = is_asked(&format!("refuse:{name}"));
    let status = if refused { INVALID_VALUE } else { act(&mut DRIVER.lock().unwrap()) };
    log(&format!("{name} {what}{}", if status == 0 { String::new() } else { format!(" = {status}") }));
    status
}

impl Driver {
    fn make(&mut self, what: &'static str) -> usize {
        self.made += 1;
        let handle = FIRST_HANDLE + self.made;
        self.alive.insert(handle, what);
        handle
    }
    fn check(&self, handle: usize, what: &str) -> Status {
        if self.alive.get(&handle) == Some(&what) && self.current != 0 { 0 } else { INVALID_HANDLE }
    }
    fn end(&mut self, handle: usize, what: &str) -> Status {
        let status = self.check(handle, what);
        self.alive.remove(&handle);
        status
    }
    /// Where the bytes of an address are, if an allocation has all of them.
    fn bytes(&mut self, address: u64, bytes: usize) -> Option<&mut [u8]> {
        let (base, memory) = self.memory.iter_mut().find(|it| {
            *it.0 <= address && address + bytes as u64 <= it.0 + it.1.len() as u64
        })?;
        Some(&mut memory[(address - base) as usize..][..bytes])
    }
}

/// The bytes of the parameters of each entry of a text.
fn entries(ptx: &str) -> HashMap<String, Vec<usize>> {
    let mut all = HashMap::new();
    for part in ptx.split(".entry ").skip(1) {
        let (name, rest) = part.split_once('(').unwrap_or((part, ""));
        let params = rest.split_once(')').map_or(rest, |it| it.0);
        let size = |it: &str| -> Option<usize> {
            if !it.contains(".param") {
                return None;
            }
            if let Some((_, count)) = it.split_once('[') {
                return count.trim_end_matches(|it: char| !it.is_ascii_digit()).parse().ok();
            }
            let kind = it.split_whitespace().find_map(|it| it.strip_prefix('.')?.get(1..)?.parse::<usize>().ok());
            kind.map(|bits| bits / 8)
        };
        all.insert(name.trim().to_owned(), params.split(',').filter_map(size).collect());
    }
    all
}

/// All of an ELF file, if one begins there.
unsafe fn elf<'a>(code: *const u8) -> Option<&'a [u8]> {
    if !(0..4).all(|at| unsafe { *code.add(at) } == b"\x7fELF"[at]) {
        return None;
    }
    let head = unsafe { std::slice::from_raw_parts(code, 64) };
    let half = |at: usize| usize::from(u16::from_le_bytes([head[at], head[at + 1]]));
    let word = |at: usize| u64::from_le_bytes(head[at..at + 8].try_into().unwrap()) as usize;
    // The tables of sections and of segments come last.
    let end = (word(40) + half(58) * half(60)).max(word(32) + half(54) * half(56));
    Some(unsafe { std::slice::from_raw_parts(code, end) })
}

/// The bytes of the parameters of each kernel of machine code, which says them in sections of its own.
fn entries_of_cubin(code: &[u8]) -> HashMap<String, Vec<usize>> {
    let half = |at: usize| usize::from(u16::from_le_bytes([code[at], code[at + 1]]));
    let word = |at: usize| u32::from_le_bytes(code[at..at + 4].try_into().unwrap()) as usize;
    let section = |number: usize| word(40) + number * half(58);
    let bytes_of = |at: usize| &code[word(at + 24)..][..word(at + 32)];
    let names = bytes_of(section(half(62)));
    let mut all = HashMap::new();
    for at in (0..half(60)).map(section) {
        let name = CStr::from_bytes_until_nul(&names[word(at)..]).unwrap().to_string_lossy().into_owned();
        let Some(kernel) = name.strip_prefix(".nv.info.") else { continue };
        let mut sizes: Vec<(usize, usize)> = Vec::new();
        for info in bytes_of(at).windows(16).filter(|it| it[..4] == [0x04, 0x17, 0x0c, 0x00]) {
            let of = |at: usize| u32::from_le_bytes(info[at..at + 4].try_into().unwrap()) as usize;
            sizes.push((of(8) & 0xffff, of(12) >> 18));
        }
        sizes.sort_unstable();
        all.insert(kernel.to_owned(), sizes.into_iter().map(|it| it.1).collect());
    }
    all
}

#[unsafe(no_mangle)]
pub extern "C" fn cuInit(_: c_uint) -> Status {
    call("cuInit", "", |_| if is_asked("no-device") { NO_DEVICE } else { 0 })
}
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetCount(count: *mut c_int) -> Status {
    unsafe { *count = 1 };
    0
}
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGet(device: *mut c_int, number: c_int) -> Status {
    unsafe { *device = number };
    0
}
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetName(name: *mut c_char, bytes: c_int, _: c_int) -> Status {
    let text = b"Stand-in GPU\0";
    assert!(bytes as usize >= text.len());
    unsafe { std::ptr::copy_nonoverlapping(text.as_ptr().cast(), name, text.len()) };
    0
}
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceTotalMem_v2(bytes: *mut usize, _: c_int) -> Status {
    unsafe { *bytes = 8 << 30 };
    0
}
/// By the numbers of the driver's header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetAttribute(value: *mut c_int, what: c_int, _: c_int) -> Status {
    let known = match what {
        1 => 1024,
        2 | 3 => 1024,
        4 => 64,
        5 => i32::MAX,
        6 | 7 => 65535,
        10 => 32,
        16 => 108,
        75 => 8,
        76 => 0,
        83 => 1,
        88 => c_int::from(!is_asked("mirrored")),
        97 => 160 << 10,
        _ => 0,
    };
    unsafe { *value = known };
    0
}
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDevicePrimaryCtxRetain(context: *mut usize, _: c_int) -> Status {
    call("cuDevicePrimaryCtxRetain", "", |it| {
        unsafe { *context = it.make("context") };
        0
    })
}
#[unsafe(no_mangle)]
pub extern "C" fn cuDevicePrimaryCtxRelease_v2(_: c_int) -> Status {
    call("cuDevicePrimaryCtxRelease", "", |_| 0)
}
#[unsafe(no_mangle)]
pub extern "C" fn cuCtxSetCurrent(context: usize) -> Status {
    let mut driver = DRIVER.lock().unwrap();
    driver.current = context;
    driver.check(context, "context")
}
#[unsafe(no_mangle)]
pub extern "C" fn cuCtxSynchronize() -> Status {
    call("cuCtxSynchronize", "", |it| if it.current == 0 { INVALID_HANDLE } else { 0 })
}
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamCreate(stream: *mut usize, flags: c_uint) -> Status {
    call("cuStreamCreate", &format!("flags={flags}"), |it| {
        unsafe { *stream = it.make("stream") };
        0
    })
}
#[unsafe(no_mangle)]
pub extern "C" fn cuStreamSynchronize(stream: usize) -> Status {
    call("cuStreamSynchronize", "", |it| it.check(stream, "stream"))
}
#[unsafe(no_mangle)]
pub extern "C" fn cuStreamDestroy_v2(stream: usize) -> Status {
    call("cuStreamDestroy", "", |it| it.end(stream, "stream"))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleLoadDataEx(
    module: *mut usize,
    code: *const c_char,
    count: c_uint,
    options: *const c_int,
    values: *const *mut c_void,
) -> Status {
    let cubin = unsafe { elf(code.cast()) };
    let text = unsafe { CStr::from_ptr(code) }.to_string_lossy().into_owned();
    let said = cubin.map_or_else(|| format!("bytes={}", text.len()), |it| format!("cubin={}", it.len()));
    call("cuModuleLoadDataEx", &said, |it| {
        if cubin.is_some() && is_asked("no-cubins") {
            return NO_BINARY_FOR_GPU;
        }
        if is_asked("build-error") {
            // 5: the log for errors, 6: how long it may be.
            let (options, values) = unsafe {
                (std::slice::from_raw_parts(options, count as usize), std::slice::from_raw_parts(values, count as usize))
            };
            let at = options.iter().position(|it| *it == 5).unwrap();
            let said = b"ptxas fatal: unheard of\0";
            unsafe { std::ptr::copy_nonoverlapping(said.as_ptr(), values[at].cast(), said.len()) };
            return INVALID_PTX;
        }
        let handle = it.make("module");
        it.modules.insert(handle, cubin.map_or_else(|| entries(&text), entries_of_cubin));
        unsafe { *module = handle };
        0
    })
}
#[unsafe(no_mangle)]
pub extern "C" fn cuModuleUnload(module: usize) -> Status {
    call("cuModuleUnload", "", |it| it.end(module, "module"))
}
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleGetFunction(
    function: *mut usize,
    module: usize,
    name: *const c_char,
) -> Status {
    let name = unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned();
    call("cuModuleGetFunction", &name, |it| {
        let Some(sizes) = it.modules.get(&module).and_then(|it| it.get(&name)).cloned() else { return NOT_FOUND };
        let handle = it.make("function");
        it.functions.insert(handle, sizes);
        unsafe { *function = handle };
        0
    })
}
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuFuncGetParamInfo(
    function: usize,
    index: usize,
    offset: *mut usize,
    size: *mut usize,
) -> Status {
    let driver = DRIVER.lock().unwrap();
    let Some(bytes) = driver.functions.get(&function).and_then(|it| it.get(index)) else { return INVALID_VALUE };
    unsafe {
        *offset = 0;
        *size = *bytes;
    }
    0
}
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuFuncGetAttribute(value: *mut c_int, what: c_int, function: usize) -> Status {
    // 0: threads of a block, 1: bytes of static shared memory.
    unsafe { *value = if what == 0 { 1024 } else { 0 } };
    DRIVER.lock().unwrap().check(function, "function")
}
#[unsafe(no_mangle)]
pub extern "C" fn cuFuncSetAttribute(function: usize, what: c_int, value: c_int) -> Status {
    call("cuFuncSetAttribute", &format!("{what}={value}"), |it| it.check(function, "function"))
}
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLaunchKernel(
    function: usize,
    gx: c_uint,
    gy: c_uint,
    gz: c_uint,
    ix: c_uint,
    iy: c_uint,
    iz: c_uint,
    shared: c_uint,
    stream: usize,
    params: *const *const u8,
    _extra: *const c_void,
) -> Status {
    let sizes = DRIVER.lock().unwrap().functions.get(&function).cloned().unwrap_or_default();
    let given: Vec<String> = sizes
        .iter()
        .enumerate()
        .map(|(at, size)| {
            let bytes = unsafe { std::slice::from_raw_parts(*params.add(at), *size) };
            bytes.iter().map(|it| format!("{it:02x}")).collect()
        })
        .collect();
    let what = format!("groups={gx},{gy},{gz} items={ix},{iy},{iz} shared={shared} params={}", given.join(","));
    call("cuLaunchKernel", &what, |it| {
        if is_asked("fails") && sizes.first() == Some(&8) {
            let record = unsafe { **params.cast::<*const *mut u32>() };
            unsafe { record.write_unaligned(1) };
        }
        it.check(function, "function").max(it.check(stream, "stream"))
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEventCreate(event: *mut usize, flags: c_uint) -> Status {
    call("cuEventCreate", &format!("flags={flags}"), |it| {
        unsafe { *event = it.make("event") };
        0
    })
}
#[unsafe(no_mangle)]
pub extern "C" fn cuEventRecord(event: usize, stream: usize) -> Status {
    call("cuEventRecord", "", |it| it.check(event, "event").max(it.check(stream, "stream")))
}
#[unsafe(no_mangle)]
pub extern "C" fn cuEventQuery(event: usize) -> Status {
    call("cuEventQuery", "", |it| it.check(event, "event"))
}
#[unsafe(no_mangle)]
pub extern "C" fn cuEventSynchronize(event: usize) -> Status {
    call("cuEventSynchronize", "", |it| it.check(event, "event"))
}
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEventElapsedTime_v2(milliseconds: *mut f32, from: usize, to: usize) -> Status {
    unsafe { *milliseconds = 1.5 };
    call("cuEventElapsedTime", "", |it| it.check(from, "event").max(it.check(to, "event")))
}
#[unsafe(no_mangle)]
pub extern "C" fn cuEventDestroy_v2(event: usize) -> Status {
    call("cuEventDestroy", "", |it| it.end(event, "event"))
}

unsafe fn alloc(name: &str, address: *mut u64, bytes: usize) -> Status {
    call(name, &format!("bytes={bytes}"), |it| {
        let memory = vec![0xcd; bytes];
        let at = memory.as_ptr() as u64;
        it.memory.insert(at, memory);
        unsafe { *address = at };
        0
    })
}
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemAlloc_v2(address: *mut u64, bytes: usize) -> Status {
    unsafe { alloc("cuMemAlloc", address, bytes) }
}
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemAllocManaged(address: *mut u64, bytes: usize, _: c_uint) -> Status {
    unsafe { alloc("cuMemAllocManaged", address, bytes) }
}
#[unsafe(no_mangle)]
pub extern "C" fn cuMemFree_v2(address: u64) -> Status {
    call("cuMemFree", "", |it| it.memory.remove(&address).map_or(INVALID_VALUE, |_| 0))
}
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyHtoDAsync_v2(to: u64, from: *const u8, bytes: usize, stream: usize) -> Status {
    call("cuMemcpyHtoDAsync", &format!("bytes={bytes}"), |it| {
        let status = it.check(stream, "stream");
        let Some(place) = it.bytes(to, bytes) else { return INVALID_VALUE };
        place.copy_from_slice(unsafe { std::slice::from_raw_parts(from, bytes) });
        status
    })
}
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyDtoHAsync_v2(to: *mut u8, from: u64, bytes: usize, stream: usize) -> Status {
    call("cuMemcpyDtoHAsync", &format!("bytes={bytes}"), |it| {
        let status = it.check(stream, "stream");
        let Some(place) = it.bytes(from, bytes) else { return INVALID_VALUE };
        unsafe { std::slice::from_raw_parts_mut(to, bytes) }.copy_from_slice(place);
        status
    })
}
#[unsafe(no_mangle)]
pub extern "C" fn cuMemcpyDtoDAsync_v2(to: u64, from: u64, bytes: usize, stream: usize) -> Status {
    call("cuMemcpyDtoDAsync", &format!("bytes={bytes}"), |it| {
        let status = it.check(stream, "stream");
        let Some(copied) = it.bytes(from, bytes).map(|it| it.to_vec()) else { return INVALID_VALUE };
        let Some(place) = it.bytes(to, bytes) else { return INVALID_VALUE };
        place.copy_from_slice(&copied);
        status
    })
}
#[unsafe(no_mangle)]
pub extern "C" fn cuMemsetD8Async(to: u64, value: u8, bytes: usize, stream: usize) -> Status {
    call("cuMemsetD8Async", &format!("bytes={bytes} value={value}"), |it| {
        let status = it.check(stream, "stream");
        let Some(place) = it.bytes(to, bytes) else { return INVALID_VALUE };
        place.fill(value);
        status
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLinkCreate_v2(
    _: c_uint,
    _: *const c_int,
    _: *const *mut c_void,
    link: *mut usize,
) -> Status {
    call("cuLinkCreate", "", |it| {
        unsafe { *link = it.make("link") };
        0
    })
}
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLinkAddData_v2(
    link: usize,
    kind: c_int,
    data: *const u8,
    bytes: usize,
    _: *const c_char,
    _: c_uint,
    _: *const c_int,
    _: *const *mut c_void,
) -> Status {
    call("cuLinkAddData", &format!("kind={kind}"), |it| {
        it.linked = unsafe { std::slice::from_raw_parts(data, bytes) }.to_vec();
        it.check(link, "link")
    })
}
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLinkAddFile_v2(
    link: usize,
    kind: c_int,
    path: *const c_char,
    _: c_uint,
    _: *const c_int,
    _: *const *mut c_void,
) -> Status {
    let path = unsafe { CStr::from_ptr(path) }.to_string_lossy().into_owned();
    let file = path.rsplit('/').next().unwrap_or_default().to_owned();
    call("cuLinkAddFile", &format!("kind={kind} {file}"), |it| it.check(link, "link"))
}
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLinkComplete(link: usize, code: *mut *const u8, bytes: *mut usize) -> Status {
    call("cuLinkComplete", "", |it| {
        unsafe {
            *code = it.linked.as_ptr();
            *bytes = it.linked.len();
        }
        it.check(link, "link")
    })
}
#[unsafe(no_mangle)]
pub extern "C" fn cuLinkDestroy(link: usize) -> Status {
    call("cuLinkDestroy", "", |it| it.end(link, "link"))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGetErrorName(error: Status, name: *mut *const c_char) -> Status {
    let known = match error {
        INVALID_VALUE => c"CUDA_ERROR_INVALID_VALUE",
        NO_DEVICE => c"CUDA_ERROR_NO_DEVICE",
        INVALID_PTX => c"CUDA_ERROR_INVALID_PTX",
        INVALID_HANDLE => c"CUDA_ERROR_INVALID_HANDLE",
        NOT_FOUND => c"CUDA_ERROR_NOT_FOUND",
        _ => c"CUDA_ERROR_UNKNOWN",
    };
    unsafe { *name = known.as_ptr() };
    0
}
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGetErrorString(_: Status, text: *mut *const c_char) -> Status {
    unsafe { *text = c"as a stand-in says".as_ptr() };
    0
}
