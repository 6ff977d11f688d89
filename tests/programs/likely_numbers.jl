# Operators on values of unknown type: the guess that they are numbers of one type changes no result.
using Test

struct Metres
    count::Int
end
Base.:+(a::Metres, b::Int) = Metres(a.count + 10b)
Base.:+(a::Int, b::Metres) = "reversed"
Base.:<(a::Metres, b::Int) = missing

values(n) = Any[i % 5 == 0 ? Float64(i) : i % 7 == 0 ? Int8(3) : i % 11 == 0 ? true : i for i in 1:n]
total(v) = (s = 0; for x in v; s = s + x; end; s)
remainders(v) = Any[x % 3 for x in v]
quotients(v) = Any[try x ÷ (x - 4) catch e; typeof(e) end for x in v]
below(v) = count(x -> x < 40, v)
largest(v) = (m = typemin(Int); for x in v; m = max(m, x); end; m)
# What inference knows of no element.
by_hand(v) = mapreduce(x -> (x isa Bool ? Int(x) : x), +, v; init = 0)

# `work` interpreted, and after it was compiled.
function same(work, v)
    first = work(v)
    for _ in 1:2000
        work(v)
    end
    last = work(v)
    return isequal(first, last) && typeof(first) === typeof(last)
end

v = values(60)
for work in (total, remainders, quotients, below, largest)
    @test same(work, v)
end
@test total(v) === by_hand(v)
@test total(Any[1, 2, 3]) === 6
@test total(Any[typemax(Int), 1]) === typemin(Int)
@test total(Any[Metres(1)]) === "reversed"
@test same(x -> x[1] + 2, Any[Metres(1)]) && same(x -> x[1] < 2, Any[Metres(1)])
@test_throws MethodError total(Any[1, "a"])
@test_throws DivideError (x -> 7 % x[1])(Any[0])

# A method that comes later, of the operator and of what it is given.
twice(v) = 2 * v[1]
for _ in 1:2000
    twice(Any[4])
end
@test twice(Any[4]) === 8
Base.:*(a::Int, b::Metres) = Metres(a * b.count)
@test twice(Any[Metres(4)]) === Metres(8)
