# Launches on this processor, described on standard output: the kernel with the types that it sees, the grid, each argument
# before and each array after, as hexadecimal bytes, and the type of the exception.
hexadecimal(a::Array) = isempty(a) ? "-" :
    GC.@preserve a bytes2hex([unsafe_load(Ptr{UInt8}(pointer(a)), i) for i in 1:sizeof(a)])

function describe(f, args, given, after, groups, items, bytes, failed)
    types = join(map(a -> string(typeof(Base.Device.adapt(Base.Device.ToDevice(), a))), args), ", ")
    println("launch ", nameof(f), "(", types, ")")
    println("grid ", join((groups..., items...), " "), " ", bytes)
    for (arg, before, now) in zip(args, given, after)
        if before isa Array
            println("array ", join(size(before), ","), " ", hexadecimal(before), " ", hexadecimal(now))
        elseif sizeof(arg) > 0
            println("value ", hexadecimal([arg]))
        end
    end
    println("end ", failed)
end
three(n::Integer) = (Int(n), 1, 1)
three(n::Tuple) = ntuple(i -> i <= length(n) ? Int(n[i]) : 1, 3)

# `run(f, args...)` launches; arrays of the host become arrays of the device.
function launched(run, f, groups, items, args...; convert, bytes = 0)
    # Where kernels are only compiled, nothing is launched.
    haskey(ENV, "KILN_LAUNCHES") && return nothing
    given = map(a -> a isa Array ? copy(a) : a, args)
    there = map(a -> a isa Array ? convert(a) : a, args)
    failed = "well"
    try
        run(f, there...)
    catch exception
        failed = string(nameof(typeof(exception)))
    end
    after = map(a -> applicable(Array, a) && !(a isa Number) ? Array(a) : a, there)
    describe(f, there, given, after, three(groups), three(items), bytes, failed)
end
