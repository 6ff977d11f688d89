# Arrays that processes share, of which kiln has one alone: it makes none, and every array's data are its own.
module SharedArrays

export SharedArray, SharedVector, SharedMatrix, sdata, indexpids, localindices

struct SharedArray{T, N} <: DenseArray{T, N}
    s::Array{T, N}
    SharedArray{T, N}(args...; kws...) where {T, N} =
        throw(Base.UnsupportedError(:SharedArray, "a session is one process; use an `Array`"))
end
SharedArray(args...; kws...) = SharedArray{Any, 1}()
SharedArray{T}(args...; kws...) where {T} = SharedArray{T, 1}()
const SharedVector{T} = SharedArray{T, 1}
const SharedMatrix{T} = SharedArray{T, 2}
Base.size(a::SharedArray) = size(a.s)

sdata(a::AbstractArray) = a
Base.@lacked indexpids localindices

end
