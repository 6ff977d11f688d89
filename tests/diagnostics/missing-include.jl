# A file that is not there.
include("no_such_file.jl")
