//! Sessions frozen and thawed.

use super::{ImageError, Trust};
use crate::caching::{ForeignIr, Portable};
use crate::collecting;
use crate::heap::{Value, arrays, constants, fields, memory, svecs, text, tuples};
use crate::image;
use crate::interp::{call, define};
use crate::runtime::Runtime;
use crate::tables::{Binding, TableId, World};
use crate::testing::{session, thawed};
use kiln_ir::{Declaration, Lowered, LoweredStmt};
use kiln_types::{ConstData, Module, StructDef, Type, TypeNameKind, datatype, definition, module};

const TRUSTS: [Trust; 2] = [Trust::Program, Trust::Nothing];

fn again(rt: &Runtime) -> [Runtime; 2] {
    let bytes = image::freeze(rt, b"attached").unwrap();
    TRUSTS.map(|it| thawed(&bytes, it).unwrap())
}

fn bound(rt: &Runtime, name: &str) -> Value {
    let (main, name) = rt.main(name);
    rt.global(main, name).unwrap()
}

fn bind(rt: &Runtime, name: &str, value: Value) {
    let (main, name) = rt.main(name);
    define::constant(rt, main, name, value).unwrap();
}

/// `mutable struct Link; next::Any; end`, which can point at itself.
fn link_type(rt: &Runtime) -> Type {
    let types = &rt.types;
    let name = definition::define(
        types,
        StructDef {
            name: types.symbol("Link"),
            module: Module::MAIN,
            kind: TypeNameKind::Struct { mutable: true },
            params: Vec::new(),
            field_names: vec![types.symbol("next")],
            fields_init_min: 0,
            const_fields: vec![false],
            atomic_fields: vec![false],
        },
    );
    definition::set_supertype(types, name, Type::from_index(1));
    definition::set_fields(types, name, &[types.core().any]);
    types.type_name(name).wrapper
}

/// The IR of another front end.
#[derive(Debug, PartialEq, Eq)]
struct Sum(Vec<u8>);

impl Portable for Sum {
    fn to_bytes(&self) -> Vec<u8> {
        self.0.clone()
    }
    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        Some(Self(bytes.to_vec()))
    }
}

impl ForeignIr for Sum {
    const LANGUAGE: &'static str = "sums";
}

/// MISSION C13: a method in another front end's IR throws when kiln runs it, with a message that names the IR, and
/// returns from an image with its body.
#[test]
fn foreign_methods_throw_and_come_back() {
    let rt = session();
    let f = rt.function("f");
    let sig = datatype::tuple(&rt.types, &[f.ty(), rt.types.core().int64]);
    let [old, new] = [1, 2].map(|it| rt.tables.add_foreign_method(TableId::GLOBAL, sig, Sum(vec![it, 40])));
    let bodies = [old, new].map(|it| rt.tables.method(it).code.clone());
    assert!(!crate::tables::same_body(&bodies[0], &bodies[1]), "what stands for them tells them apart");
    for rt in again(&rt) {
        let method = rt.tables.method(new);
        assert_eq!(method.foreign_language(), Some("sums"));
        assert_eq!(method.foreign::<Sum>().as_deref(), Some(&Sum(vec![2, 40])));
        let thrown = rt.call_latest(bound(&rt, "f"), &[rt.heap.int(1)]).unwrap_err();
        assert_eq!(thrown.exception.ty(), rt.types.core().error_exception);
        let message = text::read(&rt.heap, fields::get(&rt.heap, thrown.exception, 0).unwrap()).unwrap();
        assert!(message.starts_with("`f` is written in sums"), "{message}");
    }
}

