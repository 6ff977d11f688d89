//! Embeds the standard library in the program: its files as text, and a session that has loaded it, as an image.
//! Without the feature `compiler` it does nothing.
//!
//! The crates of the program make the image, built for the build machine. If Base does not load, the image is empty,
//! the build prints a warning, and sessions load Base from its text.
#![expect(clippy::print_stdout, reason = "cargo reads what a build script prints")]

#[cfg(feature = "compiler")]
mod snapshot;

fn main() {
    println!("cargo:rerun-if-changed=build");
    #[cfg(feature = "compiler")]
    snapshot::make();
}
