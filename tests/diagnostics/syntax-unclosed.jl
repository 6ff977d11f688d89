# The missing `end` is reported where it was opened.
function f(x)
    if x > 0
        return 1
    return 2
end
