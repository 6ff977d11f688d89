//! The accuracy of the mathematical functions against a reference of 160 bits: the program [`PROGRAM`] measures,
//! [`measure`] reads its output.

use crate::error::Error;
use kiln::internals::SessionInternals as _;
use kiln::internals::heap::text;
use kiln::{Session, SessionOptions};

/// The Julia program: samples, reference, and the table.
pub const PROGRAM: &str = include_str!("accuracy.jl");

/// A measurement.
pub struct Accuracy {
    /// The lines of a Markdown table.
    pub table: String,
    /// Functions beyond their bound, with where: at most 1.0 units in the last place for `Float32`, 1.5 for `Float64`, and 2.0 for `Float32` on
    /// GPUs.
    pub beyond: String,
}

/// Measures every function on `samples` numbers of each kind.
///
/// # Errors
/// When the program does not run.
pub fn measure(samples: usize) -> Result<Accuracy, Error> {
    let session = Session::new(SessionOptions::default())?;
    session.run_text("accuracy.jl", PROGRAM)?;
    let run = format!("const FOUND = map(it -> join(it, '\\n'), accuracy_table({samples}))");
    session.run_text("accuracy.jl", &run)?;
    let text = |expression: &str| {
        let value = session.evaluate(expression)?;
        text::read(&session.runtime().heap, value).ok_or_else(|| Error::NoText(expression.to_owned()))
    };
    Ok(Accuracy { table: text("FOUND[1]")?, beyond: text("FOUND[2]")? })
}
