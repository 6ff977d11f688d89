# Unicode's properties of a character: its category, case, width and where text may be broken into graphemes.

# Runs of equal values: `starts[k]` is the first code point of run `k`, `values[k]` its value.
struct CodePointRuns
    starts::Memory{UInt32}
    values::Memory{UInt8}
end
# Values are the letters from A and then those from g on; lengths are hexadecimal.
run_letter(b::UInt8) = 0x41 <= b <= 0x5a || 0x67 <= b <= 0x7a
function CodePointRuns(text::String)
    n = 0
    for i in 1:ncodeunits(text)
        run_letter(codeunit(text, i)) && (n += 1)
    end
    starts, values = Memory{UInt32}(undef, n), Memory{UInt8}(undef, n)
    at, len, k = 0x00000000, 0x00000000, 1
    for i in 1:ncodeunits(text)
        b = codeunit(text, i)
        if run_letter(b)
            starts[k], values[k] = at, b < 0x60 ? b - 0x41 : b - 0x67 + 0x1a
            at += len
            len = 0x00000000
            k += 1
        else
            len = (len << 4) | UInt32(b - (b < 0x3a ? 0x30 : 0x57))
        end
    end
    CodePointRuns(starts, values)
end
# The number of the run that `u` is in, or that ends before it.
function run_of(starts, u::UInt32)
    lo, hi = 1, length(starts)
    while lo < hi
        mid = (lo + hi + 1) >> 1
        if starts[mid] <= u
            lo = mid
        else
            hi = mid - 1
        end
    end
    lo
end
run_value(runs::CodePointRuns, u::UInt32) = runs.values[run_of(runs.starts, u)]
const CATEGORIES = CodePointRuns(CATEGORY_RUNS)
const BREAKS = CodePointRuns(BREAK_RUNS)
const WIDTHS = CodePointRuns(WIDTH_RUNS)

# Runs of characters whose other case lies at the same distance.
struct CaseRuns
    starts::Memory{UInt32}
    counts::Memory{UInt32}
    strides::Memory{UInt32}
    deltas::Memory{Int32}
end
function CaseRuns(text::String)
    n = 1
    for i in 1:ncodeunits(text)
        codeunit(text, i) == 0x3b && (n += 1)
    end
    out = CaseRuns(Memory{UInt32}(undef, n), Memory{UInt32}(undef, n), Memory{UInt32}(undef, n), Memory{Int32}(undef, n))
    k, field, x, negative = 1, 1, 0, false
    for i in 1:(ncodeunits(text) + 1)
        b = i > ncodeunits(text) ? 0x3b : codeunit(text, i)
        if b == 0x3a || b == 0x3b
            if field == 1
                out.starts[k] = x % UInt32
            elseif field == 2
                out.counts[k] = x % UInt32
            elseif field == 3
                out.strides[k] = x % UInt32
            else
                out.deltas[k] = (negative ? -x : x) % Int32
            end
            x, negative = 0, false
            field = b == 0x3a ? field + 1 : 1
            b == 0x3b && (k += 1)
        elseif b == 0x2d
            negative = true
        else
            x = (x << 4) | Int(b - (b < 0x3a ? 0x30 : 0x57))
        end
    end
    out
end
const UPPERCASES = CaseRuns(UPPER_RUNS)
const LOWERCASES = CaseRuns(LOWER_RUNS)
const TITLECASES = CaseRuns(TITLE_RUNS)
# How far the other case of a character is away, or `none`.
function case_delta(runs::CaseRuns, u::UInt32, none::Int32)
    lo = run_of(runs.starts, u)
    start = runs.starts[lo]
    u >= start || return none
    d = u - start
    d < runs.counts[lo] * runs.strides[lo] && d % runs.strides[lo] == 0 ? runs.deltas[lo] : none
end

# Categories, numbered as Julia does; the last two are of what is no character.
const CATEGORY_ABBREVIATIONS = ("Cn", "Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "No", "Pc", "Pd", "Ps", "Pe",
    "Pi", "Pf", "Po", "Sm", "Sc", "Sk", "So", "Zs", "Zl", "Zp", "Cc", "Cf", "Cs", "Co", "In", "Ma")
