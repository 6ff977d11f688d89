include("timed.jl")
function counts(n)
    d = Dict{String, Int}()
    r = Numbers(1)
    for i in 1:n
        d[string("key", next!(r))] = i
    end
    r = Numbers(1)
    sum = 0
    for i in 1:n
        sum = (sum + d[string("key", next!(r))] * i) % 1000000007
    end
    string(length(d), " ", sum, " ", haskey(d, "key"))
end
timed(counts)
