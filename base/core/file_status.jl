# The facts that the system keeps of a file: type, permissions, size, times.

struct StatStruct
    desc::Union{String, RawFD}
    device::UInt
    inode::UInt
    mode::UInt
    nlink::Int
    uid::UInt
    gid::UInt
    rdev::UInt
    size::Int64
    blksize::Int64
    blocks::Int64
    mtime::Float64
    ctime::Float64
    ioerrno::Int32
end
const OS_HANDLE = RawFD
StatStruct() = missing_file_status("", UV_ENOENT)
StatStruct(path::AbstractString, ::Ptr{UInt8}, code::Int32) =
    code == 0 ? throw(UnsupportedError(:StatStruct, "the system's own record of a file is not read")) : missing_file_status(String(path), code)
missing_file_status(path, code) = StatStruct(path, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.0, 0.0, code)
==(a::StatStruct, b::StatStruct) = all(i -> getfield(a, i) === getfield(b, i), 2:fieldcount(StatStruct))
hash(s::StatStruct, h::UInt) = foldl((h, i) -> hash(getfield(s, i), h), 2:fieldcount(StatStruct); init = h)
function file_status(path::String, follow::Bool)
    facts = Host.file_status(checked_name(path), follow)
    if facts isa Int
        facts in (2, 20, 22) || _uv_error(string("stat(", repr(path), ")"), -facts)
        return missing_file_status(path, -facts)
    end
    f = facts::Vector{Int}
    StatStruct(path, reinterpret(UInt, f[1]), reinterpret(UInt, f[2]), f[3], f[4], f[5], f[6], reinterpret(UInt, f[7]), f[8], f[9],
        f[10], f[11] / 1.0e9, f[12] / 1.0e9, 0)
end
"""
    stat(path...)

The metadata of a file: size, permissions, owner, times. Symbolic links are followed.
"""
stat(path::AbstractString) = file_status(String(path), true)::StatStruct
"""
    lstat(path...)

The metadata of a file, or of a symbolic link itself.
"""
lstat(path::AbstractString) = file_status(String(path), false)::StatStruct
stat(fd::RawFD) = bitcast(Int32, fd) < 0 ? _uv_error(string("stat(", repr(fd), ")"), UV_EBADF) :
    throw(UnsupportedError(:stat, "files are known by their paths, not by descriptors"))
for f in (:stat, :lstat)
    @eval $f(path...) = $f(joinpath(path...))
    @eval function $f(path)
        joined = joinpath(path)
        joined isa typeof(path) ? error($(string(f, " not implemented for ")), typeof(path)) : $f(joined)
    end
end

"""
    filemode(path)

The type and the permissions of a file as the operating system encodes them.
"""
filemode(s::StatStruct) = s.mode
filesize(s::StatStruct) = s.size
"""
    mtime(path)

The time at which a file changed last, in seconds since 1970.
"""
mtime(s::StatStruct) = s.mtime
"""
    ctime(path)

The time at which the metadata of a file changed last, in seconds since 1970.
"""
ctime(s::StatStruct) = s.ctime
"""
    ispath(path...)

Whether anything exists at a path.
"""
ispath(s::StatStruct) = s.ioerrno == 0
for (f, kind) in ((:isfifo, 0x1000), (:ischardev, 0x2000), (:isdir, 0x4000), (:isblockdev, 0x6000), (:isfile, 0x8000), (:islink, 0xa000), (:issocket, 0xc000))
    @eval $f(s::StatStruct) = s.mode & 0xf000 == $kind
end
"""
    issetuid(path...)

Whether a file runs with the rights of its owner.
"""
issetuid(s::StatStruct) = s.mode & 0o4000 != 0
"""
    issetgid(path...)

Whether a file runs with the rights of its group.
"""
issetgid(s::StatStruct) = s.mode & 0o2000 != 0
"""
    issticky(path...)

Whether a path has the sticky bit.
"""
issticky(s::StatStruct) = s.mode & 0o1000 != 0
"""
    uperm(path)

The permissions of a file's owner: 4 to read, 2 to write, 1 to execute, added up.
"""
uperm(s::StatStruct) = ((s.mode >> 6) & 0x7) % UInt8
"""
    gperm(path)

The permissions of a file's group: 4 to read, 2 to write, 1 to execute, added up.
"""
gperm(s::StatStruct) = ((s.mode >> 3) & 0x7) % UInt8
"""
    operm(path)

The permissions of others than owner and group: 4 to read, 2 to write, 1 to execute, added up.
"""
operm(s::StatStruct) = (s.mode & 0x7) % UInt8
for f in (:ispath, :isfifo, :ischardev, :isdir, :isblockdev, :isfile, :issocket, :issetuid, :issetgid, :issticky, :uperm, :gperm,
        :operm, :filemode, :filesize, :mtime, :ctime)
    @eval $f(path...) = $f(stat(path...))
end
"""
    isblockdev(path...)

Whether a path is a block device.
"""
isblockdev

"""
    ischardev(path...)

Whether a path is a character device.
"""
ischardev

"""
    isdir(path...)

Whether a path is a folder.
"""
isdir

"""
    isfifo(path...)

Whether a path is a named pipe.
"""
isfifo

"""
    isfile(path...)

Whether a path is a regular file.
"""
isfile

"""
    issocket(path...)

Whether a path is a socket.
"""
issocket

