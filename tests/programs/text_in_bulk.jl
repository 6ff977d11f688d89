# Text that is written, searched, split, replaced, stripped and read in bulk gives what Julia's loops over characters give:
# bytes that are no UTF-8, parts of strings, limits, empty pieces, and values that only Julia code prints.
using Test

struct Shown
    x::Int
end
Base.show(io::IO, s::Shown) = print(io, "<", s.x, ">")

@testset "printing" begin
    @test string(1, 'a', "b", :c, 2.5, true, 0x1f, Int8(-3), 1.5f0, Float16(0.5), typemin(Int128), typemax(UInt128)) ==
        "1abc2.5true31-31.50.5-170141183460469231731687303715884105728340282366920938463463374607431768211455"
    @test string("a", Shown(1), nothing, 2) == "a<1>nothing2"
    @test string(SubString("xäy", 2, 2), '\xe4', 'ß', '\U10ffff') == "ä\xe4ß\U10ffff"
    @test string(-0.0, " ", NaN, " ", -Inf, " ", 1e300) == "-0.0 NaN -Inf 1.0e300"
    @test string(codeunits("ab")) == "UInt8[0x61, 0x62]"
    io = IOBuffer()
    print(io, "a", Shown(7), 1, Shown(8), "z")
    @test String(take!(io)) == "a<7>1<8>z"
    @test print(io, 1) === nothing && write(io, "äö") == 4 && write(io, SubString("abc", 2)) == 2 && write(io, 'ä') == 2
    @test String(take!(io)) == "1äöbcä"
    # Compact numbers in a context, as before.
    @test sprint(print, 1/3, "x"; context = :compact => true) == "0.333333x"
    limited = IOBuffer(maxsize = 3)
    @test write(limited, "hello") == 3 && String(take!(limited)) == "hel"
    @test_throws ArgumentError write(IOBuffer("ro"), "x")
    @test_throws ArgumentError print(IOBuffer("ro"), 1, 2)
    appended = IOBuffer(Vector{UInt8}("ab"), append = true, read = true)
    print(appended, "c", 1)
    @test read(appended, String) == "abc1"
    gap = IOBuffer()
    write(gap, "ab"); seek(gap, 1); print(gap, "xyz", 1)
    @test String(take!(gap)) == "axyz1"
    @test write(IOBuffer(), 0x0102) == 2 && write(IOBuffer(), 1.0) == 8
    back = IOBuffer(); write(back, Int32(-5), 2.5, 'x', 0x7fff); seekstart(back)
    @test (read(back, Int32), read(back, Float64), read(back, Char), read(back, UInt16)) === (Int32(-5), 2.5, 'x', 0x7fff)
    @test string(255, base = 16, pad = 4) == "00ff" && string(-5, base = 2, pad = 4) == "-0101" && string(61, base = 62) == "z"
    @test join([1, 2.5, "x", 'c'], ", ", " and ") == "1, 2.5, x and c"
    @test join(Any["a", Shown(1), nothing], '-') == "a-<1>-nothing" && join(()) == "" && join(["é"], ",") == "é"
    @test join((i for i in 1:3), "+") == "1+2+3" && join(1:0, "x") == ""
    @test_throws UndefRefError join(Vector{String}(undef, 2), "x")
end

