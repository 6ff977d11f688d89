# A result that ended is compared with what its callees were then, not with results that were made later and hold everywhere.
using Test

kind(x) = "other"
@noinline inner(x) = kind(x)
@noinline middle(xs, i) = inner(xs[i])
@noinline other(xs, i) = inner(xs[i])

marker() = nothing
few(x) = "other"
@noinline inner_few(x) = (marker(); few(x))
@noinline middle_few(xs, i) = inner_few(xs[i])
@noinline other_few(xs, i) = inner_few(xs[i])

# The value of the last call is that of the first element.
function hot(f, xs)
    s = ""
    for n in 1:5001
        s = f(xs, 1 + (n - 1) % 5)
    end
    s
end

values = Any[1, 2.5, "a", Int, :s]
@test hot(middle, values) == hot(middle_few, values) == "other"

# More methods than inference looks at: the call may go anywhere, in all worlds.
kind(::Type{<:Number}) = "number type"
kind(::Union{Real, Symbol}) = "real or symbol"
kind(::AbstractString, more...) = "text"
kind(::DataType) = "data type"
@test hot(other, values) == "real or symbol"
@test hot(middle, values) == "real or symbol"
@test [middle(values, i) for i in 1:5] == ["real or symbol", "real or symbol", "text", "number type", "real or symbol"]

few(::Type{<:Number}) = "number type"
few(::Union{Real, Symbol}) = "real or symbol"
@test hot(other_few, values) == "real or symbol"
@test hot(middle_few, values) == "real or symbol"
@test [middle_few(values, i) for i in 1:5] == ["real or symbol", "real or symbol", "other", "number type", "real or symbol"]
few(::AbstractString) = "text"
few(::DataType) = "data type"
marker() = nothing
@test hot(other_few, values) == "real or symbol"
@test [middle_few(values, i) for i in 1:5] == ["real or symbol", "real or symbol", "text", "number type", "real or symbol"]
