# Matrices of which one triangle counts, in two kinds with ones on the diagonal.

abstract type AbstractTriangular{T} <: AbstractMatrix{T} end
for (T, keeps, diagonal) in ((:UpperTriangular, :(i <= j), false), (:LowerTriangular, :(i >= j), false),
        (:UnitUpperTriangular, :(i < j), true), (:UnitLowerTriangular, :(i > j), true))
    elsewhere = diagonal ? :(i == j ? oneunit(eltype(a)) : zero(eltype(a))) : :(zero(eltype(a)))
    shown = diagonal ? :($keeps || i == j) : keeps
    @eval begin
        struct $T{T, S <: AbstractMatrix{T}} <: AbstractTriangular{T}
            data::S
            function $T{T, S}(data) where {T, S <: AbstractMatrix{T}}
                checksquare(data)
                new{T, S}(data)
            end
        end
        $T(data::AbstractMatrix{T}) where {T} = $T{T, typeof(data)}(data)
        $T(a::$T) = a
        $T{T}(data::AbstractMatrix) where {T} = $T(convert(AbstractMatrix{T}, data))
        size(a::$T) = size(a.data)
        getindex(a::$T, i::Int, j::Int) = (@boundscheck checkbounds(a, i, j); $keeps ? a.data[i, j] : $elsewhere)
        function Base.setindex!(a::$T, v, i::Int, j::Int)
            @boundscheck checkbounds(a, i, j)
            $keeps ? (a.data[i, j] = v) : v == $elsewhere ||
                throw(ArgumentError(string("cannot set index (", i, ", ", j, ") outside of the triangle of a ", $(string(T)), " to ", v)))
            a
        end
        Base.parent(a::$T) = a.data
        Base.similar(a::$T, ::Type{E}) where {E} = $T(similar(parent(a), E))
        Base.similar(a::$T, ::Type{E}, dims::Dims) where {E} = similar(parent(a), E, dims)
        Base.replace_in_print_matrix(a::$T, i::Integer, j::Integer, s::AbstractString) = $shown ? s : Base.replace_with_centered_mark(s)
    end
end
const UpperOrUnitUpperTriangular{T, S} = Union{UpperTriangular{T, S}, UnitUpperTriangular{T, S}}
const LowerOrUnitLowerTriangular{T, S} = Union{LowerTriangular{T, S}, UnitLowerTriangular{T, S}}
const UpperOrLowerTriangular{T, S} = Union{UpperOrUnitUpperTriangular{T, S}, LowerOrUnitLowerTriangular{T, S}}
istriu(a::UpperOrUnitUpperTriangular, k::Integer = 0) = k <= 0 || istriu(Matrix(a), k)
istril(a::LowerOrUnitLowerTriangular, k::Integer = 0) = k >= 0 || istril(Matrix(a), k)
istriu(a::Base.AdjOrTrans, k::Integer = 0) = istril(parent(a), -k)
istril(a::Base.AdjOrTrans, k::Integer = 0) = istriu(parent(a), -k)
for flip in (:adjoint, :transpose)
    @eval begin
        Base.$flip(a::UpperTriangular) = LowerTriangular($flip(a.data))
        Base.$flip(a::LowerTriangular) = UpperTriangular($flip(a.data))
        Base.$flip(a::UnitUpperTriangular) = UnitLowerTriangular($flip(a.data))
        Base.$flip(a::UnitLowerTriangular) = UnitUpperTriangular($flip(a.data))
    end
end
det(a::UpperOrLowerTriangular) = prod(diag(a); init = one(eltype(a)))
