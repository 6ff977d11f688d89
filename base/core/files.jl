# Files and directories as a whole: listing, making, removing, copying.

struct IOError <: Exception
    msg::String
    code::Int
end
function showerror(io::IO, e::IOError)
    print(io, "IOError: ", e.msg)
    abs(e.code) == 2 && '~' in e.msg || return nothing
    print(io, "\nMany shells expand '~' to the home directory in unquoted strings. To replicate this behavior, call `expanduser` to expand the '~' character to the user’s home directory.")
end
# Throws what the system says against a change, if it does.
function change_files(what, path, to...)
    problem = Host.change_files(what, String(path), map(String, to)...)
    problem === nothing || throw(IOError(string(what, "(", join(map(repr, (path, to...)), ", "), "): ", problem), 0))
    nothing
end
function readdir(path::AbstractString = "."; join::Bool = false, sort::Bool = true)
    names = Host.list_directory(String(path))
    names === nothing && throw(IOError(string("readdir(", repr(path), "): no such file or directory (ENOENT)"), 2))
    join ? String[joinpath(path, n) for n in names] : names
end
function walkdir(root::AbstractString; topdown::Bool = true, kws...)
    out = Tuple{String, Vector{String}, Vector{String}}[]
    walk!(out, String(root), topdown)
    out
end
function walk!(out, root, topdown)
    names = readdir(root)
    dirs = filter(n -> isdir(joinpath(root, n)), names)
    here = (root, dirs, filter(n -> !isdir(joinpath(root, n)), names))
    topdown && push!(out, here)
    for d in dirs
        walk!(out, joinpath(root, d), topdown)
    end
    topdown || push!(out, here)
    out
end
mkdir(path::AbstractString; mode = 0o777) = (change_files(:mkdir, path); String(path))
function mkpath(path::AbstractString; mode = 0o777)
    (isempty(path) || isdir(path)) && return String(path)
    parent = dirname(String(endswith(path, "/") ? chop(path) : path))
    parent == path || mkpath(parent)
    isdir(path) || change_files(:mkdir, path)
    String(path)
end
function rm(path::AbstractString; force::Bool = false, recursive::Bool = false)
    force && !ispath(path) && return nothing
    if recursive && isdir(path)
        for name in readdir(path)
            rm(joinpath(path, name); force = force, recursive = true)
        end
    end
    change_files(:remove, path)
end
function mv(from::AbstractString, to::AbstractString; force::Bool = false)
    ready_target(from, to, force)
    change_files(:rename, from, to)
    String(to)
end
function cp(from::AbstractString, to::AbstractString; force::Bool = false, follow_symlinks::Bool = false)
    ready_target(from, to, force)
    if isdir(from)
        mkdir(to)
        for name in readdir(from)
            cp(joinpath(from, name), joinpath(to, name))
        end
    else
        change_files(:copy, from, to)
    end
    String(to)
end
function ready_target(from, to, force)
    ispath(to) || return nothing
    force || throw(ArgumentError(string(repr(to), " exists. `force=true` is required to remove ", repr(to), " before moving or copying.")))
    rm(to; recursive = true)
end
touch(path::AbstractString) = (ispath(path) || write(path, ""); String(path))
cd(path::AbstractString) = change_files(:cd, path)
cd() = cd(homedir())
function cd(f::Function, path::AbstractString)
    before = pwd()
    cd(path)
    try
        f()
    finally
        cd(before)
    end
end
cd(f::Function) = cd(f, homedir())
function mktempdir(parent::AbstractString = tempdir(); prefix::AbstractString = "jl_", cleanup::Bool = true)
    mkpath(joinpath(parent, string(prefix, string(Host.random_seed(), base = 36))))
end
function mktempdir(f::Function, args...; kws...)
    dir = mktempdir(args...; kws...)
    try
        f(dir)
    finally
        rm(dir; force = true, recursive = true)
    end
end
function mktemp(parent::AbstractString = tempdir(); cleanup::Bool = true)
    path = joinpath(parent, string("jl_", string(Host.random_seed(), base = 36)))
    (path, open(path, "w+"))
end
function mktemp(f::Function, parent::AbstractString = tempdir())
    path, io = mktemp(parent)
    try
        f(path, io)
    finally
        close(io)
        rm(path; force = true)
    end
end
islink(path::AbstractString) = false
isdirpath(path::AbstractString) = endswith(path, "/") || basename(path) in (".", "..")
