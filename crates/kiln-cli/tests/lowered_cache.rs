//! Lowered code that outlives a process: a later process does not lower a definition that it knows by its text, and never uses
//! code of another text, module or macro.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod project;
use project::{Project, total};
use std::fs;
use std::process::Command;

/// Four definitions that are kept: of a method, with keywords, with a closure, in one line. And a failure of the last.
const PROGRAM: &str = "\
function weighed(values, weights)
    total = zero(eltype(values))
    for (value, weight) in zip(values, weights)
        total += value * weight
    end
    return total
end
function labelled(value; label = :none, unit = \"m\", scale = 2.5)
    shown = string(label, ' ', value * scale, ' ', unit)
    return shown
end
function adders(count)
    step = 0x10
    made = [x -> x + step * n for n in 1:count]
    return [f(1000) for f in made], typeof(made[1])
end
checked(value, limit) = value < limit ? value + 0.25f0 : throw(DomainError(value, \"it is not below its limit\"))

println(weighed([1, 2, 3], [4, 5, 6]))
println(labelled(2; unit = \"km\"), labelled(4; label = :far))
println(adders(3)[1], checked(1, 2))
println(nameof(adders(1)[2]))
checked(3, 2)
";

/// Returns the output of the program, its error, and how many expressions were lowered and found.
fn run(project: &Project, program: &str) -> (String, String, [u64; 2]) {
    fs::write(project.dir.join("program.jl"), program).unwrap();
    let output = project.kiln("rw", &["run", "--timings=json", "program.jl"]);
    let said = String::from_utf8(output.stderr).unwrap();
    let counts = ["lowerings", "lowered_found"].map(|it| total(&said, it));
    let error: Vec<&str> = said.lines().filter(|it| !it.starts_with("{\"kernels_launched\"")).collect();
    (String::from_utf8(output.stdout).unwrap(), error.join("\n"), counts)
}

/// MISSION C9: a second process lowers no definition again, and prints and says the same.
#[test]
fn a_second_process_lowers_no_definition() {
    let project = Project::new("second");
    let (printed, error, [lowered, found]) = run(&project, PROGRAM);
    assert!(printed.starts_with("32\nnone 5.0 kmfar 10.0 m\n"), "{printed}{error}");
    assert!(error.contains("program.jl:17"), "{error}");
    assert_eq!(found, 0);
    assert_eq!(run(&project, PROGRAM), (printed.clone(), error.clone(), [lowered - 4, 4]));
    // What was changed is lowered again, and nothing else.
    let edited = PROGRAM.replace("value * weight", "value * weight + 1");
    let (again, _, counts) = run(&project, &edited);
    assert_eq!((again, counts), (printed.replacen("32", "35", 1), [lowered - 3, 3]));
    // Without a store, everything is.
    fs::write(project.dir.join("program.jl"), PROGRAM).unwrap();
    let said =
        String::from_utf8(project.kiln("off", &["run", "--timings=json", "program.jl"]).stderr).unwrap();
    assert_eq!(["lowerings", "lowered_found"].map(|it| total(&said, it)), [lowered, 0]);
}

/// MISSION R5, N8: places are those of the text as it is: below other lines, and in another file.
#[test]
fn places_are_those_of_the_text_now() {
    let project = Project::new("places");
    let (printed, _, _) = run(&project, PROGRAM);
    let (again, error, [_, found]) = run(&project, &format!("# one\n\n# two\n{PROGRAM}"));
    assert_eq!((again, found), (printed.clone(), 4));
    assert!(error.contains("program.jl:20") && error.contains("program.jl:26"), "{error}");
    fs::write(project.dir.join("other.jl"), format!("\n{PROGRAM}")).unwrap();
    let (again, error, [_, found]) = run(&project, "include(\"other.jl\")\n");
    assert_eq!((again, found), (printed, 4));
    assert!(error.contains("other.jl:18") && !error.contains("program.jl:17"), "{error}");
}

/// MISSION C14: text that is equal in two modules is the code of each; a module of the same name that takes another's place
/// has its own, too.
#[test]
fn equal_text_means_what_its_module_says() {
    let project = Project::new("modules");
    // A closure in a module mentions the module as a value, which is not kept.
    let body = "function place(value; scale = FACTOR, others = [x -> x * FACTOR for n in 1:2])\n    \
                return (value * scale, others[1](10), string(@__MODULE__), parentmodule(others[1]))\nend\n\
                function plain(value; scale = FACTOR, another_argument_to_make_this_long_enough = 1)\n    \
                return (value * scale, FACTOR * another_argument_to_make_this_long_enough)\nend\n";
    let program = format!(
        "module A\nconst FACTOR = 2\n{body}end\nmodule B\nconst FACTOR = 3\n{body}end\n\
         println(A.plain(1), B.plain(1), A.place(1), B.place(1))\n\
         module A\nconst FACTOR = 5\n{body}end\nprintln(A.plain(1), A.place(1))\n"
    );
    let expected = "(2, 2)(3, 3)(2, 20, \"Main.A\", Main.A)(3, 30, \"Main.B\", Main.B)\n\
                    (5, 5)(5, 50, \"Main.A\", Main.A)\n";
    // The two modules of one name have the same code.
    for least in [0, 3] {
        let (printed, error, [_, found]) = run(&project, &program);
        assert!(printed == expected && found >= least, "{printed}{error}{found}");
    }
}

/// MISSION C14: an edit of anything that a macro looks at shows, since callers of macros are not kept.
#[test]
fn what_macros_look_at_is_seen() {
    let project = Project::new("macros");
    let program = "\
helper(x) = :(2 * $x)
const STEP = Ref(1)
macro twice(x)
    esc(:($(helper(x)) + $(STEP[]) + $(length(read(\"data.txt\")))))
end
macro line()
    __source__.line
end
function uses(value)
    # A text that is long enough to be kept, if it did not call a macro of the program.
    result = @twice(value)
    return result, @line
end
@generated function made(value)
    # As long as that; what it makes is what a function of the program says about the type.
    return helper(:value)
end
\"What this is: a documented function, whose documentation is a part of the statement.\"
function documented(value, another)
    return value + another + helper(1).args[2]
end
for (name, factor) in ((:first_one, 2), (:second_one, 3))
    @eval function $name(value, a_long_argument_so_that_it_would_be_kept = 0, yet_another_of_them = 1)
        return value * $factor + a_long_argument_so_that_it_would_be_kept
    end
end
println(uses(10), made(7), documented(1, 2), (first_one(1), second_one(1)))
println((@doc documented))
";
    fs::write(project.dir.join("data.txt"), "12345").unwrap();
    let says = |program: &str| {
        let (printed, error, _) = run(&project, program);
        let first = printed.lines().next().map(str::to_owned);
        (first.unwrap_or_else(|| panic!("{error}")), printed)
    };
    let (first, all) = says(program);
    assert_eq!(first, "(26, 12)145(2, 3)");
    assert!(all.contains("What this is"), "{all}");
    assert_eq!(says(program), (first, all));
    assert_eq!(says(&program.replace("Ref(1)", "Ref(2)")).0, "(27, 12)145(2, 3)");
    assert_eq!(says(&program.replace(":(2 * $x)", ":(3 * $x)")).0, "(36, 12)216(2, 3)");
    assert_eq!(says(&program.replace("(:second_one, 3)", "(:second_one, 4)")).0, "(26, 12)145(2, 4)");
    assert_eq!(says(&program.replace("__source__.line", "__source__.line + 1")).0, "(26, 13)145(2, 3)");
    assert_eq!(says(&format!("\n{program}")).0, "(26, 13)145(2, 3)");
    assert!(says(&program.replace("What this is", "What that is")).1.contains("What that is"));
    fs::write(project.dir.join("data.txt"), "123456").unwrap();
    assert_eq!(says(program).0, "(27, 12)145(2, 3)");
}

/// MISSION C14: names are looked up when code runs, and constants, included files and later definitions are those of now.
#[test]
fn names_mean_what_they_mean_now() {
    let project = Project::new("names");
    let part = "function scaled_by_a_constant(value, another_argument_to_make_this_long_enough = 0)\n    \
                return value * FACTOR + shift(another_argument_to_make_this_long_enough)\nend\n";
    fs::write(project.dir.join("part.jl"), part).unwrap();
    let program =
        "const FACTOR = 2\nshift(x) = x + 1\ninclude(\"part.jl\")\nprintln(scaled_by_a_constant(10))\n";
    let printed = |program: &str| {
        let (printed, _, counts) = run(&project, program);
        (printed, counts[1])
    };
    assert_eq!(printed(program), ("21\n".into(), 0));
    assert_eq!(printed(&program.replace("FACTOR = 2", "FACTOR = 3")), ("31\n".into(), 1));
    assert_eq!(printed(&program.replace("x + 1", "x + 5")), ("25\n".into(), 1));
    assert_eq!(printed(&program.replace("const FACTOR = 2", "FACTOR::Float64 = 2")), ("21.0\n".into(), 1));
    assert_eq!(
        printed(&format!("{program}const FACTOR = 7\nprintln(scaled_by_a_constant(10))\n")),
        ("21\n71\n".into(), 1)
    );
    fs::write(project.dir.join("part.jl"), part.replace("value * FACTOR", "value - FACTOR")).unwrap();
    assert_eq!(printed(program), ("9\n".into(), 0));
    fs::write(project.dir.join("part.jl"), part).unwrap();
    assert_eq!(printed(program), ("21\n".into(), 1));
    // The same text twice in one process: the second takes the place of the first, with names of its own kind.
    let twice = format!("{program}include(\"part.jl\")\nprintln(scaled_by_a_constant(20))\n");
    assert_eq!(printed(&twice), ("21\n41\n".into(), 2));
}

/// MISSION R5: a definition that cannot be lowered is refused in every process, in the same words.
#[test]
fn refusals_and_remarks_are_told_again() {
    let project = Project::new("refused");
    let refused = "function outer(value, a_long_argument_so_that_it_would_be_kept = 0, value = 1)\n    \
                   return value + a_long_argument_so_that_it_would_be_kept\nend\n";
    let (_, first, _) = run(&project, refused);
    assert!(first.contains("program.jl:1") && first.contains("not unique"), "{first}");
    let (_, second, [_, found]) = run(&project, refused);
    assert_eq!((first, 0), (second, found));
}

/// MISSION N6: in the mode that verifies, definitions are lowered again and compared.
#[test]
fn what_is_kept_is_what_is_made() {
    let project = Project::new("verified");
    run(&project, PROGRAM);
    let said =
        String::from_utf8(project.kiln("verify", &["run", "--timings=json", "program.jl"]).stderr).unwrap();
    let [verified, mismatches, found] =
        ["verified", "mismatches", "lowered_found"].map(|it| total(&said, it));
    assert!(verified >= 4 && mismatches == 0 && found == 0, "{said}");
}

/// MISSION C9: images hold lowered code: a process that has one lowers no definition, without a store.
#[test]
fn images_hold_lowered_code() {
    let project = Project::new("image");
    let program = PROGRAM.replace("checked(3, 2)\n", "");
    fs::write(project.dir.join("program.jl"), &program).unwrap();
    let built = project.kiln("off", &["image", "build", "program.jl", "-o", "program.img"]);
    assert!(built.status.success(), "{built:?}");
    let run = |args: &[&str]| {
        let output = project.kiln("off", args);
        let said = String::from_utf8(output.stderr).unwrap();
        (String::from_utf8(output.stdout).unwrap(), ["lowerings", "lowered_found"].map(|it| total(&said, it)))
    };
    let (printed, [lowered, none]) = run(&["run", "--timings=json", "program.jl"]);
    let imaged = run(&["run", "--image", "program.img", "--timings=json", "program.jl"]);
    assert_eq!((imaged, none), ((printed, [lowered - 4, 4]), 0));
}

/// Statements whose macros are the library's: a kernel, a loop without checks, a launch, tests, text.
const EXPANDED: &str = "\
using KernelAbstractions, Test
import CUDA
@kernel function scale!(y, @Const(x))
    i = @index(Global)
    @inbounds y[i] = 2 * x[i]
end
function total(x)
    sum = zero(eltype(x))
    @inbounds for i in eachindex(x)
        sum += x[i]
    end
    return sum
end
add_one!(y) = (@inbounds y[CUDA.threadIdx().x] += 1; nothing)
x, y = CUDA.CuArray([1.0, 2.0]), CUDA.zeros(Float64, 2)
scale!(get_backend(y))(y, x; ndrange = 2)
for n in 1:2
    CUDA.@cuda threads=2 add_one!(y)
end
y = Array(y)
@show total(y)
@test total(y) == 10 skip=false
@test y[1] == 4
println(@__LINE__, basename(@__FILE__), @__MODULE__)
@test y[1] < 0
";

/// Returns the first line of the output, the error, and how many macros were expanded and expressions found.
fn expanded(project: &Project, program: &str) -> (String, String, [u64; 2]) {
    fs::write(project.dir.join("program.jl"), program).unwrap();
    let output = project.kiln("rw", &["run", "--timings=json", "program.jl"]);
    let said = String::from_utf8(output.stderr).unwrap();
    let counts = ["expansions", "lowered_found"].map(|it| total(&said, it));
    let error: Vec<&str> = said.lines().filter(|it| !it.starts_with("{\"kernels_launched\"")).collect();
    (String::from_utf8(output.stdout).unwrap(), error.join("\n"), counts)
}

/// MISSION C9: macros of the library are expanded once, and what they say of places is where the text is now.
#[test]
fn macros_of_the_library_are_expanded_once() {
    let project = Project::new("expanded");
    let (printed, error, [first, found]) = expanded(&project, EXPANDED);
    assert!(printed.starts_with("total(y) = 10.0\n24program.jlMain\n"), "{printed}{error}");
    assert!(error.contains("program.jl:25") && first >= 9 && found == 0, "{error}");
    assert_eq!(expanded(&project, EXPANDED), (printed.clone(), error.clone(), [0, 9]));
    // One line is another.
    let (_, _, [again, found]) = expanded(&project, &EXPANDED.replace("y[1] == 4", "y[1] == 4.0"));
    assert_eq!((again, found), (1, 8));
    // Everything stands a line lower.
    let (lower, below, _) = expanded(&project, &format!("\n{EXPANDED}"));
    assert!(lower.contains("25program.jlMain") && below.contains("program.jl:26"), "{lower}{below}");
    let verified = project.kiln("verify", &["run", "--timings=json", "program.jl"]);
    let said = String::from_utf8(verified.stderr).unwrap();
    assert!(total(&said, "verified") >= 9 && total(&said, "mismatches") == 0, "{said}");
}

/// MISSION C14: a file of the same name in another directory is another file.
#[test]
fn places_are_those_of_the_directory() {
    let project = Project::new("directories");
    let said: Vec<String> = ["one", "two"]
        .map(|name| {
            let directory = project.dir.join(name);
            fs::create_dir_all(&directory).unwrap();
            fs::write(directory.join("program.jl"), "include(joinpath(@__DIR__, \"part.jl\"))\n").unwrap();
            fs::write(directory.join("part.jl"), format!("println(\"{name}\", @__FILE__)\n")).unwrap();
            let mut command = Command::new(env!("CARGO_BIN_EXE_kiln"));
            command.args(["run", "program.jl"]).current_dir(&directory);
            command.env("KILN_CACHE", "rw").env("KILN_CACHE_DIR", project.dir.join("cache"));
            String::from_utf8(command.output().unwrap().stdout).unwrap()
        })
        .into();
    assert!(said[0].starts_with("one") && said[0].ends_with("one/part.jl\n"), "{said:?}");
    assert!(said[1].starts_with("two") && said[1].ends_with("two/part.jl\n"), "{said:?}");
}

/// MISSION C14: a program that changes what the library's macros may do, or has macros of their names, expands them itself.
#[test]
fn programs_may_change_the_librarys_macros() {
    let project = Project::new("changed_macros");
    let tail = "answer = @something(nothing, 5)\nprintln(answer, @isdefined(absent))\n";
    let says = |head: &str| {
        let (printed, error, [_, found]) = expanded(&project, &format!("{head}\n{tail}"));
        (if error.is_empty() { printed } else { error }, found)
    };
    assert_eq!(says(""), ("5false\n".into(), 0));
    assert_eq!(says(""), ("5false\n".into(), 2));
    // Of types of the program: that is no change.
    let own = "struct Own end\nBase.show(io::IO, ::Own) = print(io, 1)\nBase.reverse(::Vector{Own}) = 2\nBase.zero(::Type{<:Own}) = 3";
    assert_eq!(says(own).1, 2);
    // A method that applies to what the macro has in hand.
    let method = "Base.reverse(::Tuple{Expr, Int}) = (1, 2)\nBase.reverse(::Tuple{Symbol, Int}) = (7, 8)";
    assert_eq!(says(method), ("8false\n".into(), 0));
    assert_eq!(says(method), ("8false\n".into(), 0));
    // A macro of the program, a name of the library, and a macro of it.
    let shadow = "macro something(a, b) 9 end";
    assert_eq!((says(shadow), says(shadow)), (("9false\n".into(), 1), ("9false\n".into(), 1)));
    let renamed = "Core.eval(Base, :(macro something(a, b) 6 end))";
    assert_eq!((says(renamed), says(renamed)), (("6false\n".into(), 0), ("6false\n".into(), 0)));
    // Whether a global is there decides what a loop assigns.
    let looped = "for n in 1:2\n    @inbounds absent = n\nend\nprintln(@isdefined(absent))\n";
    let (without, _, _) = expanded(&project, looped);
    let (with, _, _) = expanded(&project, &format!("absent = 0;{looped}println(absent)\n"));
    assert_eq!((without.as_str(), with.as_str()), ("false\n", "true\n0\n"));
    let (with, _, [_, found]) = expanded(&project, &format!("absent = 0;{looped}println(absent)\n"));
    // A loop about which there is a remark is lowered each time.
    assert_eq!((with.as_str(), found), ("true\n0\n", 1));
}
