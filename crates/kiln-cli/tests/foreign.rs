//! Units with LLVM code of the program: the text is part of their keys.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod project;
use project::Project;

const PROGRAM: &str = "\
using CUDA

add(x) = Base.llvmcall(\"%2 = add i64 %0, 5\\nret i64 %2\", Int64, Tuple{Int64}, x)
function kernel!(y)
    y[1] = add(y[1])
    return
end

y = CUDA.zeros(Int, 1)
@cuda kernel!(y)
println(Array(y))
";

/// MISSION C9, C14: text that did not change is found by another process, text that did is compiled again, however alike.
#[test]
fn edited_text_is_compiled_again() {
    let project = Project::new("text");
    let totals = ["compiles"];
    let (printed, [compiles]) = project.run("rw", PROGRAM, totals);
    assert!(printed == "[5]\n" && compiles > 0, "{printed}");
    assert_eq!(project.run("rw", PROGRAM, totals), ("[5]\n".into(), [0]));
    let (printed, [compiles]) = project.run("rw", &PROGRAM.replace("%0, 5", "%0, 6"), totals);
    assert!(printed == "[6]\n" && compiles > 0, "{printed}");
    assert_eq!(project.run("rw", PROGRAM, totals), ("[5]\n".into(), [0]));
}
