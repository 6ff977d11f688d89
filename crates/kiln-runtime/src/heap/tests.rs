//! Known answers about values in memory.

use super::*;
use kiln_types::{StructDef, TypeNameKind};

fn heap() -> Heap {
    Heap::new(Arc::new(Types::new()))
}

fn define(heap: &Heap, name: &str, mutable: bool, fields: &[(&str, Type)], required: usize) -> Type {
    let types = heap.types();
    let id = types.define(StructDef {
        name: types.symbol(name),
        module: types.main_module(),
        kind: TypeNameKind::Struct { mutable },
        params: Vec::new(),
        field_names: fields.iter().map(|(name, _)| types.symbol(name)).collect(),
        fields_init_min: required,
        const_fields: vec![false; fields.len()],
        atomic_fields: vec![false; fields.len()],
    });
    types.set_supertype(id, heap.core().any);
    types.set_fields(id, &fields.iter().map(|it| it.1).collect::<Vec<_>>());
    types.type_name(id).wrapper
}

/// Small isbits structs live in the register, with their padding zero.
#[test]
fn a_small_struct_is_inline() {
    let heap = heap();
    let core = *heap.core();
    let ty = define(&heap, "S", false, &[("a", core.int8), ("b", core.int32)], 2);
    let value = heap.new_struct(ty, &[Value::inline(core.int8, 0xfe), Value::inline(core.int32, 7)]);
    assert!(value.is_inline());
    assert_eq!(value.bits(), 0x0000_0007_0000_00fe);
    assert_eq!(heap.get_field(value, 1).unwrap().bits(), 7);
    assert!(heap.egal(value, heap.from_bits(ty, &[0xfe, 1, 2, 3, 7, 0, 0, 0])));
}

/// Larger ones are objects, equal by content.
#[test]
fn a_large_struct_is_an_object() {
    let heap = heap();
    let core = *heap.core();
    let ty = define(&heap, "L", false, &[("a", core.int64), ("b", core.float32)], 2);
    let make = |x| heap.new_struct(ty, &[heap.int(x), heap.float32(0.5)]);
    assert!(!make(1).is_inline());
    assert!(heap.egal(make(1), make(1)));
    assert!(!heap.egal(make(1), make(2)));
    assert_eq!(heap.object_id(make(1)), heap.object_id(make(1)));
    assert_eq!(heap.const_of(make(1)), heap.const_of(make(1)));
    assert!(heap.egal(heap.value_of(heap.const_of(make(3))), make(3)));
}

/// Fields of a mutable struct: values, references, symbols, undefined ones.
#[test]
fn fields_are_set_and_read() {
    let heap = heap();
    let core = *heap.core();
    let fields = [("x", core.any), ("name", core.symbol), ("n", core.int32), ("later", core.any)];
    let ty = define(&heap, "M", true, &fields, 3);
    let name = heap.symbol("hello");
    let object = heap.new_struct(ty, &[heap.int(40_000), name, Value::inline(core.int32, 3)]);
    assert!(heap.get_field(object, 3).is_none());
    assert!(heap.get_field(object, 1).unwrap().same(name));
    assert_eq!(heap.get_field(object, 0).unwrap().as_int(&core), Some(40_000));
    heap.set_field(object, 3, object);
    heap.set_field(object, 0, heap.type_value(core.array));
    assert!(heap.get_field(object, 3).unwrap().same(object));
    assert_eq!(heap.get_field(object, 0).unwrap().as_type(&core), Some(core.array));
    let other = heap.new_struct(ty, &[heap.int(40_000), name, Value::inline(core.int32, 3)]);
    assert!(!heap.egal(object, other), "mutable objects are equal only to themselves");
}

