# What kernels print, as CUDA.jl formats it, and when: in an item's order, before the launch's own end and its exception.
using CUDA, Test

struct Point
    x::Float32
    y::Int
end

# Literals print as they are written; values as C's printf shows them, and what that does not know as Julia does.
function formats()
    one, yes, c = 1.5f0, true, Int8('c')
    @cuprint("literals: ", 42, " ", 1.5, " ", true, " ", :symbol, " $(7) $(one)\n")
    @cuprintln("values: ", one, " ", yes, " ", c, " ", UInt16(7), " ", 2one + 1.0)
    @cuprintln("tuples: ", (1,), " ", (1, 2.0, (yes, one)), " ", (), " types: ", Any, " ", Float32)
    @cuprintln("others: ", Point(1, 2), " ", 'x', " ", UInt8(8), " ", 1 + 2im, " ", nothing, " ", one > 1 ? nothing : 3)
    @cuprintln()
    return
end
@cuda formats()

function formatted(x, n)
    shown = @cuprintf("%5d|%-5ld|%05.1f|%g|%x|%c|%%|%s\n", n, n, x, x, n, Int8('z'), "text")
    @cuprintf("%d\n", shown)
    return
end
@cuda formatted(2.25, Int32(42))

function shown(a)
    i = Int32(3)
    total = @cushow i a[i] + 1.0
    @cushow a[1] = 2 * total
    return
end
a = CuArray([1.0, 2.0, 3.0])
@cuda shown(a)
@test Array(a) == [8.0, 2.0, 3.0]

# The arguments are evaluated once.
function counted(a)
    @cuprintln("before: ", CUDA.atomic_add!(pointer(a), 1))
    return
end
b = CuArray([5])
@cuda counted(b)
@test Array(b) == [6]

# In loops, callees that are not inlined, branches, and around barriers.
@noinline announce(i, n) = (@cuprintln("item ", i, ", round ", n); nothing)
function rounds()
    i = threadIdx().x
    for n in 1:2
        i == n && announce(i, n)
        sync_threads()
    end
    return
end
@cuda threads=2 rounds()

# All that was printed comes before the exception of the launch.
function fails(a)
    @cuprintln("about to fail")
    a[7] = 1
    @cuprintln("not reached")
    return
end
error = try
    CUDA.@sync @cuda fails(b)
catch e
    e
end
@test error isa BoundsError

# Many groups on several threads: every line is there, and whole.
function greet(n)
    i = (blockIdx().x - 1) * blockDim().x + threadIdx().x
    @cuprintln("hello from item ", i, " of ", n)
    return
end
file = open(tempname(), "w+")
redirect_stdout(() -> CUDA.@sync(@cuda threads=64 blocks=10 greet(640)), file)
lines = split(read(seekstart(file), String), '\n'; keepempty = false)
@test sort(lines) == sort(["hello from item $i of 640" for i in 1:640])

# Host code prints at once.
@cuprintln("on the host ", 1.0)
