//! Code objects for AMD GPUs: the output of kiln's linker equals that of LLVM's, for everything that the tests of that target
//! compile; and the outputs of vendors' tools are made once.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod project;
use object::LittleEndian;
use object::elf::FileHeader64;
use object::read::elf::{Dyn, FileHeader, ProgramHeader, SectionHeader, Sym};
use project::Project;
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Where a program is, if it is installed. Says so if it is not.
fn tool(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|it| it.join(name)).find(|it| it.is_file());
    if found.is_none() {
        eprintln!("skipped: a comparison with {name} (scripts/device-tools.sh)");
    }
    found
}

/// Returns the output of `kiln` on both streams.
fn said(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// The signatures that the sections of a file in `tests/device` compile, without options.
fn signatures(file: &Path) -> Vec<String> {
    let text = fs::read_to_string(file).unwrap();
    let sections = text.lines().filter_map(|it| it.trim_start().strip_prefix("#: run "));
    let quoted = sections.filter_map(|it| Some(it.split('\'').nth(1)?.to_owned()));
    quoted.collect::<BTreeSet<String>>().into_iter().collect()
}

/// Returns the parts that a loader maps of a file: its headers, and the bytes up to the end of the last segment, without the place
/// of unmapped parts.
fn mapped(bytes: &[u8]) -> (Vec<[u64; 6]>, Vec<u8>) {
    let header = FileHeader64::<LittleEndian>::parse(bytes).unwrap();
    let segments = header.program_headers(LittleEndian, bytes).unwrap();
    let numbers = segments.iter().map(|it| {
        [
            it.p_type(LittleEndian).0.into(),
            it.p_flags(LittleEndian).0.into(),
            it.p_offset(LittleEndian),
            it.p_vaddr(LittleEndian),
            it.p_memsz(LittleEndian),
            it.p_align(LittleEndian),
        ]
    });
    let end = segments.iter().map(|it| it.p_offset(LittleEndian) + it.p_filesz(LittleEndian)).max().unwrap();
    let mut all = bytes[..end as usize].to_vec();
    let (after_mapped, sections) = (40..48, 60..64);
    after_mapped.chain(sections).for_each(|at| all[at] = 0);
    (numbers.collect(), all)
}

/// The symbols that people's tools show, but the linker's own.
fn symbols(bytes: &[u8]) -> Vec<(String, u64, u64, u8, u8)> {
    let header = FileHeader64::<LittleEndian>::parse(bytes).unwrap();
    let sections = header.sections(LittleEndian, bytes).unwrap();
    let table = sections.symbols(LittleEndian, bytes, object::elf::SHT_SYMTAB).unwrap();
    let all = table.iter().skip(1).map(|it| {
        let name = String::from_utf8(table.symbol_name(LittleEndian, it).unwrap().to_vec()).unwrap();
        let (value, size) = (it.st_value(LittleEndian), it.st_size(LittleEndian));
        (name, value, size, it.st_info().0, it.st_other().0)
    });
    all.filter(|it| it.0 != "_DYNAMIC").collect()
}

/// Checks the tables by which a loader finds a kernel: the addresses in the dynamic table are those of the sections.
fn check_tables(bytes: &[u8]) {
    let header = FileHeader64::<LittleEndian>::parse(bytes).unwrap();
    let sections = header.sections(LittleEndian, bytes).unwrap();
    let address = |name: &[u8]| {
        let (_, section) = sections.section_by_name(LittleEndian, name).unwrap();
        section.sh_addr(LittleEndian)
    };
    let segments = header.program_headers(LittleEndian, bytes).unwrap();
    let dynamic = segments.iter().find_map(|it| it.dynamic(LittleEndian, bytes).unwrap()).unwrap();
    let value = |tag: object::elf::DynamicTag| {
        let entry = dynamic.iter().find(|it| it.d_tag(LittleEndian) == tag).unwrap();
        entry.d_val(LittleEndian)
    };
    assert_eq!(value(object::elf::DT_SYMTAB), address(b".dynsym"));
    assert_eq!(value(object::elf::DT_STRTAB), address(b".dynstr"));
    assert_eq!(value(object::elf::DT_HASH), address(b".hash"));
    assert_eq!(value(object::elf::DT_GNU_HASH), address(b".gnu.hash"));
}

/// MISSION G: of every signature of the tests of devices, for several GPUs, the code object that kiln links is the one that
/// `ld.lld` links, to the byte in what is loaded, with the same symbols.
#[test]
fn code_objects_are_those_of_the_usual_linker() {
    let project = Project::new("same");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/device").canonicalize().unwrap();
    let mut compared = 0;
    for name in ["gcn.jl", "utilities.jl"] {
        let file = folder.join(name);
        let signatures = signatures(&file);
        for form in ["obj", "bin"] {
            let file = file.display().to_string();
            let mut args =
                vec!["compile", "-t", "gfx900,gfx90a,gfx1100", "--emit", form, "-o", "made", file.as_str()];
            args.extend(signatures.iter().map(String::as_str));
            // Not every signature is one for every GPU.
            project.kiln("rw", &args);
        }
    }
    let made = fs::read_dir(project.dir.join("made")).unwrap().map(|it| it.unwrap().path());
    for object in made.filter(|it| it.extension().is_some_and(|it| it == "o")) {
        let own = fs::read(object.with_extension("hsaco")).unwrap();
        check_tables(&own);
        compared += 1;
        let Some(linker) = tool("ld.lld-22") else { continue };
        let usual = project.dir.join("usual.hsaco");
        let args = ["-shared", "--build-id=none", "-o"];
        assert!(Command::new(linker).args(args).args([&usual, &object]).status().unwrap().success());
        let usual = fs::read(&usual).unwrap();
        assert_eq!(mapped(&own), mapped(&usual), "{}", object.display());
        assert_eq!(symbols(&own), symbols(&usual), "{}", object.display());
    }
    assert!(compared > 50, "{compared} objects");
}

const PROGRAM: &str = "kernel!(y, n) = (unsafe_store!(y, n * n); return)\n";
const KERNEL: &str = "kernel!(Ptr{Int64}, Int64)";

/// MISSION G, C14: a code object needs no linker of anybody's.
#[test]
fn a_code_object_needs_no_tool() {
    let project = Project::new("alone");
    fs::write(project.dir.join("program.jl"), PROGRAM).unwrap();
    let args = ["compile", "-t", "gfx1100", "-o", "out.hsaco", "program.jl", KERNEL];
    let mut command = project.command("off", &args);
    command.env("PATH", "/nowhere").env("KILN_LLD", "/nowhere/ld.lld").env_remove("KILN_TOOLS");
    said(&command.output().unwrap());
    check_tables(&fs::read(project.dir.join("out.hsaco")).unwrap());
}

/// MISSION C14, N12: what a vendor's tool makes is made once, and again when the tool or the object is another.
#[test]
fn what_a_tool_makes_is_kept() {
    let project = Project::new("tool");
    fs::write(project.dir.join("program.jl"), PROGRAM).unwrap();
    // It writes down that it ran, and makes what it is given.
    let assembler = project.dir.join("assembler");
    let write_tool = |comment: &str| {
        let script = "echo ran >> runs\ncp \"$4\" \"$3\"";
        fs::write(&assembler, format!("#!/bin/sh\n# {comment}\n{script}\n")).unwrap();
        fs::set_permissions(&assembler, fs::Permissions::from_mode(0o755)).unwrap();
    };
    let runs = || fs::read_to_string(project.dir.join("runs")).unwrap_or_default().lines().count();
    let compile = |target: &str| {
        let args = ["compile", "-t", target, "--emit", "bin", "-o", "out.cubin", "program.jl", KERNEL];
        let output = project.command("rw", &args).env("KILN_PTXAS", &assembler).output().unwrap();
        said(&output);
        assert!(fs::read_to_string(project.dir.join("out.cubin")).unwrap().contains(".entry"));
        runs()
    };
    write_tool("first");
    assert_eq!([compile("sm_90"), compile("sm_90"), compile("sm_70"), compile("sm_90")], [1, 1, 2, 2]);
    write_tool("the second one");
    assert_eq!([compile("sm_90"), compile("sm_90")], [3, 3]);
    let edited = PROGRAM.replace("n * n", "n + n");
    fs::write(project.dir.join("program.jl"), edited).unwrap();
    assert_eq!([compile("sm_90"), compile("sm_90")], [4, 4]);
}
