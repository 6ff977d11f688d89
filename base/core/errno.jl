# Error numbers of the system, and their names in words.

# No C function runs that could set it: it is the one that the program set last.
const LAST_ERRNO = Ref{Int32}(0)
const ERRNO_TEXTS = Dict{Int32, String}(
    0 => "Success", 1 => "Operation not permitted", 2 => "No such file or directory", 3 => "No such process",
    4 => "Interrupted system call", 5 => "Input/output error", 6 => "No such device or address", 7 => "Argument list too long",
    8 => "Exec format error", 9 => "Bad file descriptor", 10 => "No child processes", 11 => "Resource temporarily unavailable",
    12 => "Cannot allocate memory", 13 => "Permission denied", 14 => "Bad address", 15 => "Block device required",
    16 => "Device or resource busy", 17 => "File exists", 18 => "Invalid cross-device link", 19 => "No such device",
    20 => "Not a directory", 21 => "Is a directory", 22 => "Invalid argument", 23 => "Too many open files in system",
    24 => "Too many open files", 25 => "Inappropriate ioctl for device", 26 => "Text file busy", 27 => "File too large",
    28 => "No space left on device", 29 => "Illegal seek", 30 => "Read-only file system", 31 => "Too many links",
    32 => "Broken pipe", 33 => "Numerical argument out of domain", 34 => "Numerical result out of range",
    35 => "Resource deadlock avoided", 36 => "File name too long", 37 => "No locks available", 38 => "Function not implemented",
    39 => "Directory not empty", 40 => "Too many levels of symbolic links", 75 => "Value too large for defined data type",
    95 => "Operation not supported", 98 => "Address already in use", 104 => "Connection reset by peer",
    110 => "Connection timed out", 111 => "Connection refused", 113 => "No route to host")
Libc.errno() = LAST_ERRNO[]
Libc.errno(n::Integer) = (LAST_ERRNO[] = n % Int32; nothing)
Libc.strerror(n::Integer = Libc.errno()) = get(() -> string("Unknown error ", n), ERRNO_TEXTS, Int32(n))
