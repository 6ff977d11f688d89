# Loops at top level run as compiled code: they read and assign global variables, and go on in newer worlds.
using Test

# Variables without types.
total, last_odd = 0, nothing
for i in 1:3000
    global total = total + i
    if isodd(i)
        global last_odd = i
    end
end
@test (total, last_odd) == (4501500, 2999)

# Their values may change types on the way.
mixed = 1
for i in 1:3000
    global mixed = i < 1500 ? mixed + 1 : i < 2000 ? mixed + 0.5 : string(i)
end
@test mixed == "3000"

# A declared type converts what is assigned, as everywhere.
halves::Float64 = 0
for i in 1:2000
    global halves = i
end
@test halves === 2000.0
small::Int8 = 0
caught = 0
for i in 1:2000
    try
        global small = i
    catch err
        err isa InexactError || rethrow()
        global caught += 1
    end
end
@test (small, caught) == (127, 2000 - 127)
function assign_small(n)
    for i in 1:n
        global small = i % 100
    end
    small
end
@test assign_small(5000) === Int8(0)
wrong(n) = for i in 1:n
    global small = i < n ? i % 100 : "text"
end
@test_throws MethodError wrong(3000)
@test small === Int8(99)

# A variable that has no value yet.
unset_sum = 0
global unset
function read_unset(n)
    for i in 1:n
        i == n && return unset
    end
end
@test_throws UndefVarError read_unset(3000)
unset = 5
@test read_unset(3000) == 5

# Definitions made in the loop count from the next place on where the loop says that a newer world begins.
newest(x) = 0
seen = Int[]
for i in 1:2000
    i % 500 == 0 && eval(:(newest(x) = $i))
    global latest = i
    push!(seen, newest(1))
end
@test length(seen) == 2000
@test seen[499:501] == [0, 500, 500] && seen[[999, 1000, 1500, 2000]] == [500, 1000, 1500, 2000]
# A function runs on in its world.
older(x) = 0
function in_one_world(n)
    found = Int[]
    for i in 1:n
        i % 500 == 0 && eval(:(older(x) = $i))
        global latest = i
        push!(found, older(1))
    end
    found
end
@test all(==(0), in_one_world(2000))
@test older(1) == 2000

# A variable of a module, and one that is imported.
module Counters
    export counted
    counted = 0
    count!(n) = for i in 1:n
        global counted += 1
    end
end
Counters.count!(4000)
@test Counters.counted == 4000
using .Counters: counted
for i in 1:2000
    Counters.counted = Counters.counted - 1
end
@test counted == 2000
assign_imported(n) = for i in 1:n
    i < n || (global counted = 1)
end
@test_throws ErrorException assign_imported(2000)

# A constant defined while loops that read it as a variable wait.
late_sum = 0
for i in 1:2000
    i == 1000 && eval(:(const late_constant = 7))
    global late_sum += i > 1000 ? late_constant : 1
end
@test late_sum == 1000 + 7 * 1000

# What variables hold is kept, and what they held is not.
kept = Any[]
for i in 1:3000
    global kept = Any[kept, string("kept ", i)]
    i % 1000 == 0 && GC.gc()
    i % 100 == 0 && (global kept = Any[])
end
GC.gc()
@test kept == Any[]
chain = nothing
for i in 1:3000
    global chain = (i, string(i))
    i % 750 == 0 && GC.gc()
end
@test chain == (3000, "3000")
