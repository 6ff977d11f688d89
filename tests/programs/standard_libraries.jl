# Standard libraries of which kiln has what one process without a network and C code can have; the rest is refused by name.
using Test, Base64, Distributed, Sockets, Libdl, Markdown, Mmap, Profile, Artifacts, SharedArrays
import Future

@test base64encode("hello, world") == "aGVsbG8sIHdvcmxk" && base64decode("aGVsbG8=") == codeunits("hello")
@test [base64encode(fill(0xff, n)) for n in 0:3] == ["", "/w==", "//8=", "////"]
let buffer = IOBuffer(), pipe = Base64EncodePipe(buffer)
    write(pipe, "ab")
    write(pipe, "cd")
    close(pipe)
    @test String(take!(buffer)) == "YWJjZA==" && read(Base64DecodePipe(IOBuffer("YWJjZA==")), String) == "abcd"
end

@test nprocs() == nworkers() == myid() == 1 && workers() == [1]
@test pmap(x -> x^2, 1:3) == [1, 4, 9] && fetch(@spawnat 1 2 + 3) == 5 && remotecall_fetch(+, 1, 2, 3) == 5
@test (@distributed (+) for i in 1:4
    i^2
end) == 30
@test_throws RemoteException fetch(remotecall(() -> error("no"), 1))
@test_throws Base.UnsupportedError addprocs(2)
@test_throws Base.UnsupportedError remotecall(identity, 2, 1)
@everywhere defined_everywhere() = 7
@test defined_everywhere() == 7
channel = RemoteChannel(() -> Channel{Int}(2))
put!(channel, 4)
@test take!(channel) == 4

@test string(ip"10.0.0.1") == "10.0.0.1" && parse(IPv6, "2001:db8::ff00:42:8329").host == 0x20010db8000000000000ff0000428329
@test string(ip"::1") == "::1" && string(IPv6(0)) == "::" && repr(ip"1:0:0:2::") == "ip\"1:0:0:2::\""
@test_throws ArgumentError parse(IPv4, "1.2.3")
@test_throws Base.UnsupportedError connect("localhost", 80)

@test dlopen("libm"; throw_error = false) === nothing && find_library("libm") == "" && dlext == "so"
@test_throws Base.UnsupportedError dlopen("libm")
@test sprint(show, MIME("text/plain"), md"# Title") == "# Title" && Markdown.parse("a") == md"a"
@test_throws Base.UnsupportedError Markdown.html(md"a")
@test_throws Base.UnsupportedError mmap("file")
@test_throws Base.UnsupportedError SharedArray{Int}(3)
@test sdata([1]) == [1]
@test Future.copy!([1], [2, 3]) == [2, 3]
@test find_artifacts_toml(@__DIR__) === nothing && !artifact_exists(Base.SHA1("0"^40))

using Base.BinaryPlatforms
let p = Platform("x86_64", "linux"; libgfortran_version = v"5", cxxstring_abi = "cxx11")
    @test triplet(p) == "x86_64-linux-gnu-libgfortran5-cxx11" && parse(Platform, triplet(p)) == p
    @test libc(p) == "glibc" && wordsize(p) == 64 && platform_dlext(p) == "so"
    @test platforms_match(p, Platform("x86_64", "linux")) && !platforms_match(p, Platform("x86_64", "linux"; libc = "musl"))
    found = Dict(Platform("x86_64", "linux") => 1, Platform("x86_64", "linux"; cxxstring_abi = "cxx11") => 2, Platform("aarch64", "macos") => 3)
    @test select_platform(found, p) == 2 && select_platform(found, Platform("i686", "windows")) === nothing
    @test triplet(Platform("aarch64", "macos"; os_version = v"20")) == "aarch64-apple-darwin20" && tryparse(Platform, "nothing") === nothing
end
# Texts of C, and the selection that packages extend.
@test unsafe_string(Base.unsafe_convert(Cstring, "text")) == "text"
@test_throws ArgumentError Base.unsafe_convert(Cstring, "a\0b")
struct Mask end
Base.ifelse(::Mask, a, b) = (a, b)
@test ifelse(Mask(), 1, 2) == (1, 2) && ifelse(true, 1, 2) == 1
@test_throws MethodError ifelse(1, 2, 3)
