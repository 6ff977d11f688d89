//! Memory that is exhausted at an allocation is an exception of that allocation: a handler around it takes it, and the program goes on.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod project;

use project::Project;
use std::process::Command;

/// Kilobytes of addresses that the program may use.
const LIMIT: u32 = 900_000;

/// Nothing stands between the allocations and their handlers but the allocations. The functions are compiled before memory is exhausted.
const PROGRAM: &str = r#"
mutable struct Node
    next::Union{Nothing, Node}
    words::NTuple{100, Int}
end
const WORDS = ntuple(identity, 100)
function fill_up(words, limit)
    list = nothing
    n = 0
    try
        while n < limit
            list = Node(list, words)
            n += 1
        end
    catch err
        list = nothing
        return err isa OutOfMemoryError && n > 1000
    end
    # A list that is never read need not be kept.
    list.next isa Node ? n : 0
end
struct Wide
    words::NTuple{100, Int}
end
function fill_boxes(kept, wide, limit)
    n = 0
    try
        while n < limit
            n += 1
            @inbounds kept[n] = wide
        end
    catch err
        return err isa OutOfMemoryError && n > 1000
    end
    n
end
few = Vector{Any}(nothing, 100)
for i in 1:2000
    fill_up(WORDS, 100)
    fill_boxes(few, Wide(WORDS), 100)
end
many = Vector{Any}(nothing, 10^7)
for k in 1:2
    println(fill_up(WORDS, 10^7))
    GC.gc()
    println(fill_boxes(many, Wide(WORDS), 10^7))
    fill!(many, nothing)
    GC.gc()
end
println(sum(ones(1000)))
"#;

#[test]
fn handlers_take_exhausted_memory() {
    assert_eq!(lines_of("exhausted", PROGRAM), ["true", "true", "true", "true", "1000.0"]);
}

/// The output of a program with little memory.
fn lines_of(name: &str, program: &str) -> Vec<String> {
    let project = Project::new(name);
    std::fs::write(project.dir.join("program.jl"), program).unwrap();
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(format!("ulimit -v {LIMIT} && exec \"$0\" run program.jl"));
    shell.arg(env!("CARGO_BIN_EXE_kiln")).current_dir(&project.dir);
    let output = shell.env("KILN_CACHE", "off").env("NO_COLOR", "1").output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{out}\n{err}");
    out.lines().map(str::to_owned).collect()
}

/// Arrays that are no large mappings of their own leave room for all else.
const ARRAYS: &str = r#"
function fill_up(k)
    arrays = Any[]
    try
        while true
            push!(arrays, zeros(k))
        end
    catch err
        n = length(arrays)
        arrays = nothing
        return err isa OutOfMemoryError && n > 100
    end
end
for k in (10, 100, 3000, 50_000, 200_000)
    println(fill_up(k) && (GC.gc(); length(zeros(10^5)) == 10^5))
end
println(sum(ones(1000)))
"#;

#[test]
fn arrays_of_each_size_exhaust_memory() {
    let lines = lines_of("arrays", ARRAYS);
    assert_eq!(lines, ["true", "true", "true", "true", "true", "1000.0"]);
}