/// Methods keep their numbers, worlds and tables; their bodies run.
#[test]
fn methods_run_in_a_thawed_session() {
    let rt = session();
    let int = rt.types.core().int64;
    rt.add("f", &[int], rt.returns("f", &["n"], 1));
    let world = rt.tables.world();
    rt.add("f", &[int], rt.returns("f", &["n"], 2));
    let overlay = rt.tables.methods.add_table(rt.types.symbol("OVERLAY"), Module::MAIN);
    let hidden = datatype::tuple(&rt.types, &[rt.function("f").ty(), int]);
    rt.add_to(overlay, hidden, rt.returns("f", &["n"], 3));
    for new in again(&rt) {
        assert_eq!(new.tables.world(), rt.tables.world());
        let (f, n) = (bound(&new, "f"), new.heap.int(0));
        assert_eq!(new.int_of(new.call_latest(f, &[n])), 2);
        let old = crate::interp::in_world(world, || new.call(f, &[n]));
        assert_eq!(new.int_of(old), 1, "worlds before the image can still be run in");
        for table in [TableId::GLOBAL, overlay] {
            let ids = new.tables.methods.methods_of_table(table);
            assert_eq!(ids, rt.tables.methods.methods_of_table(table));
            for id in ids {
                let (a, b) = (rt.tables.method(id), new.tables.method(id));
                assert_eq!((&**a.code, a.sig, a.worlds()), (&**b.code, b.sig, b.worlds()));
            }
        }
        new.add("f", &[int], new.returns("f", &["n"], 4));
        assert_eq!(new.int_of(new.call_latest(f, &[n])), 4, "an image's methods can be replaced");
    }
}

/// A call that was resolved before the image was made keeps its method until a definition changes it; in earlier
/// worlds it keeps it afterwards, too. Images of thawed sessions preserve this.
#[test]
fn resolved_calls_come_back_until_a_definition_ends_them() {
    let rt = session();
    let (any, int) = (rt.types.core().any, rt.types.core().int64);
    rt.add("f", &[any], rt.returns("f", &["n"], 1));
    rt.add("g", &[any], rt.returns("g", &["n"], 2));
    let call = |rt: &Runtime, name| rt.int_of(rt.call_latest(bound(rt, name), &[rt.heap.int(0)]));
    assert_eq!((call(&rt, "f"), call(&rt, "g")), (1, 2));
    let entry = |rt: &Runtime, name| {
        let found = call::find_entry(rt, &[bound(rt, name), rt.heap.int(0)], rt.tables.world()).unwrap();
        let entry = rt.tables.calls.entry(found);
        (entry.method.id, entry.sig, entry.instance, entry.worlds())
    };
    for new in again(&rt) {
        let again = thawed(&image::freeze(&new, b"").unwrap(), Trust::Nothing).unwrap();
        for new in [&new, &again] {
            let old = new.tables.world();
            new.add("f", &[int], new.returns("f", &["n"], 3));
            assert_eq!(call(new, "f"), 3, "the definition is more specific than what the call went to");
            let before = crate::interp::in_world(old, || new.call(bound(new, "f"), &[new.heap.int(0)]));
            assert_eq!(new.int_of(before), 1);
            assert_eq!(call(new, "g"), 2);
            let (there, here) = (entry(&rt, "g"), entry(new, "g"));
            assert_eq!((there.0, there.1, there.3), (here.0, here.1, here.3));
            let renewed = thawed(&image::freeze(new, b"").unwrap(), Trust::Nothing).unwrap();
            assert_eq!((call(&renewed, "f"), call(&renewed, "g")), (3, 2), "an ended call is not kept");
        }
    }
}

