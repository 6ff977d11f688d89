//! Derivatives of functions in kernels, by a compiler that kiln asks for them: see `README.md`.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "rules name the operations that have a derivative; all others are refused"
)]

mod change;
mod compiler;
mod derive;
#[cfg(test)]
mod tests;

use kiln::{Session, SessionOptions};

const PROGRAM: &str = r#"
using CUDA
wave(x) = sin(3x) * exp(-x * x)
function slopes!(y, f)
    i = threadIdx().x
    y[i] = ForwardMode.derivative(f, y[i])
    return
end
y = CuArray([0.0, 0.5, 1.0, 1.5])
@cuda threads=4 slopes!(y, wave)
println("d/dx sin(3x) exp(-x^2) at 0, 0.5, 1, 1.5: ", Array(y))
"#;

fn main() -> Result<(), String> {
    let session = Session::new(SessionOptions::default()).map_err(|it| it.message)?;
    compiler::install(&session).map_err(|it| it.message)?;
    session.run_text("program", PROGRAM).map_err(|it| it.message)
}
