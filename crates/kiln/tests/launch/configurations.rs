//! Configurations of kernels: the results that jobs with one different option share, and the effects of options. MISSION C3, C4, N7.

use super::{GRID, Program, SAXPY, allocations};
use kiln::internals::SessionInternals as _;
use kiln::{ConfigId, DeviceOptions, Grid, KernelOptions, Together};
use std::collections::BTreeSet;

/// The results shared by jobs that differ in an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shares {
    /// Inferred code, and units.
    Units,
    /// Inferred code.
    Inference,
    Nothing,
}
use Shares::{Inference, Nothing, Units};

/// Every option, as a launch gives it. What it changes is a field of the defaults taken apart: an option that is added does
/// not compile here until it is in the list.
fn changes() -> Vec<(&'static str, Shares)> {
    let KernelOptions {
        name: _,
        target: _,
        always_inline: false,
        debug_level: 1,
        heap_bytes: _,
        device:
            DeviceOptions {
                opt_level: 3,
                verify: _, // is no option of a launch
                lines: true,
                fastmath: false,
                items: None,
                items_max: None,
                groups_min: None,
                registers_max: None,
                language: None,
                code_object: None,
                extensions: _,
            },
    } = KernelOptions::default()
    else {
        panic!("the list flips other defaults");
    };
    vec![
        ("name = :renamed", Units),
        ("target = Symbol(\"x86-64-v2\")", Nothing), // it may have no fused multiply-add where this machine has
        ("always_inline = true", Nothing),
        ("opt_level = 1", Inference),
        ("opt_level = 0", Inference),
        ("debug_level = 0", Inference),
        ("debug_level = 2", Inference),
        ("strip = true", Units),
        ("fastmath = true", Units),
        ("items = (256, 1, 1)", Units),
        ("items_max = (256, 1, 1)", Units),
        ("items_max = (512, 1, 1)", Units),
        ("groups_min = 2", Units),
        ("registers_max = 32", Units),
        ("language = 80", Units),
        ("code_object = 5", Units),
        ("extensions = \"+SPV_KHR_expect_assume\"", Units),
        ("heap_bytes = 1024", Units),
    ]
}

fn with(it: &Program, option: &str) -> ConfigId {
    it.session.kernel_config(&format!("(; method_tables = (CUDA.method_table,), {option})")).unwrap()
}

/// MISSION C3, C4: jobs that differ in one option never share a kernel or a key; limits of launches, names and flags of
/// tools infer nothing and compile no unit; levels infer nothing.
#[test]
fn jobs_share_what_an_option_does_not_change() {
    let it = Program::new(SAXPY);
    let (plain, function, args) = it.job("saxpy!", "args");
    let first = it.session.kernel(&plain).unwrap();
    let configs = &it.session.exec_env().exec.configs;
    let mut keys = BTreeSet::from([configs.compiler_config(it.config).key()]);
    let mut kernels = vec![first];
    for (option, shares) in changes() {
        let config = with(&it, option);
        assert_eq!(config, with(&it, option), "{option}: equal options are one configuration");
        assert!(keys.insert(configs.compiler_config(config).key()), "{option}: another key");
        let owners = [config, it.config].map(|it| configs.compiler_config(it).owner());
        let before = it.work();
        let kernel = it.session.kernel(&it.session.kernel_job(function, &args, config)).unwrap();
        let after = it.work();
        assert!(!kernels.contains(&kernel), "{option}: another kernel");
        kernels.push(kernel);
        if shares != Nothing {
            assert_eq!(owners[0], owners[1], "{option}");
            assert_eq!(after[1], before[1], "{option} infers nothing");
        }
        assert_eq!(after[0] == before[0], shares == Units, "{option}: units compiled");
        it.session.launch(kernel, &GRID, function, &args).unwrap();
    }
    assert_eq!(it.session.kernel(&plain).unwrap(), first);
    let done = format!("all(Array(y) .== {}.0f0)", 1 + 2 * changes().len());
    assert_eq!(it.session.evaluate(&done).unwrap().bits() & 1, 1, "each computes what the others do");
}

