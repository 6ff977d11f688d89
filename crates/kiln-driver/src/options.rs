//! The options of a session, put together of those of its parts.

use kiln_codegen_client::ClientOptions;
use kiln_compile::CompilerOptions;
use kiln_exec::ExecOptions;
use kiln_results::StoreOptions;

/// The options of a session.
pub struct DriverOptions {
    /// How the session compiles. Its threads are those of the CPU device, too.
    pub compiler: CompilerOptions,
    /// How the code generator is reached.
    pub codegen: ClientOptions,
    /// Where results are kept; `None`: in memory only.
    pub store: Option<StoreOptions>,
    /// Everything found or made is remembered, for an image. Kernels are compiled and linked, and not launched.
    pub collects: bool,
    /// How the session executes.
    pub exec: ExecOptions,
    /// Targets that code is shown for when a stage names a back end and no target is named: the first of that back end.
    pub shown_for: Vec<String>,
}
