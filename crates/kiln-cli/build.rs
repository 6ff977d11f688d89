//! How the `kiln` command is linked.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // At the address it is linked for: to place it elsewhere takes 14,000 addresses corrected, and the pages that they are on
    // copied, in every process (records 35 and 60).
    let is = |what: &str, wanted: &str| {
        std::env::var(format!("CARGO_CFG_TARGET_{what}")).is_ok_and(|it| it == wanted)
    };
    if is("OS", "linux") && is("ENV", "gnu") {
        println!("cargo:rustc-link-arg-bins=-no-pie");
    }
    // Functions with the same code are one function: the linker that rustc brings along for this target can do it.
    if is("OS", "linux") && is("ENV", "gnu") && is("ARCH", "x86_64") {
        println!("cargo:rustc-link-arg-bins=-Wl,--icf=all");
    }
}
