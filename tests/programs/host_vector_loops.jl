# Loops of host code that call nothing are vectorized: they do what the interpreter does, at every length, for arrays that overlap, and up
# to the element that fails.
using Test

add!(y, x) = (@inbounds for i in eachindex(y, x); y[i] = x[i] + 1; end; y)
shift!(y) = (@inbounds for i in 2:length(y); y[i] = y[i - 1] * 3 + y[i]; end; y)
back!(y) = (@inbounds for i in (length(y) - 1):-1:1; y[i] += y[i + 1]; end; y)
strided!(y, x, s) = (@inbounds for i in 1:s:length(y); y[i] = x[i] - y[i]; end; y)
total(x) = (s = zero(eltype(x)); for v in x; s += v; end; s)
largest(x) = (m = typemin(eltype(x)); for v in x; m = ifelse(v > m, v, m); end; m)
first_above(x, limit) = (for i in eachindex(x); x[i] > limit && return i; end; 0)
below!(b, x, limit) = (@inbounds for i in eachindex(b, x); b[i] = x[i] < limit; end; b)
narrow!(y, x) = (@inbounds for i in eachindex(y, x); y[i] = x[i] % Int8; end; y)
checked!(y, x) = (for i in eachindex(x); y[i] = x[i] + y[i]; end; y)

# `work` interpreted, and after it was compiled: with loops that ran long that is soon.
function same(work, make)
    first = work(make()...)
    for _ in 1:40
        work(make()...)
    end
    return isequal(first, work(make()...))
end

for n in (0, 1, 2, 3, 7, 8, 9, 31, 33, 64, 100)
    ints, floats = [(i * 7919) % 1000 - 500 for i in 1:n], [i % 11 == 0 ? NaN32 : Float32(i) / 3 for i in 1:n]
    @test same(add!, () -> (zeros(Int, n), ints))
    @test same(add!, () -> (zeros(Float32, n), floats))
    @test same(shift!, () -> (copy(ints),))
    @test same(shift!, () -> (copy(floats),))
    @test same(back!, () -> (copy(floats),))
    @test same(strided!, () -> (copy(ints), ints, 3))
    @test same(total, () -> (floats,))
    @test same(total, () -> (ints,))
    @test same(largest, () -> (ints,))
    @test same(first_above, () -> (ints, 490))
    @test same(below!, () -> (Vector{Bool}(undef, n), floats, 5f0))
    @test same(narrow!, () -> (zeros(Int8, n), ints))
    whole = collect(1:(n + 1))
    @test same(add!, () -> (y = copy(whole); (view(y, 2:(n + 1)), view(y, 1:n))))
    @test same(add!, () -> (y = copy(whole); (view(y, 1:n), view(y, 2:(n + 1)))))
end
# Sums of floats keep their order.
@test total(Float32[1f8, 1, -1f8, 1]) == 1f0
# What was stored before the failure stays.
for _ in 1:3
    y = zeros(Int, 10)
    @test_throws BoundsError checked!(y, 1:12)
    @test y == 1:10
end

# Bits of comparisons.
for n in (0, 1, 63, 64, 65, 127, 128, 65535, 65536, 65537, 131_100)
    x = [i % 5 for i in 1:n]
    b = x .== 2
    @test b isa BitVector && length(b) == n && all(i -> b[i] == (x[i] == 2), 1:n)
    @test count(b) == count(==(2), x) && count(.!b) == n - count(b)
    @test (reshape(x, 1, n) .< 3) == reshape(x .< 3, 1, n)
    @test (view(x, n:-1:1) .> 1) == reverse(x .> 1)
end
@test ([1 2; 3 4] .> [1, 3]) == Bool[0 1; 0 1]
@test isequal([1, missing, 3] .== 1, [true, missing, false])
fails(v) = v == 70 ? error("seventy") : v > 3
@test_throws ErrorException fails.(1:100)
