# `@inbounds` of the caller reaches the indexing that is inlined into it: no comparison with the length, no throw.
checked(v, i) = v[i]
unchecked(v, i) = @inbounds v[i]

#: typed 'checked(Vector{Float64}, Int64)'
#: check: ult_int
#: check: throw_array_bounds

#: typed 'unchecked(Vector{Float64}, Int64)'
#: not: ult_int
#: not: throw_array_bounds
#: check: Core.memoryrefget
