//! `y += a * x` on vectors of Rust. The argument is the code generator, `libkiln_codegen.so`; without it, the one beside the
//! program.

use kiln::{DeviceSlice, Error, LaunchSize, Session, SessionOptions};

fn main() -> Result<(), Error> {
    let (x, y) = (vec![2.0f32; 1000], vec![1.0f32; 1000]);
    let codegen = std::env::args_os().nth(1).map(Into::into);
    let session = Session::new(SessionOptions::new().codegen(codegen))?;
    let module = session.load("saxpy.jl")?;
    let saxpy = module.kernel::<(&mut DeviceSlice<f32>, f32, &DeviceSlice<f32>)>("saxpy!")?;
    let (mut y, x) = (session.array_from(&y)?, session.array_from(&x)?);
    saxpy.launch(LaunchSize::cover(1000), (&mut y, 3.0, &x))?;
    let y: Vec<f32> = y.to_vec()?;
    assert_eq!(y, [7.0; 1000]);
    println!("y[999] = {}", y[999]);
    Ok(())
}
