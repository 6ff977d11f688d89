//! Modules that LLVM 14 would refuse are not written, and bytes that the writer does not write are not read.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![expect(clippy::print_stdout, reason = "says what it skipped")]

use kiln_air::{
    AirAttribute, AirFunction, AirGlobal, AirLinkage, AirOperation, ArithmeticFlags, AttributeKind,
    AttributePlace, BinaryOp, BitcodeFault, BodyBuilder, CastOp, ConstantValue, Module, ModuleFault, Type,
    TypeId, Value, read, read_blocks, write,
};

/// A module with one function of an `i32` and a `float*`, whose only block is `fill`ed before it returns nothing.
fn module(fill: impl FnOnce(&mut Module, &mut BodyBuilder)) -> Module {
    let mut module = Module::new("strict", "air64-apple-macosx14.0.0", "");
    let [void, int, float] = [Type::Void, Type::Int(32), Type::Float].map(|it| module.types.intern(it));
    let at = module.types.pointer(float, 1);
    let params = vec![int, at];
    let signature = module.types.intern(Type::Function { result: void, params, is_variadic: false });
    let address = module.types.pointer(signature, 0);
    let mut body = BodyBuilder::new(1);
    fill(&mut module, &mut body);
    body.push(0, None, AirOperation::Return { value: None });
    let (blocks, linkage) = (body.finish().unwrap(), AirLinkage::External);
    module.functions.push(AirFunction { name: "f".into(), address, linkage, attributes: None, blocks });
    module
}

fn ty(module: &mut Module, ty: Type) -> TypeId {
    module.types.intern(ty)
}

/// Returns the fault of a module with an instruction.
fn fault(make: impl FnOnce(&mut Module) -> (Option<TypeId>, AirOperation)) -> Option<ModuleFault> {
    let module = module(|module, body| {
        let (ty, op) = make(module);
        body.push(0, ty, op);
    });
    write(&module).err().map(|it| it.fault)
}

const INT: Value = Value::Argument(0);
const ADDRESS: Value = Value::Argument(1);

#[test]
fn operations_have_operands_of_their_types() {
    let int = |module: &mut Module| Some(ty(module, Type::Int(32)));
    let float = |module: &mut Module| Some(ty(module, Type::Float));
    let add = |left, right, flags| AirOperation::Binary { op: BinaryOp::Add, left, right, flags };
    let load = |address, align| AirOperation::Load { address, align, is_volatile: false };
    assert_eq!(fault(|it| (int(it), add(INT, INT, ArithmeticFlags::NO_SIGNED_WRAP))), None);
    assert_eq!(fault(|it| (int(it), add(INT, INT, ArithmeticFlags::FAST))), Some(ModuleFault::Flags));
    assert_eq!(fault(|it| (int(it), add(INT, ADDRESS, 0))), Some(ModuleFault::Type));
    assert_eq!(fault(|it| (float(it), add(INT, INT, 0))), Some(ModuleFault::Result));
    assert_eq!(fault(|_| (None, add(INT, INT, 0))), Some(ModuleFault::Result));
    assert_eq!(fault(|it| (int(it), add(INT, Value::Argument(2), 0))), Some(ModuleFault::NotBefore));
    assert_eq!(fault(|it| (int(it), add(INT, Value::Constant(9), 0))), Some(ModuleFault::NotBefore));
    assert_eq!(fault(|it| (float(it), load(ADDRESS, 4))), None);
    assert_eq!(fault(|it| (float(it), load(ADDRESS, 3))), Some(ModuleFault::Alignment));
    assert_eq!(fault(|it| (float(it), load(ADDRESS, 1 << 31))), Some(ModuleFault::Alignment));
    assert_eq!(fault(|it| (int(it), load(ADDRESS, 4))), Some(ModuleFault::Result));
    let cast = |op, value| AirOperation::Cast { op, value };
    assert_eq!(fault(|it| (int(it), cast(CastOp::Trunc, INT))), Some(ModuleFault::Type));
    assert_eq!(fault(|it| (float(it), cast(CastOp::BitCast, INT))), None);
    let at = |it: &mut Module, space| {
        let int = ty(it, Type::Int(8));
        Some(it.types.pointer(int, space))
    };
    assert_eq!(fault(|it| (at(it, 1), cast(CastOp::BitCast, ADDRESS))), None);
    assert_eq!(fault(|it| (at(it, 2), cast(CastOp::BitCast, ADDRESS))), Some(ModuleFault::Type));
    assert_eq!(fault(|it| (at(it, 2), cast(CastOp::AddrSpaceCast, ADDRESS))), None);
    assert_eq!(fault(|_| (None, AirOperation::Branch { target: 1 })), Some(ModuleFault::Terminator));
    assert_eq!(fault(|_| (None, AirOperation::Unreachable)), Some(ModuleFault::Terminator));
    let store = AirOperation::Store { address: ADDRESS, value: INT, align: 4, is_volatile: false };
    assert_eq!(fault(|_| (None, store)), Some(ModuleFault::Type));
    let index = |element, indices| AirOperation::ElementAddress {
        element,
        base: ADDRESS,
        indices,
        is_inbounds: false,
    };
    let address = |it: &mut Module| {
        let float = ty(it, Type::Float);
        (float, Some(it.types.pointer(float, 1)))
    };
    assert_eq!(
        fault(|it| {
            let (float, at) = address(it);
            (at, index(float, vec![INT]))
        }),
        None
    );
    assert_eq!(
        fault(|it| {
            let (float, at) = address(it);
            (at, index(float, vec![INT, INT]))
        }),
        Some(ModuleFault::Type)
    );
    assert_eq!(
        fault(|it| {
            let (_, at) = address(it);
            let int = ty(it, Type::Int(32));
            (at, index(int, vec![INT]))
        }),
        Some(ModuleFault::Type)
    );
}

