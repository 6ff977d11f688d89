include("timed.jl")
function product(n)
    a = [Float64((i * j) % 7) for i in 1:n, j in 1:n]
    b = [Float64((i + j) % 5) for i in 1:n, j in 1:n]
    c = zeros(n, n)
    for i in 1:n, j in 1:n
        total = 0.0
        for k in 1:n
            total += a[i, k] * b[k, j]
        end
        c[i, j] = total
    end
    string(Int(sum(c)), " ", c[1, n], " ", c[n, 2])
end
timed(product)
