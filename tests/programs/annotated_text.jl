# Annotations follow the text through what is done with it.
using Test
using Base: AnnotatedString, AnnotatedChar, AnnotatedIOBuffer, annotatedstring, annotate!, annotations, eachregion

regions(s) = [(a.region, a.label, a.value) for a in annotations(s)]
hello = AnnotatedString("hello world", [(1:5, :face, :bold), (7:11, :link, "w")])

@testset "strings and characters" begin
    @test hello[1] == AnnotatedChar('h', [(:face, :bold)]) && hello[6] == AnnotatedChar(' ')
    @test hello[4:8] isa SubString && regions(hello[4:8]) == [(1:2, :face, :bold), (4:5, :link, "w")]
    @test hello != "hello world" && AnnotatedString("plain") == "plain"
    @test eval(Meta.parse("Base." * chopprefix(repr(hello), "Base."))) == hello
    @test sprint(show, MIME("text/plain"), hello) == "\"hello world\"" && String(hello) == "hello world"
    s = AnnotatedString("ab")
    @test annotate!(s, 2:2, :n, 1) === s && regions(s) == [(2:2, :n, 1)]
    @test isempty(annotations(annotate!(s, 2:2, :n, nothing)))
end
@testset "made of others" begin
    @test regions("> " * hello) == [(3:7, :face, :bold), (9:13, :link, "w")]
    @test regions(repeat(AnnotatedString("ab", [(1:2, :n, 1)]), 2)) == [(1:4, :n, 1)]
    @test regions(reverse(hello)) == [(7:11, :face, :bold), (1:5, :link, "w")]
    @test regions(lpad(hello, 12)) == [(2:6, :face, :bold), (8:12, :link, "w")]
    @test regions(join([hello, hello], ", "))[3] == (14:18, :face, :bold)
    @test match(r"w(.)", hello).captures == [hello[8:8]]
    @test regions(uppercase(AnnotatedString("ŉa", [(1:2, :n, 1), (3:3, :m, 2)])))[2][2] === :m
    @test String(titlecase(hello)) == "Hello World" && regions(titlecase(hello)) == regions(hello)
    @test [(String(text), length(with)) for (text, with) in eachregion(hello)] == [("hello", 1), (" ", 0), ("world", 1)]
end
@testset "a buffer" begin
    io = AnnotatedIOBuffer()
    write(io, hello)
    @test read(seekstart(io), AnnotatedString) == hello
    write(seek(io, 2), "LL")
    @test regions(io) == regions(hello) && read(seekstart(io), String) == "heLLo world"
    write(seek(io, 2), AnnotatedString("ll", [(1:2, :n, 1)]))
    @test regions(io) == [(1:2, :face, :bold), (5:5, :face, :bold), (7:11, :link, "w"), (3:4, :n, 1)]
    io = AnnotatedIOBuffer()
    foreach(c -> write(io, c), hello)
    @test regions(io) == regions(hello)
end
