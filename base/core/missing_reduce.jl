# Pairwise over the values that are there; a block without any gives nothing.
mapreduce(f, op, s::SkipMissing{<:AbstractArray}; init = InitialValue()) = mapreduce_present(f, op, init, s, IndexStyle(s.x))
mapreduce_present(f, op, init, s, ::Any) = mapfoldl_impl(f, op, init, s)
function mapreduce_present(f, op, ::InitialValue, s, ::IndexLinear)
    r = isempty(s.x) ? nothing : present_pairwise(f, op, s.x, firstindex(s.x), lastindex(s.x))
    r === nothing ? mapreduce_empty(f, op, eltype(s)) : something(r)
end
function present_pairwise(f, op, a, lo::Int, hi::Int)
    hi - lo < PAIRWISE_BLOCK && return present_block(f, op, a, lo, hi)
    mid = lo + ((hi - lo) >> 1)
    x = present_pairwise(f, op, a, lo, mid)
    y = present_pairwise(f, op, a, mid + 1, hi)
    x === nothing ? y : y === nothing ? x : Some(op(something(x), something(y)))
end
function present_block(f, op, a, lo::Int, hi::Int)
    # The last index may be the last integer.
    i = lo
    while ismissing(@inbounds a[i])
        i == hi && return nothing
        i += 1
    end
    v = first_of_fold(op, f((@inbounds a[i])::nonmissingtype(eltype(a))))
    while i < hi
        i += 1
        x = @inbounds a[i]
        ismissing(x) || (v = op(v, f(x)))
    end
    Some(v)
end
