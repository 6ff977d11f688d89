//! How the code generator's library is linked.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let is = |what: &str, wanted: &str| {
        std::env::var(format!("CARGO_CFG_TARGET_{what}")).is_ok_and(|it| it == wanted)
    };
    // 84,000 addresses in LLVM's tables are corrected when the library is opened: a bit for each, not 24 bytes.
    if is("OS", "linux") && is("ENV", "gnu") && is("ARCH", "x86_64") {
        println!("cargo:rustc-link-arg-cdylib=-Wl,-z,pack-relative-relocs");
    }
}
