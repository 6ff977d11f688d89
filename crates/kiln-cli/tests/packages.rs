//! Packages are found and loaded as Julia finds and loads them: the packages of `tests/packages`, each for one rule. MISSION E1.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod project;

use project::Project;
use std::path::PathBuf;
use std::process::Command;

fn packages() -> PathBuf {
    kiln_testing::repository().join("tests/packages")
}

/// The command in the folder of packages, without the variables that the rules depend on.
fn kiln() -> Command {
    let mut command = project::uncached();
    command
        .current_dir(packages())
        .env_remove("JULIA_PROJECT")
        .env_remove("JULIA_LOAD_PATH")
        .env_remove("MENDED");
    command.env("JULIA_DEPOT_PATH", packages().join("depot"));
    command
}

/// Runs code with options; returns the exit code, standard output and standard error.
fn run(options: &[&str], code: &str, variables: &[(&str, &str)]) -> (i32, String, String) {
    let mut command = kiln();
    let output = command.args(options).args(["-e", code]).envs(variables.iter().copied()).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

/// The output of code that runs in the environment `env`.
fn output(code: &str) -> String {
    let (status, out, errors) = run(&["--project=env"], code, &[]);
    assert_eq!(status, 0, "{code}: {errors}");
    out
}

/// The error of code that fails in the environment `env`.
fn error(code: &str) -> String {
    let (status, out, errors) = run(&["--project=env"], code, &[]);
    assert_eq!(status, 1, "{code}: {out}");
    errors
}

/// Packages come from the paths of a manifest, from depots, and from folders.
#[test]
fn packages_are_found() {
    assert_eq!(output("using Trigger; print(Trigger.Thing(), pkgversion(Trigger))"), "Trigger.Thing()0.1.7");
    assert_eq!(
        output("using Stored; print(pkgversion(Stored), endswith(Stored.place(), \"Stored/HDkrT/src\"))"),
        "1.2.3true"
    );
    assert!(error("using Unstored").contains("depot/packages/Unstored/me9k3"));
    let folder = [("KILN_CORPUS", "folder")];
    assert_eq!(run(&[], "using Checked, Single; print(pathof(Single))", &folder).0, 0);
    let paths = [("JULIA_LOAD_PATH", "folder:@stdlib")];
    assert_eq!(
        run(&[], "using Checked, Single, Test; print(LOAD_PATH)", &paths).1,
        "[\"folder\", \"@stdlib\"]"
    );
    assert_eq!(run(&[], "push!(LOAD_PATH, \"folder\"); using Single; print(Single)", &[]).1, "Single");
}

/// The project comes from the option, else from the variable, and programs may choose another.
#[test]
fn a_project_is_active() {
    let name = "print(basename(dirname(Base.active_project())))";
    assert_eq!(output(name), "env");
    assert_eq!(run(&[], name, &[("JULIA_PROJECT", "sources")]).1, "sources");
    assert_eq!(run(&["--project=env"], name, &[("JULIA_PROJECT", "sources")]).1, "env");
    let mut inside = kiln();
    inside.current_dir(packages().join("sources/inner/src")).args(["--project", "-e", name]);
    assert_eq!(inside.output().unwrap().stdout, b"inner");
    assert_eq!(run(&[], "print(Base.active_project(false))", &[]).1, "nothing");
    assert_eq!(
        run(&[], "import Pkg; Pkg.activate(\"env\"); using Trigger; print(Trigger)", &[]).1,
        "Trigger"
    );
}

/// A project without a manifest has the paths of its sources; projects of a workspace have its manifest.
#[test]
fn projects_without_a_manifest_of_their_own() {
    assert_eq!(run(&["--project=sources"], "using Outer; print(Outer.answer())", &[]).1, "42");
    assert_eq!(run(&["--project=workspace/member"], "using Trigger; print(Trigger)", &[]).1, "Trigger");
}

/// A missing package is one error at its line, with what was searched.
#[test]
fn missing_packages_are_told() {
    let errors = error("1 + 1\nusing Nowhere");
    assert!(
        errors.starts_with("error[missing-package]: ArgumentError: Package Nowhere not found"),
        "{errors}"
    );
    assert!(
        errors.contains("none:2:1") && errors.contains("^^^^") && errors.contains("env/Project.toml"),
        "{errors}"
    );
    let errors = error("using Unlisted");
    assert!(errors.contains("Package Unlisted does not have Trigger in its dependencies"), "{errors}");
    assert!(errors.contains("Unlisted.jl:4:1"), "{errors}");
    let errors = error("using Misnamed");
    assert!(errors.contains("did not define the expected module"), "{errors}");
    let (_, _, errors) = run(&["--project=wrong"], "using Trigger", &[]);
    assert!(errors.contains("wrong/Project.toml:3: `deps.Trigger` must be a string"), "{errors}");
}

/// `__init__` runs when a package's own module ends, inner modules first.
#[test]
fn packages_are_initialized_before_they_are_used() {
    assert_eq!(output("using Early; print(Early.seen)"), "42");
    assert_eq!(
        output(
            "using Early; print(Early.own_file, ' ', Early.Part.file, ' ', Early.own_folder, ' ', Early.versions)"
        ),
        "Early.jl Early.jl Early VersionNumber[v\"0.1.2\", v\"0.1.2\"]"
    );
    assert_eq!(output("using Early; print(Early.seen_names, Early.tripled(1))"), "[:doubled, :tripled]3");
    assert_eq!(output("using Initial; print(Initial.order)"), "[\"innermost\", \"inner\", \"root\"]");
    assert_eq!(
        output(
            "module Outer\nusing Initial\nprint(Initial.state[])\nmodule Inner\n__init__() = print(\" init\")\nend\nprint(\" end\")\nend"
        ),
        "42 end init"
    );
}

/// A generator sees all of its package once that is loaded.
#[test]
fn generators_see_what_their_package_defines_later() {
    assert_eq!(output("using Generating; print(Generating.width(1.5), Generating.width(0x01))"), "648");
    // While the package loads, the helper is not there: an undefined name.
    assert_eq!(output("using Generating; print(typeof(Generating.while_loading))"), "UndefVarError");
}

/// A package that throws is not loaded: the next `using` runs it again.
#[test]
fn what_throws_is_not_loaded() {
    let twice = "for _ in 1:2 try @eval using Broken catch e print(e isa LoadError) end end; print(haskey(Base.loaded_modules, Base.identify_package(\"Broken\")))";
    assert_eq!(output(twice), "truetruefalse");
    assert_eq!(
        output("try @eval using Broken catch end; ENV[\"MENDED\"] = \"yes\"; using Broken; print(answer())"),
        "42"
    );
}

#[test]
fn cycles_are_named() {
    let errors = error("using CycleA");
    assert!(errors.contains("deadlock detected in loading CycleA using CycleB using CycleA"), "{errors}");
}

/// Packages of one name are told apart by their UUIDs.
#[test]
fn two_packages_of_one_name() {
    assert_eq!(output("using Twin, UsesTwin; print(Twin.which(), UsesTwin.Twin.which())"), "12");
    assert_eq!(
        output("using UsesTwin, Twin; print(count(it -> it.name == \"Twin\", keys(Base.loaded_modules)))"),
        "2"
    );
}

/// Extensions are loaded once all triggers are, in any order; one that throws is logged.
#[test]
fn extensions_are_loaded() {
    let shown =
        "print(Parent.loaded, Base.get_extension(Parent, :OneExt), \" \", Parent.describe(Trigger.Thing()))";
    assert_eq!(output(&format!("using Parent, Trigger; {shown}")), "[:OneExt]OneExt thing");
    assert_eq!(output(&format!("using Trigger, Parent; {shown}")), "[:OneExt]OneExt thing");
    assert_eq!(output("using Parent; print(Base.get_extension(Parent, :OneExt))"), "nothing");
    let all = "using Parent, Trigger, Other; print(Parent.loaded, parentmodule(Base.get_extension(Parent, :BothExt)))";
    let (status, out, errors) = run(&["--project=env"], all, &[]);
    assert_eq!((status, &*out), (0, "[:OneExt, :BothExt]BothExt"), "{errors}");
    assert!(
        errors.contains("Error during loading of extension FailingExt of Parent")
            && errors.contains("it fails"),
        "{errors}"
    );
    let again = "using Parent, Other; ENV[\"MENDED\"] = \"yes\"; Base.retry_load_extensions(); print(Base.get_extension(Parent, :FailingExt))";
    assert_eq!(output(again), "FailingExt");
}

/// The interface of Base that packages use while they load.
#[test]
fn packages_are_asked_about() {
    assert_eq!(
        output("using Parent; print(Base.PkgId(Parent), \" \", Base.PkgId(Main))"),
        "Parent [00000000-0000-4000-8000-000000000006] Main [top-level]"
    );
    assert_eq!(
        output(
            "print(basename(Base.locate_package(Base.identify_package(\"Stored\"))), Base.find_package(\"Nowhere\"))"
        ),
        "Stored.jlnothing"
    );
    assert_eq!(
        output(
            "seen = []; push!(Base.package_callbacks, it -> push!(seen, it.name)); using Early; print(seen)"
        ),
        "Any[\"Initial\", \"Early\"]"
    );
    assert_eq!(
        output(
            "using Initial; print(basename(pkgdir(Initial)), basename(pkgdir(Initial.Inner, \"src\")), basename(pathof(Initial)))"
        ),
        "InitialsrcInitial.jl"
    );
    assert_eq!(
        output(
            "using Trigger; print(Base.require(Base.PkgId(Trigger)) === Trigger, Base.root_module(Base.PkgId(Trigger)) === Trigger)"
        ),
        "truetrue"
    );
    assert_eq!(
        output(
            "using Trigger; print(Base.moduleroot(Trigger) === Trigger, parentmodule(Trigger) === Trigger, Base.generating_output())"
        ),
        "truetruefalse"
    );
    let version = kiln::packages::JULIA_VERSION;
    assert_eq!(output("print(Int.((VERSION.major, VERSION.minor, VERSION.patch)))"), format!("{version:?}"));
}

/// Modules that kiln brings stand in for the packages of their UUIDs.
#[test]
fn modules_of_kiln_stand_in() {
    assert_eq!(
        output("using LinearAlgebra; print(Base.PkgId(LinearAlgebra).uuid)"),
        "37e2e46d-f89d-539d-b4ee-838fcccc9c8e"
    );
    let loaded = "print(any(it -> it.name == \"Adapt\", keys(Base.loaded_modules)))";
    assert_eq!(output(loaded), "false");
    assert_eq!(output(&format!("using KernelAbstractions; {loaded}")), "true");
}

/// A module that only stands in for a package gives way to one that an environment has.
#[test]
fn stand_ins_give_way_to_packages() {
    let shown = "using StaticArrays; print(pkgversion(StaticArrays), \" \", isdefined(StaticArrays, :greet))";
    let with = |path: &str| run(&[], shown, &[("JULIA_LOAD_PATH", path)]);
    assert_eq!(with("replaced:@stdlib"), (0, "9.8.7 true".into(), String::new()));
    assert_eq!(with("@stdlib:replaced").1, "9.8.7 true", "in any order");
    assert_eq!(with("@stdlib"), (0, "nothing false".into(), String::new()));
}

/// A preference is a constant of the package's code: code of another value is never taken from the cache.
#[test]
fn preferences_reach_the_code_and_its_keys() {
    assert_eq!(
        output("using Choosy; print(Choosy.scaled(2), Base.COMPILETIME_PREFERENCES[Choosy.id.uuid])"),
        "14Set([\"limit\"])"
    );
    let own = Project::new("preferences");
    let env = format!(
        "[deps]\nChoosy = \"00000000-0000-4000-8000-000000000009\"\n[sources]\nChoosy = {{path = {:?}}}\n",
        packages().join("Choosy")
    );
    std::fs::write(own.dir.join("Project.toml"), env).unwrap();
    let program =
        "using Choosy\nf(n) = (s = 0; for i in 1:n; s += Choosy.scaled(i); end; s)\nprint(f(100_000))";
    std::fs::write(own.dir.join("program.jl"), program).unwrap();
    for limit in [3, 3, 4] {
        std::fs::write(own.dir.join("LocalPreferences.toml"), format!("[Choosy]\nlimit = {limit}\n"))
            .unwrap();
        let output = own.kiln("rw", &["run", "--project=.", "program.jl"]);
        let said = String::from_utf8(output.stdout).unwrap();
        assert_eq!(
            said,
            (limit * 5_000_050_000_u64).to_string(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
}

/// `kiln pkg` says where packages are, what is missing, and what stands in.
#[test]
fn packages_are_explained() {
    let pkg = |args: &[&str]| {
        let output = kiln().arg("pkg").args(args).arg("--project=env").output().unwrap();
        (
            output.status.code().unwrap(),
            String::from_utf8(output.stdout).unwrap(),
            String::from_utf8(output.stderr).unwrap(),
        )
    };
    let (code, out, _) = pkg(&["status"]);
    assert_eq!(code, 1, "one is missing");
    assert!(out.contains("Stored 1.2.3: ") && out.contains("Unstored: missing: "), "{out}");
    assert!(out.contains("the project ") && out.contains("the packages that kiln brings"), "{out}");
    let (code, out, _) = pkg(&["why", "Test"]);
    assert!(code == 0 && out.contains("kiln's own module stands in"), "{out}");
    let (code, out, _) = pkg(&["why", "Trigger", "--within", "Unlisted"]);
    assert!(code == 1 && out.contains("does not have Trigger in its dependencies"), "{out}");
    let (code, out, _) = pkg(&["why", "--json", "Stored"]);
    assert!(code == 0 && out.contains("\"version\":\"1.2.3\"") && out.contains("HDkrT"), "{out}");
    let (code, _, errors) = pkg(&["why", "Test", "--within", "Nowhere"]);
    assert!(code == 2 && errors.contains("error[missing-package]"), "{errors}");
}

/// A package that asks arrays of devices for functions of its own has them once it is loaded, whether it or a dialect is loaded first.
#[test]
fn dialects_are_back_ends_of_packages_of_arrays() {
    let code = "
        a = CuArray(Float32[1 2; 3 4])
        print(Array(mapreduce(abs2, +, a; dims = 1, init = 0f0)), ' ', Array(GPUArrays.derive(Int32, a, (2,), 2)), ' ')
        print(Array(rand!(GPUArrays.RNG(6), CuArray([0, 0]))), ' ', Array(randn!(GPUArrays.RNG(1), CuArray([0.0]))), ' ')
        print(GPUArrays.storage(a).data == Array(a), ' ', Array(rand!(Xoshiro(1), a)) == Array(rand!(Xoshiro(1), a)))
        GPUArrays.unsafe_free!(a)";
    let paths = [("JULIA_LOAD_PATH", "arrays:@stdlib")];
    for order in ["using GPUArrays, CUDA, Random", "using CUDA, Random, GPUArrays"] {
        let (status, out, errors) = run(&[], &format!("{order}{code}"), &paths);
        assert_eq!(
            (status, out.as_str()),
            (0, "Float32[10.0 20.0] Int32[1073741824, 1082130432] [7, 7] [-2.0] true true"),
            "{errors}"
        );
    }
}
