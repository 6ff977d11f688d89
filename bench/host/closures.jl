include("timed.jl")
function closures(n)
    made = Any[]
    for i in 1:n
        push!(made, x -> x + i)
    end
    sum = 0
    for f in made
        sum = (sum + f(1)::Int) % 1000000007
    end
    sum
end
timed(closures)
