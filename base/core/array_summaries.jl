# Summaries of arrays: sizes, axes that do not start at one, and wrappers as the calls that make them.

summary(io::IO, a::AbstractArray) = array_summary(io, a, axes(a))
array_summary(io::IO, a, inds) = summary_with_axes(io, a, inds)
function array_summary(io::IO, a, inds::Tuple{Vararg{OneTo}})
    print(io, dims2string(map(length, inds)), " ")
    showarg(io, a, true)
end
function summary_with_axes(io, a, inds)
    print(io, dims2string(map(length, inds)), " ")
    showarg(io, a, true)
    print(io, " with indices ", inds2string(inds))
end

# Subscripts and axes after the argument that they belong to.
showindices(io::IO) = nothing
showindices(io::IO, ind1, inds...) = (print(io, ", ", ind1); showindices(io, inds...))
showindices(io::IO, ind1::Slice, inds...) = (print(io, ", :"); showindices(io, inds...))

# An argument of a call that is shown: by its type, a wrapper by its own call. `toplevel` is true for the array that is summed up.
showarg(io::IO, ::Type{T}, toplevel) where {T} = (toplevel || print(io, "::"); print(io, "Type{", T, "}"))
showarg(io::IO, x, toplevel) = (toplevel || print(io, "::"); print(io, typeof(x)))
show_eltype_of(io, a, toplevel) = toplevel ? print(io, " with eltype ", eltype(a)) : nothing
function show_wrapped(io, name, a, toplevel)
    print(io, name, "(")
    showarg(io, parent(a), false)
    print(io, ")")
    show_eltype_of(io, a, toplevel)
end
function showarg(io::IO, v::SubArray, toplevel)
    print(io, "view(")
    showarg(io, parent(v), false)
    showindices(io, v.indices...)
    print(io, ")")
    show_eltype_of(io, v, toplevel)
end
function showarg(io::IO, a::ReshapedArray, toplevel)
    print(io, "reshape(")
    showarg(io, parent(a), false)
    isempty(a.dims) || print(io, ", ", join(a.dims, ", "))
    print(io, ")")
    show_eltype_of(io, a, toplevel)
end
showarg(io::IO, a::NonReshapedReinterpretArray{T}, toplevel) where {T} = show_reinterpreted(io, "", T, a, toplevel)
showarg(io::IO, a::ReshapedReinterpretArray{T}, toplevel) where {T} = show_reinterpreted(io, "reshape, ", T, a, toplevel)
function show_reinterpreted(io, kind, T, a, toplevel)
    print(io, "reinterpret(", kind, T, ", ")
    showarg(io, parent(a), false)
    print(io, ")")
    show_eltype_of(io, a, toplevel)
end
function showarg(io::IO, a::PermutedDimsArray{T, N, perm}, toplevel) where {T, N, perm}
    print(io, "PermutedDimsArray(")
    showarg(io, parent(a), false)
    print(io, ", ", perm, ")")
    show_eltype_of(io, a, toplevel)
end
showarg(io::IO, a::Adjoint, toplevel) = show_wrapped(io, "adjoint", a, toplevel)
showarg(io::IO, a::Transpose, toplevel) = show_wrapped(io, "transpose", a, toplevel)
function showarg(io::IO, a::LogicalIndex, toplevel)
    print(io, "to_index(")
    showarg(io, a.mask, false)
    print(io, ")")
    show_eltype_of(io, a, toplevel)
end
showarg(io::IO, p::Pairs, toplevel) = print(io, "pairs(::", typeof(values(p)), ")")
showarg(io::IO, p::Pairs{<:Any, <:Any, <:Any, <:NamedTuple}, toplevel) = print(io, "pairs(::NamedTuple)")
function showarg(io::IO, p::Pairs{<:Any, <:Any, <:Any, <:AbstractArray}, toplevel)
    print(io, "pairs(")
    typeof(keys(p)) === typeof(keys(values(p))) || print(io, keys(p) isa LinearIndices ? "IndexLinear(), " : "IndexCartesian(), ")
    print(io, "::", typeof(values(p)), ")")
end

# A matrix with a structure of its own shows its zeros as dots.
replace_in_print_matrix(a, i::Integer, j::Integer, s::AbstractString) = s
function replace_with_centered_mark(s::AbstractString; c::AbstractChar = '⋅')
    n = textwidth(s)
    left = div(n - 1, 2)
    string(" "^left, c, " "^(n - 1 - left))
end
replace_in_print_matrix(v::SubArray{<:Any, 2, <:AbstractMatrix}, i::Integer, j::Integer, s::AbstractString) =
    replaced_in_parent(v.parent, reindex(v.indices, (i, j)), s)
replace_in_print_matrix(v::SubArray{<:Any, 1, <:AbstractVector}, i::Integer, j::Integer, s::AbstractString) =
    replaced_in_parent(v.parent, reindex(v.indices, (i,)), s)
replaced_in_parent(p, I::Tuple{Int, Int}, s) = replace_in_print_matrix(p, I[1], I[2], s)
replaced_in_parent(p, I::Tuple{Int}, s) = replace_in_print_matrix(p, I[1], 1, s)
replaced_in_parent(p, I::Tuple, s) = s
show(io::IO, l::LinearIndices) = (print(io, "LinearIndices("); show(io, l.indices); print(io, ")"))
show(io::IO, ::MIME"text/plain", l::LinearIndices) = (summary(io, l); isempty(l) || (println(io, ":"); print_array(io, l)))
