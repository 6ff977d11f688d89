include("timed.jl")
fib(n) = n < 2 ? n : fib(n - 1) + fib(n - 2)
timed(fib)
