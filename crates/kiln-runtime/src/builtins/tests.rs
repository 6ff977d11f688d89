//! Builtins: results, and the exceptions Julia throws.

use super::*;
use crate::heap::{arrays, bits, fields, memory, numbers, svecs, text, tuples};
use kiln_types::{Module, Type, Types, datatype, display};
use std::sync::Arc;

fn heap() -> Heap {
    Heap::new(Arc::new(Types::new()))
}

fn run(heap: &Heap, builtin: Builtin, args: &[Value]) -> Value {
    match call(heap, builtin, args) {
        Ok(value) => value,
        Err(thrown) => panic!("{} threw {}", builtin.name(), describe(heap, thrown.exception)),
    }
}

/// The type of an exception and its first text field.
fn describe(heap: &Heap, exception: Value) -> String {
    let message = (0..fields::count(heap, exception))
        .filter_map(|index| fields::get(heap, exception, index))
        .find_map(|it| text::read(heap, it));
    format!("{}: {}", display::of_type(heap.types(), exception.ty()), message.unwrap_or_default())
}

fn fails(heap: &Heap, builtin: Builtin, args: &[Value]) -> String {
    match call(heap, builtin, args) {
        Ok(value) => panic!("{} gave a {}", builtin.name(), display::of_type(heap.types(), value.ty())),
        Err(thrown) => describe(heap, thrown.exception),
    }
}

/// Defines a struct as lowered code does.
fn define(heap: &Heap, name: &str, mutable: bool, fields: &[(&str, Type)], attributes: &[Value]) -> Value {
    let main = Value::module(heap.core(), Module::MAIN);
    let names: Vec<Value> = fields.iter().map(|it| heap.symbol(it.0)).collect();
    let types: Vec<Value> = fields.iter().map(|it| heap.type_value(it.1)).collect();
    let args = [
        main,
        heap.symbol(name),
        svecs::new(heap, &[]),
        svecs::new(heap, &names),
        svecs::new(heap, attributes),
        heap.bool(mutable),
        heap.int(fields.len() as i64),
    ];
    let ty = run(heap, Builtin::Structtype, &args);
    run(heap, Builtin::Setsuper, &[ty, heap.type_value(heap.core().any)]);
    run(heap, Builtin::Typebody, &[heap.bool(false), ty, svecs::new(heap, &types)])
}

/// Fields by name and number; both kinds of mistake.
#[test]
fn fields_by_name_and_number() {
    let heap = heap();
    let core = *heap.core();
    let ty = define(&heap, "Point", false, &[("x", core.int64), ("y", core.any)], &[]);
    let point = new_struct(&heap, ty, &[heap.int(1), text::string(&heap, "up")]).unwrap();
    let get = |field| run(&heap, Builtin::Getfield, &[point, field]);
    assert_eq!(get(heap.symbol("x")).as_int(&core), Some(1));
    assert_eq!(text::bytes(&heap, get(heap.int(2))), b"up");
    assert_eq!(run(&heap, Builtin::Nfields, &[point]).as_int(&core), Some(2));
    assert_eq!(fails(&heap, Builtin::Getfield, &[point, heap.symbol("z")]), "FieldError: z");
    assert!(fails(&heap, Builtin::Getfield, &[point, heap.int(3)]).starts_with("BoundsError"));
    assert!(
        fails(&heap, Builtin::Getfield, &[point, heap.int(0), heap.bool(false)]).starts_with("BoundsError")
    );
    assert_eq!(fails(&heap, Builtin::Getfield, &[point, text::string(&heap, "x")]), "TypeError: getfield");
    let message = "ErrorException: setfield!: immutable struct of type Point cannot be changed";
    assert_eq!(fails(&heap, Builtin::Setfield, &[point, heap.symbol("x"), heap.int(2)]), message);
}

