//! Two threads compile different kernels of one session at the same time, and launch them. The argument is as for `saxpy`.

use kiln::{DeviceSlice, Error, LaunchSize, Session, SessionOptions};
use std::sync::Barrier;

fn main() -> Result<(), Error> {
    let codegen = std::env::args_os().nth(1).map(Into::into);
    let session = Session::new(SessionOptions::new().codegen(codegen))?;
    let module = session.load("saxpy.jl")?;
    let start = Barrier::new(2);
    std::thread::scope(|scope| {
        let saxpy = scope.spawn(|| {
            start.wait();
            let saxpy = module.kernel::<(&mut DeviceSlice<f32>, f32, &DeviceSlice<f32>)>("saxpy!")?;
            let (mut y, x) = (session.array_from(&[1.0; 5000])?, session.array_from(&[2.0; 5000])?);
            for _ in 0..10 {
                saxpy.launch(LaunchSize::cover(5000), (&mut y, 0.5, &x))?;
            }
            y.to_vec()
        });
        let halve = scope.spawn(|| {
            start.wait();
            let halve = module.kernel::<(&mut DeviceSlice<f64>,)>("halve!")?;
            let mut y = session.array_from(&[1024.0; 5000])?;
            for _ in 0..10 {
                halve.launch(LaunchSize::cover(5000), (&mut y,))?;
            }
            y.to_vec()
        });
        assert_eq!(saxpy.join().expect("no panic")?, [11.0; 5000]);
        assert_eq!(halve.join().expect("no panic")?, [1.0; 5000]);
        println!("both computed");
        Ok(())
    })
}
