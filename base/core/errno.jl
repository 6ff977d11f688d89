# The error number of the system that the program set last: no C function runs that could set it.
const LAST_ERRNO = Ref{Int32}(0)
Libc.errno() = LAST_ERRNO[]
Libc.errno(n::Integer) = (LAST_ERRNO[] = n % Int32; nothing)
Libc.strerror() = Libc.strerror(Libc.errno())
