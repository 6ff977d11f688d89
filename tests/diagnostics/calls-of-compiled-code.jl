# A failure in compiled host code tells all calls on the way to it, also of functions that are called from several places.
@noinline element(a, i) = a[i]
@noinline above(a, i) = element(a, i) + 1
@noinline chosen(a, i) = i > 100 ? above(a, i + 1) : above(a, i)
@noinline function even(a, n, i)
    n == 0 && return chosen(a, i)
    odd(a, n - 1, i) + 1
end
@noinline function odd(a, n, i)
    n == 3 && return even(a, n - 1, i) + 1
    n == 0 && return chosen(a, i)
    even(a, n - 1, i) + 1
end
function total(last)
    a = [1, 2, 3]
    s = 0
    for i in 1:20_000
        s += even(a, 5, 1 + i % 3)
    end
    s + even(a, 5, last)
end
total(1) + total(2)
# The handler of a compiled function takes what passed through others.
@noinline function caught(a, i)
    try
        even(a, 5, i)
    catch e
        e isa BoundsError ? -1 : rethrow()
    end
end
all(caught([1, 2, 3], 4 + i) == -1 for i in 1:2000) || error("not caught")
total(1000)
