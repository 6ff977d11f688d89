# A loop over a range is a loop over a number: no tuple of `iterate`, no `nothing`.
function total(n)
    t = 0
    for i in 1:n
        t += i
    end
    t
end

#: typed 'total(Int64)'
#: not: tuple
#: not: nothing
#: check: add_int
