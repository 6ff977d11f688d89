# Text by Unicode's tables, positions in strings, searching, splitting, replacing, escaping, parsing, versions.
using Test

# Categories, case and width come from tables of all of Unicode.
@test isletter('ж') && !isletter('€') && isuppercase('Ω') && islowercase('ǆ') && isnumeric('½')
@test Base.Unicode.category_abbrev('€') == "Sc" && ispunct('¿') && !isprint('\u200b')
@test uppercase("straße") == "STRAẞE" && lowercase("ÀÉ") == "àé" && titlecase("one twO") == "One Two"
@test textwidth("a🍕\0") == 3
@test repr("text/plain", '€') == "'€': Unicode U+20AC (category Sc: Symbol, currency)"
@test repr('\xff') == "'\\xff'" && isvalid('a') && !isvalid("\xff"[1])
@test_throws Base.CodePointError Char(0x00200000)
@test_throws Base.InvalidCharError UInt32("\xff"[1])
@test Integer('a') === 0x00000061

# Positions.
s = "aκ🐨"
@test [thisind(s, i) for i in 0:8] == [0, 1, 2, 2, 4, 4, 4, 4, 8]
@test nextind(s, 0, 3) == 4 && prevind(s, 8) == 4 && length(s, 2, 4) == 2
@test_throws StringIndexError s[3]
@test_throws BoundsError nextind(s, 9)
@test_throws ArgumentError first(s, -1)
@test sprint(showerror, try "κ"[2] catch e; e end) == "StringIndexError: invalid index [2], valid nearby index [1]=>'κ'"
@test isvalid(String, UInt8[0xe2, 0x82, 0xac]) && !isvalid(String, UInt8[0xc0, 0x80]) && !isvalid(String, UInt8[0xed, 0xa0, 0x80])
# A string type needs only what it says of its characters.
struct Letters <: AbstractString
    chars::Vector{Char}
end
Base.iterate(s::Letters, i::Int = 1) = i > length(s.chars) ? nothing : (s.chars[i], i + 1)
Base.ncodeunits(s::Letters) = length(s.chars)
Base.isvalid(s::Letters, i::Int) = 1 <= i <= length(s.chars)
Base.codeunit(::Letters) = UInt32
w = Letters(collect("κab"))
@test w == "κab" && cmp(w, "κb") == -1 && w[2] == 'a' && uppercase(w) == "ΚAB" && hash(w) == hash("κab") && String(w) === "κab"

# Searching.
@test findfirst("lo", "hello") == 4:5 && findlast("l", "hello") == 4:4 && findnext("l", "hello", 4) == 4:4
@test findprev(isuppercase, "aBc", 3) == 2 && findall("aa", "aaaa") == [1:2, 3:4] && findall("aa", "aaaa"; overlap = true) == [1:2, 2:3, 3:4]
@test !startswith("∀", "\xe2") && startswith("∀x", '∀') && endswith("x∀", ('a', '∀'))
@test findfirst([0x02, 0x03], UInt8[1, 2, 3]) == 2:3

# Cutting and changing.
@test rsplit("a.b.c", '.'; limit = 2) == ["a.b", "c"] && rsplit("a,b", ",") == ["a", "b"] && split(" a  b ") == ["a", "b"]
@test collect(eachrsplit("x-y-z", '-')) == ["z", "y", "x"]
@test replace("abcabc", "a" => "b", 'b' => "c") == "bccbcc" && replace("abc", "" => "-") == "-a-b-c-"
@test replace("tic", r"(i)(c)" => s"\2\1") == "tci" && replace("aXb", isuppercase => lowercase) == "axb"
@test [m.match for m in eachmatch(r"\w+", "ab c"; overlap = true)] == ["ab", "b", "c"]
@test escape_string("a\0b\u00ad\xff") == "a\\0b\\uad\\xff" && unescape_string("\\x41\\u00e9\\101") == "AéA"
@test Base.escape_raw_string("a\\\"") == "a\\\\\\\"" && b"\x02a" == [0x02, 0x61]
@test chop("κab"; head = 1, tail = 1) == "a" && rtruncate("abcdef", 4) == "abc…" && lpad("é", 3, "ab") == "abé"
@test bytes2hex([0x0f, 0xa0]) == "0fa0" && hex2bytes("0fA0") == [0x0f, 0xa0]
@test transcode(String, transcode(UInt16, "a🐨")) == "a🐨"
@test lazy"1 + 1 = $(1 + 1)" == "1 + 1 = 2"

# Numbers in any base, and versions in order.
@test parse(Int, string(12345; base = 62); base = 62) == 12345 && tryparse(Int8, "300") === nothing
@test_throws OverflowError parse(Int8, "300")
@test_throws ArgumentError parse(Int, "1"; base = 63)
@test v"1-" < v"1-a" < v"1" < v"1+a" < v"1+" && v"1+a" != v"1" && tryparse(VersionNumber, "1.x") === nothing
@test_throws ArgumentError VersionNumber(1, 0, 0, ("a!",), ())