/// A field of a small union keeps the value inline with a selector.
#[test]
fn an_inline_union_remembers_its_type() {
    let heap = heap();
    let core = *heap.core();
    let maybe = heap.types().union(&[core.nothing, core.float64]);
    let ty = define(&heap, "U", true, &[("x", maybe), ("y", core.int64)], 2);
    let object = heap.new_struct(ty, &[heap.nothing(), heap.int(5)]);
    assert!(heap.get_field(object, 0).unwrap().is_nothing(&core));
    heap.set_field(object, 0, heap.float64(1.5));
    assert_eq!(heap.get_field(object, 0).unwrap().bits(), 1.5f64.to_bits());
    assert_eq!(heap.get_field(object, 1).unwrap().as_int(&core), Some(5));
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
    let mut bytes = heap.bits_of(heap.new_struct(ty, &[small, heap.int(2)]));
    assert_eq!(bytes[1], 0);
    bytes[1] = 0x55;
    assert!(selector > 1);
    let noisy = heap.from_bits(ty, &bytes);
    let clean = heap.new_struct(ty, &[small, heap.int(2)]);
    assert!(heap.egal(noisy, clean));
    assert_eq!(heap.const_of(noisy), heap.const_of(clean));
}

/// An immutable struct with references is stored inline in its holder and loads as an equal object.
#[test]
fn an_immutable_with_references_is_inlined() {
    let heap = heap();
    let core = *heap.core();
    let inner = define(&heap, "Inner", false, &[("a", core.any), ("b", core.int64)], 2);
    let outer = define(&heap, "Outer", true, &[("n", core.int64), ("it", inner)], 1);
    let value = heap.new_struct(inner, &[heap.string("text"), heap.int(1)]);
    let object = heap.new_struct(outer, &[heap.int(0)]);
    assert!(heap.get_field(object, 1).is_none(), "a null first reference means undefined");
    heap.set_field(object, 1, value);
    assert!(heap.egal(heap.get_field(object, 1).unwrap(), value));
    assert_eq!(&*heap.shape(outer).unwrap().pointers, [8]);
}

/// Strings are equal by content; each literal is one object.
#[test]
fn strings_compare_by_content() {
    let heap = heap();
    let (a, b) = (heap.string("abc"), heap.string("abc"));
    assert!(!a.same(b) && heap.egal(a, b));
    assert_eq!(heap.object_id(a), heap.object_id(b));
    assert_eq!(heap.string_bytes(a), b"abc");
    let literal = heap.const_of(a);
    assert!(heap.value_of(literal).same(heap.value_of(literal)));
}

/// Every kind of element: plain, boxed, union, without size, with references inside.
#[test]
fn memories_hold_every_kind_of_element() {
    let heap = heap();
    let core = *heap.core();
    let check = |elem: Type, values: &[Value]| {
        let memory = heap.new_memory(heap.memory_type(elem), values.len());
        for (index, &value) in values.iter().enumerate() {
            heap.memory_set(memory, index, value);
        }
        for (index, &value) in values.iter().enumerate() {
            assert!(heap.memory_is_assigned(memory, index));
            assert!(heap.egal(heap.memory_get(memory, index).unwrap(), value));
        }
        memory
    };
    let plain = check(core.int16, &[Value::inline(core.int16, 1), Value::inline(core.int16, 0xffff)]);
    assert_eq!(heap.element(plain.ty()).unwrap().stride, 2);
    check(core.any, &[heap.int(1), heap.string("x"), heap.type_value(core.any)]);
    let union = heap.types().union(&[core.nothing, core.int32]);
    check(union, &[Value::inline(core.int32, 9), heap.nothing(), Value::inline(core.int32, 10)]);
    check(core.nothing, &[heap.nothing(), heap.nothing()]);
    let pair = heap.tuple(&[heap.string("s"), heap.int(2)]);
    let pairs = check(pair.ty(), &[pair, pair]);
    assert_eq!(heap.element(pairs.ty()).unwrap().stride, 16);
    let empty = heap.new_memory(heap.memory_type(core.any), 1);
    assert!(!heap.memory_is_assigned(empty, 0) && heap.memory_get(empty, 0).is_none());
}

/// References count in elements, whether they hold an address or an index.
#[test]
fn references_know_their_element() {
    let heap = heap();
    let core = *heap.core();
    let union = heap.types().union(&[core.nothing, core.int32]);
    for elem in [core.float64, core.any, core.nothing, union] {
        let memory = heap.new_memory(heap.memory_type(elem), 10);
        let reference = heap.new_ref(heap.ref_type(memory.ty()), memory, 7);
        let parts = heap.ref_parts(reference).unwrap();
        assert!(parts.memory.same(memory));
        assert_eq!(parts.index, 7);
    }
}

