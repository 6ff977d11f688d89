# Runs `work(size[, file])` once and says how long it took; what it returns is compared with Python's.
function timed(work)
    arguments = (parse(Int, ARGS[1]), ARGS[2:end]...)
    start = time_ns()
    data = work(arguments...)
    seconds = (time_ns() - start) / 1e9
    println(data)
    println(stderr, "seconds ", seconds)
end
# Random numbers that are the same in Python.
mutable struct Numbers
    state::Int
end
function next!(r::Numbers)
    r.state = (r.state * 1103515245 + 12345) % 2147483648
    r.state
end
