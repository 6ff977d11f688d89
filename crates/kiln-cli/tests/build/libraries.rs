//! What linkers and debuggers see of a library.

use crate::project::{Project, SIGNATURES, SYMBOLS, runtime};
use object::{Object, ObjectSection, ObjectSymbol};

fn names<'a>(symbols: impl Iterator<Item = object::Symbol<'a, 'a>>) -> Vec<String> {
    let visible = symbols.filter(|it| it.is_definition() && it.is_global());
    let mut names: Vec<String> = visible.map(|it| it.name().unwrap().to_owned()).collect();
    names.sort();
    names
}

/// MISSION N13: a library exports what was asked for, and the system shares its code between processes.
#[test]
fn a_library_exports_what_was_asked_for() {
    let project = Project::new("exports");
    project.build(&["-o", "kernels.so"], &SIGNATURES);
    let bytes = project.read("kernels.so");
    let library = object::File::parse(&*bytes).unwrap();
    assert_eq!(names(library.dynamic_symbols()), SYMBOLS);
    let shown =
        std::process::Command::new("readelf").args(["-dlW", "kernels.so"]).current_dir(&project.0).output();
    let shown = String::from_utf8_lossy(&shown.unwrap().stdout).into_owned();
    assert!(!shown.contains("TEXTREL") && !shown.contains("RWE"), "{shown}");
    assert!(shown.contains("Library soname: [kernels.so]"), "{shown}");
    assert!(!shown.contains("kiln_rt"), "a library needs no runtime by itself: {shown}");
    project.build(&["--emit", "object", "-o", "saxpy.o"], &SIGNATURES[..1]);
    let bytes = project.read("saxpy.o");
    assert_eq!(names(object::File::parse(&*bytes).unwrap().symbols()), ["saxpy"]);
}

/// The runtime exports its interface.
#[test]
fn the_runtime_exports_its_interface() {
    let bytes = std::fs::read(runtime().join("libkiln_rt.so")).unwrap();
    let exported = names(object::File::parse(&*bytes).unwrap().dynamic_symbols());
    let bundles = ["artifact", "close", "kernel", "open"].map(|it| format!("kiln_bundle_{it}"));
    let launches = ["call", "launch", "set_seed", "set_threads"].map(|it| format!("kiln_rt_{it}"));
    assert_eq!(exported, [&bundles[..], &launches].concat());
}

/// Lines are for debuggers; `--strip` leaves them out.
#[test]
fn a_library_has_lines() {
    let project = Project::new("lines");
    project.build(&["-o", "with.so"], &SIGNATURES[..1]);
    project.build(&["--strip", "-o", "without.so"], &SIGNATURES[..1]);
    let has_lines = |name: &str| {
        let bytes = project.read(name);
        let library = object::File::parse(&*bytes).unwrap();
        let lines = library.section_by_name(".debug_line");
        lines.is_some_and(|it| it.data().unwrap().windows(10).any(|it| it == b"program.jl"))
    };
    assert!(has_lines("with.so") && !has_lines("without.so"));
}
