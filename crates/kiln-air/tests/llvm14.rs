//! LLVM 14 reads modules that were put together by hand, its verifier accepts them, and its text has what they say.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "tools/mod.rs"]
mod tools;

use kiln_air::{
    AirAttribute, AirFunction, AirGlobal, AirLinkage, AirOperation, ArithmeticFlags, AttributeKind,
    AttributePlace, BinaryOp, BodyBuilder, CastOp, ConstantValue, Module, Type, Value, read, rules, write,
};

const LAYOUT: &str = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-f32:32:32-f64:64:64-v16:16:16-v24:32:32-v32:32:32-v48:64:64-v64:64:64-v96:128:128-v128:128:128-v192:256:256-v256:256:256-v512:512:512-v1024:1024:1024-n8:16:32";

/// `out[i] = a[i] + table[1]` as Apple's compiler would have it: arguments by address, the item's index by value.
fn kernel() -> Module {
    let mut module = Module::new("vadd", "air64_v28-apple-macosx26.0.0", LAYOUT);
    let [void, byte, float, int] =
        [Type::Void, Type::Int(8), Type::Float, Type::Int(32)].map(|it| module.types.intern(it));
    let long = module.types.intern(Type::Int(64));
    let device = module.types.pointer(byte, 1);
    let floats = module.types.pointer(float, 1);
    let table = module.types.intern(Type::Array { count: 2, element: float });
    let table_at = module.types.pointer(table, 2);
    let constant_float = module.types.pointer(float, 2);
    let data = module.constant(table, ConstantValue::Data(vec![0x3f80_0000, 0x4000_0000]));
    let linkage = AirLinkage::Internal;
    module.globals.push(AirGlobal {
        name: "table".into(),
        address: table_at,
        is_constant: true,
        initializer: Some(data),
        linkage,
        align: 4,
    });
    let params = vec![device, device, int];
    let signature = module.types.intern(Type::Function { result: void, params, is_variadic: false });
    let address = module.types.pointer(signature, 0);
    let attributes = attributes(&mut module);
    let [zero, one] = [0, 1].map(|it| module.int(64, it));
    let mut body = BodyBuilder::new(1);
    let index = body.push(0, Some(long), AirOperation::Cast { op: CastOp::ZExt, value: Value::Argument(2) });
    let at = |body: &mut BodyBuilder, argument| {
        let typed = AirOperation::Cast { op: CastOp::BitCast, value: Value::Argument(argument) };
        let base = body.push(0, Some(floats), typed);
        let indices = vec![index];
        body.push(
            0,
            Some(floats),
            AirOperation::ElementAddress { element: float, base, indices, is_inbounds: true },
        )
    };
    let (from, to) = (at(&mut body, 0), at(&mut body, 1));
    let indices = vec![zero, one];
    let entry = body.push(
        0,
        Some(constant_float),
        AirOperation::ElementAddress { element: table, base: Value::Global(0), indices, is_inbounds: true },
    );
    let load = |address| AirOperation::Load { address, align: 4, is_volatile: false };
    let (left, right) = (body.push(0, Some(float), load(from)), body.push(0, Some(float), load(entry)));
    let sum = body.push(
        0,
        Some(float),
        AirOperation::Binary { op: BinaryOp::FAdd, left, right, flags: ArithmeticFlags::CONTRACT },
    );
    body.push(0, None, AirOperation::Store { address: to, value: sum, align: 4, is_volatile: false });
    body.push(0, None, AirOperation::Return { value: None });
    module.functions.push(AirFunction {
        name: "vadd".into(),
        address,
        linkage: AirLinkage::External,
        attributes,
        blocks: body.finish().unwrap(),
    });
    describe(&mut module);
    module
}

