# Files and directories as a whole: listing, making, removing, copying, moving.

# The flags of the system for opening a file.
const JL_O_RDONLY = 0x0000
const JL_O_WRONLY = 0x0001
const JL_O_RDWR = 0x0002
const JL_O_CREAT = 0x0040
const JL_O_EXCL = 0x0080
const JL_O_TRUNC = 0x0200
const JL_O_APPEND = 0x0400

# A change that the system makes or refuses; `as` is the call as errors quote it.
function change_files(as::String, what::Symbol, path::AbstractString, more...)
    number = Host.change_files(what, checked_name(path), map(x -> x isa AbstractString ? checked_name(x) : Int(x), more)...)
    number == 0 || _uv_error(as, -number)
    nothing
end
quoted_call(name, args...) = string(name, "(", join(map(repr, args), ", "), ")")

# Entries of a directory.
struct DirEntry
    dir::String
    name::String
    rawtype::Int32
end
getproperty(e::DirEntry, p::Symbol) = p === :path ? joinpath(getfield(e, :dir), getfield(e, :name)) : getfield(e, p)
propertynames(::DirEntry) = (:dir, :name, :path, :rawtype)
isless(a::DirEntry, b::DirEntry) = a.dir == b.dir ? isless(a.name, b.name) : isless(a.dir, b.dir)
==(a::DirEntry, b::DirEntry) = a.name == b.name && a.dir == b.dir && a.rawtype == b.rawtype
hash(e::DirEntry, h::UInt) = hash(e.dir, hash(e.name, hash(e.rawtype, h)))
joinpath(e::DirEntry, rest...) = joinpath(e.path, rest...)
realpath(e::DirEntry) = realpath(e.path)
for f in (:islink, :isfile, :isdir, :isfifo, :issocket, :ischardev, :isblockdev)
    @eval $f(e::DirEntry) = $f(e.path)
end
function directory_names(path)
    names = Host.list_directory(checked_name(path))
    names isa Int ? _uv_error(quoted_call("readdir", path), -names) : names::Vector{String}
end
"""
    readdir(dir = pwd(); join = false, sort = true)

The names in a folder, or their paths if `join` is true.
"""
readdir(; join::Bool = false, sort::Bool = true) = readdir(join ? pwd() : "."; join, sort)
function readdir(path::AbstractString; join::Bool = false, sort::Bool = true)
    names = directory_names(path)
    join ? String[joinpath(path, n) for n in names] : names
end
_readdirx(path::AbstractString = pwd(); sort::Bool = true) = DirEntry[DirEntry(String(path), n, 0) for n in directory_names(path)]

# A channel of `(directory, directories in it, other files in it)`, made as it is read.
"""
    walkdir(root = pwd(); topdown = true, follow_symlinks = false, onerror = throw)

An iterator of `(path, folders, files)` for a folder and all folders below it.
"""
walkdir(path = pwd(); topdown::Bool = true, follow_symlinks::Bool = false, onerror = throw) =
    Channel{Tuple{String, Vector{String}, Vector{String}}}(channel -> walk_into(channel, path, topdown, follow_symlinks, onerror))
function walk_into(channel, path, topdown, follow, onerror)
    attempt(f, x) = try
        f(x)
    catch problem
        problem isa IOError || rethrow()
        try
            onerror(problem)
        catch other
            close(channel, other)
        end
        nothing
    end
    entries = attempt(_readdirx, path)
    entries === nothing && return nothing
    enters(e) = (follow || attempt(islink, e) === false) && attempt(isdir, e) === true
    dirs = String[e.name for e in entries if enters(e)]
    files = String[e.name for e in entries if !(e.name in dirs)]
    topdown && put!(channel, (path, dirs, files))
    for d in dirs
        walk_into(channel, joinpath(path, d), topdown, follow, onerror)
    end
    topdown || put!(channel, (path, dirs, files))
    nothing
end

checked_mode(mode::Integer) = 0 <= mode <= 0o777 ? mode : throw(ArgumentError("Mode must be between 0 and 511 = 0o777"))
"""
    mkdir(path; mode = 0o777)

Makes a folder, whose parent must exist, and returns its path.
"""
function mkdir(path::AbstractString; mode::Integer = 0o777)
    checked_mode(mode)
    change_files(string("mkdir(", repr(path), "; mode=0o", string(mode, base = 8), ")"), :mkdir, path, mode)
    path
end
"""
    mkpath(path; mode = 0o777)

Makes a folder and the parents that are missing, and returns its path.
"""
function mkpath(path::AbstractString; mode::Integer = 0o777)
    parent = dirname(path)
    (path == parent || isdir(path)) && return path
    mkpath(parent; mode = checked_mode(mode))
    try
        isdir(path) || mkdir(path; mode)
    catch problem
        problem isa IOError && isdir(path) || rethrow()
    end
    path
end
unlink(path::AbstractString) = change_files(quoted_call("unlink", path), :unlink, path)
"""
    rename(src, dst)

Gives a file another path on the same file system. A file at `dst` is replaced.
"""
rename(from::AbstractString, to::AbstractString) = (change_files(quoted_call("rename", from, to), :rename, from, to); to)
"""
    hardlink(src, dst)

Makes another name of the file `src` at `dst`.
"""
hardlink(from::AbstractString, to::AbstractString) = change_files(quoted_call("hardlink", from, to), :hardlink, from, to)
"""
    symlink(target, link; dir_target = false)

Makes a symbolic link that points to `target`.
"""
symlink(target::AbstractString, link::AbstractString; dir_target::Bool = false) = change_files(quoted_call("symlink", target, link), :symlink, target, link)
"""
    readlink(path)

The path to which a symbolic link points.
"""
function readlink(path::AbstractString)
    target = Host.path_target(:link, checked_name(path))
    target isa Int ? _uv_error(quoted_call("readlink", path), -target) : target::String
