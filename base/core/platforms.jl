# Platforms that binary packages are made for, by their tags, and the identifiers of files that they download.

# A hash by SHA-1: 20 bytes.
struct SHA1
    bytes::NTuple{20, UInt8}
end
SHA1(bytes::AbstractVector{UInt8}) = length(bytes) == 20 ? SHA1(ntuple(k -> bytes[k], 20)) :
    throw(ArgumentError(string("wrong number of bytes for SHA1 hash: ", length(bytes))))
SHA1(s::AbstractString) = SHA1(hex2bytes(s))
parse(::Type{SHA1}, s::AbstractString) = SHA1(s)
tryparse(::Type{SHA1}, s::AbstractString) = length(s) == 40 && all(isxdigit, s) ? SHA1(s) : nothing
string(h::SHA1) = bytes2hex(collect(h.bytes))
print(io::IO, h::SHA1) = print(io, string(h))
show(io::IO, h::SHA1) = print(io, "SHA1(\"", h, "\")")
isless(a::SHA1, b::SHA1) = isless(a.bytes, b.bytes)

# Julia's own LLVM in this version; kiln's is another one, of which no Julia code depends.
const libllvm_version_string = "18.1.7jl"
const libllvm_version = VersionNumber(18, 1, 7)

module BinaryPlatforms

import ..Base: VersionNumber, ==, hash, parse, tryparse, show, getindex, haskey, get, setindex!, Sys
export AbstractPlatform, Platform, HostPlatform, platform_dlext, tags, arch, os, os_version, libc, call_abi, wordsize,
    triplet, select_platform, platforms_match, platform_name, libgfortran_version, libstdcxx_version, cxxstring_abi,
    parse_dl_name_version, detect_libgfortran_version, detect_libstdcxx_version, detect_cxxstring_abi

# What processors of a family can do beyond what all of them can.
module CPUID

import ..Base: <, <=, isless
export cpu_isa

# The family that a name means.
const aliases = Dict("amd64" => "x86_64", "i386" => "i686", "i486" => "i686", "i586" => "i686", "armv6" => "armv6l", "arm" => "armv7l",
    "armv7" => "armv7l", "armv8" => "armv7l", "armv8l" => "armv7l", "arm64" => "aarch64", "ppc64le" => "powerpc64le")
normalize_arch(name::String) = (name = lowercase(name); get(aliases, name, name))

struct ISA
    features::Set{UInt32}
end
<=(a::ISA, b::ISA) = a.features <= b.features
<(a::ISA, b::ISA) = a.features < b.features
isless(a::ISA, b::ISA) = a < b

# Abilities by their names in `/proc/cpuinfo`; a number of a feature is its place here.
const feature_names = ["sse3", "ssse3", "sse4_1", "sse4_2", "popcnt", "avx", "aes", "pclmulqdq", "movbe", "avx2", "fsgsbase", "rdrand",
    "fma", "bmi1", "bmi2", "f16c", "rdseed", "adx", "3dnowprefetch", "clflushopt", "xsavec", "xsaves", "pku", "avx512f", "clwb", "avx512vl",
    "avx512bw", "avx512dq", "avx512cd", "neon", "vfpv4", "atomics", "crc32", "asimdrdm", "sha2", "dcpop", "fcma", "fphp", "sve", "sha3",
    "asimdfhm", "asimddp", "lrcpc", "flagm"]
feature_numbers(names) = Set(UInt32(k) for (k, name) in enumerate(feature_names) if name in names)
# Each processor can do what the one before it can, and more.
function successors(steps::Pair...)
    names = String[]
    isas = Pair{String, ISA}[]
    for (processor, more) in steps
        append!(names, split(more))
        push!(isas, processor => ISA(feature_numbers(names)))
    end
    isas