/// Mutable structs: types are checked, constants and atomic fields have rules.
#[test]
fn writing_fields() {
    let heap = heap();
    let core = *heap.core();
    let attributes = [heap.int(2), heap.symbol("const"), heap.int(3), heap.symbol("atomic")];
    let fields = [("a", core.int64), ("b", core.int64), ("c", core.int64)];
    let ty = define(&heap, "Cell", true, &fields, &attributes);
    let cell = new_struct(&heap, ty, &[heap.int(1), heap.int(2), heap.int(3)]).unwrap();
    let (a, b, c) = (heap.symbol("a"), heap.symbol("b"), heap.symbol("c"));
    run(&heap, Builtin::Setfield, &[cell, a, heap.int(9)]);
    let old = run(&heap, Builtin::Swapfield, &[cell, a, heap.int(10)]);
    assert_eq!(old.as_int(&core), Some(9));
    assert_eq!(
        fails(&heap, Builtin::Setfield, &[cell, a, numbers::float64(&heap, 1.0)]),
        "TypeError: setfield!"
    );
    let message = "ErrorException: setfield!: const field .b of type Cell cannot be changed";
    assert_eq!(fails(&heap, Builtin::Setfield, &[cell, b, heap.int(1)]), message);
    let message = "ConcurrencyViolationError: setfield!: atomic field cannot be written non-atomically";
    assert_eq!(fails(&heap, Builtin::Setfield, &[cell, c, heap.int(1)]), message);
    let order = heap.symbol("sequentially_consistent");
    let args = [cell, c, heap.int(3), heap.int(4), order];
    let replaced = run(&heap, Builtin::Replacefield, &args);
    assert_eq!(fields::get(&heap, replaced, 1).unwrap().as_bool(&core), Some(true));
    let mut add = |old: Value, x: Value| Ok(heap.int(old.bits() as i64 + x.bits() as i64));
    let (old, new, _) =
        modify_field(&heap, &[cell, c, heap.nothing(), heap.int(5), order], &mut add).unwrap();
    assert_eq!((old.bits(), new.bits()), (4, 9));
}

/// `new` checks the number of fields and their types.
#[test]
fn constructing() {
    let heap = heap();
    let core = *heap.core();
    let ty = define(&heap, "Pair2", false, &[("a", core.int64), ("b", core.real)], &[]);
    let pair =
        splat_new(&heap, ty, tuples::new(&heap, &[heap.int(1), numbers::float64(&heap, 2.0)])).unwrap();
    assert_eq!(fields::get(&heap, pair, 1).unwrap().bits(), 2f64.to_bits());
    let error = |result: Run| describe(&heap, result.unwrap_err().exception);
    assert_eq!(error(new_struct(&heap, ty, &[heap.int(1), text::string(&heap, "")])), "TypeError: new");
    assert_eq!(error(new_struct(&heap, ty, &[heap.int(1)])), "ErrorException: invalid struct allocation");
    assert_eq!(error(new_struct(&heap, heap.type_value(core.real), &[])), "TypeError: new");
    assert_eq!(error(new_struct(&heap, heap.type_value(core.int64), &[])), "TypeError: new");
    assert_eq!(error(new_struct(&heap, heap.type_value(core.symbol), &[])), "TypeError: new");
    assert_eq!(error(new_struct(&heap, heap.type_value(core.string), &[])), "TypeError: new");
}

