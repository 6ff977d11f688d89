//! Libraries are written, read back, and refused where a byte is wrong.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use kiln_metallib::{
    DebugPlace, EmbeddedSources, FunctionConstant, FunctionKind, LibraryPart, MetalFunction, MetalLibError,
    MetalLibErrorKind, MetalLibrary, MetalVersions, SourceArchive, read, unwrap, wrap, write,
};

/// A module with so many bytes behind the first four.
fn module(bytes: usize) -> Vec<u8> {
    wrap(&[&b"BC\xc0\xde"[..], &vec![0x5a; bytes]].concat()).unwrap()
}

/// A reflection of so many bytes.
fn reflection(bytes: usize) -> Vec<u8> {
    [&[0x10, 0, 0, 0][..], b"AIRR", &vec![7; bytes]].concat()
}

/// A library with one kernel for a release of macOS.
fn smallest(macos: u16) -> MetalLibrary {
    let versions = MetalVersions::of_macos(macos).unwrap();
    let mut library = MetalLibrary::for_macos(&versions);
    library.functions.push(MetalFunction::new("vadd", FunctionKind::Kernel, &versions, module(1628)));
    library.uuid = Some(library.content_uuid());
    library
}

/// A library with all optional parts.
fn largest() -> MetalLibrary {
    let versions = MetalVersions::of_macos(26).unwrap();
    let mut library = smallest(26);
    library.functions.push(MetalFunction::new("sum", FunctionKind::Visible, &versions, module(0)));
    for (index, function) in library.functions.iter_mut().enumerate() {
        function.reflection = Some(reflection(11 * index));
        function.archive = Some(1 - index as u32);
        function.debug = Some(DebugPlace { line: 4, path: "k.metal".into() });
    }
    let constant =
        |index| FunctionConstant { name: format!("c{index}"), data_type: 3, index, is_active: true };
    library.functions[1].constants = vec![constant(0), constant(2)];
    library.functions[0].dependency = Some("k.air".into());
    library.name = Some("k.metallib".into());
    let archive = |id: &str, bytes| SourceArchive { id: id.into(), data: vec![b'z'; bytes] };
    library.sources = Some(EmbeddedSources {
        link_options: "ld -o k".into(),
        working_directory: Some("folder".into()),
        archives: vec![archive("0", 70_000), archive("1", 0)],
    });
    library
}

/// The offsets and sizes of the smallest library were worked out by hand.
#[test]
fn the_smallest_library() {
    let bytes = write(&smallest(26)).unwrap();
    let mut expected = b"MTLB\x01\x80\x02\0\x09\0\0\x81\x1a\0\0\0".to_vec();
    for number in [1920_u64, 88, 0x7a, 0xf0, 8, 0xf8, 8, 0x100, 0x680] {
        expected.extend(number.to_le_bytes());
    }
    assert_eq!(bytes[..88], expected);
    assert_eq!(bytes.len(), 1920);
    assert_eq!(bytes[88..96], *b"\x01\0\0\0\x7a\0\0\0");
    assert_eq!(bytes[0xf0..0x100], *b"\x08\0\0\0ENDT\x08\0\0\0ENDT");
    assert_eq!(bytes[0x100..0x104], *b"\xde\xc0\x17\x0b");
}

#[test]
fn each_release_is_read_back() {
    for macos in [11, 12, 13, 14, 15, 26, 27] {
        let library = smallest(macos);
        let bytes = write(&library).unwrap();
        assert_eq!(read(&bytes).as_ref(), Ok(&library), "macOS {macos}");
        assert_eq!(write(&library).unwrap(), bytes);
    }
    let library = largest();
    assert_eq!(read(&write(&library).unwrap()), Ok(library));
    let empty = MetalLibrary::for_macos(&MetalVersions::of_macos(14).unwrap());
    assert_eq!(read(&write(&empty).unwrap()), Ok(empty));
}