/// MISSION C10: options that were given before are found without allocating, whatever they are.
#[test]
fn known_options_are_found_without_allocating() {
    let it = Program::new(SAXPY);
    it.run("const OPTIONS = (; method_tables = (CUDA.method_table,), name = :k, always_inline = true, items_max = (64, 1, 1))");
    let options = it.session.evaluate("OPTIONS").unwrap();
    let first = it.session.exec_env().config_of(options).unwrap();
    // Values that are read are objects of the heap, which takes a block of memory now and then, and not each time.
    let allocated = || {
        let before = allocations();
        for _ in 0..100 {
            assert!(it.session.exec_env().config_of(options).is_ok_and(|it| it == first));
        }
        allocations() - before
    };
    assert_eq!((0..8).map(|_| allocated()).min(), Some(0));
}

/// An unknown option, or a wrong value of one, is an exception that says so.
#[test]
fn wrong_options_are_refused() {
    let it = Program::new(SAXPY);
    let wrong = [
        ("max_threads = 1", "kernels have no option `max_threads`"),
        ("opt_level = 4", "must be a number from 0 to 3"),
        ("debug_level = -1", "must be a number from 0 to 2"),
        ("items_max = (0, 1, 1)", "must be three positive numbers"),
        ("items = 3", "must be three positive numbers"),
        ("registers_max = 2^40", "must be a positive number"),
        ("always_inline = 1", "must be true or false"),
        ("name = \"text\"", "must be a symbol"),
        ("target = :pdp11", "there is no target `pdp11`"),
        ("method_tables = (1,)", "must be a tuple of method tables"),
    ];
    for (option, says) in wrong {
        let failure = it.session.kernel_config(&format!("(; {option})")).unwrap_err();
        assert!(failure.to_string().contains(says), "{option}: {failure}");
    }
    it.session.kernel_config("(; name = nothing, items_max = nothing)").unwrap();
}

/// The options of `@cuda`, and of the back end of KernelAbstractions, are those of the configuration.
#[test]
fn dialects_pass_their_options_on() {
    let it = Program::new(SAXPY);
    it.run(
        "@cuda threads=4 maxthreads=(32, 2) minthreads=4 blocks_per_sm=2 maxregs=40 fastmath=true always_inline=true \
         name=\"renamed\" ptx=v\"8.1\" saxpy!(y, 1.0f0, x)
         using KernelAbstractions
         @kernel function twice!(y)
             i = @index(Global)
             y[i] *= 2
         end
         twice!(CUDABackend(always_inline = true), (8, 2))(y; ndrange = (8, 2))
         twice!(CPU(), 8)(zeros(8); ndrange = 8)",
    );
    let rt = it.session.runtime();
    let said =
        it.session.exec_env().exec.configs.iter().map(|it| (it.method_tables.len(), it.options.clone()));
    let said: Vec<_> = said.collect();
    let usual = || KernelOptions::default().device;
    let cuda = KernelOptions {
        name: Some(rt.types.symbol("renamed")),
        always_inline: true,
        device: DeviceOptions {
            fastmath: true,
            items: Some([4, 1, 1]),
            items_max: Some([32, 2, 1]),
            groups_min: Some(2),
            registers_max: Some(40),
            language: Some(81),
            ..usual()
        },
        ..KernelOptions::default()
    };
    let device = DeviceOptions { items_max: Some([8, 2, 1]), ..usual() };
    let back_end = KernelOptions { always_inline: true, device, ..KernelOptions::default() };
    for wanted in [(1, cuda), (1, back_end), (0, KernelOptions::default())] {
        assert!(said.contains(&wanted), "{wanted:?} is not in {said:?}");
    }
}

