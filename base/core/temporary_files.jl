# Files and directories for a while: their names, and removing them when the program ends.

const temp_prefix = "jl_"
const TEMP_CLEANUP_MIN = Ref(1024)
const TEMP_CLEANUP_MAX = Ref(1024)
# Paths to be removed at the end; those that map to `true` at the next chance.
const TEMP_CLEANUP = Dict{String, Bool}()
const TEMP_CLEANUP_AT_EXIT = Ref(false)
function temp_cleanup_later(path::AbstractString; asap::Bool = false)
    if !TEMP_CLEANUP_AT_EXIT[]
        TEMP_CLEANUP_AT_EXIT[] = true
        atexit(() -> temp_cleanup_purge(force = true))
    end
    TEMP_CLEANUP[path] = get(TEMP_CLEANUP, path, true) & asap
    if length(TEMP_CLEANUP) > TEMP_CLEANUP_MAX[]
        temp_cleanup_purge()
        TEMP_CLEANUP_MAX[] = max(TEMP_CLEANUP_MIN[], 2 * length(TEMP_CLEANUP))
    end
    nothing
end
temp_cleanup_forget(path::AbstractString) = (delete!(TEMP_CLEANUP, path); nothing)
function temp_cleanup_purge(; force::Bool = false)
    filter!(TEMP_CLEANUP) do (path, asap)
        try
            ispath(path) || return false
            if force || asap
                prepare_for_deletion(path)
                rm(path; recursive = true, force = true)
            end
            return ispath(path)
        catch problem
            @warn "Failed to clean up temporary path $(repr(path))\n$problem" _group = :file
            return true
        end
    end
    nothing
end
# Gives back the right to list and change the directories below, as far as the system lets.
function prepare_for_deletion(path::AbstractString)
    isdir(path) || return nothing
    allow_changes(path)
    for (root, dirs, _) in walkdir(path; onerror = _ -> nothing), d in dirs
        allow_changes(joinpath(root, d))
    end
end
function allow_changes(path)
    try
        chmod(path, filemode(path) & 0o7777 | 0o333)
    catch problem
        problem isa IOError || rethrow()
    end
end

"""
    tempdir()

The folder of temporary files.
"""
function tempdir()
    dir = something(findenv("TMPDIR", "TMP", "TEMP", "TEMPDIR"), "/tmp")
    length(dir) > 1 && endswith(dir, '/') && (dir = String(chop(dir)))
    try
        s = stat(dir)
        ispath(s) ? isdir(s) || @warn("tempdir path is not a directory", tempdir = dir) : @warn("tempdir path does not exist", tempdir = dir)
    catch problem
        problem isa IOError || rethrow()
        @warn "accessing tempdir path failed" _exception = problem
    end
    dir
end
function findenv(names...)
    for name in names
        value = get(ENV, name, nothing)
        value === nothing || return value
    end
    nothing
end
const FILENAME_LETTERS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
function _rand_filename(n = 10)
    bits = Host.random_seed()
    letters = IOBuffer()
    for _ in 1:n
        bits, k = divrem(bits, UInt64(62))
        print(letters, FILENAME_LETTERS[Int(k) + 1])
    end
    takestring!(letters)
end
# Tries names until one is free; the rest of the call decides what that means.
function with_free_name(f, prefix, n, suffix = "")
    for _ in 1:100
        name = string(prefix, _rand_filename(n), suffix)
        f(name) && return name
    end
    nothing
end
"""
    tempname(parent = tempdir(); cleanup = true, suffix = "")

A path for a temporary file, at which nothing exists yet.
"""
function tempname(parent::AbstractString = tempdir(); max_tries::Int = 100, cleanup::Bool = true, suffix::AbstractString = "")
    isdir(parent) || throw(ArgumentError(string(repr(parent), " is not a directory")))
    name = with_free_name(!ispath, joinpath(parent, temp_prefix), 10, suffix)
    name === nothing && error("tempname: max_tries exhausted")
    cleanup && temp_cleanup_later(name)
    name
end
# Makes what `what` says under a free name of six letters.
function make_temporary(prefix, problem_of, what, more...)
    with_free_name(prefix, 6) do name
        number = Host.change_files(what, name, more...)
        number == 0 || number == -UV_EEXIST || problem_of(number)
        number == 0
    end
end
"""
    mktemp(parent = tempdir(); cleanup = true)
    mktemp(f, parent = tempdir())

Makes a temporary file. Returns its path and a stream, or calls `f` with them and removes the file afterwards.
"""
function mktemp(parent::AbstractString = tempdir(); cleanup::Bool = true)
    path = make_temporary(checked_name(joinpath(parent, temp_prefix)), number -> throw(SystemError("mktemp", number)), :mkfile)::String
    cleanup && temp_cleanup_later(path)
    (path, open(path, "r+"))
end
"""
    mktempdir(parent = tempdir(); prefix, cleanup = true)
    mktempdir(f, parent = tempdir(); prefix)

Makes a temporary folder. Returns its path, or calls `f` with it and removes the folder afterwards.
"""
function mktempdir(parent::AbstractString = tempdir(); prefix::AbstractString = temp_prefix, cleanup::Bool = true)
    start = checked_name(isempty(parent) || endswith(parent, '/') ? string(parent, prefix) : string(parent, '/', prefix))
    path = make_temporary(start, number -> _uv_error(string("mktempdir(", repr(parent), ")"), -number), :mkdir, Int(0o700))::String
    cleanup && temp_cleanup_later(path)
    path
end
function mktemp(f::Function, parent::AbstractString = tempdir())
    path, io = mktemp(parent)
    try
        f(path, io)
    finally
        temp_cleanup_forget(path)
        removing_later(path) do
            close(io)
            ispath(path) && rm(path)
        end
    end
end
function mktempdir(f::Function, parent::AbstractString = tempdir(); prefix::AbstractString = temp_prefix)
    path = mktempdir(parent; prefix)
    try
        f(path)
    finally
        temp_cleanup_forget(path)
        removing_later(path) do
            if ispath(path)
                prepare_for_deletion(path)
                rm(path; recursive = true)
            end
        end
    end
end
function removing_later(remove, path)
    try
        remove()
    catch problem
        @error "cleanup of a temporary path" _group = :file exception = problem
        temp_cleanup_later(path; asap = true)
    end
end
