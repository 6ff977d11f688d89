//! Any bytes are a Metal library or refused, and a library that is read is written back to the same bytes. Half of the inputs
//! are edits of a library with all parts, so that the reader gets behind the header and the hashes.
#![no_main]

use kiln_metallib::{
    DebugPlace, EmbeddedSources, FunctionConstant, FunctionKind, MetalFunction, MetalLibrary, MetalVersions,
    SourceArchive, read, wrap, write,
};
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

/// A library for a release of macOS, with every part that its format has.
fn whole(macos: u16) -> Vec<u8> {
    let versions = MetalVersions::of_macos(macos).expect("the table has it");
    let mut library = MetalLibrary::for_macos(&versions);
    for name in ["first", "second"] {
        let module = wrap(b"BC\xc0\xde....").expect("it is bitcode");
        let mut function = MetalFunction::new(name, FunctionKind::Kernel, &versions, module);
        function.constants =
            vec![FunctionConstant { name: name.into(), data_type: 3, index: 1, is_active: true }];
        function.debug = Some(DebugPlace { line: 1, path: name.into() });
        function.dependency = Some(name.into());
        function.archive = Some(0);
        function.reflection = Some(b"\x10\0\0\0AIRR....".to_vec());
        library.functions.push(function);
    }
    library.uuid = Some(library.content_uuid());
    library.name = Some("name".into());
    library.sources = Some(EmbeddedSources {
        link_options: "options".into(),
        working_directory: (macos > 11).then(|| "folder".into()),
        archives: vec![SourceArchive { id: "0".into(), data: b"data".to_vec() }],
    });
    write(&library).expect("all parts fit")
}

static WHOLE: LazyLock<[Vec<u8>; 2]> = LazyLock::new(|| [whole(11), whole(26)]);

/// Reads bytes; what is read is written back.
fn check(bytes: &[u8]) {
    if let Ok(library) = read(bytes) {
        assert!(write(&library).expect("it was read") == bytes);
    }
}

fuzz_target!(|bytes: &[u8]| {
    check(bytes);
    let Some((which, edits)) = bytes.split_first() else { return };
    let mut edited = WHOLE[usize::from(which & 1)].clone();
    // Three bytes an edit: where, and what.
    for edit in edits.chunks_exact(3) {
        let at = usize::from(u16::from_le_bytes([edit[0], edit[1]])) % edited.len();
        edited[at] = edit[2];
    }
    check(&edited);
});
