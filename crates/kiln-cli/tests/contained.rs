//! Failures of LLVM are reported at the kernel, and everything else is compiled all the same: fatal errors, crashes, endless
//! loops, and a code generator process that is killed.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// LLVM has no `va_arg` for AMD GPUs and for SPIR-V, its back end for SPIR-V crashes at a barrier without operands, and
/// a product of so many bits takes hours.
const PROGRAM: &str = r#"
using CUDA

good!(x) = (x[1] += 1; nothing)

function fatal!(x)
    x[1] = Base.llvmcall(("""
        define i32 @entry(ptr %p) #0 {
          %y = va_arg ptr %p, i32
          ret i32 %y
        }
        attributes #0 = { alwaysinline }
        """, "entry"), Int32, Tuple{Ptr{Cvoid}}, Ptr{Cvoid}(8))
    nothing
end

function crash!(x)
    Base.llvmcall(("""
        declare spir_func void @_Z7barrierv()
        define void @entry() #0 {
          call spir_func void @_Z7barrierv()
          ret void
        }
        attributes #0 = { alwaysinline }
        """, "entry"), Cvoid, Tuple{})
    nothing
end

function endless!(x)
    Base.llvmcall(("""
        define void @entry(ptr %p) #0 {
          %a = load i200000, ptr %p
          %b = mul i200000 %a, %a
          store i200000 %b, ptr %p
          ret void
        }
        attributes #0 = { alwaysinline }
        """, "entry"), Cvoid, Tuple{Ptr{Cvoid}}, Ptr{Cvoid}(8))
    nothing
end
"#;

struct Place {
    folder: PathBuf,
}

