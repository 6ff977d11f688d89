# Questions about text whose bytes compiled code hands over: of strings, of parts of them and of characters; each is asked once by code
# that is interpreted and often by the same code compiled.
using Test

facts(s) = (length(s), isascii(s), isvalid(s))
places(s, what) = (findnext(what, s, 1), findprev(what, s, lastindex(s)), occursin(what, s))
kept_numbers(s) = (tryparse(Int, s), tryparse(UInt8, s), tryparse(Int128, s), tryparse(Int, s; base = 16), tryparse(Float64, s), tryparse(Float32, s))
order(a, b) = (cmp(a, b), a == b, a < b, startswith(a, b), endswith(a, b))
of_character(s, c) = (findfirst(c, s), findlast(c, s), findnext(==(c), s, 1), count(==(c), s))

# The answer of the first call, which many more repeat.
function agreed(f, args...)
    first = f(args...)
    for _ in 1:30
        again = f(args...)
        isequal(again, first) || error("$f$args: $first, then $again")
    end
    return first
end

part(s, behind) = SubString("<" * s * behind, 2, 1 + lastindex(s))
forms(s) = (s, part(s, ">"), part(s, "é"))

texts = ["", "a", "abc", "abab", "é", "aéb", "日本", "\xff", "a\xc3", "12", " -7 ", "255", "256", "0x1F", "1e3", "-Inf",
    "9223372036854775808", "x\0y", "1_0"]

# What the questions mean, character by character.
naive_length(s) = foldl((n, _) -> n + 1, s; init = 0)
naive_order(a, b) = (x = codeunits(a); y = codeunits(b); x == y ? 0 : isless(x, y) ? -1 : 1)
naive_place(s, c) = (at = [i for i in eachindex(s) if s[i] == c]; isempty(at) ? (nothing, nothing) : (at[1], at[end]))
naive_start(a, b) = ncodeunits(b) <= ncodeunits(a) && codeunits(a)[1:ncodeunits(b)] == codeunits(b)

@testset "facts and numbers" begin
    for s in texts, form in forms(s)
        @test agreed(facts, form) == (naive_length(s), all(<(0x80), codeunits(s)), all(isvalid, s))
        @test isequal(agreed(kept_numbers, form), kept_numbers(s))
    end
    @test kept_numbers("255") == (255, 0xff, 255, 597, 255.0, 255.0f0)
    @test kept_numbers(" -7 ") == (-7, nothing, -7, -7, -7.0, -7.0f0)
    @test kept_numbers("9223372036854775808")[1:3] == (nothing, nothing, 9223372036854775808)
    @test kept_numbers("1_0") == (nothing, nothing, nothing, nothing, nothing, nothing)
end

@testset "order" begin
    for a in texts, b in texts
        wanted = (naive_order(a, b), naive_order(a, b) == 0, naive_order(a, b) < 0)
        for (x, y) in ((a, b), (part(a, "!"), b), (a, part(b, "日")), (part(a, "é"), part(b, "")))
            found = agreed(order, x, y)
            @test found[1:3] == wanted
            # A text that ends within a character of the other one is no beginning of it.
            found[4] && @test naive_start(a, b)
        end
    end
end

@testset "places" begin
    for s in texts, c in ('a', 'b', 'é', '日', '\0', '\xff', '\xc3'), form in forms(s)
        first, last = naive_place(s, c)
        @test agreed(of_character, form, c) == (first, last, first, count(i -> s[i] == c, collect(eachindex(s))))
    end
    for s in texts, what in ("a", "ab", "b", "é", "本", "bab"), form in forms(s)
        @test isequal(agreed(places, form, what), places(s, what))
        @test isequal(agreed(places, form, part(what, "c")), places(s, what))
    end
    @test places("abab", "ab") == (1:2, 3:4, true)
    @test places("aéb", "b") == (4:4, 4:4, true)
end
