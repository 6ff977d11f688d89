# A `NamedTuple` that is taken apart again is its parts.
function area(w, h)
    box = (; w, h)
    (; h, w) = box
    w * h
end

#: typed 'area(Int64, Int64)'
