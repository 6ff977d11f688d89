# Constants whose last fields are undefined: as values, in compiled code of the host, and as arguments of calls that are evaluated.
struct Chain{T}
    next::Chain{T}
    value::T
    Chain{T}() where {T} = new{T}()
    Chain(next::Chain{T}, value) where {T} = new{T}(next, value)
end
Base.length(c::Chain) = isdefined(c, :next) ? 1 + length(c.next) : 0
empty_chain() = Chain{Any}()
one_link() = Chain(Chain{Any}(), "a")

println(Chain{Any}() === Chain{Any}(), " ", one_link() === one_link(), " ", Chain{Any}() === Chain{String}())
println(length(empty_chain()), " ", length(one_link()))
struct Later
    a::Int
    b::String
    c::Any
    Later(a) = new(a)
    Later(a, b) = new(a, b)
end
later(n) = n > 0 ? Later(1) : Later(1, "b")
defined(x) = (isdefined(x, :a), isdefined(x, :b), isdefined(x, :c))
println(defined(later(1)), " ", defined(later(0)), " ", Later(1) === Later(1), " ", Later(1) === Later(2), " ", Later(1, "b") === later(0))

# Compiled, with the constant as an operand that the host's code takes, and with fields that are read.
keep = Any[]
function work(n)
    s = 0
    for i in 1:n
        push!(keep, empty_chain())
        length(keep) > 10 && empty!(keep)
        s += length(one_link()) + length(keep)
    end
    return s
end
println(work(100_000))
value_of(c) = c.value
function undefined(n)
    caught = 0
    for i in 1:n
        try
            value_of(empty_chain())
        catch e
            caught += e isa UndefRefError
        end
    end
    return caught
end
println(undefined(3_000))
function printed(n)
    last = ""
    for i in 1:n
        last = sprint(show, [i, 2i]; context = :compact => true)
    end
    return last
end
println(printed(2_000))
