//! Known answers about values in memory.

use super::*;
use super::{
    allocation, arrays, bits, collect, constants, exprs, fields, identity, memory, numbers, text, tuples,
};
use kiln_types::{Module, StructDef, TypeNameKind, datatype, definition};

fn heap() -> Heap {
    Heap::new(Arc::new(Types::new()))
}

fn define(heap: &Heap, name: &str, mutable: bool, fields: &[(&str, Type)], required: usize) -> Type {
    let types = heap.types();
    let id = definition::define(
        types,
        StructDef {
            name: types.symbol(name),
            module: Module::MAIN,
            kind: TypeNameKind::Struct { mutable },
            params: Vec::new(),
            field_names: fields.iter().map(|(name, _)| types.symbol(name)).collect(),
            fields_init_min: required,
            const_fields: vec![false; fields.len()],
            atomic_fields: vec![false; fields.len()],
        },
    );
    definition::set_supertype(types, id, heap.core().any);
    definition::set_fields(types, id, &fields.iter().map(|it| it.1).collect::<Vec<_>>());
    types.type_name(id).wrapper
}

/// Small isbits structs live in the register, with their padding zero.
#[test]
fn a_small_struct_is_inline() {
    let heap = heap();
    let core = *heap.core();
    let ty = define(&heap, "S", false, &[("a", core.int8), ("b", core.int32)], 2);
    let value =
        fields::new_struct(&heap, ty, &[Value::inline(core.int8, 0xfe), Value::inline(core.int32, 7)]);
    assert!(value.is_inline());
    assert_eq!(value.bits(), 0x0000_0007_0000_00fe);
    assert_eq!(fields::get(&heap, value, 1).unwrap().bits(), 7);
    assert!(identity::egal(&heap, value, bits::from_bits(&heap, ty, &[0xfe, 1, 2, 3, 7, 0, 0, 0])));
}

/// Larger ones are objects, equal by content.
#[test]
fn a_large_struct_is_an_object() {
    let heap = heap();
    let core = *heap.core();
    let ty = define(&heap, "L", false, &[("a", core.int64), ("b", core.float32)], 2);
    let make = |x| fields::new_struct(&heap, ty, &[heap.int(x), numbers::float32(&heap, 0.5)]);
    assert!(!make(1).is_inline());
    assert!(identity::egal(&heap, make(1), make(1)));
    assert!(!identity::egal(&heap, make(1), make(2)));
    assert_eq!(identity::object_id(&heap, make(1)), identity::object_id(&heap, make(1)));
    assert_eq!(constants::const_of(&heap, make(1)), constants::const_of(&heap, make(1)));
    assert!(identity::egal(&heap, constants::value_of(&heap, constants::const_of(&heap, make(3))), make(3)));
}

/// Fields of a mutable struct: values, references, symbols, undefined ones.
#[test]
fn fields_are_set_and_read() {
    let heap = heap();
    let core = *heap.core();
    let fields = [("x", core.any), ("name", core.symbol), ("n", core.int32), ("later", core.any)];
    let ty = define(&heap, "M", true, &fields, 3);
    let name = heap.symbol("hello");
    let object = fields::new_struct(&heap, ty, &[heap.int(40_000), name, Value::inline(core.int32, 3)]);
    assert!(fields::get(&heap, object, 3).is_none());
    assert!(fields::get(&heap, object, 1).unwrap().same(name));
    assert_eq!(fields::get(&heap, object, 0).unwrap().as_int(&core), Some(40_000));
    fields::set(&heap, object, 3, object);
    fields::set(&heap, object, 0, heap.type_value(core.array));
    assert!(fields::get(&heap, object, 3).unwrap().same(object));
    assert_eq!(fields::get(&heap, object, 0).unwrap().as_type(&core), Some(core.array));
    let other = fields::new_struct(&heap, ty, &[heap.int(40_000), name, Value::inline(core.int32, 3)]);
    assert!(!identity::egal(&heap, object, other), "mutable objects are equal only to themselves");
}

/// A field of a small union keeps the value inline with a selector.
#[test]
fn an_inline_union_remembers_its_type() {
    let heap = heap();
    let core = *heap.core();
    let maybe = heap.types().union(&[core.nothing, core.float64]);
    let ty = define(&heap, "U", true, &[("x", maybe), ("y", core.int64)], 2);
    let object = fields::new_struct(&heap, ty, &[heap.nothing(), heap.int(5)]);
    assert!(fields::get(&heap, object, 0).unwrap().is_nothing(&core));
    fields::set(&heap, object, 0, numbers::float64(&heap, 1.5));
    assert_eq!(fields::get(&heap, object, 0).unwrap().bits(), 1.5f64.to_bits());
    assert_eq!(fields::get(&heap, object, 1).unwrap().as_int(&core), Some(5));
    assert_eq!(heap.shape(ty).unwrap().size, 24);
}