/// The attributes of the kernel.
fn attributes(module: &mut Module) -> Option<u32> {
    let attribute = |kind| AirAttribute::Flag(kind);
    let pointer = vec![attribute(AttributeKind::NoCapture), attribute(AttributeKind::NoUndef)];
    module.attributes(vec![
        (
            AttributePlace::Function,
            vec![
                attribute(AttributeKind::NoUnwind),
                AirAttribute::Text("frame-pointer".into(), "all".into()),
            ],
        ),
        (AttributePlace::Param(0), pointer.clone()),
        (AttributePlace::Param(1), pointer),
    ])
}

/// Adds the lists of a kernel.
fn describe(module: &mut Module) {
    let number = |module: &mut Module, value| {
        let it = module.int(32, value);
        module.metadata.value(it)
    };
    let version: Vec<_> = [2, 8, 0].map(|it| Some(number(module, it))).to_vec();
    let version = module.metadata.list(&version);
    let metal = module.metadata.text("Metal");
    let language = [Some(metal)].into_iter().chain([4, 0, 0].map(|it| Some(number(module, it))));
    let language: Vec<_> = language.collect();
    let language = module.metadata.list(&language);
    let stage = module.metadata.list(&[]);
    let words =
        ["air.thread_position_in_grid", "air.arg_type_name", "uint"].map(|it| module.metadata.text(it));
    let position: Vec<_> = [number(module, 2)].into_iter().chain(words).map(Some).collect();
    let position = module.metadata.list(&position);
    let arguments = module.metadata.list(&[None, None, Some(position)]);
    let function = module.metadata.value(Value::Function(0));
    let kernel = module.metadata.list(&[Some(function), Some(stage), Some(arguments)]);
    module.metadata.named = vec![
        ("air.version".into(), vec![version]),
        ("air.language_version".into(), vec![language]),
        ("air.kernel".into(), vec![kernel]),
    ];
}

#[test]
fn a_kernel_is_what_it_says() {
    let module = kernel();
    let bitcode = write(&module).unwrap();
    assert_eq!(read(&bitcode), Ok(module.clone()));
    assert_eq!(rules::breaches(&module), []);
    let Some(text) = tools::verified(&bitcode) else { return };
    for line in [
        "source_filename = \"vadd\"",
        "target triple = \"air64_v28-apple-macosx26.0.0\"",
        "@table = internal addrspace(2) constant [2 x float] [float 1.000000e+00, float 2.000000e+00], align 4",
        "define void @vadd(i8 addrspace(1)* nocapture noundef %0, i8 addrspace(1)* nocapture noundef %1, i32 %2) #0 {",
        "  %5 = bitcast i8 addrspace(1)* %0 to float addrspace(1)*",
        "  %6 = getelementptr inbounds float, float addrspace(1)* %5, i64 %4",
        "  %9 = getelementptr inbounds [2 x float], [2 x float] addrspace(2)* @table, i64 0, i64 1",
        "fadd contract float",
        "!air.version = !{!0}",
        "!air.kernel = !{",
        "!{void (i8 addrspace(1)*, i8 addrspace(1)*, i32)* @vadd, !",
        "!{i32 2, !\"air.thread_position_in_grid\", !\"air.arg_type_name\", !\"uint\"}",
        "attributes #0 = { nounwind \"frame-pointer\"=\"all\" }",
    ] {
        assert!(text.contains(line), "{line}\nis not in\n{text}");
    }
    assert!(!text.contains(" ptr"), "an opaque pointer: {text}");
}

/// The dialect of LLVM 22 has no part in it: LLVM 14's own writer makes a module of the same text.
#[test]
fn the_text_is_read_and_written_by_llvm() {
    let bitcode = write(&kernel()).unwrap();
    let Some(text) = tools::verified(&bitcode) else { return };
    let (Some(assembler), Some(dis)) = (tools::tool("llvm-as"), tools::tool("llvm-dis")) else { return };
    let again = tools::run(&assembler, &["-o", "-"], text.as_bytes(), &[]);
    let again = String::from_utf8(tools::run(&dis, &["-o", "-"], &again, &[])).unwrap();
    let body = |it: &str| it.lines().skip(1).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(body(&again), body(&text));
}

