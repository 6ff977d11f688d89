//! Kernels that were compiled ahead of time, for programs that link no compiler: an image is opened, a kernel is found by its
//! name and the types of its arguments, and launched on this machine's processor.
//!
//! An image has such kernels if they were exported when it was built: `kiln image build --export 'f(Float32)'`, or
//! `ImagePlan::exports` of crate `kiln`.
//!
//! An image is trusted as an executable is: its checksums find damage, not malice.
//!
//! # Deliberately absent
//! Julia: no value, method or world. What a failing item would have thrown is told by name and place.

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
pub use kiln_launch::Grid;
