//! `@inbounds` removes the checks of accesses that it encloses, in every function that is inlined there: throw sites of kernels
//! over arrays of one to three dimensions are counted on every kind of target.
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

/// A kernel that promises to stay inside pays for no check.
#[test]
fn accesses_that_are_promised_are_not_checked() {
    let project = Project::new("inbounds");
    std::fs::write(project.dir.join("program.jl"), PROGRAM).unwrap();
    for target in ["sm_90", "gfx1100", "spirv64"] {
        for (kernel, dims, sites) in KERNELS {
            let array = format!("CuDeviceArray{{Float32,{dims},1}}");
            let signature = format!("{kernel}({array}, {array})");
            let args =
                ["compile", "-t", target, "-o", "out", "--sites", "sites.json", "program.jl", &signature];
            let output = project.kiln("off", &args);
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            let said = std::fs::read_to_string(project.dir.join("sites.json")).unwrap();
            let found = said.matches(r#""kind":"throw""#).count();
            assert_eq!(found, sites, "{target} {signature}: {said}");
        }
    }
}
