# 100 arrays of 100 MB (ARGS[1] of them), each written to, one at a time.
function arrays(n)
    s = 0.0
    for i in 1:n
        a = fill(Float64(i), 12_500_000)
        s += a[1] + a[end]
    end
    s
end
println(arrays(parse(Int, ARGS[1])))
