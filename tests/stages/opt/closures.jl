# A closure that is called where it is made is code, and its captures are values.
scaled(v, a) = map(x -> a * x, v)

#: typed 'scaled(NTuple{3, Float32}, Float32)'
#: not: invoke
#: not: new(
