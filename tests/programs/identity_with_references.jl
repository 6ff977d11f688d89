# A value that refers to objects is compared with objects of any type: what is no such value has no references to follow.
struct Number64
    bits::Int
end
struct Named
    name::Any
end
struct Pair2
    first::Any
    second::Any
end

const GLOBAL = GlobalRef(Base, :foreigncall)
const NAMED = Named(Number64(7))
const PAIR = Pair2("text", Number64(8))
const STRING = "text"

same(x) = (x === GLOBAL) + 2 * (x === NAMED) + 4 * (x === PAIR) + 8 * (x === (STRING, 3))

function counted(all)
    n = 0
    for x in all
        n += same(x)
    end
    return n
end

# Of each sort one in the list is the same, one differs in what it refers to, and the others are of other types.
mixed = Any[
    GlobalRef(Base, :foreigncall), GlobalRef(Base, :ccall), NAMED, Named(Number64(7)), Named(Number64(8)), Named(nothing),
    PAIR, Pair2("text", Number64(8)), Pair2("other", Number64(8)), (STRING, 3), ("text", 3), ("text", 4),
    Number64(1), Number64(-1), 1, 2.5, 0x01, 'c', nothing, missing, :symbol, "string", [1], 1:2, (1, 2), Int, Ref(1),
]
total = 0
for _ in 1:2000
    global total += counted(mixed)
end
println(total ÷ 2000, " ", [same(x) for x in mixed if same(x) != 0])
