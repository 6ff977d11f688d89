//! The options that `kiln compile` and `kiln build` share.

use clap::Args;
use kiln::compile::Space;
use kiln::{DeviceOptions, KernelOptions};

/// The options of code for any target.
#[derive(Debug, Args)]
pub(crate) struct CodeArgs {
    /// For a kernel over a space of indices: its static work-group size: 16,16
    #[arg(long, value_name = "SIZES", value_delimiter = ',')]
    pub(crate) groupsize: Option<Vec<u32>>,
    /// The optimization level: 0 to 3
    #[arg(short = 'O', long, value_name = "LEVEL", default_value_t = 3, value_parser = clap::value_parser!(u8).range(0..=3))]
    pub(crate) opt_level: u8,
    /// The detail of failure reports: 0 the place, 1 also the item and the exception, 2 everything
    #[arg(short = 'g', long, value_name = "LEVEL", default_value_t = 1, value_parser = clap::value_parser!(u8).range(0..=2))]
    pub(crate) debug_level: u8,
    /// Omit line information, which code has from debug level 1 on
    #[arg(long)]
    pub(crate) strip: bool,
    /// Allow transformations that change the results of floating-point operations
    #[arg(long)]
    pub(crate) fastmath: bool,
}

impl CodeArgs {
    /// The launch space, of so many dimensions if it has no static size.
    pub(crate) fn space(&self, dims: Option<u32>) -> Space {
        match (&self.groupsize, dims) {
            (Some(sizes), _) => Space::Groups(sizes.clone()),
            (None, Some(count)) => Space::Dimensions(count),
            (None, None) => Space::OfArguments,
        }
    }

    /// The options of a kernel, the others as usual.
    pub(crate) fn kernel(&self) -> KernelOptions {
        let usual = KernelOptions::default();
        let device = DeviceOptions {
            opt_level: self.opt_level,
            lines: !self.strip,
            fastmath: self.fastmath,
            ..usual.device
        };
        KernelOptions { debug_level: self.debug_level, device, ..KernelOptions::default() }
    }
}
