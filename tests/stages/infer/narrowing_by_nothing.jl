# `=== nothing` narrows like a test of the type, through `&&` and early returns.
function first_or_zero(x)
    x === nothing && return 0
    x + 1
end

#: infer 'first_or_zero(Union{Nothing, Int64})'
