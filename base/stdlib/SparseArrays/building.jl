# Making sparse arrays: from places and values, from other arrays, and by chance.

"""
    spzeros([T, Ti,] m[, n])

An array of zeros, none of them stored.
"""
spzeros(m::Integer, n::Integer) = spzeros(Float64, m, n)
spzeros(::Type{Tv}, m::Integer, n::Integer) where {Tv} = spzeros(Tv, Int, m, n)
spzeros(::Type{Tv}, ::Type{Ti}, m::Integer, n::Integer) where {Tv, Ti <: Integer} = SparseMatrixCSC{Tv, Ti}(m, n, ones(Ti, n + 1), Ti[], Tv[])
spzeros(n::Integer) = spzeros(Float64, n)
spzeros(::Type{Tv}, n::Integer) where {Tv} = spzeros(Tv, Int, n)
spzeros(::Type{Tv}, ::Type{Ti}, n::Integer) where {Tv, Ti <: Integer} = SparseVector{Tv, Ti}(n, Ti[], Tv[])
spzeros(dims::Tuple) = spzeros(dims...)
spzeros(::Type{Tv}, dims::Tuple) where {Tv} = spzeros(Tv, dims...)

"""
    sparse(i, j, v[, m, n, combine])

A matrix with `v[k]` at `(i[k], j[k])`; values at one place are combined, by default with `+`.
"""
sparse(i::AbstractVector, j::AbstractVector, v::AbstractVector, m::Integer = dimension(i), n::Integer = dimension(j)) =
    sparse(i, j, v, m, n, default_combine(eltype(v)))
sparse(i::AbstractVector, j::AbstractVector, v::Number, args...) = sparse(i, j, fill(v, length(i)), args...)
dimension(i) = isempty(i) ? 0 : Int(maximum(i))
default_combine(::Type) = +
default_combine(::Type{Bool}) = |
function sparse(i::AbstractVector{<:Integer}, j::AbstractVector{<:Integer}, v::AbstractVector{Tv}, m::Integer, n::Integer, combine) where {Tv}
    length(i) == length(j) == length(v) ||
        throw(ArgumentError(string("the first three arguments' lengths must match, length(I) (=", length(i), ") == length(J) (= ",
            length(j), ") == length(V) (= ", length(v), ")")))
    all(r -> 1 <= r <= m, i) || throw(ArgumentError("row indices I[k] must satisfy 1 <= I[k] <= m"))
    all(c -> 1 <= c <= n, j) || throw(ArgumentError("column indices J[k] must satisfy 1 <= J[k] <= n"))
    Ti = promote_type(eltype(i), eltype(j))
    colptr, rowval, nzval = ones(Ti, n + 1), Ti[], Tv[]
    column = 1
    last_place = (0, 0)
    for k in sortperm(1:length(v); by = k -> (j[k], i[k]))
        while column < j[k]
            column += 1
            colptr[column] = length(rowval) + 1
        end
        if last_place == (i[k], j[k])
            nzval[end] = combine(nzval[end], v[k])
        else
            push!(rowval, i[k])
            push!(nzval, v[k])
            last_place = (i[k], j[k])
        end
    end
    colptr[(column + 1):end] .= length(rowval) + 1
    SparseMatrixCSC{Tv, Ti}(m, n, colptr, rowval, nzval)
end
"""
    sparsevec(i, v[, n, combine])

A vector with `v[k]` at `i[k]`.
"""
sparsevec(i::AbstractVector, v::AbstractVector, n::Integer = dimension(i)) = sparsevec(i, v, n, default_combine(eltype(v)))
sparsevec(i::AbstractVector, v::Number, args...) = sparsevec(i, fill(v, length(i)), args...)
sparsevec(d::AbstractDict, args...) = sparsevec(collect(keys(d)), collect(values(d)), args...)
sparsevec(a::AbstractVector) = sparse(a)
sparsevec(a::AbstractMatrix) = sparse(vec(a))
function sparsevec(i::AbstractVector{Ti}, v::AbstractVector{Tv}, n::Integer, combine) where {Ti <: Integer, Tv}
    a = sparse(i, ones(Ti, length(i)), v, n, 1, combine)
    SparseVector{Tv, Ti}(n, a.rowval, a.nzval)
end

