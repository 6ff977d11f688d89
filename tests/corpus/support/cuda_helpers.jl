# What CUDA.jl's test/helpers.jl defines for its files.
macro grab_output(ex)
    quote
        mktemp() do fname, fout
            ret = nothing
            open(fname, "w") do fout
                redirect_stdout(fout) do
                    ret = $(esc(ex))
                    synchronize()
                end
            end
            ret, read(fname, String)
        end
    end
end

# A value that is not optimized away.
@noinline sink(it) = it

# Checks of code as text need LLVM's FileCheck: they are errors.
macro filecheck(arguments...)
    return :(error("FileCheck is missing"))
end