/// The header says which release a library is for, in the bytes that Apple's files have.
#[test]
fn headers_of_the_releases() {
    let heads: [(u16, &[u8; 12]); 6] = [
        (11, b"\x01\x80\x02\0\x05\0\0\0\0\0\0\0"),
        (12, b"\x01\x80\x02\0\x06\0\0\x81\x0c\0\0\0"),
        (13, b"\x01\x80\x02\0\x07\0\0\x81\x0d\0\0\0"),
        (14, b"\x01\x80\x02\0\x07\0\0\x81\x0e\0\0\0"),
        (15, b"\x01\x80\x02\0\x08\0\0\x81\x0f\0\0\0"),
        (26, b"\x01\x80\x02\0\x09\0\0\x81\x1a\0\0\0"),
    ];
    for (macos, head) in heads {
        assert_eq!(write(&smallest(macos)).unwrap()[4..16], *head, "macOS {macos}");
    }
    assert_eq!(MetalVersions::of_macos(16), MetalVersions::of_macos(26));
    assert_eq!(MetalVersions::of_macos(13).unwrap().triple(), "air64-apple-macosx13.0.0");
    assert_eq!(MetalVersions::of_macos(26).unwrap().triple(), "air64_v28-apple-macosx26.0.0");
    for unknown in [0, 10, 25, 28, u16::MAX] {
        let error = MetalLibError { at: 0, kind: MetalLibErrorKind::UnknownMacOs(unknown) };
        assert_eq!(MetalVersions::of_macos(unknown), Err(error));
    }
}

/// A reflection starts at a multiple of 16 bytes of the file.
#[test]
fn reflections_are_aligned() {
    for name in 1..20 {
        let mut library = smallest(15);
        library.functions[0].name = "n".repeat(name);
        library.functions[0].reflection = Some(reflection(3));
        let bytes = write(&library).unwrap();
        let at = bytes.windows(4).position(|it| it == b"AIRR").unwrap();
        assert_eq!((at - 4) % 16, 0);
        assert_eq!(read(&bytes), Ok(library));
    }
}

/// No byte can be changed without notice, but for the identity and the numbers and texts that stand for themselves: what
/// is still read has other contents.
#[test]
fn every_changed_byte_is_refused_or_read_as_another_library() {
    for library in [smallest(26), smallest(11), largest()] {
        let bytes = write(&library).unwrap();
        let step = if bytes.len() > 10_000 { 97 } else { 1 };
        let ends = (0..2048).chain((2048..bytes.len()).step_by(step)).chain(bytes.len() - 500..bytes.len());
        for at in ends.filter(|it| *it < bytes.len()) {
            for mask in [1, 0x80, 0xff] {
                let mut changed = bytes.clone();
                changed[at] ^= mask;
                if let Ok(other) = read(&changed) {
                    assert_ne!(other, library, "byte {at}");
                    assert_eq!(write(&other).unwrap(), changed, "byte {at}");
                }
            }
        }
    }
}

#[test]
fn every_prefix_is_refused() {
    let bytes = write(&largest()).unwrap();
    for len in (0..3000).chain((3000..bytes.len()).step_by(101)) {
        assert!(read(&bytes[..len]).is_err(), "{len} bytes");
    }
    let longer = [&bytes[..], &[0]].concat();
    let size = MetalLibErrorKind::FileSize(bytes.len() as u64);
    assert_eq!(read(&longer), Err(MetalLibError { at: 16, kind: size }));
}

