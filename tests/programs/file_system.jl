# Files as the system keeps them: status, links, permissions, names; what fails says so with the system's number.
using Test

@testset "status" begin
    mktempdir() do dir
        cd(dir) do
            write("plain", "twelve bytes")
            s = stat("plain")
            @test isfile(s) && !isdir(s) && !islink(s) && filesize(s) == 12
            @test filesize("plain") == 12 && abs(mtime("plain") - time()) < 60
            @test !ispath("missing") && stat("missing").ioerrno == Base.UV_ENOENT
            @test stat("plain") == stat(joinpath(".", "plain"))
            chmod("plain", 0o640)
            @test filemode("plain") & 0o777 == 0o640 && uperm("plain") == 6 && gperm("plain") == 4 && operm("plain") == 0
            @test occursin("-rw-r-----", sprint(show, stat("plain")))
            @test Base.Filesystem.filemode_string(0o104755) == "-rwsr-xr-x"
            @test_throws ArgumentError stat("nul\0byte")
        end
    end
end

@testset "links" begin
    mktempdir() do dir
        cd(dir) do
            mkdir("folder")
            touch(joinpath("folder", "inside"))
            symlink("folder", "link")
            @test islink("link") && isdir("link") && readlink("link") == "folder"
            @test readdir("link") == ["inside"] && realpath("link") == joinpath(realpath(pwd()), "folder")
            hardlink(joinpath("folder", "inside"), "second")
            @test Base.samefile("second", joinpath("link", "inside")) && stat("second").nlink == 2
            cp("link", "copy")
            @test islink("copy")
            cp("link", "followed"; follow_symlinks = true)
            @test !islink("followed") && readdir("followed") == ["inside"]
            rm("link")
            @test isdir("folder")
            @test_throws Base.IOError rm("folder")
            rm("folder"; recursive = true)
            @test !ispath("copy") && islink("copy")
        end
    end
end

@testset "errors have names and numbers" begin
    mktempdir() do dir
        path = joinpath(dir, "none")
        for (f, call) in ((readdir, "readdir"), (rm, "unlink"), (cd, "cd"), (readlink, "readlink"), (realpath, "realpath"))
            e = try f(path) catch e; e end
            @test e isa Base.IOError && e.code == Base.UV_ENOENT
            @test e.msg == "$call($(repr(path))): no such file or directory (ENOENT)"
        end
        @test_throws Base._UVError("mkdir($(repr(dir)); mode=0o777)", Base.UV_EEXIST) mkdir(dir)
        e = try open(path) catch e; e end
        @test e isa SystemError && e.errnum == 2
        @test sprint(showerror, e) == "SystemError: opening file $(repr(path)): No such file or directory"
        @test_throws ArgumentError mv(dir, dir)
        @test_throws ArgumentError mkpath(path; mode = -1)
        @test rm(path; force = true) === nothing
    end
end

@testset "temporary names" begin
    path, io = mktemp()
    write(io, "text")
    close(io)
    @test read(path, String) == "text" && filemode(path) & 0o777 == 0o600
    @test length(basename(path)) == length("jl_") + 6
    rm(path)
    dir = mktempdir(prefix = "mine_")
    @test startswith(basename(dir), "mine_") && filemode(dir) & 0o777 == 0o700
    @test dirname(tempname(dir)) == dir && !ispath(tempname(dir; suffix = ".txt"))
    rm(dir)
    @test mktemp((p, f) -> (print(f, 1); p)) |> !ispath
end

@testset "a reader sees what is added to its file" begin
    path = tempname()
    out = open(path, "a")
    io = open(path)
    print(out, "ab"); flush(out)
    @test read(io, String) == "ab" && eof(io)
    print(out, "cd"); flush(out)
    @test !eof(io) && read(io, Char) == 'c' && read(io, String) == "d"
    close(out); close(io); rm(path)
end

@testset "standard output is flushed" begin
    # What is written to a file that stands in for it is there after a flush, while the stream stays open.
    path = tempname()
    open(path, "w") do out
        redirect_stdout(out) do
            print("ab")
            flush(stdout)
            @test read(path, String) == "ab"
        end
    end
    @test flush(stdout) === nothing && flush(stderr) === nothing
    rm(path)
end

@testset "walking" begin
    mktempdir() do dir
        mkpath(joinpath(dir, "a", "b"))
        touch(joinpath(dir, "a", "x"))
        touch(joinpath(dir, "y"))
        @test collect(walkdir(dir)) == [(dir, ["a"], ["y"]), (joinpath(dir, "a"), ["b"], ["x"]), (joinpath(dir, "a", "b"), String[], String[])]
        @test first.(collect(walkdir(dir; topdown = false)))[end] == dir
        steps = walkdir(dir)
        take!(steps)
        rm(joinpath(dir, "a"); recursive = true)
        @test_throws Base.IOError take!(steps)
    end
end

@testset "paths" begin
    @test splitdir("/a//b") == ("/a", "b") && splitdir("//b") == ("/", "b") && splitdir("b") == ("", "b")
    @test splitext("/x/.profile") == ("/x/.profile", "") && splitext("a.tar.gz") == ("a.tar", ".gz") && splitext("..rc") == ("..rc", "")
    @test normpath("/../a/./b/..") == "/a/" && normpath("a/..") == "." && normpath("../x/") == "../x/"
    @test relpath("/a/b/c", "/a/x") == "../b/c" && relpath("/a", "/a") == "." && relpath("/", "/a/b") == "../.."
    @test splitpath("/a/b/") == ["/", "a", "b"] && joinpath(["a", "b", "c"]) == "a/b/c"
    @test isdirpath("") && isdirpath("a/") && isdirpath("..") && !isdirpath("a")
    @test withenv(() -> (expanduser("~/x"), contractuser("/home/me/x")), "HOME" => "/home/me") == ("/home/me/x", "~/x")
    @test endswith(Base.Filesystem.uripath("/a b"), "/a%20b")
end

@testset "names of systems" begin
    @test Sys.iswindows(:NT) && !Sys.isunix(:Windows) && Sys.isbsd(:OpenBSD) && Sys.isapple(:Darwin)
    @test_throws ArgumentError Sys.isunix(:Plan9)
    @test Sys.total_memory() >= Sys.free_memory() > 0 && Libc.getpid() > 1
    @test Sys.which("sh") !== nothing && Sys.which("no such program") === nothing
end
