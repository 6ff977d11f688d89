# Results of the matrix: their types or exceptions, and their bits.
KINDS = Memory{UInt8}(undef, 0)
BITS = Memory{UInt8}(undef, 0)

bits_of(x::Bool) = UInt128(x)
bits_of(x::Union{Int8, UInt8}) = UInt128(reinterpret(UInt8, x))
bits_of(x::Union{Int16, UInt16, Float16}) = UInt128(reinterpret(UInt16, x))
bits_of(x::Union{Int32, UInt32, Float32}) = UInt128(reinterpret(UInt32, x))
bits_of(x::Union{Int64, UInt64, Float64}) = UInt128(reinterpret(UInt64, x))
bits_of(x::Union{Int128, UInt128}) = reinterpret(UInt128, x)
exception_number(::DivideError) = 100
exception_number(::InexactError) = 101
exception_number(::DomainError) = 102
exception_number(::OverflowError) = 103
exception_number(::MethodError) = 104
exception_number(::Any) = 105

converted(x, y) = typeof(y)(x)
wrapped(x, y) = x % typeof(y)

# The results of `f` for every value of `xs` with every value of `ys`.
function record_all(f, xs, ys)
    count = length(xs) * length(ys)
    kinds = Memory{UInt8}(undef, count)
    bits = Memory{UInt8}(undef, 16 * count)
    words = Ptr{UInt128}(pointer(bits))
    i = 0
    for x in xs, y in ys
        i += 1
        try
            r = f(x, y)
            kinds[i] = type_number(r)
            GC.@preserve bits unsafe_store!(words, bits_of(r), i)
        catch e
            kinds[i] = exception_number(e)
        end
    end
    global KINDS = kinds
    global BITS = bits
    nothing
end