/// Types have fields.
#[test]
fn types_have_fields() {
    let heap = heap();
    let core = *heap.core();
    let get = |object, name: &str| run(&heap, Builtin::Getfield, &[object, heap.symbol(name)]);
    let vector = heap.type_value(arrays::vector_type(&heap, core.int8));
    let name = get(vector, "name");
    assert_eq!(text::read(&heap, get(name, "name")).unwrap(), "Array");
    assert_eq!(get(name, "wrapper").as_type(&core), Some(core.array));
    assert_eq!(get(name, "module").as_module(&core), Some(Module::CORE));
    let params = get(vector, "parameters");
    assert_eq!(run(&heap, Builtin::SvecLen, &[params]).as_int(&core), Some(2));
    let second = run(&heap, Builtin::SvecRef, &[params, heap.int(2)]);
    assert_eq!(second.as_int(&core), Some(1));
    assert!(fails(&heap, Builtin::SvecRef, &[params, heap.int(3)]).starts_with("BoundsError"));
    assert_eq!(get(heap.type_value(core.int8), "super").as_type(&core), Some(core.signed));
    let wrapper = heap.type_value(core.array);
    assert_eq!(text::read(&heap, get(get(wrapper, "var"), "name")).unwrap(), "T");
    assert_eq!(get(get(wrapper, "body"), "var").ty(), core.type_var);
    let union = heap.type_value(heap.types().union(&[core.int8, core.nothing]));
    let members = [get(union, "a"), get(union, "b")].map(|it| it.as_type(&core).unwrap());
    assert!(members.contains(&core.int8) && members.contains(&core.nothing));
    let has = |ty, name: &str| {
        run(&heap, Builtin::Isdefined, &[heap.type_value(ty), heap.symbol(name)]).as_bool(&core).unwrap()
    };
    assert!(has(core.nothing, "instance") && !has(core.int64, "instance") && !has(core.int64, "nonsense"));
    assert!(get(heap.type_value(core.nothing), "instance").is_nothing(&core));
    let message = "ErrorException: setfield!: const field .name of type DataType cannot be changed";
    assert_eq!(fails(&heap, Builtin::Setfield, &[vector, heap.symbol("name"), name]), message);
}

/// `fieldtype` looks through unions, wrappers and varargs.
#[test]
fn types_of_fields() {
    let heap = heap();
    let core = *heap.core();
    let of = |ty: Type, field| {
        run(&heap, Builtin::Fieldtype, &[heap.type_value(ty), field]).as_type(&core).unwrap()
    };
    assert_eq!(of(core.line_number_node, heap.symbol("line")), core.int64);
    let rest = datatype::tuple(heap.types(), &[core.int8, datatype::vararg(heap.types(), core.string, None)]);
    assert_eq!(of(rest, heap.int(1)), core.int8);
    assert_eq!(of(rest, heap.int(40)), core.string);
    let pair = datatype::tuple(heap.types(), &[core.int8, core.int16]);
    assert!(
        fails(&heap, Builtin::Fieldtype, &[heap.type_value(pair), heap.int(3)]).starts_with("BoundsError")
    );
    let either = heap.types().union(&[pair, datatype::tuple(heap.types(), &[core.char])]);
    assert_eq!(of(either, heap.int(2)), core.int16);
    assert_eq!(of(core.array, heap.symbol("ref")), of(core.array, heap.int(1)));
    let named = datatype::named_tuple(
        heap.types(),
        &[heap.types().symbol("x")],
        datatype::tuple(heap.types(), &[core.bool]),
    );
    assert_eq!(of(named, heap.symbol("x")), core.bool);
}

/// `<:`, `isa`, `typeassert`, `ifelse`, `sizeof`.
#[test]
fn relations_and_sizes() {
    let heap = heap();
    let core = *heap.core();
    let ty = |it| heap.type_value(it);
    let holds = |builtin, a, b| run(&heap, builtin, &[a, b]).as_bool(&core).unwrap();
    assert!(holds(Builtin::Issubtype, ty(core.int64), ty(core.integer)));
    assert!(
        holds(Builtin::Isa, heap.int(1), ty(core.real)) && !holds(Builtin::Isa, heap.int(1), ty(core.string))
    );
    assert!(holds(Builtin::Isa, ty(core.int64), ty(core.data_type)));
    assert_eq!(fails(&heap, Builtin::Typeassert, &[heap.int(1), ty(core.string)]), "TypeError: typeassert");
    assert_eq!(fails(&heap, Builtin::Isa, &[heap.int(1), heap.int(2)]), "TypeError: isa");
    assert_eq!(fails(&heap, Builtin::Ifelse, &[heap.int(1), heap.int(2), heap.int(3)]), "TypeError: ifelse");
    let size = |it| run(&heap, Builtin::Sizeof, &[it]).as_int(&core).unwrap();
    assert_eq!(size(ty(core.int128)), 16);
    assert_eq!(size(text::string(&heap, "héllo")), 6);
    assert_eq!(size(ty(heap.types().union(&[core.int8, core.int32]))), 4);
    let message = "ErrorException: Abstract type Real does not have a definite size.";
    assert_eq!(fails(&heap, Builtin::Sizeof, &[ty(core.real)]), message);
    let memory = run(&heap, Builtin::Memorynew, &[ty(memory::memory_type(&heap, core.int16)), heap.int(5)]);
    assert_eq!(size(memory), 10);
    let few = "ArgumentError: typeof: too few arguments (expected 1)";
    assert_eq!(fails(&heap, Builtin::Typeof, &[]), few);
}

