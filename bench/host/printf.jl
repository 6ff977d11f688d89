using Printf
include("timed.jl")
function printed(n)
    io = IOBuffer()
    for i in 1:n
        @printf(io, "%6d %10.4f %-8s|%5.1e\n", i, i / 7, "row", i * 1.5)
    end
    text = String(take!(io))
    string(length(text), " ", text[end-33:end-1])
end
timed(printed)
