# Vectors made longer and shorter in place, by the names that packages use. Elements that come in are undefined.
function open_gap!(a::Vector{T}, i::Int, n::Int) where {T}
    len = length(a)
    n >= 0 || throw(ArgumentError("the number of new elements must not be negative"))
    1 <= i <= len + 1 || throw(BoundsError(a, i))
    fresh = Vector{T}(undef, len + n)
    i > 1 && unsafe_copy_refs!(fresh.ref, a.ref, i - 1)
    i <= len && unsafe_copy_refs!(memoryrefnew(fresh.ref, i + n, false), memoryrefnew(a.ref, i, false), len - i + 1)
    setfield!(a, :ref, fresh.ref)
    set_size!(a, len + n)
end
function check_deletion(a::Vector, i::Int, n::Int)
    n >= 0 && 1 <= i && i + n <= length(a) + 1 || throw(BoundsError(a, i:i+n-1))
    nothing
end
_growend!(a::Vector, n::Integer) = open_gap!(a, length(a) + 1, Int(n))
_growbeg!(a::Vector, n::Integer) = open_gap!(a, 1, Int(n))
_growat!(a::Vector, i::Integer, n::Integer) = open_gap!(a, Int(i), Int(n))
_deleteat!(a::Vector, i::Integer, n::Integer) = (check_deletion(a, Int(i), Int(n)); delete_at!(a, Int(i), Int(n)))
_deletebeg!(a::Vector, n::Integer) = _deleteat!(a, 1, n)
_deleteend!(a::Vector, n::Integer) = _deleteat!(a, length(a) - Int(n) + 1, n)
function unsafe_copyto!(dest::Array{T}, dstart, src::Array{T}, sstart, n) where {T}
    n > 0 && unsafe_copy_refs!(memoryrefnew(dest.ref, Int(dstart), false), memoryrefnew(src.ref, Int(sstart), false), Int(n))
    dest
end