end
"""
    chmod(path, mode; recursive = false)

Sets the permissions of a file; `recursive` also sets those of all that a folder holds.
"""
function chmod(path::AbstractString, mode::Integer; recursive::Bool = false)
    change_files(string("chmod(", repr(path), ", 0o", string(mode, base = 8), ")"), :chmod, path, mode)
    if recursive && isdir(path)
        for entry in readdir(path; join = true)
            islink(entry) || chmod(entry, mode; recursive = true)
        end
    end
    path
end
"""
    chown(path, owner, group = -1)

Sets the owner and the group of a file by number. A negative number leaves them as they are.
"""
chown(path::AbstractString, owner::Integer, group::Integer = -1) =
    (change_files(string("chown(", repr(path), ", ", owner, ", ", group, ")"), :chown, path, owner, group); path)
"""
    touch(path)

Sets the time of a file's last change to now, and makes an empty file where there is none.
"""
touch(path::AbstractString) = (change_files(quoted_call("open", path), :touch, path); path)
"""
    rm(path; force = false, recursive = false)

Removes a file, or a folder with all it holds if `recursive` is true. `force` allows a path at which nothing exists.
"""
function rm(path::AbstractString; force::Bool = false, recursive::Bool = false, allow_delayed_delete::Bool = true)
    if islink(path) || !isdir(path)
        try
            unlink(path)
        catch problem
            force && problem isa IOError && problem.code == UV_ENOENT || rethrow()
        end
        return nothing
    end
    recursive && remove_entries(path, force)
    number = Host.change_files(:rmdir, checked_name(path))
    number == 0 || (force && number == -UV_ENOENT) || _uv_error(quoted_call("rm", path), -number)
    nothing
end
# Leaves what may not be removed: removing the directory says so then.
function remove_entries(path, force)
    forbidden(problem) = problem isa IOError && problem.code == UV_EACCES
    try
        for name in readdir(path)
            try
                rm(joinpath(path, name); force, recursive = true)
            catch problem
                forbidden(problem) || rethrow()
            end
        end
    catch problem
        forbidden(problem) || rethrow()
    end
end
@noinline throw_same_file(from, to) = throw(ArgumentError(string("'src' and 'dst' refer to the same file/dir. This is not supported.\n  `src` refers to: ",
    link_destination(from), "\n  `dst` refers to: ", link_destination(to), "\n")))
link_destination(path) = islink(path) ? abspath(readlink(path)) : abspath(path)
function make_room(from, to, force, doing)
    ispath(to) || return nothing
    force || throw(ArgumentError(string("'", to, "' exists. `force=true` is required to remove '", to, "' before ", doing, ".")))
    samefile(from, to) && throw_same_file(from, to)
    rm(to; recursive = true, force = true)
end
sendfile(from::AbstractString, to::AbstractString) = change_files(quoted_call("open", from, Int(JL_O_RDONLY), 0), :copy, from, to)
function copy_entry(from, to, follow)
    if !follow && islink(from)
        symlink(readlink(from), to)
    elseif isdir(from)
        mkdir(to)
        for name in readdir(from)
            copy_entry(joinpath(from, name), joinpath(to, name), follow)
        end
    else
        sendfile(from, to)
    end
    to
end
"""
    cp(src, dst; force = false, follow_symlinks = false)

Copies a file or a folder with all it holds. `force` removes what is at `dst` first.
"""
function cp(from::AbstractString, to::AbstractString; force::Bool = false, follow_symlinks::Bool = false)
    make_room(from, to, force, "copying")
    copy_entry(from, to, follow_symlinks)
end
function cptree(from::AbstractString, to::AbstractString; force::Bool = false, follow_symlinks::Bool = false)
    isdir(from) || throw(ArgumentError(string("'", from, "' is not a directory. Use `cp(src, dst)`")))
    cp(from, to; force, follow_symlinks)
end
# A file that cannot get another name, on another device for example, is copied and removed.
"""
    mv(src, dst; force = false)

Moves a file or a folder. `force` removes what is at `dst` first.
"""
function mv(from::AbstractString, to::AbstractString; force::Bool = false)
    if force
        ispath(to) && samefile(from, to) && throw_same_file(from, to)
    else
        make_room(from, to, false, "moving")
    end
    rename_or(from, to) do
        force && make_room(from, to, true, "moving")
        rename_or(from, to) do
            cp(from, to; force)
            rm(from; recursive = true)
        end
    end
    to
end
function rename_or(otherwise, from, to)
    try
        rename(from, to)
    catch problem
        problem isa IOError && problem.code != UV_ENOENT || rethrow()
        otherwise()
    end
end
"""
    cd(dir = homedir())
    cd(f, dir)

Changes the working directory, or does so only while `f` runs.
"""
cd(path::AbstractString) = change_files(quoted_call("cd", path), :cd, path)
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
export chmod, chown, hardlink, symlink, readlink
