# Shared libraries: kiln opens none, so one that may be absent is, and one that must be there is an error.
module Libdl

export DL_LOAD_PATH, RTLD_DEEPBIND, RTLD_FIRST, RTLD_GLOBAL, RTLD_LAZY, RTLD_LOCAL, RTLD_NODELETE, RTLD_NOLOAD, RTLD_NOW,
    dlclose, dlopen, dlopen_e, dlsym, dlsym_e, dlpath, find_library, dlext, dllist

const DL_LOAD_PATH = String[]
const RTLD_LOCAL, RTLD_LAZY, RTLD_NOW = 0x00000000, 0x00000001, 0x00000002
const RTLD_NOLOAD, RTLD_DEEPBIND, RTLD_GLOBAL = 0x00000004, 0x00000008, 0x00000100
const RTLD_NODELETE, RTLD_FIRST = 0x00001000, 0x00000000
const dlext = "so"

no_libraries(what) = throw(Base.UnsupportedError(what, "kiln opens no shared libraries"))
dlopen(name::Union{AbstractString, Symbol}, flags::Integer = RTLD_LAZY; throw_error::Bool = true) =
    throw_error ? no_libraries(:dlopen) : nothing
dlopen(f::Function, name::Union{AbstractString, Symbol}, flags::Integer = RTLD_LAZY) = f(dlopen(name, flags))
dlopen_e(name, flags::Integer = RTLD_LAZY) = C_NULL
dlsym(library, name; throw_error::Bool = true) = throw_error ? no_libraries(:dlsym) : nothing
dlsym_e(library, name) = C_NULL
dlclose(library) = no_libraries(:dlclose)
dlclose(::Nothing) = nothing
dlpath(library) = no_libraries(:dlpath)
dllist() = String[]
# The empty text stands for none.
find_library(names, paths = String[]) = ""

end
