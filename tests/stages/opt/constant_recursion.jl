# A recursion over a `Val` unrolls.
power(x, ::Val{0}) = one(x)
power(x, ::Val{N}) where {N} = x * power(x, Val(N - 1))
cube(x) = power(x, Val(3))

#: typed 'cube(Float32)'
#: not: invoke
#: not: dynamic
