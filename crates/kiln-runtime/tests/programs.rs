//! Programs from text: definitions and worlds, modules, macros, generated functions, exceptions.

mod session;

use kiln_runtime::eval::toplevel;
use kiln_runtime::heap::{fields, text};
use kiln_types::Module;
use session::{eval, int, session, thrown, with_files};

#[test]
fn a_function_defined_and_called() {
    let rt = session();
    assert_eq!(int(&rt, "f(x) = x + 1\nf(41)"), 42);
    assert_eq!(int(&rt, "function fact(n)\n n < 2 && return 1\n n * fact(n - 1)\nend\nfact(10)"), 3_628_800);
}

/// Each top-level expression runs in the newest world; a function stays in the one it was called in.
#[test]
fn a_method_defined_by_running_code_waits_for_invokelatest() {
    let rt = session();
    eval(&rt, "late() = 1");
    assert_eq!(int(&rt, "early() = (eval(:(late() = 2)); late())\nearly()"), 1);
    assert_eq!(int(&rt, "newest() = (eval(:(late() = 3)); invokelatest(late))\nnewest()"), 3);
    assert_eq!(int(&rt, "late()"), 3);
}

#[test]
fn constants_may_be_defined_again() {
    let rt = session();
    assert_eq!(int(&rt, "const limit = 1\ntwice() = limit + limit\ntwice()"), 2);
    assert_eq!(int(&rt, "const limit = 5\ntwice()"), 10);
    assert_eq!(thrown(&rt, "limit = 6"), "ErrorException");
}

#[test]
fn globals_are_assigned_and_read() {
    let rt = session();
    assert_eq!(int(&rt, "total = 0\nadd(x) = (global total = total + x)\nadd(2)\nadd(3)\ntotal"), 5);
    assert_eq!(thrown(&rt, "nowhere + 1"), "UndefVarError");
}

#[test]
fn exceptions_are_caught_and_nested() {
    let rt = session();
    assert_eq!(int(&rt, "try\n throw(7)\ncatch e\n e\nend"), 7);
    assert_eq!(
        int(
            &rt,
            "function g()\n try\n  try\n   throw(1)\n  catch e\n   throw(e + 1)\n  end\n catch e\n  return e\n end\nend\ng()"
        ),
        2
    );
    assert_eq!(
        int(&rt, "function h()\n x = 0\n try\n  x = 1\n finally\n  x = x + 10\n end\n x\nend\nh()"),
        11
    );
    assert_eq!(thrown(&rt, "f() = 1\nf(2)"), "MethodError");
}

#[test]
fn closures_keywords_and_varargs() {
    let rt = session();
    assert_eq!(int(&rt, "adder(n) = x -> x + n\nadder(2)(3)"), 5);
    assert_eq!(int(&rt, "count(xs...) = nfields(xs)\ncount(1, 2, (3, 4)...)"), 4);
    assert_eq!(int(&rt, "counter() = (n = 0; () -> (n = n + 1))\nc = counter()\nc()\nc()"), 2);
}

#[test]
fn structs_and_constructors() {
    let rt = session();
    assert_eq!(int(&rt, "struct P\n x::Int\n y::Int\nend\np = P(1, 2)\np.x + p.y"), 3);
    assert_eq!(
        int(&rt, "struct Q{T}\n x::T\nend\nvalue(q::Q{Int}) = q.x\nvalue(q::Q) = 0\nvalue(Q{Int}(4))"),
        4
    );
}

#[test]
fn modules_export_and_import() {
    let rt = session();
    eval(
        &rt,
        "module A\n export f\n f() = 1\n g() = 2\n module B\n  import ..A\n  h() = A.g()\n end\nend\nusing .A\nimport .A: g\nusing .A.B: h as hh",
    );
    assert_eq!(int(&rt, "(f() + g()) + hh()"), 5);
    assert_eq!(thrown(&rt, "h()"), "UndefVarError");
    assert_eq!(int(&rt, "g(x) = x\nA.g(7)"), 7);
}

#[test]
fn macros_take_and_return_expressions() {
    let rt = session();
    eval(&rt, "macro twice(e)\n quote\n  x = $(esc(e))\n  x + x\n end\nend");
    assert_eq!(int(&rt, "x = 1\n@twice x + 2"), 6);
    assert_eq!(int(&rt, "x"), 1);
    assert_eq!(int(&rt, "macro where_am_i()\n getfield(__source__, :line)\nend\n\n@where_am_i"), 5);
    // As for every error of a macro in code that is evaluated.
    assert_eq!(thrown(&rt, "@nowhere 1"), "LoadError");
}

#[test]
fn generated_functions_see_types() {
    let rt = session();
    eval(&rt, "@generated function kind(x)\n x === Int ? :(x + 1) : 0\nend");
    assert_eq!(int(&rt, "kind(1)"), 2);
    assert_eq!(int(&rt, "kind(:a)"), 0);
}

/// A relative path is one beside the file that includes; errors say which file and line.
#[test]
fn files_are_included_relative_to_each_other() {
    let rt = with_files(&[
        ("/src/main.jl", "include(\"sub/one.jl\")\none() + 1"),
        ("/src/sub/one.jl", "include(\"two.jl\")\none() = two()"),
        ("/src/sub/two.jl", "two() = 40"),
        ("/src/bad.jl", "\n\nthrow(3)"),
    ]);
    assert_eq!(int(&rt, "include(\"/src/main.jl\")"), 41);
    let main = Module::MAIN;
    let error = toplevel::eval_string(&rt, main, "include(\"/src/bad.jl\")").unwrap_err().exception;
    assert_eq!(error.ty(), rt.types.core().load_error);
    assert_eq!(text::read(&rt.heap, fields::get(&rt.heap, error, 0).unwrap()).unwrap(), "/src/bad.jl");
    assert_eq!(fields::get(&rt.heap, error, 1).unwrap().as_int(rt.types.core()), Some(3));
}

#[test]
fn packages_are_loaded_once() {
    let rt = with_files(&[
        (
            "/packages/Pack/src/Pack.jl",
            "module Pack\n export p\n include(\"more.jl\")\n __init__() = (global ready = 1)\nend",
        ),
        ("/packages/Pack/src/more.jl", "p() = 5"),
    ]);
    assert_eq!(int(&rt, "using Pack\np()"), 5);
    assert_eq!(int(&rt, "module User\n import Pack\n q() = Pack.p()\nend\nUser.q() + Pack.ready"), 6);
    assert_eq!(thrown(&rt, "using Missing"), "ArgumentError");
}
