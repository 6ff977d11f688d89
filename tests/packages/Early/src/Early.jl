# A package that needs the state of another while its own body is evaluated, and asks where it is itself.
module Early
using Initial
const seen = Initial.state[]
const seen_names = Symbol[]
include_dependency("doubled.jl")
# Each expression goes through the function.
include(x -> x isa Expr ? Expr(:block, x, :(push!(seen_names, $(QuoteNode(x.args[1].args[1]))))) : x, "doubled.jl")
const own_file = basename(pathof(Early))
module Part
const file = basename(pathof(@__MODULE__))
end
const own_folder = basename(pkgdir(@__MODULE__))
const versions = [pkgversion(@__MODULE__)]
__init__() = push!(versions, pkgversion(Early))
end