end
const ISAs_by_family = Dict(
    "i686" => successors("pentium4" => "", "prescott" => "sse3"),
    "x86_64" => successors("x86_64" => "", "core2" => "sse3 ssse3", "nehalem" => "sse4_1 sse4_2 popcnt",
        "sandybridge" => "avx aes pclmulqdq", "haswell" => "movbe avx2 fsgsbase rdrand fma bmi1 bmi2 f16c",
        "skylake" => "rdseed adx 3dnowprefetch clflushopt xsavec xsaves",
        "skylake_avx512" => "pku avx512f clwb avx512vl avx512bw avx512dq avx512cd"),
    "armv6l" => successors("arm1176jzfs" => ""),
    "armv7l" => successors("armv7l" => "", "armv7l+neon" => "neon", "armv7l+neon+vfpv4" => "vfpv4"),
    "aarch64" => [successors("armv8.0-a" => "", "armv8.1-a" => "atomics crc32 asimdrdm", "armv8.2-a+crypto" => "aes sha2");
        successors("a64fx" => "atomics crc32 asimdrdm sha2 dcpop fcma fphp sve");
        successors("apple_m1" => "atomics crc32 asimdrdm aes sha2 sha3 dcpop fcma fphp asimdfhm asimddp lrcpc flagm")],
    "riscv64" => successors("riscv64" => ""), "powerpc64le" => successors("power8" => ""))
function features_of_host()
    Base.ispath("/proc/cpuinfo") || return UInt32[]
    for line in eachline("/proc/cpuinfo")
        name, list = split(line * ":", ':')
        strip(name) in ("flags", "Features") && return feature_numbers([it == "pni" ? "sse3" : it for it in split(list)])
    end
    UInt32[]
end
test_cpu_feature(feature::UInt32) = feature in features_of_host()

"""
    cpu_isa()

What the processor of this session can do, of the features in `ISAs_by_family`.
"""
function cpu_isa()
    family = get(ISAs_by_family, normalize_arch(string(Base.Sys.ARCH)), Pair{String, ISA}[])
    ISA(intersect(reduce(union, (isa.features for (_, isa) in family); init = Set{UInt32}()), features_of_host()))
end

end
using .CPUID

abstract type AbstractPlatform end

"""
    Platform(arch, os; tags...)

What a binary is made for: a processor, a system, and more tags, as texts.
"""
struct Platform <: AbstractPlatform
    tags::Dict{String, String}
    # How a tag is compared with another platform's, where that is not by equality.
    compare_strategies::Dict{String, Function}
    function Platform(arch::String, os::String, tags::Dict{String}; validate_strict::Bool = false,
            compare_strategies::Dict{String, <:Function} = Dict{String, Function}())
        arch, os = CPUID.normalize_arch(arch), lowercase(os)
        all_tags = Dict{String, String}("arch" => arch, "os" => os)
        for (tag, value) in tags
            tag = lowercase(tag)
            tag in ("arch", "os") && throw(ArgumentError(string("Cannot double-pass key ", tag)))
            value === nothing || set_tag!(all_tags, tag, value)
        end
        os == "linux" && get!(all_tags, "libc", "glibc")
        os == "linux" && arch in ("armv7l", "armv6l") && get!(all_tags, "call_abi", "eabihf")
        validate_strict && validate_tags(all_tags)
        strategies = Dict{String, Function}(compare_strategies)
        haskey(all_tags, "julia_version") && get!(strategies, "julia_version", compare_julia_version)
        new(all_tags, strategies)
    end
end
Platform(arch::String, os::String; validate_strict::Bool = false, compare_strategies::Dict{String, <:Function} = Dict{String, Function}(),
    kws...) = Platform(arch, os, Dict{String, Any}(string(k) => v for (k, v) in kws); validate_strict, compare_strategies)
const versions = ("libgfortran_version", "libstdcxx_version", "os_version")
function tag_value(tag, value)
    tag in versions || return lowercase(string(value))
    number = value isa VersionNumber ? value : tryparse(VersionNumber, string(value))
    lowercase(string(something(number, value)))
end
# Texts that could not be parts of a triplet or of a file's name.
const separators = "+- /<>:\"'\\|?*"
function set_tag!(tags, tag, value)
    text = tag_value(tag, value)
    for (what, it) in (("name", tag), ("value", text))
        any(in(separators), it) && throw(ArgumentError(string("Invalid character in tag ", what, " ", repr(it), "!")))
    end
    tags[tag] = text
