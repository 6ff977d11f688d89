//! Kinds of tokens and of nodes of the tree.
//!
//! Operators are grouped by their role in the parser (precedence, whether they are syntax), not one kind per
//! spelling: the spelling is in the text.

/// The kind of a token or node. The order matters to the predicates below.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum SyntaxKind {
    // Trivia.
    /// Blanks without a line break.
    Whitespace,
    /// Blanks with one line break.
    Newline,
    /// `# ...` or `#= ... =#`.
    Comment,
    /// The end of the text.
    End,
    // Tokens that carry their text.
    /// A name.
    Ident,
    /// The text inside `var"..."`.
    VarName,
    // Numbers first: `is_number` is a range.
    /// `true`, `false`.
    Bool,
    /// Decimal digits.
    Integer,
    /// `0b1`.
    BinInt,
    /// `0xf`.
    HexInt,
    /// `0o7`.
    OctInt,
    /// A `Float64`.
    Float,
    /// A `Float32`.
    Float32,
    /// A whole character literal with its quotes.
    Char,
    /// A piece of a string's contents.
    StrChunk,
    // Delimiters of strings.
    /// `"`.
    Quote,
    /// `"""`.
    TripleQuote,
    /// One backtick.
    Backtick,
    /// Three backticks.
    TripleBacktick,
    // Punctuation.
    /// `(`.
    LParen,
    /// `)`.
    RParen,
    /// `[`.
    LBracket,
    /// `]`.
    RBracket,
    /// `{`.
    LBrace,
    /// `}`.
    RBrace,
    /// `,`.
    Comma,
    /// `;`.
    Semi,
    /// `@`.
    At,
    // Keywords; reserved words first.
    /// `baremodule`.
    Baremodule,
    /// `begin`.
    Begin,
    /// `break`.
    Break,
    /// `const`.
    Const,
    /// `continue`.
    Continue,
    /// `do`.
    Do,
    /// `export`.
    Export,
    /// `for`.
    For,
    /// `function`.
    Function,
    /// `global`.
    Global,
    /// `if`.
    If,
    /// `import`.
    Import,
    /// `let`.
    Let,
    /// `local`.
    Local,
    /// `macro`.
    Macro,
    /// `module`.
    Module,
    /// `quote`.
    QuoteKw,
    /// `return`.
    Return,
    /// `struct`.
    Struct,
    /// `try`.
    Try,
    /// `using`.
    Using,
    /// `while`.
    While,
    /// `catch`.
    Catch,
    /// `finally`.
    Finally,
    /// `else`.
    Else,
    /// `elseif`.
    Elseif,
    /// `end`.
    EndKw,
    /// `abstract`, a word only before `type`.
    Abstract,
    /// `as`, a word only in imports.
    As,
    /// `mutable`, a word only before `struct`.
    Mutable,
    /// `outer`, a word only in `for`.
    Outer,
    /// `primitive`, a word only before `type`.
    Primitive,
    /// `public`, a word only at top level.
    Public,
    /// `type`, a word only after `abstract` and `primitive`.
    Type,
    /// `var`, a word only before `"`.
    Var,
    // Operators.
    /// `--` and the like.
    BadOperator,
    /// `**`.
    StarStar,
    /// `...`.
    Ellipsis,
    /// `=`.
    Eq,
    /// `+=` and its kin.
    OpEq,
    /// `:=`, `≔`, `⩴`, `≕`.
    Assign,
    /// `~`.
    Tilde,
    /// `=>`.
    FatArrow,
    /// `?`.
    Question,
    /// `-->`.
    LongArrow,
    /// Any other arrow of that precedence.
    ArrowOp,
    /// `||`.
    OrOr,
    /// `&&`.
    AndAnd,
    /// `<:`.
    Subtype,
    /// `>:`.
    Supertype,
    /// `<`.
    Less,
    /// `>`.
    Greater,
    /// `in`.
    In,
    /// `∈`.
    ElementOf,
    /// `isa`.
    Isa,
    /// Any other comparison.
    CompareOp,
    /// `<|`.
    PipeLeft,
    /// `|>`.
    PipeRight,
    /// `:`.
    Colon,
    /// `..`.
    DotDot,
    /// Any other operator of that precedence.
    RangeOp,
    /// `$`.
    Dollar,
    /// `+`.
    Plus,
    /// `-`.
    Minus,
    /// `++`.
    PlusPlus,
    /// `±`, `∓`: unary and binary.
    PlusMinus,
    /// Any other operator of that precedence.
    PlusOp,
    /// `*`.
    Star,
    /// `&`.
    Amp,
    /// `⋆`: unary and binary.
    StarOp,
    /// Any other operator of that precedence.
    TimesOp,
    /// `//`.
    Rational,
    /// `<<`, `>>`, `>>>`.
    Shift,
    /// `^` and its kin.
    Power,
    /// `::`.
    ColonColon,
    /// `where`.
    Where,
    /// `.`.
    Dot,
    /// `!`.
    Bang,
    /// `'` after a value.
    Prime,
    /// `->`.
    Arrow,
    /// `¬`.
    Not,
    /// `√`, `∛`, `∜`.
    Radical,
    // Tokens that are errors; the lexer's diagnostic says why.
    /// A malformed token.
    BadToken,
    // Nodes.
    /// Something is missing or malformed here.
    Error,
    /// All statements of a file, or several on one line between `;`.
    Toplevel,
    /// Statements.
    Block,
    /// `f(x)`, `a + b`, `-a`, `a'`.
    Call,
    /// `f.(x)`.
    DotCall,
    /// An operator that is the head: `a = b`, `a += b`, `a && b`, `a <: b`, `a --> b`. Children: left, operator, right.
    Operator,
    /// `f(x) = body`: a definition in short form.
    ShortFunction,
    /// `<:x`, `&x`, `<:(a, b)`: the operator is the head. Children: operator, operands.
    PrefixOperator,
    /// `a::T`, `::T`.
    Decl,
    /// `x -> y`.
    Lambda,
    /// `a.b`, and `.+` as a value.
    Field,
    /// `f where T`.
    WhereExpr,
    /// `a < b < c`.
    Comparison,
    /// `a ? b : c`.
    Ternary,
    /// `2x`.
    Juxtapose,
    /// `x...`.
    Splat,
    /// `$x`.
    Interpolate,
    /// `:x`, `quote ... end`.
    QuoteExpr,
    /// `(x)`.
    Parens,
    /// `(a, b)` or `a, b`.
    Tuple,
    /// The part of an argument list behind `;`.
    Parameters,
    /// `[a, b]`.
    Vect,
    /// `[a b]`.
    Hcat,
    /// `[a; b]`.
    Vcat,
    /// `[a;; b]`.
    Ncat,
    /// `a b` inside `[a b; c d]`.
    Row,
    /// `a; b` inside `[a; b;; c; d]`.
    Nrow,
    /// `{a, b}`.
    Braces,
    /// `{a b; c d}`.
    BracesCat,
    /// `a[i]`.
    Ref,
    /// `T[a b]`.
    TypedHcat,
    /// `T[a; b]`.
    TypedVcat,
    /// `T[a;; b]`.
    TypedNcat,
    /// `[x for x in xs]`.
    Comprehension,
    /// `T[x for x in xs]`.
    TypedComprehension,
    /// `x for x in xs`.
    Generator,
    /// The iterations of one `for`.
    Iteration,
    /// `x in xs`.
    IterSpec,
    /// `outer x`.
    OuterVar,
    /// Iterations with an `if`.
    Filter,
    /// `T{a}`.
    Curly,
    /// `"..."`.
    String,
    /// A command literal.
    CmdString,
    /// `r"..."x`: children name, contents, flags.
    StringMacro,
    /// `@m x`.
    MacroCall,
    /// The name after `@`.
    MacroName,
    /// A documented definition.
    Doc,
    /// `f(x) do y ... end`: the `do` part.
    DoBlock,
    /// `if`.
    IfExpr,
    /// `elseif` inside an `if`.
    ElseifExpr,
    /// `while`.
    WhileExpr,
    /// `for`.
    ForExpr,
    /// `let`.
    LetExpr,
    /// `try`.
    TryExpr,
    /// `catch` inside a `try`.
    CatchClause,
    /// No variable after `catch`.
    NoCatchVar,
    /// `else` inside a `try`.
    ElseClause,
    /// `finally` inside a `try`.
    FinallyClause,
    /// `function ... end`.
    FunctionDef,
    /// `macro ... end`.
    MacroDef,
    /// `struct ... end`.
    StructDef,
    /// `abstract type ... end`.
    AbstractDef,
    /// `primitive type ... end`.
    PrimitiveDef,
    /// `module ... end`.
    ModuleDef,
    /// `return x`.
    ReturnExpr,
    /// `break`.
    BreakExpr,
    /// `continue`.
    ContinueExpr,
    /// `global x`.
    GlobalDecl,
    /// `local x`.
    LocalDecl,
    /// `const x = 1`.
    ConstDecl,
    /// `import A`.
    ImportStmt,
    /// `using A`.
    UsingStmt,
    /// `A: x, y` in an import.
    ImportFrom,
    /// `A.B` in an import.
    ImportPath,
    /// `A as B` in an import.
    ImportAs,
    /// `export a`.
    ExportStmt,
    /// `public a`.
    PublicStmt,
}

