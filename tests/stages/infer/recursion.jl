# A recursive function has the type that its base case starts with.
fib(n) = n < 2 ? n : fib(n - 1) + fib(n - 2)

#: infer 'fib(Int64)'
#: check: returns Int64
#: not: dynamic
