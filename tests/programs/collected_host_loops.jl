# Arrays that only loops without calls use, with allocations between the loops: the addresses that vector code keeps there do not
# keep an array, so something else has to.
using Test

@noinline garbage(n) = sum(length, [fill(7.0, 3 + i % 5) for i in 1:n])

# The array is reached through its elements alone, before and behind.
function twice(n)
    v = [Float64(i) for i in 1:n]
    s = 0.0
    @inbounds for i in 1:n
        s += v[i]
    end
    s += garbage(20)
    @inbounds for i in n:-1:1
        s -= v[i]
    end
    return s
end

# The loop goes on where the one before ended.
function onward(n)
    v = zeros(Int, n)
    k = 1
    @inbounds while k <= n ÷ 2
        v[k] = 3k
        k += 1
    end
    g = garbage(10)
    @inbounds while k <= n
        v[k] = v[k - n ÷ 2] + 1
        k += 1
    end
    t = 0
    @inbounds for x in v
        t += x
    end
    return t + Int(g)
end

# Parts of an array: addresses in the middle.
function halves(n)
    v = collect(1:n)
    a, b = view(v, 1:(n ÷ 2)), view(v, (n ÷ 2 + 1):n)
    s = 0
    for round in 1:3
        @inbounds for i in eachindex(b)
            b[i] = b[i] * 3 + round
        end
        s += Int(garbage(round))
        @inbounds for i in eachindex(a)
            s += a[i] * b[i]
        end
    end
    return s
end

# An array for each turn, which the next forgets.
function forgotten(n)
    s = 0
    for turn in 1:20
        v = Vector{Int32}(undef, n)
        @inbounds for i in 1:n
            v[i] = (i * turn) % Int32
        end
        w = similar(v)
        @inbounds for i in 1:n
            w[i] = v[n + 1 - i] ⊻ Int32(turn)
        end
        s += Int(garbage(2))
        @inbounds for i in 1:n
            s += w[i] - v[i]
        end
    end
    return s
end

# Columns of a matrix, and a row of it.
function columns(n)
    m = [Float32(i + 2j) for i in 1:n, j in 1:4]
    s = 0.0f0
    for j in 1:4
        @inbounds for i in 1:n
            m[i, j] = m[i, j] * 2 + j
        end
        s += Float32(garbage(3))
        @inbounds for i in 1:n
            s += m[i, 5 - j]
        end
    end
    return s
end

for n in (8, 34), work in (twice, onward, halves, forgotten, columns)
    first = work(n)
    for _ in 1:40
        work(n)
    end
    @test work(n) == first
end
