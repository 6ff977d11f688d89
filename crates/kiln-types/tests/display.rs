//! The text that `print` shows for types and constants in Julia 1.12.

mod notation;
use kiln_types::{ConstData, Module, StructDef, TypeNameKind, consts, datatype, definition, display, module};
use notation::Notation;

/// Each line: a type, and how it is shown.
const SHOWN: &str = "
Int64  Int64
Array{Int64,1}  Vector{Int64}
Array{Float32,2}  Matrix{Float32}
Array{Int64,3}  Array{Int64, 3}
Array{T,3} where T  Array{T, 3} where T
Array  Array
Vector  Vector
Array{Int64}  Array{Int64}
Array{Int64,N} where N  Array{Int64}
Array{T,N} where {N,T}  Array{T, N} where {N, T}
AbstractVector{<:Real}  AbstractVector{<:Real}
AbstractVector{>:Int8}  AbstractVector{>:Int8}
Vector{T} where T<:Real  Vector{T} where T<:Real
Vector{T} where T>:Int8  Vector{T} where T>:Int8
Vector{T} where Int8<:T<:Real  Vector{T} where Int8<:T<:Real
Array{<:Real}  Array{<:Real}
DenseArray{Int8,1}  DenseVector{Int8}
Pair{A,B} where {A,B}  Pair
Pair{Int8}  Pair{Int8}
Pair{A,Int8} where A  Pair{A, Int8} where A
Pair{T,T} where T  Pair{T, T} where T
Pair{A,B} where {A,B<:A}  Pair{A, B} where {A, B<:A}
Type  Type
Type{Int64}  Type{Int64}
Type{T} where T<:Integer  Type{T} where T<:Integer
Type{<:Integer}  Type{<:Integer}
Type{Vector}  Type{Vector}
Val{:x}  Val{:x}
Val{3}  Val{3}
Val{true}  Val{true}
Ptr{Nothing}  Ptr{Nothing}
Tuple  Tuple
Tuple{}  Tuple{}
Tuple{Int64}  Tuple{Int64}
Tuple{Int64,Vararg{Any}}  Tuple{Int64, Vararg{Any}}
Tuple{Vararg{Int64}}  Tuple{Vararg{Int64}}
NTuple{3,Int64}  Tuple{Int64, Int64, Int64}
NTuple{4,Int64}  NTuple{4, Int64}
NTuple{N,Int64} where N  NTuple{N, Int64} where N
Tuple{Int8,Int64,Int64,Int64,Int64}  Tuple{Int8, Vararg{Int64, 4}}
Tuple{T,T} where T  Tuple{T, T} where T
Union{Int64,Nothing}  Union{Nothing, Int64}
Union{Float64,Int64}  Union{Float64, Int64}
Union{String,Int64,Nothing}  Union{Nothing, Int64, String}
Union{}  Union{}
Union{Vector,Int64}  Union{Int64, Vector}
Vector{Union{Int64,Nothing}}  Vector{Union{Nothing, Int64}}
Vector{Vector{T} where T}  Vector{Vector}
Vector{Vector{T}} where T  Vector{Vector{T}} where T
Pair{Ref{T} where T,T} where T  Pair{Ref}
Memory{Int64}  Memory{Int64}
MemoryRef{Int64}  MemoryRef{Int64}
AtomicMemory{Int64}  AtomicMemory{Int64}
DataType  DataType
TypeofBottom  TypeofBottom
";