/// Returns the fault of a module to which something is added.
fn refused(make: impl FnOnce(&mut Module)) -> Option<ModuleFault> {
    let module = module(|module, _| make(module));
    write(&module).err().map(|it| it.fault)
}

#[test]
fn types_are_checked() {
    let with = |make: fn(&mut Module) -> Type| {
        refused(|module| {
            let new = make(module);
            module.types.intern(new);
        })
    };
    assert_eq!(with(|_| Type::Int(64)), None);
    assert_eq!(with(|_| Type::Int(65)), Some(ModuleFault::Bits));
    assert_eq!(with(|_| Type::Int(0)), Some(ModuleFault::Bits));
    let to_nothing = |it: &mut Module| Type::Pointer { pointee: ty(it, Type::Void), space: 0 };
    assert_eq!(with(to_nothing), Some(ModuleFault::Type));
    let no_lanes = |it: &mut Module| Type::Vector { count: 0, element: ty(it, Type::Float) };
    assert_eq!(with(no_lanes), Some(ModuleFault::Length));
    let of_voids = |it: &mut Module| Type::Array { count: 2, element: ty(it, Type::Void) };
    assert_eq!(with(of_voids), Some(ModuleFault::Type));
    let same_name = |it: &mut Module| {
        ty(it, Type::Struct { name: Some("n".into()), is_packed: false, fields: Vec::new() });
        Type::Opaque { name: "n".into() }
    };
    assert_eq!(with(same_name), Some(ModuleFault::Name));
}

#[test]
fn constants_are_checked() {
    let with = |count: Option<u64>, value: ConstantValue| {
        refused(|module| {
            let element = ty(module, Type::Int(8));
            let ty = count.map_or(element, |count| ty(module, Type::Array { count, element }));
            module.constant(ty, value);
        })
    };
    assert_eq!(with(None, ConstantValue::Int(255)), None);
    assert_eq!(with(None, ConstantValue::Int(256)), Some(ModuleFault::Bits));
    assert_eq!(with(None, ConstantValue::Float(1)), Some(ModuleFault::Type));
    assert_eq!(with(Some(2), ConstantValue::Data(vec![1, 2])), None);
    assert_eq!(with(Some(2), ConstantValue::Data(vec![1])), Some(ModuleFault::Length));
    assert_eq!(with(Some(1), ConstantValue::Data(vec![256])), Some(ModuleFault::Bits));
    assert_eq!(with(Some(0), ConstantValue::Data(vec![])), Some(ModuleFault::Length));
    assert_eq!(with(Some(1), ConstantValue::Aggregate(vec![INT])), Some(ModuleFault::NotBefore));
    let later = Value::Constant(99);
    assert_eq!(with(Some(1), ConstantValue::Aggregate(vec![later])), Some(ModuleFault::NotBefore));
    assert_eq!(with(None, ConstantValue::Cast(CastOp::Trunc, later)), Some(ModuleFault::NotBefore));
}

