//! Kernels compiled ahead of time, for programs that link no compiler: the program opens an image, finds a kernel by
//! its name and argument types, and launches it on this machine's processor.
//!
//! An image has such kernels if they were exported when it was built: `kiln image build --export 'f(Float32)'`, or
//! `ImagePlan::exports` of crate `kiln`.
//!
//! An image is trusted like an executable: its checksums detect damage, not malice.
//!
//! # Deliberately absent
//! Julia: no values, methods or worlds. An exception of a failing item is reported by name and place.

mod arguments;
mod array;
mod element;
mod error;
mod image;
mod kernel;
#[doc(hidden)]
pub mod record;
#[expect(unsafe_code, reason = "runs the machine code of an image; see ARCHITECTURE.md")]
mod trusted;

#[doc(hidden)]
pub use arguments::sealed;
pub use arguments::{KernelArg, KernelArgs};
pub use array::Array;
pub use element::Element;
pub use error::{Error, ErrorKind, Frame};
pub use image::Image;
pub use kernel::{Kernel, LaunchSize};
pub use kiln_launch::{Grid, Together};
