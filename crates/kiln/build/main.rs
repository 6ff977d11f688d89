//! Puts the standard library into the program: its files as text, and a session that has loaded it as an image. Without the
//! feature `compiler` there is nothing to do.
//!
//! The image is made by the crates the program itself is made of, built for the machine that builds. When Base
//! does not load, the image is empty, the build says so, and sessions load Base from its text.
#![expect(clippy::print_stdout, reason = "cargo reads what a build script prints")]

#[cfg(feature = "compiler")]
mod snapshot;

fn main() {
    println!("cargo:rerun-if-changed=build");
    #[cfg(feature = "compiler")]
    snapshot::make();
}
