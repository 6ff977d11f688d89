# A loop over global variables without types, at top level.
include("timed.jl")
size = parse(Int, ARGS[1])
sum_of = 0
last_odd = nothing
start = time_ns()
for i in 1:size
    global sum_of = (sum_of + i * i) % 1000000007
    if isodd(i)
        global last_odd = i
    end
end
seconds = (time_ns() - start) / 1e9
println(sum_of, " ", last_odd)
println(stderr, "seconds ", seconds)
