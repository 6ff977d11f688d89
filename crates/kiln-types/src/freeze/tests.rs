//! Freezing and thawing interners.

use super::{ImageBytes, ImageError};
use crate::{ConstData, StructDef, Type, TypeData, TypeNameKind, Types};
use kiln_bytes::Writer;

fn frozen(types: &Types) -> Vec<u8> {
    let mut out = Writer::new();
    types.freeze(&mut out);
    out.finish()
}

fn thawed(bytes: &[u8], check: bool) -> Result<Types, ImageError> {
    Types::thaw(&ImageBytes::read(bytes.to_vec()), check)
}

/// `mutable struct Node{T <: Real} <: Number; value::T; next::Node{T} end`, a constant or two, an open variable.
fn example() -> (Types, Type) {
    let types = Types::new();
    let var = types.type_var(types.symbol("T"), Types::BOTTOM, types.core().real);
    let fields = [types.symbol("value"), types.symbol("next")];
    let name = types.define(StructDef {
        name: types.symbol("Node"),
        module: types.main_module(),
        kind: TypeNameKind::Struct { mutable: true },
        params: vec![var],
        field_names: fields.to_vec(),
        fields_init_min: 1,
        const_fields: vec![true, false],
        atomic_fields: vec![false; 2],
    });
    types.set_supertype(name, types.core().number);
    let wrapper = types.type_name(name).wrapper;
    let own = types.apply(wrapper, &[var]).unwrap();
    types.set_fields(name, &[var, own]);
    let node = types.apply(wrapper, &[types.core().int64]).unwrap();
    let text = types.constant(ConstData::String(b"text".as_slice().into()));
    let pair = types.tuple(&[types.core().string, types.core().symbol]);
    let symbol = types.const_symbol(types.symbol("a"));
    types.constant(ConstData::Aggregate { ty: pair, fields: [text, symbol].into() });
    let three = types.const_param(types.const_int(3));
    types.apply(types.core().array, &[node, three]).unwrap();
    types.new_module(types.symbol("Inner"), Some(types.main_module()));
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
    assert_eq!(thawed.counts(), types.counts());
    for ty in (0..types.counts().types).map(Type::from_index) {
        assert_eq!(thawed.data(ty), types.data(ty));
        assert_eq!(thawed.hash128(ty), types.hash128(ty));
        assert_eq!(thawed.is_concrete(ty), types.is_concrete(ty));
        if !matches!(types.data(ty), TypeData::Var { .. }) {
            assert_eq!(thawed.intern(types.data(ty).clone()), ty, "{}", types.display(ty));
        }
    }
    assert_eq!(thawed.symbol("Node"), types.symbol("Node"));
    assert_eq!(thawed.layout(node), types.layout(node));
    assert_eq!(thawed.field_types(node), types.field_types(node));
    assert!(thawed.subtype(node, thawed.core().number));
    assert_eq!(frozen(thawed), bytes, "writing what was read gives the same bytes");
}

/// New things get the ids they would have got in the interner that was frozen.
#[test]
fn a_thawed_interner_goes_on_where_the_frozen_one_was() {
    let (types, _) = example();
    let thawed = thawed(&frozen(&types), false).unwrap();
    for it in [&types, &thawed] {
        let var = it.type_var(it.symbol("S"), Types::BOTTOM, Types::ANY);
        it.union_all(var, it.tuple(&[var, it.core().int8]));
        it.fresh_number();
        it.gensym_suffix(5 << 64, false);
    }
    assert_eq!(thawed.counts(), types.counts());
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