@testset "searching" begin
    s = "aéb\xffcé"
    @test findfirst('é', s) == 2 && findnext('é', s, 4) == 7 && findlast('é', s) == 7 && findprev('é', s, 6) == 2
    @test findfirst('\xff', s) == 5 && findfirst('\xc3', s) === nothing && findfirst('x', s) === nothing
    @test_throws StringIndexError findnext('b', s, 3)
    @test_throws BoundsError findnext('b', s, 0)
    @test findnext('b', s, ncodeunits(s) + 1) === nothing
    @test findall('é', s) == [2, 7] && count('é', s) == 2 && count(==('b'), s) == 1 && 'c' in s
    @test findfirst("b\xff", s) == 4:5 && findlast("é", s) == 7:7 && findnext("", s, 2) == 2:1 && findprev("é", s, 6) == 2:2
    @test count("aa", "aaaa") == 2 && count("aa", "aaaa"; overlap = true) == 3 && count("", "abc") == 4
    part = SubString("xxaéb", 3)
    @test findfirst('é', part) == 2 && findfirst("b", part) == 4:4 && occursin("éb", part) && !occursin("xx", part)
    @test startswith(part, "aé") && !startswith(part, "a\xc3") && endswith(part, "b") && !endswith("é", "\xa9") && endswith("ab", "")
    @test findfirst(==(0x62), codeunits(part)) == 4 && findnext(==(0x00), UInt8[1, 0, 0], 3) == 3
    @test findfirst(UInt8[2, 3], UInt8[1, 2, 3]) == 2:3 && findlast(==(0x01), UInt8[1, 2, 1]) == 3
    @test cmp("a", "b") == -1 && cmp("b", SubString("ab", 2)) == 0 && "ab" == SubString("xab", 2) && SubString("ab", 1, 1) < "ab"
    # Bytes that are parts of characters stand only where they are characters of their own.
    lead, follower = "\xc3", "\xa9"
    @test findfirst(lead, s) === nothing && findlast(follower, s) === nothing && !occursin(lead, s) && count(follower, s) == 0
    @test findfirst(lead, "é\xc3(") == 3:3 && findlast(lead, "\xc3(é") == 1:1 && count(lead, "\xc3(é\xc3") == 2
    @test split("é\xc3(", lead) == ["é", "("] && collect(eachsplit("é\xc3(", lead)) == ["é", "("] && replace("é\xc3(", lead => "x") == "éx("
    odd = reinterpret(Char, 0xc3410000)
    @test findfirst(odd, "\xc3A") === nothing && count(odd, "\xc3A") == 0 && split("\xc3A", odd) == ["\xc3A"]
    @test findfirst(==(0xc3), codeunits("é")) == 1 && findfirst(UInt8[0xc3], UInt8[1, 0xc3]) == 2:2 && findlast(==(0xa9), Vector{UInt8}("éa")) == 2
    @test length("aé\xff\xe4\xb8b") == 5 && isascii("abc") && !isascii("é") && isvalid("é") && !isvalid("\xff")
end

@testset "splitting, stripping, replacing" begin
    @test split("a,b,,c", ',') == ["a", "b", "", "c"] && split("a,b,,c", ','; keepempty = false) == ["a", "b", "c"]
    @test split("a,b,,c", ','; limit = 2) == ["a", "b,,c"] && split("", ',') == [""] && split("", ','; keepempty = false) == []
    @test split(",a,", ',') == ["", "a", ""] && split("a--b-c", "--") == ["a", "b-c"] && split("abc", "") == ["a", "b", "c"]
    @test split(" a  b\u2003c\n") == ["a", "b", "c"] && split(" a  b "; limit = 2) == ["a", " b "] && split("a b", isspace; keepempty = true) == ["a", "b"]
    @test split(SubString("xxa,bxx", 3, 5), ',') == ["a", "b"] && split("a,b", ',')[2] isa SubString{String}
    @test collect(eachsplit("aéébé", 'é')) == ["a", "", "b", ""] && collect(eachsplit("a, b", ", "; limit = 2)) == ["a", "b"]
    @test split("a\xffb", '\xff') == ["a", "b"] && split("aXbYc", ['X', 'Y']) == ["a", "b", "c"]
    @test collect(eachsplit("a||b", "|"; keepempty = false)) == ["a", "b"] && collect(eachsplit("a,b,c", ','; limit = 1)) == ["a,b,c"]
    @test strip("\u00a0 \t\va b\r\n\u3000") == "a b" && lstrip("  a ") == "a " && rstrip(" a\u0085") == " a" && strip("   ") == "" && strip("") == ""
    @test strip(SubString("xx a xx", 3, 5)) == "a" && strip("\xa0a") == "\xa0a" && strip("xax", 'x') == "a"
    @test chomp("a\r\n") == "a" && chomp("a\n\n") == "a\n" && chomp("\r") == "\r" && chomp("") == "" && chomp("\n") == ""
    @test replace("abcabc", "b" => "X", 'c' => "") == "aXaX" && replace("aaa", "a" => "b"; count = 2) == "bba"
    @test replace("abc", "abc" => "1", "a" => "2") == "1" && replace("abc", "a" => "2", "abc" => "1") == "2bc"
    @test replace("abc", 'x' => 'y') === "abc" && replace(SubString("abc", 2), "c" => 'é') == "bé"
    @test replace("abc", "b" => uppercase) == "aBc" && replace("abc", isletter => "x") == "xxx" && replace("ab", "" => "-") == "-a-b-"
    @test replace("abc", 'b' => 1) == "a1c"
    @test uppercase("abÿ") == "ABŸ" && lowercase("ABC") == "abc" && uppercase(SubString("xyz", 2)) == "YZ"
end

