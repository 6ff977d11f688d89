//! The types of `Core`, defined when an interner is made.

use crate::{ConstData, StructDef, Type, TypeName, TypeNameKind, Types};

const ABSTRACT: TypeNameKind = TypeNameKind::Abstract;
const IMMUTABLE: TypeNameKind = TypeNameKind::Struct { mutable: false };
const MUTABLE: TypeNameKind = TypeNameKind::Struct { mutable: true };

impl Types {
    pub(crate) fn tuple_name(&self) -> TypeName {
        TypeName::from_index(1)
    }

    pub(crate) fn named_tuple_name(&self) -> TypeName {
        TypeName::from_index(2)
    }

    pub(crate) fn type_type_name(&self) -> TypeName {
        TypeName::from_index(3)
    }

    pub(crate) fn bootstrap(&mut self) {
        for root in ["Core", "Base", "Main"] {
            self.new_module(self.symbol(root), None);
        }
        self.core.bottom = self.intern(crate::TypeData::Bottom);
        self.core.any = self.declare("Any", ABSTRACT, &[], Self::ANY);
        // Sound only with these two ids and three names, which `BOTTOM`, `ANY` and `tuple_name` promise.
        self.define_kinds();
        self.define_numbers();
        self.define_containers();
        self.define_reflection();
        self.define_exceptions();
    }

    fn declare(&mut self, name: &str, kind: TypeNameKind, params: &[Type], supertype: Type) -> Type {
        self.declare_with_fields(name, kind, params, supertype, &[])
    }

    /// Defines a type of `Core` whose fields must all be initialized, and binds its name.
    fn declare_with_fields(
        &mut self,
        name: &str,
        kind: TypeNameKind,
        params: &[Type],
        supertype: Type,
        fields: &[(&str, Type)],
    ) -> Type {
        let symbol = self.symbol(name);
        let id = self.define(StructDef {
            name: symbol,
            module: self.core_module(),
            kind,
            params: params.to_vec(),
            field_names: fields.iter().map(|(name, _)| self.symbol(name)).collect(),
            fields_init_min: fields.len(),
            const_fields: vec![false; fields.len()],
            atomic_fields: vec![false; fields.len()],
        });
        self.set_supertype(id, supertype);
        if !matches!(kind, TypeNameKind::Abstract | TypeNameKind::Primitive { .. }) {
            self.set_fields(id, &fields.iter().map(|&(_, ty)| ty).collect::<Vec<_>>());
        }
        let wrapper = self.type_name(id).wrapper;
        self.bindings.push((symbol, wrapper));
        wrapper
    }

    fn bind(&mut self, name: &str, ty: Type) -> Type {
        self.bindings.push((self.symbol(name), ty));
        ty
    }

    fn var(&self, name: &str) -> Type {
        self.type_var(self.symbol(name), Self::BOTTOM, Self::ANY)
    }

    fn apply_core(&self, wrapper: Type, params: &[Type]) -> Type {
        self.apply(wrapper, params).expect("core types are applied within their bounds")
    }