const CATEGORY_DESCRIPTIONS = ("Other, not assigned", "Letter, uppercase", "Letter, lowercase", "Letter, titlecase",
    "Letter, modifier", "Letter, other", "Mark, nonspacing", "Mark, spacing combining", "Mark, enclosing",
    "Number, decimal digit", "Number, letter", "Number, other", "Punctuation, connector", "Punctuation, dash",
    "Punctuation, open", "Punctuation, close", "Punctuation, initial quote", "Punctuation, final quote", "Punctuation, other",
    "Symbol, math", "Symbol, currency", "Symbol, modifier", "Symbol, other", "Separator, space", "Separator, line",
    "Separator, paragraph", "Other, control", "Other, format", "Other, surrogate", "Other, private use",
    "Invalid, too high", "Malformed, bad data")
category_code(x::Integer) = x <= 0x10ffff ? Int(run_value(CATEGORIES, UInt32(x))) : 30
category_code(c::AbstractChar) = ismalformed(c) ? 31 : category_code(code_of(c))
# The number that an encoding stands for, though it may be longer than it need be.
code_of(c::AbstractChar) = isoverlong(c) ? decode_overlong(c) : UInt32(c)
category_abbrev(c) = CATEGORY_ABBREVIATIONS[category_code(c) + 1]
category_string(c) = CATEGORY_DESCRIPTIONS[category_code(c) + 1]
isassigned_char(c) = 0 < category_code(c) <= 29
is_ascii_upper(c) = 'A' <= c <= 'Z'
is_ascii_lower(c) = 'a' <= c <= 'z'
isletter(c::AbstractChar) = isascii(c) ? is_ascii_upper(c) || is_ascii_lower(c) : 1 <= category_code(c) <= 5
isnumeric(c::AbstractChar) = isascii(c) ? isdigit(c) : 9 <= category_code(c) <= 11
ispunct(c::AbstractChar) = 12 <= category_code(c) <= 18
isprint(c::AbstractChar) = isascii(c) ? ' ' <= c <= '~' : 1 <= category_code(c) <= 23
# Capitals by Unicode's property, which letters of categories other than Lu and Lt have too.
function isuppercase(c::AbstractChar)
    isascii(c) && return is_ascii_upper(c)
    k = category_code(c)
    k == 1 || (k == 10 || k == 22) && (u = code_of(c); 0x2160 <= u <= 0x216f || 0x24b6 <= u <= 0x24cf || 0x1f130 <= u <= 0x1f149 ||
        0x1f150 <= u <= 0x1f169 || 0x1f170 <= u <= 0x1f189)
end
function islowercase(c::AbstractChar)
    isascii(c) && return is_ascii_lower(c)
    k = category_code(c)
    k == 2 && return true
    k == 4 || k == 5 || k == 6 || k == 10 || k == 22 || return false
    u = code_of(c)
    u == 0xaa || u == 0xba || 0x2b0 <= u <= 0x2b8 || 0x2c0 <= u <= 0x2c1 || 0x2e0 <= u <= 0x2e4 || u == 0x345 || u == 0x37a ||
        u == 0x10fc || 0x1d2c <= u <= 0x1d6a || u == 0x1d78 || 0x1d9b <= u <= 0x1dbf || u == 0x2071 || u == 0x207f ||
        0x2090 <= u <= 0x209c || 0x2170 <= u <= 0x217f || 0x24d0 <= u <= 0x24e9 || 0x2c7c <= u <= 0x2c7d ||
        0xa69c <= u <= 0xa69d || u == 0xa770 || 0xa7f2 <= u <= 0xa7f4 || 0xa7f8 <= u <= 0xa7f9 || 0xab5c <= u <= 0xab5f ||
        u == 0xab69 || u == 0x10780 || 0x10783 <= u <= 0x107ba || 0x1e030 <= u <= 0x1e06d
