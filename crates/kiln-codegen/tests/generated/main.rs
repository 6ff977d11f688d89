//! Bodies written as text are compiled, looked at, linked and run.
//!
//! One binary: linking LLVM is slow.
#![expect(unsafe_code, reason = "runs the code that was generated")]

mod arithmetic;
mod device_limits;
mod devices;
mod foreign;
mod groups;
mod guards;
mod harness;
mod kernels;
mod oracle;
mod unions;
mod units;
