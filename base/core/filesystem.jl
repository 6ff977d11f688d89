# Files by the flags of the operating system, and the names of all that concerns files under one module.

module Filesystem
    import ..Base
    import ..Base: readdir, walkdir, mkdir, mkpath, rm, mv, cp, cptree, sendfile, touch, cd, pwd, mktempdir, mktemp, tempdir, tempname, islink, isdirpath,
        isfile, isdir, ispath, filesize, joinpath, splitext, splitdir, splitdrive, splitpath, basename, dirname, abspath, normpath, realpath,
        relpath, uripath, isabspath, homedir, expanduser, contractuser, stat, lstat, StatStruct, filemode, filemode_string, mtime, ctime, isfifo,
        ischardev, isblockdev, issocket, issetuid, issetgid, issticky, uperm, gperm, operm, ismount, samefile, chmod, chown, hardlink, symlink,
        readlink, rename, unlink, DirEntry, _readdirx, getusername, getgroupname, path_separator, AVG_PATH, temp_prefix, TEMP_CLEANUP,
        TEMP_CLEANUP_MIN, TEMP_CLEANUP_MAX, temp_cleanup_later, temp_cleanup_forget, temp_cleanup_purge, _rand_filename,
        JL_O_RDONLY, JL_O_WRONLY, JL_O_RDWR, JL_O_CREAT, JL_O_EXCL, JL_O_TRUNC, JL_O_APPEND, &, |, ==, !=
    export readdir, walkdir, mkdir, mkpath, rm, mv, cp, cptree, sendfile, touch, cd, pwd, mktempdir, mktemp, tempdir, tempname, islink, isdirpath,
        isfile, isdir, ispath, filesize, joinpath, splitext, splitdir, splitdrive, splitpath, basename, dirname, abspath, normpath, realpath,
        relpath, isabspath, homedir, expanduser, contractuser, stat, lstat, filemode, mtime, ctime, isfifo, ischardev, isblockdev, issocket,
        issetuid, issetgid, issticky, uperm, gperm, operm, ismount, samefile, chmod, chown, hardlink, symlink, readlink, rename, unlink
    function open(path, flags::Integer, mode::Integer = 0)
        access = flags & 3
        Base.open(path; read = access != 1, write = access != 0, create = flags & JL_O_CREAT != 0,
            truncate = flags & JL_O_TRUNC != 0, append = flags & JL_O_APPEND != 0)
    end
end