/// References into memory: bounds, undefined elements, types.
#[test]
fn memory_references() {
    let heap = heap();
    let core = *heap.core();
    let (plain, no) = (heap.symbol("not_atomic"), heap.bool(false));
    let new = |elem, n| {
        run(&heap, Builtin::Memorynew, &[heap.type_value(memory::memory_type(&heap, elem)), heap.int(n)])
    };
    let memory = new(core.any, 3);
    let length = run(&heap, Builtin::Getfield, &[memory, heap.symbol("length")]);
    assert_eq!(length.as_int(&core), Some(3));
    let data = run(&heap, Builtin::Getfield, &[memory, heap.symbol("ptr")]);
    assert_eq!(data.bits(), memory::data(&heap, memory));
    let message = "ErrorException: setfield!: const field .length of type GenericMemory cannot be changed";
    assert_eq!(fails(&heap, Builtin::Setfield, &[memory, heap.symbol("length"), heap.int(9)]), message);
    let first = run(&heap, Builtin::Memoryrefnew, &[memory]);
    let second = run(&heap, Builtin::Memoryrefnew, &[first, heap.int(2), heap.bool(true)]);
    assert_eq!(run(&heap, Builtin::Memoryrefoffset, &[second]).as_int(&core), Some(2));
    assert!(fails(&heap, Builtin::Memoryrefget, &[second, plain, no]).starts_with("UndefRefError"));
    assert_eq!(run(&heap, Builtin::MemoryrefIsassigned, &[second, plain, no]).as_bool(&core), Some(false));
    run(&heap, Builtin::Memoryrefset, &[second, text::string(&heap, "x"), plain, no]);
    assert_eq!(text::bytes(&heap, run(&heap, Builtin::Memoryrefget, &[second, plain, no])), b"x");
    assert!(fails(&heap, Builtin::Memoryrefnew, &[second, heap.int(3)]).starts_with("BoundsError"));
    // Unchecked, the reference may leave the memory; an access still may not.
    let beyond = run(&heap, Builtin::Memoryrefnew, &[second, heap.int(100), no]);
    assert!(fails(&heap, Builtin::Memoryrefget, &[beyond, plain, no]).starts_with("BoundsError"));
    assert!(
        fails(&heap, Builtin::Memoryrefset, &[beyond, heap.int(1), plain, no]).starts_with("BoundsError")
    );
    let ints = run(&heap, Builtin::Memoryrefnew, &[new(core.int32, 1)]);
    assert_eq!(
        fails(&heap, Builtin::Memoryrefset, &[ints, heap.int(1), plain, no]),
        "TypeError: memoryrefset!"
    );
    let atomic = heap.symbol("acquire");
    let message = "ConcurrencyViolationError: memoryrefget: non-atomic memory cannot be accessed atomically";
    assert_eq!(fails(&heap, Builtin::Memoryrefget, &[ints, atomic, no]), message);
    let negative = [heap.type_value(memory::memory_type(&heap, core.any)), heap.int(-1)];
    assert!(
        fails(&heap, Builtin::Memorynew, &negative).starts_with("ArgumentError: invalid GenericMemory size")
    );
    let large = [heap.type_value(memory::memory_type(&heap, core.any)), heap.int(1 << 50)];
    assert!(fails(&heap, Builtin::Memorynew, &large).starts_with("OutOfMemoryError"));
    let huge = [heap.type_value(memory::memory_type(&heap, core.any)), heap.int(i64::MAX)];
    assert!(fails(&heap, Builtin::Memorynew, &huge).starts_with("ArgumentError: invalid GenericMemory size"));
}

