//! The interner: one id per type, whatever way it was made; layouts as Julia's.

use kiln_types::{
    Module, StructDef, Type, TypeError, TypeNameKind, Types, consts, datatype, definition, display, identity,
    layout, typevar, unionall,
};

fn int(types: &Types, value: i64) -> Type {
    consts::to_param(types, consts::int(types, value))
}

/// Julia programs compare types with `===`, so the same application must give the same id.
#[test]
fn equal_types_have_one_id() {
    let types = Types::new();
    let core = types.core();
    let var = |name: &str| typevar::new(&types, types.symbol(name), core.bottom, core.any);
    let (t, u) = (var("T"), var("T"));
    let a = unionall::new(&types, t, types.apply(core.array, &[t, int(&types, 1)]).unwrap());
    let b = unionall::new(&types, u, types.apply(core.array, &[u, int(&types, 1)]).unwrap());
    assert_eq!(a, b);
    assert_ne!(t, u);
    assert_eq!(types.apply(a, &[core.int64]), types.apply(core.array, &[core.int64, int(&types, 1)]));
    assert_eq!(types.union(&[core.int64, core.nothing]), types.union(&[core.nothing, core.int64]));
    assert_eq!(types.union(&[core.int64, core.integer]), core.integer);
}

/// `Vector{T} where T` put under a binder that uses the same canonical variable must not capture it.
#[test]
fn substitution_renames_rather_than_captures() {
    let types = Types::new();
    let core = types.core();
    let var = |name: &str| typevar::new(&types, types.symbol(name), core.bottom, core.any);
    let (t, n) = (var("T"), var("N"));
    // Array{Array{T, N}, N'} with N' bound inside, N free outside.
    let inner_free = types.apply(core.array, &[t, n]).unwrap();
    let partly = types.apply(core.array, &[inner_free]).unwrap();
    let closed = unionall::wrap_vars(&types, partly, &[t, n]);
    assert_eq!(unionall::outer_vars(&types, closed).len(), 3);
    let opened = unionall::unwrap(&types, core.array);
    let open_n = datatype::params(&types, opened)[1];
    let again = types.apply(core.array, &[datatype::type_type(&types, open_n)]).unwrap();
    let full = types.apply(again, &[int(&types, 2)]).unwrap();
    assert_eq!(datatype::params(&types, full)[0], datatype::type_type(&types, open_n));
    assert_eq!(datatype::params(&types, full)[1], int(&types, 2));
}

/// Parameters are checked where they are given, as Julia does.
#[test]
fn wrong_applications_are_refused() {
    let types = Types::new();
    let core = types.core();
    let too_many = types.apply(core.ref_, &[core.int64, core.int64]);
    assert_eq!(too_many, Err(TypeError::TooManyParams { wrapper: core.ref_ }));
    assert_eq!(types.apply(core.int64, &[core.int64]), Err(TypeError::NotParametric(core.int64)));
    let bounded = typevar::new(&types, types.symbol("T"), core.bottom, core.real);
    let reals = unionall::new(&types, bounded, types.apply(core.ref_, &[bounded]).unwrap());
    assert!(matches!(types.apply(reals, &[core.string]), Err(TypeError::OutOfBounds { .. })));
    assert!(types.apply(reals, &[core.int8]).is_ok());
}

/// Offsets and sizes that `fieldoffset` and `sizeof` give in Julia.
#[test]
fn layouts() {
    let types = Types::new();
    let core = types.core();
    let tuple = datatype::tuple(&types, &[core.int8, core.int64, core.bool]);
    let layout = layout::of(&types, tuple).unwrap();
    assert_eq!((layout.size, layout.align, layout.pointer_free), (24, 8, true));
    assert_eq!(layout.fields.iter().map(|it| it.offset).collect::<Vec<_>>(), [0, 8, 16]);
    let optional = definition::define(
        &types,
        StructDef {
            name: types.symbol("Optional"),
            module: Module::MAIN,
            kind: TypeNameKind::Struct { mutable: false },
            params: vec![],
            field_names: vec![types.symbol("value"), types.symbol("more")],
            fields_init_min: 2,
            const_fields: vec![false; 2],
            atomic_fields: vec![false; 2],
        },
    );
    definition::set_supertype(&types, optional, core.any);
    definition::set_fields(&types, optional, &[types.union(&[core.nothing, core.int32]), core.int8]);
    let layout = layout::of(&types, types.type_name(optional).wrapper).unwrap();
    assert_eq!((layout.fields[0].size, layout.fields[1].offset, layout.size), (5, 5, 8));
    let matrix = types.apply(core.array, &[core.float32, int(&types, 2)]).unwrap();
    let layout = layout::of(&types, matrix).unwrap();
    assert_eq!((layout.size, layout.pointer_free), (32, false));
    assert_eq!(layout::of(&types, core.int128).unwrap().align, 16);
    assert!(
        layout::is_bits(&types, tuple)
            && !layout::is_bits(&types, matrix)
            && !layout::is_bits(&types, core.string)
    );
    assert!(
        definition::singleton(&types, core.nothing).is_some()
            && definition::singleton(&types, core.int64).is_none()
    );
}

