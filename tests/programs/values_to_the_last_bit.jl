# Values that are decided by the last digit, byte or bit: powers, ties, encodings, padding, streams.
using Test, LinearAlgebra

@testset "powers" begin
    below = prevfloat(1.0)
    @test below^(-2^53) ≈ exp(1.0) && below^(-2^62) * below^(2^62) == 1.0 && below^typemin(Int) == Inf
    @test below^(big(2)^90) == 0.0 && (-below)^(2^53 + 1) < 0 && 2.0^typemin(Int) == 0.0
    @test im^0 === 1 + 0im && im^1 === 0 + 1im && 3.5^2 === 12.25
    @test 0.9999999955206014^-1.0e8 == 1.565084574870928
    a = [2.0 0.5; 0.5 1.0]
    @test exp(log(a)) ≈ a && sind(a) == sin(deg2rad.(a)) && cos(acos(a / 4)) ≈ a / 4
    @test_throws DimensionMismatch asind(zeros(2, 3))
    @test_throws Base.UnsupportedError exp([1.0 2.0; 0.0 1.0])
end

@testset "text of numbers" begin
    @test string(2.0^-25) == "2.9802322387695312e-8" && string(2.0f0^-12) == "0.00024414062"
    @test Base.format_bytes(1000; binary = false) == "1000 bytes" && Base.format_bytes(3 * 10^15) == "2.665 PiB"
    @test repr('\ufff') == "'\\ufff'" && escape_string("say \"a\"") == "say \\\"a\\\""
    low, high = BigFloat(1 // 3, RoundDown), BigFloat(1 // 3, RoundUp)
    @test low < 1 // 3 < high && high == nextfloat(low)
end

@testset "encodings" begin
    @test transcode(UInt16, UInt8[0xc0, 0x80, 0x41]) == [0x0000, 0x0041] && transcode(UInt16, UInt8[0xff, 0xe2, 0x82]) == [0x00ff, 0x00e2, 0x0082]
    @test transcode(UInt16, "a😀") == [0x0061, 0xd83d, 0xde00]
    @test_throws Base.InvalidCharError UInt32("\xc1\x81"[1])
    for s in ("\xc0\x80", "\xe0\x80\xb0", "\xc1\x81", "\xe0\x82\xaa")
        c = s[1]
        @test Base.isoverlong(c) && !isvalid(c) && textwidth(c) == 1 && uppercase(c) == c && sprint(print, c) == s
        @test occursin("[overlong]", sprint(show, MIME"text/plain"(), c)) && isletter(c) isa Bool && isprint(c) isa Bool && isspace(c) isa Bool
        @test titlecase(c) == c && islowercase(c) isa Bool && isuppercase(c) isa Bool && Base.isidentifier(s) isa Bool && !isdigit(c) && repr(s) isa String && escape_string(s) isa String
    end
    @test_throws ArgumentError gensym("a\0b")
    @test length("héllo wörld, long enough") == 24 && length("\xe2\x82") == 1 && length("\x80\x80a") == 3
    @test cmp("abcdefgh1", "abcdefgh2") == -1 && SubString("xabcdefghi", 2) == "abcdefghi" && "ab" < "abc"
end

struct Padded
    a::Int8
    b::Int32
end
@testset "bytes of fields" begin
    @test reinterpret(Tuple{Int8, Int32}, Padded(1, 2)) === (Int8(1), Int32(2))
    @test reinterpret(Padded, (Int32(0x201), Int8(0))) === Padded(1, 2)
    @test_throws ArgumentError reinterpret(Int64, Padded(1, 2))
    r = Ref{Any}("text")
    @test unsafe_load(Base.unsafe_convert(Ptr{Any}, r)) === "text"
    @test unsafe_load(Ptr{Ptr{Cvoid}}(Base.unsafe_convert(Ptr{Any}, r))) == Base.unsafe_convert(Ptr{Cvoid}, r)
    v = view([1 2; 3 4], :, [2, 1])
    @test_throws ErrorException Base.unsafe_convert(Ptr{Int}, v)
    io = IOBuffer()
    @test write(io, view([1 2 3; 4 5 6], 1:1, 1:2:3)) == 16 && read!(seekstart(io), zeros(Int, 2)) == [1, 3]
    @test_throws ErrorException write(io, ["a"])
    @test_throws ErrorException read!(io, C_NULL)
end

@testset "arrays" begin
    x = [1]
    x[[1, 1]] .+= 1
    @test x == [2]
    u = UInt(1):UInt(2)
    @test [u; [u;]] == [1, 2, 1, 2] && [1; big(1):2] == [1, 1, 2]
    @test Base.OneTo(4)[Base.Slice(3:3)] === Base.Slice(3:3)
    v = view(rand(5, 5), Base.IdentityUnitRange(2:4), 1:2)
    @test Base.unaliascopy(v) == v && size(Base.unaliascopy(v).parent) == (4, 2)
    b = BitVector([true, false, true])
    @test collect(b) == [true, false, true] && append!([false], b) == [false, true, false, true] && [x for x in b] == b
    @test_throws MethodError Base.checked_length(1 // 1:2)
end

@testset "lines" begin
    text = "one\r\ntwo\n\nlast"
    @test collect(Iterators.reverse(eachline(IOBuffer(text)))) == ["last", "", "two", "one"]
    @test last(eachline(IOBuffer(text))) == "last" && last(eachline(IOBuffer(text); keep = true), 2) == ["\n", "last"]
    small = IOBuffer(maxsize = 3)
    from = IOBuffer("abcdef")
    @test write(small, from) == 3 && eof(from) && String(take!(small)) == "abc"
    @test !isempty(readeach(IOBuffer("a"), Char)) && take!(copyuntil(IOBuffer(), IOBuffer(UInt8[1, 2, 3]), 0x02)) == [1]
    @test readlines(IOBuffer("x"^10000 * "\ny")) == ["x"^10000, "y"]
    @test Base.prompt(IOBuffer("\n"), devnull, "name"; default = "kiln") == "kiln"
end