#[test]
fn faults_have_names_and_offsets() {
    let bytes = write(&smallest(26)).unwrap();
    let fault = |at: usize, with: &[u8]| {
        let mut changed = bytes.clone();
        changed[at..at + with.len()].copy_from_slice(with);
        let error = read(&changed).unwrap_err();
        (error.at, error.kind)
    };
    use MetalLibErrorKind as K;
    assert_eq!(fault(0, b"MTLC"), (0, K::NotALibrary));
    assert_eq!(fault(8, b"\x0a"), (4, K::FormatVersion(1, 2, 10)));
    assert_eq!(fault(10, b"\x04"), (10, K::HeaderByte(4)));
    assert_eq!(fault(11, b"\x80"), (11, K::HeaderByte(0x80)));
    assert_eq!(fault(24, b"\x59"), (88, K::Place(LibraryPart::Functions)));
    assert_eq!(fault(32, b"\x7b"), (214, K::Place(LibraryPart::Functions)));
    assert_eq!(fault(96, b"LAYR"), (96, K::MissingTag(*b"NAME")));
    assert_eq!(fault(102, b"\xff"), (102, K::NotUtf8));
    assert_eq!(fault(106, b"x"), (102, K::Unterminated));
    assert_eq!(fault(113, b"\x09"), (113, K::FunctionKind(9)));
    assert_eq!(fault(120, b"\x00\x01"), (120, K::Hash));
    assert_eq!(fault(158, b"\x08"), (158, K::Offset(*b"OFFT")));
    assert_eq!(fault(214, b"VLST"), (214, K::UnexpectedTag(*b"VLST")));
    assert_eq!(fault(0x100, b"BC\xc0\xde"), (0x100, K::Wrapper));
    assert_eq!(fault(0x114, b"\xde\xc0\x17\x0b"), (0x114, K::NotBitcode));
    assert_eq!(
        read(&bytes[..40]).unwrap_err().to_string(),
        "at byte 16: the header says that there are 1920 bytes"
    );
}

#[test]
fn bitcode_is_wrapped_once() {
    for len in 0..40 {
        let raw = [&b"BC\xc0\xde"[..], &vec![1; len]].concat();
        let wrapped = wrap(&raw).unwrap();
        assert_eq!(wrapped.len() % 16, 0);
        assert_eq!(unwrap(&wrapped), Ok(&raw[..]));
        assert_eq!(wrap(&wrapped).unwrap_err().kind, MetalLibErrorKind::NotBitcode);
        let longer = [&wrapped[..], &[0; 16]].concat();
        assert_eq!(unwrap(&longer).unwrap_err().kind, MetalLibErrorKind::Padding);
    }
}

/// Parts that the format lacks, and texts that do not fit, are not written.
#[test]
fn libraries_that_cannot_be_written() {
    let refused = |change: fn(&mut MetalLibrary)| {
        let mut library = largest();
        change(&mut library);
        write(&library).unwrap_err().kind
    };
    use MetalLibErrorKind as K;
    assert_eq!(refused(|it| it.platform = None), K::HeaderByte(0));
    assert_eq!(refused(|it| it.functions[0].reflection = None), K::SomeReflections);
    assert_eq!(refused(|it| it.functions[0].archive = Some(2)), K::NoSuchArchive);
    assert_eq!(refused(|it| it.functions[0].name = "n".repeat(65_535)), K::Unwritable(*b"NAME"));
    assert_eq!(refused(|it| it.functions[0].name = "a\0b".into()), K::Unwritable(*b"NAME"));
    assert_eq!(refused(|it| it.functions[0].module = b"BC\xc0\xde".to_vec()), K::Wrapper);
    assert_eq!(refused(|it| it.functions[0].reflection = Some(vec![0; 8])), K::NotAReflection);
    let no_folder = |it: &mut MetalLibrary| it.sources.as_mut().unwrap().working_directory = None;
    assert_eq!(refused(no_folder), K::UnexpectedTag(*b"HSRD"));
}

/// The identity depends on the code alone, and has the marks of a random one.
#[test]
fn the_identity_is_that_of_the_code() {
    let library = smallest(26);
    let uuid = library.uuid.unwrap();
    assert_eq!((uuid[6] >> 4, uuid[8] >> 6), (4, 2));
    assert_eq!(smallest(14).uuid, library.uuid);
    let mut other = library;
    other.functions[0].module = module(1);
    assert_ne!(other.content_uuid(), uuid);
}
