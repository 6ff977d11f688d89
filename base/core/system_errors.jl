# Errors of the operating system: their numbers, names and texts, and the exceptions that carry them.

# An error of an operation on files, streams or processes. `code` is the negative number of the system.
struct IOError <: Exception
    msg::String
    code::Int32
end
function showerror(io::IO, e::IOError)
    print(io, "IOError: ", e.msg)
    abs(e.code) == 2 && '~' in e.msg || return nothing
    print(io, "\nMany shells expand '~' to the home directory in unquoted strings. To replicate this behavior, call `expanduser` to expand the '~' character to the user’s home directory.")
end

# Number, name, text of libuv, text of the C library, where Linux has the error.
const SYSTEM_ERRORS = (
    (1, "EPERM", "operation not permitted", "Operation not permitted"),
    (2, "ENOENT", "no such file or directory", "No such file or directory"),
    (3, "ESRCH", "no such process", "No such process"),
    (4, "EINTR", "interrupted system call", "Interrupted system call"),
    (5, "EIO", "i/o error", "Input/output error"),
    (6, "ENXIO", "no such device or address", "No such device or address"),
    (7, "E2BIG", "argument list too long", "Argument list too long"),
    (9, "EBADF", "bad file descriptor", "Bad file descriptor"),
    (11, "EAGAIN", "resource temporarily unavailable", "Resource temporarily unavailable"),
    (12, "ENOMEM", "not enough memory", "Cannot allocate memory"),
    (13, "EACCES", "permission denied", "Permission denied"),
    (14, "EFAULT", "bad address in system call argument", "Bad address"),
    (16, "EBUSY", "resource busy or locked", "Device or resource busy"),
    (17, "EEXIST", "file already exists", "File exists"),
    (18, "EXDEV", "cross-device link not permitted", "Invalid cross-device link"),
    (19, "ENODEV", "no such device", "No such device"),
    (20, "ENOTDIR", "not a directory", "Not a directory"),
    (21, "EISDIR", "illegal operation on a directory", "Is a directory"),
    (22, "EINVAL", "invalid argument", "Invalid argument"),
    (23, "ENFILE", "file table overflow", "Too many open files in system"),
    (24, "EMFILE", "too many open files", "Too many open files"),
    (25, "ENOTTY", "inappropriate ioctl for device", "Inappropriate ioctl for device"),
    (26, "ETXTBSY", "text file is busy", "Text file busy"),
    (27, "EFBIG", "file too large", "File too large"),
    (28, "ENOSPC", "no space left on device", "No space left on device"),
    (29, "ESPIPE", "invalid seek", "Illegal seek"),
    (30, "EROFS", "read-only file system", "Read-only file system"),
    (31, "EMLINK", "too many links", "Too many links"),
    (32, "EPIPE", "broken pipe", "Broken pipe"),
    (33, "EDOM", "argument out of domain", "Numerical argument out of domain"),
    (34, "ERANGE", "result too large", "Numerical result out of range"),
    (36, "ENAMETOOLONG", "name too long", "File name too long"),
    (38, "ENOSYS", "function not implemented", "Function not implemented"),
    (39, "ENOTEMPTY", "directory not empty", "Directory not empty"),
    (40, "ELOOP", "too many symbolic links encountered", "Too many levels of symbolic links"),
    (95, "ENOTSUP", "operation not supported on socket", "Operation not supported"),
    (98, "EADDRINUSE", "address already in use", "Address already in use"),
    (99, "EADDRNOTAVAIL", "address not available", "Cannot assign requested address"),
    (103, "ECONNABORTED", "software caused connection abort", "Software caused connection abort"),
    (104, "ECONNRESET", "connection reset by peer", "Connection reset by peer"),
    (105, "ENOBUFS", "no buffer space available", "No buffer space available"),
    (107, "ENOTCONN", "socket is not connected", "Transport endpoint is not connected"),
    (110, "ETIMEDOUT", "connection timed out", "Connection timed out"),
    (111, "ECONNREFUSED", "connection refused", "Connection refused"),
    (114, "EALREADY", "connection already in progress", "Operation already in progress"),
    (125, "ECANCELED", "operation canceled", "Operation canceled"),
    (4095, "EOF", "end of file", "Unknown error 4095"),
)
for (number, name, _, _) in SYSTEM_ERRORS
    @eval const $(Symbol("UV_", name)) = $(Int32(-number))
end
function find_system_error(number)
    for entry in SYSTEM_ERRORS
        entry[1] == number && return entry
    end
    nothing
end
uverrorname(code::Integer) = (e = find_system_error(-code); e === nothing ? string("Unknown system error ", code) : e[2])
struverror(code::Integer) = (e = find_system_error(-code); e === nothing ? string("Unknown system error ", code) : e[3])
error_text(number::Integer) = number == 0 ? "Success" : (e = find_system_error(number); e === nothing ? string("Unknown error ", number) : e[4])

_UVError(prefix::AbstractString, code::Integer, suffixes::AbstractString...) =
    IOError(string(prefix, ": ", struverror(code), " (", uverrorname(code), ")", isempty(suffixes) ? "" : " ", suffixes...), code)
@noinline _uv_error(prefix, code::Integer) = throw(_UVError(string(prefix), code))
uv_error(prefix, code::Integer) = code < 0 ? _uv_error(prefix, code) : nothing

showerror(io::IO, e::SystemError) =
    print(io, "SystemError", e.extrainfo === nothing ? "" : string(" (with ", e.extrainfo, ")"), ": ", e.prefix, ": ", error_text(e.errnum))
systemerror(what; extrainfo = nothing) = throw(SystemError(string(what), Libc.errno(), extrainfo))
systemerror(what, failed::Bool; extrainfo = nothing) = failed ? systemerror(what; extrainfo) : nothing
systemerror(what, number::Integer; extrainfo = nothing) = throw(SystemError(string(what), number, extrainfo))

# The names that Windows has for errors besides their numbers.
struct WindowsErrorInfo
    errnum::UInt32
    extrainfo::Any
end
windowserror(what, failed::Bool; extrainfo = nothing) = failed ? windowserror(what; extrainfo) : nothing
windowserror(what, code::UInt32 = zero(UInt32); extrainfo = nothing) =
    throw(SystemError(string(what), Libc.errno(), WindowsErrorInfo(code, extrainfo)))

"""
    RawFD(n)

The number by which the system knows an open file.
"""
primitive type RawFD 32 end
RawFD(fd::Integer) = bitcast(RawFD, Int32(fd))
RawFD(fd::RawFD) = fd
const INVALID_OS_HANDLE = RawFD(-1)
show(io::IO, fd::RawFD) = print(io, "RawFD(", bitcast(Int32, fd), ')')
export RawFD
