//! Typed SSA, written as text: for tests of the stages behind inference.

use kiln_ir::{IrCode, Vocabulary};
use kiln_types::{Module, StructDef, Type, TypeNameKind, Types, definition};

/// Defines `Cell` in `Core`, a mutable struct of one `Int64`.
pub fn define_cell(types: &Types) -> Type {
    let name = definition::define(
        types,
        StructDef {
            name: types.symbol("Cell"),
            module: Module::CORE,
            kind: TypeNameKind::Struct { mutable: true },
            params: Vec::new(),
            field_names: vec![types.symbol("value")],
            fields_init_min: 1,
            const_fields: vec![false],
            atomic_fields: vec![false],
        },
    );
    definition::set_supertype(types, name, types.core().any);
    definition::set_fields(types, name, &[types.core().int64]);
    types.type_name(name).wrapper
}

/// Reads a body and verifies it.
///
/// # Errors
/// Fails with the message of the reader or the verifier, and the text.
pub fn read(text: &str, types: &Types, vocabulary: &Vocabulary) -> Result<IrCode, String> {
    let code = kiln_ir::parse(text, types, vocabulary)
        .map_err(|error| format!("line {} of a body: {}\n{text}", error.line, error.kind))?;
    verified(code, types)
}

/// Returns a body that passes the verifier.
///
/// # Errors
/// Fails with the verifier's findings, and the text of the body.
pub fn verified(code: IrCode, types: &Types) -> Result<IrCode, String> {
    let problems = kiln_ir::verify(&code, types);
    if problems.is_empty() { Ok(code) } else { Err(format!("{problems:?}\n{}", code.display(types))) }
}
