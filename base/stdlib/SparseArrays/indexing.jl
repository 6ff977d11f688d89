# Elements: reading, writing, leaving out.

# Where an element is stored, or 0.
function stored_at(a::AbstractSparseMatrixCSC, i, j)
    range = nzrange(a, j)
    k = searchsortedfirst(rowvals(a), i, first(range), last(range), Base.Order.Forward)
    k <= last(range) && rowvals(a)[k] == i ? k : 0
end
function Base.getindex(a::AbstractSparseMatrixCSC{Tv}, i::Int, j::Int) where {Tv}
    @boundscheck checkbounds(a, i, j)
    k = stored_at(a, i, j)
    k == 0 ? zero(Tv) : nonzeros(a)[k]
end
function Base.setindex!(a::SparseMatrixCSC{Tv, Ti}, x, i::Int, j::Int) where {Tv, Ti}
    @boundscheck checkbounds(a, i, j)
    value = convert(Tv, x)
    range = nzrange(a, j)
    k = searchsortedfirst(a.rowval, i, first(range), last(range), Base.Order.Forward)
    if k <= last(range) && a.rowval[k] == i
        a.nzval[k] = value
    elseif !iszero(value)
        insert!(a.rowval, k, i)
        insert!(a.nzval, k, value)
        a.colptr[(j + 1):end] .+= one(Ti)
    end
    a
end
function Base.getindex(v::SparseVector{Tv}, i::Int) where {Tv}
    @boundscheck checkbounds(v, i)
    k = searchsortedfirst(v.nzind, i)
    k <= length(v.nzind) && v.nzind[k] == i ? v.nzval[k] : zero(Tv)
end
function Base.setindex!(v::SparseVector{Tv}, x, i::Int) where {Tv}
    @boundscheck checkbounds(v, i)
    value = convert(Tv, x)
    k = searchsortedfirst(v.nzind, i)
    if k <= length(v.nzind) && v.nzind[k] == i
        v.nzval[k] = value
    elseif !iszero(value)
        insert!(v.nzind, k, i)
        insert!(v.nzval, k, value)
    end
    v
end
# A column is a vector.
function Base.getindex(a::SparseMatrixCSC{Tv, Ti}, ::Colon, j::Integer) where {Tv, Ti}
    checkbounds(a, :, j)
    SparseVector{Tv, Ti}(a.m, a.rowval[nzrange(a, j)], a.nzval[nzrange(a, j)])
end

"""
    fkeep!(f, a)

Leaves out the stored elements for which `f(row, column, value)` is false.
"""
function fkeep!(f::Function, a::SparseMatrixCSC{Tv, Ti}) where {Tv, Ti}
    kept = 0
    start = 1
    for j in axes(a, 2)
        stop = Int(a.colptr[j + 1]) - 1
        for k in start:stop
            f(Int(a.rowval[k]), j, a.nzval[k]) || continue
            kept += 1
            a.rowval[kept], a.nzval[kept] = a.rowval[k], a.nzval[k]
        end
        start = stop + 1
        a.colptr[j + 1] = kept + 1
    end
    resize!(a.rowval, kept)
    resize!(a.nzval, kept)
    a
end
function fkeep!(f::Function, v::SparseVector)
    kept = Bool[f(i, x) for (i, x) in zip(v.nzind, v.nzval)]
    keepat!(v.nzind, kept)
    keepat!(v.nzval, kept)
    v
end
"""
    droptol!(a, tol)

Leaves out the stored elements whose absolute value is at most `tol`.
"""
droptol!(a::SparseMatrixCSC, tol) = fkeep!((i, j, x) -> abs(x) > tol, a)
droptol!(v::SparseVector, tol) = fkeep!((i, x) -> abs(x) > tol, v)
"""
    dropzeros!(a)

Leaves out the stored elements that are zero.
"""
dropzeros!(a::SparseMatrixCSC) = fkeep!((i, j, x) -> !iszero(x), a)
dropzeros!(v::SparseVector) = fkeep!((i, x) -> !iszero(x), v)
dropzeros(a::Union{SparseMatrixCSC, SparseVector}) = dropzeros!(copy(a))
