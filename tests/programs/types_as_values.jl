# A value that is a type has a field, an argument, or a variable of type `Type{T}`: compiled code asks which type it is.
struct Tagged{B}
    number::Int
    tag::B
end
@noinline tagged(x, T) = Tagged{Type{Int64}}(x, T)
@noinline is_int(T) = T isa Type{Int64}
@noinline asserted(T) = T::Type{Int64}
@noinline kind(::Type{Int64}) = 1
@noinline kind(::Type{<:Array}) = 2
@noinline kind(T) = 3
@noinline paired(t, i) = :typeinfo => fieldtype(typeof(t), i)

function check(n)
    wrong = 0
    for k in 1:n
        T = (Int64, Int32, Vector, Vector{Int}, Union{Int, Float64})[k % 5 + 1]
        wrong += is_int(T) != (T === Int64)
        wrong += kind(T) != (T === Int64 ? 1 : T isa Type{<:Array} ? 2 : 3)
        t = tagged(k, Int64)
        wrong += !(t.number == k && getfield(Any[t][1], :tag) === Int64)
        wrong += asserted(Int64) !== Int64
        p = paired(Any[(1, Int32(2))][1], k % 2 + 1)
        wrong += p.second !== (k % 2 == 0 ? Int64 : Int32)
    end
    return wrong
end
println(check(10), " ", check(3000))

# Called from interpreted code once it is compiled.
f = Any[tagged][1]
wrong = 0
for k in 1:5000
    t = try f(k, Int64) catch; nothing end
    global wrong += !(t isa Tagged && t.number == k && t.tag === Int64)
end
println(wrong)
for i in 1:3000
    repr([(1, Int32(i))])
end
println(repr([(1, Int32(2))]))
