//! The values that variables of a signature take, and joins along supertypes.

mod notation;
use kiln_types::{display, equality, intersect, typejoin};
use notation::Notation;

fn environment(notation: &Notation, args: &str, sig: &str) -> String {
    let types = &notation.types;
    let (common, env) = intersect::meet_with_values(types, notation.ty(args), notation.ty(sig));
    assert!(common != types.core().bottom, "{args} does not match {sig}");
    env.iter().map(|&it| display::of_type(types, it)).collect::<Vec<_>>().join(" ")
}

/// Static parameters of a method called with concrete arguments, and with inferred ones.
#[test]
fn static_parameters() {
    let notation = Notation::new();
    let claims = [
        ("Tuple{Int8}", "Tuple{T} where T", "Int8"),
        ("Tuple{Vector{Int8},Int64}", "Tuple{Array{T,N},S} where {T,N,S}", "Int8 1 Int64"),
        ("Tuple{Int8,Int8}", "Tuple{T,T} where T<:Integer", "Int8"),
        ("Tuple{Type{Int8}}", "Tuple{Type{T}} where T", "Int8"),
        ("Tuple{Type{Int8}}", "Tuple{T} where T", "DataType"),
        ("Tuple{Type{Vector}}", "Tuple{Type{T}} where T", "Vector"),
        ("Tuple{Int8,Int16}", "Tuple{T,S} where {T,S<:Integer}", "Int8 Int16"),
        ("Tuple{Matrix{Int8},Int64,Int64}", "Tuple{Array{T,N},Vararg{Int64,N}} where {T,N}", "Int8 2"),
        ("Tuple{Int8,Int16,Int32}", "Tuple{Int8,Vararg{Any,N}} where N", "2"),
        ("Tuple{Val{:x}}", "Tuple{Val{s}} where s", ":x"),
        ("Tuple{Ref{Integer},Int8,Any}", "Tuple{Ref{Z},Z,Z} where Z", "Integer"),
        ("Tuple{Tuple{Int8,Int16}}", "Tuple{Tuple{A,B}} where {A,B}", "Int8 Int16"),
        (
            "Tuple{Vector{Vector{Int8}}}",
            "Tuple{Vector{V}} where {T,V<:AbstractVector{T}}",
            "Int8 Vector{Int8}",
        ),
        ("Tuple{Int8}", "Tuple{Union{T,Vector{T}}} where T<:Integer", "Int8"),
        ("Tuple{Nothing}", "Tuple{Union{Nothing,T}} where T", "T"),
        ("Tuple{Vector}", "Tuple{Vector{T}} where T", "T"),
        ("Tuple{Integer}", "Tuple{T} where T", "T"),
        ("Tuple{Any}", "Tuple{T} where T<:Real", "T"),
    ];
    for (args, sig, expected) in claims {
        assert_eq!(environment(&notation, args, sig), expected, "{args} for {sig}");
    }
}

/// A parameter that is not known exactly is a variable: nothing may rely on its being one type.
#[test]
fn inexact_parameters_are_variables() {
    let notation = Notation::new();
    let types = &notation.types;
    for (args, sig) in [
        ("Tuple{Union{Int8,Int16}}", "Tuple{T} where T"),
        ("Tuple{Real}", "Tuple{T} where T"),
        ("Tuple{Vector{T}} where T<:Real", "Tuple{Vector{T}} where T"),
        ("Tuple{Union{Vector{Int8},V}} where V<:Vector", "Tuple{Vector{T}} where T"),
        ("Union{Vector{Int8},V} where V<:Vector", "Vector{T} where T"),
    ] {
        let (_, env) = intersect::meet_with_values(types, notation.ty(args), notation.ty(sig));
        assert!(matches!(types.data(env[0]), kiln_types::TypeData::Var { .. }), "{args}");
    }
}

#[test]
fn joins() {
    let notation = Notation::new();
    let types = &notation.types;
    for (a, b, joined) in [
        ("Int8", "Int16", "Signed"),
        ("Int8", "Float64", "Real"),
        ("Int8", "String", "Any"),
        ("Int8", "Integer", "Integer"),
        ("Int8", "Union{}", "Int8"),
        ("Vector{Int8}", "Vector{Int16}", "Vector"),
        ("Vector{Int8}", "Matrix{Int8}", "Array{Int8}"),
        ("Tuple{Int8,Int16}", "Tuple{Int16,Int16}", "Tuple{Signed,Int16}"),
        ("Tuple{Int8}", "Tuple{Int8,Int8}", "Tuple{Int8,Vararg{Int8}}"),
        ("Tuple{}", "Tuple{Int8,Float64}", "Tuple{Vararg{Real}}"),
        ("Tuple{Int8}", "Int8", "Any"),
        ("Union{Int8,Int16}", "UInt8", "Integer"),
        ("Type{Int8}", "Type{Int16}", "Type"),
        ("Nothing", "Int8", "Any"),
        ("Pair{Int8,Int8}", "Pair{Int8,String}", "Pair{Int8}"),
    ] {
        let (x, y, expected) = (notation.ty(a), notation.ty(b), notation.ty(joined));
        let got = typejoin::join(types, x, y);
        assert!(
            equality::are_equal(types, got, expected),
            "typejoin({a}, {b}) is {}",
            display::of_type(types, got)
        );
        assert!(equality::are_equal(types, typejoin::join(types, y, x), expected), "typejoin({b}, {a})");
    }
}
