# Names and operators as the parser reads them: which symbols are which, and how tightly an operator binds.

# Levels of precedence, from the loosest.
const OPERATOR_LEVELS = Dict{Symbol, Int}()
for (level, names) in ((1, "= := ~ += -= −= *= /= //= \\= ^= ÷= %= <<= >>= >>>= |= &= ⊻= \$="), (2, "=>"), (3, "?"), (4, "--> <-- <-->"),
        (5, "||"), (6, "&&"), (7, "< > <= >= == === != !== <: >: in isa"), (8, "<|"), (9, "|>"), (10, ": .."), (11, "+ - ++ | \$"),
        (12, "* / % & \\"), (13, "//"), (14, "<< >> >>>"), (15, "^"), (16, "::"), (17, "."))
    for name in split(names)
        OPERATOR_LEVELS[Symbol(name)] = level
    end
end
# Operators of one character outside ASCII: first, last and level; 0 is for those that are only unary.
const UNICODE_OPERATORS = Tuple{UInt32, UInt32, Int}[
    (0x00a6, 0x00a6, 11), (0x00ac, 0x00ac, 0), (0x00b1, 0x00b1, 11), (0x00b7, 0x00b7, 12), (0x00d7, 0x00d7, 12),
    (0x00f7, 0x00f7, 12), (0x0387, 0x0387, 12), (0x2026, 0x2026, 10), (0x205d, 0x205d, 10), (0x214b, 0x214b, 12),
    (0x2190, 0x2190, 4), (0x2191, 0x2191, 15), (0x2192, 0x2192, 4), (0x2193, 0x2193, 15), (0x2194, 0x2194, 4),
    (0x219a, 0x219e, 4), (0x21a0, 0x21a0, 4), (0x21a2, 0x21a4, 4), (0x21a6, 0x21a6, 4), (0x21a9, 0x21ac, 4),
    (0x21ae, 0x21ae, 4), (0x21b6, 0x21b7, 4), (0x21ba, 0x21bd, 4), (0x21c0, 0x21c1, 4), (0x21c4, 0x21c4, 4),
    (0x21c6, 0x21c7, 4), (0x21c9, 0x21c9, 4), (0x21cb, 0x21d0, 4), (0x21d2, 0x21d2, 4), (0x21d4, 0x21d4, 4),
    (0x21da, 0x21dd, 4), (0x21e0, 0x21e0, 4), (0x21e2, 0x21e2, 4), (0x21f4, 0x21f4, 4), (0x21f5, 0x21f5, 15),
    (0x21f6, 0x21ff, 4), (0x2208, 0x2208, 7), (0x2209, 0x220d, 7), (0x2212, 0x2212, 11), (0x2213, 0x2213, 11),
    (0x2214, 0x2214, 11), (0x2217, 0x2219, 12), (0x221a, 0x221c, 0), (0x221d, 0x221d, 7), (0x2224, 0x2224, 12),
    (0x2225, 0x2226, 7), (0x2227, 0x2227, 12), (0x2228, 0x2228, 11), (0x2229, 0x2229, 12), (0x222a, 0x222a, 11),
    (0x2237, 0x2237, 7), (0x2238, 0x2238, 11), (0x223a, 0x223b, 7), (0x223d, 0x223e, 7), (0x2240, 0x2240, 12),
    (0x2241, 0x224e, 7), (0x224f, 0x224f, 11), (0x2250, 0x2253, 7), (0x2254, 0x2255, 1), (0x2256, 0x228b, 7),
    (0x228d, 0x228d, 12), (0x228e, 0x228e, 11), (0x228f, 0x2292, 7), (0x2293, 0x2293, 12), (0x2294, 0x2296, 11),
    (0x2297, 0x229b, 12), (0x229c, 0x229c, 7), (0x229e, 0x229f, 11), (0x22a0, 0x22a1, 12), (0x22a2, 0x22a3, 7),
    (0x22a9, 0x22a9, 7), (0x22ac, 0x22ac, 7), (0x22ae, 0x22ae, 7), (0x22b0, 0x22b7, 7), (0x22bb, 0x22bb, 11),
    (0x22bc, 0x22bc, 12), (0x22bd, 0x22bd, 11), (0x22c4, 0x22c5, 12), (0x22c6, 0x22c6, 12), (0x22c7, 0x22c7, 12),
    (0x22c9, 0x22cc, 12), (0x22cd, 0x22cd, 7), (0x22ce, 0x22ce, 11), (0x22cf, 0x22cf, 12), (0x22d0, 0x22d1, 7),
    (0x22d2, 0x22d2, 12), (0x22d3, 0x22d3, 11), (0x22d5, 0x22ed, 7), (0x22ee, 0x22f1, 10), (0x22f2, 0x22ff, 7),
    (0x233f, 0x233f, 12), (0x25b7, 0x25b7, 12), (0x27c2, 0x27c2, 7), (0x27c7, 0x27c7, 11), (0x27c8, 0x27c9, 7),
    (0x27d1, 0x27d1, 12), (0x27d2, 0x27d2, 7), (0x27d5, 0x27d7, 12), (0x27f0, 0x27f1, 15), (0x27f5, 0x27f7, 4),
    (0x27f9, 0x27ff, 4), (0x2900, 0x2907, 4), (0x2908, 0x290b, 15), (0x290c, 0x2911, 4), (0x2912, 0x2913, 15),
    (0x2914, 0x2918, 4), (0x291d, 0x2920, 4), (0x2944, 0x2948, 4), (0x2949, 0x2949, 15), (0x294a, 0x294b, 4),
    (0x294c, 0x294d, 15), (0x294e, 0x294e, 4), (0x294f, 0x294f, 15), (0x2950, 0x2950, 4), (0x2951, 0x2951, 15),
    (0x2952, 0x2953, 4), (0x2954, 0x2955, 15), (0x2956, 0x2957, 4), (0x2958, 0x2959, 15), (0x295a, 0x295b, 4),
    (0x295c, 0x295d, 15), (0x295e, 0x295f, 4), (0x2960, 0x2961, 15), (0x2962, 0x2962, 4), (0x2963, 0x2963, 15),
    (0x2964, 0x2964, 4), (0x2965, 0x2965, 15), (0x2966, 0x296d, 4), (0x296e, 0x296f, 15), (0x2970, 0x2970, 4),
    (0x2977, 0x2977, 4), (0x297a, 0x297a, 4), (0x29b7, 0x29b7, 7), (0x29b8, 0x29b8, 12), (0x29bc, 0x29bc, 12),
    (0x29be, 0x29bf, 12), (0x29c0, 0x29c1, 7), (0x29e1, 0x29e1, 7), (0x29e3, 0x29e5, 7), (0x29f4, 0x29f4, 4),
    (0x29f6, 0x29f7, 12), (0x29fa, 0x29fb, 11), (0x2a07, 0x2a07, 12), (0x2a08, 0x2a08, 11), (0x2a1d, 0x2a1d, 12),
    (0x2a1f, 0x2a1f, 12), (0x2a22, 0x2a2e, 11), (0x2a30, 0x2a38, 12), (0x2a39, 0x2a3a, 11), (0x2a3b, 0x2a3d, 12),
    (0x2a40, 0x2a40, 12), (0x2a41, 0x2a42, 11), (0x2a43, 0x2a44, 12), (0x2a45, 0x2a45, 11), (0x2a4a, 0x2a4a, 11),
    (0x2a4b, 0x2a4b, 12), (0x2a4c, 0x2a4c, 11), (0x2a4d, 0x2a4e, 12), (0x2a4f, 0x2a50, 11), (0x2a51, 0x2a51, 12),
    (0x2a52, 0x2a52, 11), (0x2a53, 0x2a53, 12), (0x2a54, 0x2a54, 11), (0x2a55, 0x2a55, 12), (0x2a56, 0x2a57, 11),
    (0x2a58, 0x2a58, 12), (0x2a5a, 0x2a5a, 12), (0x2a5b, 0x2a5b, 11), (0x2a5c, 0x2a5c, 12), (0x2a5d, 0x2a5d, 11),
    (0x2a5e, 0x2a60, 12), (0x2a61, 0x2a63, 11), (0x2a66, 0x2a67, 7), (0x2a6a, 0x2a73, 7), (0x2a74, 0x2a74, 1),
    (0x2a75, 0x2ad9, 7), (0x2adb, 0x2adb, 12), (0x2aea, 0x2aeb, 7), (0x2af7, 0x2afa, 7), (0x2b30, 0x2b44, 4),
    (0x2b47, 0x2b4c, 4), (0xffe9, 0xffe9, 4), (0xffea, 0xffea, 15), (0xffeb, 0xffeb, 4), (0xffec, 0xffec, 15),
    (0x1f8b2, 0x1f8b2, 4)
]
# Characters that may follow an operator and make another of the same level.
const OPERATOR_SUFFIXES = Tuple{UInt32, UInt32}[
    (0x00b2, 0x00b3), (0x00b9, 0x00b9), (0x02b0, 0x02b0), (0x02b2, 0x02b3), (0x02b7, 0x02b8), (0x02e1, 0x02e3),
    (0x1d2c, 0x1d2c), (0x1d2e, 0x1d2e), (0x1d30, 0x1d31), (0x1d33, 0x1d3a), (0x1d3c, 0x1d3c), (0x1d3e, 0x1d43),
    (0x1d47, 0x1d49), (0x1d4d, 0x1d4d), (0x1d4f, 0x1d50), (0x1d52, 0x1d52), (0x1d56, 0x1d58), (0x1d5b, 0x1d5b),
    (0x1d5d, 0x1d6a), (0x1d9c, 0x1d9c), (0x1da0, 0x1da0), (0x1da5, 0x1da6), (0x1dab, 0x1dab), (0x1db0, 0x1db0),
    (0x1db8, 0x1db8), (0x1dbb, 0x1dbb), (0x1dbf, 0x1dbf), (0x2032, 0x2037), (0x2057, 0x2057), (0x2070, 0x2071),
    (0x2074, 0x208e), (0x2090, 0x2093), (0x2095, 0x209c), (0x2c7c, 0x2c7d), (0xa71b, 0xa71d)
]
# The range that holds the code point, by bisection, or nothing.
function range_of(table, u::UInt32)
    lo, hi = 1, length(table)
    while lo <= hi
        mid = (lo + hi) >> 1
        r = table[mid]
        u < r[1] ? (hi = mid - 1) : u > r[2] ? (lo = mid + 1) : return r
    end
    nothing
