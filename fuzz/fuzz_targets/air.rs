//! Any bytes are a module in the bitcode of LLVM 14 or refused, and a module that is read is written to the same bytes. Half of the
//! inputs are edits of the bitcode of a module, so that the reader gets behind the outermost blocks.
#![no_main]

use kiln_air::{
    AirAttribute, AirFunction, AirGlobal, AirLinkage, AttributeKind, AttributePlace, BinaryOp, BodyBuilder,
    ConstantValue, Module, AirOperation, Type, Value, read, read_blocks, write,
};
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

/// A module with blocks of each kind.
fn whole() -> Module {
    let mut module = Module::new("fuzz", "air64-apple-macosx14.0.0", "e");
    let [void, int] = [Type::Void, Type::Int(32)].map(|it| module.types.intern(it));
    let table = module.types.intern(Type::Array { count: 2, element: int });
    let (at, table_at) = (module.types.pointer(int, 2), module.types.pointer(table, 2));
    module.types.intern(Type::Int(1));
    let initializer = Some(module.constant(table, ConstantValue::Data(vec![1, 2])));
    let linkage = AirLinkage::Internal;
    module.globals.push(AirGlobal { name: "t".into(), address: table_at, is_constant: true, initializer, linkage, align: 4 });
    let signature = module.types.intern(Type::Function { result: void, params: vec![int], is_variadic: false });
    let address = module.types.pointer(signature, 0);
    let attributes = module.attributes(vec![(AttributePlace::Function, vec![AirAttribute::Flag(AttributeKind::NoUnwind)])]);
    let [zero, one] = [0, 1].map(|it| module.int(32, it));
    let mut body = BodyBuilder::new(3);
    let indices = vec![zero, Value::Argument(0)];
    let entry = AirOperation::ElementAddress { element: table, base: Value::Global(0), indices, is_inbounds: true };
    let entry = body.push(0, Some(at), entry);
    let value = body.push(0, Some(int), AirOperation::Load { address: entry, align: 4, is_volatile: false });
    body.push(0, None, AirOperation::Switch { value, default: 2, cases: vec![(one, 1)] });
    let sum = AirOperation::Binary { op: BinaryOp::Add, left: value, right: one, flags: 1 };
    let sum = body.push(1, Some(int), sum);
    body.push(1, None, AirOperation::Branch { target: 2 });
    body.push(2, Some(int), AirOperation::Phi { incoming: vec![(zero, 0), (sum, 1)], flags: 0 });
    body.push(2, None, AirOperation::Return { value: None });
    let blocks = body.finish().expect("nothing is reserved");
    module.functions.push(AirFunction { name: "f".into(), address, linkage, attributes, blocks });
    let text = module.metadata.text("text");
    let list = module.metadata.list(&[Some(text), None]);
    module.metadata.named.push(("list".into(), vec![list]));
    module
}

static WHOLE: LazyLock<Vec<u8>> = LazyLock::new(|| write(&whole()).expect("it is well-formed"));

/// Reads bytes; what is read is written back.
fn check(bytes: &[u8]) {
    let _ = read_blocks(bytes);
    if let Ok(module) = read(bytes) {
        assert!(write(&module).expect("it was read") == bytes);
    }
}

fuzz_target!(|bytes: &[u8]| {
    check(bytes);
    let mut edited = WHOLE.clone();
    // Three bytes an edit: where, and which bits change.
    for edit in bytes.chunks_exact(3) {
        let at = usize::from(u16::from_le_bytes([edit[0], edit[1]])) % edited.len();
        edited[at] ^= edit[2];
    }
    check(&edited);
});