"""
    sparse(a)

The elements of an array that are not zero.
"""
sparse(a::AbstractMatrix{Tv}) where {Tv} = SparseMatrixCSC{Tv, Int}(a)
sparse(v::AbstractVector{Tv}) where {Tv} = SparseVector{Tv, Int}(v)
sparse(a::Union{SparseMatrixCSC, SparseVector}) = copy(a)
sparse(a::UniformScaling, m::Integer, n::Integer = m) = spdiagm(m, n, 0 => fill(a.λ, min(m, n)))
SparseMatrixCSC(a::AbstractMatrix{Tv}) where {Tv} = SparseMatrixCSC{Tv, Int}(a)
SparseMatrixCSC{Tv}(a::AbstractMatrix) where {Tv} = SparseMatrixCSC{Tv, Int}(a)
SparseMatrixCSC(a::SparseMatrixCSC) = copy(a)
# A vector is one column.
SparseMatrixCSC{Tv, Ti}(v::SparseVector) where {Tv, Ti <: Integer} = SparseMatrixCSC{Tv, Ti}(v.n, 1, Ti[1, nnz(v) + 1], Vector{Ti}(v.nzind), Vector{Tv}(v.nzval))
SparseMatrixCSC{Tv}(v::SparseVector{<:Any, Ti}) where {Tv, Ti} = SparseMatrixCSC{Tv, Ti}(v)
SparseMatrixCSC(v::SparseVector{Tv, Ti}) where {Tv, Ti} = SparseMatrixCSC{Tv, Ti}(v)
SparseMatrixCSC{Tv, Ti}(a::SparseMatrixCSC) where {Tv, Ti <: Integer} =
    SparseMatrixCSC{Tv, Ti}(a.m, a.n, Vector{Ti}(a.colptr), Vector{Ti}(a.rowval), Vector{Tv}(a.nzval))
SparseMatrixCSC{Tv}(a::SparseMatrixCSC{<:Any, Ti}) where {Tv, Ti} = SparseMatrixCSC{Tv, Ti}(a)
function SparseMatrixCSC{Tv, Ti}(a::AbstractMatrix) where {Tv, Ti <: Integer}
    Base.require_one_based_indexing(a)
    colptr, rowval, nzval = Ti[1], Ti[], Tv[]
    for j in axes(a, 2)
        for i in axes(a, 1)
            iszero(a[i, j]) || (push!(rowval, i); push!(nzval, a[i, j]))
        end
        push!(colptr, length(rowval) + 1)
    end
    SparseMatrixCSC{Tv, Ti}(size(a, 1), size(a, 2), colptr, rowval, nzval)
end
SparseVector(v::AbstractVector{Tv}) where {Tv} = SparseVector{Tv, Int}(v)
SparseVector{Tv}(v::AbstractVector) where {Tv} = SparseVector{Tv, Int}(v)
SparseVector{Tv, Ti}(v::SparseVector) where {Tv, Ti <: Integer} = SparseVector{Tv, Ti}(v.n, Vector{Ti}(v.nzind), Vector{Tv}(v.nzval))
function SparseVector{Tv, Ti}(v::AbstractVector) where {Tv, Ti <: Integer}
    stored = Ti[i for i in eachindex(v) if !iszero(v[i])]
    SparseVector{Tv, Ti}(length(v), stored, Tv[v[i] for i in stored])
end
Base.convert(::Type{T}, a::AbstractMatrix) where {T <: SparseMatrixCSC} = a isa T ? a : T(a)
Base.convert(::Type{T}, v::AbstractVector) where {T <: SparseVector} = v isa T ? v : T(v)
Base.copy(a::SparseMatrixCSC{Tv, Ti}) where {Tv, Ti} = SparseMatrixCSC{Tv, Ti}(a.m, a.n, copy(a.colptr), copy(a.rowval), copy(a.nzval))
Base.copy(v::SparseVector{Tv, Ti}) where {Tv, Ti} = SparseVector{Tv, Ti}(v.n, copy(v.nzind), copy(v.nzval))
# As Julia does: the same places are stored unless the size is another one.
Base.similar(a::SparseMatrixCSC{<:Any, Ti}, ::Type{T}) where {T, Ti} = SparseMatrixCSC{T, Ti}(a.m, a.n, copy(a.colptr), copy(a.rowval), Vector{T}(undef, length(a.nzval)))
Base.similar(a::SparseMatrixCSC{<:Any, Ti}, ::Type{T}, dims::Dims{2}) where {T, Ti} = spzeros(T, Ti, dims...)
Base.similar(a::SparseMatrixCSC{<:Any, Ti}, ::Type{T}, dims::Dims{1}) where {T, Ti} = spzeros(T, Ti, dims...)
Base.similar(v::SparseVector{<:Any, Ti}, ::Type{T}) where {T, Ti} = SparseVector{T, Ti}(v.n, copy(v.nzind), Vector{T}(undef, length(v.nzval)))
Base.similar(v::SparseVector{<:Any, Ti}, ::Type{T}, dims::Union{Dims{1}, Dims{2}}) where {T, Ti} = spzeros(T, Ti, dims...)

