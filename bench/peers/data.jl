# Inputs, timing and outputs of the programs of this folder in Julia. `scripts/bench_peers.py` runs each as
# `FILE KERNEL REPS [OUT]`: it prints the milliseconds of each launch, and writes the kernel's output to the file OUT.
# Inputs are hashes of positions, so that every peer, in any language, makes the same ones.

# A number in [0, 1) for position i, counted from zero, of the input of that number.
function uniform(seed, i)
    h = (i % UInt32) * 0x9e3779b1 + (seed % UInt32) * 0x7f4a7c15
    h = (h ⊻ (h >> 15)) * 0x85ebca6b
    h = (h ⊻ (h >> 13)) * 0xc2b2ae35
    return Float32((h ⊻ (h >> 16)) >> 8) * Float32(0x1p-24)
end

function uniform!(a, seed)
    for i in eachindex(a)
        @inbounds a[i] = uniform(seed, i - 1)
    end
    return a
end

input(seed, n...) = uniform!(Array{Float32}(undef, n...), seed)

# Launches once to warm up, then until REPS launches or two seconds are done. `launch` returns when the kernel has ended.
function measured(launch, outputs...)
    launch()
    spent = 0.0
    for _ in 1:parse(Int, ARGS[2])
        started = time_ns()
        launch()
        taken = (time_ns() - started) / 1e6
        println(taken)
        spent += taken
        spent > 2000 && break
    end
    length(ARGS) > 2 || return
    open(ARGS[3], "w") do io
        foreach(it -> write(io, Array(it)), outputs)
    end
end

function main(benches)
    name = ARGS[1]
    haskey(benches, name) || error("no kernel is called ", name)
    benches[name]()
end