/// Precedences of binary operators, loosest first. Assignment and `,` are looser than all of these.
pub(crate) mod level {
    /// `=>`.
    pub(crate) const PAIR: u8 = 2;
    /// `? :`.
    pub(crate) const COND: u8 = 3;
    /// `-->`.
    pub(crate) const ARROW: u8 = 4;
    /// `||`.
    pub(crate) const OR: u8 = 5;
    /// `&&`.
    pub(crate) const AND: u8 = 6;
    /// `<`.
    pub(crate) const COMPARE: u8 = 7;
    /// `<|`.
    pub(crate) const PIPE_LEFT: u8 = 8;
    /// `|>`.
    pub(crate) const PIPE_RIGHT: u8 = 9;
    /// `...`.
    pub(crate) const SPLAT: u8 = 10;
    /// `:`.
    pub(crate) const RANGE: u8 = 11;
    /// `--`, which is no operator.
    pub(crate) const INVALID: u8 = 12;
    /// `+`.
    pub(crate) const PLUS: u8 = 13;
    /// `*`.
    pub(crate) const TIMES: u8 = 14;
    /// `//`.
    pub(crate) const RATIONAL: u8 = 15;
    /// `<<`.
    pub(crate) const SHIFT: u8 = 16;
}

impl SyntaxKind {
    /// Blanks and comments.
    pub fn is_trivia(self) -> bool {
        self <= SyntaxKind::Comment
    }
    /// A number or `true`, `false`.
    pub fn is_number(self) -> bool {
        (SyntaxKind::Bool..=SyntaxKind::Float32).contains(&self)
    }
    /// A leaf with a value of its own.
    pub fn is_literal(self) -> bool {
        (SyntaxKind::Bool..=SyntaxKind::StrChunk).contains(&self)
    }
    /// Any word the lexer treats specially, contextual ones included.
    pub fn is_keyword(self) -> bool {
        (SyntaxKind::Baremodule..=SyntaxKind::Var).contains(&self)
    }
    /// Whether a word is a name unless the next tokens make it a keyword.
    pub fn is_contextual_keyword(self) -> bool {
        (SyntaxKind::Abstract..=SyntaxKind::Var).contains(&self)
    }
    /// A word that can never be a name.
    pub fn is_reserved_word(self) -> bool {
        (SyntaxKind::Baremodule..=SyntaxKind::EndKw).contains(&self)
    }
    /// A word that starts a form.
    pub fn is_initial_word(self) -> bool {
        (SyntaxKind::Baremodule..=SyntaxKind::While).contains(&self)
    }
    /// A word that continues or ends the form around it.
    pub fn is_block_continuation(self) -> bool {
        (SyntaxKind::Catch..=SyntaxKind::EndKw).contains(&self)
    }
    /// Any operator, `.` and `'` included.
    pub fn is_operator(self) -> bool {
        (SyntaxKind::BadOperator..=SyntaxKind::Radical).contains(&self)
    }
    /// `in`, `isa`, `where`.
    pub fn is_word_operator(self) -> bool {
        matches!(self, SyntaxKind::In | SyntaxKind::Isa | SyntaxKind::Where)
    }
    /// Binds like `=`.
    pub fn is_assignment(self) -> bool {
        (SyntaxKind::Eq..=SyntaxKind::Tilde).contains(&self)
    }
    /// An operator that is syntax and cannot be used as a name.
    pub fn is_syntactic_operator(self) -> bool {
        matches!(
            self,
            SyntaxKind::AndAnd
                | SyntaxKind::OrOr
                | SyntaxKind::Dot
                | SyntaxKind::Ellipsis
                | SyntaxKind::Arrow
                | SyntaxKind::Eq
                | SyntaxKind::OpEq
        )
    }
    /// `$x`, `&x`, `::x`.
    pub fn is_syntactic_unary(self) -> bool {
        matches!(self, SyntaxKind::Dollar | SyntaxKind::Amp | SyntaxKind::ColonColon)
    }
    /// `"` or `"""`.
    pub fn is_string_delim(self) -> bool {
        matches!(self, SyntaxKind::Quote | SyntaxKind::TripleQuote)
    }
    /// Forms that end in `end`.
    pub fn is_block_form(self) -> bool {
        matches!(
            self,
            SyntaxKind::Block
                | SyntaxKind::QuoteExpr
                | SyntaxKind::IfExpr
                | SyntaxKind::ForExpr
                | SyntaxKind::WhileExpr
                | SyntaxKind::LetExpr
                | SyntaxKind::FunctionDef
                | SyntaxKind::MacroDef
                | SyntaxKind::AbstractDef
                | SyntaxKind::PrimitiveDef
                | SyntaxKind::StructDef
                | SyntaxKind::TryExpr
                | SyntaxKind::ModuleDef
        )
    }
    /// The level of a binary operator, 0 for anything else.
    pub(crate) fn level(self) -> u8 {
        if !self.is_operator() {
            return 0;
        }
        match self as u8 {
            k if k <= SyntaxKind::StarStar as u8 => level::INVALID,
            k if k == SyntaxKind::Ellipsis as u8 => level::SPLAT,
            k if k <= SyntaxKind::Tilde as u8 => 0,
            k if k == SyntaxKind::FatArrow as u8 => level::PAIR,
            k if k == SyntaxKind::Question as u8 => level::COND,
            k if k <= SyntaxKind::ArrowOp as u8 => level::ARROW,
            k if k == SyntaxKind::OrOr as u8 => level::OR,
            k if k == SyntaxKind::AndAnd as u8 => level::AND,
            k if k <= SyntaxKind::CompareOp as u8 => level::COMPARE,
            k if k == SyntaxKind::PipeLeft as u8 => level::PIPE_LEFT,
            k if k == SyntaxKind::PipeRight as u8 => level::PIPE_RIGHT,
            k if k <= SyntaxKind::RangeOp as u8 => level::RANGE,
            k if k <= SyntaxKind::PlusOp as u8 => level::PLUS,
            k if k <= SyntaxKind::TimesOp as u8 => level::TIMES,
            k if k == SyntaxKind::Rational as u8 => level::RATIONAL,
            k if k == SyntaxKind::Shift as u8 => level::SHIFT,
            _ => 0,
        }
    }
    /// The word or sign a message shows for a kind that has only one spelling.
    pub(crate) fn spelling(self) -> &'static str {
        match self {
            SyntaxKind::End => "end of input",
            SyntaxKind::RParen => "`)`",
            SyntaxKind::RBracket => "`]`",
            SyntaxKind::RBrace => "`}`",
            SyntaxKind::EndKw => "`end`",
            _ => "this",
        }
    }
}

