include("timed.jl")
function built(n)
    io = IOBuffer()
    for i in 1:n
        print(io, "part ", i, ", ")
    end
    text = String(take!(io))
    string(length(text), " ", count(==('9'), text), " ", text[end-20:end])
end
timed(built)