/// Ranges that overlap are copied as if through a buffer.
#[test]
fn overlapping_copies_are_exact() {
    let heap = heap();
    let elem = heap.core().int64;
    let memory = heap.new_memory(heap.memory_type(elem), 5);
    (0..5).for_each(|i| heap.memory_set(memory, i, heap.int(i as i64)));
    heap.memory_copy(memory, 0, memory, 1, 4);
    let all: Vec<u64> = (0..5).map(|i| heap.memory_get(memory, i).unwrap().bits()).collect();
    assert_eq!(all, [0, 0, 1, 2, 3]);
}

/// Arrays made from Rust have Julia's layout: a reference, then the size.
#[test]
fn vectors_are_arrays() {
    let heap = heap();
    let core = *heap.core();
    let vector = heap.any_vector(&[heap.int(1), heap.nothing()]);
    assert!(heap.is_array(vector));
    assert_eq!(heap.array_len(vector), 2);
    assert!(heap.array_values(vector)[1].is_nothing(&core));
    assert_eq!(heap.shape(vector.ty()).unwrap().size, 24);
    let expr = heap.expr(heap.types().symbol("call"), &[heap.symbol("f"), heap.int(2)]);
    let (head, args) = heap.as_expr(expr).unwrap();
    assert_eq!((heap.types().name(head), args.len()), ("call", 2));
}

/// Objects that roots, constants and fields reach survive; the rest is freed.
#[test]
fn collection_keeps_what_is_reached() {
    let heap = heap();
    let core = *heap.core();
    let kept = heap.any_vector(&[heap.string("kept"), heap.tuple(&[heap.string("deep"), heap.int(1)])]);
    let literal = heap.const_of(heap.string("literal"));
    heap.value_of(literal);
    let named = heap.const_of(heap.any_vector(&[heap.string("named")]));
    for i in 0..1000 {
        heap.any_vector(&[heap.int(i + 1_000_000), heap.new_string(&[b'x'; 5000])]);
    }
    let before = heap.stats().live_bytes;
    heap.collect(|marker| marker.mark(kept));
    assert!(heap.stats().live_bytes < before / 100);
    let values = heap.array_values(kept);
    assert_eq!(heap.string_bytes(values[0]), b"kept");
    assert_eq!(heap.string_bytes(heap.get_field(values[1], 0).unwrap()), b"deep");
    assert_eq!(heap.string_bytes(heap.value_of(literal)), b"literal");
    let named = heap.value_of(named);
    assert_eq!(heap.string_bytes(heap.array_get(named, 0).unwrap()), b"named");
    heap.array_set(named, 0, heap.symbol("s"));
    heap.collect(|marker| marker.mark(kept));
    assert!(heap.array_get(named, 0).unwrap().ty() == core.symbol);
}

/// The type of a type is its kind, and its own values are inline.
#[test]
fn types_are_values() {
    let heap = heap();
    let core = *heap.core();
    assert_eq!(heap.type_value(core.int64).ty(), core.data_type);
    assert_eq!(heap.type_value(core.array).ty(), core.union_all);
    assert_eq!(heap.type_value(core.bottom).ty(), core.typeof_bottom);
    assert!(heap.isa(heap.type_value(core.int64), heap.types().type_type(core.int64)));
    assert!(heap.isa(heap.type_value(core.int64), core.type_));
    let tuple = heap.tuple(&[heap.type_value(core.bottom), heap.type_value(core.int8)]);
    assert_eq!(heap.get_field(tuple, 1).unwrap().as_type(&core), Some(core.int8));
    assert_eq!(heap.get_field(tuple, 0).unwrap().as_type(&core), Some(core.bottom));
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
                    assert_eq!(heap.string_bytes(heap.string(&text)), text.as_bytes());
                }
            });
        }
    });
    assert_eq!(heap.stats().allocations, 2000);
}
