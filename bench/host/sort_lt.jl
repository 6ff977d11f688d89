include("timed.jl")
function sorted(n)
    r = Numbers(1)
    v = [next!(r) for _ in 1:n]
    sort!(v)
    sum = 0
    for (i, x) in enumerate(v)
        sum = (sum * 31 + x * i) % 1000000007
    end
    sum
end
timed(sorted)
