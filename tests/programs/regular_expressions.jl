# Regular expressions: matching, groups, iteration, and the functions of strings that take a pattern.
using Test
m = match(r"(?<year>\d{4})-(?<month>\d\d)", "on 2024-05-01")
@test m.match == "2024-05" && m[:year] == "2024" && m["month"] == "05" && m[2] == "05" && m.offset == 4
@test haskey(m, :year) && !haskey(m, :day) && keys(m) == ["year", "month"]
@test sprint(show, m) == "RegexMatch(\"2024-05\", year=\"2024\", month=\"05\")"
@test match(r"x", "abc") === nothing
optional = match(r"(a)(x)?", "ab")
@test optional.captures == ["a", nothing] && optional.offsets == [1, 0]
a, b = match(r"(\d)(\d)", "12")
@test (a, b) == ("1", "2")
@test [m.match for m in eachmatch(r"\d+", "a1b22c")] == ["1", "22"]
@test [m.match for m in eachmatch(r"aa", "aaaa"; overlap = true)] == ["aa", "aa", "aa"]
@test [m.offset for m in eachmatch(r"", "αb")] == [1, 3, 4]
@test occursin(r"^\s*$", "   ") && !occursin(r"B", "abc") && occursin(r"B"i, "abc") && contains("abc", r"[bc]{2}")
@test occursin(r"^\d+$", "12\n") && !occursin(r"^\d+$", "12\n3") && occursin(r"^3$"m, "12\n3")
@test replace("john smith", r"(\w+) (\w+)" => s"\2 \1") == "smith john"
@test replace("2024-05", r"(?<y>\d+)-(?<m>\d+)" => s"\g<m>/\g<y>") == "05/2024"
@test replace("a1b22", r"\d+" => x -> string(parse(Int, x) + 1)) == "a2b23"
@test split("a1b22c", r"\d+") == ["a", "b", "c"] && split("a, b ,c", r"\s*,\s*") == ["a", "b", "c"]
@test findfirst(r"b+", "abbb") == 2:4 && findnext(r"b", "abab", 3) == 4:4 && findall(r"b", "abab") == [2:2, 4:4]
@test findfirst(r"é", "caféé") == 4:4 && findfirst(r"é+", "caféé") == 4:6
@test count(r"a", "banana") == 3 && startswith("abc", r"a.") && !startswith("xab", r"a") && endswith("abc", r"b.")
@test match(r"(\w)\1", "hello").match == "ll" && match(r"(?<=l)o", "hello").offset == 5
@test r"a" == r"a" && r"a" != r"a"i && sprint(show, r"a\"b"i) == "r\"a\\\"b\"i"
@test_throws "PCRE compilation error" Regex("(")
@test_throws "no capture group named day" m[:day]
