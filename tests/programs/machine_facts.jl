# Facts about the machine: processors, users, names of libraries, platforms.
using Test, Base.BinaryPlatforms, Base.BinaryPlatforms.CPUID

cpu = Base.Sys.CPUinfo("A processor", 2400, 1234567, 0, 100, 89000, 0)
@test repr("text/plain", cpu) == "A processor: \n        speed         user         nice          sys         idle          irq\n" *
    "     2400 MHz      12346 s          0 s          1 s        890 s          0 s"
@test count("\n", sprint(Sys.cpu_summary, [cpu, cpu])) == 4
@test Sys.uptime() >= 0 && length(Sys.loadavg()) == 3 && Sys.cpu_info() isa Vector{Base.Sys.CPUinfo}
@test Libc.getpwuid(Libc.getuid()).username == Sys.username()
@test Sys.detectwsl() isa Bool

p = Platform("AMD64", "linux"; libgfortran_version = v"5", julia_version = "1.12.1")
@test eval(Meta.parse(repr(p))) == p && parse(Platform, triplet(p)) == p
@test platforms_match(p, Platform("x86_64", "linux"; julia_version = "1.12.0"))
@test_throws ArgumentError Platform("x86_64", "linux"; libc = "other", validate_strict = true)
@test_throws ArgumentError Platform("i686", "macos"; validate_strict = true)
@test_throws ArgumentError Platform("x86_64", "linux"; tag = "a+b")
host = HostPlatform(Platform("x86_64", "macos"; os_version = "14"))
@test platforms_match(host, Platform("x86_64", "macos"; os_version = "13"))
@test !platforms_match(host, Platform("x86_64", "macos"; os_version = "15"))
@test parse_dl_name_version("a/liba.so.3.4", "linux") == ("liba", v"3.4")
@test parse_dl_name_version("liba-3.dll", "windows") == ("liba", v"3")
@test parse_dl_name_version("liba.3.4a.dylib", "macos") == ("liba.3.4a", nothing)
@test_throws ArgumentError parse_dl_name_version("liba", "linux")
@test Sys.islinux(p) && Sys.isbsd(host) && !Sys.iswindows(p)
@test CPUID.cpu_isa() isa CPUID.ISA
isa_of(n) = CPUID.ISAs_by_family["x86_64"][n].second
@test isa_of(2) < isa_of(4) && !(isa_of(4) < isa_of(2))