"""
    findnz(a)

The places and the values of the stored elements.
"""
findnz(a::AbstractSparseMatrixCSC{Tv, Ti}) where {Tv, Ti} = (rowvals(a)[1:nnz(a)], Ti[j for j in axes(a, 2) for _ in nzrange(a, j)], nonzeros(a)[1:nnz(a)])
findnz(v::SparseVector) = (copy(v.nzind), copy(v.nzval))

"""
    spdiagm([m, n,] k => v...)

A matrix with `v` on the `k`th diagonal.
"""
spdiagm(v::AbstractVector) = spdiagm(0 => v)
spdiagm(pairs::Pair{<:Integer}...) = (n = maximum(p -> length(p.second) + abs(p.first), pairs); spdiagm(n, n, pairs...))
function spdiagm(m::Integer, n::Integer, pairs::Pair{<:Integer}...)
    i, j, v = Int[], Int[], reduce(promote_type, map(p -> eltype(p.second), pairs))[]
    for (k, values) in pairs, (at, x) in enumerate(values)
        push!(i, at + max(-k, 0))
        push!(j, at + max(k, 0))
        push!(v, x)
    end
    sparse(i, j, v, m, n)
end
"""
    blockdiag(a...)

A matrix with others on its diagonal.
"""
function blockdiag(as::AbstractSparseMatrixCSC...)
    i, j, v = Int[], Int[], reduce(promote_type, map(eltype, as); init = Union{})[]
    m, n = 0, 0
    for a in as
        rows, columns, values = findnz(a)
        append!(i, rows .+ m)
        append!(j, columns .+ n)
        append!(v, values)
        m += size(a, 1)
        n += size(a, 2)
    end
    sparse(i, j, v, m, n)
end

"""
    sprand([rng,] [T,] m[, n], p[, values])

An array in which each element is stored with probability `p`.
"""
sprand(m::Integer, n::Integer, p::Real, values...) = sprand(default_rng(), m, n, p, values...)
sprand(n::Integer, p::Real, values...) = sprand(default_rng(), n, p, values...)
sprand(::Type{T}, m::Integer, n::Integer, p::Real) where {T} = sprand(default_rng(), T, m, n, p)
sprand(::Type{T}, n::Integer, p::Real) where {T} = sprand(default_rng(), T, n, p)
sprand(r::AbstractRNG, m::Integer, n::Integer, p::Real) = sprand(r, m, n, p, rand)
sprand(r::AbstractRNG, ::Type{T}, m::Integer, n::Integer, p::Real) where {T} = sprand(r, m, n, p, (r, k) -> rand(r, T, k))
function sprand(r::AbstractRNG, m::Integer, n::Integer, p::Real, values::Function, ::Type{T} = eltype(values(r, 1))) where {T}
    chosen = chosen_places(r, m * n, p)
    sparse(mod1.(chosen, m), cld.(chosen, m), values(r, length(chosen)), m, n)
end
sprand(r::AbstractRNG, n::Integer, p::Real) = sprand(r, n, p, rand)
sprand(r::AbstractRNG, ::Type{T}, n::Integer, p::Real) where {T} = sprand(r, n, p, (r, k) -> rand(r, T, k))
sprand(r::AbstractRNG, n::Integer, p::Real, values::Function) = (i = chosen_places(r, n, p); sparsevec(i, values(r, length(i)), n))
chosen_places(r, n, p) = 0 <= p <= 1 ? Int[k for k in 1:n if rand(r) < p] : throw(ArgumentError(string(p, " not in [0,1]")))
sprandn(m::Integer, n::Integer, p::Real) = sprandn(default_rng(), m, n, p)
sprandn(n::Integer, p::Real) = sprandn(default_rng(), n, p)
sprandn(::Type{T}, m::Integer, n::Integer, p::Real) where {T} = sprandn(default_rng(), T, m, n, p)
sprandn(::Type{T}, n::Integer, p::Real) where {T} = sprandn(default_rng(), T, n, p)
sprandn(r::AbstractRNG, m::Integer, n::Integer, p::Real) = sprand(r, m, n, p, randn)
sprandn(r::AbstractRNG, n::Integer, p::Real) = sprand(r, n, p, randn)
sprandn(r::AbstractRNG, ::Type{T}, m::Integer, n::Integer, p::Real) where {T} = sprand(r, m, n, p, (r, k) -> randn(r, T, k))
sprandn(r::AbstractRNG, ::Type{T}, n::Integer, p::Real) where {T} = sprand(r, n, p, (r, k) -> randn(r, T, k))

sparse_hcat(as...) = hcat(map(as_sparse, as)...)
sparse_vcat(as...) = vcat(map(as_sparse, as)...)
as_sparse(a::AbstractArray) = issparse(a) ? a : sparse(a)