end
is_op_suffix_char(c::AbstractChar) = !isascii(c) && !ismalformed(c) &&
    (6 <= category_code(c) <= 8 || range_of(OPERATOR_SUFFIXES, code_of(c)) !== nothing)
unicode_operator_level(c::AbstractChar) =
    isascii(c) || ismalformed(c) || isoverlong(c) ? nothing : (r = range_of(UNICODE_OPERATORS, UInt32(c)); r === nothing ? nothing : r[3])

# The level of an operator without dot, 0 for one that is not binary, nothing if it is none.
function plain_operator_level(t::AbstractString)
    level = get(OPERATOR_LEVELS, Symbol(t), nothing)
    level === nothing || return level
    t in ("!", "->", "...", "'") && return 0
    isempty(t) && return nothing
    n = nextind(t, 1)
    level = unicode_operator_level(t[1])
    if level === nothing
        t[1] in "+-*/%&|^\\<>=~!:'" || return nothing
        n = 1
        while n <= ncodeunits(t) && !is_op_suffix_char(t[n])
            n = nextind(t, n)
        end
        n <= ncodeunits(t) || return nothing
        base = SubString(t, 1, prevind(t, n))
        level = base in ("=", ":", "::", "&&", "||", "?", ".", "->", "'") ? nothing : plain_operator_level(base)
        level === nothing && return nothing
    end
    all(is_op_suffix_char, SubString(t, n)) ? level : nothing
