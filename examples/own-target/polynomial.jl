# Something to compile for a processor: no memory, no checks.

polynomial(x::Float64) = muladd(x, muladd(x, 3.0, 2.0), 1.0)

collatz(n::Int64) = ifelse(n & 1 == 0, n >> 1, 3n + 1)
