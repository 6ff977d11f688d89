//! Freezing and thawing interners.

use super::{FrozenTable, ImageBytes, ImageError, TableWriter, Thawed, counts, write};
use crate::{
    ConstData, Module, StructDef, Type, TypeData, TypeNameKind, Types, consts, datatype, definition, display,
    gensym, hash, layout, module, typevar, unionall,
};
use kiln_bytes::{Reader, Writer};

fn frozen(types: &Types) -> Vec<u8> {
    let mut out = Writer::new();
    write(types, &mut out);
    out.finish()
}

fn thawed(bytes: &[u8], check: bool) -> Result<Types, ImageError> {
    Types::thaw(&ImageBytes::read(bytes.to_vec()), check)
}

/// `mutable struct Node{T <: Real} <: Number; value::T; next::Node{T} end`, a constant or two, an open variable.
fn example() -> (Types, Type) {
    let types = Types::new();
    let var = typevar::new(&types, types.symbol("T"), Types::BOTTOM, types.core().real);
    let fields = [types.symbol("value"), types.symbol("next")];
    let name = definition::define(
        &types,
        StructDef {
            name: types.symbol("Node"),
            module: Module::MAIN,
            kind: TypeNameKind::Struct { mutable: true },
            params: vec![var],
            field_names: fields.to_vec(),
            fields_init_min: 1,
            const_fields: vec![true, false],
            atomic_fields: vec![false; 2],
        },
    );
    definition::set_supertype(&types, name, types.core().number);
    let wrapper = types.type_name(name).wrapper;
    let own = types.apply(wrapper, &[var]).unwrap();
    definition::set_fields(&types, name, &[var, own]);
    let node = types.apply(wrapper, &[types.core().int64]).unwrap();
    let text = types.constant(ConstData::String(b"text".as_slice().into()));
    let pair = datatype::tuple(&types, &[types.core().string, types.core().symbol]);
    let symbol = consts::symbol(&types, types.symbol("a"));
    types.constant(ConstData::Aggregate { ty: pair, fields: [text, symbol].into() });
    let three = consts::to_param(&types, consts::int(&types, 3));
    types.apply(types.core().array, &[node, three]).unwrap();
    module::new(&types, types.symbol("Inner"), Some(Module::MAIN));
    (types, node)
}

/// Every id names the same item in the thawed interner, and interning an item again finds it.
#[test]
fn a_thawed_interner_has_the_same_ids() {
    let (types, node) = example();
    let bytes = frozen(&types);
    for check in [false, true] {
        same_ids(&types, node, &bytes, &thawed(&bytes, check).unwrap());
    }
}

fn same_ids(types: &Types, node: Type, bytes: &[u8], thawed: &Types) {
    assert_eq!(counts(thawed), counts(types));
    for ty in (0..counts(types).types).map(Type::from_index) {
        assert_eq!(thawed.data(ty), types.data(ty));
        assert_eq!(hash::of_type(thawed, ty), hash::of_type(types, ty));
        assert_eq!(datatype::is_concrete(thawed, ty), datatype::is_concrete(types, ty));
        if !matches!(types.data(ty), TypeData::Var { .. }) {
            assert_eq!(thawed.intern(types.data(ty).clone()), ty, "{}", display::of_type(types, ty));
        }
    }
    assert_eq!(thawed.symbol("Node"), types.symbol("Node"));
    assert_eq!(layout::of(thawed, node), layout::of(types, node));
    assert_eq!(datatype::field_types(thawed, node), datatype::field_types(types, node));
    assert!(thawed.subtype(node, thawed.core().number));
    assert_eq!(frozen(thawed), bytes, "writing what was read gives the same bytes");
}

/// New things get the ids they would have got in the interner that was frozen.
#[test]
fn a_thawed_interner_goes_on_where_the_frozen_one_was() {
    let (types, _) = example();
    let thawed = thawed(&frozen(&types), false).unwrap();
    for it in [&types, &thawed] {
        let var = typevar::new(it, it.symbol("S"), Types::BOTTOM, Types::ANY);
        unionall::new(it, var, datatype::tuple(it, &[var, it.core().int8]));
        gensym::fresh_number(it);
        gensym::suffix(it, 5 << 64, false);
    }
    assert_eq!(counts(&thawed), counts(&types));
    assert_eq!(frozen(&thawed), frozen(&types));
}

/// No change of a byte, and no end too early, makes the reader panic.
#[test]
fn damaged_bytes_are_errors_or_another_interner() {
    let (types, _) = example();
    let bytes = frozen(&types);
    for end in (0..bytes.len()).step_by(37) {
        assert!(thawed(&bytes[..end], true).is_err());
    }
    for at in (0..bytes.len()).step_by(11) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x15;
        let _ = thawed(&damaged, true);
    }
}

/// Threads that read the same entry at once get one of them.
#[test]
fn a_slot_keeps_the_first_item() {
    let slots = Thawed::new(200);
    assert_eq!((slots.len(), slots.get(130)), (200, None::<&String>));
    let kept: Vec<&String> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|it: u32| {
                scope.spawn({
                    let slots = &slots;
                    move || slots.insert(130, it.to_string())
                })
            })
            .collect();
        threads.into_iter().map(|it| it.join().unwrap()).collect()
    });
    assert!(kept.iter().all(|it| std::ptr::eq(*it, kept[0])));
    assert_eq!(slots.get(130), Some(kept[0]));
    assert!(slots.get(129).is_none() && slots.get(199).is_none());
}

/// Entries of tables with starts for few and for many entries are found by number and by hash.
#[test]
fn entries_are_found_in_tables_of_both_kinds() {
    for mut table in [TableWriter::new(), TableWriter::read_often()] {
        for number in 0..37u64 {
            table.entry(Some(number.wrapping_mul(0x9e37_79b9_7f4a_7c15))).number(number * 300);
        }
        let mut out = Writer::new();
        table.finish(&mut out);
        let bytes = ImageBytes::read(out.finish());
        let table = FrozenTable::read(&bytes, &mut Reader::new(bytes.get())).unwrap();
        for number in 0..37u64 {
            assert_eq!(table.entry(number as usize).unwrap().number().unwrap(), number * 300);
            let hash = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            assert!(table.candidates(hash).any(|it| it as u64 == number));
        }
        assert!(table.entry(37).is_err());
    }
}
