# A total function of constants is its value, and has no body.
fact(n) = n <= 1 ? 1 : n * fact(n - 1)
fact5() = fact(5)

#: infer 'fact5()'