/// Two unions that hold the same member are equal whatever the unused bytes are.
#[test]
fn leftovers_in_a_union_do_not_matter() {
    let heap = heap();
    let core = *heap.core();
    let number = heap.types().union(&[core.int8, core.int64]);
    let ty = define(&heap, "W", false, &[("x", number), ("y", core.int64)], 2);
    let small = Value::inline(core.int8, 1);
    let shape = heap.shape(ty).unwrap();
    let selector = shape.fields[0].size as usize - 1;
    let mut bytes = bits::of(&heap, fields::new_struct(&heap, ty, &[small, heap.int(2)]));
    assert_eq!(bytes[1], 0);
    bytes[1] = 0x55;
    assert!(selector > 1);
    let noisy = bits::from_bits(&heap, ty, &bytes);
    let clean = fields::new_struct(&heap, ty, &[small, heap.int(2)]);
    assert!(identity::egal(&heap, noisy, clean));
    assert_eq!(constants::const_of(&heap, noisy), constants::const_of(&heap, clean));
}

/// An immutable struct with references is stored inline in its holder and loads as an equal object.
#[test]
fn an_immutable_with_references_is_inlined() {
    let heap = heap();
    let core = *heap.core();
    let inner = define(&heap, "Inner", false, &[("a", core.any), ("b", core.int64)], 2);
    let outer = define(&heap, "Outer", true, &[("n", core.int64), ("it", inner)], 1);
    let value = fields::new_struct(&heap, inner, &[text::string(&heap, "text"), heap.int(1)]);
    let object = fields::new_struct(&heap, outer, &[heap.int(0)]);
    assert!(fields::get(&heap, object, 1).is_none(), "a null first reference means undefined");
    fields::set(&heap, object, 1, value);
    assert!(identity::egal(&heap, fields::get(&heap, object, 1).unwrap(), value));
    assert_eq!(&*heap.shape(outer).unwrap().pointers, [8]);
}

/// Strings are equal by content; each literal is one object.
#[test]
fn strings_compare_by_content() {
    let heap = heap();
    let (a, b) = (text::string(&heap, "abc"), text::string(&heap, "abc"));
    assert!(!a.same(b) && identity::egal(&heap, a, b));
    assert_eq!(identity::object_id(&heap, a), identity::object_id(&heap, b));
    assert_eq!(text::bytes(&heap, a), b"abc");
    let literal = constants::const_of(&heap, a);
    assert!(constants::value_of(&heap, literal).same(constants::value_of(&heap, literal)));
}

/// Every kind of element: plain, boxed, union, without size, with references inside.
#[test]
fn memories_hold_every_kind_of_element() {
    let heap = heap();
    let core = *heap.core();
    let check = |elem: Type, values: &[Value]| {
        let memory = memory::new(&heap, memory::memory_type(&heap, elem), values.len());
        for (index, &value) in values.iter().enumerate() {
            memory::set(&heap, memory, index, value);
        }
        for (index, &value) in values.iter().enumerate() {
            assert!(memory::is_assigned(&heap, memory, index));
            assert!(identity::egal(&heap, memory::get(&heap, memory, index).unwrap(), value));
        }
        memory
    };
    let plain = check(core.int16, &[Value::inline(core.int16, 1), Value::inline(core.int16, 0xffff)]);
    assert_eq!(memory::element(&heap, plain.ty()).unwrap().stride, 2);
    check(core.any, &[heap.int(1), text::string(&heap, "x"), heap.type_value(core.any)]);
    let union = heap.types().union(&[core.nothing, core.int32]);
    check(union, &[Value::inline(core.int32, 9), heap.nothing(), Value::inline(core.int32, 10)]);
    check(core.nothing, &[heap.nothing(), heap.nothing()]);
    let pair = tuples::new(&heap, &[text::string(&heap, "s"), heap.int(2)]);
    let pairs = check(pair.ty(), &[pair, pair]);
    assert_eq!(memory::element(&heap, pairs.ty()).unwrap().stride, 16);
    let empty = memory::new(&heap, memory::memory_type(&heap, core.any), 1);
    assert!(!memory::is_assigned(&heap, empty, 0) && memory::get(&heap, empty, 0).is_none());
}

/// References count in elements, whether they hold an address or an index.
#[test]
fn references_know_their_element() {
    let heap = heap();
    let core = *heap.core();
    let union = heap.types().union(&[core.nothing, core.int32]);
    for elem in [core.float64, core.any, core.nothing, union] {
        let memory = memory::new(&heap, memory::memory_type(&heap, elem), 10);
        let reference = memory::new_ref(&heap, memory::ref_type(&heap, memory.ty()), memory, 7);
        let parts = memory::ref_parts(&heap, reference).unwrap();
        assert!(parts.memory.same(memory));
        assert_eq!(parts.index, 7);
    }
}