/// Arrays, cycles, undefined fields, boxes, strings and literals that are objects come back as they were.
#[test]
fn objects_come_back() {
    let rt = session();
    let (heap, link) = (&rt.heap, link_type(&rt));
    let (a, b) = (fields::new_struct(heap, link, &[]), fields::new_struct(heap, link, &[]));
    fields::set(heap, a, 0, b);
    fields::set(heap, b, 0, a);
    let undefined = fields::new_struct(heap, link, &[]);
    let numbers = arrays::vector(heap, rt.types.core().int64, &[heap.int(7), heap.int(1 << 40)]);
    let mixed = arrays::any_vector(
        heap,
        &[numbers, text::string(heap, "text"), heap.int(1 << 40), heap.symbol("s"), a, undefined],
    );
    bind(&rt, "mixed", mixed);
    bind(
        &rt,
        "vector",
        svecs::new(heap, &[tuples::new(heap, &[heap.int(1), numbers]), heap.type_value(link)]),
    );
    let literal = constants::const_of(heap, a);
    for new in again(&rt) {
        let heap = &new.heap;
        let mixed = arrays::values(heap, bound(&new, "mixed"));
        assert_eq!(arrays::values(heap, mixed[0])[1].as_int(heap.core()), Some(1 << 40));
        assert_eq!(text::as_bytes(heap, mixed[1]), Some(b"text".as_slice()));
        assert_eq!(mixed[2].as_int(heap.core()), Some(1 << 40));
        assert_eq!(mixed[3].as_symbol(heap.core()), Some(new.types.symbol("s")));
        let next = fields::get(heap, mixed[4], 0).unwrap();
        assert!(fields::get(heap, next, 0).unwrap().same(mixed[4]), "the cycle is closed");
        assert!(fields::get(heap, mixed[5], 0).is_none());
        let vector = svecs::values(heap, bound(&new, "vector"));
        assert!(tuples::values(heap, vector[0])[1].same(mixed[0]), "one object stays one object");
        assert_eq!(vector[1].as_type(heap.core()), Some(link));
        assert!(constants::value_of(heap, literal).same(mixed[4]), "handles name the same objects");
        assert_eq!(constants::const_of(heap, mixed[4]), literal);
        arrays::set(heap, mixed[0], 0, heap.int(8));
        collecting::collect(&new);
        assert_eq!(
            arrays::values(heap, mixed[0])[0].as_int(heap.core()),
            Some(8),
            "and survive a collection"
        );
    }
}

/// Constants, variables with values, imports, exports and their worlds.
#[test]
fn bindings_come_back() {
    let rt = session();
    let (main, name) = rt.main("x");
    define::constant(&rt, main, name, rt.heap.int(1)).unwrap();
    let world = rt.tables.world();
    define::constant(&rt, main, name, rt.heap.int(2)).unwrap();
    rt.tables.mark_public(main, name, true);
    let variable = rt.types.symbol("v");
    let (cell, _) = rt.tables.assignable(main, variable, World::MAX).unwrap();
    cell.set(&rt.heap, rt.heap.int(5));
    let inner = module::new(&rt.types, rt.types.symbol("Inner"), Some(main));
    rt.tables.import_name(inner, name, main, name, true).unwrap();
    rt.tables.add_using(inner, main);
    for new in again(&rt) {
        let value = |module, name, world| match new.tables.bindings.binding(module, name, world).0 {
            Binding::Const(value) => value.as_int(new.heap.core()),
            Binding::Global(cell, _) => cell.get().and_then(|it| it.as_int(new.heap.core())),
            Binding::Undefined | Binding::Ambiguous(..) => None,
        };
        let now = new.tables.world();
        assert_eq!((value(main, name, world), value(main, name, now)), (Some(1), Some(2)));
        assert_eq!(value(main, variable, now), Some(5));
        assert_eq!(value(inner, name, now), Some(2));
        assert_eq!(new.tables.bindings.visibility(main, name), (true, true));
        assert_eq!(new.tables.bindings.usings(inner), rt.tables.bindings.usings(inner));
        assert_eq!(new.tables.bindings.names(main), rt.tables.bindings.names(main));
    }
}

/// Equal sessions have equal images, and freezing an unchanged thawed session yields the image it came from.
#[test]
fn images_are_reproducible() {
    let make = || {
        let rt = session();
        bind(&rt, "array", arrays::any_vector(&rt.heap, &[text::string(&rt.heap, "a"), rt.heap.int(600)]));
        rt.add("f", &[], rt.returns("f", &[], 1));
        rt
    };
    let bytes = image::freeze(&make(), b"").unwrap();
    assert!(bytes == image::freeze(&make(), b"").unwrap());
    assert!(bytes == image::freeze(&thawed(&bytes, Trust::Nothing).unwrap(), b"").unwrap());
}

