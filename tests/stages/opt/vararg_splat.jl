# Splatting a tuple of known length is a direct call of its parts.
add3(a, b, c) = a + b + c
splat(t) = add3(t...)

#: typed 'splat(NTuple{3, Int64})'
#: not: apply
#: not: dynamic