end
# Whether there are such platforms, as far as the tags with a meaning go.
function validate_tags(tags)
    arch, os = tags["arch"], tags["os"]
    haskey(systems, os) || throw_tag(tags, "os")
    arch in architectures || throw_tag(tags, "arch")
    arch in get(architectures_of, os, architectures) || throw_tag(tags, "os", "arch")
    libc, abi = get(tags, "libc", nothing), get(tags, "call_abi", nothing)
    (os == "linux" ? haskey(libraries, libc) : libc === nothing) || throw_tag(tags, "os", "libc")
    (os == "linux" && arch in ("armv7l", "armv6l") ? abi in ("eabihf", "eabi") : abi === nothing) ||
        throw_tag(tags, "os", "arch", "call_abi")
    get(tags, "cxxstring_abi", "cxx11") in ("cxx03", "cxx11") || throw_tag(tags, "cxxstring_abi")
    for tag in ("libgfortran_version", "libstdcxx_version")
        tryparse(VersionNumber, get(tags, tag, "1")) === nothing && throw_tag(tags, tag)
    end
end
@noinline throw_tag(tags, names...) =
    throw(ArgumentError(string("Invalid ", join(names, "/"), " of a platform: ", join((get(tags, it, "nothing") for it in names), "/"))))

"""
    tags(p)

The tags of a platform.
"""
tags(p::Platform) = p.tags
getindex(p::AbstractPlatform, tag::String) = getindex(tags(p), tag)
haskey(p::AbstractPlatform, tag::String) = haskey(tags(p), tag)
get(p::AbstractPlatform, tag::String, default) = get(tags(p), tag, default)
setindex!(p::AbstractPlatform, value::String, tag::String) = (set_tag!(tags(p), tag, value); p)
==(a::AbstractPlatform, b::AbstractPlatform) = tags(a) == tags(b)
==(a::Platform, b::Platform) = a.tags == b.tags && a.compare_strategies == b.compare_strategies
hash(p::Platform, h::UInt) = hash(p.compare_strategies, hash(p.tags, hash(:Platform, h)))

arch(p::AbstractPlatform) = get(tags(p), "arch", nothing)
os(p::AbstractPlatform) = get(tags(p), "os", nothing)
os() = Base.Sys.KERNEL === :Darwin ? "macos" : lowercase(string(Base.Sys.KERNEL))
libc(p::AbstractPlatform) = get(tags(p), "libc", nothing)
call_abi(p::AbstractPlatform) = get(tags(p), "call_abi", nothing)
cxxstring_abi(p::AbstractPlatform) = get(tags(p), "cxxstring_abi", nothing)
version_tag(p, tag) = haskey(p, tag) ? VersionNumber(p[tag]) : nothing
os_version(p::AbstractPlatform) = version_tag(p, "os_version")
libgfortran_version(p::AbstractPlatform) = version_tag(p, "libgfortran_version")
libstdcxx_version(p::AbstractPlatform) = version_tag(p, "libstdcxx_version")
wordsize(p::AbstractPlatform) = arch(p) in ("i686", "armv6l", "armv7l") ? 32 : 64
const platform_names = Dict("linux" => "Linux", "macos" => "macOS", "windows" => "Windows", "freebsd" => "FreeBSD", "openbsd" => "OpenBSD")
platform_name(p::AbstractPlatform) = get(platform_names, os(p), os(p))
platform_dlext(p::AbstractPlatform = HostPlatform()) = os(p) == "windows" ? "dll" : os(p) == "macos" ? "dylib" : "so"

# The tags as one name: the three parts of compilers, with more tags after them.
const systems = Dict("linux" => "-linux", "macos" => "-apple-darwin", "windows" => "-w64-mingw32", "freebsd" => "-unknown-freebsd",
    "openbsd" => "-unknown-openbsd")
const architectures = ("x86_64", "i686", "aarch64", "armv7l", "armv6l", "powerpc64le", "riscv64")
# The processors of the systems that do not run on all of them.
const architectures_of = Dict("windows" => ("x86_64", "i686", "armv7l", "aarch64"), "macos" => ("x86_64", "aarch64"))
const libraries = Dict("glibc" => "-gnu", "musl" => "-musl")
const in_triplet = ("arch", "os", "os_version", "libc", "call_abi", "libgfortran_version", "libstdcxx_version", "cxxstring_abi")
function triplet(p::AbstractPlatform)
    name = string(arch(p), get(systems, os(p), "-unknown"))
    version = os_version(p)
    version === nothing || (name = string(name, version.major))
    libc(p) === nothing || (name = string(name, get(libraries, libc(p), "")))
    call_abi(p) === nothing || (name = string(name, call_abi(p)))
    version = libgfortran_version(p)
    version === nothing || (name = string(name, "-libgfortran", version.major))
    cxxstring_abi(p) === nothing || (name = string(name, "-", cxxstring_abi(p)))
    version = libstdcxx_version(p)
    version === nothing || (name = string(name, "-libstdcxx", version.patch))
    for tag in sort!(collect(keys(tags(p))))
        tag in in_triplet || (name = string(name, "-", tag, "+", tags(p)[tag]))
    end
    name
