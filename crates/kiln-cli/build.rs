//! How the `kiln` command is linked.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let is = |what: &str, wanted: &str| {
        std::env::var(format!("CARGO_CFG_TARGET_{what}")).is_ok_and(|it| it == wanted)
    };
    // The unwinder is part of the command: to load and start the shared one takes a twentieth of a start.
    if is("OS", "linux") && is("ENV", "gnu") {
        println!("cargo:rustc-link-lib=static:+verbatim=libgcc_eh.a");
    }
    // What the linker that rustc brings along for this target can do: functions with the same code are one function, and
    // the addresses that are corrected when the command is placed in memory are a list of bits (record 60).
    if is("OS", "linux") && is("ENV", "gnu") && is("ARCH", "x86_64") {
        println!("cargo:rustc-link-arg-bins=-Wl,--icf=all,-z,pack-relative-relocs");
    }
}
