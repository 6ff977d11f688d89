# Pointers to objects that compiled host code asks for are those that the interpreter gets: writes through them reach the objects.
mutable struct Pair2
    a::Int
    b::Float64
end
address(m) = UInt(pointer_from_objref(m))
function same_address(n)
    m = Pair2(77, 1.0)
    p, others = address(m), 0
    GC.@preserve m for _ in 1:n
        others += address(m) != p
    end
    others
end
function stored_through(r, n)
    s = 0
    for i in 1:n
        r[] = i
        GC.@preserve r unsafe_store!(Base.unsafe_convert(Ptr{Int}, r), i + 3)
        s += r[]
    end
    s
end
function loaded_through(n)
    m, s = Pair2(1, 2.0), 0.0
    GC.@preserve m for i in 1:n
        m.b = i
        s += unsafe_load(Ptr{Float64}(pointer_from_objref(m)), 2)
    end
    s
end
added(m, words, i) = (m.a = i; words[1] += 3; m.a)
function wrapped(n)
    m, s = Pair2(1, 2.0), 0
    GC.@preserve m begin
        words = unsafe_wrap(Array, Ptr{Int}(pointer_from_objref(m)), 1)
        for i in 1:n
            s += added(m, words, i)
        end
    end
    s
end
for n in (10, 5000, 50_000), _ in 1:2
    sum_to = n * (n + 1) ÷ 2
    @assert same_address(n) == 0
    @assert stored_through(Ref(1), n) == sum_to + 3n
    @assert loaded_through(n) == sum_to
    @assert wrapped(n) == sum_to + 3n
end
println("pointers of objects")