end
iscased(c::AbstractChar) = isuppercase(c) || islowercase(c) || category_code(c) == 3
shift_case(c::T, delta::Int32) where {T <: AbstractChar} = delta == 0 ? c : T((UInt32(c) % Int32 + delta) % UInt32)
function uppercase(c::T) where {T <: AbstractChar}
    isascii(c) && return is_ascii_lower(c) ? T(UInt32(c) - 0x00000020) : c
    isvalid(c) ? shift_case(c, case_delta(UPPERCASES, UInt32(c), Int32(0))) : c
end
function lowercase(c::T) where {T <: AbstractChar}
    isascii(c) && return is_ascii_upper(c) ? T(UInt32(c) + 0x00000020) : c
    isvalid(c) ? shift_case(c, case_delta(LOWERCASES, UInt32(c), Int32(0))) : c
end
function titlecase(c::T) where {T <: AbstractChar}
    isascii(c) && return uppercase(c)
    isvalid(c) || return c
    delta = case_delta(TITLECASES, UInt32(c), typemax(Int32))
    delta == typemax(Int32) ? uppercase(c) : shift_case(c, delta)
end

# Columns that a character takes on a terminal; what is no character takes one.
function textwidth(c::AbstractChar)
    isascii(c) && return ' ' <= c <= '~' ? 1 : 0
    (ismalformed(c) || isoverlong(c)) && return 1
    u = UInt32(c)
    u > 0x10ffff ? 1 : Int(run_value(WIDTHS, u))
end

# Graphemes: whether text may be broken between two characters, after Unicode's rules (UAX #29). The state holds what the
# rules need of the characters before: whether a pictograph and only extenders stand there, and whether an odd number of
# regional indicators does.
const BREAK_CR, BREAK_LF, BREAK_CONTROL, BREAK_EXTEND, BREAK_L, BREAK_LV, BREAK_LVT, BREAK_PREPEND, BREAK_REGIONAL,
    BREAK_SPACING, BREAK_T, BREAK_V, BREAK_ZWJ, BREAK_PICTOGRAPH = ntuple(UInt8, 14)
mutable struct GraphemeState
    pictograph::Bool
    joined::Bool
    odd_regional::Bool
    GraphemeState() = new(false, false, false)
end
break_class(c::AbstractChar) = ismalformed(c) || isoverlong(c) || UInt32(c) > 0x10ffff ? BREAK_CONTROL : run_value(BREAKS, UInt32(c))
function see_grapheme!(s::GraphemeState, b)
    s.joined = s.pictograph && b == BREAK_ZWJ
    s.pictograph = b == BREAK_PICTOGRAPH || s.pictograph && (b == BREAK_EXTEND || b == BREAK_ZWJ)
    s.odd_regional = b == BREAK_REGIONAL && !s.odd_regional
    nothing
end
# Between classes `a` and `b`; `s` has seen everything up to `a`.
function is_grapheme_break(s::GraphemeState, a, b)
    a == BREAK_CR && b == BREAK_LF && return false
    BREAK_CR <= a <= BREAK_CONTROL && return true
    BREAK_CR <= b <= BREAK_CONTROL && return true
    a == BREAK_L && (b == BREAK_L || b == BREAK_V || b == BREAK_LV || b == BREAK_LVT) && return false
    (a == BREAK_LV || a == BREAK_V) && (b == BREAK_V || b == BREAK_T) && return false
    (a == BREAK_LVT || a == BREAK_T) && b == BREAK_T && return false
    (b == BREAK_EXTEND || b == BREAK_ZWJ || b == BREAK_SPACING || a == BREAK_PREPEND) && return false
    a == BREAK_ZWJ && s.joined && b == BREAK_PICTOGRAPH && return false
    !(a == BREAK_REGIONAL && b == BREAK_REGIONAL && s.odd_regional)
end

# Names that Julia's own `Base.Unicode` has.
module Unicode
    using ..Base: category_code, category_abbrev, category_string, iscased, isassigned_char, textwidth, lowercase, uppercase,
        titlecase, isletter, isnumeric, ispunct, isprint, isspace, iscntrl, islowercase, isuppercase, isxdigit, isdigit,
        uppercasefirst, lowercasefirst, isvalid
    isassigned(c) = isassigned_char(c)
end