/// Application of types, and rejected applications.
#[test]
fn applying_types() {
    let heap = heap();
    let core = *heap.core();
    let ty = |it| heap.type_value(it);
    let apply = |args: &[Value]| run(&heap, Builtin::ApplyType, args).as_type(&core).unwrap();
    assert_eq!(apply(&[ty(core.array), ty(core.int8), heap.int(1)]), arrays::vector_type(&heap, core.int8));
    assert_eq!(apply(&[ty(core.union_type)]), core.bottom);
    assert_eq!(apply(&[ty(core.union_type), ty(core.int8)]), core.int8);
    assert_eq!(apply(&[ty(core.tuple)]), core.empty_tuple);
    let args = [ty(core.array), ty(core.int8), heap.int(1), heap.int(2)];
    assert_eq!(fails(&heap, Builtin::ApplyType, &args), "ErrorException: too many parameters for type Array");
    assert_eq!(
        fails(&heap, Builtin::ApplyType, &[ty(core.int8), heap.int(1)]),
        "TypeError: Type{...} expression"
    );
    assert_eq!(
        fails(&heap, Builtin::ApplyType, &[ty(core.array), text::string(&heap, "x")]),
        "TypeError: Type"
    );
    assert_eq!(fails(&heap, Builtin::ApplyType, &[ty(core.union_type), heap.int(1)]), "TypeError: Union");
    let real = run(&heap, Builtin::Typevar, &[heap.symbol("T"), ty(core.bottom), ty(core.real)]);
    let body = run(&heap, Builtin::ApplyType, &[ty(core.array), real]);
    let wrapper = run(&heap, Builtin::UnionAllNew, &[real, body]);
    assert_eq!(wrapper.ty(), core.union_all);
    assert_eq!(fails(&heap, Builtin::ApplyType, &[wrapper, ty(core.string)]), "TypeError: Array");
}

/// Rejected definitions, and a definition equal to the previous one.
#[test]
fn defining_types() {
    let heap = heap();
    let core = *heap.core();
    let main = Value::module(&core, Module::MAIN);
    let bits = |n| [main, heap.symbol("B"), svecs::new(&heap, &[]), heap.int(n)];
    let primitive = run(&heap, Builtin::Primitivetype, &bits(24));
    run(&heap, Builtin::Setsuper, &[primitive, heap.type_value(core.unsigned)]);
    assert_eq!(run(&heap, Builtin::Sizeof, &[primitive]).as_int(&core), Some(3));
    let message = "ErrorException: invalid number of bits in primitive type B";
    assert_eq!(fails(&heap, Builtin::Primitivetype, &bits(7)), message);
    let kind = run(&heap, Builtin::Abstracttype, &[main, heap.symbol("Kind"), svecs::new(&heap, &[])]);
    let message = "ErrorException: invalid subtyping in definition of Kind: can only subtype abstract types.";
    assert_eq!(fails(&heap, Builtin::Setsuper, &[kind, heap.type_value(core.int64)]), message);
    let fields = [("a", core.int64), ("b", core.any)];
    let (first, second) = (define(&heap, "S", false, &fields, &[]), define(&heap, "S", false, &fields, &[]));
    assert_eq!(run(&heap, Builtin::EquivTypedef, &[first, second]).as_bool(&core), Some(true));
    let types = svecs::new(&heap, &[heap.type_value(core.int64), heap.type_value(core.any)]);
    let kept = run(&heap, Builtin::Typebody, &[first, second, types]);
    assert!(kept.same(first));
    let other = define(&heap, "S", true, &fields, &[]);
    assert_eq!(run(&heap, Builtin::EquivTypedef, &[first, other]).as_bool(&core), Some(false));
}

