# A call of a union of two types is a test of the type and a direct call for each: nothing is dynamic, nothing is boxed.
measure(x::Int64) = 1.5 * x
measure(x::Float64) = x + 1.0
split(flag::Bool) = measure(flag ? 1 : 2.0)

#: typed 'split(Bool)'
#: not: dynamic
#: not: invoke
#: check: Intrinsics.mul_float