#[test]
fn attributes_and_names_are_checked() {
    let with = |attribute: AirAttribute| {
        refused(|it| {
            it.attributes(vec![(AttributePlace::Function, vec![attribute])]);
        })
    };
    assert_eq!(with(AirAttribute::Flag(AttributeKind::NoUnwind)), None);
    assert_eq!(with(AirAttribute::Flag(AttributeKind::Align)), Some(ModuleFault::Attribute));
    assert_eq!(with(AirAttribute::Number(AttributeKind::NoUnwind, 1)), Some(ModuleFault::Attribute));
    assert_eq!(with(AirAttribute::Number(AttributeKind::Align, 3)), Some(ModuleFault::Alignment));
    assert_eq!(with(AirAttribute::Word("a\0".into())), Some(ModuleFault::Attribute));
    let again = |module: &mut Module| {
        let int = ty(module, Type::Int(32));
        let address = module.types.pointer(int, 3);
        let (name, linkage) = ("f".into(), AirLinkage::Internal);
        let (is_constant, initializer, align) = (false, None, 4);
        module.globals.push(AirGlobal { name, address, is_constant, initializer, linkage, align });
    };
    assert_eq!(refused(again), Some(ModuleFault::Name));
}

#[test]
fn faults_name_their_place() {
    let module = module(|module, body| {
        let int = ty(module, Type::Int(32));
        body.push(0, Some(int), AirOperation::Freeze { value: ADDRESS });
    });
    let error = write(&module).unwrap_err();
    assert_eq!(error.to_string(), "instruction 0 of @f: the result has a wrong type");
}

/// A module whose bitcode has a record of many kinds.
fn many() -> Module {
    module(|module, body| {
        let int = ty(module, Type::Int(32));
        let nine = module.int(32, 9);
        let attributes = module.attributes(vec![(
            AttributePlace::Function,
            vec![AirAttribute::Flag(AttributeKind::NoUnwind), AirAttribute::Text("a".into(), "b".into())],
        )]);
        let sum = body.push(
            0,
            Some(int),
            AirOperation::Binary { op: BinaryOp::Add, left: INT, right: nine, flags: 3 },
        );
        let signature =
            module.types.intern(Type::Function { result: int, params: vec![int], is_variadic: false });
        let address = module.types.pointer(signature, 0);
        module.functions.push(AirFunction {
            name: "air.g".into(),
            address,
            linkage: AirLinkage::External,
            attributes,
            blocks: Vec::new(),
        });
        let call = AirOperation::Call {
            callee: Value::Function(0),
            signature,
            arguments: vec![sum],
            attributes,
            is_tail: true,
            flags: 0,
        };
        body.push(0, Some(int), call);
        let value = module.metadata.value(nine);
        let text = module.metadata.text("text");
        let list = module.metadata.list(&[Some(value), None, Some(text)]);
        module.metadata.named.push(("air.version".into(), vec![list]));
    })
}

#[test]
fn every_changed_byte_is_refused_or_read_as_another_module() {
    let module = many();
    let bytes = write(&module).unwrap();
    assert_eq!(read(&bytes).as_ref(), Ok(&module));
    for at in 0..bytes.len() {
        for mask in [1, 2, 4, 8, 16, 32, 64, 128, 255] {
            let mut changed = bytes.clone();
            changed[at] ^= mask;
            if let Ok(other) = read(&changed) {
                assert_ne!(other, module, "byte {at}");
                assert_eq!(write(&other).unwrap(), changed, "byte {at}");
            }
        }
    }
    for len in 0..bytes.len() {
        assert!(read(&bytes[..len]).is_err(), "{len} bytes");
    }
    assert_eq!(read(b"BC\xc0\xd0").unwrap_err().fault, BitcodeFault::Magic);
    assert_eq!(read(b"BC\xc0\xde....").unwrap_err().fault, BitcodeFault::Block);
}

/// The reader of bitstreams takes what Apple's writer writes, with abbreviations of all forms; the reader of modules refuses it by
/// name.
#[test]
fn modules_of_apple_are_bitstreams() {
    let Some(folder) = std::env::var_os("KILN_METALLIB_FIXTURES") else {
        println!("skipped: Apple's modules (KILN_METALLIB_FIXTURES is unset)");
        return;
    };
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|it| it != "metallib") {
            continue;
        }
        let library = kiln_metallib::read(&std::fs::read(&path).unwrap()).unwrap();
        for function in &library.functions {
            let raw = kiln_metallib::unwrap(&function.module).unwrap();
            let blocks = read_blocks(raw).unwrap_or_else(|it| panic!("{}: {it}", path.display()));
            let ids: Vec<u32> = blocks.iter().map(|it| it.id).collect();
            assert!(ids.starts_with(&[13, 8]) && ids.contains(&23), "{}: {ids:?}", path.display());
            assert!(read(raw).is_err());
            count += 1;
        }
    }
    println!("{count} modules");
}
