# A type assertion narrows what follows it: the addition is one of `Int64`s.
narrowed(x) = (y = x::Int64; y + y)

#: typed 'narrowed(Any)'
#> narrowed(_0::typeof(narrowed), _1::Any)::Int64
#> bb0:
#>   %0 = Core.typeassert(_1, Int64)::Int64
#>   %1 = Intrinsics.add_int(%0, %0)::Int64
#>   return %1