/// Ranges that overlap are copied as if through a buffer.
#[test]
fn overlapping_copies_are_exact() {
    let heap = heap();
    let elem = heap.core().int64;
    let memory = memory::new(&heap, memory::memory_type(&heap, elem), 5);
    (0..5).for_each(|i| memory::set(&heap, memory, i, heap.int(i as i64)));
    memory::copy(&heap, memory, 0, memory, 1, 4);
    let all: Vec<u64> = (0..5).map(|i| memory::get(&heap, memory, i).unwrap().bits()).collect();
    assert_eq!(all, [0, 0, 1, 2, 3]);
}

/// Arrays made from Rust have Julia's layout: a reference, then the size.
#[test]
fn vectors_are_arrays() {
    let heap = heap();
    let core = *heap.core();
    let vector = arrays::any_vector(&heap, &[heap.int(1), heap.nothing()]);
    assert!(arrays::is_array(&heap, vector));
    assert_eq!(arrays::len(&heap, vector), 2);
    assert!(arrays::values(&heap, vector)[1].is_nothing(&core));
    assert_eq!(heap.shape(vector.ty()).unwrap().size, 24);
    let expr = exprs::new(&heap, heap.types().symbol("call"), &[heap.symbol("f"), heap.int(2)]);
    let (head, args) = exprs::parts(&heap, expr).unwrap();
    assert_eq!((heap.types().name(head), args.len()), ("call", 2));
}

/// Objects that roots, constants and fields reach survive; the rest is freed.
#[test]
fn collection_keeps_what_is_reached() {
    let heap = heap();
    let core = *heap.core();
    let kept = arrays::any_vector(
        &heap,
        &[text::string(&heap, "kept"), tuples::new(&heap, &[text::string(&heap, "deep"), heap.int(1)])],
    );
    let literal = constants::const_of(&heap, text::string(&heap, "literal"));
    constants::value_of(&heap, literal);
    let named = constants::const_of(&heap, arrays::any_vector(&heap, &[text::string(&heap, "named")]));
    for i in 0..1000 {
        arrays::any_vector(&heap, &[heap.int(i + 1_000_000), text::from_bytes(&heap, &[b'x'; 5000])]);
    }
    let before = allocation::stats(&heap).live_bytes;
    collect::whole(&heap, |marker| marker.mark(kept));
    assert!(allocation::stats(&heap).live_bytes < before / 100);
    let values = arrays::values(&heap, kept);
    assert_eq!(text::bytes(&heap, values[0]), b"kept");
    assert_eq!(text::bytes(&heap, fields::get(&heap, values[1], 0).unwrap()), b"deep");
    assert_eq!(text::bytes(&heap, constants::value_of(&heap, literal)), b"literal");
    let named = constants::value_of(&heap, named);
    assert_eq!(text::bytes(&heap, arrays::get(&heap, named, 0).unwrap()), b"named");
    arrays::set(&heap, named, 0, heap.symbol("s"));
    collect::whole(&heap, |marker| marker.mark(kept));
    assert!(arrays::get(&heap, named, 0).unwrap().ty() == core.symbol);
}

/// The type of a type is its kind, and its own values are inline.
#[test]
fn types_are_values() {
    let heap = heap();
    let core = *heap.core();
    assert_eq!(heap.type_value(core.int64).ty(), core.data_type);
    assert_eq!(heap.type_value(core.array).ty(), core.union_all);
    assert_eq!(heap.type_value(core.bottom).ty(), core.typeof_bottom);
    assert!(heap.isa(heap.type_value(core.int64), datatype::type_type(heap.types(), core.int64)));
    assert!(heap.isa(heap.type_value(core.int64), core.type_));
    let tuple = tuples::new(&heap, &[heap.type_value(core.bottom), heap.type_value(core.int8)]);
    assert_eq!(fields::get(&heap, tuple, 1).unwrap().as_type(&core), Some(core.int8));
    assert_eq!(fields::get(&heap, tuple, 0).unwrap().as_type(&core), Some(core.bottom));
}

/// Many threads may allocate at once.
#[test]
fn threads_share_the_heap() {
    let heap = heap();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let heap = &heap;
            scope.spawn(move || {
                for i in 0..500 {
                    let text = format!("{thread}:{i}");
                    assert_eq!(text::bytes(heap, text::string(heap, &text)), text.as_bytes());
                }
            });
        }
    });
    assert_eq!(allocation::stats(&heap).allocations, 2000);
}