@testset "numbers" begin
    @test parse(Int, " -12 ") === -12 && parse(UInt8, "255") === 0xff && parse(Int, "0x1F") === 31 && parse(Int, "z", base = 36) === 35
    @test parse(Int128, "170141183460469231731687303715884105727") === typemax(Int128) && parse(Int8, "-128") === Int8(-128)
    @test_throws OverflowError parse(Int8, "128")
    @test_throws OverflowError parse(Int, "9223372036854775808")
    @test_throws ArgumentError parse(Int, "1 2")
    @test_throws ArgumentError parse(Int, "")
    @test_throws ArgumentError parse(Int, "12a")
    @test_throws ArgumentError parse(Int, "1"; base = 63)
    @test tryparse(Int, "1_000") === nothing && tryparse(Int, SubString("x12y", 2, 3)) === 12 && tryparse(UInt, "-1") === nothing
    @test parse(Int, "\u00a012") === 12
    @test parse(Float64, " 1.5e3\v") === 1500.0 && parse(Float64, "-.5") === -0.5 && isnan(parse(Float64, "nan"))
    @test tryparse(Float64, "1e") === nothing && tryparse(Float64, "1.2.3") === nothing && tryparse(Float64, "\xff") === nothing
    @test parse(Float32, SubString("x0.1", 2)) === 0.1f0 && parse(Float64, "-0") === -0.0 && parse(Float64, "5e-324") === 5e-324
    # No letter but `e` begins an exponent; numbers that would become infinite or zero are none.
    @test all(s -> tryparse(Float64, s) === nothing, ("1f2", "1e400", "-1e400", "1e-400", "0x1p1024")) && parse(Float64, "0e-400") === 0.0
    @test tryparse(Float32, "1e39") === nothing && tryparse(Float32, "1e-50") === nothing && parse(Float32, "1e-45") === 1.0f-45
    # Space after a sign; unsigned numbers have none.
    @test parse(Int, "- 5") === -5 && parse(Int8, " +\t5 ") === Int8(5) && tryparse(UInt8, "+5") === nothing
    @test_throws "invalid base 10 digit '+' in \"+5\"" parse(UInt8, "+5")
    @test_throws "premature end of integer: \"- \"" parse(Int, "- ")
    @test_throws "overflow parsing \"128\"" parse(Int8, "128")
    @test string(true; base = 2) == "1" && string(false; base = 16, pad = 3) == "000" && string(true; base = -3) == "1"
    @test_throws ArgumentError parse(Float64, "one")
end

@testset "lines" begin
    text = "a\r\nb\n\nc"
    @test collect(eachline(IOBuffer(text))) == ["a", "b", "", "c"]
    @test collect(eachline(IOBuffer(text); keep = true)) == ["a\r\n", "b\n", "\n", "c"]
    io = IOBuffer(text)
    @test readline(io) == "a" && readline(io; keep = true) == "b\n" && readline(io) == "" && readline(io) == "c" && readline(io) == ""
    @test readlines(IOBuffer("x\r\r\n")) == ["x\r"] && readlines(IOBuffer("")) == []
    path = tempname()
    write(path, text)
    @test readlines(path) == ["a", "b", "", "c"] && countlines(path) == 4
end

# Methods of `print` and `show` of a program's own count wherever Base would call them.
module OwnPrinting
using Test, Printf
Base.show(io::IO, x::Float64) = Base.write(io, "<float>")
Base.print(io::IO, x::Float32) = Base.write(io, "<float32>")
Base.print(io::IO, x::Char) = Base.write(io, "<char>")
Base.show(io::IO, x::UInt16) = Base.write(io, "<short>")
@testset "own methods" begin
    @test string(1.5, "a") == "<float>a" && "$(2.5)|" == "<float>|" && string(1.5f0, 2) == "<float32>2" && sprint(print, 1.5) == "<float>"
    @test sprint(println, "x", 1.5, 2) == "x<float>2\n"
    @test sprint(print, 'a', 'b') == "<char><char>" && join((1.5, 'c'), ", ") == "<float>, <char>"
    @test @sprintf("%s|%.1f", 1.5, 1.5) == "1.5|1.5" && "$(2.5)" == "2.5"
    # `string` joins characters and strings itself; unsigned numbers are printed without `show`.
    @test string('a', "b") == "ab" && string(1.5) == "1.5" && string(0x0001, "x") == "1x" && string(3, "x") == "3x"
    path = tempname()
    open(io -> print(io, 1.5, 2.5), path, "w")
    @test read(path, String) == "<float><float>"
end
end
