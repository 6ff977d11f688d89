//! kiln as a library: a [`Session`] runs Julia files and compiles the kernels they launch.
//!
//! ```no_run
//! use kiln::{Session, SessionOptions};
//! let session = Session::new(SessionOptions::default())?;
//! session.run_text("example", "println(1 + 2)")?;
//! # Ok::<(), kiln::Failure>(())
//! ```

mod failure;
mod frontend;
mod host_io;
mod library;
mod session;

pub use failure::Failure;
pub use kiln_driver::Timings;
pub use session::{ReflectStage, Session, SessionOptions};
