# Constant arguments reach into a callee, and branches that they decide are not there.
select(mode, x) = mode === :double ? 2x : mode === :square ? x * x : error("no such mode")
double(x) = select(:double, x)

#: typed 'double(Int64)'
#> double(_0::typeof(double), _1::Int64)::Int64
#> bb0:
#>   %0 = Intrinsics.mul_int(2, _1)::Int64
#>   return %0
