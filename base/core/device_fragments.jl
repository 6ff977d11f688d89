# The part of a matrix that a lane has, when a warp multiplies matrices together. A dialect's type of them is below `LaneFragment`
# and has methods of `lane_elements` and `with_lane_elements`; here is what all of them do: broadcasts over the elements of a lane.
module DeviceFragments
import Base.Broadcast

abstract type LaneFragment end
# The elements, as a tuple of numbers.
function lane_elements end
# A fragment like this one of other elements.
function with_lane_elements end

struct FragmentStyle <: Broadcast.BroadcastStyle end
Base.BroadcastStyle(::Type{<:LaneFragment}) = FragmentStyle()
Base.BroadcastStyle(s::FragmentStyle, ::Broadcast.DefaultArrayStyle{0}) = s
Base.broadcastable(f::LaneFragment) = f
Base.axes(f::LaneFragment) = axes(lane_elements(f))
@inline part(x, i) = x
@inline part(x::Ref, i) = x[]
@inline part(f::LaneFragment, i) = lane_elements(f)[i]
@inline part(bc::Broadcast.Broadcasted, i) = bc.f(map(it -> part(it, i), bc.args)...)
# The result is of the kind of the first one.
@inline first_fragment(f::LaneFragment, rest...) = f
@inline first_fragment(bc::Broadcast.Broadcasted{FragmentStyle}, rest...) = first_fragment(bc.args...)
@inline first_fragment(x, rest...) = first_fragment(rest...)
@inline function Base.copy(bc::Broadcast.Broadcasted{FragmentStyle})
    like = first_fragment(bc)
    return with_lane_elements(like, ntuple(i -> part(bc, i), Val(length(lane_elements(like)))))
end
end
