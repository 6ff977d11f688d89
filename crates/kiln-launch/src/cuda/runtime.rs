//! NVIDIA's device runtime library, `cudadevrt`: kernels that launch kernels call it. It is not part of the driver.

use crate::device::DeviceError;
use std::path::PathBuf;

/// The name of its file.
const FILE: &str = "libcudadevrt.a";
/// The environment variable with its path.
const VARIABLE: &str = "KILN_CUDADEVRT";

/// Finds the library: by its variable, else in `$KILN_TOOLS` or where CUDA is installed.
///
/// # Errors
/// When it is missing, with advice on how to get it.
pub(super) fn library(entry: &str) -> Result<PathBuf, DeviceError> {
    let named = std::env::var_os(VARIABLE).filter(|it| !it.is_empty()).map(PathBuf::from);
    let roots = ["CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(std::env::var_os).map(PathBuf::from);
    let roots = roots.chain(["/usr/local/cuda".into()]);
    let folders = roots.flat_map(|it| [it.join("lib64"), it.join("lib/x64"), it.join("lib")]);
    let tools = std::env::var_os("KILN_TOOLS").map(PathBuf::from);
    let mut usual = tools.into_iter().chain(folders).chain(["/usr/lib/x86_64-linux-gnu".into()]);
    let found = match named {
        Some(named) => Some(named).filter(|it| it.is_file()),
        None => usual.find_map(|it| Some(it.join(FILE)).filter(|it| it.is_file())),
    };
    found.ok_or_else(|| {
        DeviceError::NoDevice(format!(
            "`{entry}` launches kernels, which takes NVIDIA's library {FILE}, and it is not found: it is in the CUDA toolkit \
             and in the wheel nvidia-cuda-runtime-cu12; name it with {VARIABLE}"
        ))
    })
}

#[cfg(test)]
mod tests {

    use kiln_unit::needs_device_runtime;

    /// Functions that the driver has itself need no library.
    #[test]
    fn the_library_is_needed_for_functions_of_its_own() {
        let launches = b".version 8.0\n.extern .func (.param .b32 func_retval0) cudaLaunchDeviceV2\n(\n";
        assert!(needs_device_runtime(launches));
        assert!(!needs_device_runtime(b".extern .func (.param .b32 func_retval0) vprintf\n(\n"));
        assert!(!needs_device_runtime(b".func (.param .b32 func_retval0) cudaLike\n"));
    }
}
