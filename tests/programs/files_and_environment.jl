# Files, directories, the environment and standard streams as scripts use them.
using Test
mktempdir() do dir
    path = joinpath(dir, "a", "b")
    @test mkpath(path) == path && isdir(path) && readdir(dir) == ["a"]
    file = joinpath(path, "t.txt")
    open(io -> (println(io, "one"); write(io, "two\n")), file, "w")
    open(io -> print(io, "three"), file, "a")
    @test isfile(file) && read(file, String) == "one\ntwo\nthree" && readlines(file) == ["one", "two", "three"]
    @test [length(l) for l in eachline(file)] == [3, 3, 5] && filesize(file) == 13
    @test cp(file, joinpath(dir, "c.txt")) == joinpath(dir, "c.txt") && readdir(dir) == ["a", "c.txt"]
    @test_throws ArgumentError cp(file, joinpath(dir, "c.txt"))
    mv(joinpath(dir, "c.txt"), joinpath(dir, "d.txt"))
    @test readdir(dir; join = true) == [joinpath(dir, "a"), joinpath(dir, "d.txt")]
    @test [(basename(r), ds, fs) for (r, ds, fs) in walkdir(joinpath(dir, "a"))] == [("a", ["b"], []), ("b", [], ["t.txt"])]
    @test cd(pwd, path) != pwd()
    @test_throws Base.IOError rm(joinpath(dir, "a"))
    rm(joinpath(dir, "a"); recursive = true)
    @test !ispath(path) && rm(path; force = true) === nothing
    @test_throws "no such file or directory" readdir(path)
    @test_throws SystemError open(path)
end
withenv("KILN_TEST_VARIABLE" => "x") do
    @test ENV["KILN_TEST_VARIABLE"] == "x" && haskey(ENV, "KILN_TEST_VARIABLE") && ("KILN_TEST_VARIABLE" => "x") in collect(ENV)
end
@test get(ENV, "KILN_TEST_VARIABLE", "gone") == "gone"
@test_throws KeyError ENV["KILN_TEST_VARIABLE"]
io = IOBuffer()
redirect_stdout(() -> (print("caught "); println([1, 2])), io)
@test String(take!(io)) == "caught [1, 2]\n"
@test endswith(@__FILE__, "files_and_environment.jl") && @__LINE__() == 31