end
function show(io::IO, p::Platform)
    print(io, "Platform(", repr(arch(p)), ", ", repr(os(p)), "; ")
    join(io, (string(tag, " = ", repr(value)) for (tag, value) in other_tags(p)), ", ")
    print(io, ")")
end
function show(io::IO, ::MIME"text/plain", p::Platform)
    print(io, platform_name(p), " ", arch(p))
    others = other_tags(p)
    isempty(others) || print(io, " {", join((string(tag, "=", value) for (tag, value) in others), ", "), "}")
end
other_tags(p) = sort!([tag => value for (tag, value) in tags(p) if tag != "arch" && tag != "os"])

# The parts of a triplet: a system's name may be two of them, and end in the version.
function tryparse(::Type{Platform}, text::AbstractString; validate_strict::Bool = false)
    parts = split(text, '-')
    made_for = CPUID.normalize_arch(String(first(parts)))
    made_for in architectures || return nothing
    found = Dict{String, Any}()
    system = nothing
    for part in parts[2:end]
        if part == "linux"
            system = "linux"
        elseif startswith(part, "darwin") || startswith(part, "freebsd") || startswith(part, "openbsd")
            name = first(name for name in ("darwin", "freebsd", "openbsd") if startswith(part, name))
            system = name == "darwin" ? "macos" : name
            length(part) > length(name) && (found["os_version"] = part[(length(name) + 1):end])
        elseif part == "mingw32"
            system = "windows"
        elseif part in ("apple", "unknown", "w64", "pc")
        elseif startswith(part, "gnu") || startswith(part, "musl")
            found["libc"] = startswith(part, "gnu") ? "glibc" : "musl"
            abi = part[(startswith(part, "gnu") ? 4 : 5):end]
            isempty(abi) || (found["call_abi"] = abi)
        elseif startswith(part, "libgfortran")
            found["libgfortran_version"] = part[12:end]
        elseif haskey(fortran_of_compilers, part)
            found["libgfortran_version"] = fortran_of_compilers[part]
        elseif startswith(part, "libstdcxx")
            found["libstdcxx_version"] = string("3.4.", part[10:end])
        elseif part in ("cxx03", "cxx11")
            found["cxxstring_abi"] = part
        elseif '+' in part
            tag, value = split(part, '+'; limit = 2)
            found[String(tag)] = String(value)
        else
            return nothing
        end
    end
    system === nothing ? nothing : Platform(made_for, system, found; validate_strict)
end
# Older triplets name the compiler.
const fortran_of_compilers = Dict("gcc4" => "3", "gcc7" => "4", "gcc8" => "5")
function parse(::Type{Platform}, text::AbstractString; validate_strict::Bool = false)
    found = tryparse(Platform, text; validate_strict)
    found === nothing ? throw(ArgumentError(string("Platform `", text, "` is not an officially supported platform"))) : found
end

"""
    HostPlatform()
    HostPlatform(p)

The platform of this session, with Julia's version; or `p` as a host, whose versions of the system and of the C++ library are the
highest that it runs.
"""
HostPlatform() = HostPlatform(Platform(string(Base.Sys.ARCH), os();
    julia_version = string(Base.VERSION.major, ".", Base.VERSION.minor, ".", Base.VERSION.patch)))
function HostPlatform(p::AbstractPlatform)
    for tag in ("os_version", "libstdcxx_version")
        haskey(p, tag) && set_compare_strategy!(p, tag, compare_version_cap)
    end
    p
end
host_triplet() = triplet(HostPlatform())

# Platforms match where each tag that both have is accepted.
function platforms_match(a::AbstractPlatform, b::AbstractPlatform)
    all(intersect(keys(tags(a)), keys(tags(b)))) do tag
        strategy = strategy_of(a, b, tag)
        strategy === nothing ? tags(a)[tag] == tags(b)[tag] :
            strategy(tags(a)[tag], tags(b)[tag], has_strategy(a, tag), has_strategy(b, tag))
    end
