# A pure call whose value is not used is gone, however long it is; an impure one stays.
@noinline pure(x) = x * x + 1
ignoring(x) = (pure(x); x)

#: typed 'ignoring(Int64)'
#> ignoring(_0::typeof(ignoring), _1::Int64)::Int64
#> bb0:
#>   return _1
