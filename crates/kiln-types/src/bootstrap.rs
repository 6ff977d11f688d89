//! The types of `Core`, defined when an interner is made.

use crate::{
    ConstData, Module, StructDef, Type, TypeName, TypeNameKind, Types, consts, datatype, definition, module,
    name_entry, typevar, unionall,
};

const ABSTRACT: TypeNameKind = TypeNameKind::Abstract;
const IMMUTABLE: TypeNameKind = TypeNameKind::Struct { mutable: false };
const MUTABLE: TypeNameKind = TypeNameKind::Struct { mutable: true };

pub(crate) fn define_core(types: &mut Types) {
    for root in ["Core", "Base", "Main"] {
        module::new(types, types.symbol(root), None);
    }
    types.core.bottom = types.intern(crate::TypeData::Bottom);
    types.core.any = declare(types, "Any", ABSTRACT, &[], Types::ANY);
    // Sound only with these two ids and three names, which `Types::BOTTOM`, `Types::ANY`, `TypeName::TUPLE`, `NAMED_TUPLE` and `TYPE` promise.
    define_kinds(types);
    define_numbers(types);
    define_containers(types);
    define_reflection(types);
    define_exceptions(types);
}

fn declare(types: &mut Types, name: &str, kind: TypeNameKind, params: &[Type], supertype: Type) -> Type {
    declare_with_fields(types, name, kind, params, supertype, &[])
}

/// Defines a type of `Core` whose fields must all be initialized, and binds its name.
fn declare_with_fields(
    types: &mut Types,
    name: &str,
    kind: TypeNameKind,
    params: &[Type],
    supertype: Type,
    fields: &[(&str, Type)],
) -> Type {
    let symbol = types.symbol(name);
    let id = definition::define(
        types,
        StructDef {
            name: symbol,
            module: Module::CORE,
            kind,
            params: params.to_vec(),
            field_names: fields.iter().map(|(name, _)| types.symbol(name)).collect(),
            fields_init_min: fields.len(),
            const_fields: vec![false; fields.len()],
            atomic_fields: vec![false; fields.len()],
        },
    );
    definition::set_supertype(types, id, supertype);
    if !matches!(kind, TypeNameKind::Abstract | TypeNameKind::Primitive { .. }) {
        definition::set_fields(types, id, &fields.iter().map(|&(_, ty)| ty).collect::<Vec<_>>());
    }
    let wrapper = types.type_name(id).wrapper;
    types.bindings.push((symbol, wrapper));
    wrapper
}

fn bind(types: &mut Types, name: &str, ty: Type) -> Type {
    types.bindings.push((types.symbol(name), ty));
    ty
}

fn var(types: &Types, name: &str) -> Type {
    typevar::new(types, types.symbol(name), Types::BOTTOM, Types::ANY)
}

fn apply_core(types: &Types, wrapper: Type, params: &[Type]) -> Type {
    types.apply(wrapper, params).expect("core types are applied within their bounds")
}

