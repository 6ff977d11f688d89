//! NVIDIA's device runtime library, `cudadevrt`: kernels that launch kernels call it. It is not part of the driver.

use crate::device::DeviceError;
use crate::device_runtime::DeviceRuntimePaths;
use std::path::{Path, PathBuf};

/// The name of its file.
const FILE: &str = "libcudadevrt.a";
/// The environment variable by which the command names it.
const VARIABLE: &str = "KILN_CUDADEVRT";

/// Finds the library.
///
/// # Errors
/// When it is missing, with advice on how to get it.
pub(super) fn library(paths: &DeviceRuntimePaths, entry: &str) -> Result<PathBuf, DeviceError> {
    let toolkits = paths.toolkits.iter().map(PathBuf::as_path).chain([Path::new("/usr/local/cuda")]);
    let folders = toolkits.flat_map(|it| [it.join("lib64"), it.join("lib/x64"), it.join("lib")]);
    let folder = paths.folder.iter().cloned();
    let mut usual = folder.chain(folders).chain(["/usr/lib/x86_64-linux-gnu".into()]);
    let found = match &paths.file {
        Some(named) => Some(named.clone()).filter(|it| it.is_file()),
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
    use super::*;
    use kiln_unit::needs_device_runtime;

    /// A named file is the only one that is used; a folder and the toolkits are searched in this order.
    #[test]
    fn the_library_is_searched_where_the_paths_say() {
        let folder = std::env::temp_dir().join(format!("kiln-cudadevrt-{}", std::process::id()));
        let toolkit = folder.join("toolkit");
        std::fs::create_dir_all(toolkit.join("lib64")).unwrap();
        let (own, in_toolkit) = (folder.join(FILE), toolkit.join("lib64").join(FILE));
        std::fs::write(&in_toolkit, "").unwrap();
        let paths = DeviceRuntimePaths { file: None, folder: Some(folder.clone()), toolkits: vec![toolkit] };
        assert_eq!(library(&paths, "f").unwrap(), in_toolkit);
        std::fs::write(&own, "").unwrap();
        assert_eq!(library(&paths, "f").unwrap(), own);
        let named = DeviceRuntimePaths { file: Some(folder.join("missing.a")), ..paths };
        let error = library(&named, "f").unwrap_err().to_string();
        assert!(error.contains("`f` launches kernels") && error.contains(VARIABLE), "{error}");
        let _ = std::fs::remove_dir_all(&folder);
    }

    /// Functions that the driver has itself need no library.
    #[test]
    fn the_library_is_needed_for_functions_of_its_own() {
        let launches = b".version 8.0\n.extern .func (.param .b32 func_retval0) cudaLaunchDeviceV2\n(\n";
        assert!(needs_device_runtime(launches));
        assert!(!needs_device_runtime(b".extern .func (.param .b32 func_retval0) vprintf\n(\n"));
        assert!(!needs_device_runtime(b".func (.param .b32 func_retval0) cudaLike\n"));
    }
}