"""
    islink(path...)

Whether a path is a symbolic link.
"""
islink(path...) = islink(lstat(path...))
"""
    samefile(a, b)

Whether two paths lead to the same file.
"""
samefile(a::StatStruct, b::StatStruct) = ispath(a) && ispath(b) && a.device == b.device && a.inode == b.inode
samefile(a::AbstractString, b::AbstractString) = samefile(stat(a), stat(b))
# The root of a file system is on another device than its parent, or its own parent.
"""
    ismount(path...)

Whether another file system begins at a path.
"""
function ismount(path...)
    p = joinpath(path...)
    isdir(p) || return false
    here = lstat(p)
    islink(here) && return false
    above = lstat(joinpath(p, ".."))
    here.device != above.device || here.inode == above.inode
end

# Type and permissions as `ls` writes them.
function filemode_string(mode)
    letters = IOBuffer()
    kinds = (0x1000 => 'p', 0x2000 => 'c', 0x4000 => 'd', 0x6000 => 'b', 0x8000 => '-', 0xa000 => 'l', 0xc000 => 's')
    k = findfirst(kind -> mode & 0xf000 == kind.first, kinds)
    print(letters, k === nothing ? '-' : kinds[k].second)
    for (shift, special, letter) in ((6, 0o4000, 's'), (3, 0o2000, 's'), (0, 0o1000, 't'))
        bits = mode >> shift
        print(letters, bits & 4 != 0 ? 'r' : '-', bits & 2 != 0 ? 'w' : '-')
        executable = bits & 1 != 0
        print(letters, mode & special != 0 ? (executable ? letter : uppercase(letter)) : executable ? 'x' : '-')
    end
    takestring!(letters)
end
filemode_string(s::StatStruct) = filemode_string(s.mode)
getusername(number::Unsigned) = (e = password_entry(number); e === nothing || isempty(e[1]) ? nothing : e[1])
getgroupname(number::Unsigned) = (e = numbered_entry("/etc/group", number); e === nothing || isempty(e[1]) ? nothing : e[1])
function time_and_age(t, now)
    text = utc_text(t)
    for (seconds, unit) in ((86400, "day"), (3600, "hour"), (60, "minute"), (1, "second"))
        n = Int(div(abs(t - now), seconds))
        n == 0 || return string(text, " (", n, " ", unit, n == 1 ? "" : "s", t < now ? " ago)" : " in the future)")
    end
    string(text, " (just now)")
end
# Seconds since 1970 as a date and a time of day. Days are counted from March, so that the leap day is the last.
function utc_text(t)
    days, seconds = fldmod(floor(Int, t), 86400)
    era, day = fldmod(days + 719468, 146097)
    year = div(day - div(day, 1460) + div(day, 36524) - div(day, 146096), 365)
    day -= 365 * year + div(year, 4) - div(year, 100)
    month = div(5 * day + 2, 153)
    day -= div(153 * month + 2, 5) - 1
    month += month < 10 ? 3 : -9
    two(n) = string(n, pad = 2)
    string(year + 400 * era + (month <= 2), "-", two(month), "-", two(day), "T", two(div(seconds, 3600)), ":", two(div(seconds, 60) % 60), ":",
        two(seconds % 60), "+0000")
end
show(io::IO, s::StatStruct) = show_status(io, s, true)
show(io::IO, ::MIME"text/plain", s::StatStruct) = show_status(io, s, false)
function show_status(io, s, one_line)
    print(io, one_line ? "StatStruct(" : "StatStruct for ")
    show(io, s.desc)
    if s.ioerrno == 0
        now = time()
        user, group = getusername(s.uid), getgroupname(s.gid)
        rows = ("  size: " => string(s.size, " bytes"), " device: " => s.device, "  inode: " => s.inode,
            "   mode: " => string("0o", string(s.mode, base = 8, pad = 6), " (", filemode_string(s), ")"), "  nlink: " => s.nlink,
            "    uid: " => string(s.uid, user === nothing ? "" : " ($user)"), "    gid: " => string(s.gid, group === nothing ? "" : " ($group)"),
            "   rdev: " => s.rdev, "  blksz: " => s.blksize, " blocks: " => s.blocks, "  mtime: " => time_and_age(s.mtime, now),
            "  ctime: " => time_and_age(s.ctime, now))
        for (label, value) in rows
            one_line ? print(io, ' ', lstrip(label), value) : print(io, '\n', label == "  size: " ? "   size: " : label, value)
        end
    else
        print(io, one_line ? " " : "\n ", uverrorname(s.ioerrno), ": ", struverror(s.ioerrno))
    end
    one_line && print(io, ')')
    nothing
end
# No cache depends on the file or folder: all there is to do is to see that it can be read.
function include_dependency(path::AbstractString; track_content::Bool = true)
    from = source_path(nothing)
    path = from === nothing ? path : joinpath(dirname(from), path)
    number = ispath(path) ? (isreadable(path) ? 0 : 13) : 2
    number == 0 || throw(SystemError(string("opening file or folder ", repr(path)), number))
    nothing
end
export include_dependency
for (f, bits) in ((:isexecutable, 1), (:iswritable, 2), (:isreadable, 4))
    @eval $f(path::AbstractString) = Host.may_access(checked_name(path), $bits)
end
# The program that a name stands for, as a shell finds it.
Sys.username() = something(getusername(Libc.getuid()), "")
function Sys.which(name::AbstractString)
    isempty(name) && return nothing
    # A folder that may not be read holds nothing for this user.
    found(p) = try
        isfile(p) && isexecutable(p)
    catch problem
        problem isa IOError || rethrow()
        false
    end
    '/' in name && return found(name) ? abspath(name) : nothing
    for dir in eachsplit(get(ENV, "PATH", ""), ':')
        p = joinpath(dir, name)
        found(p) && return abspath(p)
    end
    nothing
end
export stat, lstat, filemode, mtime, ctime, isfifo, ischardev, isblockdev, islink, issocket, issetuid, issetgid, issticky, uperm, gperm, operm, ismount,
    samefile, isexecutable