/// Every statement is read as it was written.
#[test]
fn bodies_are_read_as_written() {
    let rt = session();
    let (main, name) = rt.main("g");
    let mut code = kiln_testing::CodeBuilder::new(&rt.types, "all", &["x"]).static_param("T");
    let text = rt.types.constant(ConstData::String(b"literal".as_slice().into()));
    let (slot, local) = (Lowered::Slot(1), code.local("local"));
    let ssa = code.push(LoweredStmt::Value(Lowered::StaticParam(0)));
    for stmt in [
        LoweredStmt::SetSlot(local, Lowered::Global(main, name)),
        LoweredStmt::NewVar(local),
        LoweredStmt::New(Box::new([slot, ssa])),
        LoweredStmt::SplatNew(slot, ssa),
        LoweredStmt::IsDefined(slot),
        LoweredStmt::GotoIfNot(ssa, 3),
        LoweredStmt::Enter(4),
        LoweredStmt::Leave(Box::new([ssa])),
        LoweredStmt::TheException,
        LoweredStmt::PopException(ssa),
        LoweredStmt::BoundsCheck,
        LoweredStmt::InboundsBegin,
        LoweredStmt::InboundsEnd,
        LoweredStmt::LoopInfo(Box::new([name])),
        LoweredStmt::CopyAst(text),
        LoweredStmt::GenericFunction(main, name),
        LoweredStmt::DeclareGlobal { module: main, name, value: Some(slot), kind: Declaration::Constant },
        LoweredStmt::DeclareGlobal { module: main, name, value: None, kind: Declaration::Weak },
        LoweredStmt::LatestWorld,
        LoweredStmt::TopLevel(text),
        LoweredStmt::Goto(0),
        LoweredStmt::Call(Box::new([])),
    ] {
        code.push(stmt);
    }
    let body = code.nest(rt.returns("inner", &[], 1));
    code.push(LoweredStmt::Method { signature: slot, body, table: None });
    code.push(LoweredStmt::Method { signature: slot, body, table: Some(ssa) });
    code.ret(ssa);
    let id = rt.add("all", &[rt.types.core().any], code.finish());
    for new in again(&rt) {
        assert_eq!(**new.tables.method(id).code, **rt.tables.method(id).code);
    }
}

/// A byte that differs is noticed; the reader never panics, even if the checksum is right.
#[test]
fn damaged_images_are_refused() {
    let rt = session();
    bind(&rt, "array", arrays::any_vector(&rt.heap, &[text::string(&rt.heap, "a"), rt.heap.int(600)]));
    rt.add("f", &[], rt.returns("f", &[], 1));
    let bytes = image::freeze(&rt, b"").unwrap();
    let refused = |bytes: &[u8]| thawed(bytes, Trust::Nothing).err();
    assert_eq!(refused(b"something else"), Some(ImageError("not an image")));
    assert_eq!(
        refused(&bytes[..bytes.len() - 1]),
        Some(ImageError("an image of another length than it says"))
    );
    for at in (0..bytes.len()).step_by(101) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x41;
        assert!(refused(&damaged).is_some(), "byte {at}");
    }
    for at in (0..bytes.len()).step_by(29) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x41;
        super::container::seal(&mut damaged);
        let Ok(new) = thawed(&damaged, Trust::Nothing) else { continue };
        // What was accepted can be used to the last entry.
        let _ = image::freeze(&new, b"");
        collecting::collect(&new);
    }
}

/// Memory that belongs to this process alone can not be kept.
#[test]
fn what_only_this_process_has_is_refused() {
    let rt = session();
    let memory = memory::memory_type(&rt.heap, rt.types.core().int64);
    bind(&rt, "wrapped", memory::wrap(&rt.heap, memory, 4096, 1));
    let refused = image::freeze(&rt, b"").err();
    assert_eq!(refused, Some(ImageError("a memory outside the heap can not be kept in an image")));
}
