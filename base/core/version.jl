# Versions: three numbers, what marks a version before a release, and what marks a build after it.

const VersionParts = Tuple{Vararg{Union{UInt64, String}}}
"""
    VersionNumber(major, minor, patch, prerelease, build)

A version in the sense of semantic versioning; `v"..."` writes it.
"""
struct VersionNumber
    major::UInt32
    minor::UInt32
    patch::UInt32
    prerelease::VersionParts
    build::VersionParts
    function VersionNumber(major::Integer, minor::Integer, patch::Integer, pre::Tuple{Vararg{Union{Integer, AbstractString}}},
            build::Tuple{Vararg{Union{Integer, AbstractString}}})
        major >= 0 || throw(ArgumentError(string("invalid negative major version: ", major)))
        minor >= 0 || throw(ArgumentError(string("invalid negative minor version: ", minor)))
        patch >= 0 || throw(ArgumentError(string("invalid negative patch version: ", patch)))
        # One empty part alone stands before all others, or behind them.
        foreach(x -> check_version_part("prerelease", x, length(pre) == 1 && isempty(build)), pre)
        foreach(x -> check_version_part("build", x, length(build) == 1), build)
        new(major, minor, patch, map(version_part, pre), map(version_part, build))
    end
end
version_part(x::Integer) = UInt64(x)
version_part(x::AbstractString) = String(x)
check_version_part(what, x::Integer, alone) = x >= 0 || throw(ArgumentError(string("invalid negative ", what, " identifier: ", x)))
function check_version_part(what, x::AbstractString, alone)
    good = isempty(x) ? alone : all(is_version_char, x) && !all(isdigit, x)
    good || throw(ArgumentError(string("invalid ", what, " identifier: ", repr(x))))
end
is_version_char(c) = isascii(c) && (isletter(c) || isdigit(c) || c == '-')
VersionNumber(major::Integer, minor::Integer = 0, patch::Integer = 0, pre::Tuple = ()) = VersionNumber(major, minor, patch, pre, ())
VersionNumber(v::Tuple) = VersionNumber(v...)
VersionNumber(v::VersionNumber) = v
VersionNumber(s::AbstractString) = parse(VersionNumber, s)
convert(::Type{VersionNumber}, v) = VersionNumber(v)
convert(::Type{VersionNumber}, v::VersionNumber) = v
broadcastable(v::VersionNumber) = Ref(v)

function parse(::Type{VersionNumber}, s::AbstractString)
    v = tryparse(VersionNumber, s)
    v === nothing && throw(ArgumentError(string("invalid version string: ", s)))
    v
end
function tryparse(::Type{VersionNumber}, s::AbstractString)
    s == "∞" && return typemax(VersionNumber)
    text = String(startswith(s, "v") ? SubString(s, 2) : SubString(s))
    body, plus, build = cut_at(text, '+')
    # A minus sign separates; letters may follow the numbers without one.
    k = findfirst(c -> !(isdigit(c) || c == '.'), body)
    numbers, pre, marked = k === nothing ? (body, "", false) :
        body[k] == '-' ? (body[1:(k - 1)], body[(k + 1):end], true) : (body[1:(k - 1)], body[k:end], true)
    nums = split(numbers, '.')
    1 <= length(nums) <= 3 && all(x -> !isempty(x) && all(isdigit, x), nums) || return nothing
    values = map(x -> tryparse(UInt32, x), nums)
    any(isnothing, values) && return nothing
    pres, builds = version_parts(pre, marked), version_parts(build, plus)
    (pres === nothing || builds === nothing) && return nothing
    plus && pres == ("",) && return nothing
    VersionNumber(values[1], length(values) > 1 ? values[2] : 0, length(values) > 2 ? values[3] : 0, pres, builds)
end
cut_at(s, c) = (i = findfirst(c, s); i === nothing ? (s, false, "") : (s[1:(i - 1)], true, s[(i + 1):end]))
function version_parts(s, marked)
    marked || return ()
    isempty(s) && return ("",)
    parts = split(s, '.')
    all(p -> !isempty(p) && all(is_version_char, p), parts) || return nothing
    Tuple(all(isdigit, p) ? parse(UInt64, p) : String(p) for p in parts)
end
"""
    v"1.2.3"

A `VersionNumber`.
"""
macro v_str(s)
    VersionNumber(s)
end

# Order: numbers, then what comes before the release, then builds; an empty part of a build stands behind all.
part_cmp(a::UInt64, b::UInt64) = cmp(a, b)
part_cmp(a::String, b::String) = cmp(a, b)
part_cmp(a::UInt64, b::String) = isempty(b) ? 1 : -1
part_cmp(a::String, b::UInt64) = isempty(a) ? -1 : 1
function parts_cmp(a::Tuple, b::Tuple)
    for i in 1:min(length(a), length(b))
        c = part_cmp(a[i], b[i])
        c == 0 || return c
    end
    cmp(length(a), length(b))
end
function cmp(a::VersionNumber, b::VersionNumber)
    c = cmp((a.major, a.minor, a.patch), (b.major, b.minor, b.patch))
    c == 0 || return c
    isempty(a.prerelease) == isempty(b.prerelease) || return isempty(a.prerelease) ? 1 : -1
    c = parts_cmp(a.prerelease, b.prerelease)
    c == 0 || return c
    isempty(a.build) == isempty(b.build) || return isempty(a.build) ? -1 : 1
    (a.build == ("",)) == (b.build == ("",)) || return a.build == ("",) ? 1 : -1
    parts_cmp(a.build, b.build)
end
isless(a::VersionNumber, b::VersionNumber) = cmp(a, b) < 0
==(a::VersionNumber, b::VersionNumber) = cmp(a, b) == 0
hash(v::VersionNumber, h::UInt) = hash((v.major, v.minor, v.patch), hash(v.prerelease, hash(v.build, h ⊻ 0x8ff4_ffdb_75f9_fede)))
typemin(::Type{VersionNumber}) = VersionNumber(0, 0, 0, ("",), ())
typemax(::Type{VersionNumber}) = VersionNumber(typemax(UInt32), typemax(UInt32), typemax(UInt32), (), ("",))
thispatch(v::VersionNumber) = VersionNumber(v.major, v.minor, v.patch)
thisminor(v::VersionNumber) = VersionNumber(v.major, v.minor)
thismajor(v::VersionNumber) = VersionNumber(v.major)
nextpatch(v::VersionNumber) = v < thispatch(v) ? thispatch(v) : VersionNumber(v.major, v.minor, v.patch + 1)
nextminor(v::VersionNumber) = v < thisminor(v) ? thisminor(v) : VersionNumber(v.major, v.minor + 1)
nextmajor(v::VersionNumber) = v < thismajor(v) ? thismajor(v) : VersionNumber(v.major + 1)
function print(io::IO, v::VersionNumber)
    v == typemax(VersionNumber) && return print(io, "∞")
    print(io, Int(v.major), ".", Int(v.minor), ".", Int(v.patch))
    isempty(v.prerelease) || (print(io, "-"); join(io, v.prerelease, "."))
    isempty(v.build) || (print(io, "+"); join(io, v.build, "."))
    nothing
end
show(io::IO, v::VersionNumber) = print(io, "v\"", v, "\"")
# The bounds of the versions that share the numbers.
issupbuild(v::VersionNumber) = length(v.build) == 1 && v.build[1] == ""
lowerbound(v::VersionNumber) = VersionNumber(v.major, v.minor, v.patch, ("",), ())
upperbound(v::VersionNumber) = VersionNumber(v.major, v.minor, v.patch, (), ("",))
