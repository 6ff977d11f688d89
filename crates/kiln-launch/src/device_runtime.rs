//! Where NVIDIA's device runtime library is looked for: kernels that launch kernels call it.

use std::path::PathBuf;

/// Where NVIDIA's device runtime library is looked for, before the places that CUDA is usually installed in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeviceRuntimePaths {
    /// The file, if it is named: then no other is used.
    pub file: Option<PathBuf>,
    /// A folder that has it.
    pub folder: Option<PathBuf>,
    /// Folders in which a CUDA toolkit is installed.
    pub toolkits: Vec<PathBuf>,
}
