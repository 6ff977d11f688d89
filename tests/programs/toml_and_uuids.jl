# The standard libraries TOML and UUIDs: texts become tables and tables texts; identifiers of each version.
using Test, TOML, UUIDs

@testset "TOML" begin
    text = "a = 1\n[t]\nb = [1.5, true]\n\"c d\" = \"x\\ty\"\n[[l]]\ne = 'f'\n[[l]]\n"
    table = TOML.parse(text)
    @test table == Dict("a" => 1, "t" => Dict("b" => [1.5, true], "c d" => "x\ty"), "l" => [Dict("e" => "f"), Dict()])
    @test TOML.parse(sprint(TOML.print, table)) == table
    @test sprint((io, x) -> TOML.print(io, x; sorted = true), Dict("b" => 1, "a" => Dict("c" => "d"))) == "b = 1\n\n[a]\nc = \"d\"\n"
    wrong = TOML.tryparse("a = 1\nb = ")
    @test wrong isa TOML.ParserError && occursin("none:2:", wrong.msg)
    @test_throws TOML.ParserError TOML.parse("[")
    @test_throws ArgumentError sprint(TOML.print, Dict("a" => nothing))
    @test sprint((io, x) -> TOML.print(string, io, x), Dict("a" => :b)) == "a = \"b\"\n"
    mktempdir() do folder
        file = joinpath(folder, "x.toml")
        write(file, "k = 3")
        @test TOML.parsefile(file) == Dict("k" => 3) == TOML.parsefile(TOML.Parser(), file)
    end
end

@testset "UUIDs" begin
    @test [uuid_version(u) for u in (uuid1(), uuid4(), uuid7())] == [1, 4, 7]
    @test all(u -> (u.value >> 62) & 3 == 2, (uuid1(), uuid4(), uuid7()))
    # The example of RFC 9562.
    @test uuid5(UUIDs.namespace_dns, "www.example.com") == UUID("2ed6657d-e927-568b-95e1-2665a8aea6a2")
    @test uuid5(UUIDs.namespace_dns, "x"^200) != uuid5(UUIDs.namespace_dns, "x"^201)
    @test uuid4() != uuid4() && UUIDs.UUID === Base.UUID
end
