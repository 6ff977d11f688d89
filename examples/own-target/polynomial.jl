# Something to compile for a processor: no memory, no checks.

polynomial(x::Float64) = muladd(x, muladd(x, 3.0, 2.0), 1.0)

collatz(n::Int64) = ifelse(n & 1 == 0, n >> 1, 3n + 1)

# A symbol is a word of the table `<entry>_references` of the object, which its loader may fill.
scaled(x::Float64, unit::Symbol) = unit === :percent ? x / 100 : unit === :permille ? x / 1000 : x
