//! Passes on bodies written as text: the basis of the tests of each pass.

use kiln_ir::{IrCode, Vocabulary};
use kiln_testing::typed;
use kiln_types::{Module, Type, Types, consts, datatype, definition};
use std::sync::Arc;

/// A body, and the types it is about.
pub(crate) struct Body {
    pub(crate) types: Types,
    pub(crate) code: IrCode,
    vocabulary: Vocabulary,
}

impl Body {
    /// Reads a body. It may mention `Cell`, a mutable struct of one `Int64`, small unions and tuples, and symbols `:a`,
    /// `:b` and `:c`.
    pub(crate) fn new(text: &str) -> Self {
        let types = Types::new();
        let mut vocabulary = Vocabulary::core(&types);
        for ty in test_types(&types) {
            vocabulary.add_type(&types, ty);
        }
        for n in 0..10 {
            vocabulary.add_const(&types, consts::int(&types, n));
        }
        for ty in [types.core().int64, types.core().nothing] {
            vocabulary.add_const(&types, consts::of_type(&types, ty));
        }
        let plus =
            definition::define_singleton(&types, types.symbol("+"), Module::CORE, types.core().function);
        vocabulary.add_const(&types, definition::singleton(&types, plus).expect("a function is a singleton"));
        for name in ["a", "b", "c"] {
            vocabulary.add_const(&types, consts::symbol(&types, types.symbol(name)));
        }
        let code = read(text, &types, &vocabulary);
        Self { types, code, vocabulary }
    }

    /// Reads another body about the same types, to be called from this one.
    pub(crate) fn other(&self, text: &str) -> Arc<IrCode> {
        Arc::new(read(text, &self.types, &self.vocabulary))
    }
}

fn read(text: &str, types: &Types, vocabulary: &Vocabulary) -> IrCode {
    typed::read(text, types, vocabulary).unwrap_or_else(|it| panic!("the body is not well formed: {it}"))
}

fn test_types(types: &Types) -> Vec<Type> {
    let core = types.core();
    let pair = datatype::tuple(types, &[core.int64, core.int64]);
    let number = types.union(&[core.float64, core.int64]);
    vec![
        number,
        datatype::tuple(types, &[number, core.int64]),
        typed::define_cell(types),
        pair,
        types.union(&[core.nothing, pair]),
        types.union(&[core.nothing, core.int64]),
        datatype::tuple(types, &[core.any, core.any]),
    ]
}

/// Returns the text after a pass, without unused statements. Verifies the result.
pub(crate) fn run(body: Body, pass: impl FnOnce(IrCode, &Types) -> IrCode) -> String {
    let Body { types, code, .. } = body;
    let code = typed::verified(tidy(pass(code, &types), &types), &types);
    let code = code.unwrap_or_else(|it| panic!("the pass made a bad body: {it}"));
    code.display(&types).to_string()
}

/// Folds copies and drops dead statements, as `optimize` does after most passes.
fn tidy(code: IrCode, types: &Types) -> IrCode {
    let code = crate::fold(code, types, &NoCallees);
    kiln_ir::compact(crate::eliminate_dead_stmts(code, types, &NoCallees))
}

/// A program without other functions.
pub(crate) struct NoCallees;

impl crate::Callees for NoCallees {
    fn builtin(&self, _: kiln_ir::Builtin) -> kiln_types::Const {
        unreachable!("only outlining asks")
    }
}