impl Place {
    fn new(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("contained_{name}"));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(folder.join("tmp")).unwrap();
        std::fs::write(folder.join("program.jl"), PROGRAM).unwrap();
        Self { folder }
    }

    /// Compiles functions of the program, each for `Float32`s and a target.
    fn compile(&self, options: &[&str], functions: &[&str], worker: Option<&Path>) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kiln"));
        command.current_dir(&self.folder).env("KILN_CACHE", "off").env("NO_COLOR", "1");
        command.env("TMPDIR", self.folder.join("tmp")).env_remove("KILN_ISOLATE");
        command.envs(worker.map(|it| ("KILN_WORKER", it)));
        command.args(["compile", "-o", "out/", "--emit", "obj"]).args(options).arg("program.jl");
        command.args(functions.iter().map(|it| format!("{it}(CuDeviceVector{{Float32,1}})")));
        command.output().unwrap()
    }

    fn made(&self, function: &str, target: &str) -> bool {
        let ending = match target {
            "spirv64" => "spv",
            "sm_90" => "ptx",
            _ => "o",
        };
        self.folder.join("out").join(format!("{function}.{target}.{ending}")).is_file()
    }

    /// A worker that runs a script, with the number of times that it was started before in `$n`.
    fn worker(&self, script: &str) -> PathBuf {
        let path = self.folder.join("worker.sh");
        let kiln = env!("CARGO_BIN_EXE_kiln");
        let count = "n=$(cat count 2>/dev/null || echo 0); echo $((n + 1)) > count";
        std::fs::write(&path, format!("#!/bin/sh\nkiln={kiln}\n{count}\n{script}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path
    }
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Fatal errors, in this process and in one of its own: each says where the job is, which can be done again; the kernels before
/// and after it are compiled.
#[test]
fn a_fatal_error_is_that_of_one_kernel() {
    for (isolate, targets) in
        [("never", "gfx1100,sm_90"), ("never", "spirv64"), ("devices", "gfx1100,spirv64")]
    {
        let place = Place::new(&format!("fatal_{isolate}_{targets}"));
        let isolate = format!("--isolate={isolate}");
        let output = place.compile(&[&isolate, "-t", targets], &["fatal!", "good!"], None);
        let said = text(&output);
        assert_eq!(output.status.code(), Some(1), "{said}");
        for target in targets.split(',') {
            assert!(place.made("good!", target), "{isolate} {target}: {said}");
            let fails = target != "sm_90";
            assert_eq!(place.made("fatal!", target), !fails, "{isolate} {target}: {said}");
            let what = format!("error[internal]: internal error in LLVM's back end for {target}: ");
            assert_eq!(said.contains(&what), fails, "{said}");
        }
        assert!(said.contains("program.jl:6:10"), "{said}");
        let request = said.split('`').find_map(|it| it.strip_prefix("kiln codegen replay ")).unwrap();
        assert!(Path::new(request).with_file_name("part0.bc").is_file(), "{request}");
        let mut again = Command::new(env!("CARGO_BIN_EXE_kiln"));
        let again = again.args(["codegen", "replay", request]).output().unwrap();
        assert!(String::from_utf8_lossy(&again.stdout).starts_with("Internal: "), "{again:?}");
    }
}

/// MISSION V: LLVM's back end for SPIR-V crashes for real.
#[test]
fn a_crash_is_that_of_one_kernel() {
    let place = Place::new("crash");
    let output = place.compile(&["-t", "spirv64"], &["crash!", "good!"], None);
    let said = text(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("its process was ended by SIGSEGV"), "{said}");
    assert!(said.contains("program.jl:17:10") && said.contains("kiln codegen replay"), "{said}");
    assert!(place.made("good!", "spirv64") && !place.made("crash!", "spirv64"), "{said}");
}

/// LLVM takes hours over it, for real.
#[test]
fn what_does_not_end_is_ended() {
    let place = Place::new("endless");
    let output =
        place.compile(&["-t", "sm_90", "--isolate=devices", "--timeout", "3"], &["endless!", "good!"], None);
    let said = text(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("its process did not answer for 3 s and was ended"), "{said}");
    assert!(place.made("good!", "sm_90"), "{said}");
}

/// A process that is ended at its first request is told of; one that is ended between two is started again.
#[test]
fn a_worker_that_is_killed_is_told_of() {
    let place = Place::new("killed");
    let dies = place.worker("[ $n = 0 ] && kill -9 $$; exec $kiln \"$@\"");
    let output = place.compile(&["-t", "spirv64"], &["fatal!", "good!"], Some(&dies));
    let said = text(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("its process was ended by SIGKILL"), "{said}");
    assert!(place.made("good!", "spirv64"), "{said}");

    let place = Place::new("speechless");
    let speechless = place.worker("echo 'no room' >&2; exit 3");
    let output = place.compile(&["-t", "spirv64", "-t", "sm_90"], &["good!"], Some(&speechless));
    let said = text(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("its process ended (exit status: 3); it said: no room"), "{said}");
    assert!(place.made("good!", "sm_90") && !place.made("good!", "spirv64"), "{said}");

    // `crash!` ends the process that has made `good!`; it is tried in a new one, and the next is made by a third.
    let place = Place::new("proven");
    let counts = place.worker("exec $kiln \"$@\"");
    let output = place.compile(&["-t", "spirv64"], &["good!", "crash!", "fatal!"], Some(&counts));
    let said = text(&output);
    assert!(said.contains("SIGSEGV") && said.contains("G_VAARG"), "{said}");
    assert!(place.made("good!", "spirv64"));
    assert_eq!(std::fs::read_to_string(place.folder.join("count")).unwrap().trim(), "3");
}

/// A program that is no worker is told of as well, and what it is not needed for is compiled.
#[test]
fn a_worker_that_is_none_is_told_of() {
    let place = Place::new("none");
    let output = place.compile(&["-t", "spirv64,sm_90"], &["good!"], Some(Path::new("/no/such/program")));
    let said = text(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("/no/such/program"), "{said}");
    assert!(place.made("good!", "sm_90"), "{said}");
}

/// The same bytes from every process.
#[test]
fn what_is_made_elsewhere_is_the_same() {
    let place = Place::new("same");
    let read = |target: &str, ending: &str| {
        std::fs::read(place.folder.join("out").join(format!("good!.{target}.{ending}"))).unwrap()
    };
    let made = |isolate: &str| {
        let output = place.compile(&[isolate, "-t", "spirv64,sm_90,gfx1100"], &["good!"], None);
        assert!(output.status.success(), "{}", text(&output));
        [read("spirv64", "spv"), read("sm_90", "ptx"), read("gfx1100", "o")]
    };
    assert_eq!(made("--isolate=never"), made("--isolate=devices"));
}