end
platforms_match(a::AbstractString, b::AbstractPlatform) = platforms_match(parse(Platform, a), b)
platforms_match(a::AbstractPlatform, b::AbstractString) = platforms_match(a, parse(Platform, b))
has_strategy(p, tag) = p isa Platform && haskey(p.compare_strategies, tag)
strategy_of(a, b, tag) = has_strategy(a, tag) ? a.compare_strategies[tag] : has_strategy(b, tag) ? b.compare_strategies[tag] : nothing
check_tag(p, tag, what) = haskey(p.tags, tag) ||
    throw(ArgumentError(string("Cannot ", what, " comparison strategy for nonexistent tag ", tag, "!")))
set_compare_strategy!(p::Platform, tag::String, f::Function) = (check_tag(p, tag, "set"); p.compare_strategies[tag] = f)
get_compare_strategy(p::Platform, tag::String, default = compare_default) = (check_tag(p, tag, "get"); get(p.compare_strategies, tag, default))
get_compare_strategy(p::AbstractPlatform, tag::String, default = compare_default) = default
compare_default(a::String, b::String, a_asks::Bool, b_asks::Bool) = a == b
# Patches of Julia do not change what binaries need.
function compare_julia_version(a::String, b::String, a_asks::Bool, b_asks::Bool)
    x, y = VersionNumber(a), VersionNumber(b)
    x.major == y.major && x.minor == y.minor
end
# A number of the one that asks is the least version that will do.
compare_version_cap(a::String, b::String, a_asks::Bool, b_asks::Bool) =
    a_asks && b_asks ? a == b : a_asks ? VersionNumber(b) <= VersionNumber(a) : VersionNumber(a) <= VersionNumber(b)

"""
    select_platform(info, platform)

The value in a dictionary by platforms that matches one best, with fewest tags that it lacks; `nothing` if none does.
"""
function select_platform(info::Dict, platform::AbstractPlatform = HostPlatform())
    fitting = filter(p -> platforms_match(p, platform), collect(keys(info)))
    isempty(fitting) && return nothing
    unasked(p) = count(tag -> !haskey(platform, tag), keys(tags(p)))
    fewest = minimum(unasked, fitting)
    info[argmax(triplet, filter(p -> unasked(p) == fewest, fitting))]
end


# The name and the version, or `nothing`, that a shared library's file has in its name.
function parse_dl_name_version(path::String, os::String = os())
    file = basename(path)
    parts = os == "windows" ? dl_parts(file, ".dll", '-') : os == "macos" ? dl_parts(file, ".dylib", '.') : versioned_dl_parts(file)
    parts === nothing && throw(ArgumentError(string("Invalid dynamic library path '", path, "'")))
    name, version = parts
    (name, version == "" ? nothing : VersionNumber(version))
end
is_version(text) = !isempty(text) && all(it -> !isempty(it) && all(isdigit, it), split(text, '.'))
# The version before the extension: the longest that is one.
function dl_parts(file, extension, separator)
    endswith(file, extension) || return nothing
    name = chopsuffix(file, extension)
    for at in findall(separator, name)
        is_version(name[(at + 1):end]) && return (String(name[1:(at - 1)]), String(name[(at + 1):end]))
    end
    (String(name), "")
end
# The version behind the extension.
function versioned_dl_parts(file)
    endswith(file, ".so") && return (String(chopsuffix(file, ".so")), "")
    at = findfirst(".so.", file)
    at === nothing || !is_version(file[(last(at) + 1):end]) ? nothing : (file[1:(first(at) - 1)], file[(last(at) + 1):end])
end
# kiln's process loads neither library.
detect_libgfortran_version() = nothing
detect_libstdcxx_version(max_minor_version::Int = 30) = nothing
detect_cxxstring_abi() = nothing

for (name, systems) in (:islinux => ("linux",), :iswindows => ("windows",), :isapple => ("macos",), :isfreebsd => ("freebsd",),
        :isopenbsd => ("openbsd",), :isbsd => ("freebsd", "openbsd", "macos"))
    @eval Sys.$name(p::AbstractPlatform) = os(p) in $systems
end

end