fn define_kinds(types: &mut Types) {
    // `Tuple`, `NamedTuple` and `Type` have the names 1, 2 and 3.
    let tuple_name = reserve_tuple(types);
    let names = var(types, "names");
    let vararg_any = datatype::vararg(types, Types::ANY, None);
    types.core.tuple = datatype::tuple(types, &[vararg_any]);
    types.core.empty_tuple = datatype::tuple(types, &[]);
    let fields = typevar::new(types, types.symbol("T"), Types::BOTTOM, types.core.tuple);
    types.core.named_tuple =
        declare(types, "NamedTuple", TypeNameKind::NamedTuple, &[names, fields], Types::ANY);
    let t = var(types, "T");
    types.core.type_ = declare(types, "Type", ABSTRACT, &[t], Types::ANY);
    finish_tuple(types, tuple_name);

    // Of a kind it is `Type{T}` with `T` free.
    let type_ = unionall::unwrap(types, types.core.type_);
    types.core.type_name = declare(types, "TypeName", MUTABLE, &[], Types::ANY);
    types.core.simple_vector = declare(types, "SimpleVector", MUTABLE, &[], Types::ANY);
    types.core.symbol = declare(types, "Symbol", MUTABLE, &[], Types::ANY);
    types.core.data_type = declare_with_fields(
        types,
        "DataType",
        MUTABLE,
        &[],
        type_,
        &[
            ("name", types.core.type_name),
            ("super", Types::ANY),
            ("parameters", types.core.simple_vector),
            ("types", types.core.simple_vector),
            ("instance", Types::ANY),
        ],
    );
    types.core.union_type =
        declare_with_fields(types, "Union", MUTABLE, &[], type_, &[("a", Types::ANY), ("b", Types::ANY)]);
    types.core.type_var = declare_with_fields(
        types,
        "TypeVar",
        MUTABLE,
        &[],
        Types::ANY,
        &[("name", types.core.symbol), ("lb", Types::ANY), ("ub", Types::ANY)],
    );
    let var_fields = [("var", types.core.type_var), ("body", Types::ANY)];
    types.core.union_all = declare_with_fields(types, "UnionAll", MUTABLE, &[], type_, &var_fields);
    let type_of_bottom = datatype::type_type(types, Types::BOTTOM);
    types.core.typeof_bottom = declare(types, "TypeofBottom", IMMUTABLE, &[], type_of_bottom);
    types.core.typeof_vararg = declare_with_fields(
        types,
        "TypeofVararg",
        MUTABLE,
        &[],
        Types::ANY,
        &[("T", Types::ANY), ("N", Types::ANY)],
    );
    bind(types, "Vararg", vararg_any);
    let (n, t) = (var(types, "N"), var(types, "T"));
    let ntuple = datatype::tuple(types, &[datatype::vararg(types, t, Some(n))]);
    let ntuple = unionall::wrap_vars(types, ntuple, &[n, t]);
    bind(types, "NTuple", ntuple);
    types.core.function = declare(types, "Function", ABSTRACT, &[], Types::ANY);
    types.core.builtin = declare(types, "Builtin", ABSTRACT, &[], types.core.function);
    types.core.intrinsic_function = declare(types, "IntrinsicFunction", MUTABLE, &[], types.core.builtin);
    types.core.nothing = declare(types, "Nothing", IMMUTABLE, &[], Types::ANY);
    types.core.module = declare(types, "Module", MUTABLE, &[], Types::ANY);
}

fn reserve_tuple(types: &mut Types) -> TypeName {
    name_entry::reserve(types, TypeNameKind::Tuple)
}

/// `Tuple` is its own wrapper although it has parameters, so `define` can not make it.
fn finish_tuple(types: &mut Types, name: TypeName) {
    let symbol = types.symbol("Tuple");
    definition::fill_builtin_name(
        types,
        name,
        StructDef {
            name: symbol,
            module: Module::CORE,
            kind: TypeNameKind::Tuple,
            params: Vec::new(),
            field_names: Vec::new(),
            fields_init_min: 0,
            const_fields: Vec::new(),
            atomic_fields: Vec::new(),
        },
        types.core.tuple,
    );
    types.bindings.push((symbol, types.core.tuple));
}

fn primitive(types: &mut Types, name: &str, supertype: Type, bits: u32) -> Type {
    declare(types, name, TypeNameKind::Primitive { bits }, &[], supertype)
}

fn define_numbers(types: &mut Types) {
    let number = declare(types, "Number", ABSTRACT, &[], Types::ANY);
    let real = declare(types, "Real", ABSTRACT, &[], number);
    let float = declare(types, "AbstractFloat", ABSTRACT, &[], real);
    let integer = declare(types, "Integer", ABSTRACT, &[], real);
    let signed = declare(types, "Signed", ABSTRACT, &[], integer);
    let unsigned = declare(types, "Unsigned", ABSTRACT, &[], integer);
    types.core.number = number;
    types.core.real = real;
    types.core.abstract_float = float;
    types.core.integer = integer;
    types.core.signed = signed;
    types.core.unsigned = unsigned;
    types.core.bool = primitive(types, "Bool", integer, 8);
    types.core.int8 = primitive(types, "Int8", signed, 8);
    types.core.int16 = primitive(types, "Int16", signed, 16);
    types.core.int32 = primitive(types, "Int32", signed, 32);
    types.core.int64 = primitive(types, "Int64", signed, 64);
    types.core.int128 = primitive(types, "Int128", signed, 128);
    types.core.uint8 = primitive(types, "UInt8", unsigned, 8);
    types.core.uint16 = primitive(types, "UInt16", unsigned, 16);
    types.core.uint32 = primitive(types, "UInt32", unsigned, 32);
    types.core.uint64 = primitive(types, "UInt64", unsigned, 64);
    types.core.uint128 = primitive(types, "UInt128", unsigned, 128);
    types.core.float16 = primitive(types, "Float16", float, 16);
    types.core.bfloat16 = primitive(types, "BFloat16", float, 16);
    types.core.float32 = primitive(types, "Float32", float, 32);
    types.core.float64 = primitive(types, "Float64", float, 64);
    bind(types, "Int", types.core.int64);
    bind(types, "UInt", types.core.uint64);
    types.core.abstract_char = declare(types, "AbstractChar", ABSTRACT, &[], Types::ANY);
    types.core.char = primitive(types, "Char", types.core.abstract_char, 32);
    types.core.abstract_string = declare(types, "AbstractString", ABSTRACT, &[], Types::ANY);
    types.core.string = declare(types, "String", MUTABLE, &[], types.core.abstract_string);
}

