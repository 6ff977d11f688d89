# Files by the flags of the operating system, and the names of all that concerns files under one module.

module Filesystem
    import ..Base
    import ..Base: readdir, walkdir, mkdir, mkpath, rm, mv, cp, touch, cd, pwd, mktempdir, mktemp, tempdir, tempname, islink, isdirpath, isfile, isdir,
        ispath, filesize, joinpath, splitext, splitdir, splitpath, basename, dirname, abspath, normpath, isabspath, homedir, expanduser, &, |, ==, !=
    export readdir, walkdir, mkdir, mkpath, rm, mv, cp, touch, cd, pwd, mktempdir, mktemp, tempdir, tempname, islink, isdirpath, isfile, isdir,
        ispath, filesize, joinpath, splitext, splitdir, splitpath, basename, dirname, abspath, normpath, isabspath, homedir, expanduser
    const JL_O_RDONLY = 0x0000
    const JL_O_WRONLY = 0x0001
    const JL_O_RDWR = 0x0002
    const JL_O_CREAT = 0x0040
    const JL_O_EXCL = 0x0080
    const JL_O_TRUNC = 0x0200
    const JL_O_APPEND = 0x0400
    function open(path, flags::Integer, mode::Integer = 0)
        access = flags & 3
        Base.open(path; read = access != 1, write = access != 0, create = flags & JL_O_CREAT != 0,
            truncate = flags & JL_O_TRUNC != 0, append = flags & JL_O_APPEND != 0)
    end
end
