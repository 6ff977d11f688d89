# A `Ref` that only this function sees is a value.
function swap(a, b)
    x, y = Ref(a), Ref(b)
    x[], y[] = y[], x[]
    x[] - y[]
end

#: typed 'swap(Int64, Int64)'
#> swap(_0::typeof(swap), _1::Int64, _2::Int64)::Int64
#> bb0:
#>   %0 = Intrinsics.sub_int(_2, _1)::Int64
#>   return %0
