# Loops that run long are compiled while they run: what they compute, throw and leave behind is what the interpreter
# would have.
using Test

function sums(n)
    s = 0.0
    a = ones(n)
    for i in 1:n
        s += a[i] * i
    end
    t = 0
    for i in 1:n, j in 1:3
        t += i % j == 0 ? j : 1
    end
    (s, t)
end

# The loop is left in two ways, and what it assigned is used after both.
function first_above(a, limit)
    at = 0
    for i in eachindex(a)
        at = i
        a[i] > limit && return (:found, at)
    end
    (:none, at)
end

function past_the_end(a, n)
    s = 0
    for i in 1:n
        s += a[i]
    end
    s
end

function changes_type(n)
    x = 0
    for i in 1:n
        x = i < n ÷ 2 ? x + 1 : x + 0.5
    end
    x
end

@testset "hot loops" begin
    @test sums(5000) == (1.25025e7, sum(1 + (i % 2 == 0 ? 2 : 1) + (i % 3 == 0 ? 3 : 1) for i in 1:5000))
    @test first_above(collect(1:5000), 4000) === (:found, 4001)
    @test first_above(collect(1:5000), 6000) === (:none, 5000)
    # An error in compiled code is the interpreter's error, and the process goes on.
    @test_throws BoundsError past_the_end(fill(2, 5000), 5001)
    @test past_the_end(fill(2, 5000), 5000) == 10_000
    @test changes_type(4000) === 1999 + 0.5 * 2001
    @test all(fill(5.0f0, 100_000) .== 5.0f0)
    @test sum(i -> 2i, 1:10_000) == 100_010_000
end