/// MISSION C3: `always_inline` replaces calls that are too large to be replaced otherwise, and has an owner of its own, but
/// what is said not to be inlined stays a call.
#[test]
fn always_inline_inlines() {
    let it = Program::new(SAXPY);
    let sum = (0..60).map(|n| format!("sqrt(x + {n}.0f0)")).collect::<Vec<_>>().join(" + ");
    it.run(&format!(
        "large(x) = {sum}
         @noinline never(x) = x + 1
         calls!(y, a, x) = (y[1] = large(a); nothing)
         asks!(y, a, x) = (y[1] = never(a); nothing)"
    ));
    let inlined = with(&it, "always_inline = true");
    let owners =
        [it.config, inlined].map(|config| it.session.exec_env().exec.configs.compiler_config(config).owner());
    assert_ne!(owners[0], owners[1]);
    let units = |name: &str, config: ConfigId| {
        let (_, function, args) = it.job(name, "args");
        let kernel = it.session.kernel(&it.session.kernel_job(function, &args, config)).unwrap();
        kiln_inspect::linked_units(it.session.exec_env().exec, kernel).unwrap().len()
    };
    assert!(units("calls!", it.config) > 1);
    assert_eq!(units("calls!", inlined), 1);
    assert_eq!((units("asks!", it.config), units("asks!", inlined)), (2, 2));
}

/// One session compiles for several processors: their units are not shared, and constants are folded as each computes, by
/// intrinsics and by what is evaluated.
#[test]
fn targets_do_not_share_units() {
    let it = Program::new(SAXPY);
    it.run(
        "@noinline fused(a, b, c) = muladd(a, b, c)
         folded!(y, a, x) = (y[1] = muladd(1.0000001f0, 1.0000001f0, -1.0f0); y[2] = fused(1.0000001f0, 1.0000001f0, -1.0f0); nothing)
         computed!(y, a, x) = (y[1] = muladd(a, a, -1.0f0); y[2] = fused(a, a, -1.0f0); nothing)
         args = map(cudaconvert, (y, 1.0000001f0, x))",
    );
    let grid =
        Grid { groups: [1, 1, 1], items: [1, 1, 1], dynamic_shared_bytes: 0, together: Together::NONE };
    let levels = ["x86-64", "x86-64-v2", "x86-64-v3"];
    let here = levels.map(|it| kiln_targets::lookup(it).filter(kiln_targets::runs_here));
    let mut objects = Vec::new();
    let mut inferences = Vec::new();
    for facts in here.iter().flatten() {
        let config = with(&it, &format!("target = Symbol(\"{}\")", facts.name));
        let expected = if facts.have_fma {
            1.000_000_1f32.mul_add(1.000_000_1, -1.0)
        } else {
            1.000_000_1f32 * 1.000_000_1 - 1.0
        };
        let before = it.work()[1];
        for name in ["folded!", "computed!"] {
            let (_, function, args) = it.job(name, "args");
            let kernel = it.session.kernel(&it.session.kernel_job(function, &args, config)).unwrap();
            let units = kiln_inspect::linked_units(it.session.exec_env().exec, kernel).unwrap();
            objects.push(units[0].body.object.clone());
            it.session.launch(kernel, &grid, function, &args).unwrap();
            let same = format!("all(Array(y)[1:2] .== reinterpret(Float32, {:#010x}))", expected.to_bits());
            assert_eq!(it.session.evaluate(&same).unwrap().bits() & 1, 1, "{name} on {}", facts.name);
        }
        inferences.push((facts.have_fma, it.work()[1] - before));
    }
    let distinct: BTreeSet<_> = objects.iter().collect();
    assert!(
        objects.len() >= 4 && distinct.len() > objects.len() / 2,
        "{} of {}",
        distinct.len(),
        objects.len()
    );
    assert_eq!((inferences[1].0, inferences[1].1), (false, 0), "inference cannot tell the first two apart");
}

/// Code that this machine cannot run is refused when it is to be launched, and can be configured.
#[test]
fn other_machines_are_refused() {
    let it = Program::new(SAXPY);
    let config = with(&it, "target = :sm_90");
    let (_, function, args) = it.job("saxpy!", "args");
    let why = it.session.kernel(&it.session.kernel_job(function, &args, config)).unwrap_err();
    assert!(why.message.contains("error[no-device]") && why.message.contains("`sm_90`"), "{}", why.message);
}
