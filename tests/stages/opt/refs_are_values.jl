# A `Ref` that only this function sees is a value.
function swap(a, b)
    x, y = Ref(a), Ref(b)
    x[], y[] = y[], x[]
    x[] - y[]
end

#: typed 'swap(Int64, Int64)'
