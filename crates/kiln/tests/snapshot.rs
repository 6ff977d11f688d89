//! A session thawed from the snapshot and one that loaded Base from its text behave the same.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use kiln::internals::{BaseSource, SessionInternals as _, TestOptions as _};
use kiln::{Session, SessionOptions};
use kiln_runtime::eval::toplevel;
use kiln_runtime::heap::text;
use kiln_runtime::tables::TableId;
use kiln_types::display;

fn both() -> [Session; 2] {
    [BaseSource::Snapshot, BaseSource::Text].map(|base| {
        let options = SessionOptions::new().base(base).args(["one", "two"]);
        Session::new(options).unwrap()
    })
}

/// Evaluates a text to a string; or returns the error's message.
fn shown(session: &Session, text: &str) -> String {
    let rt = session.runtime();
    match toplevel::eval_string(rt, session.main(), text) {
        Ok(value) => text::read(&rt.heap, value)
            .unwrap_or_else(|| format!("a {}", display::of_type(&rt.types, value.ty()))),
        Err(thrown) => format!("threw a {}", display::of_type(&rt.types, thrown.exception.ty())),
    }
}

/// Closures, tables, strings, exceptions, redefinition, `eval`, generated code: programs that reach into Base at many
/// places.
#[test]
fn programs_print_the_same() {
    let [thawed, loaded] = both();
    for text in [
        "string(sum(x -> x^2, 1:10), ' ', sqrt(2.0), ' ', 7 // 21)",
        "string(sort([3, 1, 2]; rev = true), map(+, (1, 2), (3, 4)), ARGS)",
        "begin d = Dict(\"a\" => 1, \"b\" => 2); string(d[\"b\"], length(d), haskey(d, \"c\")) end",
        "try; error(\"no\"); catch e; sprint(showerror, e); end",
        "try; [1][2]; catch e; sprint(showerror, e); end",
        "begin struct P{T}; x::T; end; string(P(1), P{Float64}(2), P) end",
        "begin f(x) = 1; f(x::Int) = 2; string(f(1), f(1.0)) end",
        "begin Base.show(io::IO, p::P) = print(io, \"P!\"); string(P(3)) end",
        "string(eval(:(1 + 2)), @eval $(:f)(0))",
        "string([x * y for x in 1:2, y in 1:2], \"abc\"[2:end], 'a' + 1)",
        "string(methods === methods, nameof(Base), parentmodule(sin))",
        "string(typeof((1, 2.0, \"x\")), Vector{Int}, Union{Int, Missing})",
    ] {
        assert_eq!(shown(&thawed, text), shown(&loaded, text), "{text}");
        assert!(!shown(&loaded, text).starts_with("threw"), "{text}: {}", shown(&loaded, text));
    }
}

/// Packages are in the snapshot, and visible after `using` only.
#[test]
fn packages_wait_for_using() {
    let [thawed, loaded] = both();
    for session in [&thawed, &loaded] {
        assert_eq!(
            shown(session, "string(isdefined(Main, :Statistics), isdefined(Main, :mean))"),
            "falsefalse"
        );
        assert_eq!(shown(session, "begin mean([1, 2]); \"\" end"), "threw a UndefVarError");
        shown(session, "using Statistics");
        assert_eq!(shown(session, "string(mean([1, 2]), ' ', isdefined(Main, :Statistics))"), "1.5 true");
    }
}

/// A place in Base is known by its file's name and line, although no file of it was read.
#[test]
fn places_in_base_are_known() {
    let places = both().map(|session| {
        let rt = session.runtime();
        let methods = rt.tables.methods.methods_of_table(TableId::GLOBAL).into_iter().take(500);
        methods.filter_map(|it| rt.frontend.place(rt.tables.method(it).loc)).collect::<Vec<_>>()
    });
    assert_eq!(places[0], places[1]);
    assert!(
        places[0].len() > 400
            && places[0].iter().all(|(file, line)| file.starts_with("@kiln/core/") && *line > 0)
    );
}

/// Two sessions of one snapshot do not see each other.
#[test]
fn sessions_share_nothing() {
    let [a, b] = [(); 2].map(|()| Session::new(SessionOptions::default()).unwrap());
    shown(&a, "begin Base.sin(::Nothing) = 0; push!(ARGS, \"x\"); only_here = 1 end");
    assert_eq!(shown(&b, "begin sin(nothing); \"\" end"), "threw a MethodError");
    assert_eq!(shown(&b, "string(length(ARGS), isdefined(Main, :only_here))"), "0false");
}

/// A later definition of the same signature replaces an earlier one, which is then dead text.
#[test]
fn the_library_defines_each_method_once() {
    let options = SessionOptions::new().base(BaseSource::Text);
    let session = Session::new(options).unwrap();
    let rt = session.runtime();
    shown(&session, "using Random, LinearAlgebra, Statistics, Printf, Dates, Unicode, StaticArrays, Test");
    shown(&session, "using KernelAbstractions, CUDA, AMDGPU");
    let now = rt.tables.world();
    let mut dead = Vec::new();
    for id in rt.tables.methods.methods_of_table(TableId::GLOBAL) {
        let method = rt.tables.method(id);
        if !method.worlds().contains(now) {
            let place = rt.frontend.place(method.loc).unwrap_or_default();
            // Loading begins with simple forms of a few functions that it needs itself.
            if place.0.ends_with("core/boot.jl") {
                continue;
            }
            dead.push(format!("{}:{}: {}", place.0, place.1, display::of_type(&rt.types, method.sig)));
        }
    }
    assert!(dead.is_empty(), "defined again later:\n{}", dead.join("\n"));
}
