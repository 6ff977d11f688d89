//! Programs that do not compile, because of the types of kernels. Each differs in one place from this one, which
//! compiles:
//!
//! ```no_run
//! use kiln::{DeviceSlice, Session, SessionOptions};
//! # fn main() -> Result<(), kiln::Error> {
//! let session = Session::new(SessionOptions::new())?;
//! let kernel = session.main_module().kernel::<(&mut DeviceSlice<f32>, f32, &DeviceSlice<f32>)>("saxpy!")?;
//! let (mut y, x) = (session.array_from(&[1.0f32])?, session.array_from(&[2.0f32])?);
//! kernel.launch((1, 1), (&mut y, 3.0, &x))?;
//! kernel.launch((1, 1), (&mut y, 3.0, &x))?;
//! # Ok(())
//! # }
//! ```
//!
//! An array of another element type:
//!
//! ```compile_fail,E0308
//! use kiln::{DeviceSlice, Session, SessionOptions};
//! # fn main() -> Result<(), kiln::Error> {
//! let session = Session::new(SessionOptions::new())?;
//! let kernel = session.main_module().kernel::<(&mut DeviceSlice<f32>, f32, &DeviceSlice<f32>)>("saxpy!")?;
//! let (mut y, x) = (session.array_from(&[1.0f32])?, session.array_from(&[2.0f64])?);
//! kernel.launch((1, 1), (&mut y, 3.0, &x))?;
//! # Ok(())
//! # }
//! ```
//!
//! An argument too few:
//!
//! ```compile_fail,E0308
//! use kiln::{DeviceSlice, Session, SessionOptions};
//! # fn main() -> Result<(), kiln::Error> {
//! let session = Session::new(SessionOptions::new())?;
//! let kernel = session.main_module().kernel::<(&mut DeviceSlice<f32>, f32, &DeviceSlice<f32>)>("saxpy!")?;
//! let mut y = session.array_from(&[1.0f32])?;
//! kernel.launch((1, 1), (&mut y, 3.0))?;
//! # Ok(())
//! # }
//! ```
//!
//! A shared array where the kernel stores:
//!
//! ```compile_fail,E0308
//! use kiln::{DeviceSlice, Session, SessionOptions};
//! # fn main() -> Result<(), kiln::Error> {
//! let session = Session::new(SessionOptions::new())?;
//! let kernel = session.main_module().kernel::<(&mut DeviceSlice<f32>, f32, &DeviceSlice<f32>)>("saxpy!")?;
//! let (y, x) = (session.array_from(&[1.0f32])?, session.array_from(&[2.0f32])?);
//! kernel.launch((1, 1), (&y, 3.0, &x))?;
//! # Ok(())
//! # }
//! ```
//!
//! One array in both places:
//!
//! ```compile_fail,E0502
//! use kiln::{DeviceSlice, Session, SessionOptions};
//! # fn main() -> Result<(), kiln::Error> {
//! let session = Session::new(SessionOptions::new())?;
//! let kernel = session.main_module().kernel::<(&mut DeviceSlice<f32>, f32, &DeviceSlice<f32>)>("saxpy!")?;
//! let mut y = session.array_from(&[1.0f32])?;
//! kernel.launch((1, 1), (&mut y, 3.0, &y))?;
//! # Ok(())
//! # }
//! ```
//!
//! An array of another rank:
//!
//! ```compile_fail,E0308
//! use kiln::{DeviceSlice, Session, SessionOptions};
//! # fn main() -> Result<(), kiln::Error> {
//! let session = Session::new(SessionOptions::new())?;
//! let kernel = session.main_module().kernel::<(&mut DeviceSlice<f32>, f32, &DeviceSlice<f32>)>("saxpy!")?;
//! let (mut y, x) = (session.array_from(&[1.0f32])?, session.zeros::<f32, 2>([1, 1])?);
//! kernel.launch((1, 1), (&mut y, 3.0, &x))?;
//! # Ok(())
//! # }
//! ```
//!
//! A type that kernels do not take:
//!
//! ```compile_fail,E0277
//! use kiln::{DeviceSlice, Session, SessionOptions};
//! # fn main() -> Result<(), kiln::Error> {
//! let session = Session::new(SessionOptions::new())?;
//! let kernel = session.main_module().kernel::<(&mut DeviceSlice<f32>, String)>("saxpy!")?;
//! # Ok(())
//! # }
//! ```
//!
//! A user-defined type that claims to be a number:
//!
//! ```compile_fail,E0277
//! struct Meters(f32);
//! impl kiln::Element for Meters {}
//! # fn main() {}
//! ```
//!
//! A write to an array while another thread reads it:
//!
//! ```compile_fail,E0502
//! use kiln::{Session, SessionOptions};
//! # fn main() -> Result<(), kiln::Error> {
//! let session = Session::new(SessionOptions::new())?;
//! let mut y = session.array_from(&[1.0f32])?;
//! std::thread::scope(|scope| {
//!     let reader = scope.spawn(|| y.to_vec());
//!     y.copy_from(&[2.0])?;
//!     reader.join().unwrap().map(drop)
//! })?;
//! # Ok(())
//! # }
//! ```
