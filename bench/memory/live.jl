# 10^7 objects (times ARGS[1] of a hundred) in dictionaries of strings, about 1 GB, that stay while others are replaced.
function build(n)
    all = Dict{String, String}[]
    d = Dict{String, String}()
    for i in 1:n
        d[string("key", i % 1000)] = string("a value of ", i)
        if i % 1000 == 0
            push!(all, d)
            d = Dict{String, String}()
        end
    end
    all
end
function churn(all, n)
    s = 0
    for i in 1:n
        d = all[1 + i % length(all)]
        d[string("key", i % 1000)] = string("another ", i)
        s += length(d)
    end
    s
end
n = 50_000 * parse(Int, ARGS[1])
build(2000)
all = build(n)
println(length(all), " ", churn(all, n))
GC.gc()
