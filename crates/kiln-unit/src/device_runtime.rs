//! Kernels that launch kernels by themselves: their PTX calls functions of CUDA's device runtime.

/// Whether PTX calls functions of the library, which a linker has to add.
pub fn needs_device_runtime(ptx: &[u8]) -> bool {
    let declares = |line: &[u8]| {
        let line = String::from_utf8_lossy(line);
        let function = line.trim_start().strip_prefix(".extern .func");
        // What is returned comes first.
        let name = function.map(|it| it.split_once(") ").map_or(it, |it| it.1));
        name.is_some_and(|it| it.trim_start().starts_with("cuda"))
    };
    ptx.split(|it| *it == b'\n').any(declares)
}