    fn define_kinds(&mut self) {
        // `Tuple`, `NamedTuple` and `Type` have the names 1, 2 and 3.
        let tuple_name = self.reserve_tuple();
        let names = self.var("names");
        let vararg_any = self.vararg(Self::ANY, None);
        self.core.tuple = self.tuple(&[vararg_any]);
        self.core.empty_tuple = self.tuple(&[]);
        let fields = self.type_var(self.symbol("T"), Self::BOTTOM, self.core.tuple);
        self.core.named_tuple =
            self.declare("NamedTuple", TypeNameKind::NamedTuple, &[names, fields], Self::ANY);
        let t = self.var("T");
        self.core.type_ = self.declare("Type", ABSTRACT, &[t], Self::ANY);
        self.finish_tuple(tuple_name);

        // Of a kind it is `Type{T}` with `T` free.
        let type_ = self.unwrap_unionall(self.core.type_);
        self.core.type_name = self.declare("TypeName", MUTABLE, &[], Self::ANY);
        self.core.simple_vector = self.declare("SimpleVector", MUTABLE, &[], Self::ANY);
        self.core.symbol = self.declare("Symbol", MUTABLE, &[], Self::ANY);
        self.core.data_type = self.declare_with_fields(
            "DataType",
            MUTABLE,
            &[],
            type_,
            &[
                ("name", self.core.type_name),
                ("super", Self::ANY),
                ("parameters", self.core.simple_vector),
                ("types", self.core.simple_vector),
                ("instance", Self::ANY),
            ],
        );
        self.core.union_type =
            self.declare_with_fields("Union", MUTABLE, &[], type_, &[("a", Self::ANY), ("b", Self::ANY)]);
        self.core.type_var = self.declare_with_fields(
            "TypeVar",
            MUTABLE,
            &[],
            Self::ANY,
            &[("name", self.core.symbol), ("lb", Self::ANY), ("ub", Self::ANY)],
        );
        let var_fields = [("var", self.core.type_var), ("body", Self::ANY)];
        self.core.union_all = self.declare_with_fields("UnionAll", MUTABLE, &[], type_, &var_fields);
        let type_of_bottom = self.type_type(Self::BOTTOM);
        self.core.typeof_bottom = self.declare("TypeofBottom", IMMUTABLE, &[], type_of_bottom);
        self.core.typeof_vararg = self.declare_with_fields(
            "TypeofVararg",
            MUTABLE,
            &[],
            Self::ANY,
            &[("T", Self::ANY), ("N", Self::ANY)],
        );
        self.bind("Vararg", vararg_any);
        let (n, t) = (self.var("N"), self.var("T"));
        let ntuple = self.tuple(&[self.vararg(t, Some(n))]);
        let ntuple = self.wrap_vars(ntuple, &[n, t]);
        self.bind("NTuple", ntuple);
        self.core.function = self.declare("Function", ABSTRACT, &[], Self::ANY);
        self.core.builtin = self.declare("Builtin", ABSTRACT, &[], self.core.function);
        self.core.intrinsic_function = self.declare("IntrinsicFunction", MUTABLE, &[], self.core.builtin);
        self.core.nothing = self.declare("Nothing", IMMUTABLE, &[], Self::ANY);
        self.core.module = self.declare("Module", MUTABLE, &[], Self::ANY);
    }

    fn reserve_tuple(&mut self) -> TypeName {
        self.reserve_name(TypeNameKind::Tuple)
    }

    /// `Tuple` is its own wrapper although it has parameters, so `define` can not make it.
    fn finish_tuple(&mut self, name: TypeName) {
        let symbol = self.symbol("Tuple");
        self.fill_builtin_name(
            name,
            StructDef {
                name: symbol,
                module: self.core_module(),
                kind: TypeNameKind::Tuple,
                params: Vec::new(),
                field_names: Vec::new(),
                fields_init_min: 0,
                const_fields: Vec::new(),
                atomic_fields: Vec::new(),
            },
            self.core.tuple,
        );
        self.bindings.push((symbol, self.core.tuple));
    }

    fn primitive(&mut self, name: &str, supertype: Type, bits: u32) -> Type {
        self.declare(name, TypeNameKind::Primitive { bits }, &[], supertype)
    }

    fn define_numbers(&mut self) {
        let number = self.declare("Number", ABSTRACT, &[], Self::ANY);
        let real = self.declare("Real", ABSTRACT, &[], number);
        let float = self.declare("AbstractFloat", ABSTRACT, &[], real);
        let integer = self.declare("Integer", ABSTRACT, &[], real);
        let signed = self.declare("Signed", ABSTRACT, &[], integer);
        let unsigned = self.declare("Unsigned", ABSTRACT, &[], integer);
        self.core.number = number;
        self.core.real = real;
        self.core.abstract_float = float;
        self.core.integer = integer;
        self.core.signed = signed;
        self.core.unsigned = unsigned;
        self.core.bool = self.primitive("Bool", integer, 8);
        self.core.int8 = self.primitive("Int8", signed, 8);
        self.core.int16 = self.primitive("Int16", signed, 16);
        self.core.int32 = self.primitive("Int32", signed, 32);
        self.core.int64 = self.primitive("Int64", signed, 64);
        self.core.int128 = self.primitive("Int128", signed, 128);
        self.core.uint8 = self.primitive("UInt8", unsigned, 8);
        self.core.uint16 = self.primitive("UInt16", unsigned, 16);
        self.core.uint32 = self.primitive("UInt32", unsigned, 32);
        self.core.uint64 = self.primitive("UInt64", unsigned, 64);
        self.core.uint128 = self.primitive("UInt128", unsigned, 128);
        self.core.float16 = self.primitive("Float16", float, 16);
        self.core.bfloat16 = self.primitive("BFloat16", float, 16);
        self.core.float32 = self.primitive("Float32", float, 32);
        self.core.float64 = self.primitive("Float64", float, 64);
        self.bind("Int", self.core.int64);
        self.bind("UInt", self.core.uint64);
        self.core.abstract_char = self.declare("AbstractChar", ABSTRACT, &[], Self::ANY);
        self.core.char = self.primitive("Char", self.core.abstract_char, 32);
        self.core.abstract_string = self.declare("AbstractString", ABSTRACT, &[], Self::ANY);
        self.core.string = self.declare("String", MUTABLE, &[], self.core.abstract_string);
    }

