//! Where the programs and libraries of vendors are looked for, as data.
//!
//! Nothing here touches a file: crates that run tools and open libraries walk these paths, and behind them the usual places.

use crate::tools::Tool;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Where the programs and libraries of vendors are looked for, before the places that vendors install them in.
///
/// The default names nothing, and only those places are searched. `kiln` fills it from its environment.
///
/// ```
/// use kiln_targets::{ToolPaths, tools};
///
/// let paths = ToolPaths { folder: Some("/opt/gpu".into()), ..ToolPaths::default() };
/// let paths = ToolPaths { programs: vec!["/usr/bin".into()], ..paths };
/// assert_eq!(paths.program_folders().collect::<Vec<_>>(), ["/opt/gpu", "/usr/bin"]);
///
/// let ptxas = tools().into_iter().find(|it| it.name == "ptxas").unwrap();
/// assert_eq!(paths.named(&ptxas), None);
/// let paths = ToolPaths { files: [("KILN_PTXAS".into(), "/opt/ptxas".into())].into(), ..paths };
/// assert_eq!(paths.named(&ptxas).unwrap().to_str(), Some("/opt/ptxas"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolPaths {
    /// Files by the variables that name them: those of tools ([`Tool::variable`]), and `KILN_CUDADEVRT` for NVIDIA's device
    /// runtime library. Where a file is named, no other is used. Other variables have no effect.
    pub files: BTreeMap<String, PathBuf>,
    /// A folder of tools and libraries, searched first: `KILN_TOOLS` of the command.
    pub folder: Option<PathBuf>,
    /// Folders of programs: `PATH` of the command.
    pub programs: Vec<PathBuf>,
    /// Folders in which a CUDA toolkit is installed: `CUDA_HOME` and `CUDA_PATH` of the command.
    pub toolkits: Vec<PathBuf>,
}

impl ToolPaths {
    /// Returns the file that is named for a tool.
    pub fn named(&self, tool: &Tool) -> Option<&Path> {
        self.files.get(&*tool.variable).map(PathBuf::as_path)
    }

    /// Returns the folders that programs are looked for in, the best first.
    pub fn program_folders(&self) -> impl Iterator<Item = &Path> {
        self.folder.iter().chain(&self.programs).map(PathBuf::as_path)
    }
}