end
function operator_level(t::AbstractString)
    level = plain_operator_level(t)
    (level === nothing && ncodeunits(t) > 1 && t[1] == '.') || return level
    # With a dot, all but these work elementwise.
    op = SubString(t, 2)
    level = plain_operator_level(op)
    level === nothing || level in (3, 10, 16, 17) || level == 0 && op in ("->", "...", "'") ? nothing : level
end
_isoperator(s) = !(string(s) in ("in", "isa")) && operator_level(string(s)) !== nothing
isoperator(s::Union{Symbol, AbstractString}) = _isoperator(s) || ispostfixoperator(s)
operator_precedence(s::Symbol) = something(operator_level(string(s)), 0)
operator_precedence(x) = 0

const UNARY_AND_BINARY_OPERATORS = (:+, :-, :&, :$, :⋆, :±, :∓, :~, :(<:), :(>:), :(::))
const UNARY_OPERATORS = (UNARY_AND_BINARY_OPERATORS..., :!, :¬, :√, :∛, :∜)
without_dot(s::Symbol) = (t = string(s); length(t) > 1 && t[1] == '.' && t[2] != '.' ? Symbol(SubString(t, 2)) : s)
isunaryoperator(s::Symbol) = without_dot(s) in UNARY_OPERATORS
is_unary_and_binary_operator(s::Symbol) = without_dot(s) in UNARY_AND_BINARY_OPERATORS
is_syntactic_operator(s::Symbol) =
    (u = without_dot(s); u in (:&&, :||, :-->, :., :..., :->, Symbol(":="), :?) || operator_precedence(u) == 1 && u !== :~)
