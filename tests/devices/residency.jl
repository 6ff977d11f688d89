# Arrays are what kernels and the host made of them in turn, however each gets at them: whole, in views and other shapes, by
# pointers, in fields, in compiled host code, on several streams, and after others were collected. Prints what it sees.
using CUDA, KernelAbstractions
# The host looks at single elements here, which scripts have to ask for.
CUDA.allowscalar()

scale!(y, a) = (i = threadIdx().x; i <= length(y) && (y[i] = (a * y[i] + i) % 1009); return)
add!(y, x) = (i = threadIdx().x; i <= min(length(y), length(x)) && (y[i] = (y[i] + x[i]) % 1009); return)
through!(p, n) = (i = threadIdx().x; i <= n && unsafe_store!(p, (unsafe_load(p, i) + 7) % 1009, i); return)
struct Held{A}
    a::A
    k::Int
end
CUDA.Adapt.adapt_structure(to, h::Held) = Held(CUDA.Adapt.adapt(to, h.a), h.k)
held!(h) = (i = threadIdx().x; i <= length(h.a) && (h.a[i] = (h.a[i] * h.k) % 1009); return)
@kernel function ka!(y)
    i = @index(Global)
    y[i] = (3 * y[i] + 1) % 1009
end

mutable struct Dice
    state::UInt64
end
function roll(d::Dice, below::Int)
    d.state = d.state * 0x5851f42d4c957f2d + 0x14057b7ef767814f
    return Int((d.state >> 33) % UInt64(below))
end

# Loops of host code that run often are compiled.
function total(a)
    s = 0
    for i in 1:length(a)
        s = (31 * s + a[i]) % 1000003
    end
    return s
end
function bump!(a)
    for i in 1:length(a)
        a[i] = (a[i] + 1) % 1009
    end
    return a
end

mutable struct Keeper
    name::String
    a::Vector{Int}
end
function total_kept(k::Keeper)
    s = 0
    for i in 1:length(k.a)
        s = (31 * s + k.a[i]) % 1000003
    end
    return s
end

const SIZE = 24
const LARGE = 3000
fresh(d) = CuArray([roll(d, 1009) for _ in 1:SIZE])
const dice = Dice(0x12345)
const arrays = [fresh(dice) for _ in 1:5]
const plain = [[roll(dice, 1009) for _ in 1:SIZE] for _ in 1:2]
const large = CuArray([roll(dice, 1009) for _ in 1:LARGE])
const kept = Keeper("kept", [roll(dice, 1009) for _ in 1:LARGE])
const streams = [default_stream(), CuStream(), CuStream()]
const seen = Ref(0)
look(x) = (seen[] = (131 * seen[] + x) % 1000003; nothing)

function launch_some(d, a, b)
    s = streams[1 + roll(d, 3)]
    what = roll(d, 10)
    if what == 0
        @cuda threads=32 stream=s scale!(a, 1 + roll(d, 9))
    elseif what == 1
        @cuda threads=32 stream=s add!(a, b)
    elseif what == 2
        lo = 1 + roll(d, SIZE)
        @cuda threads=32 stream=s scale!(view(a, lo:SIZE), 2)
    elseif what == 3
        @cuda threads=32 stream=s add!(view(a, 1:10), view(a, 11:20))
    elseif what == 4
        @cuda threads=32 stream=s held!(Held(a, 1 + roll(d, 5)))
    elseif what == 5
        @cuda threads=32 stream=s through!(pointer(a), SIZE)
    elseif what == 8
        ka!(CUDABackend(), 8)(large; ndrange = LARGE)
    elseif what == 9
        ka!(CPU(), 8)(kept.a; ndrange = LARGE)
    elseif what == 6
        ka!(CUDABackend(), 8)(a; ndrange = SIZE)
    else
        p = plain[1 + roll(d, 2)]
        roll(d, 2) == 0 ? ka!(CPU(), 8)(p; ndrange = SIZE) : (@cuda threads=32 stream=s add!(a, CuArray(p)))
    end
    return nothing
end

function look_some(d, a, b)
    what = roll(d, 18)
    i = 1 + roll(d, SIZE)
    if what == 0
        look(a[i])
    elseif what == 1
        a[i] = i
    elseif what == 2
        look(sum(a))
    elseif what == 3
        fill!(view(a, i:SIZE), 5)
    elseif what == 4
        look(unsafe_load(pointer(a.data), i))
    elseif what == 5
        unsafe_store!(pointer(a.data, i), 17)
    elseif what == 6
        a .= (a .+ b) .% 1009
    elseif what == 7
        look(total(Array(a)))
        look(total(a))
    elseif what == 8
        bump!(a)
    elseif what == 9
        look(reshape(a, 4, 6)[2, 3])
        reshape(a, 6, 4)[i] = 9
    elseif what == 10
        copyto!(a, 1, plain[1], 1, i)
        copyto!(plain[2], b)
    elseif what == 11
        look(length(string(Held(a, 2))) + total(plain[1]))
        bump!(plain[1])
    elseif what == 12
        look(Int(reinterpret(UInt8, Array(a))[8 * i - 7]) + Int(a == b))
    elseif what == 13
        look(total_kept(kept))
    elseif what == 14
        bump!(kept.a)
    elseif what == 15
        look(total(large))
    elseif what == 16
        look(total(Array(large)))
    else
        CUDA.synchronize(streams[1 + roll(d, 3)])
        look(count(isodd, a))
    end
    return nothing
end

function round_of(d, n)
    for _ in 1:n
        k, l = 1 + roll(d, 5), 1 + roll(d, 5)
        roll(d, 3) == 0 ? look_some(d, arrays[k], arrays[l]) : launch_some(d, arrays[k], arrays[l])
        roll(d, 40) == 0 && (arrays[k] = fresh(d))
    end
    return seen[]
end

# Objects are collected between statements, after so much garbage: so the rounds below are statements and no loop.
function garbage()
    for n in 1:8
        g = CuArray(Base.zeros(Int, (1 << 19) + 100 * roll(dice, 100)))
        @cuda threads=32 stream=streams[1 + roll(dice, 3)] scale!(g, n)
        n == 4 && (g[1] = 1)
    end
    arrays[1 + roll(dice, 5)] = fresh(dice)
    return nothing
end
println(round_of(dice, 120))
garbage()
println(map(total, arrays), map(total, plain), total(large), total_kept(kept))
garbage()
println(round_of(dice, 120))
garbage()
println(map(total, arrays), map(total, plain), total(large), total_kept(kept))
garbage()
println(round_of(dice, 120))
garbage()
println(map(total, arrays), map(total, plain), total(large), total_kept(kept))
garbage()
println(round_of(dice, 120))
garbage()
println(map(total, arrays), map(total, plain), total(large), total_kept(kept))
garbage()
println(round_of(dice, 120))
garbage()
println(map(total, arrays), map(total, plain), total(large), total_kept(kept))
garbage()
println(round_of(dice, 120))
garbage()
println(map(total, arrays), map(total, plain), total(large), total_kept(kept))
garbage()
println(round_of(dice, 120))
garbage()
println(map(total, arrays), map(total, plain), total(large), total_kept(kept))
garbage()
println(round_of(dice, 120))
garbage()
println(map(total, arrays), map(total, plain), total(large), total_kept(kept))
garbage()