fn define_containers(types: &mut Types) {
    let t = var(types, "T");
    let n = var(types, "N");
    types.core.ref_ = declare(types, "Ref", ABSTRACT, &[t], Types::ANY);
    let ref_t = apply_core(types, types.core.ref_, &[t]);
    types.core.ptr = declare(types, "Ptr", TypeNameKind::Primitive { bits: 64 }, &[t], ref_t);
    let space = var(types, "AS");
    types.core.llvm_ptr = declare(types, "LLVMPtr", TypeNameKind::Primitive { bits: 64 }, &[t, space], ref_t);
    types.core.abstract_array = declare(types, "AbstractArray", ABSTRACT, &[t, n], Types::ANY);
    let abstract_tn = apply_core(types, types.core.abstract_array, &[t, n]);
    types.core.dense_array = declare(types, "DenseArray", ABSTRACT, &[t, n], abstract_tn);

    types.core.addr_space =
        declare(types, "AddrSpace", TypeNameKind::Primitive { bits: 8 }, &[t], Types::ANY);
    let core = consts::to_param(types, types.constant(ConstData::Module(Module::CORE)));
    let space_type = apply_core(types, types.core.addr_space, &[core]);
    let cpu = types.constant(ConstData::Bits { ty: space_type, bytes: [0].into() });
    let cpu = consts::to_param(types, cpu);

    let kind = var(types, "kind");
    let addrspace = var(types, "addrspace");
    let one = consts::to_param(types, consts::int(types, 1));
    let dense_vector = apply_core(types, types.core.dense_array, &[t, one]);
    let nothing_ptr = apply_core(types, types.core.ptr, &[types.core.nothing]);
    types.core.generic_memory = declare_with_fields(
        types,
        "GenericMemory",
        MUTABLE,
        &[kind, t, addrspace],
        dense_vector,
        &[("length", types.core.int64), ("ptr", nothing_ptr)],
    );
    let memory_ktn = apply_core(types, types.core.generic_memory, &[kind, t, addrspace]);
    types.core.generic_memory_ref = declare_with_fields(
        types,
        "GenericMemoryRef",
        IMMUTABLE,
        &[kind, t, addrspace],
        ref_t,
        &[("ptr_or_offset", nothing_ptr), ("mem", memory_ktn)],
    );
    for (name, kind) in [("Atomic", "atomic"), ("", "not_atomic")] {
        let kind = consts::to_param(types, consts::symbol(types, types.symbol(kind)));
        let memory = apply_core(types, types.core.generic_memory, &[kind, t, cpu]);
        let memory_ref = apply_core(types, types.core.generic_memory_ref, &[kind, t, cpu]);
        types.core.memory = bind(types, &format!("{name}Memory"), unionall::new(types, t, memory));
        types.core.memory_ref = bind(types, &format!("{name}MemoryRef"), unionall::new(types, t, memory_ref));
    }
    let dense_tn = apply_core(types, types.core.dense_array, &[t, n]);
    let memory_ref = apply_core(types, types.core.memory_ref, &[t]);
    let size = datatype::tuple(types, &[datatype::vararg(types, types.core.int64, Some(n))]);
    types.core.array = declare_with_fields(
        types,
        "Array",
        MUTABLE,
        &[t, n],
        dense_tn,
        &[("ref", memory_ref), ("size", size)],
    );
    types.core.box_ =
        declare_with_fields(types, "Box", MUTABLE, &[], Types::ANY, &[("contents", Types::ANY)]);
    allow_undefined(types, types.core.box_, 0);
}