/// The properties of a node or token beyond its kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags(pub u16);

impl Flags {
    /// Nothing.
    pub const NONE: Flags = Flags(0);
    /// An operator between its operands.
    pub const INFIX: Flags = Flags(1);
    /// An operator before its operand.
    pub const PREFIX: Flags = Flags(2);
    /// An operator after its operand.
    pub const POSTFIX: Flags = Flags(4);
    /// An operator with a dot: `.+`.
    pub const DOTTED: Flags = Flags(8);
    /// Written with parentheses.
    pub const PARENS: Flags = Flags(16);
    /// Ends in a comma.
    pub const TRAILING_COMMA: Flags = Flags(32);
    /// Delimited by three quotes.
    pub const TRIPLE: Flags = Flags(64);
    /// No escapes, no interpolation.
    pub const RAW: Flags = Flags(128);
    /// `mutable struct`.
    pub const MUTABLE: Flags = Flags(256);
    /// `baremodule`.
    pub const BARE: Flags = Flags(512);
    /// `:x`, not `quote x end`.
    pub const COLON: Flags = Flags(1024);
    /// Statements between `;` on one line.
    pub const SEMICOLONS: Flags = Flags(2048);
    /// An operator with a suffix: `+₁`.
    pub const SUFFIXED: Flags = Flags(4096);
    /// Blanks or a comment stand before the token.
    pub const SPACE_BEFORE: Flags = Flags(1 << 13);
    /// A line break precedes the token.
    pub const NEWLINE_BEFORE: Flags = Flags(1 << 14);
    /// At least two line breaks stand before the token.
    pub const BLANK_LINE_BEFORE: Flags = Flags(1 << 15);

    /// Whether all of `other` is set.
    pub fn has(self, other: Flags) -> bool {
        self.0 & other.0 == other.0
    }
}

impl std::ops::BitOr for Flags {
    type Output = Flags;
    fn bitor(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }
}

impl std::ops::BitOrAssign for Flags {
    fn bitor_assign(&mut self, other: Flags) {
        self.0 |= other.0;
    }
}