    fn define_containers(&mut self) {
        let t = self.var("T");
        let n = self.var("N");
        self.core.ref_ = self.declare("Ref", ABSTRACT, &[t], Self::ANY);
        let ref_t = self.apply_core(self.core.ref_, &[t]);
        self.core.ptr = self.declare("Ptr", TypeNameKind::Primitive { bits: 64 }, &[t], ref_t);
        let space = self.var("AS");
        self.core.llvm_ptr =
            self.declare("LLVMPtr", TypeNameKind::Primitive { bits: 64 }, &[t, space], ref_t);
        self.core.abstract_array = self.declare("AbstractArray", ABSTRACT, &[t, n], Self::ANY);
        let abstract_tn = self.apply_core(self.core.abstract_array, &[t, n]);
        self.core.dense_array = self.declare("DenseArray", ABSTRACT, &[t, n], abstract_tn);

        self.core.addr_space =
            self.declare("AddrSpace", TypeNameKind::Primitive { bits: 8 }, &[t], Self::ANY);
        let core = self.const_param(self.constant(ConstData::Module(self.core_module())));
        let space_type = self.apply_core(self.core.addr_space, &[core]);
        let cpu = self.constant(ConstData::Bits { ty: space_type, bytes: [0].into() });
        let cpu = self.const_param(cpu);

        let kind = self.var("kind");
        let addrspace = self.var("addrspace");
        let one = self.const_param(self.const_int(1));
        let dense_vector = self.apply_core(self.core.dense_array, &[t, one]);
        let nothing_ptr = self.apply_core(self.core.ptr, &[self.core.nothing]);
        self.core.generic_memory = self.declare_with_fields(
            "GenericMemory",
            MUTABLE,
            &[kind, t, addrspace],
            dense_vector,
            &[("length", self.core.int64), ("ptr", nothing_ptr)],
        );
        let memory_ktn = self.apply_core(self.core.generic_memory, &[kind, t, addrspace]);
        self.core.generic_memory_ref = self.declare_with_fields(
            "GenericMemoryRef",
            IMMUTABLE,
            &[kind, t, addrspace],
            ref_t,
            &[("ptr_or_offset", nothing_ptr), ("mem", memory_ktn)],
        );
        for (name, kind) in [("Atomic", "atomic"), ("", "not_atomic")] {
            let kind = self.const_param(self.const_symbol(self.symbol(kind)));
            let memory = self.apply_core(self.core.generic_memory, &[kind, t, cpu]);
            let memory_ref = self.apply_core(self.core.generic_memory_ref, &[kind, t, cpu]);
            self.core.memory = self.bind(&format!("{name}Memory"), self.union_all(t, memory));
            self.core.memory_ref = self.bind(&format!("{name}MemoryRef"), self.union_all(t, memory_ref));
        }
        let dense_tn = self.apply_core(self.core.dense_array, &[t, n]);
        let memory_ref = self.apply_core(self.core.memory_ref, &[t]);
        let size = self.tuple(&[self.vararg(self.core.int64, Some(n))]);
        self.core.array = self.declare_with_fields(
            "Array",
            MUTABLE,
            &[t, n],
            dense_tn,
            &[("ref", memory_ref), ("size", size)],
        );
        self.core.box_ = self.declare_with_fields("Box", MUTABLE, &[], Self::ANY, &[("contents", Self::ANY)]);
        self.allow_undefined(self.core.box_, 0);
    }