ispostfixoperator(s::Union{Symbol, AbstractString}) = (t = string(s); startswith(t, '\'') && all(is_op_suffix_char, SubString(t, 2)))
isbinaryoperator(s::Symbol) = _isoperator(s) && (!isunaryoperator(s) || is_unary_and_binary_operator(s)) && !ispostfixoperator(s)
function operator_associativity(s::Symbol)
    level = operator_precedence(s)
    level in (1, 2, 4, 5, 6, 15) && return :right
    (isunaryoperator(s) && !is_unary_and_binary_operator(s) || s === :<| || s === :||) && return :right
    level in (0, 7) || s in (:+, :++, :*) ? :none : :left
end

# Names: letters and symbols that are no operators; marks and digits only behind the first character.
is_id_start_char(c::AbstractChar) = isascii(c) ? isletter(c) || c == '_' : !ismalformed(c) && !isoverlong(c) &&
    unicode_operator_level(c) === nothing && (k = category_code(c); 1 <= k <= 5 || k == 10 || 19 <= k <= 22 && k != 21)
is_id_char(c::AbstractChar) = isascii(c) ? isletter(c) || isdigit(c) || c == '_' || c == '!' :
    is_id_start_char(c) || !ismalformed(c) && !isoverlong(c) &&
    (6 <= category_code(c) <= 12 || '\u2032' <= c <= '\u2037' || '\u207a' <= c <= '\u208e')
isidentifier(s::AbstractString) =
    !isempty(s) && s != "true" && s != "false" && is_id_start_char(s[1]) && all(is_id_char, SubString(s, nextind(s, 1)))
isidentifier(s::Symbol) = isidentifier(string(s))
# The symbols that stand in code without `var"..."`.
is_valid_identifier(s::Symbol) = isidentifier(s) || _isoperator(s) && !(s in (Symbol("'"), :(::), :?)) && !is_syntactic_operator(s)
