//! C programs of what was built, where there is no kiln.

use crate::project::{Project, SIGNATURES, c_compiler, compiler, runtime};

const MAIN: &str = include_str!("main.c");

/// The output of `main.c`.
fn check_output(said: &str) {
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines[0], "DomainError(0) in root(Float64, Int32)", "{said}");
    assert_eq!(lines[1], "  in root at program.jl:61", "{said}");
    assert!(
        lines[2].starts_with(
            "BoundsError: an array of size 200 at index (201) in saxpy!(CuDeviceVector{Float32,1}, "
        ),
        "{said}"
    );
    assert!(lines[2].ends_with(", item (0, 0, 0) of group (2, 0, 0), counted from 0"), "{said}");
    assert!(lines.contains(&"  in saxpy! at program.jl:6"), "{said}");
    assert_eq!(lines.last(), Some(&"ok"), "{said}");
}

fn project(test: &str) -> Project {
    let project = Project::new(test);
    std::fs::write(project.0.join("main.c"), MAIN).unwrap();
    project
}

/// MISSION N13: a program in C launches kernels of a shared library, with neither kiln nor its cache in reach.
#[test]
fn a_program_runs_a_shared_library() {
    let Some(cc) = c_compiler() else { return };
    let project = project("shared");
    project.build(&["-o", "libkernels.so", "--header", "kernels.h"], &SIGNATURES);
    let runtime = runtime();
    let folder = format!("-L{}", runtime.display());
    project
        .compile(cc, &["-std=c99", "main.c", "-o", "main", "-L.", "-lkernels", &folder, "-lkiln_rt", "-lm"]);
    check_output(&project.run("main"));
}

/// MISSION N13: the same, of an archive and of objects, with the runtime linked statically.
#[test]
fn a_program_runs_archives_and_objects() {
    let Some(cc) = c_compiler() else { return };
    let project = project("archive");
    project.build(&["-o", "libkernels.a", "--header", "kernels.h"], &SIGNATURES);
    project.build(&["--emit", "object", "-o", "objects"], &SIGNATURES);
    let runtime = runtime().join("libkiln_rt.a").display().to_string();
    let system = ["-lpthread", "-ldl", "-lm"];
    let of = |program: &'static str, inputs: &[String]| {
        let mut args = vec!["-std=c11", "main.c", "-o", program];
        args.extend(inputs.iter().map(String::as_str));
        args.push(&runtime);
        args.extend(system);
        project.compile(cc, &args);
        check_output(&project.run(program));
    };
    of("of_archive", &["libkernels.a".into()]);
    let objects = crate::project::SYMBOLS.map(|it| format!("objects/{it}.o"));
    of("of_objects", &objects);
}

/// The header is clean in each language that it is for.
#[test]
fn the_header_is_clean() {
    let (Some(cc), Some(cxx)) = (c_compiler(), compiler(&["c++", "g++", "clang++"])) else { return };
    let project = Project::new("header");
    let wide = ["wide(Int128, UInt128, Char, Float16, Ptr{Cvoid}, Ptr{UInt8})"];
    let more = "\nwide(a, b, c, d, p, q) = a + b % Int128 + Int64(c) + (p == q)\n";
    let program = [include_str!("program.jl"), more].concat();
    std::fs::write(project.0.join("program.jl"), program).unwrap();
    project.build(&["--emit", "header", "-o", "kernels.h"], &[&SIGNATURES[..], &wide].concat());
    project.build(
        &["-o", "others.h"],
        &["other=saxpy!(CuDeviceVector{Float32,1}, Float32, CuDeviceVector{Float32,1})"],
    );
    let text = "#include \"kernels.h\"\n#include \"others.h\"\n#include \"kernels.h\"\nint main(void) { return 0; }\n";
    for (compiler, standard, file) in
        [(cc, "c99", "one.c"), (cc, "c11", "two.c"), (cxx, "c++17", "three.cpp")]
    {
        std::fs::write(project.0.join(file), text).unwrap();
        project.compile(compiler, &[&format!("-std={standard}"), "-c", file, "-o", "checked.o"]);
    }
}

/// The first block of a page in a language.
fn block<'a>(page: &'a str, language: &str) -> &'a str {
    let (_, rest) = page.split_once(&format!("```{language}\n")).unwrap();
    rest.split_once("```").unwrap().0
}