    /// `new` may leave fields undefined from `first` on.
    fn allow_undefined(&mut self, ty: Type, first: usize) {
        if let Some(name) = self.name_of(ty)
            && let Some(data) = self.type_name_mut(name)
        {
            data.def.fields_init_min = first;
        }
    }

    fn define_reflection(&mut self) {
        let one = self.const_param(self.const_int(1));
        let any_vector = self.apply_core(self.core.array, &[Self::ANY, one]);
        let (symbol, module) = (self.core.symbol, self.core.module);
        let file = self.union(&[symbol, self.core.nothing]);
        self.core.expr = self.declare_with_fields(
            "Expr",
            MUTABLE,
            &[],
            Self::ANY,
            &[("head", symbol), ("args", any_vector)],
        );
        self.core.quote_node =
            self.declare_with_fields("QuoteNode", IMMUTABLE, &[], Self::ANY, &[("value", Self::ANY)]);
        self.core.line_number_node = self.declare_with_fields(
            "LineNumberNode",
            IMMUTABLE,
            &[],
            Self::ANY,
            &[("line", self.core.int64), ("file", file)],
        );
        self.core.global_ref = self.declare_with_fields(
            "GlobalRef",
            IMMUTABLE,
            &[],
            Self::ANY,
            &[("mod", module), ("name", symbol)],
        );
        self.core.method = self.declare_with_fields(
            "Method",
            MUTABLE,
            &[],
            Self::ANY,
            &[("name", symbol), ("module", module), ("sig", Self::ANY)],
        );
        self.core.method_instance = self.declare("MethodInstance", MUTABLE, &[], Self::ANY);
        self.core.code_instance = self.declare("CodeInstance", MUTABLE, &[], Self::ANY);
        self.core.method_table = self.declare("MethodTable", MUTABLE, &[], Self::ANY);
    }

    fn exception(&mut self, name: &str, fields: &[(&str, Type)]) -> Type {
        self.declare_with_fields(name, IMMUTABLE, &[], self.core.exception, fields)
    }

    fn define_exceptions(&mut self) {
        let any = Self::ANY;
        let (symbol, string, type_) = (self.core.symbol, self.core.abstract_string, self.core.type_);
        let context = self.union(&[string, symbol]);
        self.core.exception = self.declare("Exception", ABSTRACT, &[], any);
        self.core.error_exception = self.exception("ErrorException", &[("msg", string)]);
        self.core.bounds_error = self.exception("BoundsError", &[("a", any), ("i", any)]);
        self.allow_undefined(self.core.bounds_error, 0);
        self.core.divide_error = self.exception("DivideError", &[]);
        self.core.domain_error = self.exception("DomainError", &[("val", any), ("msg", any)]);
        self.allow_undefined(self.core.domain_error, 1);
        self.core.overflow_error = self.exception("OverflowError", &[("msg", string)]);
        self.core.inexact_error = self.exception("InexactError", &[("func", symbol), ("args", any)]);
        self.core.undef_ref_error = self.exception("UndefRefError", &[]);
        self.core.undef_var_error =
            self.exception("UndefVarError", &[("var", symbol), ("world", self.core.uint64), ("scope", any)]);
        self.allow_undefined(self.core.undef_var_error, 2);
        self.core.undef_keyword_error = self.exception("UndefKeywordError", &[("var", symbol)]);
        self.core.field_error =
            self.exception("FieldError", &[("type", self.core.data_type), ("field", symbol)]);
        self.core.type_error = self.exception(
            "TypeError",
            &[("func", symbol), ("context", context), ("expected", type_), ("got", any)],
        );
        self.core.argument_error = self.exception("ArgumentError", &[("msg", string)]);
        self.core.assertion_error = self.exception("AssertionError", &[("msg", string)]);
        self.core.method_error =
            self.exception("MethodError", &[("f", any), ("args", any), ("world", self.core.uint64)]);
        self.core.concurrency_violation_error =
            self.exception("ConcurrencyViolationError", &[("msg", string)]);
        self.core.stack_overflow_error = self.exception("StackOverflowError", &[]);
        self.core.out_of_memory_error = self.exception("OutOfMemoryError", &[]);
        self.core.interrupt_exception = self.exception("InterruptException", &[]);
        let load_fields = [("file", string), ("line", self.core.int64), ("error", any)];
        self.core.load_error = self.exception("LoadError", &load_fields);
    }
}