/// Constants of each form, each type of number, and structures with names.
#[test]
fn constants_of_each_form() {
    let mut module = Module::new("constants", "air64-apple-macosx14.0.0", LAYOUT);
    let byte = module.types.intern(Type::Int(8));
    let (bytes, byte_at) =
        (module.types.intern(Type::Array { count: 3, element: byte }), module.types.pointer(byte, 2));
    let mut values = Vec::new();
    for (bits, list) in
        [(1, vec![0, 1]), (8, vec![0x80, 0xff]), (32, vec![7]), (64, vec![1 << 63, u64::MAX, 5])]
    {
        values.extend(list.into_iter().map(|it| module.int(bits, it)));
    }
    for (ty, bits) in
        [(Type::Half, 0x3c00), (Type::BFloat, 0x3f80), (Type::Float, 0x7fc0_0000), (Type::Float, 0x3dcc_cccd)]
    {
        let ty = module.types.intern(ty);
        values.push(module.constant(ty, ConstantValue::Float(bits)));
        values.push(module.constant(ty, ConstantValue::Undef));
        values.push(module.constant(ty, ConstantValue::Poison));
    }
    let text = module.constant(bytes, ConstantValue::Data(b"abc".map(u64::from).to_vec()));
    values.extend([text, module.constant(byte_at, ConstantValue::Null)]);
    let text_at = module.types.pointer(bytes, 2);
    module.globals.push(AirGlobal {
        name: "text".into(),
        address: text_at,
        is_constant: true,
        initializer: Some(text),
        linkage: AirLinkage::Private,
        align: 1,
    });
    values.push(module.constant(byte_at, ConstantValue::Cast(CastOp::BitCast, Value::Global(0))));
    let half = module.types.intern(Type::Half);
    let pair = module.types.intern(Type::Vector { count: 2, element: half });
    values.push(module.constant(pair, ConstantValue::Data(vec![0x3c00, 0xbc00])));
    let fields = values.iter().map(|it| module.type_of(*it).unwrap()).collect();
    let all = module.types.intern(Type::Struct { name: Some("all".into()), is_packed: false, fields });
    let (all_at, contents) =
        (module.types.pointer(all, 2), module.constant(all, ConstantValue::Aggregate(values)));
    module.globals.push(AirGlobal {
        name: "all".into(),
        address: all_at,
        is_constant: true,
        initializer: Some(contents),
        linkage: AirLinkage::External,
        align: 0,
    });
    module.types.intern(Type::Opaque { name: "struct._texture_2d_t".into() });
    let bitcode = write(&module).unwrap();
    assert_eq!(read(&bitcode), Ok(module));
    let Some(text) = tools::verified(&bitcode) else { return };
    let expected = "@all = addrspace(2) constant %all { i1 false, i1 true, i8 -128, i8 -1, i32 7, i64 -9223372036854775808, i64 -1, i64 5, half 0xH3C00, half undef, half poison, bfloat 0xR3F80, bfloat undef, bfloat poison, float 0x7FF8000000000000, float undef, float poison, float 0x3FB99999A0000000, float undef, float poison, [3 x i8] c\"abc\", i8 addrspace(2)* null, i8 addrspace(2)* getelementptr inbounds ([3 x i8], [3 x i8] addrspace(2)* @text, i32 0, i32 0), <2 x half> <half 0xH3C00, half 0xHBC00> }";
    let text_of_cast = expected.replace(
        "getelementptr inbounds ([3 x i8], [3 x i8] addrspace(2)* @text, i32 0, i32 0)",
        "bitcast ([3 x i8] addrspace(2)* @text to i8 addrspace(2)*)",
    );
    assert!(text.contains(expected) || text.contains(&text_of_cast), "{text}");
}