#[test]
fn types() {
    let notation = Notation::new();
    let mut wrong = Vec::new();
    for line in SHOWN.lines().filter(|it| !it.is_empty()) {
        let (ty, shown) = line.split_once("  ").unwrap();
        let got = display::of_type(&notation.types, notation.ty(ty));
        if got != shown {
            wrong.push(format!("{ty} is shown as {got}, not {shown}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Names `Main` does not see carry the path of their module; named tuples and functions have forms of their own.
#[test]
fn names() {
    let notation = Notation::new();
    let types = &notation.types;
    let core = types.core();
    let foo = module::new(types, types.symbol("Foo"), Some(Module::MAIN));
    let bar = module::new(types, types.symbol("Bar"), Some(foo));
    let def = |name: &str, module| {
        let id = definition::define(
            types,
            StructDef {
                name: types.symbol(name),
                module,
                kind: TypeNameKind::Struct { mutable: false },
                params: vec![],
                field_names: vec![],
                fields_init_min: 0,
                const_fields: vec![],
                atomic_fields: vec![],
            },
        );
        definition::set_supertype(types, id, core.any);
        definition::set_fields(types, id, &[]);
        types.type_name(id).wrapper
    };
    assert_eq!(display::of_type(types, def("Point", bar)), "Main.Foo.Bar.Point");
    assert_eq!(display::of_type(types, def("Point", Module::MAIN)), "Point");
    assert_eq!(display::of_type(types, def("#f#1", Module::MAIN)), "var\"#f#1\"");
    let (a, b) = (types.symbol("a"), types.symbol("b"));
    let named = datatype::named_tuple(types, &[a, b], datatype::tuple(types, &[core.int64, core.any]));
    assert_eq!(display::of_type(types, named), "@NamedTuple{a::Int64, b}");
    assert_eq!(display::of_type(types, core.named_tuple), "NamedTuple");
    let names = datatype::params(types, named)[0];
    assert_eq!(
        display::of_type(types, types.apply(core.named_tuple, &[names]).unwrap()),
        "NamedTuple{(:a, :b)}"
    );
    let sin = definition::define_singleton(types, types.symbol("#sin"), Module::BASE, core.function);
    assert_eq!(display::of_type(types, sin), "typeof(sin)");
    let plus = definition::define_singleton(types, types.symbol("+"), Module::BASE, core.function);
    assert_eq!(display::of_type(types, plus), "typeof(+)");
    let inner = definition::define_singleton(types, types.symbol("g"), bar, core.function);
    assert_eq!(display::of_type(types, inner), "typeof(Main.Foo.Bar.g)");
}

#[test]
fn constants() {
    let notation = Notation::new();
    let types = &notation.types;
    let core = types.core();
    let bits = |ty, bytes: &[u8]| {
        display::of_const(types, types.constant(ConstData::Bits { ty, bytes: bytes.into() }))
    };
    assert_eq!(bits(core.int8, &[0xff]), "-1");
    assert_eq!(bits(core.uint16, &[0x2a, 0]), "0x002a");
    for (value, shown) in [
        (1.0, "1.0"),
        (-0.5, "-0.5"),
        (1e5, "100000.0"),
        (1e6, "1.0e6"),
        (123_456_789.0, "1.23456789e8"),
        (1e-4, "0.0001"),
        (1e-5, "1.0e-5"),
        (f64::INFINITY, "Inf"),
        (f64::NAN, "NaN"),
    ] {
        assert_eq!(bits(core.float64, &value.to_le_bytes()), shown);
    }
    assert_eq!(bits(core.float32, &1.5f32.to_le_bytes()), "1.5f0");
    assert_eq!(bits(core.float32, &1e10f32.to_le_bytes()), "1.0f10");
    assert_eq!(display::of_const(types, consts::bool(types, true)), "true");
    assert_eq!(display::of_const(types, consts::nothing(types)), "nothing");
    assert_eq!(display::of_const(types, consts::symbol(types, types.symbol("x"))), ":x");
    assert_eq!(display::of_const(types, consts::symbol(types, types.symbol("a b"))), "Symbol(\"a b\")");
    let text = types.constant(ConstData::String((*b"a\"b\n").into()));
    assert_eq!(display::of_const(types, text), "\"a\\\"b\\n\"");
    let pair = datatype::tuple(types, &[core.int64, core.bool]);
    let fields = [consts::int(types, 7), consts::bool(types, false)].into();
    let tuple = types.constant(ConstData::Aggregate { ty: pair, fields });
    assert_eq!(display::of_const(types, tuple), "(7, false)");
    assert!(matches!(types.const_data(tuple), ConstData::Bits { bytes, .. } if bytes.len() == 16));
}
