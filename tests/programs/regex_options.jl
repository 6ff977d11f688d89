# Options of patterns are PCRE's numbers; products of patterns keep them where they apply.
using Test

@test repr(r"a"ix) == "r\"a\"ix"
@test r"a"i == Regex("a", Base.DEFAULT_COMPILER_OPTS | Base.PCRE.CASELESS, Base.DEFAULT_MATCH_OPTS)
@test hash(r"a"i) == hash(Regex("a", "i")) && r"a"i != r"a"
@test_throws ArgumentError Regex("a", typemax(Int32), 0)
@test_throws ArgumentError Regex("a", "q")
@test r"a" * "b+" == r"(?:a)\Qb+\E" && 'a' * r"b" == r"\Qa\E(?:b)" && "x" * 'y' * r"z" == r"\Qx\E\Qy\E(?:z)"
@test r"a"i * r"b"im == r"(?:a)(?m:b)"i
@test match(r"1" * raw"\E+" * r"2", raw"1\E+2").match == raw"1\E+2"
@test "a" * "b" * 'c' == "abc"
@test_throws ArgumentError r"a" * Regex("b", Base.DEFAULT_COMPILER_OPTS, 0)
@test match(r"b"i^2, "aBb").match == "Bb"

# A replacement keeps its text; escapes are read when it is used.
@test repr(s"\x\n") == raw"s\"\x\n\""
@test replace("abc", r"(b)" => s"<\1\n>") == "a<b\n>c"
@test_throws ErrorException("Bad replacement string: Group y not found in regex r\"(?P<x>a)\"") replace("a", r"(?P<x>a)" => s"\g<y>")
