# The address of an object that a kernel makes: what is stored through it is read from the object, and the other way round.
using CUDA, Test

struct Counter
    place::Ptr{Int64}
end
next!(c::Counter) = (unsafe_store!(c.place, unsafe_load(c.place) + 1); unsafe_load(c.place))
mutable struct Pair2
    a::Int32
    b::Int32
end
function kernel(out)
    i = threadIdx().x
    r = Ref{Int64}(10i)
    GC.@preserve r begin
        c = Counter(Base.unsafe_convert(Ptr{Int64}, r))
        next!(c)
        r[] += 100
        out[1, i] = next!(c)
        out[2, i] = r[]
    end
    p = Pair2(i, 2i)
    GC.@preserve p unsafe_store!(Ptr{Int32}(pointer_from_objref(p)), Int32(7), 2)
    out[3, i] = p.a + p.b
    return
end
out = CUDA.zeros(Int64, 3, 4)
@cuda threads = 4 kernel(out)
@test Array(out)[1:2, :] == [10i + 102 for _ in 1:2, i in 1:4]
@test Array(out)[3, :] == [i + 7 for i in 1:4]