/// Types print as in Julia 1.12.
#[test]
fn shown_as_julia_shows_them() {
    let types = Types::new();
    let core = types.core();
    let show = |ty: Type| display::of_type(&types, ty);
    let t = typevar::new(&types, types.symbol("T"), core.bottom, core.any);
    let real = typevar::new(&types, types.symbol("#s1"), core.bottom, core.real);
    let one = int(&types, 1);
    assert_eq!(show(types.apply(core.array, &[core.int64, one]).unwrap()), "Vector{Int64}");
    assert_eq!(show(types.apply(core.array, &[core.float32, int(&types, 2)]).unwrap()), "Matrix{Float32}");
    let cube = unionall::new(&types, t, types.apply(core.array, &[t, int(&types, 3)]).unwrap());
    assert_eq!(show(cube), "Array{T, 3} where T");
    assert_eq!(show(core.array), "Array");
    let vector = unionall::new(&types, t, types.apply(core.array, &[t, one]).unwrap());
    assert_eq!(show(vector), "Vector");
    let reals = unionall::new(&types, real, types.apply(core.abstract_array, &[real, one]).unwrap());
    assert_eq!(show(reals), "AbstractVector{<:Real}");
    let rest = datatype::tuple(&types, &[core.int64, datatype::vararg(&types, core.any, None)]);
    assert_eq!(show(rest), "Tuple{Int64, Vararg{Any}}");
    assert_eq!(show(types.union(&[core.int64, core.nothing])), "Union{Nothing, Int64}");
    assert_eq!(show(datatype::type_type(&types, core.int64)), "Type{Int64}");
    let names = [types.symbol("a"), types.symbol("b")];
    let named = datatype::named_tuple(&types, &names, datatype::tuple(&types, &[core.int64, core.float64]));
    assert_eq!(show(named), "@NamedTuple{a::Int64, b::Float64}");
    assert_eq!(show(types.apply(core.ptr, &[core.nothing]).unwrap()), "Ptr{Nothing}");
    let sin = definition::define_singleton(&types, types.symbol("sin"), Module::BASE, core.function);
    assert_eq!(show(sin), "typeof(sin)");
    assert_eq!(show(datatype::tuple(&types, &[core.int64; 3])), "Tuple{Int64, Int64, Int64}");
}

/// Many threads that make the same types get the same ids.
#[test]
fn threads_agree() {
    let types = Types::new();
    let make = || {
        let core = types.core();
        (0..200)
            .map(|i| {
                let value = types.apply(core.array, &[core.int64, int(&types, i % 50)]).unwrap();
                let name = types.symbol(&format!("x{}", i % 20));
                datatype::tuple(&types, &[value, consts::to_param(&types, consts::symbol(&types, name))])
            })
            .collect::<Vec<Type>>()
    };
    let results: Vec<Vec<Type>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(make)).collect();
        threads.into_iter().map(|it| it.join().unwrap()).collect()
    });
    assert!(results.windows(2).all(|it| it[0] == it[1]));
}

/// A definition may mention itself, its supertype is given later, and then counts.
#[test]
fn definitions_may_mention_themselves() {
    let types = Types::new();
    let core = types.core();
    let t = typevar::new(&types, types.symbol("T"), core.bottom, core.any);
    let node = definition::define(
        &types,
        StructDef {
            name: types.symbol("Node"),
            module: Module::MAIN,
            kind: TypeNameKind::Struct { mutable: false },
            params: vec![t],
            field_names: vec![types.symbol("value"), types.symbol("next")],
            fields_init_min: 2,
            const_fields: vec![false; 2],
            atomic_fields: vec![false; 2],
        },
    );
    let wrapper = types.type_name(node).wrapper;
    let own = types.apply(wrapper, &[t]).unwrap();
    definition::set_supertype(&types, node, types.apply(core.ref_, &[own]).unwrap());
    definition::set_fields(&types, node, &[t, types.union(&[core.nothing, own])]);
    let ints = types.apply(wrapper, &[core.int64]).unwrap();
    assert_eq!(datatype::supertype(&types, ints), types.apply(core.ref_, &[ints]).unwrap());
    assert!(types.subtype(ints, core.ref_));
    let layout = layout::of(&types, ints).unwrap();
    assert_eq!((layout.size, layout.pointer_free), (16, false));
    assert_eq!(datatype::field_types(&types, ints)[0], core.int64);
}

/// Types share their parts: a walk over the tree of this type would visit 2^200 of them.
#[test]
fn identities_of_types_that_share_their_parts_take_no_exponential_time() {
    let types = Types::new();
    let mut ty = types.core().int64;
    for _ in 0..200 {
        ty = datatype::tuple(&types, &[ty, ty]);
    }
    assert!(identity::mentions_program(&types, ty), "without an image all definitions are the program's");
    let pair = datatype::tuple(&types, &[ty, types.core().string]);
    assert_ne!(identity::hash_of_type(&types, ty), identity::hash_of_type(&types, pair));
}
