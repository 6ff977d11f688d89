# Functions that are to change in a later version of Julia.
module Future

using Random: AbstractRNG

"""
    Future.copy!(to, from)

Gives one collection the contents of another; Base has it now.
"""
copy!(to::AbstractSet, from::AbstractSet) = Base.copy!(to, from)
copy!(to::AbstractDict, from::AbstractDict) = Base.copy!(to, from)
copy!(to::AbstractArray, from::AbstractArray) = Base.copy!(to, from)
Base.@lacked randjump

end
