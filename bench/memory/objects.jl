# 10^8 small objects (times ARGS[1] of a hundred), of which one in a thousand lives a while.
mutable struct Cell
    value::Int
    other::Any
end
function objects(n)
    kept = Vector{Any}(nothing, 1000)
    s = 0
    for i in 1:n
        c = Cell(i, nothing)
        if i % 1000 == 0
            kept[1 + i ÷ 1000 % 1000] = c
        end
        s += c.value
    end
    s + length(kept)
end
objects(1000)
println(objects(1_000_000 * parse(Int, ARGS[1])))
