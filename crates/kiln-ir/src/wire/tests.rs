//! A body moves to another interner and back, and its bytes contain nothing of the first interner.

use super::{WireReader, write};
use crate::{Block, BlockData, Instance, Intrinsic, IrCode, Op, SourceLoc, Stmt, StmtData, Value};
use cranelift_entity::PrimaryMap;
use kiln_types::{
    ConstData, Module, StructDef, Type, TypeNameKind, Types, consts, datatype, definition, display, identity,
    layout, module, typevar,
};

/// `x -> x.a + 1` on a `mutable struct Pair{T}; a::T; next::Union{Nothing, Pair{T}}; end` with `T = Int64`.
fn body(types: &Types, loc: SourceLoc) -> IrCode {
    let t = typevar::new(types, types.symbol("T"), Types::BOTTOM, Types::ANY);
    let name = definition::define(
        types,
        StructDef {
            name: types.symbol("Pair"),
            module: module::new(types, types.symbol("M"), Some(Module::MAIN)),
            kind: TypeNameKind::Struct { mutable: true },
            params: vec![t],
            field_names: vec![types.symbol("a"), types.symbol("next")],
            fields_init_min: 2,
            const_fields: vec![false; 2],
            atomic_fields: vec![false; 2],
        },
    );
    let (wrapper, primary) = (types.type_name(name).wrapper, types.type_name(name).primary);
    definition::set_supertype(types, name, types.core().number);
    definition::set_fields(
        types,
        name,
        &[datatype::params(types, primary)[0], types.union(&[types.core().nothing, primary])],
    );
    let int = types.core().int64;
    let pair = types.apply(wrapper, &[int]).expect("one parameter");
    code(types, pair, int, loc)
}

fn code(types: &Types, pair: Type, int: Type, loc: SourceLoc) -> IrCode {
    let field = consts::symbol(types, types.symbol("a"));
    let data = |op, ty| StmtData { op, ty, loc, inlined: 0, inbounds: false };
    let mut stmts = PrimaryMap::new();
    let field = Value::Const(field);
    stmts.push(data(Op::Builtin(crate::Builtin::Getfield, vec![Value::Arg(1), field]), int));
    let one = Value::Const(consts::int(types, 1));
    stmts.push(data(Op::Intrinsic(Intrinsic::AddInt, vec![Value::Stmt(Stmt::from_u32(0)), one]), int));
    let call = vec![Value::Arg(0), Value::Arg(1)];
    stmts.push(data(Op::Invoke(Instance::from_u32(70), call), int));
    stmts.push(data(Op::Return(Value::Stmt(Stmt::from_u32(1))), Types::BOTTOM));
    let mut blocks: PrimaryMap<Block, BlockData> = PrimaryMap::new();
    blocks.push(BlockData { stmts: stmts.keys().collect() });
    IrCode {
        name: types.symbol("f"),
        args: vec![types.core().nothing, pair],
        stmts,
        blocks,
        inlined_at: Vec::new(),
        throw_sites: PrimaryMap::new(),
        return_type: int,
    }
}

/// Reading into a fresh interner and writing again gives the same bytes, and the layout of the user's type arrives.
#[test]
fn a_body_survives_another_interner() {
    let types = Types::new();
    let code = body(&types, SourceLoc::new(1, 10, 3));
    let wire = write(&code, &types);
    assert_eq!(wire.instances, [Instance::from_u32(70)]);
    let other = Types::new();
    other.symbol("something else first");
    let read = WireReader::new(&other).read(&wire.body, Some(&wire.host)).expect("it was just written");
    let again = write(&read, &other);
    assert_eq!((&again.body, &again.host), (&wire.body, &wire.host));
    assert_eq!(layout::of(&other, read.args[1]), layout::of(&types, code.args[1]));
    assert_eq!(display::of_type(&other, read.args[1]), display::of_type(&types, code.args[1]));
    assert_eq!(read.stmts[Stmt::from_u32(0)].loc, SourceLoc::new(1, 10, 3));
}

/// Ids differ between processes and a function may move: neither is in its identity.
#[test]
fn the_hash_is_of_the_code_alone() {
    let types = Types::new();
    let here = write(&body(&types, SourceLoc::new(1, 10, 3)), &types);
    let other = Types::new();
    for name in ["p", "q", "a"] {
        consts::symbol(&other, other.symbol(name));
    }
    let mut moved = body(&other, SourceLoc::new(2, 99, 3));
    moved.name = other.symbol("renamed");
    let there = write(&moved, &other);
    assert_eq!(super::content_hash(&here.body), super::content_hash(&there.body));
    assert_ne!(here.host, there.host);
}

