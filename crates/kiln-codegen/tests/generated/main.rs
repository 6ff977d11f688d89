//! Bodies written as text are compiled, inspected, linked and run.
//!
//! One binary: linking LLVM is slow.
#![expect(unsafe_code, reason = "runs the code that was generated")]

mod arithmetic;
mod device_limits;
mod devices;
mod foreign;
mod groups;
mod harness;
mod kernels;
mod never_returning;
mod oracle;
mod range_checks;
mod regions;
mod unions;
mod units;
