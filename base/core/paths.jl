# Paths as text: joining, splitting, making them absolute or relative. Those of the system are with `/`.

const path_separator = "/"
const AVG_PATH = 512
"""
    joinpath(parts...)

The parts with separators between them. An absolute part discards those before it.

```julia
joinpath("data", "points.csv")    # "data/points.csv"
```
"""
function joinpath(paths::Union{Tuple, AbstractVector})
    isempty(paths) && throw(ArgumentError("collection of path components must be non-empty"))
    for p in paths
        p isa AbstractString || throw(ArgumentError(string("path component is not a string: ", repr(p))))
    end
    joined = String(first(paths))
    for p in Iterators.drop(paths, 1)
        joined = isabspath(p) ? String(p) : isempty(joined) || endswith(joined, '/') ? string(joined, p) : string(joined, '/', p)
    end
    joined
end
joinpath(paths::AbstractString...) = joinpath(paths)
"""
    isabspath(path)

Whether a path starts at the root.
"""
isabspath(p::AbstractString) = startswith(p, '/')
"""
    abspath(path...)

The absolute form of a path: the parts joined, taken from the working directory if they are relative, and normalized.
"""
abspath(p::AbstractString) = normpath(isabspath(p) ? p : joinpath(pwd(), p))
abspath(p::AbstractString, rest::AbstractString...) = abspath(joinpath(p, rest...))
"""
    isdirpath(path)

Whether a path is written as that of a folder, that is, ends with a separator, `.` or `..`.
"""
isdirpath(p::AbstractString) = (b = basename(p); isempty(b) || b == "." || b == "..")
"""
    expanduser(path)

The path with the home folder in place of `~` at its start.
"""
function expanduser(p::AbstractString)
    startswith(p, '~') || return p
    p == "~" && return homedir()
    startswith(p, "~/") ? string(homedir(), SubString(p, 2)) : throw(ArgumentError("~user tilde expansion not yet implemented"))
end
"""
    contractuser(path)

The path with `~` in place of the home folder at its start.
"""
function contractuser(p::AbstractString)
    home = homedir()
    p == home && return "~"
    startswith(p, home) ? joinpath("~", relpath(p, home)) : p
end
"""
    homedir()

The home folder of the user.
"""
function homedir()
    home = get(ENV, "HOME", "")
    isempty(home) || return home
    entry = password_entry(Host.process_fact(:euid))
    entry === nothing ? "/" : entry[6]
end
# The fields of a user in the system's list, by number.
password_entry(number::Integer) = numbered_entry("/etc/passwd", number)
function numbered_entry(list::String, number)
    text = Host.read_file(list)
    text === nothing && return nothing
    for line in eachsplit(text, '\n')
        fields = split(line, ':')
        length(fields) >= 3 && fields[3] == string(number) && return map(String, fields)
    end
    nothing
end
"""
    normpath(path...)

The path without `.`, without `..` where it can be dropped, and with single separators.
"""
normpath(p::AbstractString, rest::AbstractString...) = normpath(joinpath(p, rest...))
function normpath(p::AbstractString)
    absolute = isabspath(p)
    out = String[]
    for part in eachsplit(p, '/')
        if part == ".." && !isempty(out) && out[end] != ".."
            pop!(out)
        elseif !(part == "" || part == "." || (part == ".." && absolute))
            push!(out, String(part))
        end
    end
    s = join(out, '/')
    absolute && (s = string('/', s))
    isempty(s) && (s = ".")
    isdirpath(p) && !isdirpath(s) ? string(s, '/') : s
end
"""
    splitdrive(path) -> (drive, path)

The drive letter of a path, which is empty except on Windows, and the rest.
"""
splitdrive(p::AbstractString) = ("", String(p))
# Separators between the directory and the name belong to neither, unless the directory is the root.
"""
    splitdir(path) -> (dirname, basename)

The two parts of a path before and after its last separator.
"""
function splitdir(p::AbstractString)
    s = String(p)
    i = findlast('/', s)
    i === nothing && return ("", s)
    j = findprev(!=('/'), s, i)
    (j === nothing ? "/" : s[1:j], s[nextind(s, i):end])
end
"""
    dirname(path)

The part of a path before its last separator.
"""
dirname(p::AbstractString) = splitdir(p)[1]
"""
    basename(path)

The part of a path after its last separator.
"""
basename(p::AbstractString) = splitdir(p)[2]
# Dots that begin a name begin no extension.
"""
    splitext(path) -> (path, extension)

The path without its extension, and the extension with its dot.
"""
function splitext(p::AbstractString)
    s = String(p)
    i = findlast('.', s)
    slash = something(findlast('/', s), 0)
    (i === nothing || i < slash || all(==('.'), SubString(s, slash + 1, prevind(s, i)))) && return (s, "")
    (s[1:prevind(s, i)], s[i:end])
end
"""
    splitpath(path)

The parts of a path as a vector.
"""
function splitpath(p::AbstractString)
    s = String(p)
    parts = isempty(s) ? [""] : String[String(x) for x in eachsplit(s, '/'; keepempty = false)]
    isabspath(s) ? pushfirst!(parts, "/") : parts
end
"""
    relpath(path, start = ".")

The path of a file as seen from a folder.
"""
function relpath(p::AbstractString, start::AbstractString = ".")
    isempty(p) && throw(ArgumentError("`path` must be non-empty"))
    isempty(start) && throw(ArgumentError("`startpath` must be non-empty"))
    p == start && return "."
    to = split(abspath(p), '/'; keepempty = false)
    from = split(abspath(start), '/'; keepempty = false)
    k = 1
    while k <= min(length(to), length(from)) && to[k] == from[k]
        k += 1
    end
    parts = vcat(fill("..", length(from) - k + 1), to[k:end])
    isempty(parts) ? "." : join(parts, '/')
end
# The path as a URI: what is no letter, digit or one of `-_.~/` as its bytes in hexadecimal.
function uripath(p::AbstractString)
    io = IOBuffer()
    print(io, "file://")
    escape_uri(io, gethostname())
    print(io, '/')
    escape_uri(io, join(eachsplit(abspath(p), '/'; keepempty = false), '/'))
    takestring!(io)
end
function escape_uri(io, text)
    for b in codeunits(String(text))
        c = Char(b)
        plain = 'a' <= c <= 'z' || 'A' <= c <= 'Z' || '0' <= c <= '9' || c in "-_.~/"
        plain ? print(io, c) : print(io, '%', uppercase(string(b, base = 16, pad = 2)))
    end
end
gethostname() = (name = Host.read_file("/proc/sys/kernel/hostname"); name === nothing ? "localhost" : String(chomp(name)))
"""
    pwd()

The working directory.
"""
function pwd()
    dir = Host.cwd()
    dir == "." ? _uv_error("pwd()", UV_ENOENT) : dir
end
"""
    realpath(path...)

The absolute path of a file without symbolic links.
"""
function realpath(p::AbstractString)
    target = Host.path_target(:real, checked_name(p))
    target isa Int ? _uv_error(string("realpath(", repr(p), ")"), -target) : target::String
end
export contractuser, splitdrive, gethostname, relpath
