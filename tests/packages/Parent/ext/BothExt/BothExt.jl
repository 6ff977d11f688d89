# Needs both triggers.
module BothExt
using Parent, Trigger, Other
push!(Parent.loaded, :BothExt)
end