/// A parametric definition is recognized in other variables; with other fields it is new.
#[test]
fn defining_a_parametric_type_again() {
    let heap = heap();
    let core = *heap.core();
    let main = Value::module(&core, Module::MAIN);
    let start = || {
        let var = [heap.symbol("T"), heap.type_value(core.bottom), heap.type_value(core.real)];
        let var = run(&heap, Builtin::Typevar, &var);
        let names = svecs::new(&heap, &[heap.symbol("x")]);
        let (params, none) = (svecs::new(&heap, &[var]), svecs::new(&heap, &[]));
        let args = [main, heap.symbol("P"), params, names, none, heap.bool(false), heap.int(1)];
        let ty = run(&heap, Builtin::Structtype, &args);
        run(&heap, Builtin::Setsuper, &[ty, heap.type_value(core.any)]);
        (ty, var)
    };
    let (first, var) = start();
    run(&heap, Builtin::Typebody, &[heap.bool(false), first, svecs::new(&heap, &[var])]);
    let applied = run(&heap, Builtin::ApplyType, &[first, heap.type_value(core.int8)]);
    let field = run(&heap, Builtin::Fieldtype, &[applied, heap.int(1)]);
    assert_eq!(field.as_type(&core), Some(core.int8));
    let (again, var) = start();
    assert_eq!(run(&heap, Builtin::EquivTypedef, &[first, again]).as_bool(&core), Some(true));
    assert!(run(&heap, Builtin::Typebody, &[first, again, svecs::new(&heap, &[var])]).same(first));
    let (other, _) = start();
    let fields = svecs::new(&heap, &[heap.type_value(core.int8)]);
    assert!(run(&heap, Builtin::Typebody, &[first, other, fields]).same(other));
}

/// Intrinsics take user-defined primitive types of any number of bytes up to 8.
#[test]
fn odd_primitive_types_compute() {
    let heap = heap();
    let main = Value::module(heap.core(), Module::MAIN);
    let args = [main, heap.symbol("UInt24"), svecs::new(&heap, &[]), heap.int(24)];
    let ty = run(&heap, Builtin::Primitivetype, &args).as_type(heap.core()).unwrap();
    let (a, b) = (bits::from_wide(&heap, ty, 0xff_ffff), bits::from_wide(&heap, ty, 2));
    let sum = crate::intrinsics::call(&heap, true, kiln_ir::Intrinsic::AddInt, &[a, b]).unwrap();
    assert_eq!((sum.ty(), sum.bits()), (ty, 1));
    let shifted = crate::intrinsics::call(&heap, true, kiln_ir::Intrinsic::AshrInt, &[a, b]).unwrap();
    assert_eq!(shifted.bits(), 0xff_ffff);
}

/// Every builtin is either done here or left to the interpreter.
#[test]
fn nothing_is_forgotten() {
    let heap = heap();
    for &builtin in Builtin::ALL {
        let lonely = call(&heap, builtin, &[]);
        if needs_runtime(builtin) {
            assert!(lonely.is_err(), "{}", builtin.name());
        }
        // Called with nonsense, each one throws or answers; none panics.
        for count in 0..8 {
            let _ = call(&heap, builtin, &vec![heap.int(1); count]);
            let _ = call(&heap, builtin, &vec![heap.type_value(heap.core().array); count]);
            let _ = call(&heap, builtin, &vec![heap.symbol("x"); count]);
            let _ = call(&heap, builtin, &vec![svecs::new(&heap, &[heap.int(1)]); count]);
        }
    }
}