/// One definition read from two bodies is one type: a value of it can pass from one to the other.
#[test]
fn one_reader_makes_a_definition_once() {
    let types = Types::new();
    let wire = write(&body(&types, SourceLoc::NONE), &types);
    let other = Types::new();
    let mut reader = WireReader::new(&other);
    let first = reader.read(&wire.body, None).expect("valid");
    let second = reader.read(&wire.body, None).expect("valid");
    assert_eq!(first.args, second.args);
}

/// `T.name` is a number in each interner; the definition that it means arrives.
#[test]
fn a_definition_as_a_value_goes_by_its_name() {
    let types = Types::new();
    let mut code = body(&types, SourceLoc::NONE);
    let name = datatype::name_of(&types, code.args[1]).expect("a struct");
    code.stmts[Stmt::from_u32(3)].op = Op::Return(Value::Const(identity::const_of_type_name(&types, name)));
    let wire = write(&code, &types);
    let other = Types::new();
    typevar::new(&other, other.symbol("first"), Types::BOTTOM, Types::ANY);
    let read = WireReader::new(&other).read(&wire.body, None).expect("it was just written");
    let Op::Return(Value::Const(read_name)) = read.stmts[Stmt::from_u32(3)].op else { panic!("a return") };
    assert_eq!(identity::type_name_of_const(&other, read_name), datatype::name_of(&other, read.args[1]));
}

/// The number of a definition in another process means nothing here.
#[test]
fn a_definition_by_its_number_is_refused() {
    let types = Types::new();
    let mut code = body(&types, SourceLoc::NONE);
    let number = ConstData::Bits { ty: types.core().type_name, bytes: [1; 4].into() };
    code.stmts[Stmt::from_u32(3)].op = Op::Return(Value::Const(types.constant(number)));
    let wire = write(&code, &types);
    let refused = WireReader::new(&Types::new()).read(&wire.body, None).expect_err("a number");
    assert!(refused.to_string().contains("a definition is given by a number"), "{refused}");
}

/// The last fields of a constant may be undefined where `new` may leave them so: not those of tuples.
#[test]
fn constants_lack_fields_only_where_new_leaves_them_out() {
    let types = Types::new();
    let name = definition::define(
        &types,
        StructDef {
            name: types.symbol("Chain"),
            module: module::new(&types, types.symbol("M"), Some(Module::MAIN)),
            kind: TypeNameKind::Struct { mutable: false },
            params: Vec::new(),
            field_names: vec![types.symbol("key"), types.symbol("next")],
            fields_init_min: 1,
            const_fields: vec![false; 2],
            atomic_fields: vec![false; 2],
        },
    );
    definition::set_fields(&types, name, &[types.core().symbol, Types::ANY]);
    let (chain, symbol) = (types.type_name(name).primary, consts::symbol(&types, types.symbol("a")));
    let pair = datatype::tuple(&types, &[types.core().symbol, types.core().string]);
    for (ty, fields, is_whole) in
        [(chain, vec![symbol], true), (chain, vec![], false), (pair, vec![symbol], false)]
    {
        let mut code = body(&types, SourceLoc::NONE);
        let constant = types.constant(ConstData::Aggregate { ty, fields: fields.into() });
        code.stmts[Stmt::from_u32(3)].op = Op::Return(Value::Const(constant));
        let read = WireReader::new(&Types::new()).read(&write(&code, &types).body, None);
        assert_eq!(read.is_ok(), is_whole, "{:?}", read.err());
    }
}

/// The bytes may come from anywhere: no truncation and no change of a byte may panic.
#[test]
fn damaged_bytes_never_panic() {
    let types = Types::new();
    let wire = write(&body(&types, SourceLoc::NONE), &types);
    for len in 0..wire.body.len() {
        assert!(WireReader::new(&Types::new()).read(&wire.body[..len], None).is_err());
    }
    for at in 0..wire.body.len() {
        for change in [1, 2, 0x80] {
            let mut damaged = wire.body.clone();
            damaged[at] ^= change;
            let _ = WireReader::new(&Types::new()).read(&damaged, Some(&wire.host));
        }
    }
}
