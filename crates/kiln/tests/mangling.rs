//! Names of compiled kernels are C++ names that demanglers of the Itanium ABI read. MISSION G: GPUCompiler's "mangling".

use kiln::{Session, SessionOptions};
use kiln_runtime::eval::toplevel;
use kiln_types::{Module, datatype, mangle};

/// Demangles the name of `identity` for arguments of these types.
fn demangled(session: &Session, args: &str) -> String {
    let rt = session.runtime();
    let tuple = toplevel::eval_string(rt, Module::MAIN, &format!("Tuple{{{args}}}"));
    let tuple = tuple.unwrap_or_else(|_| panic!("{args} are types"));
    let tuple = tuple.as_type(rt.types.core()).expect("a tuple of types is a type");
    let name = mangle::symbol(&rt.types, "identity", datatype::params(&rt.types, tuple));
    assert!(
        name.chars().all(|it| it.is_ascii_alphanumeric() || it == '_'),
        "{name}: not for every assembler"
    );
    let symbol = cpp_demangle::Symbol::new(&name).unwrap_or_else(|it| panic!("{args}: {name}: {it}"));
    symbol.demangle(&Default::default()).unwrap_or_else(|it| panic!("{args}: {name}: {it}"))
}

/// Every signature reads as the types it was made of.
#[test]
fn demanglers_read_the_names() {
    let session = Session::new(SessionOptions::default()).expect("a session starts");
    for (args, shown) in [
        ("Nothing", "identity()"),
        ("Int32", "identity(Int32)"),
        ("Int64", "identity(Int64)"),
        ("Val{1}", "identity(Val<1>)"),
        ("Val{-1}", "identity(Val<-1>)"),
        ("Val{Int16(1)}", "identity(Val<(short)1>)"),
        ("Val{'a'}", "identity(Val<(unsigned int)97>)"),
        ("Val{'∅'}", "identity(Val<(unsigned int)8709>)"),
        ("Val{true}, Val{0x07}", "identity(Val<true>, Val<(unsigned char)7>)"),
        ("Val{2^40}", "identity(Val<(long)1099511627776>)"),
        ("Val{:axpy}", "identity(Val<_axpy>)"),
        ("Union{Int32, Int64}", "identity(Union<Int32, Int64>)"),
        ("Union, Int, Union{Int64, Int32}", "identity(Union, Int64, Union<Int32, Int64>)"),
        ("Array", "identity(Array<T, N>)"),
        ("Tuple", "identity(Tuple)"),
        ("Vector", "identity(Array<T, 1>)"),
        ("NTuple{2, I} where {I <: Integer}", "identity(Tuple<I__Integer, I__Integer>)"),
        ("Vararg{Int}", "identity(Int64, ...)"),
        ("Vararg{Int, 2}", "identity(Int64, Int64)"),
        ("Tuple{1, 2}, Tuple{}, Tuple", "identity(Tuple<1, 2>, Tuple<>, Tuple)"),
        ("NTuple{2, Int}", "identity(Tuple<Int64, Int64>)"),
        ("Tuple{Vararg{Int}}", "identity(Tuple<>)"),
        (
            "Val{1}, Ptr{Tuple{Ptr{Int}}}, Ptr{Int}, Val{1}, Val{2}, Tuple{Ptr{Int}}, Tuple{Int8}, Int64, Int8",
            "identity(Val<1>, Tuple<Int64*>*, Int64*, Val<1>, Val<2>, Tuple<Int64*>, Tuple<Int8>, Int64, Int8)",
        ),
        ("String, Matrix{Float32}", "identity(String, Array<Float32, 2>)"),
        ("typeof(sin), Base.RefValue{typeof(+)}", "identity(sin, RefValue<_>)"),
    ] {
        assert_eq!(demangled(&session, args), shown, "{args}");
    }
}

/// Parts that were written are referred to by number, in base 36 beyond the tenth.
#[test]
fn many_parts_are_referred_to() {
    let session = Session::new(SessionOptions::default()).expect("a session starts");
    let values: Vec<String> = (1..=40).map(|it| format!("Val{{{it}}}")).collect();
    let shown: Vec<String> = (1..=40).map(|it| format!("Val<{it}>")).collect();
    let (args, shown) = (values.join(", "), shown.join(", "));
    assert_eq!(demangled(&session, &format!("{args}, Val{{40}}")), format!("identity({shown}, Val<40>)"));
    // Floats are their bits: demanglers differ in how they show them.
    let (one, half) = (demangled(&session, "Val{1.0}"), demangled(&session, "Val{0.5f0}"));
    assert!(one.contains("3ff0000000000000") || one.contains("0x1p+0"), "{one}");
    assert!(half.contains("3f000000") || half.contains("0x1p-1"), "{half}");
}