/// `new` may leave fields undefined from `first` on.
fn allow_undefined(types: &mut Types, ty: Type, first: usize) {
    if let Some(name) = datatype::name_of(types, ty)
        && let Some(data) = name_entry::data_mut(types, name)
    {
        data.def.fields_init_min = first;
    }
}

fn define_reflection(types: &mut Types) {
    let one = consts::to_param(types, consts::int(types, 1));
    let any_vector = apply_core(types, types.core.array, &[Types::ANY, one]);
    let (symbol, module) = (types.core.symbol, types.core.module);
    let file = types.union(&[symbol, types.core.nothing]);
    types.core.expr = declare_with_fields(
        types,
        "Expr",
        MUTABLE,
        &[],
        Types::ANY,
        &[("head", symbol), ("args", any_vector)],
    );
    types.core.quote_node =
        declare_with_fields(types, "QuoteNode", IMMUTABLE, &[], Types::ANY, &[("value", Types::ANY)]);
    types.core.line_number_node = declare_with_fields(
        types,
        "LineNumberNode",
        IMMUTABLE,
        &[],
        Types::ANY,
        &[("line", types.core.int64), ("file", file)],
    );
    types.core.global_ref = declare_with_fields(
        types,
        "GlobalRef",
        IMMUTABLE,
        &[],
        Types::ANY,
        &[("mod", module), ("name", symbol)],
    );
    types.core.method = declare_with_fields(
        types,
        "Method",
        MUTABLE,
        &[],
        Types::ANY,
        &[("name", symbol), ("module", module), ("sig", Types::ANY)],
    );
    types.core.method_instance = declare(types, "MethodInstance", MUTABLE, &[], Types::ANY);
    types.core.code_instance = declare(types, "CodeInstance", MUTABLE, &[], Types::ANY);
    types.core.method_table = declare(types, "MethodTable", MUTABLE, &[], Types::ANY);
}

fn exception(types: &mut Types, name: &str, fields: &[(&str, Type)]) -> Type {
    declare_with_fields(types, name, IMMUTABLE, &[], types.core.exception, fields)
}

fn define_exceptions(types: &mut Types) {
    let any = Types::ANY;
    let (symbol, string, type_) = (types.core.symbol, types.core.abstract_string, types.core.type_);
    let context = types.union(&[string, symbol]);
    types.core.exception = declare(types, "Exception", ABSTRACT, &[], any);
    types.core.error_exception = exception(types, "ErrorException", &[("msg", string)]);
    types.core.bounds_error = exception(types, "BoundsError", &[("a", any), ("i", any)]);
    allow_undefined(types, types.core.bounds_error, 0);
    types.core.divide_error = exception(types, "DivideError", &[]);
    types.core.domain_error = exception(types, "DomainError", &[("val", any), ("msg", any)]);
    allow_undefined(types, types.core.domain_error, 1);
    types.core.overflow_error = exception(types, "OverflowError", &[("msg", string)]);
    types.core.inexact_error = exception(types, "InexactError", &[("func", symbol), ("args", any)]);
    types.core.undef_ref_error = exception(types, "UndefRefError", &[]);
    types.core.undef_var_error =
        exception(types, "UndefVarError", &[("var", symbol), ("world", types.core.uint64), ("scope", any)]);
    allow_undefined(types, types.core.undef_var_error, 2);
    types.core.undef_keyword_error = exception(types, "UndefKeywordError", &[("var", symbol)]);
    types.core.field_error =
        exception(types, "FieldError", &[("type", types.core.data_type), ("field", symbol)]);
    types.core.type_error = exception(
        types,
        "TypeError",
        &[("func", symbol), ("context", context), ("expected", type_), ("got", any)],
    );
    types.core.argument_error = exception(types, "ArgumentError", &[("msg", string)]);
    types.core.assertion_error = exception(types, "AssertionError", &[("msg", string)]);
    types.core.method_error =
        exception(types, "MethodError", &[("f", any), ("args", any), ("world", types.core.uint64)]);
    types.core.concurrency_violation_error =
        exception(types, "ConcurrencyViolationError", &[("msg", string)]);
    types.core.stack_overflow_error = exception(types, "StackOverflowError", &[]);
    types.core.out_of_memory_error = exception(types, "OutOfMemoryError", &[]);
    types.core.interrupt_exception = exception(types, "InterruptException", &[]);
    let load_fields = [("file", string), ("line", types.core.int64), ("error", any)];
    types.core.load_error = exception(types, "LoadError", &load_fields);
}
