# A recursion whose argument types grow is cut off: inference ends, and of the tuple it only knows that it is one.
nest(x, n) = n == 0 ? x : nest((x,), n - 1)

#: infer 'nest(Int64, Int64)'
#: check: returns Union{Int64, Tuple}
