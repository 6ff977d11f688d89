# The value of a keyword argument is a constant in the body that the keyword sorter calls.
rounded(x; digits = 0, up = false) = digits == 0 ? (up ? x + 1 : x) : error("no digits")
upward(x) = rounded(x; up = true)

#: typed 'upward(Int64)'
#> upward(_0::typeof(upward), _1::Int64)::Int64
#> bb0:
#>   %0 = Intrinsics.add_int(_1, 1)::Int64
#>   return %0
