//! Runs `saxpy!` of an image, which `kiln image build` has made:
//!
//! ```sh
//! kiln image build --export 'saxpy!(CuDeviceVector{Float32,1}, Float32, CuDeviceVector{Float32,1})' saxpy.jl
//! ```

use kiln::LaunchSize;
use kiln::prebuilt::{Array, Error, Image};

fn main() -> Result<(), Error> {
    let path = std::env::args_os().nth(1).unwrap_or_else(|| "saxpy.kimg".into());
    let image = Image::open(path)?;
    let saxpy = image.kernel::<(&mut Array<f32, 1>, f32, &Array<f32, 1>)>("saxpy!")?;
    let (mut y, x) = (Array::from_slice(&[1.0; 1000]), Array::from_slice(&[2.0; 1000]));
    saxpy.launch(LaunchSize::cover(1000), (&mut y, 3.0, &x))?;
    assert_eq!(y.to_vec(), [7.0; 1000]);

    // `x` is too short: the item says so.
    let short = Array::from_slice(&[2.0; 10]);
    let error = saxpy.launch((1, 16), (&mut y, 3.0, &short)).unwrap_err();
    println!("y[999] = {}\n{error}", y.to_vec()[999]);
    Ok(())
}
