# A package with a preference, which is a constant of its code.
module Choosy
const id = Base.PkgId(@__MODULE__)
const limit = get(Base.get_preferences(id.uuid), "limit", 1)
Base.record_compiletime_preference(id.uuid, "limit")
scaled(x) = x * limit
end
