# A `NamedTuple` that is taken apart again is its parts.
function area(w, h)
    box = (; w, h)
    (; h, w) = box
    w * h
end

#: typed 'area(Int64, Int64)'
#> area(_0::typeof(area), _1::Int64, _2::Int64)::Int64
#> bb0:
#>   %0 = Intrinsics.mul_int(_1, _2)::Int64
#>   return %0
