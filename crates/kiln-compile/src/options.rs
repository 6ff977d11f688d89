//! How a session compiles.

use crate::device::libraries::DeviceLibrary;
use crate::mutant::Mutant;
use kiln_ir::SourceLoc;
use kiln_syntax::Diagnostic;
use kiln_targets::{TargetFacts, ToolPaths};

/// Turns diagnostics into text.
pub type Render = Box<dyn Fn(&[Diagnostic]) -> String + Send + Sync>;

/// The form of kernels of the processor that have barriers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Barriers {
    /// Each item runs on a fiber, until a kernel's launches have taken about as long as compiling its regions does; from
    /// then on, regions.
    #[default]
    Adaptive,
    /// Each item runs on a fiber.
    Fibers,
    /// The code between two barriers is a loop over the items of a group: 50 to 300 times faster, and 2 to 3 times the time
    /// of compilation.
    Regions,
    /// The same, compiled once more for the size of the groups of a kernel's first launch: loops over items have constant bounds.
    Sized,
}

/// The warps of kernels of the processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Warps {
    /// The items of a warp: 32 or 64.
    pub lanes: u32,
    /// Items run in lockstep, access by access.
    pub lockstep: bool,
}

impl Default for Warps {
    fn default() -> Self {
        Self { lanes: 32, lockstep: false }
    }
}

/// How a session compiles.
pub struct CompilerOptions {
    /// The target of host code, and of kernels that name no other.
    pub facts: TargetFacts,
    /// A mistake for the compiler to make, to test its tests. `None` otherwise.
    pub mutant: Option<Mutant>,
    /// Threads that compile at once; 0: one a core.
    pub threads: usize,
    /// How far host code is optimized; `None`: as much as pays.
    pub host_opt_level: Option<u8>,
    /// The form of kernels of the processor that have barriers.
    pub barriers: Barriers,
    /// The bits of the vectors of items that kernels of the processor run in; `None`: those of the processor, 0: items
    /// run one by one.
    pub vector_bits: Option<u32>,
    /// The checks of kernels of the processor.
    pub checks: kiln_unit::Checks,
    /// The warps of kernels of the processor.
    pub warps: Warps,
    /// Kernels run on a device, which has arrays while they do.
    pub uses_device: bool,
    /// Where a list of placed machine code is kept for profilers.
    pub code_map: Option<std::path::PathBuf>,
    /// Libraries of functions for devices.
    pub libraries: Vec<DeviceLibrary>,
    /// Where vendors' tools and libraries are looked for.
    pub tools: ToolPaths,
    /// Turns diagnostics into text.
    pub render: Render,
    /// Whether a place is in one of the program's own files.
    pub is_user_file: Box<dyn Fn(SourceLoc) -> bool + Send + Sync>,
}
