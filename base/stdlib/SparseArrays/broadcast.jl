# Broadcasts over sparse arrays are sparse: each element is computed, and those that are not zero are stored.

struct SparseStyle{N} <: Broadcast.AbstractArrayStyle{N} end
SparseStyle{M}(::Val{N}) where {M, N} = N <= 2 ? SparseStyle{N}() : Broadcast.DefaultArrayStyle{N}()
Base.BroadcastStyle(::Type{<:Union{SparseMatrixCSC, FlippedMatrix}}) = SparseStyle{2}()
Base.BroadcastStyle(::Type{<:SparseVector}) = SparseStyle{1}()
Base.BroadcastStyle(::SparseStyle{M}, ::SparseStyle{N}) where {M, N} = SparseStyle{max(M, N)}()
Base.BroadcastStyle(::SparseStyle{M}, ::Broadcast.DefaultArrayStyle{N}) where {M, N} =
    max(M, N) <= 2 ? SparseStyle{max(M, N)}() : Broadcast.DefaultArrayStyle{max(M, N)}()
function Base.copy(bc::Broadcast.Broadcasted{SparseStyle{N}}) where {N}
    sparse(copy(Broadcast.Broadcasted{Broadcast.DefaultArrayStyle{N}}(bc.f, bc.args, bc.axes)))
end
Base.map(f, a::SparseMatrixCSC) = broadcast(f, a)
Base.map(f, a::SparseVector) = broadcast(f, a)
