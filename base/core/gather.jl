# Elements in another order, by their linear index: for each dimension of the result a table says how far each step is from
# the first element of the source.

# How far the elements of dimension `d` lie from each other in the numbering of the elements.
linear_step(a::AbstractArray, d::Int) = (s = 1; for k in 1:(d - 1); s *= size(a, k); end; s)
step_table(a, d, order) = (s = linear_step(a, d); Int[(i - 1) * s for i in order])
function gather!(out::AbstractArray, a::AbstractArray, tables::Tuple)
    IndexStyle(out) isa IndexLinear || return copyto!(out, gather!(Array{eltype(out)}(undef, size(out)), a, tables))
    src = linear_source(a)
    gather_from!(out, first(LinearIndices(out)) - 1, src, first(LinearIndices(src)), tables)
    out
end
# Arrays that do not count their elements by one index are copied to one that does.
linear_source(a::AbstractArray) = IndexStyle(a) isa IndexLinear ? a : collect(a)
gather_from!(out, k, a, at, ::Tuple{}) = (out[k + 1] = a[at]; k + 1)
function gather_from!(out, k, a, at, tables::Tuple{Any})
    for o in tables[1]
        k += 1
        @inbounds out[k] = a[at + o]
    end
    k
end
function gather_from!(out, k, a, at, tables::Tuple)
    for o in tables[end]
        k = gather_from!(out, k, a, at + o, front(tables))
    end
    k
end
# The distances of all elements that the tables reach, in order.
distances(tables::Tuple) = distances!(Int[], 0, tables)
distances!(out, at, ::Tuple{}) = push!(out, at)
function distances!(out, at, tables::Tuple)
    for o in tables[end]
        distances!(out, at + o, front(tables))
    end
    out
end
