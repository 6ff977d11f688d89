# Package management: every package kiln knows is already there, so these do nothing.
module Pkg

activate(args...; kws...) = nothing
add(args...; kws...) = nothing
develop(args...; kws...) = nothing
instantiate(args...; kws...) = nothing
resolve(args...; kws...) = nothing
update(args...; kws...) = nothing
build(args...; kws...) = nothing
status(args...; kws...) = nothing
precompile(args...; kws...) = nothing
test(args...; kws...) = nothing
dependencies() = Dict{Any, Any}()
project() = (name = nothing, dependencies = Dict{String, Any}())
PackageSpec(args...; kws...) = nothing

end
