//! The driver: what the runtime calls to compile, to launch and to show kernels, and host code that runs often.
//!
//! [`Driver`] is a session's executor behind the runtime's interfaces. It holds nothing else that changes: compilation is
//! `kiln_compile`'s, execution `kiln_exec`'s, inspection `kiln_inspect`'s.

mod host;
mod options;

pub use host::Driver;
pub use options::DriverOptions;