/// The program of `docs/ahead-of-time.md` prints what it should.
#[test]
fn the_program_of_the_guide_runs() {
    let Some(cc) = c_compiler() else { return };
    let page = include_str!("../../../../docs/ahead-of-time.md");
    let project = Project::with_program("guide", block(page, "julia"));
    std::fs::write(project.0.join("main.c"), block(page, "c")).unwrap();
    let signatures: Vec<&str> = block(page, "sh").split('\'').skip(1).step_by(2).collect();
    project.build(&["-o", "libsaxpy.so", "--header", "saxpy.h"], &signatures);
    let folder = format!("-L{}", runtime().display());
    project.compile(cc, &["main.c", "-o", "main", "-L.", "-lsaxpy", &folder, "-lkiln_rt"]);
    assert_eq!(project.run("main"), "2998 5\n");
}

const TWO: &str = r#"
#include "kiln_rt.h"
#include <dlfcn.h>
#include <stdio.h>

static double scaled(const char *library) {
    void *opened = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    const struct kiln_rt_kernel *scale = opened ? (const struct kiln_rt_kernel *)dlsym(opened, "scale") : 0;
    uint64_t args[1], value[1];
    double x = 7, result = 0;
    if (!scale) { puts(dlerror()); return 0; }
    __builtin_memcpy(args, &x, 8);
    if (kiln_rt_call(scale, args, value, 0) == KILN_RT_OK) __builtin_memcpy(&result, value, 8);
    return result;
}

int main(int count, char **names) {
    (void)count;
    printf("%g %g\n", scaled(names[1]), scaled(names[2]));
    return 0;
}
"#;

/// Two libraries with functions of one name are in one process, and do not see each other.
#[test]
fn two_libraries_do_not_clash() {
    let Some(cc) = c_compiler() else { return };
    let program =
        |factor: u32| format!("@noinline inner(x) = {factor}x + sin(0 * x)\nscale(x::Float64) = inner(x)\n");
    let one = Project::with_program("two", &program(2));
    one.build(&["-o", "one.so"], &["scale(Float64)"]);
    std::fs::write(one.0.join("program.jl"), program(3)).unwrap();
    one.build(&["-o", "other.so"], &["scale(Float64)"]);
    std::fs::write(one.0.join("two.c"), TWO).unwrap();
    let folder = format!("-L{}", runtime().display());
    one.compile(cc, &["-std=c11", "two.c", "-o", "two", &folder, "-lkiln_rt", "-ldl"]);
    let mut command = std::process::Command::new(one.0.join("two"));
    command.args(["one.so", "other.so"].map(|it| one.0.join(it))).env("LD_LIBRARY_PATH", runtime());
    let ran = command.output().unwrap();
    assert_eq!(String::from_utf8_lossy(&ran.stdout), "14 21\n");
}

const RANDOM: &str = "
using CUDA
drawn() = rand()
noise!(y) = (y[threadIdx().x] = rand(Float64); return)
";

const RANDOM_MAIN: &str = "
#include <stdio.h>
#include \"random.h\"
int main(void) {
    double all[3][4];
    for (int round = 0; round < 3; round++) {
        if (round != 1) kiln_rt_set_seed(7); /* the second round goes on */
        kiln_array_float64_1 view = {all[round] + 2, {2}};
        if (drawn_call(&all[round][0], NULL) || drawn_call(&all[round][1], NULL)) return 1;
        if (noise_launch(kiln_rt_size_1d(1, 2), view, NULL)) return 2;
    }
    for (int i = 0; i < 4; i++) {
        if (all[0][i] != all[2][i] || all[0][i] < 0 || all[0][i] >= 1) return 3;
        for (int j = 0; j < 4; j++)
            if (all[0][i] == all[1][j] || (i != j && all[0][i] == all[0][j])) return 4;
    }
    puts(\"ok\");
    return 0;
}
";

/// Calls and launches draw other random numbers each time, and the same after the same seed.
#[test]
fn random_numbers_go_on() {
    let Some(cc) = c_compiler() else { return };
    let project = Project::with_program("random", RANDOM);
    std::fs::write(project.0.join("main.c"), RANDOM_MAIN).unwrap();
    let signatures = ["drawn()", "noise!(CuDeviceVector{Float64,1})"];
    project.build(&["-o", "librandom.so", "--header", "random.h"], &signatures);
    let folder = format!("-L{}", runtime().display());
    project
        .compile(cc, &["-std=c99", "main.c", "-o", "main", "-L.", "-lrandom", &folder, "-lkiln_rt", "-lm"]);
    assert_eq!(project.run("main"), "ok\n");
}
