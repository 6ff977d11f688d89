//! `@inbounds` removes the checks of accesses that it encloses, in every function that is inlined there, unless
//! `--check-bounds` decides otherwise: throw sites of kernels over arrays of one to three dimensions are counted on every kind
//! of target, and host code and kernels run in each mode.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod project;
use project::Project;

const PROGRAM: &str = "\
using CUDA

at(a, i) = a[i]
Base.@propagate_inbounds handed_on(a, i) = a[i]
@noinline apart(a, i) = a[i]

line!(o, a) = (i = threadIdx().x; @inbounds o[i] = a[i]; return)
checked_line!(o, a) = (i = threadIdx().x; o[i] = a[i]; return)
plane!(o, a) = (i = threadIdx().x; j = threadIdx().y; @inbounds o[i, j] = a[i, j] + a[j, i]; return)
checked_plane!(o, a) = (i = threadIdx().x; j = threadIdx().y; o[i, j] = a[i, j]; return)
space!(o, a) = (i = threadIdx().x; j = threadIdx().y; k = blockIdx().x; @inbounds o[i, j, k] = a[k, j, i]; return)
linear_space!(o, a) = (i = threadIdx().x; @inbounds o[i] = a[i]; return)
# Julia's rule: what is inlined one level deep knows of the mark, and hands it on where it says so.
through!(o, a) = (i = threadIdx().x; @inbounds o[i] = handed_on(a, i); return)
through_plain!(o, a) = (i = threadIdx().x; @inbounds o[i] = at(a, i); return)
through_call!(o, a) = (i = threadIdx().x; @inbounds o[i] = apart(a, i); return)
";

/// Kernels, the dimensions of their arrays, and the throw sites that are left.
const KERNELS: [(&str, usize, usize); 9] = [
    ("line!", 1, 0),
    ("checked_line!", 1, 2),
    ("plane!", 2, 0),
    ("checked_plane!", 2, 2),
    ("space!", 3, 0),
    ("linear_space!", 3, 0),
    ("through!", 1, 0),
    ("through_plain!", 1, 1),
    ("through_call!", 1, 1),
];

/// The throw sites of a kernel that is compiled in a mode of bounds checks.
fn throw_sites(project: &Project, target: &str, (kernel, dims): (&str, usize), mode: &str) -> usize {
    std::fs::write(project.dir.join("program.jl"), PROGRAM).unwrap();
    let array = format!("CuDeviceArray{{Float32,{dims},1}}");
    let (signature, mode) = (format!("{kernel}({array}, {array})"), format!("--check-bounds={mode}"));
    let mut args = vec!["compile", "-t", target, "-o", "out", "--sites", "sites.json", &mode];
    args.extend(["program.jl", &signature]);
    let output = project.kiln("off", &args);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let said = std::fs::read_to_string(project.dir.join("sites.json")).unwrap();
    said.matches(r#""kind":"throw""#).count()
}

const TARGETS: [&str; 3] = ["sm_90", "gfx1100", "spirv64"];

/// A kernel that promises to stay inside pays for no check.
#[test]
fn accesses_that_are_promised_are_not_checked() {
    let project = Project::new("inbounds");
    for target in TARGETS {
        for (kernel, dims, sites) in KERNELS {
            let found = throw_sites(&project, target, (kernel, dims), "auto");
            assert_eq!(found, sites, "{target} {kernel}");
        }
    }
}

/// Julia's `--check-bounds`: `yes` checks code under `@inbounds` as well, `no` checks nothing.
#[test]
fn modes_decide_the_checks_of_kernels() {
    let project = Project::new("modes");
    for target in TARGETS {
        for (promised, checked, dims) in [("line!", "checked_line!", 1), ("plane!", "checked_plane!", 2)] {
            let sites = throw_sites(&project, target, (checked, dims), "auto");
            assert!(throw_sites(&project, target, (promised, dims), "yes") >= sites, "{target} {promised}");
            assert_eq!(throw_sites(&project, target, (checked, dims), "no"), 0, "{target} {checked}");
        }
    }
}

/// Reads behind an array, or notices that: interpreted at top level, compiled in a loop, and in a kernel.
const READS: &str = "\
using CUDA
checked(i) = (@boundscheck i > 3 && throw(BoundsError()); i)
Base.@propagate_inbounds reads(i) = checked(i)
promised(i) = @inbounds reads(i)
plain(i) = reads(i)
told(f) = try f() catch e; typeof(e) end
function often(f, i)
    n = 0
    for _ in 1:2000
        n += f(i)
    end
    n
end
kernel!(o, f, i) = (o[1] = f(i); return)
function device(f, i)
    o = CUDA.zeros(Int, 1)
    @cuda kernel!(o, f, i)
    synchronize()
    Array(o)[1]
end
for f in (promised, plain), run in (f -> f(9), f -> often(f, 9), f -> device(f, 9))
    print(told(() -> run(f)) isa Integer ? \"read \" : \"threw \")
end
println()
";

/// Host code and kernels follow the mode, and results of one mode are not used for another.
#[test]
fn every_way_to_run_follows_the_mode() {
    let project = Project::new("reads");
    std::fs::write(project.dir.join("program.jl"), READS).unwrap();
    let (auto, yes, no) = ("read read read threw threw threw", "threw ".repeat(6), "read ".repeat(6));
    for (mode, expected) in [("auto", auto), ("yes", &yes), ("no", &no), ("yes", &yes), ("auto", auto)] {
        let output = project.kiln("rw", &["run", &format!("--check-bounds={mode}"), "program.jl"]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let said = String::from_utf8(output.stdout).unwrap();
        assert_eq!(said.trim(), expected.trim(), "--check-bounds={mode}");
    }
}
