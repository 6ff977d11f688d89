# Needs one trigger.
module OneExt
using Parent
import Trigger
push!(Parent.loaded, :OneExt)
Parent.describe(::Trigger.Thing) = "thing"
end
