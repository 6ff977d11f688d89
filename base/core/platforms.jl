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

import ..Base: VersionNumber, ==, hash, parse, tryparse, show, getindex, haskey, get, setindex!
export AbstractPlatform, Platform, HostPlatform, platform_dlext, tags, arch, os, os_version, libc, compiler_abi, call_abi, wordsize,
    triplet, select_platform, platforms_match, platform_name, libgfortran_version, libstdcxx_version, cxxstring_abi

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
        all_tags = Dict{String, String}("arch" => lowercase(arch), "os" => lowercase(os))
        for (tag, value) in tags
            tag = lowercase(tag)
            tag in ("arch", "os") && throw(ArgumentError(string("Cannot double-pass key ", tag)))
            value === nothing || (all_tags[tag] = tag_value(tag, value))
        end
        os == "linux" && get!(all_tags, "libc", "glibc")
        os == "linux" && arch in ("armv7l", "armv6l") && get!(all_tags, "call_abi", "eabihf")
        new(all_tags, Dict{String, Function}(compare_strategies))
    end
end
Platform(arch::String, os::String; validate_strict::Bool = false, compare_strategies::Dict{String, <:Function} = Dict{String, Function}(),
    kws...) = Platform(arch, os, Dict{String, Any}(string(k) => v for (k, v) in kws); validate_strict, compare_strategies)
const versions = ("libgfortran_version", "libstdcxx_version", "os_version")
function tag_value(tag, value)
    tag in versions || return lowercase(string(value))
    number = value isa VersionNumber ? value : tryparse(VersionNumber, string(value))
    number === nothing ? throw(ArgumentError(string(tag, " is no version: ", repr(value)))) : string(number)
end

"""
    tags(p)

The tags of a platform.
"""
tags(p::Platform) = p.tags
getindex(p::AbstractPlatform, tag::String) = getindex(tags(p), tag)
haskey(p::AbstractPlatform, tag::String) = haskey(tags(p), tag)
get(p::AbstractPlatform, tag::String, default) = get(tags(p), tag, default)
setindex!(p::AbstractPlatform, value::String, tag::String) = (tags(p)[tag] = tag_value(tag, value); p)
==(a::AbstractPlatform, b::AbstractPlatform) = tags(a) == tags(b)
hash(p::Platform, h::UInt) = hash(p.tags, hash(:Platform, h))

arch(p::AbstractPlatform) = get(tags(p), "arch", nothing)
os(p::AbstractPlatform) = get(tags(p), "os", nothing)
libc(p::AbstractPlatform) = get(tags(p), "libc", nothing)
call_abi(p::AbstractPlatform) = get(tags(p), "call_abi", nothing)
cxxstring_abi(p::AbstractPlatform) = get(tags(p), "cxxstring_abi", nothing)
version_tag(p, tag) = haskey(p, tag) ? VersionNumber(p[tag]) : nothing
os_version(p::AbstractPlatform) = version_tag(p, "os_version")
libgfortran_version(p::AbstractPlatform) = version_tag(p, "libgfortran_version")
libstdcxx_version(p::AbstractPlatform) = version_tag(p, "libstdcxx_version")
wordsize(p::AbstractPlatform) = arch(p) in ("x86_64", "aarch64", "powerpc64le", "riscv64") ? 64 : 32
const platform_names = Dict("linux" => "Linux", "macos" => "macOS", "windows" => "Windows", "freebsd" => "FreeBSD", "openbsd" => "OpenBSD")
platform_name(p::AbstractPlatform) = get(platform_names, os(p), os(p))
platform_dlext(p::AbstractPlatform = HostPlatform()) = os(p) == "windows" ? "dll" : os(p) == "macos" ? "dylib" : "so"

# The tags as one name: the three parts of compilers, with more tags after them.
const systems = Dict("linux" => "-linux", "macos" => "-apple-darwin", "windows" => "-w64-mingw32", "freebsd" => "-unknown-freebsd",
    "openbsd" => "-unknown-openbsd")
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
show(io::IO, p::Platform) = print(io, platform_name(p), " ", arch(p), " {",
    join((string(k, "=", tags(p)[k]) for k in sort!(collect(keys(tags(p)))) if k != "arch" && k != "os"), ", "), "}")

const architectures = Dict("x86_64" => "x86_64", "amd64" => "x86_64", "i686" => "i686", "i386" => "i686", "i586" => "i686",
    "aarch64" => "aarch64", "arm64" => "aarch64", "armv7l" => "armv7l", "arm" => "armv7l", "armv6l" => "armv6l",
    "powerpc64le" => "powerpc64le", "ppc64le" => "powerpc64le", "riscv64" => "riscv64")
# The parts of a triplet: a system's name may be two of them, and end in the version.
function tryparse(::Type{Platform}, text::AbstractString)
    parts = split(text, '-')
    made_for = get(architectures, first(parts), nothing)
    made_for === nothing && return nothing
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
    system === nothing ? nothing : Platform(made_for, system, found)
end
function parse(::Type{Platform}, text::AbstractString; validate_strict::Bool = false)
    found = tryparse(Platform, text)
    found === nothing ? throw(ArgumentError(string("Platform `", text, "` is not an officially supported platform"))) : found
end

"""
    HostPlatform()

The platform of this session, with Julia's version.
"""
function HostPlatform()
    system = Base.Sys.KERNEL === :Linux ? "linux" : Base.Sys.KERNEL === :Darwin ? "macos" : lowercase(string(Base.Sys.KERNEL))
    Platform(string(Base.Sys.ARCH), system; julia_version = string(Base.VERSION.major, ".", Base.VERSION.minor, ".", Base.VERSION.patch))
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
set_compare_strategy!(p::Platform, tag::String, f::Function) = (p.compare_strategies[tag] = f; nothing)
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

end
