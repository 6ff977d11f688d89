# A recursion whose argument types grow is cut off: inference ends, with a less precise type.
nest(x, n) = n == 0 ? x : nest((x,), n - 1)

#: infer 'nest(Int64, Int64)'
#: check: returns Any
