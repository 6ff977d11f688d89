//! The heads of expressions, interned once per conversion.

use kiln_types::{Symbol, Types};

macro_rules! heads {
    ($($field:ident = $name:literal),* $(,)?) => {
        /// Symbols the conversion compares with and makes.
        #[derive(Clone, Copy)]
        pub(super) struct Heads {
            $(pub(super) $field: Symbol,)*
        }

        impl Heads {
            pub(super) fn new(types: &Types) -> Self {
                Self { $($field: types.symbol($name),)* }
            }
        }
    };
}

heads! {
    abstract_ = "abstract", as_ = "as", assign = "=", block = "block", braces = "braces", bracescat = "bracescat",
    break_ = "break", call = "call", catch = "catch", colon = ":", comparison = "comparison",
    comprehension = "comprehension", const_ = "const", continue_ = "continue", curly = "curly", decl = "::",
    do_ = "do", do_lambda = "do_lambda", dot = ".", dots = "...", else_ = "else", elseif = "elseif",
    error = "error", export = "export", filter = "filter", finally = "finally", flatten = "flatten", for_ = "for",
    function = "function", generator = "generator", global = "global", hcat = "hcat", if_ = "if",
    import = "import", iteration = "iteration", kw = "kw", lambda = "->", let_ = "let", local = "local",
    macro_ = "macro", macrocall = "macrocall", module = "module", ncat = "ncat", nrow = "nrow", outer = "outer",
    parameters = "parameters", primitive = "primitive", prime = "'", public = "public", quote = "quote",
    ref_ = "ref", return_ = "return", row = "row", splice = "$", string = "string", struct_ = "struct",
    times = "*", toplevel = "toplevel", try_ = "try", tuple = "tuple",
    typed_comprehension = "typed_comprehension", typed_hcat = "typed_hcat", typed_ncat = "typed_ncat",
    typed_vcat = "typed_vcat", using = "using", vcat = "vcat", vect = "vect", where_ = "where", while_ = "while",
    at_cmd = "@cmd", at_doc = "@doc", at_int128 = "@int128_str", at_uint128 = "@uint128_str", at_big = "@big_str",
}
